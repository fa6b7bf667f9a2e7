// spark.test.js - heed translate in Spark, on two executors of this machine: the same bytes as one process, also when
// one of them is killed. Needs Java and PySpark (pip install pyspark) in the python3 of PATH, or in that of PYTHON;
// skipped without. LINES of them, 240 by default.
//
// 100,000 lines of four words: `LINES=100000 MODEL=tests/golden/firefox/tiny-float PYTHON=python3 node --test
// tests/spark.test.js`, see README.md.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SHIPPED } from './model-files.js';

const cli = fileURLToPath(new URL('../js/cli.js', import.meta.url));
const program = fileURLToPath(new URL('../web/examples/spark.py', import.meta.url));
const LINES = Number(process.env.LINES ?? 240);
// executors have working directories of their own
const ARGS = ['translate', '--model', resolve(process.env.MODEL ?? SHIPPED), '--from', 'en', '--to', 'de'];
const NAMES = ['house', 'dog', 'train', 'letter', 'question', 'summer', 'cat', 'book', 'car', 'tree', 'door', 'table',
  'street', 'water', 'friend', 'city', 'river', 'night', 'day', 'hand'];
/** A line that no other number has, up to 160,000. @param {number} i */
const lineOf = (i) => [i, i / 20, i / 400, i / 8000].map((n) => NAMES[Math.floor(n) % 20]).join(' ');

/** The answer of a program, or undefined if it is not there or fails. @param {string} name @param {string[]} args */
function ask(name, ...args) {
  try {
    return execFileSync(name, args, { stdio: ['ignore', 'pipe', 'ignore'] }).toString().trim();
  } catch {
    return undefined;
  }
}
const python = ask(process.env.PYTHON ?? 'python3', '-c', 'import sys; print(sys.executable)') ?? '';
const home = ask(python, '-c', 'import os, pyspark; print(os.path.dirname(pyspark.__file__))');
const skip = ask('java', '-version') === undefined ? 'Java is missing'
  : home === undefined ? 'PySpark is missing: pip install pyspark' : false;

/** The processes that a process has started, by what they run. @param {number} parent @param {string} name */
const childrenOf = (parent, name) => (ask('ps', '-o', 'pid=,args=', '--ppid', String(parent)) ?? '').split('\n')
  .filter((line) => line.includes(name)).map((line) => Number(line.trim().split(' ')[0]));

const options = { skip, timeout: 900_000 + 30 * LINES };
test('two executors, one of them killed: the same bytes as one process', options, async (t) => {
  const scratch = mkdtempSync(join(tmpdir(), 'heed-spark-'));
  t.after(() => rmSync(scratch, { recursive: true }));
  const [source, target] = [join(scratch, 'lines.txt'), join(scratch, 'out')];
  writeFileSync(source, Array.from({ length: LINES }, (_, i) => `${lineOf(i)}\n`).join(''));
  const expected = execFileSync(process.execPath, [cli, ...ARGS], { input: readFileSync(source), maxBuffer: 1 << 28 });

  const command = [process.execPath, cli, ...ARGS].join(' ');
  const spark = spawn(join(dirname(python), 'spark-submit'),
    ['--master', 'local-cluster[2,1,1024]', program, source, target, '8', command], {
      env: { ...process.env, SPARK_HOME: home, PYSPARK_PYTHON: python,
        PATH: `${dirname(python)}${delimiter}${process.env.PATH}` },
    });
  let log = '';
  for (const stream of [spark.stdout, spark.stderr]) stream.on('data', (data) => (log += data));
  const ended = new Promise((resolve) => spark.on('close', resolve));
  t.after(() => spark.kill('SIGKILL'));

  // one executor is killed when some partitions are done and others are not
  let killed = 0;
  const timer = setInterval(() => {
    const done = (log.match(/Finished task/g) ?? []).length;
    const [executor] = done >= 2 && done < 6 && !killed ? childrenOf(Number(spark.pid), 'ExecutorBackend') : [];
    if (executor === undefined) return;
    killed = executor;
    process.kill(executor, 'SIGKILL');
  }, 100);
  const code = await ended;
  clearInterval(timer);
  assert.equal(code, 0, log.slice(-3000));
  assert.ok(killed, 'an executor was killed');
  assert.match(log, /Lost executor|Lost task/);
  assert.ok(existsSync(join(target, '_SUCCESS')));
  const parts = readdirSync(target).filter((name) => name.startsWith('part-')).sort();
  assert.ok(parts.length >= 8);
  assert.ok(Buffer.concat(parts.map((name) => readFileSync(join(target, name)))).equals(expected));
});
