// maps.js - reads from a translated sentence what the views of See need: maps of attention, tokens, words.

import { beginsWord, isSpecial, readable, textOf } from '../lib/pieces.js';
import { local } from '../lib/words.js';

/** @typedef {'encoder' | 'decoder' | 'cross'} Stack */
/** @typedef {import('../../js/translate/detail.js').TranslatedSentence} Sentence */

/** In the order the model has them. @type {Stack[]} */
export const STACKS = ['encoder', 'decoder', 'cross'];

/** The stacks with attention: a decoder may have SSRUs instead. @param {Sentence} sentence */
export const stacksOf = ({ attention }) => STACKS.filter((stack) => /** @type {any} */ (attention)[stack].shape[0] > 0);

/** With its sign, unless it is zero after rounding. @param {number} x @param {number} [digits] */
export function signed(x, digits = 2) {
  const text = Math.abs(x).toFixed(digits);
  return `${Number(text) === 0 ? '' : x > 0 ? '+' : '\u2212'}${local(text)}`;
}

/** A piece of a word or a sign: not the end, and not a language. @param {{ piece: string }} token */
export const isWord = ({ piece }) => !isSpecial(piece);

/**
 * Places of the words among the rows and the columns of a map.
 *
 * @param {Sentence} sentence @param {Stack} stack
 */
function wordPlaces({ sourceTokens, targetTokens }, stack) {
  const places = (/** @type {boolean[]} */ are) => are.flatMap((is, i) => (is ? [i] : []));
  const source = places(sourceTokens.map(isWord));
  const target = targetTokens.map(isWord);
  return {
    rows: stack === 'encoder' ? source : places(target),
    cols: stack === 'decoder' ? places([false, ...target.slice(0, -1)]) : source,
  };
}

/** @type {WeakMap<Sentence, Partial<Record<Stack, { layer: number, head: number }>>>} */
const found = new WeakMap();

/**
 * The head whose words attend most decidedly to a few other words: with the greatest sum of squared weights.
 *
 * @param {Sentence} sentence @param {Stack} stack
 */
export function clearest(sentence, stack) {
  const known = found.get(sentence) ?? {};
  found.set(sentence, known);
  if (known[stack]) return known[stack];
  const places = wordPlaces(sentence, stack);
  const [layers, heads] = /** @type {any} */ (sentence.attention)[stack].shape;
  let [best, most] = [{ layer: 0, head: 0 }, -1];
  for (let i = 0; i < layers * heads; i++) {
    const [layer, head] = [Math.floor(i / heads), i % heads];
    const { cols, data } = mapOf(sentence, stack, layer, head);
    let sum = 0;
    for (const r of places.rows) {
      // a token that attends to itself tells little
      for (const c of places.cols) if (stack === 'cross' || c !== r) sum += data[r * cols + c] ** 2;
    }
    if (sum > most) [best, most] = [{ layer, head }, sum];
  }
  return (known[stack] = best);
}

/**
 * Stack, layer and head that the model has, nearest to those of the state. If the state has neither layer nor head, -1,
 * those of the clearest head.
 *
 * @param {Sentence} sentence @param {any} state
 */
export function placeOf(sentence, { stack: wanted, layer, head }) {
  const stack = stacksOf(sentence).includes(wanted) ? wanted : 'cross';
  const [layers, heads, rows, cols] = /** @type {any} */ (sentence.attention)[stack].shape;
  const near = (/** @type {number} */ x, /** @type {number} */ n) => Math.max(0, Math.min(x, n - 1));
  const place = layer < 0 && head < 0 ? clearest(sentence, stack) : { layer, head };
  return {
    stack: /** @type {Stack} */ (stack), layer: near(place.layer, layers), head: near(place.head, heads),
    layers, heads, rows, cols,
  };
}

/**
 * One head's weights, [rows, cols]: not a copy.
 *
 * @param {Sentence} sentence @param {Stack} stack @param {number} layer @param {number} head
 */
export function mapOf(sentence, stack, layer, head) {
  const { shape: [, heads, rows, cols], data } = /** @type {any} */ (sentence.attention)[stack];
  const from = (layer * heads + head) * rows * cols;
  return { rows, cols, data: /** @type {Float32Array} */ (data.subarray(from, from + rows * cols)) };
}

/**
 * The mean of several maps of one stack.
 *
 * @param {Sentence} sentence @param {Stack} stack @param {[layer: number, head: number][]} which
 */
export function meanOf(sentence, stack, which) {
  const { shape: [, , rows, cols] } = /** @type {any} */ (sentence.attention)[stack];
  const data = new Float32Array(rows * cols);
  for (const [layer, head] of which) {
    mapOf(sentence, stack, layer, head).data.forEach((x, i) => (data[i] += x / which.length));
  }
  return { rows, cols, data };
}

/**
 * The tokens of a map's rows and columns. Row t of decoder and cross predicts target token t from the one before.
 *
 * @param {Sentence} sentence @param {Stack} stack @param {string} start  what the decoder is fed first
 */
export function sidesOf({ sourceTokens, targetTokens }, stack, start) {
  const source = sourceTokens.map(({ piece }) => readable(piece));
  const predicted = targetTokens.map(({ piece }) => readable(piece));
  const fed = [start, ...predicted.slice(0, -1)];
  return {
    rows: stack === 'encoder' ? source : stack === 'decoder' ? fed : predicted,
    cols: stack === 'decoder' ? fed : source,
    /** The predicted token and the input token of a row. */
    labels: stack === 'encoder' ? source : predicted.map((token, t) => `${token} \u2190 ${fed[t]}`),
    predicted: stack === 'encoder' ? undefined : predicted,
    fed: stack === 'encoder' ? undefined : fed,
  };
}

/**
 * What a view shows of the maps of a stack: the names of rows and columns, and the weights, of all tokens or only of
 * words. The weights stay what they are.
 *
 * @param {Sentence} sentence @param {Stack} stack @param {string} start  what the decoder is fed first
 * @param {boolean} onlyWords
 */
export function shownOf(sentence, stack, start, onlyWords) {
  const sides = sidesOf(sentence, stack, start);
  const all = (/** @type {unknown[]} */ names) => Array.from(names.keys());
  const { rows, cols } = onlyWords ? wordPlaces(sentence, stack) : { rows: all(sides.rows), cols: all(sides.cols) };
  const pick = (/** @type {string[]} */ names, /** @type {number[]} */ places) => places.map((i) => names[i]);
  return {
    /** The token of each row and column. */
    rows, cols,
    sides: {
      rows: pick(sides.rows, rows), cols: pick(sides.cols, cols), labels: pick(sides.labels, rows),
      predicted: sides.predicted && pick(sides.predicted, rows), fed: sides.fed && pick(sides.fed, rows),
    },
    /** @param {{ rows: number, cols: number, data: Float32Array }} map */
    of: (map) => (onlyWords ? {
      rows: rows.length, cols: cols.length,
      data: Float32Array.from({ length: rows.length * cols.length }, (_, i) =>
        map.data[rows[Math.floor(i / cols.length)] * map.cols + cols[i % cols.length]]),
    } : map),
  };
}

/**
 * Words of tokens: U+2581 or the byte of a space begins a word. The end and languages are no words; an unknown
 * character is.
 *
 * @param {{ piece: string }[]} tokens
 * @returns {number[][]}  the tokens of each word
 */
export function wordsOf(tokens) {
  /** @type {number[][]} */
  const words = [];
  tokens.forEach(({ piece }, i) => {
    if (isSpecial(piece)) return;
    const last = words.at(-1);
    // a lone U+2581 belongs to the piece after it
    if (last && !beginsWord(piece)) last.push(i);
    else words.push([i]);
  });
  return words;
}

/**
 * The positions of the words in the source.
 *
 * @param {Sentence} sentence
 * @returns {{ start: number, end: number, tokens: number[] }[]}
 */
export function sourceWords({ sourceTokens, source }) {
  return wordsOf(sourceTokens).map((tokens) => {
    const start = Math.min(...tokens.map((i) => sourceTokens[i].start));
    const end = Math.max(...tokens.map((i) => sourceTokens[i].end));
    const space = /^\s*/.exec(source.slice(start, end))?.[0].length ?? 0;
    return { start: start + space, end, tokens };
  }).filter(({ start, end }) => end > start);
}

/**
 * The positions of the words in the translation, or in the joined pieces if they differ from the text.
 *
 * @param {Sentence} sentence
 */
export function targetWords({ targetTokens, target }) {
  const words = wordsOf(targetTokens).map((tokens) =>
    ({ tokens, text: textOf(tokens.map((i) => targetTokens[i].piece)).trim() }));
  const place = (/** @type {string} */ text) => {
    let at = 0;
    const found = [];
    for (const { tokens, text: word } of words) {
      if (word === '') continue;
      const start = text.indexOf(word, at);
      if (start < 0) return null;
      at = start + word.length;
      found.push({ start, end: at, tokens });
    }
    return { text, words: found };
  };
  const joined = words.map(({ text }) => text).join(' ');
  return place(target) ?? /** @type {NonNullable<ReturnType<typeof place>>} */ (place(joined));
}

/**
 * The difference of two texts, word by word.
 *
 * @param {string} before @param {string} after
 * @returns {{ kind: 'same' | 'gone' | 'new', text: string }[]}
 */
export function difference(before, after) {
  const [a, b] = [before, after].map((text) => text.split(/(?<=\s)/));
  const best = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      best[i][j] = a[i].trim() === b[j].trim() ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
    }
  }
  /** @type {ReturnType<typeof difference>} */
  const parts = [];
  let [i, j] = [0, 0];
  const put = (/** @type {'same' | 'gone' | 'new'} */ kind, /** @type {string} */ text) => {
    const last = parts.at(-1);
    if (last?.kind === kind) last.text += text;
    else parts.push({ kind, text });
  };
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i].trim() === b[j].trim()) put('same', b[(i++, j++)]);
    else if (j === b.length || (i < a.length && best[i + 1][j] >= best[i][j + 1])) put('gone', a[i++]);
    else put('new', b[j++]);
  }
  return parts;
}
