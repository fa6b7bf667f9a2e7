// index.js - what `import … from 'heed'` gives.

export { Transformer } from './transformer.js';
export { Tokenizer } from './tokenizer.js';
export { Translator } from './translator.js';
export { HeedError } from './wasm.js';

/**
 * The parts as they are taught; also as 'heed/ops'. Loaded when asked for.
 *
 * @param {Parameters<typeof import('./ops.js').loadOps>[0]} [options]
 * @returns {Promise<import('./ops.js').Ops>}
 */
export const loadOps = async (options) => (await import('./ops.js')).loadOps(options);
