// messages.js - texts of programs: placeholders, tags, and ICU messages with plurals and choices. Used by the formats
// that have such texts: json.js, po.js and xliff.js.
//
//   Hello {name}, %d new   ->   words that are not translated, between texts: see inline.js
//   You have {n, plural, one {# file} other {# files}}.   ->   a sentence for each case:
//   {n, plural, one {You have # file.} other {You have # files.}}

import { MAX_CASES } from '../base/limits.js';
import { addPieces, sourceOf } from './inline.js';
import { parse } from './messageformat.js';
import { DocumentError, GAP, gapTest, hasWords } from './unit.js';

/** @typedef {import('./inline.js').Piece} Piece */
/** @typedef {import('./unit.js').Builder} Builder */
/** @typedef {import('./unit.js').Write} Write */
/** @typedef {import('./unit.js').Tell} Tell */
/** @typedef {Extract<ReturnType<typeof parse>[number], { cases: any }>} Select */
/** @typedef {Select['cases'][number]['tokens'][number]} Token */
/** @typedef {Token & { start: number, end: number }} Node */
/** @typedef {{ decode: (raw: string) => string, encode: (text: string) => string }} Codec  of the texts of a message */

/** Parts of a date or a time for strftime: at least one that printf has not, and no %s. */
const [TIME, OWN_TIME] = ['A-Za-rt-z', 'YmyBbHIMSjZ'].map((letters) => `%[-_^#]?[${letters}](?!_?[A-Za-z\\d])`);
/** What is between them. */
const BETWEEN = '[-/.:,_]? ?';
/** Placeholders of many libraries, and tags; what divides columns. */
const PLACEHOLDER = new RegExp([
  GAP.source,
  // %NAME%, but not the beginning of %Y_%m
  '%[A-Z_][A-Z\\d_]*%(?![-_^#]?[A-Za-z]|%)',
  `(?:${TIME}${BETWEEN}){0,6}${OWN_TIME}(?:${BETWEEN}${TIME}){0,6}`,
  // {{x}} ${x} #{x} %{x} {x} {0, date, short}
  '\\{\\{[^{}]*\\}\\}|[$#%]?\\{[^{}]*\\}',
  // printf: %s %1$d %(name)s %-5.2f %%
  "%%|%(?:\\([\\w.]+\\)|\\d+\\$)?[-+0#']*(?:\\d+|\\*)?(?:\\.(?:\\d+|\\*))?(?:hh?|ll?|[qLjzt])?" +
    '(?:[sd@]|[iouxXeEfFgGaAcpn](?![A-Za-z]))',
  // Qt: %1 %L1; %NAME%; $NAME$ $$NAME$$; a dollar sign; references to other messages: $t(key) @:key
  '%L?\\d{1,2}(?!\\d)|%[A-Z_][A-Z\\d_]*%|(?<dollars>\\$\\$?)[A-Za-z_]\\w*\\k<dollars>|' +
    '\\$\\$(?![A-Za-z_]\\w*\\$)(?:\\d+(?:[.,]\\d+)*)?|\\$t\\([^()]*\\)|' +
    '@(?:\\.\\w+)?:(?:\\([^()]*\\)|[\\w.]+\\w)',
  // options of commands: -o, but not file(-s)
  '(?<![^\\s([,|]\\(?)-[A-Za-z](?![\\w-])',
  // Ruby and PHP: :name
  '(?<![\\w:]):[a-z_]\\w+(?![\\w:])',
  // tags; code with its content
  '<(?<code>code|kbd|samp|var)(?:\\s[^<>]*)?>[^<>]*</\\k<code>>|</?[A-Za-z\\d][\\w:.-]*(?:\\s[^<>]*)?/?>',
].join('|'), 'g');
/** Elements without an end tag. */
const VOID = /^<(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b|\/>$/i;

/** An element of Angular's XLIFF that stands for a value; in messages, xliff.js has another sign for '. */
export const VALUE = /^<(?:x|ph)\s(?:[^<>]*\s)?(?:id|equiv)=["'\ufdd3](?:INTERPOLATION|ICU)/;

/** A message with plurals or choices. */
const ICU = /\{\s*[\w.-]+\s*,\s*(?:plural|select|selectordinal)\s*,/;

/** @param {string} source @returns {Piece} */
function pieceOf(source) {
  if (source.trim() === '') return { kind: 'gap', text: '', source };
  if (VALUE.test(source)) return { kind: 'word', text: '{0}', source };
  const isTag = /^<[^]*>$/.test(source);
  if (!isTag || /^<(?:code|kbd|samp|var)\b[^]*<\//.test(source)) return { kind: 'word', text: source, source };
  if (/^<br\b/i.test(source)) return { kind: 'break', text: '', source };
  const kind = source.startsWith('</') ? 'close' : VOID.test(source) ? 'point' : 'open';
  return { kind, text: '', source };
}

/** Names of tags pair them: an end tag without a start tag of its name is alone. @param {Piece[]} pieces */
export function pairNames(pieces) {
  const nameOf = (/** @type {Piece} */ piece) => /^<\/?([\w:.-]+)/.exec(String(piece.source))?.[1];
  /** @type {Piece[]} */
  const open = [];
  const alone = new Set(pieces.filter(({ kind }) => kind === 'open' || kind === 'close'));
  for (const piece of pieces) {
    if (piece.kind === 'open') open.push(piece);
    if (piece.kind !== 'close') continue;
    const at = open.findLastIndex((other) => nameOf(other) === nameOf(piece));
    if (at < 0) continue;
    alone.delete(piece);
    alone.delete(open[at]);
    open.length = at;
  }
  return pieces.map((piece) => (alone.has(piece) ? { ...piece, kind: /** @type {const} */ ('point') } : piece));
}

/**
 * The pieces of a text with placeholders and tags.
 *
 * @param {string} text
 * @returns {Piece[]}
 */
export function piecesOf(text) {
  /** @type {Piece[]} */
  const pieces = [];
  let at = 0;
  const add = (/** @type {number} */ to) => {
    if (to > at) pieces.push({ kind: 'text', text: text.slice(at, to), source: text.slice(at, to) });
  };
  const isGap = gapTest(text);
  for (const { 0: found, index } of text.matchAll(PLACEHOLDER)) {
    if (found.trim() === '' && !isGap(index, index + found.length)) continue;
    add(index);
    pieces.push(pieceOf(found));
    at = index + found.length;
  }
  add(text.length);
  return pieces;
}

/** The placeholders, tags and tabs of a text, in any order. @param {string} text */
export const placeholdersOf = (text) => piecesOf(text)
  .flatMap(({ kind, source }) => (kind === 'text' || kind === 'gap' ? [] : [source])).sort()
  .concat(text.match(/\t/g) ?? []).join('\n');

/** What tell() hears of it. */
export const UNFIT = 'the translation has other placeholders, or in another order; the text stays as it is';

/** @param {Piece[]} pieces */
const isWorded = (pieces) => pieces.some(({ kind, text }) => kind === 'text' && hasWords(text));

/** A placeholder of printf without a number or a name: it means the next argument. */
const NEXT = /^%[-+0#']*[\d*]*(?:\.[\d*]*)?[hlqLjzt]*[diouxXeEfFgGaAcspn@]$/;

/** A date with a part that printf has, too: it cannot get a number. */
const MIXED = /^(?=%.+%[-_^#]?[A-Za-z]$).*%[-_^#]?[diouxXeEfFgGaAcpn]/;

/**
 * The sources of the pieces of a translation. Placeholders of printf in another order than in the source get numbers.
 *
 * @param {Piece[]} translated
 * @param {Piece[]} pieces  of the source
 * @param {boolean} isOrdered  there are no numbers in this language
 * @returns {Piece['source'][] | undefined}  undefined: they cannot have another order
 */
export function inOrder(translated, pieces, isOrdered) {
  const isMixed = (/** @type {Piece} */ { source }) => MIXED.test(String(source));
  const isNext = (/** @type {Piece} */ piece) =>
    piece.kind === 'word' && (NEXT.test(String(piece.source)) || isMixed(piece));
  const arguments_ = pieces.filter(isNext);
  const found = translated.filter(isNext);
  if (found.every((piece, i) => piece.source === arguments_[i].source)) return translated.map(({ source }) => source);
  if (isOrdered || arguments_.some((piece) => String(piece.source).includes('*') || isMixed(piece))) return undefined;
  return translated.map((piece) => (isNext(piece)
    ? `%${arguments_.indexOf(piece) + 1}$${String(piece.source).slice(1)}` : piece.source));
}

/**
 * Adds a text with placeholders.
 *
 * @param {Builder} builder
 * @param {string} text
 * @param {number} position
 * @param {boolean} isOrdered  placeholders of printf cannot have numbers
 * @returns {Write}
 */
function addPlain(builder, text, position, isOrdered) {
  const pieces = piecesOf(text);
  if (!isWorded(pieces)) return () => text;
  const write = addPieces(builder, pairNames(pieces), position);
  return (translations, tell) => {
    const translated = write(translations);
    if (!translated) return text;
    const join = (/** @type {Piece['source'][]} */ sources) =>
      sources.map((source) => sourceOf({ source }, translations, tell)).join('');
    const ordered = inOrder(translated, pieces, isOrdered);
    // a model may write what a program takes for a placeholder
    const isFit = placeholdersOf(join(translated.map(({ source }) => source))) === placeholdersOf(text);
    if (ordered && isFit) return join(ordered);
    tell(builder.lineAt(position), UNFIT);
    return text;
  };
}

// ---------------------------------------------------------------- ICU

/**
 * @template {Token} T
 * @param {T} token
 * @returns {token is T & Select}
 */
const isComplex = (token) => token.type === 'plural' || token.type === 'select' || token.type === 'selectordinal';

/** An ICU message, and what is found of it. */
class Message {
  #builder;
  #source;
  #position;
  #codec;
  #left = MAX_CASES;

  /** @param {Builder} builder @param {string} source @param {number} position @param {Codec} codec */
  constructor(builder, source, position, codec) {
    this.#builder = builder;
    this.#source = source;
    this.#position = position;
    this.#codec = codec;
  }

  /** @returns {Write} */
  add() {
    let tokens;
    try {
      tokens = parse(this.#source, { strict: false });
    } catch (/** @type {any} */ error) {
      const [what] = error.message.split('\n');
      throw new DocumentError(this.#builder.lineAt(this.#position), `not an ICU message: ${what}`);
    }
    return this.#addNodes(this.#placed(tokens, this.#source.length), false, true);
  }

  /** Nodes with their ends. @param {Token[]} tokens @param {number} end */
  #placed(tokens, end) {
    return tokens.map((token, i) =>
      /** @type {Node} */ ({ ...token, start: token.ctx.offset, end: tokens[i + 1]?.ctx.offset ?? end }));
  }

  /** The part of the source between two positions, before white space. @param {number} end */
  #lastBefore(end) {
    while (/\s/.test(this.#source[end - 1])) end--;
    return end;
  }

  /**
   * The cases of a plural or a choice: what is written before each, its nodes, and what is written at the end.
   *
   * @param {Node & Select} node
   */
  #casesOf({ start, end, ctx, cases }) {
    const last = this.#lastBefore(end - 1) - 1; // the brace of the last case
    const own = cases.map(({ tokens, ctx: { offset, text } }, i) => {
      const to = i + 1 < cases.length ? cases[i + 1].ctx.offset - 1 : last;
      return { lead: text, nodes: this.#placed(tokens, to), start: offset + text.length, end: to };
    });
    const head = this.#source.slice(start, start + ctx.text.length);
    return { head, cases: own, tail: this.#source.slice(last, end) };
  }

  /**
   * @param {Node[]} nodes
   * @param {boolean} isPlural  a plural is around: # is its number
   * @param {boolean} isWhole  nothing is around them but the cases that they are
   * @returns {Write}
   */
  #addNodes(nodes, isPlural, isWhole) {
    const complex = nodes.filter(isComplex);
    if (complex.length === 1 && isWhole) {
      const [node] = complex;
      const [before, after] = [nodes.slice(0, nodes.indexOf(node)), nodes.slice(nodes.indexOf(node) + 1)];
      const own = node.type !== 'select';
      // its own number is not that of a plural around
      const isMoved = !(own && [...before, ...after].some(({ type }) => type === 'octothorpe'));
      this.#left -= node.cases.length;
      if (isMoved && this.#left >= 0) {
        const { head, cases, tail } = this.#casesOf(node);
        const writers = cases.map(({ lead, nodes: inner }) =>
          ({ lead, write: this.#addNodes([...before, ...inner, ...after], isPlural || own, true) }));
        return (translations, tell) => head + writers.map(({ lead, write }, i) =>
          (i > 0 ? '}' : '') + lead + write(translations, tell)).join('') + tail;
      }
    }
    return this.#addText(nodes, isPlural);
  }

  /** Adds nodes as one text, cases in them apart. @param {Node[]} nodes @param {boolean} isPlural @returns {Write} */
  #addText(nodes, isPlural) {
    /** @type {Piece[]} */
    const pieces = nodes.flatMap((node) => {
      const source = this.#source.slice(node.start, node.end);
      if (node.type === 'content') {
        return piecesOf(node.value).map((piece) => (piece.kind === 'text'
          ? { ...piece, text: this.#codec.decode(piece.text) }
          : { ...piece, source: this.#encode(String(piece.source), isPlural) }));
      }
      if (node.type === 'octothorpe') return [{ kind: /** @type {const} */ ('word'), text: '{0}', source }];
      if (node.type === 'argument' || node.type === 'function') {
        return [{ kind: /** @type {const} */ ('word'), text: `{${node.arg}}`, source }];
      }
      if (!isComplex(node)) return [];
      const { head, cases, tail } = this.#casesOf(node);
      const writers = cases.map(({ lead, nodes: inner }) =>
        ({ lead, write: this.#addNodes(inner, isPlural || node.type !== 'select', false) }));
      /** @type {Write} */
      const write = (translations, tell) => head + writers.map((each, i) =>
        (i > 0 ? '}' : '') + each.lead + each.write(translations, tell)).join('') + tail;
      return [{ kind: /** @type {const} */ ('word'), text: `{${node.arg}}`, source: write }];
    });
    /** @param {Piece[]} all @param {string[]} translations @param {Tell} tell */
    const join = (all, translations, tell) => all.map((piece) => (piece.kind === 'text'
      ? this.#encode(this.#codec.encode(piece.text), isPlural) : sourceOf(piece, translations, tell))).join('');
    if (!isWorded(pieces)) return (translations, tell) => join(pieces, translations, tell);
    const write = addPieces(this.#builder, pairNames(pieces), this.#position);
    return (translations, tell) => join(write(translations) ?? pieces, translations, tell);
  }

  /** Text with ICU's quotes. @param {string} text @param {boolean} isPlural */
  #encode(text, isPlural) {
    const [, before, special = '', after = ''] = /** @type {RegExpExecArray} */ (
      (isPlural ? /^([^{}#]*)([{}#](?:[^]*[{}#])?)?([^]*)$/ : /^([^{}]*)([{}](?:[^]*[{}])?)?([^]*)$/).exec(text));
    const doubled = (/** @type {string} */ part) => part.replaceAll("'", "''");
    // one quote is a quote if no brace follows
    const needed = this.#source.includes("''") || special !== '' || text.endsWith("'");
    const outer = (/** @type {string} */ part) => (needed ? doubled(part) : part.replace(/''+/g, doubled));
    return outer(before) + (special && `'${doubled(special)}'`) + outer(after);
  }
}

/**
 * The arguments and cases of an ICU message, each once; undefined: it is none.
 *
 * @param {string} message
 */
function signatureOf(message) {
  const found = new Set();
  const visit = (/** @type {Token[]} */ tokens) => {
    for (const token of tokens) {
      if (token.type === 'content') continue;
      const arg = token.type === 'octothorpe' ? '#' : token.arg;
      found.add(`${token.type} ${arg}`);
      if (!isComplex(token)) continue;
      for (const { key, tokens: inner } of token.cases) {
        found.add(`${arg} ${key}`);
        visit(inner);
      }
    }
  };
  try {
    visit(parse(message, { strict: false }));
  } catch {
    return undefined;
  }
  return [...found].sort().join('\n');
}

/** @type {Codec} */
const PLAIN = { decode: (raw) => raw, encode: (text) => text };

/** Whether a text is a message of ICU with plurals or choices. @param {string} text */
export const isIcu = (text) => ICU.test(text);

/**
 * Adds a message of ICU.
 *
 * @param {Builder} builder
 * @param {string} text
 * @param {number} position  in the file
 * @param {Codec} [codec]
 * @returns {Write}
 */
export function addIcu(builder, text, position, codec = PLAIN) {
  const first = builder.units.length;
  const write = new Message(builder, text, position, codec).add();
  const own = builder.units.slice(first);
  // a sentence for each case is another way to write the same
  return (translations, tell) => {
    if (own.every((unit, i) => unit.text === translations[first + i])) return text;
    const output = write(translations, tell);
    if (signatureOf(output) === signatureOf(text)) return output;
    tell(builder.lineAt(position), UNFIT);
    return text;
  };
}

/**
 * Adds a text of a program.
 *
 * @param {Builder} builder
 * @param {string} text
 * @param {number} position  in the file
 * @param {boolean} [isOrdered]  placeholders of printf cannot have numbers, as in Python
 * @returns {Write}
 */
export const addMessage = (builder, text, position, isOrdered = false) => (isIcu(text)
  ? addIcu(builder, text, position) : addPlain(builder, text, position, isOrdered));
