// bench.test.js - the part of the benchmark that runs in a page does so: heed alone, briefly; and a result is a table of
// the documentation. `make bench` measures.
import test from 'node:test';
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchmarksPage } from '../web/guides/benchmarks.js';
import { compareInChromium } from './bench/chromium.js';
import { commandOf, writeResult } from './bench/results.js';
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

test('a result is written as a table of the page of benchmarks', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'heed-results-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeResult(join(folder, 'new/a.json'), {
    title: 'Beside another',
    text: 'Milliseconds.',
    command: commandOf('firefox.js', ['--lines', 'a b', '--results', 'new/a.json', '--rounds', '7']),
    base: 'bergamot',
    measured: [
      { label: 'lines', engines: { heed: 8, bergamot: 24.04 } },
      { label: 'lines, no shortlist', engines: { heed: 50, bergamot: 40, fxtranslate: 400 } },
      { label: 'text', engines: { heed: 123.4 } },
    ],
  });
  const page = await benchmarksPage(join(folder, 'new'));
  assert.deepEqual(page.split('\n').filter((line) => line.startsWith('|')), [
    '| case | heed | bergamot | fxtranslate |', '| --- | ---: | ---: | ---: |',
    '| lines | 8.00 (3.0×) | 24.0 |  |', '| lines, no shortlist | 50.0 (0.8×) | 40.0 | 400 (0.1×) |',
    '| text | 123 |  |  |',
  ]);
  assert.match(page, RegExp('\\n`node tests/bench/firefox\\.js --lines "a b" --rounds 7`, '
    + '\\d{4}-\\d\\d-\\d\\d, .*cores.*, load average [\\d.]+\\.\\n$'));
});
