// page-use.test.js - what a person does with the built page, in Chromium: swap the languages, bring a model, ask for
// more than one translation, send a link, hold a matrix with the mouse and with fingers.
import test, { after } from 'node:test';
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Transformer, Translator } from '../js/index.js';
import { LIMIT, hasPair, said, startChromium, visit } from './browser/chromium.js';
import { FIXTURE } from './browser/fixture.js';

const { site, browser, openPage, close: closeAll } = await startChromium();
after(closeAll);

const ready = (page) => page.waitForSelector('.status[data-status="ready"]');

test('swapping the languages loads the other model, and its text is the translation', async () => {
  const { page, troubles, close } = await openPage();
  await said(page);
  await page.fill('textarea', 'Our neighbours have a small house.');
  await page.waitForFunction(() => /^Unsere .*Haus/.test(document.querySelector('.said').textContent));
  const german = await said(page);
  await page.click('header .languages button');
  await page.waitForFunction(() => document.querySelector('.status').textContent.includes('German \u2192 English'));
  assert.equal(await page.inputValue('textarea'), german);
  await hasPair(page, 'de-en');
  await page.waitForFunction(() => /house/i.test(document.querySelector('.said').textContent));
  await page.waitForURL(/pair=de-en/);
  assert.deepEqual(troubles, []);
  await close();
});

test('the languages are chosen in the header of every room, also of a phone, and kept', async () => {
  const { page, troubles, close } = await openPage({ place: 'see/heads', width: 390 });
  await page.waitForSelector('.view-heads');
  const text = 'The house is small.';
  await visit(page, `see/heads?text=${encodeURIComponent(text)}`);
  await page.waitForFunction(() => /Haus/.test(document.querySelector('.pair [lang=de]')?.textContent));
  const german = await page.textContent('.see .pair [lang=de]');
  await page.getByRole('button', { name: 'Swap the languages' }).click();
  await hasPair(page, 'de-en');
  await page.waitForFunction((source) =>
    document.querySelector('.see .pair [lang=de]')?.textContent === source, german);
  assert.match(await page.textContent('.see .pair [lang=en]'), /house/);
  assert.equal(await page.inputValue('.see .ask input'), german);

  // the other language stays where it can
  const [from, to] = ['Translate from', 'Translate to'].map((name) => page.getByLabel(name, { exact: true }));
  await to.selectOption({ label: 'French' });
  await hasPair(page, 'de-fr');
  await from.selectOption({ label: 'Spanish' });
  await hasPair(page, 'es-fr');
  await from.selectOption({ label: 'French' });
  await hasPair(page, 'fr-es');
  assert.deepEqual(await to.locator('option').allTextContents(), ['English', 'German', 'Spanish']);
  await ready(page);
  for (const place of ['translate', 'learn/softmax', 'about']) {
    await visit(page, place);
    assert.ok(await from.isVisible() && await to.isVisible(), place);
  }
  await page.goto('about:blank');
  await page.goto(site.url);
  await hasPair(page, 'fr-es');
  assert.equal(await page.getByLabel('Language of the page').inputValue(), 'en', 'which is another choice');
  assert.deepEqual(troubles, []);
  await close();
});

test('a pair that no model has is translated by two, and See shows the attention of each', async (t) => {
  const { models } = JSON.parse(await readFile(new URL('../models/index.json', import.meta.url), 'utf8'));
  const few = models.filter(({ source, target }) => ['de en', 'en fr'].includes(`${source} ${target}`));
  const context = await browser.newContext({ serviceWorkers: 'block' }); // it would fetch the list itself
  t.after(() => context.close());
  context.setDefaultTimeout(LIMIT);
  const page = await context.newPage();
  /** @type {string[]} */
  const troubles = [];
  page.on('pageerror', (error) => troubles.push(String(error)));
  await page.route('**/models/index.json', (route) => route.fulfill({ json: { format: 1, models: few } }));
  await page.goto(`${site.url}#/translate?pair=de-fr&text=Das+Haus+ist+klein.`);
  await hasPair(page, 'de-fr');
  const targets = page.getByLabel('Translate to', { exact: true }).locator('option');
  assert.deepEqual(await targets.allTextContents(), ['English', 'French']);
  await page.waitForFunction(() => /maison/.test(document.querySelector('.said').textContent));
  const french = await said(page);
  await page.locator('.said .word').first().click();
  await page.waitForSelector('.alternatives');
  assert.match(await page.textContent('.alternatives'), /Two models translate this pair/);
  await page.keyboard.press('Escape');

  const asked = 'pair=de-fr&text=Das+Haus+ist+klein.';
  await visit(page, `see/heads?${asked}`);
  await page.waitForSelector('.view-heads');
  const steps = page.locator('.see .field').filter({ hasText: 'Model' }).locator('select');
  assert.deepEqual(await steps.locator('option').allTextContents(), ['German \u2192 English', 'English \u2192 French']);
  await page.waitForFunction(() => /house/.test(document.querySelector('.see .pair [lang=en]')?.textContent));
  assert.match(await page.textContent('.see .pair [lang=de]'), /Haus/);
  await steps.selectOption({ label: 'English \u2192 French' });
  await page.waitForFunction((text) => document.querySelector('.see .pair [lang=fr]')?.textContent === text, french);
  for (const view of ['flow', 'matrix', 'neuron', 'layers', 'alignment', 'occlusion', 'ablation', 'beam']) {
    await visit(page, `see/${view}?${asked}`);
    await page.waitForSelector(`.view-${view} canvas, .view-${view} svg, .view-${view} table, .view-${view} button`);
    assert.equal(await page.locator('.see .view > .remark[role=status]').count(), 0, view);
  }
  assert.deepEqual(troubles, []);
});

test('the views of See fit the width of every phone, and are in the same places whichever is open', async () => {
  const { page, close } = await openPage({ place: 'see/heads' });
  await page.waitForSelector('.view-heads');
  for (const width of [820, 390, 360, 320]) {
    await page.setViewportSize({ width, height: 800 });
    const places = [];
    for (const view of ['heads', 'ablation', 'beam']) {
      await visit(page, `see/${view}`);
      places.push(await page.locator('.views a:visible').evaluateAll((links) => {
        const boxes = links.map((link) => link.getBoundingClientRect());
        return boxes.map(({ left, right, top }, i) => left >= 0 && right <= innerWidth &&
          [links[i].textContent, Math.round(left), Math.round(top - boxes[0].top)]);
      }));
    }
    assert.equal(places[0].length, 9);
    assert.ok(places[0].every(Boolean), `${width} px: ${JSON.stringify(places[0])}`);
    assert.deepEqual(places[1], places[0], `${width} px`);
    assert.deepEqual(places[2], places[0], `${width} px`);
    assert.equal(await page.locator('.views').evaluate((row) => row.scrollWidth - row.clientWidth), 0);
  }
  await close();
});

test('a text in another language is asked about, and one click translates from there', async () => {
  const { page, troubles, close } = await openPage();
  await said(page);
  await page.fill('textarea', 'Je voudrais une tasse de caf\u00e9, s\u2019il vous pla\u00eet.');
  await page.waitForSelector('.guessed:not([hidden])');
  assert.match(await page.textContent('.guessed'), /French/);
  // a link brings another text, of which nothing was asked
  await page.evaluate(() => (location.hash = '#/translate?text=The+house+is+small.'));
  await page.waitForSelector('.guessed', { state: 'hidden' });
  await page.fill('textarea', 'Je voudrais une tasse de caf\u00e9, s\u2019il vous pla\u00eet.');
  await page.waitForSelector('.guessed:not([hidden])');
  assert.equal(page.workers().length, 2, 'the guess is made in a worker of its own');
  await page.click('.guessed button');
  await hasPair(page, 'fr-de');
  await ready(page);
  await page.waitForFunction(() => /Kaffee/.test(document.querySelector('.said').textContent));
  assert.deepEqual(troubles, []);
  await close();
});

/** Files that drop() takes. @param {URL} folder */
const filesOf = async (folder) => Promise.all((await readdir(folder)).map(async (name) =>
  ({ name, data: (await readFile(new URL(name, folder))).toString('base64') })));

/** Drops files as a file manager does. */
const dropOn = (page, list) => page.evaluate((given) => {
  const transfer = new DataTransfer();
  for (const { name, data } of given) {
    transfer.items.add(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], name));
  }
  for (const type of ['dragover', 'drop']) {
    const event = new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true });
    document.querySelector('h1').dispatchEvent(event);
    if (!event.defaultPrevented) throw new Error(`the browser would take the ${type} itself`);
  }
}, list);

test("the files of one of Firefox's models are loaded", async () => {
  const { page, troubles, close } = await openPage();
  await said(page);
  const files = await filesOf(new URL('golden/firefox/memory-split/', import.meta.url));
  await dropOn(page, [...files, { name: 'model.ende.bin', data: '' }]);
  await page.waitForFunction(() => document.querySelector('.own').textContent.includes('found several models'));
  await dropOn(page, files.filter(({ name }) => !name.startsWith('trgvocab')));
  await page.waitForFunction(() =>
    document.querySelector('.own').textContent.includes('Missing files: trgvocab.*.spm.'));
  await hasPair(page, 'en-de');
  await dropOn(page, files);
  await hasPair(page, '-');
  await ready(page);
  assert.match(await page.textContent('.status'), /German \u2192 English/, 'as the names of the files say');
  assert.ok((await said(page)).length > 0);
  const told = () => page.locator('.see > .remark').first();
  const isTold = async () => {
    await page.evaluate(() => void (location.hash = '#/see/heads'));
    await page.waitForSelector('.view-heads');
    return told().isVisible();
  };
  assert.equal(await isTold(), false, 'two vocabularies: without a shortlist');

  await page.evaluate(() => void (location.hash = '#/translate'));
  await dropOn(page, await filesOf(new URL('golden/firefox/tiny-joint/', import.meta.url)));
  await page.waitForFunction(() => document.querySelector('.status').textContent.includes('English \u2192 German'));
  await ready(page);
  await said(page);
  assert.equal(await isTold(), true);
  assert.match(await told().textContent(), /^The model has a shortlist: of its 1401 tokens only the \d{2,3} that /);
  assert.deepEqual(troubles, []);
  await close();
});

test('files of a model that are dropped anywhere on the page are loaded; missing ones are named', async () => {
  const { page, troubles, close } = await openPage();
  await said(page);
  const files = await filesOf(FIXTURE);
  const drop = (list) => dropOn(page, list);
  await drop(files.filter(({ name }) => name !== 'source.spm'));
  await page.waitForFunction(() =>
    document.querySelector('.own').textContent.includes('Missing files: source.spm.'));
  await hasPair(page, 'en-de');
  await drop(files);
  await hasPair(page, '-');
  await ready(page);
  assert.match(await said(page), /Bruder/);
  assert.match(await page.textContent('.status'), /English \u2192 German/, 'as heed.json of the files says');
  assert.deepEqual(troubles, []);
  await close();
});

/** The files of a model as transformers saves it. @param {string} name */
const familyOf = async (name) => (await filesOf(new URL(`golden/hf/families/${name}/`, import.meta.url)))
  .filter((file) => !/^golden|\.gz$|-5\.json$/.test(file.name));

/** Languages of a model that does not name them. */
const choose = async (page, from, to) => {
  await page.locator('.own').evaluate((element) => (element.open = true));
  for (const [name, tag] of [['from', from], ['to', to]]) await page.fill(`.own input[name=${name}]`, tag);
};

/** What a Translator makes of the files in Node, as the page does. */
async function sayInNode(name, text, targetLanguage) {
  const model = fileURLToPath(new URL(`golden/hf/families/${name}/`, import.meta.url));
  const translator = await Translator.create({ model, sourceLanguage: 'en', targetLanguage });
  const [sentence] = await translator.translateDetailed(text);
  translator.destroy();
  return sentence;
}

test('models of many languages that are dropped: NLLB-200, and M2M-100 in shards', async () => {
  const { page, troubles, close } = await openPage();
  await said(page);
  const text = 'The house is old.';
  await page.fill('textarea', text);
  for (const [name, to] of [['nllb', 'de'], ['m2m100', 'fr']]) {
    const files = await familyOf(name);
    await choose(page, 'en', to);
    if (name === 'm2m100') {
      await dropOn(page, files.filter((file) => !/00002-of/.test(file.name)));
      await page.waitForFunction(() =>
        document.querySelector('.own').textContent.includes('Missing files: model-00002-of-00002.safetensors.'));
    }
    await dropOn(page, files);
    const { target } = await sayInNode(name, text, to);
    await page.waitForFunction((expected) => document.querySelector('.said').textContent === expected, target);
    assert.match(await page.textContent('.status'), to === 'de' ? /English \u2192 German/ : /English \u2192 French/);
  }
  // a language that it does not have is refused by its name
  await choose(page, 'en', 'tlh');
  await dropOn(page, await familyOf('nllb'));
  await page.waitForSelector('.status[data-status="failed"]');
  assert.match(await page.textContent('.alert'), /targetLanguage: found tlh, the model's are ace_Arab/);
  assert.deepEqual(troubles, []);
  await close();
});

test('a T5 that is dropped: See shows its relative position bias, and sums with it', async () => {
  const { page, troubles, close } = await openPage();
  await said(page);
  const text = 'The house is old.';
  await page.fill('textarea', text);
  await choose(page, 'en', 'de');
  await dropOn(page, await familyOf('t5'));
  const { target, sourceTokens, targetTokens } = await sayInNode('t5', text, 'de');
  await page.waitForFunction((expected) => document.querySelector('.said').textContent === expected, target);
  const model = await Transformer.load(fileURLToPath(new URL('golden/hf/families/t5/', import.meta.url)));
  const tensors = model.inspect(sourceTokens.map(({ id }) => id), targetTokens.map(({ id }) => id));
  model.dispose();
  const n = sourceTokens.length;
  const heads = 4;

  const link = `text=${encodeURIComponent(text)}`;
  await visit(page, `see/flow?${link}`);
  await page.waitForSelector('.flow-steps details');
  assert.equal(await page.locator('.see > .remark').first().isVisible(), false, 'it has no shortlist');
  assert.match(await page.textContent('.flow-steps details:nth-child(2)'), /No position is added/);
  await page.locator('.view-flow .controls button').nth(1).click();
  const captions = page.locator('.stage figcaption', { hasText: 'by distance' });
  await captions.nth(1).waitFor(); // a step that opens asks the model for its tensors
  assert.deepEqual(await captions.allTextContents(), [2 * n - 1, targetTokens.length].map((cols) =>
    `added to scores, by distance; one row per head: ${heads}\u00a0\u00d7\u00a0${cols}`));

  // a score is q k and the bias, not divided by a root; its share is what the model has
  for (const [stack, own] of [['encoder', sourceTokens], ['decoder', targetTokens], ['cross', sourceTokens]]) {
    // the table of the stack before stays until the tensors of this one are there
    await page.evaluate(() => document.querySelector('.neurons')?.remove());
    await visit(page, `see/neuron?${link}&stack=${stack}&layer=0&head=1`);
    await page.waitForSelector('.neurons tbody tr');
    assert.equal(await page.textContent('.neurons thead th:nth-child(4)'),
      stack === 'cross' ? 'sum' : 'sum + position bias');
    const row = Number(await page.inputValue('.view-neuron .controls label:last-child select'));
    const found = await page.$$eval('.neurons tbody tr', (all) => all.map(({ cells }) =>
      [cells[3], cells[4]].map(({ textContent }) => parseFloat(textContent.replace('\u2212', '-').replace('+', '')))));
    const prefix = stack === 'cross' ? 'decoder.layers.0.encoder_attn' : `${stack}.layers.0.self_attn`;
    const rows = stack === 'encoder' ? n : targetTokens.length;
    const at = (1 * rows + row) * own.length;
    const [scores, weights] = ['scores', 'weights'].map((name) =>
      tensors[`${prefix}.${name}`].data.subarray(at, at + own.length));
    assert.equal(found.length, own.length);
    found.forEach(([score, share], i) => {
      if (stack === 'decoder' && i > row) return;
      assert.ok(Math.abs(score - scores[i]) < 0.01, `${stack}: ${score}, expected ${scores[i]}`);
      assert.ok(Math.abs(share / 100 - weights[i]) < 0.006, `${stack}: ${share} %, expected ${weights[i]}`);
    });
  }
  assert.deepEqual(troubles, []);
  await close();
});

test('a glossary of the last visit counts from the first translation; its panel may be missing', async () => {
  // a service worker would have the panel
  const context = await browser.newContext({ serviceWorkers: 'block', locale: 'en' });
  context.setDefaultTimeout(LIMIT);
  const page = await context.newPage();
  await page.goto(site.url);
  await said(page);
  await page.evaluate(() => localStorage.setItem('heed-terms', 'brother = Kumpan'));
  // a glossary that is kept opens its panel; here the first attempt to load it fails
  let isLost = true;
  await page.route(/\/terms-/, (route) => (isLost ? route.abort() : route.continue()));
  await page.reload();
  assert.match(await said(page), /Kumpan/, 'the first that is shown');
  await page.waitForFunction(() => /fetch|load/i.test(document.querySelector('.terms [role=status]').textContent));
  assert.equal(await page.locator('.terms textarea').count(), 0);
  isLost = false;
  await page.reload();
  assert.equal(await page.inputValue('.terms textarea'), 'brother = Kumpan');
  await page.fill('.terms textarea', 'brother = Bursche');
  await page.waitForFunction(() => /Bursche/.test(document.querySelector('.said').textContent));
  // nothing else may stand in its place
  await page.locator('.said .word', { hasText: 'Bursche' }).click();
  assert.equal(await page.textContent('.alternatives'),
    'Bursche (Glossary: brother = Bursche)The model has no other words here.');
  await page.keyboard.press('Escape');
  await page.locator('.said .word').first().click();
  await page.waitForSelector('.alternatives button');
  await page.keyboard.press('Escape');
  // See shows what Translate has found
  const found = await said(page);
  await page.getByRole('button', { name: 'See its attention' }).click();
  assert.equal(await page.textContent('.see .pair [lang=de]'), found);
  await context.close();
});

test('a model is loaded from an address; an invalid address or a missing model is explained', async () => {
  const { page, close } = await openPage();
  await said(page);
  await page.click('.own summary');
  const load = async (address) => {
    await page.fill('.own input[type=url]', address);
    await page.locator('.own form').evaluate((form) => form.requestSubmit());
  };
  await load('http://elsewhere.invalid/model/');
  await page.waitForFunction(() =>
    document.querySelector('.own').textContent.includes('This is not an https address.'));
  await load(new URL('models/no-such/', site.url).href);
  await page.waitForSelector('.status[data-status="failed"]');
  assert.match(await page.textContent('.alert'), /no-such.*config\.json/s);
  // a model of many pairs translates what one asks for
  for (const [name, tag] of [['from', 'de'], ['to', 'en']]) await page.fill(`.own input[name=${name}]`, tag);
  await load(new URL('models/de-en-es-fr/', site.url).href);
  await ready(page);
  await page.fill('textarea', 'Das Haus ist klein.');
  await page.waitForFunction(() => /house/.test(document.querySelector('.said').textContent));
  assert.match(await page.textContent('.status'), /German \u2192 English/);
  await close();
});

test('the wider search lists its translations, best first, each with its score', async () => {
  const { page, troubles, close } = await openPage();
  const one = await said(page);
  assert.equal(await page.locator('.candidates li').count(), 0);
  await page.check('.check input');
  await page.waitForSelector('.candidates li');
  const list = await page.locator('.candidates li').evaluateAll((items) => items.map((item) => ({
    text: item.firstChild.textContent, score: Number(/\u2212?[\d.]+$/.exec(item.textContent)[0].replace('\u2212', '-')),
  })));
  assert.equal(list.length, 4);
  assert.equal(new Set(list.map(({ text }) => text)).size, 4);
  assert.equal(list[0].text, await said(page));
  // n-grams may raise a score above 0
  assert.ok(list.every(({ score }, i) => i === 0 || score <= list[i - 1].score), JSON.stringify(list));
  await page.uncheck('.check input');
  await page.waitForFunction(() => !document.querySelector('.candidates li'));
  assert.equal(await said(page), one);
  assert.deepEqual(troubles, []);
  await close();
});

const checked = (page) => page.locator('.heads-choice input').evaluateAll((boxes) =>
  boxes.flatMap(({ checked: isOn }, i) => (isOn ? [i] : [])));

test('a link holds text, pair, view, stack, layer, head, heads chosen and off, and beams', async () => {
  const sender = await openPage({ place: 'see/heads' });
  const { page } = sender;
  await visit(page, 'see/heads?pair=de-en&text=Das+Haus+ist+klein.');
  await page.waitForFunction(() => /house/.test(document.querySelector('.pair')?.textContent));
  await page.locator('.controls select').nth(0).selectOption('decoder');
  await page.locator('.controls select').nth(1).selectOption({ value: '1' });
  await page.locator('.heads-choice input').nth(1).check();
  await page.locator('.heads-choice input').nth(3).check();
  await page.locator('.heads-choice input').nth(0).uncheck();
  assert.deepEqual(await checked(page), [1, 3]);
  await page.click('.views a >> text="Switch heads off"');
  await page.click('[data-head="cross 0 1"]');
  await page.click('[data-head="encoder 2 3"]');
  // what is said without the first of them may come before
  await page.locator('.outcome h2', { hasText: 'With 2 heads off' }).waitFor();
  const without = await page.locator('.outcome .text').last().textContent();
  await page.click('.views a >> text="Beam"');
  await page.locator('.controls input[type=range]').fill('3');
  await page.waitForURL(/beams=3/);
  await page.waitForFunction(() => document.querySelectorAll('.ends li').length === 3);
  const link = page.url();
  await sender.close();

  const { page: other, troubles, close } = await openPage({ place: link.split('#/')[1] });
  await other.waitForFunction(() => document.querySelectorAll('.ends li').length === 3);
  assert.match(await other.textContent('.pair'), /Das Haus ist klein\..*house/);
  assert.equal(await other.locator('.views [aria-current]').textContent(), 'Beam');
  assert.equal(await other.inputValue('.controls input[type=range]'), '3');
  await other.click('.views a >> text="Switch heads off"');
  await other.waitForSelector('.outcome .texts');
  const off = await other.locator('.toggle[aria-pressed=false]').evaluateAll((all) =>
    all.map(({ dataset }) => dataset.head));
  assert.deepEqual(off, ['encoder 2 3', 'cross 0 1']);
  assert.equal(await other.locator('.outcome .text').last().textContent(), without);
  await other.click('.views a >> text="Heads"');
  await other.waitForSelector('.heads-choice input:checked');
  assert.deepEqual(await checked(other), [1, 3]);
  assert.deepEqual(await other.locator('.controls select').evaluateAll((all) => all.map(({ value }) => value)),
    ['decoder', '1']);
  await other.click('.views a >> text="Matrix"');
  await other.waitForFunction(() => document.querySelectorAll('.controls select').length === 3);
  assert.deepEqual(await other.locator('.controls select').evaluateAll((all) => all.map(({ value }) => value)),
    ['decoder', '1', '1']);
  await visit(other, link.split('#/')[1].replace('see/beam', 'translate'));
  await other.waitForFunction(() => document.querySelectorAll('.candidates li').length === 3);
  assert.ok(await other.isChecked('.check input'));
  assert.deepEqual(troubles, []);
  await close();
});

test('dark colours are for screens: on paper the text is dark, and the card behind it light', async () => {
  const { page, close } = await openPage();
  await said(page);
  await page.click('header .theme');
  /** How light the text and the card are, 0 to 255. */
  const look = () => page.evaluate(() => {
    const light = (/** @type {string} */ color) =>
      color.match(/[\d.]+/g).slice(0, 3).reduce((sum, x) => sum + Number(x), 0) / 3;
    const { color } = getComputedStyle(document.querySelector('.said'));
    return [light(color), light(getComputedStyle(document.querySelector('.panes')).backgroundColor)];
  });
  const [text, card] = await look();
  assert.ok(text > 200 && card < 60, `dark: ${text} on ${card}`);
  await page.emulateMedia({ media: 'print' });
  const [ink, paper] = await look();
  assert.ok(ink < 60 && paper > 200, `printed: ${ink} on ${paper}`);
  assert.equal(await page.locator('header').isVisible(), false);
  await close();
});

/** How light what a room has drawn itself is, 0 to 255: canvases and the cells of tables. Runs in the page. */
const lightness = () => {
  const mean = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  const canvases = [...document.querySelectorAll('main canvas')].map((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return mean(data.filter((_, i) => data[i | 3] === 255 && i % 4 < 3));
  });
  const cells = [...document.querySelectorAll('td[style*=background]')].map(({ style }) =>
    mean(style.backgroundColor.match(/\d+/g).map(Number)));
  return mean([...canvases, ...cells]);
};

test('matrices of a dark page are printed in light colours, and are dark again afterwards', async () => {
  const { page, close } = await openPage({ theme: 'dark' });
  await page.addInitScript(`globalThis.lightness = ${lightness}`);
  await page.reload();
  await ready(page);
  await page.evaluate(() => {
    new MutationObserver(() => {
      // once all that hears of the theme has drawn
      if (document.documentElement.dataset.theme === 'light') {
        queueMicrotask(() => (globalThis.printed = globalThis.lightness()));
      }
    }).observe(document.documentElement, { attributeFilter: ['data-theme'] });
  });
  for (const [place, drawn] of [['see/matrix', '.map canvas'], ['see/layers', '.thumb canvas'],
    ['see/flow', '.strip'], ['learn/softmax', 'td[style]'], ['learn/positions', '.map canvas']]) {
    await visit(page, place);
    if (place === 'see/flow') await page.locator('.view-flow .controls button').nth(1).click();
    await page.waitForSelector(drawn);
    await page.waitForFunction(() => globalThis.lightness() < 150);
    await page.evaluate(() => (globalThis.printed = 0));
    await page.pdf();
    const printed = await page.evaluate(() => globalThis.printed);
    assert.ok(printed > 150, `${place}: ${printed} on paper`);
    await page.waitForFunction(() => globalThis.lightness() < 150); // dark again
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page.waitForFunction(() => globalThis.lightness() > 150);
    await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
    await page.waitForFunction(() => globalThis.lightness() < 150);
  }
  await close();
});

test('a link that asks for what the model has not shows what there is', async () => {
  const { page, troubles, close } = await openPage({
    place: 'see/heads?layer=99&head=99&heads=0-77-x&off=cross.9.9-nonsense&beams=999',
  });
  await page.waitForSelector('.heads-choice input');
  assert.deepEqual(await checked(page), [0]);
  await visit(page, 'see/ablation?off=cross.9.9-nonsense');
  assert.equal(await page.locator('.toggle[aria-pressed=false]').count(), 0);
  await visit(page, 'see/beam?beams=999');
  assert.equal(await page.inputValue('.controls input[type=range]'), '8');
  await page.waitForFunction(() => document.querySelectorAll('.ends li').length === 8);
  const scores = await page.locator('.ends li').evaluateAll((all) => all.map((li) =>
    Number(li.querySelector('.number').textContent.replace('\u2212', '-'))));
  assert.deepEqual(scores, [...scores].sort((a, b) => b - a), 'the list is in the order of what it shows');
  assert.deepEqual(troubles, []);
  await close();
});

test('a link with another text and another search translates only that text', async () => {
  const { page, close } = await openPage();
  await said(page);
  await page.evaluate(async () => {
    const { app } = await import('./app.js');
    const { translator } = app.engine;
    const detailed = translator.translateDetailed.bind(translator);
    globalThis.asked = [];
    translator.translateDetailed = (text, options) => {
      globalThis.asked.push([text, options.beams]);
      return detailed(text, options);
    };
  });
  await page.clock.install();
  await visit(page, 'translate?text=The+house+is+small.&beams=3');
  await page.waitForFunction(() => document.querySelectorAll('.candidates li').length === 3);
  // what waits for a pause in typing begins
  await page.clock.fastForward(10_000);
  assert.deepEqual(await page.evaluate(() => globalThis.asked), [['The house is small.', 3]]);
  await close();
});

/** Open the view Matrix, its map in the middle of the window; answers a place on its cells. */
async function openMatrix(options) {
  const opened = await openPage({ place: 'see/matrix', ...options });
  const { page } = opened;
  await visit(page, 'see/matrix');
  const canvas = page.locator('.map canvas');
  await canvas.waitFor();
  const box = await canvas.evaluate((element) => {
    element.scrollIntoView({ block: 'center' });
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x, y, width, height };
  });
  return {
    ...opened, x: box.x + box.width * 0.6, y: box.y + box.height * 0.6,
    moves: (expected) => page.waitForFunction((is) =>
      document.querySelector('.map').classList.contains('moves') === is, expected),
    // once it is drawn
    picture: () => canvas.evaluate((element) => new Promise((resolve) =>
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(element.toDataURL()))))),
    picked: () => page.locator('dialog[open]').count(),
  };
}

test('a matrix begins in its frame on every screen, follows it, and Fit brings it back', async () => {
  const text = 'My sister lives in a small house near the station because she works there, and every morning she walks '
    + 'along the river with her old dog before she opens the shop of her brother, who has been ill since last winter.';
  const { page, troubles, close, moves, picture } = await openMatrix();
  /** Once the size that the window has now is drawn. */
  const drawn = () => page.waitForFunction(() => {
    const [frame, canvas] = ['.map', '.map canvas'].map((name) => document.querySelector(name));
    return canvas.offsetWidth === frame.clientWidth;
  });
  for (const [width, height] of [[390, 844], [820, 1180], [1440, 900]]) {
    await page.setViewportSize({ width, height });
    await page.goto('about:blank');
    await page.goto(`${site.url}#/see/matrix?${new URLSearchParams({ text })}`);
    for (const stack of ['cross', 'encoder', 'decoder']) {
      await page.waitForSelector('.view-matrix .map canvas');
      await page.locator('.controls select').first().selectOption(stack);
      await drawn();
      await moves(false);
      const before = await picture();
      const { bottom, top } = await page.locator('.map canvas').evaluate((element) => element.getBoundingClientRect());
      assert.ok(bottom - top <= 0.7 * height + 1, `${bottom - top} of ${height} px`);
      await page.getByRole('button', { name: 'Larger' }).click();
      await page.getByRole('button', { name: 'Larger' }).click();
      await moves(true);
      await page.getByRole('button', { name: 'Fit' }).click();
      await moves(false);
      assert.equal(await picture(), before, `${stack}, ${width} px`);
    }
    await page.setViewportSize({ width: height, height: width });
    await drawn();
    await moves(false);
  }
  assert.deepEqual(troubles, []);
  await close();
});

test('the way to the next token opens step by step; a temperature flattens what is likely', async () => {
  const { page, troubles, close } = await openPage({ place: 'see/flow' });
  await page.waitForSelector('.flow-steps details');
  const open = () => page.locator('.flow-steps details[open]').count();
  const [next, all] = [page.locator('.view-flow .primary'), page.locator('.view-flow .controls button').nth(1)];
  assert.equal(await open(), 1);
  await next.click();
  assert.equal(await open(), 2);
  await all.click();
  await page.waitForFunction(() => document.querySelectorAll('.likely li').length === 8);
  const best = () => page.locator('.likely li').first().locator('.share').textContent().then(parseFloat);
  const before = await best();
  await page.locator('.stage input[type=range]').fill('3');
  await page.waitForFunction((share) =>
    parseFloat(document.querySelector('.likely .share').textContent) < share, before);
  // what is most likely is written, and the way begins again
  const token = await page.locator('.likely .first span').first().textContent();
  assert.match(String(await next.textContent()), new RegExp(token));
  await next.click();
  assert.match(await page.textContent('.written'), new RegExp(`${token}.*[?]$`));
  assert.equal(await page.locator('.chips').last().locator('li').count(), 2);
  assert.deepEqual(troubles, []);
  await close();
});

test('heads that matter most are found without being asked; See begins with the clearest', async () => {
  const { page, troubles, close } = await openPage({ place: 'see/heads' });
  await page.waitForSelector('.heads-choice input:checked');
  const place = () => page.locator('.controls select').evaluateAll((all) => all.map(({ value }) => value));
  const first = [await place(), await checked(page)];
  await page.locator('.controls select').nth(1).selectOption({ value: '0' });
  await page.locator('.heads-choice input').nth(6).check();
  await page.click('.heads-choice button >> text="Clearest"');
  assert.deepEqual([await place(), await checked(page)], first);
  const columns = () => page.locator('.token-column.right .tok').count();
  const all = await columns();
  await page.check('text=Without </s>');
  assert.equal(await columns(), all - 2);
  const lines = () => page.locator('.lines path').evaluateAll((paths) =>
    paths.reduce((n, path) => n + path.getAttribute('d').split('M').length - 1, 0));
  const thin = await lines();
  await page.locator('.controls input[type=range]').fill('0.5');
  assert.ok((await lines()) < thin);
  await page.click('.views a >> text="Switch heads off"');
  await page.waitForSelector('.ranking li');
  assert.equal(await page.locator('.ranking li').count(), 5);
  assert.deepEqual(troubles, []);
  await close();
});

test('only the first mouse button drags the matrix, and never after its release', async () => {
  const { page, troubles, close, x, y, moves, picture, picked } = await openMatrix();
  for (let i = 0; i < 4; i++) await page.getByRole('button', { name: 'Larger' }).click();
  await moves(true);
  const isPointed = () => page.locator('.map-tip').isVisible();
  const drag = async (button) => {
    await page.mouse.move(x, y);
    await page.mouse.down({ button });
    await page.mouse.move(x - 30, y - 20, { steps: 3 });
    const isHeld = !(await isPointed());
    await page.mouse.up({ button });
    await page.mouse.move(0, 0);
    return isHeld;
  };
  const before = await picture();
  for (const button of ['right', 'middle']) {
    assert.equal(await drag(button), false, button);
    assert.equal(await picture(), before, button);
    await page.mouse.click(x, y, { button });
  }
  await page.mouse.move(0, 0);
  assert.equal(await drag('left'), true);
  assert.notEqual(await picture(), before);

  // let go where the map does not hear it; a capture begins, and ends, with the event that comes next
  await page.evaluate(() => {
    const canvas = document.querySelector('.map canvas');
    globalThis.captures = [];
    for (const type of ['gotpointercapture', 'lostpointercapture']) {
      canvas.addEventListener(type, () => globalThis.captures.push(type), { once: true });
    }
    canvas.addEventListener('gotpointercapture', ({ pointerId }) => canvas.releasePointerCapture(pointerId),
      { once: true });
  });
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 1, y);
  await page.mouse.move(0, 0);
  await page.mouse.up();
  await page.waitForFunction(() => globalThis.captures.join() === 'gotpointercapture,lostpointercapture');
  const moved = await picture();
  await page.mouse.move(x - 10, y, { steps: 3 });
  assert.ok(await isPointed(), 'a cell is pointed at');
  await page.mouse.move(0, 0);
  assert.equal(await picture(), moved);
  assert.equal(await picked(), 0);
  await page.mouse.click(x, y);
  await page.waitForSelector('dialog[open]');
  assert.deepEqual(troubles, []);
  await close();
});

test('one finger scrolls the page, two move and zoom the matrix in every direction, and pick nothing', async () => {
  const { page, troubles, close, x, y, moves, picture, picked } = await openMatrix({ width: 390, touch: true });
  const session = await page.context().newCDPSession(page);
  const touch = (type, ...points) => session.send('Input.dispatchTouchEvent', {
    type, touchPoints: points.map(([right, down], id) => ({ x: x + right, y: y + down, id })),
  });
  /** Once the page has not moved for some frames: what is let go in motion moves on. */
  const still = () => page.evaluate(() => new Promise((resolve) => {
    let frames = 0;
    let last = NaN;
    const look = () => {
      frames = scrollY === last ? frames + 1 : 0;
      last = scrollY;
      if (frames === 20) resolve();
      else requestAnimationFrame(look);
    };
    look();
  }));
  /** Fingers from their places to others, one after another put down. */
  async function swipe(from, to) {
    for (let n = 1; n <= from.length; n++) await touch('touchStart', ...from.slice(0, n));
    for (let step = 1; step <= 6; step++) {
      await touch('touchMove', ...from.map((start, id) => start.map((at, i) => at + ((to[id][i] - at) * step) / 6)));
    }
    await touch('touchEnd');
    await still();
  }
  const scrolled = () => page.evaluate(() => scrollY);
  const start = await scrolled();
  assert.ok(start > 30, 'there is room to scroll');

  for (const [right, down] of [[1, 0], [0, 1]]) {
    const hold = (apart, shift = 0) => [[-apart * right, -apart * down - shift], [apart * right, apart * down - shift]];
    const before = await picture();
    await swipe(hold(15), hold(60));
    await moves(true);
    const large = await picture();
    assert.notEqual(large, before);
    await swipe(hold(30), hold(30, 60));
    const shifted = await picture();
    assert.notEqual(shifted, large, 'two fingers move it up');
    assert.equal(await scrolled(), start, 'and not the page');

    await swipe([[0, 0]], [[0, 60]]);
    await page.waitForFunction((was) => scrollY < was - 30, start);
    assert.equal(await picture(), shifted, 'one moves the page, and not the matrix');
    await page.evaluate((top) => scrollTo(0, top), start);
    await swipe([[-40, 0]], [[40, 0]]);
    assert.notEqual(await picture(), shifted, 'but sideways the matrix');
    assert.equal(await scrolled(), start);

    await swipe(hold(60), hold(6));
    await moves(false);
  }
  assert.equal(await picked(), 0);
  assert.deepEqual(troubles, []);
  await close();
});
