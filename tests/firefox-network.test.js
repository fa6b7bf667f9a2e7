// The network of Firefox's students, with SSRUs, Marian's positions and no start token, against the real engine and its
// repetition in numpy (golden/firefox/tiny-float, in floats): log-probabilities, alignments, texts, every way to
// search.
import test, { after, before } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Transformer, Translator } from '../js/index.js';

const directory = fileURLToPath(new URL('golden/firefox/tiny-float', import.meta.url));
/** @type {{ source: string, sourceIds?: number[], full: { text: string, ids?: number[], logProbs: number[],
 *   alignment: number[] } }[]} */
const lines = readFileSync(`${directory}/expected.jsonl`, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
/** Those that the engine takes for one sentence. */
const whole = lines.flatMap(({ source, sourceIds, full: { ids, ...full } }) =>
  (sourceIds && ids ? [{ source, sourceIds, ...full, ids }] : []));

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

test('the head for alignment looks where it does in the engine', () => {
  for (const { source, sourceIds, ids, alignment } of whole) {
    const { shape: [layers, heads, T, S], data } = model.attention(sourceIds, ids).cross;
    const from = (layers - 1) * heads * T * S;
    const found = ids.map((_, t) => {
      const row = data.subarray(from + t * S, from + (t + 1) * S);
      return row.indexOf(Math.max(...row));
    });
    assert.deepEqual(found, alignment, source);
  }
});

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
  const [{ source }] = whole;
  const [detail] = await translator.translateDetailed(source, { attention: true });
  assert.deepEqual(detail.attention?.decoder.shape.slice(0, 2), [0, 0]);
  assert.equal(detail.alignment.length, detail.targetTokens.length);
  const word = /** @type {string} */ (/\p{L}{4,}/u.exec(source)?.[0]);
  assert.match(await translator.translate(source, { glossary: { [word]: 'Zauberwort' } }), /Zauberwort/);
  translator.destroy();
});
