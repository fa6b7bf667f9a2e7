// corpora.test.js - the texts that models are trained on: one spelling, rows by language, what is held out.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { readConfig } from '../js/model/config.js';
import { preparedSets } from '../src/train/model/calibrate.js';
import { makeConfig } from '../src/train/model/directory.js';
import { SHARES } from '../src/train/model/recipe.js';
import {
  clean, isPlausible, joinPairs, keyOf, listVariants, readHeldOut, readSentences, withMarks,
} from '../src/train/model/texts.js';
import { charsmap, REQUIRED } from '../src/train/model/vocabulary.js';
import { SHIPPED } from './model-files.js';

test('clean(): one spelling of spaces, apostrophes, dots and quotes', () => {
  assert.equal(clean(' It\u2019s\u00a0\u2018fine\u2019\u2026  ', 'en'), "It's 'fine'...");
  assert.equal(clean('e\u0301te\u0301, soft\u00adhyphen', 'fr'), 'été, softhyphen');
  assert.equal(clean('She said \u201cno\u201d.', 'en'), 'She said "no".');
  assert.equal(clean('Er sagte \u201enein\u201d.', 'de'), 'Er sagte \u201enein\u201c.');
  assert.equal(clean('Er sagte \u201cnein\u201d.', 'de'), 'Er sagte "nein".');
  assert.equal(clean('5 m² \u2212 3 ½', 'de'), '5 m² - 3 ½');
});

test('clean(): French signs have their space, addresses and times do not', () => {
  assert.equal(clean('Quoi? Non! Si: «oui»; bon.', 'fr'), 'Quoi ? Non ! Si : « oui » ; bon.');
  assert.equal(clean('Déjà là\u202f!', 'fr'), 'Déjà là !');
  assert.equal(clean('Voir https://a.fr/b?c=1 à 16:30.', 'fr'), 'Voir https://a.fr/b?c=1 à 16:30.');
  assert.equal(clean('What? No!', 'en'), 'What? No!');
});

test('withMarks(): the quotation marks of a language, where they are in pairs', () => {
  assert.equal(withMarks('Er sagte "ja" und "nein".', 'de'), 'Er sagte \u201eja\u201c und \u201enein\u201c.');
  assert.equal(withMarks('Das Gedicht "Der Teufel ".', 'de'), 'Das Gedicht \u201eDer Teufel\u201c.');
  assert.equal(withMarks('"Non !" a-t-il dit.', 'fr'), '\u00ab Non ! \u00bb a-t-il dit.');
  assert.equal(withMarks('Dijo "¿Sí?".', 'es'), 'Dijo \u00ab¿Sí?\u00bb.');
  for (const text of ['Ein 5" und ein 6" Rohr', 'x = "ja"', '<a href="b">', 'Er sagte "ja', 'Er "sagte" "ja'])
    assert.equal(withMarks(text, 'de'), text);
  assert.equal(withMarks('He said "no".', 'en'), 'He said "no".');
});

test('clean(): emoji that are joined stay whole', () => {
  assert.equal(clean('👩\u200d💻 ok', 'en'), '👩\u200d💻 ok');
  assert.equal(clean('a\u200db', 'en'), 'ab');
});

test('keyOf(): case, punctuation and spaces do not count, letters do', () => {
  assert.equal(keyOf(' ¿Qué  TAL? '), keyOf('qué tal'));
  assert.notEqual(keyOf('si'), keyOf('sí'));
});

test('joinPairs(): rows with the same English', () => {
  const rows = joinPairs([{ en: 'a', de: 'A' }, { en: 'b', de: 'B' }], [{ en: 'b', fr: 'β' }, { en: 'c', fr: 'γ' }]);
  assert.deepEqual(rows, [{ en: 'b', de: 'B', fr: 'β' }]);
});

test('isPlausible(): other numbers, other lengths, copies and tables are not translations', () => {
  assert.ok(isPlausible('Press the key 3 times.', 'Drücken Sie die Taste 3 Mal.'));
  assert.ok(isPlausible('It costs 1,234.50 euros.', 'Es kostet 1.234,50 Euro.'));
  assert.ok(!isPlausible('Press the key 3 times.', 'Drücken Sie die Taste 4 Mal.'));
  assert.ok(!isPlausible('Press the key.',
    'Drücken Sie die Taste, sobald die Anzeige grün leuchtet und der Ton endet.'));
  assert.ok(!isPlausible('The same text stands here', 'The same text stands here'));
  assert.ok(isPlausible('Microsoft Office', 'Microsoft Office'));
  assert.ok(!isPlausible('-- == 12 == -- ==', '-- == 12 == -- =='));
});

test('readHeldOut(): development sets and scores on either side, phrases as sources of their language', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'heed-corpora-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const other of ['de', 'fr', 'es'])
    for (const part of ['dev', 'docs-dev'])
      writeFileSync(join(folder, `en-${other}.${part}.tsv.gz`),
        gzipSync(`The ${part} of ${other}.\tX ${part} ${other}\tl\n`));
  mkdirSync(join(folder, 'copy'));
  writeFileSync(join(folder, 'phrases.tsv'), 'no | nope | [fr] no way\tnein\tnon\tno\n');
  writeFileSync(join(folder, 'samples.json'), JSON.stringify({ en: ['A sample.'] }));
  writeFileSync(join(folder, 'copy/cases.tsv'), 'kind\ten\tde\tfr\tes\tnames\n' +
    'number\tIt is 5 for Ana.\tEs ist 5 für Ana.\tC\'est 5 pour Ana.\tEs 5 para Ana.\tAna\n');
  writeFileSync(join(folder, 'letter.tsv'), 'en\tde\tfr\tes\nKind regards,\tMit freundlichen Grüßen\tA,\tB,\n');
  const { texts, sources } = readHeldOut(folder, folder);
  for (const text of ['the docs-dev of fr', 'x dev es', 'A SAMPLE', 'Es ist 5 für Ana'])
    assert.ok(texts.has(keyOf(text)), text);
  for (const text of ['number', 'Ana', 'en', 'kind regards']) {
    assert.ok(!texts.has(keyOf(text)), `${text} can be learned`);
  }
  assert.deepEqual(Object.values(sources).map((set) => [...set].join()), ['no,nope,no way', 'nein', 'non', 'no']);
});

test('first.tsv and sentences/: whole rows, and no phrase by which models are measured', () => {
  const lines = (/** @type {string} */ path) =>
    readFileSync(new URL(path, import.meta.url), 'utf8').trim().split('\n').map((line) => line.split('\t'));
  const folder = '../src/train/model/sentences';
  const names = readdirSync(new URL(folder, import.meta.url)).filter((name) => name.endsWith('.tsv'));
  const sentences = names.flatMap((name) => lines(`${folder}/${name}`));
  assert.equal(readSentences().length, sentences.length);
  const first = lines('../src/train/model/first.tsv');
  const measured = lines('score/phrases.tsv');
  const keys = [0, 1, 2, 3].map((i) => new Set(measured.flatMap((cells) => listVariants(cells[i]).map(keyOf))));
  assert.ok(first.length > 0 && sentences.length > 0 && measured.length > 0);
  for (const row of [...first, ...sentences]) {
    assert.equal(row.length, 4, row[0]);
    row.forEach((text, i) => {
      assert.ok(keyOf(text) !== '', row[0]);
      assert.ok(!keys[i].has(keyOf(text)), `${text} is in tests/score/phrases.tsv`);
    });
  }
});

test('the shipped vocabulary: all bytes, no two digits in one piece, and every character that is required', () => {
  const pieces = Object.keys(JSON.parse(readFileSync(join(SHIPPED, 'vocab.json'), 'utf8')));
  const bytes = pieces.filter((piece) => /^<0x[\dA-F]{2}>$/.test(piece));
  assert.equal(new Set(bytes).size, 256);
  assert.deepEqual(pieces.filter((piece) => /\p{Nd}.*\p{Nd}/u.test(piece) && !bytes.includes(piece)), []);
  // the last three are required of vocabularies that are made after this one
  assert.deepEqual([...REQUIRED].filter((character) => !pieces.includes(character) && !'‚‹›'.includes(character)), []);
});

test('the vocabulary: every printable ASCII character is a piece; combining accents are composed', () => {
  for (let code = 0x21; code < 0x7f; code++) assert.ok(REQUIRED.includes(String.fromCharCode(code)));
  assert.ok(!REQUIRED.includes(' '));
  const rules = charsmap().split('\n');
  assert.ok(rules.includes('65 301\tE9'), 'e and an acute accent');
  assert.ok(rules.includes('2019\t27'), 'a typographic apostrophe');
  assert.ok(!rules.some((rule) => rule.startsWith('B2\t')), 'a raised 2 stays');
});

test('recipe.js: everyday sentences, phrases and words are at least half of the tokens, with all files or not', () => {
  const everyday = ['everyday', 'everyday-x', 'phrases', 'phrases-x', 'sentences', 'sentences-x', 'words', 'first'];
  const { pivot, distil, ...others } = SHARES;
  const sum = (/** @type {Record<string, number>} */ shares) => Object.values(shares).reduce((a, b) => a + b, 0);
  for (const made of [{}, { pivot }, { distil }, { pivot, distil }]) {
    const own = everyday.map((name) => SHARES[name]).reduce((a, b) => a + b) + (made.pivot ?? 0) +
      // of distil.js's lines five of six are everyday sentences, of 7 words; those of documentation have 15: the former
      // are more than half of its tokens
      (made.distil ?? 0) / 2;
    const all = sum(others) + sum(made);
    assert.ok(own >= all / 2, `with ${Object.keys(made)}: ${own} of ${all}`);
  }
});

test('preparedSets(): everyday sentences with the language of their target, not documentation', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'heed-sets-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of ['en-de', 'docs-en-de']) writeFileSync(join(folder, `${name}.tsv`), '>>de<< Yes.\tJa.\n');
  assert.deepEqual(preparedSets(folder),
    [{ name: 'en-de', target: 'de', pairs: [{ source: 'Yes.', reference: 'Ja.', language: 'de' }] }]);
});

test('trials.js: what was tried before is not tried again', (t) => {
  const work = mkdtempSync(join(tmpdir(), 'heed-trials-'));
  t.after(() => rmSync(work, { recursive: true }));
  for (const name of ['train', 'dev', 'guided-alignment-15']) mkdirSync(join(work, name));
  writeFileSync(join(work, 'spm.model'), ''); // the corpora are there
  writeFileSync(join(work, 'speeds.json'), JSON.stringify({
    plain: { speed: 4567.8, tokensPerStep: 2000 }, 'guided alignment': { speed: 4321.4, tokensPerStep: 2000 },
  }));
  writeFileSync(join(work, 'guided-alignment-15/result.json'), JSON.stringify({
    tokens: 3890000, everyday: { bleu: 12.34, chrf2: 34.56 }, docs: { bleu: 5.67, chrf2: 23.41 }, numbers: 70, names: 60,
  }));
  const { status, stdout, stderr } = spawnSync(process.execPath, ['src/train/model/trials.js', '--data', work,
    '--work', work, '--only', 'guided alignment'],
  { cwd: fileURLToPath(new URL('..', import.meta.url)), encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.ok(stdout.includes(
    '\n| guided alignment | 4,321 | 3,890,000 | 12.3, 34.6 | 5.7, 23.4 | 70.0 % | 60.0 % |\n'), stdout);
});

test('config.json of what heed-train made: its numbers are what a MarianConfig has in their place', () => {
  const config = makeConfig(16000,
    { decoder_layers: 2, normalize_before: 1, scale_embedding: 0, activation_function: 2 });
  const { decoder_layers, normalize_before, add_final_layer_norm, scale_embedding, activation_function } = config;
  assert.deepEqual([decoder_layers, normalize_before, add_final_layer_norm, scale_embedding, activation_function],
    [2, true, false, false, 'swish']);
  assert.doesNotThrow(() => readConfig(config, {}));
});

test('config.json with norms before the sublayers: the model that transformers has for it', () => {
  const set = { normalize_before: 1, add_final_layer_norm: 1 };
  assert.deepEqual(makeConfig(16000, set).architectures, ['PegasusForConditionalGeneration']);
  assert.equal(makeConfig(16000, { ...set, normalize_embedding: 1 }).model_type, 'marian', 'Pegasus has no such norm');
});
