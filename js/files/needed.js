// needed.js - which files a model needs, of those that a directory may have. Used by cache.js and lookup.js, which tell
// whether a model is complete.

const CONFIG = 'config.json';

/** Of weights in one file; the endings of names. */
const WHOLE = ['model.safetensors', 'pytorch_model.bin', '.npz'];
/** Of weights in several: the files that list them. */
const INDEXES = ['model.safetensors.index.json', 'pytorch_model.bin.index.json'];
/** The files of a tokenizer: any of these sets. */
const MARIAN = [['vocab.json', 'source.spm', 'target.spm']];
const OTHERS = [...MARIAN, ['sentencepiece.bpe.model'], ['spiece.model'], ['tokenizer.json']];

/** @param {Uint8Array | null | undefined} bytes @returns {Record<string, any>} */
function parse(bytes) {
  try {
    return Object(JSON.parse(new TextDecoder().decode(bytes ?? undefined) || '{}'));
  } catch {
    return {}; // loading tells what is wrong with it
  }
}

/**
 * Asks for files. `has`: whether one is there; a name with a dot at its start is the end of a name.
 *
 * @typedef {{ has: (name: string) => boolean | Promise<boolean>,
 *   read: (name: string) => Promise<Uint8Array | null | undefined> }} Directory
 */

/** Whether all files of one of the sets are there. @param {Directory} directory @param {string[][]} sets */
async function hasOneOf({ has }, sets) {
  for (const names of sets) {
    const found = await Promise.all(names.map(has));
    if (found.every(Boolean)) return true;
  }
  return false;
}

/** Whether the weights are there, all of them. @param {Directory} directory */
export async function hasWeights(directory) {
  if (await hasOneOf(directory, WHOLE.map((name) => [name]))) return true;
  for (const index of INDEXES) {
    if (!await directory.has(index)) continue;
    const shards = Object.values(Object(parse(await directory.read(index)).weight_map));
    return shards.length > 0 && hasOneOf(directory, [[...new Set(shards.map(String))]]);
  }
  return false;
}

/** Whether a directory has all files of a model that translates texts. @param {Directory} directory */
export async function isWhole(directory) {
  const { has, read } = directory;
  if (!await has(CONFIG)) return false;
  const { model_type: family = 'marian', tokenizer_class: stated } = parse(await read(CONFIG));
  const isMarian = family === 'marian';
  if (!await hasOneOf(directory, isMarian ? MARIAN : OTHERS)) {
    const settings = isMarian ? {} : parse(await read('tokenizer_config.json'));
    if (!/^ByT5Tokenizer/.test(String(settings.tokenizer_class ?? stated))) return false;
  }
  return hasWeights(directory);
}
