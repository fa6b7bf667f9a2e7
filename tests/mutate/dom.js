// dom.js - random pages that change while they are translated, in Chromium: see browser/dom-fuzz.js. Used by
// dom.test.js.
//
//     node tests/mutate/dom.js [--runs 4000] [--from 0]      30 changes each
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { reportOf } from '../browser/hosts.js';
import { serve } from '../browser/server.js';

const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
/** Pages load no bare names, so they get the built package. */
export const FOLDERS = { 'js/': path('../../build/js/'), 'tests/mutate/stubs.js': path('stubs.js') };

/**
 * @param {number} runs
 * @param {number} [from]
 * @returns {Promise<{ pages: number, changes: number, seconds: number, wrong: { seed?: number, message: string }[] }>}
 */
export async function run(runs, from = 0) {
  const server = await serve({ folders: FOLDERS, page: 'tests/browser/dom-fuzz.html' });
  return reportOf(server, { url: `${server.url}?runs=${runs}&from=${from}` });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { runs: { type: 'string' }, from: { type: 'string' } } });
  const { wrong, ...rest } = await run(Number(values.runs ?? 4000), Number(values.from ?? 0));
  console.log(rest);
  for (const { seed, message } of wrong) console.log(`seed ${seed}: ${message}\n`);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}
