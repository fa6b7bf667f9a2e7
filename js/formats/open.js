// open.js - opens weights that are not safetensors: PyTorch's pytorch_model.bin and Marian's .npz; loaded by load.js if
// a model has no model.safetensors.

import { builtin } from '../base/host.js';
import { openCursor } from './cursor.js';
import { openMarian } from './marian.js';
import { openTorchPickles, openTorchZip } from './torch.js';

/** @typedef {import('./cursor.js').Files} Files */

/** The first bytes of a zip archive; a pickle begins with 0x80. */
const ZIP = [0x50, 0x4b];

const TORCH = 'pytorch_model.bin';
/** The name of Marian's weights on a server, where files cannot be listed. */
const MARIAN = 'model.npz';

/**
 * Names of the files at a source; none if they cannot be listed.
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
 * The weights of a model without model.safetensors; null if there are none.
 *
 * @param {Files} files
 * @param {Record<string, any> | undefined} config  of readConfig; undefined without config.json, which Marian's
 * settings replace
 * @param {import('./cursor.js').OnRead} [onRead]
 * @returns {Promise<import('./safetensors.js').Weights | null>}
 */
export async function openContainer(files, config, onRead) {
  // do not ask the server of a stored model for files that it does not list
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
