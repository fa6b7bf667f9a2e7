// generate.test.js - models, tokens and searches against what transformers itself says of them (golden/hf).
//
// Tolerances: sums of 32-bit floats in another order differ by 1e-6, and a length penalty of -1 multiplies.
import test, { after } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { Transformer, Translator } from '../js/index.js';
import { optionsOf, readCtranslate2, readHf } from './golden/hf/read.js';

const LOGITS = 1e-4;
const ATTENTION = 1e-5;
/** Of a score or log-probability. @param {number} want */
const tolerance = (want) => 1e-4 * Math.max(1, Math.abs(want));

/** Supported cases that are not fragile. */
const CASES = { opus: 1211, untied: 348, multi: 348 };
const names = /** @type {(keyof typeof CASES)[]} */ (Object.keys(CASES));

const golden = Object.fromEntries(names.map((name) => [name, readHf(name)]));
const models = Object.fromEntries(await Promise.all(
  names.map(async (name) => [name, await Transformer.load(golden[name].directory, { dtype: 'f32' })])));
after(() => names.forEach((name) => models[name].dispose()));

/** @param {string} what @param {number} got @param {number} want @param {number} [within] */
function assertNear(what, got, want, within = tolerance(want)) {
  assert.ok(Math.abs(got - want) <= within, `${what}: found ${got}, expected ${want}`);
}

/**
 * @param {string} what
 * @param {{ shape: readonly number[], data: Float32Array }} got
 * @param {{ shape: readonly number[], data: Float32Array }} want
 * @param {number} within
 */
function assertTensor(what, got, want, within) {
  assert.deepEqual([...got.shape], [...want.shape], what);
  want.data.forEach((x, i) => assertNear(`${what} at ${i}`, got.data[i], x, within));
}

/**
 * The hypotheses of a case: ids with the start token, scores, and of the best the text and each step.
 *
 * @param {Transformer} model
 * @param {import('../js/index.js').Generated[]} found
 * @param {import('./golden/hf/read.js').Output[]} outputs
 * @param {number} given  ids of the prefix
 */
function assertOutputs(model, found, outputs, given) {
  const start = Number(model.config.decoder_start_token_id);
  assert.deepEqual(found.map(({ ids }) => [start, ...ids]), outputs.map(({ ids }) => ids));
  for (const [rank, { score }] of outputs.entries()) {
    if (score !== undefined) assertNear(`score of rank ${rank}`, found[rank].score, score);
  }
  const [{ text, steps }] = outputs;
  const [{ ids, logProb, tree }] = found;
  if (text !== undefined) assert.equal(model.tokenizer.decode(ids), text);
  if (!steps) return;
  assertNear('log-probability', logProb, steps.reduce((sum, x) => sum + x, 0));
  if (!tree) return;
  const way = tree.filter(({ best }) => best).map((node) => node.logProb);
  assert.deepEqual(way.slice(0, given), new Array(given).fill(0), 'the prefix counts nothing');
  // a step of the tree is the difference of two sums of 32 bits
  steps.forEach((x, t) => assertNear(`step ${t}`, way[given + t], x));
}

for (const name of names) {
  const { cases, lines, texts, tensors, directory } = golden[name];
  const model = models[name];
  const start = model.config.decoder_start_token_id;
  const usable = cases.filter(({ fragile, unsupported }) => !fragile && !unsupported);

  test(`${name}: every search is that of transformers`, async (t) => {
    assert.equal(usable.length, CASES[name]);
    /** @type {Map<string, typeof cases>} */
    const kinds = new Map();
    for (const one of usable) kinds.set(one.case, [...(kinds.get(one.case) ?? []), one]);
    for (const [kind, those] of kinds) {
      await t.test(`${kind}: ${those.length} cases`, () => {
        for (const { line, settings, outputs } of those) {
          const options = optionsOf(settings, start);
          const [found] = model.generate([lines[line].source], { ...options, beamTree: true });
          assertOutputs(model, found, outputs, options.prefix?.length ?? 0);
        }
      });
    }
  });

  test(`${name}: searches of all lines at once`, () => {
    const kinds = new Set(cases.map((one) => one.case).filter((kind) => kind.startsWith('batch-')));
    assert.equal(kinds.size, 4);
    for (const kind of kinds) {
      const those = cases.filter((one) => one.case === kind);
      const options = optionsOf(those[0].settings, start);
      const sources = those.map(({ line }) => lines[line].source);
      const alone = sources.flatMap((source) => model.generate([source], options));
      for (const batchSize of [1, 3, 32]) {
        const found = model.generate(sources, { ...options, batchSize });
        assert.deepEqual(found, alone, `${kind}: the same bits in batches of ${batchSize}`);
        those.forEach(({ outputs }, i) => assertOutputs(model, found[i], outputs, 0));
      }
    }
  });

  test(`${name}: settings of generation_config.json`, async () => {
    const files = Object.fromEntries(readdirSync(directory).filter((file) => !/gz$/.test(file)).map((file) =>
      [file, new Uint8Array(readFileSync(new URL(file, directory)))]));
    const own = JSON.parse(new TextDecoder().decode(files['generation_config.json']));
    // one case of each kind, of a line of middle length
    for (const { line, settings, outputs } of usable.filter((one) => one.line === 4)) {
      const { decoder_input_ids, num_return_sequences, ...rest } = settings;
      const text = JSON.stringify({ ...own, ...rest });
      const other = await Transformer.load({ ...files, 'generation_config.json': new TextEncoder().encode(text) },
        { dtype: 'f32' });
      const options = optionsOf(decoder_input_ids ? { decoder_input_ids } : {}, start);
      const [found] = other.generate([lines[line].source], { ...options, nBest: num_return_sequences });
      assertOutputs(other, found, outputs, 0);
      assert.deepEqual(other.info.unsupportedSettings, []);
      other.dispose();
    }
  });

  test(`${name}: encoder, logits and attention`, () => {
    for (const { source, ...want } of lines) {
      const { data } = model.encode(source);
      assertNear('sum', data.reduce((sum, x) => sum + x, 0), want.sum, ATTENTION * data.length);
      assertNear('sum of sizes', data.reduce((sum, x) => sum + Math.abs(x), 0), want.abs_sum, ATTENTION * data.length);
      want.first.forEach((x, i) => assertNear(`first, ${i}`, data[i], x, ATTENTION));
      want.last.forEach((x, i) => assertNear(`last, ${i}`, data[data.length - 4 + i], x, ATTENTION));
    }
    for (const line of [0, 1, 4]) {
      const of = (/** @type {string} */ key) => tensors[`line${line}.${key}`];
      // ids are int32s in the file
      const [source, target] = ['source', 'target'].map((key) => new Int32Array(of(key).data.buffer));
      assert.deepEqual([...source], lines[line].source);
      assertTensor('encoder output', model.encode(source), of('encoder_last_hidden_state'), ATTENTION);
      assertTensor('logits', model.forward(source, target).logits, of('logits'), LOGITS);
      const maps = model.attention(source, target);
      assertTensor('encoder attention', maps.encoder, of('encoder_attentions'), ATTENTION);
      assertTensor('decoder attention', maps.decoder, of('decoder_attentions'), ATTENTION);
      assertTensor('cross attention', maps.cross, of('cross_attentions'), ATTENTION);
    }
  });

  test(`${name}: tokens, and text of them`, () => {
    assert.equal(texts.length, 86);
    for (const { text, ids, target_ids, decoded, ids_as_text } of texts) {
      const what = JSON.stringify(text);
      const { tokenizer } = model;
      assert.deepEqual([...tokenizer.encode(text).ids], ids_as_text ?? ids, what);
      if (!ids_as_text) assert.deepEqual([...tokenizer.encode(text, { side: 'target' }).ids], target_ids, what);
      // language tokens are no text here
      const pieces = target_ids.map((id) => tokenizer.idToPiece(id, { side: 'target' }));
      const language = pieces.find((piece) => /^>>.+<<$/.test(piece)) ?? '';
      assert.equal(tokenizer.decode(target_ids), decoded.replaceAll(language, '').trim(), what);
    }
  });
}

test('CTranslate2: the same, except where transformers differs', (t) => {
  const model = models.opus;
  const { config } = model;
  const counts = { same: 0, 'with early stopping': 0, 'as transformers': 0, scores: 0 };
  const start = Number(config.decoder_start_token_id);
  const withoutEnd = (/** @type {ArrayLike<number>} */ ids) =>
    Array.from(ids).filter((id, i) => id !== config.eos_token_id || i < ids.length - 1);
  for (const { line, ctranslate2, transformers, ...record } of readCtranslate2()) {
    const { source } = golden.opus.lines[line];
    const options = optionsOf(transformers.settings, start);
    const [found] = model.generate([source], options);
    assertOutputs(model, found, transformers.outputs, 0);
    const theirs = ctranslate2.outputs.map(({ ids }) => ids);
    const isSame = (/** @type {typeof found} */ hypotheses) =>
      JSON.stringify(hypotheses.map(({ ids }) => withoutEnd(ids))) === JSON.stringify(theirs);
    assert.equal(isSame(found), record.same_ids, `${record.case}, line ${line}`);
    if (record.same_ids_early_stopping !== undefined) {
      const [early] = model.generate([source], { ...options, earlyStopping: true });
      assert.equal(isSame(early), record.same_ids_early_stopping, `${record.case}, line ${line}, stopping early`);
    }
    counts[record.same_ids ? 'same' : record.same_ids_early_stopping ? 'with early stopping' : 'as transformers']++;
    // CTranslate2 counts the prefix in the length that divides; it has no repetition penalty in its scores
    const { length_penalty: penalty = 1, repetition_penalty } = ctranslate2.settings;
    if (!record.same_ids || repetition_penalty || ctranslate2.settings.min_decoding_length) continue;
    for (const [rank, { score }] of ctranslate2.outputs.entries()) {
      const { ids, logProb, finished } = found[rank];
      if (!finished) continue;
      assertNear(`${record.case}, line ${line}, rank ${rank}`, logProb / ids.length ** penalty, Number(score));
      counts.scores++;
    }
  }
  t.diagnostic(JSON.stringify(counts));
  assert.ok(counts.same > 100 && counts.scores > 200);
});

test('unsupported settings: refused as options, reported once for a file', async (t) => {
  const unsupported = golden.opus.cases.filter((one) => one.unsupported);
  assert.equal(unsupported.length, 16);
  const { directory, lines } = golden.opus;
  const files = Object.fromEntries(readdirSync(directory).filter((file) => !/gz$/.test(file)).map((file) =>
    [file, new Uint8Array(readFileSync(new URL(file, directory)))]));
  const own = JSON.parse(new TextDecoder().decode(files['generation_config.json']));
  const told = t.mock.method(console, 'warn', () => {});
  /** @param {Record<string, unknown>} settings @param {string} [file] */
  const load = (settings, file = 'generation_config.json') =>
    Transformer.load({ ...files, [file]: new TextEncoder().encode(JSON.stringify(settings)) }, { dtype: 'f32' });
  for (const { case: kind, line, settings } of unsupported) {
    const source = lines[line].source;
    const { num_beams, ...others } = settings;
    for (const [name, value] of Object.entries(others)) {
      const camel = name.replace(/_(.)/g, (_, c) => c.toUpperCase());
      for (const spelled of [name, camel]) {
        assert.throws(() => models.opus.generate([source], { beams: num_beams, [spelled]: value }),
          { name: 'TypeError', message: new RegExp(`^unknown option '${spelled}'`) });
      }
    }
    // top_k and the like do nothing but in sampling, and contrastive search
    const names = Object.keys(others).filter((name) => !/^(temperature|top_[kp])$/.test(name));
    const other = await load({ ...own, ...settings });
    assert.deepEqual(other.info.unsupportedSettings.sort(), names.sort(), kind);
    assert.deepEqual(told.mock.calls.map((call) => call.arguments), names.length === 0 ? []
      : [[`heed: generation_config.json: unsupported, without effect: ${other.info.unsupportedSettings.join(', ')}`]]);
    told.mock.resetCalls();
    // the search is that of the rest
    assert.deepEqual(other.generate([source]), models.opus.generate([source], { beams: num_beams }));
    assert.equal(told.mock.callCount(), 0, 'once, when it loads');
    other.dispose();
  }
  const sampling = { do_sample: true, temperature: 0.7, top_k: 20, top_p: 1 };
  assert.deepEqual((await load({ ...own, ...sampling })).info.unsupportedSettings,
    ['do_sample', 'temperature', 'top_k']);
  const neutral = { do_sample: false, temperature: 0.7, num_beam_groups: 1, diversity_penalty: 0, sequence_bias: null,
    encoder_no_repeat_ngram_size: 0, transformers_version: '5', use_cache: true };
  assert.deepEqual((await load({ ...own, ...neutral })).info.unsupportedSettings, []);
  // without generation_config.json the settings are those of config.json
  const { 'generation_config.json': _, ...rest } = files;
  const config = { ...JSON.parse(new TextDecoder().decode(files['config.json'])), num_beams: 3, num_beam_groups: 3 };
  const older = await Transformer.load({ ...rest, 'config.json': new TextEncoder().encode(JSON.stringify(config)) });
  assert.deepEqual([older.info.unsupportedSettings, older.generateDefaults.beams], [['num_beam_groups'], 3]);
});

test('a Translator has the settings too, here and in a worker', async () => {
  const [name, language] = /** @type {const} */ (['opus', 'de']);
  const { directory } = golden[name];
  const { text } = golden[name].lines[4];
  const { tokenizer, config } = models[name];
  const { ids: source } = tokenizer.encode(text);
  const [, first, second] = models[name].generate([source])[0][0].ids;
  const dtype = /** @type {const} */ ('f32');
  const pair = { sourceLanguage: 'en', targetLanguage: language, model: directory, dtype };
  const translators = await Promise.all([false, true].map((worker) => Translator.create({ ...pair, worker })));
  const texts = new Set();
  for (const options of [
    {}, { repetitionPenalty: 1.5 }, { badWords: [[first, second]] }, { suppressTokens: Int32Array.of(first) },
    { beginSuppressTokens: [first], renormalizeLogits: false }, { earlyStopping: /** @type {const} */ ('never') },
    { forcedBosTokenId: second }, { forcedEosTokenId: null, maxLength: 6 }, { maxLength: 6 }, { minLength: 30 },
    { eosTokenIds: [Number(config.eos_token_id), first] },
  ]) {
    const [[best]] = models[name].generate([source], { ...options, cutRunaways: true });
    for (const translator of translators) {
      const [{ target, logProb, finished }] = await translator.translateDetailed(text, options);
      assert.deepEqual({ target, logProb, finished },
        { target: tokenizer.decode(best.ids), logProb: best.logProb, finished: best.finished });
      assert.equal(await translator.translate(text, options), target);
      texts.add(target);
    }
    if ('maxLength' in options) assert.equal(best.finished, false, 'the end was forced, or there is none');
  }
  assert.ok(texts.size > 5);
  for (const translator of translators) translator.destroy();
});

test('wrong settings are refused by name, and the model still works', () => {
  const model = models.opus;
  const [{ source }] = golden.opus.lines;
  const expected = model.generate([source]);
  const size = Number(model.config.decoder_vocab_size);
  /** @type {[options: any, message: RegExp][]} */
  const wrong = [
    [{ earlyStopping: 'always' }, /^earlyStopping: found 'always', expected true, false or 'never'/],
    [{ repetitionPenalty: 0 }, /^repetitionPenalty: found 0, expected a number from 0\.001 to 1000/],
    [{ repetitionPenalty: '2' }, /^repetitionPenalty: found '2', expected a number/],
    [{ badWords: [5] }, /^badWords\[0\]: found 5, expected an array of ids/],
    [{ badWords: [[5], []] }, /^badWords\[1\]: found \[\], expected at least one id/],
    [{ badWords: [[5, size]] }, new RegExp(`^badWords\\[0\\]\\[1\\]: found id ${size}, expected 0 to ${size - 1}`)],
    [{ suppressTokens: 5 }, /^suppressTokens: found 5, expected an array of ids/],
    [{ beginSuppressTokens: [-1] }, /^beginSuppressTokens\[0\]: found id -1/],
    [{ forcedBosTokenId: [5] }, /^forcedBosTokenId: found \[5\], expected an id/],
    [{ forcedBosTokenId: size }, /^forcedBosTokenId: found id/],
    [{ forcedEosTokenId: 1.5 }, /^forcedEosTokenId: found 1\.5, expected an integer/],
    [{ eosTokenIds: [] }, /^eosTokenIds: found \[\], expected at least one id/],
    [{ renormalizeLogits: 1 }, /^renormalizeLogits: found 1, expected true or false/],
    [{ maxLength: 0 }, /^maxLength: found 0/],
    [{ maxLength: 1 }, /^maxLength: found 1, expected more than the start token and the prefix, 1/],
    [{ maxLength: 4, prefix: [5, 6, 7] }, /^maxLength: found 4, expected more than the start token and the prefix, 4/],
    [{ prefix: new Array(60).fill(5) }, /^max_length of the model's files: found 48, expected more than .*, 61/],
    [{ minLength: -1 }, /^minLength: found -1/],
    [{ suppressTokens: new Array(5000).fill(5) }, /other lists: found 50\d\d, expected 4096 ids at most/],
  ];
  for (const [options, message] of wrong) assert.throws(() => model.generate([source], options), { message });
  assert.deepEqual(model.generate([source]), expected);
  // new tokens win, and an option wins over the file
  const lengths = (/** @type {any} */ options) => model.generate([source], { beams: 1, ...options })[0][0].ids.length;
  assert.equal(lengths({ maxTokens: 3, maxLength: 9 }), 3);
  assert.equal(lengths({ maxLength: 4 }), 3);
  // `</s>` is none of the least
  assert.equal(lengths({ minTokens: 9, minLength: 20 }), 10);
  assert.ok(lengths({ minLength: 20 }) >= 20);
});
