// everywhere.test.js - five hundred texts are translated to the same bytes in a batch and in a worker, and half of them
// one by one, streamed, in three Nodes, Chromium, Firefox and WebKit, with SIMD128 and relaxed. How well is score/'s
// business. And each browser's words for a policy that forbids WebAssembly are known.
import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { composed } from './browser/composed.js';
import { RUNS, everywhere } from './browser/everywhere.js';
import { NODES, needBrowser, otherNode, reportOf } from './browser/hosts.js';
import { serve } from './browser/server.js';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const golden = JSON.parse(await readFile(path('golden/everywhere.json'), 'utf8'));
const texts = composed();

/** What the first run of this file said of each text, to name those that differ. @type {Map<string, string>} */
const list = new Map();

/**
 * @param {import('node:test').TestContext} t
 * @param {string} where
 * @param {Awaited<ReturnType<typeof everywhere>>} found
 * @param {number} [every]  2: of every second text
 */
function check(t, where, { texts: asked, targets, scores, list: said, ms }, every = 1) {
  t.diagnostic(`${where}: ${ms} ms`);
  const known = golden[every];
  assert.equal(asked, known.texts, `${where}: the texts are others: node tests/golden/everywhere.js --write`);
  const differing = texts.filter((_, i) => i % every === 0).flatMap((text, i) => {
    if (!list.has(text)) list.set(text, said[i]);
    return said[i] === list.get(text) ? [] : [{ text, here: said[i], first: list.get(text) }];
  });
  assert.deepEqual(differing, [], `${where}: differs from the first run`);
  assert.equal(targets, known.targets, `${where}: another model needs: node tests/golden/everywhere.js --write`);
  assert.equal(scores, known.scores, `${where}: log-probabilities`);
}

test('the texts are five hundred, and of every sort', () => {
  assert.equal(texts.length, 500);
  assert.ok(new Set(texts).size > 430, 'few are there twice');
  const sorts = [/^.{0,6}$/u, /^.{120}/u, /\d/, /https?:/, /[“"]/, /^[A-Z\P{L}]{12}/u, /[.?]\s+[A-Z].*[.?]$/,
    /[äöü]/, /\p{Emoji_Presentation}/u, /[^\p{sc=Latin}\p{sc=Common}\p{sc=Inherited}]/u];
  for (const some of [texts, texts.filter((_, i) => i % 2 === 0)]) {
    for (const sort of sorts) assert.ok(some.filter((text) => sort.test(text)).length >= 3, String(sort));
  }
});

/**
 * @param {import('node:test').TestContext} t
 * @param {string} where
 * @param {any[]} found  of survey()
 * @param {string[]} needs  kinds of SIMD that the host must not lack
 */
async function checkSurvey(t, where, found, needs) {
  for (const [i, { simd, worker, every }] of RUNS.entries()) {
    await t.test(`${where}: ${simd}${worker ? ', in a worker' : ''}`, (u) => {
      if (found[i].lacks && !needs.includes(simd)) return u.skip(found[i].lacks);
      assert.equal(found[i].lacks, undefined);
      check(u, where, found[i], every);
    });
  }
}

/** The worker that may not use WebAssembly: its policy is that of its own file. */
const FORBIDDEN = await readFile(path('browser/no-wasm.js'));
/** @type {NonNullable<NonNullable<Parameters<typeof serve>[0]>['intercept']>} */
const sendForbidden = (request, response) => {
  if (!String(request.url).endsWith('/no-wasm.js')) return false;
  response.writeHead(200, { 'content-type': 'text/javascript',
    'content-security-policy': "default-src 'none'; script-src 'self'; connect-src 'self'" }).end(FORBIDDEN);
  return true;
};

// two hosts at a time: this one, which serves the pages too, and another
describe('every host says the same', { concurrency: 2 }, () => {
  describe('this Node', { concurrency: 1 }, () => {
    for (const { worker = false, ...asked } of [
      { way: 'batch' }, { way: 'single', every: 2 }, { way: 'streaming', every: 2 }, { way: 'batch', worker: true },
    ]) {
      test(`Node, this one: ${asked.way}${worker ? ', in a worker' : ''}`, async (t) =>
        check(t, process.version, await everywhere({ ...asked, worker }), asked.every));
    }
  });

  describe('others', { concurrency: 1 }, () => {
    for (const name of NODES) {
      test(`Node, ${name}`, async (t) => {
        const node = await otherNode(t, name);
        if (!node) return;
        const found = JSON.parse(await node([path('golden/everywhere.js')]));
        await checkSurvey(t, await node(['--version']), found, ['simd128', 'relaxed']);
      });
    }

    for (const [kind, needs] of /** @type {const} */ ([
      ['chromium', ['simd128', 'relaxed']], ['firefox', ['simd128']], ['webkit', ['simd128']],
    ])) {
      test(`${kind}: page and worker`, async (t) => {
        if (!needBrowser(kind, t)) return;
        const server = await serve({ page: 'tests/browser/everywhere.html', intercept: sendForbidden });
        const { error, userAgent, refused, found } = await reportOf(server, { kind });
        assert.equal(error, undefined);
        t.diagnostic(userAgent);
        assert.equal(refused.length, 2);
        for (const [status, message] of refused) {
          assert.equal(status, 'HEED_E_WASM');
          assert.match(message, /^heed\.wasm: .+: add 'wasm-unsafe-eval' to script-src$/, 'in one line');
        }
        await checkSurvey(t, kind, found, needs);
      });
    }
  });
});
