// detail.js - details of a translated sentence: tokens, scores and alignment; loaded by translator.js on
// demand.

import { headsFor } from '../model/heads.js';
import { meanOf } from './alignment.js';
import { calibrationOf, copied, weigh, withConfidence } from './confidence.js';

/**
 * @typedef {object} TranslatedSentence
 * @property {string} source
 * @property {number} start  its UTF-16 position in the input
 * @property {string} target
 * @property {{ piece: string, id: number, start: number, end: number }[]} sourceTokens  start, end: UTF-16 in `source`
 * @property {{ piece: string, id: number, logProb: number, start?: number, end?: number }[]} targetTokens  logProb:
 *   according to the model, without rules; start, end: UTF-16 in `target`, except of tokens after its last word, and if
 *   the tokens alone do not spell it, since terms were inserted
 * @property {{ text: string, start: number, end: number, confidence: number }[]} targetWords  start, end: UTF-16 in
 *   `target`; confidence: probability that the word is right, see README.md; 1 for words copied from the source or
 *   given by the glossary
 * @property {Int32Array} [candidates]  with a shortlist: the target ids that were computed, ascending; all others were
 *   not, and have no probability
 * @property {number} logProb  as in generate()
 * @property {number} [score]  by which it was chosen: as in generate(), and with what `reverse` adds; where terms or
 *   kept parts had to be inserted, its logProb; none in two steps
 * @property {boolean} finished
 * @property {Int32Array} alignment  for each target token its source token: arg-max of the mean cross attention of
 *   the heads that `alignment_heads` of config.json names ([[layer, head], ...]) or of all
 * @property {import('../model/model.js').AttentionMaps} [attention]
 * @property {import('./glossary.js').GlossaryMatch[]} [glossary]  the terms that the source has, if any
 * @property {import('../text/terms.js').KeptMatch[]} [kept]  what of the source passes through, if anything
 * @property {{ text: string, logProb: number, score?: number }[]} [alternatives]  the hypotheses after the best
 * @property {[TranslatedSentence, TranslatedSentence[]]} [steps]  of a Translator of two steps: the sentence in the
 *   language between, and the sentences of that. Maps, trees and candidates are there only
 * @property {(import('../model/tree.js').BeamNode & { piece: string })[]} [tree]  all steps of the search; they do
 *   not lead to `target` if a part of `kept` was inserted later
 */

/**
 * @param {import('../engine/engine.js').Engine} engine
 * @param {import('../text/split.js').Sentence} sentence
 * @param {import('./glossary.js').Result[]} hypotheses  best first
 * @param {import('../model/options.js').GenerateOptions & { attention?: boolean, lexicon?: boolean }} options
 * @param {string} language  of the target
 * @returns {Promise<TranslatedSentence>}
 */
export async function detail(engine, sentence, [best, ...others], options, language) {
  const { text, start, ids, pieces, offsets, isKept } = sentence;
  const { disabledHeads, nBest, shortlist, lexicon = true, attention: isWanted } = options;
  const { tree = [] } = best;
  const [{ logProbs, candidates, ...maps }, targetPieces] = await Promise.all([
    engine.attention(ids, best.ids, { disabledHeads, shortlist, lexicon }),
    engine.pieces([...best.ids, ...tree.map(({ id }) => id)]),
  ]);
  const treePieces = targetPieces.slice(best.ids.length);
  const given = [...best.glossary ?? [], ...best.kept ?? []]
    .map(({ targetStart, targetEnd }) => ({ start: targetStart, end: targetEnd }));
  const weighed = isKept ? undefined : await weigh(engine, {
    source: ids, ids: best.ids, pieces: targetPieces.slice(0, best.ids.length), logProbs, text: best.text, language,
    disabledHeads, shortlist, lexicon,
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
