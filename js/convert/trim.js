// trim.js - a model without the pieces that some texts do not use: smaller tables of embeddings, and fewer logits to
// compute. Used by cli/models.js.
//
//     texts -> pieces of the tokenizer -> what stays, see kept.js -> rows of the embeddings, of the head and its bias

import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DTYPES, E_CONFIG, E_FILE, E_SAFETENSORS } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { parseJson } from '../base/json.js';
import { readParts, unpackPart, writeParts } from '../files/parts.js';
import { listedFiles, openSource } from '../files/source.js';
import { readConfig } from '../model/config.js';
import { settle, toMarian } from '../model/family.js';
import { checkTag, languageOf, notSupported, pairsOf } from '../model/languages.js';
import { LEXICONS, NGRAMS, openWeights } from '../model/load.js';
import { findCode, tasksOf } from '../model/pairs.js';
import { Transformer } from '../model/transformer.js';
import { openSides } from '../text/families.js';
import { readSides, Tokenizer } from '../text/tokenizer.js';
import { findUnknown } from '../text/unknown.js';
import { instantiate } from '../wasm/module.js';
import { withoutCopies } from './convert.js';
import { keepJson, keepMarian, keepPieces } from './kept.js';
import { trimNgrams } from './ngrams.js';

const WEIGHTS = 'model.safetensors';
const SPM = ['sentencepiece.bpe.model', 'spiece.model'];
/** Of a translation whose speed is measured, and of its source at most. */
const TOKENS = 20;
/** Ids in config.json and generation_config.json: one, or lists of any depth. */
const ID_KEYS = /_token_ids?$|^(bad_words_ids|suppress_tokens|begin_suppress_tokens)$/;
const pretty = (/** @type {unknown} */ value) => `${JSON.stringify(value, null, 2)}\n`;

/** The hash of a file that is read, without a core. */
function sha256() {
  const hash = createHash('sha256');
  const update = (/** @type {Uint8Array} */ part) => void hash.update(part);
  return { update, end: () => hash.digest('hex'), free() {} };
}

/** Ids that have a purpose in config.json or generation_config.json. @param {Record<string, any>} [json] */
const idsOf = (json = {}) => Object.entries(json).flatMap(([key, value]) =>
  (/_token_ids?$/.test(key) ? [value].flat(Infinity) : []))
  .filter((id) => Number.isInteger(id) && id >= 0);

/**
 * Settings with other ids. A list that lacks one of its ids is another rule: it is left out.
 *
 * @param {Record<string, any>} json
 * @param {Map<number, number>} map  new ids by old ones
 */
function withIds(json, map) {
  /** @param {any} value @returns {any} */
  const change = (value) => {
    if (typeof value === 'number') return map.get(value);
    if (!Array.isArray(value)) return value;
    const changed = value.map(change);
    const isRule = value.some((each) => typeof each === 'number');
    return isRule && changed.includes(undefined) ? undefined : changed.filter((each) => each !== undefined);
  };
  return Object.fromEntries(Object.entries(json).flatMap(([key, value]) => {
    // suppressed one by one
    const isList = /^(begin_)?suppress_tokens$|^eos_token_id$/.test(key) && Array.isArray(value);
    const changed = !ID_KEYS.test(key) ? value : isList ? value.flatMap((id) => map.get(id) ?? []) : change(value);
    return changed === undefined ? [] : [[key, changed]];
  }));
}

/**
 * Writes the weights with some rows of the tables.
 *
 * @param {import('../formats/safetensors.js').Weights} weights
 * @param {import('./kept.js').Kept['rows']} kept
 * @param {Record<string, any>} config  of readConfig
 * @param {string} path
 */
async function writeWeights(weights, kept, config, path) {
  const own = new Set([...(await withoutCopies(weights.tensors, config))].map(({ name }) => name));
  /** The rows of a table, and how many it had. @param {string} name */
  const tableOf = (name) => {
    if (!/(^|\.)(shared|embed_tokens|lm_head)\.weight(\.scale)?$|^final_logits_bias$/.test(name)) return undefined;
    const isSource = /(^|\.)encoder\.embed_tokens\./.test(name);
    return { rows: kept[isSource ? 0 : 1], size: Number(isSource ? config.vocab_size : config.decoder_vocab_size) };
  };
  /** @type {Record<string, object>} */
  const header = { __metadata__: { format: 'pt' } };
  let end = 0;
  for (const { name, dtype, shape, bytes } of weights.tensors.filter((tensor) => own.has(tensor.name))) {
    const table = tableOf(name);
    const at = table ? shape.indexOf(table.size) : -1;
    if (table && at < 0) {
      const expected = `expected ${table.size} rows`;
      throw new HeedError(E_SAFETENSORS, `${weights.file}: ${name}: found shape [${shape}], ${expected}`);
    }
    const sizes = table ? shape.map((n, i) => (i === at ? table.rows.length : n)) : shape;
    const length = table ? (bytes / table.size) * table.rows.length : bytes;
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
      const table = tableOf(name);
      const whole = table ? Buffer.alloc(bytes) : undefined;
      for (let at = 0; at < bytes;) {
        const chunk = await weights.next(bytes - at);
        if (!chunk) throw new HeedError(E_SAFETENSORS, `${file}: ${name}: cut short`);
        if (whole) whole.set(chunk, at);
        else await out.writeFile(chunk);
        at += chunk.length;
      }
      if (!table || !whole) continue;
      const width = bytes / table.size;
      await out.writeFile(Buffer.concat(table.rows.map((row) => whole.subarray(row * width, (row + 1) * width))));
    }
    // Read to the end: only there the hash is compared.
    if (await weights.next(1)) throw new HeedError(E_SAFETENSORS, `${weights.file}: bytes after the last tensor`);
  } finally {
    await out.close();
  }
}

/** The languages of a model of Marian's, by their tokens; others may be those of its sources. */
function marianCodes(/** @type {string[]} */ languages, /** @type {string[]} */ tags, /** @type {unknown} */ pairs) {
  const codes = tags.flatMap((tag) => findCode(languages, tag) ?? []);
  if (languages.length > 0 && codes.length === 0 && !pairs) {
    throw notSupported(`keep: found ${tags.join(', ')}, the model's are ${languages.join(', ')}`);
  }
  return codes;
}

/**
 * The pairs of a heed.json, if it has any, that stay.
 *
 * @param {Record<string, any>} manifest
 * @param {string[]} tags  that are kept
 * @returns {[source: string, target: string][] | undefined}
 */
function keptPairs(manifest, tags) {
  const pairs = pairsOf(manifest).filter(([source, target]) => source !== undefined && target !== undefined);
  if (pairs.length === 0) return undefined;
  const all = new Set(tags.map(languageOf));
  const has = (/** @type {string | undefined} */ tag) => all.has(languageOf(String(tag)));
  const list = pairs.map(([source, target]) => `${source} to ${target}`).join(', ');
  const other = tags.find((tag) => !pairs.flat().some((each) => languageOf(String(each)) === languageOf(tag)));
  const kept = /** @type {[string, string][]} */ (pairs.filter((pair) => pair.every(has)));
  if (other || kept.length === 0) {
    throw notSupported(`keep: found ${other ?? tags.join(', ')}, the model is for ${list}`);
  }
  return kept;
}

/**
 * What a file has for these languages, packed as it was; undefined: nothing.
 *
 * @param {Uint8Array} bytes
 * @param {string} name
 * @param {string[]} tags
 */
function keptParts(bytes, name, tags) {
  const languages = new Set(tags.map(languageOf));
  const parts = [...readParts(bytes, name)].filter(([code]) => languages.has(code));
  return parts.length > 0 ? parts : undefined;
}

/**
 * A lexicon of these languages; undefined: it is empty. A model without the pieces of a word cuts it into others.
 *
 * @param {Uint8Array} bytes
 * @param {string} name  one of LEXICONS
 * @param {string[]} tags
 */
function keptLexicon(bytes, name, tags) {
  if (name !== 'lexicon.tsv') {
    const parts = keptParts(bytes, name, tags);
    return parts && writeParts(parts);
  }
  const languages = new Set(tags.map(languageOf));
  const lines = new TextDecoder().decode(bytes).split(/(?<=\n)/)
    .filter((line) => languages.has(line.split('\t', 1)[0])).join('');
  return lines === '' ? undefined : new TextEncoder().encode(lines);
}

/**
 * The n-grams of these languages that have no other ids; undefined: there are none.
 *
 * @param {Uint8Array} bytes
 * @param {string[]} tags
 * @param {number} from  how many ids the model has
 * @param {Map<number, number>} map  new ids by old ones
 */
async function keptNgrams(bytes, tags, from, map) {
  const parts = keptParts(bytes, NGRAMS, tags);
  return parts && writeParts(await Promise.all(parts.map(async ([code, packed]) => {
    const what = `${NGRAMS}: part ${code}`;
    const left = trimNgrams(await unpackPart(packed, what), from, map, what);
    return /** @type {[string, Uint8Array]} */ ([code, gzipSync(left, { level: 9 })]);
  })));
}

/** Texts of files, and their sentences as a Translator cuts them. @param {string[]} names @param {string[]} tags */
async function* linesOf(names, tags) {
  const segmenters = tags.map((tag) => new Intl.Segmenter(tag, { granularity: 'sentence' }));
  for (const name of names) {
    for (const line of (await readFile(name, 'utf8')).split(/\r?\n/)) {
      yield line;
      // a sentence begins anew wherever it is
      for (const segmenter of segmenters) for (const { segment } of segmenter.segment(line)) yield segment.trim();
    }
  }
}

/**
 * The speed of a model in int8, which takes the least memory. Loading it checks every name, shape and number.
 *
 * @param {string} place
 * @param {string} text
 * @returns {Promise<number>}  new tokens per second of one sentence: the best of three turns at least
 */
async function measure(place, text) {
  const model = await Transformer.load(place, { dtype: 'int8', simd: 'simd128' });
  try {
    const source = model.tokenizer.encode(text).ids.subarray(-TOKENS);
    let best = Infinity;
    const begin = performance.now();
    // small models are at full speed after some steps
    for (let round = 0; round < 3 || performance.now() - begin < 100; round++) {
      const start = performance.now();
      model.generate([source], { beams: 1, maxTokens: TOKENS, minTokens: TOKENS });
      best = Math.min(best, performance.now() - start);
    }
    return (1000 * TOKENS) / best;
  } finally {
    model.dispose();
  }
}

/**
 * The language that all translations of a model begin with, if its decoder starts with one, as that of mBART-25 does.
 *
 * @param {Iterable<[code: string, id: number]>} languages
 * @param {number} start  decoder_start_token_id
 * @param {string[]} codes  that are kept
 * @returns {string | undefined}
 */
function onlyTarget(languages, start, codes) {
  const found = [...languages].find(([, id]) => id === start);
  if (found && !codes.includes(found[0])) {
    const all = [...codes, found[0]].join(', ');
    throw notSupported(`keep: found ${codes.join(', ')}, expected ${all}: the model's translations begin with it`);
  }
  return found?.[0];
}

/**
 * @param {string} from  a model directory
 * @param {string} to  one that does not exist
 * @param {{ keep: string[], texts: string[] }} options  keep: tags of languages; texts: files
 * @returns {Promise<Record<'pieces' | 'bytes' | 'speed', [before: number, after: number]> & { failure?: Error }>}
 *   pieces: ids of the vocabulary of the target; bytes: of the weights; speed: new tokens per second here, in int8;
 *   NaN if the whole model does not load; failure: the error then. The whole may be too large, or broken in a row that
 *   is not kept.
 *   NotSupportedError: the model has no such language. HEED_E_HASH: a file is not as heed.json lists it
 */
export async function trim(from, to, { keep: tags, texts }) {
  if (await stat(to).catch(() => null)) {
    throw new HeedError(E_FILE, `${to}: exists, expected the name of a new directory`);
  }
  const files = await openSource(from, undefined, { sha256 });
  const read = (/** @type {string} */ name) => files.readOptional(name);
  const json = async (/** @type {string} */ name) => {
    const bytes = await read(name);
    return bytes ? /** @type {Record<string, any>} */ (parseJson(bytes, name)) : undefined;
  };
  const manifest = (await json('heed.json')) ?? {};
  // weights that are not as listed may load without the rows in which they differ
  const all = listedFiles(manifest);
  files.expect(all);
  const stated = /** @type {Record<string, any>} */ (parseJson(await files.read('config.json'), 'config.json'));
  const generation = await json('generation_config.json');
  const config = readConfig(await toMarian(stated), generation ?? {});
  const [vocab, targetVocab, listed] = await Promise.all(
    ['vocab.json', 'target_vocab.json', 'tokenizer.json'].map(json));
  const core = await instantiate();
  const sides = await openSides({ core, config, stated, vocab, read, json });
  const spms = await Promise.all([...SPM, 'source.spm', 'target.spm'].map(read));
  const isMarian = !sides && spms[2] && spms[3] && vocab;
  const spmName = SPM.find((_, i) => spms[i]);
  if (sides && !spmName && !listed) {
    throw new HeedError(E_CONFIG, `${from}: ByT5 has an id for each byte and no others: there is nothing to trim`);
  }
  if (!sides && !isMarian) {
    throw new HeedError(E_FILE, `${from}: found no tokenizer: expected source.spm, target.spm and vocab.json; `
      + `${SPM.join(' or ')}; or tokenizer.json`);
  }
  const own = sides ?? readSides(/** @type {any} */ ({ core, config, sourceSpm: spms[2], targetSpm: spms[3], vocab,
    ...(!config.share_encoder_decoder_embeddings && { targetVocab }) }));
  const tokenizer = new Tokenizer({ core, config, sides: own });
  const canonical = tags.map((tag) => checkTag(tag, 'keep'));
  const pairsLeft = isMarian ? keptPairs(manifest, canonical) : undefined;
  const codes = isMarian ? marianCodes(tokenizer.languages, canonical, pairsLeft)
    : tokenizer.languages.length === 0 ? [] : canonical.map((tag) => {
      const code = findCode(tokenizer.languages, tag);
      if (code !== undefined) return code;
      throw notSupported(`keep: found ${tag}, the model's are ${tokenizer.languages.join(', ')}`);
    });

  const used = (isMarian ? own : own.slice(0, 1)).map((side) => (
    { side, used: /** @type {Set<number>} */ (new Set()), ids: /** @type {Set<number>} */ (new Set()) }));
  const names = /** @type {const} */ (['source', 'target']);
  const unk = Number(stated.unk_token_id ?? NaN);
  let sample = '';
  const use = async (/** @type {string} */ text) => {
    for (const [i, { side, used: pieces, ids }] of used.entries()) {
      for (const id of core.tokenizerEncode(side.handle, text).ids) pieces.add(id);
      if (!isMarian) continue;
      const { ids: found } = tokenizer.encode(text, { side: names[i] });
      for (const id of found) ids.add(id);
      if (!found.includes(unk)) continue;
      // what a Translator reads in place of characters that the vocabulary lacks
      const encode = async (/** @type {string[]} */ list) =>
        list.map((each) => tokenizer.encode(each, { side: names[i] }));
      const unknown = await findUnknown([text], /** @type {any} */ (encode), unk, new Map());
      const plain = unknown?.plain(text) ?? text;
      if (plain !== text) await use(plain);
    }
  };
  for (const { prefix } of tasksOf(stated)) await use(prefix);
  for await (const text of linesOf(texts, canonical)) {
    await use(text);
    if (text.length > sample.length && text.length < 200) sample = text;
  }
  const { eos_token_id: eos, pad_token_id: pad, decoder_start_token_id: start } = config;
  // these are also rows of embeddings
  const special = [...new Set([eos, pad, start, ...idsOf(stated), ...idsOf(generation)])]
    .filter((id) => id < Math.min(config.vocab_size, config.decoder_vocab_size));
  const first = isMarian ? undefined : onlyTarget(own[0].vocabulary.languages ?? [], Number(start), codes);
  const kept = isMarian ? keepMarian(used, spms.slice(2).map((spm) => /** @type {Uint8Array} */ (spm)), codes, special)
    : spmName ? keepPieces(used[0], spmName, /** @type {Uint8Array} */ (spms.find(Boolean)), codes, Boolean(vocab))
      : keepJson(used[0], /** @type {any} */ (listed), Number(config.vocab_size), codes, special);
  core.dispose();
  const map = new Map(kept.rows[1].map((row, id) => [row, id]));
  const [sources, size] = kept.rows.map(({ length }) => length);

  const work = `${resolve(to)}.partial-${process.pid}`;
  await mkdir(work, { recursive: true });
  try {
    const put = (/** @type {string} */ name, /** @type {unknown} */ value) =>
      writeFile(join(work, name), value instanceof Uint8Array ? value : pretty(value));
    for (const [name, value] of Object.entries(kept.files)) await put(name, value);
    const { shortlist: _, ...settled } = withIds(stated, map); // of the old ids
    await put('config.json', { ...settled, vocab_size: sources,
      ...(stated.decoder_vocab_size !== undefined && { decoder_vocab_size: size }) });
    if (generation) await put('generation_config.json', withIds(generation, map));
    const settings = (await json('tokenizer_config.json')) ?? {};
    const { src_lang: source } = settings;
    const isLost = source !== undefined && codes.length > 0 && !codes.includes(source);
    await put('tokenizer_config.json', isMarian ? settings : {
      ...settings,
      ...(isLost && { src_lang: codes[0] }),
      ...(spmName === 'spiece.model' && { extra_ids: 0 }),
      added_tokens_decoder: Object.fromEntries([...kept.added]
        .map(([id, content]) => [id, { content, special: true }])),
      additional_special_tokens: [...kept.added.values()],
    });
    for (const name of ['README.md', 'LICENSE']) {
      const bytes = await read(name);
      if (bytes) await put(name, bytes);
    }
    for (const name of LEXICONS) {
      const lexicon = all.has(name) ? keptLexicon(await files.read(name), name, canonical) : undefined;
      if (lexicon) await put(name, lexicon);
    }
    const ngrams = all.has(NGRAMS)
      && await keptNgrams(await files.read(NGRAMS), canonical, config.decoder_vocab_size, map);
    if (ngrams) await put(NGRAMS, ngrams);
    const weights = await openWeights(files, config);
    settle(config, weights);
    const before = weights.size ?? weights.tensors.reduce((sum, { bytes }) => sum + bytes, weights.head);
    try {
      await writeWeights(weights, kept.rows, config, join(work, WEIGHTS));
    } catch (error) {
      await weights.verify?.(error);
      throw error;
    } finally {
      await weights.close();
    }
    const { name, license, data, dtype, confidence, reverse } = manifest;
    /** @type {Record<string, { size: number, sha256: string }>} */
    const described = {};
    for (const file of (await readdir(work)).sort()) {
      const hash = createHash('sha256');
      for await (const chunk of createReadStream(join(work, file))) hash.update(chunk);
      described[file] = { size: (await stat(join(work, file))).size, sha256: hash.digest('hex') };
    }
    const targets = canonical.filter((_, i) => first === undefined || codes[i] === first);
    const pairs = isMarian ? pairsLeft : codes.length < 2 ? undefined
      : canonical.flatMap((one) => targets.filter((other) => other !== one).map((other) => [one, other]));
    await put('heed.json', { format: 1, name, license, data, dtype, pairs, confidence, reverse, files: described });
    // one after the other: the whole model may need all the memory that there is
    const faster = await measure(work, sample);
    // An error here does not concern the new model.
    const speed = await measure(from, sample).catch((/** @type {Error} */ error) => error);
    const failure = typeof speed === 'number' ? undefined : speed;
    await rename(work, to);
    return {
      pieces: [Number(config.decoder_vocab_size), size],
      bytes: [before, described[WEIGHTS].size],
      speed: [failure ? NaN : Number(speed), faster],
      failure,
    };
  } catch (error) {
    await rm(work, { recursive: true, force: true });
    throw error;
  }
}
