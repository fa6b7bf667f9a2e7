// The Transformer's interface: shapes, options, sessions, memory, and that its types are those of the contract. What
// the numbers should be is parity.test.js's business.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as heed from '../js/index.js';
import { bytes, changeJson, SHIPPED, readFiles, TINY } from './model-files.js';

const { Transformer } = heed;
const root = fileURLToPath(new URL('..', import.meta.url));
const model = await Transformer.load(TINY);
const SOURCE = [5, 9, 12, 30, 0];
const TARGET = [7, 7, 20, 0];

test('the package exports what it says', () => {
  assert.deepEqual(Object.keys(heed).sort(),
    ['HeedError', 'LanguageDetector', 'Tokenizer', 'Transformer', 'Translator', 'loadOps']);
});

test('tensors have the shapes of the contract, and are copies', () => {
  const encoded = model.encode(SOURCE);
  assert.deepEqual(encoded.shape, [5, 32]);
  assert.equal(encoded.data.length, 160);
  const { logits, logProbs } = model.forward(SOURCE, TARGET);
  assert.deepEqual(logits.shape, [4, 67]);
  assert.equal(logProbs.length, 4);
  const { encoder, decoder, cross } = model.attention(SOURCE, TARGET);
  assert.deepEqual(
    [encoder.shape, decoder.shape, cross.shape],
    [
      [2, 4, 5, 5],
      [2, 4, 4, 4],
      [2, 4, 4, 5],
    ],
  );

  const before = encoded.data.slice();
  model.encode([1, 2, 3]);
  assert.deepEqual(encoded.data, before);
  for (const array of [encoded.data, logits.data, logProbs, encoder.data]) assert.equal(array.byteOffset, 0);
});

test('ids may be any array of numbers', () => {
  const { data } = model.encode(SOURCE);
  for (const ids of [
    Int32Array.from(SOURCE),
    Uint8Array.from(SOURCE),
    Float64Array.from(SOURCE),
    { length: 5, ...SOURCE },
  ]) {
    assert.deepEqual(model.encode(ids).data, data);
  }
});

test('config says what holds, info what it costs', () => {
  assert.equal(model.config.d_model, 32);
  assert.equal(model.config.model_type, 'marian');
  assert.ok(Object.isFrozen(model.config));
  const { dtype, simd, parameters, weightBytes, memoryBytes } = model.info;
  assert.equal(dtype, 'f32');
  assert.ok(['simd128', 'relaxed'].includes(simd));
  assert.ok(parameters > 67 * 32 && weightBytes >= 4 * parameters && memoryBytes > weightBytes);
});

test('the arithmetic is what one asks for', async () => {
  const dtype = async (/** @type {string} */ source, /** @type {any} */ options) =>
    (await Transformer.load(source, options)).info.dtype;
  assert.equal(await dtype(TINY, { dtype: 'f32' }), 'f32');
  assert.equal(await dtype(TINY, { dtype: 'int8' }), 'int8');
  assert.equal(await dtype(SHIPPED, {}), 'int8', 'auto follows the file');
  assert.equal(await dtype(SHIPPED, { dtype: 'f32' }), 'f32');
  await assert.rejects(dtype(TINY, { dtype: 'f16' }), { name: 'TypeError', message: /^dtype: found 'f16'/ });
});

test('generate gives a list of hypotheses for each source, in their order', () => {
  const sources = [[3, 0], SOURCE, [8, 8, 8, 8, 8, 8, 8, 0], [40, 0]];
  const all = model.generate(sources, { beams: 4, nBest: 3, maxTokens: 12 });
  assert.equal(all.length, 4);
  sources.forEach((source, i) => {
    assert.deepEqual(all[i], model.generate([source], { beams: 4, nBest: 3, maxTokens: 12 })[0]);
    assert.equal(all[i].length, 3);
    assert.ok(all[i].every(({ ids }) => ids.length <= 12 && ids instanceof Int32Array));
    assert.ok(
      all[i].every(({ score }, rank) => rank === 0 || score <= all[i][rank - 1].score),
      'best first',
    );
  });
  assert.deepEqual(model.generate([]), []);
});

test("the model's files say what happens by default", async () => {
  const files = {
    ...readFiles(TINY),
    'generation_config.json': bytes('{"num_beams":3,"max_length":6,"min_length":3}'),
  };
  const other = await Transformer.load(files);
  assert.deepEqual(other.generateDefaults, {
    beams: 3,
    maxTokens: 5,
    minTokens: 2,
    maxLength: 6,
    minLength: 3,
    noRepeatNgram: 0,
    lengthPenalty: 1,
    earlyStopping: false,
    repetitionPenalty: 1,
    badWords: [],
    suppressTokens: [],
    beginSuppressTokens: [],
    forcedBosTokenId: null,
    forcedEosTokenId: null,
    eosTokenIds: [0],
    renormalizeLogits: false,
  });
  assert.deepEqual(other.generate([SOURCE]), model.generate([SOURCE], { beams: 3, maxTokens: 5, minTokens: 2 }));
  assert.ok(other.generate([SOURCE])[0][0].ids.length <= 5);
  const inConfig = changeJson(files, 'config.json', (json) => ({
    ...json,
    num_beams: 2,
    length_penalty: 0.5,
    max_new_tokens: 4,
  }));
  const settings = async (/** @type {any} */ from) => {
    const { beams, lengthPenalty, maxTokens } = (await Transformer.load(from)).generateDefaults;
    return [beams, lengthPenalty, maxTokens];
  };
  assert.deepEqual(await settings(inConfig), [3, 1, 5], 'generation_config.json alone, as in transformers');
  const { 'generation_config.json': _, ...without } = inConfig;
  assert.deepEqual(await settings(without), [2, 0.5, 4], 'where there is none, config.json');
  assert.equal(
    (await Transformer.load({ ...files, 'generation_config.json': bytes('{}') })).generateDefaults.maxTokens,
    48,
  );
});

test('maxTokens beyond the positions of the model is as many as there are', () => {
  const [[hypothesis]] = model.generate([SOURCE], { maxTokens: 1e6, minTokens: 1e6 });
  assert.equal(hypothesis.ids.length, 48);
  assert.equal(hypothesis.finished, false);
});

test('heads can be switched off, and are on again afterwards', () => {
  const all = model.attention(SOURCE, TARGET);
  const disabledHeads = [
    { stack: /** @type {const} */ ('encoder'), layer: 0, head: 1 },
    { stack: /** @type {const} */ ('cross'), layer: 1, head: 3 },
  ];
  const some = model.attention(SOURCE, TARGET, { disabledHeads });
  assert.notDeepEqual(some.cross.data, all.cross.data);
  assert.deepEqual(model.attention(SOURCE, TARGET), all);
  const plain = model.generate([SOURCE]);
  const [[other]] = model.generate([SOURCE], { disabledHeads });
  assert.notEqual(other.logProb, plain[0][0].logProb);
  assert.deepEqual(model.generate([SOURCE]), plain);
});

test('options are refused by name', () => {
  /** @type {[any, any, RegExp][]} */
  const cases = [
    [{ beams: 0 }, RangeError, /^beams: found 0/],
    [{ beams: '4' }, TypeError, /^beams: found '4'/],
    [{ beams: 1.5 }, RangeError, /^beams: found 1\.5/],
    [{ nBest: 2 }, RangeError, /^nBest: found 2, expected a whole number from 1 to 1$/],
    [{ beams: 2, nBest: 3 }, RangeError, /^nBest: found 3/],
    [{ maxTokens: 0 }, RangeError, /^maxTokens: found 0/],
    [{ maxTokens: null }, TypeError, /^maxTokens: found null/],
    [{ minTokens: -1 }, RangeError, /^minTokens: found -1/],
    [{ noRepeatNgram: -1 }, RangeError, /^noRepeatNgram: found -1/],
    [{ batchSize: 0 }, RangeError, /^batchSize: found 0/],
    [{ lengthPenalty: 'x' }, TypeError, /^lengthPenalty: found 'x'/],
    [{ lengthPenalty: NaN }, RangeError, /^lengthPenalty: found NaN/],
    [{ prefix: 5 }, TypeError, /^prefix: found 5/],
    [{ prefix: [1.5] }, TypeError, /^prefix\[0\]: found 1\.5/],
    [{ signal: {} }, TypeError, /^signal: found/],
    [{ disabledHeads: 'all' }, TypeError, /^disabledHeads: found 'all'/],
    [
      { disabledHeads: [{ stack: 'middle', layer: 0, head: 0 }] },
      TypeError,
      /^disabledHeads\[0\]\.stack: found 'middle'/,
    ],
    [{ disabledHeads: [{ stack: 'cross', layer: 2, head: 0 }] }, RangeError, /^disabledHeads\[0\]\.layer: found 2/],
    [{ disabledHeads: [{ stack: 'cross', layer: 0, head: 4 }] }, RangeError, /^disabledHeads\[0\]\.head: found 4/],
    [null, TypeError, /^options: found null/],
  ];
  const before = model.generate([SOURCE]);
  for (const [options, type, message] of cases) {
    assert.throws(
      () => model.generate([SOURCE], options),
      (error) => error instanceof type && message.test(error.message),
      String(message),
    );
  }
  assert.throws(() => model.generate(/** @type {any} */ (SOURCE)), TypeError, 'ids where a list of ids should be');
  assert.throws(() => model.generate(/** @type {any} */ ('abc')), TypeError);
  assert.deepEqual(model.generate([SOURCE]), before);
});

test('a run stops at the step after the signal', () => {
  const stop = new AbortController();
  const run = model.generateSteps([SOURCE], { signal: stop.signal, minTokens: 40 });
  for (let steps = 0; steps < 2; steps++) run.next(); // it rests before the first step, too
  assert.equal(run.next().value?.length, 2, 'ids so far');
  stop.abort();
  assert.throws(() => run.next(), { name: 'AbortError' });
  assert.throws(() => model.generate([SOURCE], { signal: stop.signal }), { name: 'AbortError' });
  const reason = new Error('why not');
  assert.throws(() => model.generate([SOURCE], { signal: AbortSignal.abort(reason) }), reason);
  assert.equal(model.generate([SOURCE]).length, 1, 'works afterwards');
});

test('sessions grow on demand, and small calls give the same results afterwards', () => {
  const before = model.generate([SOURCE], { maxTokens: 3 });
  model.generate(
    Array.from({ length: 40 }, () => SOURCE),
    { beams: 5, batchSize: 40 },
  );
  model.encode(new Int32Array(48));
  assert.deepEqual(model.generate([SOURCE], { maxTokens: 3 }), before);
});

test('memory does not grow over 600 translations', async () => {
  const translator = await Transformer.load(SHIPPED);
  const { tokenizer } = translator;
  const texts = ['Good morning.', 'How are you?', 'I would like a cup of coffee, please.', 'Tom is here.'];
  const round = () => {
    const results = translator.generate(
      texts.map((text) => tokenizer.encode(text).ids),
      { maxTokens: 20 },
    );
    return results.map(([{ ids }]) => tokenizer.decode(ids)).join();
  };
  const first = round();
  const { memoryBytes } = translator.info;
  for (let i = 0; i < 149; i++) assert.equal(round(), first);
  assert.equal(translator.info.memoryBytes, memoryBytes);
});

test('using disposes', async () => {
  const other = await Transformer.load(TINY);
  other[Symbol.dispose]();
  assert.throws(() => other.encode(SOURCE), { code: 5 });
});

// ---------------------------------------------------------------- types

/** Compile a TypeScript text as a user of the package would, strictly. @param {string} text */
function compile(text) {
  const directory = mkdtempSync(join(root, 'build/types-'));
  try {
    writeFileSync(join(directory, 'use.ts'), text);
    const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
    const flags = [
      '--strict',
      '--noEmit',
      '--target',
      'es2022',
      '--lib',
      'es2023,dom,esnext.disposable',
      '--module',
      'nodenext',
      '--typeRoots',
      directory,
    ];
    execFileSync(process.execPath, [tsc, ...flags, join(directory, 'use.ts')], { encoding: 'utf8', stdio: 'pipe' });
    return '';
  } catch (error) {
    return String(/** @type {any} */ (error).stdout || error);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const hasTypes = existsSync(join(root, 'build/types/index.d.ts')) && existsSync(join(root, 'node_modules/typescript'));

test(
  'the declarations serve a strict TypeScript user',
  { skip: !hasTypes && 'build/types is missing: make types' },
  () => {
    const use = (/** @type {string} */ beams) => `
    import { Transformer, Translator, HeedError, loadOps } from '../types/index.js';
    export async function main(signal: AbortSignal): Promise<string> {
      const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', signal,
        model: new URL('https://example.org/m/'),
        monitor: (m) => m.addEventListener('downloadprogress', () => {}) });
      const one: string = await translator.translate('a', { beams: ${beams}, signal });
      const many: string[] = await translator.translate(['a', 'b']);
      const [first] = await translator.translateDetailed('a', { attention: true, nBest: 1 });
      const weights: Float32Array | undefined = first.attention?.cross.data;
      for (const { piece, start, end } of first.sourceTokens) console.log(piece, end - start, first.alignment[0]);
      const reader: ReadableStreamDefaultReader<string> = translator.translateStreaming('a').getReader();
      const usage: number = (await translator.measureInputUsage('a')) / translator.inputQuota;
      const onProgress = ({ loaded, total }: { loaded: number; total: number }) => loaded / total;
      const model = await Transformer.load({ 'config.json': new Uint8Array() }, { onProgress });
      const ids: Int32Array = model.tokenizer.encode('a', { side: 'source', language: 'deu' }).ids;
      const text: string = model.tokenizer.decode(model.generate([ids, [1, 2]], { nBest: 1 })[0][0].ids);
      const shape: readonly number[] = model.forward(ids, [2]).logits.shape;
      const piece: number | undefined = model.tokenizer.pieceToId('a');
      const dtype: 'f32' | 'int8' = model.info.dtype;
      const rows: number = (await loadOps()).softmax({ rows: 1, cols: 1, data: new Float32Array(1) }).rows;
      try { model.dispose(); } catch (error) { if (error instanceof HeedError) return error.status + error.code; }
      return [one, many, weights, reader, usage, text, shape, piece, dtype, rows].join();
    }`;
    assert.equal(compile(use('4')), '');
    assert.match(compile(use("'4'")), /TS2769/, 'a mistake is found');
  },
);

const contract = join(root, '../shared/api.d.ts');

test(
  'the declarations fulfil the contract',
  {
    skip:
      (!hasTypes && 'build/types is missing: make types') || (!existsSync(contract) && '../shared/api.d.ts is missing'),
  },
  () => {
    const names = ['Transformer', 'Tokenizer', 'HeedError', 'Generated', 'Tensor', 'AttentionMaps', 'Matrix'];
    // what callers give
    const given = ['ModelSource', 'LoadOptions', 'Ids', 'GenerateOptions', 'TranslateOptions', 'Matrix'];
    assert.equal(
      compile(`
    import * as mine from '../types/index.js';
    import type * as api from '../../../shared/api.js';
    ${names.map((name) => `export const is${name} = (x: mine.${name}): api.${name} => x;`).join('\n')}
    ${given.map((name) => `export const takes${name} = (x: api.${name}): mine.${name} => x;`).join('\n')}
    // translateHtml is unsupported
    type Translator = Omit<api.Translator, 'translateHtml'>;
    export const isTranslator = (x: mine.Translator): Translator => x;
    export const load: typeof api.Transformer.load = mine.Transformer.load;
    export const create: (...args: Parameters<typeof api.Translator.create>) => Promise<Translator> =
      mine.Translator.create;
    export const availability: typeof api.Translator.availability = mine.Translator.availability;
    export const loadOps: typeof api.loadOps = mine.loadOps;
  `),
      '',
    );
  },
);
