// forced.js - how far log-probabilities of given ids are from those of a reference; used by firefox.js and by
// activations.test.js.

/** @typedef {import('../../js/index.js').Transformer} Transformer */

/**
 * One line of an expected.jsonl, which golden/firefox/README.md describes: over all pieces, and with a shortlist. The
 * model must have been loaded alike.
 *
 * @typedef {{ text: string, reference?: string, ids: number[], logProbs: number[], exactLogProbs?: number[],
 *   floatLogProbs?: number[], exact?: { ids: number[] }, float?: { text: string } }} Answer
 * @typedef {{ sourceIds: number[], full: Answer, shortlist: Answer }} Line
 */

/**
 * With fixed scales: sums of integers that are exact, or with the sum of each pair clamped to 16 bits.
 *
 * @typedef {'exact' | 'saturating'} Sums
 */

/**
 * The logits of each step of a pass over ids. Those of forbidden ids are -Infinity.
 *
 * @param {Transformer} model
 * @param {number[]} source
 * @param {number[]} ids
 */
export function stepsOf(model, source, ids) {
  const { logits: { data, shape: [, width] } } = model.forward(source, ids);
  const forbidden = model.generateDefaults.badWords.map(([id]) => id);
  return ids.map((_, t) => {
    const row = data.subarray(t * width, (t + 1) * width);
    for (const bad of forbidden) row[bad] = -Infinity;
    return row;
  });
}

/**
 * Natural-log probabilities of ids, of which the forbidden ones have none.
 *
 * @param {Transformer} model
 * @param {number[]} source
 * @param {number[]} ids
 */
export const logProbsOf = (model, source, ids) => stepsOf(model, source, ids).map((row, t) => {
  const most = row.reduce((a, b) => Math.max(a, b), -Infinity);
  let sum = 0;
  for (const x of row) sum += Math.exp(x - most);
  return row[ids[t]] - most - Math.log(sum);
});

/**
 * Distances of a line, or undefined where the reference has none. Ids that end without `</s>` are cut by the engine at
 * twice the source.
 *
 * @param {Transformer} model
 * @param {Line} line
 * @param {Sums | 'float'} to
 * @param {'full' | 'shortlist'} [kind]
 */
export function distances(model, line, to, kind = 'full') {
  const { ids: own, exact, logProbs, exactLogProbs, floatLogProbs } = line[kind];
  const exactly = exactLogProbs ?? (exact ? undefined : logProbs);
  const want = { float: floatLogProbs, exact: exactly, saturating: logProbs }[to];
  if (!want) return undefined;
  const ids = to === 'exact' && exact ? exact.ids : own;
  return logProbsOf(model, line.sourceIds, ids).map((found, t) => Math.abs(found - want[t]));
}

/**
 * How many searches give the ids of the reference.
 *
 * @param {Transformer} model
 * @param {Line[]} lines
 * @param {'full' | 'shortlist'} [kind]
 * @param {Sums} [sums]
 */
export function equalIds(model, lines, kind = 'full', sums = 'exact') {
  let equal = 0;
  for (const { sourceIds, [kind]: answer } of lines) {
    const [[{ ids }]] = model.generate([sourceIds], { beams: 1, maxTokens: 2 * sourceIds.length });
    equal += Number(`${[...ids]}` === `${(sums === 'exact' && answer.exact?.ids) || answer.ids}`);
  }
  return equal;
}

/**
 * How many searches over all pieces say what float activations say: the reference, which is the engine unless it has a
 * text of its own.
 *
 * @param {Transformer} model
 * @param {Line[]} lines
 */
export const equalFloats = (model, lines) => lines.filter(({ sourceIds, full: { float, reference, text } }) => {
  const [[{ ids }]] = model.generate([sourceIds], { beams: 1, maxTokens: 2 * sourceIds.length });
  return model.tokenizer?.decode(ids) === (float?.text ?? reference ?? text).trim();
}).length;

/** @param {number[]} numbers */
export const mean = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

/** @param {number[]} numbers @param {number} share  0 to 1 */
export const quantile = (numbers, share) =>
  [...numbers].sort((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(share * numbers.length))];
