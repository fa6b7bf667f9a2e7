// see.test.js - the room See without a browser: big maps draw what their window shows and no more, and what the views
// take from a sentence.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Translator } from '../js/index.js';
import { loadOps } from '../js/ops.js';
import { makePalette } from '../web/lib/colors.js';
import { LEAST, drawCells, shrinkInto, visible } from '../web/lib/tiles.js';
import { toCsv } from '../web/lib/export.js';
import { isSpecial, readable, textOf } from '../web/lib/pieces.js';
import { layOut } from '../web/see/beam.js';
import { byDistance, likely, notesOf } from '../web/see/flow.js';
import { meanOfRows, namesOf } from '../web/see/gates.js';
import { clearest, difference, mapOf, meanOf, placeOf, shownOf, sourceWords, stacksOf, targetWords }
  from '../web/see/maps.js';
import { mapRowOf } from '../web/lib/scores.js';
import { see } from '../web/see/strings.js';
import { FIXTURE } from './browser/fixture.js';

const style = await readFile(new URL('../web/style.css', import.meta.url), 'utf8');

/** The colours of a theme as the page has them: dark ones over the light ones. @param {boolean} isDark */
function themed(isDark) {
  const blocks = [/:root \{([^}]*)\}/, ...(isDark ? [/\[data-theme=["']?dark["']?\] \{([^}]*)\}/] : [])];
  const tokens = new Map(blocks.flatMap((block) =>
    [...style.match(block)[1].matchAll(/(--[\w-]+): (#[\da-f]{6});/g)].map(([, name, value]) => [name, value])));
  return makePalette((name) => {
    if (!tokens.has(name)) throw new Error(`web/style.css has no ${name}`);
    return tokens.get(name);
  }, isDark);
}
const palette = themed(false);

/** Long sentences of a model of the paper's size. */
const [N, LAYERS, HEADS] = [512, 6, 8];
const attention = { shape: [LAYERS, HEADS, N, N], data: new Float32Array(LAYERS * HEADS * N * N).fill(1 / N) };
const sentence = { attention: { encoder: attention, decoder: attention, cross: attention } };

/** A context that counts, over numbers that count. */
function counting(map) {
  const read = new Set();
  const data = new Proxy(map.data, {
    get(target, key) {
      if (/^\d+$/.test(String(key))) read.add(Number(key));
      return target[key];
    },
  });
  const context = { rectangles: 0, images: 0, fillRect: () => context.rectangles++, drawImage: () => context.images++ };
  return { context, read, map: { ...map, data } };
}

test('a map of 512 x 512 x 6 x 8 draws the cells of its window and reads no others', () => {
  for (const [x, y, cell] of [[0, 0, 14], [1234, 2345, 14], [100, 5000, 38], [3, 7, LEAST], [20000, 20000, 64]]) {
    const view = { x, y, cell, width: 1000, height: 600 };
    const { context, read, map } = counting(mapOf(sentence, 'cross', 5, 7));
    const drawn = drawCells(context, map, view, palette);
    const most = (Math.ceil(view.width / cell) + 1) * (Math.ceil(view.height / cell) + 1);
    assert.ok(drawn > 0 && drawn <= most, `${drawn} cells of at most ${most}`);
    assert.deepEqual([context.rectangles, read.size, context.images], [drawn, drawn, 0]);
    const seen = visible(map, view);
    for (const i of read) {
      const [row, col] = [Math.floor(i / N), i % N];
      assert.ok(row >= seen.rows[0] && row < seen.rows[1] && col >= seen.cols[0] && col < seen.cols[1]);
    }
  }
});

test('cells too small to be drawn one by one are one image, made once', () => {
  let made = 0;
  const canvas = () => ({ getContext: () => ({
    createImageData: (width, height) => (made++, { data: new Uint8ClampedArray(width * height * 4) }),
    putImageData() {},
  }) });
  globalThis.document = { createElement: canvas };
  try {
    const { context, map } = counting(mapOf(sentence, 'encoder', 0, 0));
    for (let frame = 0; frame < 5; frame++) {
      assert.equal(drawCells(context, map, { x: frame, y: 0, cell: 1.5, width: 700, height: 600 }, palette), 0);
    }
    assert.deepEqual([made, context.images, context.rectangles], [1, 5, 0]);
  } finally {
    delete globalThis.document;
  }
});

test('a pixel of a thumbnail shows the greatest weight of its cells', () => {
  const data = new Float32Array(64 * 64);
  data[17 * 64 + 40] = 1;
  let pixels;
  const canvas = { getContext: () => ({
    createImageData: (width, height) => (pixels = { data: new Uint8ClampedArray(width * height * 4) }),
    putImageData() {},
  }) };
  shrinkInto(canvas, { data, rows: 64, cols: 64 }, palette, 16, 16);
  const at = (4 * 16 + 10) * 4;
  assert.deepEqual([...pixels.data.subarray(at, at + 3)], palette.channels('sequential', 1));
  assert.deepEqual([...pixels.data.subarray(0, 3)], palette.channels('sequential', 0));
});

const channels = (css) =>
  (css.startsWith('#') ? [1, 3, 5].map((i) => parseInt(css.slice(i, i + 2), 16)) : css.match(/\d+/g).map(Number));
const light = (css) => channels(css)
  .map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4))
  .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);

for (const theme of ['light', 'dark']) {
  test(`colours on ${theme} go one way in lightness, and text on them can be read`, () => {
    const { color, ink, heads, bg } = themed(theme === 'dark');
    const way = theme === 'dark' ? 1 : -1;
    for (let i = 0; i <= 255; i++) {
      const x = i / 255;
      if (i) {
        assert.ok(way * (light(color('sequential', x)) - light(color('sequential', (i - 1) / 255))) >= 0, `step ${i}`);
      }
      // WCAG's figure for text
      for (const [scale, at] of [['sequential', x], ['diverging', 2 * x - 1]]) {
        assert.ok(contrast(color(scale, at), ink(scale, at)) >= 4.5, `text on ${scale} ${at}`);
      }
    }
    // and that for lines and marks
    for (const head of heads) assert.ok(contrast(head, bg) >= 3, `${head} on ${bg}: ${contrast(head, bg).toFixed(2)}`);
  });
}

test('a decoder with gates has no maps: its stack is left out, and Encoder to decoder is shown', () => {
  const map = (...shape) => ({ shape, data: new Float32Array(shape.reduce((a, b) => a * b)) });
  const gated = { attention: { encoder: map(6, 8, 3, 3), decoder: map(0, 0, 4, 4), cross: map(2, 8, 4, 3) } };
  assert.deepEqual(stacksOf(gated), ['encoder', 'cross']);
  assert.deepEqual(stacksOf(sentence), ['encoder', 'decoder', 'cross']);
  assert.deepEqual(placeOf(gated, { stack: 'decoder', layer: 5, head: 9 }),
    { stack: 'cross', layer: 1, head: 7, layers: 2, heads: 8, rows: 4, cols: 3 });
  assert.deepEqual(namesOf(1), ['forget', 'candidate', 'cell'].map((part) => `decoder.layers.1.ssru.${part}`));
  const means = meanOfRows({ rows: 2, cols: 2, data: Float32Array.of(0.25, 0.75, 1, 0) });
  assert.deepEqual(means, [0.5, 0.5]);
});

test('the mean of maps', () => {
  const data = Float32Array.from([1, 0, 0, 1, 0, 1, 1, 0]);
  const small = { attention: { cross: { shape: [1, 2, 2, 2], data } } };
  assert.deepEqual(Array.from(meanOf(small, 'cross', [[0, 0], [0, 1]]).data), [0.5, 0.5, 0.5, 0.5]);
});

/** Two heads over a language, two words and the end: the first head looks at the end, the second at words. */
const pieces = (...names) => names.map((piece) => ({ piece }));
const small = () => ({
  sourceTokens: pieces('>>de<<', '\u2581a', '\u2581b', '</s>'), targetTokens: pieces('\u2581c', '\u2581d', '</s>'),
  attention: {
    cross: {
      shape: [1, 2, 3, 4],
      data: Float32Array.of(0, 0, 0, 1, 0, 0.5, 0, 0.5, 1, 0, 0, 0, 0, 0.75, 0.25, 0, 0, 0, 0.5, 0.5, 0, 0, 0, 1),
    },
    // 0 looks at itself, 1 at another word
    decoder: { shape: [1, 2, 3, 3], data: Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0.5, 0.5) },
    encoder: { shape: [1, 1, 4, 4], data: new Float32Array(16).fill(0.25) },
  },
});

test('the clearest head is the one whose words look at words, other than themselves', () => {
  assert.deepEqual(clearest(small(), 'cross'), { layer: 0, head: 1 });
  const rows = [0, 1, 0].concat([0, 0, 1], [0, 1, 0]);
  const decoder = small();
  decoder.attention.decoder.data.set(rows, 9);
  assert.deepEqual(clearest(decoder, 'decoder'), { layer: 0, head: 1 });
  const none = { stack: 'cross', layer: -1, head: -1 };
  assert.equal(placeOf(small(), none).head, 1, 'of a state without layer and head');
  assert.equal(placeOf(small(), { ...none, layer: 0 }).head, 0);
  assert.equal(placeOf(small(), { ...none, head: 9 }).head, 1, 'the nearest that there is');
});

test('without the end and the language the weights of words stay what they are', () => {
  const sentence_ = small();
  const { sides, rows, cols, of } = shownOf(sentence_, 'cross', 'go', true);
  assert.deepEqual([rows, cols], [[0, 1], [1, 2]]);
  assert.deepEqual([sides.labels, sides.cols], [['c \u2190 go', 'd \u2190 c'], ['a', 'b']]);
  assert.deepEqual(Array.from(of(mapOf(sentence_, 'cross', 0, 1)).data), [0.75, 0.25, 0, 0.5]);
  const all = shownOf(sentence_, 'cross', 'go', false);
  assert.deepEqual([all.sides.cols.length, all.of(mapOf(sentence_, 'cross', 0, 1)).cols], [4, 4]);
  // what the decoder is fed first is no word
  assert.deepEqual(shownOf(sentence_, 'decoder', 'go', true).cols, [1, 2]);
});

test('the query, the keys and the probabilities of the next token are the model\u2019s own', async () => {
  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: FIXTURE });
  try {
    const [{ sourceTokens, targetTokens }] = await translator.translateDetailed('The cat sleeps.', { beams: 1 });
    const [from, to] = [sourceTokens, targetTokens].map((tokens) => tokens.map(({ id }) => id));
    for (const prefix of ['encoder.layers.1.self_attn', 'decoder.layers.0.encoder_attn']) {
      const names = ['q', 'k', 'weights', 'scores'].map((name) => `${prefix}.${name}`);
      const found = await translator.inspect(from, to, { names });
      const [q, k, weights, scores] = names.map((name) => found[name]);
      const [, rows, cols] = weights.shape;
      const mine = mapRowOf({ q, k, weights }, 2, 1);
      const at = (2 * rows + 1) * cols;
      // 64 bits against 32, of sums of 32 products
      mine.scores.forEach((score, i) => assert.ok(Math.abs(score - scores.data[at + i]) < 1e-4, `${prefix} ${i}`));
      const total = mine.scores.reduce((sum, x) => sum + Math.exp(x), 0);
      mine.scores.forEach((x, i) => assert.ok(Math.abs(Math.exp(x) / total - mine.shares[i]) < 1e-4, `${prefix} ${i}`));
    }
    const { logits: { shape: [, cols], data } } = await translator.inspect(from, to, { names: ['logits'] });
    const row = data.slice(0, cols);
    const { softmax } = await loadOps();
    for (const temperature of [0.5, 1, 2]) {
      const shares = softmax({ rows: 1, cols, data: row.map((x) => x / temperature) }).data;
      const list = likely(row, temperature, 5);
      assert.equal(list.length, 5);
      list.forEach(({ id, share }) => assert.ok(Math.abs(share - shares[id]) < 1e-5, `${temperature}: ${id}`));
      assert.equal(list[0].share, Math.max(...list.map(({ share }) => share)));
    }
    assert.equal(likely(row, 1, 1)[0].id, to[0]);
  } finally {
    translator.destroy();
  }
});

test('words of a sentence have their position in its text', () => {
  const source = 'He sleeps, too.';
  const target = 'Er schl\u00e4ft auch.';
  const piece = (text, start, end) => ({ piece: text, id: 0, start, end });
  const words = sourceWords({
    source, sourceTokens: [piece('\u2581He', 0, 2), piece('\u2581sleep', 2, 8), piece('s', 8, 9), piece(',', 9, 10),
      piece('\u2581too', 10, 14),
      piece('.', 14, 15), piece('</s>', 15, 15)],
  });
  assert.deepEqual(words.map(({ start, end }) => source.slice(start, end)), ['He', 'sleeps,', 'too.']);
  assert.deepEqual(words.map(({ tokens }) => tokens), [[0], [1, 2, 3], [4, 5]]);
  const found = targetWords({ target,
    targetTokens: ['\u2581Er', '\u2581schl', '\u00e4ft', '\u2581auch', '.', '</s>'].map((text) => piece(text)) });
  assert.equal(found.text, target);
  assert.deepEqual(found.words.map(({ start, end }) => target.slice(start, end)), ['Er', 'schl\u00e4ft', 'auch.']);
});

const FAMILIES = new URL('golden/hf/families/', import.meta.url);

test('languages and ends are no words, whichever way a family writes them; bytes are text', async () => {
  for (const piece of ['</s>', '<pad>', '<s>', '>>deu<<', '>>zho_Hans<<', '<2de>', '__de__', 'deu_Latn', 'de_DE',
    '<extra_id_5>']) assert.ok(isSpecial(piece), piece);
  for (const piece of ['<unk>', '<0x0A>', '\u2581de', 'de', '_', '__', '\u2581<', 'a_b']) assert.ok(!isSpecial(piece), piece);
  assert.equal(textOf(['\u2581A', '<0x20>', '<0xE6>', '<0x97>', '<0xA5>', 'b']), ' A \u65e5b');
  assert.deepEqual(['<0x41>', '<0x20>', '<0xE6>', '\u2581a', '\u2581'].map(readable), ['A', '\u2423', '<0xE6>', 'a', '\u2423']);

  for (const [name, first] of [['nllb', 'deu_Latn'], ['m2m100', '__de__'], ['byt5', undefined], ['mt5', undefined]]) {
    const model = new URL(`${name}/`, FAMILIES);
    const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model });
    const [found] = await translator.translateDetailed('Where is the station?', { attention: true, maxTokens: 12 });
    translator.destroy();
    assert.equal(isSpecial(found.targetTokens[0].piece) ? found.targetTokens[0].piece : undefined, first);
    assert.deepEqual(sourceWords(found).map(({ start, end }) => found.source.slice(start, end)),
      ['Where', 'is', 'the', 'station?'], name);
    const { text, words } = targetWords(found);
    assert.equal(text, found.target);
    assert.deepEqual(words.map(({ start, end }) => text.slice(start, end)), text.split(/\s+/).filter(Boolean), name);
    assert.equal(words.flatMap(({ tokens }) => tokens).includes(0), first === undefined);
    const { sides } = shownOf(found, 'cross', 'go', true);
    assert.ok(![...sides.rows, ...sides.cols].some(isSpecial));
  }
});

test('Flow says what a family does with positions, the embedding and the logits', async () => {
  const said = {};
  for (const name of ['t5', 't5-v1.1', 'mbart50', 'nllb']) {
    const translator = await Translator.create({
      sourceLanguage: 'en', targetLanguage: 'de', model: new URL(`${name}/`, FAMILIES),
    });
    said[name] = notesOf(translator.config, see.flowView);
    if (name === 't5') {
      const names = ['encoder', 'decoder'].map((stack) => `${stack}.position_bias`);
      const found = await translator.inspect([5, 6, 7, 8, 1], [9, 8, 7, 1], { names });
      for (const [i, n] of [5, 4].entries()) {
        const { shape: [heads], data } = found[names[i]];
        const map = byDistance(found[names[i]], i === 1);
        assert.deepEqual([map.rows, map.cols], [heads, i ? n : 2 * n - 1]);
        for (let h = 0; h < heads; h++) {
          for (let q = 0; q < n; q++) {
            for (let k = 0; k < (i ? q + 1 : n); k++) {
              assert.equal(map.data[h * map.cols + n - 1 + k - q], data[(h * n + q) * n + k]);
            }
          }
        }
      }
    }
    translator.destroy();
  }
  assert.match(said.t5.embedding, /^Each token becomes 48 numbers: [^.]+\. No position is added: attention adds a number/);
  assert.match(said.t5.logits, /table of embeddings .* divided by \u221a48 first/);
  assert.match(said['t5-v1.1'].logits, /a matrix of its own gives a logit per token\. Softmax/);
  assert.match(said.mbart50.embedding, /\. All of them times \u221a32\. Plus its position\. Then each row is normalised\.$/);
  assert.match(said.nllb.embedding, /\. All of them times \u221a32\. Plus its position\.$/);
});

test('the difference of two texts gives both back', () => {
  const [before, after] = ['Die Katze schl\u00e4ft auf dem Sofa.', 'Die Katze ruht auf Sofa. Ja'];
  const parts = difference(before, after);
  const words = (kinds) => parts.filter(({ kind }) => kinds.includes(kind)).map(({ text }) => text).join('')
    .replace(/\s+/g, ' ').trim();
  assert.equal(words(['same', 'gone']), before);
  assert.equal(words(['same', 'new']), after);
  assert.ok(parts.some(({ kind, text }) => kind === 'same' && text.trim() === 'Die Katze'));
});

test('a tree has the winner in its first row, children in the order of their parents: no edges that cross', () => {
  const node = (parent, total, best = false) => ({ parent, total, best });
  const nodes = [node(-1, -1), node(-1, -2, true), node(0, -3), node(0, -5), node(1, -4, true), node(1, -2.5),
    node(2, -6), node(4, -7, true)];
  const { rows, depth, count, deepest } = layOut(nodes);
  assert.deepEqual([...rows], [1, 0, 2, 3, 0, 1, 1, 0]);
  assert.deepEqual([...depth], [0, 0, 1, 1, 1, 1, 2, 2]);
  assert.deepEqual([count, deepest], [4, 2]);
});

test('CSV quotes what it must', () => {
  assert.equal(toCsv([['a', ',', '"'], [1, 'x\ny', '']]), 'a,",",""""\r\n1,"x\ny",\r\n');
});
