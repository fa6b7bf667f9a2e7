// words-task.js - a task of the chapter Train: short English sentences in German. Nouns have three genders, articles
// and adjectives follow them, and a first "today" turns subject and verb round. Its model has a tokenizer, so that it
// loads like any other. Used by tasks.js.
//
//   today the small dog sees an old cat   ->   heute sieht der kleine Hund eine alte Katze

import { BASE, BEGIN, drawn, END, OPTIONS } from './base-task.js';

/** German with its gender. @type {Record<string, [word: string, gender: 0 | 1 | 2]>} */
const NOUNS = {
  dog: ['Hund', 0], man: ['Mann', 0], bird: ['Vogel', 0],
  cat: ['Katze', 1], woman: ['Frau', 1], flower: ['Blume', 1],
  child: ['Kind', 2], house: ['Haus', 2], book: ['Buch', 2],
};
const ADJECTIVES = { small: 'klein', old: 'alt', big: 'gro\u00df', young: 'jung', new: 'neu' };
const VERBS = { sees: 'sieht', finds: 'findet', looks_for: 'sucht', needs: 'braucht', likes: 'mag' };
const TODAY = ['today', 'heute'];
/** Article and the end of the adjective, of a subject and of an object, by gender. */
const FORMS = {
  the: [[['der', 'e'], ['die', 'e'], ['das', 'e']], [['den', 'en'], ['die', 'e'], ['das', 'e']]],
  a: [[['ein', 'er'], ['eine', 'e'], ['ein', 'es']], [['einen', 'en'], ['eine', 'e'], ['ein', 'es']]],
};

/** @typedef {{ article: 'the' | 'a', adjective: string, noun: string }} Phrase  adjective: may be '' */
/** @typedef {{ isToday: boolean, subject: Phrase, verb: string, object: Phrase }} Sentence */

const has = (/** @type {object} */ list, /** @type {string} */ word) => Object.hasOwn(list, word);
const words = (/** @type {string[]} */ ...list) => list.filter(Boolean).join(' ');

/** @param {Phrase} phrase */
const english = ({ article, adjective, noun }) =>
  words(article === 'a' && /^[aeiou]/.test(adjective || noun) ? 'an' : article, adjective, noun);

/** @param {Phrase} phrase @param {0 | 1} role  subject or object */
function german({ article, adjective, noun }, role) {
  const [word, gender] = NOUNS[noun];
  const [form, end] = FORMS[article][role][gender];
  return words(form, adjective && ADJECTIVES[/** @type {keyof typeof ADJECTIVES} */ (adjective)] + end, word);
}

/** @param {Sentence} sentence */
const toEnglish = ({ isToday, subject, verb, object }) =>
  words(isToday ? TODAY[0] : '', english(subject), verb.replace('_', ' '), english(object));

/** @param {Sentence} sentence */
function toGerman({ isToday, subject, verb, object }) {
  const [first, second] = [german(subject, 0), VERBS[/** @type {keyof typeof VERBS} */ (verb)]];
  return words(...(isToday ? [TODAY[1], second, first] : [first, second]), german(object, 1));
}

/** A sentence that the task has; undefined for any other text. @param {string} text @returns {Sentence | undefined} */
function parse(text) {
  const rest = text.replace('looks for', 'looks_for').split(' ');
  const isToday = rest[0] === TODAY[0];
  if (isToday) rest.shift();
  const phrase = () => {
    const article = rest.shift() === 'the' ? 'the' : 'a';
    const adjective = has(ADJECTIVES, rest[0]) ? String(rest.shift()) : '';
    return { article: /** @type {Phrase['article']} */ (article), adjective, noun: rest.shift() ?? '' };
  };
  const subject = phrase();
  const verb = rest.shift() ?? '';
  const sentence = { isToday, subject, verb, object: phrase() };
  const isKnown = has(NOUNS, subject.noun) && has(VERBS, verb) && has(NOUNS, sentence.object.noun);
  // an article that is none was taken for "a"
  return isKnown && toEnglish(sentence) === text ? sentence : undefined;
}

/** Every eighth sentence is kept from training: the trials are drawn from these. @param {string} text */
export const isHeldOut = (text) => Array.from(text).reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) >>> 0, 7) % 8 === 0;

/** @param {() => number} next  0 to below 1 */
function random(next) {
  const pick = (/** @type {object} */ list) => Object.keys(list)[Math.floor(next() * Object.keys(list).length)];
  const phrase = () => ({
    article: /** @type {Phrase['article']} */ (next() < 0.5 ? 'the' : 'a'),
    adjective: next() < 0.5 ? pick(ADJECTIVES) : '',
    noun: pick(NOUNS),
  });
  return toEnglish({ isToday: next() < 0.4, subject: phrase(), verb: pick(VERBS), object: phrase() });
}

const spoken = (/** @type {string[]} */ list) => list.flatMap((text) => text.split('_'));
/** Both languages, in the order of their ids. */
const VOCABULARY = [...new Set([
  ...TODAY, ...Object.keys(FORMS), 'an', ...Object.keys(NOUNS), ...Object.keys(ADJECTIVES),
  ...spoken(Object.keys(VERBS)),
  ...Object.values(FORMS).flat(2).map(([form]) => form), ...Object.values(NOUNS).map(([word]) => word),
  ...Object.values(ADJECTIVES).flatMap((word) => ['e', 'er', 'es', 'en'].map((end) => word + end)),
  ...Object.values(VERBS),
])];
const UNKNOWN = 1;
const PIECES = ['<pad>', '<unk>', '</s>', ...VOCABULARY.map((word) => `\u2581${word}`)];

/** @param {string} text */
const split = (text) => text.split(' ');

/** @type {import('./tasks.js').Task} */
export const task = {
  steps: 400,
  batch: 64,
  longest: 16,
  example: 'today the old woman finds a new book',
  probe: 'today the small dog sees an old cat',
  config: { ...BASE, vocab_size: BEGIN + VOCABULARY.length, max_position_embeddings: 32 },
  options: { ...OPTIONS, learningRate: 0.003, warmupSteps: 100, totalSteps: 400 },
  guess: VOCABULARY.length,
  toIds: (text) => [...split(text).map((word) => {
    const at = VOCABULARY.indexOf(word);
    return at < 0 ? UNKNOWN : BEGIN + at;
  }), END],
  toText: (ids) => ids.map((id) => VOCABULARY[id - BEGIN] ?? '\u00b7').join(' '),
  split,
  solve(text) {
    const sentence = parse(text);
    return sentence && toGerman(sentence);
  },
  *texts(seed) {
    for (const next = drawn(seed); ;) {
      const text = random(next);
      if (!isHeldOut(text)) yield text;
    }
  },
  *trials(seed) {
    for (const next = drawn(seed); ;) {
      const text = random(next);
      if (isHeldOut(text)) yield text;
    }
  },
  async files() {
    const { UNIGRAM, writeSpm } = await import('../../js/formats/spm-write.js');
    // the types of SentencePiece: 2 unknown, 3 control; a longer piece is likelier than its letters
    const spm = writeSpm(PIECES.map((text, i) => ({ text, score: -1, type: i === UNKNOWN ? 2 : i < BEGIN ? 3 : 1 })),
      { model: UNIGRAM });
    const json = (/** @type {object} */ value) => new TextEncoder().encode(JSON.stringify(value));
    return {
      'source.spm': spm,
      'target.spm': spm,
      'vocab.json': json(Object.fromEntries(PIECES.map((piece, id) => [piece, id]))),
      'generation_config.json': json({ num_beams: 1, max_length: 24 }),
      'heed.json': json({ source: 'en', target: 'de' }),
    };
  },
};
