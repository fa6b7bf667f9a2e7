// tree.test.js - the tree of what beam search looked at, against the search's own results and against a plain search in
// JavaScript over forward().
import test from 'node:test';
import assert from 'node:assert/strict';
import { Transformer, Translator } from '../js/index.js';
import { goldenModels, readGolden } from './golden/golden.js';
import { SHIPPED } from './model-files.js';

/** Sums of a dozen 32-bit log-probabilities below 10, in two orders. */
const NEAR = 1e-4;

/** @typedef {import('../js/model/tree.js').BeamNode} BeamNode */

/** Ids from the root to a node. @param {BeamNode[]} nodes @param {number} index @returns {number[]} */
const path = (nodes, index) => (index < 0 ? [] : [...path(nodes, nodes[index].parent), nodes[index].id]);

/** What must hold of every tree. @param {BeamNode[]} nodes @param {number} beams */
function checkShape(nodes, beams) {
  const steps = Math.max(...nodes.map(({ step }) => step)) + 1;
  nodes.forEach((node, i) => {
    assert.ok(node.parent < i);
    const parent = nodes[node.parent];
    assert.equal(node.step, parent ? parent.step + 1 : 0);
    assert.ok(Math.abs(node.total - (parent?.total ?? 0) - node.logProb) < NEAR);
    assert.ok(node.logProb <= 0);
    if (parent) assert.ok(parent.kept && !parent.finished, 'only what is kept goes on');
  });
  for (let step = 0; step < steps; step++) {
    const those = nodes.filter((node) => node.step === step);
    assert.ok(those.length <= 2 * beams);
    assert.ok(those.filter(({ kept, finished }) => kept && !finished).length <= beams);
  }
}

for (const name of goldenModels) {
  test(`${name}: the tree holds what was found`, async () => {
    const { directory, searches } = readGolden(name);
    const model = await Transformer.load(directory, { dtype: 'f32' });
    for (const { source, options, disabledHeads } of searches) {
      const plain = model.generate([source], { ...options, disabledHeads })[0];
      const [best, ...others] = model.generate([source], { ...options, disabledHeads, beamTree: true })[0];
      const { tree = [], ...rest } = best;
      assert.deepEqual([rest, ...others], plain, 'the tree changes nothing');
      checkShape(tree, options.beams ?? model.generateDefaults.beams);
      const way = tree.flatMap((node, i) => (node.best ? [i] : []));
      assert.deepEqual(way.map((i) => tree[i].id), [...best.ids]);
      if (way.length > 0) assert.ok(Math.abs(tree[way.at(-1) ?? 0].total - best.logProb) < NEAR);
      for (const { ids, finished } of plain) {
        const ends = tree.findIndex((node, i) => node.kept && path(tree, i).join() === [...ids].join());
        assert.ok(ends >= 0 || ids.length === 0);
        if (finished) assert.equal(tree[ends].finished, true);
      }
    }
    model.dispose();
  });
}

test('each step is what a plain search would have looked at', async () => {
  const { directory, searches } = readGolden('swish-odd');
  const model = await Transformer.load(directory, { dtype: 'f32' });
  const pad = Number(model.config.pad_token_id);
  const [beams, steps] = [3, 5];
  const { source } = searches[2];
  const { tree = [] } = model.generate([source], { beams, maxTokens: steps, beamTree: true })[0][0];
  /** Natural-log probabilities of what may follow ids. @param {number[]} ids */
  const follow = (ids) => {
    const { logits } = model.forward(source, [...ids, 0]);
    const row = logits.data.slice(-logits.shape[1]);
    const most = Math.max(...row);
    const total = most + Math.log(row.reduce((sum, x) => sum + Math.exp(x - most), 0));
    return Array.from(row, (x) => x - total);
  };
  for (let step = 0; step < steps; step++) {
    const those = tree.filter((node) => node.step === step);
    const parents = [...new Set(those.map(({ parent }) => parent))];
    const live = step === 0 ? [-1] : tree.flatMap((n, i) => (n.step === step - 1 && n.kept && !n.finished ? [i] : []));
    assert.ok(parents.every((parent) => live.includes(parent)));
    const all = live.flatMap((parent) =>
      follow(path(tree, parent)).flatMap((logProb, id) =>
        id === pad ? [] : [{ parent, id, total: (tree[parent]?.total ?? 0) + logProb }]));
    all.sort((a, b) => b.total - a.total);
    const expected = all.slice(0, 2 * beams);
    assert.deepEqual(those.map(({ parent, id }) => [parent, id]), expected.map(({ parent, id }) => [parent, id]));
    those.forEach((node, i) => assert.ok(Math.abs(node.total - expected[i].total) < NEAR));
  }
  model.dispose();
});

test('translateDetailed has it, with pieces, in a worker too', async () => {
  const [text, options] = ['Good morning. I love you.', { beams: 4, beamTree: true }];
  const results = [];
  for (const worker of [false, true]) {
    const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: SHIPPED, worker });
    results.push(await translator.translateDetailed(text, options));
    const [{ tree: none }] = await translator.translateDetailed(text, { beams: 4 });
    assert.equal(none, undefined);
    translator.destroy();
  }
  assert.deepEqual(results[1], results[0]);
  for (const { tree, targetTokens } of results[0]) {
    assert.deepEqual(tree?.filter(({ best }) => best).map(({ piece }) => piece),
      targetTokens.map(({ piece }) => piece));
    checkShape(/** @type {BeamNode[]} */ (tree), 4);
  }
});
