// page.js - the survey in a page and in a module worker, sent to the server that the page came from; loaded by
// page.html.
import { survey } from './fingerprint.js';

/** What the page's policy forbade. */
const violations = [];
document.addEventListener('securitypolicyviolation', (event) => {
  violations.push(`${event.effectiveDirective}: ${event.blockedURI}`);
});

/** What worker.js answers. */
function inWorker() {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    worker.onerror = (event) => reject(new Error(`worker: ${event.message ?? 'does not load'}`));
    worker.onmessage = ({ data }) => (data.error ? reject(new Error(`worker: ${data.error}`)) : resolve(data));
  });
}

let report;
try {
  const { crossOriginIsolated, navigator } = globalThis;
  report = { userAgent: navigator.userAgent, crossOriginIsolated, page: await survey(), worker: await inWorker() };
} catch (error) {
  report = { error: `${error.name}: ${error.message}\n${error.stack}` };
}
await fetch('report', { method: 'POST', body: JSON.stringify({ ...report, violations }) });
