// index.js - what `import … from 'heed'` gives.

export { Transformer } from './transformer.js';
export { Tokenizer } from './tokenizer.js';
export { Translator } from './translator.js';
export { HeedError } from './wasm.js';
export { loadOps } from './ops.js';
