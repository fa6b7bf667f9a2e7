// readers.js - for each reader of the model families, files with something wrong in one of the files that it reads.
// Used by run.js, which counts each reader apart.
//
// A tokenizer is opened alone and cuts texts; weights and configurations are loaded as a whole model, which translates.
// Of T5's pieces, the languages that are found without the core must be those of the tokenizer.

import { existsSync, readFileSync } from 'node:fs';
import { parseJson } from '../../js/base/json.js';
import { languagesIn } from '../../js/formats/spm-languages.js';
import { openSides } from '../../js/text/families.js';
import { Tokenizer } from '../../js/text/tokenizer.js';
import { Trainer } from '../../js/train.js';
import { filesOf as modelOf, readSafetensors } from '../golden/hf/families/read.js';
import { concat } from '../model-files.js';
import { changedTorch, stateOfParts } from './checkpoints.js';
import { changeKey } from './families.js';
import { changeFields } from './fields.js';
import {
  float, headerEntries, modelFiles, pieceField, Random, readMessage, weightParts, writeMessage, writeWeights,
} from './model.js';
import { changeBytes as changeFiles } from './mutations.js';
import { NAMES, oneOf, text } from './values.js';

/** @typedef {import('./model.js').Field} Field */
/** @typedef {Record<string, Uint8Array>} Files */
/** @typedef {{ files: Files, dtype: 'auto' | 'f32' | 'int8' }} Made */
/**
 * What reads files. prepare: to be called first; isTokenizer: only a tokenizer is opened; isLarge: it takes its time;
 * lacks: why it cannot run.
 *
 * @typedef {{ change: (random: Random) => Files, prepare?: () => Promise<void>, isTokenizer?: boolean,
 *   isLarge?: boolean, lacks?: string }} Reader
 */

const ROOT = new URL('../golden/hf/families/', import.meta.url);
const REAL = new URL('../../../shared/tokenizers/opus-mt-tc-big-fr-en/', import.meta.url);
const [BPE_MODEL, SPIECE, TOKENIZER] = ['sentencepiece.bpe.model', 'spiece.model', 'tokenizer.json'];
const SPM = [BPE_MODEL, SPIECE];
const TABLES = ['vocab.json', 'added_tokens.json', 'tokenizer_config.json'];
const TEXTS = ['Where is the station? ½ \ud83d\ude00', '\u25812 <2de> </s> deu_Latn 日本', ''];

/** @param {URL} root @param {string[]} names @returns {Files}  those that are there */
const readFiles = (root, names) => Object.fromEntries(names.flatMap((name) => {
  const url = new URL(name, root);
  return existsSync(url) ? [[name, new Uint8Array(readFileSync(url))]] : [];
}));

/** @param {unknown} value */
const json = (value) => text(JSON.stringify(value));
/** @param {Uint8Array} bytes */
const parse = (bytes) => JSON.parse(new TextDecoder().decode(bytes));

/**
 * The tokenizer of a folder.
 *
 * @param {string} folder
 * @param {Files} [others]  in place of those in the folder
 * @returns {Files}
 */
const tokenizerOf = (folder, others = {}) =>
  ({ ...readFiles(new URL(`${folder}/`, ROOT), ['config.json', ...TABLES, ...SPM]), ...others });

/** With tokenizer.json alone. @param {string} folder @param {string} [file]  that is called so @returns {Files} */
function jsonAlone(folder, file = TOKENIZER) {
  const { [BPE_MODEL]: _, [SPIECE]: __, ...files } = tokenizerOf(folder);
  return { ...files, [TOKENIZER]: readFiles(new URL(`${folder}/`, ROOT), [file])[file] };
}

// ---------------------------------------------------------------- one file

const VALUES = [
  null, true, false, 0, 1, 2, -1, 0.5, 511, 605, 1e9, 2 ** 53, 1e300, '', 'x', '▁', '<unk>', '</s>', '\0', '\ud800',
  'x'.repeat(2000), [], [1], {}, { a: 1 }, [['x', 0]], '../x', 'model-1.safetensors', 'Unigram', 'BPE', 'AAAA',
];

/**
 * Changes one value of a JSON file, of those that are near the top more often.
 *
 * @param {Random} random
 * @param {any} value
 */
function changeJson(random, value) {
  let at = value;
  for (;;) {
    const keys = Object.keys(at);
    if (keys.length === 0) return;
    const key = random.pick(keys);
    const inner = at[key];
    if (Object(inner) === inner && Object.keys(inner).length > 0 && !random.once(6)) {
      at = inner;
      continue;
    }
    // copies: what is in two places would be changed in both
    const other = structuredClone(at[random.pick(keys)]);
    if (random.once(4)) delete at[key];
    else if (random.once(3)) at[key] = other;
    else if (random.once(3) && Array.isArray(at)) at.push(other);
    else if (random.once(4) && !Array.isArray(at)) {
      at[String(random.pick([...VALUES, ...NAMES]))] = structuredClone(inner);
    } else at[key] = structuredClone(random.pick(VALUES));
    return;
  }
}

/** How often a file is changed: once in nine times nothing is wrong. @param {Random} random */
const changes = (random) => random.pick([0, 1, 1, 1, 1, 2, 2, 3, 4]);

/** Bytes of one file. @param {Random} random @param {Files} files @param {string} name @returns {Files} */
function withBytes(random, files, name) {
  const own = { [name]: files[name] };
  changeFiles(random, own, [name]);
  const { [name]: _, ...others } = files;
  return { ...others, ...own };
}

/**
 * Values of a JSON file, or its bytes.
 *
 * @param {Random} random
 * @param {Files} files
 * @param {string} name
 * @returns {Files}
 */
function withJson(random, files, name) {
  if (random.once(8)) return withBytes(random, files, name);
  const value = parse(files[name]);
  for (let n = changes(random); n > 0; n--) changeJson(random, value);
  return { ...files, [name]: json(value) };
}

/** Fields of a SentencePiece model, or its bytes. @param {Random} random @param {Files} files @param {string} name */
function withFields(random, files, name) {
  if (random.once(4)) return withBytes(random, files, name);
  const fields = readMessage(files[name], [1, 2, 3]);
  for (let n = changes(random); n > 0; n--) changeFields(random, fields);
  return { ...files, [name]: writeMessage(fields) };
}

// ---------------------------------------------------------------- tokenizers

/**
 * @param {Files[]} all
 * @param {typeof withJson} change
 * @param {string[]} names  one of them is changed
 * @returns {Reader}
 */
const tokenizers = (all, change, names) => ({
  isTokenizer: true,
  change(random) {
    const files = random.pick(all);
    return change(random, files, random.pick(names.filter((name) => files[name])));
  },
});

/**
 * The tokenizer of opus-mt-tc-big with its first pieces, so that a load takes a millisecond: two models with different
 * pieces, and one table of ids.
 *
 * @param {Files} files
 * @param {number} most
 * @returns {Files}
 */
function cutMarian(files, most) {
  let n = 0;
  const isKept = (/** @type {import('./model.js').Field} */ { number }) => number !== 1 || n++ < most;
  const spm = ['source.spm', 'target.spm'].map((name) => {
    n = 0;
    return [name, readMessage(files[name], [1, 2, 3]).filter(isKept)];
  });
  const { '</s>': _, '<unk>': __, '<pad>': ___, ...ids } = parse(files['vocab.json']);
  const pieces = new Set(spm.flatMap(([, fields]) => /** @type {any[]} */ (fields)
    .filter(({ number }) => number === 1).map(({ value: [{ value }] }) => new TextDecoder().decode(value))));
  const vocab = ['</s>', '<unk>', ...Object.keys(ids).filter((piece) => pieces.has(piece)), '<pad>'];
  const stated = { ...parse(files['config.json']), vocab_size: vocab.length, eos_token_id: 0,
    pad_token_id: vocab.length - 1 };
  return {
    ...Object.fromEntries(spm.map(([name, fields]) => [name, writeMessage(/** @type {any} */ (fields))])),
    'vocab.json': json(Object.fromEntries(vocab.map((piece, id) => [piece, id]))),
    'config.json': json(stated),
  };
}

/** @param {number} [most]  pieces of a side; none: all @returns {Reader} */
function marian(most) {
  const lacks = existsSync(REAL) ? undefined : '../shared/tokenizers/opus-mt-tc-big-fr-en is missing';
  const names = ['source.spm', 'target.spm', 'vocab.json'];
  /** @type {Files | undefined} */
  let files;
  return {
    isTokenizer: true,
    isLarge: most === undefined,
    lacks,
    change(random) {
      files ??= readFiles(REAL, ['config.json', ...names]);
      if (most && files['source.spm'].length > 1e5) files = cutMarian(files, most);
      const name = random.pick(names);
      return (name === 'vocab.json' ? withJson : withFields)(random, files, name);
    },
  };
}

/**
 * Opens a tokenizer and cuts texts, on both sides if they may differ, in two languages at most.
 *
 * @param {import('../../js/wasm/core.js').Core} core
 * @param {Files} files
 * @returns {Promise<string>}  'loaded'; 'no tokenizer'
 */
export async function useTokenizer(core, files) {
  const read = async (/** @type {string} */ name) => files[name];
  const readJson = async (/** @type {string} */ name) => (files[name] ? parseJson(files[name], name) : undefined);
  const stated = /** @type {Record<string, any>} */ (await readJson('config.json'));
  const { vocab_size: size, eos_token_id: eos, pad_token_id: pad } = stated;
  const config = { vocab_size: size, decoder_vocab_size: size, eos_token_id: eos, pad_token_id: pad };
  const [vocab, sourceSpm, targetSpm] = [await readJson('vocab.json'), files['source.spm'], files['target.spm']];
  const pieces = files[SPIECE];
  if (pieces) checkLanguages(pieces);
  const sides = await openSides({ core, config, stated, vocab, read, json: readJson });
  if (!sides && !(sourceSpm && targetSpm && vocab)) return 'no tokenizer';
  const tokenizer = new Tokenizer({ core, config, sides, vocab, sourceSpm, targetSpm });
  if (pieces) checkLanguages(pieces, tokenizer);
  for (const side of /** @type {const} */ (sides ? ['source'] : ['source', 'target'])) {
    for (const each of TEXTS) {
      for (const language of [undefined, ...tokenizer.languages.slice(0, 2)]) {
        const { ids, pieces, offsets } = tokenizer.encode(each, { side, language });
        if (pieces.length !== ids.length || offsets.length !== 2 * ids.length) throw new Error('lengths differ');
        const wrong = ids.findIndex((id) => id < 0 || id >= size);
        if (wrong >= 0) throw new Error(`id ${ids[wrong]} of ${size}`);
        tokenizer.decode(ids, { side });
      }
    }
    for (let id = 0; id < Math.min(size, 700); id++) tokenizer.idToPiece(id, { side });
  }
  return 'loaded';
}

/** Codes of languages as pieces, and what only looks so. */
const CODES = ['<2de>', '<2fr>', '<2de>', '<2pt_BR>', '<2x>', '<2>', '<2', '2de>', '<2>>', '<2\n>', '<2<2de>>', '<3de>',
  '</s>', '<2\ud83d\ude00>', '\ufeff<2de>', `<2${'x'.repeat(1021)}>`, `<2${'x'.repeat(1022)}>`];

/**
 * Changes a piece that names a language, or another: its text, its type, fields that are there twice or unknown; or
 * puts one in, at the beginning, in between or behind all else.
 *
 * @param {Random} random
 * @param {Field[]} fields
 */
function changeLanguage(random, fields) {
  const at = random.once(2) ? random.below(8) : random.below(fields.length);
  const type = random.pick([0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 2 ** 31, 2 ** 32 + 4]);
  const own = text(random.pick(CODES));
  const other = random.pick([{ number: 1, wire: 2, value: own }, { number: 3, wire: 0, value: type },
    { number: 200, wire: 2, value: own }, { number: 4, wire: 0, value: type }, { number: 1, wire: 5, value: float(1) },
    { number: 5, wire: 1, value: new Uint8Array(8) }, { number: 6, wire: 3, value: new Uint8Array(0) }]);
  const piece = fields[at]?.value;
  oneOf(random, [
    () => fields.splice(random.pick([0, 3, at, fields.length]), 0, pieceField(own, -1, type)),
    () => fields.splice(random.pick([0, 3, at, fields.length]), 0, other),
    () => fields.splice(random.below(fields.length), 0, ...fields.splice(at, 1)),
    () => Array.isArray(piece) && (piece[0] = { number: 1, wire: 2, value: own }),
    () => Array.isArray(piece) && piece.splice(random.below(piece.length + 1), 0, other),
    () => Array.isArray(piece) && (piece[piece.length - 1] = { number: 3, wire: 0, value: type }),
  ]);
}

/** @param {Random} random @param {Files} files @param {string} name */
function withLanguages(random, files, name) {
  if (random.once(8)) return withBytes(random, files, name);
  const fields = readMessage(files[name], [1, 2, 3]);
  for (let n = changes(random); n > 0; n--) changeLanguage(random, fields);
  return { ...files, [name]: writeMessage(fields) };
}

/**
 * The languages among the pieces, found without the core, are those of the tokenizer; of a part of the file, the first.
 *
 * @param {Uint8Array} bytes
 * @param {Tokenizer} [tokenizer]  none: the file was refused
 */
function checkLanguages(bytes, tokenizer) {
  const found = languagesIn(bytes);
  for (const part of [8, 3, 2]) {
    const first = languagesIn(bytes.subarray(0, bytes.length / part));
    if (first.some((code, i) => code !== found[i])) throw new Error(`languages ${first} of ${found}`);
  }
  const unique = [...new Set(found)];
  if (tokenizer && String(unique) !== String(tokenizer.languages)) {
    throw new Error(`languages ${unique}, the tokenizer's are ${tokenizer.languages}`);
  }
}

// ---------------------------------------------------------------- models

/** Small sizes, so that a load takes less than a millisecond: of T5, and of the others. */
const SMALL = {
  t5: { d_model: 8, d_kv: 6, num_heads: 2, d_ff: 8, num_layers: 1, num_decoder_layers: 2, vocab_size: 24 },
  others: {
    d_model: 8, encoder_attention_heads: 2, decoder_attention_heads: 2, encoder_ffn_dim: 8, decoder_ffn_dim: 12,
    encoder_layers: 1, decoder_layers: 2, vocab_size: 24, max_position_embeddings: 32,
  },
};

/** Keys of config.json, or its bytes; the weights are random. @param {string} folder @returns {Reader} */
function configOf(folder) {
  const { 'model.safetensors': _, 'pytorch_model.bin': __, ...files } = modelOf(folder);
  const stated = parse(files['config.json']);
  Object.assign(stated, 'd_kv' in stated ? SMALL.t5 : SMALL.others);
  return {
    async prepare() {
      const trainer = await Trainer.create({ config: stated, seed: 1 });
      Object.assign(files, { 'config.json': json(stated), 'model.safetensors': trainer.save() });
      trainer.dispose();
    },
    change(random) {
      if (random.once(10)) return withBytes(random, files, 'config.json');
      const config = structuredClone(stated);
      for (let n = changes(random); n > 0; n--) changeKey(random, config);
      return { ...files, 'config.json': json(config) };
    },
  };
}

const { 'model.safetensors': _, ...OTHERS } = modelFiles();

/** Of the tiny model, in each container; of T5 in the newer one. @returns {Reader} */
function torch() {
  /** @type {{ files: Files, state: ReturnType<typeof stateOfParts> } | undefined} */
  let t5;
  const make = () => {
    const { 'model.safetensors': weights, ...files } = modelOf('t5-v1.1');
    const parts = Object.entries(readSafetensors(weights)).map(([name, tensor]) => ({ name, ...tensor }));
    return { files, state: stateOfParts(parts) };
  };
  return {
    change(random) {
      t5 ??= make();
      const isT5 = random.once(8);
      const bytes = isT5 ? changedTorch('torch', random, changes(random), t5.state)
        : changedTorch(random.pick(/** @type {const} */ (['torch', 'legacy'])), random, changes(random));
      const files = { ...(isT5 ? t5.files : OTHERS), 'pytorch_model.bin': bytes };
      return random.once(6) ? withBytes(random, files, 'pytorch_model.bin') : files;
    },
  };
}

/** @param {Random} random @param {import('./model.js').Part[]} parts @param {number} n  changes of the header */
function safetensors(random, parts, n) {
  const header = structuredClone(Object.fromEntries(headerEntries(parts)));
  for (; n > 0; n--) changeJson(random, header);
  return writeWeights(JSON.stringify(header), concat(...parts.map(({ data }) => data)));
}

/**
 * The tiny model in two or three shards: the index is changed, or a shard; or shards change places.
 *
 * @param {'safetensors' | 'torch'} container
 * @returns {Reader}
 */
function shards(container) {
  const [stem, ending] = container === 'torch' ? ['pytorch_model', 'bin'] : ['model', 'safetensors'];
  const index = `${container === 'torch' ? `${stem}.bin` : `${stem}.safetensors`}.index.json`;
  const all = weightParts();
  const cuts = [2, 3].map((n) => Array.from({ length: n }, (_, i) => {
    const parts = all.filter((_, at) => at % n === i);
    return { name: `${stem}-0000${i + 1}-of-0000${n}.${ending}`, parts, state: stateOfParts(parts) };
  }));
  return {
    change(random) {
      const own = random.pick(cuts);
      let toIndex = 0;
      const toShards = own.map(() => 0);
      let swaps = 0;
      for (let n = changes(random); n > 0; n--) {
        oneOf(random, [() => toIndex++, () => toIndex++, () => toShards[random.below(own.length)]++,
          () => toShards[random.below(own.length)]++, () => swaps++]);
      }
      const legacy = random.once(3) ? 'legacy' : 'torch';
      /** @type {Files} */
      let files = { ...OTHERS };
      own.forEach(({ name, parts, state }, i) => {
        files[name] = container === 'torch' ? changedTorch(legacy, random, toShards[i], state)
          : safetensors(random, parts, toShards[i]);
      });
      const map = Object.fromEntries(own.flatMap(({ name, parts }) => parts.map((part) => [part.name, name])));
      const listed = { metadata: { total_size: 1 }, weight_map: map };
      for (; toIndex > 0; toIndex--) changeJson(random, listed);
      files[index] = json(listed);
      const names = own.map(({ name }) => name);
      for (; swaps > 0; swaps--) {
        const [a, b] = [random.pick(names), random.pick(names)];
        oneOf(random, [
          () => ([files[a], files[b]] = [files[b], files[a]]),
          () => delete files[a],
          () => (files[a] = files[index]),
          () => (files[index] = files[a]),
        ]);
        files = Object.fromEntries(Object.entries(files).filter(([, bytes]) => bytes));
      }
      const there = [index, ...names].filter((name) => files[name]);
      return there.length > 0 && random.once(6) ? withBytes(random, files, random.pick(there)) : files;
    },
  };
}

// ---------------------------------------------------------------- all

const MADLAD = tokenizerOf('mt5', {
  ...readFiles(new URL('madlad/', ROOT), [SPIECE]),
  'config.json': json({ model_type: 't5', vocab_size: 640, eos_token_id: 2, pad_token_id: 1 }),
});
const SPIECES = [...['t5', 't5-v1.1', 'mt5'].map((folder) => tokenizerOf(folder)), MADLAD];
const FAIRSEQ = [...['m2m100', 'nllb', 'mbart50'].map((folder) => tokenizerOf(folder)),
  ...[['mbart25', 'mbart50'], ['nllb-legacy', 'nllb'], ['wmt21', 'm2m100']].map(([folder, of]) =>
    tokenizerOf(of, readFiles(new URL(`${folder}/`, ROOT), TABLES)))];

/** By name. @type {Record<string, Reader>} */
export const READERS = {
  ...Object.fromEntries(['m2m100', 'nllb', 'mbart50', 't5', 't5-v1.1', 'mt5', 'byt5'].map((folder) =>
    [`config.json: ${folder}`, configOf(folder)])),
  [BPE_MODEL]: tokenizers(FAIRSEQ, withFields, [BPE_MODEL]),
  [SPIECE]: tokenizers(SPIECES, withFields, [SPIECE]),
  'tokenizer.json: unigram': tokenizers([jsonAlone('t5'), jsonAlone('t5', 'tokenizer-5.json'),
    jsonAlone('mt5', 'tokenizer-5.json'), jsonAlone('mbart50', 'tokenizer-5.json')], withJson, [TOKENIZER]),
  'tokenizer.json: BPE': tokenizers([jsonAlone('nllb'), jsonAlone('nllb', 'tokenizer-5.json')], withJson, [TOKENIZER]),
  'tables of pieces and languages': tokenizers([...FAIRSEQ, ...SPIECES, tokenizerOf('byt5')], withJson, TABLES),
  'pytorch_model.bin': torch(),
  'pytorch_model.bin in shards': shards('torch'),
  'model.safetensors in shards': shards('safetensors'),
  'opus-mt-tc-big, its first pieces': marian(120),
  'opus-mt-tc-big, whole': marian(),
  'spiece.model: languages': tokenizers([MADLAD], withLanguages, [SPIECE]),
};

const [WEIGHTS, JSONS, MODELS] = [
  '(?:pytorch_model|model)[-\\w.]*\\.(?:bin|safetensors)(?:\\.index\\.json)?',
  '(?:config|generation_config|vocab|added_tokens|tokenizer|tokenizer_config|heed)\\.json',
  'sentencepiece\\.bpe\\.model|spiece\\.model|(?:source|target)\\.spm',
];
/** How the message of an error begins, or that of a shard with any name ends. */
export const SAYS = new RegExp(`^(?:the given files: )?(?:${WEIGHTS}|${JSONS}|${MODELS}|the bytes of ByT5)(?![\\w.])`
  + '|is missing, expected it as [\\w.]+\\.index\\.json says$');

/**
 * Files number `index` of a seed.
 *
 * @param {number} seed
 * @param {number} index
 * @param {string} [name]  of a reader
 * @returns {Made}
 */
export function mutatedFor(seed, index, name = BPE_MODEL) {
  // other numbers for each reader
  const own = Object.keys(READERS).indexOf(name);
  const random = new Random(Math.imul(seed, 0x10001) ^ Math.imul(index, 0x9e3779b1) ^ Math.imul(own, 0x85ebca6b));
  const files = READERS[name].change(random);
  return { files, dtype: random.pick(/** @type {const} */ (['auto', 'f32', 'int8'])) };
}
