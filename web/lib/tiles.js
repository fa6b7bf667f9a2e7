// tiles.js - draws the visible part of a big matrix; used by matrix.js,
// export.js and the thumbnails of See.

/** Smaller cells are not drawn one by one but as one image. */
export const LEAST = 4;

/** @typedef {ReturnType<typeof import('./colors.js').makePalette>} Palette */

/**
 * @typedef {object} Map
 * @property {ArrayLike<number>} data  rows * cols
 * @property {number} rows
 * @property {number} cols
 * @property {'sequential' | 'diverging'} [scale]
 * @property {number} [reach]  the number that has the last colour, default 1
 */

/**
 * The visible part of a matrix: its top left corner, the size of a cell and its own size, in pixels.
 *
 * @typedef {{ x: number, y: number, cell: number, width: number, height: number }} View
 */

/**
 * Rows and columns that are at least partly visible, [from, to).
 *
 * @param {Map} map @param {View} view
 */
export function visible({ rows, cols }, { x, y, cell, width, height }) {
  const range = (/** @type {number} */ at, /** @type {number} */ room, /** @type {number} */ n) => {
    const from = Math.max(0, Math.floor(at / cell));
    return [from, Math.max(from, Math.min(n, Math.ceil((at + room) / cell)))];
  };
  return { rows: range(y, height, rows), cols: range(x, width, cols) };
}

/** @type {WeakMap<object, { palette: Palette, image: HTMLCanvasElement }>} */
const images = new WeakMap();

/**
 * A canvas with one pixel per cell, created once per matrix and palette.
 *
 * @param {Map} map @param {Palette} palette
 */
export function imageOf(map, palette) {
  const kept = images.get(map);
  if (kept?.palette === palette) return kept.image;
  const image = document.createElement('canvas');
  shrinkInto(image, map, palette, map.cols, map.rows);
  images.set(map, { palette, image });
  return image;
}

/**
 * A matrix in fewer pixels. Each shows the greatest of its cells, so that no bright cell is lost.
 *
 * @param {HTMLCanvasElement} canvas @param {Map} map @param {Palette} palette
 * @param {number} width @param {number} height
 */
export function shrinkInto(canvas, { data, rows, cols, scale = 'sequential', reach = 1 }, palette, width, height) {
  canvas.width = width;
  canvas.height = height;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const pixels = context.createImageData(width, height);
  for (let y = 0; y < height; y++) {
    const [top, bottom] = [Math.floor((y * rows) / height), Math.ceil(((y + 1) * rows) / height)];
    for (let x = 0; x < width; x++) {
      const [left, right] = [Math.floor((x * cols) / width), Math.ceil(((x + 1) * cols) / width)];
      let most = 0;
      for (let r = top; r < bottom; r++) {
        for (let c = left; c < right; c++) {
          const value = data[r * cols + c];
          if (Math.abs(value) > Math.abs(most) && Number.isFinite(value)) most = value;
        }
      }
      const [red, green, blue] = palette.channels(scale, most / reach);
      pixels.data.set([red, green, blue, 255], (y * width + x) * 4);
    }
  }
  context.putImageData(pixels, 0, 0);
}

/**
 * Draw the visible part of a matrix, with its top left corner at the context's origin.
 *
 * @param {CanvasRenderingContext2D} context @param {Map} map @param {View} view @param {Palette} palette
 * @returns {number}  the number of cells drawn one by one, or 0 if they are too small
 */
export function drawCells(context, map, view, palette) {
  const { data, rows, cols, scale = 'sequential', reach = 1 } = map;
  const { x, y, cell } = view;
  if (cell < LEAST) {
    context.imageSmoothingEnabled = false;
    context.drawImage(imageOf(map, palette), -x, -y, cols * cell, rows * cell);
    return 0;
  }
  const seen = visible(map, view);
  // edges at whole pixels, so that there are no seams between cells
  const edge = (/** @type {number} */ i, /** @type {number} */ at) => Math.round(i * cell - at);
  const gap = cell >= 12 ? 1 : 0;
  for (let r = seen.rows[0]; r < seen.rows[1]; r++) {
    const top = edge(r, y);
    const height = edge(r + 1, y) - top - gap;
    for (let c = seen.cols[0]; c < seen.cols[1]; c++) {
      const left = edge(c, x);
      context.fillStyle = palette.color(scale, data[r * cols + c] / reach);
      context.fillRect(left, top, edge(c + 1, x) - left - gap, height);
    }
  }
  return (seen.rows[1] - seen.rows[0]) * (seen.cols[1] - seen.cols[0]);
}
