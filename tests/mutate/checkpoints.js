// checkpoints.js - a model directory whose weights are in PyTorch's or Marian's container, with something wrong in it,
// for each number another: tensors or arrays, then instructions of the pickle, headers of the zip, bytes. Used by
// run.js.

import { zip } from '../hostile/containers.js';
import { concat } from '../model-files.js';
import { changeArchive } from './archives.js';
import { changeArrays, numpyParts, writeNpy } from './marian.js';
import { configJson, modelFiles, Random } from './model.js';
import { changeBytes, changeSoundly } from './mutations.js';
import { changeInstructions, putTogether, takeApart } from './pickles.js';
import { changeState, legacyPickles, legacyStorages, stateTensors, torchEntries, writeState } from './torch.js';
import { oneOf, text } from './values.js';

/** @typedef {import('../hostile/containers.js').Entry} Entry */
/** @typedef {import('./archives.js').Archive} Archive */

const TORCH = 'pytorch_model.bin';
const MARIAN = 'model.npz';
/** torch.save() since PyTorch 1.6, before, and Marian. */
export const CONTAINERS = /** @type {const} */ (['torch', 'legacy', 'marian']);

const good = modelFiles();

/**
 * A PyTorch file of tensors.
 *
 * @param {'torch' | 'legacy'} container
 * @param {ReturnType<typeof stateTensors>} tensors
 * @param {Uint8Array} program  the pickle of the state; of the format before 1.6, all pickles
 * @param {(entries: Entry[]) => Uint8Array} [archive]
 */
const torchFile = (container, tensors, program, archive = zip) =>
  (container === 'torch' ? archive(torchEntries(tensors, program)) : concat(program, legacyStorages(tensors)));

/** A state and its pickles. @param {ReturnType<typeof stateTensors>} tensors */
function stateOf(tensors) {
  const programs = { torch: writeState(tensors), legacy: legacyPickles(tensors) };
  return { tensors, programs, instructions: { torch: takeApart(programs.torch), legacy: takeApart(programs.legacy) } };
}

/** Nothing is wrong with it; made once, as most files need it. */
const OWN = stateOf(stateTensors());

/**
 * A PyTorch file, changed `changes` times.
 *
 * @param {'torch' | 'legacy'} container
 * @param {Random} random
 * @param {number} changes
 * @param {ReturnType<typeof stateOf>} [state]
 * @returns {Uint8Array}
 */
export function changedTorch(container, random, changes, state = OWN) {
  let [contents, programs, headers] = [0, 0, 0];
  for (; changes > 0; changes--) {
    if (container === 'torch') oneOf(random, [() => contents++, () => programs++, () => headers++]);
    else oneOf(random, [() => contents++, () => programs++]);
  }
  const tensors = state.tensors.map((tensor) => ({ ...tensor }));
  const isGood = contents === 0;
  for (; contents > 0; contents--) changeState(random, tensors);
  // data.pkl, or all pickles of the format before 1.6
  const write = container === 'torch' ? writeState : legacyPickles;
  let program = isGood ? state.programs[container] : write(tensors);
  if (programs > 0) {
    let instructions = isGood ? [...state.instructions[container]] : takeApart(program);
    for (; programs > 0; programs--) instructions = changeInstructions(random, instructions);
    program = putTogether(instructions);
  }
  return torchFile(container, tensors, program, (entries) => changedZip(random, entries, headers));
}

/** @param {Random} random @param {Entry[]} entries @param {number} changes */
function changedZip(random, entries, changes) {
  /** @type {Archive} */
  const state = { entries };
  for (; changes > 0; changes--) changeArchive(random, state);
  return zip(entries, state);
}

/** Makes the state of other tensors. @param {import('./model.js').Part[]} parts */
export const stateOfParts = (parts) => stateOf(stateTensors(parts));

/**
 * The weights in a container, changed `changes` times.
 *
 * @param {typeof CONTAINERS[number]} container
 * @param {Random} random
 * @param {number} changes
 * @returns {[name: string, bytes: Uint8Array]}
 */
function weightsFile(container, random, changes) {
  if (container !== 'marian') return [TORCH, changedTorch(container, random, changes)];
  let [contents, headers] = [0, 0];
  for (; changes > 0; changes--) oneOf(random, [() => contents++, () => headers++]);
  const arrays = numpyParts.map((part) => ({ ...part }));
  for (; contents > 0; contents--) changeArrays(random, arrays);
  const entries = arrays.map((part) => ({ name: `${part.name}.npy`, data: writeNpy(part) }));
  return [MARIAN, changedZip(random, entries, headers)];
}

/**
 * The directory, nothing wrong with it.
 *
 * @param {typeof CONTAINERS[number]} container
 * @returns {Record<string, Uint8Array>}
 */
export function checkpointFiles(container) {
  const { 'model.safetensors': _, ...files } = good;
  const [name, bytes] = weightsFile(container, new Random(0), 0);
  return { ...files, [name]: bytes };
}

/**
 * Directory number `index` of a seed: files by name, and the arithmetic to load it with. One of Marian may lack its
 * config.json, to be made of Marian's settings; every eighth has its files as Blobs, which are read in another way.
 *
 * @param {number} seed
 * @param {number} index
 * @returns {{ files: Record<string, Uint8Array | Blob>, dtype: 'auto' | 'f32' | 'int8' }}
 */
export function mutatedCheckpoint(seed, index) {
  const random = new Random(Math.imul(seed, 0x10001) ^ Math.imul(index, 0x9e3779b1));
  const container = random.pick(CONTAINERS);
  const changes = random.pick([0, 1, 1, 1, 2, 2, 3, 4]);
  const bytesToo = changes === 0 || random.once(6);
  const [name, bytes] = weightsFile(container, random, changes);
  const { 'model.safetensors': _, ...files } = { ...good, [name]: bytes };
  if (bytesToo) changeBytes(random, files, [name, name, name, name, name, name]);
  else if (random.once(8)) {
    const config = configJson();
    changeSoundly(random, config);
    if (random.once(2)) config.vocab_size = config.decoder_vocab_size = random.pick([19, 20, 21, 22]);
    files['config.json'] = text(JSON.stringify(config));
  }
  if (container === 'marian' && random.once(3)) delete files['config.json'];
  const dtype = random.pick(/** @type {const} */ (['auto', 'auto', 'f32', 'int8']));
  if (index % 8 !== 0) return { files, dtype };
  const blobs = Object.entries(files).map(([own, content]) => [own, new Blob([/** @type {BlobPart} */ (content)])]);
  return { files: Object.fromEntries(blobs), dtype };
}
