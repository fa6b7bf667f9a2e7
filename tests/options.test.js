// options.test.js - options by name: what no function knows is refused, with the nearest name.
import test, { after } from 'node:test';
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { loadOps, Transformer, Translator } from '../js/index.js';
import * as pageCache from '../js/cache.js';
import { convert } from '../js/convert/convert.js';
import * as cache from '../js/convert/stored.js';
import { Trainer } from '../js/train.js';
import { SHIPPED, TINY } from './model-files.js';

const PAIR = { sourceLanguage: 'en', targetLanguage: 'de' };
const model = await Transformer.load(TINY);
const whole = await Transformer.load(SHIPPED);
const translator = await Translator.create({ ...PAIR, model: SHIPPED });
const there = await Translator.create({ ...PAIR, model: SHIPPED, worker: true });
const trainer = await Trainer.create(model);
const ops = await loadOps();
after(() => [model, whole, translator, there, trainer].forEach((each) => each[Symbol.dispose]()));

const X = { rows: 1, cols: 2, data: new Float32Array(2) };
const square = { rows: 2, cols: 2, data: new Float32Array(4) };
const weights = { wq: square, wk: square, wv: square, wo: square };
const ids = [5, 6, 0];

/** @param {ReadableStream<string>} stream */
async function collect(stream) {
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return pieces;
}

/** Every public function that has options: an option that it does not have, and the one that is meant. */
const FUNCTIONS = {
  'Transformer.load': [(o) => Transformer.load(TINY, o), 'dtipe', 'dtype'],
  generate: [async (o) => model.generate([ids], o), 'max_new_tokens', 'maxTokens'],
  'generate, steps': [async (o) => model.generateSteps([ids], o).next(), 'num_beams', 'beams'],
  attention: [async (o) => model.attention(ids, ids, o), 'disableHeads', 'disabledHeads'],
  inspect: [async (o) => model.inspect(ids, ids, o), 'name', 'names'],
  'Tokenizer.encode': [async (o) => whole.tokenizer.encode('a', o), 'langauge', 'language'],
  'Tokenizer.decode': [async (o) => whole.tokenizer.decode(ids, o), 'Side', 'side'],
  'Tokenizer.idToPiece': [async (o) => whole.tokenizer.idToPiece(1, o), 'sides', 'side'],
  'Tokenizer.pieceToId': [async (o) => whole.tokenizer.pieceToId('a', o), 'sid', 'side'],
  'Translator.create': [
    (o) => Translator.create({ ...PAIR, model: SHIPPED, ...o }), 'targetlanguage', 'targetLanguage',
  ],
  'Translator.create, worker': [(o) => Translator.create({ ...PAIR, model: SHIPPED, worker: true, ...o }),
    'moduls', 'models'],
  'Translator.availability': [(o) => Translator.availability({ ...PAIR, ...o }), 'modelss', 'models'],
  translate: [(o) => translator.translate('a', o), 'beam', 'beams'],
  'translate, worker': [(o) => there.translate('a', o), 'beam', 'beams'],
  translateDetailed: [(o) => translator.translateDetailed('a', o), 'attentions', 'attention'],
  'translateDetailed, worker': [(o) => there.translateDetailed('a', o), 'attentions', 'attention'],
  measureInputUsage: [(o) => translator.measureInputUsage('a', o), 'signals', 'signal'],
  'measureInputUsage, worker': [(o) => there.measureInputUsage('a', o), 'signals', 'signal'],
  translateStreaming: [async (o) => collect(translator.translateStreaming('a', o)), 'glosary', 'glossary'],
  'translateStreaming, worker': [async (o) => collect(there.translateStreaming('a', o)), 'glosary', 'glossary'],
  'Translator.attention': [(o) => translator.attention(ids, ids, o), 'heads', 'disabledHeads'],
  'Translator.inspect': [(o) => translator.inspect(ids, ids, o), 'nam', 'names'],
  'Translator.inspect, worker': [(o) => there.inspect(ids, ids, o), 'nam', 'names'],
  'Trainer.create': [(o) => Trainer.create(model, o), 'learning_rate', 'learningRate'],
  'Trainer.create, from': [(o) => Trainer.create({ config: { ...model.config }, ...o }), 'sed', 'seed'],
  toModel: [(o) => trainer.toModel(o), 'type', 'dtype'],
  loadOps: [(o) => loadOps(o), 'SIMD', 'simd'],
  'ops.attention': [async (o) => ops.attention(X, X, X, o), 'casual', 'causal'],
  'ops.multiHeadAttention': [async (o) => ops.multiHeadAttention(X, X, weights, 1, o), 'mask', undefined],
  convert: [(o) => convert(TINY, tmpdir(), o), 'd-type', 'dtype'],
  'cache, list': [(o) => cache.list(o), 'cach', 'cache'],
  'cache, remove': [(o) => cache.remove('x', o), 'directory', undefined], // would be of the default cache
  'cache, update': [(o) => cache.update('x', o), 'mirrors', 'mirror'],
  'cache of a page, list': [(o) => pageCache.list(o), 'cach', 'cache'],
  'cache of a page, remove': [(o) => pageCache.remove('x', o), 'cach', 'cache'],
  'cache of a page, update': [(o) => pageCache.update('x', o), 'signals', 'signal'],
};

for (const [name, [call, wrong, meant]] of Object.entries(FUNCTIONS)) {
  test(`${name}: an unknown option is refused, with the nearest one`, async () => {
    const hint = meant ? `did you mean '${meant}'\\?$` : 'expected \\w+';
    await assert.rejects(call({ [wrong]: 1 }), (error) =>
      error instanceof TypeError && new RegExp(`^unknown option '${wrong}': ${hint}`).test(error.message));
  });
}

test('an option that is like none is refused with the names that there are', async () => {
  await assert.rejects(translator.translate('a', { temperature: 1 }), {
    name: 'TypeError',
    message: /^unknown option 'temperature': expected beams, .*lengthPenalty, .*glossary, keep, lexicon, ngrams, reverse$/,
  });
  await assert.rejects(translator.translate('a', { ['x'.repeat(1e6)]: 1 }), ({ message }) => message.length < 500);
  await assert.rejects(translator.translate('a', { __proto__: null, toString: 1 }), /unknown option 'toString'/);
});

test('ids and heads are as they were when the call was made', async () => {
  const own = { prefix: [5], badWords: [[6, 7]], suppressTokens: Int32Array.of(7), beams: 1,
    disabledHeads: [{ stack: /** @type {const} */ ('cross'), layer: 0, head: 0 }] };
  const text = 'Good morning.';
  const [expected] = await translator.translateDetailed(text, structuredClone(own));
  const [, next, last] = expected.targetTokens.map(({ id }) => id);
  for (const change of [() => (own.prefix[0] = 6), () => (own.badWords[0] = [next]),
    () => (own.suppressTokens[0] = last), () => (own.disabledHeads[0].layer = 1)]) {
    const call = translator.translateDetailed(text, own);
    const before = structuredClone(own);
    change();
    assert.deepEqual(await call, [expected], String(change));
    Object.assign(own, before);
  }
});

test('a signal is not copied, and a list that has itself is refused', async () => {
  // a class without a toStringTag, as of a polyfill; its state is its own
  const own = new (class {
    aborted = false;
    reason = new Error('enough');
    throwIfAborted() {
      if (this.aborted) throw this.reason;
    }
    addEventListener() {}
    removeEventListener() {}
  })();
  const signal = /** @type {any} */ (own);
  assert.equal(await translator.translate('Good morning.', { signal }), 'Guten Morgen.');
  const call = translator.translate('Good morning.', { signal });
  own.aborted = true;
  await assert.rejects(call, own.reason);
  const ring = /** @type {any[]} */ ([]);
  ring.push(ring);
  for (const name of ['prefix', 'suppressTokens', 'badWords', 'disabledHeads']) {
    await assert.rejects(translator.translate('Good morning.', { [name]: ring }), { name: 'TypeError',
      message: new RegExp(`^${name}`) });
  }
});

test('nBest is checked where it has no effect', async () => {
  const any = /** @type {any} */ (translator);
  for (const [nBest, error] of [['x', { name: 'TypeError', message: /^nBest: found 'x'/ }],
    [0, { name: 'RangeError', message: /^nBest: found 0/ }]]) {
    await assert.rejects(any.translate('Good morning.', { nBest }), error);
    assert.throws(() => any.translateStreaming('Good morning.', { nBest }), error);
  }
  assert.equal(await translator.translate('Good morning.', { nBest: 9 }), 'Guten Morgen.');
});

test('values of another type are refused by name', async () => {
  const create = (/** @type {any} */ worker) => Translator.create({ ...PAIR, model: SHIPPED, worker });
  for (const worker of ['yes', 0]) {
    await assert.rejects(create(worker),
      { name: 'TypeError', message: /^worker: found .*, expected true, false or a Worker$/ });
  }
  (await create(null)).destroy();
  assert.throws(() => whole.tokenizer.pieceToId(/** @type {any} */ (5)),
    { name: 'TypeError', message: /^piece: found 5, expected a string/ });
});

test('the model still works after a refusal', async () => {
  const text = await translator.translate('Good morning.');
  await assert.rejects(translator.translate('Good morning.', { beam: 1 }));
  await assert.rejects(there.translate('Good morning.', { beam: 1 }));
  assert.equal(await translator.translate('Good morning.'), text);
  assert.equal(await there.translate('Good morning.'), text);
});
