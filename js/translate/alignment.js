// alignment.js - which tokens of a source each token of its translation attends to. Used by detail.js, forced.js
// and html.js.

import { headsOfTags } from '../model/heads.js';
import { meanOfHeads } from '../model/inspect.js';
import { spell } from './confidence.js';

/** @typedef {import('../model/model.js').Tensor} Tensor */

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
 * How far the tokens of a translation attend to those of the source: as the search has kept it, or else by a pass.
 *
 * @param {import('../engine/engine.js').Engine} engine
 * @param {{ ids: Int32Array, offsets: Int32Array }} source
 * @param {{ ids: Int32Array, text: string, attended?: Float64Array }} result
 * @param {import('../model/options.js').GenerateOptions} options
 * @returns {Promise<import('../text/evidence.js').Weights>}
 */
export async function attentionOf(engine, { ids, offsets }, result, { disabledHeads }) {
  const { ids: target, spans } = await spell(engine, result.ids, await engine.pieces(result.ids), result.text);
  const places = {
    sources: Array.from(ids, (_, i) => ({ start: offsets[2 * i], end: offsets[2 * i + 1] })),
    targets: spans,
  };
  if (result.attended && target === result.ids) return { data: result.attended, ...places };
  const chosen = headsOfTags(engine.config);
  const wanted = [...new Set(chosen.map(([layer]) => layer))];
  const names = wanted.map((layer) => `decoder.layers.${layer}.encoder_attn.weights`);
  const found = await engine.inspect(ids, target, { names, disabledHeads });
  const own = chosen.map(([layer, head]) => /** @type {[number, number]} */ ([wanted.indexOf(layer), head]));
  return { data: meanOf(names.map((name) => found[name]), own), ...places };
}
