// bytes.js - concatenates byte arrays; used by files/, formats/, model/ and wasm/.

/** @param {readonly (Uint8Array | number[])[]} parts */
export function concat(parts) {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
