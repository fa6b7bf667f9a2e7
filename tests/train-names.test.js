// Names that sentences share are replaced by invented ones: the same in all languages, and nothing else changes.
import test from 'node:test';
import assert from 'node:assert/strict';
import { collectParts, inventName, replaceNames } from '../src/train/model/names.js';
import { random } from '../src/train/model/random.js';

const ROWS = [
  { en: 'I know Tom.', de: 'Ich kenne Tom.' }, { en: 'I love Los Angeles.', de: 'Ich liebe Los Angeles.' },
  { en: 'Yesterday Anna met Tom in April.', de: 'Gestern traf Anna Tom im April.' },
  { fr: 'Demain, Paris sera belle.', es: 'Mañana, Paris será bella.' },
  { en: 'We saw All About Soap.', de: 'Wir sahen All About Soap.' },
  ...Array.from({ length: 20 }, () => (
    { en: 'Yesterday, all the harbour with power', de: 'Gestern der Hafen mit Kraft', fr: 'la force du port' })),
];
const PARTS = collectParts(ROWS);

test('names are the words with a capital that sentences share inside, words are what is common', () => {
  // "all" is common, so "All" of a title is no name
  assert.deepEqual(PARTS.names.toSorted(), ['About', 'Angeles', 'Anna', 'Los', 'Paris', 'Soap', 'Tom']);
  assert.deepEqual(PARTS.words.de.toSorted(), ['hafen', 'kraft']);
  assert.deepEqual(PARTS.words.en.toSorted(), ['harbour', 'power', 'with']);
  assert.deepEqual(PARTS.words.fr.toSorted(), ['force', 'port']);
  assert.deepEqual(PARTS.words.es, []);
});

test('invented names are made of the words of a language, one word or two', () => {
  const next = random(3);
  const names = new Set(Array.from({ length: 500 }, () => inventName(PARTS, 'de', next)));
  for (const name of names) assert.match(name, /^\p{Lu}\p{L}+(?: (?:& )?\p{Lu}\p{L}+)?$/u);
  for (const name of ['Hafenkraft', 'Krafthafen', 'Tom Kraft', 'Hafenhafen Kraft'])
    assert.ok(names.has(name), `${name}: not among ${[...names].join(', ')}`);
  assert.ok([...names].some((name) => / GmbH$/.test(name)));
});

test('all sentences of a row get the same new names, with a consonant first, and keep everything else', () => {
  const next = random(4);
  const seen = new Set();
  for (let i = 0; i < 300; i++) {
    const row = /** @type {Record<string, string>} */ (replaceNames(
      { en: 'Tom saw Anna at the hotel, Tomorrow.', de: 'Tom sah Anna morgen im Hotel.' }, PARTS, next));
    const [, first, second] = /^(.+) saw (.+) at the hotel, Tomorrow\.$/.exec(row.en) ?? [];
    assert.equal(row.de, `${first} sah ${second} morgen im Hotel.`);
    for (const name of [first, second]) assert.match(name, /^[^AEIOUYHÀ-Ý]/);
    seen.add(first).add(second);
  }
  assert.ok(seen.size > 50, `${seen.size} names`);
});

test('rows that share no known name stay as they are: a name twice, in part of the languages, or bound', () => {
  const next = random(5);
  for (const row of [
    { en: 'Tom likes Tom.', de: 'Tom mag Tom.' }, { en: 'I know Tom.', de: 'Ich kenne ihn.' },
    { en: "I know Tom's car.", de: 'Ich kenne Toms Auto.' }, { en: 'In April.', de: 'Im April.' },
    { en: 'It is Bonn.', de: 'Das ist Bonn.' }, { en: 'I know all.', de: 'Ich kenne All.' },
    // parts of a longer name, and what the word before depends on
    { en: 'I was in Los Angeles.', de: 'Ich war in Los Angeles.' }, { en: 'Tom Anna came.', de: 'Tom Anna kam.' },
    { en: 'It is an Anna.', de: 'Das ist eine Anna.' }, { en: 'I live in Paris.', fr: "J'habite au Paris." },
    // no words to make names of
    { es: 'Veo a Tom.' },
  ]) assert.equal(replaceNames(row, PARTS, next), undefined, JSON.stringify(row));
});
