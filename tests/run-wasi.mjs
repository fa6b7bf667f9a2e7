// Runs a C test program built as wasm: `node tests/run-wasi.mjs build/wasm/tests/test_x.wasm [ARGUMENT]...`; used by
// `make test-c`.
//
// The few system calls of a program that prints, and reads the clock and its arguments, are answered here: node:wasi of
// Node 20 crashes now and then when memory grows during a call.
import { writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** @type {WebAssembly.Memory} */
let memory;
const view = () => new DataView(memory.buffer);

/** The program and its arguments, each with a zero at its end. */
const words = process.argv.slice(2).map((word) => new TextEncoder().encode(`${word}\0`));

const wasi = {
  args_sizes_get(count, bytes) {
    view().setUint32(count, words.length, true);
    view().setUint32(bytes, words.reduce((sum, { length }) => sum + length, 0), true);
    return 0;
  },
  args_get(pointers, at) {
    words.forEach((word, i) => {
      view().setUint32(pointers + 4 * i, at, true);
      new Uint8Array(memory.buffer).set(word, at);
      at += word.length;
    });
    return 0;
  },
  fd_write(file, parts, count, written) {
    let total = 0;
    for (let i = 0; i < count; i++) {
      const [begin, length] = [view().getUint32(parts + 8 * i, true), view().getUint32(parts + 8 * i + 4, true)];
      for (let at = 0; at < length;) at += writeSync(file, new Uint8Array(memory.buffer, begin + at, length - at));
      total += length;
    }
    view().setUint32(written, total, true);
    return 0;
  },
  clock_time_get(clock, precision, at) {
    view().setBigUint64(at, process.hrtime.bigint(), true);
    return 0;
  },
  // from within the program: unwinding out of one that ran for long crashes V8 11.3 (Node 20)
  proc_exit: (code) => process.exit(code),
};

const { instance } = await WebAssembly.instantiate(await readFile(process.argv[2]), {
  wasi_snapshot_preview1: wasi,
});
memory = instance.exports.memory;
instance.exports._start();
