// export.js - saves a view as a file: SVG, PNG, CSV, JSON; used by the room See.

import { palette } from './colors.js';
import { imageOf } from './tiles.js';

/** With more cells, an SVG has an image with one pixel per cell instead of rectangles. */
const RECTANGLES = 4096;
/** The longest side of a PNG that all browsers can create. */
const LONGEST = 8192;
export const FONT = 'system-ui, "Noto Sans", "Liberation Sans", sans-serif';

/** @param {unknown} text */
export const escapeXml = (text) =>
  String(text).replace(/[&<>"]/g, (c) =>
    /** @type {any} */ ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c])
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '\ufffd');

/**
 * A complete document with the given SVG elements.
 *
 * @param {number} width @param {number} height @param {string} inner @param {string} [title]
 */
export function svgDocument(width, height, inner, title = '') {
  const { bg } = palette();
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.ceil(width)}" height="${Math.ceil(height)}" `
    + `viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}" font-family="${escapeXml(FONT)}" font-size="13">`
    + `<title>${escapeXml(title)}</title><rect width="100%" height="100%" fill="${bg}"/>${inner}</svg>`;
}

/** @param {number} x @param {number} y @param {string} text @param {string} fill @param {string} [more]  attributes */
export const svgText = (x, y, text, fill, more = '') =>
  `<text x="${x}" y="${y}" fill="${fill}" ${more}>${escapeXml(text)}</text>`;

/**
 * The cells of a matrix as SVG elements.
 *
 * @param {{ data: ArrayLike<number>, rows: number, cols: number, scale?: 'sequential' | 'diverging',
 *   reach?: number }} map
 * @param {number} x @param {number} y @param {number} size  of a cell
 */
export function svgCells(map, x, y, size) {
  const { data, rows, cols, scale = 'sequential', reach = 1 } = map;
  const colors = palette();
  if (rows * cols > RECTANGLES) {
    return `<image x="${x}" y="${y}" width="${cols * size}" height="${rows * size}" preserveAspectRatio="none" `
      + `image-rendering="pixelated" href="${imageOf(map, colors).toDataURL()}"/>`;
  }
  let out = '';
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < cols; c++) {
      out += `<rect x="${x + c * size}" y="${y + r * size}" width="${size}" height="${size}" `
        + `fill="${colors.color(scale, data[r * cols + c] / reach)}"/>`;
    }
  }
  return out;
}

/**
 * A matrix with its labels as an SVG document.
 *
 * @param {Parameters<typeof svgCells>[0] & { rowLabels: string[], colLabels: string[], label: string }} map
 */
export function matrixSvg(map) {
  const { rows, cols, rowLabels, colLabels, label } = map;
  const { fg } = palette();
  const size = Math.max(rows, cols) > 200 ? 12 : 24;
  const font = size === 12 ? 9 : 13;
  const room = (/** @type {string[]} */ labels) => 24 + Math.max(...labels.map((text) => text.length)) * font * 0.62;
  const [left, top] = [room(rowLabels), room(colLabels) + 24];
  const texts = rowLabels.map((text, r) =>
    svgText(left - 6, top + (r + 0.5) * size + font * 0.35, text, fg, `text-anchor="end" font-size="${font}"`));
  texts.push(...colLabels.map((text, c) => {
    const x = left + (c + 0.5) * size + font * 0.35;
    return svgText(x, top - 6, text, fg, `transform="rotate(-90 ${x} ${top - 6})" font-size="${font}"`);
  }));
  const titled = 32 + label.length * 8.5;
  return svgDocument(Math.max(titled, left + cols * size + 16), top + rows * size + 16,
    svgText(16, 20, label, fg, 'font-weight="600"') + texts.join('') + svgCells(map, left, top, size), label);
}

/** Rows as CSV according to RFC 4180. @param {unknown[][]} rows */
export const toCsv = (rows) =>
  `${rows.map((row) => row.map((cell) => {
    const text = String(cell);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }).join(',')).join('\r\n')}\r\n`;

/** A document as a picture of twice its size. @param {string} document_ @returns {Promise<Blob>} */
export async function svgToPng(document_) {
  const url = URL.createObjectURL(new Blob([document_], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const factor = Math.min(2, LONGEST / Math.max(image.width, image.height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.round(image.width * factor);
    canvas.height = Math.round(image.height * factor);
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no PNG from the browser'))), 'image/png'));
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Offer a file as a download. @param {string} name @param {Blob} blob */
export function download(name, blob) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // the download has started by then
  setTimeout(() => URL.revokeObjectURL(link.href), 30_000);
}

/**
 * The exports of a view; each is created on demand, as this file is loaded on demand. `svg` gets what it draws with.
 *
 * @typedef {{ name: string, svg: (tools: typeof TOOLS) => string, rows: () => unknown[][],
 *   json: () => unknown }} Exports
 */

const TOOLS = { matrixSvg, svgCells, svgDocument, svgText };

/** @param {'PNG' | 'SVG' | 'CSV' | 'JSON'} kind @param {Exports} what */
export async function exportAs(kind, what) {
  const blob = {
    PNG: () => svgToPng(what.svg(TOOLS)),
    SVG: () => new Blob([what.svg(TOOLS)], { type: 'image/svg+xml' }),
    CSV: () => new Blob([toCsv(what.rows())], { type: 'text/csv' }),
    JSON: () => new Blob([JSON.stringify(what.json(), null, 1)], { type: 'application/json' }),
  }[kind];
  download(`${what.name}.${kind.toLowerCase()}`, await blob());
}
