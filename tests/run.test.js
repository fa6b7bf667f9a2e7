// run.test.js - the runner of all tests tells the truth: it counts what ran, fails when one part fails, and goes on.
// Every test file is in one group.
import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FAST, GROUPS, LONG, files } from './parts.js';
import { count, failuresIn, runParts } from './run.js';

const folder = mkdtempSync(join(tmpdir(), 'heed-run-'));
test.after(() => rmSync(folder, { recursive: true }));

/** A part that is a program of the shell. @param {string} name @param {string} program */
const shell = (name, program, minutes = 1) => ({ name, command: ['sh', '-c', program], minutes });

/** What runParts() gives for parts, and the lines that it prints. @param {import('./parts.js').Part[]} parts */
async function run(parts, jobs = 2) {
  /** @type {string[]} */
  const lines = [];
  const total = await runParts(parts, { jobs, print: (line) => lines.push(line), logs: join(folder, 'logs') });
  return { total, text: lines.join('\n') };
}

/** A part that is a file of node:test. @param {string} name @param {string} code */
function nodeTest(name, code) {
  const path = join(folder, `${name}.test.mjs`);
  writeFileSync(path, `import test from 'node:test';\n${code}`);
  return { name, command: [process.execPath, '--test', '--test-reporter=spec', path] };
}

test('every test file is in one group, and what the groups name is there', () => {
  assert.deepEqual(FAST.filter((name) => !existsSync(new URL(`${name}.test.js`, import.meta.url))), []);
  const run = ['fast', 'rest'].flatMap((group) => GROUPS[group].parts()).map(({ name }) => name);
  for (const name of files()) assert.equal(run.filter((part) => part === `${name}.test.js`).length, 1, name);
  assert.equal(new Set([...run, ...LONG.map(({ name }) => name)]).size, run.length + LONG.length, 'each name once');
  const parts = [...Object.values(GROUPS).flatMap((group) => group.parts()), ...LONG];
  const targets = [...Object.values(GROUPS).flatMap(({ build }) => build),
    ...parts.flatMap(({ command: [program, , target] }) => (program === 'make' ? target : []))];
  assert.ok(targets.includes('mutations') && targets.includes('test-arm'));
  const make = spawnSync('make', ['-qp', 'help'], { cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8', maxBuffer: 1 << 26 });
  assert.deepEqual(targets.filter((name) => !new RegExp(`^${name}:`, 'm').test(make.stdout)), [], 'targets of make');
});

test('no test waits a fixed time: each waits for what it needs', () => {
  const waits = /waitForTimeout\(|setTimeout\((?!\))[^;]*, \d+\)|\bdelay: \d/;
  assert.match('await page.waitFor' + 'Timeout(50)', waits);
  assert.match('await new Promise((resolve) => setTime' + 'out(resolve, 50));', waits);
  const code = (/** @type {string} */ name) => readFileSync(new URL(`${name}.test.js`, import.meta.url), 'utf8');
  assert.deepEqual(files().filter((name) => waits.test(code(name))), []);
});

describe('counts', () => {
  test('node:test: what passed, failed and was skipped, with the reason', async () => {
    const { total, text } = await run([nodeTest('mixed', `
      test('good', () => {});
      test('bad', () => { throw new Error('this is wrong'); });
      test('absent', { skip: 'no display here' }, () => {});`)]);
    const skipped = ['mixed: absent # no display here'];
    assert.deepEqual(total, { passed: 1, failed: 1, skipped, failures: ['mixed'] });
    assert.match(text, /FAILED {2}mixed: 1 passed, 1 failed, 1 skipped/);
    assert.match(text, /this is wrong/, 'what a part that fails printed is shown');
  });

  test('node:test: a file that ends before its tests', async () => {
    const { total } = await run([nodeTest('gone', "test('never', () => process.exit(3));")]);
    assert.ok(total.failed >= 1 && total.passed === 0, JSON.stringify(total));
  });

  test('lines that end with the result of a program', () => {
    const lines = 'test_a, native: passed\nnoise: 12 passed\ntest_b, native: FAILED\nfuzz spm: passed: 3 s\n'
      + 'fuzz: SKIPPED: spm: no libFuzzer\n';
    assert.deepEqual(count(lines, false), { passed: 2, failed: 1, skipped: ['fuzz: SKIPPED: spm: no libFuzzer'] });
  });

  test('a command without output is one test; one that fails counts as failed, whatever it prints', () => {
    assert.deepEqual(count('', true), { passed: 1, failed: 0, skipped: [] });
    assert.deepEqual(count('', false), { passed: 0, failed: 1, skipped: [] });
    assert.deepEqual(count('a: passed\n', false), { passed: 1, failed: 1, skipped: [] });
  });
});

test('the summary shows what failed, not what went well', async () => {
  const { text } = await run([nodeTest('wrong', `
    test('fine', () => {});
    test('a broken thing', () => { throw new Error('this is why'); });`)]);
  const output = text.replace(/^ {4}\| /gm, '');
  const shown = failuresIn(output).join('\n');
  assert.match(shown, /a broken thing[^]*this is why/);
  assert.doesNotMatch(shown, /fine/);
  assert.deepEqual(failuresIn(Array.from({ length: 100 }, (_, i) => `line ${i}`).join('\n')).slice(-1), ['line 99']);
});

test('one failure hides nothing: all parts run, those that fail are named', async () => {
  const { total, text } = await run([
    shell('first', 'echo one went wrong; exit 1'), shell('second', 'exit 0'),
    { name: 'third', command: [join(folder, 'nowhere')] }, shell('fourth', 'kill -9 $$'), shell('fifth', 'exit 0'),
  ]);
  assert.deepEqual([total.passed, total.failed], [2, 3]);
  assert.deepEqual(total.failures.sort(), ['first', 'fourth', 'third']);
  for (const pattern of [/one went wrong/, /nowhere ENOENT/, /fourth: ended by SIGKILL/, /s {2}passed {2}fifth/]) {
    assert.match(text, pattern);
  }
});

test('parts run at the same time, as many as are asked for', async () => {
  // each waits for the other's file
  const wait = (/** @type {string} */ own, /** @type {string} */ other) =>
    shell(own, `touch ${folder}/${own}; until [ -e ${folder}/${other} ]; do sleep 0.02; done`);
  assert.equal((await run([wait('a', 'b'), wait('b', 'a')])).total.passed, 2);
});

test('a part that hangs is ended with all its processes', async () => {
  // a part ends when nobody can write to its output any more: were the child left, this would wait for it
  const { total, text } = await run([shell('hangs', 'sleep 1000 & wait', 0.01)]);
  assert.equal(total.failed, 1);
  assert.match(text, /hangs: ended after 0\.01 minutes, its limit/);
});

test('the exit code and the last line', () => {
  const runner = fileURLToPath(new URL('run.js', import.meta.url));
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  // the part of this name may run at the same time, with its own log
  const node = (/** @type {string[]} */ ...args) =>
    spawnSync(process.execPath, [runner, '--logs', join(folder, 'only'), ...args], { encoding: 'utf8', env });
  const good = node('--only', 'makefile.test.js', 'fast', 'rest');
  assert.equal(good.status, 0, good.stdout + good.stderr);
  assert.match(readFileSync(join(folder, 'only/makefile.test.js.log'), 'utf8'), /^ℹ pass [1-9]/m);
  const last = good.stdout.trim().split('\n').at(-1);
  assert.match(String(last), /^[1-9]\d* passed, 0 failed, 0 skipped$/);
  const none = node('--only', 'nothing is called so', 'fast');
  assert.equal(none.status, 1);
  assert.match(none.stdout, /^0 passed, 0 failed, 0 skipped/m, 'what ran nothing has shown nothing');
  assert.match(node('everything').stderr, /found everything, expected some of fast,rest,long/);
});
