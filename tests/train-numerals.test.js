// Numbers in words for training, beside those of num2words.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { numeral, numeralRows } from '../src/train/model/numerals.js';
import { random } from '../src/train/model/random.js';

const LANGUAGES = ['en', 'de', 'fr', 'es'];
const golden = readFileSync(new URL('golden/train/numerals.tsv', import.meta.url), 'utf8').trim().split('\n')
  .map((line) => line.split('\t'));

test('numbers in words are those of num2words', () => {
  assert.equal(golden.length, 153);
  for (const [number, ...words] of golden) {
    LANGUAGES.forEach((language, i) => {
      // num2words writes a comma after thousands, and "einhundert", where one says "hundert"
      const expected = words[i].replace(',', '').replace(/^ein(?=hundert|tausend)/, '');
      assert.equal(numeral(Number(number), language), expected, `${number} in ${language}`);
    });
  }
});

test('before a noun: one has its gender, and so have the hundreds of Spanish', () => {
  const cases = [
    [1, 'de', 'm', 'ein'], [101, 'de', 'm', 'hundertein'], [21, 'de', 'f', 'einundzwanzig'],
    [21, 'fr', 'f', 'vingt et une'], [71, 'fr', 'f', 'soixante et onze'], [81, 'fr', 'f', 'quatre-vingt-une'],
    [80, 'fr', 'm', 'quatre-vingts'], [80000, 'fr', 'm', 'quatre-vingt mille'], [200000, 'fr', 'm', 'deux cent mille'],
    [21, 'es', 'm', 'veintiún'], [21, 'es', 'f', 'veintiuna'], [31, 'es', 'm', 'treinta y un'],
    [571, 'es', 'f', 'quinientas setenta y una'], [100, 'es', 'f', 'cien'], [21000, 'es', 'm', 'veintiún mil'],
    [11, 'es', 'm', 'once'], [111, 'es', 'f', 'ciento once'],
  ];
  for (const [n, language, gender, expected] of cases) assert.equal(numeral(n, language, gender), expected);
});

test('rows: the same number in all languages, alone and in sentences', () => {
  const rows = numeralRows(random(3));
  assert.ok(rows.length > 5000);
  assert.deepEqual(rows.find(({ en }) => en === 'forty-two people'), {
    en: 'forty-two people', de: 'zweiundvierzig Menschen', fr: 'quarante-deux personnes', es: 'cuarenta y dos personas',
  });
  assert.deepEqual(rows.find(({ en }) => en === 'We need twenty-one chairs.'), {
    en: 'We need twenty-one chairs.', de: 'Wir brauchen einundzwanzig Stühle.',
    fr: 'Il nous faut vingt et une chaises.', es: 'Necesitamos veintiuna sillas.',
  });
  assert.ok(!rows.some((row) => LANGUAGES.some((language) => !row[language] || /[{}]|undefined/.test(row[language]))));
});
