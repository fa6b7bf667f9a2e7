// parts.js - what `make test`, `make test-all` and `make test-long` run, part by part; run.js runs them.
//
// A part is one command. It counts as many tests as its output says, or else as one.
//
//   fast    `make test`: less than five minutes on two cores
//   rest    what `make test-all`, which CI runs, has besides
//   long    `make test-long`: hours, one part after another
//
// A new tests/*.test.js belongs to the rest by itself. One that takes a few seconds, and needs no browser but Chromium,
// can be named in FAST. Another long run is one line of LONG.
import { readdirSync } from 'node:fs';

/**
 * @typedef {object} Part
 * @property {string} name
 * @property {string[]} command  program and arguments, run in the root of the repository
 * @property {number} [minutes]  what it may take: far more than it takes on two busy cores; 20 by default
 */

/** The test files of `make test`, without `.test.js`. */
export const FAST = [
  'api', 'bytes', 'cache', 'cli', 'confidence', 'constants', 'convert', 'dom', 'door', 'errors', 'exports',
  'generate', 'glossary', 'hostile-checkpoints', 'hostile-json', 'hostile-spm', 'hostile-weights', 'inspect',
  'layering', 'learn', 'line', 'loading', 'makefile', 'memory', 'models', 'ops', 'options', 'package', 'parity',
  'run', 'score', 'see', 'session', 'simd', 'supply', 'text', 'tokenizer', 'translator', 'tree', 'worker', 'zstd',
];

/** Those that take longest, longest first: they start first, so that the last part to end is a short one. */
const SLOWEST = ['bundlers', 'page-use', 'page', 'engines', 'shared', 'train-native', 'everywhere', 'firefox-real',
  'train-links', 'long', 'hosts', 'mutate', 'debug', 'text-limits', 'firefox-hosts', 'train', 'pool', 'page-look', 'jobs',
  'rules', 'checkpoints', 'examples', 'dom-engines', 'fetch', 'page-learn', 'worker-page', 'kept', 'html', 'downloads',
  'pivot', 'serve', 'page-engines', 'leaks', 'guides', 'trim', 'extension', 'shortlist', 'docs', 'documents', 'files',
  'cli', 'glossary', 'api', 'translator', 'text', 'models', 'convert', 'cache', 'simd'];

/** Every test file, without `.test.js`. */
export const files = () => readdirSync(new URL('.', import.meta.url))
  .flatMap((name) => /^(.*)\.test\.js$/.exec(name)?.[1] ?? []).sort();

/** @param {string[]} names  of test files @returns {Part[]} */
function nodeParts(names) {
  const rank = (/** @type {string} */ name) => (SLOWEST.indexOf(name) + 1 || SLOWEST.length + 1);
  return names.toSorted((a, b) => rank(a) - rank(b)).map((name) => ({
    name: `${name}.test.js`,
    command: [process.execPath, '--test', '--test-reporter=spec', `tests/${name}.test.js`],
  }));
}

/** @param {string} target @param {string[]} more  other arguments of make */
const make = (target, ...more) => ['make', '--no-print-directory', target, ...more];

/**
 * What each group installs (parts of .ci/setup), builds (targets of make, all of them together) and runs.
 *
 * @type {Record<string, { setup: string[], build: string[], parts: () => Part[] }>}
 */
export const GROUPS = {
  fast: {
    setup: ['wasm', 'wasm-relaxed', 'native', 'asan', 'npm', 'parallel', 'chromium'],
    build: ['native', 'wasm-tests', 'package', 'fuzz-build'],
    parts: () => [
      { name: 'fuzz, 3 s a target', command: make('fuzz-test', 'FUZZ_SHORT_SECONDS=3', 'FUZZ_JOBS=1') },
      { name: 'C, wasm', command: make('test-wasm') },
      { name: 'C, native', command: make('test-native') },
      ...nodeParts(FAST),
    ],
  },
  rest: {
    setup: ['asan', 'npm', 'browsers', 'bundlers', 'arm'],
    build: ['asan', 'arm-build', 'train-programs', 'package'],
    parts: () => [
      { name: 'C, Arm', command: make('test-arm') },
      { name: 'C, sanitizers', command: make('test-asan') },
      { name: 'reproducible', command: make('reproducible', 'JOBS=1') },
      ...nodeParts(files().filter((name) => !FAST.includes(name))),
    ],
  },
};

/** @type {Part[]} */
export const LONG = [
  { name: 'long', command: make('long'), minutes: 180 },
  { name: 'mutate', command: make('mutate', 'RUNS=1000000', 'KINDS=directories checkpoints'), minutes: 600 },
  { name: 'mutate families', command: make('mutate', 'RUNS=200000', 'KINDS=families'), minutes: 120 },
  { name: 'mutate readers', command: make('mutate', 'RUNS=50000', 'KINDS=readers'), minutes: 240 },
  { name: 'mutate html', command: [process.execPath, 'tests/mutate/html.js', '--runs', '100000'], minutes: 60 },
  { name: 'mutate dom', command: [process.execPath, 'tests/mutate/dom.js', '--runs', '3400'], minutes: 60 },
  { name: 'mutate firefox', command: make('mutate', 'RUNS=200000', 'KINDS=firefox'), minutes: 300 },
  { name: 'mutate firefox-real', command: make('mutate', 'RUNS=2000', 'KINDS=firefox-real'), minutes: 60 },
  { name: 'mutations', command: make('mutations'), minutes: 600 },
  { name: 'axe', command: [process.execPath, 'tests/axe-long.js'] },
  { name: 'learn', command: [process.execPath, 'tests/learn-long.js'] },
  { name: 'serve', command: [process.execPath, 'tests/bench/serve.js', '10000', '100', 'client'] },
  // no setup installs Java and PySpark: skipped without
  { name: 'spark', command: ['env', 'LINES=100000', 'MODEL=tests/golden/firefox/tiny-float', process.execPath,
    '--test', '--test-reporter=spec', 'tests/spark.test.js'], minutes: 90 },
  { name: 'parallel', command: ['env', 'LINES=100000', process.execPath, '--test', '--test-reporter=spec',
    '--test-name-pattern=parallel.sh', 'tests/examples.test.js'], minutes: 30 },
  { name: 'fuzz', command: make('fuzz'), minutes: 600 },
  { name: 'arm', command: make('test-arm', 'ARM_WANTED=$(ARM_LONG)'), minutes: 60 },
  { name: 'gradients', command: ['build/native/tests/test_train', '40'] },
];
