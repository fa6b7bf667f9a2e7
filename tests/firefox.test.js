// Firefox's models, as they are: Marian's .bin, its settings and vocabularies. golden/firefox has what the real engine
// makes of them.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { HeedError, Transformer, Translator } from '../js/index.js';
import { DTYPES } from '../js/base/constants.js';
import { convert } from '../js/convert/convert.js';
import { findLayout } from '../js/files/layout.js';
import { openSource } from '../js/files/source.js';
import { adaptDirectory, openContainer } from '../js/formats/open.js';
import { readConfig } from '../js/model/config.js';
import { Tokenizer } from '../js/text/tokenizer.js';
import { findUnknown } from '../js/text/unknown.js';
import { translateAround } from '../js/translate/forced.js';
import { instantiate } from '../js/wasm/module.js';
import { bringModels } from './firefox-models.js';
import { stored } from './golden/zstd.js';
import { npy, zip } from './hostile/containers.js';
import { floats, FLOAT32, INT8, INTGEMM8, ints, SETTINGS, writeBin } from './hostile/marian-bin.js';
import { listen } from './listen.js';
import { bytes, readFiles } from './model-files.js';
import { readItems } from './mutate/firefox.js';
import { timeOf } from './time-of.js';

/** @typedef {import('./hostile/marian-bin.js').Item} Item */

const golden = fileURLToPath(new URL('golden/firefox/', import.meta.url));
const cli = fileURLToPath(new URL('../js/cli.js', import.meta.url));

/** What dump.mjs, which shares no code with heed, prints of them. */
const CASES = {
  'tiny-float': { weights: 'model.ende.float32.bin', types: { F32: 140 }, alphas: 0, sizes: [1400, 1400], decoders: 2 },
  'tiny-seven': {
    weights: 'model.ende.intgemm.alphas.bin', types: { I8: 53, F32: 87 }, alphas: 53, sizes: [1400, 1400], decoders: 2,
  },
  'tiny-joint': {
    weights: 'model.ende.intgemm.alphas.bin', types: { I8: 53, F32: 87 }, alphas: 53, sizes: [1400, 1400], decoders: 2,
  },
  'memory-split': {
    weights: 'model.deen.intgemm.alphas.bin', types: { I8: 70, F32: 113 }, alphas: 69, sizes: [1200, 1208], decoders: 4,
  },
};
/** @typedef {keyof typeof CASES} Case */
const NAMES = /** @type {Case[]} */ (Object.keys(CASES));

/** @param {Case} name @returns {any[]} */
const linesOf = (name) =>
  readFileSync(join(golden, name, 'expected.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line));

/** A directory as heed reads it. @param {import('../js/files/source.js').ModelSource} source */
async function adapt(source) {
  const manifest = {};
  const core = await instantiate();
  const files = await adaptDirectory(await openSource(source), manifest, () => core);
  const json = async (/** @type {string} */ name) =>
    JSON.parse(new TextDecoder().decode((await files.readOptional(name)) ?? bytes('null')));
  return { core, files, manifest, config: await json('config.json'), vocab: await json('vocab.json'), json };
}

/** The content of a container by the names of the tensors. @param {string} file @param {Uint8Array} data */
async function contentOf(file, data, config = undefined) {
  const weights = await openContainer(await openSource({ [file]: data }), config);
  assert.ok(weights);
  /** @type {Record<string, { dtype: string, shape: number[], data: Uint8Array }>} */
  const found = {};
  try {
    for (const { name, dtype, shape, bytes: all } of weights.tensors) {
      const parts = [];
      for (let left = all; left > 0; ) {
        const chunk = await weights.next(left);
        if (!chunk) throw new HeedError(13, `${weights.file}: ${name}: cut short`);
        parts.push(chunk.slice());
        left -= chunk.length;
      }
      found[name] = { dtype: DTYPES[dtype], shape, data: new Uint8Array(await new Blob(parts).arrayBuffer()) };
    }
    assert.equal(await weights.next(1), null);
  } finally {
    await weights.close();
  }
  return { found, weights };
}

for (const name of NAMES) {
  const { weights: file, types, alphas, sizes: [source, target], decoders } = CASES[name];

  test(`${name}: items become tensors, and settings a config.json`, async () => {
    const { found, weights } = await contentOf(file, new Uint8Array(readFileSync(join(golden, name, file))));
    const { config } = /** @type {any} */ (weights);
    const counts = /** @type {Record<string, number>} */ ({});
    for (const [item, { dtype }] of Object.entries(found)) {
      if (!/\.(scale|alpha)$/.test(item)) counts[dtype] = (counts[dtype] ?? 0) + 1;
    }
    assert.equal(Object.keys(found).filter((item) => item.endsWith('.alpha')).length, alphas);
    assert.deepEqual(counts, types);
    assert.deepEqual(readConfig(config, {}), { ...readConfig({ model_type: 'marian' }, {}), ...config });
    const { d_model, decoder_layers, decoder_cell, positions, layer_norm_eps, alignment_heads, ...others } = config;
    assert.deepEqual(
      [d_model, decoder_layers, decoder_cell, positions, layer_norm_eps, alignment_heads],
      [64, decoders, 'ssru', 'marian', 1e-6, [[decoders - 1, 0]]],
    );
    assert.deepEqual([others.vocab_size, others.decoder_vocab_size], [source + 1, target + 1]);
    assert.deepEqual([others.pad_token_id, others.bad_words_ids], [target, [[target], [1]]]);
    assert.equal('architectures' in config, false, 'transformers has no SSRU');
    for (const [of, rows] of [['encoder', source], ['decoder', target]]) {
      const table = found['model.shared.weight'] ?? found[`model.${of}.embed_tokens.weight`];
      assert.deepEqual(table.shape, [Number(rows) + 1, 64]);
      const row = table.data.length / (Number(rows) + 1);
      assert.ok(table.data.subarray(-row).every((byte) => byte === 0), 'the last row, for padding, is zeros');
      assert.ok(table.data.subarray(-2 * row, -row).some((byte) => byte !== 0), 'the row before it is not');
    }
    assert.deepEqual(found['final_logits_bias'].shape, [1, target + 1]);
    assert.ok('model.decoder.layers.0.ssru.candidate.weight' in found, 'the cell has a name');
    assert.ok('model.decoder.layers.1.ssru_layer_norm.bias' in found);
  });

  test(`${name}: sources are the ids that SentencePiece gives`, async () => {
    const { core, config, vocab, files, json, manifest } = await adapt(join(golden, name));
    assert.deepEqual(Object.values(manifest), name === 'memory-split' ? ['de', 'en'] : ['en', 'de']);
    const [sourceSpm, targetSpm] = [await files.read('source.spm'), await files.read('target.spm')];
    const targetVocab = (await json('target_vocab.json')) ?? undefined;
    assert.equal(targetVocab !== undefined, name === 'memory-split');
    const tokenizer = new Tokenizer({ core, config, sourceSpm, targetSpm, vocab, targetVocab });
    let compared = 0;
    for (const { source: text, sourceIds } of linesOf(name)) {
      if (!sourceIds) continue;
      // engine and heed both cut off what is around a sentence
      assert.deepEqual([...tokenizer.encode(text).ids], sourceIds, JSON.stringify(text));
      compared++;
    }
    assert.ok(compared >= 190, `${compared} lines`);
    core.dispose();
  });

  test(`${name}: a tokenizer needs no vocab.json, and is the same with one`, async () => {
    const { core, config, vocab, files, json } = await adapt(join(golden, name));
    const [sourceSpm, targetSpm] = [await files.read('source.spm'), await files.read('target.spm')];
    const targetVocab = (await json('target_vocab.json')) ?? undefined;
    const listed = new Tokenizer({ core, config, sourceSpm, targetSpm, vocab, targetVocab });
    const own = new Tokenizer({ core, config, sides: files.sides });
    // unknown characters, and names of pieces that text never becomes
    const odd = ['\u2603\u2603 na\u00efve \u4e2d\u6587 \u{1f642}', '</s> <unk> <pad> >>de<< <0x41>', '\u0001', ''];
    const texts = [...linesOf(name).map(({ source: text }) => text), ...odd];
    for (const side of /** @type {const} */ (['source', 'target'])) {
      for (const text of texts) {
        const [want, got] = [listed, own].map((each) => each.encode(text, { side }));
        assert.deepEqual(got, want, JSON.stringify(text));
        assert.equal(own.decode(want.ids, { side }), listed.decode(want.ids, { side }));
      }
      const size = side === 'source' ? config.vocab_size : config.decoder_vocab_size;
      for (let id = 0; id < size; id++) {
        const piece = listed.idToPiece(id, { side });
        assert.equal(own.idToPiece(id, { side }), piece);
        assert.equal(own.pieceToId(piece, { side }), id);
      }
      assert.equal(own.pieceToId('no such piece', { side }), undefined);
    }
    assert.deepEqual([own.byteIds, own.languages, own.size], [listed.byteIds, listed.languages, listed.size]);
    core.dispose();
    assert.throws(() => own.idToPiece(5), { status: 'HEED_E_STATE' });

    const model = await Transformer.load(join(golden, name));
    const made = model.internals().files;
    assert.deepEqual(JSON.parse(new TextDecoder().decode(made['vocab.json'])), vocab, 'for training from the model');
    model.dispose();
  });
}

test('a piece >>fr<< is a language token whatever its type, before and after heed convert', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'heed-language-'));
  try {
    const files = readFiles(join(golden, 'tiny-seven'));
    const spm = Buffer.from(files['vocab.ende.spm']);
    const at = spm.indexOf('igkeit'); // a normal piece of as many bytes
    spm.write('>>fr<<', at);
    const from = { ...files, 'vocab.ende.spm': new Uint8Array(spm) };
    for (const [name, content] of Object.entries(from)) writeFileSync(join(directory, name), content);
    await convert(directory, join(directory, 'converted'));
    for (const place of [directory, join(directory, 'converted')]) {
      const model = await Transformer.load(place);
      const { tokenizer } = model;
      const id = /** @type {number} */ (tokenizer.pieceToId('>>fr<<'));
      assert.deepEqual(tokenizer.languages, ['fr'], place);
      assert.equal(tokenizer.encode('a', { language: 'fr' }).ids[0], id);
      assert.ok(!tokenizer.encode('a >>fr<< a').ids.includes(id), 'what is typed is text');
      assert.equal(tokenizer.decode([id]), '');
      model.dispose();
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('the integers and the scale of a matrix are those of the file', async () => {
  const file = 'model.ende.intgemm.alphas.bin';
  const data = new Uint8Array(readFileSync(join(golden, 'tiny-seven', file)));
  const { found } = await contentOf(file, data);
  const { shape, data: table } = found['model.shared.weight'];
  const scale = found['model.shared.weight.scale'];
  assert.deepEqual([shape, scale.shape], [[1401, 64], [1401]]);
  // dump.mjs: q 105.3040542602539, value[0] -0.09496310536425769
  const scales = new Float32Array(scale.data.buffer);
  assert.ok(scales.every((s) => s === Math.fround(1 / 105.3040542602539)));
  assert.equal(new Int8Array(table.buffer)[0], Math.round(-0.09496310536425769 * 105.3040542602539));
  // an alpha and the q of its matrix; of the table, 127 divided by the greatest of its floats, as float32
  const floatsOf = (/** @type {string} */ item) => [...new Float32Array(found[`${item}.weight.alpha`].data.buffer)];
  assert.deepEqual(floatsOf('model.decoder.layers.0.fc1'), [40.6838264465332, 151.08294677734375]);
  const greatest = Math.fround(127 * Math.fround(1 / 105.3040542602539));
  assert.deepEqual(floatsOf('model.shared'), [Math.fround(33.83249998539175), Math.fround(127 / greatest)]);
  // the float32 file has the same weights before rounding, [in, out] and not [out, in]
  const float = (await contentOf('model.bin', new Uint8Array(
    readFileSync(join(golden, 'tiny-float/model.ende.float32.bin'))))).found;
  for (const name of ['model.encoder.layers.0.fc1.weight', 'model.decoder.layers.1.ssru.forget.weight',
    'model.decoder.layers.0.encoder_attn.q_proj.weight']) {
    assert.deepEqual(found[name].shape, float[name].shape, name);
    const [numbers, [step]] = [float[name], found[`${name}.scale`]].map((t) => new Float32Array(t.data.buffer));
    new Int8Array(found[name].data.buffer).forEach((n, i) =>
      assert.ok(Math.abs(n * step - numbers[i]) <= 0.500001 * step, `${name}: ${n * step}, ${numbers[i]}`));
  }
});

test('packed files give the same', async (t) => {
  const files = readFiles(join(golden, 'memory-split'));
  const want = await adapt(join(golden, 'memory-split'));
  const packed = Object.fromEntries(Object.entries(files).map(([name, data]) => [`${name}.gz`, gzipSync(data)]));
  const folder = mkdtempSync(join(tmpdir(), 'heed-firefox-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, data] of Object.entries(packed)) writeFileSync(join(folder, name), data);
  const inZstd = Object.fromEntries(Object.entries(files).map(([name, data]) => [`${name}.zst`, stored(data)]));
  for (const source of [folder, packed, { ...packed, ...files }, inZstd,
    Object.fromEntries(Object.entries(packed).map(([name, data]) => [name, new Blob([new Uint8Array(data)])]))]) {
    const got = await adapt(source);
    assert.deepEqual([got.config, got.vocab, got.manifest], [want.config, want.vocab, want.manifest]);
    assert.deepEqual(await got.json('target_vocab.json'), await want.json('target_vocab.json'));
    assert.deepEqual(await got.files.read('source.spm'), await want.files.read('source.spm'));
    const lists = await Promise.all([got, want].map(({ files: from, config }) => from.readOptional(config.shortlist)));
    assert.ok(lists[0]?.length === files['lex.50.50.deen.s2t.bin'].length && Buffer.compare(...lists) === 0);
    const [a, b] = await Promise.all([got, want].map(({ files: from, config }) => openContainer(from, config)));
    assert.deepEqual(a?.tensors.map(({ name }) => name), b?.tensors.map(({ name }) => name));
    await Promise.all([a?.close(), b?.close()]);
  }
  const model = 'model.deen.intgemm.alphas.bin.gz';
  await assert.rejects(adapt({ ...packed, [model]: packed[model].subarray(0, 9000) }),
    { code: 13, message: /^model\.deen\.intgemm\.alphas\.bin\.gz: cannot be unpacked/ });
  const other = 'model.deen.intgemm.alphas.bin.zst';
  await assert.rejects(adapt({ ...inZstd, [other]: inZstd[other].subarray(0, 9000) }),
    { code: 13, message: `${other}: is cut short` });
});

test('names tell weights, vocabularies and languages', async () => {
  const spm = ['vocab.deen.spm'];
  assert.deepEqual(findLayout(['model.deen.intgemm.alphas.bin', 'lex.50.50.deen.s2t.bin', ...spm, 'config.yml']), {
    weights: 'model.deen.intgemm.alphas.bin', vocabularies: ['vocab.deen.spm', 'vocab.deen.spm'], missing: [],
    hasPieceIds: true, shortlist: 'lex.50.50.deen.s2t.bin', languages: { source: 'de', target: 'en' },
  });
  const two = findLayout(['trgvocab.enja.spm.gz', 'srcvocab.enja.spm', 'model.enja.intgemm8.bin.zst']);
  assert.deepEqual(two?.vocabularies, ['srcvocab.enja.spm', 'trgvocab.enja.spm.gz']);
  const pair = (/** @type {string[]} */ ...names) => Object.values(findLayout(names)?.languages ?? {}).join(' ');
  assert.equal(pair('model.enzh-Hans.intgemm.alphas.bin', 'trgvocab.enzh-Hans.spm'), 'en zh-Hans');
  assert.equal(pair('model.nben.intgemm.alphas.bin', 'vocab.ennb.spm'), 'nb en');
  assert.equal(pair('model.bin', 'vocab.spm'), '');
  // words that are no languages
  assert.equal(pair('model.base.bin', 'vocab.spm'), '');
  assert.equal(pair('model.best.npz', 'source.spm', 'target.spm'), '');
  assert.ok(await timeOf(() => assert.equal(pair(`model.${'a'.repeat(10_000)}_.bin`, 'vocab.spm'), '')) < 1000);
  // a file and its packed copy are one
  assert.equal(findLayout(['model.ende.bin.gz', 'model.ende.bin', ...spm])?.weights, 'model.ende.bin');
  assert.equal(findLayout(['opus.npz', 'source.spm', 'target.spm'])?.hasPieceIds, false);
  assert.equal(findLayout(['pytorch_model.bin', 'lex.s2t.bin', 'source.spm']), null);
  assert.throws(() => findLayout(['model.ende.bin', 'model.deen.bin']),
    { code: 10, message: /^model\.deen\.bin, model\.ende\.bin: found several models, expected one$/ });
  assert.throws(() => findLayout(['model.ende.bin', 'vocab.a.spm', 'vocab.b.spm']), /found several vocabularies/);
  assert.throws(() => findLayout(['model.ende.bin', 'vocab.spm', 'srcvocab.spm']), /found several vocabularies/);
});

test('a model without vocabularies takes ids, and says which files a tokenizer needs', async () => {
  const files = readFiles(join(golden, 'memory-split'));
  const [source, target] = ['srcvocab.*.spm', 'trgvocab.*.spm'];
  for (const [left, missing] of /** @type {[RegExp, string][]} */ ([
    [/^model/, `vocab.*.spm, or ${source} and ${target}`], [/^(model|src)/, target], [/^(model|trg)/, source],
  ])) {
    const names = Object.keys(files).filter((name) => left.test(name));
    assert.deepEqual(findLayout(names)?.missing, [missing]);
    const model = await Transformer.load(Object.fromEntries(names.map((name) => [name, files[name]])));
    assert.equal(model.forward([5, 6, 0], [9, 0]).logits.data.length, 2 * 1209);
    assert.throws(() => model.tokenizer,
      { status: 'HEED_E_TOKENIZER', message: `missing: ${missing}: this model works with ids only` });
    model.dispose();
  }
  // the names of OPUS
  assert.deepEqual(findLayout(['model.npz', 'target.spm'])?.missing, ['source.spm']);
  assert.deepEqual(findLayout(['model.npz'])?.missing, ['source.spm', 'target.spm']);
});

test('availability of a directory', async () => {
  const pair = { sourceLanguage: 'en', targetLanguage: 'de' };
  const files = readFiles(join(golden, 'tiny-float'));
  assert.equal(await Translator.availability({ ...pair, model: join(golden, 'tiny-float') }), 'available');
  assert.equal(await Translator.availability({ ...pair, model: files }), 'available');
  assert.equal(await Translator.availability({ ...pair, targetLanguage: 'fr', model: files }), 'unavailable');
  const { 'vocab.ende.spm': _, ...without } = files;
  assert.equal(await Translator.availability({ ...pair, model: without }), 'unavailable');
});

// ---------------------------------------------------------------- the network

/**
 * The distances of the log-probabilities of given targets from those expected.
 *
 * @param {Transformer} model
 * @param {{ sourceIds: number[], ids: number[], logProbs: number[] }[]} lines
 */
function distances(model, lines) {
  return lines.flatMap(({ sourceIds, ids, logProbs }) => {
    const { data, shape: [, size] } = model.forward(sourceIds, ids).logits;
    return ids.map((id, t) => {
      const row = data.subarray(t * size, (t + 1) * size);
      let most = -Infinity;
      for (const x of row) most = Math.max(most, x);
      const sum = row.reduce((total, x) => total + Math.exp(x - most), 0);
      return Math.abs(row[id] - most - Math.log(sum) - logProbs[t]);
    });
  });
}
const mean = (/** @type {number[]} */ numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

/**
 * An .npz of the same arrays: what Marian writes before it converts them.
 *
 * @param {Uint8Array} data  of a .bin
 * @param {Record<string, Uint8Array>} [halves]  arrays of float16 in place of some, by name
 */
function toNpz(data, halves = {}) {
  const view = new DataView(data.buffer, data.byteOffset);
  const u64 = (/** @type {number} */ at) => Number(view.getBigUint64(at, true));
  let at = 16;
  const items = Array.from({ length: u64(8) }, (_, i) =>
    [0, 8, 16, 24].map((field) => u64(16 + 32 * i + field)));
  at += 32 * items.length;
  const names = items.map(([length]) => new TextDecoder().decode(data.subarray(at, (at += length) - 1)));
  const shapes = items.map(([, , rank]) => Array.from({ length: rank }, () => view.getInt32((at += 4) - 4, true)));
  at += 8 + u64(at);
  return zip(items.map(([, type, , length], i) => {
    const bytesOf = shapes[i].reduce((product, n) => product * n, type === INT8 ? 1 : 4);
    const content = halves[names[i]] ?? data.slice(at, at + bytesOf);
    at += length;
    const dims = shapes[i].length === 1 ? `${shapes[i]},` : shapes[i].join(', ');
    const descr = type === INT8 ? '|i1' : names[i] in halves ? '<f2' : '<f4';
    const header = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${dims}), }`;
    return { name: `${names[i]}.npy`, data: npy(header, content) };
  }));
}

test('float32: the ids, texts and log-probabilities of Marian, from .bin and from .npz', async () => {
  const directory = join(golden, 'tiny-float');
  const { 'model.ende.float32.bin': bin, ...others } = readFiles(directory);
  const lines = linesOf('tiny-float').filter(({ sourceIds }) => sourceIds);
  assert.equal(lines.length, 192);
  for (const source of [directory, { ...others, 'model.npz': toNpz(bin) }]) {
    const model = await Transformer.load(source);
    for (const { source: text, sourceIds, full } of lines) {
      const [best] = [model.generate([sourceIds], { maxTokens: 2 * sourceIds.length })[0]].flat();
      assert.deepEqual([...best.ids], full.ids, text);
      // a Translator keeps the white space around a text, which Marian translates
      assert.equal(model.tokenizer.decode(best.ids), full.text.trim());
    }
    // Marian itself is 5e-4 from the reference at most; 2.2e-4 is seen
    assert.ok(Math.max(...distances(model, lines.map(({ sourceIds, full }) => ({ sourceIds, ...full })))) < 5e-4);
    model.dispose();
  }
});

test("int8: near to Marian's, whose activations are rounded otherwise", async (t) => {
  for (const [name, limit] of /** @type {[Case, number][]} */ ([
    ['tiny-seven', 0.06], ['tiny-joint', 0.07], ['memory-split', 0.07],
  ])) {
    const lines = linesOf(name).filter(({ sourceIds }) => sourceIds)
      .map(({ sourceIds, full }) => ({ sourceIds, ...full }));
    for (const dtype of /** @type {const} */ (['f32', 'int8'])) {
      const model = await Transformer.load(join(golden, name), { dtype, shortlist: false });
      const far = mean(distances(model, lines));
      t.diagnostic(`${name}, ${dtype}: log-probabilities differ by ${far.toFixed(4)} on average`);
      // the model is small and its integers large: 0.038 to 0.051 are seen; of real models, see firefox-real.test.js
      assert.ok(far < limit, `${name}, ${dtype}: ${far}`);
      model.dispose();
    }
  }
});

const brought = bringModels();

/** Spans as texts. @param {string} text @param {{ start: number, end: number }[]} spans */
const cutOut = (text, spans) => spans.map(({ start, end }) => text.slice(start, end));

test('characters that a vocabulary lacks become plain ones of the same place, or pass through', async () => {
  const lacked = new Set('\u2018\u2019\u201c\u201d\u2013\u20ac\u00fc\u0141\u{1f600}<@\u096b');
  let asked = 0;
  const encode = async (/** @type {string[]} */ texts) => texts.map((text) => {
    asked++;
    const ids = Int32Array.of(...Array.from(text, (c) => (lacked.has(c) ? 1 : 9)), 0);
    return { ids, pieces: [], offsets: new Int32Array(2 * ids.length) };
  });
  /** @type {Map<string, boolean>} */
  const known = new Map();
  const texts = [
    '\u201cIt\u2019s \u20ac 20.50,\u201d M\u00fcller said \u2013 in \u0141\u00f3d\u017a. \u{1f600}',
    '5 \u20ac', 'a < b', 'Thank you\u{1f600}, M\u00fcller\u{1f600}!', 'an abc\u096b',
    'Write x@y, a@b@c1 or @me.', 'From y<2 to z <3',
  ];
  const found = await findUnknown(texts, encode, 1, known);
  assert.equal(found?.plain(texts[0]), '"It\'s \u20ac 20.50," M\u00fcller said - in \u0141\u00f3d\u017a. \u{1f600}');
  assert.equal(found.plain(texts[0]).length, texts[0].length);
  assert.deepEqual(texts.map((text) => cutOut(text, found.spans(text))),
    [['\u20ac 20.50', 'M\u00fcller', '\u0141\u00f3d\u017a', '\u{1f600}'], ['5 \u20ac'], ['<'],
      ['\u{1f600}', 'M\u00fcller', '\u{1f600}'], ['abc\u096b'],
      ['x@y', 'a@b@c1', '@'], ['y<2', '<3']]);
  const before = asked;
  assert.ok(await findUnknown(texts, encode, 1, known));
  assert.equal(asked, before, 'a character is asked for once');
  assert.equal(await findUnknown(['It is late \u2014 \u00e9'], encode, 1, known), undefined);
  // there is no end of characters with marks: few are remembered
  const marked = (/** @type {number} */ from) => Array.from({ length: 15_000 }, (_, i) =>
    `e${[...String(from + i)].map((digit) => String.fromCharCode(0x300 + Number(digit))).join('')}`).join('');
  for (const text of [marked(10_000), `${marked(30_000)}\u20ac`, `o${'\u0301'.repeat(1000)}`]) {
    const some = await findUnknown([text], encode, 1, known);
    assert.deepEqual(some && cutOut(text, some.spans(text)), text.endsWith('\u20ac') ? ['\u20ac'] : undefined);
    assert.ok(known.size <= 20_000 && [...known.keys()].every((c) => c.length <= 8), `${known.size} characters`);
  }
  // of thousands of characters with marks, one pattern finds those after the first thousand: a pattern of all of them
  // takes half a minute
  lacked.add('\u0301');
  const many = Array.from({ length: 5000 }, (_, i) => `${String.fromCodePoint(0x4e00 + i)}\u0301`).join(' ');
  const some = await findUnknown([many], encode, 1, known);
  const short = await timeOf(() => assert.equal(some?.spans('ab cde '.repeat(1000) + many).length, 5000));
  assert.ok(short < 5000, `${short} ms`);
  const long = ['1'.repeat(200_000), 'a'.repeat(200_000), '1,'.repeat(100_000), 'a@'.repeat(100_000)];
  const counts = [1, 1, 1, 3];
  const time = await timeOf(() => assert.deepEqual(long.map((text) => found.spans(`${text}\u20ac`).length), counts));
  assert.ok(time < 5000, 'in a time that grows with the length of the text');
});

test('parts between given words are read by plain characters where their sentence was', async () => {
  /** @type {string[]} */
  const read = [];
  const unk = 1;
  const idsOf = (/** @type {string} */ text) =>
    Int32Array.of(...Array.from(text, (c) => (/[\u201c\u201d]/.test(c) ? unk : 9)), 0);
  const encode = async (/** @type {string[]} */ texts) => texts.map((text) => ({ ids: idsOf(text), pieces: [],
    offsets: Int32Array.from({ length: 2 * text.length + 2 }, (_, i) => Math.ceil(i / 2)) }));
  const engine = { encode, config: { positions: 'marian', unk_token_id: unk, max_position_embeddings: 512 } };
  const generate = async (/** @type {any[]} */ sentences) => sentences.map(({ text, ids }) => {
    read.push(ids.includes(unk) ? 'unknown' : 'plain');
    return [{ text, finished: true }];
  });
  const host = /** @type {any} */ ({ engine, encode, generate, sourceLanguage: 'en', targetLanguage: 'de' });
  const text = 'He says \u201cyes\u201d to Bob and \u201cno\u201d';
  const start = text.indexOf('Bob');
  const terms = /** @type {any[]} */ ([{ start, end: start + 3, term: 'Bob', translation: 'Rob' }]);
  const [plain] = await encode([text.replace(/[\u201c\u201d]/g, '"')]);
  const [lost] = await encode([text]);
  for (const [sentence, ways] of /** @type {[any, string[]][]} */ ([
    [plain, ['plain', 'plain']], [lost, ['unknown', 'unknown']],
    [{ ...plain, ids: Int32Array.from(plain.ids, (id, i) => (i > start ? lost.ids[i] : id)) }, ['plain', 'unknown']],
  ])) {
    read.length = 0;
    const found = await translateAround(host, { text, after: '', start: 0, ...sentence }, terms, text, {});
    assert.equal(found?.text, text.replace('Bob', 'Rob'));
    assert.deepEqual(read, ways);
  }
});

test('with keep they are not lost, and their positions are those of the text', {
  skip: 'missing' in brought && brought.missing,
}, async () => {
  const model = join(/** @type {any} */ (brought).directory, 'enpt');
  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'pt', model });
  const text = '\u201cIt\u2019s late,\u201d she said.';
  assert.match(await translator.translate(text), /".*", disse ela/);
  const [{ source, sourceTokens }] = await translator.translateDetailed(text);
  assert.equal(source, text);
  assert.equal(cutOut(text, sourceTokens).join(''), text);
  assert.match(await translator.translate('The book costs \u20ac20.'), /\u20ac20/);
  for (const [lost, kept] of /** @type {[string, RegExp][]} */ ([
    ['Mr. M\u00fcller sleeps.', /M\u00fcller/],
    // read as hyphens, which the model translates as such
    ['The answer\u2014yes\u2014was short.', /-sim-/],
    ['Pages 10\u201320 are missing.', /10-20/],
    ['The party was great \u{1f389}, thanks.', /festa.* \u{1f389}, obrigado/u],
    // all words look at it, and the first most
    ['Good morning \u{1f600}', /^\S+ \S+ \u{1f600}$/u],
    ['Good morning \u{1f600}.', /^\S+ \S+ \u{1f600}\.$/u],
    // no space before the stop, which only French has
    ['How are you \u{1f600}?', /^Como .* \u{1f600}\?$/u],
  ])) {
    assert.match(await translator.translate(lost), kept);
    assert.doesNotMatch(await translator.translate(lost, { keep: false }), kept);
  }
  translator.destroy();
});

// ---------------------------------------------------------------- other ways to such a model

test('a Translator, and the directory that convert makes, say the same', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'heed-firefox-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of NAMES) {
    const from = join(golden, name);
    const to = join(folder, name);
    const { dtype } = await convert(from, to);
    assert.equal(dtype, name === 'tiny-float' ? 'f32' : 'int8');
    const manifest = JSON.parse(readFileSync(join(to, 'heed.json'), 'utf8'));
    const [sourceLanguage, targetLanguage] = name === 'memory-split' ? ['de', 'en'] : ['en', 'de'];
    assert.deepEqual([manifest.source, manifest.target], [sourceLanguage, targetLanguage]);
    assert.deepEqual(readdirSync(to).filter((file) => file.endsWith('.json') || file.endsWith('.spm')).sort(), [
      'config.json', 'heed.json', 'source.spm', 'target.spm', ...(name === 'memory-split' ? ['target_vocab.json'] : []),
      'vocab.json',
    ]);
    assert.equal(readdirSync(to).some((file) => file.startsWith('lex.')), name !== 'tiny-float');
    const texts = linesOf(name).slice(0, 12).map(({ source }) => source);
    const said = [];
    for (const model of [from, to, readFiles(from)]) {
      const translator = await Translator.create({ sourceLanguage, targetLanguage, model });
      const found = [];
      for (const text of texts) found.push(await translator.translate(text));
      said.push(found);
      translator.destroy();
    }
    assert.deepEqual(said[1], said[0], name);
    assert.deepEqual(said[2], said[0], name);
    await assert.rejects(Translator.create({ sourceLanguage, targetLanguage: 'fr', model: from }),
      { name: 'NotSupportedError' });
  }
});

test('the command line knows the languages, and who reads what it converts', (t) => {
  const heed = (/** @type {string[]} */ ...args) =>
    execFileSync(process.execPath, [cli, ...args], { encoding: 'utf8' });
  const { source, full } = linesOf('tiny-float')[0];
  assert.equal(heed('translate', '-m', join(golden, 'tiny-float'), source), `${full.text}\n`);
  assert.match(heed('info', join(golden, 'memory-split')),
    /languages +de to en\nlayers +6 encoder, 4 decoder, with SSRUs\n(.*\n)*stored as +model\.deen.*, I8 and F32\n/);
  assert.equal(heed('translate', '--model', join(golden, 'memory-split'), 'Haus').split('\n').length, 2);
  const folder = mkdtempSync(join(tmpdir(), 'heed-firefox-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const to = join(folder, 'to');
  assert.match(heed('convert', join(golden, 'tiny-seven'), to),
    /bytes of weights.*\n.*: only heed reads it: transformers has no SSRU\n$/);
});

/**
 * A server of files that sends no parts.
 *
 * @param {import('node:test').TestContext} t
 * @param {Record<string, Uint8Array>} files
 */
async function serve(t, files) {
  /** @type {string[]} */
  const asked = [];
  const address = await listen(t, (request, response) => {
    const file = files[String(request.url).slice(1)];
    asked.push(String(request.url).slice(1));
    if (file) response.writeHead(200, { 'content-length': file.length }).end(file);
    else response.writeHead(404).end();
  });
  return { address, asked };
}

test('at a URL heed.json must list the files', async (t) => {
  const { 'model.deen.intgemm.alphas.bin': bin, ...others } = readFiles(join(golden, 'memory-split'));
  const files = { ...others, 'model.deen.intgemm.alphas.bin.gz': new Uint8Array(gzipSync(bin)) };
  const unlisted = await serve(t, files);
  await assert.rejects(Transformer.load(unlisted.address),
    { code: 10, message: /config\.json is missing; a heed\.json that lists them is needed for files of Firefox/ });
  const needed = Object.entries(files).filter(([name]) => /\.(spm|gz)$/.test(name));
  const listed = Object.fromEntries(needed.map(([name, data]) =>
    [name, { size: data.length, sha256: createHash('sha256').update(data).digest('hex') }]));
  const served = await serve(t, { ...files, 'heed.json': bytes(JSON.stringify({ files: listed })) });
  const [got, want] = [await Transformer.load(served.address), await Transformer.load(join(golden, 'memory-split'))];
  assert.deepEqual(got.forward([5, 6, 0], [9, 0]).logits.data, want.forward([5, 6, 0], [9, 0]).logits.data);
  assert.deepEqual(got.manifest.target, 'en');
  for (const [name] of needed) assert.equal(served.asked.filter((file) => file === name).length, 1, name);
  const [pair] = [{ sourceLanguage: 'de', model: served.address }];
  assert.equal(await Translator.availability({ ...pair, targetLanguage: 'en' }), 'downloadable');
  assert.equal(await Translator.availability({ ...pair, targetLanguage: 'fr' }), 'unavailable');
  const wrong = { ...files, 'model.deen.intgemm.alphas.bin.gz': new Uint8Array(gzipSync(bin.slice(1))) };
  const changed = await serve(t, { ...wrong, 'heed.json': bytes(JSON.stringify({ files: listed })) });
  await assert.rejects(Transformer.load(changed.address), { code: 19, message: /^model\.deen.*\.gz: / });
});

// ---------------------------------------------------------------- what is wrong

/** @param {string} text @returns {Item} */
const settings = (text) =>
  ({ name: 'special:model.yml', type: INT8, shape: [text.length + 1], data: bytes(`${text}\0`) });
/** @type {Item} */
const table = { name: 'Wemb', type: FLOAT32, shape: [3, 4], data: floats(Array(12).fill(1)) };
/** @type {Item} */
const matrix = { name: 'encoder_l1_ffn_W1', type: INTGEMM8, shape: [2, 3], data: ints([1, 2, 3, 4, 5, -127], 50) };
const good = [matrix, table, settings(SETTINGS)];
/** The items with one of them changed. @param {number} i @param {Partial<Item>} change */
const but = (i, change) => good.map((item, j) => (i === j ? { ...item, ...change } : item));
/** @param {string} from @param {string} to */
const stating = (from, to) => {
  assert.ok(SETTINGS.includes(from), from);
  return writeBin([matrix, table, settings(SETTINGS.replace(from, to))]);
};

test('a file made by the rules is read', async () => {
  const rubbish = (/** @type {Item} */ item) => ({ ...item, data: new Uint8Array([...item.data, 1, 2, 255]) });
  for (const items of [good, [...good].reverse(), [rubbish(matrix), rubbish(table), good[2]]]) {
    const { found, weights } = await contentOf('model.bin', writeBin(items));
    assert.deepEqual(found['model.encoder.layers.0.fc1.weight'].shape, [3, 2]);
    assert.deepEqual([...new Int8Array(found['model.encoder.layers.0.fc1.weight'].data.buffer)], [1, 2, 3, 4, 5, -127]);
    assert.deepEqual([...new Float32Array(found['model.encoder.layers.0.fc1.weight.scale'].data.buffer)],
      Array(3).fill(Math.fround(1 / 50)));
    assert.deepEqual(found['model.shared.weight'].shape, [4, 4]);
    assert.equal(/** @type {any} */ (weights).config.vocab_size, 4);
  }
  // a setting that is missing has Marian's default
  const { weights } = await contentOf('model.bin', stating('transformer-ffn-activation: relu\n', ''));
  assert.equal(/** @type {any} */ (weights).config.activation_function, 'swish');
  const flow = await contentOf('model.bin', stating('\n  - 3\n  - 3', ' [3, 3]'));
  assert.equal(/** @type {any} */ (flow.weights).config.decoder_vocab_size, 4);
  const layers = await contentOf('model.bin',
    stating('dec-depth: 1', 'transformer-guided-alignment-layer: 2\ndec-depth: 3'));
  assert.deepEqual(/** @type {any} */ (layers.weights).config.alignment_heads, [[1, 0]]);
});

const [TABLE, TYPE, SHAPE, CONFIG, VALUE] = [13, 17, 16, 12, 18];
/** What is wrong: the file, the error, its code. @type {Record<string, [Uint8Array, RegExp, number?]>} */
const WRONG = {
  'nothing': [new Uint8Array(), /found 0 bytes, expected 16/],
  'text': [bytes('hello, world, hello, world'), /found version \d+, expected 1: not a file of Marian's/],
  'version 2': [writeBin(good, { version: 2 }), /found version 2, expected 1/],
  'a million items': [writeBin(good, { count: 1e6 }), /found 1000000 items, expected 10000 at most/],
  '2^60 items': [writeBin(good, { count: 2 ** 60 }), /items, expected 10000 at most/],
  'more items than bytes': [writeBin(good, { count: 9000 }), /cut short: found \d+ bytes, expected 288000 of headers/],
  'a name of 0 bytes': [writeBin(but(0, { nameLength: 0 })), /item 1: found a name of 0 bytes.*, expected 2 to 1024/],
  'an empty name': [writeBin(but(0, { name: '' })), /item 1: found a name of 1 bytes with its NUL, expected 2/],
  'a name of 2^53 bytes': [writeBin(but(1, { nameLength: 2 ** 53 })), /item 2: found a name of 9007199254740992 bytes/],
  'a name without an end': [writeBin(but(0, { end: 1 })), /item 1: the name does not end with NUL/],
  'names longer than the file': [writeBin(but(0, { nameLength: 1024 })), /expected \d+ of names and shapes/],
  'a name twice': [writeBin([table, ...good]), /Wemb occurs twice/],
  'five dimensions': [writeBin(but(0, { rank: 5 })), /item 1: found 5 dimensions, expected 4 at most/],
  'a size of 0': [writeBin(but(0, { shape: [0, 3] })), /l1_ffn_W1: found shape \[0,3\], expected numbers from 1/],
  'a negative size': [writeBin(but(0, { shape: [-2, -3] })), /found shape \[-2,-3\]/],
  '2^31 numbers': [writeBin(but(0, { shape: [65536, 32768] })), /found shape \[65536,32768\].*below 2\^31/],
  'sizes beyond 2^64': [writeBin(but(0, { shape: [2 ** 31 - 1, 2 ** 31 - 1, 2 ** 31 - 1] })), /below 2\^31/],
  'padding past the end': [writeBin(good, { padding: 1e9 }), /found 1000000000 bytes of padding in/],
  'padding of 2^60': [writeBin(good, { padding: 2 ** 60 }), /bytes of padding in/],
  'less data than the shape': [writeBin(but(1, { length: 47 })), /Wemb: found 47 bytes, expected 48 for float32/],
  'no room for the scale': [writeBin(but(0, { length: 6 })), /W1: found 6 bytes, expected 10 for intgemm8/],
  'data past the end': [writeBin(but(2, { length: 9999 })), /special:model\.yml: cut short: .*, expected 9999/],
  'data of 2^60 bytes': [writeBin(but(0, { length: 2 ** 60 })), /encoder_l1_ffn_W1: cut short: found/],
  'bytes at the end': [new Uint8Array([...writeBin(good), 0]), /found 1 bytes after the last item/],
  'a multiplier of 0': [writeBin(but(0, { data: ints([1, 2, 3, 4, 5, 6], 0) })),
    /encoder_l1_ffn_W1: found the quantisation multiplier 0, expected a number from 1e-36 to 1e\+36$/, VALUE],
  'a negative multiplier': [writeBin(but(0, { data: ints([1, 2, 3, 4, 5, 6], -3) })), /multiplier -3/, VALUE],
  'an infinite multiplier': [writeBin(but(0, { data: ints([1, 2, 3, 4, 5, 6], Infinity) })), /multiplier Inf/, VALUE],
  'no multiplier': [writeBin(but(0, { data: ints([1, 2, 3, 4, 5, 6], NaN) })), /multiplier NaN/, VALUE],
  'a multiplier without an inverse': [writeBin(but(0, { data: ints([1, 2, 3, 4, 5, 6], 1e-44) })), /multiplier/, VALUE],
  'a multiplier whose inverse loses bits': [
    writeBin(but(0, { data: ints([1, 2, 3, 4, 5, 6], 2 ** 127) })), /multiplier 1\.701\d+e\+38/, VALUE],
  'an int8 matrix of three dimensions': [
    writeBin(but(0, { shape: [1, 2, 3] })), /l1_ffn_W1: found shape \[1,2,3\], expected that of a matrix/, SHAPE],
  'no settings': [writeBin([matrix, table]), /config\.json is missing, and special:model\.yml/, CONFIG],
  'settings of floats': [writeBin([matrix, table, { ...table, name: 'special:model.yml' }]),
    /special:model\.yml: found float32, expected int8/, TYPE],
  'int8 without a scale': [writeBin(but(0, { type: INT8 })), /encoder_l1_ffn_W1: found int8, expected float32/, TYPE],
  'no embeddings': [writeBin([matrix, good[2]]), /found no embeddings, Wemb/],
  'two names for one tensor': [
    writeBin([...good, { ...matrix, name: 'encoder_l01_ffn_W1' }]), /are one tensor/],
  'a turned output of int8': [writeBin([...good, { ...matrix, name: 'decoder_ff_logit_out_Wt' }]),
    /decoder_ff_logit_out_Wt: found intgemm8, expected float32/, TYPE],
  'an alpha of two numbers': [writeBin([...good, { ...matrix, name: 'encoder_l1_ffn_W1_QuantMultA' }]),
    /QuantMultA: found shape \[2,3\], expected \[1,1\]/, SHAPE],
};
for (const alpha of [0, -1, NaN, Infinity, -Infinity, 1e-40]) {
  WRONG[`an alpha of ${alpha}`] = [
    writeBin([...good, { name: 'encoder_l1_ffn_W1_QuantMultA', type: FLOAT32, shape: [1, 1], data: floats([alpha]) }]),
    RegExp(`encoder_l1_ffn_W1_QuantMultA: found the alpha ${alpha === 1e-40 ? '9\\.99\\d+e-41' : alpha},`
      + ' expected a number from 1e-36'), VALUE];
}
WRONG['an alpha of 0 in int8'] = [
  writeBin([...good.slice(1), { ...table, type: INTGEMM8, name: 'decoder_Wemb', data: ints(Array(12).fill(1), 9) },
    { name: 'decoder_Wemb_QuantMultA', type: INTGEMM8, shape: [1, 1], data: ints([0], 9) }]),
  /decoder_Wemb_QuantMultA: found the alpha 0, expected/, VALUE];
for (const [code, name] of [[0x4102, 'intgemm16'], [0x402, 'float16'], [0x408, 'float64'], [0x102, 'int16'],
  [0x104, 'int32'], [0x108, 'int64'], [0x201, 'uint8'], [0x202, 'uint16'], [0x204, 'uint32'], [0x208, 'uint64'],
  [0x802, 'packed16'], [0x1801, 'packed8avx2'], [0x2801, 'packed8avx512'], [0x4104, 'type 0x4104'], [0, 'type 0x0']]) {
  WRONG[`a matrix of ${name}`] = [writeBin(but(0, { type: Number(code) })),
    RegExp(`encoder_l1_ffn_W1: found ${name}, expected float32 or intgemm8$`), TYPE];
}
for (const [from, to, message] of /** @type {[string, string, RegExp][]} */ ([
  ['type: transformer', 'type: s2s', /type: found 's2s', expected 'transformer'/],
  ['type: transformer\n', '', /has no type/],
  ['dim-emb: 4\n', '', /has no dim-emb/],
  ['dim-emb: 4', 'dim-emb: four', /dim-emb: found 'four', expected a whole number/],
  ['dim-emb: 4', 'dim-emb: 8', /dim-emb: found 8, expected 4, as the embeddings have/],
  ['heads: 2', 'heads: 3', /transformer-heads: found 3, expected a number that divides dim-emb, 4/],
  ['dim-ffn: 4', 'dim-ffn: 65537', /transformer-dim-ffn: found '65537', expected 65536 at most/],
  ['dec-depth: 1', 'dec-depth: 257', /dec-depth: found '257', expected 256 at most/],
  ['enc-depth: 1\n', '', /has no enc-depth/],
  ['dec-depth: 1', 'dec-depth: 0', /dec-depth: found '0'/],
  ['transformer-heads: 2\n', '', /has no transformer-heads/],
  ['transformer-dim-ffn: 4\n', '', /has no transformer-dim-ffn/],
  ['  - 3\n  - 3', '  - 3\n  - 4', /dim-vocabs: found \[3,4\], expected 3,3 as the embeddings have/],
  ['autoreg: rnn', 'autoreg: average-attention', /decoder-autoreg: found 'average-attention'/],
  ['dim-vocabs:\n  - 3\n  - 3\n', '', /and special:model\.yml has no dim-vocabs to make it of/],
  ['\n  - 3\n  - 3', ' [3]', /dim-vocabs: found \[3\], expected 3,3 as the embeddings have/],
  ['dec-cell: ssru', 'dec-cell: gru', /dec-cell: found 'gru', expected 'ssru'/],
  ['dec-cell: ssru\n', '', /has no dec-cell/],
  ['type: tr', 'layer-normalization: true\ntype: tr', /layer-normalization: found 'true', expected 'false'/],
  ['activation: relu', 'activation: tanh', /transformer-ffn-activation: found 'tanh'/],
  ['postprocess: dan', 'postprocess: dhn', /transformer-postprocess: found 'dhn'/],
  ['preprocess: ""', 'preprocess: h', /transformer-preprocess: found 'h'/],
  ['type: tr', 'transformer-postprocess-emb: x\ntype: tr', /transformer-postprocess-emb: found 'x', expected one of/],
  ['type: tr', 'transformer-postprocess-top: x\ntype: tr', /transformer-postprocess-top: found 'x', expected one of/],
  ['type: tr', 'transformer-ffn-depth: 3\ntype: tr', /transformer-ffn-depth: found '3'/],
  ['type: tr', 'transformer-decoder-ffn-depth: 1\ntype: tr', /transformer-decoder-ffn-depth: found '1'/],
  ['type: tr', 'transformer-train-position-embeddings: true\ntype: tr', /position-embeddings: found \[true\]/],
  ['tied-layers: []', 'tied-layers:\n  - 1\n  - 1', /transformer-tied-layers: found \[1,1\], expected none/],
  ['type: tr', 'transformer-no-projection: true\ntype: tr', /transformer-no-projection: found \[true\]/],
  ['type: tr', 'transformer-no-bias: true\ntype: tr', /transformer-no-bias: found/],
  ['type: tr', 'transformer-no-affine: true\ntype: tr', /transformer-no-affine: found/],
  ['type: tr', 'transformer-pool: true\ntype: tr', /transformer-pool: found/],
  ['type: tr', 'transformer-rnn-projection: true\ntype: tr', /transformer-rnn-projection: found/],
  ['type: tr', 'ulr: true\ntype: tr', /ulr: found/],
  ['type: tr', 'lemma-dim-emb: 8\ntype: tr', /lemma-dim-emb: found/],
  ['type: tr', 'lemma-dependency: x\ntype: tr', /lemma-dependency: found \[x\], expected none/],
  ['type: tr', 'factors-dim-emb: 8\ntype: tr', /factors-dim-emb: found/],
  ['type: tr', 'output-omit-bias: true\ntype: tr', /output-omit-bias: found/],
  ['type: tr', 'right-left: true\ntype: tr', /right-left: found/],
  ['input-types:\n  []', 'input-types:\n  - class', /input-types: found 'class'/],
  ['type: tr', 'transformer-guided-alignment-layer: 2\ntype: tr', /alignment-layer: found 2, expected 1 at most/],
  ['type: tr', 'transformer-guided-alignment-layer: first\ntype: tr', /alignment-layer: found 'first'/],
])) WRONG[`settings: ${to.split('\n')[0]} for ${from.split('\n')[0]}`] = [stating(from, to), message, CONFIG];

for (const [what, [data, message, code = TABLE]] of Object.entries(WRONG)) {
  test(`refused: ${what}`, () => assert.rejects(contentOf('model.bin', data), (/** @type {any} */ error) => {
    assert.ok(error instanceof HeedError, error.stack);
    assert.ok(error.message.startsWith('model.bin: '), error.message);
    assert.match(error.message, message);
    assert.equal(error.code, code, error.message);
    assert.ok(error.message.length < 400);
    return true;
  }));
}

test('an item that the core refuses, or convert, has its own name, and what was found', async (t) => {
  const { 'model.ende.intgemm.alphas.bin': bin, ...files } = readFiles(join(golden, 'tiny-seven'));
  const items = readItems(bin);
  /** @param {string} of  an item @param {Partial<Item>} [change]  none: it is missing */
  const changed = (of, change) => {
    assert.ok(items.some(({ name }) => name === of), of);
    return writeBin(items.flatMap((item) => (item.name !== of ? item : change ? { ...item, ...change } : [])));
  };
  /** @param {number} x */
  const ending = (x) => floats([...Array(63).fill(0.5), x]);
  const bias = 'encoder_l1_ffn_b2, read as model.encoder.layers.0.fc2.bias';
  for (const [of, change, message] of /** @type {[string, Partial<Item> | undefined, string][]} */ ([
    ['encoder_l1_ffn_b2', undefined, `${bias}: HEED_E_TENSOR_MISSING`],
    ['encoder_l1_ffn_b2', { data: ending(NaN) }, `${bias}: found NaN, expected a finite number`],
    ['encoder_l1_ffn_b2', { data: ending(-Infinity) }, `${bias}: found -Infinity, expected a finite number`],
    ['encoder_l1_ffn_b2', { data: floats([1, 2]), shape: [1, 2] }, `${bias}: found shape [2], expected [64]`],
    ['encoder_l1_ffn_W2_QuantMultA', { data: floats([-1]) },
      'encoder_l1_ffn_W2_QuantMultA: found the alpha -1, expected a number from 1e-36 to 1e+36'],
    ['encoder_l1_ffn_b2', { name: 'encoder_l9_ffn_b2' },
      'encoder_l9_ffn_b2, read as model.encoder.layers.8.fc2.bias: this configuration has no such tensor'],
  ])) {
    const wrong = { ...files, 'model.ende.bin': changed(of, change) };
    await assert.rejects(Transformer.load(wrong), { name: 'HeedError', message: `model.ende.bin: ${message}` });
  }
  const { 'model.ende.float32.bin': plain, ...others } = readFiles(join(golden, 'tiny-float'));
  const half = new Uint8Array(Uint16Array.from({ length: 64 }, (_, i) => (i === 5 ? 0xfc00 : 0x3c00)).buffer);
  await assert.rejects(Transformer.load({ ...others, 'model.npz': toNpz(plain, { encoder_l1_ffn_b2: half }) }),
    { message: `model.npz: ${bias}: found -Infinity, expected a finite number` });
  const directory = mkdtempSync(join(tmpdir(), 'heed-firefox-'));
  t.after(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, 'model.ende.bin'), changed('encoder_l1_ffn_b2', { data: ending(NaN) }));
  await assert.rejects(convert(directory, join(directory, 'new')),
    { message: `model.ende.bin: ${bias}[63]: found NaN, expected a finite number` });
});

test('cut off at any byte it is refused', async () => {
  const whole = writeBin(good);
  for (let n = 0; n < whole.length; n++) {
    await assert.rejects(contentOf('model.bin', whole.subarray(0, n)), HeedError, `${n} of ${whole.length} bytes`);
  }
});

test('vocabularies must fit', async () => {
  const files = readFiles(join(golden, 'tiny-float'));
  const split = readFiles(join(golden, 'memory-split'));
  const { 'vocab.ende.spm': spm, ...without } = files;
  await assert.rejects(adapt({ ...without, 'vocab.ende.spm': split['srcvocab.deen.spm'] }),
    { code: 21, message: /^vocab\.ende\.spm: found 1200 pieces, expected 1400 as the embeddings have$/ });
  await assert.rejects(adapt({ ...without, 'srcvocab.ende.spm': spm, 'trgvocab.ende.spm': spm }),
    { message: /^srcvocab\.ende\.spm, trgvocab\.ende\.spm: found two vocabularies, expected one/ });
  await assert.rejects(adapt({ ...without, 'vocab.ende.spm': spm.subarray(0, 5000) }),
    /^HeedError: vocab\.ende\.spm: /);
  await assert.rejects(adapt({ ...files, 'model.xx.bin': files['model.ende.float32.bin'] }), /found several models/);
});
