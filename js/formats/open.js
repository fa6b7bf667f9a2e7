// open.js - opens weights that are not one file of safetensors: several, PyTorch's pytorch_model.bin, and Marian's .npz
// and .bin; loaded by load.js if a model has no model.safetensors.

import { findLayout } from '../files/layout.js';
import { listFiles } from '../files/list.js';
import { isZip, openCursor } from './cursor.js';
import { openSafetensors } from './safetensors.js';

/** @typedef {import('./cursor.js').Files} Files */

const TORCH = 'pytorch_model.bin';
/** The indexes of weights in several files. */
const SHARDS = { safetensors: 'model.safetensors.index.json', torch: `${TORCH}.index.json` };
/** The name of Marian's weights on a server, where files cannot be listed. */
const MARIAN = 'model.npz';

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
  const names = await listFiles(files);
  // do not ask the server of a stored model for files that it does not list
  const mayBe = (/** @type {string} */ name) => names.includes(name) || (names.length === 0 && files.url !== undefined);
  const shards = async () => (await import('./shards.js')).openShards;
  if (mayBe(SHARDS.safetensors)) {
    const open = async (/** @type {string} */ file) => {
      const chunks = await files.find(file, true);
      return chunks && openSafetensors(chunks, file);
    };
    const weights = await (await shards())(files, SHARDS.safetensors, open);
    if (weights) return weights;
  }
  const isTorch = names.includes(TORCH) || !findLayout(names);
  const torch = isTorch ? await openTorch(files, TORCH, onRead) : null;
  if (torch) return torch;
  if (mayBe(SHARDS.torch)) {
    const open = (/** @type {string} */ file) => openTorch(files, file, onRead);
    const weights = await (await shards())(files, SHARDS.torch, open, true);
    if (weights) return weights;
  }
  const cursor = await openCursor(files, findLayout(names)?.weights ?? MARIAN, onRead);
  if (!cursor) return null;
  try {
    return await (await import('./marian.js')).openMarian(cursor, config);
  } catch (error) {
    await cursor.close();
    throw error;
  }
}

/**
 * @param {Files} files
 * @param {string} file
 * @param {import('./cursor.js').OnRead} [onRead]
 * @returns {Promise<import('./safetensors.js').Weights | null>}  null if it is missing
 */
async function openTorch(files, file, onRead) {
  const cursor = await openCursor(files, file, onRead);
  if (!cursor) return null;
  try {
    const { openTorchPickles, openTorchZip } = await import('./torch.js');
    const head = await cursor.read(0, 4);
    return isZip(head) ? await openTorchZip(cursor, await cursor.spool(head)) : await openTorchPickles(cursor, head);
  } catch (error) {
    await cursor.close();
    throw error;
  }
}

/**
 * A directory without config.json, as heed reads one: see directory.js.
 *
 * @param {Files} files
 * @param {Record<string, unknown>} manifest  heed.json; gets the languages, if it has none and the names tell
 * @param {() => Promise<import('../wasm/core.js').Core> | import('../wasm/core.js').Core} getCore
 * @param {(manifest: Record<string, unknown>) => void} [accept]  see Model.load
 * @param {import('./cursor.js').OnRead} [onRead]
 * @returns {ReturnType<typeof import('./directory.js').adaptDirectory>}  HEED_E_FILE: no model
 */
export async function adaptDirectory(files, manifest, getCore, accept, onRead) {
  const names = await listFiles(files);
  return (await import('./directory.js')).adaptDirectory(files, names, manifest, getCore, accept, onRead);
}
