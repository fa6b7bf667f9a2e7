// joints.js - what French and Spanish do where words meet, for translations of a lexicon: l'heure, al puerto, ¡Feliz.
// Loaded by lexicon.js for these languages.

import { PLACE_AFTER } from '../base/constants.js';

/** The start of a word in SentencePiece's pieces. */
const SPACE = '\u2581';

/** Words in small letters, and with a capital. @param {string} words */
function withCapitals(words) {
  return words.split(' ').filter(Boolean).flatMap((word) => [word, word[0].toUpperCase() + word.slice(1)]);
}

/** What joins a French word to the one before without a space: l'heure. An "h" may be mute or not. */
const JOINT = "'";
const ELIDES = /^[aeiouyh\u0153\u00e6]/i;
const MUST_ELIDE = /^[aeiou\u0153\u00e6]/i;
const ELIDED = withCapitals('le la de que du au ce ne se me te je');

/** Marks that begin a Spanish question or exclamation. No space follows. */
const MARKS = ['¡', '¿'];

/** By language: articles, and words with which one is contracted. */
const ARTICLES = new Map([
  ['fr', withCapitals('le la les un une des du au aux')], ['es', withCapitals('el la los las un una unos unas del al')],
]);
/** By language and article: what prepositions become with it, and those prepositions. */
const CONTRACTIONS = new Map(['fr le du au de \u00e0', 'fr les des aux de \u00e0', 'es el del al de a'].map((line) => {
  const [language, article, ...words] = line.split(' ');
  return [`${language} ${article}`, words];
}));

/**
 * The words before a translation that change how it is written, or that it may not follow.
 *
 * @param {string} text
 * @param {string} capital  the text where a sentence begins
 * @param {string} language
 * @returns {[before: string, text: string, isRight: boolean][]}  isRight: false: the text must not begin after the word
 */
function joints(text, capital, language) {
  const articles = ARTICLES.get(language) ?? [];
  const [article] = text.split(' ', 1);
  const rest = text.slice(article.length + 1);
  const [ofIt, toIt, ...prepositions] = (rest && CONTRACTIONS.get(`${language} ${article}`)) || [];
  const contracted = ofIt === undefined ? [] : withCapitals(`${ofIt} ${toIt}`);
  /** @type {ReturnType<typeof joints>} */
  const found = contracted.map((word) => [word, rest, true]);
  /** @type {Set<string>} */
  const wrong = new Set();
  if (articles.includes(article) || text.startsWith(`l${JOINT}`)) {
    for (const word of [...articles, ...withCapitals(prepositions.join(' '))]) wrong.add(word);
  }
  if (language === 'fr') {
    const plain = text.normalize('NFD');
    found.push([`l${JOINT}`, text, ELIDES.test(plain)]);
    if (MUST_ELIDE.test(plain)) for (const word of ELIDED) wrong.add(word);
  }
  if (language === 'es') for (const mark of MARKS) found.push([mark, capital, true]);
  for (const word of [article, ...contracted]) wrong.delete(word);
  for (const word of wrong) found.push([word, text, false]);
  return found;
}

/**
 * The entries of a translation after words that change it: share, place, ids, which begin with the last id of such a
 * word. Those with a share of 0 only keep it from beginning there.
 *
 * @param {import('../text/tokenizer.js').Tokenizer} tokenizer
 * @param {string} text
 * @param {string} capital  the text where a sentence begins
 * @param {string} language
 * @param {number} thousandths  share
 * @returns {number[][]}
 */
export function entriesAfter(tokenizer, text, capital, language, thousandths) {
  return joints(text, capital, language).flatMap(([before, word, isRight]) => {
    const isElided = before.endsWith(JOINT);
    const isApart = !isElided && !MARKS.includes(before);
    const { ids, pieces } = tokenizer.encode(before + (isApart ? ' ' : '') + word, { side: 'target' });
    const at = pieces.indexOf(isElided ? JOINT : SPACE + before);
    const isSpelled = pieces[at + 1].startsWith(SPACE) === isApart && tokenizer.decode(ids.slice(at + 1, -1)) === word;
    if (at < 0 || !isSpelled) return [];
    // the beginning of a word is enough to keep it from beginning; a space of its own is none
    const enough = at + (pieces[at + 1] === SPACE ? 3 : 2);
    const [share, end] = isRight ? [thousandths, -1] : [0, enough];
    return [[share, PLACE_AFTER, ...ids.subarray(at, end)]];
  });
}
