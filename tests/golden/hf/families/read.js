// read.js - the files of the models in this folder, for Transformer.load(). Used by families.test.js.
import { readFileSync, readdirSync } from 'node:fs';

/** @param {string} name @returns {Record<string, Uint8Array>} */
export function filesOf(name) {
  const directory = new URL(`${name}/`, import.meta.url);
  const read = (/** @type {string} */ file) => readFileSync(new URL(file, directory));
  const names = readdirSync(directory);
  const shards = names.filter((file) => /^model-\d+-of-\d+\.safetensors$/.test(file)).sort().map(read);
  const whole = names.filter((file) => /^(model|pytorch_model|config|generation_config)\.(\w+)$/.test(file));
  const files = Object.fromEntries(whole.map((file) => [file, new Uint8Array(read(file))]));
  if (shards.length > 0) {
    files['model.safetensors'] = writeSafetensors(Object.assign({}, ...shards.map(readSafetensors)));
  }
  return files;
}

/** @typedef {Record<string, { dtype: string, shape: number[], data: Uint8Array }>} Tensors */

/** Tensors of a safetensors file that is known to be well formed. @param {Uint8Array} file @returns {Tensors} */
export function readSafetensors(file) {
  const bytes = Buffer.from(file);
  const begin = 8 + Number(bytes.readBigUInt64LE(0));
  const { __metadata__: _, ...entries } = JSON.parse(bytes.toString('utf8', 8, begin));
  return Object.fromEntries(Object.entries(entries).map(([name, { dtype, shape, data_offsets: [from, to] }]) =>
    [name, { dtype, shape, data: file.subarray(begin + from, begin + to) }]));
}

/** @param {Tensors} tensors @returns {Uint8Array} */
export function writeSafetensors(tensors) {
  let end = 0;
  const entries = Object.fromEntries(Object.entries(tensors).map(([name, { dtype, shape, data }]) =>
    [name, { dtype, shape, data_offsets: [end, (end += data.length)] }]));
  const json = Buffer.from(JSON.stringify(entries));
  const size = Buffer.alloc(8);
  size.writeUInt32LE(json.length);
  return new Uint8Array(Buffer.concat([size, json, ...Object.values(tensors).map(({ data }) => data)]));
}
