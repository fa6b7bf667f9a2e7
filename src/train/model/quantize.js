// quantize.js - a safetensors file of F32 with its matrices as int8 rows: `<name>` I8 and `<name>.scale` F32. Used by
// make.js.

import { parseHeader } from '../../../js/safetensors.js';

/**
 * Symmetric, by rows: w = scale i, i in -127 … 127, scale = max|w| / 127. Vectors stay as they are.
 *
 * @param {Uint8Array} file
 * @returns {Uint8Array}
 */
export function quantize(file) {
  const length = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  /** @type {Record<string, unknown>} */
  const header = { __metadata__: { format: 'pt' } };
  /** @type {Uint8Array[]} */
  const parts = [];
  let end = 0;
  const add = (/** @type {string} */ name, /** @type {string} */ dtype, /** @type {number[]} */ shape, /** @type {Float32Array | Int8Array} */ data) => {
    header[name] = { dtype, shape, data_offsets: [end, end + data.byteLength] };
    end += data.byteLength;
    parts.push(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  };
  let at = 8 + length;
  for (const { name, shape, bytes } of parseHeader(file.subarray(8, at), 'model.safetensors')) {
    const data = new Float32Array(file.slice(at, at + bytes).buffer);
    at += bytes;
    if (shape.length < 2 || shape[0] === 1) {
      add(name, 'F32', shape, data);
      continue;
    }
    const [rows, cols] = shape;
    const scales = new Float32Array(rows);
    const whole = new Int8Array(rows * cols);
    for (let r = 0; r < rows; r++) {
      const row = data.subarray(r * cols, (r + 1) * cols);
      const scale = Math.fround(row.reduce((max, w) => Math.max(max, Math.abs(w)), 0) / 127);
      scales[r] = scale;
      if (scale > 0) row.forEach((w, c) => void (whole[r * cols + c] = Math.max(-127, Math.min(127, Math.round(w / scale)))));
    }
    add(name, 'I8', shape, whole);
    add(`${name}.scale`, 'F32', [rows], scales);
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  const padded = Math.ceil(json.length / 8) * 8;
  const out = new Uint8Array(8 + padded + end).fill(0x20, 8, 8 + padded);
  new DataView(out.buffer).setUint32(0, padded, true);
  out.set(json, 8);
  end = 8 + padded;
  for (const part of parts) {
    out.set(part, end);
    end += part.length;
  }
  return out;
}
