// detail.js - one translated sentence with its tokens, scores and alignment; loaded by translator.js when it is asked
// for.

import { attention, meanOfHeads } from '../model/inspect.js';
import { E_CONFIG, HeedError } from '../base/errors.js';

/**
 * @param {import('../model/model.js').Model} model
 * @param {import('./translator.js').Sentence} sentence
 * @param {import('./glossary.js').Result[]} hypotheses  best first
 * @param {(result: import('./glossary.js').Result) => string} textOf
 * @param {import('../model/options.js').GenerateOptions & { attention?: boolean }} options
 * @returns {import('./translator.js').TranslatedSentence}
 */
export function detail(model, { text, start, ids, pieces, offsets }, [best, ...others], textOf, options) {
  const { tokenizer } = model;
  const { logProbs, ...maps } = attention(model, ids, best.ids, { disabledHeads: options.disabledHeads });
  const pieceOf = (/** @type {number} */ id) => tokenizer.idToPiece(id, { side: 'target' });
  return {
    source: text,
    start,
    target: textOf(best),
    ...(best.glossary && { glossary: best.glossary }),
    sourceTokens: Array.from(ids, (id, i) => ({
      piece: pieces[i],
      id,
      start: offsets[2 * i],
      end: offsets[2 * i + 1],
    })),
    targetTokens: Array.from(best.ids, (id, i) => ({ piece: pieceOf(id), id, logProb: logProbs[i] })),
    logProb: best.logProb,
    finished: best.finished,
    alignment: align(maps.cross, model.config.alignment_heads),
    ...(options.attention && { attention: maps }),
    ...(best.tree && { tree: best.tree.map((node) => ({ ...node, piece: pieceOf(node.id) })) }),
    ...(Number(options.nBest) > 1 && {
      alternatives: others.map((other) => ({ text: textOf(other), logProb: other.logProb })),
    }),
  };
}

/**
 * The heads of cross attention that a model names, one behind the other; all of them if it names none.
 *
 * @param {import('../model/model.js').Tensor} cross  [layers, heads, target, source]
 * @param {unknown} named  `alignment_heads` of config.json: [[layer, head], ...], from 0
 * @returns {import('../model/model.js').Tensor}
 */
function chosen(cross, named) {
  if (named === undefined || named === null) return cross;
  const [layers, heads, T, S] = cross.shape;
  const fits = (/** @type {any} */ x, /** @type {number} */ below) => Number.isInteger(x) && x >= 0 && x < below;
  const list = Array.isArray(named) ? named : [];
  if (list.length === 0 || !list.every((at) => at?.length === 2 && fits(at[0], layers) && fits(at[1], heads))) {
    const expected = `[[layer, head], ...] of ${layers} decoder layers with ${heads} heads`;
    throw new HeedError(E_CONFIG, `config.json: alignment_heads: found ${JSON.stringify(named)}, expected ${expected}`);
  }
  const data = new Float32Array(list.length * T * S);
  list.forEach(([layer, head], i) => {
    const from = (layer * heads + head) * T * S;
    data.set(cross.data.subarray(from, from + T * S), i * T * S);
  });
  return { shape: [1, list.length, T, S], data };
}

/**
 * For each target token the source token that the mean over the heads for alignment attends to most.
 *
 * @param {import('../model/model.js').Tensor} cross  [layers, heads, target, source]
 * @param {unknown} named  see chosen()
 */
function align(cross, named) {
  const [, , T, S] = cross.shape;
  const mean = meanOfHeads(chosen(cross, named));
  return Int32Array.from({ length: T }, (_, t) => {
    const row = mean.subarray(t * S, (t + 1) * S);
    return row.indexOf(Math.max(...row));
  });
}
