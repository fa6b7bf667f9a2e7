// pickle.js - a restricted reader of Python's pickles. It creates numbers, texts, lists, dictionaries and the few
// objects of a PyTorch state, and runs no code; used by torch.js.
//
// A pickle is a program for a stack machine. This one knows the opcodes of a state_dict in protocols 2 to 5; any other
// opcode is an error. So is any global except OrderedDict, _rebuild_tensor_v2 and the storage types. Objects are shared
// and not copied, so a pickle of n bytes creates at most n objects.

import { E_SAFETENSORS } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { describe, short } from '../base/json.js';

/** A type of storage: `FloatStorage`. @typedef {{ storageType: string }} StorageType */
/**
 * Numbers in the file.
 *
 * @typedef {object} Storage
 * @property {string} type  `FloatStorage`
 * @property {string} key
 * @property {number} count
 */
/** @typedef {{ storage: Storage, offset: number, shape: number[], stride: number[] }} Tensor  counted in elements */

/** Thrown when more bytes are needed. */
export class CutShort extends HeedError {}

const ORDERED_DICT = Symbol('OrderedDict');
const REBUILD = Symbol('_rebuild_tensor_v2');
/** Marks the objects that a plural opcode takes: they follow it on the stack. */
const MARK = Symbol('mark');

/** @param {unknown} value */
const isCount = (value) => Number.isSafeInteger(value) && /** @type {number} */ (value) >= 0;

/** @param {string} module @param {string} name @returns {symbol | StorageType | undefined} */
function findGlobal(module, name) {
  if (module === 'collections' && name === 'OrderedDict') return ORDERED_DICT;
  if (module === 'torch._utils' && name === '_rebuild_tensor_v2') return REBUILD;
  if (module === 'torch' && /^[A-Z]\w*Storage$/.test(name)) return { storageType: name };
  return undefined;
}

/** The stack machine. It runs one pickle at a time. */
export class Unpickler {
  #bytes;
  #view;
  #where;
  #at = 0;
  /** @type {any[]} */
  #stack = [];
  /** @type {Map<number, any>} */
  #memo = new Map();

  /** @param {Uint8Array} bytes @param {string} where  for messages */
  constructor(bytes, where) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#where = where;
  }

  /** The offset of the next pickle. */
  get at() {
    return this.#at;
  }

  /** @param {string} message @returns {never} */
  #refuse(message) {
    throw new HeedError(E_SAFETENSORS, `${this.#where}: ${message} (before byte ${this.#at})`);
  }

  /** The offset of the next n bytes, which it skips. @param {number} n */
  #take(n) {
    const at = this.#at;
    if (n > this.#bytes.length - at) {
      throw new CutShort(E_SAFETENSORS, `${this.#where}: the pickle is cut short at byte ${this.#bytes.length}`);
    }
    this.#at += n;
    return at;
  }

  /** @param {number} n */
  #text(n) {
    const at = this.#take(n);
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(this.#bytes.subarray(at, at + n));
    } catch {
      return this.#refuse('a text is not UTF-8');
    }
  }

  /** Reads up to the next line break. */
  #line() {
    const end = this.#bytes.indexOf(10, this.#at);
    const text = this.#text(end < 0 ? this.#bytes.length - this.#at + 1 : end - this.#at);
    this.#at++;
    return text;
  }

  /** @param {number} bytes */
  #unsigned(bytes) {
    const at = this.#take(bytes);
    if (bytes === 1) return this.#view.getUint8(at);
    if (bytes === 2) return this.#view.getUint16(at, true);
    const low = this.#view.getUint32(at, true);
    return bytes === 4 ? low : low + this.#view.getUint32(at + 4, true) * 2 ** 32;
  }

  /** An integer of n bytes, as a number if that is exact, else as a bigint. @param {number} n */
  #long(n) {
    if (n > 16) this.#refuse(`found an integer of ${n} bytes, expected 16 at most`);
    const at = this.#take(n);
    let value = 0n;
    for (let i = n; i-- > 0;) value = (value << 8n) | BigInt(this.#bytes[at + i]);
    value = BigInt.asIntN(8 * n, value);
    return BigInt(Number(value)) === value ? Number(value) : value;
  }

  #pop() {
    const value = this.#stack.pop();
    return value === undefined || value === MARK ? this.#refuse('an opcode finds too little on the stack') : value;
  }

  /** Removes the objects above the last mark, and returns them. */
  #popMark() {
    const mark = this.#stack.lastIndexOf(MARK);
    if (mark < 0) this.#refuse('an opcode finds no mark on the stack');
    return this.#stack.splice(mark).slice(1);
  }

  /** The top of the stack, which must be of the given type. @param {any} kind @param {string} expected */
  #top(kind, expected) {
    const top = this.#stack.at(-1);
    return top instanceof kind ? top : this.#refuse(`expected ${expected} on the stack`);
  }

  /** @param {any[]} values  key, value, key, … */
  #setItems(values) {
    const map = this.#top(Map, 'a dictionary');
    if (values.length % 2 > 0) this.#refuse('a key has no value');
    for (let i = 0; i < values.length; i += 2) {
      const key = values[i];
      if (typeof key !== 'string' && typeof key !== 'number') this.#refuse('a key is neither text nor number');
      if (map.has(key)) this.#refuse(`the key ${describe(String(key))} occurs twice`);
      map.set(key, values[i + 1]);
    }
  }

  /** @param {string} module @param {string} name */
  #global(module, name) {
    const found = findGlobal(module, name);
    // shortens a name from the file for messages
    const full = `${module}.${name}`.slice(0, 100);
    return found ?? this.#refuse(`found ${full}, which is no part of a state of tensors: nothing is run from a pickle`);
  }

  /** @param {any} callable @param {any} values */
  #call(callable, values) {
    if (!Array.isArray(values)) this.#refuse('the arguments of a call are not a tuple');
    if (callable === ORDERED_DICT) {
      // SETITEMS adds its items. Pairs as an argument could repeat the same pair a million times.
      if (values.length > 0) this.#refuse('OrderedDict: expected no arguments');
      this.#stack.push(new Map());
      return;
    }
    if (callable !== REBUILD) this.#refuse('something is called that is no function');
    const [storage, offset, shape, stride] = values;
    const isShape = (/** @type {any} */ list) => Array.isArray(list) && list.length <= 8 && list.every(isCount);
    if (typeof storage?.key !== 'string' || !isCount(offset) || !isShape(shape) || !isShape(stride)) {
      this.#refuse('_rebuild_tensor_v2: expected a storage, an offset, a shape and a stride');
    }
    if (stride.length !== shape.length) this.#refuse('_rebuild_tensor_v2: shape and stride differ in length');
    this.#stack.push(/** @type {Tensor} */ ({ storage, offset, shape, stride }));
  }

  /** @param {any} id  ('storage', type, key, device, count), with a view in old files */
  #persistent(id) {
    const [kind, type, key, , count, view = null] = Array.isArray(id) ? id : [];
    if (kind !== 'storage' || typeof type?.storageType !== 'string' || typeof key !== 'string' || !isCount(count)) {
      this.#refuse("expected ('storage', type, key, device, count)");
    }
    if (view !== null) this.#refuse(`storage ${short(key)}: views of other storages are not supported`);
    return /** @type {Storage} */ ({ type: type.storageType, key, count });
  }

  /** @param {number} key */
  #recall(key) {
    return this.#memo.has(key) ? this.#memo.get(key) : this.#refuse(`nothing is remembered as ${key}`);
  }

  /** Run one pickle. @returns {any} */
  load() {
    this.#stack = [];
    this.#memo.clear();
    const push = (/** @type {any} */ value) => void this.#stack.push(value);
    for (;;) {
      const opcode = this.#unsigned(1);
      switch (opcode) {
        case 0x80: { // PROTO
          const protocol = this.#unsigned(1);
          if (protocol < 2 || protocol > 5) this.#refuse(`found pickle protocol ${protocol}, expected 2 to 5`);
          break;
        }
        case 0x95: // FRAME: frames have no effect here
          this.#take(8);
          break;
        case 0x2e: { // STOP
          const value = this.#pop();
          return this.#stack.length === 0 ? value : this.#refuse('more than one object is left on the stack');
        }
        case 0x28: // MARK
          push(MARK);
          break;
        case 0x30: // POP
          this.#pop();
          break;
        case 0x4e: // NONE
          push(null);
          break;
        case 0x88: // NEWTRUE
          push(true);
          break;
        case 0x89: // NEWFALSE
          push(false);
          break;
        case 0x4a: // BININT
          push(this.#view.getInt32(this.#take(4), true));
          break;
        case 0x4b: // BININT1
          push(this.#unsigned(1));
          break;
        case 0x4d: // BININT2
          push(this.#unsigned(2));
          break;
        case 0x8a: // LONG1
          push(this.#long(this.#unsigned(1)));
          break;
        case 0x47: // BINFLOAT, the one big-endian
          push(this.#view.getFloat64(this.#take(8)));
          break;
        case 0x8c: // SHORT_BINUNICODE
          push(this.#text(this.#unsigned(1)));
          break;
        case 0x58: // BINUNICODE
          push(this.#text(this.#unsigned(4)));
          break;
        case 0x29: // EMPTY_TUPLE
        case 0x5d: // EMPTY_LIST
          push([]);
          break;
        case 0x85: // TUPLE1
          push([this.#pop()]);
          break;
        case 0x86: { // TUPLE2
          const b = this.#pop();
          push([this.#pop(), b]);
          break;
        }
        case 0x87: { // TUPLE3
          const [c, b] = [this.#pop(), this.#pop()];
          push([this.#pop(), b, c]);
          break;
        }
        case 0x74: // TUPLE
          push(this.#popMark());
          break;
        case 0x61: { // APPEND
          const value = this.#pop();
          this.#top(Array, 'a list').push(value);
          break;
        }
        case 0x65: { // APPENDS
          const values = this.#popMark();
          const list = this.#top(Array, 'a list');
          for (const value of values) list.push(value);
          break;
        }
        case 0x7d: // EMPTY_DICT
          push(new Map());
          break;
        case 0x73: { // SETITEM
          const value = this.#pop();
          this.#setItems([this.#pop(), value]);
          break;
        }
        case 0x75: // SETITEMS
          this.#setItems(this.#popMark());
          break;
        case 0x71: // BINPUT
          this.#memo.set(this.#unsigned(1), this.#peek());
          break;
        case 0x72: // LONG_BINPUT
          this.#memo.set(this.#unsigned(4), this.#peek());
          break;
        case 0x94: // MEMOIZE
          this.#memo.set(this.#memo.size, this.#peek());
          break;
        case 0x68: // BINGET
          push(this.#recall(this.#unsigned(1)));
          break;
        case 0x6a: // LONG_BINGET
          push(this.#recall(this.#unsigned(4)));
          break;
        case 0x63: { // GLOBAL
          const module = this.#line();
          push(this.#global(module, this.#line()));
          break;
        }
        case 0x93: { // STACK_GLOBAL
          const name = this.#pop();
          const module = this.#pop();
          // describing nested lists could fill the memory
          if (typeof module !== 'string' || typeof name !== 'string') this.#refuse('the name of a global is no text');
          push(this.#global(module, name));
          break;
        }
        case 0x52: { // REDUCE
          const values = this.#pop();
          this.#call(this.#pop(), values);
          break;
        }
        case 0x51: // BINPERSID
          push(this.#persistent(this.#pop()));
          break;
        case 0x62: // BUILD: the attributes of an OrderedDict, which are not needed
          this.#pop();
          this.#top(Map, 'an OrderedDict');
          break;
        default:
          this.#refuse(`found opcode 0x${opcode.toString(16).padStart(2, '0')}, which no state of tensors needs`);
      }
    }
  }

  #peek() {
    const value = this.#pop();
    this.#stack.push(value);
    return value;
  }
}
