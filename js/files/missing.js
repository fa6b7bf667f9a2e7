// missing.js - why a file of a model is not there, for the end of an error's message. Loaded by source.js when one is
// missing.

/** A name of the Hugging Face Hub: who, and which model. */
const HUB_NAME = /^[\w-][\w.-]*\/[\w-][\w.-]*$/;
/** The page of such a model, which is not where its files are. */
const HUB_PAGE = /^https:\/\/huggingface\.co\/([^/]+\/[^/]+)\/?$/;
/** How the files of models end. */
const FILE = /\.(?:safetensors|bin|npz|json|spm|zip|tgz|gz)$/;

/** @param {string} name */
const hubAddress = (name) => `https://huggingface.co/${name}/resolve/main/`;

/**
 * @param {import('./source.js').Means} means
 * @param {unknown} source  as the caller gave it
 * @param {string} [path]  where it is, if it is local
 * @returns {Promise<string>}  '' if the place is as it should be
 */
export async function whyMissing({ builtin }, source, path) {
  const place = String(source);
  const name = HUB_NAME.test(place) ? `; a model of the Hugging Face Hub is at ${hubAddress(place)}` : '';
  if (path !== undefined) {
    const { stat } = await builtin('fs/promises');
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory()) return '';
    return found ? ': found a file, expected a model directory' : `: there is no such directory${name}`;
  }
  const [, page] = HUB_PAGE.exec(place) ?? [];
  if (page) return `: expected the address of the files, ${hubAddress(page)}`;
  return FILE.test(place) ? ': found the address of a file, expected that of a model directory' : name;
}
