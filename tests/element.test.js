// element.test.js - <heed-translate> of the built package in Chromium, with the shipped model: by one script tag from
// another origin, as a field and for a part of the page; what axe says of it.
import test, { after, before } from 'node:test';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { startBrowser } from './browser/chromium.js';
import { FIXTURE_PATH } from './browser/fixture.js';
import { serveOrigin } from './browser/origins.js';

const require = createRequire(new URL('browser/package.json', import.meta.url));
const AXE = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');

let library;
let site;
let browser;
let page;
before(async () => {
  library = await serveOrigin({ folders: ['build/js', FIXTURE_PATH] });
  const attributes = `from="en" to="de" model="${library.origin}/${FIXTURE_PATH}/"`;
  site = await serveOrigin({ pages: { '/': `<!doctype html><html lang="en"><title>A page</title>
    <script type="module" src="${library.origin}/build/js/element.js"></script>
    <main><h1>A page</h1><heed-translate id="field" ${attributes}></heed-translate>
    <heed-translate id="part" ${attributes} target="#article"></heed-translate>
    <heed-translate id="none" ${attributes} target="#missing"></heed-translate>
    <heed-translate id="other" ${attributes.replace('"de"', '"fr"')} target="#article"></heed-translate>
    <div id="article"><p>The <b id="b">house</b> is small.</p><p>I love you.</p></div></main></html>` } });
  browser = await startBrowser();
  page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(site.origin);
  await page.waitForFunction(() => globalThis.customElements.get('heed-translate'));
});
after(async () => {
  await browser?.close();
  library?.close();
  site?.close();
});

test('a field: what one types is translated, in a worker, and the status is a live region', async () => {
  const field = page.locator('#field');
  await field.getByLabel('English').fill('The house is small.');
  const result = field.locator('output');
  await page.waitForFunction(() => globalThis.field.translation !== '');
  assert.match(await result.textContent(), /Haus/);
  assert.equal(await field.evaluate((element) => element.value), 'The house is small.');
  assert.equal(await result.getAttribute('aria-busy'), 'false');
  assert.equal(await result.getAttribute('lang'), 'de');
  assert.equal(await field.getByRole('status').count(), 2);
  assert.ok(page.workers().length > 0, 'there is no worker');
});

test('target: a button translates a part of the page, and takes it back', async () => {
  const before_ = await page.locator('#article').evaluate((element) => element.outerHTML);
  await page.evaluate(() => (globalThis.bold = document.querySelector('#b')));
  const button = page.locator('#part').getByRole('button');
  assert.equal(await button.textContent(), 'Translate into German');
  await button.click();
  await page.waitForFunction(() => document.querySelector('#part').shadowRoot.textContent.includes('Translated.'));
  const [html, isSame, lang] = await page.evaluate(() => {
    const article = document.querySelector('#article');
    return [article.innerHTML, article.querySelector('b') === globalThis.bold, article.lang];
  });
  assert.match(html, /^<p>.*<b id="b">.*Haus.*<\/b>.*<\/p><p>.*<\/p>$/);
  assert.deepEqual([isSame, lang, await button.textContent()], [true, 'de', 'Show the original']);
  await button.click();
  assert.equal(await page.locator('#article').evaluate((element) => element.outerHTML), before_);
  assert.equal(await button.textContent(), 'Translate into German');
});

test('two elements of one target: the button of the first says that its translation is gone', async () => {
  const before_ = await page.locator('#article').evaluate((element) => element.outerHTML);
  const [one, other] = ['#part', '#other'].map((id) => page.locator(id));
  const article = (/** @type {string} */ lang) => page.waitForFunction((own) =>
    document.querySelector('#article').lang === own, lang);
  await one.getByRole('button').click();
  await article('de');
  await other.getByRole('button').click();
  await article('fr');
  await one.getByRole('button', { name: 'Translate into German' }).waitFor();
  assert.equal(await one.getByRole('status').textContent(), '');
  await other.getByRole('button', { name: 'Show the original' }).click();
  assert.equal(await page.locator('#article').evaluate((element) => element.outerHTML), before_);
});

test('attributes that change: the field keeps its text, the focus and the place of the caret', async () => {
  const field = page.locator('#field');
  await field.locator('textarea').fill('The house is small.');
  const found = await field.evaluate((element) => {
    element.shadowRoot.querySelector('textarea').setSelectionRange(4, 9);
    element.setAttribute('to', 'es');
    const { activeElement: { id, value, selectionStart, selectionEnd } } = element.shadowRoot;
    return { id, value, selectionStart, selectionEnd };
  });
  assert.deepEqual(found, { id: 'source', value: 'The house is small.', selectionStart: 4, selectionEnd: 9 });
  await page.waitForFunction(() => /casa/.test(globalThis.field.translation));
});

test('wrong attributes are named', async () => {
  const said = await page.evaluate(async () => {
    const texts = [];
    for (const [name, value] of [['model', 'http://['], ['from', '']]) {
      const own = document.createElement('heed-translate');
      for (const [key, other] of Object.entries({ from: 'en', to: 'de', model: '/', [name]: value })) {
        own.setAttribute(key, other);
      }
      document.body.append(own);
      own.value = 'a';
      await new Promise((resolve) => own.addEventListener('failed', resolve));
      texts.push(own.shadowRoot.querySelector('[part=status]').textContent);
      own.remove();
    }
    return texts;
  });
  assert.deepEqual(said, ["The translation failed: model: found 'http://[', expected an address",
    "The translation failed: from: found nothing, expected a language such as 'de'"]);
});

test('a target that is not there is named', async () => {
  const none = page.locator('#none');
  await none.getByRole('button').click();
  await none.getByText('The translation failed: nothing on this page is "#missing"').waitFor();
});

test('axe finds nothing', async () => {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`), []);
});

test('the module asks for its own files alone, beside itself', () => {
  assert.deepEqual(library.asked.filter((path) => !/^\/(?:build\/js|models)\//.test(path)), []);
  assert.deepEqual(site.asked.filter((path) => path !== '/' && path !== '/favicon.ico'), []);
});
