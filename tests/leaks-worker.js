// leaks-worker.js - a worker of one's own that tells how many objects of some kinds it holds; started by leaks.test.js.
import { queryObjects } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import '../js/worker.js';

const KINDS = { ReadableStream, ReadableStreamDefaultReader, AbortController, Memory: WebAssembly.Memory };

parentPort.on('message', (message) => {
  if (message !== 'count') return;
  parentPort.postMessage(Object.fromEntries(
    Object.entries(KINDS).map(([name, type]) => [name, queryObjects(type, { format: 'count' })])));
});
