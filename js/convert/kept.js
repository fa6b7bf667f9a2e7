// kept.js - what stays of a vocabulary if only some pieces are used: the ids that stay, and the files of a tokenizer
// that has no others. Used by trim.js.
//
//     pieces that texts become -> those that cut texts alike -> their ids -> files with new ids
//
// The same texts become the same pieces. Of a unigram model this needs the pieces that they become, and those with the
// least and the greatest score, which set the scores of other cuts. Of BPE it needs also the pieces that merges pass
// through, all of which are parts of the last ones.

import { E_VOCAB, PIECE_NORMAL } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { readTokenizerJson, TOKENIZER } from '../formats/tokenizer-json.js';

/** @typedef {import('../formats/pieces.js').Side} Side */
/** @typedef {{ at: number, end: number, text: string, score: number }} SpmPiece  at, end: the whole field */

/**
 * What stays.
 *
 * @typedef {object} Kept
 * @property {[source: number[], target: number[]]} rows  old ids, by new id; the same array if both sides share a table
 * @property {Record<string, unknown>} files  of the tokenizer: bytes, or JSON
 * @property {Map<number, string>} added  tokens that these files lack, by new id
 */

/**
 * A tokenizer that reads texts.
 *
 * @typedef {{ side: Side, used: Set<number>, ids: Set<number> }} Used  used: its pieces; ids: of the vocabulary
 */

/**
 * The pieces of a SentencePiece model that the core has read, with their places in the file.
 *
 * @param {Uint8Array} bytes
 * @param {Side['pieces']} pieces
 * @param {string} name  of the file, for errors
 * @returns {SpmPiece[]}
 */
function piecesOf(bytes, { types }, name) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
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
  if (pieces.length !== types.length) {
    const expected = `expected the ${types.length} that were read`;
    throw new HeedError(E_VOCAB, `${name}: found ${pieces.length} pieces in the file, ${expected}`);
  }
  return pieces;
}

/**
 * A SentencePiece model with some of its pieces.
 *
 * @param {Uint8Array} bytes
 * @param {SpmPiece[]} pieces
 * @param {Set<number>} used
 */
function withPieces(bytes, pieces, used) {
  const parts = [];
  let from = 0;
  for (const [piece, { at, end }] of pieces.entries()) {
    if (used.has(piece)) continue;
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
 * @param {Side['pieces']} side
 */
function complete(used, pieces, { types }) {
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
 * The ids of languages that stay, and of those that do not.
 *
 * @param {Map<string, number>} languages
 * @param {string[]} codes
 */
function split(languages, codes) {
  const wanted = new Set(codes.map((code) => Number(languages.get(code))));
  return { wanted, others: new Set([...languages.values()].filter((id) => !wanted.has(id))) };
}

const byValue = (/** @type {number} */ a, /** @type {number} */ b) => a - b;

/**
 * Of M2M-100, NLLB-200, mBART or T5 with a SentencePiece model.
 *
 * @param {Used} one
 * @param {string} name  of the file
 * @param {Uint8Array} spm
 * @param {string[]} codes  languages
 * @param {boolean} hasIds  vocab.json has the ids of pieces
 * @returns {Kept}
 */
export function keepPieces({ side: { vocabulary, pieces: own }, used }, name, spm, codes, hasIds) {
  const pieces = piecesOf(spm, own, name);
  complete(used, pieces, own);
  const { wanted, others } = split(new Map(vocabulary.languages), codes);
  /** fairseq's first four ids stand for other pieces. */
  const isShifted = !hasIds && vocabulary.ofPiece?.(0) === 1;
  const idOf = (/** @type {number} */ piece) =>
    (hasIds ? vocabulary.id(pieces[piece].text) : vocabulary.ofPiece?.(piece));
  for (const piece of [...used]) if (!hasIds && !isShifted && others.has(Number(idOf(piece)))) used.delete(piece);
  const first = hasIds || isShifted ? [0, 1, 2, 3] : [];
  const ids = pieces.flatMap((_, piece) => {
    const id = used.has(piece) && !(isShifted && piece < 3) ? idOf(piece) : undefined;
    return id === undefined || first.includes(id) ? [] : [id];
  });
  const isPiece = new Set([...first, ...ids]);
  const tokens = [...wanted].filter((id) => !isPiece.has(id)).sort(byValue);
  const all = [...first, ...(hasIds ? [...new Set(ids)].sort(byValue) : ids)];
  const rows = [...all, ...tokens];
  return {
    rows: [rows, rows],
    files: {
      [name]: withPieces(spm, pieces, used),
      ...(hasIds && { 'vocab.json': Object.fromEntries(all.map((id, i) => [vocabulary.piece(id), i])) }),
    },
    added: new Map(tokens.map((id, i) => [all.length + i, String(vocabulary.piece(id))])),
  };
}

/**
 * Of MarianMT: two SentencePiece models, whose pieces get their ids by text from one table or from two.
 *
 * @param {Used[]} sides  source and target
 * @param {Uint8Array[]} spms
 * @param {string[]} codes  languages
 * @param {number[]} special  ids of config.json that stay
 * @returns {Kept}
 */
export function keepMarian(sides, spms, codes, special) {
  /** @type {Record<string, unknown>} */
  const files = {};
  const wanted = new Set(codes.map((code) => `>>${code}<<`));
  const isShared = sides[0].side.vocabulary === sides[1].side.vocabulary;
  const ids = sides.map(({ side: { vocabulary, pieces: own }, used, ids: found }, i) => {
    const name = `${['source', 'target'][i]}.spm`;
    const pieces = piecesOf(spms[i], own, name);
    complete(used, pieces, own);
    files[name] = withPieces(spms[i], pieces, used);
    const texts = [...[...used].map((piece) => pieces[piece].text), '<unk>', ...wanted];
    const isOther = (/** @type {number} */ id) => {
      const token = vocabulary.piece(id) ?? '';
      return /^>>.+<<$/.test(token) && !wanted.has(token);
    };
    const all = new Set([...texts.flatMap((text) => vocabulary.id(text) ?? []), ...found]);
    return [...all].filter((id) => !isOther(id) && !special.includes(id)).sort(byValue);
  });
  // config.json has the same ids for both sides
  const both = [...new Set(ids.flat())].sort(byValue);
  const rows = ids.map((own) => [...special, ...(isShared ? both : own)]);
  rows.forEach((own, i) => {
    const { piece } = sides[i].side.vocabulary;
    const entries = own.flatMap((id, at) => (piece(id) === undefined ? [] : [[piece(id), at]]));
    files[i === 0 || isShared ? 'vocab.json' : 'target_vocab.json'] = Object.fromEntries(entries);
  });
  return { rows: [rows[0], isShared ? rows[0] : rows[1]], files, added: new Map() };
}

/** T5's sentinels, which no text becomes. */
const SENTINEL = /^<extra_id_\d+>$/;

/**
 * The post_processor of a tokenizer.json with new ids. A source of a language that is gone begins with one that stays.
 *
 * @param {any} template
 * @param {(token: string) => string | undefined} nameOf  the token in its place
 * @param {(token: string) => number | undefined} idOf  new ids
 */
function withTokens(template, nameOf, idOf) {
  if (!template?.special_tokens) return template;
  const change = (/** @type {any} */ parts) => parts?.map?.((/** @type {any} */ part) => (part?.SpecialToken
    ? { SpecialToken: { ...part.SpecialToken, id: nameOf(part.SpecialToken.id) } } : part));
  const tokens = new Set(Object.keys(template.special_tokens).flatMap((token) => nameOf(token) ?? []));
  return {
    ...template,
    single: change(template.single),
    pair: change(template.pair),
    special_tokens: Object.fromEntries(Array.from(tokens, (id) => [id, { id, ids: [idOf(id)], tokens: [id] }])),
  };
}

/**
 * Of a model that has only tokenizer.json.
 *
 * @param {Used} one
 * @param {Record<string, any>} json
 * @param {number} size  of the vocabulary
 * @param {string[]} codes  languages
 * @param {number[]} special  ids of config.json that stay
 * @returns {Kept}
 */
export function keepJson({ side: { vocabulary, pieces: own }, used }, json, size, codes, special) {
  // as it was read: special tokens of other files are nothing that pieces are merged to
  const tokensOf = (/** @type {Iterable<number>} */ list) => [...list].flatMap((id) => vocabulary.piece(id) ?? []);
  const { bytes, ids, tokens } = readTokenizerJson(json, size, tokensOf(vocabulary.special ?? []));
  complete(used, piecesOf(bytes, own, TOKENIZER), own);
  const { wanted, others } = split(new Map(vocabulary.languages), codes);
  const isDropped = (/** @type {number} */ id) => others.has(id) || SENTINEL.test(vocabulary.piece(id) ?? '');
  const kept = [...new Set([...Array.from(used, (piece) => ids[piece]), ...wanted, ...special])]
    .filter((id) => !isDropped(id)).sort(byValue);
  const map = new Map(kept.map((id, i) => [id, i]));
  const idOf = (/** @type {string} */ token) => map.get(Number(vocabulary.id(token)));
  const { model, added_tokens: added = [], post_processor: template } = json;
  const hasAll = (/** @type {any} */ pair) => {
    const both = typeof pair === 'string' ? pair.split(' ') : pair;
    return [...both, both.join('')].every((piece) => idOf(piece) !== undefined);
  };
  const changed = Array.isArray(model.vocab)
    // an id is a place in the list; those of added tokens are behind it
    ? { vocab: model.vocab.filter((/** @type {unknown} */ _, /** @type {number} */ id) => map.has(id)),
      unk_id: map.get(model.unk_id) }
    : { vocab: Object.fromEntries(Object.keys(model.vocab).filter((piece) => idOf(piece) !== undefined)
      .map((piece) => [piece, idOf(piece)])), merges: model.merges.filter(hasAll) };
  const [first] = tokensOf(codes.slice(0, 1).map((code) => Number(vocabulary.languages?.get(code))));
  return {
    rows: [kept, kept],
    files: { [TOKENIZER]: {
      ...json,
      added_tokens: added.filter((/** @type {any} */ { id }) => map.has(id))
        .map((/** @type {any} */ token) => ({ ...token, id: map.get(token.id) })),
      model: { ...model, ...changed },
      post_processor: withTokens(template, (token) => (idOf(token) === undefined ? first : token), idOf),
    } },
    // of tokenizer_config.json
    added: new Map(tokensOf(kept.filter((id) => tokens[id] === undefined))
      .map((token) => [Number(idOf(token)), token])),
  };
}
