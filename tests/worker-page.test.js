// worker-page.test.js - a Translator in a page of Chromium: in a worker by default, its model kept in the Cache API and
// used without the network, aborted, destroyed again and again.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { Translator } from '../js/index.js';
import { reportOf } from './browser/hosts.js';
import { serve } from './browser/server.js';
import { SHIPPED } from './model-files.js';

const TEXT = 'I love you. Where is the nearest bank?';
const HELD = /^Pss_(?:Anon|Shmem):\s+(\d+)/gm;
/** One model takes more than 16 MB: were one in five of 45 kept, it would be 144 MB more. */
const MOST = 100e6;

/**
 * Bytes that the processes of a group hold, counted once where they share them. Pages of files, such as the program's,
 * are left out: their share grows when another browser ends.
 *
 * @param {number} group
 */
function memoryOf(group) {
  let sum = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      // the name, in brackets, may hold spaces; then state, parent, group
      if (Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[2]) !== group) continue;
      for (const [, kilobytes] of readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').matchAll(HELD)) {
        sum += 1024 * Number(kilobytes);
      }
    } catch {
      // it has ended meanwhile
    }
  }
  return sum;
}

test('Chromium: worker, cache, abort, and memory given back', async (t) => {
  let isOn = true;
  let sent = 0;
  /** @type {Record<string, number>} */
  const memory = {};
  /** Of Chromium's processes. */
  let group = 0;
  const server = await serve({
    page: 'tests/browser/kept.html',
    intercept(request, response) {
      const [path, query] = String(request.url).split('?');
      if (path.endsWith('/network')) {
        isOn = query === 'true';
        return void response.end(String(sent)) ?? true;
      }
      if (path.endsWith('/memory')) {
        memory[query] = memoryOf(group);
        return void response.end(String(memory.after - memory.warm < MOST)) ?? true;
      }
      if (!path.includes('/models/')) return false;
      if (!isOn) return void request.socket.destroy() ?? true;
      if (path.endsWith('model.safetensors')) sent++;
      return false;
    },
  });
  const found = await reportOf(server, {
    flags: ['--js-flags=--expose-gc'], started: (browser) => (group = browser.group),
  });
  assert.equal(found.error, undefined);

  const here = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: SHIPPED });
  const text = await here.translate(TEXT);
  const sentences = (await here.translateDetailed(TEXT)).map(({ target }) => target);
  here.destroy();

  assert.deepEqual(found.violations, []);
  assert.ok(found.isTranslator && found.info.worker, 'in a worker by default');
  for (const way of ['text', 'streamed', 'afterAbort', 'offline', 'healed']) assert.equal(found[way], text, way);
  assert.deepEqual(found.detailed, sentences);
  assert.deepEqual(found.here, { text, worker: false });
  assert.deepEqual([found.aborted, found.destroyed, found.uncached], ['AbortError', 'AbortError', 'NetworkError']);
  assert.deepEqual([found.before, found.after], ['downloadable', 'available']);
  // once at first, once to heal: all other loads, 50 and more, took what was kept
  assert.equal(sent, 2, 'downloads of the weights');

  // heed/cache
  const read = ['config.json', 'generation_config.json', 'heed.json', 'lexicon.bin', 'model.safetensors', 'ngrams.bin',
    'source.spm', 'target.spm', 'vocab.json'].reduce((sum, name) => sum + readFileSync(`${SHIPPED}/${name}`).length, 0);
  assert.equal(found.kept.size, read);
  assert.match(found.kept.name, /\/models\/de-en-es-fr\/$/);
  assert.deepEqual([found.kept.others, found.updated, found.left], [[], false, [[], 'downloadable']]);

  const megabytes = Object.fromEntries(Object.entries(memory).map(([when, bytes]) => [when, Math.round(bytes / 1e6)]));
  t.diagnostic(`memory of all processes, MB: ${JSON.stringify(megabytes)}`);
  assert.ok(memory.warm > 1e7, 'memory was measured');
  assert.ok(memory.after - memory.warm < MOST, `${megabytes.after} MB after, ${megabytes.warm} before`);
});

test('Chromium: errors in the user\'s own worker, and options that cannot be sent', async () => {
  const found = await reportOf(await serve({ page: 'tests/browser/own-worker.html' }));
  assert.equal(found.error, undefined);
  const here = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: SHIPPED });
  assert.equal(found.text, await here.translate(TEXT));
  here.destroy();
  assert.deepEqual(found.thrown, { message: 'Uncaught Error: unrelated', isHandled: false });
  assert.match(found.missing, /^HeedError: worker: it cannot be loaded/);
  assert.match(found.broken, /^TimeoutError: .*does it import 'heed\/worker'\?; its last error: .*Error: before heed$/);
  const expected = 'expected what can be sent to a worker (structured clone)';
  assert.equal(found.element, `wasm: found [object HTMLBodyElement], ${expected}`);
  assert.equal(found.function, `model: found () => {}, ${expected}`);
});
