// candidates.js - what a search considered in its last step. Used by tree.js and attended.js.

import { floats, ints } from '../wasm/core.js';

/**
 * The candidates of a row, as heed_search_candidates() writes them.
 *
 * @param {import('../wasm/core.js').Core} core
 * @param {number} session
 * @param {number} row
 * @param {number} beams
 */
export function candidatesOf(core, session, row, beams) {
  const room = 2 * beams ** 2;
  const [beam, id, fate, logProb, count] = [ints(room), ints(room), ints(room), floats(room), ints(1)];
  core.call('generate', 'heed_search_candidates', session, row, beam, id, fate, logProb, count);
  return { beam: beam.value, id: id.value, fate: fate.value, logProb: logProb.value, n: count.value[0] };
}
