// stored.js - the models that are stored on this machine: what was downloaded when it was loaded, and what `heed fetch`
// has stored. Public in Node as 'heed/cache'. Used by `heed cache`.

import { checkOptions } from '../base/check.js';
import { listKept, OPTIONS, removeKept, updateKept } from '../files/kept.js';
import { listFetched, removeFetched, updateFetched } from './fetched.js';

/** @typedef {import('../files/kept.js').Kept} Kept */
/** @typedef {import('../files/kept.js').Options} Options */

/** @param {Options} [options] @returns {Promise<Kept[]>} */
export async function list(options = {}) {
  const { cache } = checkOptions(options, OPTIONS);
  return [...(await listFetched(cache)), ...(await listKept({ cache }))];
}

/** The directory of a model of `heed fetch`. @param {string} name @param {Options} options */
const directoryOf = async (name, options) =>
  (await listFetched(checkOptions(options, OPTIONS).cache)).find((model) => model.name === name)?.directory;

/**
 * Deletes a stored model.
 *
 * @param {string} name  of list()
 * @param {Options} [options]
 * @returns {Promise<void>}  RangeError: there is none
 */
export async function remove(name, options = {}) {
  const directory = await directoryOf(name, options);
  await (directory === undefined ? removeKept(name, options) : removeFetched(directory));
}

/**
 * Downloads what has changed on the server.
 *
 * @param {string} name  of list()
 * @param {Options} [options]
 * @returns {Promise<boolean>}  whether anything was downloaded. RangeError: there is none
 */
export async function update(name, options = {}) {
  const directory = await directoryOf(name, options);
  return directory === undefined ? updateKept(name, options) : updateFetched(directory, options);
}
