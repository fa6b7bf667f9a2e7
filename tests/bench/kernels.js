// kernels.js - runs the kernel benchmark in its builds, one after the other; used by `make bench-kernels`.
//
//   node tests/bench/kernels.js build/wasm/bench/kernels.wasm ...
//
// The few system calls are answered here, not by node:wasi: that of Node 20 crashes now and then when memory grows
// during a call. The clock is the processor time of this process, so a busy machine matters little. The engine's own
// threads count too; they rest when the functions are compiled.
import { readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import process, { argv, cpuUsage, stdout, version, versions } from 'node:process';
import { setFlagsFromString } from 'node:v8';

// At times V8 keeps the code of its baseline compiler for a whole measurement. Without it all code is optimized.
setFlagsFromString('--no-liftoff');

/** How a program ends: thrown through it. */
class Exit extends Error {
  /** @param {number} code */
  constructor(code) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** What a program that prints and reads the clock asks of its host. */
function system() {
  /** @type {WebAssembly.Memory} */
  let memory;
  const view = () => new DataView(memory.buffer);
  const none = (count, bytes) => {
    view().setUint32(count, 0, true);
    view().setUint32(bytes, 0, true);
    return 0;
  };
  return {
    attach(exported) {
      memory = exported;
    },
    imports: {
      wasi_snapshot_preview1: {
        args_get: () => 0,
        args_sizes_get: none,
        environ_get: () => 0,
        environ_sizes_get: none,
        fd_close: () => 0,
        fd_seek: () => 0,
        fd_write(file, parts, count, written) {
          let total = 0;
          for (let i = 0; i < count; i++) {
            const [at, length] = [view().getUint32(parts + 8 * i, true), view().getUint32(parts + 8 * i + 4, true)];
            stdout.write(new Uint8Array(memory.buffer.slice(at, at + length)));
            total += length;
          }
          view().setUint32(written, total, true);
          return 0;
        },
        clock_time_get(clock, precision, at) {
          const { user, system: inSystem } = cpuUsage();
          view().setBigUint64(at, BigInt(user + inSystem) * 1000n, true);
          return 0;
        },
        proc_exit(code) {
          throw new Exit(code);
        },
      },
    },
  };
}

console.log(`Node ${version} (V8 ${versions.v8}), ${cpus()[0]?.model ?? 'unknown processor'}`);
for (const path of argv.slice(2)) {
  const bytes = await readFile(path);
  if (!WebAssembly.validate(bytes)) {
    console.log(`\n${path}: skipped, this host lacks an instruction it uses`);
    continue;
  }
  const host = system();
  const { instance } = await WebAssembly.instantiate(bytes, host.imports);
  host.attach(/** @type {WebAssembly.Memory} */ (instance.exports.memory));
  console.log('');
  try {
    instance.exports._start();
  } catch (end) {
    if (!(end instanceof Exit)) throw end;
    process.exitCode ||= end.code;
  }
}
