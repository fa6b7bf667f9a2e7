// engines.test.js - the same bits everywhere: both builds say the same in Node, Chromium and Firefox, by their hashes.
// What they should say is parity.test.js's business.
import test from 'node:test';
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { BUILDS, survey } from './browser/fingerprint.js';
import { NODES, needBrowser, otherNode, reportOf } from './browser/hosts.js';
import { serve } from './browser/server.js';

const here = await survey();

/**
 * Every build of a survey agrees with SIMD128 in the Node that runs this test, or the host lacks it.
 *
 * @param {import('node:test').TestContext} t
 * @param {string} where
 * @param {Awaited<ReturnType<typeof survey>>} found
 * @param {{ builds?: typeof BUILDS, needs?: string[] }} [options]  needs: kinds of SIMD that this host must not lack
 */
async function compare(t, where, found, { builds = BUILDS, needs = ['simd128'] } = {}) {
  for (const { dtype, simd } of builds) {
    const { parts, lacks, ms } = found[`${dtype} ${simd}`];
    await t.test(`${where}: ${dtype} ${simd}`, (u) => {
      if (lacks && !needs.includes(simd)) return u.skip(lacks);
      assert.equal(lacks, undefined);
      u.diagnostic(`${where}: ${dtype} ${simd}: ${ms} ms`);
      assert.deepEqual(parts, here[`${dtype} simd128`].parts);
    });
  }
}

test('hashes tell two models apart', () => {
  const [int8, f32] = ['int8', 'f32'].map((dtype) => here[`${dtype} simd128`].parts);
  const { source, ...results } = int8;
  assert.equal(source, f32.source, 'ids of the sources');
  for (const [part, hash] of Object.entries(results)) assert.notEqual(hash, f32[part], part);
});

test('Node, this one', (t) => compare(t, `Node ${process.version}`, here));

for (const name of NODES) {
  test(`Node, ${name}`, async (t) => {
    const node = await otherNode(t, name);
    if (!node) return;
    const found = JSON.parse(await node([fileURLToPath(new URL('browser/node.js', import.meta.url))]));
    await compare(t, `Node ${await node(['--version'])}`, found, { needs: ['simd128', 'relaxed'] });
  });
}

// Chromium is required, with both builds; Firefox may be missing, or be too old for the relaxed one.
for (const [kind, needs] of /** @type {const} */ ([
  ['chromium', ['simd128', 'relaxed']], ['firefox', ['simd128']],
])) {
  test(`${kind}: page and worker, below a path, under a strict policy, without special headers`, async (t) => {
    if (!needBrowser(kind, t)) return;
    const report = await reportOf(await serve(), { kind });
    assert.equal(report.error, undefined);
    assert.deepEqual(report.violations, []);
    assert.equal(report.crossOriginIsolated, false);
    const host = /(Chrome|Firefox)\/\d+/.exec(report.userAgent)?.[0];
    await compare(t, `${host}, page`, report.page, { needs });
    const int8 = BUILDS.filter(({ dtype }) => dtype === 'int8');
    await compare(t, `${host}, worker`, report.worker, { needs, builds: int8 });
  });
}
