// everywhere-page.js - the survey of everywhere.js in a page, sent to the server that the page came from; loaded by
// everywhere.html.
import { survey } from './everywhere.js';

let report;
try {
  report = { userAgent: navigator.userAgent, found: await survey() };
} catch (error) {
  report = { error: `${error.name}: ${error.message}\n${error.stack}` };
}
await fetch('report', { method: 'POST', body: JSON.stringify(report) });
