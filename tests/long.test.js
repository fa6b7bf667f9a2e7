// long.test.js - the runs of long/ in brief: `make long` does them at length.
import test from 'node:test';
import assert from 'node:assert/strict';
import { aborts, concurrent, loads, translations } from './long/runs.js';

test('translations take no memory', async (t) => {
  const { wasmGrowth, heapGrowth, heapBytes } = await translations(1000, 600);
  t.diagnostic(`JS heap: ${(100 * heapGrowth).toFixed(1)} % of ${(heapBytes / 1e6).toFixed(1)} MB`);
  assert.equal(wasmGrowth, 0);
  // 1000 translations that kept a kilobyte each would be 10 %; at length the limit is 5 %
  assert.ok(heapGrowth <= 0.1, `JS heap: ${heapGrowth}`);
});

test('models that are given back are gone', async (t) => {
  const { rssGrowth, rssBefore } = await loads(40, 20);
  t.diagnostic(`RSS: ${(100 * rssGrowth).toFixed(1)} % of ${(rssBefore / 1e6).toFixed(1)} MB`);
  // one model is 20 MB: were one in ten of 40 kept, it would be 80 MB more
  assert.ok(rssGrowth * rssBefore < 60e6, `RSS: ${rssGrowth} of ${rssBefore}`);
});

test('calls aborted at any moment leave nothing behind', async () => {
  const { wasmGrowth, aborted, finished } = await aborts(60);
  assert.equal(wasmGrowth, 0);
  assert.ok(aborted > 30 && aborted + finished === 60, `${aborted} were given up`);
});

test('calls at once take turns, and all are right', async () => {
  for (const worker of [false, true]) assert.ok((await concurrent(300, worker)).given > 0);
});
