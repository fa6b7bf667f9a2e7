// wrap.js - lines of a text that is broken by hand: which belong together, and a translation in lines of the same
// width. Used by text.js and markdown.js.

/** Lines shorter than this are lines of their own, as in a list or a poem. */
const SHORTEST = 40;

/** Where a line ends that ends a sentence. */
const ENDS = /[.!?:;\u2026\u3002\uff01\uff1f\uff1a\uff1b]["'\u201d\u2019\u00bb)\]]*$/;

/**
 * Whether a line goes on in the next: its first word did not fit, or is in small letters.
 *
 * @param {string} line
 * @param {string} next
 * @param {number} width  of the longest line of the paragraph
 */
export function goesOn(line, next, width) {
  if (/^\p{Ll}/u.test(next) && !ENDS.test(line)) return true;
  const [word] = next.split(/\s/, 1);
  return width >= SHORTEST && line.length + 1 + word.length > width && line.length > width / 2;
}

/** What begins something else at the beginning of a line, such as an item of a list. */
const MARKS = /^(?:[-+*\u2022\u2013]$|[-=*_]+$|>|#|~~~|```|\d{1,9}[.)]$|<|\||:|~$|\$\$|\{(?:[%:]|\{[<%]))/;

/**
 * @param {{ text: string, isFree: boolean }[]} parts  of a text; isFree: it may be broken at its spaces
 * @param {number} width  longest line, in UTF-16 units
 * @param {string} prefix  of all lines but the first
 */
export function wrap(parts, width, prefix) {
  /** @type {string[]} */
  const words = [''];
  for (const { text, isFree } of parts) {
    const pieces = isFree ? text.split(' ') : [text];
    words[words.length - 1] += pieces[0];
    words.push(...pieces.slice(1));
  }
  let [output, column] = [words[0], words[0].length];
  for (const word of words.slice(1)) {
    const isBroken = column + 1 + word.length > width && word !== '' && column > prefix.length &&
      !MARKS.test(word) && !output.endsWith('\\');
    // two spaces would mean something there
    output = isBroken ? `${output.trimEnd()}\n${prefix}${word}` : `${output} ${word}`;
    // a part that is not free may have line breaks of its own
    const last = word.lastIndexOf('\n');
    column = (isBroken ? prefix.length : last < 0 ? column + 1 : -1) + (word.length - Math.max(0, last));
  }
  return output;
}
