// nouns.js - nouns that sentences and their translations share, replaced by rare ones of a dictionary in all of them.
//
//     The dog ate it.  Der Hund hat es gefressen.   ->   The hedgehog ate it.  Der Igel hat es gefressen.
//
// Of a rare noun a model has read the entry of a dictionary, and hardly any sentence. The other noun has the same
// gender and number in all languages of the row, so that the words beside it stay right. Used by prepare.js.

import { random, shuffled } from './random.js';
import { LANGUAGES, languagesOf } from './texts.js';

/** @typedef {import('./texts.js').Row} Row */
/**
 * @typedef {object} Noun
 * @property {Row} words
 * @property {Row} kinds  what the words beside it depend on: number, gender, whether it begins with a vowel
 */

/** A word with its article, as dictionaries have it. @type {Record<string, RegExp>} */
const ENTRIES = {
  en: /^(the|an?) (\p{Ll}+)$/u,
  de: /^(der|die|das|eine?) (\p{Lu}\p{Ll}+)$/u,
  fr: /^(les?|la|l'|une?) ?(\p{Ll}+)$/u,
  es: /^(el|la|los|las|una?) (\p{Ll}+)$/u,
};
/** A word of a sentence. A French one may have another before its apostrophe. @type {Record<string, RegExp>} */
const WORDS = Object.fromEntries(LANGUAGES.map((language) =>
  [language, language === 'fr' ? /[\p{L}\p{M}\d-]+/gu : /[\p{L}\p{M}\d'-]+/gu]));
/** Sentences with a noun that is rare, at most. */
const RARE = 150;
/** German nouns that have an ending in the accusative. */
const WEAK = /(?:e|ist|ent|ant|and|at|oge|graf|graph|^Mensch|^Herr|^Bär|^Held|^Prinz|^Bauer|^Nachbar|^Spatz|^Narr)$/;
/** A French or Spanish word before which others may change. */
const VOWEL = /^[aeiouœ]/;
/** Nouns of time, number and manner: with another noun their sentences are no longer translations of each other. */
const BOUND = new Set(`hundred thousand dozen million time moment second minute hour day week weekend month year
  morning afternoon evening night today tomorrow yesterday way kind sort case end beginning middle fact reason idea
  part side place lot number bit matter point`.split(/\s+/));
/** What stands before a noun that is meant as one, at most two words before it. @type {Record<string, RegExp>} */
const DETERMINERS = Object.fromEntries(Object.entries({
  en: `the an? this that every each another no any some my your his her its our their one whose which what`,
  de: `der die das den dem des (?:k?ein|mein|dein|sein|ihr|unser|dies|jed|jen|welch)(?:e[mnrs]?)? eue?re[mnrs]? euer am
    im ins ans zum zur vom beim`,
  fr: `le la l un une du au ce cet cette mon ma ton ta son sa notre votre leur chaque quel quelle aucune?`,
  es: `el la una? al del este esta ese esa aquel aquella mi tu su nuestr[oa] vuestr[oa] cada ningún ninguna algún
    alguna qué otr[oa]`,
}).map(([language, words]) => [language, new RegExp(`^(?:${words.split(/\s+/).join('|')})$`, 'iu')]));

const bare = (/** @type {string} */ text) => text.normalize('NFD').replace(/\p{M}/gu, '');
const isPlural = (/** @type {string} */ article) => ['les', 'los', 'las'].includes(article);

/**
 * What the words beside a noun depend on, by language.
 *
 * @param {Row} words
 * @param {Row} definite  articles
 * @param {Row} [indefinite]  undefined: nobody counts it
 * @param {Map<string, string>} singulars  genders of French nouns
 * @returns {Row | undefined}  undefined: the dictionary does not tell
 */
function kindsOf(words, definite, indefinite, singulars) {
  const plurals = new Set([isPlural(definite.fr), isPlural(definite.es)]);
  if (plurals.size > 1) return undefined;
  const [isMany] = plurals;
  if (isMany) {
    const gender = singulars.get(words.fr.replace(/[sx]$/, ''));
    // behind other words the dative ends in n
    if (definite.de !== 'die' || !gender || indefinite || /^[hy]/.test(words.fr)) return undefined;
    return {
      en: 'many', de: `many ${/[ns]$/.test(words.de)}`, fr: `many ${gender} ${VOWEL.test(bare(words.fr))}`,
      es: definite.es,
    };
  }
  const gender = indefinite?.fr ?? (definite.fr === "l'" ? undefined : { le: 'un', la: 'une' }[definite.fr]);
  // "the trousers": many in English alone
  if (!gender || (!indefinite && /[^siu]s$/.test(words.en))) return undefined;
  // "un águila negra" has the article of the other gender
  if (definite.es === 'el' && /^h?a.*a$/.test(bare(words.es))) return undefined;
  const isCounted = indefinite ? 'counted' : 'not counted';
  return {
    en: `${indefinite?.en ?? /^[aeiou]/.test(words.en)} ${isCounted}`, de: definite.de,
    fr: `${gender} ${definite.fr === "l'"}`, es: definite.es,
  };
}

/**
 * The nouns that a dictionary has with their articles.
 *
 * @param {Row[]} rows  "the trout", "die Forelle", "la truite", "la trucha"; "a trout", "eine Forelle" and so on
 * @returns {Noun[]}
 */
export function readNouns(rows) {
  /** @type {Map<string, { words: Row, definite?: Row, indefinite?: Row }>} */
  const entries = new Map();
  for (const row of rows) {
    const found = LANGUAGES.map((language) => ENTRIES[language].exec(row[language]));
    if (found.includes(null)) continue;
    const [articles, words] = [1, 2].map((group) =>
      Object.fromEntries(LANGUAGES.map((language, i) => [language, String(found[i]?.[group])])));
    const key = Object.values(words).join(' ');
    const entry = entries.get(key) ?? { words };
    entries.set(key, Object.assign(entry, { [articles.en === 'the' ? 'definite' : 'indefinite']: articles }));
  }
  /** @type {Map<string, string>} */
  const singulars = new Map();
  for (const { words, indefinite } of entries.values()) if (indefinite) singulars.set(words.fr, indefinite.fr);
  return [...entries.values()].flatMap(({ words, definite, indefinite }) => {
    const kinds = definite && kindsOf(words, definite, indefinite, singulars);
    return kinds ? [{ words, kinds }] : [];
  });
}

/** Where each word is, in words; those that come twice are left out. @param {string} text @param {string} language */
function placesOf(text, language) {
  const words = text.match(WORDS[language]) ?? [];
  /** @type {Map<string, number>} */
  const places = new Map();
  const twice = new Set();
  for (const [i, word] of words.entries()) {
    if (places.has(word)) twice.add(word);
    places.set(word, i);
  }
  for (const word of twice) places.delete(word);
  const isDetermined = (/** @type {number} */ i) =>
    words.slice(Math.max(0, i - 2), i).some((word) => DETERMINERS[language].test(word));
  return { places, isDetermined };
}

/** How many English sentences have each word. @param {Row[]} rows @returns {Map<string, number>} */
export function countSentences(rows) {
  const counts = new Map();
  for (const { en = '' } of rows) {
    for (const word of new Set(en.match(WORDS.en) ?? [])) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

/** Replaces nouns by rare ones. */
export class Nouns {
  /** By language and word. @type {Map<string, Noun[]>} */
  #known = new Map();
  /** Those that may come into a sentence. */
  #rare;
  /** The rare ones of a kind, and how many of them have come. @type {Map<string, { list: Noun[], n: number }>} */
  #queues = new Map();
  #seed;

  /**
   * @param {Noun[]} nouns  of readNouns
   * @param {Map<string, number>} counts  of countSentences
   * @param {number} seed  random seed
   */
  constructor(nouns, counts, seed) {
    this.#seed = seed;
    this.#rare = nouns.filter(({ words, kinds }) =>
      (counts.get(words.en) ?? 0) <= RARE && !(kinds.de === 'der' && WEAK.test(words.de)));
    for (const noun of nouns) {
      if (BOUND.has(noun.words.en.replace(/s$/, ''))) continue;
      for (const language of LANGUAGES) {
        const key = `${language} ${noun.words[language]}`;
        this.#known.set(key, [...(this.#known.get(key) ?? []), noun]);
      }
    }
  }

  /**
   * A rare noun of the same kind in these languages; all have their turn.
   *
   * @param {Noun} noun
   * @param {string[]} languages
   * @returns {Noun | undefined}
   */
  #next({ words, kinds }, languages) {
    const isAlike = (/** @type {Noun} */ other) =>
      languages.every((language) => other.kinds[language] === kinds[language]);
    const key = languages.map((language) => `${language} ${kinds[language]}`).join();
    const queue = this.#queues.get(key) ?? { list: shuffled(this.#rare.filter(isAlike), random(this.#seed)), n: 0 };
    this.#queues.set(key, queue);
    const other = queue.list[queue.n++ % queue.list.length];
    return other && languages.every((language) => other.words[language] !== words[language]) ? other : undefined;
  }

  /**
   * The row with other nouns.
   *
   * @param {Row} row
   * @returns {Row | undefined}  undefined: its sentences share no noun of the dictionary
   */
  replace(row) {
    const languages = languagesOf(row);
    const [first] = languages;
    const texts = Object.fromEntries(languages.map((language) => [language, placesOf(row[language], language)]));
    /** By language. @type {Record<string, Map<string, string>>} */
    const fresh = Object.fromEntries(languages.map((language) => [language, new Map()]));
    const isIn = (/** @type {Noun} */ { words, kinds }) => languages.every((language) => {
      const at = texts[language].places.get(words[language]);
      return at !== undefined && !fresh[language].has(words[language])
        && (kinds.en === 'many' || texts[language].isDetermined(at));
    });
    for (const word of texts[first].places.keys()) {
      const noun = this.#known.get(`${first} ${word}`)?.find(isIn);
      const other = noun && this.#next(noun, languages);
      if (!other) continue;
      for (const language of languages) fresh[language].set(noun.words[language], other.words[language]);
    }
    if (fresh[first].size === 0) return undefined;
    return Object.fromEntries(languages.map((language) =>
      [language, row[language].replace(WORDS[language], (word) => fresh[language].get(word) ?? word)]));
  }
}
