// chart.js - small charts as SVG: lines, bars, arrows in a plane. Used by the chapters of Learn; no library.

import { LARGE, fixed, local } from '../lib/words.js';

const SVG = 'http://www.w3.org/2000/svg';

/**
 * @param {string} tag
 * @param {Record<string, string | number>} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElement}
 */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return /** @type {SVGElement} */ (element);
}

/**
 * Round numbers from low to high, about `count` of them.
 *
 * @param {number} low
 * @param {number} high
 * @param {number} [count]
 */
export function ticks(low, high, count = 4) {
  if (!(high > low)) return [low];
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((x) => x * power >= rough) ?? 10);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) found.push(i * step);
  return found;
}

/** Whether there is little room: then a chart has fewer units, so that its text is not too small. */
export const isNarrow = () => innerWidth < 640;

/** @param {number} x */
export const short = (x) =>
  local(Math.abs(x) < LARGE ? String(Number(x.toPrecision(3))) : x.toExponential(2));

/**
 * A frame with axes to draw into.
 *
 * @param {{ x: [number, number], y: [number, number], xLabel: string, yLabel: string, label: string,
 *   height?: number }} options  x, y: ranges of the axes; label: the chart's text for screen readers
 */
export function chart({ x, y, xLabel, yLabel, label, height = 220 }) {
  const [width, left, right, top, bottom] = [isNarrow() ? 320 : 520, 46, 18, 12, 38];
  const [x1, y1] = [x[1] > x[0] ? x[1] : x[0] + 1, y[1] > y[0] ? y[1] : y[0] + 1];
  const px = (/** @type {number} */ v) => left + ((v - x[0]) / (x1 - x[0])) * (width - left - right);
  const py = (/** @type {number} */ v) => height - bottom - ((v - y[0]) / (y1 - y[0])) * (height - top - bottom);
  const axes = s('g', { class: 'axes' });
  for (const v of ticks(y[0], y1)) {
    axes.append(
      s('line', { x1: left, x2: width - right, y1: py(v), y2: py(v) }),
      s('text', { x: left - 6, y: py(v) + 4, 'text-anchor': 'end' }, short(v)),
    );
  }
  for (const v of ticks(x[0], x1, 6)) {
    axes.append(s('text', { x: px(v), y: height - bottom + 16, 'text-anchor': 'middle' }, short(v)));
  }
  axes.append(
    s('text', { x: width - right, y: height - 4, 'text-anchor': 'end', class: 'axis' }, xLabel),
    s('text', { x: left, y: height - 4, class: 'axis' }, yLabel ? `\u2191 ${yLabel}` : ''),
  );
  const inside = s('g');
  const svg = s(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, class: 'chart', role: 'img', 'aria-label': label },
    axes,
    inside,
  );
  return {
    element: svg,
    px,
    py,
    /** @param {ArrayLike<number>} xs @param {ArrayLike<number>} ys @param {string} [name]  of the class */
    line(xs, ys, name = '') {
      const points = Array.from(xs, (v, i) => `${px(v).toFixed(1)},${py(ys[i]).toFixed(1)}`).join(' ');
      inside.append(s('polyline', { points, class: `curve ${name}` }));
    },
    /** From 0 to each height, side by side over the width. @param {ArrayLike<number>} heights */
    bars(heights) {
      const step = (x1 - x[0]) / heights.length;
      for (let i = 0; i < heights.length; i++) {
        const at = px(x[0] + i * step);
        const end = px(x[0] + (i + 1) * step);
        const [a, b] = [py(Math.max(heights[i], 0)), py(Math.min(heights[i], 0))];
        inside.append(
          s('rect', { x: at + 0.5, y: a, width: Math.max(end - at - 1, 0.5), height: b - a, class: 'bar' }),
        );
      }
    },
  };
}

/**
 * A row of vertical bars for probabilities, each with a name and a number.
 *
 * @param {{ label: string, values: ArrayLike<number>, names: string[], format?: (x: number) => string }} options
 */
export function probabilities({ label, values, names, format = (x) => fixed(x, 2) }) {
  const [step, height] = [(isNarrow() ? 300 : 440) / names.length, 120];
  const svg = s('svg', {
    viewBox: `0 0 ${step * names.length} ${height + 44}`,
    class: 'chart',
    role: 'img',
    'aria-label': `${label}: ${names.map((name, i) => `${name} ${format(values[i])}`).join(', ')}`,
  });
  names.forEach((name, i) => {
    const tall = Math.max(values[i] * height, 0.75);
    const middle = (i + 0.5) * step;
    svg.append(
      s('rect', {
        x: i * step + step * 0.18,
        y: 18 + height - tall,
        width: step * 0.64,
        height: tall,
        rx: 2,
        class: 'bar',
      }),
      s('text', { x: middle, y: 13 + height - tall, 'text-anchor': 'middle', class: 'number' }, format(values[i])),
      s('text', { x: middle, y: height + 36, 'text-anchor': 'middle' }, name),
    );
  });
  return svg;
}
