// kept.js - the models whose files were stored when they were downloaded, see cache.js: lists, deletes and updates
// them. Public in pages as 'heed/cache', see cache.js of js/. Used by convert/stored.js.

import { checkOptions } from '../base/check.js';
import { parseJson } from '../base/json.js';
import { instantiate } from '../wasm/module.js';
import { openStore } from './cache.js';
import { UNREAD } from './complete.js';
import { listedFiles, openSource } from './source.js';

/**
 * @typedef {object} Kept  a model that is stored
 * @property {string} name  by which it is deleted and updated: its URL, or that of its directory in the cache
 * @property {number} size  bytes of its files
 * @property {string} version  as far as the server told one: the ETag of its heed.json or weights, or its release
 * @property {string} [directory]  where it is, if `heed fetch` stored it
 * @property {boolean} [isPartial]  its download by `heed fetch` ended early
 */

/**
 * @typedef {object} Options
 * @property {string} [cache]  the directory, in Node
 * @property {string} [mirror]  of Firefox's models, in Node
 * @property {AbortSignal} [signal]  of an update
 */

/** Their names. */
export const OPTIONS = 'cache mirror signal';

/** The URL of the directory of a file. @param {string} url */
const baseOf = (url) => new URL('.', url).href;

/** @param {string} [cache] */
async function open(cache) {
  const { io } = await openSource({});
  return { io, store: await openStore(io, cache ?? true) };
}

/** The files that a heed.json lists. @param {Uint8Array | null | undefined} bytes  empty: the server has none */
const listedBy = (bytes) => listedFiles(bytes?.length ? parseJson(bytes, 'heed.json') : {});

/** The models that are stored. @param {Options} [options] @returns {Promise<Kept[]>}  by name */
export async function listKept(options = {}) {
  const { store } = await open(checkOptions(options, OPTIONS).cache);
  /** @type {Map<string, Kept>} */
  const found = new Map();
  /** Those with another file than the index.json that a page also stores. @type {Set<string>} */
  const models = new Set();
  for (const { url, size, version, isMissing } of (await store?.list()) ?? []) {
    if (isMissing) continue;
    const name = baseOf(url);
    const before = found.get(name);
    // a file of weights may say what heed.json, if there is one, says better
    if (!new URL(url).pathname.endsWith('/index.json')) models.add(name);
    const isNamed = url.endsWith('/heed.json') || (!before?.version && /\.(safetensors|bin|npz)$/.test(url));
    const told = (isNamed && version) || (before?.version ?? '');
    found.set(name, { name, size: size + (before?.size ?? 0), version: told });
  }
  return [...found.values()].filter(({ name }) => models.has(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The stored files of a model. @param {import('./cache.js').Store | null} store @param {string} name */
async function filesOf(store, name) {
  const own = ((await store?.list()) ?? []).filter(({ url }) => baseOf(url) === name);
  if (own.length === 0) throw new RangeError(`${name}: found no stored model of this name`);
  return own;
}

/**
 * Deletes a model.
 *
 * @param {string} name  of list()
 * @param {Options} [options]
 * @returns {Promise<void>}  RangeError: there is none
 */
export async function removeKept(name, options = {}) {
  const { store } = await open(checkOptions(options, OPTIONS).cache);
  for (const { url } of await filesOf(store, name)) await store?.remove(url);
}

/**
 * Asks the server for what has changed, and stores it.
 *
 * @param {string} name  of list()
 * @param {Options} [options]
 * @returns {Promise<boolean>}  whether anything was downloaded. RangeError: there is none
 */
export async function updateKept(name, options = {}) {
  const { cache, signal } = checkOptions(options, OPTIONS);
  const { io, store } = await open(cache);
  const versions = (/** @type {Awaited<ReturnType<typeof filesOf>>} */ all) =>
    all.map(({ url, sha256, version }) => `${url} ${sha256 || version}`).sort().join('\n');
  const before = await filesOf(store, name);
  const old = await store?.get(`${name}heed.json`);
  const { chunks: oldChunks, ...about } = old ?? {};
  const bytes = oldChunks && await io.readAll(oldChunks);
  const earlier = await (async () => listedBy(bytes))().catch(() => new Map()); // loading has refused it
  const core = await instantiate();
  try {
    const files = await openSource(new URL(name), signal, { cache: cache ?? true, sha256: () => core.sha256() });
    const listed = listedBy(await files.readOptional('heed.json'));
    files.expect(listed);
    const kept = before.filter(({ isMissing }) => !isMissing).map(({ url }) => url.slice(name.length));
    // files that the old list has and that are not stored are skipped: loading does not read them
    const added = [...listed.keys()].filter((file) => !earlier.has(file) && !UNREAD.includes(file));
    try {
      for (const file of new Set([...added, ...kept])) {
        if (file === 'heed.json') continue;
        const chunks = await files.find(file, true);
        try {
          while (await chunks?.next()); // what was downloaded is stored at its end
        } finally {
          await chunks?.close();
        }
      }
    } catch (error) {
      // the old list fits what is stored, and the next update asks for the same files again
      if (bytes && added.length > 0) {
        const sink = await store?.create(/** @type {any} */ (about));
        await sink?.write(bytes);
        await sink?.commit();
      }
      throw error;
    }
  } finally {
    core.dispose();
  }
  return versions(before) !== versions(await filesOf(store, name));
}
