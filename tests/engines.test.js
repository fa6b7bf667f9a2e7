// engines.test.js - the same bits everywhere: both builds say the same in Node, Chromium and Firefox, by their hashes.
// What they should say is parity.test.js's business.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BUILDS, survey } from './browser/fingerprint.js';
import { findBrowser, launch } from './browser/launch.js';
import { serve } from './browser/server.js';

const folder = fileURLToPath(new URL('browser/', import.meta.url));
const run = promisify(execFile);
/** What a survey may take: ten times what it takes on two shared cores. */
const LIMIT = 240_000;

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

for (const [name, needs] of Object.entries({ node22: ['simd128', 'relaxed'], node24: ['simd128', 'relaxed'] })) {
  test(`Node, ${name}`, async (t) => {
    const program = `${folder}node_modules/${name}/bin/node`;
    if (await access(program).then(() => false, () => true)) {
      return t.skip(`${name} is not installed in tests/browser (.ci/setup browsers)`);
    }
    const version = (await run(program, ['--version'])).stdout.trim();
    const { stdout } = await run(program, [`${folder}node.js`], { timeout: LIMIT });
    await compare(t, `Node ${version}`, JSON.parse(stdout), { needs });
  });
}

/** @param {'chromium' | 'firefox'} kind @param {string} program */
async function surveyInBrowser(kind, program) {
  const server = await serve();
  const browser = launch(kind, program, server.url);
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${program}: no report after ${LIMIT} ms`)), LIMIT);
  });
  try {
    return await Promise.race([server.report, browser.failed, late]);
  } finally {
    clearTimeout(timer);
    browser.failed.catch(() => {}); // it is ended here
    await browser.close();
    server.close();
  }
}

// Chromium is required, with both builds; Firefox may be missing, or be too old for the relaxed one.
for (const [kind, needs] of Object.entries({ chromium: ['simd128', 'relaxed'], firefox: ['simd128'] })) {
  test(`${kind}: page and worker, below a path, under a strict policy, without special headers`, async (t) => {
    const program = findBrowser(kind);
    if (!program && kind === 'firefox') return t.skip('Firefox is not installed (apt-get install firefox-esr)');
    assert.ok(program, 'Chromium is missing: install it (apt-get install chromium), or set CHROMIUM to its path');
    const report = await surveyInBrowser(kind, program);
    assert.equal(report.error, undefined);
    assert.deepEqual(report.violations, []);
    assert.equal(report.crossOriginIsolated, false);
    const host = /(Chrome|Firefox)\/\d+/.exec(report.userAgent)?.[0];
    await compare(t, `${host}, page`, report.page, { needs });
    const int8 = BUILDS.filter(({ dtype }) => dtype === 'int8');
    await compare(t, `${host}, worker`, report.worker, { needs, builds: int8 });
  });
}
