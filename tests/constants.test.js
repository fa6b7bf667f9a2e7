// The numbers, limits and structs that the C core and JavaScript share: js/base/constants.js is what the headers say,
// the module agrees, and JavaScript writes structs in the order of their fields.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { Trainer } from '../js/train.js';
import * as core from '../js/base/constants.js';
import { Transformer } from '../js/index.js';
import { constants, enumsOf } from '../js/make-constants.mjs';
import { Core } from '../js/wasm/core.js';
import { TINY } from './model-files.js';

const root = new URL('..', import.meta.url);
const read = (/** @type {string} */ path) => readFileSync(new URL(path, root), 'utf8');

/** The fields of a struct, `[type, name]`. @param {string} header @param {string} struct */
function fieldsOf(header, struct) {
  const code = read(header).replace(/\/\*[^]*?\*\//g, '');
  const [, body = ''] = new RegExp(`typedef struct \\{([^}]*)\\} ${struct};`).exec(code) ?? [];
  return body.split(';').map((line) => line.trim()).filter(Boolean).flatMap((line) => {
    const [, type, names] = /** @type {RegExpExecArray} */ (/^(.*?\W)\s*(\w+(?:, \w+)*)$/.exec(line));
    return names.split(', ').map((name) => /** @type {[string, string]} */ ([type.trim(), name]));
  });
}

/**
 * What the calls of one export get while `f` runs.
 *
 * @param {string} name
 * @param {() => unknown} f
 * @returns {Promise<any[][]>}
 */
async function callsOf(name, f) {
  /** @type {any[][]} */
  const calls = [];
  const { run } = Core.prototype;
  Core.prototype.run = function (called, ...values) {
    if (called === name) calls.push(values);
    return run.call(this, called, ...values);
  };
  try {
    await f();
  } finally {
    Core.prototype.run = run;
  }
  return calls;
}

const bitsOf = (/** @type {number} */ float) => new Int32Array(Float32Array.of(float).buffer)[0];

test('constants.js is what make-constants.mjs makes of the headers', () => {
  assert.equal(read('js/base/constants.js'), constants(read), 'stale: make constants');
});

test('enumerations are found in a header, and a constant without its number is refused', () => {
  const header = '/* enum { NO = 1 }; */\ntypedef enum {\n A = 0, /* x */\n HEED_B = 1 << 4,\n} c; enum { D = -1 };';
  assert.deepEqual(enumsOf(header), [[['A', 0], ['B', 16]], [['D', -1]]]);
  assert.throws(() => enumsOf('enum { A = 0, B };'), /found '', expected a number/);
});

test('the module spells every status by the name it has here', async () => {
  const model = await Transformer.load(TINY);
  const { core: c } = model.internals();
  const statuses = Object.entries(core).filter(([name]) => /^(OK|E_\w+)$/.test(name));
  assert.ok(statuses.length > 20);
  for (const [name, code] of statuses) assert.equal(c.string('heed_status_name', Number(code)), `HEED_${name}`);
  model.dispose();
});

test('limits that JavaScript checks before the core are the core\'s', async () => {
  const model = await Transformer.load(TINY);
  const { core: c, model: handle } = model.internals();
  const bytes = (/** @type {number} */ beams, /** @type {number} */ batch) =>
    c.run('heed_session_bytes', handle, Int32Array.of(1, 1, beams, batch));
  assert.ok(bytes(core.MAX_BEAMS, 1) > 0);
  assert.equal(bytes(core.MAX_BEAMS + 1, 1), 0);
  assert.ok(bytes(1, core.MAX_BATCH) > 0);
  assert.equal(bytes(1, core.MAX_BATCH + 1), 0);

  // the bounds that are no constants of a header: of repetitionPenalty
  const names = fieldsOf('src/heed.h', 'heed_search_options').map(([, name]) => name);
  const [[session, rules]] = await callsOf('heed_search_begin', () => model.generate([[5, 0]], { maxTokens: 2 }));
  const begin = (/** @type {number} */ penalty) => {
    const fields = [...rules.fields];
    fields[names.indexOf('repetition_penalty')] = bitsOf(penalty);
    return c.run('heed_search_begin', session, { fields });
  };
  for (const repetitionPenalty of [0.001, 1000]) {
    assert.equal(begin(repetitionPenalty), core.OK);
    model.generate([[5, 0]], { maxTokens: 2, repetitionPenalty });
  }
  for (const repetitionPenalty of [0.00099, 1000.1]) {
    assert.equal(begin(repetitionPenalty), core.E_ARGUMENT);
    assert.throws(() => model.generate([[5, 0]], { maxTokens: 2, repetitionPenalty }), RangeError);
  }
  model.dispose();
});

test('no other file of js/ has a limit of its own', () => {
  const found = readdirSync(new URL('js', root), { recursive: true }).map(String)
    .filter((file) => file.endsWith('.js') && !file.startsWith('base'))
    .map((file) => ({ file, limits: read(`js/${file}`).match(/^const (?:MAX|MOST)_\w+ = /gm) }))
    .filter(({ limits }) => limits);
  assert.deepEqual(found, []);
});

test('the options of a search are written in the order of heed_search_options', async () => {
  const model = await Transformer.load(TINY);
  const options = {
    beams: 3, maxTokens: 7, lengthPenalty: 1.5, earlyStopping: /** @type {const} */ ('never'), prefix: [11, 12],
    eosTokenIds: [0, 13, 14], repetitionPenalty: 1.25, noRepeatNgram: 5, badWords: [[15, 16]], minTokens: 4,
    forcedBosTokenId: 17, forcedEosTokenId: [18, 19], suppressTokens: [20, 21, 22, 23], beginSuppressTokens: [24],
    renormalizeLogits: true, cutRunaways: true,
  };
  /** @type {Record<string, number | number[]>} */
  const expected = {
    beams: 3, max_tokens: 7, length_penalty: bitsOf(1.5), early_stopping: core.EARLY_NEVER, prefix: [11, 12],
    eos: [0, 13, 14], repetition_penalty: bitsOf(1.25), no_repeat_ngram: 5, bad_words: [2, 15, 16], min_tokens: 4,
    forced_bos: [17], forced_eos: [18, 19], suppress: [20, 21, 22, 23], begin_suppress: [24], renormalize: 1,
    cut_runaways: 1, byte_ids: [], shortlist: 1, unscored: 0, attention: 0, ngrams: bitsOf(0.15),
  };
  const [[, { fields }]] = await callsOf('heed_search_begin', () => model.generate([[5, 6, 0]], options));
  const wanted = fieldsOf('src/heed.h', 'heed_search_options').map(([type, name]) => {
    const count = /^n_(\w+)$/.exec(name)?.[1];
    const value = count ? Object(expected[count]).length : expected[name];
    assert.equal(type, Array.isArray(value) ? 'const int32_t *' : /penalty|ngrams/.test(name) ? 'float' : 'int32_t', name);
    return [name, value];
  });
  const plain = (/** @type {any} */ field) => (typeof field === 'number' ? field : [...field]);
  assert.deepEqual(wanted.map(([name], i) => [name, plain(fields[i])]), wanted);
  assert.equal(fields.length, wanted.length);
  model.dispose();
});

test('the options of a session are written in the order of heed_session_options', async () => {
  const model = await Transformer.load(TINY);
  // powers of two are left as they are
  const [[, options]] = await callsOf('heed_session_create', () =>
    model.generate([[5, 6, 7, 0], [5, 0]], { beams: 1, maxTokens: 8, batchSize: 2 }));
  assert.deepEqual(fieldsOf('src/heed.h', 'heed_session_options').map(([type, name], i) => [type, name, options[i]]), [
    ['int32_t', 'max_source', 4],
    ['int32_t', 'max_target', 8],
    ['int32_t', 'max_beams', 1],
    ['int32_t', 'max_batch', 2],
  ]);
  model.dispose();
});

test('the options of a trainer are written in the order of heed_train_options', async () => {
  const model = await Transformer.load(TINY);
  const options = {
    learningRate: 0.25, labelSmoothing: 0.125, dropout: 0.5, clipNorm: 2, schedule: /** @type {const} */ ('cosine'),
    warmupSteps: 3, totalSteps: 9, seed: 5, maxTokens: 33, attentionDropout: 0.75, guided: 4, guidedHead: 1,
    sampledSoftmax: 8, optimizer: /** @type {const} */ ('muon'),
  };
  /** @type {Record<string, number>} */
  const expected = {
    learning_rate: 0.25, label_smoothing: 0.125, dropout: 0.5, clip_norm: 2, schedule: core.SCHEDULE_COSINE,
    warmup_steps: 3, total_steps: 9, seed: 5, model_seed: 7, train_positions: 1, max_tokens: 33,
    attention_dropout: 0.75, guided: 4, guided_head: 1, sampled_softmax: 8, optimizer: core.OPTIMIZER_MUON,
  };
  const from = { config: { ...model.config, static_position_embeddings: false }, seed: 7 };
  const [[, , bytes]] = await callsOf('heed_trainer_create',
    async () => (await Trainer.create(from, options)).dispose());
  const view = new DataView(bytes.buffer);
  const fields = fieldsOf('src/train/trainer.h', 'heed_train_options');
  const found = fields.map(([type, name], i) =>
    [name, type === 'float' ? view.getFloat32(4 * i, true) : view.getInt32(4 * i, true)]);
  assert.deepEqual(found, fields.map(([, name]) => [name, expected[name]]));
  assert.equal(bytes.length, 4 * fields.length);
  model.dispose();
});

test('structs that JavaScript reads have the fields that it reads', () => {
  const names = (/** @type {string} */ header, /** @type {string} */ struct) =>
    fieldsOf(header, struct).map(([type, name]) =>
      (type.endsWith('*') ? `*${name}` : type === 'float' ? `${name}.` : name));
  // what core.js and train.js take them apart into; a pointer and a float are marked
  assert.equal(names('src/base/status.h', 'heed_report').join(' '), '*name *rule found');
  assert.equal(names('src/heed.h', 'heed_hypothesis').join(' '), '*ids n log_prob. score. finished');
  assert.equal(names('src/heed.h', 'heed_encoding').join(' '), 'n *ids *offsets *spans *normalized');
  assert.equal(names('src/train/trainer.h', 'heed_train_result').join(' '),
    'loss. likelihood. gradient_norm. learning_rate. tokens alignment. linked');
});
