// complete.js - whether a model is stored as a whole. Loaded by download.js; kept.js has its list.

/** Files of a model that only transformers reads, so that none is ever stored. */
export const UNREAD = ['tokenizer_config.json', 'special_tokens_map.json'];

/** heed.json; {} if it is '', because the server does not have it, or broken. @param {string} text */
function parsed(text) {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/**
 * Whether a model works without the network: all files that its stored heed.json lists are stored with the same hashes;
 * without a list, its configuration and weights are.
 *
 * @param {import('./source.js').Io} io
 * @param {import('./cache.js').Store} store
 * @param {(name: string) => any} addressOf  where a file was loaded from, or the file
 */
export async function isKept(io, store, addressOf) {
  const { readAll } = io;
  const get = async (/** @type {string} */ name) => {
    const file = addressOf(name);
    const isInline = typeof file === 'string' && file.startsWith('data:');
    if (file === undefined || (typeof file === 'string' && !isInline)) return file && store.get(file);
    const chunks = isInline ? (await import('./inline.js')).inlineChunks(io, file)
      : await (await import('./local.js')).givenChunks(io, { [name]: file }, name);
    return chunks && { chunks, isMissing: false, sha256: null };
  };
  const kept = await get('heed.json');
  const text = kept ? new TextDecoder().decode(await readAll(kept.chunks)) : '';
  const listed = Object.entries(Object(parsed(text).files));
  if (listed.length === 0) {
    const read = async (/** @type {string} */ name) => {
      const file = await get(name);
      return file && readAll(file.chunks);
    };
    const has = async (/** @type {string} */ name) => {
      const file = await get(name);
      await file?.chunks.close();
      return Boolean(file && !file.isMissing);
    };
    return (await has('config.json')) && (await import('./needed.js')).hasWeights({ has, read });
  }
  for (const [name, entry] of listed) {
    if (UNREAD.includes(name)) continue;
    const file = await get(name);
    await file?.chunks.close();
    const isOther = entry?.sha256 && file?.sha256 !== null && file?.sha256 !== String(entry.sha256).toLowerCase();
    if (!file || file.isMissing || isOther) return false;
  }
  return true;
}
