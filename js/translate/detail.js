// detail.js - details of a translated sentence: tokens, scores and alignment; loaded by translator.js on
// demand.

import { headsFor } from '../model/heads.js';
import { meanOf } from './alignment.js';
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
  const weighed = isKept ? undefined : await weigh(engine, {
    source: ids, ids: best.ids, pieces: targetPieces.slice(0, best.ids.length), logProbs, text: best.text, language,
    disabledHeads, shortlist,
  });
  const targetWords = weighed
    ? withConfidence(weighed.words, calibrationOf(engine.manifest), given)
    : copied(best.text, language);
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
    targetTokens: Array.from(best.ids, (id, i) =>
      ({ piece: targetPieces[i], id, logProb: logProbs[i], ...weighed?.spans?.[i] })),
    targetWords,
    ...(candidates && { candidates }),
    logProb: best.logProb,
    score: best.score,
    finished: best.finished,
    alignment: align(maps.cross, engine.config.alignment_heads),
    ...(isWanted && { attention: maps }),
    ...(best.tree && { tree: tree.map((node, i) => ({ ...node, piece: treePieces[i] })) }),
    ...(Number(nBest) > 1 && {
      alternatives: others.map(({ text: other, logProb, score }) => ({ text: other, logProb, score })),
    }),
  };
}

/**
 * For each target token, the source token with the most attention, averaged over the heads for alignment.
 *
 * @param {import('../model/model.js').Tensor} cross  [layers, heads, target, source]
 * @param {unknown} named  `alignment_heads` of config.json
 */
function align({ shape: [layers, heads, T, S], data }, named) {
  const size = heads * T * S;
  const all = Array.from({ length: layers }, (_, i) =>
    ({ shape: [heads, T, S], data: data.subarray(i * size, (i + 1) * size) }));
  const mean = meanOf(all, headsFor(named, layers, heads));
  return Int32Array.from({ length: T }, (_, t) => {
    const row = mean.subarray(t * S, (t + 1) * S);
    return row.indexOf(Math.max(...row));
  });
}
