// terms.js - finds the terms of a glossary in a text, as whole words, the longest first, and their translations in
// another text; used by glossary.js.
//
//   glossary ->  terms by their text, and the lengths of terms by first letter
//   text     ->  at each beginning of a word: the longest of these lengths whose text is a term
//
// So the work per text does not grow with the number of terms.

import { badRange, badType } from '../base/check.js';
import { PICTURE } from './pictures.js';
import { LINE_BREAK, unparted } from './sentences.js';

/** @typedef {{ term: string, translation: string }} Term */
/** @typedef {Term & { start: number, end: number, isKept?: boolean }} Found  isKept: found by its form, see keep.js */
/**
 * @typedef {object} GlossaryMatch  a term in a sentence
 * @property {string} term
 * @property {string} translation
 * @property {number} start  UTF-16 position in the source
 * @property {number} end
 * @property {number} targetStart  position of its translation in the target; -1 if it is missing
 * @property {number} targetEnd
 * @property {boolean} exact  the target has the translation as often as the source has its terms
 */

/** Characters that belong to a word. */
const WORD = '[\\p{L}\\p{N}\\p{M}_]';
export const isWord = new RegExp(`^${WORD}`, 'u');
export const isWorded = new RegExp(WORD, 'u');
/** A visible character. Of invisible ones, no token may be left. */
const seen = /[^\s\p{Z}\p{Cc}\p{Cf}\p{Cs}]/u;

/** Most code units of a capital: that of U+0390 is a letter and two marks. */
const LONGEST_CAPITAL = 3;

/** Whether a word must begin or end beside c: true in scripts with spaces between words. @param {string} c */
const needsBoundary = (c) => isWord.test(c) && !unparted.test(c);
/** The first character. @param {string} text */
export const firstOf = (text) => [...text.slice(0, 2)][0] ?? '';
/** The last character. @param {string} text */
export const lastOf = (text) => [...text.slice(-2)].at(-1) ?? '';
/**
 * Whether no space comes between a kept part and the word beside it, because the source has none, as in "a<b>The end".
 * In scripts without spaces between words, a missing space means nothing. Two words need a space.
 *
 * @param {string} edge  the character of the part
 * @param {string} source  that beside it in the source
 * @param {string} target  that of the word in the target
 */
export const isTouching = (edge, source, target) =>
  !needsBoundary(edge) && needsBoundary(source) && needsBoundary(target);
/** A picture at the end of a text, and its longest length in code units. */
const LAST_PICTURE = new RegExp(`(?:\\p{Regional_Indicator}{2}|${PICTURE})$`, 'u');
const LONGEST_PICTURE = 32;
/** @param {string} text */
const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** A pattern for a text as a whole word. @param {string} text */
export function whole(text) {
  const [first, last] = [firstOf(text), lastOf(text)];
  return `${needsBoundary(first) ? `(?<!${WORD})` : ''}${escaped(text)}${needsBoundary(last) ? `(?!${WORD})` : ''}`;
}

/**
 * The form of a text for comparison: composed letters, and one space for each run of white space.
 *
 * @param {string} text
 * @returns {{ folded: string, at: (i: number) => number }}  at: the position in the text of a position in `folded`
 */
function fold(text) {
  if (!/[^\S ]|  |\p{M}/u.test(text) && text === text.normalize()) return { folded: text, at: (i) => i };
  let folded = '';
  /** @type {number[]} */
  const places = [];
  for (const { 0: unit, index } of text.matchAll(/\s+|\S\p{M}*/gu)) {
    const own = /\s/.test(unit) ? ' ' : unit.normalize();
    folded += own;
    for (let i = 0; i < own.length; i++) places.push(index + Math.min(i, unit.length - 1));
  }
  return { folded, at: (i) => places[i] ?? text.length };
}

/**
 * The forms of a first letter at the beginning of a sentence.
 *
 * @param {string} first
 * @param {string} language
 */
function capitals(first, language) {
  const own = first.toLocaleUpperCase(language);
  // I is the capital of i, except in Turkish; otherwise without the language, because Greek capitals keep their first
  // accent
  const plain = 'i'.toLocaleUpperCase(language) === 'I' ? first.toUpperCase() : own;
  // a letter that becomes two, such as \u00df, has one capital; letters such as \u01c6 have a title case
  const title = first.length === 1 && plain.length > 1 ? plain[0] + plain.slice(1).toLowerCase()
    : /[\u01c4\u01c7\u01ca\u01f1]/.test(plain) ? String.fromCharCode(plain.charCodeAt(0) + 1) : plain;
  return [...new Set([own, plain, title])].filter((capital) => capital !== first);
}

/** @param {unknown} term @param {unknown} translation @returns {asserts translation is string} */
function check(term, translation) {
  if (typeof term !== 'string') badType('glossary', term, 'a text as term');
  if (term !== term.trim() || !seen.test(term)) {
    badRange('glossary', visible(term), 'a term without white space around it');
  }
  if (typeof translation !== 'string') badType(`glossary: ${term}`, translation, 'a text');
  if (!seen.test(translation) || LINE_BREAK.test(translation)) {
    badRange(`glossary: ${term}`, visible(translation), 'a text on one line that can be seen');
  }
}

/** For messages: shows invisible characters by their number. @param {string} text */
export const visible = (text) => text.replace(/[^\S ]|[\p{Cc}\p{Cf}\p{Cs}]/gu, (c) =>
  `U+${Number(c.codePointAt(0)).toString(16).toUpperCase().padStart(4, '0')}`);

/** The terms of a glossary. */
export class Terms {
  /** By their text, folded. @type {Map<string, Term>} */
  #terms = new Map();
  /** Lengths of terms by first code unit, longest first. @type {Map<number, number[]>} */
  #lengths = new Map();
  /**
   * By capital: the first letters that it may represent at the beginning of a sentence. @type {Map<string, string[]>}
   */
  #firsts = new Map();
  /** Whether a term has several words. */
  #isSpaced = false;

  /** @param {readonly [string, string][]} glossary @param {string} language  of the terms */
  constructor(glossary, language) {
    /** @type {Map<number, Set<number>>} */
    const lengths = new Map();
    /** @type {Set<string>} */
    const firsts = new Set();
    for (const [term, translation] of glossary) {
      check(term, translation);
      const { folded } = fold(term);
      const known = this.#terms.get(folded);
      if (known && known.translation !== translation) {
        badRange(`glossary: ${term}`, translation, `'${known.translation}' as for '${known.term}', the same term`);
      }
      this.#terms.set(folded, { term, translation });
      this.#isSpaced ||= folded.includes(' ');
      const unit = folded.charCodeAt(0);
      const all = lengths.get(unit) ?? new Set();
      lengths.set(unit, all.add(folded.length));
      firsts.add(/^ij/.test(folded) && /^nl\b/.test(language) ? 'ij' : [...folded.slice(0, 2)][0]);
    }
    for (const [unit, all] of lengths) this.#lengths.set(unit, [...all].sort((a, b) => b - a));
    for (const first of firsts) {
      for (const capital of capitals(first, language)) {
        this.#firsts.set(capital, [...(this.#firsts.get(capital) ?? []), first]);
      }
    }
  }

  /**
   * The longest term at a position, if it ends at the end of a word.
   *
   * @param {string} text
   * @param {number} i
   * @returns {{ entry: Term, length: number } | undefined}
   */
  #at(text, i) {
    for (const length of this.#lengths.get(text.charCodeAt(i)) ?? []) {
      const piece = text.slice(i, i + length);
      const entry = this.#terms.get(piece);
      const next = text.slice(i + length, i + length + 2);
      if (entry && !(needsBoundary(lastOf(piece)) && isWord.test(next))) return { entry, length };
    }
    return undefined;
  }

  /**
   * The same at the beginning of a sentence, where a capital may replace the first letter.
   *
   * @param {string} text
   * @param {number} i
   */
  #atBeginning(text, i) {
    let best = this.#at(text, i);
    for (let size = 1; size <= LONGEST_CAPITAL; size++) {
      for (const first of this.#firsts.get(text.slice(i, i + size)) ?? []) {
        const found = this.#at(first + text.slice(i + size), 0);
        const length = found ? found.length - first.length + size : 0;
        if (found && length > (best?.length ?? 0)) best = { ...found, length };
      }
    }
    return best;
  }

  /**
   * @param {string} text
   * @param {boolean} [isAnywhere]  a sentence may begin anywhere
   * @returns {Found[]}  in order, without overlaps
   */
  find(text, isAnywhere = false) {
    if (this.#terms.size === 0) return [];
    const { folded, at } = fold(text);
    const begin = folded.search(/[\p{L}\p{N}]/u);
    /** @type {Found[]} */
    const found = [];
    let isWithin = false; // inside a word
    for (let i = 0; i < folded.length;) {
      const c = String.fromCodePoint(Number(folded.codePointAt(i)));
      const isFirst = isAnywhere || begin < 0 || i <= begin;
      const isInside = isWithin && needsBoundary(c);
      const here = isInside ? undefined : isFirst ? this.#atBeginning(folded, i) : this.#at(folded, i);
      if (here) found.push({ ...here.entry, start: at(i), end: at(i + here.length) });
      i += here?.length ?? c.length;
      isWithin = isWord.test(here ? lastOf(folded.slice(i - 2, i)) : c);
    }
    return found;
  }

  /**
   * The same text with each line break inside a term moved before the term, or else after it. Lines that have only
   * words of a term do not change, because they may be a list. The text keeps its length.
   *
   * @param {string} text
   */
  moveBreaks(text) {
    if (!this.#isSpaced) return text;
    // split() puts the line breaks at odd indices
    const lines = text.split(LINE_BREAK);
    for (let i = 1; i < lines.length; i += 2) {
      const [above, below] = [lines[i - 1], lines[i + 1]];
      if (above.trim() === '' || below.trim() === '') continue;
      const divided = this.find(`${above}\n${below}`, true)
        .find(({ start, end }) => start < above.length && end > above.length + 1);
      if (!divided) continue;
      const { start, end } = divided;
      const before = /(?<=\S)(\s+)\S*$/u.exec(above.slice(0, start));
      const rest = below.slice(end - above.length - 1);
      const after = /^(\S*)(\s+)(?=\S)/u.exec(rest);
      if (before) {
        lines[i - 1] = above.slice(0, before.index);
        lines[i + 1] = above.slice(before.index + before[1].length) + before[1] + below;
      } else if (after) {
        lines[i - 1] = above + after[2] + below.slice(0, below.length - rest.length) + after[1];
        lines[i + 1] = rest.slice(after[0].length);
      }
    }
    return lines.join('');
  }
}

/** What a term begins with that may begin within the marks before the text of a line, as in "5) apples". */
const LEADING = /^(?:[^\p{L}\p{N}]|\d{1,3}(?!\d)|[A-Za-z](?![\p{L}\p{N}\p{M}]))/u;

/**
 * What ends the marks before the text of a line where a term begins, so that it is translated.
 *
 * @param {readonly [term: string, translation: string][]} glossary
 * @returns {((line: string, end: number) => number) | undefined}  undefined: no term may begin there
 */
export function leadEnder(glossary) {
  const terms = glossary.flatMap(([term]) => (LEADING.test(term) ? [term] : []));
  return terms.length === 0 ? undefined : (line, length) => {
    let end = length;
    for (const term of terms) {
      const [at] = placesOf(line.slice(0, end + term.length + 2), term);
      if (at < end) end = at;
    }
    return end;
  };
}

/** The terms of the last glossary, because most calls have the glossary of the previous call. */
let last = { language: '', glossary: /** @type {readonly [string, string][]} */ ([]), terms: new Terms([], 'en') };

/**
 * @param {readonly [string, string][]} glossary
 * @param {string} language  of the terms
 * @returns {Terms}
 */
export function termsOf(glossary, language) {
  const { glossary: known } = last;
  const isSame = language === last.language && (glossary === known || (glossary.length === known.length &&
    glossary.every(([term, translation], i) => known[i][0] === term && known[i][1] === translation)));
  last = { language, glossary, terms: isSame ? last.terms : new Terms(glossary, language) };
  return last.terms;
}

/**
 * Positions of a translation as whole words. Without a pattern for each: to compile one takes longer than the search.
 *
 * @param {string} text
 * @param {string} translation
 * @param {boolean} [isRow]  a row of one picture is whole, too
 */
function placesOf(text, translation, isRow = false) {
  const [first, last] = [firstOf(translation), lastOf(translation)];
  const [isWordFirst, isWordLast] = [first, last].map(needsBoundary);
  const picture = isRow ? LAST_PICTURE.exec(translation.slice(-LONGEST_PICTURE))?.[0] : undefined;
  /** @type {number[]} */
  const places = [];
  for (let at = text.indexOf(translation); at >= 0;) {
    const end = at + translation.length;
    const isInside = (isWordFirst && isWord.test(lastOf(text.slice(0, at)))) ||
      (isWordLast && isWord.test(text.slice(end, end + 2))) ||
      (picture !== undefined && (text.startsWith(picture, end) ||
        (translation.startsWith(picture) && text.endsWith(picture, at))));
    if (!isInside) places.push(at);
    at = text.indexOf(translation, isInside ? at + 1 : end);
  }
  return places;
}

/** The required number of each translation. @param {Found[]} terms */
export function countTranslations(terms) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { translation } of terms) counts.set(translation, (counts.get(translation) ?? 0) + 1);
  return counts;
}

/**
 * @param {string} text
 * @param {Found[]} terms
 * @param {Map<Found, number>} [starts]  position of each, if known
 * @returns {GlossaryMatch[]}
 */
export function report(text, terms, starts) {
  const counts = countTranslations(terms);
  /** @type {Map<string, number[]>} */
  const places = new Map([...counts.keys()].map((translation) => [translation, placesOf(text, translation)]));
  return terms.map((found) => {
    const all = places.get(found.translation) ?? [];
    const isExact = all.length === counts.get(found.translation);
    const alike = terms.filter(({ translation }) => translation === found.translation);
    const start = (starts ? starts.get(found) : isExact ? all[alike.indexOf(found)] : undefined) ?? -1;
    const end = start < 0 ? -1 : start + found.translation.length;
    return { ...found, targetStart: start, targetEnd: end, exact: isExact && start >= 0 };
  });
}

/**
 * @typedef {object} KeptMatch  text that is not translated
 * @property {string} text
 * @property {number} start  UTF-16 position in the source
 * @property {number} end
 * @property {number} targetStart  position in the target; -1 if it is missing
 * @property {number} targetEnd
 */

/**
 * Finds kept spans in a translation, the longest first and without overlaps.
 *
 * @param {string} text
 * @param {Found[]} kept
 * @returns {{ matches: KeptMatch[], isExact: boolean, isWhole: boolean }}  isExact: each occurs as often as in
 *   the source; isWhole: at least as often
 */
export function reportKept(text, kept) {
  const wanted = [...countTranslations(kept)].sort(([a], [b]) => b.length - a.length);
  let [rest, isExact, isWhole] = [text, true, true];
  /** @type {Map<string, number[]>} */
  const places = new Map();
  for (const [span, count] of wanted) {
    const all = placesOf(rest, span, true);
    places.set(span, all);
    isExact &&= all.length === count;
    isWhole &&= all.length >= count;
    for (const at of all) rest = rest.slice(0, at) + '\u0001'.repeat(span.length) + rest.slice(at + span.length);
  }
  const matches = kept.map(({ term, start, end }) => {
    const at = places.get(term)?.shift() ?? -1;
    return { text: term, start, end, targetStart: at, targetEnd: at < 0 ? -1 : at + term.length };
  });
  return { matches, isExact, isWhole };
}
