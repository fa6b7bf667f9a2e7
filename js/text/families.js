// families.js - the tokenizers of model families beside MarianMT, by their files; loaded by load.js if a model has no
// source.spm.
//
//     sentencepiece.bpe.model, vocab.json    M2M-100: ids by text, languages after them
//     sentencepiece.bpe.model                NLLB-200, mBART: SentencePiece's ids + 1, languages after them
//     spiece.model                           T5: SentencePiece's ids, sentinels after them
//     tokenizer.json                         any of these, with the ids of the model
//     none, tokenizer_class ByT5Tokenizer    ByT5: the bytes of UTF-8 + 3

import {
  E_CONFIG, E_FILE, E_VOCAB, PIECE_BYTE, PIECE_CONTROL, PIECE_UNKNOWN, PIECE_UNUSED,
} from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { mismatch } from '../base/json.js';
import { finder } from '../formats/pieces.js';
import { writeSpm } from '../formats/spm-write.js';
import { readTokenizerJson, TOKENIZER } from '../formats/tokenizer-json.js';
import { M2M_100, MBART_50, NLLB, WMT_21 } from './codes.js';
import { listedVocabulary } from './tokenizer.js';

/** @typedef {import('../formats/pieces.js').Side} Side */
/** @typedef {import('../formats/pieces.js').Vocabulary} Vocabulary */

/**
 * What openSides() reads. `read` and `json` give undefined for a missing file.
 *
 * @typedef {object} Parts
 * @property {import('../wasm/core.js').Core} core
 * @property {Record<string, any>} config  from readConfig()
 * @property {Record<string, any>} stated  config.json
 * @property {Record<string, unknown>} [vocab]  vocab.json
 * @property {(name: string) => Promise<Uint8Array | null | undefined>} read
 * @property {(name: string) => Promise<Record<string, unknown> | undefined>} json
 */

/** By model_type. Others have other ids. */
const FAMILIES = ['m2m_100', 'mbart', 't5', 'mt5'];

const BPE_MODEL = 'sentencepiece.bpe.model';
const SPIECE = 'spiece.model';
const SETTINGS = 'tokenizer_config.json';

/** fairseq's first ids. */
const FIRST = ['<s>', '<pad>', '</s>', '<unk>'];

/** The language after `</s>`. @type {import('../formats/pieces.js').Frame} */
const lastFrame = (eos, language) => ({ before: [], after: language === undefined ? [eos] : [eos, language] });

/**
 * A language before a text: SentencePiece puts its blank before the language, too.
 *
 * @param {string} first  the first piece of a text
 * @param {number | undefined} blank
 * @returns {import('../formats/pieces.js').Frame}
 */
function blankFrame(first, blank) {
  const own = blank !== undefined && first.startsWith('▁') ? [blank] : [];
  return (eos, language) => ({ before: language === undefined ? [] : [...own, language], after: [eos] });
}

/** How a language token looks in each kind of model: `__de__`, `deu_Latn`, `de_DE`. The group is its code. */
const CODES = { m2m: /^__(.+)__$/, nllb: /^([a-z]{2,3}_[A-Z][a-z]{3})$/, mbart: /^([a-z]{2,3}_[A-Z]{2})$/ };

/**
 * The tokens that the files of a model add to the pieces of its SentencePiece model, by id.
 *
 * @param {Record<string, any>} settings  tokenizer_config.json
 * @param {Record<string, any>} added  added_tokens.json
 * @param {number} size  of the vocabulary: others have no row in the embeddings
 * @returns {Map<number, string>}
 */
function addedTokens({ added_tokens_decoder: decoder }, added, size) {
  /** @type {Map<number, string>} */
  const found = new Map();
  const add = (/** @type {string} */ file, /** @type {number} */ id, /** @type {unknown} */ token) => {
    if (!Number.isInteger(id) || id < 0 || typeof token !== 'string') {
      throw new HeedError(E_VOCAB, mismatch(`${file}: added tokens`, [id, token], 'an id and its token'));
    }
    if (id < size) found.set(id, token);
  };
  for (const [token, id] of Object.entries(added)) add('added_tokens.json', /** @type {any} */ (id), token);
  for (const [id, token] of Object.entries(Object(decoder))) add(SETTINGS, Number(id), token?.content);
  return found;
}

/**
 * The languages of a model with fairseq's order: a list of codes that its files may change.
 *
 * @param {object} options
 * @param {string[]} options.codes
 * @param {number} options.first  the id of the first
 * @param {number} options.size
 * @param {Map<number, string>} options.added
 * @param {RegExp} options.pattern
 * @returns {Map<string, number>}
 */
function languagesOf({ codes, first, size, added, pattern }) {
  const stated = [...added].flatMap(([id, token]) => {
    const code = pattern.exec(token)?.[1];
    return code === undefined ? [] : [/** @type {[string, number]} */ ([code, id])];
  });
  const names = new Set(stated.map(([code]) => code));
  const usual = codes.map((code, i) => /** @type {[string, number]} */ ([code, first + i]))
    .filter(([code, id]) => id < size && !added.has(id) && !names.has(code));
  return new Map([...usual, ...stated].sort((a, b) => a[1] - b[1]));
}

/**
 * The language of sources of which none is stated: English, unless the model says otherwise.
 *
 * @param {Record<string, any>} settings
 * @param {Map<string, number>} languages
 */
const sourceLanguage = ({ src_lang: stated }, languages) =>
  [stated, 'en', 'eng_Latn', 'en_XX', ...languages.keys()].find((code) => languages.has(code));

/**
 * @typedef {{ pieces: Side['pieces'], size: number, settings: Record<string, any>, added: Map<number, string> }} Given
 */

/**
 * The languages of a model with fairseq's order: the usual codes, what tokens look like, and whether they are last.
 *
 * @param {Record<string, any>} stated  config.json
 * @param {Record<string, any>} settings  tokenizer_config.json
 * @param {boolean} hasIds  vocab.json is there
 */
function orderOf({ model_type: family, tokenizer_class: other }, settings, hasIds) {
  const ofM2m = settings.language_codes === 'wmt21' ? WMT_21 : M2M_100;
  if (hasIds) return { codes: ofM2m, pattern: CODES.m2m, isLast: false };
  if (family !== 'mbart') return { codes: NLLB, pattern: CODES.nllb, isLast: settings.legacy_behaviour === true };
  const isFirst = kindOf(settings, other) === 'MBartTokenizer';
  return { codes: isFirst ? MBART_50.slice(0, 25) : MBART_50, pattern: CODES.mbart, isLast: isFirst };
}

/** The class of a tokenizer. @param {Record<string, any>} settings @param {unknown} other  what config.json says */
const kindOf = ({ tokenizer_class: kind }, other) => String(kind ?? other ?? '').replace(/Fast$/, '');

/**
 * The codes of the languages that a model is for, without its pieces.
 *
 * @param {Record<string, any>} stated  config.json
 * @param {Record<string, any>} settings  tokenizer_config.json
 * @param {boolean} hasIds  vocab.json is there
 * @returns {string[]}  [] if only the pieces tell
 */
export function codesOf(stated, settings, hasIds) {
  if (stated.model_type !== 'm2m_100' && stated.model_type !== 'mbart') return [];
  const { codes, pattern } = orderOf(stated, settings, hasIds);
  const own = [...addedTokens(settings, {}, Infinity).values()].flatMap((token) => pattern.exec(token)?.[1] ?? []);
  return [...new Set([...codes, ...own])];
}

/**
 * M2M-100: pieces have the ids of vocab.json.
 *
 * @param {Given} given
 * @param {Record<string, unknown>} vocab
 * @param {Record<string, any>} config
 * @returns {Vocabulary}
 */
function m2mVocabulary({ size, settings, added }, vocab, config) {
  const listed = listedVocabulary(vocab, 'vocab.json', size, config);
  const n = [...listed.entries].length;
  const { codes, pattern } = orderOf(config, settings, true);
  const languages = languagesOf({ codes, first: n, size, added, pattern });
  const tokens = new Map([...languages].map(([code, id]) => [id, `__${code}__`]));
  const ids = new Map([...tokens].map(([id, token]) => [token, id]));
  return {
    entries: [],
    piece: (id) => tokens.get(id) ?? listed.piece(id),
    id: (piece) => listed.id(piece) ?? ids.get(piece),
    languages,
    language: sourceLanguage(settings, languages),
    special: ['<s>', '<pad>'].flatMap((piece) => listed.id(piece) ?? []),
  };
}

/**
 * NLLB-200 and mBART: fairseq's four ids, then the pieces behind SentencePiece's three, then the languages.
 *
 * @param {Given} given
 * @param {{ codes: string[], pattern: RegExp, isLast: boolean }} kind  isLast: language tokens are after `</s>`
 * @returns {Vocabulary}
 */
function fairseqVocabulary({ pieces, size, settings, added }, { codes, pattern, isLast }) {
  const n = pieces.types.length;
  if (n >= size) {
    throw new HeedError(E_VOCAB, `${BPE_MODEL}: found ${n} pieces, expected ${size - 1} at most, as vocab_size says`);
  }
  const languages = languagesOf({ codes, first: n + 1, size, added, pattern });
  const tokens = new Map(added);
  for (const [code, id] of languages) tokens.set(id, code);
  FIRST.forEach((token, id) => tokens.set(id, token));
  const ids = new Map([...tokens].map(([id, token]) => [token, id]));
  const find = finder(pieces);
  const shift = (/** @type {number | undefined} */ id) => (id === undefined || id < 3 ? undefined : id + 1);
  return {
    entries: [],
    ofPiece: (id) => id + 1,
    piece: (id) => tokens.get(id) ?? (id <= n ? pieces.piece(id - 1) : undefined),
    id: (piece) => ids.get(piece) ?? shift(find(piece)),
    unknown: 3,
    languages,
    language: sourceLanguage(settings, languages),
    special: tokens.keys(),
    ...(isLast && { frame: lastFrame }),
  };
}

/**
 * T5: SentencePiece's ids; the sentinels that text never becomes; the languages of MADLAD, which are pieces.
 *
 * @param {Given} given
 * @param {(text: string) => Int32Array} encode  ids of the SentencePiece model
 * @returns {Vocabulary}
 */
function pieceVocabulary({ pieces, size, settings, added }, encode) {
  const { types, special, piece: read } = pieces;
  const n = types.length;
  if (n > size) {
    throw new HeedError(E_VOCAB, `${SPIECE}: found ${n} pieces, expected ${size} at most, as vocab_size says`);
  }
  const tokens = new Map([...added].filter(([id]) => id >= n));
  const sentinels = Number.isInteger(settings.extra_ids) ? settings.extra_ids : 100;
  for (let i = 0; i < sentinels && n + i < size; i++) {
    if (!tokens.has(n + i)) tokens.set(n + i, `<extra_id_${sentinels - 1 - i}>`);
  }
  const ids = new Map([...tokens].map(([id, token]) => [token, id]));
  const find = finder(pieces);
  const controls = special.filter((id) => types[id] === PIECE_CONTROL);
  const languages = new Map(controls.flatMap((id) => {
    const [, code] = /^<2(.+)>$/.exec(read(id)) ?? [];
    return code === undefined ? [] : [/** @type {[string, number]} */ ([code, id])];
  }));
  return {
    entries: [],
    ofPiece: (id) => id,
    piece: (id) => tokens.get(id) ?? (id < n ? read(id) : undefined),
    id: (piece) => find(piece) ?? ids.get(piece),
    unknown: special.find((id) => types[id] === PIECE_UNKNOWN),
    languages,
    special: [...controls, ...tokens.keys()],
    ...(languages.size > 0 && { frame: blankFrame(read(encode('a')[0]), find('▁')) }),
  };
}

/**
 * A tokenizer.json, whose ids are those of the model.
 *
 * @param {import('../wasm/core.js').Core} core
 * @param {Record<string, unknown>} json
 * @param {Omit<Given, 'pieces'>} given
 * @param {string} family  model_type
 * @returns {Side}
 */
function jsonSide(core, json, { size, settings, added }, family) {
  const { bytes, ids, tokens, special, last } = readTokenizerJson(json, size, added.values());
  const made = core.tokenizer(TOKENIZER, bytes);
  const { types } = made.pieces;
  const isFairseq = family === 'm2m_100' || family === 'mbart';
  const patterns = isFairseq ? Object.values(CODES) : [/^<2(.+)>$/];
  for (const [id, token] of added) tokens[id] ??= token;
  const languages = new Map(tokens.flatMap((token, id) => {
    const code = token && patterns.map((pattern) => pattern.exec(token)?.[1]).find(Boolean);
    return code ? [/** @type {[string, number]} */ ([code, id])] : [];
  }));
  const byText = new Map(tokens.flatMap((token, id) => (token === undefined ? [] : [[token, id]])));
  const [first] = core.tokenizerEncode(made.handle, 'a').ids;
  const frame = !isFairseq && languages.size > 0 ? blankFrame(made.pieces.piece(first), byText.get('▁'))
    : isFairseq && last.length > 1 ? lastFrame : undefined;
  return {
    ...made,
    vocabulary: {
      entries: [],
      ofPiece: (id) => ids[id],
      piece: (id) => tokens[id],
      id: (piece) => byText.get(piece),
      unknown: ids[types.indexOf(PIECE_UNKNOWN)],
      languages,
      ...(isFairseq && { language: sourceLanguage(settings, languages) }),
      special: [...special, ...added.keys()],
      frame,
    },
  };
}

/** Text of UTF-8, without its invalid sequences. @param {number[]} bytes */
function decodeBytes(bytes) {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  // U+FFFD is also a character that a text may have: its three bytes stand for themselves wherever they are
  const parts = [];
  for (let at = 0, start = 0; at <= bytes.length; at++) {
    const isEnd = at === bytes.length;
    if (!isEnd && !(bytes[at] === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd)) continue;
    parts.push(decoder.decode(Uint8Array.from(bytes.slice(start, at))).replaceAll('\ufffd', ''));
    start = at + 3;
  }
  return parts.join('\ufffd').trim();
}

/** Of ByT5: ids before those of the bytes. */
const BYTE_OFFSET = 3;

/** ByT5: a SentencePiece model of bytes alone. @param {Parts} parts @returns {Side} */
function byteSide({ core, config }) {
  const first = [PIECE_CONTROL, PIECE_CONTROL, PIECE_UNKNOWN]
    .map((type, i) => ({ text: ['<pad>', '</s>', '<unk>'][i], type }));
  const bytes = Array.from({ length: 256 }, (_, byte) => (
    { text: `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`, type: PIECE_BYTE }));
  // a model of SentencePiece has a piece of text; text never becomes an unused one
  const pieces = [...first, ...bytes, { text: '▁', type: PIECE_UNUSED }];
  const last = BYTE_OFFSET + 256;
  const size = Number(config.vocab_size);
  if (size < last) {
    throw new HeedError(E_CONFIG, mismatch('config.json: vocab_size', size, `at least ${last}, as ByT5 has`));
  }
  const made = core.tokenizer('the bytes of ByT5', writeSpm(pieces, {
    byteFallback: true, addDummyPrefix: false, removeExtraWhitespaces: false, escapeWhitespaces: false,
  }));
  const find = finder(made.pieces);
  const sentinel = (/** @type {string} */ piece) => {
    const id = last + Number(/^<extra_id_(\d+)>$/.exec(piece)?.[1] ?? NaN);
    return id < size ? id : undefined;
  };
  return {
    ...made,
    vocabulary: {
      entries: [],
      ofPiece: (id) => id,
      piece: (id) => (id < last ? made.pieces.piece(id) : id < size ? `<extra_id_${id - last}>` : undefined),
      id: (piece) => sentinel(piece) ?? (piece === '▁' ? undefined : find(piece)),
      unknown: 2,
      languages: new Map(),
      special: Array.from({ length: size - last }, (_, i) => last + i),
      decode: (ids) => decodeBytes(ids.filter((id) => id >= BYTE_OFFSET && id < last).map((id) => id - BYTE_OFFSET)),
    },
  };
}

/**
 * Both sides of the tokenizer, which are the same; null if the files of none are there.
 *
 * @param {Parts} parts
 * @returns {Promise<[Side, Side] | null>}  HEED_E_VOCAB, HEED_E_SPM, HEED_E_JSON
 */
export async function openSides(parts) {
  const { core, config, stated, vocab, read, json } = parts;
  if (!FAMILIES.includes(stated.model_type)) return null;
  const settings = /** @type {Record<string, any>} */ ((await json(SETTINGS)) ?? {});
  const kind = kindOf(settings, stated.tokenizer_class);
  if (kind === 'ByT5Tokenizer') {
    const side = byteSide(parts);
    return [side, side];
  }
  const [bpe, spiece] = [await read(BPE_MODEL), await read(SPIECE)];
  const bytes = bpe ?? spiece;
  const size = Number(config.vocab_size);
  const added = addedTokens(settings, (await json('added_tokens.json')) ?? {}, size);
  if (!bytes) {
    const listed = await json(TOKENIZER);
    const side = listed && jsonSide(core, listed, { size, settings, added }, stated.model_type);
    return side ? [side, side] : null;
  }
  if (kind === 'M2M100Tokenizer' && !vocab) {
    throw new HeedError(E_FILE, `vocab.json is missing: ${SETTINGS} says ${kind}, which has its ids there`);
  }
  const made = core.tokenizer(bpe ? BPE_MODEL : SPIECE, bytes);
  const given = { pieces: made.pieces, size, settings, added };
  const encode = (/** @type {string} */ text) => core.tokenizerEncode(made.handle, text).ids;
  const vocabulary = !bpe ? pieceVocabulary(given, encode)
    : vocab ? m2mVocabulary(given, vocab, config)
      : fairseqVocabulary(given, orderOf(stated, settings, false));
  const side = { ...made, vocabulary };
  return [side, side];
}
