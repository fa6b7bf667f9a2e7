// page-learn.test.js - what a person does in Learn, in Chromium: a training goes on in other rooms, is kept over a
// reload, answers, and opens in See; cells explain themselves; words are compared.
import test, { after } from 'node:test';
import assert from 'node:assert/strict';
import { loadOps } from '../js/ops.js';
import { Translator } from '../js/index.js';
import * as arrows from '../web/learn/arrows.js';
import * as multiHead from '../web/learn/multi-head.js';
import { learn } from '../web/learn/strings.js';
import { startChromium, visit } from './browser/chromium.js';
import { FIXTURE } from './browser/fixture.js';

const { openPage, close: closeAll } = await startChromium();
after(closeAll);

/** Chooses one of a few. @param {import('playwright-core').Page} page @param {string} text */
const choose = (page, text) => page.getByRole('radio', { name: text }).check();

/** The step that a status names. */
const stepOf = (text) => Number(/step (\d+)/i.exec(text)?.[1]);

test('a training goes on in other rooms, is kept, answers, and opens in See', async () => {
  const { page, troubles, close } = await openPage({ place: 'learn/train' });
  await visit(page, 'learn/train');
  await choose(page, 'Translate small sentences');
  const status = () => page.locator('.figure .remark', { hasText: 'Step' }).first().textContent();
  const figure = page.locator('.chapter .figure');
  const button = (name) => figure.getByRole('button', { name, exact: true });
  assert.equal(await button('Use it').isDisabled(), true);
  await button('Train').click();
  await page.waitForFunction(() => /Step [1-9]/.test(document.querySelector('.figure').textContent));

  await visit(page, 'translate');
  const chip = page.locator('.training:visible');
  const begun = stepOf(await chip.textContent());
  await page.waitForFunction((from) =>
    Number(/step (\d+)/.exec(document.querySelector('.training:not([hidden])').textContent)[1]) > from, begun);
  await chip.locator('a').click();
  await page.waitForSelector('.figure .chart');
  assert.equal(await chip.count(), 0);
  assert.equal(await page.locator('.choice input:checked').first().evaluate((input) =>
    input.parentElement.textContent), 'Translate small sentences');
  assert.ok(stepOf(await status()) > begun);
  assert.match(await figure.textContent(), /The weight was −?\d+\.\d{4}, its gradient −?\d+\.\d{4}\./);
  await button('Stop').click();
  await page.waitForFunction(() => /Stopped/.test(document.querySelector('.figure').textContent));
  // the step that was running when it was stopped is told, and kept, too
  await page.evaluate(async () => {
    for (;;) {
      const kept = await (await caches.open('heed-trained')).match(new URL('trained/words.json', location.href));
      const step = Number(/Step (\d+)/.exec(document.querySelector('.figure').textContent)[1]);
      if (kept && (await kept.json()).history.losses.length === step) return;
      await new Promise(requestAnimationFrame);
    }
  });
  const stopped = stepOf(await status());

  await page.reload();
  await page.waitForSelector('.status[data-status="ready"]');
  await visit(page, 'learn/train');
  await choose(page, 'Translate small sentences');
  await page.waitForFunction(() => /German, with 66 words/.test(document.querySelector('.figure').textContent));
  await page.waitForFunction((step) =>
    new RegExp(`Step ${step} of`).test(document.querySelector('.figure').textContent), stopped);
  await page.fill('.figure form input', 'the dog');
  await button('Use it').click();
  await page.waitForFunction(() => /Found “the dog”; expected/.test(document.querySelector('.figure').textContent));
  await page.fill('.figure form input', 'The cat sees  the dog.');
  await button('Use it').click();
  await page.waitForFunction(() => /Its answer: .*(Right|it should be die Katze sieht den Hund)\./.test(
    document.querySelector('.figure').textContent));
  await button('Continue').click();
  await page.waitForFunction((step) =>
    Number(/Step (\d+)/.exec(document.querySelector('.figure').textContent)[1]) > step, stopped);
  await button('Stop').click();

  await button('Open it in See').click();
  await page.waitForSelector('.view-heads .tok');
  assert.deepEqual(await page.locator('.token-column.right .tok').evaluateAll((all) =>
    all.map((tok) => tok.children[1].textContent)),
  ['today', 'the', 'small', 'dog', 'sees', 'an', 'old', 'cat', '</s>']);
  assert.match(await page.textContent('.status'), /English → German/);
  assert.deepEqual(troubles, []);
  await close();
});

test('a cell explains itself by mouse and by keys; an edited number counts', async () => {
  const { page, troubles, close } = await openPage({ place: 'learn/self-attention' });
  await visit(page, 'learn/self-attention');
  const said = page.locator('.traced').first();
  const grid = (i) => page.locator('.figure .grid').nth(i);
  await grid(1).locator('tbody tr').nth(1).locator('td').nth(2).hover();
  assert.equal(await said.textContent(), 'cat · dog: 0 × 0 + 2 × 1 + 1 × 2 = 4');
  assert.equal(await grid(1).locator('td.lit').count(), 7, 'its row and its column');
  assert.equal(await grid(0).locator('td.lit').count(), 6, 'the rows of both words');
  await grid(0).locator('input').nth(4).fill('3');
  // what was pointed at is worked out again
  await page.waitForFunction(() => document.querySelector('.traced').textContent
    === 'cat · dog: 0 × 0 + 3 × 1 + 1 × 2 = 5');
  await grid(2).locator('.grid-host').focus();
  for (const key of ['ArrowRight', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
  const cell = grid(2).locator('tbody tr').nth(1).locator('td').nth(1);
  assert.match(await cell.getAttribute('class'), /lit-cell/);
  assert.match(await said.textContent(), new RegExp(`^cat · cat: e\\^10 / .* = ${await cell.textContent()}$`));
  assert.deepEqual(troubles, []);
  await close();
});

test('several heads: every number of each head is shown, as the core computes it', async () => {
  const ops = await loadOps();
  const { page, troubles, close } = await openPage({ place: 'learn/multi-head' });
  await visit(page, 'learn/multi-head');
  /** By name, what stands in the grids that cannot be edited. */
  const shown = () => page.evaluate(() => [...document.querySelectorAll('.figure figure.grid')]
    .filter((figure) => !figure.querySelector('input'))
    .map((figure) => [figure.querySelector('figcaption').textContent,
      [...figure.querySelectorAll('tbody td')].map((cell) => Number(cell.textContent.replace('\u2212', '-')))]));
  /** @param {typeof multiHead.start} given */
  async function check(given) {
    const { each, concat, output } = multiHead.compute(ops, given);
    const wanted = [...each.flatMap(({ wq, wk, wv, q, k, v, products, scores, weights, output: own, wo, part }, i) => {
      const n = i + 1;
      return [[`WQ${n}`, wq], [`WK${n}`, wk], [`WV${n}`, wv], [`Q${n}`, q], [`K${n}`, k], [`V${n}`, v],
        ['Q K\u1d40', products], ['Q K\u1d40 / \u221adk', scores], ['Shares', weights], ['Shares \u00d7 V', own],
        [`WO${n}`, wo], [`head${n} WO${n}`, part]];
    }), ['All heads side by side', concat], ['Output', output]];
    const found = await shown();
    assert.deepEqual(found.map(([name]) => name), wanted.map(([name]) => name));
    wanted.forEach(([name, { data }], at) => {
      assert.equal(found[at][1].length, data.length, name);
      // two digits are shown; matrices of whole numbers have none
      data.forEach((x, i) => assert.ok(Math.abs(found[at][1][i] - x) <= 0.005 + 1e-6, `${name}, ${i}: ${x}`));
    });
    return found.reduce((sum, [, cells]) => sum + cells.length, 0);
  }
  const { start } = multiHead;
  // of each of two heads 24 + 24 + 48 + 8 + 8 + 16
  assert.equal(await check(start), 2 * 128 + 32);
  await page.locator('.figure figure.grid:has(input)', { hasText: 'WK' }).locator('input').nth(5).fill('3');
  const wk = { ...start.weights.wk, data: start.weights.wk.data.with(5, 3) };
  const weights = { ...start.weights, wk };
  await check({ ...start, weights });
  for (const heads of [1, 4]) {
    await choose(page, String(heads));
    await check({ ...start, weights, heads });
  }
  const last = page.locator('.figure figure.grid', { hasText: 'head4' });
  await last.locator('td').nth(1).hover();
  assert.match(await page.locator('.traced').first().textContent(), /^the: \S+ \u00d7 \S+ = \S+$/);
  assert.equal(await last.locator('td.lit-cell').count(), 1);
  await visit(page, 'learn/ffn');
  await page.locator('.figure figure.grid', { hasText: 'times W1, plus b1' }).locator('td').nth(1).hover();
  assert.equal(await page.locator('.traced').textContent(),
    'cat: 1 \u00d7 (\u22121) + 2 \u00d7 1 + 0 \u00d7 0 + (\u22121) \u00d7 0 + 1 = 2');
  assert.deepEqual(troubles, []);
  await close();
});

test('positions: the whole map is there, not a part of it', async () => {
  const { page, close } = await openPage({ place: 'learn/positions' });
  await visit(page, 'learn/positions');
  const map = page.locator('.figure .map').first();
  await map.locator('canvas').waitFor();
  // what does not fit can be moved
  await page.waitForFunction(() => document.querySelector('.figure .map canvas').height > 100);
  assert.doesNotMatch(await map.getAttribute('class'), /moves/);
  await close();
});

test('words as vectors: the arrows of a relation, and a token on its way to the first layer', async (t) => {
  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: FIXTURE });
  t.after(() => translator.destroy());
  const frame = new Set((await translator.tokenize('')).ids);
  const rowOf = async (id) => (await translator.parameter('model.shared.weight', [id, id + 1])).data;
  /** The mean of the rows of a word. @param {string} word */
  async function meanRow(word) {
    const ids = Array.from((await translator.tokenize(word)).ids).filter((id) => !frame.has(id));
    const rows = await Promise.all(ids.map(rowOf));
    return rows[0].map((_, i) => rows.reduce((sum, row) => sum + row[i], 0) / rows.length);
  }
  const { page, troubles, close } = await openPage({ place: 'learn/embeddings' });
  await visit(page, 'learn/embeddings');
  await page.waitForFunction(() => /an angle of \d+°/.test(document.querySelector('.figure').textContent));
  const text = () => page.locator('.chapter .figure').textContent();
  const told = async () => /and king → queen: cosine (\S+), an angle of (\d+)°\. (.*?)Cosines/.exec(await text());
  const [, shown, angle, verdict] = await told();
  const { cosine } = arrows.compute(await Promise.all(['man', 'woman', 'king', 'queen'].map(meanRow)));
  assert.equal(shown.replace('\u2212', '-'), cosine.toFixed(2));
  assert.equal(Number(angle), Math.round(Math.acos(cosine) * 180 / Math.PI));
  assert.equal(verdict, learn.embeddings.arrows.verdicts[arrows.verdictOf(cosine)]);
  // of the vocabulary's pieces, only words
  const [, list] = /without these three words: (.+?)\.(?!\d)/.exec(await text());
  const near = list.split(', ');
  assert.ok(near.length === 4 && near.every((word) => /^\p{L}{2,} 0\.\d\d$/u.test(word)), list);
  await choose(page, 'is → was, are → were');
  await page.waitForFunction(() => /much closer than chance/.test(document.querySelector('.figure').textContent));
  await page.waitForFunction(() => /exactly what the model has/.test(document.querySelector('.figure').textContent));
  // all numbers of each row are seen at once, and the last one is the model's
  const maps = page.locator('.figure .map');
  assert.equal(await maps.count(), 4);
  await page.waitForFunction(() => document.querySelector('.figure .map canvas').height > 10);
  assert.equal(await page.locator('.figure .map.moves').count(), 0);
  const [, id] = /row (\d+) of E/.exec(await text());
  await maps.first().focus();
  for (const key of ['End', 'End', 'PageDown']) await page.keyboard.press(key);
  const row = await rowOf(Number(id));
  assert.deepEqual((await maps.first().locator('.map-tip div').allTextContents()),
    [String(row.length - 1), row.at(-1).toFixed(4).replace('-', '\u2212')]);
  await page.getByLabel('Your own: from, to, from, to').fill('man man king queen');
  await page.getByRole('button', { name: 'Draw' }).click();
  await page.waitForFunction(() => /man → man: the arrow has no length/.test(
    document.querySelector('.figure').textContent));
  assert.deepEqual(troubles, []);
  await close();
});
