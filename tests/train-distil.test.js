// Translations that a model makes with beams, for its next training: of its hypotheses the one nearest to the
// reference, and none of a held-out text.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Translator } from '../js/index.js';
import { nearest } from '../src/train/model/distil.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MODEL = join(ROOT, 'models/de-en-es-fr');

test('nearest: the hypothesis with the best BLEU and chrF2, the first of equal ones, none if all are far', () => {
  const reference = 'The little dog sleeps in the garden.';
  const near = 'The little dog is sleeping in the garden.';
  assert.equal(nearest(['A cat sleeps outside.', near, 'The dog sleeps.'], reference), near);
  assert.equal(nearest([near, reference], reference), reference);
  assert.equal(nearest(['It rains.', 'He went home.'], reference), undefined);
  // the same to both measures, which see no spaces at the end
  assert.equal(nearest([`${near} `, near], reference), `${near} `);
});

test('distil.js: options are named', () => {
  for (const [name, value, message] of [
    ['count', 'x', /distil: --count: found x, expected a whole number/],
    ['directions', 'en-it', /distil: --directions: found en-it, expected some of en-de, de-en/],
  ]) {
    const { status, stderr } = spawnSync(process.execPath, ['src/train/model/distil.js', '--data', 'none', '--out', 'none',
      '--model', 'none', `--${name}`, value], { cwd: ROOT, encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, message);
  }
});

test('distil.js: hypotheses of the beams, from both sides, of sentences that are not held out', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'heed-distil-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const put = (/** @type {string} */ name, /** @type {string} */ text) =>
    writeFileSync(join(folder, name), name.endsWith('.gz') ? gzipSync(text) : text);
  const english = ['Where is the station?', 'I have no time.', 'We held this out.', 'Zebra qua fum?'];
  const others = {
    de: ['Wo ist der Bahnhof?', 'Ich habe keine Zeit.', 'Wir hielten das zurück.', 'Etwas ganz anderes.'],
    fr: ['Où est la gare ?', "Je n'ai pas le temps.", 'Retenu par nous.', 'Tout autre chose.'],
    es: ['¿Dónde está la estación?', 'No tengo tiempo.', 'Lo retuvimos.', 'Algo muy distinto.'],
  };
  /** @type {Record<string, string>} */
  const docs = { de: 'Klicken Sie auf den Knopf.', fr: 'Cliquez sur le bouton.', es: 'Haga clic en el botón.' };
  for (const [other, list] of Object.entries(others)) {
    put(`en-${other}.train.tsv.gz`, list.map((text, i) => `${english[i]}\t${text}\tl\n`).join(''));
    put(`en-${other}.docs.tsv.gz`, `Click on the button.\t${docs[other]}\tl\n`);
    put(`en-${other}.dev.tsv.gz`, `We held this out.\t${list[2]}\tl\n`);
    put(`en-${other}.docs-dev.tsv.gz`, 'Y\tZ\tl\n');
  }
  put('samples.json', JSON.stringify({ en: ['A sample.'] }));
  put('phrases.tsv', 'no\tnein\tnon\tno\n');
  const { status, stderr } = spawnSync(process.execPath, [
    'src/train/model/distil.js', '--data', folder, '--out', folder, '--model', MODEL,
    '--score', folder, '--beams', '3', '--directions', 'en-de,fr-en', '--name', 'some',
  ], { cwd: ROOT, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const lines = readFileSync(join(folder, 'train/some.tsv'), 'utf8').trim().split('\n');
  const found = lines.map((line) => /** @type {string[]} */ (/^>>(\w+)<< (.+)\t(.+)$/.exec(line)).slice(1));
  // two sentences have all four languages, and one of them is held out; the last has a translation that is far
  const sources = (/** @type {string} */ target) => found.filter(([own]) => own === target).map(([, source]) => source);
  assert.deepEqual([sources('de'), sources('en')], [
    ['Where is the station?', 'Click on the button.'], ['Où est la gare ?', 'Cliquez sur le bouton.'],
  ]);
  const references = {
    'Where is the station?': others.de[0], 'Click on the button.': docs.de,
    'Où est la gare ?': english[0], 'Cliquez sur le bouton.': 'Click on the button.',
  };
  for (const [target, source, made] of found) {
    const [sourceLanguage, targetLanguage] = target === 'de' ? ['en', 'de'] : ['fr', 'en'];
    const translator = await Translator.create({ sourceLanguage, targetLanguage, model: MODEL });
    const [{ target: best, alternatives = [] }] = await translator.translateDetailed(source, { beams: 3, nBest: 3 });
    translator.destroy();
    const texts = [best, ...alternatives.map(({ text }) => text)];
    assert.equal(made, nearest(texts, references[/** @type {keyof typeof references} */ (source)]), `${texts}`);
  }
});
