// Pairs without English whose source a model makes: the target is what people wrote, and nothing is of a held-out text.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Translator } from '../js/index.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Sentences of their own for each language. @type {Record<string, string[]>} */
const ENGLISH = {
  de: ['The dog sleeps.', 'I have no time.', 'The books are new.', 'We held this out.'],
  fr: ['She reads a book.', 'Where is the station?', 'It is cold today.', 'Nobody knows that.'],
  es: ['He drinks water.', 'My house is small.', 'Come with me.', 'You are too late.'],
};

test('pivot.js: the model translates the English of a pair into a third language', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'heed-pivot-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const put = (/** @type {string} */ name, /** @type {string} */ text) =>
    writeFileSync(join(folder, name), name.endsWith('.gz') ? gzipSync(text) : text);
  for (const [other, list] of Object.entries(ENGLISH)) {
    put(`en-${other}.train.tsv.gz`, list.map((text, i) => `${text}\tWritten ${other} ${'abcd'[i]}.\tl\n`).join(''));
    put(`en-${other}.dev.tsv.gz`, 'We held this out.\tX.\tl\n');
    put(`en-${other}.docs-dev.tsv.gz`, 'Y\tZ\tl\n');
  }
  put('samples.json', JSON.stringify({ en: ['A sample.'] }));
  put('phrases.tsv', 'no\tnein\tnon\tno\n');
  const { status, stderr } = spawnSync(process.execPath, ['src/train/model/pivot.js', '--data', folder, '--out', folder,
    '--model', 'models/de-en-es-fr', '--score', folder, '--count', '2'], { cwd: ROOT, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const lines = readFileSync(join(folder, 'train/pivot.tsv'), 'utf8').trim().split('\n');
  const found = lines.map((line) => {
    const [, target, source, written] = /** @type {string[]} */ (/^>>(\w+)<< (.+)\t(.+)$/.exec(line));
    const [, other, letter] = /** @type {string[]} */ (/^Written (\w+) (\w)\.$/.exec(written));
    assert.equal(other, target);
    return { target, source, english: ENGLISH[target]['abcd'.indexOf(letter)] };
  });
  // two sources of each target have different sentences; one of German was held out
  const count = (/** @type {string} */ target) => found.filter((each) => each.target === target).length;
  assert.deepEqual(Object.keys(ENGLISH).map(count), [3, 4, 4]);
  assert.equal(new Set(found.map(({ english }) => english)).size, 11);
  assert.ok(!found.some(({ english }) => english === 'We held this out.'));
  const translators = await Promise.all(Object.keys(ENGLISH).map(async (targetLanguage) => [targetLanguage,
    await Translator.create({ sourceLanguage: 'en', targetLanguage, model: join(ROOT, 'models/de-en-es-fr') })]));
  for (const { target, source, english } of found) {
    const made = await Promise.all(translators.filter(([language]) => language !== target)
      .map(([, translator]) => /** @type {Translator} */ (translator).translate(english)));
    assert.ok(made.includes(source), `${source}: ${made}`);
  }
  for (const [, translator] of translators) /** @type {Translator} */ (translator).destroy();
});
