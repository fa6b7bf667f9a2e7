// run.js - loads mutated model directories in one instance of the module, and translates with those that load: nothing
// may trap, hang, leak, or say what a person could not use. Used by `make mutate` and mutate.test.js.
//
//     node tests/mutate/run.js [--kind directories | checkpoints | families | firefox | firefox-real | readers]
//         [--reader NAME]… [--runs N] [--from N] [--seed N] [--wasm FILE]
//
// Directories have their weights in model.safetensors, checkpoints in PyTorch's containers or Marian's; families
// changes models of golden/hf/families, firefox those of golden/firefox, firefox-real two of Mozilla's own, which
// ../firefox-models.js brings. Of readers, those of readers.js, each makes --runs of its own, a large one a hundredth:
// a row of a table.
// The runs are made in a worker; this thread watches that they go on.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { HeedError } from '../../js/index.js';
import { E_LENGTH, E_MEMORY, E_TENSOR_VALUE, E_WASM } from '../../js/base/constants.js';
import { short } from '../../js/base/json.js';
import { bringModels } from '../firefox-models.js';
import { Bench, derive, translate } from './bench.js';
import { mutatedCheckpoint } from './checkpoints.js';
import { mutatedFamily } from './families.js';
import { mutatedReal, mutatedSmall } from './firefox.js';
import { modelFiles } from './model.js';
import { mutated } from './mutations.js';
import { mutatedFor, READERS, SAYS, useTokenizer } from './readers.js';

/** A run that takes more of the processor hangs, and so does one that waits longer: the machine may be busy. */
const [HANG, WAIT] = [60_000, 1_800_000];
/**
 * A run that seems to take more of the processor is made again: what one takes is the least of three. Of a model of 17
 * MB, more.
 */
const [SLOW, SLOW_REAL] = [100, 3000];
/** Bytes that the instance may grow to: a tiny model may have 64 MB of positions, and a search of 64 beams. */
const MEMORY = 2 ** 28;
/** Bytes by which JavaScript's memory may grow after the first thousand runs: compiled code, caches of the engine. */
const HEAP = 2 ** 23;
/** Failures that are told of; then the runs end. */
const MOST = 20;

const WEIGHTS = 'model\\.safetensors|pytorch_model\\.bin|model\\.npz';
const NAMES = `(?:config|generation_config|vocab|heed)\\.json|${WEIGHTS}|(?:source|target)\\.spm`;
const FILES = new RegExp(`^(?:the given files: )?(?:${NAMES})\\b`);

/** What may be wrong with the whole of a .bin. */
const WHOLE = [
  'found version', 'found \\d+ items', 'found names and shapes', 'found \\d+ bytes (?:of padding|after the last item)',
  'cut short: found \\d+ bytes, expected \\d+ of (?:the beginning|headers|names and shapes|the size of the padding)',
  'config\\.json is missing, and special:model\\.yml', 'found no embeddings, Wemb',
].join('|');
/** And with an item: what of it was found. */
const ABOUT = ['found', 'cut short: found', 'this configuration has no such', '(?:I8: )?HEED_E_TENSOR_DTYPE',
  'HEED_E_TENSOR_MISSING'].join('|');
/** Of Firefox's models: the item too, or what of the whole file is wrong. */
const FIREFOX = new RegExp(`^(?:${[
  `model[\\w.]*\\.bin: (?:${WHOLE})`,
  'model[\\w.]*\\.bin: item \\d+: (?:found|the name does not end)',
  'model[\\w.]*\\.bin: special:model\\.yml: [\\w-]+: found',
  // no layer has an item of this kind
  'model[\\w.]*\\.bin: model\\.[\\w.]+: HEED_E_TENSOR_MISSING',
  // the item by its name in the file
  'model[\\w.]*\\.bin: (?<item>[^]{1,60}?)(?:(?:, read as [^]{1,90}?)?:'
    + ` (?:${ABOUT})| occurs twice| and [^]{1,60} are one tensor)`,
  'config\\.json: found a model of \\d+ bytes, expected \\d+ at most for model',
  'model[\\w.]*\\.bin\\.zst: (?:found no frame|is cut short)',
  '(?:(?:src|trg)?vocab\\.\\w+|source|target)\\.spm\\b',
  'lex[\\w.]*: ',
  // without weights
  'the given files: config\\.json is missing',
].join('|')})`);
/** Names that only heed gives. */
const OURS = /^model\.(?:shared|encoder|decoder)\.|^final_logits_bias$|^lm_head\./;

/** Whether a message is as FIREFOX says. @param {string} message @param {string[]} [names]  of the items, if known */
function saysFirefox(message, names) {
  const found = FIREFOX.exec(message);
  const item = found?.groups?.item;
  if (!found || item === undefined) return found !== null;
  const isMissing = message.endsWith('HEED_E_TENSOR_MISSING');
  return names ? names.some((name) => short(name) === item) !== isMissing : !OURS.test(item);
}

/** What is made for a number, and how a message begins. */
const KINDS = {
  directories: { make: mutated, says: FILES },
  checkpoints: { make: mutatedCheckpoint, says: FILES },
  families: { make: mutatedFamily, says: FILES },
  firefox: { make: mutatedSmall, says: { test: saysFirefox } },
  'firefox-real': { make: mutatedReal, says: { test: saysFirefox } },
  readers: { make: mutatedFor, says: SAYS },
};

/** @typedef {keyof typeof KINDS} Kind */
/** @typedef {{ index: number, what: string }} Failure */
/** @typedef {{ runs: number, loaded: number, statuses: Record<string, number> }} Count */
/**
 * @typedef {object} Report
 * @property {number} runs
 * @property {number} loaded  directories that were taken
 * @property {number} seconds
 * @property {{ index: number, ms: number }} slowest  milliseconds of the processor
 * @property {number} memory  bytes of the instance at the end
 * @property {number} heap  bytes by which JavaScript's memory grew after the first thousand runs
 * @property {Record<string, number>} statuses  how often each was met
 * @property {Record<string, Count>} readers  of kind readers
 * @property {Failure[]} failures
 */

/** Milliseconds of the processor: on a busy machine a run waits. */
function spent() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * What is wrong with an error, or ''.
 *
 * @param {any} error
 * @param {boolean} isLoading
 * @param {{ test: (message: string, names?: string[]) => boolean }} says
 * @param {string[]} [names]  of the items in a file of Marian's
 */
function wrong(error, isLoading, says, names) {
  const { message, code } = error;
  if (!(error instanceof HeedError)) return `no HeedError: ${error?.stack}`;
  if (code === E_WASM) return message;
  if (!isLoading) return [E_LENGTH, E_MEMORY, E_TENSOR_VALUE].includes(code) ? '' : `while translating: ${message}`;
  if (message.length > 400) return `a message of ${message.length} characters: ${message.slice(0, 200)}`;
  return says.test(message, names) ? '' : `names no file or no item: ${message}`;
}

/**
 * @param {{ kind: Kind, readers: string[], runs: number, from: number, seed: number, wasm?: string }} options
 * @param {Int32Array} [progress]  [0]: runs made
 * @returns {Promise<Report>}
 */
async function runAll({ kind, readers, runs, from, seed, wasm }, progress = new Int32Array(1)) {
  const bench = new Bench();
  if (kind === 'readers') for (const name of readers) await READERS[name].prepare?.();
  await bench.start(wasm);
  const first = bench.core.run('malloc', 16);
  bench.core.run('free', first);
  const good = modelFiles();
  /** What the model that nothing is wrong with says. */
  const speak = async () => {
    const words = translate(await bench.load(good, 'auto'));
    bench.clear();
    return words.join('\n');
  };
  const expected = await speak();
  /** @type {Report} */
  const report = {
    runs: 0,
    loaded: 0,
    seconds: 0,
    slowest: { index: from, ms: 0 },
    memory: 0,
    heap: 0,
    statuses: {},
    readers: {},
    failures: [],
  };
  const fail = (/** @type {number} */ index, /** @type {string} */ what) => report.failures.push({ index, what });

  /** Files number `index`, those of readers in turns. @param {number} index */
  const make = (index) => {
    const { length } = readers;
    return kind === 'readers' ? mutatedFor(seed, Math.floor(index / length), readers[index % length])
      : KINDS[kind].make(seed, index);
  };
  /** @param {number} index */
  const readerOf = (index) => (kind === 'readers' ? readers[index % readers.length] : '');

  /** @param {number} index @returns {Promise<string | undefined>}  the status */
  const one = async (index) => {
    let isLoading = true;
    let status;
    /** @type {string[] | undefined} */
    let names;
    try {
      const made = make(index);
      const { files, dtype } = made;
      if ('names' in made) names = made.names;
      if (READERS[readerOf(index)]?.isTokenizer) {
        status = await useTokenizer(bench.core, files);
        bench.clear();
        return status;
      }
      const isWhole = kind !== 'checkpoints' || files['config.json'] !== undefined;
      const model = await bench.load(isWhole ? files : await derive(files), dtype);
      isLoading = false;
      status = 'loaded';
      translate(model);
    } catch (/** @type {any} */ error) {
      const what = wrong(error, isLoading, KINDS[kind].says, names);
      if (what) fail(index, what);
      status = isLoading ? error.status : `loaded, then ${error.status}`;
      if (error.code === E_WASM) await bench.start(wasm);
    }
    bench.clear();
    return status;
  };

  const count = (/** @type {number} */ index, /** @type {string} */ status) => {
    if (kind !== 'readers') return;
    const own = (report.readers[readerOf(index)] ??= { runs: 0, loaded: 0, statuses: {} });
    own.runs++;
    own.loaded += Number(status.startsWith('loaded'));
    own.statuses[status] = (own.statuses[status] ?? 0) + 1;
  };

  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  /** Bytes in use, after the garbage is collected. */
  const heapBytes = async () => {
    collect();
    // memory outside of V8's own heap is freed in a turn of its own
    await new Promise((resolve) => setTimeout(resolve, 10));
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  let heap = 0;

  const isLarge = kind === 'readers' && readers.some((name) => READERS[name]?.isLarge);
  const slow = kind === 'firefox-real' || isLarge ? SLOW_REAL : SLOW;
  // of checksums and settings without effect, which are no errors
  console.warn = () => {};
  const start = performance.now();
  for (let index = from; index < from + runs && report.failures.length < MOST; index++) {
    const before = spent();
    const status = String(await one(index));
    let ms = spent() - before;
    for (let again = 0; again < 2 && ms > slow; again++) {
      const second = spent();
      await one(index);
      ms = Math.min(ms, spent() - second);
    }
    if (ms > report.slowest.ms) report.slowest = { index, ms };
    report.statuses[status] = (report.statuses[status] ?? 0) + 1;
    if (status.startsWith('loaded')) report.loaded++;
    count(index, status);
    if (++report.runs % 1000 === 0 && (await speak()) !== expected)
      fail(index, 'the model that is right says something else than before');
    if (report.runs === 1000) heap = await heapBytes();
    if (bench.core.memoryBytes > MEMORY) {
      fail(index, `the memory has grown to ${bench.core.memoryBytes} bytes`);
      await bench.start(wasm);
    }
    Atomics.store(progress, 0, report.runs);
  }
  report.seconds = (performance.now() - start) / 1000;
  if ((await speak()) !== expected) fail(from + runs, 'the model that is right says something else at the end');
  report.memory = bench.core.memoryBytes;
  report.heap = heap && (await heapBytes()) - heap;
  if (report.heap > HEAP) fail(from + runs, `JavaScript's memory has grown by ${report.heap} bytes`);
  // all was freed: one block takes the whole heap, from its first byte to the end, where the allocator has a page to
  // spare
  const rest = report.memory - first - 2 * 65536;
  const place = bench.core.run('malloc', rest);
  if (place !== first || bench.core.memoryBytes > report.memory) {
    fail(from + runs, `memory is lost: a block of ${rest} bytes is at ${place}, not at ${first}`);
  }
  return report;
}

/**
 * All runs, in a worker that is watched.
 *
 * @param {{ kind?: Kind, readers?: string[], runs: number, from?: number, seed?: number, wasm?: string,
 *   onProgress?: (runs: number) => void }} options
 * @returns {Promise<Report>}
 */
export async function run({ kind = 'directories', readers = Object.keys(READERS).filter((name) => !READERS[name].lacks),
  runs, from = 0, seed = 1, wasm, onProgress = () => {} }) {
  const progress = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { kind, readers, runs, from, seed, wasm, progress };
  const worker = new Worker(new URL(import.meta.url), { workerData });
  let last = -1;
  let [since, used] = [performance.now(), spent()];
  return new Promise((resolve, reject) => {
    const watch = setInterval(() => {
      const done = Atomics.load(progress, 0);
      if (done !== last) [last, since, used] = [done, performance.now(), spent()];
      else if (spent() - used > HANG || performance.now() - since > WAIT) {
        void worker.terminate();
        reject(new Error(`run ${from + done} of seed ${seed} hangs`));
      }
      onProgress(done);
    }, 1000);
    worker.on('message', resolve);
    worker.on('error', reject);
    worker.on('exit', () => clearInterval(watch));
  });
}

if (!isMainThread && workerData?.progress) {
  parentPort?.postMessage(await runAll(workerData, workerData.progress));
} else if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const string = (/** @type {string} */ initial) => /** @type {const} */ ({ type: 'string', default: initial });
  const { values } = parseArgs({
    options: {
      kind: string('directories'),
      runs: string('100000'),
      from: string('0'),
      seed: string('1'),
      wasm: { type: 'string' },
      reader: { type: 'string', multiple: true },
    },
  });
  if (!Object.hasOwn(KINDS, values.kind)) {
    throw new RangeError(`--kind: found '${values.kind}', expected one of ${Object.keys(KINDS)}`);
  }
  if (values.kind === 'firefox-real') {
    const found = bringModels();
    if ('missing' in found) {
      console.log(`mutated firefox-real: SKIPPED: ${found.missing}`);
      process.exit(0);
    }
    process.env.HEED_FIREFOX_MODELS = found.directory; // the worker gets a copy
  }
  let told = 0;
  const options = {
    kind: /** @type {Kind} */ (values.kind),
    runs: Number(values.runs),
    from: Number(values.from),
    seed: Number(values.seed),
    wasm: values.wasm,
  };
  /** @param {Report} report @param {string} [reader] */
  const tell = ({ runs, loaded, seconds, slowest, memory, heap, statuses, failures }, reader) => {
    const again = `--kind ${values.kind}${reader === undefined ? '' : ` --reader '${reader}'`} --seed ${values.seed}`;
    for (const { index, what } of failures) console.log(`${again} --runs 1 --from ${index}: ${what}`);
    const time = `${seconds.toFixed(0)} s; slowest ${slowest.ms.toFixed(0)} ms (run ${slowest.index})`;
    const end = `memory ${memory} bytes, ${heap} more in JavaScript; ${failures.length} failures`;
    const all = Object.entries(statuses).sort((a, b) => b[1] - a[1]).map(([name, n]) => `${name} ${n}`).join(', ');
    const refused = Object.entries(statuses).reduce((sum, [name, n]) => sum + (/^HEED_E_/.test(name) ? n : 0), 0);
    const row = [reader, runs, loaded, refused, `${slowest.ms.toFixed(0)} ms`, `${(memory / 1e6).toFixed(0)} MB`,
      failures.length, all];
    console.log(reader !== undefined ? `| ${row.join(' | ')}`
      : `${runs} mutated ${values.kind}, ${loaded} loaded, in ${time}; ${end}\n${all}`);
    if (failures.length > 0) process.exitCode = 1;
  };
  if (values.kind === 'readers') {
    console.log('| reader | files | loaded and used | refused | slowest | memory | failures | statuses');
    for (const reader of values.reader ?? Object.keys(READERS)) {
      if (!Object.hasOwn(READERS, reader)) {
        throw new RangeError(`--reader: found '${reader}', expected one of ${Object.keys(READERS)}`);
      }
      const { lacks, isLarge } = READERS[reader];
      const runs = isLarge ? Math.ceil(options.runs / 100) : options.runs;
      if (lacks) console.log(`| ${reader} | SKIPPED: ${lacks}`);
      else tell(await run({ ...options, runs, readers: [reader] }), reader);
    }
  } else {
    tell(await run({
      ...options,
      onProgress: (done) => {
        if (done - told < 50_000) return;
        told = done;
        console.log(`${done} directories`);
      },
    }));
  }
}
