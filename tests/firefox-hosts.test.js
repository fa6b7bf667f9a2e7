// firefox-hosts.test.js - two of Mozilla's own models translate the same lines to the same texts, with the same
// log-probabilities to the bit, in three Nodes, Chromium, Firefox and WebKit, with SIMD128 and relaxed. A host that is
// missing is skipped and named; so are the models, see firefox-models.js.
import test, { before, describe } from 'node:test';
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { translateReal } from './browser/firefox-real.js';
import { NODES, needBrowser, otherNode, reportOf } from './browser/hosts.js';
import { serve } from './browser/server.js';
import { bringModels, readRealLines } from './firefox-models.js';

/** @typedef {import('./browser/firefox-real.js').Said} Said */

const brought = bringModels();
const skip = 'missing' in brought && brought.missing;
const directory = 'directory' in brought ? brought.directory : '';
/** Lines of each pair: every ninth of those that the real engine translated. */
const STRIDE = 9;

/** @param {string} pair */
const linesOf = (pair) => readRealLines(pair).map(({ source }) => source).filter((_, i) => i % STRIDE === 0);

for (const name of ['enpt', 'pten']) {
  const pair = { sourceLanguage: name.slice(0, 2), targetLanguage: name.slice(2) };

  describe(`${name}: every host says the same`, { skip, concurrency: 1 }, () => {
    const lines = skip ? [] : linesOf(name);
    const model = join(directory, name);
    const names = skip ? [] : readdirSync(model).filter((file) => /\.(bin|spm)$/.test(file));
    /** What this Node says. @type {Said} */
    let first;
    before(async () => {
      first = (await translateReal(model, pair, lines)).simd128;
      assert.equal(first.texts?.length, lines.length);
    });

    /**
     * @param {import('node:test').TestContext} t
     * @param {string} where
     * @param {Record<string, Said>} found
     * @param {string[]} needs  kinds of SIMD that the host must not lack
     */
    async function check(t, where, found, needs) {
      for (const [simd, { lacks, texts = [], logProbs }] of Object.entries(found)) {
        await t.test(`${where}: ${simd}`, (u) => {
          if (lacks && !needs.includes(simd)) return u.skip(lacks);
          assert.equal(lacks, undefined);
          const differing = lines.flatMap((line, i) =>
            (texts[i] === first.texts?.[i] ? [] : [{ line, here: texts[i], first: first.texts?.[i] }]));
          assert.deepEqual(differing, []);
          assert.deepEqual(logProbs, first.logProbs);
        });
      }
    }

    for (const other of NODES) {
      test(`Node, ${other}`, async (t) => {
        const node = await otherNode(t, other);
        if (!node) return;
        const module = new URL('browser/firefox-real.js', import.meta.url);
        const job = JSON.stringify([model, pair, lines]);
        const program = `import { translateReal } from ${JSON.stringify(module)};
          console.log(JSON.stringify(await translateReal(...${job})));`;
        const found = JSON.parse(await node(['--input-type=module', '--eval', program]));
        await check(t, await node(['--version']), found, ['simd128', 'relaxed']);
      });
    }

    for (const [kind, needs] of /** @type {const} */ ([
      ['chromium', ['simd128', 'relaxed']], ['firefox', ['simd128']], ['webkit', ['simd128']],
    ])) {
      test(`${kind}: a page`, async (t) => {
        if (!needBrowser(kind, t)) return;
        const folder = mkdtempSync(join(tmpdir(), 'heed-real-'));
        try {
          writeFileSync(join(folder, 'job.json'), JSON.stringify({ names, pair, lines }));
          for (const file of names) symlinkSync(join(model, file), join(folder, file));
          const server = await serve({
            page: 'tests/browser/firefox-real.html', folders: { 'tests/browser/firefox-model': folder },
          });
          const { error, userAgent, found } = await reportOf(server, { kind });
          assert.equal(error, undefined);
          t.diagnostic(userAgent);
          await check(t, kind, found, needs);
        } finally {
          rmSync(folder, { recursive: true });
        }
      });
    }
  });
}
