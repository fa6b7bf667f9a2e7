// formats.js - fuzz targets in JavaScript: any bytes as a file that a reader of js/formats takes apart. They end in a
// HeedError that names the file, or in what is as long as it says. Used by fuzz.mk.
//
//     node tests/fuzz/formats.js TARGET --seconds N | --runs N [--seed N] --corpus DIR... [--found DIR]
//                                       [--totals FILE]
//     node tests/fuzz/formats.js TARGET --merge DIR [--corpus DIR]...    one input of each kind, into DIR
//     node tests/fuzz/formats.js TARGET FILE                             one input again
//
// bin: Marian's .bin with its settings; lex: shortlists; vocabulary: vocab.yml. Inputs are changes of those that ended
// in new ways: in an error of other words, or in other tensors. A new one is kept in the first directory of --corpus.
// The runs are made in a worker; this thread watches that they go on.

import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { HeedError } from '../../js/base/errors.js';
import { openSource } from '../../js/files/source.js';
import { openMarian } from '../../js/formats/marian.js';
import { readShortlist } from '../../js/formats/shortlist.js';
import { readVocabularyYaml } from '../../js/formats/vocabulary.js';
import { Random } from '../mutate/model.js';

/** The longest input: a model of two layers in small. */
const MOST_BYTES = 4096;
/** Inputs that are kept. */
const MOST_KEPT = 2000;
/** Milliseconds of the processor after which inputs hang, and of waiting: the machine may be busy. */
const [HANG, WAIT] = [30_000, 1_800_000];
/** Characters of the longest message. */
const MOST_SAID = 400;

const { io } = await openSource({ 'config.json': new Uint8Array() });

/** A Cursor in little: the real one takes five times as long as the readers. @param {Uint8Array} bytes */
const cursorOf = (bytes) => ({
  file: 'file',
  at: 0,
  chunked: (/** @type {any} */ chunks) => new io.ChunkReader(chunks),
  spool: () => bytes.length,
  seek(/** @type {number} */ at) {
    this.at = at;
  },
  next(/** @type {number} */ most) {
    const found = bytes.subarray(this.at, this.at + most);
    this.at += found.length;
    return found.length > 0 ? found : null;
  },
  read: (/** @type {number} */ at, /** @type {number} */ n) => Buffer.from(bytes.subarray(at, at + n)),
  close() {},
});

/** What an input of a target ends in, in words without numbers. @type {Record<string, (bytes: Uint8Array) => any>} */
const TARGETS = {
  async bin(bytes) {
    const { tensors, config, ...weights } = await openMarian(/** @type {any} */ (cursorOf(bytes)), undefined);
    let total = 0;
    for (const tensor of tensors) {
      let left = tensor.bytes;
      for (let chunk; left > 0 && (chunk = await weights.next(left)); left -= chunk.length);
      if (left > 0) throw new Error(`${tensor.name} ends ${left} bytes early`);
      total += tensor.bytes;
    }
    if (await weights.next(1)) throw new Error('more bytes than tensors');
    // a scale for each row, a row for padding
    if (total > 8 * bytes.length) throw new Error(`${total} bytes of ${bytes.length}`);
    const kinds = new Set(tensors.map(({ dtype, shape }) => `${dtype} ${shape.length}`));
    return `${tensors.length} ${[...kinds].sort()} ${config.decoder_cell}`;
  },
  lex(bytes) {
    const { first, offsets, ids } = readShortlist(bytes, 'file', { vocab_size: 8, decoder_vocab_size: 12 });
    if (first > 12 || offsets[0] !== 0 || offsets.at(-1) !== ids.length) throw new Error('not a list');
    if (!offsets.every((at, i) => at >= (offsets[i - 1] ?? 0)) || !ids.every((id) => id >= 0 && id < 12)) {
      throw new Error('not a list');
    }
    return `${offsets.length} ${Math.min(ids.length, 8)}`;
  },
  async vocabulary(bytes) {
    const files = /** @type {any} */ ({ read: async () => bytes });
    const found = await readVocabularyYaml(files, ['file.vocab.yml'], { pad_token_id: 3 });
    return `${Math.min(Object.keys(/** @type {object} */ (found)).length, 16)}`;
  },
};

/** @param {(bytes: Uint8Array) => any} target @param {Uint8Array} bytes @returns {Promise<string>}  how it ended */
async function run(target, bytes) {
  try {
    return await target(bytes);
  } catch (/** @type {any} */ error) {
    if (!(error instanceof HeedError)) throw error;
    if (!error.message.startsWith('file')) throw new Error(`names no file: ${error.message}`);
    if (error.message.length > MOST_SAID) throw new Error(`${error.message.length} characters: ${error.message}`);
    // without what the file says itself
    return `${error.code} ${error.message.replace(/'[^]*['…]/, '').replace(/\[[^]*\]/, '').replace(/\d+/g, '')
      .replace(/^(file\S*: )(?!special:|item |found |cut |line )[^]*?(?=: found|: cut| occurs| are one)/, '$1')}`;
  }
}

const NUMBERS = [0, 1, 2, 3, 4, 5, 7, 8, 12, 13, 64, 127, 128, 255, 256, 1024, 0x101, 0x404, 0x4101, 10_000, 2 ** 31];

/** Where an input is made: to allocate memory for each takes longer than to read it. */
const room = new Uint8Array(2 * MOST_BYTES);
const view = new DataView(room.buffer);

/**
 * A changed copy, valid until the next call.
 *
 * @param {Random} random
 * @param {Uint8Array} bytes
 * @param {Uint8Array} other
 */
function change(random, bytes, other) {
  let length = Math.min(bytes.length, MOST_BYTES);
  room.set(bytes.subarray(0, length));
  for (let n = 1 + random.below(4); n > 0; n--) {
    const at = random.below(length + 1);
    const way = random.below(10);
    if (way < 2) room[at] ^= 1 << random.below(8);
    else if (way < 4) room[at] = random.once(2) ? random.next() : random.pick(NUMBERS);
    else if (way < 6) {
      // a number of the format's: most are of eight bytes, and at multiples of eight
      const place = random.once(3) ? at : at & ~7;
      view.setUint32(place, random.once(3) ? random.next() >>> random.below(32) : random.pick(NUMBERS), true);
      view.setUint32(place + 4, random.once(8) ? random.next() : 0, true);
    } else if (way === 6) length = at;
    else {
      // a part of this input or another: put in, or in the place of as many bytes, or of fewer
      const from = random.once(2) ? other : bytes;
      const begin = random.below(from.length);
      const part = from.subarray(begin, begin + 1 + random.below(random.once(3) ? 256 : 16));
      const gone = way === 9 ? part.length : way === 8 ? random.below(16) : 0;
      room.copyWithin(at + part.length, Math.min(at + gone, length), length);
      room.set(part, at);
      length = Math.max(at, length - gone) + part.length;
    }
    length = Math.min(length, MOST_BYTES);
  }
  return room.subarray(0, length);
}

/**
 * @param {{ target: string, runs: number, seconds: number, seed: number, corpus: string[], found: string,
 *   merge?: string, progress: Int32Array, current: Uint8Array }} options
 */
async function fuzz({ target, runs, seconds, seed, corpus, found, merge, progress, current }) {
  Error.stackTraceLimit = 0; // it is half of the time
  console.warn = () => {}; // of wrong checksums
  const execute = TARGETS[target];
  const random = new Random(seed);
  const kept = [Uint8Array.of(0)];
  const ways = new Set();
  let executed = 0;
  const one = async (/** @type {Uint8Array} */ bytes, isOld = false) => {
    current.set(bytes);
    Atomics.store(progress, 1, bytes.length);
    const way = await run(execute, bytes);
    if (++executed % 256 === 0) Atomics.store(progress, 0, executed);
    if (ways.has(way) || kept.length >= MOST_KEPT) return;
    ways.add(way);
    kept.push(bytes.slice());
    const name = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
    const to = merge ?? (isOld ? undefined : corpus[0]);
    if (to) writeFileSync(join(to, name), bytes);
  };
  const end = performance.now() + 1000 * seconds;
  try {
    for (const directory of corpus) {
      for (const name of readdirSync(directory)) await one(readFileSync(join(directory, name)), true);
    }
    while (!merge && executed < runs && (executed % 256 || performance.now() < end)) {
      await one(change(random, random.pick(kept), random.pick(kept)));
    }
  } catch (/** @type {any} */ error) {
    const input = current.slice(0, progress[1]);
    const name = join(found, `${target}-${createHash('sha256').update(input).digest('hex').slice(0, 16)}`);
    writeFileSync(name, input);
    return { executed, ways: ways.size, failure: `${name}: ${error}` };
  }
  return { executed, ways: ways.size, failure: '' };
}

if (!isMainThread && workerData?.target) {
  parentPort?.postMessage(await fuzz(workerData));
} else if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals: [target, file] } = parseArgs({
    allowPositionals: true,
    options: {
      runs: { type: 'string', default: 'Infinity' },
      seconds: { type: 'string', default: 'Infinity' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 32) },
      corpus: { type: 'string', multiple: true, default: [] },
      found: { type: 'string', default: '.' },
      totals: { type: 'string' },
      merge: { type: 'string' },
    },
  });
  if (!Object.hasOwn(TARGETS, target)) {
    throw new RangeError(`found target '${target}', expected one of ${Object.keys(TARGETS)}`);
  }
  if (!file && values.corpus.length === 0) {
    throw new RangeError('--corpus is missing: from nothing, no input gets past the first bytes; see seeds.js');
  }
  if (file) console.log(await run(TARGETS[target], readFileSync(file)));
  else {
    const directories = [...values.corpus, values.found, values.merge ?? '.'];
    for (const directory of directories) mkdirSync(directory, { recursive: true });
    const progress = new Int32Array(new SharedArrayBuffer(8));
    const current = new Uint8Array(new SharedArrayBuffer(1 << 20));
    const [runs, seconds, seed] = [Number(values.runs), Number(values.seconds), Number(values.seed)];
    const begin = performance.now();
    const worker = new Worker(new URL(import.meta.url),
      { workerData: { ...values, target, runs, seconds, seed, progress, current } });
    let [last, since, used] = [-1, begin, process.cpuUsage()];
    const watch = setInterval(() => {
      const executed = Atomics.load(progress, 0);
      const { user, system } = process.cpuUsage(used);
      if (executed !== last) [last, since, used] = [executed, performance.now(), process.cpuUsage()];
      else if ((user + system) / 1000 > HANG || performance.now() - since > WAIT) {
        writeFileSync(join(values.found, `${target}-hangs`), current.slice(0, progress[1]));
        console.log(`fuzz ${target}: FAILED: an input hangs: see ${values.found}/${target}-hangs`);
        process.exit(1);
      }
    }, 1000);
    worker.on('message', ({ executed, ways, failure }) => {
      const took = Math.round((performance.now() - begin) / 1000);
      if (failure) console.log(`fuzz ${target}: FAILED: ${failure}`);
      else console.log(`fuzz ${target}: passed: ${took} s, ${executed} inputs of ${ways} kinds, nothing found`);
      if (values.totals) appendFileSync(values.totals, `${target}\t${took}\t${executed}\n`);
      process.exitCode = failure ? 1 : 0;
    });
    worker.on('exit', () => clearInterval(watch));
  }
}
