// lookup.js - finds the model for a pair of languages, and whether its files are local, on a server, or missing. Loaded
// by translator.js if no model is given, and for Translator.availability().

import { badType } from '../base/check.js';
import { E_JSON } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { builtin } from '../base/host.js';
import { mismatch, parseJson } from '../base/json.js';
import { listFiles } from '../files/list.js';
import { listedFiles, openRemote, openSource, readFileAt } from '../files/source.js';
import { checkPair, checkTag, notSupported } from '../model/languages.js';

/** @typedef {Awaited<ReturnType<typeof openSource>>} Files */
/** @typedef {'unavailable' | 'downloadable' | 'available'} Availability */

/** @typedef {{ source: string, target: string, place: string | URL | Record<string, string> }} Entry  a model */
/** @typedef {string | URL | Entry[]} Index  an index.json, or what it says */

/** Chooses by languages and scripts. Not loaded if an index states the pair itself. */
const ways = () => import('./ways.js');

/**
 * The models of an index.
 *
 * @param {Index} index  an index.json: { "models": [{ "source": "en", "target": "de", "path": "en-de/" }] }
 * @param {AbortSignal} [signal]
 * @param {boolean | string} [cache]
 * @returns {Promise<Entry[]>}
 */
export async function readIndex(index, signal, cache) {
  if (Array.isArray(index)) return index;
  if (typeof index !== 'string' && !(index instanceof URL)) badType('models', index, 'the URL of an index.json');
  const { bytes, sibling } = await readFileAt(index, signal, cache);
  const { models: list } = parseJson(bytes, String(index));
  const isEntry = (/** @type {any} */ m) => [m?.source, m?.target, m?.path].every((v) => typeof v === 'string');
  if (!Array.isArray(list) || !list.every(isEntry)) {
    throw new HeedError(E_JSON, mismatch(`${index}: models`, list, 'an array of { source, target, path }'));
  }
  return list.map(({ source, target, path }) => ({ source, target, place: sibling(path) }));
}

/**
 * The place of the model for a pair, in the first index that has it in these scripts; or else two models with a
 * language in between; or else a model or two for other scripts. An unreadable index is an error only if no other index
 * has a model for the languages.
 *
 * @param {object} options
 * @param {string | URL | readonly Index[]} [options.models]  undefined: what is installed
 * @param {string} options.source
 * @param {string} options.target
 * @param {string | false} [options.pivot]  the language in between; false: none
 * @param {AbortSignal} [options.signal]
 * @param {boolean | string} [options.cache]
 * @returns {Promise<Entry['place'] | Entry[]>}  NotSupportedError: there is none
 */
export async function findModel({ models, source, target, pivot, signal, cache }) {
  models ??= [await (await import('./installed.js')).findInstalled(cache)];
  const middle = pivot === undefined || pivot === false ? pivot : checkTag(pivot, 'pivot');
  const errors = [];
  const all = [];
  for (const index of /** @type {Index[]} */ ([models].flat())) {
    try {
      const list = await readIndex(index, signal, cache);
      const own = list.find((model) => model.source === source && model.target === target)
        ?? (await ways()).findOwn(list, source, target);
      if (own) return own.place;
      all.push(...list);
    } catch (error) {
      signal?.throwIfAborted();
      errors.push(error);
    }
  }
  const way = (await ways()).findWay(all, source, target, middle, errors);
  if (way) return way;
  throw notSupported(`${models} has no model from ${source} to ${target}${middle ? `, nor two with ${middle}` : ''}`);
}

/** @param {Files} files @returns {Promise<Record<string, unknown>>}  heed.json, or {} */
export async function readManifest(files) {
  const bytes = await files.readOptional('heed.json');
  return bytes ? parseJson(bytes, 'heed.json') : {};
}

/** Whether a file of a directory has the size that heed.json lists. @param {string} path @param {number} size */
async function hasSize(path, size) {
  const { stat } = await builtin('fs/promises');
  return (await stat(path).catch(() => null))?.size === size;
}

/**
 * What the files of a directory are if there is no config.json, see layout.js.
 *
 * @param {string[]} names
 */
const layoutOf = async (names) =>
  (names.includes('config.json') ? null : (await import('../files/layout.js')).findLayout(names));

/**
 * Whether all files exist and none is truncated.
 *
 * @param {Files} files
 * @param {string[]} names
 * @param {Record<string, unknown>} manifest
 */
async function isComplete(files, names, manifest) {
  const listed = listedFiles(manifest);
  for (const [name, { size }] of listed) {
    if (files.path !== undefined && !(await hasSize(`${files.path}/${name}`, size))) return false;
  }
  if (![...listed.keys()].every((name) => names.includes(name))) return false;
  const layout = await layoutOf(names);
  if (layout) return layout.vocabularies !== undefined;
  const { isWhole, listed: listing } = await import('../files/needed.js');
  return isWhole(listing(names, files.readOptional));
}

/**
 * Whether a server has the model, and its manifest.
 *
 * @param {Files} files
 * @param {string[]} names  if they are known
 */
async function readRemote(files, names) {
  const manifest = await readManifest(files);
  const probe = names.includes('config.json') ? 'config.json' : names[0] ?? 'config.json';
  return Object.keys(manifest).length > 0 || (await isThere(files, probe)) ? manifest : null;
}

/** The same files; each is read once. @param {Files} files @returns {Files} */
function readOnce(files) {
  /** @type {Record<string, ReturnType<Files['readOptional']>>} */
  const read = {};
  return { ...files, readOptional: (name) => (read[name] ??= files.readOptional(name)) };
}

/** Whether a server has a file. Only of config.json is anything read. @param {Files} files @param {string} name */
export async function isThere(files, name) {
  if (name === 'config.json') return Boolean(await files.readOptional(name));
  const chunks = await files.find(name, true);
  await chunks?.close();
  return chunks !== null;
}

/** The best first. */
const AVAILABILITIES = /** @type {const} */ (['available', 'downloadable', 'unavailable']);

/**
 * @param {import('../files/source.js').ModelSource} from
 * @param {boolean | string} cache
 * @param {[source: string, target: string]} pair
 * @returns {Promise<Availability>}
 */
async function availabilityOf(from, cache, pair) {
  // stores nothing: a newer heed.json would not match the stored files
  const files = readOnce(await openSource(from));
  const { url } = files;
  const names = url ? [] : await listFiles(files);
  if (!url && names.length === 0) return 'unavailable'; // no directory, or an empty one
  const given = /** @type {Record<string, string>} */ (files.path === undefined && !url ? from : {});
  const isRemote = url !== undefined || Object.values(given).some((file) =>
    typeof file === 'string' && /^https?:/i.test(file));
  const addressOf = (/** @type {string} */ name) => (Object.hasOwn(given, name) ? given[name] : undefined);
  const isKept = isRemote && (await (await openRemote(cache)).isKept(url ?? addressOf));
  try {
    const manifest = await (isRemote ? readRemote(files, names) : readManifest(files));
    if (manifest?.moved) return 'unavailable';
    const layout = await layoutOf(url ? [...listedFiles(manifest ?? {}).keys()] : names);
    checkPair(...pair)({ ...layout?.languages, ...manifest });
    if (!manifest) return 'unavailable';
    const has = (/** @type {string} */ name) => (url ? isThere(files, name) : names.includes(name));
    await (await import('../model/stated.js')).checkFiles(files, manifest, has, pair);
    if (!url && !(await isComplete(files, names, manifest))) return 'unavailable';
    return isRemote && !isKept ? 'downloadable' : 'available';
  } catch (/** @type {any} */ error) {
    if (error.name === 'NotSupportedError') return 'unavailable';
    if (isKept && error.name === 'NetworkError') return 'available';
    throw error;
  }
}

/**
 * The availability of a model, or of the model or the two models for a pair.
 *
 * @param {Omit<Parameters<typeof findModel>[0], 'cache'> & { cache: boolean | string,
 *   model?: import('../files/source.js').ModelSource }} options
 * @returns {Promise<Availability>}
 */
export async function availability({ model, ...options }) {
  const { source, target, cache } = options;
  try {
    const place = model ?? (await findModel(options));
    const steps = Array.isArray(place) ? place : [{ source, target, place }];
    const all = await Promise.all(steps.map((step) =>
      availabilityOf(step.place, cache, [step.source, step.target])));
    return AVAILABILITIES[Math.max(...all.map((each) => AVAILABILITIES.indexOf(each)))];
  } catch (/** @type {any} */ error) {
    if (error.name === 'NotSupportedError') return 'unavailable';
    throw error;
  }
}
