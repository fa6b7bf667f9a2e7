// shared.js - one memory for the instances of several workers: the weights are in it once. Loaded by serve.js in every
// worker that heed starts, where the host has shared memory.
//
// heed.wasm has a memory of its own and fills it with its constants. A module over a shared memory is the same code
// with two sections less and one more: it imports the memory, and the constants are written once, here. Each instance
// has its own stack and its own pages, as src/base/heap.h describes; what an instance has allocated, all may read.
//
// Sessions are created anew when they need to be larger. The pages of the old ones are for whichever instance needs
// them next: a map tells which are free. It has no lock, so an instance that ends at any moment does not stop the
// others; the pages that it has are lost.

import { concat } from '../base/bytes.js';
import { ELSEWHERE } from '../base/errors.js';
import { builtin, resolve } from '../base/host.js';
import { openOwn } from './module.js';

/**
 * @typedef {object} Share  sent to the other workers
 * @property {WebAssembly.Module} module
 * @property {WebAssembly.Memory} memory
 * @property {Int32Array} broken  1: an instance had a trap, after which no byte of the memory can be trusted
 * @property {Uint8Array} free  by page: 1 if no instance has it
 * @property {number} [model]  the model that all use, when it is loaded
 */

const PAGE = 65536;
/** Of a WebAssembly.Memory, and of heed.wasm. */
const PAGES = 65536;
/**
 * Pages of an instance that joins: its stack, as large as that of the first, and room for its arguments. Below a stack
 * are pages of others, so an overflow would not trap. The core uses less than 8 kB of it, as shared.test.js checks.
 */
const [STACK, ROOM] = [2, 2];
/** Pages in a row that an instance gives to the others. It keeps fewer, for its arguments. */
const LEAST = 16;
/** Bytes that a session takes beside its own: heads of blocks, and what aligns it. */
const HEAD = 128;
/** Sections of a module. */
const [TYPE, IMPORT, MEMORY, DATA, DATA_COUNT] = [1, 2, 5, 11, 12];
/** The kind of an import; limits with a maximum, shared. */
const [KIND_MEMORY, SHARED] = [2, 3];
const I32_CONST = 0x41;

/**
 * @param {Uint8Array} bytes  heed.wasm
 * @returns {{ code: BufferSource, pages: number, data: { at: number, part: Uint8Array }[] }}  code: the module that
 *   imports a shared memory as env.memory; data: its constants
 */
function takeApart(bytes) {
  let at = 8;
  const number = () => {
    let [value, shift, byte] = [0, 0, 0];
    do {
      byte = bytes[at++];
      value += (byte & 127) * 2 ** shift;
      shift += 7;
    } while (byte > 127);
    return value;
  };
  /** @type {Uint8Array[]} */
  const parts = [bytes.subarray(0, at)];
  /** @type {{ at: number, part: Uint8Array }[]} */
  const data = [];
  let [pages, place] = [0, 0];
  while (at < bytes.length) {
    const [start, id] = [at, bytes[at++]];
    const end = number() + at;
    if (id === IMPORT) throw new Error('found imports, expected none');
    if (id === MEMORY) {
      const limits = bytes.slice(at + 1, end);
      limits[0] = SHARED;
      at += 2;
      pages = number();
      const name = [...'\x03env\x06memory'].map((c) => c.charCodeAt(0));
      const entry = [1, ...name, KIND_MEMORY, ...limits];
      parts.splice(place, 0, Uint8Array.of(IMPORT, entry.length, ...entry));
    } else if (id === DATA) {
      for (let left = number(); left > 0; left--) {
        if (bytes[at++] !== 0 || bytes[at++] !== I32_CONST) throw new Error('found data that is not at an address');
        const to = number();
        at++; // the end of the expression
        const size = number();
        data.push({ at: to, part: bytes.subarray(at, (at += size)) });
      }
    } else if (id !== DATA_COUNT) {
      parts.push(bytes.subarray(start, end));
      if (id === TYPE) place = parts.length;
    }
    at = end;
  }
  return { code: concat(parts), pages, data };
}

/** @param {any} source  as the option `wasm` */
async function bytesOf(source) {
  if (source instanceof WebAssembly.Module) throw new Error('found a module, expected its bytes');
  if (typeof source !== 'string' && !(source instanceof URL)) {
    return ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
      : new Uint8Array(source);
  }
  const { url, path } = await resolve(source);
  if (!url) return (await builtin('fs/promises')).readFile(path);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Throws if this host cannot send a shared memory to a worker. structuredClone() refuses it where a port does not. */
async function checkSending() {
  const { port1, port2 } = new MessageChannel();
  try {
    await new Promise((resolve, reject) => {
      port2.onmessage = resolve;
      port2.onmessageerror = reject;
      port1.postMessage(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }));
    });
  } finally {
    port1.close();
  }
}

/** @param {import('./module.js').Choose} choose */
async function create(choose) {
  await checkSending();
  /** @type {any} */
  let parts;
  const module = await choose(async (source) => {
    parts = takeApart(await bytesOf(source));
    return WebAssembly.compile(parts.code);
  });
  const memory = new WebAssembly.Memory({ initial: parts.pages, maximum: PAGES, shared: true });
  const view = new Uint8Array(memory.buffer);
  for (const { at, part } of parts.data) view.set(part, at);
  const share = { module, memory, broken: new Int32Array(new SharedArrayBuffer(4)),
    free: new Uint8Array(new SharedArrayBuffer(PAGES)) };
  return { module, c: await instanceOf(share, true), share };
}

/** @param {Uint8Array} free  of a Share @param {number} from @param {number} end */
export function givePages(free, from, end) {
  for (let page = from; page < end; page++) Atomics.store(free, page, 1);
}

/**
 * Takes so many free pages in a row, of the shortest run that has them; or else those at the end of the memory, which
 * grows by the others then.
 *
 * @param {Uint8Array} free  of a Share
 * @param {number} count
 * @param {() => number} last  the end of the memory, in pages
 * @returns {{ from: number, end: number } | undefined}
 */
export function takePages(free, count, last) {
  for (;;) {
    let found;
    // the last page of 4 GB is never free
    for (let from = free.indexOf(1), end; from >= 0; from = free.indexOf(1, end)) {
      end = free.indexOf(0, from);
      const isNext = end - from < count ? !found && end === last() : !found || end - from < found.end - found.from;
      if (isNext) found = { from, end };
    }
    if (!found) return undefined;
    const { from, end } = { ...found, end: Math.min(found.end, found.from + count) };
    let page = from;
    while (page < end && Atomics.compareExchange(free, page, 1, 0) === 1) page++;
    if (page === end) return { from, end };
    givePages(free, from, page); // another instance was faster
  }
}

/**
 * The exports of a new instance; undefined if the memory has no room for its stack, because the others use all 4 GB.
 *
 * @param {Share} share
 * @param {boolean} isFirst  nobody else uses the memory
 */
async function instanceOf({ module, memory, broken, free }, isFirst) {
  const { exports } = /** @type {any} */ (await WebAssembly.instantiate(module, { env: { memory } }));
  if (!isFirst) {
    let page;
    try {
      page = memory.grow(STACK + ROOM);
    } catch {
      return undefined;
    }
    exports.heed_use_stack((page + STACK) * PAGE);
    exports.heed_use_pages(page + STACK, page + STACK + ROOM);
  }
  /** The trap of this instance. @type {unknown} */
  let trap;
  const guard = (/** @type {Function} */ f) => (/** @type {number[]} */ ...args) => {
    // the caller, which frees its arguments then, must not take its own trap for that of another one
    if (Atomics.load(broken, 0)) throw trap ?? new Error(ELSEWHERE);
    try {
      return f(...args);
    } catch (error) {
      Atomics.store(broken, 0, 1);
      throw (trap = error);
    }
  };
  const guarded = Object.fromEntries(Object.entries(exports).map(([name, value]) =>
    [name, typeof value === 'function' ? guard(value) : value]));
  const give = () => {
    for (let run; (run = guarded.heed_give_pages(LEAST) >>> 0) !== 0;) {
      givePages(free, run >>> 16, (run >>> 16) + (run & 65535));
    }
  };
  return {
    ...guarded,
    heed_session_free(/** @type {number} */ session) {
      guarded.heed_session_free(session);
      give();
    },
    heed_session_create(/** @type {number} */ model, /** @type {number} */ options, /** @type {number} */ out) {
      const count = Math.ceil(((guarded.heed_session_bytes(model, options) >>> 0) + HEAD) / PAGE);
      const run = takePages(free, count, () => memory.buffer.byteLength / PAGE);
      if (run) guarded.heed_use_pages(run.from, run.end);
      const status = guarded.heed_session_create(model, options, out);
      if (status !== 0) give();
      return status;
    },
  };
}

/** @param {Share} share */
async function join(share) {
  const c = await instanceOf(share, false);
  return c && { module: share.module, c, share };
}

/**
 * How instantiate() opens a module, and what other workers need to share its memory.
 *
 * @param {true | Share | undefined} given  true: a memory that others can share, if the host can; or the share of
 *   another worker, which has chosen the build; undefined: there is none
 */
export function sharing(given) {
  const self = {
    /** Undefined until open(), and if the memory cannot be shared. @type {Share | undefined} */
    share: undefined,
    /** @param {import('./module.js').Choose} choose */
    async open(choose) {
      const found = given === true ? await create(choose).catch(() => undefined)
        : given && await join(given);
      self.share = found?.share;
      return found ?? openOwn(choose);
    },
  };
  return self;
}
