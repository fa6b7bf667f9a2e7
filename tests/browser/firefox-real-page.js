// firefox-real-page.js - sends what translateReal() finds in this page to the server; loaded by firefox-real.html.
import { translateReal } from './firefox-real.js';

let report;
try {
  const { names, pair, lines } = await (await fetch('firefox-model/job.json')).json();
  const bytes = async (name) => new Uint8Array(await (await fetch(`firefox-model/${name}`)).arrayBuffer());
  const files = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await bytes(name)])));
  report = { userAgent: navigator.userAgent, found: await translateReal(files, pair, lines) };
} catch (error) {
  report = { error: `${error.name}: ${error.message}\n${error.stack}` };
}
await fetch('report', { method: 'POST', body: JSON.stringify(report) });
