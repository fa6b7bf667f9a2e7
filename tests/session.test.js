// What a call costs in memory does not depend on the calls before it.
import test from 'node:test';
import assert from 'node:assert/strict';
import { Transformer } from '../js/index.js';
import { SHIPPED } from './model-files.js';

test('many sentences, then many beams: each alone fits, so each after the other does', async () => {
  const source = [46, 1140, 982, 6, 3, 2];
  const load = () => Transformer.load(SHIPPED);
  const many = (/** @type {Transformer} */ model) =>
    model.generate(Array(200).fill(source), { batchSize: 200, maxTokens: 4 });
  const wide = (/** @type {Transformer} */ model) => model.generate([source], { beams: 40, maxTokens: 4 });
  const peaks = [];
  for (const call of [many, wide]) {
    const model = await load();
    call(model);
    peaks.push(model.info.memoryBytes);
    model.dispose();
  }
  const model = await load();
  for (let i = 0; i < 3; i++) {
    many(model);
    wide(model);
  }
  // freed memory may lie in pieces: half as much again is room enough, the product of both would be twenty times as
  // much
  const used = model.info.memoryBytes;
  assert.ok(used <= 1.5 * Math.max(...peaks), `${used} bytes, ${peaks} alone`);
  model.dispose();
});
