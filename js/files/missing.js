// missing.js - the end of an error message, which says why a file of a model is missing. Loaded by source.js when one
// is.

/** A name of the Hugging Face Hub: owner and model. */
const HUB_NAME = /^[\w-][\w.-]*\/[\w-][\w.-]*$/;
/** The page of such a model, which has other URLs than its files. */
const HUB_PAGE = /^https:\/\/huggingface\.co\/([^/]+\/[^/]+)\/?$/;
/** Extensions of model files. */
const FILE = /\.(?:safetensors|bin|npz|json|spm|zip|tgz|gz)$/;

/** @param {string} name */
const hubAddress = (name) => `https://huggingface.co/${name}/resolve/main/`;

/**
 * @param {import('./source.js').Io} io
 * @param {unknown} source  as the caller gave it
 * @param {string} [path]  where it is, if it is local
 * @returns {Promise<string>}  '' if the location looks right
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
