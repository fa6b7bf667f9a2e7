// keep.js - finds text that is not translated, by its form: addresses, code, markup, placeholders, codes and long
// numbers, emoji, words in foreign scripts. Loaded by translate/passing.js if mayKeep() of split.js finds a sign of
// any. glossary.js then handles them like terms that translate to themselves.
//
//   text  ->  one pass for each kind, the most certain first; later passes do not see what a pass finds
//         ->  neighbours with only spaces between them become one span; spans never split a character
//
// Time grows only with the length of the text. Every pattern begins where a run of its characters begins, or reads at
// most a fixed number of characters.

import { DOMAINS, EXTENSIONS } from './endings.js';
import { PICTURE } from './pictures.js';
import { foreignWords } from './scripts.js';

/** @typedef {{ start: number, end: number }} Span  UTF-16, [start, end) */
/**
 * @typedef {(match: RegExpExecArray) => number | undefined} Measure  length of the kept part of a match, from its
 * beginning;
 *   undefined or 0: nothing
 */

/** Replaces characters that an earlier pass took. No pattern matches it. */
const TAKEN = '\u0001';

/** What ends a line, and white space that does not. */
const NL = '\\n\\r\\v\\f\\u0085\\u2028\\u2029';
const SP = `[^\\S${NL}]`;
/** Characters of words. */
const W = '\\p{L}\\p{N}\\p{M}_';
/** No word character before, and none after. */
const BEGIN = `(?<![${W}])`;
const END = `(?![${W}])`;

/** Ends of sentences and closing brackets, which do not belong to an address before them. */
const CLOSERS = /[.,;:!?\u2026'"\u2019\u201c\u201d\u00bb\u203a*_~)\]}>]/;
/** @type {Record<string, string>} */
const OPENED = { ')': '(', ']': '[', '}': '{', '>': '<' };

/**
 * The part of a match that belongs to an address. A final bracket belongs to it if it was opened inside.
 *
 * @param {string} address
 */
function trimAddress(address) {
  let end = address.length;
  /** @type {Record<string, number>} number of open brackets */
  const open = {};
  for (const c of address) {
    if ('([{<'.includes(c)) open[c] = (open[c] ?? 0) + 1;
    else if (c in OPENED) open[OPENED[c]] = (open[OPENED[c]] ?? 0) - 1;
  }
  for (; end > 0 && CLOSERS.test(address[end - 1]); end--) {
    const opener = OPENED[address[end - 1]];
    if (!opener) continue;
    if (open[opener] >= 0) break;
    open[opener]++;
  }
  return end;
}

/**
 * The length of a text without certain characters at its end. A pattern with `+$` would take quadratic time.
 *
 * @param {string} text
 * @param {string} characters
 */
function lengthWithout(text, characters) {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1])) end--;
  return end;
}

/** @type {Measure} */
const whole = ({ 0: match }) => match.length;

/** Longest identifier, in characters. */
const LONGEST_NAME = 80;
/** Small letters before a capital, as in camelCase; not German -In and -Innen, nor a word with Caps Lock on. */
const isCamel = (/** @type {string} */ word) => word.length <= LONGEST_NAME &&
  /\p{Ll}\p{Lu}/u.test(word) && !/\p{Ll}In(?:nen)?$/u.test(word) && !/^\p{Ll}\p{Lu}{4,}$/u.test(word);

/**
 * Words joined by dots, with the text that may follow a host: node.js, example.org/a?b, a.b.c(), but not "e.g" or
 * "end.The".
 *
 * @type {Measure}
 */
function dotted({ 0: match, groups = {} }) {
  let { name, rest = '', call = '' } = /** @type {Record<string, string>} */ (groups);
  const labels = name.split('.');
  const { length } = labels;
  // _the end of a marked text._
  while (/^_+$/.test(labels[labels.length - 1])) labels.pop();
  let marks = 0;
  if (labels.length < length) {
    if (labels.length < 2) return undefined;
    marks = labels[0].search(/[^_]|$/);
    labels[0] = labels[0].slice(marks);
    [name, rest, call] = [labels.join('.'), '', ''];
  }
  const kept = lengthOfName(name, labels, rest, call);
  return kept && marks + kept;
}

/**
 * @param {string} name
 * @param {string[]} labels  of the name
 * @param {string} rest
 * @param {string} call
 */
function lengthOfName(name, labels, rest, call) {
  const last = labels[labels.length - 1];
  const isLong = labels.every((label) => label.length > 1);
  if (labels.some((label) => label.includes('_') || isCamel(label)) || call) return name.length + call.length;
  if (/^\p{N}/u.test(last) || !/\p{L}/u.test(labels[0] + labels[labels.length - 2])) return undefined;
  const isHost = DOMAINS.has(last) && labels[labels.length - 2].length > 1 && /^[\p{Ll}\p{N}.-]+$/u.test(name.slice(1));
  if (isHost) return name.length + trimAddress(rest);
  const isFile = EXTENSIONS.has(last.toLowerCase()) && (last.length > 1 || labels[0].length > 1);
  if (isFile) return name.length;
  return labels.length > 2 && isLong && /^[a-z\d.-]+$/.test(name) ? name.length : undefined;
}

/**
 * A path of several parts without a typical beginning: its last part has an extension, or its parts are not words.
 *
 * @type {Measure}
 */
function path({ 0: match }) {
  const trimmed = match.slice(0, lengthWithout(match, '.-'));
  const parts = trimmed.split('/');
  const last = parts[parts.length - 1] || parts[parts.length - 2];
  const extension = /\.([A-Za-z]\w{0,10})$/.exec(last)?.[1];
  if (extension && EXTENSIONS.has(extension.toLowerCase())) return trimmed.length;
  if (/[A-Za-z\d]_[A-Za-z\d]/.test(trimmed)) return trimmed.length;
  const isHost = /^[\w-]+(?:\.[\w-]+)+$/.test(parts[0]) && DOMAINS.has(parts[0].split('.').pop() ?? '');
  if (isHost) return trimmed.length;
  // PO/5531/27
  const isCode = parts.length > 2 && /^[A-Z\d/.-]+$/.test(trimmed) && /[A-Z]/.test(trimmed) && /\d\d/.test(trimmed);
  return isCode || (match.endsWith('/') && parts.length > 2) ? trimmed.length : undefined;
}

/** @type {Measure} */
function word({ 0: match, groups = {} }) {
  const { name, call = '' } = /** @type {Record<string, string>} */ (groups);
  const isCode = /[\p{L}\p{N}]_+[\p{L}\p{N}]|^__/u.test(name) || name.includes('::') || isCamel(name);
  if (isCode) return match.length;
  return call === '()' && /^[A-Za-z_$][\w$]*$/.test(name) ? match.length : undefined;
}

/**
 * Letters and digits in one word: AB-1234, C4H10, v1.2.3, mp3; not 1st, 5kg, 10am, 16h30, 20-minute, 3-D.
 *
 * @type {Measure}
 */
function code({ 0: match }) {
  const letters = match.replace(/[^\p{L}]+/gu, '');
  const body = match.replace(/^[vV](?=\d)/, '').replace(/(?<=\d)[a-z]$/, '');
  if (letters === '' || !/\d/.test(match)) return undefined;
  if (/^\d+(?:[.:]\d+)?(?:AM|PM|ST|ND|RD|TH|ER|H|E|S|[a-z]+|[a-zA-Z]\d+)$/u.test(match)) return undefined;
  if (/^[vV]\d+(?:\.\d+)*$/.test(match)) return match.length;
  if (/^[A-Z\d]+(?:[-/.:][A-Z\d]+)*$/.test(body)) {
    // in words with hyphens, one part has two capitals or a digit next to a letter; else it may be a size or a score
    return /[A-Z]/.test(match) && !/^\d+(?:-[A-Z]+)+$/.test(match) ? match.length : undefined;
  }
  if (/[^\p{L}\p{N}]/u.test(match)) {
    // hexadecimal groups, which are not words
    return /^[\da-fA-F]{4,}(?:-[\da-fA-F]{4,})+$/.test(match) ? match.length : undefined;
  }
  const turns = (match.match(/\p{L}(?=\d)|\d(?=\p{L})/gu) ?? []).length;
  return turns > 1 || /^[A-Za-z]+\d+$/.test(match) ? match.length : undefined;
}

/**
 * Plain numbers with at least this many digits are kept. In everyday sentences of the corpora, the reference repeats 97
 * % of numbers with four digits, 88 % with three, and 85 % with two or one; the others are written as words.
 */
const LONG = 4;
/** Groups of three after a space, as French has them in numbers. */
const GROUPED = /^\d{1,3}(?:[ \u00a0\u202f]\d{3})+$/;
/** A time with thousandths of a second, as of subtitles. */
const STAMP = /^\d{1,3}(?::\d\d){1,2}[.,]\d{3}$/;
/** A day, a month, a year; a time. */
const DATE = /^(?:\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d{2})|\d{1,4}\/\d{1,4})$/;

/**
 * Digits with what joins them: telephone numbers, bank accounts, ISBN, versions, addresses of machines; not quantities,
 * dates and times of day, which languages write in their own ways.
 *
 * @param {boolean} isSpaced  the language parts thousands by spaces
 * @returns {Measure}
 */
const digits = (isSpaced) => ({ 0: match }) => {
  const number = match.replace(/[^\d)]+$/, '');
  const groups = number.match(/\d+/g) ?? [];
  const count = groups.join('').length;
  if (STAMP.test(number)) return number.length;
  if (DATE.test(number) || number.includes(',')) return undefined;
  if (number.startsWith('+')) return count > 5 ? number.length : undefined;
  if (/[.:]/.test(number)) {
    // 1.2.3 and 192.168.4.20, not 1.234.567
    const isDotted = /^\d+(?:\.\d+){2,}$/.test(number) && !groups.slice(1).every((group) => group.length === 3);
    return isDotted ? number.length : undefined;
  }
  if (number.startsWith('(')) return /\)\D*\d/.test(number) && count > 5 ? number.length : undefined;
  if (/^0\d/.test(number) && count > 2) return number.length;
  if (GROUPED.test(number)) {
    const isQuantity = isSpaced || (groups[0] ?? '').length < 3 || number.endsWith('000');
    return isQuantity ? undefined : number.length;
  }
  const isDated = groups.some((group) => /^(?:19|20)\d\d$/.test(group));
  if (/[ \u00a0\u202f]/.test(number)) return count > 6 && groups.length > 2 && !isDated ? number.length : undefined;
  if (/^\d+(?:-\d+)+$/.test(number)) return count > 6 ? number.length : undefined;
  return number.length >= LONG && /^\d+$/.test(number) ? number.length : undefined;
};

/** Flags, keys, other symbols, and faces of signs. */
const EMOJI = `\\p{Regional_Indicator}{1,2}|[\\d#*]\\ufe0f?\\u20e3|${PICTURE}|` +
  '(?<![^\\s])(?:[:;]\'?-?[()DP]|<3)(?![^\\s.,!?])';

/**
 * Signs that are written alike in all languages, and that models have hardly seen: trade marks, with their word; a
 * copyright; a paragraph or a fraction with its number; signs of mathematics; what divides the parts of a line; small
 * digits of notes and of units; \u00b5.
 */
const SIGN = `(?<![${W}'\u2019-])[${W}]+(?:[-'\u2019][${W}]+)*[\u00ae\u2120\u2122]|` +
  '\u00b1(?:\\d+(?![.,]?\\d))?|' +
  '\u00b5[A-Za-z]{0,2}[\u00b2\u00b3]?(?:/[A-Za-z]{1,2}[\u00b2\u00b3]?)?(?![' + W + '])|' +
  '[\u00a9\u00ae\u2117\u2120\u2122\u2020-\u2022\u2030\u2200-\u22ff|\u00a6]|' +
  '[\u00a7\u00b6\u2116]{1,2}(?:[ \u00a0]?\\d{1,5}[a-z]?(?![' + W + ']|[.,]\\d))?|' +
  '(?:(?<!\\d)\\d{1,4}[ \u00a0]?)?[\u00bc-\u00be\u2150-\u215e]|(?<!\\p{L})\u00b7|\u00b7(?!\\p{L})|' +
  `(?<![${W}])(?:[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]+|[A-Za-z]{1,3}[\u00b2\u00b3])(?![${W}])`;

/** Code points that belong to the character before them. */
const MORE = /[\p{M}\p{Emoji_Modifier}\u200c\u200d\u{e0020}-\u{e007f}]+/uy;
/** Code points that belong to the character after them. */
const PREPENDED = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e]/;

/**
 * The passes for a language, in order: a pattern, how much of a match is kept, and a sign that every match has. A text
 * without the sign need not be searched with the pattern, which takes longer.
 *
 * @param {string} language
 * @returns {{ passes: [pattern: RegExp, measure: Measure, sign: RegExp][], foreign: RegExp | undefined }}  foreign: the
 *   pattern for words in foreign scripts, which is one of them
 */
function makePasses(language) {
  const group = new Intl.NumberFormat(language).formatToParts(10_000).find(({ type }) => type === 'group')?.value;
  const isSpaced = /\s/.test(group ?? '');
  const foreign = foreignWords(language);
  const address = '[^\\s<>"`\u0001\\u3000-\\u303f\\uff00-\\uff0f]';
  const name = '[\\p{L}\\p{N}_]';
  /** @type {[pattern: string, measure: Measure, sign: RegExp][]} */
  const passes = [
    // code between backticks
    [`(?<![${W}\`])(?:\`[^\`${NL}]+\`|\`\`(?:[^\`${NL}]|\`(?!\`))+\`\`)(?![${W}\`])`, whole, /`/],
    // markup
    [`<!--[^${NL}]{0,1000}?-->|<!?\\/?[A-Za-z][\\w:.-]*(?:${SP}[^<>${NL}]*)?\\/?>|` +
      '&(?:#\\d{1,7}|#[xX][\\da-fA-F]{1,6}|[A-Za-z][A-Za-z\\d]{1,31});', whole, /[<&]/],
    // addresses
    [`${BEGIN}(?:[A-Za-z][A-Za-z\\d+.-]{1,20}:\\/\\/|(?:mailto|tel|data):|[wW]{3}\\.|localhost[:/])${address}+`,
      ({ 0: match }) => {
        const length = trimAddress(match);
        return /[/:.][^/:.]/.test(match.slice(0, length)) ? length : 0;
      }, /[:/]|w\./i],
    [`(?<![${W}.%+-])[\\p{L}\\p{N}._%+-]{1,64}@[\\p{L}\\p{N}-]{1,63}(?:\\.[\\p{L}\\p{N}-]{1,63})+`,
      ({ 0: match }) => lengthWithout(match, '-'), /@/],
    // placeholders
    [`\\{\\{[^{}${NL}]{0,200}\\}\\}|[$#]\\{[^{}${NL}]{1,200}\\}|\\{%[^${NL}]{0,200}?%\\}|%\\{\\w{1,60}\\}|` +
      '\\{ ?[^\\s{}]{0,100} ?\\}|\\[[A-Z][A-Z\\d_]{1,60}\\]|' +
      // notes, and times of logs and chats
      '\\[\\d(?:[\\d.,:/ -]{0,30}\\d(?: ?[AP]M)?)?\\]', whole, /[{[]/],
    [`(?<![${W}%]|\\d[ \u00a0\u202f])%(?:%|\\(\\w{1,60}\\)|\\d{1,3}\\$)?[-+0#']{0,4}\\d{0,3}(?:\\.\\d{1,3})?` +
      `(?:hh?|ll?|[jztL])?[sdiuxXofFeEgGcp@]${END}|(?<![${W}%$])(?:%[A-Z_][A-Z\\d_]{0,60}%|` +
      `\\$[A-Za-z_][A-Za-z\\d_]+${END})`, whole, /[%$]/],
    // paths and files
    ['(?<![^\\s("\'=:])(?:[A-Za-z]:[\\\\/]|\\\\\\\\)[^\\s"<>|*?\u0001]+', ({ 0: match }) => trimAddress(match),
      /[:\\]/],
    [`(?<![^\\s("'=:>,;\u0001])(?:~|\\.{1,2})?\\/(?:${name}[${W}.@+~%*-]*|[.*][${W}.*-]+)(?:\\/[${W}.@+~%*-]*)*`,
      ({ 0: match }) => lengthWithout(match, '.*~-'), /\//],
    [`(?<![${W}/.~@+-])[${W}.@+-]+(?:\\/[${W}.@+-]+)+\\/?`, path, /\//],
    [`(?<![${W}@/.-])(?<name>${name}[${W}-]*(?:\\.${name}[${W}-]*)+)(?<call>\\([^\\s()\u0001]{0,60}\\))?` +
      `(?<rest>(?::\\d{1,5})?[/?#]${address}*)?`, dotted, /\.[\p{L}\p{N}_]/u],
    ['(?<![^\\s("\'])\\.[A-Za-z][\\w.-]*\\w', whole, /\.[A-Za-z]/],
    // names in networks
    [`(?<![${W}@#&/])[@#]${name}[${W}]*`, whole, /[@#]/],
    ['(?<![\\w:])(?:[\\da-fA-F]{0,4}:){2,7}[\\da-fA-F]{0,4}(?![\\w:])', ({ 0: match }) =>
      (/\d/.test(match) && (/::|[a-fA-F]/.test(match) || match.split(':').length > 5) ? match.length : 0), /:/],
    // identifiers
    [`${BEGIN}(?<name>[${W}]+(?:(?:::|->)[${W}]+)*)(?<call>\\([^\\s()\u0001]{0,60}\\))?`, word,
      /_|::|\(\)|\p{Ll}\p{Lu}/u],
    [`(?<![${W}-])--[A-Za-z][\\w-]*(?:=[^\\s,;)\u0001]+)?|${BEGIN}[A-Z](?:#|\\+\\+)(?![${W}#+])`, whole,
      /--|[A-Z][#+]/],
    // codes and numbers
    [`${BEGIN}[A-Z]{2}\\d{2}(?: ?[A-Z\\d]{4}){2,7}(?: ?[A-Z\\d]{1,3})?${END}`, whole, /[A-Z]\d/],
    [`${BEGIN}(?:[A-Z]{1,3}-[A-Z]{1,2} \\d{1,4}|(?!AD|BC|CE|US|UN|EU|UK|AM|PM|NO)[A-Z]{2} \\d{3,4})${END}`, whole,
      /[A-Z] \d/],
    [`${BEGIN}[\\p{L}\\p{N}]+(?:[-/.:][\\p{L}\\p{N}]+)*${END}`, code, /\d/],
    [`(?<![${W}]|\\d[.,:/-])(?:\\+ ?)?\\(?\\d+(?:(?:\\)[ \u00a0]?|[-.,/:]|[ \u00a0\u202f]\\(?)\\d+)*${END}`,
      digits(isSpaced), /\d/],
    // signs
    [EMOJI, whole, /[^\0-\xff]|[:;<]/],
    [SIGN, whole, /[^\0-\x7f]|\|/],
  ];
  /** @type {[RegExp, Measure, RegExp][]} */
  const made = passes.map(([pattern, measure, sign]) => [new RegExp(pattern, 'gu'), measure, sign]);
  if (foreign) made.push([foreign, whole, /[\p{L}\p{Nd}]/u]);
  return { passes: made, foreign };
}

/** The last language's passes. */
let last = { language: 'en', ...makePasses('en') };

const LINES = new RegExp(`[^${NL}]+`, 'g');

/** The lines of fenced code, with the fences. @param {string} text @returns {Span[]} */
function findFenced(text) {
  /** @type {Span[]} */
  const spans = [];
  /** @type {Span[]} */
  let open = [];
  let fence = '';
  for (const { 0: line, index } of text.matchAll(LINES)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    const isEnd = fence !== '' && mark.startsWith(fence) && line.trim() === mark;
    if (fence === '' && mark === '') continue;
    open.push({ start: index, end: index + line.length });
    if (isEnd) for (const span of open) spans.push(span); // as arguments, too many would overflow the stack
    if (fence === '' || isEnd) open = isEnd ? [] : open;
    fence = isEnd ? '' : fence || mark;
  }
  return spans;
}

/** How many code units at a position belong to the character before it. @param {string} text @param {number} at */
function marksAt(text, at) {
  MORE.lastIndex = at;
  return MORE.exec(text)?.[0].length ?? 0;
}

/** Text between two spans that become one: spaces; between words in foreign scripts also punctuation. */
const BETWEEN = new RegExp(`^${SP}*$`);
const BETWEEN_WORDS = new RegExp(`^${SP}*(?:\\p{P}${SP}*){0,4}$`, 'u');

/**
 * The spans in order. Neighbours with only spaces between them become one. No span divides a character.
 *
 * @param {(Span & { isForeign?: boolean })[]} spans
 * @param {string} text
 * @returns {Span[]}
 */
function join(spans, text) {
  /** @type {typeof spans} */
  const joined = [];
  for (let { start, end, isForeign } of spans.sort((a, b) => a.start - b.start)) {
    start += marksAt(text, start);
    while (PREPENDED.test(text[start - 1] ?? '')) start--;
    while (PREPENDED.test(text[end - 1])) end--;
    end += marksAt(text, end);
    const before = joined.at(-1);
    const gap = before ? text.slice(before.end, start) : '';
    const isOne = before && (isForeign && before.isForeign ? BETWEEN_WORDS : BETWEEN).test(gap);
    if (isOne) Object.assign(before, { end: Math.max(end, before.end), isForeign });
    else if (end > start) joined.push({ start, end, isForeign });
  }
  return joined.map(({ start, end }) => ({ start, end }));
}

/**
 * The spans that do not overlap others.
 *
 * @template {Span} T
 * @param {T[]} spans
 * @param {Span[]} others  in order
 */
function apart(spans, others) {
  let next = 0;
  return spans.sort((a, b) => a.start - b.start).filter(({ start, end }) => {
    while (next < others.length && others[next].end <= start) next++;
    return !(others[next]?.start < end);
  });
}

/**
 * Spans of a text that are not translated: in order, without overlaps, each on one line.
 *
 * @param {string} text
 * @param {string} [language]  of the text
 * @param {Span[]} [others]  in order; spans that overlap these are dropped
 * @param {Span[]} [unknown]  in order; these are kept too
 * @returns {Span[]}
 */
export function findKept(text, language = 'en', others = [], unknown = []) {
  if (language !== last.language) last = { language, ...makePasses(language) };
  /** @type {(Span & { isForeign?: boolean })[]} */
  const spans = findFenced(text);
  const { passes, foreign } = last;
  let rest = '';
  let at = 0;
  for (const { start, end } of spans) {
    rest += text.slice(at, start) + TAKEN.repeat(end - start);
    at = end;
  }
  rest += text.slice(at);
  for (const [pattern, measure, sign] of passes) {
    if (!sign.test(rest)) continue;
    at = 0;
    let next = '';
    for (const match of rest.matchAll(pattern)) {
      const length = measure(/** @type {RegExpExecArray} */ (match));
      if (!length) continue;
      const start = Number(match.index);
      spans.push({ start, end: start + length, isForeign: pattern === foreign });
      next += rest.slice(at, start) + TAKEN.repeat(length);
      at = start + length;
    }
    if (at > 0) rest = next + rest.slice(at);
  }
  // join() takes overlaps
  spans.push(...unknown);
  return join(others.length > 0 ? apart(spans, others) : spans, text);
}

/** A row of one sign. */
const ROW = '([-=~])\\1{3,}|\\.{5,}';

/**
 * What divides the parts of a line, such as those of a menu or a table: each is translated alone. So a row of signs is
 * as long in the translation.
 */
const DIVIDER = new RegExp(`(?<!\\S)(?:[|\u00a6\u2022]|(?<!\\d\\s)\u00b7(?!\\s\\d))(?!\\S)|\\t|${ROW}`, 'g');

/** The same within what is kept, as in code: it divides nothing. A span begins and ends with a visible character. */
const INSIDE = new RegExp(`(?<=\\s)[|\u00a6\u00b7\u2022](?=\\s)|${ROW}`, 'g');

/** Ends of sentences, except for the last character of a text. */
const STOPS = /[\p{STerm}\u2024\uff0e](?!$)/gu;

/**
 * Signs at the beginning, such as quotation marks and brackets: they would belong to the sentence that ends before
 * them. Not those that divide a line.
 */
const LEADING = /^[^\p{L}\p{N}|\u00a6\u00b7\u2022]+(?!$)/u;
const BREAKS = new RegExp(`[${NL}\\t]`, 'g');

/**
 * The text for splitting into sentences: of the same length, with breaks for what divides a line, and without what
 * would divide a span.
 *
 * @param {string} text
 * @param {Span[]} spans
 * @param {{ keep?: boolean, terms?: Span[] }} [options]  keep: false: nothing divides a line; terms: of a glossary, in
 *   order: no line is divided inside
 */
export function hideStops(text, spans, { keep = true, terms = [] } = {}) {
  let hidden = '';
  let at = 0;
  for (const { start, end } of spans) {
    hidden += text.slice(at, start) + text.slice(start, end).replace(BREAKS, 'x')
      .replace(STOPS, (stop) => 'x'.repeat(stop.length)).replace(INSIDE, (sign) => 'x'.repeat(sign.length))
      .replace(LEADING, (signs) => '%'.repeat(signs.length));
    at = end;
  }
  hidden += text.slice(at);
  let next = 0;
  return keep ? hidden.replace(DIVIDER, (sign, _row, /** @type {number} */ place) => {
    while (terms[next]?.end <= place) next++;
    return terms[next]?.start <= place ? sign : '\u2029'.repeat(sign.length);
  }) : hidden;
}
