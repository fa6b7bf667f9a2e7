// everywhere-page.js - the survey of everywhere.js in a page, and what a load says where a policy forbids WebAssembly,
// sent to the server that the page came from; loaded by everywhere.html.
import { survey } from './everywhere.js';

/** What no-wasm.js answers. @returns {Promise<[status: string, message: string][]>} */
function refusals() {
  const worker = new Worker(new URL('./no-wasm.js', import.meta.url), { type: 'module' });
  return new Promise((resolve, reject) => {
    worker.onerror = ({ message }) => reject(new Error(`no-wasm.js: ${message ?? 'does not load'}`));
    worker.onmessage = ({ data }) => resolve(data);
  });
}

let report;
try {
  report = { userAgent: navigator.userAgent, refused: await refusals(), found: await survey() };
} catch (error) {
  report = { error: `${error.name}: ${error.message}\n${error.stack}` };
}
await fetch('report', { method: 'POST', body: JSON.stringify(report) });
