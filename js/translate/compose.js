// compose.js - a sentence that was translated in two steps as if it were one: tokens, words, scores, and the alignment
// through the text in the middle. Used by pivot.js.
//
//   target token -> alignment of the second step -> its source token, with a position in the middle
//                -> the target token of the first step at that position -> alignment of the first step -> source token

/** @typedef {import('./detail.js').TranslatedSentence} TranslatedSentence */
/** @typedef {{ start: number, end: number }} Span  UTF-16, [start, end) */

/** Most characters between two tokens that no piece spells, as a glossary or single bytes put them there. */
const FAR = 40;

/**
 * The positions of target tokens in their text. A piece that the text does not have there gets an empty span.
 *
 * @param {TranslatedSentence['targetTokens']} tokens
 * @param {string} text
 * @returns {Span[]}
 */
function spansOf(tokens, text) {
  let at = 0;
  return tokens.map(({ piece }) => {
    const own = piece.replaceAll('\u2581', ' ').trim();
    const start = own === '' ? -1 : text.indexOf(own, at);
    if (start < 0 || start > at + FAR) return { start: at, end: at };
    at = start + own.length;
    return { start, end: at };
  });
}

/** @param {Span} a @param {Span} b */
const overlap = (a, b) => Math.min(a.end, b.end) - Math.max(a.start, b.start);

/** The span that shares most with another, or is nearest to it: its index. @param {Span[]} spans @param {Span} span */
function nearest(spans, span) {
  let best = 0;
  for (let i = 1; i < spans.length; i++) if (overlap(spans[i], span) > overlap(spans[best], span)) best = i;
  return best;
}

/** Whether a sentence passed through as it is. @param {TranslatedSentence} sentence */
export const isCopied = ({ source, target, targetTokens }) => source === target && targetTokens.length === 1;

/**
 * The texts of sentences of one text with what is between them, and their positions in the result.
 *
 * @param {string} text
 * @param {TranslatedSentence[]} sentences
 * @param {(sentence: TranslatedSentence) => string} choose  what stands for a sentence
 */
function join(text, sentences, choose) {
  let [joined, at] = ['', 0];
  const starts = sentences.map((sentence) => {
    joined += text.slice(at, sentence.start);
    at = sentence.start + sentence.source.length;
    const start = joined.length;
    joined += choose(sentence);
    return start;
  });
  return { text: joined + text.slice(at), starts };
}

/**
 * Where a part of the middle is in the target, and whether it is there as often as it should be.
 *
 * @param {TranslatedSentence[]} next
 * @param {number[]} starts
 * @param {'glossary' | 'kept'} kind
 * @param {number} place  in the middle; -1: it is missing there
 */
function follow(next, starts, kind, place) {
  for (const [i, sentence] of next.entries()) {
    const found = sentence[kind]?.find(({ start }) => sentence.start + start === place);
    if (!found || found.targetStart < 0) continue;
    const isExact = 'exact' in found ? found.exact : true;
    return { targetStart: starts[i] + found.targetStart, targetEnd: starts[i] + found.targetEnd, isExact };
  }
  return { targetStart: -1, targetEnd: -1, isExact: false };
}

/**
 * @param {TranslatedSentence} first  the sentence, with its translation in the middle
 * @param {TranslatedSentence[]} next  the sentences of that translation; none: it passes through
 * @param {Map<string, string>} translations  by the names in the middle: translations of the glossary
 * @returns {TranslatedSentence}
 */
export function composeSentence(first, next, translations) {
  const { attention: _maps, candidates: _ids, tree: _steps, alternatives: _others, ...own } = first;
  const middle = first.target;
  const { text: target, starts } = join(middle, next, (sentence) => sentence.target);
  if (next.length === 0) return { ...own, steps: [first, next] };
  const spans = spansOf(first.targetTokens, middle);
  /** @type {TranslatedSentence['targetTokens']} */
  const targetTokens = [];
  /** @type {number[]} */
  const alignment = [];
  /** @type {TranslatedSentence['targetWords']} */
  const targetWords = [];
  for (const [i, sentence] of next.entries()) {
    const inner = spansOf(sentence.targetTokens, sentence.target);
    /** The positions in the middle that target tokens look at. */
    const seen = Array.from(sentence.alignment, (s) => {
      const { start, end } = sentence.sourceTokens[s];
      return { start: sentence.start + start, end: sentence.start + end };
    });
    // </s> is the end of the last sentence only
    const count = sentence.targetTokens.length - (i < next.length - 1 && sentence.finished ? 1 : 0);
    for (let t = 0; t < count; t++) {
      const isEnd = sentence.finished && t === sentence.targetTokens.length - 1;
      targetTokens.push(sentence.targetTokens[t]);
      alignment.push(first.alignment[isEnd ? spans.length - 1 : nearest(spans, seen[t])]);
    }
    for (const word of sentence.targetWords) {
      const sources = seen.filter((_place, t) => overlap(inner[t], word) > 0);
      const through = first.targetWords.filter((other) => sources.some((place) => overlap(place, other) > 0));
      targetWords.push({
        text: word.text,
        start: starts[i] + word.start,
        end: starts[i] + word.end,
        confidence: through.reduce((product, { confidence }) => product * confidence, word.confidence),
      });
    }
  }
  return {
    ...own,
    target,
    ...(first.glossary && { glossary: first.glossary.map((match) => {
      const { isExact, ...place } = follow(next, starts, 'glossary', match.targetStart);
      const translation = translations.get(match.translation) ?? match.translation;
      return { ...match, translation, ...place, exact: match.exact && isExact };
    }) }),
    ...(first.kept && { kept: first.kept.map((match) => {
      const { targetStart, targetEnd } = follow(next, starts, 'kept', match.targetStart);
      return { ...match, targetStart, targetEnd };
    }) }),
    targetTokens,
    targetWords,
    logProb: next.reduce((sum, { logProb }) => sum + logProb, first.logProb),
    finished: first.finished && next.every(({ finished }) => finished),
    alignment: Int32Array.from(alignment),
    steps: [first, next],
  };
}

/**
 * The other translations of a sentence, the most probable first: each hypothesis of the first step with each of the
 * second. A text that both have counts once, with its most probable way.
 *
 * @param {{ middle: string, logProb: number, next: TranslatedSentence[] }[]} ways  by the hypotheses of the first step
 * @param {string} target  the best, which is not among them
 * @returns {{ text: string, logProb: number }[]}  as many as the first step has
 */
export function composeAlternatives(ways, target) {
  /** @type {Map<string, number>} */
  const found = new Map();
  for (const { middle, logProb, next } of ways) {
    const count = Math.max(1, ...next.map(({ alternatives = [] }) => 1 + alternatives.length));
    for (let i = 0; i < count; i++) {
      let sum = logProb;
      const { text } = join(middle, next, ({ target: text, logProb: own, alternatives = [] }) => {
        const chosen = [{ text, logProb: own }, ...alternatives][Math.min(i, alternatives.length)];
        sum += chosen.logProb;
        return chosen.text;
      });
      if (text !== target) found.set(text, Math.max(sum, found.get(text) ?? -Infinity));
    }
  }
  return [...found].map(([text, logProb]) => ({ text, logProb })).sort((a, b) => b.logProb - a.logProb)
    .slice(0, ways.length - 1);
}
