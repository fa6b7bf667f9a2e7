// heads.js - which heads of cross attention tell what a token translates. Used by attended.js, translate/alignment.js,
// translate/detail.js and translate/forced.js.

import { E_CONFIG } from '../base/constants.js';
import { HeedError } from '../base/errors.js';

/** @typedef {[layer: number, head: number]} CrossHead */

/**
 * The heads of cross attention that a model names: [[layer, head], ...]; undefined: it names none, and all count.
 *
 * @param {unknown} named  `alignment_heads` of config.json
 * @param {number} layers
 * @param {number} heads
 * @returns {CrossHead[] | undefined}
 */
export function headsFor(named, layers, heads) {
  if (named === undefined || named === null) return undefined;
  const fits = (/** @type {any} */ x, /** @type {number} */ below) => Number.isInteger(x) && x >= 0 && x < below;
  const list = Array.isArray(named) ? named : [];
  if (list.length === 0 || !list.every((at) => at?.length === 2 && fits(at[0], layers) && fits(at[1], heads))) {
    const expected = `[[layer, head], ...] of ${layers} decoder layers with ${heads} heads`;
    throw new HeedError(E_CONFIG, `config.json: alignment_heads: found ${JSON.stringify(named)}, expected ${expected}`);
  }
  return list;
}

/**
 * The heads that place tags: those that the model names, or else the last layer's.
 *
 * @param {Readonly<Record<string, any>>} config
 * @returns {CrossHead[]}
 */
export function headsOfTags({ decoder_layers: layers, decoder_attention_heads: heads, alignment_heads: named }) {
  // the last layer is best in our models; see tests/score/tags.js
  return headsFor(named, layers, heads) ?? Array.from({ length: heads }, (_, head) => [layers - 1, head]);
}
