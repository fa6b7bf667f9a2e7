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

/** Pages of one browser. */
const CHUNK = 150;

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
  const [from, end] = [Number(values.from ?? 0), Number(values.from ?? 0) + Number(values.runs ?? 4000)];
  const all = { pages: 0, changes: 0, seconds: 0, wrong: 0 };
  // a browser reports within some minutes, or is taken for dead
  for (let next = from; next < end; next += CHUNK) {
    const { pages, changes, seconds, wrong } = await run(Math.min(CHUNK, end - next), next);
    for (const { seed, message } of wrong) console.log(`seed ${seed}: ${message}\n`);
    all.pages += pages;
    all.changes += changes;
    all.seconds += seconds;
    all.wrong += wrong.length;
  }
  console.log(all);
  process.exitCode = all.wrong > 0 ? 1 : 0;
}
