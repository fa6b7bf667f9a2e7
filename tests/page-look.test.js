// page-look.test.js - how the built page looks where pictures alone would tell: what a phone shows at once, labels that
// are whole, the colours of the system, and errors beside the control that caused them; in Chromium.
import test, { after } from 'node:test';
import assert from 'node:assert/strict';
import { about } from '../web/about/strings.js';
import { learn } from '../web/learn/strings.js';
import { see } from '../web/see/strings.js';
import { strings } from '../web/strings.js';
import { translate } from '../web/translate/strings.js';
import { LIMIT, said, startChromium, visit } from './browser/chromium.js';
import { PLACES } from './browser/expected.js';

const { site, browser, openPage, close: closeAll } = await startChromium();
after(closeAll);

/** @param {any} options  of Playwright's context */
async function openWith(options) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  context.setDefaultTimeout(LIMIT);
  return { page: await context.newPage(), close: () => context.close() };
}

/** From now on, `drawn` of the page has the texts that were written on canvases. */
const rememberDrawn = (page) => page.addInitScript(() => {
  globalThis.drawn = new Set();
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function write(text, ...place) {
    globalThis.drawn.add(text);
    return fillText.call(this, text, ...place);
  };
});

const LONG = 'My sister lives in a small house near the station because she works there.';

test('See begins with lines that a phone and a desk show at once; a phone opens the choices', async () => {
  for (const [width, rows] of [[390, 4], [820, 6], [1280, 8]]) {
    const { page, troubles, close } = await openPage({ width });
    await visit(page, `see/heads?${new URLSearchParams({ text: LONG })}`);
    const shown = await page.locator('.token-column.left .tok').evaluateAll((all) =>
      all.filter((tok) => tok.getBoundingClientRect().bottom <= innerHeight).length);
    assert.ok(shown >= rows, `${width} px: ${shown} tokens, expected ${rows}`);
    const isOpen = () => page.locator('.heads-choice').isVisible();
    if (width === 390) {
      assert.equal(await isOpen(), false);
      await page.click('.choose summary');
    }
    assert.equal(await isOpen(), true);
    // the text stands in the field; the translation below it
    assert.equal(await page.inputValue('.ask input'), LONG);
    assert.equal(await page.locator('.pair [lang=en]').isVisible(), false);
    assert.equal(await page.locator('.pair [lang=de]').isVisible(), true);
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.locator('.pair [lang=en]').isVisible(), true, 'paper has no field');
    assert.deepEqual(troubles, []);
    await close();
  }
});

test('the labels of a matrix are whole where there is room', async () => {
  const { page, close } = await openWith({});
  await rememberDrawn(page);
  await page.goto(`${site.url}#/see/matrix?${new URLSearchParams({ text: LONG })}`);
  await page.waitForFunction(() => globalThis.drawn.has('station'));
  const written = await page.evaluate(() => [...globalThis.drawn]);
  // "station" has as many letters, and is narrower
  assert.ok(written.includes('because'), written.join(' '));
  assert.deepEqual(written.filter((text) => text.endsWith('\u2026')), []);
  await close();
});

test('with the colours of the system, heads, scales and what is off can still be told apart', async () => {
  const { page, close } = await openWith({ forcedColors: 'active', colorScheme: 'dark' });
  await page.goto(site.url);
  await said(page);
  // else the browser draws the colour of the page behind the text, which is that of the text
  assert.equal(await page.locator('button.primary').evaluate((one) => getComputedStyle(one).forcedColorAdjust), 'none');
  await visit(page, 'see/heads');
  await page.waitForSelector('.heads-choice input');
  const colors = await page.locator('.heads-choice i').evaluateAll((all) =>
    all.map((swatch) => getComputedStyle(swatch).backgroundColor));
  assert.equal(new Set(colors).size, 8, colors.join(' '));
  await visit(page, 'see/matrix');
  assert.match(await page.locator('.legend i').evaluate((bar) => getComputedStyle(bar).backgroundImage), /gradient/);
  await visit(page, 'see/ablation');
  await page.locator('.toggle').first().click();
  const stripes = (at) => page.locator('.toggle').nth(at).evaluate((button) => getComputedStyle(button).backgroundImage);
  assert.match(await stripes(0), /gradient/);
  assert.equal(await stripes(1), 'none');
  await visit(page, 'learn/scaled');
  // the text of a chart is the system's, as text elsewhere is
  assert.deepEqual(await page.evaluate(() => [getComputedStyle(document.querySelector('.chart text')).fill]),
    await page.evaluate(() => [getComputedStyle(document.body).color]));
  await visit(page, 'learn/self-attention');
  const cells = await page.locator('.figure .grid').nth(1).locator('td').evaluateAll((all) =>
    all.map((cell) => getComputedStyle(cell).backgroundColor));
  assert.ok(new Set(cells).size >= 4, 'of 0, 1, 2, 4 and 5');
  await close();
});

test('See without a model is laid out as with one, and offers another attempt', async () => {
  const { page, close } = await openWith({ serviceWorkers: 'block' });
  await page.route('**/model.safetensors', (route) => route.abort());
  await page.goto(`${site.url}#/see/heads`);
  const again = page.locator('.view').getByRole('button', { name: 'Try again' });
  await again.waitFor();
  assert.equal(await page.locator('.see .ask').evaluate((form) => getComputedStyle(form).display), 'flex');
  assert.equal(await page.locator('.views a[href="#/see/gates"]').isVisible(), false);
  await page.unroute('**/model.safetensors');
  await again.click();
  await page.waitForSelector('.view-heads .tok');
  await close();
});

test('what is wrong with an address or with files is said beside the control that brought it', async () => {
  const { page, troubles, close } = await openPage();
  await said(page);
  await page.click('.own summary');
  const address = page.locator('.own input[type=url]');
  await address.fill('http://elsewhere.invalid/model/');
  await page.locator('.own form').evaluate((form) => form.requestSubmit());
  const about = page.locator(`#${await address.getAttribute('aria-describedby')}`);
  assert.equal(await about.textContent(), 'This is not an https address.');
  assert.equal(await address.getAttribute('aria-invalid'), 'true');
  await page.locator('.own input[type=file]').first().setInputFiles([
    { name: 'config.json', mimeType: 'application/json', buffer: Buffer.from('{}') }]);
  const missing = page.locator('.own [role=status]', { hasText: 'Missing files' });
  await missing.waitFor();
  const [box, drop, field] = await Promise.all([missing, page.locator('.own .drop'), address].map((one) =>
    one.boundingBox()));
  assert.ok(box.y >= drop.y + drop.height && box.y < drop.y + drop.height + 40, 'just below where files are dropped');
  const told = await about.boundingBox();
  assert.ok(told.y >= field.y + field.height && told.y < field.y + field.height + 40, 'just below the address');
  assert.deepEqual(troubles, []);
  // a model that is not there
  await address.fill(`${site.url}nowhere/`);
  await page.locator('.own form').evaluate((form) => form.requestSubmit());
  await page.waitForSelector('.own .alert');
  assert.equal(await page.locator('.alert').count(), 1);
  await close();
});

/** All texts, but those that are made of what is given. @param {any} texts @returns {string[]} */
const flat = (texts) => (typeof texts === 'string' ? [texts]
  : typeof texts === 'object' ? Object.values(texts).flatMap(flat) : []);

test('a page in German says nothing in English, and no number with a point, in no room and in no sum', async () => {
  const german = new Set(flat({ ...await import('../web/strings/de.js') }));
  // what is shown of them has no signs of subscripts
  const english = new Set(flat({ shell: strings.shell, translate, see, learn, about })
    .filter((text) => / /.test(text) && !german.has(text)).map((text) => text.replace(/_/g, '')));
  const { page, close } = await openWith({ locale: 'de-DE' });
  await rememberDrawn(page);
  await page.goto(site.url);
  await said(page);
  const found = () => page.evaluate(() => [...document.querySelectorAll('*')].flatMap((element) => [
    ...['aria-label', 'title', 'placeholder'].map((name) => element.getAttribute(name)),
    element.matches('style, script') ? null : element.textContent.trim(),
    ...[...element.childNodes].filter(({ nodeType }) => nodeType === 3).map((node) => node.textContent.trim()),
  ]).filter(Boolean));
  /** Numbers that people read, on canvases too; code, names of licences and numbers of thousands are none. */
  const pointed = () => page.evaluate(() => {
    const texts = [...globalThis.drawn];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement, data } = walker.currentNode;
      if (!parentElement.closest('code')) texts.push(data);
    }
    return texts.filter((text) =>
      (text.match(/(?<![\w.-])\d*\.\d+/g) ?? []).some((number) => !/^[1-9]\d?\d?\.\d{3}$/.test(number)));
  });
  const check = async (/** @type {string} */ place) => {
    assert.deepEqual((await found()).filter((text) => english.has(text)), [], place);
    assert.deepEqual(await pointed(), [], place);
  };
  for (const place of PLACES) {
    await visit(page, place);
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('details')) details.open = true;
    });
    // of the search wider than the model's own, with its scores
    if (place === 'translate') {
      await page.check('.check input');
      await page.waitForSelector('.candidates ol');
    }
    if (place === 'translate') await page.waitForSelector('.own input[type=url]');
    if (place === 'see/matrix') {
      await page.focus('.map');
      for (const key of ['ArrowRight', 'Enter']) await page.keyboard.press(key);
      await page.waitForSelector('.sum .blocks');
      await check('the sum');
      await page.keyboard.press('Escape');
    }
    await check(place);
  }
  await close();
});
