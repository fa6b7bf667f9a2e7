// inline.js - files inside of their address, data:, as bundlers make of small ones. Policies of pages forbid to fetch
// them. Loaded by download.js and cache.js.

/**
 * @param {import('./source.js').Io} io
 * @param {string} address
 * @returns {import('./source.js').Chunks}
 */
export function inlineChunks({ byteChunks, unreadable }, address) {
  const [, base64, data = ''] = /^data:[^,]*?(;base64)?,(.*)$/is.exec(address) ?? [];
  try {
    const binary = data.replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
    return byteChunks(Uint8Array.from(base64 ? atob(binary) : binary, (c) => c.charCodeAt(0)));
  } catch (error) {
    throw unreadable(`${address.slice(0, 40)}…: found no base64`, error);
  }
}
