// installed.js - the models that a program finds by itself. In Node: packages heed-model-* in node_modules, and what
// `heed fetch` has stored. Everywhere: packages that were imported. Loaded by lookup.js and cli/ if no index is given.
//
//   node_modules/heed-model-de-en/index.json      { "models": [{ "source": "de", "target": "en", "path": "./" }] }
//   import 'heed-model-de-en';                    adds { pairs, files } to the list of imported models

import { builtin, isNode } from '../base/host.js';
import { pairsOf } from '../model/languages.js';

/** @typedef {import('./lookup.js').Entry} Entry */

/** The list of imported models: a package knows no more of heed than this name. */
const IMPORTED = Symbol.for('heed.models');
/** What `from` of a heed.json says that `heed fetch` has written. */
export const FETCHED = 'heed fetch';

/**
 * The place of a model of which each file has its own address: the directory, if they are in one under their names.
 * Bundlers give them other names.
 *
 * @param {Record<string, string>} files  addresses by name
 */
function placeOf(files) {
  const base = new URL('.', files['heed.json']).href;
  return Object.entries(files).every(([name, address]) => address === base + name) ? new URL(base) : files;
}

/** @returns {Entry[]} */
const imported = () =>
  (/** @type {any} */ (globalThis)[IMPORTED] ?? []).flatMap((/** @type {any} */ { pairs, files }) =>
    pairs.map((/** @type {[string, string]} */ [source, target]) => ({ source, target, place: placeOf(files) })));

/** The directory and those above it. @param {any} path @param {string} directory @returns {string[]} */
function upwards(path, directory) {
  const above = path.dirname(directory);
  return above === directory ? [directory] : [directory, ...upwards(path, above)];
}

/** @param {string} file @returns {Promise<any>}  undefined if there is none, or it is no JSON */
async function readJson(file) {
  const { readFile } = await builtin('fs/promises');
  return readFile(file, 'utf8').then(JSON.parse).catch(() => undefined);
}

/** The models of packages, those of the nearest node_modules first. @returns {Promise<Entry[]>} */
async function packaged() {
  const [path, { fileURLToPath }, { readdir }] = await Promise.all(['path', 'url', 'fs/promises'].map(builtin));
  const list = async (/** @type {string} */ folder, /** @type {RegExp} */ names) =>
    (await readdir(folder).catch(() => [])).sort().filter((/** @type {string} */ name) => names.test(name))
      .map((/** @type {string} */ name) => path.join(folder, name));
  // a bundle may have no file of its own
  const own = import.meta.url?.startsWith('file:') ? upwards(path, path.dirname(fileURLToPath(import.meta.url))) : [];
  const found = [];
  for (const above of new Set([...upwards(path, process.cwd()), ...own])) {
    const modules = path.join(above, 'node_modules');
    const folders = [modules, ...(await list(modules, /^@/))];
    const packages = (await Promise.all(folders.map((folder) => list(folder, /^heed-model-/)))).flat();
    for (const folder of packages) {
      const { models } = (await readJson(path.join(folder, 'index.json'))) ?? {};
      for (const model of Array.isArray(models) ? models : []) {
        const { source, target, path: inside } = model ?? {};
        if (![source, target, inside].every((part) => typeof part === 'string')) continue;
        found.push({ source, target, place: path.join(folder, inside) });
      }
    }
  }
  return found;
}

/**
 * The models that `heed fetch` has stored without being given a directory: those of a given cache, then those of the
 * default one.
 *
 * @param {boolean | string} [given]  a string: the directory of a cache
 * @returns {Promise<Entry[]>}
 */
export async function findFetched(given) {
  const [path, { readdir }] = await Promise.all(['path', 'fs/promises'].map(builtin));
  const { cacheDirectory } = await import('../files/folder.js');
  const all = [...(typeof given === 'string' ? [given] : []), await cacheDirectory()];
  const caches = new Set(all.map((cache) => path.resolve(cache)));
  const found = [];
  for (const cache of caches) {
    for (const name of (await readdir(cache).catch(() => [])).sort()) {
      const place = path.join(cache, name);
      const manifest = await readJson(path.join(place, 'heed.json'));
      for (const [source, target] of manifest?.from === FETCHED ? pairsOf(manifest) : []) {
        if (source && target) found.push({ source, target, place });
      }
    }
  }
  return found;
}

/**
 * All models that need not be named: imported ones first, then packages, then fetched ones.
 *
 * @param {boolean | string} [cache]  where fetched ones are looked for first
 * @param {Entry[]} [fetched]  of this cache, if they are known
 * @returns {Promise<Entry[]>}
 */
export async function findInstalled(cache, fetched) {
  const all = [...imported(), ...(isNode ? [...(await packaged()), ...(fetched ?? await findFetched(cache))] : [])];
  return Object.assign(all, { toString: () => 'what is installed' });
}
