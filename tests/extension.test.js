// extension.test.js - the extension of web/examples in Chromium, with the shipped model, on pages of five kinds
// (browser/extension): what is translated, what stays, that the page still works, and that nothing asks the network.
import test, { after, before } from 'node:test';
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWithExtension } from './browser/chromium.js';
import { serveOrigin } from './browser/origins.js';
import { buildExtension } from '../web/examples/extension/build.js';

const FOLDER = new URL('browser/extension/', import.meta.url);

let scratch;
let site;
let context;
let worker;
/** What pages and the extension asked for. @type {string[]} */
const requests = [];
before(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'heed-extension-'));
  const extension = join(scratch, 'extension');
  await buildExtension(extension);
  // a press of the button gives access to the tab, and a test has no button to press
  const manifest = join(extension, 'manifest.json');
  const settings = JSON.parse(await readFile(manifest, 'utf8'));
  await writeFile(manifest, JSON.stringify({ ...settings, host_permissions: ['http://127.0.0.1/*'] }));
  const names = await readdir(FOLDER);
  const pages = await Promise.all(names.map(async (name) =>
    [`/${name}`, await readFile(new URL(name, FOLDER), 'utf8')]));
  site = await serveOrigin({ pages: Object.fromEntries(pages) });
  context = await startWithExtension(extension, join(scratch, 'profile'));
  context.setDefaultTimeout(60_000);
  context.on('request', (request) => requests.push(request.url()));
  worker = context.serviceWorkers()[0] ?? await context.waitForEvent('serviceworker');
  await worker.evaluate(() => chrome.storage.local.set({ target: 'de' }));
});
after(async () => {
  await context?.close();
  site?.close();
  await rm(scratch, { recursive: true, force: true });
});

/** Opens a page. @param {string} name */
async function open(name) {
  const page = await context.newPage();
  await page.goto(`${site.origin}/${name}.html`);
  const press = () => worker.evaluate(async () => {
    const [tab] = await chrome.tabs.query({ active: true, lastFocusedWindow: true });
    chrome.action.onClicked.dispatch(tab);
  });
  await page.evaluate(() => {
    globalThis.elements = [...document.querySelectorAll('*')];
    globalThis.html = document.documentElement.outerHTML;
  });
  /** Presses the button, and waits until all is translated. */
  const translate = async () => {
    await press();
    await page.waitForFunction(() => document.documentElement.lang === 'de');
    await settled(page);
  };
  const restore = async () => {
    await press();
    await page.waitForFunction(() => document.documentElement.lang !== 'de');
  };
  return { page, translate, restore };
}

/** Waits until the button shows no more progress. @param {any} page */
async function settled(page) {
  await page.waitForFunction(() => new Promise((resolve) => setTimeout(resolve, 100, true)));
  await assert.doesNotReject(async () => {
    for (let i = 0; i < 600; i++) {
      const text = await worker.evaluate(async () => {
        const [tab] = await chrome.tabs.query({ active: true, lastFocusedWindow: true });
        return [await chrome.action.getBadgeText({ tabId: tab.id }), await chrome.action.getTitle({ tabId: tab.id })];
      });
      if (text[0] === '' && text[1] === 'Show the original') return;
      assert.ok(/^(?:\d+%)?$/.test(text[0]), text.join());
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    }
    throw new Error('the translation does not end');
  });
}

/** Elements as before, and the page byte for byte. @param {any} page */
async function checkSame(page) {
  const [isSame, html, before_] = await page.evaluate(() => {
    const now = [...document.querySelectorAll('*')];
    const { elements } = globalThis;
    return [now.length === elements.length && now.every((element, i) => element === elements[i]),
      document.documentElement.outerHTML, globalThis.html];
  });
  assert.equal(html, before_);
  assert.ok(isSame, 'other elements');
}

const text = (page, selector) => page.locator(selector).first().textContent();

test('a news article: headings, links, notes, names and another language', async () => {
  const { page, translate, restore } = await open('news');
  await translate();
  const found = await page.evaluate(() => ({
    number: document.querySelectorAll('*').length,
    isSame: globalThis.elements.every((element) => element.isConnected),
  }));
  assert.deepEqual(found, { number: await page.evaluate(() => globalThis.elements.length), isSame: true });
  assert.equal(await text(page, '.by span'), 'Jane Smith');
  assert.equal(await text(page, 'blockquote'), "C'est un beau jour.");
  assert.equal(await text(page, 'sup'), '[1]');
  assert.notEqual(await page.title(), 'The old station opens again');
  assert.match(await text(page, 'h1'), /Bahnhof/);
  assert.match(await text(page, 'a[href="/station"]'), /Bahnhof/);
  assert.match(await text(page, 'strong'), /Sonntag/);
  assert.match(await page.locator('img').getAttribute('alt'), /Bahnhof/);
  await restore();
  await checkSame(page);
  await page.close();
});

test('a shop: prices, sizes, a table, and a bag that still works', async () => {
  const { page, translate, restore } = await open('shop');
  await translate();
  assert.match(await text(page, '.price'), /^49[.,]90 €$/);
  assert.match(await text(page, '.card span'), /Schuhe/);
  assert.deepEqual(await page.evaluate(() => [document.querySelector('select').value,
    document.querySelector('select').selectedIndex]), ['large', 1]);
  assert.notEqual(await page.locator('[type=button]').getAttribute('value'), 'Show more');
  assert.match(await text(page, 'td'), /Deutschland/);
  await page.locator('#buy').click();
  await page.locator('#buy').click();
  await page.waitForFunction(() => /2/.test(document.querySelector('#cart').textContent) &&
    !/You have/.test(document.querySelector('#cart').textContent));
  await restore();
  assert.equal(await text(page, '#cart'), 'You have 2 shoes in your bag.');
  await page.evaluate(() => (document.querySelector('#cart').textContent = 'Your bag is empty.'));
  await checkSame(page);
  await page.close();
});

test('a forum: what the user has typed, names, and the focus', async () => {
  const { page, translate, restore } = await open('forum');
  await page.locator('#text').fill('I have an answer.');
  await page.locator('#name').focus();
  await translate();
  assert.deepEqual(await page.evaluate(() => [
    Object.fromEntries(new FormData(document.querySelector('form'))), document.activeElement.id,
    document.querySelector('#rich').innerHTML, document.querySelector('h2').textContent,
    document.querySelector('[type=submit]').value,
  ]), [{ name: 'Peter', text: 'I have an answer.', mail: 'on', useful: 'yes' }, 'name', 'My own <b>words</b>',
    'maria_77', 'Send']);
  assert.match(await text(page, '.post p'), /Brot/);
  assert.match(await text(page, '.post + .post a'), /Bahnhof/);
  assert.match(await text(page, '.post + .post p'), /👍.*@maria_77/);
  assert.notEqual(await page.locator('#text').getAttribute('placeholder'), 'Write your answer here');
  await restore();
  assert.equal(await page.evaluate(() => document.activeElement.id), 'name');
  await checkSame(page);
  await page.close();
});

test('documentation under a strict policy, without a stated language: code stays', async () => {
  const { page, translate, restore } = await open('docs');
  const code = () => page.evaluate(() => [...document.querySelectorAll('code, kbd, pre, samp, var, math, sub')]
    .map(({ textContent }) => textContent));
  const before_ = await code();
  await translate();
  assert.deepEqual((await code()).sort(), before_.sort());
  assert.match(await text(page, 'dd'), /Datei/);
  assert.equal(await page.locator('h1 a').getAttribute('href'), '#read');
  await restore();
  await checkSame(page);
  await page.close();
});

test('an application that renders again: nodes it holds stay, and what it writes is translated', async () => {
  const { page, translate, restore } = await open('app');
  await translate();
  const items = () => page.evaluate(() => [...document.querySelectorAll('li')].map((item) => item.firstChild.data));
  assert.match((await items()).join(), /Brot/);
  assert.match(await page.evaluate(() => document.querySelector('my-clock').shadowRoot.textContent), /spät/);
  const [first, second] = await items();
  // the page writes its own texts again
  await page.locator('#turn').click();
  await page.waitForFunction((wanted) => [...document.querySelectorAll('li')]
    .map((item) => item.firstChild.data).join() === wanted, [second, first].join());
  await page.locator('#add').click();
  await page.locator('li').nth(1).locator('button').click();
  await page.locator('#again').click();
  await page.waitForFunction(() => /Buch/.test(document.querySelector('ul').textContent) &&
    !/All my/.test(document.querySelector('h1').textContent));
  await page.waitForFunction(() => !/left/.test(document.querySelector('.count').textContent));
  assert.deepEqual(await page.evaluate(() => globalThis.errors), []);
  await restore();
  assert.equal(await page.evaluate(() => document.querySelector('#app').innerHTML),
    '<h1>All my tasks</h1><p class="count">2 tasks are left, 1 are done.</p><ul>' +
    '<li>Call my mother <button>Done</button></li><li>Read a good book <button>Done</button></li></ul>' +
    '<button id="add">Add a task</button><button id="turn">Turn the list</button>' +
    '<button id="again">Render again</button><my-clock></my-clock>');
  await page.close();
});

test('nothing but the pages was asked for', () => {
  const isLocal = (url) => url.startsWith(site.origin) || /^(?:chrome-extension|data|blob):/.test(url);
  assert.deepEqual(requests.filter((url) => !isLocal(url)), []);
  assert.deepEqual(site.asked.filter((path) => !/\.html$/.test(path) && path !== '/favicon.ico'), []);
});
