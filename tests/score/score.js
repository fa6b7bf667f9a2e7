// score.js - BLEU and chrF2 of a corpus, defined as sacreBLEU defines them. Used by dev.js and score.test.js.
//
//     BLEU   = BP * exp(mean_n log p_n),  n = 1..4 tokens (13a), pooled over the corpus; BP = e^(1 - r/c) if c < r
//     chrF2  = 5 P R / (4 P + R),  P and R the means over n = 1..6 of precision and recall of character n-grams
//
// Signatures: nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp and nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no; several
// references per line may be given, since the published examples have them.

/** White space as Python's str.split() has it: unlike \s it knows the separators U+001C..1F and U+0085, not U+FEFF. */
const SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/u;

const BLEU_ORDER = 4;
const CHRF_ORDER = 6;

/**
 * mteval-v13a's tokens: punctuation stands alone, except apostrophes and hyphens within words; period and comma stay in
 * numbers; a hyphen after a digit is split off.
 * @param {string} line
 * @returns {string[]}
 */
export function tokenize13a(line) {
  const text = line
    .replaceAll('<skipped>', '').replaceAll('-\n', '').replaceAll('\n', ' ')
    .replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('&lt;', '<').replaceAll('&gt;', '>');
  const spaced = ` ${text} `
    .replace(/[!"#$%&()*+/:;<=>?@[\\\]^_`{|}~]/gu, ' $& ')
    .replace(/([^0-9])([.,])/gu, '$1 $2 ')
    .replace(/([.,])([^0-9])/gu, ' $1 $2')
    .replace(/([0-9])-/gu, '$1 - ');
  return spaced.split(SPACE).filter((token) => token !== '');
}

/**
 * @param {string[]} items
 * @param {number} order
 * @param {string} glue what stands between items; no item contains it
 * @returns {Map<string, number>} how often each n-gram occurs
 */
function countNgrams(items, order, glue) {
  const counts = new Map();
  for (let i = 0; i + order <= items.length; i++) {
    const gram = items.slice(i, i + order).join(glue);
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}

/** @param {Iterable<number>} numbers */
const sum = (numbers) => [...numbers].reduce((total, n) => total + n, 0);

/** @param {string | string[]} reference */
const listOf = (reference) => (typeof reference === 'string' ? [reference] : reference);

/**
 * @param {string[]} hypotheses
 * @param {(string | string[])[]} references
 */
function checkLengths(hypotheses, references) {
  if (hypotheses.length === 0 || hypotheses.length !== references.length) {
    throw new RangeError(`${hypotheses.length} hypotheses for ${references.length} references`);
  }
}

/**
 * Corpus BLEU, 0..100. An order without a match counts as 1 / 2^k of one, k its rank among such orders.
 * @param {string[]} hypotheses
 * @param {(string | string[])[]} references one or several for each hypothesis
 */
export function bleu(hypotheses, references) {
  checkLengths(hypotheses, references);
  const matches = new Array(BLEU_ORDER).fill(0);
  const totals = new Array(BLEU_ORDER).fill(0);
  let hypothesisLength = 0;
  let referenceLength = 0;
  hypotheses.forEach((hypothesis, line) => {
    const tokens = tokenize13a(hypothesis);
    const refs = listOf(references[line]).map(tokenize13a);
    hypothesisLength += tokens.length;
    // the reference of the nearest length; of two as near, the shorter
    referenceLength += refs.map((ref) => ref.length)
      .sort((a, b) => Math.abs(a - tokens.length) - Math.abs(b - tokens.length) || a - b)[0];
    for (let order = 1; order <= BLEU_ORDER; order++) {
      const known = refs.map((ref) => countNgrams(ref, order, ' '));
      for (const [gram, count] of countNgrams(tokens, order, ' ')) {
        totals[order - 1] += count;
        matches[order - 1] += Math.min(count, Math.max(...known.map((counts) => counts.get(gram) ?? 0)));
      }
    }
  });

  let missed = 1;
  const precisions = matches.map((match, i) => {
    if (totals[i] === 0) return 0;
    return match > 0 ? (100 * match) / totals[i] : 100 / ((missed *= 2) * totals[i]);
  });
  const isShort = hypothesisLength < referenceLength;
  const brevityPenalty = !isShort ? 1 : hypothesisLength === 0 ? 0 : Math.exp(1 - referenceLength / hypothesisLength);
  const score = sum(matches) === 0 ? 0 : brevityPenalty * Math.exp(sum(precisions.map(Math.log)) / BLEU_ORDER);
  return { score, precisions, brevityPenalty, hypothesisLength, referenceLength };
}

/**
 * F of pooled statistics, 0..1: the mean is over the orders that both sides are long enough for.
 * @param {{ hypothesis: number, reference: number, match: number }[]} orders
 * @param {number} beta
 */
function fScore(orders, beta) {
  const used = orders.filter(({ hypothesis, reference }) => hypothesis > 0 && reference > 0);
  if (used.length === 0) return 0;
  const precision = sum(used.map(({ match, hypothesis }) => match / hypothesis)) / used.length;
  const recall = sum(used.map(({ match, reference }) => match / reference)) / used.length;
  return precision + recall === 0 ? 0 : ((1 + beta ** 2) * precision * recall) / (beta ** 2 * precision + recall);
}

/**
 * Corpus chrF, 0..100. Of several references the one with the best F for the line counts.
 * @param {string[]} hypotheses
 * @param {(string | string[])[]} references one or several for each hypothesis
 * @param {{ beta?: number, whitespace?: boolean }} [options] defaults 2 (chrF2) and false: white space is left out
 */
export function chrf(hypotheses, references, { beta = 2, whitespace = false } = {}) {
  checkLengths(hypotheses, references);
  /** @param {string} text */
  const characters = (text) => [...(whitespace ? text : text.split(SPACE).join(''))];
  const totals = Array.from({ length: CHRF_ORDER }, () => ({ hypothesis: 0, reference: 0, match: 0 }));
  hypotheses.forEach((hypothesis, line) => {
    const found = totals.map((_, i) => countNgrams(characters(hypothesis), i + 1, ''));
    const [best] = listOf(references[line]).map((reference) => found.map((counts, i) => {
      const known = countNgrams(characters(reference), i + 1, '');
      return {
        // n-grams of an order that the reference is too short for count on neither side
        hypothesis: known.size > 0 ? sum(counts.values()) : 0,
        reference: sum(known.values()),
        match: sum([...counts].map(([gram, count]) => Math.min(count, known.get(gram) ?? 0))),
      };
    })).sort((a, b) => fScore(b, beta) - fScore(a, beta));
    best.forEach((one, i) => {
      totals[i].hypothesis += one.hypothesis;
      totals[i].reference += one.reference;
      totals[i].match += one.match;
    });
  });
  return { score: 100 * fScore(totals, beta) };
}
