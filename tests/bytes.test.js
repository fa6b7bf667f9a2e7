// Byte fallback: models that would say any bytes, and what a Translator and generate({ validUtf8 }) let them say.
import test, { afterEach } from 'node:test';
import assert from 'node:assert/strict';
import { Transformer, Translator } from '../js/index.js';
import { calibrate, DEFAULT } from '../js/translate/confidence.js';
import { bytes, TINY } from './model-files.js';
import {
  configJson, headerEntries, modelFiles, pieceField, Random, weightParts, writeMessage, writeObject, writeWeights,
} from './mutate/model.js';

const BROKEN = '\ufffd';
const TEXT = ['\u2581', 'a', 'b', 'c', '\u2581a', '\u2581b', 'ab', '\u2581ab', 'x', 'y', 'xy', '.', '\u2581x'];
const BYTES = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
const PIECES = ['</s>', '<unk>', ...BYTES, ...TEXT, '<pad>'];

/**
 * A directory of random weights whose vocabulary has a piece for each byte.
 *
 * @param {number} seed
 * @param {string[]} missing  byte pieces that vocab.json lacks
 */
function byteModel(seed, missing = []) {
  const random = new Random(seed);
  const parts = weightParts().map((part) => {
    const { name, shape } = part;
    const isGain = /norm\.weight$/.test(name);
    const own = shape.map((n) => (n === 20 ? PIECES.length : n));
    const n = own.reduce((product, d) => product * d);
    const values = Float32Array.from({ length: n }, () => (isGain ? 1 : 0) + (random.next() / 2 ** 31 - 1) * 0.7);
    // pieces of text and </s> come often enough that characters are left open by them
    if (name === 'final_logits_bias') PIECES.forEach((piece, id) => (values[id] += TEXT.includes(piece) ? 0.7 : 0));
    return { ...part, shape: own, data: new Uint8Array(values.buffer) };
  });
  const spm = writeMessage([
    pieceField('<unk>', 0, 2),
    pieceField('<s>', 0, 3),
    pieceField('</s>', 0, 3),
    ...BYTES.map((piece) => pieceField(piece, 0, 6)),
    ...TEXT.map((piece, i) => pieceField(piece, -1 - i / 8)),
    { number: 2, wire: 2, value: [{ number: 3, wire: 0, value: 1 }, { number: 35, wire: 0, value: 1 }] },
  ]);
  const config = { ...configJson(), vocab_size: PIECES.length, decoder_vocab_size: PIECES.length,
    max_position_embeddings: 64, pad_token_id: PIECES.length - 1, decoder_start_token_id: PIECES.length - 1 };
  const entries = /** @type {[string, any][]} */ (PIECES.map((piece, id) => [piece, id]));
  return {
    ...modelFiles(),
    'config.json': bytes(JSON.stringify(config)),
    'generation_config.json': bytes('{"max_length":64}'),
    'vocab.json': bytes(writeObject(entries.filter(([piece]) => !missing.includes(piece)))),
    'source.spm': spm,
    'target.spm': spm,
    'model.safetensors': writeWeights(writeObject(headerEntries(parts)), Buffer.concat(parts.map(({ data }) => data))),
  };
}

/** What a test loads, until it ends. @type {any[]} */
const loaded = [];
afterEach(() => loaded.splice(0).forEach((each) => each[Symbol.dispose]()));
/** @template T @param {Promise<T>} loading @returns {Promise<T>} */
async function load(loading) {
  loaded.push(await loading);
  return loading;
}

const LANGUAGES = { sourceLanguage: 'en', targetLanguage: 'fr' };
const SEEDS = Array.from({ length: 24 }, (_, seed) => seed);
const INPUT = 'ab x\u20ac. xy \u{1f600}b? a';

test('a Translator never returns U+FFFD', async () => {
  let broken = 0;
  let characters = 0;
  for (const seed of SEEDS) {
    const files = byteModel(seed);
    const model = await load(Transformer.load(files));
    const translator = await load(Translator.create({ ...LANGUAGES, model: files }));
    const { ids } = model.tokenizer.encode('ab x\u20ac.');
    broken += Number(model.tokenizer.decode(model.generate([ids])[0][0].ids).includes(BROKEN));
    for (const options of [{}, { beams: 3 }, { maxTokens: 5 }, { maxTokens: 6, beams: 2 }, { minTokens: 9 },
      { noRepeatNgram: 2 }, { noRepeatNgram: 1 }, { cutRunaways: false }, { beams: 2, earlyStopping: true }]) {
      const text = await translator.translate(INPUT, options);
      assert.ok(!text.includes(BROKEN), `seed ${seed}, ${JSON.stringify(options)}: ${JSON.stringify(text)}`);
      characters += text.match(/[^\0-\x7f]/gu)?.length ?? 0;
      const parts = [];
      for await (const part of /** @type {any} */ (translator.translateStreaming(INPUT, options))) parts.push(part);
      assert.equal(parts.join(''), text);
      // no character of two code units is divided
      for (const part of parts) assert.ok(part.isWellFormed(), JSON.stringify(parts));
    }
    for (const { target, alternatives = [] } of await translator.translateDetailed(INPUT, { beams: 4, nBest: 4 })) {
      for (const { text } of [{ text: target }, ...alternatives]) assert.ok(!text.includes(BROKEN));
    }
  }
  assert.ok(broken > SEEDS.length / 2, `${broken} free translations were broken: else there was nothing to forbid`);
  assert.ok(characters > 1000, `${characters} characters past ASCII: bytes are not all forbidden`);
});

test('a glossary never inserts a term inside a character', async () => {
  let count = 0;
  for (const seed of SEEDS) {
    const translator = await load(Translator.create({ ...LANGUAGES, model: byteModel(seed) }));
    for (const translation of ['\u00e9a', 'xy', '\u{1f600}']) {
      const detailed = await translator.translateDetailed('ab x b.', { glossary: { x: translation } });
      for (const { target, glossary } of detailed) {
        assert.ok(!target.includes(BROKEN), `seed ${seed}: ${JSON.stringify(target)}`);
        count += Number(glossary?.[0].exact);
      }
    }
  }
  assert.ok(count > SEEDS.length, `${count} terms came out`);
});

test('generate() forbids broken characters only when asked to', async () => {
  for (const seed of SEEDS.slice(0, 8)) {
    const model = await load(Transformer.load(byteModel(seed)));
    const { tokenizer } = model;
    const sources = ['ab x\u20ac.', 'xy', 'a b c'].map((text) => tokenizer.encode(text).ids);
    const plain = model.generate(sources, { beams: 2, nBest: 2 });
    assert.deepEqual(model.generate(sources, { beams: 2, nBest: 2, validUtf8: false }), plain);
    const valid = model.generate(sources, { beams: 2, nBest: 2, validUtf8: true });
    for (const { ids, logProb, score } of valid.flat()) {
      assert.ok(!tokenizer.decode(ids).includes(BROKEN));
      assert.ok(logProb <= 0 && Number.isFinite(score));
    }
    // what was sound stays as it was
    for (const [i, source] of sources.entries()) {
      const [[free]] = model.generate([source]);
      const [[own]] = model.generate([source], { validUtf8: true });
      let same = 0;
      while (same < own.ids.length && own.ids[same] === free.ids[same]) same++;
      if (same < own.ids.length) {
        const text = tokenizer.decode(free.ids.subarray(0, same + 1));
        const isLast = same >= free.ids.length - 3; // no room for a whole character
        assert.ok(text.includes(BROKEN) || isLast, `source ${i}: ${JSON.stringify(text)}`);
      }
    }
  }
});

test('a prefix may end within a character; bytes may be missing', async () => {
  const lead = PIECES.indexOf('<0xE2>');
  const trails = Array.from({ length: 64 }, (_, i) => BYTES[0x80 + i]);
  for (const seed of SEEDS.slice(0, 8)) {
    const model = await load(Transformer.load(byteModel(seed)));
    const { ids } = model.tokenizer.encode('ab');
    const [[{ ids: found }]] = model.generate([ids], { prefix: [lead], validUtf8: true });
    for (const id of found.slice(1, 3)) assert.ok(trails.includes(PIECES[id]), PIECES[id]);
    assert.ok(!model.tokenizer.decode(found).includes(BROKEN));

    // no trail, no character past ASCII
    const poor = await load(Transformer.load(byteModel(seed, trails)));
    const [[result]] = poor.generate([ids], { validUtf8: true });
    assert.ok(!poor.tokenizer.decode(result.ids).includes(BROKEN));
  }
});

test('a word that is spelled byte by byte has the probability of all its bytes', async () => {
  let spelled = 0;
  for (const seed of SEEDS) {
    const translator = await load(Translator.create({ ...LANGUAGES, model: byteModel(seed) }));
    for (const { target, targetTokens, targetWords } of await translator.translateDetailed(INPUT, { keep: false })) {
      // the bytes of the text, each with its token; one that spells nothing, or a space, goes with what follows
      /** @type {{ byte: number, t: number }[]} */
      const all = [];
      for (const [t, { piece }] of targetTokens.entries()) {
        if (/^<\/?[a-z]+>$/.test(piece)) continue;
        const own = BYTES.includes(piece) ? [parseInt(piece.slice(3), 16)] : bytes(piece.replaceAll('\u2581', ' '));
        for (const byte of own) all.push({ byte, t });
      }
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(all, ({ byte }) => byte));
      const lead = bytes(text.slice(0, text.indexOf(text.trim()))).length;
      assert.equal(text.trim(), target);
      for (const { text: word, start, end, confidence } of targetWords) {
        const from = lead + bytes(target.slice(0, start)).length;
        let first = all[from].t;
        const last = all[from + bytes(word).length - 1].t;
        while (/^(\u2581|<(0x09|0x0A|0x0B|0x0C|0x0D|0x20|pad|unk)>)$/.test(targetTokens[first - 1]?.piece)) first--;
        const logProb = targetTokens.slice(first, last + 1).reduce((sum, token) => sum + token.logProb, 0);
        assert.ok(Math.abs(confidence - calibrate(logProb, DEFAULT)) < 1e-5, `${word} at ${start} to ${end}`);
        spelled += Number(/[^\0-\x7f]/.test(word));
      }
    }
  }
  assert.ok(spelled > 10, `${spelled} words past ASCII`);
});

test('validUtf8: a boolean, needs a tokenizer, and is not an option of a Translator', async () => {
  const model = await load(Transformer.load(modelFiles()));
  const { ids } = model.tokenizer.encode('abc');
  assert.deepEqual(model.generate([ids], { validUtf8: true }), model.generate([ids]), 'without byte pieces');
  assert.throws(() => model.generate([ids], { validUtf8: /** @type {any} */ (1) }),
    { name: 'TypeError', message: 'validUtf8: found 1, expected true or false' });
  const bare = await load(Transformer.load(TINY));
  assert.throws(() => bare.generate([[1, 0]], { validUtf8: true }), { status: 'HEED_E_TOKENIZER' });
  const translator = await load(Translator.create({ ...LANGUAGES, model: modelFiles() }));
  const options = /** @type {any} */ ({ validUtf8: false });
  await assert.rejects(translator.translate('abc', options), /unknown option 'validUtf8'/);
});
