// golden.js - reads what models.py wrote. Used by parity.test.js and inspect.test.js.
import { existsSync, readFileSync, readdirSync } from 'node:fs';

const HERE = new URL('./', import.meta.url);

/** @typedef {{ shape: number[], data: Float32Array }} Tensor */
/** @typedef {{ stack: 'encoder' | 'decoder' | 'cross', layer: number, head: number }} Head */
/**
 * @typedef {object} Case
 * @property {number[]} source
 * @property {number[]} target
 * @property {Head[]} disabledHeads
 * @property {Record<'output' | 'logits' | 'log_probs' | 'encoder' | 'decoder' | 'cross', Tensor>} tensors
 */
/**
 * @typedef {object} Search
 * @property {string} name
 * @property {number[]} source
 * @property {Record<string, any>} options of generate()
 * @property {number[][]} badWords bad_words_ids of generation_config.json
 * @property {Head[]} disabledHeads
 * @property {{ ids: number[], logProb: number, score: number, finished: boolean }[]} hypotheses
 */

/** F32 tensors of a safetensors file that is known to be well formed. @param {URL} url */
export function readTensors(url) {
  const bytes = readFileSync(url);
  const begin = 8 + Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.toString('utf8', 8, begin));
  return Object.fromEntries(Object.entries(header).map(([name, { shape, data_offsets: [from, to] }]) => {
    const copy = new Uint8Array(bytes.subarray(begin + from, begin + to)); // aligned, unlike the file's bytes
    return [name, { shape, data: new Float32Array(copy.buffer) }];
  }));
}

/** The directories that models.py made. */
export const goldenModels = readdirSync(HERE).sort()
  .filter((name) => existsSync(new URL(`${name}/expected.json`, HERE)));

/** @param {string} name @returns {{ directory: URL, cases: Case[], searches: Search[] }} */
export function readGolden(name) {
  const directory = new URL(`${name}/`, HERE);
  const { cases, searches } = JSON.parse(readFileSync(new URL('expected.json', directory), 'utf8'));
  const tensors = readTensors(new URL('expected.safetensors', directory));
  for (const one of cases) {
    one.tensors = Object.fromEntries(Object.entries(one.tensors).map(([key, id]) => [key, tensors[String(id)]]));
  }
  return { directory, cases, searches };
}

/**
 * The model's files in memory, with other bad words.
 * @param {URL} directory
 * @param {number[][]} badWords
 */
export function filesWithBadWords(directory, badWords) {
  /** @type {Record<string, Uint8Array>} */
  const files = {};
  for (const name of ['config.json', 'generation_config.json', 'model.safetensors']) {
    files[name] = new Uint8Array(readFileSync(new URL(name, directory)));
  }
  const generation = JSON.parse(new TextDecoder().decode(files['generation_config.json']));
  generation.bad_words_ids = badWords;
  files['generation_config.json'] = new TextEncoder().encode(JSON.stringify(generation));
  return files;
}
