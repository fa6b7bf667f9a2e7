// own-files.js - the files of the user's own model: whose they are, and what is missing; used by own-panel.js.

import { listed, missingOf as missingOfModel } from '../../js/files/needed.js';
import { findLayout } from '../../js/files/layout.js';

/** Weights, and what lists the shards of weights: a model has them in one folder. */
const WEIGHTS = /^(model\.safetensors|pytorch_model\.bin|.*\.npz)(\.index\.json)?$/;

const isWeights = (/** @type {string} */ name) => WEIGHTS.test(name) || /\.bin(\.gz|\.zst)?$/.test(name);

/**
 * What else a model needs.
 *
 * @param {Record<string, File>} files  HEED_E_FILE if they are those of several models
 */
export async function missingOf(files) {
  const names = Object.keys(files);
  // Firefox's models have other files
  const layout = names.includes('config.json') ? null : findLayout(names);
  return layout ? layout.missing : missingOfModel(listed(names, async (name) =>
    (files[name] ? new Uint8Array(await files[name].arrayBuffer()) : null)));
}

/** The paths of files of dropped folders: those of a chosen folder have their own. @type {WeakMap<File, string>} */
const paths = new WeakMap();

/** @param {File} file  '' without a folder */
const folderOf = (file) => (paths.get(file) ?? file.webkitRelativePath ?? '').slice(0, -file.name.length);

/**
 * The folders that have weights: each is a model.
 *
 * @param {File[]} files
 */
const models = (files) => [...new Set(files.filter(({ name }) => isWeights(name)).map(folderOf))].sort();

/**
 * The files of a model by name, without their folder. Folders beside that of the weights have other models' files.
 *
 * @param {Iterable<File>} given
 */
export function byName(given) {
  const files = [...given];
  const [folder] = models(files);
  const own = files.filter((file) => folder === undefined || folderOf(file) === folder);
  return Object.fromEntries(own.map((file) => [file.name, file]));
}

/**
 * The folders of models, if there are several.
 *
 * @param {Iterable<File>} files
 */
export function foldersOf(files) {
  const folders = models([...files]);
  return folders.length > 1 ? folders : [];
}

/** How many folders may be around a model in a dropped one, as in a cache: more would be a whole disk. */
const DEPTH = 2;

/**
 * All files of dropped folders and files, but for those of folders too deep inside.
 *
 * @param {any[]} entries
 * @param {number} [depth]  how many folders are around
 * @returns {Promise<File[]>}
 */
export const filesOf = async (entries, depth = 0) =>
  (await Promise.all(entries.map((entry) => inside(entry, depth)))).flat();

/** @param {any} entry @param {number} depth @returns {Promise<File[]>} */
async function inside(entry, depth) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    paths.set(file, entry.fullPath.replace(/^\//, ''));
    return [file];
  }
  if (depth > DEPTH) return [];
  const reader = entry.createReader();
  const all = [];
  for (;;) {
    // a folder is read in parts; the last part is empty
    const part = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) break;
    all.push(...part);
  }
  const files = all.filter(({ isFile }) => isFile);
  // beside a model, other folders have its older states
  return filesOf(files.some(({ name }) => isWeights(name)) ? files : all, depth + 1);
}
