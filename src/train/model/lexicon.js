// lexicon.js - makes lexicon.tsv of a model: which words of English and of another language translate each other, by
// the links of heed-align. Only rare words, and several words together, such as "town hall": a small model knows the
// others. src/search/lexicon.c says how a search uses it.
//
//   node src/train/model/lexicon.js --work build/models/de-en-es-fr --out models/de-en-es-fr/lexicon.tsv
//
// A line has the code of the other language, an English word, a word of the other language, and how often the second
// translates the first and the first the second, in hundredths; 0 where the word to translate is not rare. Instead of a
// word there may be several, or a noun with its article, which tells its gender.

import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { Collocations } from './collocations.js';
import { countIn, mostFrequent } from './counts.js';
import { fail } from './options.js';
import { OTHERS } from './texts.js';

const HELP = `usage: node src/train/model/lexicon.js --work DIR --out FILE
  --work DIR   has train/*.tsv.aligned: what prepare.js and heed-align wrote
  --out FILE   lexicon.tsv of a model
`;

/** Corpora of everyday words. Collocations of documentation are its terms, and many. */
const EVERYDAY = ['everyday', 'phrases', 'sentences', 'words'];
/** Corpora whose lines are of all directions, those from English first. */
const CORPORA = [...EVERYDAY, 'docs'];
/** How often a pair of words is linked, at least, and how often a rare word is linked alone, at most. */
const LEAST = 2;
const MOST = 50;
/** The least share of a translation, of all its forms together. */
const SHARE = 0.3;
/** The least share of a form that was seen less often than LEAST. */
const FORM = 0.1;
/** Translations of a word, at most. */
const TRANSLATIONS = 6;
/** By language: what words end with in one form and not in another. */
const ENDINGS = { en: /$^/, de: /e[rsnm]?$/, fr: /(?:e|s|es)$/, es: /[oae]s?$/ };
/** What makes an adjective of French or Spanish more or most, and has no word of its own in "nearest". */
const MORE = /^(?:plus|moins|más|menos)$/i;
/** Words that translate one word, at most. */
const SPAN = 3;
/** With what nouns of the dictionary begin: their gender and number. */
const ARTICLES = {
  en: /^(?:the|an?) /i, de: /^(?:der|die|das|eine?) /i, fr: /^(?:l[ea] |les |l'|une? |des )/i,
  es: /^(?:el|la|los|las|una?|un[oa]s) /i,
};
/** By language: the other article of the same gender. "die" may be plural, and "ein" has two genders. */
const OTHER_ARTICLE = {
  de: { eine: 'die', der: 'ein', das: 'ein' }, fr: { un: 'le', une: 'la', le: 'un', la: 'une' },
  es: { un: 'el', una: 'la', el: 'un', la: 'una' },
};
/** As heed-align divides texts. */
const WORD = /[\p{L}\p{M}\p{N}]+|[^\s]/gu;

/**
 * What the forms of a word have in common: favorito, favorita; préféré, préférées. Two words that happen to
 * have the same are both translations.
 *
 * @param {string} word  in small letters
 * @param {keyof typeof ENDINGS} language
 */
function stemOf(word, language) {
  const stem = / /.test(word) ? word : word.replace(ENDINGS[language], '');
  return language === 'fr' ? stem.replace(/([lnt])\1$/, '$1') : stem; // ancienne
}

/** How often each word stands for another, by words in small letters, and how words are written. */
class Counts {
  /** @type {Map<string, Map<string, number>>} */
  pairs = new Map();
  /** @type {Map<string, Map<string, number>>} */
  forms = new Map();

  /** @param {Map<string, Map<string, number>>} map @param {string} key @param {string} value */
  static add(map, key, value) {
    map.set(key, countIn(map.get(key) ?? new Map(), value));
  }

  /** @param {string} from @param {string} to */
  add(from, to) {
    Counts.add(this.pairs, from.toLowerCase(), to.toLowerCase());
    Counts.add(this.forms, to.toLowerCase(), to);
  }

  /** An occurrence whose translation is not sure. @param {string} from */
  miss(from) {
    Counts.add(this.pairs, from.toLowerCase(), '');
  }

  /** The form in which a word occurs most. @param {string} word */
  formOf(word) {
    return mostFrequent(this.forms.get(word) ?? new Map());
  }

  /**
   * The translations of rare words: [word, translation, share].
   *
   * @param {keyof typeof ENDINGS} language  of the translations
   * @returns {[string, string, number][]}
   */
  list(language) {
    return [...this.pairs].flatMap(([from, found]) => {
      const total = [...found.values()].reduce((sum, n) => sum + n, 0);
      // collocations.js counts several words
      if (total > MOST || from.includes(' ')) return [];
      /** Of all forms. @type {Map<string, number>} */
      const stems = new Map();
      for (const [to, n] of found) {
        const stem = stemOf(to, language);
        stems.set(stem, (stems.get(stem) ?? 0) + n);
      }
      // what was seen twice may be chance
      const enough = (/** @type {number} */ n, /** @type {number} */ share) => n >= share * (total + 1);
      return [...found].sort((a, b) => b[1] - a[1])
        .filter(([to, n]) => to !== from && to !== '' && !MORE.test(to) && (n >= LEAST || enough(n, FORM)))
        .filter(([to]) => {
          const all = stems.get(stemOf(to, language)) ?? 0;
          return all >= LEAST && enough(all, SHARE);
        })
        .slice(0, TRANSLATIONS)
        .map(([to, n]) => /** @type {[string, string, number]} */ ([from, to, n / (total + 1)]));
    });
  }
}

/**
 * A noun with its article, and with the other one, if that is known.
 *
 * @param {string[]} texts  English, and the other language
 * @param {keyof typeof OTHER_ARTICLE} language
 * @returns {string[][]}
 */
function withBothArticles(texts, language) {
  const [[the, noun], [article, word]] = texts.map((text) => [text.split(' ', 1)[0], text.replace(/^\S+ /, '')]);
  const other = new Map(Object.entries(OTHER_ARTICLE[language])).get(article.toLowerCase());
  const isDefinite = the.toLowerCase() === 'the';
  // "la" and "el" are definite, "la" of an "h" is not certain
  if (other === undefined || isDefinite === /^(?:l[ea]|el|die)$/.test(other)) return [texts];
  if (language === 'fr' && !isDefinite && /^h/i.test(word)) return [texts];
  const joined = language === 'fr' && !isDefinite && /^[aeiouy\u0153\u00e6]/i.test(word.normalize('NFD'));
  const english = isDefinite ? `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}` : `the ${noun}`;
  return [texts, [english, joined ? `l'${word}` : `${other} ${word}`]];
}

/** Whether a text is words, with hyphens and apostrophes inside. @param {string} text */
const isWord = (text) => /^\p{L}[\p{L}\p{M}\p{N} '-]*$/u.test(text) && !/[ '-]$/.test(text);

/** The words of a text with their places. @param {string} text */
const wordsOf = (text) =>
  [...text.matchAll(WORD)].map(({ 0: word, index }) => ({ at: index, end: index + word.length }));

/**
 * The word at the end of a compound with hyphens, of whose parts the aligner links one: petite-fille.
 *
 * @param {{ at: number, end: number }[]} words @param {Set<number>[]} links @param {string} text @param {number} i
 * @param {1 | -1} way
 */
function joined(words, links, text, i, way) {
  const touches = (/** @type {number} */ j) => words[j].end === words[j + 1].at;
  const isFree = (/** @type {number} */ j) => links[j]?.size === 0 && touches(way > 0 ? j - 1 : j);
  while (isFree(i + way) && isFree(i + 2 * way) && text[words[i + way].at] === '-') i += 2 * way;
  return i;
}

/**
 * A line with links.
 *
 * @typedef {object} Line
 * @property {[source: string, target: string]} texts
 * @property {[ReturnType<typeof wordsOf>, ReturnType<typeof wordsOf>]} words
 * @property {[Set<number>[], Set<number>[]]} links  where each word's lead
 */

/** @param {string} line  >>xx<< source, target, links @returns {Line} */
function parseLine(line) {
  const [tagged, target, list = ''] = line.split('\t');
  const source = tagged.slice(tagged.indexOf(' ') + 1);
  const [from, to] = [wordsOf(source), wordsOf(target)];
  /** @type {Line['links']} */
  const [of, by] = [from.map(() => new Set()), to.map(() => new Set())];
  for (const link of list.split(' ').filter(Boolean)) {
    const [i, j] = link.split('-').map(Number);
    if (!of[i] || !by[j]) continue;
    of[i].add(j);
    by[j].add(i);
  }
  return { texts: [source, target], words: [from, to], links: [of, by] };
}

/**
 * Counts the links of a line: a word, and one to three neighbours that translate it and nothing else.
 *
 * @param {Line} line
 * @param {Counts} there
 * @param {Counts} back
 */
function countLine({ texts: [source, target], words: [from, to], links: [of, by] }, there, back) {
  /**
   * @param {typeof from} words @param {Set<number>[]} ahead @param {typeof to} others @param {Set<number>[]} behind
   * @param {string} text  of the others
   * @param {(word: { at: number, end: number }, span: { at: number, end: number }) => void} count
   */
  const visit = (words, ahead, others, behind, text, count) => {
    for (const [i, word] of words.entries()) {
      const list = [...ahead[i]].sort((a, b) => a - b), first = list[0];
      const isAlone = list.every((j, k) => j === first + k && behind[j]?.size === 1);
      if (list.length === 0 || list.length > SPAN || !isAlone) continue;
      const last = list[list.length - 1];
      const [begin, end] = [joined(others, behind, text, first, -1), joined(others, behind, text, last, 1)];
      // one word of "plus proche", which is "nearest", has a link; the other belongs to it
      const before = begin > 0 && behind[begin - 1]?.size === 0 ? others[begin - 1] : undefined;
      // the middle of up-to-date has a link, or "plus"
      const isMiddle = begin < first && end > last;
      const isPart = isMiddle || (before !== undefined && MORE.test(text.slice(before.at, before.end)));
      count(word, isPart ? { at: 0, end: 0 } : { at: others[begin].at, end: others[end].end });
    }
  };
  visit(from, of, to, by, target, (word, span) => {
    const [a, b] = [source.slice(word.at, word.end), target.slice(span.at, span.end)];
    if (!isWord(a)) return;
    if (b === '') there.miss(a);
    if (!isWord(b)) return;
    there.add(a, b);
    back.add(b, a);
  });
  visit(to, by, from, of, source, (word, span) => {
    const [a, b] = [source.slice(span.at, span.end), target.slice(word.at, word.end)];
    // a single word was counted above; of a compound such as sign-in, one small word may have had the link
    if (!isWord(a) || !isWord(b) || !/[ '-]/.test(a) || (a.includes('-') && b.length <= 3)) return;
    there.add(a, b);
    back.add(b, a);
  });
}

/**
 * The lines of a corpus whose source is English, which are its first, with the target's language.
 *
 * @param {string} path
 * @returns {AsyncGenerator<[language: string, line: Line]>}
 */
async function* linesFromEnglish(path) {
  const input = createReadStream(path).on('error', (error) => fail(`${path}: ${error.message}`));
  for await (const line of createInterface({ input })) {
    const [, language] = /^>>(\w+)<< /.exec(line) ?? fail(`${path}: found '${line}', expected >>xx<< first`);
    if (language === 'en') break;
    if (!OTHERS.includes(language)) fail(`${path}: found >>${language}<<, expected one of ${OTHERS} or en`);
    yield [language, parseLine(line)];
  }
}

async function main() {
  const { values } = parseArgs({
    options: { work: { type: 'string' }, out: { type: 'string' }, help: { type: 'boolean' } },
  });
  const { work, out } = values;
  if (values.help || !work || !out) {
    console.error(HELP);
    process.exit(values.help ? 0 : 2);
  }
  const counts = Object.fromEntries(OTHERS.map((other) =>
    [other, { there: new Counts(), back: new Counts(), together: new Collocations() }]));
  /** Nouns of the dictionary with their articles. @type {Record<string, string[][]>} */
  const nouns = Object.fromEntries(OTHERS.map((other) => [other, []]));
  for (const name of CORPORA) {
    for await (const [language, line] of linesFromEnglish(join(work, 'train', `${name}.tsv.aligned`))) {
      const { there, back, together } = counts[language];
      countLine(line, there, back);
      if (EVERYDAY.includes(name)) together.add(line.texts, line.words, line.links);
      const isNoun = ARTICLES.en.test(line.texts[0]) && ARTICLES[language].test(line.texts[1]);
      if (name === 'words' && isNoun) nouns[language].push(line.texts);
    }
  }
  for (const { together } of Object.values(counts)) together.choose();
  for (const name of EVERYDAY) {
    for await (const [language, line] of linesFromEnglish(join(work, 'train', `${name}.tsv.aligned`))) {
      counts[language].together.count(line.texts, line.words);
    }
  }
  const rows = OTHERS.flatMap((other) => {
    const { there, back, together } = counts[other];
    /** Words as they are written, and shares, by words in small letters. @type {Map<string, [string[], number[]]>} */
    const found = new Map();
    /**
     * Adds a pair. Of one that is there already, only shares of 0 change.
     *
     * @param {string} english @param {string} word @param {number[]} shares @param {string[]} [forms]
     */
    const put = (english, word, shares, forms = [back.formOf(english), there.formOf(word)]) => {
      const key = `${english}\t${word}`;
      const [written, known] = found.get(key) ?? [forms, [0, 0]];
      found.set(key, [written, known.map((share, i) => share || Math.round(100 * shares[i]))]);
    };
    for (const [from, to, share] of there.list(other)) put(from, to, [share, 0]);
    for (const [from, to, share] of back.list('en')) put(to, from, [0, share]);
    for (const { words, shares } of together.list()) put(words[0].toLowerCase(), words[1].toLowerCase(), shares, words);
    for (const texts of nouns[other].flatMap((pair) => withBothArticles(pair, other))) {
      const [english, word] = texts.map((text, i) => text.replace(ARTICLES[['en', other][i]], '').toLowerCase());
      const [share = 0] = found.get(`${english}\t${word}`)?.[1] ?? [];
      // some stand with a capital
      const forms = texts.map((text) => text.replace(/^./u, (letter) => letter.toLowerCase()));
      if (share > 0) put(texts[0].toLowerCase(), texts[1].toLowerCase(), [share / 100, 0], forms);
    }
    return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, [words, shares]]) =>
      [other, ...words, ...shares].join('\t'));
  });
  writeFileSync(out, rows.map((row) => `${row}\n`).join(''));
  console.log(`${out}: ${rows.length} pairs of words`);
}

await main();
