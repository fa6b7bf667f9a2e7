// sharing.js - the memory of a program with 1, 2 and 4 workers, with weights for each and with shared ones: what the
// process holds (PSS), and what the modules have. Each line is a process of its own, for Linux. Without the option
// `wasm`, workers in Node share; a compiled module cannot be made to.
// Run: node tests/bench/sharing.js
import { readFileSync } from 'node:fs';
import { Translator } from '../../js/index.js';
import { numberedSentences, SHIPPED } from '../model-files.js';
import { child, machine, table } from './table.js';

const MODULE = new URL('../../js/heed.wasm', import.meta.url);
const megabytes = (/** @type {number} */ bytes) => (bytes / 1e6).toFixed(0);

/** @param {string} dtype @param {string} way @param {number} workers */
async function measure(dtype, way, workers) {
  const wasm = way === 'each' ? await WebAssembly.compile(readFileSync(MODULE)) : undefined;
  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: SHIPPED, workers,
    dtype: /** @type {'int8' | 'f32'} */ (dtype), simd: 'simd128', ...(wasm && { wasm }) });
  for (let i = 0; i < 2; i++) await translator.translate(numberedSentences(32 * workers));
  const [, pss] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/smaps_rollup', 'utf8')) ?? [];
  const { memoryBytes, weightBytes } = translator.info;
  translator.destroy();
  return { pss: 1024 * Number(pss), memoryBytes, weightBytes };
}

const [dtype, way, workers] = process.argv.slice(2);
if (workers) {
  console.log(JSON.stringify(await measure(dtype, way, Number(workers))));
} else {
  console.log(machine());
  const rows = [];
  for (const type of ['int8', 'f32']) {
    for (const count of [1, 2, 4]) {
      const [each, shared] = [await child('sharing.js', [type, 'each', count]),
        await child('sharing.js', [type, 'shared', count])];
      rows.push([type, megabytes(each.weightBytes), count, ...[each, shared].flatMap(({ pss, memoryBytes }) =>
        [megabytes(pss), megabytes(memoryBytes)])]);
    }
  }
  console.log(table(['weights', 'MB', 'workers', 'own: PSS, MB', 'modules', 'shared: PSS, MB', 'modules'], rows));
}
