// run.js - runs parts of the tests, several at a time, each to its end, even if others fail; used by `make test`,
// `make test-all` and `make test-long`.
//
//   node tests/run.js [--jobs N] fast|rest|long…    the groups of parts.js, one after another
//   node tests/run.js [--jobs N] --only NAME GROUP…  its parts whose names contain NAME; nothing is installed or built
//   node tests/run.js --list fast|rest|long…
//
// The output of a part is stored in build/tests, or in --logs FOLDER, and shown if the part fails. A part reports how
// many tests it ran: the summary of node:test, or lines that end with `: passed`, `: FAILED` or `: SKIPPED`, and more
// after that; otherwise it counts as one test, by its exit code. The last line has the sums; the exit code is 0 if
// nothing failed.
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { GROUPS, LONG } from './parts.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const LOGS = `${root}build/tests`;
/** What a part may take that states nothing else. */
const MINUTES = 20;

/** @typedef {import('./parts.js').Part} Part */
/** @typedef {{ passed: number, failed: number, skipped: string[] }} Counts */

/** Processes that run: each is the first of a group of its own. @type {Set<number>} */
const running = new Set();
const end = (/** @type {number} */ group) => {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // it has ended by itself
  }
};

/**
 * What a part's output says. A part that fails without saying where counts as one failure.
 *
 * @param {string} output
 * @param {boolean} isGood  by its exit code
 * @returns {Counts}
 */
export function count(output, isGood) {
  const all = (/** @type {RegExp} */ pattern) => [...output.matchAll(pattern)].map(([, found]) => found);
  const counts = { passed: 0, failed: 0, /** @type {string[]} */ skipped: [] };
  if (/^ℹ tests \d+$/m.test(output)) {
    const sum = (/** @type {RegExp} */ pattern) => all(pattern).reduce((n, found) => n + Number(found), 0);
    counts.passed = sum(/^ℹ pass (\d+)$/gm);
    counts.failed = sum(/^ℹ (?:fail|cancelled) (\d+)$/gm);
    // `﹣ name (12.3ms) # why`
    counts.skipped = all(/^ *﹣ (.*)$/gm).map((line) => line.replace(/ \([\d.]+ms\)(?= #|$)/, ''));
  } else {
    counts.passed = all(/^(.+): passed\b.*$/gm).length;
    counts.failed = all(/^(.+): FAILED\b.*$/gm).length;
    counts.skipped = all(/^(.+: SKIPPED\b.*)$/gm);
  }
  if (!isGood && counts.failed === 0) counts.failed = 1;
  if (isGood && counts.passed + counts.failed + counts.skipped.length === 0) counts.passed = 1;
  return counts;
}

/** Lines that a summary shows of a part that failed. */
const SHOWN = 40;

/** What a part's output says of its failures: node:test's list of them, else its end. @param {string} output */
export function failuresIn(output) {
  const lines = output.trimEnd().split('\n');
  const list = lines.findIndex((line) => line.startsWith('✖ failing tests:'));
  return list < 0 ? lines.slice(-SHOWN) : lines.slice(list + 1, list + 1 + SHOWN);
}

/** The file that a part's output is kept in. @param {string} folder @param {string} name */
const logOf = (folder, name) => `${folder}/${name.replace(/[^\w.-]+/g, '-')}.log`;

/** The environment of a part: make's job server is not passed on, nor colours, nor that this may be a test itself. */
function environment() {
  const { MAKEFLAGS = '', MFLAGS, MAKELEVEL, NODE_TEST_CONTEXT, FORCE_COLOR, ...env } = process.env;
  // single letters stand first, without a dash; what is given as NAME=VALUE stands after `--`
  const flags = MAKEFLAGS.split(' ').filter((flag) => !/^(-j\d*|--jobserver.*|-)$/.test(flag)).join(' ');
  return { ...env, MAKEFLAGS: flags, NO_COLOR: '1' };
}

/**
 * Runs one part. Never rejects.
 *
 * @param {Part} part
 * @param {string} log  a file for its output
 * @returns {Promise<Counts & { part: Part, log: string, output: string, seconds: number, isGood: boolean }>}
 */
async function runPart(part, log) {
  const { command: [program, ...args], minutes = MINUTES } = part;
  const start = performance.now();
  const file = createWriteStream(log);
  const child = spawn(program, args,
    { cwd: root, env: environment(), detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const group = child.pid;
  if (group) running.add(group);
  for (const stream of [child.stdout, child.stderr]) stream.pipe(file, { end: false });
  let why = '';
  const late = setTimeout(() => {
    why = `run.js: ${part.name}: ended after ${minutes} minutes, its limit`;
    if (group) end(group);
  }, minutes * 60_000);
  const isGood = await new Promise((resolve) => {
    child.on('error', (error) => resolve((why = `run.js: ${error.message}`, false)));
    child.on('close', (code, signal) => {
      if (signal) why ||= `run.js: ${part.name}: ended by ${signal}`;
      resolve(code === 0);
    });
  });
  clearTimeout(late);
  if (group) running.delete(group);
  await new Promise((resolve) => file.end(why && `${why}\n`, resolve));
  const output = readFileSync(log, 'utf8');
  return { part, log, output, seconds: (performance.now() - start) / 1000, isGood, ...count(output, isGood) };
}

/**
 * Runs parts, `jobs` at a time, in their order; each prints one line when it ends, and all its output if it failed.
 *
 * @param {Part[]} parts
 * @param {object} [options]
 * @param {number} [options.jobs]
 * @param {(line: string) => void} [options.print]
 * @param {string} [options.logs]  a folder for their output
 * @returns {Promise<Counts & { failures: string[] }>}
 */
export async function runParts(parts, { jobs = availableParallelism(), print = console.log, logs = LOGS } = {}) {
  mkdirSync(logs, { recursive: true });
  const total = { passed: 0, failed: 0, /** @type {string[]} */ skipped: [], /** @type {string[]} */ failures: [] };
  const waiting = [...parts];
  const work = async () => {
    for (let part = waiting.shift(); part; part = waiting.shift()) {
      const log = logOf(logs, part.name);
      if ((part.minutes ?? 0) > MINUTES) print(`           begins  ${part.name}: output in ${log}`);
      const { output, seconds, isGood, passed, failed, skipped } = await runPart(part, log);
      const isFine = isGood && failed === 0;
      const counts = [passed && `${passed} passed`, failed && `${failed} failed`,
        skipped.length && `${skipped.length} skipped`].filter(Boolean).join(', ');
      print(`${seconds.toFixed(1).padStart(8)} s ${isFine ? ' passed' : ' FAILED'}  ${part.name}: ${counts}`);
      if (!isFine) {
        print(output.replace(/^/gm, '    | '));
        total.failures.push(part.name);
      }
      total.passed += passed;
      total.failed += failed;
      total.skipped.push(...skipped.map((what) => `${part.name}: ${what}`));
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, jobs) }, work));
  return total;
}

/** The parts of a group, in steps: what is in one step runs at the same time. @returns {Part[][]} */
function stepsOf(/** @type {string} */ group, /** @type {string[]} */ only, /** @type {number} */ jobs) {
  const chosen = (/** @type {Part[]} */ parts) =>
    parts.filter(({ name }) => only.length === 0 || only.some((text) => name.includes(text)));
  if (group === 'long') return chosen(LONG).map((part) => [part]);
  const { setup, build, parts } = GROUPS[group];
  if (only.length > 0) return [chosen(parts())];
  return [
    [{ name: 'install', command: ['.ci/setup', ...setup], minutes: 30 }],
    [{ name: 'build', command: ['make', '--no-print-directory', '-k', `-j${jobs}`, ...build], minutes: 30 }],
    parts(),
  ];
}

async function main() {
  const { values, positionals: groups } = parseArgs({
    allowPositionals: true,
    options: {
      jobs: { type: 'string', default: String(availableParallelism()) },
      only: { type: 'string', multiple: true, default: [] },
      list: { type: 'boolean', default: false },
      logs: { type: 'string', default: LOGS },
    },
  });
  const jobs = Number(values.jobs);
  if (!(jobs >= 1)) throw new RangeError(`--jobs: found ${values.jobs}, expected a number from 1`);
  const known = [...Object.keys(GROUPS), 'long'];
  const unknown = groups.find((group) => !known.includes(group));
  if (unknown || groups.length === 0) throw new RangeError(`found ${unknown ?? 'no group'}, expected some of ${known}`);

  const begin = performance.now();
  const total = { passed: 0, failed: 0, /** @type {string[]} */ skipped: [], /** @type {string[]} */ failures: [] };
  const all = groups.map((group) => stepsOf(group, values.only, jobs));
  if (values.list) {
    for (const [i, steps] of all.entries()) {
      for (const { name, command } of steps.flat()) console.log(`${groups[i]}\t${name}\t${command.join(' ')}`);
    }
    return;
  }
  // what a later group needs is installed, which is mostly waiting, while the group before is built
  for (let i = 1; i < all.length; i++) {
    if (all[i][0][0]?.name === 'install' && all[i - 1].at(-2)?.[0]?.name === 'build') {
      all[i - 1].at(-2)?.push(.../** @type {Part[]} */ (all[i].shift()));
    }
  }
  for (const steps of all) {
    for (const parts of steps) {
      const { passed, failed, skipped, failures } = await runParts(parts, { jobs, logs: values.logs });
      // what installs and builds is no test: it counts if it fails
      if (parts[0] !== undefined && !/^(install|build)$/.test(parts[0].name)) total.passed += passed;
      total.failed += failed;
      total.skipped.push(...skipped);
      total.failures.push(...failures);
    }
  }
  if (total.skipped.length > 0) console.log(['skipped:', ...new Set(total.skipped)].join('\n    '));
  // once more at the end, which is the part of a long output that is always kept
  for (const name of total.failures) {
    const lines = failuresIn(readFileSync(logOf(values.logs, name), 'utf8'));
    console.log([`what failed in ${name}:`, ...lines].join('\n    | '));
  }
  if (total.failures.length > 0) console.log(['FAILED:', ...total.failures].join('\n    '));
  const minutes = ((performance.now() - begin) / 60_000).toFixed(1);
  console.log(`${minutes} minutes`);
  console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped.length} skipped`);
  process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.on('exit', () => running.forEach(end));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));
  await main();
}
