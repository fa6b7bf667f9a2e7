// long.test.js - the runs of long/ in brief: `make long` does them at length.
import test from 'node:test';
import assert from 'node:assert/strict';
import { aborts, concurrent, loads, translations } from './long/runs.js';

test('translations take no memory', async (t) => {
  const { wasmGrowth, heapGrowth, heapBytes } = await translations(700, 400);
  t.diagnostic(`JS heap: ${(100 * heapGrowth).toFixed(1)} % of ${(heapBytes / 1e6).toFixed(1)} MB`);
  assert.equal(wasmGrowth, 0);
  // 700 translations that kept a kilobyte each would be 7 %; at length the limit is 5 %
  assert.ok(heapGrowth <= 0.06, `JS heap: ${heapGrowth}`);
});

test('models that are given back are gone', async (t) => {
  const { rssGrowth, rssBefore } = await loads(30, 10);
  t.diagnostic(`RSS: ${(100 * rssGrowth).toFixed(1)} % of ${(rssBefore / 1e6).toFixed(1)} MB`);
  // one model is 20 MB: were one in ten of 30 kept, it would be 60 MB more
  assert.ok(rssGrowth * rssBefore < 45e6, `RSS: ${rssGrowth} of ${rssBefore}`);
});

test('calls aborted at any moment leave nothing behind', async () => {
  const { wasmGrowth, aborted, finished } = await aborts(60);
  assert.equal(wasmGrowth, 0);
  assert.ok(aborted > 30 && aborted + finished === 60, `${aborted} were given up`);
});

test('calls at once take turns, and all are right', async () => {
  for (const worker of [false, true]) assert.ok((await concurrent(300, worker)).given > 0);
});
