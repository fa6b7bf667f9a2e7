// qkv-picture.js - one picture of what a query, a key and a value are: a word looks for something, another one offers
// it and gives it. Used by qkv.js.

import { s } from './chart.js';

/** Width and height of a box. */
const [WIDE, HIGH] = [128, 46];

/**
 * @param {Record<string, any>} t  texts
 * @param {string[]} words  the second gives, the third looks for it
 */
export function picture(t, [, giving, asking]) {
  const svg = s('svg', { viewBox: '0 0 340 222', class: 'chart qkv', role: 'img', 'aria-label': t.label });
  const text = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ said, kind = '') =>
    s('text', { x, y, 'text-anchor': 'middle', class: kind }, said);
  /** @param {number} x @param {number} y @param {string[]} says */
  const box = (x, y, [name, means]) => svg.append(
    s('rect', { x, y, width: WIDE, height: HIGH, rx: 8, class: 'part' }),
    text(x + WIDE / 2, y + 19, name, 'axis strong'), text(x + WIDE / 2, y + 36, means));
  /** @param {number} y @param {number} from @param {number} to @param {string} said */
  const arrow = (y, from, to, said) => {
    const back = to > from ? -7 : 7;
    svg.append(s('line', { x1: from, x2: to, y1: y, y2: y, class: 'curve' }),
      s('polygon', { points: `${to},${y} ${to + back},${y - 4} ${to + back},${y + 4}`, class: 'bar' }),
      text((from + to) / 2, y - 8, said, 'axis'));
  };
  const [left, right] = [2, 338 - WIDE];
  svg.append(text(left + WIDE / 2, 16, asking, 'axis strong'), text(right + WIDE / 2, 16, giving, 'axis strong'));
  box(left, 26, t.query);
  box(right, 26, t.key);
  box(right, 150, t.value);
  box(left, 150, t.output);
  arrow(49, left + WIDE, right, 'q \u00b7 k');
  arrow(173, right, left + WIDE, t.passes);
  svg.append(s('line', { x1: 170, x2: 170, y1: 60, y2: 96, class: 'curve' }),
    text(170, 112, t.share, 'axis'), s('line', { x1: 170, x2: 170, y1: 120, y2: 152, class: 'curve' }));
  return svg;
}
