// write.js - writes a safetensors file. Used by train.js.

/**
 * A safetensors file of F32 tensors.
 *
 * @param {{ name: string, shape: number[], data: Float32Array }[]} tensors
 * @returns {Uint8Array}
 */
export function writeSafetensors(tensors) {
  /** @type {Record<string, unknown>} */
  const header = { __metadata__: { format: 'pt' } };
  let end = 0;
  for (const { name, shape, data } of tensors) {
    header[name] = { dtype: 'F32', shape, data_offsets: [end, end + data.byteLength] };
    end += data.byteLength;
  }
  let json = new TextEncoder().encode(JSON.stringify(header));
  // the data begins at a multiple of 8, as in files of the format's own library
  const padded = new Uint8Array(Math.ceil(json.length / 8) * 8).fill(0x20);
  padded.set(json);
  json = padded;
  const file = new Uint8Array(8 + json.length + end);
  new DataView(file.buffer).setUint32(0, json.length, true);
  file.set(json, 8);
  let at = 8 + json.length;
  for (const { data } of tensors) {
    file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  return file;
}
