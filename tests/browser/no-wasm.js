// no-wasm.js - a module worker whose policy forbids WebAssembly: what a load says then. Started by everywhere-page.js,
// and sent with that policy by everywhere.test.js.
import { Transformer } from '../../js/index.js';

const model = new URL('../golden/ssru/', import.meta.url);
const said = [];
for (const simd of /** @type {const} */ (['auto', 'simd128'])) {
  said.push(await Transformer.load(model, { simd }).then(() => 'no error', ({ status, message }) => [status, message]));
}
postMessage(said);
