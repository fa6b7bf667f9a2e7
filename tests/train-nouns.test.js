// train-nouns.test.js - src/train/model/nouns.js: the nouns of a dictionary, and sentences that get rare ones.
import assert from 'node:assert/strict';
import test from 'node:test';
import { countSentences, Nouns, readNouns } from '../src/train/model/nouns.js';

const rowOf = (/** @type {string} */ line) => {
  const [en, de, fr, es] = line.split(' | ');
  return { en, de, fr, es };
};
const DICTIONARY = [
  'the dog | der Hund | le chien | el perro', 'a dog | ein Hund | un chien | un perro',
  'the hedgehog | der Igel | le hérisson | el erizo', 'a hedgehog | ein Igel | un hérisson | un erizo',
  'the sparrow | der Spatz | le moineau | el gorrión', 'a sparrow | ein Spatz | un moineau | un gorrión',
  'the eagle | der Adler | l\'aigle | el águila', 'an eagle | ein Adler | un aigle | un águila', // a feminine word
  'the donkey | der Esel | l\'âne | el asno', 'a donkey | ein Esel | un âne | un asno',
  'the trout | die Forelle | la truite | la trucha', 'a trout | eine Forelle | une truite | una trucha',
  'the cup | die Tasse | la tasse | la taza', 'a cup | eine Tasse | une tasse | una taza',
  'the school | die Schule | l\'école | la escuela', 'a school | eine Schule | une école | una escuela',
  'the ladle | die Kelle | l\'auge | la artesa', // nobody tells the gender of "auge"
  'the trousers | die Hose | la culotte | la braga',
  'the dogs | die Hunde | les chiens | los perros', 'the hedgehogs | die Igel | les hérissons | los erizos',
  'the trouts | die Forellen | les truites | las truchas', 'the cups | die Tassen | les tasses | las tazas',
  'the horses | die Pferde | les chevaux | los caballos', // "chevau" is no word
  'the milk | die Milch | le lait | la leche', 'the lime | die Linde | le tilleul | la tila',
  'hedgehog | Igel | hérisson | erizo',
].map(rowOf);

test('readNouns(): number, gender and vowels, where the dictionary tells them', () => {
  const nouns = readNouns(DICTIONARY);
  assert.deepEqual(nouns.map(({ words }) => words.en), [
    'dog', 'hedgehog', 'sparrow', 'donkey', 'trout', 'cup', 'school',
    'dogs', 'trouts', 'cups', 'milk', 'lime', // nobody tells whether the h of "hérissons" is silent
  ]);
  const kindsOf = (/** @type {string} */ word) => nouns.find(({ words }) => words.en === word)?.kinds ?? {};
  assert.deepEqual(kindsOf('dog'), kindsOf('hedgehog'));
  assert.deepEqual(kindsOf('milk'), kindsOf('lime'));
  assert.notEqual(kindsOf('milk').en, kindsOf('dog').en); // no "a milk"
  assert.notEqual(kindsOf('donkey').fr, kindsOf('dog').fr); // l'
  for (const language of ['de', 'fr', 'es']) assert.notEqual(kindsOf('trout')[language], kindsOf('dog')[language]);
  assert.equal(kindsOf('school').de, kindsOf('trout').de);
  assert.notEqual(kindsOf('school').fr, kindsOf('trout').fr);
  // "mit den Tassen" stays right with "Forellen", not with "Hunde"
  assert.equal(kindsOf('cups').de, kindsOf('trouts').de);
  assert.notEqual(kindsOf('cups').de, kindsOf('dogs').de);
});

test('countSentences(): a word counts once a sentence', () => {
  assert.deepEqual([...countSentences([{ en: 'A dog saw a dog.', de: '' }, { en: "The dog's dog" }, { de: 'Hund' }])],
    [['A', 1], ['dog', 2], ['saw', 1], ['a', 1], ['The', 1], ["dog's", 1]]);
});

/** @param {Record<string, number>} counts */
const withRare = (counts = { dog: 1000, dogs: 1000, cup: 1000, cups: 1000, school: 1000 }) =>
  new Nouns(readNouns(DICTIONARY), new Map(Object.entries(counts)), 1);

test('a noun becomes a rare one of its kind, in all languages', () => {
  const row = rowOf("The big dog's owner saw the dog. | Er sah den Hund. | Il a vu le chien. | Vio al perro.");
  // "Spatz" would need an ending
  assert.deepEqual(withRare().replace(row),
    rowOf("The big dog's owner saw the hedgehog. | Er sah den Igel. | Il a vu le hérisson. | Vio al erizo."));
  assert.deepEqual(withRare().replace({ fr: 'Le chien boit de la tasse.', es: 'El perro bebe de la taza.' }),
    { fr: 'Le hérisson boit de la truite.', es: 'El erizo bebe de la trucha.' });
  assert.deepEqual(withRare().replace({ en: 'I like cups.', fr: "J'aime les tasses." }),
    { en: 'I like trouts.', fr: "J'aime les truites." });
  // "Spatz" itself may go: no ending tells the case
  assert.deepEqual(withRare().replace({ en: 'A sparrow sings.', de: 'Ein Spatz singt.', fr: 'Un moineau chante.' }),
    { en: 'A hedgehog sings.', de: 'Ein Igel singt.', fr: 'Un hérisson chante.' });
});

test('rows without such a noun stay away', () => {
  const nouns = withRare();
  for (const row of [
    { en: 'The dog saw the dog.', de: 'Der Hund sah den Köter.' }, // twice
    { en: 'The dog sleeps.', de: 'Der Köter schläft.' }, // in one language alone
    { en: 'Dog food, old dog.', de: 'Hundefutter, alter Hund.' }, // no article
    { en: 'The dog sleeps.', de: 'Auf sehr gutem Hund schläft er.' },
    { en: 'The school is big.', de: 'Die Schule ist groß.', fr: "L'école est grande." }, // no other of its kind
    { en: 'The dog.', de: 'des Hundes' },
    { en: 'The hot-dog.', de: 'Der Hund.' },
  ]) assert.equal(nouns.replace(row), undefined, row.en);
  // no noun is rare
  const frequent = Object.fromEntries(readNouns(DICTIONARY).map(({ words }) => [words.en, 151]));
  assert.equal(withRare(frequent).replace({ en: 'The dog.', de: 'Der Hund.' }), undefined);
});

test('all rare nouns of a kind have their turn', () => {
  const nouns = withRare({ dog: 1000 });
  const replace = () => nouns.replace({ en: 'The trout.', es: 'La trucha.' })?.en;
  const all = Array.from({ length: 6 }, replace);
  // itself would be no other
  assert.deepEqual(new Set(all), new Set([undefined, 'The cup.', 'The school.']));
  for (const word of new Set(all)) assert.equal(all.filter((other) => other === word).length, 2);
});
