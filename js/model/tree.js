// tree.js - the steps of a beam search as a tree; used by transformer.js, and on demand by translator.js.

import { ENDED, PRUNED } from '../base/constants.js';
import { candidatesOf } from './candidates.js';

/**
 * A candidate of a step. Each step has those that go on or end, and the best of the others, together 2 * beams. There
 * are more only if several ids may end a hypothesis.
 *
 * @typedef {object} BeamNode
 * @property {number} parent  index of the node it continues, -1: of none
 * @property {number} step  its depth, from 0
 * @property {number} id
 * @property {number} logProb  of this token, after all rules; 0 for prefix and forced ids
 * @property {number} total  sum from the root to here
 * @property {boolean} kept  false: dropped at once
 * @property {boolean} finished  it ended the hypothesis
 * @property {boolean} best  on the way of the best hypothesis
 */

/** Records the trees of a run of generate(). */
export class Trees {
  /** By source. @type {Map<number, { nodes: BeamNode[], live: number[] }>} */
  #trees = new Map();
  #beams;

  /** @param {number} beams */
  constructor(beams) {
    this.#beams = beams;
  }

  /**
   * @param {import('../wasm/core.js').Core} core
   * @param {number} session
   * @param {number} row
   * @param {number} source  its index
   */
  step(core, session, row, source) {
    const { beam, id, fate, logProb, n } = candidatesOf(core, session, row, this.#beams);
    // before the first step, or put back to start over
    const tree = n > 0 && this.#trees.get(source) || { nodes: [], live: [-1] };
    this.#trees.set(source, tree);
    const { nodes, live } = tree;
    // n-grams may have chosen some that are not among the best by log-probability
    let room = 2 * this.#beams - fate.subarray(0, n).filter((/** @type {number} */ each) => each !== PRUNED).length;
    const order = Array.from({ length: n }, (_, i) => i)
      .sort((a, b) => logProb[b] - logProb[a] || a - b)
      .filter((i) => fate[i] !== PRUNED || room-- > 0);
    /** @type {number[]} */
    const next = [];
    for (const i of order) {
      const parent = live[beam[i]];
      const { step, total } = nodes[parent] ?? { step: -1, total: 0 };
      const kind = fate[i];
      if (kind >= 0) next[kind] = nodes.length;
      nodes.push({
        parent,
        step: step + 1,
        id: id[i],
        logProb: logProb[i] - total,
        total: logProb[i],
        kept: kind !== PRUNED,
        finished: kind === ENDED,
        best: false,
      });
    }
    tree.live = next;
  }

  /** @param {number} source @param {import('./model.js').Generated} best  gets the tree */
  finish(source, best) {
    const { nodes } = this.#trees.get(source) ?? { nodes: [] };
    let parent = -1;
    for (const id of best.ids) {
      parent = nodes.findIndex((node) => node.parent === parent && node.id === id && node.kept);
      if (parent < 0) break;
      nodes[parent].best = true;
    }
    best.tree = nodes;
  }
}
