// fields.js - the body of a request, read with a limit, and the fields in it: JSON, a form, or a form in parts. Used
// by server.js.

import { onAbort } from '../base/host.js';
import { describe, parseJson } from '../base/json.js';

/** A request that is not answered as it wishes: its status and what the client is told. */
export class Refusal extends Error {
  /** @param {number} status @param {string} message @param {Record<string, string>} [headers] */
  constructor(status, message, headers = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/**
 * All bytes of a body. What is not read is left to the server, which reads and drops it.
 *
 * @param {import('node:http').IncomingMessage} request
 * @param {number} most  bytes
 * @param {AbortSignal} signal
 * @returns {Promise<Buffer>}  Refusal 413: it has more bytes
 */
export function readBody(request, most, signal) {
  return new Promise((resolve, reject) => {
    /** @type {Buffer[]} */
    const chunks = [];
    let size = 0;
    const end = (/** @type {() => void} */ settle) => {
      forget();
      request.off('data', add).resume();
      settle();
    };
    const refuse = () => end(() => reject(new Refusal(413, `body: found more than ${most} bytes, the limit`)));
    const add = (/** @type {Buffer} */ chunk) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > most) refuse();
    };
    const forget = onAbort(signal, () => end(() => reject(signal.reason)));
    if (signal.aborted) end(() => reject(signal.reason));
    else if (Number(request.headers['content-length']) > most) refuse();
    else request.on('data', add).once('end', () => end(() => resolve(Buffer.concat(chunks)))).once('error', reject);
  });
}

/** @param {string} text  of a form @returns {Record<string, string>} */
function parseForm(text) {
  /** @type {Record<string, string>} */
  const fields = {};
  for (const pair of text.split('&')) {
    const [name, value = ''] = pair.split(/=(.*)/s).map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
    fields[name] ??= value;
  }
  return fields;
}

/**
 * @param {Buffer} body
 * @param {string} type  its media type, with parameters
 * @returns {Promise<Record<string, unknown>>}
 */
async function parse(body, type) {
  const [kind] = type.split(';').map((part) => part.trim().toLowerCase());
  if (kind === 'application/json' || kind.endsWith('+json')) return parseJson(body, 'body');
  const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  if (kind === 'application/x-www-form-urlencoded') return parseForm(text);
  if (kind === 'multipart/form-data') {
    const form = await new Response(text, { headers: { 'content-type': type } }).formData();
    return Object.fromEntries([...form].reverse()); // the first of each name counts
  }
  throw new Error(`content-type: found ${describe(kind)}, expected application/json, `
    + 'application/x-www-form-urlencoded or multipart/form-data');
}

/**
 * The fields of a request. In forms the ends of lines are CR LF, and become LF; other fields than those of the body may
 * be in the address.
 *
 * @param {Buffer} body
 * @param {string | undefined} type  of the header content-type
 * @param {URLSearchParams} address
 * @returns {Promise<Record<string, unknown>>}  Refusal 400: it cannot be read
 */
export async function readFields(body, type, address) {
  try {
    const isForm = body.length > 0 || type !== undefined;
    const fields = isForm ? await parse(body, type ?? 'nothing') : {};
    if (/json/i.test(type ?? '')) return fields;
    return Object.fromEntries(Object.entries({ ...Object.fromEntries(address), ...fields })
      .map(([name, value]) => [name, typeof value === 'string' ? value.replace(/\r\n?/g, '\n') : value]));
  } catch (error) {
    throw new Refusal(400, `Invalid request: ${/** @type {Error} */ (error).message}`);
  }
}
