// xliff.js - XLIFF 1.2 and 2: units without a target, or with one whose state says that it is not translated. Elements
// inside of a text stand where their words are; all else stays byte for byte.
//
//   saxes.js: tags with their places -> units: source, target -> pieces: inline.js -> <target>

import { languageOf } from '../model/languages.js';
import { encodeText } from '../text/escapes.js';
import { addPieces, sourceOf } from './inline.js';
import { addIcu, inOrder, isIcu, pairNames, piecesOf, placeholdersOf, UNFIT, VALUE } from './messages.js';
import { SaxesParser } from './saxes.js';
import { Builder, DocumentError, hasWords, unlessRefused } from './unit.js';

/** @typedef {import('./inline.js').Piece} Piece */
/** @typedef {import('./unit.js').Write} Write */
/**
 * @typedef {object} Element
 * @property {string} name  without a prefix
 * @property {Record<string, string>} attributes
 * @property {number} start  of its start tag
 * @property {number} from  of its content
 * @property {number} to
 * @property {number} end
 * @property {Element[]} children
 * @property {Element | undefined} parent
 */

/** What stands for a word; what holds text; what breaks a line. Others are copied whole. */
const PAIRS = new Set(['g', 'mrk', 'pc']);
const UNTRANSLATED = new Set(['new', 'needs-translation', 'needs-l10n', 'needs-adaptation', 'initial']);
/** Markup without a tag of its own. */
const RAW = /<!--[^]*?-->|<\?[^]*?\?>|<!\[CDATA\[[^]*?\]\]>/g;
/** @type {Record<string, string>} */
const NAMED = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Text of XML. @param {string} raw */
const decode = (raw) => raw.replace(/&(?:#x([\da-fA-F]+)|#(\d+)|(\w+));/g, (_, hex, decimal, name) =>
  (name ? NAMED[name] : String.fromCodePoint(parseInt(hex ?? decimal, hex ? 16 : 10))));
/** @param {string} text */
const encode = (text) => encodeText(text).replaceAll('&nbsp;', '\u00a0');

/**
 * The elements of a document.
 *
 * @param {string} source
 * @returns {Element}  the root
 */
function readXml(source) {
  const parser = new SaxesParser({ position: true });
  /** @type {Element | undefined} */
  let top;
  /** @type {Element | undefined} */
  let root;
  parser.on('error', (error) => {
    throw new DocumentError(parser.line, `not XML: ${error.message.replace(/^\d+:\d+: /, '')}`);
  });
  parser.on('opentag', ({ name, attributes, isSelfClosing }) => {
    const end = parser.position;
    // no < is in a tag
    const start = source.lastIndexOf('<', end - 1);
    /** @type {Element} */
    const element = { name: name.replace(/^.*:/, ''), attributes: /** @type {any} */ (attributes), start, from: end,
      to: end, end, children: [], parent: top };
    top?.children.push(element);
    root ??= element;
    top = element;
    if (isSelfClosing) element.to = element.from = end;
  });
  parser.on('closetag', ({ isSelfClosing }) => {
    const element = /** @type {Element} */ (top);
    element.end = parser.position;
    element.to = isSelfClosing ? element.end : source.lastIndexOf('<', element.end - 1);
    top = element.parent;
  });
  parser.write(source).close();
  return /** @type {Element} */ (root);
}

/** A tag, and what of it a message of ICU would take for its own. */
const TAG = /<(?!!)(?:"[^"]*"|'[^']*'|[^'"<>])*>/g;
const SIGNS = "{}#'>";
/** What stands for them: no characters of texts. */
const HIDDEN = '\ufdd0\ufdd1\ufdd2\ufdd3\ufdd4';
/** @param {string} raw */
const hideTags = (raw) => raw.replace(TAG, (tag) =>
  `${tag.slice(0, -1).replace(/[{}#'>]/g, (c) => HIDDEN[SIGNS.indexOf(c)])}>`);
/** @param {string} text */
const showTags = (text) => text.replace(/[\ufdd0-\ufdd4]/g, (c) => SIGNS[HIDDEN.indexOf(c)]);

/** The placeholders of a text; elements, which come back once, are none. @param {Piece[]} pieces */
const placeholdersIn = (pieces) => placeholdersOf(pieces.map(({ kind, text, source }) => (kind === 'text' ? text
  : String(source).startsWith('<') ? '\0' : decode(String(source)))).join(''));

/** A start tag with an attribute. @param {string} tag @param {string} name @param {string} value */
function withAttribute(tag, name, value) {
  const own = new RegExp(`(\\s${name}\\s*=\\s*)("[^"]*"|'[^']*')`);
  return own.test(tag) ? tag.replace(own, (_, before) => `${before}"${value}"`)
    : tag.replace(/\s*\/?>$/, (end) => ` ${name}="${value}"${end}`);
}

/** Reads units and collects what is to be written. */
class Reader {
  #source;
  #builder;
  #root;
  #options;
  /** @type {{ start: number, end: number, write: Write }[]} */
  #edits = [];

  /** @param {string} source @param {{ source: string, target: string }} options */
  constructor(source, options) {
    this.#source = source;
    this.#builder = new Builder(source);
    this.#options = options;
    this.#root = readXml(source);
  }

  /** @param {number} start @param {number} end @param {Write} write */
  #edit(start, end, write) {
    this.#edits.push({ start, end, write });
  }

  /** Sets an attribute of a start tag. @param {Element} element @param {string} name @param {string} value */
  #set({ start, from }, name, value) {
    const tag = withAttribute(this.#source.slice(start, from), name, value);
    this.#edit(start, from, () => tag);
  }

  /** Compares the languages of a file with the wanted ones. @param {Element} element @param {string[]} names */
  #checkLanguages(element, [from, to]) {
    const { source, target } = this.#options;
    const { [from]: found, [to]: other } = element.attributes;
    for (const [name, value, wanted] of [[from, found, source], [to, other, target]]) {
      if (value && languageOf(value) !== languageOf(wanted)) {
        throw new DocumentError(this.#builder.lineAt(element.start), `${name}: found ${value}, expected ${wanted}`);
      }
    }
    if (!other) this.#set(element, to, target);
  }

  /**
   * The pieces of a part of the source.
   *
   * @param {Element[]} children
   * @param {number} from
   * @param {number} to
   * @param {boolean} isPreserved  white space is text
   * @returns {Piece[]}
   */
  #pieces(children, from, to, isPreserved) {
    /** @type {Piece[]} */
    const pieces = [];
    const addText = (/** @type {string} */ text) => {
      for (const piece of pairNames(piecesOf(isPreserved ? text : text.replace(/[ \t\r\n]+/g, ' ')))) {
        pieces.push(piece.kind === 'text' ? piece : { ...piece, source: encode(String(piece.source)) });
      }
    };
    const addRaw = (/** @type {string} */ raw) => {
      let at = 0;
      for (const { 0: own, index } of raw.matchAll(RAW)) {
        addText(decode(raw.slice(at, index)));
        if (own.startsWith('<![CDATA[')) addText(own.slice('<![CDATA['.length, -']]>'.length));
        else pieces.push({ kind: 'point', text: '', source: own });
        at = index + own.length;
      }
      addText(decode(raw.slice(at)));
    };
    let at = from;
    for (const child of children) {
      addRaw(this.#source.slice(at, child.start));
      at = child.end;
      const { name, attributes, from: inside, to: until } = child;
      const source = this.#source.slice(child.start, child.end);
      const isFixed = attributes.mtype === 'protected' || attributes.translate === 'no';
      if (PAIRS.has(name) && !isFixed && until > inside) {
        pieces.push({ kind: 'open', text: '', source: this.#source.slice(child.start, inside) },
          ...this.#pieces(child.children, inside, until, isPreserved),
          { kind: 'close', text: '', source: this.#source.slice(until, child.end) });
        continue;
      }
      const shown = isFixed ? decode(this.#source.slice(inside, until).replace(/<[^<>]*>/g, ''))
        : attributes['equiv-text'] ?? attributes.equiv ?? attributes.disp ?? '';
      const isWord = isFixed || /^[^<]*[{%][^<]*$/.test(shown) || VALUE.test(source);
      const isBreak = attributes.ctype === 'lb' || /^(?:fmt:br|lb)$/.test(attributes.subType ?? '');
      const text = isFixed || /^\S{1,40}$/.test(shown) ? shown : '{0}';
      pieces.push({ kind: isWord ? 'word' : isBreak ? 'break' : 'point', text: isWord ? text : '', source });
    }
    addRaw(this.#source.slice(at, to));
    return pieces;
  }

  /**
   * Adds the content of an element.
   *
   * @param {Element} element
   * @returns {Write}
   */
  #add(element) {
    const { from, to, children } = element;
    const raw = this.#source.slice(from, to);
    let isPreserved = false;
    for (let up = /** @type {Element | undefined} */ (element); up; up = up.parent) {
      if (up.attributes['xml:space'] === undefined) continue;
      isPreserved = up.attributes['xml:space'] === 'preserve';
      break;
    }
    // elements are tags of a message
    const message = hideTags(raw);
    if (isIcu(message)) {
      const writeMessage = addIcu(this.#builder, message, from, { decode, encode });
      return (translations, tell) => showTags(writeMessage(translations, tell));
    }
    const pieces = this.#pieces(children, from, to, isPreserved);
    if (!pieces.some(({ kind, text }) => kind === 'text' && hasWords(text))) return () => raw;
    const write = addPieces(this.#builder, pieces, from, isPreserved);
    return (translations, tell) => {
      const translated = write(translations);
      if (!translated) return raw;
      const sources = inOrder(translated, pieces, false);
      if (sources && placeholdersIn(translated) === placeholdersIn(pieces)) {
        return translated.map(({ kind, text }, i) => (kind === 'text' ? encode(text)
          : sourceOf({ source: sources[i] }, translations, tell))).join('');
      }
      tell(this.#builder.lineAt(from), UNFIT);
      return raw;
    };
  }

  /**
   * Adds a unit, if it has no translation.
   *
   * @param {Element} unit  with source and target
   * @param {boolean} isSecond  XLIFF 2
   */
  #unit(unit, isSecond) {
    const find = (/** @type {string} */ name) => unit.children.find((child) => child.name === name);
    const [source, target, divided] = [find('source'), find('target'), find('seg-source')];
    const line = this.#builder.lineAt(unit.start);
    if (!source) throw new DocumentError(line, `found ${unit.name} without source, expected one`);
    const { state } = (isSecond ? unit : target)?.attributes ?? {};
    const isEmpty = !target || this.#source.slice(target.from, target.to).trim() === '';
    if (!isEmpty && !UNTRANSLATED.has(state ?? '')) return;
    if (this.#source.slice(source.from, source.to).trim() === '') return;
    const first = this.#builder.units.length;
    const writeText = this.#add(divided ?? source);
    // if a translation does not fit, the unit stays as it is
    const write = unlessRefused(this.#builder.units.slice(first), writeText);
    if (isSecond && UNTRANSLATED.has(state ?? '')) {
      const own = this.#source.slice(unit.start, unit.from);
      const done = withAttribute(own, 'state', 'translated');
      this.#edit(unit.start, unit.from, (translations) => (write(translations, () => {}) === undefined ? own : done));
    }
    if (!target) {
      const { end } = divided ?? source;
      const indent = /\n[ \t]*$/.exec(this.#source.slice(0, source.start))?.[0] ?? '';
      const prefix = /^<([^\s:<>]+:)/.exec(this.#source.slice(source.start))?.[1] ?? '';
      this.#edit(end, end, (translations, tell) => {
        const text = write(translations, tell);
        return text === undefined ? '' : `${indent}<${prefix}target>${text}</${prefix}target>`;
      });
      return;
    }
    let tag = this.#source.slice(target.start, target.from);
    if (!isSecond && UNTRANSLATED.has(state ?? '')) tag = withAttribute(tag, 'state', 'translated');
    const name = /^<([^\s/>]+)/.exec(tag)?.[1] ?? 'target';
    const open = tag.replace(/\s*\/>$/, '>');
    this.#edit(target.start, target.end, (translations, tell) => {
      const text = write(translations, tell);
      return text === undefined ? this.#source.slice(target.start, target.end) : `${open}${text}</${name}>`;
    });
  }

  /** @returns {import('./unit.js').Document} */
  read() {
    const { name, attributes: { version = '' }, start } = this.#root;
    const isSecond = version.startsWith('2.');
    if (name !== 'xliff' || !(isSecond || version.startsWith('1.'))) {
      const found = `<${name}${version && ` version="${version}"`}>`;
      throw new DocumentError(this.#builder.lineAt(start), `found ${found}, expected <xliff> of version 1.2 or 2`);
    }
    if (isSecond) this.#checkLanguages(this.#root, ['srcLang', 'trgLang']);
    /** @type {{ element: Element, isFixed: boolean }[]} */
    const rest = [{ element: this.#root, isFixed: false }];
    for (let each; (each = rest.pop());) {
      const { element, isFixed: isAround } = each;
      const { translate } = element.attributes;
      const isFixed = translate === 'yes' ? false : translate === 'no' || isAround;
      if (element.name === 'file' && !isSecond) this.#checkLanguages(element, ['source-language', 'target-language']);
      const isUnit = element.name === (isSecond ? 'segment' : 'trans-unit');
      if (isUnit && !isFixed) this.#unit(element, isSecond);
      if (!isUnit) rest.push(...element.children.map((child) => ({ element: child, isFixed })).reverse());
    }
    for (const { start: from, end, write } of this.#edits.sort((a, b) => a.start - b.start || a.end - b.end)) {
      this.#builder.replace(from, end, write);
    }
    return this.#builder.finish();
  }
}

/**
 * @param {string} source
 * @param {{ source: string, target: string }} options  language tags
 * @returns {import('./unit.js').Document}
 */
export const readXliff = (source, options) => new Reader(source, options).read();
