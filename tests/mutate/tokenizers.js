// tokenizers.js - tokenizers of other families and indexes of shards with something wrong in their files: nothing may
// trap or hang, and errors name a file. Used by mutate.test.js.
//
//     node tests/mutate/tokenizers.js [--runs N] [--from N] [--seed N]

import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { HeedError } from '../../js/index.js';
import { E_WASM } from '../../js/base/constants.js';
import { parseJson } from '../../js/base/json.js';
import { openSource } from '../../js/files/source.js';
import { openContainer } from '../../js/formats/open.js';
import { openSides } from '../../js/text/families.js';
import { Tokenizer } from '../../js/text/tokenizer.js';
import { instantiate } from '../../js/wasm/module.js';
import { headerEntries, Random, weightParts, writeObject, writeWeights } from './model.js';
import { concat } from '../model-files.js';

/** @typedef {Record<string, Uint8Array>} Files */

const ROOT = new URL('../golden/hf/families/', import.meta.url);
const NAMES = ['config.json', 'vocab.json', 'tokenizer_config.json', 'added_tokens.json', 'tokenizer.json',
  'sentencepiece.bpe.model', 'spiece.model'];
const INDEX = 'model.safetensors.index.json';
/** A run that takes longer hangs: some milliseconds are usual. */
const HANG = 20_000;
const TEXTS = ['Where is the station? ½ \ud83d\ude00', '\u25812 <2de> </s> deu_Latn 日本', ''];

/** @param {string} folder @param {string[]} [without] @returns {Files} */
function filesOf(folder, without = []) {
  const own = NAMES.filter((name) => !without.includes(name) && existsSync(new URL(`${folder}/${name}`, ROOT)));
  return Object.fromEntries(own.map((name) => [name, new Uint8Array(readFileSync(new URL(`${folder}/${name}`, ROOT)))]));
}

const SPM = ['sentencepiece.bpe.model', 'spiece.model'];
const GOOD = [
  ...['m2m100', 'nllb', 'mbart50', 't5', 'mt5', 'byt5'].map((folder) => filesOf(folder)),
  filesOf('nllb', SPM), filesOf('t5', SPM),
];

/** The tiny model in two shards. @returns {Files} */
function shards() {
  const all = weightParts();
  const write = (/** @type {typeof all} */ parts) =>
    writeWeights(writeObject(headerEntries(parts)), concat(...parts.map(({ data }) => data)));
  const [a, b] = ['model-1.safetensors', 'model-2.safetensors'];
  const map = Object.fromEntries(all.map(({ name }, i) => [name, i < 9 ? a : b]));
  return { [a]: write(all.slice(0, 9)), [b]: write(all.slice(9)), [INDEX]: json({ metadata: {}, weight_map: map }) };
}

/** @param {unknown} value */
const json = (value) => new TextEncoder().encode(JSON.stringify(value));

const VALUES = [null, true, false, 0, 1, 2, -1, 0.5, 511, 605, 1e9, 2 ** 53, 1e300, '', 'x', '▁', '<unk>', '</s>', '\0',
  '\ud800', 'x'.repeat(2000), [], [1], {}, { a: 1 }, [['x', 0]], '../x', 'model-1.safetensors', 'Unigram', 'BPE', 'AAAA'];

/** Changes one value of a JSON file, of those that are near the top more often. @param {Random} random @param {any} value */
function changeJson(random, value) {
  let at = value;
  for (;;) {
    const keys = Object.keys(at);
    if (keys.length === 0) return;
    const key = random.pick(keys);
    const inner = at[key];
    if (Object(inner) === inner && Object.keys(inner).length > 0 && !random.once(6)) {
      at = inner;
      continue;
    }
    const other = at[random.pick(keys)];
    if (random.once(4)) delete at[key];
    else if (random.once(3)) at[key] = other;
    else if (random.once(3) && Array.isArray(at)) at.push(other);
    else if (random.once(4) && !Array.isArray(at)) at[String(random.pick(VALUES))] = inner;
    else at[key] = random.pick(VALUES);
    return;
  }
}

/** Changes, drops or adds bytes. @param {Random} random @param {Uint8Array} bytes */
function changeBytes(random, bytes) {
  const copy = bytes.slice();
  if (copy.length === 0) return copy;
  const at = Math.floor((random.next() / 2 ** 32) * copy.length);
  if (random.once(8)) return copy.subarray(0, at);
  if (random.once(12)) return concat(copy.subarray(0, at), copy.subarray(0, 9), copy.subarray(at));
  copy[at] = random.pick([0, 1, 127, 128, 255, copy[at] ^ (1 << (random.next() & 7))]);
  return copy;
}

/** Files number `index` of a seed. @param {number} seed @param {number} index */
export function mutatedFiles(seed, index) {
  const random = new Random(Math.imul(seed, 0x10001) ^ Math.imul(index, 0x9e3779b1));
  const isIndex = random.once(5);
  const files = { ...(isIndex ? shards() : random.pick(GOOD)) };
  for (let changes = random.pick([0, 1, 1, 1, 2, 3]); changes > 0; changes--) {
    const name = random.pick(Object.keys(files));
    if (/\.json$/.test(name) && !random.once(8)) {
      const value = JSON.parse(new TextDecoder().decode(files[name]));
      changeJson(random, value);
      files[name] = json(value);
      // what is not JSON any more is changed no further
      if (random.once(9)) return { isIndex, files: { ...files, [name]: changeBytes(random, files[name]) } };
    } else if (/\.json$/.test(name)) return { isIndex, files: { ...files, [name]: changeBytes(random, files[name]) } };
    else if (random.once(12)) delete files[name];
    else files[name] = changeBytes(random, files[name]);
  }
  return { isIndex, files };
}

/** @param {import('../../js/wasm/core.js').Core} core @param {Files} files */
async function useTokenizer(core, files) {
  const read = async (/** @type {string} */ name) => files[name];
  const readJson = async (/** @type {string} */ name) => (files[name] ? parseJson(files[name], name) : undefined);
  const stated = (await readJson('config.json')) ?? {};
  const { vocab_size: size, eos_token_id: eos, pad_token_id: pad } = stated;
  // readConfig() refuses the others
  if (![size, eos, pad].every((value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 1e6)) return 'config';
  const config = { vocab_size: size, decoder_vocab_size: size, eos_token_id: eos, pad_token_id: pad };
  const sides = await openSides({ core, config, stated, vocab: await readJson('vocab.json'), read, json: readJson });
  if (!sides) return 'none';
  try {
    const tokenizer = new Tokenizer({ core, config, sides });
    for (const text of TEXTS) {
      for (const language of [undefined, ...tokenizer.languages.slice(0, 2)]) {
        const { ids, pieces, offsets } = tokenizer.encode(text, { language });
        if (pieces.length !== ids.length || offsets.length !== 2 * ids.length) throw new Error('lengths differ');
        const wrong = ids.findIndex((id) => id < 0 || id >= Number(size));
        // the configuration may name any id as the end
        if (wrong >= 0 && ids[wrong] !== eos) throw new Error(`id ${ids[wrong]} of ${size}`);
        tokenizer.decode(ids.filter((id) => id < Number(size)));
      }
    }
    for (let id = 0; id < Math.min(Number(size), 700); id++) tokenizer.idToPiece(id);
  } finally {
    core.run('heed_tokenizer_free', sides[0].handle);
  }
  return 'used';
}

/** @param {Files} files */
async function useShards(files) {
  const weights = await openContainer(await openSource(files), undefined);
  if (!weights) return 'none';
  let bytes = 0;
  try {
    for (let chunk; (chunk = await weights.next(1 << 16));) bytes += chunk.length;
  } finally {
    await weights.close();
  }
  const stated = weights.tensors.reduce((sum, tensor) => sum + tensor.bytes, 0);
  if (bytes > stated) throw new Error(`${bytes} bytes of ${stated}`);
  return bytes < stated ? 'cut short' : 'used';
}

const SAYS = /^(?:the given files: )?(?:[\w.-]+\.(?:json|model|safetensors)|the bytes of ByT5)\b|index\.json says$/;

/**
 * @param {{ runs: number, from?: number, seed?: number }} options
 * @returns {Promise<{ runs: number, used: number, slowest: number, statuses: Record<string, number>, failures: string[] }>}
 */
export async function run({ runs, from = 0, seed = 1 }) {
  let core = await instantiate({ simd: 'simd128' });
  /** @type {string[]} */
  const failures = [];
  /** @type {Record<string, number>} */
  const statuses = {};
  let slowest = 0;
  for (let index = from; index < from + runs && failures.length < 20; index++) {
    const { files, isIndex } = mutatedFiles(seed, index);
    const before = performance.now();
    let status;
    try {
      status = await (isIndex ? useShards(files) : useTokenizer(core, files));
    } catch (/** @type {any} */ error) {
      const { message, code } = error;
      status = String(error.status);
      const isGood = error instanceof HeedError && code !== E_WASM && SAYS.test(message) && message.length <= 400;
      if (!isGood) failures.push(`${index}: ${error?.stack}`);
      if (code === E_WASM) core = await instantiate({ simd: 'simd128' });
    }
    slowest = Math.max(slowest, performance.now() - before);
    if (slowest > HANG) failures.push(`${index}: took ${slowest} ms`);
    statuses[status] = (statuses[status] ?? 0) + 1;
    // a load that fails frees its whole core
    if (index % 500 === 499) {
      core.dispose();
      core = await instantiate({ simd: 'simd128' });
    }
  }
  core.dispose();
  return { runs, used: statuses.used ?? 0, slowest, statuses, failures };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const options = /** @type {const} */ ({ type: 'string' });
  const { values } = parseArgs({ options: { runs: options, from: options, seed: options } });
  const { failures, ...report } = await run({
    runs: Number(values.runs ?? 1000), from: Number(values.from ?? 0), seed: Number(values.seed ?? 1),
  });
  console.log(report);
  for (const failure of failures) console.log(failure);
  process.exitCode = failures.length > 0 ? 1 : 0;
}
