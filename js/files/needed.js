// needed.js - which files a model needs, of those that a directory may have. Used by cache.js and lookup.js, which tell
// whether a model is complete, and by the page, which says what is missing.

const CONFIG = 'config.json';

/** Of weights in one file; the endings of names. */
const WHOLE = ['model.safetensors', 'pytorch_model.bin', '.npz'];
/** Of weights in several: the files that list them. */
const INDEXES = ['model.safetensors.index.json', 'pytorch_model.bin.index.json'];
/** The files of a tokenizer: those of the family, by model_type, or any of the other sets. */
const MARIAN = ['vocab.json', 'source.spm', 'target.spm'];
const [BPE, SPIECE] = [['sentencepiece.bpe.model'], ['spiece.model']];
/** @type {Record<string, string[]>} */
const OWN = { m2m_100: BPE, mbart: BPE, t5: SPIECE, mt5: SPIECE };
/** M2M-100 looks its pieces up, NLLB-200 counts them. */
const M2M = ['vocab.json', ...BPE];
const JSON_ALONE = ['tokenizer.json'];

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

/** A directory whose names are known. @param {string[]} all @param {Directory['read']} read @returns {Directory} */
export const listed = (all, read) => ({
  has: (name) => all.some((each) => (name.startsWith('.') ? each.endsWith(name) : each === name)),
  read,
});

/** @param {Directory} directory @param {string[]} names @returns {Promise<string[]>}  those that are missing */
async function lacks({ has }, names) {
  const found = await Promise.all(names.map(has));
  return names.filter((_, i) => !found[i]);
}

/** @param {Directory} directory @returns {Promise<string[]>}  names of missing files; [] if the weights are there */
async function missingWeights(directory) {
  if ((await lacks(directory, WHOLE)).length < WHOLE.length) return [];
  let missing = [WHOLE[0]];
  for (const index of INDEXES) {
    if (!await directory.has(index)) continue;
    const shards = [...new Set(Object.values(Object(parse(await directory.read(index)).weight_map)).map(String))];
    const lost = await lacks(directory, shards);
    if (shards.length > 0 && lost.length === 0) return [];
    if (shards.length > 0) missing = lost;
  }
  return missing;
}

/** Whether the weights are there, all of them. @param {Directory} directory */
export const hasWeights = async (directory) => (await missingWeights(directory)).length === 0;

/** @param {Directory} directory @returns {Promise<string[]>} */
async function missingTokenizer(directory) {
  const { model_type: family = 'marian', tokenizer_class: stated } = parse(await directory.read(CONFIG));
  if (family === 'marian') return lacks(directory, MARIAN);
  const kind = parse(await directory.read('tokenizer_config.json')).tokenizer_class ?? stated;
  if (/^ByT5Tokenizer/.test(kind)) return [];
  const own = /^M2M100Tokenizer/.test(kind) ? M2M : Object.hasOwn(OWN, family) ? OWN[family] : MARIAN;
  // a tokenizer of SentencePiece is not that of M2M-100 without vocab.json
  const others = own === M2M ? [JSON_ALONE] : [MARIAN, BPE, SPIECE, JSON_ALONE];
  for (const names of [own, ...others]) if ((await lacks(directory, names)).length === 0) return [];
  return lacks(directory, own);
}

/**
 * The files that a model needs to translate texts, and a directory has not. Of several that would do, those that the
 * family usually has.
 *
 * @param {Directory} directory
 */
export async function missingOf(directory) {
  if (!await directory.has(CONFIG)) return [CONFIG];
  return [...await missingTokenizer(directory), ...await missingWeights(directory)];
}

/** Whether a directory has all files of a model that translates texts. @param {Directory} directory */
export const isWhole = async (directory) => (await missingOf(directory)).length === 0;
