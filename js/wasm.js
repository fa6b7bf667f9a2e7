// wasm.js - the only file that knows addresses: everything above it sees typed arrays, strings and HeedError. Used by
// transformer.js, tokenizer.js and ops.js.
//
// Nothing that leaves this file is a view of the module's memory: results are copies. Addresses that do leave (of a
// model, a session, a tokenizer) are handles, of use only as arguments here.

import { builtin, isNode } from './host.js';

/** Pinned numbers of base/status.h. Their spelling is the C core's. */
export const Code = Object.freeze({
  ARGUMENT: 1, MEMORY: 2, ID: 3, LENGTH: 4, STATE: 5, WASM: 6,
  FILE: 10, JSON: 11, CONFIG: 12, SAFETENSORS: 13, TENSOR_MISSING: 14, TENSOR_UNKNOWN: 15, TENSOR_SHAPE: 16,
  TENSOR_DTYPE: 17, TENSOR_VALUE: 18, HASH: 19,
  SPM: 20, VOCAB: 21, TOKENIZER: 22, LANGUAGE: 23,
  DIVERGED: 30,
});

/** Their spelling, read from the first module that loads. Before, the one failure is that there is none. */
/** @type {Map<number, string>} */
const spelling = new Map([[Code.WASM, 'HEED_E_WASM']]);
const spell = (/** @type {number} */ code) => spelling.get(code) ?? 'HEED_E_?';

/** A BOM in a text is a character of that text. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** What went wrong, with the status of the C core. */
export class HeedError extends Error {
  /**
   * @param {number} code
   * @param {string} message
   * @param {{ name?: string, cause?: unknown }} [options]  `name`: as of the DOMException that a page would expect
   */
  constructor(code, message, { name = 'HeedError', cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = name;
    /** Pinned number, from src/base/status.h. @readonly */
    this.code = code;
    /** Its spelling: "HEED_E_CONFIG". @readonly */
    this.status = spell(code);
  }
}

/**
 * @typedef {Float32Array | Float64Array | Int32Array | Uint8Array} Numbers
 * @typedef {{ type: any, length: number, value: any }} Room  room for a result; `value` is set by the call
 * @typedef {{ fields: Argument[] }} Struct
 * @typedef {{ float: number }} Float
 * @typedef {number | string | null | Numbers | Room | Struct | Float} Argument
 */

/** Room for `length` floats that a call writes; afterwards `value` is a copy. @param {number} length @returns {Room} */
export const floats = (length) => ({ type: Float32Array, length, value: null });
/** Room for int32s. @param {number} length @returns {Room} */
export const ints = (length) => ({ type: Int32Array, length, value: null });
/** A C struct of 4-byte fields, passed by address. @param {...Argument} fields @returns {Struct} */
const struct = (...fields) => ({ fields });

/** What an argument list needs in memory: blocks, at offsets from an address that is only known later. */
class Layout {
  size = 0;
  /** @type {{ at: number, argument: any, inner?: number[] }[]} */
  blocks = [];

  /** Offset of the bytes that `argument` needs, or -1: it is passed as it is. @param {any} argument @returns {number} */
  place(argument) {
    if (argument === null || typeof argument === 'number' || argument.float !== undefined) return -1;
    if (typeof argument === 'string') argument = encoder.encode(`${argument}\0`);
    const at = this.size;
    const bytes = argument.type ? argument.length * argument.type.BYTES_PER_ELEMENT
      : argument.fields ? argument.fields.length * 4 : argument.byteLength;
    this.size += Math.ceil((bytes + 1) / 16) * 16; // never empty: an address of its own, aligned for a v128 load
    const inner = argument.fields?.map((/** @type {any} */ field) => this.place(field));
    this.blocks.push({ at, argument, inner });
    return at;
  }
}

/** One instance of the module: its memory and its calls. Made by instantiate(). */
export class Core {
  /** @type {any} */
  #c;
  /** @type {DataView} */
  #view;
  #u8;
  /** Why no call can be made any more, or ''. */
  #broken = '';
  /** Which build runs. @type {'simd128' | 'relaxed'} @readonly */
  simd;

  /** @param {any} c  exports @param {'simd128' | 'relaxed'} simd */
  constructor(c, simd) {
    this.#c = c;
    this.#view = new DataView(c.memory.buffer);
    this.#u8 = new Uint8Array(c.memory.buffer);
    this.simd = simd;
    if (spelling.size === 1) {
      for (const code of Object.values(Code)) spelling.set(code, this.#cstring(c.heed_status_name(code)) ?? '');
    }
  }

  /** Bytes of memory the instance has. */
  get memoryBytes() {
    return this.#c ? this.#c.memory.buffer.byteLength : 0;
  }

  get disposed() {
    return !this.#c;
  }

  /** Let go of the memory. Every later call says HEED_E_STATE. */
  dispose() {
    if (!this.#c) return;
    this.#c = null;
    this.#u8 = new Uint8Array();
    this.#view = new DataView(this.#u8.buffer);
  }

  /** Views are taken anew when the memory has grown: those from before are detached. */
  #refresh() {
    const { buffer } = this.#c.memory;
    if (this.#u8.buffer === buffer) return;
    this.#u8 = new Uint8Array(buffer);
    this.#view = new DataView(buffer);
  }

  /** @param {number} address @returns {string | null} */
  #cstring(address) {
    if (address === 0) return null;
    const start = address >>> 0;
    this.#refresh();
    return decoder.decode(this.#u8.subarray(start, this.#u8.indexOf(0, start)));
  }

  /** @param {any} type @param {number} address @param {number} length */
  #copy(type, address, length) {
    this.#refresh();
    const start = address >>> 0;
    return new type(this.#u8.slice(start, start + length * type.BYTES_PER_ELEMENT).buffer);
  }

  /** @param {{ at: number, argument: any, inner?: number[] }} block @param {number} base */
  #write({ at, argument, inner }, base) {
    if (inner) {
      inner.forEach((offset, i) => {
        const field = argument.fields[i];
        if (field?.float !== undefined) this.#view.setFloat32(base + at + 4 * i, field.float, true);
        else this.#view.setInt32(base + at + 4 * i, offset < 0 ? (field ?? 0) : base + offset, true);
      });
    } else if (!argument.type) {
      this.#u8.set(new Uint8Array(argument.buffer, argument.byteOffset, argument.byteLength), base + at);
    }
  }

  /**
   * Call the export `name`. Arrays, strings (0-terminated) and structs are copied in and their addresses passed; room
   * is copied out.
   *
   * @param {string} name
   * @param {...Argument} values
   * @returns {number}
   */
  run(name, ...values) {
    const layout = new Layout();
    const places = values.map((value) => layout.place(value));
    return this.#guard(() => {
      const c = this.#c;
      const base = layout.size > 0 ? this.#allocate(layout.size) : 0;
      try {
        for (const block of layout.blocks) this.#write(block, base);
        const result = c[name](...values.map((value, i) => (places[i] < 0 ? (value ?? 0) : base + places[i])));
        for (const { at, argument } of layout.blocks) {
          if (argument.type) argument.value = this.#copy(argument.type, base + at, argument.length);
        }
        return result;
      } finally {
        if (base !== 0) c.free(base);
      }
    });
  }

  /** @param {number} bytes @returns {number} */
  #allocate(bytes) {
    const address = bytes < 2 ** 32 - 16 ? this.#c.malloc(bytes) >>> 0 : 0;
    if (address === 0) throw new HeedError(Code.MEMORY, `no memory for ${bytes} bytes of arguments`);
    this.#refresh();
    return address;
  }

  /** A trap is a bug of ours: what the memory holds afterwards is unknown, so no call follows. @param {() => any} f */
  #guard(f) {
    if (!this.#c) throw new HeedError(Code.STATE, 'this object was disposed');
    if (this.#broken) throw new HeedError(Code.WASM, `the module broke before: ${this.#broken}`);
    try {
      return f();
    } catch (error) {
      if (error instanceof HeedError) throw error;
      this.#broken = String(error);
      throw new HeedError(Code.WASM, `the module broke: ${this.#broken}`, { cause: error });
    }
  }

  /** Throw unless `status` is 0. @param {number} status @param {string} what */
  check(status, what) {
    if (status !== 0) throw new HeedError(status, `${what}: ${spell(status)}`);
  }

  /**
   * run(), throwing a HeedError that begins with `what` unless the result is 0.
   *
   * @param {string} what
   * @param {string} name
   * @param {...Argument} values
   */
  call(what, name, ...values) {
    this.check(this.run(name, ...values), what);
  }

  // ---------------------------------------------------------------- what C answers with strings and structs

  /** @param {string} name @param {...Argument} values @returns {string | null} */
  string(name, ...values) {
    return this.#cstring(this.run(name, ...values));
  }

  /** Names of the numbers a configuration consists of, in order. @returns {string[]} */
  configFields() {
    const names = [];
    for (let name; (name = this.string('heed_config_field', names.length)) !== null; ) names.push(name);
    return names;
  }

  /**
   * Like call() for the functions whose last argument is a heed_report.
   *
   * @param {(name: string | null, rule: string | null, found: number, status: string) => string} message
   * @param {string} name
   * @param {...Argument} values
   */
  report(message, name, ...values) {
    const report = ints(3);
    const status = this.run(name, ...values, report);
    if (status === 0) return;
    const [key, rule, found] = report.value;
    throw new HeedError(status, message(this.#cstring(key), this.#cstring(rule), found, spell(status)));
  }

  /** Bytes of tensors, through one block that stays. @param {() => string} what @param {number} model */
  tensorWriter(what, model) {
    const size = 1 << 18;
    const stage = this.#guard(() => this.#allocate(size));
    return {
      /** @param {Uint8Array} bytes */
      write: (bytes) => {
        for (let i = 0; i < bytes.length; i += size) {
          const part = bytes.subarray(i, i + size);
          this.#refresh();
          this.#u8.set(part, stage);
          this.check(this.run('heed_tensor_write', model, stage, part.length), what());
        }
      },
      free: () => void this.run('free', stage),
    };
  }

  /** @param {number} session @param {Int32Array} source @param {Int32Array} target @param {Room[]} maps  three, or none */
  forward(session, source, target, maps) {
    this.call('forward', 'heed_forward', session, source, source.length, target, target.length,
      maps.length ? struct(...maps) : null);
  }

  /** Row t of the last forward(). @param {number} session @param {number} t @param {number} vocabulary */
  logits(session, t, vocabulary) {
    const logProb = floats(1);
    const address = this.run('heed_forward_logits', session, t, logProb);
    return { logits: this.#copy(Float32Array, address, vocabulary), logProb: logProb.value[0] };
  }

  /**
   * @param {number} session
   * @param {{ beams: number, maxTokens: number, minTokens: number, noRepeatNgram: number, lengthPenalty: number,
   *           prefix: Int32Array, badWords: Int32Array }} o
   */
  searchBegin(session, o) {
    this.call('generate', 'heed_search_begin', session, struct(o.beams, o.maxTokens, o.minTokens, o.noRepeatNgram,
      { float: o.lengthPenalty }, o.prefix.length, o.prefix, o.badWords.length, o.badWords));
  }

  /** @param {number} session @param {number} slot @param {number} rank */
  hypothesis(session, slot, rank) {
    const room = ints(5);
    this.call('generate', 'heed_search_hypothesis', session, slot, rank, room);
    const [ids, n, , , finished] = room.value;
    const [logProb, score] = new Float32Array(room.value.buffer, 8, 2);
    return { ids: /** @type {Int32Array} */ (this.#copy(Int32Array, ids, n)), logProb, score, finished: finished !== 0 };
  }

  /** @param {number} tokenizer @returns {{ piece: string, type: number }[]} */
  tokenizerPieces(tokenizer) {
    const pieces = [];
    const [length, type] = [ints(1), ints(1)];
    const size = this.run('heed_tokenizer_size', tokenizer);
    for (let id = 0; id < size; id++) {
      const address = this.run('heed_tokenizer_piece', tokenizer, id, length, type) >>> 0;
      const piece = decoder.decode(this.#u8.subarray(address, address + length.value[0]));
      pieces.push({ piece, type: /** @type {number} */ (type.value[0]) });
    }
    return pieces;
  }

  /**
   * SentencePiece ids of a text; `surface(i)` is the normalised text of piece i.
   *
   * @param {number} tokenizer
   * @param {string} text
   */
  tokenizerEncode(tokenizer, text) {
    const utf8 = encoder.encode(text);
    const room = ints(5);
    this.call('encode', 'heed_tokenizer_encode', tokenizer, utf8, utf8.length, room);
    const [n, ids, offsets, spans, normalized] = room.value;
    const span = this.#copy(Int32Array, spans, 2 * n);
    const bytes = this.#copy(Uint8Array, normalized, n > 0 ? Math.max(span[2 * n - 1], 0) : 0);
    return {
      ids: /** @type {Int32Array} */ (this.#copy(Int32Array, ids, n)),
      offsets: /** @type {Int32Array} */ (this.#copy(Int32Array, offsets, 2 * n)),
      surface: (/** @type {number} */ i) => decoder.decode(bytes.subarray(span[2 * i], span[2 * i + 1])),
    };
  }

  /** @param {number} tokenizer @param {string[]} pieces @returns {string} */
  tokenizerDecode(tokenizer, pieces) {
    const encoded = pieces.map((piece) => encoder.encode(piece));
    const lengths = Int32Array.from(encoded, (bytes) => bytes.length);
    const joined = new Uint8Array(lengths.reduce((sum, n) => sum + n, 0));
    let end = 0;
    for (const bytes of encoded) {
      joined.set(bytes, end);
      end += bytes.length;
    }
    const [text, length] = [ints(1), ints(1)];
    this.call('decode', 'heed_tokenizer_decode', tokenizer, joined, lengths, lengths.length, text, length);
    return decoder.decode(this.#copy(Uint8Array, text.value[0], length.value[0]));
  }
}

/** The smallest module that uses a 128-bit vector: hosts without them refuse it. */
const SIMD_PROBE = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0,
  253, 15, 253, 98, 11);

/** Compiled modules by address, for the next instance. @type {Map<string, Promise<WebAssembly.Module>>} */
const compiled = new Map();

/** @param {URL} url @returns {Promise<WebAssembly.Module>} */
async function compile(url) {
  if (isNode && url.protocol === 'file:') {
    const { readFile } = await builtin('fs/promises');
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  // some servers do not know the type, and streaming insists on it
  return response.headers.get('content-type')?.startsWith('application/wasm')
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}

/** @param {string | URL} place @returns {Promise<URL>} */
async function locate(place) {
  if (place instanceof URL || /^[a-z][a-z\d+.-]+:/i.test(place)) return new URL(place);
  if (isNode) return (await builtin('url')).pathToFileURL(place);
  return new URL(place, globalThis.location?.href);
}

/**
 * Compile (once for each address) and make an instance. HEED_E_WASM: the module is not to be had, is not ours, or the
 * host lacks WebAssembly SIMD.
 *
 * @param {{ wasm?: string | URL | BufferSource | WebAssembly.Module, simd?: 'auto' | 'simd128' | 'relaxed' }} [options]
 * @returns {Promise<Core>}
 */
export async function instantiate({ wasm, simd = 'auto' } = {}) {
  if (!['auto', 'simd128', 'relaxed'].includes(simd)) {
    throw new TypeError(`simd: found ${String(simd)}, expected 'auto', 'simd128' or 'relaxed'`);
  }
  if (simd === 'relaxed') {
    throw new HeedError(Code.WASM, 'simd: this build has no relaxed SIMD module', { name: 'NotSupportedError' });
  }
  if (!WebAssembly.validate(SIMD_PROBE)) {
    throw new HeedError(Code.WASM, 'this host has no WebAssembly SIMD (Chrome 91, Firefox 89, Safari 16.4, Node 16 have)');
  }
  const source = /** @type {any} */ (wasm ?? new URL('./heed.wasm', import.meta.url));
  let from = 'the given bytes';
  try {
    let module;
    if (source instanceof WebAssembly.Module) module = source;
    else if (typeof source === 'string' || source instanceof URL) {
      const url = await locate(source);
      from = url.href;
      const compiling = compiled.get(from) ?? compile(url);
      compiled.set(from, compiling);
      module = await compiling;
    } else module = await WebAssembly.compile(source);
    // Growth needs no notice: views are compared with the memory before each use.
    const imports = { env: { emscripten_notify_memory_growth() {} } };
    const { exports } = await WebAssembly.instantiate(module, imports);
    const c = /** @type {any} */ (exports);
    if (typeof c.heed_status_name !== 'function') throw new Error('not the module of heed');
    c._initialize?.();
    return new Core(c, 'simd128');
  } catch (error) {
    compiled.delete(from);
    const why = error instanceof Error ? error.message : error;
    throw new HeedError(Code.WASM, `heed.wasm from ${from}: ${why}`, { cause: error });
  }
}
