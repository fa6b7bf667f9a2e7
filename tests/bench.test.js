// bench.test.js - the part of the benchmark that runs in a page does so: heed alone, briefly. `make bench` measures.
import test from 'node:test';
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { compareInChromium } from './bench/chromium.js';
import { FIXTURE_PATH } from './browser/fixture.js';

test('the engines are compared in Chromium', async () => {
  const { chromium } = createRequire(new URL('browser/package.json', import.meta.url))('playwright-core');
  const { host, results, skipped } = await compareInChromium(chromium, 'A', 'int8', {
    rounds: 1, directory: `${FIXTURE_PATH}/`, effort: { seconds: 0, cases: ['one sentence'] },
  });
  assert.match(host, /^Chromium \d+$/);
  assert.deepEqual(skipped, {}, 'both builds ran');
  assert.equal(results.length, 1);
  const { case: name, rounds, engines } = results[0];
  assert.deepEqual([name, rounds, Object.keys(engines)], ['one sentence', 1, ['heed simd128', 'heed relaxed']]);
  for (const [engine, ms] of Object.entries(engines)) assert.ok(ms > 0 && Number.isFinite(ms), `${engine}: ${ms} ms`);
});
