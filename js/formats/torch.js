// torch.js - reads a state_dict of torch.save(), pytorch_model.bin: a zip archive since PyTorch 1.6, a row of pickles
// before; used by open.js.
//
//     zip: NAME/data.pkl, the names, shapes and storages | NAME/data/KEY, the bytes of each storage | …
//     before: pickles: magic number, version, machine, state, keys | for each key: u64 count, the storage's bytes
//
// Tensors may share a storage: its bytes are read once for each of them that is used.

import { BF16, E_SAFETENSORS, E_TENSOR_DTYPE, F16, F32, WIDTHS } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { describe, short } from '../base/json.js';
import { MAX_PICKLE } from '../base/limits.js';
import { CutShort, Unpickler } from './pickle.js';
import { EntryReader, readZip } from './zip.js';

/** @typedef {import('./safetensors.js').TensorEntry} TensorEntry */

const MAGIC = 0x1950a86a20f9469cfc6cn;

/** Element types by the name of their storage. @type {Record<string, number>} */
const STORAGES = { FloatStorage: F32, HalfStorage: F16, BFloat16Storage: BF16 };

/** @param {string} message @returns {never} */
function refuse(message) {
  throw new HeedError(E_SAFETENSORS, message);
}

/**
 * A tensor and the position of its bytes.
 *
 * @typedef {TensorEntry & { storage: import('./pickle.js').Storage, begin: number }} Placed  begin: in the storage
 */

/**
 * The tensors of a state, in the state's order.
 *
 * @param {unknown} state
 * @param {string} file
 * @returns {Placed[]}
 */
function readState(state, file) {
  if (!(state instanceof Map)) return refuse(`${file}: found no state_dict: expected a dictionary of tensors`);
  /** Size of each storage; all its tensors must agree. @type {Map<string, number>} */
  const sizes = new Map();
  return Array.from(state, ([key, value]) => {
    const name = String(key);
    const what = `${file}: ${short(name)}`;
    if (!Array.isArray(value?.shape)) refuse(`${what}: expected a tensor: not a state_dict?`);
    const { storage, offset, shape, stride } = /** @type {import('./pickle.js').Tensor} */ (value);
    const dtype = Object.hasOwn(STORAGES, storage.type) ? STORAGES[storage.type] : -1;
    if (dtype < 0) {
      const known = Object.keys(STORAGES);
      throw new HeedError(E_TENSOR_DTYPE, `${what}: found ${short(storage.type)}, expected one of ${known}`);
    }
    const width = WIDTHS[dtype];
    if ((sizes.get(storage.key) ?? storage.count * width) !== storage.count * width) {
      refuse(`${what}: storage ${short(storage.key)} is of another size before`);
    }
    sizes.set(storage.key, storage.count * width);
    let count = 1;
    for (let i = shape.length; i-- > 0; count *= shape[i]) {
      // the stride of a dimension of size 1 has no meaning
      if (shape[i] > 1 && stride[i] !== count) {
        refuse(`${what}: found strides ${describe(stride)} for ${describe(shape)}: not contiguous`);
      }
    }
    // above 2^53 a product is inexact, but no storage is that large
    if (!(offset + count <= storage.count)) {
      const all = `${storage.count} of storage ${short(storage.key)}`;
      refuse(`${what}: ${count} elements at ${offset} are beyond the ${all}`);
    }
    return { name, dtype, shape, bytes: count * width, storage, begin: offset * width };
  });
}

/** @typedef {Pick<EntryReader, 'seek' | 'next'>} Reader */

/** The bytes of tensors, one after another: next and skip of Weights. */
class TensorReader {
  #tensors;
  #readerOf;
  #index = 0;
  #done = 0;
  /** The reader of the tensor's storage, at the current offset. @type {Reader | null} */
  #reader = null;

  /** @param {Placed[]} tensors @param {(storage: import('./pickle.js').Storage) => Promise<Reader>} readerOf */
  constructor(tensors, readerOf) {
    this.#tensors = tensors;
    this.#readerOf = readerOf;
  }

  /** @param {number} most */
  async next(most) {
    while (this.#index < this.#tensors.length && this.#done === this.#tensors[this.#index].bytes) this.#leave();
    if (this.#index === this.#tensors.length) return null;
    const { storage, begin, bytes } = this.#tensors[this.#index];
    if (!this.#reader) {
      this.#reader = await this.#readerOf(storage);
      await this.#reader.seek(begin + this.#done);
    }
    const chunk = await this.#reader.next(Math.min(most, bytes - this.#done));
    this.#done += chunk?.length ?? 0;
    return chunk;
  }

  #leave() {
    this.#index++;
    this.#done = 0;
    this.#reader = null;
  }

  /** @param {number} n */
  async skip(n) {
    let length = 0;
    while (length < n) {
      while (this.#done === this.#tensors[this.#index]?.bytes) this.#leave();
      if (this.#index === this.#tensors.length) break;
      const step = Math.min(n - length, this.#tensors[this.#index].bytes - this.#done);
      this.#done += step;
      this.#reader = null;
      length += step;
    }
    return length && { length };
  }
}

/**
 * @param {import('./cursor.js').Cursor} cursor
 * @param {Placed[]} tensors
 * @param {(tensor: Placed) => number} placeOf  the offset of its storage in the file
 * @param {(storage: import('./pickle.js').Storage) => Promise<Reader>} readerOf
 * @returns {import('./safetensors.js').Weights}
 */
function makeWeights(cursor, tensors, placeOf, readerOf) {
  const order = tensors.map((tensor) => ({ tensor, place: placeOf(tensor) }));
  order.sort((a, b) => a.place - b.place || a.tensor.begin - b.tensor.begin);
  const sorted = order.map(({ tensor }) => tensor);
  const bytes = sorted.reduce((sum, tensor) => sum + tensor.bytes, 0);
  return Object.assign(new TensorReader(sorted, readerOf), {
    file: cursor.file,
    tensors: sorted,
    size: cursor.size,
    head: (cursor.size ?? bytes) - bytes,
    close: () => cursor.close(),
  });
}

/**
 * @param {import('./cursor.js').Cursor} cursor
 * @param {number} size  of the file
 * @returns {Promise<import('./safetensors.js').Weights>}
 */
export async function openTorchZip(cursor, size) {
  const { file } = cursor;
  const entries = await readZip(cursor, size);
  const [main, ...others] = [...entries.values()].filter(({ name }) => /^[^/]+\/data\.pkl$/.test(name));
  if (!main || others.length > 0) return refuse(`${file}: expected one entry NAME/data.pkl: not of torch.save()?`);
  const folder = main.name.slice(0, -'data.pkl'.length);
  const order = entries.get(`${folder}byteorder`);
  if (order && new TextDecoder().decode(await new EntryReader(cursor, order).read(0, 6)) !== 'little') {
    refuse(`${file}: ${short(order.name)}: expected 'little'`);
  }
  const where = `${file}: ${short(main.name)}`;
  if (main.size > MAX_PICKLE) refuse(`${where}: found ${main.size} bytes, expected ${MAX_PICKLE} at most`);
  const pickle = new Unpickler(await new EntryReader(cursor, main).read(0, main.size), where);
  const tensors = readState(pickle.load(), file);
  const entryOf = (/** @type {import('./pickle.js').Storage} */ { key }) => entries.get(`${folder}data/${key}`);
  const placeOf = (/** @type {Placed} */ { name, storage }) => {
    const entry = entryOf(storage);
    const bytes = storage.count * WIDTHS[STORAGES[storage.type]];
    if (entry?.size === bytes) return entry.at;
    const found = entry ? `${entry.size} bytes` : 'no entry';
    return refuse(`${file}: ${short(name)}: storage ${short(storage.key)}: found ${found}, expected ${bytes} bytes`);
  };
  /**
   * The last reader: tensors of one storage are neighbours. @type {{ key: string, reader: EntryReader } | undefined}
   */
  let last;
  return makeWeights(cursor, tensors, placeOf, async (storage) => {
    if (last?.key !== storage.key) {
      await last?.reader.close();
      const entry = /** @type {import('./zip.js').Entry} */ (entryOf(storage));
      last = { key: storage.key, reader: new EntryReader(cursor, entry) };
    }
    return last.reader;
  });
}

/**
 * Reads the pickles of an old file; afterwards the cursor is behind them.
 *
 * @param {import('./cursor.js').Cursor} cursor  after `head`
 * @param {Uint8Array} head  the first bytes; more are read as needed
 */
async function readPickles(cursor, head) {
  const { file } = cursor;
  for (let bytes = head; ;) {
    const pickle = new Unpickler(bytes, file);
    try {
      const magic = pickle.load();
      if (magic !== MAGIC) refuse(`${file}: found neither a zip archive nor what older torch.save() wrote`);
      const version = pickle.load();
      if (version !== 1001) {
        const found = typeof version === 'number' ? version : typeof version;
        refuse(`${file}: found version ${found} of the format before 1.6, expected 1001`);
      }
      const machine = pickle.load();
      if (!(machine instanceof Map) || machine.get('little_endian') !== true) {
        refuse(`${file}: expected numbers in little-endian order`);
      }
      const state = pickle.load();
      const keys = pickle.load();
      if (!Array.isArray(keys) || !keys.every((key) => typeof key === 'string')) {
        return refuse(`${file}: expected a list of the keys of storages`);
      }
      cursor.rewind(bytes, pickle.at);
      return { state, keys, begin: pickle.at };
    } catch (error) {
      if (!(error instanceof CutShort) || bytes.length >= MAX_PICKLE) throw error;
      const more = await cursor.read(bytes.length, bytes.length);
      if (more.length === 0) throw error;
      const longer = new Uint8Array(bytes.length + more.length);
      longer.set(bytes);
      longer.set(more, bytes.length);
      bytes = longer;
    }
  }
}

/**
 * @param {import('./cursor.js').Cursor} cursor  after `head`
 * @param {Uint8Array} head
 * @returns {Promise<import('./safetensors.js').Weights>}
 */
export async function openTorchPickles(cursor, head) {
  const { file } = cursor;
  const start = await cursor.read(head.length, 1 << 16);
  const bytes = new Uint8Array(head.length + start.length);
  bytes.set(head);
  bytes.set(start, head.length);
  const { state, keys, begin } = await readPickles(cursor, bytes);
  const tensors = readState(state, file);
  const counts = new Map(tensors.map(({ storage }) => [storage.key, storage]));
  /** @type {Map<string, number>} */
  const places = new Map();
  let end = begin;
  for (const key of keys) {
    const storage = counts.get(key);
    if (!storage || places.has(key)) {
      return refuse(`${file}: storage ${short(key)} belongs to no tensor, or occurs twice`);
    }
    places.set(key, end + 8);
    end += 8 + storage.count * WIDTHS[STORAGES[storage.type]];
  }
  if (cursor.size !== undefined && cursor.size !== end) {
    refuse(`${file}: found ${cursor.size} bytes, expected ${end}: cut short, or more than one state?`);
  }
  const placeOf = (/** @type {Placed} */ { name, storage }) =>
    places.get(storage.key) ?? refuse(`${file}: ${short(name)}: storage ${short(storage.key)} is not in the file`);
  /** @type {Set<string>} */
  const checked = new Set();
  return makeWeights(cursor, tensors, placeOf, async ({ key, count }) => {
    const place = Number(places.get(key));
    return {
      async seek(at) {
        if (!checked.has(key)) {
          const view = new DataView((await cursor.read(place - 8, 8)).buffer);
          const found = view.byteLength < 8 ? 0 : Number(view.getBigUint64(0, true));
          if (found !== count) refuse(`${file}: storage ${short(key)}: found ${found} elements, expected ${count}`);
          checked.add(key);
        }
        await cursor.seek(place + at);
      },
      next: (most) => cursor.next(most),
    };
  });
}
