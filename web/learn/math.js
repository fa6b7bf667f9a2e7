// math.js - formulas as MathML, written with functions that are named after their signs. Used by the chapters of Learn.

/** A name: one letter is set in italics, a word upright. @param {string} name */
export const n = (name) => `<mi>${name}</mi>`;
/** A matrix or vector. @param {string} name */
export const m = (name) => `<mi mathvariant="normal" class="matrix">${name}</mi>`;
/** @param {string} sign */
export const o = (sign) => `<mo>${sign}</mo>`;
/** @param {string | number} number */
export const d = (number) => `<mn>${number}</mn>`;
/** @param {...string} parts */
export const row = (...parts) => `<mrow>${parts.join('')}</mrow>`;
/** In brackets as high as a line. @param {...string} parts */
export const paren = (...parts) => row('<mo stretchy="false">(</mo>', ...parts, '<mo stretchy="false">)</mo>');
/** In brackets as high as what is inside. @param {...string} parts */
export const tall = (...parts) => row('<mo>(</mo>', ...parts, '<mo>)</mo>');
/** @param {string} above @param {string} below */
export const frac = (above, below) => `<mfrac>${above}${below}</mfrac>`;
/** @param {string} base @param {string} power */
export const sup = (base, power) => `<msup>${base}${power}</msup>`;
/** @param {string} base @param {string} index */
export const sub = (base, index) => `<msub>${base}${index}</msub>`;
/** @param {string} inside */
export const sqrt = (inside) => `<msqrt>${inside}</msqrt>`;
/** The sum over an index. @param {string} index @param {...string} parts */
export const sum = (index, ...parts) => row(`<munder><mo>\u2211</mo>${index}</munder>`, ...parts);
/** @param {string} base */
export const transposed = (base) => sup(base, '<mi mathvariant="normal">T</mi>');

export const EQUALS = o('=');
export const PLUS = o('+');
/** The invisible operator between a function and its argument. */
export const APPLY = '<mo>\u2061</mo>';
export const DK = sub(n('d'), n('k'));

/** @param {...string} parts */
export const softmax = (...parts) =>
  row(n('softmax'), APPLY, (parts.join('').includes('<mfrac>') ? tall : paren)(...parts));

/**
 * One or more formulas, one below the other. The markup never contains user input.
 *
 * @param {...string[]} lines  each of parts
 * @returns {HTMLElement}
 */
export function formula(...lines) {
  const element = document.createElement('div');
  element.className = 'formula';
  element.innerHTML = lines.map((parts) => `<math display="block">${row(...parts)}</math>`).join('');
  return element;
}
