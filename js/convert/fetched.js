// fetched.js - the models that `heed fetch` has stored in the cache, each in a directory: lists, deletes and updates
// them. Used by stored.js and `heed fetch`.

import { readdir, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fetchFiles, findModel, listModels } from './firefox.js';
import { fetchDirectory, FROM, readManifest } from './repository.js';

/** What tells whose files a directory has: the second, if the download ended early. */
const MANIFESTS = ['heed.json', 'heed.json.partial'];

/** @typedef {import('../files/kept.js').Kept} Kept */

/** Where models are stored if no directory is given. @param {string} [cache] */
export const cacheDirectory = (cache) =>
  cache ?? join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'heed');

/** @param {string} [cache] @returns {Promise<Kept[]>}  with those of which the download ended early */
export async function listFetched(cache) {
  const found = [];
  for (const name of (await readdir(cacheDirectory(cache)).catch(() => [])).sort()) {
    const directory = join(cacheDirectory(cache), name);
    const manifest = await readManifest(directory, MANIFESTS).catch(() => /** @type {Record<string, any>} */ ({}));
    if (manifest.from !== FROM) continue;
    const sizes = manifest.files ? Object.values(Object(manifest.files)).map((file) => Number(file?.size) || 0)
      : await Promise.all((await readdir(directory)).map(async (file) => (await stat(join(directory, file))).size));
    const version = String(manifest.version ?? /^Firefox .* (\S+)$/.exec(manifest.name)?.[1] ?? '');
    found.push({ name, size: sizes.reduce((sum, size) => sum + size, 0), version, directory });
  }
  return found;
}

/** @param {string} directory */
export const removeFetched = (directory) => rm(directory, { recursive: true });

/**
 * @param {string} directory
 * @param {{ mirror?: string, signal?: AbortSignal }} options  mirror: for Firefox's models; default: the one that they
 *   are from
 * @returns {Promise<boolean>}  whether anything was downloaded
 */
export async function updateFetched(directory, { mirror, signal }) {
  const { url, source, target, mirror: earlier, files, about } = await readManifest(directory, MANIFESTS);
  if (url !== undefined) {
    const first = files === undefined ? about : {}; // of a download that ended early
    return (await fetchDirectory(url, directory, { ...first, signal })).count > 0;
  }
  const from = mirror ?? earlier;
  const model = findModel(await listModels({ mirror: from, signal }), `${source}-${target}`);
  return (await fetchFiles(model, directory, { mirror: from, signal })) > 0;
}
