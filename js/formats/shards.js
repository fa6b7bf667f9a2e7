// shards.js - weights in several files, which an index lists: model.safetensors.index.json, or that of
// pytorch_model.bin. Loaded by open.js if a model has neither file as a whole.
//
//     { "metadata": { "total_size": 123 }, "weight_map": { "tensor": "model-00001-of-00002.safetensors", … } }

import { E_FILE, E_SAFETENSORS } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { describe, mismatch, parseJson, short } from '../base/json.js';
import { MAX_SHARDS } from '../base/limits.js';

/** @typedef {import('./safetensors.js').Weights} Weights */
/** @typedef {import('./cursor.js').Files} Files */

/** Names that stay in the directory of the index, and that an error may quote. */
const PLAIN = /^\w[\w.-]{0,99}$/;

/**
 * The tensors of each shard, by its name.
 *
 * @param {Uint8Array} bytes
 * @param {string} index
 * @returns {Map<string, Set<string>>}
 */
export function readIndex(bytes, index) {
  const { weight_map: map } = parseJson(bytes, index);
  if (Object(map) !== map || Array.isArray(map) || Object.keys(Object(map)).length === 0) {
    throw new HeedError(E_SAFETENSORS, mismatch(`${index}: weight_map`, map, 'an object of files by tensor'));
  }
  /** @type {Map<string, Set<string>>} */
  const shards = new Map();
  for (const [tensor, file] of Object.entries(/** @type {Record<string, unknown>} */ (map))) {
    if (typeof file !== 'string' || !PLAIN.test(file)) {
      throw new HeedError(E_SAFETENSORS,
        mismatch(`${index}: weight_map: ${describe(short(tensor))}`, file, 'the name of a file beside it'));
    }
    const tensors = shards.get(file) ?? new Set();
    shards.set(file, tensors.add(tensor));
  }
  if (shards.size > MAX_SHARDS) {
    throw new HeedError(E_SAFETENSORS, `${index}: found ${shards.size} files, expected ${MAX_SHARDS} at most`);
  }
  return shards;
}

/** Compares a shard with the index. @param {string} index @param {Weights} shard @param {Set<string>} expected */
function checkShard(index, { file, tensors }, expected) {
  const found = new Set(tensors.map(({ name }) => name));
  const missing = [...expected].find((name) => !found.has(name));
  if (missing !== undefined) {
    throw new HeedError(E_SAFETENSORS, `${file}: ${short(missing)}: is not there, expected it as ${index} says`);
  }
  const other = tensors.find(({ name }) => !expected.has(name));
  if (other) throw new HeedError(E_SAFETENSORS, `${file}: ${short(other.name)}: ${index} does not have it there`);
}

/** @param {Weights['tensors']} tensors */
const sizeOf = (tensors) => tensors.reduce((sum, { bytes }) => sum + bytes, 0);

/**
 * All shards as one, in the order of their names. Their headers are read first, since a model is made of all of them;
 * then one shard after another is open.
 *
 * @param {Files} files
 * @param {string} index
 * @param {(file: string) => Promise<Weights | null>} open  a shard
 * @param {boolean} [keepOpen]  do not open a shard twice: for a format whose files may have to be held
 * @returns {Promise<Weights | null>}  null: there is no index
 */
export async function openShards(files, index, open, keepOpen = false) {
  const bytes = await files.readOptional(index);
  if (!bytes) return null;
  const shards = [...readIndex(bytes, index)].sort(([a], [b]) => (a < b ? -1 : 1));
  const openShard = async (/** @type {string} */ file) => {
    const shard = await open(file);
    if (!shard) throw new HeedError(E_FILE, `${file} is missing, expected it as ${index} says`);
    return shard;
  };
  /** @type {{ file: string, tensors: Weights['tensors'], head: number, size: number, kept: Weights | null }[]} */
  const all = [];
  const closeAll = () => Promise.all(all.map(({ kept }) => kept?.close()));
  for (const [file, expected] of shards) {
    /** @type {Weights | null} */
    let shard = null;
    try {
      shard = await openShard(file);
      checkShard(index, shard, expected);
    } catch (error) {
      await closeAll();
      await shard?.verify?.(error).finally(() => shard?.close());
      throw error;
    }
    const { tensors, head } = shard;
    const size = shard.size ?? sizeOf(tensors) + head;
    all.push({ file, tensors: tensors.map((t) => ({ ...t, file })), head, size, kept: keepOpen ? shard : null });
    if (!keepOpen) await shard.close();
  }

  let at = 0; // the next shard
  let left = 0; // bytes of the current one
  /** @type {Weights | null} */
  let current = null;
  /** The shard of the next byte; null at the end. */
  const enter = async () => {
    while (!current || left === 0) {
      if (current && await current.next(1)) {
        throw new HeedError(E_SAFETENSORS, `${current.file}: bytes after the last tensor`);
      }
      await current?.close();
      current = null;
      if (at === all.length) return null;
      const { file, tensors, kept } = all[at++];
      current = kept ?? await openShard(file);
      left = sizeOf(tensors);
      const isSame = current.tensors.length === tensors.length
        && current.tensors.every(({ name, bytes: size }, i) => name === tensors[i].name && size === tensors[i].bytes);
      if (!isSame) throw new HeedError(E_SAFETENSORS, `${file}: changed while it was read`);
    }
    return current;
  };
  return {
    file: index,
    tensors: all.flatMap((shard) => shard.tensors),
    head: bytes.length + all.reduce((sum, shard) => sum + shard.head, 0),
    size: bytes.length + all.reduce((sum, shard) => sum + shard.size, 0),
    async next(most) {
      const shard = await enter();
      const chunk = shard && await shard.next(Math.min(most, left));
      left -= chunk?.length ?? 0;
      return chunk;
    },
    async skip(n) {
      const shard = await enter();
      const skipped = shard ? await shard.skip(Math.min(n, left)) : 0;
      left -= skipped ? skipped.length : 0;
      return skipped;
    },
    async close() {
      await current?.close();
      await closeAll();
    },
    verify: async (error) => current?.verify?.(error),
  };
}
