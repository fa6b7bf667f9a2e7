// divide.js - a translation divided where its source was: into cues, and cues into lines. Used by subtitles.js.

/** @typedef {import('./inline.js').Piece} Piece */

/** What a place after punctuation is worth, in characters of distance. */
const AFTER_COMMA = 8;
const AFTER_SENTENCE = 12;

/**
 * Where to cut a text into parts of given lengths, at spaces, or between words if it has none.
 *
 * @param {string} text
 * @param {number[]} lengths  of the parts, in any unit
 * @param {string} language
 * @returns {number[]}  the beginning of each part but the first, ascending; fewer if there are not as many words
 */
export function findCuts(text, lengths, language) {
  const isSpaced = /\S\s+\S/.test(text);
  const places = isSpaced ? Array.from(text.matchAll(/(?<=\S)\s+(?=\S)/g), ({ 0: { length }, index }) => index + length)
    : [...new Intl.Segmenter(language, { granularity: 'word' }).segment(text)].flatMap(({ index, isWordLike }) =>
      (index > 0 && isWordLike ? [index] : []));
  const total = lengths.reduce((sum, length) => sum + length, 0) || 1;
  /** @type {number[]} */
  const cuts = [];
  let [sum, from] = [0, 0];
  for (let i = 0; i + 1 < lengths.length && from < places.length; i++) {
    sum += lengths[i];
    const ideal = (text.length * sum) / total;
    // as many places stay as there are parts to come
    const last = Math.max(from, places.length - (lengths.length - 2 - i) - 1);
    let [best, least] = [from, Infinity];
    for (let k = from; k <= last && places[k] - ideal - AFTER_SENTENCE < least; k++) {
      let end = places[k] - 1;
      while (/\s/.test(text[end])) end--;
      const before = text[end];
      const gain = /[.!?\u2026\u3002]/.test(before) ? AFTER_SENTENCE : /[,;:\u3001]/.test(before) ? AFTER_COMMA : 0;
      const cost = Math.abs(places[k] - ideal) - gain;
      if (cost < least) [best, least] = [k, cost];
    }
    cuts.push(places[best]);
    from = best + 1;
  }
  return cuts;
}

/**
 * Pieces divided at places of their text. A pair that is open there ends, and begins again.
 *
 * @param {Piece[]} pieces  open and close in pairs
 * @param {number[]} cuts  UTF-16 positions in the text of all pieces
 * @returns {Piece[][]}
 */
export function divide(pieces, cuts) {
  /** @type {Map<Piece, Piece>} */
  const mates = new Map();
  /** @type {Piece[]} */
  const stack = [];
  for (const piece of pieces) {
    if (piece.kind === 'open') stack.push(piece);
    else if (piece.kind === 'close') mates.set(/** @type {Piece} */ (stack.pop()), piece);
  }
  /** @type {Piece[][]} */
  const parts = [[]];
  /** @type {Piece[]} */
  const open = [];
  const places = [...cuts];
  let at = 0;
  let next = 0;
  const cut = () => {
    const closing = open.map((piece) => /** @type {Piece} */ (mates.get(piece))).reverse();
    /** @type {Piece[]} */ (parts.at(-1)).push(...closing);
    parts.push([...open]);
    next++;
  };
  for (const piece of pieces) {
    if (piece.kind !== 'text') {
      if (piece.kind !== 'close' && at === places[next]) cut();
      /** @type {Piece[]} */ (parts.at(-1)).push(piece);
      if (piece.kind === 'open') open.push(piece);
      else if (piece.kind === 'close') open.pop();
      at += piece.text.length;
      // a word is whole: what cuts it cuts once, behind it
      if (places[next] < at) {
        while (places[next + 1] <= at) next++;
        places[next] = at;
      }
      continue;
    }
    let from = 0;
    while (places[next] < at + piece.text.length) {
      const to = places[next] - at;
      const text = piece.text.slice(from, to).trimEnd();
      if (text) /** @type {Piece[]} */ (parts.at(-1)).push({ kind: 'text', text, source: text });
      cut();
      from = to;
    }
    const text = piece.text.slice(from);
    if (text) /** @type {Piece[]} */ (parts.at(-1)).push({ kind: 'text', text, source: text });
    at += piece.text.length;
  }
  return parts;
}
