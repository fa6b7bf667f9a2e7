// fetched.js - the models that `heed fetch` has stored in the cache, each in a directory: lists, deletes and updates
// them. Used by stored.js and `heed fetch`.

import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDirectory } from '../files/folder.js';
import { FETCHED } from '../translate/installed.js';
import { fetchFiles, findModel, listModels } from './firefox.js';
import { fetchDirectory, readManifest } from './repository.js';

/** The files that name the owner of a directory. The second is there if the download ended early. */
const MANIFESTS = ['heed.json', 'heed.json.partial'];

/** @typedef {import('../files/kept.js').Kept} Kept */

/** @param {string} [given]  a cache @returns {Promise<Kept[]>}  includes incomplete downloads */
export async function listFetched(given) {
  const cache = given ?? await cacheDirectory();
  const found = [];
  for (const name of (await readdir(cache).catch(() => [])).sort()) {
    const directory = join(cache, name);
    const manifest = await readManifest(directory, MANIFESTS).catch(() => /** @type {Record<string, any>} */ ({}));
    if (manifest.from !== FETCHED) continue;
    const files = await readdir(directory);
    const sizes = manifest.files ? Object.values(Object(manifest.files)).map((file) => Number(file?.size) || 0)
      : await Promise.all(files.map(async (file) => (await stat(join(directory, file))).size));
    const version = String(manifest.version ?? /^Firefox .* (\S+)$/.exec(manifest.name)?.[1] ?? '');
    const size = sizes.reduce((sum, each) => sum + each, 0);
    found.push({ name, size, version, directory, ...(!files.includes(MANIFESTS[0]) && { isPartial: true }) });
  }
  return found;
}

/** Whether a model is one of Firefox's: the others have a URL. @param {string} directory */
export const isOfFirefox = async (directory) => (await readManifest(directory, MANIFESTS)).url === undefined;

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
  const model = findModel(await listModels({ mirror: from, signal }), `${source}-${target}`, from);
  return (await fetchFiles(model, directory, { mirror: from, signal })) > 0;
}
