// lexicon.js - makes lexicon.tsv of a model: which words of English and of another language translate each other, by
// the links of heed-align. Rare words only: a small model knows the frequent ones. src/search/lexicon.c says how a
// search uses it.
//
//   node src/train/model/lexicon.js --work build/models/de-en-es-fr --out models/de-en-es-fr/lexicon.tsv
//
// A line has the code of the other language, an English word, a word of the other language, and how often the second
// translates the first and the first the second, in hundredths; 0 where the word to translate is not rare.

import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { fail } from './options.js';
import { OTHERS } from './texts.js';

const HELP = `usage: node src/train/model/lexicon.js --work DIR --out FILE
  --work DIR   has train/*.tsv.aligned: what prepare.js and heed-align wrote
  --out FILE   lexicon.tsv of a model
`;

/** Corpora whose lines are of all directions, those from English first. */
const CORPORA = ['everyday', 'phrases', 'words', 'docs'];
/** How often a pair of words is linked, at least, and how often a rare word is linked alone, at most. */
const LEAST = 2;
const MOST = 100;
/** The least share of a translation: a word has three at most. */
const SHARE = 0.3;
/** What makes an adjective of French or Spanish more or most, and has no word of its own in "nearest". */
const MORE = /^(?:plus|moins|más|menos)$/i;
/** Words that translate one word, at most. */
const SPAN = 3;
/** As heed-align divides texts. */
const WORD = /[\p{L}\p{M}\p{N}]+|[^\s]/gu;

/** How often each word stands for another, by words in small letters, and how words are written. */
class Counts {
  /** @type {Map<string, Map<string, number>>} */
  pairs = new Map();
  /** @type {Map<string, Map<string, number>>} */
  forms = new Map();

  /** @param {Map<string, Map<string, number>>} map @param {string} key @param {string} value */
  static add(map, key, value) {
    const inner = map.get(key) ?? new Map();
    inner.set(value, (inner.get(value) ?? 0) + 1);
    if (inner.size === 1) map.set(key, inner);
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
    const [[form]] = [...this.forms.get(word) ?? []].sort((a, b) => b[1] - a[1]);
    return form;
  }

  /** The translations of rare words: [word, translation, share]. @returns {[string, string, number][]} */
  list() {
    return [...this.pairs].flatMap(([from, found]) => {
      const total = [...found.values()].reduce((sum, n) => sum + n, 0);
      // a search looks words up, not phrases
      if (total > MOST || from.includes(' ')) return [];
      // what was seen twice may be chance
      return [...found].sort((a, b) => b[1] - a[1])
        .filter(([to, n]) => n >= LEAST && n >= SHARE * (total + 1) && to !== from && to !== '' && !MORE.test(to))
        .map(([to, n]) => /** @type {[string, string, number]} */ ([from, to, n / (total + 1)]));
    });
  }
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
 * Counts the links of a line: a word, and one to three neighbours that translate it and nothing else.
 *
 * @param {string} line  >>xx<< source, target, links
 * @param {Counts} there
 * @param {Counts} back
 */
function countLine(line, there, back) {
  const [tagged, target, links = ''] = line.split('\t');
  const source = tagged.slice(tagged.indexOf(' ') + 1);
  const [from, to] = [wordsOf(source), wordsOf(target)];
  /** Where each word's links lead. @type {[Set<number>[], Set<number>[]]} */
  const [of, by] = [from.map(() => new Set()), to.map(() => new Set())];
  for (const link of links.split(' ').filter(Boolean)) {
    const [i, j] = link.split('-').map(Number);
    of[i]?.add(j);
    by[j]?.add(i);
  }
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

async function main() {
  const { values } = parseArgs({
    options: { work: { type: 'string' }, out: { type: 'string' }, help: { type: 'boolean' } },
  });
  const { work, out } = values;
  if (values.help || !work || !out) {
    console.error(HELP);
    process.exit(values.help ? 0 : 2);
  }
  const counts = Object.fromEntries(OTHERS.map((other) => [other, { there: new Counts(), back: new Counts() }]));
  for (const name of CORPORA) {
    const path = join(work, 'train', `${name}.tsv.aligned`);
    const input = createReadStream(path).on('error', (error) => fail(`${path}: ${error.message}`));
    for await (const line of createInterface({ input })) {
      const [, language] = /^>>(\w+)<< /.exec(line) ?? fail(`${path}: found '${line}', expected >>xx<< first`);
      if (language === 'en') break; // from here on the source is another language
      const { there, back } = counts[language] ?? fail(`${path}: found >>${language}<<, expected one of ${OTHERS} or en`);
      countLine(line, there, back);
    }
  }
  const rows = OTHERS.flatMap((other) => {
    const { there, back } = counts[other];
    /** @type {Map<string, [number, number]>} */
    const shares = new Map();
    const hundredths = (/** @type {number} */ share) => Math.round(100 * share);
    for (const [from, to, share] of there.list()) shares.set(`${from}\t${to}`, [hundredths(share), 0]);
    for (const [from, to, share] of back.list()) {
      const key = `${to}\t${from}`;
      shares.set(key, [shares.get(key)?.[0] ?? 0, hundredths(share)]);
    }
    return [...shares].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, pair]) => {
      const [english, word] = key.split('\t');
      return [other, back.formOf(english), there.formOf(word), ...pair].join('\t');
    });
  });
  writeFileSync(out, rows.map((row) => `${row}\n`).join(''));
  console.log(`${out}: ${rows.length} pairs of words`);
}

await main();
