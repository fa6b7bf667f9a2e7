// core.js - one instance of the module. Only this file handles addresses; the files above see typed arrays, strings and
// HeedErrors. Created by module.js; used by most rooms.
//
// No view of the module's memory leaves this file: results are copies. Addresses of models, sessions and tokenizers
// leave it as handles, and are only valid as arguments here.

import { E_CONFIG, E_MEMORY, E_STATE, E_WASM, PIECE_NORMAL, POINT_NAME_BYTES } from '../base/constants.js';
import { BROKE, HeedError, learnSpelling, words } from '../base/errors.js';
import { CHUNK } from '../base/limits.js';

/** A BOM in a text is kept as a character. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/**
 * @typedef {Float32Array | Float64Array | Int32Array | Uint8Array} Numbers
 * @typedef {{ type: any, length: number, value: any }} Room  room for a result; `value` is set by the call
 * @typedef {{ fields: Argument[] }} Struct
 * @typedef {number | null | Numbers | Room | Struct} Argument
 */

/**
 * Room for `length` floats that a call writes; afterwards `value` has a copy. @param {number} length @returns {Room}
 */
export const floats = (length) => ({ type: Float32Array, length, value: null });
/** Room for int32s. @param {number} length @returns {Room} */
export const ints = (length) => ({ type: Int32Array, length, value: null });
/** A C struct of int32s and addresses, passed by address. @param {...Argument} fields @returns {Struct} */
const struct = (...fields) => ({ fields });

/** @typedef {{ point: number, name: string, shape: number[] }} Point  a tensor that inspection can show */

/**
 * heed_search_options, as the rules of model/options.js give them.
 *
 * @typedef {object} SearchRules
 * @property {number} beams
 * @property {number} maxTokens
 * @property {number} lengthPenalty
 * @property {number} earlyStopping
 * @property {Int32Array} prefix
 * @property {Int32Array} eosTokenIds
 * @property {number} repetitionPenalty
 * @property {number} noRepeatNgram
 * @property {Int32Array} badWords
 * @property {number} minTokens
 * @property {Int32Array} forcedBosTokenId
 * @property {Int32Array} forcedEosTokenId
 * @property {Int32Array} suppressTokens
 * @property {Int32Array} beginSuppressTokens
 * @property {boolean} renormalizeLogits
 * @property {boolean} cutRunaways
 * @property {boolean} shortlist  use it if the model has one
 * @property {boolean} scores  false: those of greedy search are 0
 * @property {boolean} align  keep the cross attention of each step
 * @property {number} ngrams  the weight of n-grams if the model has some, 0 to 1; 0: without
 */

/** One instance of the module: its memory and its calls. Made by instantiate(). */
export class Core {
  /** @type {any} */
  #c;
  #u8;
  /** The reason why no more calls are possible, or ''. */
  #broken = '';
  /** Where heed_tokenizer_piece() writes: one place for all, as run() would take it anew for each of 32,000 pieces. */
  #piece;
  /** Which build runs. @type {'simd128' | 'relaxed'} @readonly */
  simd;
  /** The compiled module. @type {WebAssembly.Module} @readonly */
  module;

  /** What other workers need to share the memory, if they can. @type {import('./shared.js').Share | undefined} */
  share;
  /**
   * @param {any} c  exports
   * @param {'simd128' | 'relaxed'} simd
   * @param {WebAssembly.Module} module
   * @param {import('./shared.js').Share} [share]
   */
  constructor(c, simd, module, share) {
    this.share = share;
    this.#c = c;
    this.#u8 = new Uint8Array(c.memory.buffer);
    this.simd = simd;
    this.module = module;
    this.#piece = this.#allocate(8);
    learnSpelling((code) => this.#cstring(c.heed_status_name(code)));
  }

  /** Bytes of the instance's memory. */
  get memoryBytes() {
    return this.#guard(() => this.#c.memory.buffer.byteLength);
  }

  get disposed() {
    return !this.#c;
  }

  /** Neither disposed nor broken. */
  get isUsable() {
    return !this.disposed && !this.#broken;
  }

  /** Frees the memory. Every later call throws HEED_E_STATE. */
  dispose() {
    if (!this.#c) return;
    this.#c = null;
    this.#u8 = new Uint8Array();
  }

  /** Creates the view again after the memory has grown, because the old one is detached then. */
  #refresh() {
    if (this.#u8.buffer !== this.#c.memory.buffer) this.#u8 = new Uint8Array(this.#c.memory.buffer);
  }

  /** @param {number} address @returns {string | null} */
  #cstring(address) {
    if (address === 0) return null;
    const start = address >>> 0;
    this.#refresh();
    return decoder.decode(this.#u8.slice(start, this.#u8.indexOf(0, start)));
  }

  /** @param {any} type @param {number} address @param {number} length */
  #copy(type, address, length) {
    this.#refresh();
    const start = address >>> 0;
    return new type(this.#u8.slice(start, start + length * type.BYTES_PER_ELEMENT).buffer);
  }

  /**
   * Calls the export `name`. Copies arrays and structs in and passes their addresses; copies room out.
   *
   * @param {string} name
   * @param {...Argument} values
   * @returns {number}
   */
  run(name, ...values) {
    /**
     * Values that need memory, at offsets from an address that is not known yet. @type {{ at: number, value: any }[]}
     */
    const blocks = [];
    let size = 0;
    const place = (/** @type {any} */ value) => {
      if (value === null || typeof value === 'number') return;
      const at = size;
      const bytes = value.type
        ? value.length * value.type.BYTES_PER_ELEMENT
        : value.fields
          ? value.fields.length * 4
          : value.byteLength;
      size += Math.ceil((bytes + 1) / 16) * 16; // never empty: each has its own address, aligned for a v128 load
      blocks.push({ at, value });
      value.fields?.forEach(place);
    };
    values.forEach(place);

    return this.#guard(() => {
      const base = size > 0 ? this.#allocate(size) : 0;
      /** The C argument for a value. @param {any} value */
      const pass = (value) => {
        const block = blocks.find((b) => b.value === value);
        return block ? base + block.at : (value ?? 0);
      };
      try {
        for (const { at, value } of blocks) {
          const data = value.fields ? Int32Array.from(value.fields, pass) : value;
          if (!data.type) this.#u8.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), base + at);
        }
        const result = this.#c[name](...values.map(pass));
        for (const { at, value } of blocks)
          if (value.type) value.value = this.#copy(value.type, base + at, value.length);
        return result;
      } finally {
        if (base !== 0) this.#c.free(base);
      }
    });
  }

  /** @param {number} bytes @returns {number} */
  #allocate(bytes) {
    const address = bytes < 2 ** 32 - 16 ? this.#c.malloc(bytes) >>> 0 : 0;
    if (address === 0) throw new HeedError(E_MEMORY, `no memory for ${bytes} bytes of arguments`);
    this.#refresh();
    return address;
  }

  /** A trap is a bug in heed. Afterwards the memory is undefined, so no more calls are allowed. @param {() => any} f */
  #guard(f) {
    if (!this.#c) throw new HeedError(E_STATE, 'this object was disposed');
    if (this.#broken) throw new HeedError(E_WASM, `${BROKE} before: ${this.#broken}`);
    try {
      return f();
    } catch (error) {
      if (error instanceof HeedError) throw error;
      this.#broken = String(error);
      throw new HeedError(E_WASM, `${BROKE}: ${this.#broken}`, { cause: error });
    }
  }

  /** Throws unless `status` is 0. @param {number} status @param {string} what */
  check(status, what) {
    if (status !== 0) throw new HeedError(status, `${what}: ${words(status)}`);
  }

  /**
   * Like run(), but throws a HeedError that begins with `what` unless the result is 0.
   *
   * @param {string} what
   * @param {string} name
   * @param {...Argument} values
   */
  call(what, name, ...values) {
    this.check(this.run(name, ...values), what);
  }

  // ---------------------------------------------------------------- calls with strings and structs

  /**
   * SHA-256 of bytes in pieces; end() returns it in hexadecimal. free() may be called at any time, and several times.
   *
   * @returns {{ update: (bytes: Uint8Array) => void, end: () => string, free: () => void }}
   */
  sha256() {
    const room = ints(1);
    this.call('sha256', 'heed_sha256_create', room);
    let [handle] = room.value;
    return {
      update: (bytes) => {
        for (let at = 0; at < bytes.length; at += CHUNK) {
          const part = bytes.subarray(at, at + CHUNK);
          this.run('heed_sha256_update', handle, part, part.length);
        }
      },
      end: () => {
        const digest = { type: Uint8Array, length: 32, value: null };
        this.run('heed_sha256_end', handle, digest);
        return Array.from(digest.value ?? [], (byte) => Number(byte).toString(16).padStart(2, '0')).join('');
      },
      free: () => {
        if (handle !== 0 && !this.disposed) this.run('heed_sha256_free', handle);
        handle = 0;
      },
    };
  }

  /** Index of a tensor, or -1; part is written. @param {number} model @param {string} name @param {Room} part */
  findTensor(model, name, part) {
    // a NUL inside would end the C string early, and find another tensor
    return name.includes('\0') ? -1 : this.run('heed_tensor_find', model, encoder.encode(`${name}\0`), part);
  }

  /** @param {string} name @param {...Argument} values @returns {string | null} */
  string(name, ...values) {
    return this.#cstring(this.run(name, ...values));
  }

  /** Names of a configuration's numbers, in order. @returns {string[]} */
  configFields() {
    const names = [];
    for (let name; (name = this.string('heed_config_field', names.length)) !== null;) names.push(name);
    return names;
  }

  /**
   * Like call() for the functions whose last argument is a heed_report.
   *
   * @param {string} file  for messages
   * @param {string} name
   * @param {...Argument} values
   */
  report(file, name, ...values) {
    const report = ints(3);
    const status = this.run(name, ...values, report);
    if (status === 0) return;
    const [key, rule, found] = report.value;
    const parts = [
      file,
      this.#cstring(key),
      status === E_CONFIG && `found ${found}`,
      this.#cstring(rule) ?? words(status),
    ];
    throw new HeedError(status, parts.filter(Boolean).join(': '));
  }

  /** Bytes that a configuration's model takes. @param {string} file @param {Int32Array} numbers @returns {number} */
  measure(file, numbers) {
    const bytes = { type: Float64Array, length: 1, value: null };
    this.report(file, 'heed_config_measure', numbers, numbers.length, bytes);
    return bytes.value?.[0] ?? 0;
  }

  /** @param {number} session @param {Int32Array} source @param {Int32Array} target */
  forward(session, source, target) {
    this.call('forward', 'heed_forward', session, source, source.length, target, target.length);
  }

  /**
   * All tensors that a pass computes, except the logits, in the order of the pass.
   *
   * @param {number} model
   * @param {number} source
   * @param {number} target
   * @returns {Point[]}
   */
  points(model, source, target) {
    /** @type {Point[]} */
    const points = [];
    for (;;) {
      const [text, sizes] = [{ type: Uint8Array, length: POINT_NAME_BYTES, value: null }, ints(3)];
      const rank = this.run('heed_point', model, points.length, source, target, text, sizes);
      if (rank === 0) return points;
      const bytes = /** @type {any} */ (text.value);
      const name = decoder.decode(bytes.subarray(0, bytes.indexOf(0)));
      points.push({ point: points.length, name, shape: Array.from(sizes.value.subarray(0, rank)) });
    }
  }

  /** Row t of the last forward(). @param {number} session @param {number} t @param {number} vocabulary */
  logits(session, t, vocabulary) {
    const logProb = floats(1);
    const address = this.run('heed_forward_logits', session, t, logProb);
    return { logits: this.#copy(Float32Array, address, vocabulary), logProb: logProb.value[0] };
  }

  /** Of the first n ids of the last forward(). @param {number} session @param {number} n */
  logProbs(session, n) {
    const out = floats(n);
    this.call('forward', 'heed_forward_log_probs', session, n, out);
    return out.value;
  }

  /**
   * @param {'heed_search_begin' | 'heed_search_rules'} name
   * @param {number} session
   * @param {SearchRules} o
   * @param {Int32Array} byteIds
   * @returns {number}  the status
   */
  search(name, session, o, byteIds) {
    const bits = (/** @type {number} */ x) => new Int32Array(Float32Array.of(x).buffer)[0];
    const list = (/** @type {Int32Array} */ ids) => [ids.length, ids];
    return this.run(
      name,
      session,
      struct(
        o.beams,
        o.maxTokens,
        bits(o.lengthPenalty),
        o.earlyStopping,
        ...list(o.prefix),
        ...list(o.eosTokenIds),
        bits(o.repetitionPenalty),
        o.noRepeatNgram,
        ...list(o.badWords),
        o.minTokens,
        ...list(o.forcedBosTokenId),
        ...list(o.forcedEosTokenId),
        ...list(o.suppressTokens),
        ...list(o.beginSuppressTokens),
        Number(o.renormalizeLogits),
        Number(o.cutRunaways),
        ...list(byteIds),
        Number(o.shortlist),
        Number(!o.scores),
        Number(o.align),
        bits(o.ngrams),
      ),
    );
  }

  /** @param {number} session @param {number} row @param {number} rank */
  hypothesis(session, row, rank) {
    const room = ints(5);
    this.call('generate', 'heed_search_hypothesis', session, row, rank, room);
    const [ids, n, , , finished] = room.value;
    const [logProb, score] = new Float32Array(room.value.buffer, 8, 2);
    return {
      ids: /** @type {Int32Array} */ (this.#copy(Int32Array, ids, n)),
      logProb,
      score,
      finished: finished !== 0,
    };
  }

  /**
   * A tokenizer of a SentencePiece file, and its pieces by id. Only those that are asked for become strings.
   *
   * @param {string} file  for messages
   * @param {Uint8Array} bytes
   * @returns {{ handle: number, pieces: { types: Uint8Array, special: number[], piece: (id: number) => string } }}
   *   types: PIECE_NORMAL …; special: the ids of all others
   */
  tokenizer(file, bytes) {
    const created = ints(1);
    this.report(file, 'heed_tokenizer_create', bytes, bytes.length, created);
    const [handle] = created.value;
    /** @type {Uint8Array} */
    const types = this.#copy(Uint8Array, this.run('heed_tokenizer_types', handle),
      this.run('heed_tokenizer_size', handle));
    /** @type {number[]} */
    const special = [];
    types.forEach((type, id) => type !== PIECE_NORMAL && special.push(id));
    const room = this.#piece;
    const piece = (/** @type {number} */ id) => this.#guard(() => {
      const start = this.#c.heed_tokenizer_piece(handle, id, room, room + 4) >>> 0;
      this.#refresh();
      const length = this.#u8[room] | (this.#u8[room + 1] << 8); // 1024 at most
      return decoder.decode(this.#u8.slice(start, start + length));
    });
    return { handle, pieces: { types, special, piece } };
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
    const joined = Uint8Array.from(encoded.flatMap((bytes) => [...bytes]));
    const [text, length] = [ints(1), ints(1)];
    this.call('decode', 'heed_tokenizer_decode', tokenizer, joined, lengths, lengths.length, text, length);
    return decoder.decode(this.#copy(Uint8Array, text.value[0], length.value[0]));
  }
}
