// model-files.js - model directories in memory, to be changed before they are loaded. Used by the tests of js/.
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { concat as concatBytes } from '../js/base/bytes.js';
import { FIXTURE_PATH } from './browser/fixture.js';

/** The shipped model. */
export const SHIPPED = fileURLToPath(new URL(`../${FIXTURE_PATH}`, import.meta.url));
/** A random model that takes ids only: d_model 32, 67 pieces, 48 positions. */
export const TINY = fileURLToPath(new URL('golden/postnorm-relu-shared', import.meta.url));

/** English sentences of several lengths, all different. @param {number} count */
export const numberedSentences = (count) => Array.from({ length: count }, (_, i) => [
  `Tom has ${i} red cars.`,
  `My brother worked in Berlin for ${i} years, and then he moved to a small village near the sea.`,
  `Can you help me with number ${i}?`,
  `After ${i} days we still did not know when the next train would come.`,
][i % 4]);

/** @typedef {Record<string, Uint8Array>} Files */

/** @param {string} directory @returns {Files} */
export function readFiles(directory) {
  const names = readdirSync(directory).filter((name) => !name.startsWith('expected'));
  return Object.fromEntries(names.map((name) => [name, new Uint8Array(readFileSync(`${directory}/${name}`))]));
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The files as they are, and none of them listed by heed.json: for those that will be changed.
 *
 * @param {Files} files
 * @returns {Files}
 */
export function unlisted(files) {
  if (!files['heed.json']) return files;
  const { files: _, ...manifest } = JSON.parse(decoder.decode(files['heed.json']));
  return { ...files, 'heed.json': encoder.encode(JSON.stringify(manifest)) };
}

/** @param {Files} files @param {string} name @param {(json: any) => any} change  gives what to store, or changes it */
export function changeJson(files, name, change) {
  const json = JSON.parse(decoder.decode(files[name]));
  return { ...unlisted(files), [name]: encoder.encode(JSON.stringify(change(json) ?? json)) };
}

/**
 * The shipped model with these tokens of languages, at the end of its vocabulary, and no others.
 *
 * @param {string[]} tokens  such as ">>de<<"
 */
export function withLanguages(...tokens) {
  return changeJson(readFiles(SHIPPED), 'vocab.json', (v) => {
    const pieces = Object.keys(v).sort((a, b) => v[a] - v[b]).map((piece) => piece.replace(/^>>(.*)<<$/, '<$1>'));
    return Object.fromEntries([...pieces.slice(0, -tokens.length), ...tokens].map((piece, id) => [piece, id]));
  });
}

/** Bytes of a text. @param {string} text */
export const bytes = (text) => encoder.encode(text);

/** Bytes one after another. @param {...Uint8Array} parts */
export const concat = (...parts) => concatBytes(parts);

/** A safetensors file. @param {string | object} header @param {Uint8Array} [data] */
export function safetensors(header, data = new Uint8Array()) {
  const json = bytes(typeof header === 'string' ? header : JSON.stringify(header));
  const length = new Uint8Array(8);
  new DataView(length.buffer).setBigUint64(0, BigInt(json.length), true);
  return concat(length, json, data);
}

/** The two parts of a safetensors file. @param {Uint8Array} file */
export function takeApart(file) {
  const length = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  return { header: JSON.parse(decoder.decode(file.subarray(8, 8 + length))), data: file.subarray(8 + length) };
}

/** @param {Files} files @param {(header: any, data: Uint8Array) => void} change */
export function changeWeights(files, change) {
  const { header, data } = takeApart(files['model.safetensors']);
  const copy = data.slice();
  change(header, copy);
  return { ...unlisted(files), 'model.safetensors': safetensors(header, copy) };
}
