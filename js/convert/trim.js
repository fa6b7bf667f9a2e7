// trim.js - a model of many languages without the pieces that some texts do not use: smaller tables of embeddings, and
// fewer logits to compute. Used by cli/models.js.
//
//     texts -> pieces of the SentencePiece model -> their ids -> rows of the embeddings, of the head and its bias
//
// The same texts become the same pieces. Of a unigram model this needs the pieces that they become, and those with the
// least and the greatest score, which set the scores of other cuts. Of BPE it needs also the pieces that merges pass
// through, all of which are parts of the last ones.

import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { DTYPES, E_CONFIG, E_FILE, E_SAFETENSORS, E_VOCAB, PIECE_NORMAL } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { mismatch, parseJson } from '../base/json.js';
import { openSource } from '../files/source.js';
import { readConfig } from '../model/config.js';
import { settle, toMarian } from '../model/family.js';
import { checkTag, notSupported } from '../model/languages.js';
import { openWeights } from '../model/load.js';
import { findCode, tasksOf } from '../model/pairs.js';
import { Transformer } from '../model/transformer.js';
import { openSides } from '../text/families.js';
import { Tokenizer } from '../text/tokenizer.js';
import { instantiate } from '../wasm/module.js';
import { withoutCopies } from './convert.js';

const WEIGHTS = 'model.safetensors';
const SPM = ['sentencepiece.bpe.model', 'spiece.model'];
/** Ids in config.json and generation_config.json: one, or lists of any depth. */
const ID_KEYS = /_token_ids?$|^(bad_words_ids|suppress_tokens|begin_suppress_tokens)$/;
const pretty = (/** @type {unknown} */ value) => `${JSON.stringify(value, null, 2)}\n`;

/** @typedef {{ at: number, end: number, text: string, score: number }} SpmPiece  at, end: the whole field */

/**
 * The pieces of a SentencePiece model that the core has read, with their places in the file.
 *
 * @param {Uint8Array} bytes
 * @returns {SpmPiece[]}
 */
function piecesOf(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const decoder = new TextDecoder();
  let at = 0;
  const varint = () => {
    let [value, scale] = [0, 1];
    for (; bytes[at] >= 128; scale *= 128) value += (bytes[at++] & 127) * scale;
    return value + bytes[at++] * scale;
  };
  /** Moves behind the value of a field. @param {number} wire @returns {[begin: number, end: number]} */
  const value = (wire) => {
    const n = wire === 2 ? varint() : wire === 5 ? 4 : wire === 1 ? 8 : (varint(), 0);
    at += n;
    return [at - n, at];
  };
  const pieces = [];
  while (at < bytes.length) {
    const start = at;
    const tag = varint();
    const [begin, end] = value(tag & 7);
    if (tag !== ((1 << 3) | 2)) continue;
    const piece = { at: start, end, text: '', score: 0 };
    for (at = begin; at < end;) {
      const own = varint();
      const [from, to] = value(own & 7);
      if (own === ((1 << 3) | 2)) piece.text = decoder.decode(bytes.subarray(from, to));
      if (own === ((2 << 3) | 5)) piece.score = view.getFloat32(from, true);
    }
    pieces.push(piece);
  }
  return pieces;
}

/** A SentencePiece model without some pieces. @param {Uint8Array} bytes @param {SpmPiece[]} dropped  in order */
function withoutPieces(bytes, dropped) {
  const parts = [];
  let from = 0;
  for (const { at, end } of dropped) {
    parts.push(bytes.subarray(from, at));
    from = end;
  }
  return Buffer.concat([...parts, bytes.subarray(from)]);
}

/**
 * Adds what cuts texts alike: see above.
 *
 * @param {Set<number>} used  pieces of texts
 * @param {SpmPiece[]} pieces
 * @param {Uint8Array} types
 */
function complete(used, pieces, types) {
  const byText = new Map(pieces.map(({ text }, i) => [text, i]));
  for (const id of [...used]) {
    const letters = Array.from(pieces[id].text);
    for (let from = 0; from < letters.length; from++) {
      for (let to = from + 1; to <= letters.length; to++) {
        const part = byText.get(letters.slice(from, to).join(''));
        if (part !== undefined) used.add(part);
      }
    }
  }
  let [least, most] = [-1, -1];
  pieces.forEach(({ score }, id) => {
    if (types[id] !== PIECE_NORMAL) used.add(id);
    else {
      if (least < 0 || score < pieces[least].score) least = id;
      if (most < 0 || score > pieces[most].score) most = id;
    }
  });
  for (const id of [least, most]) if (id >= 0) used.add(id);
}

/**
 * Settings with other ids.
 *
 * @param {Record<string, any>} json
 * @param {Map<number, number>} map  new ids by old ones
 */
function withIds(json, map) {
  /** @param {any} value @returns {any} */
  const change = (value) => (Array.isArray(value) ? value.map(change).filter((each) => each !== undefined)
    : typeof value === 'number' ? map.get(value) : value);
  return Object.fromEntries(Object.entries(json).flatMap(([key, value]) => {
    const changed = ID_KEYS.test(key) ? change(value) : value;
    return changed === undefined ? [] : [[key, changed]];
  }));
}

/**
 * Writes the weights with some rows of the tables.
 *
 * @param {import('../formats/safetensors.js').Weights} weights
 * @param {number[]} rows  by their new ids
 * @param {Record<string, any>} config  of readConfig
 * @param {string} path
 */
async function writeWeights(weights, rows, config, path) {
  const size = Number(config.vocab_size);
  const own = new Set([...(await withoutCopies(weights.tensors, config))].map(({ name }) => name));
  const isTable = (/** @type {string} */ name) =>
    /(^|\.)(shared|embed_tokens|lm_head)\.weight(\.scale)?$|^final_logits_bias$/.test(name);
  /** @type {Record<string, object>} */
  const header = { __metadata__: { format: 'pt' } };
  let end = 0;
  for (const { name, dtype, shape, bytes } of weights.tensors.filter((tensor) => own.has(tensor.name))) {
    const at = shape.indexOf(size);
    if (isTable(name) && at < 0) {
      throw new HeedError(E_SAFETENSORS, `${weights.file}: ${name}: found shape [${shape}], expected ${size} rows`);
    }
    const sizes = isTable(name) ? shape.map((n, i) => (i === at ? rows.length : n)) : shape;
    const length = isTable(name) ? (bytes / size) * rows.length : bytes;
    header[name] = { dtype: DTYPES[dtype], shape: sizes, data_offsets: [end, end + length] };
    end += length;
  }
  const json = JSON.stringify(header);
  const first = Buffer.alloc(8);
  first.writeUInt32LE(Math.ceil(json.length / 8) * 8);
  const out = await open(path, 'w');
  try {
    await out.writeFile(Buffer.concat([first, Buffer.from(json.padEnd(Math.ceil(json.length / 8) * 8))]));
    for (const { name, bytes, file = weights.file } of weights.tensors) {
      if (!own.has(name)) {
        await weights.skip(bytes);
        continue;
      }
      const kept = isTable(name) ? Buffer.alloc(bytes) : undefined;
      for (let at = 0; at < bytes;) {
        const chunk = await weights.next(bytes - at);
        if (!chunk) throw new HeedError(E_SAFETENSORS, `${file}: ${name}: cut short`);
        if (kept) kept.set(chunk, at);
        else await out.writeFile(chunk);
        at += chunk.length;
      }
      const width = bytes / size;
      if (kept) await out.writeFile(Buffer.concat(rows.map((row) => kept.subarray(row * width, (row + 1) * width))));
    }
  } finally {
    await out.close();
  }
}

/**
 * What stays of a vocabulary.
 *
 * @typedef {object} Kept
 * @property {number[]} rows  old ids, by new id
 * @property {Map<number, string>} added  tokens that are no pieces, by new id
 * @property {Uint8Array} spm
 * @property {Record<string, number>} [vocab]  vocab.json
 */

/**
 * @param {import('../formats/pieces.js').Side} side
 * @param {Uint8Array} spm
 * @param {Set<number>} used  pieces
 * @param {string[]} codes  languages
 * @param {Record<string, unknown>} [vocab]
 * @returns {Kept}
 */
function keep({ vocabulary, pieces: { types } }, spm, used, codes, vocab) {
  const pieces = piecesOf(spm);
  if (pieces.length !== types.length) {
    throw new HeedError(E_VOCAB, `found ${types.length} pieces, and ${pieces.length} in the file: unsupported`);
  }
  complete(used, pieces, types);
  const languages = new Map(vocabulary.languages);
  const wanted = new Set(codes.map((code) => Number(languages.get(code))));
  const others = new Set([...languages.values()].filter((id) => !wanted.has(id)));
  /** fairseq's first four ids stand for other pieces. */
  const isShifted = !vocab && vocabulary.ofPiece?.(0) === 1;
  const idOf = (/** @type {number} */ piece) =>
    (vocab ? vocabulary.id(pieces[piece].text) : vocabulary.ofPiece?.(piece));
  for (const piece of [...used]) if (!vocab && !isShifted && others.has(Number(idOf(piece)))) used.delete(piece);
  const first = vocab || isShifted ? [0, 1, 2, 3] : [];
  const ids = pieces.flatMap((_, piece) => {
    const id = used.has(piece) && !(isShifted && piece < 3) ? idOf(piece) : undefined;
    return id === undefined || first.includes(id) ? [] : [id];
  });
  const isPiece = new Set([...first, ...ids]);
  const tokens = [...wanted].filter((id) => !isPiece.has(id)).sort((a, b) => a - b);
  const all = [...first, ...(vocab ? [...new Set(ids)].sort((a, b) => a - b) : ids)];
  return {
    rows: [...all, ...tokens],
    added: new Map(tokens.map((id, i) => [all.length + i, String(vocabulary.piece(id))])),
    spm: withoutPieces(spm, pieces.filter((_, piece) => !used.has(piece))),
    ...(vocab && { vocab: Object.fromEntries(all.map((id, i) => [vocabulary.piece(id), i])) }),
  };
}

/**
 * @param {string} from  a model directory
 * @param {string} to  one that does not exist
 * @param {{ keep: string[], texts: string[] }} options  keep: tags of languages; texts: files
 * @returns {Promise<{ pieces: [before: number, after: number], bytes: [before: number, after: number] }>}  ids of the
 *   vocabulary, and bytes of the weights. NotSupportedError: the model has no such language
 */
export async function trim(from, to, { keep: tags, texts }) {
  if (await stat(to).catch(() => null)) {
    throw new HeedError(E_FILE, `${to}: exists, expected the name of a new directory`);
  }
  const files = await openSource(from);
  const read = (/** @type {string} */ name) => files.readOptional(name);
  const json = async (/** @type {string} */ name) => {
    const bytes = await read(name);
    return bytes ? /** @type {Record<string, any>} */ (parseJson(bytes, name)) : undefined;
  };
  const stated = /** @type {Record<string, any>} */ (parseJson(await files.read('config.json'), 'config.json'));
  const generation = await json('generation_config.json');
  const config = readConfig(await toMarian(stated), generation ?? {});
  const vocab = await json('vocab.json');
  const core = await instantiate();
  const sides = await openSides({ core, config, stated, vocab, read, json });
  const spmName = (await Promise.all(SPM.map(async (name) => ((await read(name)) ? name : undefined)))).find(Boolean);
  if (sides && !spmName && !await read('tokenizer.json')) {
    throw new HeedError(E_CONFIG, `${from}: ByT5 has an id for each byte and no others: there is nothing to trim`);
  }
  if (!sides || !spmName) {
    const expected = 'm2m_100, mbart, t5 or mt5, with sentencepiece.bpe.model or spiece.model';
    throw new HeedError(E_CONFIG, mismatch(`${from}: config.json: model_type`, stated.model_type, expected));
  }
  const [side] = sides;
  const tokenizer = new Tokenizer({ core, config, sides });
  const canonical = tags.map((tag) => checkTag(tag, 'keep'));
  const codes = tokenizer.languages.length === 0 ? [] : canonical.map((tag) => {
    const code = findCode(tokenizer.languages, tag);
    if (code === undefined) throw notSupported(`keep: found ${tag}, the model's are ${tokenizer.languages.join(', ')}`);
    return code;
  });

  /** @type {Set<number>} */
  const used = new Set();
  const use = (/** @type {string} */ text) => {
    for (const id of core.tokenizerEncode(side.handle, text).ids) used.add(id);
  };
  const segmenters = canonical.map((tag) => new Intl.Segmenter(tag, { granularity: 'sentence' }));
  for (const { prefix } of tasksOf(stated)) use(prefix);
  for (const name of texts) {
    for (const line of (await readFile(name, 'utf8')).split(/\r?\n/)) {
      use(line);
      // a sentence begins anew wherever it is
      for (const segmenter of segmenters) for (const { segment } of segmenter.segment(line)) use(segment.trim());
    }
  }
  const spm = await files.read(spmName);
  const kept = keep(side, spm, used, codes, vocab);
  core.dispose();
  const map = new Map(kept.rows.map((row, id) => [row, id]));

  const work = `${resolve(to)}.partial-${process.pid}`;
  await mkdir(work, { recursive: true });
  try {
    const put = (/** @type {string} */ name, /** @type {unknown} */ value) =>
      writeFile(join(work, name), pretty(value));
    await writeFile(join(work, spmName), kept.spm);
    if (kept.vocab) await put('vocab.json', kept.vocab);
    await put('config.json', { ...withIds(stated, map), vocab_size: kept.rows.length });
    if (generation) await put('generation_config.json', withIds(generation, map));
    const settings = (await json('tokenizer_config.json')) ?? {};
    const { src_lang: source } = settings;
    const isLost = source !== undefined && codes.length > 0 && !codes.includes(source);
    await put('tokenizer_config.json', {
      ...settings,
      ...(isLost && { src_lang: codes[0] }),
      ...(spmName === 'spiece.model' && { extra_ids: 0 }),
      added_tokens_decoder: Object.fromEntries([...kept.added]
        .map(([id, content]) => [id, { content, special: true }])),
      additional_special_tokens: [...kept.added.values()],
    });
    for (const name of ['README.md', 'LICENSE']) {
      const bytes = await read(name);
      if (bytes) await writeFile(join(work, name), bytes);
    }
    const weights = await openWeights(files, config);
    settle(config, weights);
    const before = weights.size ?? weights.tensors.reduce((sum, { bytes }) => sum + bytes, weights.head);
    try {
      await writeWeights(weights, kept.rows, config, join(work, WEIGHTS));
    } finally {
      await weights.close();
    }
    const { name, license, dtype } = (await json('heed.json')) ?? {};
    /** @type {Record<string, { size: number, sha256: string }>} */
    const listed = {};
    for (const file of (await readdir(work)).sort()) {
      const hash = createHash('sha256');
      for await (const chunk of createReadStream(join(work, file))) hash.update(chunk);
      listed[file] = { size: (await stat(join(work, file))).size, sha256: hash.digest('hex') };
    }
    const pairs = codes.length < 2 ? undefined
      : canonical.flatMap((one) => canonical.filter((other) => other !== one).map((other) => [one, other]));
    await put('heed.json', { format: 1, name, license, dtype, pairs, files: listed });
    (await Transformer.load(work, { simd: 'simd128' })).dispose();
    await rename(work, to);
    return {
      pieces: [Number(config.vocab_size), kept.rows.length],
      bytes: [before, listed[WEIGHTS].size],
    };
  } catch (error) {
    await rm(work, { recursive: true, force: true });
    throw error;
  }
}
