// open.js - weights in other containers than safetensors: PyTorch's pytorch_model.bin and Marian's .npz; loaded by
// load.js where a model has no model.safetensors.

import { builtin } from '../base/host.js';
import { openCursor } from './cursor.js';
import { openMarian } from './marian.js';
import { openTorchPickles, openTorchZip } from './torch.js';

/** @typedef {import('./cursor.js').Files} Files */

/** What a zip archive begins with; a pickle begins with 0x80. */
const ZIP = [0x50, 0x4b];

const TORCH = 'pytorch_model.bin';
/** What Marian's weights are called where names cannot be listed: on a server. */
const MARIAN = 'model.npz';

/**
 * Names of the files at a source, none where they cannot be listed.
 *
 * @param {Files} files
 * @returns {Promise<string[]>}
 */
export async function listFiles({ url, path, source }) {
  if (path === undefined) return url ? [] : Object.keys(source);
  const { readdir } = await builtin('fs/promises');
  return readdir(path).catch(() => []);
}

/** @param {Files} files @returns {Promise<string>} */
async function marianName(files) {
  const names = (await listFiles(files)).filter((name) => name.endsWith('.npz'));
  return names.includes(MARIAN) || names.length === 0 ? MARIAN : names.sort()[0];
}

/**
 * The weights of a model that has no model.safetensors, null if there are none.
 *
 * @param {Files} files
 * @param {Record<string, any> | undefined} config  of readConfig; undefined: there is none, Marian's settings will do
 * @param {import('./cursor.js').OnRead} [onRead]
 * @returns {Promise<import('./safetensors.js').Weights | null>}
 */
export async function openContainer(files, config, onRead) {
  // a model that was kept has no server to ask for what it does not list
  const isListed = (/** @type {string} */ name) => files.listedSize(name) !== undefined;
  const torch = isListed(MARIAN) && !isListed(TORCH) ? null : await openCursor(files, TORCH, onRead);
  const cursor = torch ?? (await openCursor(files, await marianName(files), onRead));
  if (!cursor) return null;
  try {
    const head = await cursor.read(0, 4);
    const isZip = ZIP.every((byte, i) => head[i] === byte);
    if (!torch) return await openMarian(cursor, await cursor.spool(head, files.url !== undefined), config);
    return isZip
      ? await openTorchZip(cursor, await cursor.spool(head))
      : await openTorchPickles(cursor, head);
  } catch (error) {
    await cursor.close();
    throw error;
  }
}
