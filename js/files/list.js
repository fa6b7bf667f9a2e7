// list.js - the names of the files of a model. Used by formats/, translate/, convert/ and cli/.

import { builtin } from '../base/host.js';

/**
 * Names of the files at a source; of those at a URL, which cannot be listed, the ones that heed.json lists.
 *
 * @param {Awaited<ReturnType<typeof import('./source.js').openSource>>} files
 * @returns {Promise<string[]>}
 */
export async function listFiles({ url, path, source, listedNames }) {
  if (path === undefined) return url ? listedNames() : Object.keys(source);
  const { readdir } = await builtin('fs/promises');
  return readdir(path).catch(() => []);
}
