// turns.js - how long timers, events and frames wait while a default batch is translated in the thread that has them,
// in Node and in Chromium. Run: node tests/bench/turns.js
import { reportOf } from '../browser/hosts.js';
import { serve } from '../browser/server.js';
import { measure } from '../browser/turns.js';

const hosts = {
  [`Node ${process.version}`]: measure,
  Chromium: async () => reportOf(await serve({ page: 'tests/browser/turns.html' })),
};
for (const [host, run] of Object.entries(hosts)) {
  const { error, simd, first, longest, total } = await run();
  if (error) throw new Error(error);
  const ms = (/** @type {number} */ value) => `${value.toFixed(1)} ms`;
  const waits = `longest wait ${ms(longest)}, in the first call ${ms(first)}`;
  console.log(`${host}, ${simd}: ${waits}; the call takes ${ms(total)}`);
}
