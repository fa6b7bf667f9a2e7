// po.js - gettext's .po and .pot: entries without a translation, and fuzzy ones, whose source has changed. Translations
// that are there stay, and all else byte for byte.
//
//   lines -> entries: msgctxt, msgid, msgid_plural, msgstr -> a translation for each form of the target's plurals
//
// The header gets Language and Plural-Forms if it has none. No library is used: gettext-parser gives no places and
// writes the whole file anew, and the format is a list of lines.

import { languageOf } from '../model/languages.js';
import { marksOf, withMark, withoutMark } from './keys.js';
import { addMessage, placeholdersOf } from './messages.js';
import { pluralForms, readForms } from './plurals.js';
import { Builder, DocumentError, unlessRefused } from './unit.js';

/** @typedef {import('./unit.js').Write} Write */
/**
 * @typedef {object} Field  msgid and the like
 * @property {string} name
 * @property {string} text  without escapes
 * @property {number} start  of its first line
 * @property {number} end  of its last line, without the line break
 * @property {number} line
 */
/**
 * @typedef {object} Entry
 * @property {Map<string, Field>} fields  by name
 * @property {{ start: number, end: number, text: string }[]} flags  lines that begin with `#,`, with their line breaks
 * @property {{ start: number, end: number, text: string }[]} previous  and with `#|`
 * @property {number} line
 */

const LINE = /^[ \t]*(?:(?<name>msgctxt|msgid_plural|msgid|msgstr(?:\[\d{1,2}\])?)[ \t]*)?(?<string>".*)?[ \t\r]*$/;
const STRING = /^"(?:[^"\\]|\\(?:[abfnrtv"\\?]|[0-7]{1,3}|x[\da-fA-F]{1,2}))*"[ \t\r]*$/;
/** What comes after what in an entry. @type {Record<string, string[]>} */
const AFTER = {
  msgctxt: [''], msgid: ['', 'msgctxt'], msgid_plural: ['msgid'], msgstr: ['msgid'],
  'msgstr[0]': ['msgid_plural'],
};
/** @type {Record<string, string>} */
const ESCAPES = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '"': '"', '\\': '\\', '?': '?' };

/** @param {string} string  in quotes */
const decode = (string) => string.slice(1, string.lastIndexOf('"'))
  .replace(/\\(?:x([\da-fA-F]{1,2})|([0-7]{1,3})|(.))/g, (_, hex, octal, c) =>
    (c === undefined ? String.fromCharCode(parseInt(hex ?? octal, hex ? 16 : 8)) : ESCAPES[c]));

/** @param {string} text */
const encode = (text) => `"${text.replace(/[\\"]/g, '\\$&').replace(/[\x07\b\f\n\r\t\v]/g, (c) =>
  `\\${Object.keys(ESCAPES).find((name) => ESCAPES[name] === c)}`)}"`;

/** Columns of a line of a file that gettext wrote. */
const WIDTH = 79;

/**
 * A field as gettext writes it.
 *
 * @param {string} name
 * @param {string} text
 * @param {boolean} isWrapped  lines are broken at spaces, too
 */
function writeField(name, text, isWrapped) {
  const whole = `${name} ${encode(text)}`;
  const isOneLine = !/\n[^]/.test(text) && (!isWrapped || whole.length <= WIDTH);
  if (isOneLine) return whole;
  const lines = (text.match(/[^\n]*\n|[^\n]+/g) ?? []).flatMap((line) => {
    if (!isWrapped) return [line];
    const parts = [''];
    for (const word of line.match(/\S+[^\S\n]*\n?|\s+/g) ?? []) {
      const last = parts[parts.length - 1];
      if (last !== '' && encode(last + word.trimEnd()).length > WIDTH - 1) parts.push(word);
      else parts[parts.length - 1] += word;
    }
    return parts;
  });
  return [`${name} ""`, ...lines.map(encode)].join('\n');
}

/**
 * @param {string} source
 * @returns {Entry[]}
 */
function readEntries(source) {
  /** @type {Entry[]} */
  const entries = [];
  const make = (/** @type {number} */ line) =>
    /** @type {Entry} */ ({ fields: new Map(), flags: [], previous: [], line });
  let entry = make(1);
  let last = ''; // the name of the last field
  const finish = (/** @type {number} */ line) => {
    if (last !== '' && !last.startsWith('msgstr')) {
      throw new DocumentError(line, `found the end of an entry after ${last}, expected msgstr`);
    }
    if (last !== '') entries.push(entry);
    entry = make(line);
    last = '';
  };
  let number = 0;
  for (const { 0: text, index } of source.matchAll(/[^\n]*(?:\n|$)/g)) {
    number++;
    const line = text.replace(/\r?\n$/, '');
    if (index === source.length) break;
    if (line.trim() === '' || /^\s*#/.test(line)) {
      if (last.startsWith('msgstr') || line.trim() === '') finish(number);
      const own = { start: index, end: index + text.length, text: line };
      if (/^\s*#,/.test(line)) entry.flags.push(own);
      else if (/^\s*#\|/.test(line)) entry.previous.push(own);
      continue;
    }
    const { name: written, string } = LINE.exec(line)?.groups ?? {};
    const name = written?.replace(/\[0(?=\d)/, '[');
    if (string === undefined || !STRING.test(string)) {
      throw new DocumentError(number, `found '${line.trim().slice(0, 40)}', expected a comment, or msgid or msgstr `
        + 'and a string in quotes');
    }
    const end = index + line.trimEnd().length;
    if (name === undefined) {
      const field = entry.fields.get(last);
      if (!field) throw new DocumentError(number, 'found a string, expected msgid before it');
      field.text += decode(string);
      field.end = end;
      continue;
    }
    const isNext = (name === 'msgctxt' || name === 'msgid') && last.startsWith('msgstr');
    if (isNext) finish(number);
    const form = /^msgstr\[(\d+)\]$/.exec(name);
    const after = form && Number(form[1]) > 0 ? [`msgstr[${Number(form[1]) - 1}]`] : AFTER[name];
    if (!after.includes(last)) {
      throw new DocumentError(number, `found ${name} after ${last || 'the beginning of an entry'}, expected `
        + `${after.filter(Boolean).join(' or ') || 'it first'} before it`);
    }
    entry.fields.set(name, { name, text: decode(string), start: index, end, line: number });
    last = name;
  }
  finish(number);
  return entries;
}

const FUZZY = /,[ \t]*fuzzy\b/;

/** The text with the white space around it that another has. @param {string} text @param {string} other */
const withSpaces = (text, other) =>
  (/^\s*/.exec(other)?.[0] ?? '') + text.trim() + (other.trim() === '' ? '' : /\s*$/.exec(other)?.[0] ?? '');

/** Reads a file and says what is to be written into it. */
class Reader {
  #builder;
  #source;
  #target;
  /** @type {ReturnType<typeof readForms>} */
  #forms = [];
  #isWrapped;
  /** Of keyboard keys. @type {Set<string>} */
  #marks = new Set();

  /** @param {string} source @param {string} target  a language tag */
  constructor(source, target) {
    this.#source = source;
    this.#target = target;
    this.#builder = new Builder(source);
    this.#isWrapped = !/^(?:\w+ )?".{80,}"$/m.test(source);
  }

  /**
   * Removes what says that an entry is out of date.
   *
   * @param {Entry} entry
   * @param {(translations: string[]) => boolean} isDone  the entry is translated
   */
  #clean({ flags, previous }, isDone) {
    for (const { start, end, text } of [...flags, ...previous].sort((a, b) => a.start - b.start)) {
      const isFlags = /^\s*#,/.test(text);
      if (isFlags && !FUZZY.test(text)) continue;
      const rest = isFlags ? text.replace(FUZZY, '') : '#';
      const line = /^\s*#\s*$/.test(rest) ? '' : rest + this.#source.slice(start + text.length, end);
      const own = this.#source.slice(start, end);
      this.#builder.replace(start, end, (translations) => (isDone(translations) ? line : own));
    }
  }

  /** @param {Entry | undefined} header @param {boolean} hasPlurals */
  #readHeader(header, hasPlurals) {
    const field = header?.fields.get('msgstr');
    const line = field?.line ?? 1;
    const lines = (field?.text ?? 'MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\n'
      + 'Content-Transfer-Encoding: 8bit\n').split('\n');
    const get = (/** @type {string} */ name) => {
      const start = `${name.toLowerCase()}:`;
      return lines.find((each) => each.toLowerCase().startsWith(start))?.slice(start.length).trim();
    };
    const set = (/** @type {string} */ name, /** @type {string} */ value) => {
      const at = lines.findIndex((each) => each.toLowerCase().startsWith(`${name.toLowerCase()}:`));
      if (at >= 0) lines[at] = `${name}: ${value}`;
      else lines.splice(lines.at(-1) === '' ? -1 : lines.length, 0, `${name}: ${value}`);
    };
    const type = get('Content-Type') ?? '';
    const charset = /charset=([\w-]+)/i.exec(type)?.[1] ?? 'UTF-8';
    if (!/^(?:utf-?8|charset|us-ascii|ascii)$/i.test(charset)) {
      throw new DocumentError(line, `found charset=${charset}, expected UTF-8 (msgconv --to-code=UTF-8)`);
    }
    if (/^charset$/i.test(charset)) set('Content-Type', type.replace(/charset=\w+/i, 'charset=UTF-8'));
    const language = get('Language') ?? '';
    if (language === '') set('Language', this.#target.replaceAll('-', '_'));
    else if (languageOf(language.replace(/[@.].*/, '').replaceAll('_', '-')) !== languageOf(this.#target)) {
      throw new DocumentError(line, `Language: found ${language}, expected ${this.#target}, to which it is translated`);
    }
    const forms = get('Plural-Forms') ?? '';
    const isOpen = forms === '' || /INTEGER|EXPRESSION/.test(forms);
    const own = isOpen ? pluralForms(this.#target) : forms;
    if (hasPlurals || (isOpen && forms !== '')) {
      if (isOpen) set('Plural-Forms', own);
      this.#forms = readForms(own, line);
    }
    const text = lines.join('\n');
    if (field && header) {
      this.#clean({ ...header, previous: [] }, () => true);
      if (text !== field.text) this.#builder.replace(field.start, field.end, () => writeField('msgstr', text, false));
    } else {
      this.#builder.replace(0, 0, () => `msgid ""\n${writeField('msgstr', text, false)}\n\n`);
    }
  }

  /** @param {Field} field @param {Entry} entry @returns {Write} */
  #add({ text, start }, { flags }) {
    const isOrdered = flags.some((flag) => /,[ \t]*python-format\b/.test(flag.text));
    const marked = withoutMark(text, this.#marks);
    const plain = marked?.plain ?? text;
    const write = addMessage(this.#builder, plain, start, isOrdered);
    return (translations, tell) => {
      const own = write(translations, tell);
      return withSpaces(own === plain ? text : marked ? withMark(own, marked) : own, text);
    };
  }

  /**
   * Adds an entry that is not translated. It stays as it is if a translation does not fit.
   *
   * @param {Entry} entry
   * @param {boolean} isFuzzy
   */
  #addEntry(entry, isFuzzy) {
    const plural = entry.fields.get('msgid_plural');
    const fields = [...entry.fields.values()].filter(({ name }) => name.startsWith('msgstr'));
    const first = this.#builder.units.length;
    const writeEntry = plural ? this.#plurals(entry, fields, isFuzzy) : this.#singular(entry);
    const write = unlessRefused(this.#builder.units.slice(first), writeEntry);
    if (isFuzzy) this.#clean(entry, (translations) => write(translations, () => {}) !== undefined);
    const { start, end } = { start: fields[0].start, end: fields[fields.length - 1].end };
    this.#builder.replace(start, end, (translations, tell) =>
      write(translations, tell) ?? this.#source.slice(start, end));
  }

  /** @param {Entry} entry @returns {Write} */
  #singular(entry) {
    const write = this.#add(/** @type {Field} */ (entry.fields.get('msgid')), entry);
    return (translations, tell) => writeField('msgstr', write(translations, tell), this.#isWrapped);
  }

  /** @param {Entry} entry @param {Field[]} fields  its translations @param {boolean} isFuzzy @returns {Write} */
  #plurals(entry, fields, isFuzzy) {
    const get = (/** @type {string} */ name) => entry.fields.get(name);
    const [id, plural] = /** @type {Field[]} */ ([get('msgid'), get('msgid_plural')]);
    const extra = fields[this.#forms.length];
    if (extra && extra.text !== '') {
      throw new DocumentError(extra.line,
        `found ${extra.name}, expected ${this.#forms.length} forms, as Plural-Forms says`);
    }
    const isAlike = placeholdersOf(id.text) === placeholdersOf(plural.text);
    /** @type {Map<Field, Write>} */
    const writers = new Map();
    const forms = this.#forms.map(({ isOne, isOnlyOne }, i) => {
      const name = `msgstr[${i}]`;
      const own = get(name);
      if (own && own.text !== '' && !isFuzzy) return () => this.#source.slice(own.start, own.end);
      // a form of 1 and 21 needs the number; where all numbers have one form, most are not 1
      const from = isOnlyOne || (isOne && isAlike && this.#forms.length > 1) ? id : plural;
      const write = writers.get(from) ?? this.#add(from, entry);
      writers.set(from, write);
      return (/** @type {string[]} */ translations, /** @type {import('./unit.js').Tell} */ tell) =>
        writeField(name, write(translations, tell), this.#isWrapped);
    });
    return (translations, tell) => forms.map((write) => write(translations, tell)).join('\n');
  }

  /** @returns {import('./unit.js').Document} */
  read() {
    const entries = readEntries(this.#source);
    const isHeader = (/** @type {Entry} */ { fields }) => fields.get('msgid')?.text === '' && !fields.has('msgctxt');
    const [header, ...more] = entries.filter(isHeader);
    if (more.length > 0) {
      throw new DocumentError(more[0].line, 'found a second header, expected a msgid that is not empty');
    }
    if (header && header !== entries[0]) throw new DocumentError(header.line, 'found a header, expected it first');
    if (entries.length > 0) this.#readHeader(header, entries.some(({ fields }) => fields.has('msgid_plural')));
    this.#marks = marksOf(entries.map(({ fields }) => fields.get('msgid')?.text ?? ''));
    for (const entry of entries) {
      if (entry === header) continue;
      const isFuzzy = entry.flags.some(({ text }) => FUZZY.test(text));
      const texts = [...entry.fields.values()].filter(({ name }) => name.startsWith('msgstr'));
      const isWhole = texts.every(({ text }) => text !== '') &&
        (!entry.fields.has('msgid_plural') || texts.length >= this.#forms.length);
      if (isFuzzy || !isWhole) this.#addEntry(entry, isFuzzy);
    }
    return this.#builder.finish();
  }
}

/**
 * @param {string} source
 * @param {{ target: string }} options  a language tag
 * @returns {import('./unit.js').Document}
 */
export const readPo = (source, { target }) => new Reader(source, target).read();
