// Runs a C test program built as wasm: `node tests/run-wasi.mjs build/wasm/tests/test_x.wasm`; used by `make test-c`.
import { readFile } from 'node:fs/promises';

// node:wasi announces itself as experimental on every start; that line says nothing about the test.
process.removeAllListeners('warning');
process.on('warning', (warning) => {
  if (warning.name !== 'ExperimentalWarning') console.error(warning);
});
const { WASI } = await import('node:wasi');

const [program, ...args] = process.argv.slice(2);
// Leave the process from within the program: unwinding out of one that ran for long crashes V8 11.3 (Node 20).
const wasi = new WASI({ version: 'preview1', args: [program, ...args], env: {}, returnOnExit: false });
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, {
  ...wasi.getImportObject(),
  env: { emscripten_notify_memory_growth() {} },
});
process.exitCode = wasi.start(instance);
