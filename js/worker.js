// worker.js - serves engines in a worker, of a page or of Node. Public as 'heed/worker': a worker of one's own that
// imports it can be given to Translator.create().
//
// A page sends { heed: port }; all else goes through that port, so that other messages of the worker are left alone.

import { builtin, isNode } from './base/host.js';
import { serve } from './engine/serve.js';

const listen = (/** @type {any} */ data) => void (data?.heed && serve(data.heed));
if (isNode) void builtin('worker_threads').then(({ parentPort }) => parentPort?.on('message', listen));
else globalThis.addEventListener('message', ({ data }) => listen(data));
