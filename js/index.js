// index.js - the exports of 'heed'.

export { Transformer } from './model/transformer.js';
export { Tokenizer } from './text/tokenizer.js';
export { Translator } from './translate/translator.js';
export { LanguageDetector } from './detect/detector.js';
export { HeedError } from './base/errors.js';

// All types of the public contract.
/** @typedef {import('./files/source.js').ModelSource} ModelSource */
/** @typedef {import('./model/load.js').LoadOptions} LoadOptions */
/** @typedef {ArrayLike<number>} Ids */
/** @typedef {import('./model/options.js').GenerateOptions} GenerateOptions */
/** @typedef {import('./model/options.js').Head} Head */
/** @typedef {import('./model/model.js').Generated} Generated */
/** @typedef {import('./model/model.js').Tensor} Tensor */
/** @typedef {import('./model/model.js').AttentionMaps} AttentionMaps */
/** @typedef {import('./translate/options.js').TranslateOptions} TranslateOptions */
/** @typedef {import('./translate/detail.js').TranslatedSentence} TranslatedSentence */
/** @typedef {import('./translate/glossary.js').GlossaryMatch} GlossaryMatch */
/** @typedef {import('./detect/detector.js').LanguageDetectionResult} LanguageDetectionResult */
/** @typedef {import('./model/tree.js').BeamNode} BeamNode */
/** @typedef {import('./model/tensors.js').InspectOptions} InspectOptions */
/** @typedef {import('./model/ops.js').Matrix} Matrix */
/** @typedef {import('./model/ops.js').Ops} Ops */
/** @typedef {import('./dom.js').PageTranslation} PageTranslation */
/** @typedef {import('./dom.js').PageOptions} PageOptions */
/** @typedef {import('./train.js').Trainer} Trainer */
/** @typedef {import('./train.js').TrainOptions} TrainOptions */
/** @typedef {import('./train.js').Pair} Pair */

/**
 * Loads the parts of a Transformer as they are taught. Also exported by 'heed/ops'.
 *
 * @param {Parameters<typeof import('./model/ops.js').loadOps>[0]} [options]
 * @returns {Promise<import('./model/ops.js').Ops>}
 */
export const loadOps = async (options) => (await import('./model/ops.js')).loadOps(options);
