// worker.js - serves engines in a worker of a page or of Node. Public as 'heed/worker': your own worker may import it
// and be given to Translator.create().
//
// A page sends { heed: port }; everything else goes through that port, so other messages of the worker are not touched.

import { builtin, isNode } from './base/host.js';
import { serve } from './engine/serve.js';

const listen = (/** @type {any} */ data) => void (data?.heed && serve(data.heed));
if (isNode) void builtin('worker_threads').then(({ parentPort }) => parentPort?.on('message', listen));
else globalThis.addEventListener('message', ({ data }) => listen(data));
