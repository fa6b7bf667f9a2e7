// downloads-page.test.js - in a page of Chromium: two Translators that download the same model at once, a Cache API
// that has no room, and policies that allow no worker or no wasm.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Translator } from '../js/index.js';
import { reportOf } from './browser/hosts.js';
import { serve } from './browser/server.js';
import { SHIPPED } from './model-files.js';

const PAGE = readFileSync(new URL('browser/downloads.html', import.meta.url));
/** What differs from the policy of server.js, by the page's query. @type {Record<string, string>} */
const POLICIES = {
  '': "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; frame-src 'self'",
  'no-worker': "script-src 'self' 'wasm-unsafe-eval'; worker-src 'none'",
  'no-wasm': "script-src 'self'; worker-src 'self'",
};

test('Chromium: two at once, a full cache, and policies', async () => {
  let sent = 0;
  const server = await serve({
    page: 'tests/browser/downloads.html',
    intercept(request, response) {
      const [path, query = ''] = String(request.url).split('?');
      if (path.endsWith('/de-en-es-fr/model.safetensors')) sent++;
      if (!path.endsWith('/downloads.html')) return false;
      const policy = `default-src 'none'; connect-src 'self'; ${POLICIES[query]}`;
      response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy }).end(PAGE);
      return true;
    },
  });
  const found = await reportOf(server);
  assert.equal(found.error, undefined);

  const here = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: SHIPPED });
  const text = await here.translate('I love you. Where is the nearest bank?');
  here.destroy();

  assert.deepEqual(found.both, [{ text, worker: true }, { text, worker: true }]);
  assert.equal(found.afterBoth, 'available');
  for (const [when, outcome] of Object.entries(found.full)) {
    assert.deepEqual(outcome, { text, worker: false, after: 'downloadable' }, `no room: ${when}`);
  }
  assert.equal(Object.keys(found.full).length, 3);
  assert.deepEqual(found.noWorker.usual, { text, worker: false }, 'without a worker it is in the page itself');
  assert.equal(found.noWorker.asked.status, 'HEED_E_WASM', 'a worker that was asked for is missed');
  assert.match(found.noWorker.asked.message, /^worker: .*policy/i);
  assert.equal(found.noWasm.status, 'HEED_E_WASM');
  assert.match(found.noWasm.message, /^heed(-relaxed)?\.wasm: .*(policy|unsafe-eval)/i);
  // twice at once, once for each way to be full; those without a worker take the copy of none
  assert.ok(sent <= 2 + 3 + 2, `${sent} downloads of the weights`);
});
