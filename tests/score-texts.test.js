// score-texts.test.js - the texts of score/ and what is counted in them: numbers, names, answers.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Translator } from '../js/index.js';
import { SHIPPED } from './model-files.js';
import { hasName, listNumbers, readCases, scoreCopy, scoreLine } from './score/copy.js';
import { LANGUAGES, listDirections, putRow, readTable, weightsOf } from './score/directions.js';
import { isAnswer, listAnswers, plain, readPhrases } from './score/phrases.js';

const root = fileURLToPath(new URL('..', import.meta.url));

test('numbers as each language writes them', () => {
  /** @type {[string, string, string[]][]} */
  const cases = [
    ['en', 'It is $1,234.56, not 12.5%.', ['1,234.56', '12.5']],
    ['de', 'Es kostet 1.234,56 $, nicht 12,5 %.', ['1.234,56', '12,5']],
    ['fr', 'Cela coûte 1 234,56 $ et 2 750 000 €.', ['1 234,56', '2 750 000']],
    ['fr', 'Cela coûte 1\u202f234,56\u00a0$.', ['1 234,56']],
    ['en', 'At 4:30 p.m. or at 4:30pm, not at 9 AM.', ['4:30 pm', '4:30 pm', '9 am']],
    ['de', 'Am 18. Juni um 16:30 Uhr, am Montag um 9 am See.', ['18', '16:30', '9']],
    ['fr', 'À 16 h 30, à 16h30, à 9 h, en 2 h.', ['16 h 30', '16 h 30', '9', '2']],
    ['es', 'El 1.º de mayo a las 16:30 h.', ['1', '16:30']],
    ['en', '23/05/2026, 3-1, 192.168.4.20, 10 x 20.', ['23/05/2026', '3-1', '192.168.4.20', '10', '20']],
    ['en', 'From -12 °C to \u22124 °C, pages 5-7 (-3).', ['-12', '-4', '5-7', '-3']],
    ['fr', 'En 2024 300 personnes, 12 345 euros.', ['2024', '300', '12 345']],
    ['fr', 'En salle 24 3000 fois.', ['24', '3000']],
    ['en', 'The A380, the 21st, no number 1066.', ['21', '1066']],
    ['es', 'Ninguno.', []],
  ];
  for (const [language, text, want] of cases) assert.deepEqual(listNumbers(text, language), want, text);
});

test('names that stand whole', () => {
  for (const [text, name, want] of /** @type {[string, string, boolean][]} */ ([
    ['Das ist Annas Hund.', 'Anna', true],
    ["That is Anna's dog.", 'Anna', true],
    ['Das ist Annabell.', 'Anna', false],
    ['Das ist Annass.', 'Anna', false],
    ['in jedem Lindqvist-Geschäft', 'Lindqvist', true],
    ['Marek Dvorak', 'Marek Dvořák', false],
    ['marek dvořák', 'Marek Dvořák', false],
    ["C'est d'Anneliese.", 'Anneliese', true],
    ['See www.example.org.', 'www.example.org', true],
    ['See www.example.org/a.', 'www.example.org', false],
    ['See http://www.example.org.', 'www.example.org', false],
    ['m.anna@example.org', 'anna@example.org', false],
    ['Call +49 30 5550 1734!', '+49 30 5550 1734', true],
    ['Call +49 30 5550 17345!', '+49 30 5550 1734', false],
    ['M8 or M80', 'M8', true],
    ['M80', 'M8', false],
    ['5 B', '5B', false],
  ])) assert.equal(hasName(text, name), want, `${name} in ${text}`);
});

test('a line against its reference', () => {
  assert.deepEqual(scoreLine('Um 16:30 Uhr kostet es 5 $ und 5 $.', 'Es kostet um 16:30 Uhr 5 $.', [], 'de'),
    { numbers: 2, lostNumbers: [], otherNumbers: ['5'], lostNames: [] });
  assert.deepEqual(scoreLine('Es kostet 5 $.', 'Es kostet 5 $, nicht 5 €.', [], 'de').lostNumbers, ['5'],
    'each number of the reference takes its own of the output');
  assert.deepEqual(scoreLine('Rufen Sie 112 um 4 Uhr an.', 'Rufen Sie um 4 Uhr 112 an.', ['112'], 'de'),
    { numbers: 1, lostNumbers: [], otherNumbers: [], lostNames: [] }, 'a telephone number is a name here');
  assert.deepEqual(scoreLine('Call 113.', 'Call 112.', ['112'], 'en'),
    { numbers: 0, lostNumbers: [], otherNumbers: ['113'], lostNames: ['112'] });
});

test('references keep everything that is counted in them; sources do not', () => {
  const cases = readCases();
  for (const language of LANGUAGES) {
    const { numbers, names, codes, otherNumbers } =
      scoreCopy(cases.map(({ sentences }) => sentences[language]), language, cases);
    assert.deepEqual([numbers.kept, names.kept, codes.kept, otherNumbers], [numbers.of, names.of, codes.of, 0]);
    assert.ok(numbers.of > 300 && names.of > 150 && codes.of > 100);
  }
  // English into German: 1,234 is not 1.234, but 37 is 37, and names are as they are
  const copied = scoreCopy(cases.map(({ sentences }) => sentences.en), 'de', cases);
  assert.ok(copied.numbers.kept < 0.7 * copied.numbers.of && copied.numbers.kept > 0.3 * copied.numbers.of);
  assert.equal(copied.names.kept, copied.names.of);
  const nothing = scoreCopy(cases.map(() => ''), 'de', cases);
  assert.deepEqual([nothing.numbers.kept, nothing.names.kept, nothing.codes.kept], [0, 0, 0]);
});

test('names and codes are counted apart', () => {
  const sentences = { en: 'Anna has 2 cats: a.example.', de: 'Anna hat 2 Katzen: a.example.' };
  const { numbers, otherNumbers, names, codes } = scoreCopy(['Anna hat 3.', 'Ana hat 2 Katzen: a.example.'], 'de', [
    { kind: 'person', sentences, names: ['Anna'] }, { kind: 'url', sentences, names: ['a.example'] },
  ]);
  assert.deepEqual({ numbers, otherNumbers, names, codes },
    { numbers: { of: 2, kept: 1 }, otherNumbers: 1, names: { of: 1, kept: 1 }, codes: { of: 1, kept: 1 } });
});

test('five hundred cases, each value in every language', () => {
  const cases = readCases();
  assert.equal(cases.length, 500);
  for (const { kind, sentences, names } of cases) {
    const counts = LANGUAGES.map((language) =>
      scoreLine(sentences[language], sentences[language], names, language).numbers);
    assert.ok(new Set(counts).size === 1, `${sentences.en}: ${counts} numbers`);
    assert.ok(counts[0] + names.length > 0, `${sentences.en}: nothing to keep`);
    assert.match(kind, /^(number|price|percent|unit|date|time|person|place|company|url|email|code|phone)$/);
  }
  for (const language of LANGUAGES) {
    assert.equal(new Set(cases.map(({ sentences }) => sentences[language])).size, 500, `${language}: said twice`);
  }
});

test('answers: what does not make one wrong', () => {
  for (const [language, output, answer, want] of /** @type {[string, string, string, boolean][]} */ ([
    ['de', 'hallo', 'Hallo.', true],
    ['de', 'Hallo!', 'Hallo.', true],
    ['de', 'Hallo?', 'Hallo.', false],
    ['de', 'der hund', 'der Hund', false],
    ['fr', 'Où  est la gare\u00a0?', 'où est la gare?', true],
    ['fr', 'S\u2019il vous plaît.', "S'il vous plaît.", true],
    ['es', '¡Hola!', 'Hola.', true],
    ['es', 'Hola!', '¡Hola!', false],
    ['es', 'Dónde está?', '¿Dónde está?', false],
    ['es', 'esta', 'está', false],
    ['en', 'Wait...', 'Wait.', false],
  ])) assert.equal(isAnswer(output, [answer], language), want, `${output} for ${answer}`);
  assert.equal(plain('', 'en'), '');
});

test('answers: those of one source language', () => {
  const cell = 'Hello. | Hi. | [fr] Good day. | [es] Good day.';
  assert.deepEqual(listAnswers(cell, 'de'), ['Hello.', 'Hi.']);
  assert.deepEqual(listAnswers(cell, 'fr'), ['Hello.', 'Hi.', 'Good day.']);
});

test('the outputs that are kept are of these phrases, as the model says them, and counted as they are', async () => {
  const rows = readPhrases();
  for (const direction of ['en-de', 'en-fr', 'en-es', 'de-en', 'fr-en', 'es-en']) {
    const [source, target] = direction.split('-');
    const kept = readTable(join(root, `tests/score/outputs/${direction}.tsv`)).slice(1);
    assert.equal(kept.length, rows.length, direction);
    const cell = (/** @type {string[]} */ row, /** @type {string} */ language) => row[LANGUAGES.indexOf(language)];
    for (const [i, [isRight, text, output]] of kept.entries()) {
      assert.equal(text, cell(rows[i], source).split(' | ')[0]);
      assert.equal(isRight, isAnswer(output, listAnswers(cell(rows[i], target), source), target) ? 'yes' : 'no', text);
    }
    const translator = await Translator.create({ sourceLanguage: source, targetLanguage: target, model: SHIPPED });
    const some = kept.filter((_, i) => i % 60 === 30); // five, spread over the file
    assert.deepEqual(await translator.translate(some.map(([, text]) => text)), some.map(([, , output]) => output));
    translator.destroy();
  }
});

test('three hundred phrases: columns, variants, punctuation', () => {
  const rows = readPhrases();
  assert.equal(rows.length, 300);
  for (const row of rows) {
    assert.equal(row.length, LANGUAGES.length, row[0]);
    const [end] = /[?!]?$/.exec(row[0].split(' | ')[0]) ?? [];
    row.forEach((cell, at) => {
      const language = LANGUAGES[at];
      assert.doesNotMatch(cell, /^\[/, 'the first variant is the source');
      for (const from of LANGUAGES) {
        const answers = listAnswers(cell, from);
        assert.equal(new Set(answers.map((answer) => plain(answer, language))).size, answers.length,
          `${cell}: twice the same`);
        for (const answer of answers) {
          assert.match(answer, end ? /^[^[\]{}|]+[?!]$/ : /^[^[\]{}|?!]+$/, 'as the source ends');
          if (language === 'fr' && end) assert.match(answer, / [?!]$/);
          if (language === 'es' && end) assert.match(answer, /[¿¡]/);
        }
      }
    });
  }
  for (const at of LANGUAGES.keys()) {
    const sources = rows.map((row) => `${row[at].split(' | ')[0]}`);
    assert.equal(new Set(sources.map((source) => plain(source, ''))).size, 300, `${LANGUAGES[at]}: a source twice`);
  }
});

test('the letter: four columns, the same numbers of numbers', () => {
  const [head, ...lines] = readTable(fileURLToPath(new URL('score/letter.tsv', import.meta.url)));
  assert.deepEqual(head, LANGUAGES);
  for (const line of lines) {
    assert.equal(line.length, LANGUAGES.length);
    assert.equal(new Set(line.map((cell, at) => listNumbers(cell, LANGUAGES[at]).length)).size, 1, line[0]);
  }
});

test('the programs: figures, outputs, exit code', () => {
  const out = mkdtempSync(join(tmpdir(), 'heed-score-'));
  const run = (/** @type {string[]} */ ...args) => spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  try {
    const from = ['--model', SHIPPED, '--direction', 'en-de', '--out', out];
    const { status, stdout } = run('tests/score/phrases.js', ...from);
    const [, percent, right] = /^en-de {2}([\d.]+) % right \((\d+) of 300\)\n$/.exec(stdout) ?? assert.fail(stdout);
    assert.equal(Number(percent), Math.round(Number(right) / 0.3) / 10);
    assert.equal(status, Number(percent) >= 95 ? 0 : 1);
    const [head, ...lines] = readTable(join(out, 'en-de.tsv'));
    assert.deepEqual(head, ['right', 'source', 'output', 'first answer']);
    assert.equal(lines.length, 300);
    assert.equal(lines.filter(([isRight]) => isRight === 'yes').length, Number(right));

    assert.match(run('tests/score/phrases.js', '--direction', 'de-fr').stderr, /found de-fr/);
    writeFileSync(join(out, 'heed.json'), '{ "format": 1 }');
    assert.match(run('tests/score/phrases.js', '--model', out).stderr,
      /heed\.json: lists no direction that the texts of phrases have; --direction names one/);
    const refused = run('tests/score/copy.js', '--keep', 'yes');
    assert.equal(refused.status, 2);
    assert.match(refused.stderr, /^usage: node tests\/score\/copy\.js/);
    assert.equal(run('tests/score/copy.js', '--write', '--model', SHIPPED).status, 2, 'figures of another model');
  } finally {
    rmSync(out, { recursive: true });
  }
});

test('directions of manifests and of an index', () => {
  assert.deepEqual(listDirections({ source: 'en', target: 'de' }), ['en-de']);
  assert.deepEqual(listDirections({ pairs: [['en', 'de'], ['de', 'en']] }), ['en-de', 'de-en']);
  assert.deepEqual(listDirections({ models: [{ source: 'en', target: 'fr' }, { pairs: [['es', 'en']] }] }),
    ['en-fr', 'es-en']);
});

test('figures that are kept: one row for a direction and option, of one set of weights', () => {
  const rows = [['en-de', 'off', 'abc', '90.0'], ['en-de', 'on', 'abc', '99.0'], ['de-en', 'off', 'old', '80.0']];
  assert.deepEqual(putRow(rows, ['en-de', 'off', 'abc', '91.0']),
    [['en-de', 'off', 'abc', '91.0'], ['en-de', 'on', 'abc', '99.0']]);
  assert.deepEqual(putRow(rows, ['de-en', 'on', 'old', '70.0']),
    [['de-en', 'off', 'old', '80.0'], ['de-en', 'on', 'old', '70.0']]);
  const weights = createHash('sha256').update(readFileSync(join(SHIPPED, 'model.safetensors'))).digest('hex');
  assert.equal(weightsOf(join(root, 'models/index.json'), 'en-de'), weights.slice(0, 12));
});
