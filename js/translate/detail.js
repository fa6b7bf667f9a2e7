// detail.js - details of a translated sentence: tokens, scores and alignment; loaded by translator.js on
// demand.

import { E_CONFIG } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { meanOfHeads } from '../model/inspect.js';
import { calibrationOf, copied, weigh, withConfidence } from './confidence.js';

/**
 * @param {import('../engine/engine.js').Engine} engine
 * @param {import('./translator.js').Sentence} sentence
 * @param {import('./glossary.js').Result[]} hypotheses  best first
 * @param {import('../model/options.js').GenerateOptions & { attention?: boolean }} options
 * @param {string} language  of the target
 * @returns {Promise<import('./translator.js').TranslatedSentence>}
 */
export async function detail(engine, sentence, [best, ...others], options, language) {
  const { text, start, ids, pieces, offsets, isKept } = sentence;
  const { disabledHeads, nBest, shortlist, attention: isWanted } = options;
  const { tree = [] } = best;
  const [{ logProbs, candidates, ...maps }, targetPieces] = await Promise.all([
    engine.attention(ids, best.ids, { disabledHeads, shortlist }),
    engine.pieces([...best.ids, ...tree.map(({ id }) => id)]),
  ]);
  const treePieces = targetPieces.slice(best.ids.length);
  const given = [...best.glossary ?? [], ...best.kept ?? []]
    .map(({ targetStart, targetEnd }) => ({ start: targetStart, end: targetEnd }));
  const targetWords = isKept ? copied(best.text, language) : withConfidence(await weigh(engine, {
    source: ids, ids: best.ids, pieces: targetPieces.slice(0, best.ids.length), logProbs, text: best.text, language,
    disabledHeads, shortlist,
  }), calibrationOf(engine.manifest), given);
  return {
    source: text,
    start,
    target: best.text,
    ...(best.glossary && { glossary: best.glossary }),
    ...(best.kept && { kept: best.kept }),
    sourceTokens: Array.from(ids, (id, i) => ({
      piece: pieces[i],
      id,
      start: offsets[2 * i],
      end: offsets[2 * i + 1],
    })),
    targetTokens: Array.from(best.ids, (id, i) => ({ piece: targetPieces[i], id, logProb: logProbs[i] })),
    targetWords,
    ...(candidates && { candidates }),
    logProb: best.logProb,
    finished: best.finished,
    alignment: align(maps.cross, engine.config.alignment_heads),
    ...(isWanted && { attention: maps }),
    ...(best.tree && { tree: tree.map((node, i) => ({ ...node, piece: treePieces[i] })) }),
    ...(Number(nBest) > 1 && {
      alternatives: others.map((other) => ({ text: other.text, logProb: other.logProb })),
    }),
  };
}

/**
 * The heads of cross attention that a model names, as one list; all heads if it names none.
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
 * For each target token, the source token with the most attention, averaged over the heads for alignment.
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
