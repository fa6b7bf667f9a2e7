// ops.js - the parts of a Transformer as they are taught. Public as 'heed/ops'.

export { loadOps } from './model/ops.js';

/** @typedef {import('./model/ops.js').Matrix} Matrix */
/** @typedef {import('./model/ops.js').Ops} Ops */
