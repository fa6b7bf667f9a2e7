// jobs-worker.js - a worker of one's own that tells how many steps of the decoder it has taken; started by
// jobs.test.js.
import { parentPort } from 'node:worker_threads';
import { Core } from '../js/wasm/core.js';
import '../js/worker.js';
import { passTime } from './clock.js';

let steps = 0;
passTime(10); // as in jobs.test.js
const { call } = Core.prototype;
Core.prototype.call = function (what, name, ...args) {
  if (name === 'heed_search_step') steps++;
  return call.call(this, what, name, ...args);
};

parentPort.on('message', (message) => {
  if (message === 'count') parentPort.postMessage(steps);
});
