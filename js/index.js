// index.js - what `import … from 'heed'` gives.

export { Transformer } from './transformer.js';
export { Tokenizer } from './tokenizer.js';
export { Translator } from './translator.js';
export { HeedError } from './wasm.js';

// Every type of the public contract, by the name that it has there.
/** @typedef {import('./files.js').ModelSource} ModelSource */
/** @typedef {import('./load.js').LoadOptions} LoadOptions */
/** @typedef {ArrayLike<number>} Ids */
/** @typedef {import('./options.js').GenerateOptions} GenerateOptions */
/** @typedef {import('./options.js').Head} Head */
/** @typedef {import('./model.js').Generated} Generated */
/** @typedef {import('./model.js').Tensor} Tensor */
/** @typedef {import('./model.js').AttentionMaps} AttentionMaps */
/** @typedef {import('./translator.js').TranslateOptions} TranslateOptions */
/** @typedef {import('./translator.js').TranslatedSentence} TranslatedSentence */
/** @typedef {import('./glossary.js').GlossaryMatch} GlossaryMatch */
/** @typedef {import('./tree.js').BeamNode} BeamNode */
/** @typedef {import('./inspect.js').InspectOptions} InspectOptions */
/** @typedef {import('./ops.js').Matrix} Matrix */
/** @typedef {import('./ops.js').Ops} Ops */
/** @typedef {import('./train.js').Trainer} Trainer */
/** @typedef {import('./train.js').TrainOptions} TrainOptions */
/** @typedef {import('./train.js').Pair} Pair */

/**
 * The parts as they are taught; also as 'heed/ops'. Loaded when asked for.
 *
 * @param {Parameters<typeof import('./ops.js').loadOps>[0]} [options]
 * @returns {Promise<import('./ops.js').Ops>}
 */
export const loadOps = async (options) => (await import('./ops.js')).loadOps(options);
