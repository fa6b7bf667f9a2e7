// extension.test.js - the extension of web/examples in Chromium and Firefox, with the shipped model, on pages of five
// kinds (browser/extension): what is translated, what stays, that the page still works, and that nothing asks the
// network.
import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needBrowser } from './browser/hosts.js';
import { findBrowser } from './browser/launch.js';
import { serveOrigin } from './browser/origins.js';
import { untilTrue } from './browser/until.js';
import { startBrowserWith } from './browser/with-extension.js';
import { buildExtension } from '../web/examples/extension/build.js';

const FOLDER = new URL('browser/extension/', import.meta.url);

let scratch;
let site;
before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'heed-extension-'));
  const names = await readdir(FOLDER);
  const pages = await Promise.all(names.map(async (name) =>
    [`/${name}`, await readFile(new URL(name, FOLDER), 'utf8')]));
  site = await serveOrigin({ pages: Object.fromEntries(pages) });
});
after(async () => {
  site?.close();
  // a browser that has closed may still put something away
  await rm(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

for (const kind of /** @type {const} */ (['chromium', 'firefox'])) describe(kind, () => {
  /** @type {import('./browser/with-extension.js').Browser} */
  let page;
  before(async () => {
    if (kind !== 'chromium' && !findBrowser(kind)) return; // each test says so
    const extension = join(scratch, kind);
    await buildExtension(extension);
    page = await startBrowserWith(kind, extension, join(scratch, 'profile'));
  });
  after(() => page?.close());

  /** @param {string} name @param {() => Promise<void>} run */
  const pageTest = (name, run) => test(name, async (t) => void (needBrowser(kind, t) && await run()));

  async function open(name) {
    await page.open(`${site.origin}/${name}.html`);
    await page.evaluate(() => {
      window.elements = [...document.querySelectorAll('*')];
      window.html = document.documentElement.outerHTML;
    });
  }
  /** Presses the button, and waits until all is translated. */
  async function translate() {
    await page.press();
    await page.until(() => document.documentElement.lang === 'de');
    await untilTrue(async () => {
      const [badge, title] = await page.button();
      assert.match(badge, /^(?:\d+%)?$/, title);
      return badge === '' && title === 'Show the original';
    }, 'the translation ends');
  }
  async function restore() {
    await page.press();
    await page.until(() => document.documentElement.lang !== 'de');
  }
  /** Elements as before, and the page byte for byte. */
  async function checkSame() {
    const [isSame, html, source] = await page.evaluate(() => {
      const now = [...document.querySelectorAll('*')];
      const { elements } = window;
      return [now.length === elements.length && now.every((element, i) => element === elements[i]),
        document.documentElement.outerHTML, window.html];
    });
    assert.equal(html, source);
    assert.ok(isSame, 'other elements');
  }
  const text = (/** @type {string} */ selector) =>
    page.evaluate((own) => document.querySelector(own).textContent, selector);
  const attribute = (/** @type {string} */ selector, /** @type {string} */ name) =>
    page.evaluate(([own, key]) => document.querySelector(own).getAttribute(key), [selector, name]);

  pageTest('its options: the language that pages are translated into', async () => {
    await page.openOwn('options.html');
    await page.until(() => !document.querySelector('select').disabled);
    await page.evaluate(() => {
      const select = document.querySelector('select');
      select.value = 'de';
      select.dispatchEvent(new Event('change'));
    });
    // a page that closes before need not have stored it
    await page.until(() => document.querySelector('output').textContent === 'Saved.');
    await page.openOwn('options.html');
    await page.until(() => !document.querySelector('select').disabled);
    assert.equal(await page.evaluate(() => document.querySelector('select').value), 'de');
  });

  pageTest('a news article: headings, links, notes, names and another language', async () => {
    await open('news');
    await translate();
    assert.deepEqual(await page.evaluate(() => ({
      isSameNumber: document.querySelectorAll('*').length === window.elements.length,
      isThere: window.elements.every((element) => element.isConnected),
    })), { isSameNumber: true, isThere: true });
    assert.equal(await text('.by span'), 'Jane Smith');
    assert.equal(await text('blockquote'), "C'est un beau jour.");
    assert.equal(await text('sup'), '[1]');
    assert.notEqual(await text('title'), 'The old station opens again');
    assert.match(await text('h1'), /alte (Bahnhof|Station)/);
    assert.match(await text('a[href="/station"]'), /alte (Bahnhof|Station)/);
    assert.match(await text('strong'), /Sonntag/);
    assert.match(await attribute('img', 'alt'), /Bahnhof/);
    await restore();
    await checkSame();
  });

  pageTest('a shop: prices, sizes, a table, and a bag that still works', async () => {
    await open('shop');
    await translate();
    assert.match(await text('.price'), /^49[.,]90 €$/);
    assert.match(await text('.card span'), /Schuhe/);
    assert.deepEqual(await page.evaluate(() => [document.querySelector('select').value,
      document.querySelector('select').selectedIndex]), ['large', 1]);
    assert.notEqual(await attribute('[type=button]', 'value'), 'Show more');
    assert.match(await text('td'), /Deutschland/);
    await page.click('#buy');
    await page.click('#buy');
    await page.until(() => /2/.test(document.querySelector('#cart').textContent) &&
      !/You have/.test(document.querySelector('#cart').textContent));
    await restore();
    assert.equal(await text('#cart'), 'You have 2 shoes in your bag.');
    await page.evaluate(() => void (document.querySelector('#cart').textContent = 'Your bag is empty.'));
    await checkSame();
  });

  pageTest('a forum: what the user has typed, names, and the focus', async () => {
    await open('forum');
    await page.fill('#text', 'I have an answer.');
    await page.evaluate(() => document.querySelector('#name').focus());
    await translate();
    assert.deepEqual(await page.evaluate(() => [
      Object.fromEntries(new FormData(document.querySelector('form'))), document.activeElement.id,
      document.querySelector('#rich').innerHTML, document.querySelector('h2').textContent,
      document.querySelector('[type=submit]').value,
    ]), [{ name: 'Peter', text: 'I have an answer.', mail: 'on', useful: 'yes' }, 'name', 'My own <b>words</b>',
      'maria_77', 'Send']);
    assert.match(await text('.post p'), /Brot/);
    assert.match(await text('.post + .post a'), /Bahnhof/);
    assert.match(await text('.post + .post p'), /👍.*@maria_77/);
    assert.notEqual(await attribute('#text', 'placeholder'), 'Write your answer here');
    await restore();
    assert.equal(await page.evaluate(() => document.activeElement.id), 'name');
    await checkSame();
  });

  pageTest('documentation under a strict policy, without a stated language: code stays', async () => {
    await open('docs');
    const code = () => page.evaluate(() => [...document.querySelectorAll('code, kbd, pre, samp, var, math, sub')]
      .map(({ textContent }) => textContent));
    const source = await code();
    await translate();
    assert.deepEqual((await code()).sort(), source.sort());
    assert.match(await text('dd'), /Datei/);
    assert.equal(await attribute('h1 a', 'href'), '#read');
    await restore();
    await checkSame();
  });

  pageTest('an application that renders again: nodes it holds stay, and what it writes is translated', async () => {
    await open('app');
    await translate();
    const items = () => page.evaluate(() =>
      [...document.querySelectorAll('li')].map((item) => item.firstChild.data));
    assert.match((await items()).join(), /Auto/);
    assert.match(await page.evaluate(() => document.querySelector('my-clock').shadowRoot.textContent), /spät/);
    const [first, second] = await items();
    // the page writes its own texts again
    await page.click('#turn');
    await page.until((wanted) => [...document.querySelectorAll('li')]
      .map((item) => item.firstChild.data).join() === wanted, [second, first].join());
    await page.click('#add');
    await page.click('li:nth-child(2) button');
    await page.click('#again');
    await page.until(() => /Buch/.test(document.querySelector('ul').textContent) &&
      !/All my/.test(document.querySelector('h1').textContent));
    await page.until(() => !/left/.test(document.querySelector('.count').textContent));
    assert.deepEqual(await page.evaluate(() => window.errors), []);
    await restore();
    assert.equal(await page.evaluate(() => document.querySelector('#app').innerHTML),
      '<h1>All my tasks</h1><p class="count">2 tasks are left, 1 are done.</p><ul>' +
      '<li>Call my mother <button>Done</button></li><li>Read a good book <button>Done</button></li></ul>' +
      '<button id="add">Add a task</button><button id="turn">Turn the list</button>' +
      '<button id="again">Render again</button><my-clock></my-clock>');
  });

  pageTest('a page of the browser: the button says that it cannot be read', async () => {
    await page.open(kind === 'chromium' ? 'chrome://version/' : 'about:license');
    await page.press();
    // the browser takes badge and title one after the other
    await untilTrue(async () => (await page.button()).join() === '!,The browser lets no extension read this page',
      'the button says so');
  });

  pageTest('nothing but the pages was asked for', async () => {
    const requests = await page.requests();
    const isOwn = (url) => url.startsWith(site.origin) || /^(?:chrome|chrome-extension|data|blob):/.test(url);
    assert.deepEqual(requests.filter((url) => !isOwn(url)), []);
    assert.ok(requests.includes(`${site.origin}/app.html`));
    assert.deepEqual(site.asked.filter((path) => !/\.html$/.test(path) && path !== '/favicon.ico'), []);
  });
});
