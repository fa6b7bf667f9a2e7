// detail.js - one translated sentence with its tokens, scores and alignment; loaded by translator.js when it is asked
// for.

import { attention, meanOfHeads } from './inspect.js';

/**
 * @param {import('./model.js').Model} model
 * @param {import('./translator.js').Sentence} sentence
 * @param {import('./glossary.js').Result[]} hypotheses  best first
 * @param {(result: import('./glossary.js').Result) => string} textOf
 * @param {import('./translator.js').TranslateOptions & { attention?: boolean }} options
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
    alignment: align(maps.cross),
    ...(options.attention && { attention: maps }),
    ...(best.tree && { tree: best.tree.map((node) => ({ ...node, piece: pieceOf(node.id) })) }),
    ...(Number(options.nBest) > 1 && {
      alternatives: others.map((other) => ({ text: textOf(other), logProb: other.logProb })),
    }),
  };
}

/**
 * For each target token the source token that the mean over layers and heads attends to most.
 *
 * @param {import('./model.js').Tensor} cross  [layers, heads, target, source]
 */
function align(cross) {
  const [, , T, S] = cross.shape;
  const mean = meanOfHeads(cross);
  return Int32Array.from({ length: T }, (_, t) => {
    const row = mean.subarray(t * S, (t + 1) * S);
    return row.indexOf(Math.max(...row));
  });
}
