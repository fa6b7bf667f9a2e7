// rules-page.js - the rules in a page, in its own thread and over a worker, sent to the server that the page came from;
// loaded by rules.html.
import { survey } from './rules.js';

let report;
try {
  report = { page: await survey({ worker: false }), worker: await survey({ worker: true }) };
} catch (error) {
  report = { error: `${error.name}: ${error.message}\n${error.stack}` };
}
await fetch('report', { method: 'POST', body: JSON.stringify(report) });
