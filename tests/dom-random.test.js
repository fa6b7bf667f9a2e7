// dom-random.test.js - random pages that change at random while 'heed/dom' translates them, in Chromium; see
// browser/dom-fuzz.js.
import test from 'node:test';
import assert from 'node:assert/strict';
import { run } from './mutate/dom.js';

test('150 pages with 30 changes each: no exception, no node lost, and restored byte for byte', async (t) => {
  const { pages, changes, wrong } = await run(150);
  t.diagnostic(`${pages} pages, ${changes} changes`);
  assert.deepEqual(wrong, []);
  assert.deepEqual([pages, changes], [150, 4500]);
});
