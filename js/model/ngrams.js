// ngrams.js - ngrams.bin of a model: which pieces of a language follow each other. A search puts first what people
// write, see src/search/gains.c. Loaded by engine/here.js for models that have such a file.
//
// It has a part for each language, see files/parts.js, of the form that heed_model_set_ngrams() reads (src/heed.h).

import { E_ARGUMENT, E_FILE, E_STATE } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { unpackParts } from '../files/parts.js';
import { NGRAMS } from './load.js';

/**
 * Gives a model its n-grams of a language, unless another worker that shares it has done so.
 *
 * @param {import('./model.js').Model} model
 * @param {Uint8Array} bytes  ngrams.bin
 * @param {string} language  the code of the target, such as 'de'
 * @returns {Promise<void>}  HEED_E_FILE: the file is damaged, or of another vocabulary
 */
export async function addNgrams(model, bytes, language) {
  const { core, model: handle } = model.internals();
  // another worker has given them to the model that it shares: unpacking costs more than asking
  if (core.run('heed_model_set_ngrams', handle, new Uint8Array(), 0) === E_STATE) return;
  const [part] = await unpackParts(bytes, NGRAMS, [language]);
  if (!part) return;
  const status = core.run('heed_model_set_ngrams', handle, part, part.length);
  if (status === E_ARGUMENT) {
    const size = model.config.decoder_vocab_size;
    throw new HeedError(E_FILE, `${NGRAMS}: part ${language}: found damaged n-grams or those of another model, `
      + `expected some of ${size} ids`);
  }
  if (status !== E_STATE) core.check(status, NGRAMS);
}
