// turns.test.js - the event loop runs in time: the work between two turns is counted, not timed. The counts are
// those of a default call; tests/bench/turns.js measures their time.
import test from 'node:test';
import assert from 'node:assert/strict';
import { Tokenizer, Transformer, Translator } from '../js/index.js';
import { paceOf } from '../js/model/pace.js';
import { Core } from '../js/wasm/core.js';
import { passTime } from './clock.js';
import { SHIPPED } from './model-files.js';

const PAIR = { sourceLanguage: 'en', targetLanguage: 'de' };
/** Tokens of sources that one step may encode: 4e8 multiply-adds by 4.72e6 a token of this encoder. */
const TOKENS = 84;
/** Targets that one step may make longer: 4e8 by 5.93e6 a token of this decoder. */
const ROWS = 67;
const LONG = Array.from({ length: 40 }, (_, i) =>
  `In the ${i + 1}th year of the talks between the two countries, both agreed to meet in a small town.`);

/**
 * Tells of each call of the core and of the tokenizer.
 *
 * @param {import('node:test').TestContext} t
 * @param {(name: string, size: number) => void} tell  size: ids or characters that it was given
 */
function listen(t, tell) {
  const { call } = Core.prototype;
  const { encode } = Tokenizer.prototype;
  Core.prototype.call = function (what, name, ...args) {
    tell(name, name === 'heed_search_add' ? Number(args[2]) : 0);
    return call.call(this, what, name, ...args);
  };
  Tokenizer.prototype.encode = function (text, options) {
    tell('encode', text.length);
    return encode.call(this, text, options);
  };
  t.after(() => {
    Core.prototype.call = call;
    Tokenizer.prototype.encode = encode;
  });
}

/** What is done in each turn of the event loop while f runs. @param {import('node:test').TestContext} t */
function turnsOf(t) {
  const none = { tokens: 0, sources: 0, steps: 0, sessions: 0, characters: 0, texts: 0 };
  /** @type {(typeof none)[]} */
  const turns = [];
  const fresh = () => turns.push({ ...none });
  fresh();
  let on = true;
  const tick = () => {
    if (!on) return;
    fresh();
    setImmediate(tick);
  };
  setImmediate(tick);
  t.after(() => void (on = false));
  listen(t, (name, size) => {
    const turn = turns[turns.length - 1];
    if (name === 'heed_search_add') Object.assign(turn, { tokens: turn.tokens + size, sources: turn.sources + 1 });
    if (name === 'heed_search_step') turn.steps++;
    if (name === 'heed_session_create') turn.sessions++;
    if (name === 'encode') Object.assign(turn, { characters: turn.characters + size, texts: turn.texts + 1 });
  });
  return turns;
}

test('a batch is encoded in parts, one long step per turn, with the results of single sentences', async (t) => {
  const translator = await Translator.create({ ...PAIR, model: SHIPPED });
  t.after(() => translator.destroy());
  t.after(passTime(10));
  const alone = await translator.translate(LONG, { batchSize: 1 });
  const turns = turnsOf(t);
  assert.deepEqual(await translator.translate(LONG), alone);
  for (const { tokens, sources, steps, sessions } of turns) {
    assert.ok(steps <= 1, `${steps} steps in one turn`);
    assert.ok(tokens <= TOKENS || sources === 1, `${tokens} tokens of ${sources} sources in one turn`);
    assert.ok(sessions === 0 || steps === 0, 'a session is made in a turn of its own');
  }
  assert.ok(turns.some(({ sources }) => sources > 1), 'short ones go together');
  assert.ok(turns.some(({ sessions }) => sessions > 0), 'a session was made');
});

test('short steps share a turn of the event loop', async (t) => {
  const translator = await Translator.create({ ...PAIR, model: SHIPPED });
  t.after(() => translator.destroy());
  const turns = turnsOf(t);
  const most = async (/** @type {number} */ ms) => {
    const restore = passTime(ms);
    turns.length = 1;
    await translator.translate('In a small town both countries agreed to meet.');
    restore();
    return Math.max(...turns.slice(1).map(({ steps }) => steps));
  };
  assert.equal(await most(10), 1);
  assert.equal(await most(1), 4, 'four steps of 1 ms in a turn');
});

test('a batch of beams is smaller by default', async (t) => {
  const model = await Transformer.load(SHIPPED);
  t.after(() => model.dispose());
  const sources = Array.from({ length: 40 }, (_, i) => model.tokenizer.encode(`Tom has ${i} cars.`).ids);
  let waiting = 0;
  let most = 0;
  const { run, call } = Core.prototype;
  t.after(() => Object.assign(Core.prototype, { run, call }));
  Core.prototype.call = function (what, name, ...args) {
    if (name === 'heed_search_add') most = Math.max(most, ++waiting);
    if (name === 'heed_search_release') waiting--;
    return call.call(this, what, name, ...args);
  };
  for (const [beams, expected] of [[1, 32], [4, Math.floor(ROWS / 4)], [12, Math.floor(ROWS / 12)]]) {
    [waiting, most] = [0, 0];
    model.generate(sources, { beams, maxTokens: 12 });
    assert.equal(most, expected, `${beams} beams`);
  }
  [waiting, most] = [0, 0];
  model.generate(sources, { beams: 4, maxTokens: 12, batchSize: 40 });
  assert.equal(most, 40, 'a batch of the size that is asked for');
});

test('long texts are split in parts', async (t) => {
  const translator = await Translator.create({ ...PAIR, model: SHIPPED });
  t.after(() => translator.destroy());
  const text = 'The house is small. Where is it? '.repeat(4000);
  const turns = turnsOf(t);
  const calls = [
    () => translator.measureInputUsage(text), // one text
    () => translator.measureInputUsage(text.replaceAll('. ', '.\n')), // many lines
    () => translator.measureInputUsage(text.replaceAll(/[.?]/g, ',')), // one sentence
  ];
  const usage = [];
  for (const [i, call] of calls.entries()) {
    turns.length = 1;
    usage.push(await call());
    for (const { characters, texts } of turns.slice(1)) {
      // the whole of a long sentence is read before its parts are
      assert.ok(characters <= 8192 || texts === 1, `${i}: ${characters} characters of ${texts} texts in one turn`);
    }
    assert.ok(turns.length > 10, `${turns.length} turns`);
  }
  assert.equal(usage[0], usage[1], 'and with the same result');
  turns.length = 1;
  assert.equal(await translator.measureInputUsage('...\n'.repeat(20_000)), 0);
  assert.ok(turns.length > 10, `${turns.length} turns with nothing to translate`);
});

test('a call in this thread hears of an abort that comes between two steps', async (t) => {
  const translator = await Translator.create({ ...PAIR, model: SHIPPED });
  t.after(() => translator.destroy());
  t.after(passTime(10));
  const turns = turnsOf(t);
  const stop = new AbortController();
  const reason = new Error('enough');
  const call = translator.translate(LONG, { signal: stop.signal });
  setImmediate(() => setImmediate(() => stop.abort(reason)));
  await assert.rejects(call, reason);
  await translator.translate('Good morning.');
  const encoded = turns.reduce((sum, { sources }) => sum + sources, 0);
  assert.ok(encoded < LONG.length / 2, `${encoded} sources were encoded`);
});

test('a step has as much work with SSRUs as with self-attention', () => {
  // 10 ms: 400 million multiply-adds in int8, a quarter in floats
  const config = {
    d_model: 256, encoder_layers: 6, decoder_layers: 2, encoder_ffn_dim: 1536, decoder_ffn_dim: 1536,
    decoder_vocab_size: 16_000, decoder_cell: 'ssru',
  };
  const [ssru, attention] = [4, 6].map((products) => 2 * (products * 256 ** 2 + 2 * 256 * 1536) + 256 * 16_000);
  assert.equal(paceOf(config, false).rows, Math.floor(4e8 / ssru));
  assert.equal(paceOf({ ...config, decoder_cell: 'self_attention' }, false).rows, Math.floor(4e8 / attention));
  assert.equal(paceOf(config, true).rows, 32, 'not fewer');
});
