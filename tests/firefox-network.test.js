// The network of Firefox's students, with SSRUs, Marian's positions and no start token, against the real engine and its
// repetition in numpy (golden/firefox/tiny-float, in floats): log-probabilities, alignments, texts, every way to
// search. Alignments also with the engine's int8 (the other three models of golden/firefox).
import test, { after, before } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Transformer, Translator } from '../js/index.js';

const golden = (/** @type {string} */ name) => fileURLToPath(new URL(`golden/firefox/${name}`, import.meta.url));
const directory = golden('tiny-float');
/**
 * @param {string} place
 * @returns {{ source: string, sourceIds?: number[], full: { text: string, ids?: number[], logProbs: number[],
 *   alignment: number[] } }[]}
 */
const readLines = (place) =>
  readFileSync(`${place}/expected.jsonl`, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
/** Those that the engine takes for one sentence. @param {ReturnType<typeof readLines>} all */
const wholeOf = (all) => all.flatMap(({ source, sourceIds, full: { ids, ...full } }) =>
  (sourceIds && ids ? [{ source, sourceIds, ...full, ids }] : []));
const lines = readLines(directory);
const whole = wholeOf(lines);

/** @type {Transformer} */
let model;
before(async () => {
  model = await Transformer.load(directory);
});
after(() => model.dispose());

/** The engine's limit: twice the source, with </s>. @param {number} tokens */
const most = (tokens) => 2 * tokens;

test('all lines are there', () => assert.deepEqual([lines.length, whole.length], [200, 192]));

test('log-probabilities of given ids, among those that may come out', () => {
  const { decoder_vocab_size: V, decoder_start_token_id: start } = /** @type {any} */ (model.config);
  const banned = new Set([1, start]); // <unk>, and the row of zeros that begins
  let worst = 0;
  for (const { sourceIds, ids, logProbs } of whole) {
    const { logits } = model.forward(sourceIds, ids);
    for (const [t, id] of ids.entries()) {
      const row = logits.data.subarray(t * V, (t + 1) * V);
      const sum = row.reduce((total, logit, i) => (banned.has(i) ? total : total + Math.exp(logit - row[id])), 0);
      worst = Math.max(worst, Math.abs(-Math.log(sum) - logProbs[t]));
    }
  }
  console.log(`# log-probabilities differ by ${worst.toExponential(1)} or less`);
  // four decimals are stored, which alone may be off by 5e-5; float32 adds 1e-5
  assert.ok(worst <= 6e-5, `${worst}`);
});

/** How much each target token attends to each source token, in the head for alignment. @param {Transformer} from */
function headOf(from, /** @type {number[]} */ sourceIds, /** @type {number[]} */ ids) {
  const { shape: [layers, heads, T, S], data } = from.attention(sourceIds, ids).cross;
  const head = data.subarray((layers - 1) * heads * T * S);
  return ids.map((_, t) => head.subarray(t * S, (t + 1) * S));
}

test('the head for alignment looks where it does in the engine', () => {
  for (const { source, sourceIds, ids, alignment } of whole) {
    const found = headOf(model, sourceIds, ids).map((row) => row.indexOf(Math.max(...row)));
    assert.deepEqual(found, alignment, source);
  }
});

// in tiny-seven no sum saturates; in the others some do in most lines
for (const [name, activations] of /** @type {const} */ ([
  ['tiny-seven', 'fixed'], ['tiny-joint', 'saturating'], ['memory-split', 'saturating'],
])) {
  test(`the head for alignment, ${name} in int8, by the engine’s formula`, async (t) => {
    const place = golden(name);
    const integers = await Transformer.load(place, { activations, shortlist: false });
    const shares = wholeOf(readLines(place)).flatMap(({ sourceIds, ids, alignment }) =>
      headOf(integers, sourceIds, ids).map((row, i) => row[alignment[i]] / Math.max(...row)));
    integers.dispose();
    const least = shares.reduce((a, b) => Math.min(a, b));
    const largest = shares.filter((share) => share === 1).length;
    t.diagnostic(`${largest} of ${shares.length} links have the largest weight, all at least ` +
      `${least.toFixed(4)} of it`);
    // of nearly equal weights rounding decides; it may move the log of a probability by 0.15, see activations.test.js
    assert.ok(shares.length > 2800 && largest > 0.99 * shares.length && least >= Math.exp(-0.15));
  });
}

test('greedy search says what the engine says, alone and in a batch whose sentences come and go', () => {
  const sources = whole.map(({ sourceIds }) => sourceIds);
  const alone = sources.map((ids) => model.generate([ids], { beams: 1, maxTokens: most(ids.length) })[0][0]);
  for (const [i, { source, text, ids }] of whole.entries()) {
    assert.deepEqual([...alone[i].ids], ids, source);
    // the engine puts the white space around a line back
    assert.equal(model.tokenizer?.decode(alone[i].ids), text.trim(), source);
  }
  const longest = most(Math.max(...sources.map(({ length }) => length)));
  const together = model.generate(sources, { beams: 1, maxTokens: longest, batchSize: 16 });
  for (const [i, [best]] of together.entries()) {
    // those that do not end go on to the limit of the batch
    assert.deepEqual(best.ids.slice(0, alone[i].ids.length), alone[i].ids, whole[i].source);
    if (alone[i].finished) assert.equal(best.logProb, alone[i].logProb);
  }
});

test('beams, n-best and prefixes say alone what they say in a batch, and what the forced pass says', () => {
  const sources = whole.slice(0, 60).map(({ sourceIds }) => sourceIds);
  for (const options of [{ beams: 4, nBest: 4 }, { beams: 3, prefix: [300, 40] }]) {
    const all = { ...options, maxTokens: 40, lengthPenalty: 1 };
    const together = model.generate(sources, { ...all, batchSize: 9 });
    for (const [i, source] of sources.entries()) {
      const [hypotheses] = model.generate([source], all);
      assert.deepEqual(together[i], hypotheses);
      for (const { ids, logProb } of hypotheses.slice(0, 2)) {
        const { logProbs } = model.forward(source, ids);
        const sum = logProbs.slice(options.prefix?.length ?? 0).reduce((a, b) => a + b, 0);
        assert.ok(Math.abs(sum - logProb) <= 1e-4 * ids.length, `${sum} ${logProb}`);
      }
    }
  }
});

test('a Translator with a glossary, detail and inspection', async () => {
  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: directory });
  const [{ source, sourceIds, ids, alignment }] = whole;
  const [detail] = await translator.translateDetailed(source, { attention: true });
  assert.deepEqual(detail.attention?.decoder.shape.slice(0, 2), [0, 0]);
  assert.deepEqual([...detail.alignment], alignment);

  const ssru = 'decoder.layers.0.ssru.';
  const weights = 'decoder.layers.1.encoder_attn.weights';
  const found = await translator.inspect(sourceIds, ids, { names: [ssru, weights] });
  assert.deepEqual([...found[weights].data], [...model.inspect(sourceIds, ids)[weights].data]);
  const { candidate, forget, cell, output } = Object.fromEntries(
    Object.entries(found).map(([name, { data }]) => [name.replace(ssru, ''), data]));
  const D = Number(translator.config.d_model);
  assert.equal(cell.length, ids.length * D);
  cell.forEach((c, i) => {
    const kept = i < D ? 0 : forget[i] * cell[i - D];
    const added = (1 - forget[i]) * candidate[i];
    // float32: three roundings of half of 2 ** -23 each, and one of 1 - f
    assert.ok(Math.abs(c - kept - added) <= 2 ** -22 * (Math.abs(kept) + Math.abs(added)), `${i}: ${c}`);
    assert.equal(output[i], Math.max(c, 0));
  });

  const word = /** @type {string} */ (/\p{L}{4,}/u.exec(source)?.[0]);
  assert.match(await translator.translate(source, { glossary: { [word]: 'Zauberwort' } }), /Zauberwort/);
  translator.destroy();
});
