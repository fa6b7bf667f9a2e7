// alignment.js - which tokens of a source each token of its translation attends to. Used by detail.js and html.js.

import { E_CONFIG } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { meanOfHeads } from '../model/inspect.js';
import { spell } from './confidence.js';

/** @typedef {import('../model/model.js').Tensor} Tensor */

/**
 * The heads of cross attention that a model names: [[layer, head], ...]; undefined: it names none, and all count.
 *
 * @param {unknown} named  `alignment_heads` of config.json
 * @param {number} layers
 * @param {number} heads
 * @returns {[number, number][] | undefined}
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
 * Some heads as one list.
 *
 * @param {Tensor[]} layers  each [heads, target, source]
 * @param {[number, number][] | undefined} chosen  undefined: all
 * @returns {Float64Array}  their mean, [target, source]
 */
export function meanOf(layers, chosen) {
  const [heads, T, S] = layers[0].shape;
  const list = chosen ?? layers.flatMap((_, layer) => Array.from({ length: heads }, (__, head) => [layer, head]));
  const data = new Float32Array(list.length * T * S);
  list.forEach(([layer, head], i) => {
    data.set(layers[layer].data.subarray(head * T * S, (head + 1) * T * S), i * T * S);
  });
  return meanOfHeads({ shape: [1, list.length, T, S], data });
}

/**
 * How far the tokens of a translation attend to those of the source.
 *
 * @param {import('../engine/engine.js').Engine} engine
 * @param {{ ids: Int32Array, offsets: Int32Array }} source
 * @param {{ ids: Int32Array, text: string }} result
 * @param {import('../model/options.js').GenerateOptions} options
 * @returns {Promise<import('../text/place.js').Weights>}
 */
export async function attentionOf(engine, { ids, offsets }, result, { disabledHeads }) {
  const { decoder_layers: layers, decoder_attention_heads: heads, alignment_heads: named } =
    /** @type {Record<string, any>} */ (engine.config);
  // the last layer is best in our models; see tests/score/tags.js
  const chosen = headsFor(named, layers, heads) ??
    Array.from({ length: heads }, (_, head) => /** @type {[number, number]} */ ([layers - 1, head]));
  const { ids: target, spans } = await spell(engine, result.ids, await engine.pieces(result.ids), result.text);
  const wanted = Array.from({ length: layers }, (_, layer) => layer)
    .filter((layer) => chosen.some(([at]) => at === layer));
  const names = wanted.map((layer) => `decoder.layers.${layer}.encoder_attn.weights`);
  const found = await engine.inspect(ids, target, { names, disabledHeads });
  const own = chosen.map(([layer, head]) => /** @type {[number, number]} */ ([wanted.indexOf(layer), head]));
  return {
    data: meanOf(names.map((name) => found[name]), own),
    sources: Array.from(ids, (_, i) => ({ start: offsets[2 * i], end: offsets[2 * i + 1] })),
    targets: spans,
  };
}
