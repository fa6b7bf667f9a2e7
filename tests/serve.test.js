// heed serve: LibreTranslate's interface over HTTP, with plain requests and a client from npm; the limits of the server
// with translators that do what a test wants; signals to the process.
//
// The client is `translate`: it has LibreTranslate among its services, no dependencies, and it is kept up to date. It
// sends what its own users send.
import test, { after } from 'node:test';
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Translate } from 'translate';
import { E_WASM } from '../js/base/constants.js';
import { MAX_REQUEST_BYTES } from '../js/base/limits.js';
import { HeedError } from '../js/index.js';
import { startServer } from '../js/serve/server.js';
import { Translators } from '../js/serve/translators.js';
import { SHIPPED, TINY } from './model-files.js';

const CLI = fileURLToPath(new URL('../js/cli.js', import.meta.url));
const TEXTS = ['Good morning.', 'I love you.', 'Can you help me?', 'Tom has a red car.'];
const GERMAN = ['Guten Morgen.', 'Ich liebe dich.', 'Kannst du mir helfen?', 'Tom hat ein rotes Auto.'];

/** Starts the command. @param {...string} args */
async function startCommand(...args) {
  const child = spawn(process.execPath, [CLI, 'serve', '--port', '0', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { out: '', err: '' };
  child.stderr.on('data', (data) => (said.err += data));
  for await (const data of child.stdout) {
    said.out += data;
    if (said.out.includes('\n')) break;
  }
  const url = /http:\/\/\S+\//.exec(said.out)?.[0] ?? assert.fail(said.err);
  return { child, said, url };
}

/** @param {string} url @param {unknown} body @param {RequestInit} [more] */
const post = (url, body, more) => fetch(url, {
  method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body), ...more,
});

/** @param {Promise<Response>} asked @returns {Promise<[number, any]>} */
async function told(asked) {
  const response = await asked;
  return [response.status, await response.json()];
}

const shipped = await startCommand();
after(() => void shipped.child.kill('SIGKILL'));
/** @param {unknown} body @param {string} [path] */
const ask = (body, path = 'translate') => told(post(`${shipped.url}${path}`, body));

test('all pairs of a model of many languages are offered, without heed.json', async (t) => {
  const place = fileURLToPath(new URL('golden/hf/families/mbart50', import.meta.url));
  const { child, url } = await startCommand('--model', place);
  t.after(() => void child.kill('SIGKILL'));
  const list = await (await fetch(`${url}languages`)).json();
  assert.equal(list.length, 52);
  assert.equal(list.find((/** @type {any} */ { code }) => code === 'de').targets.length, 52);
  const [status, { translatedText }] = await told(post(`${url}translate`, { q: 'A dog.', source: 'en', target: 'de' }));
  assert.deepEqual([status, typeof translatedText], [200, 'string']);
});

test('HTML keeps its tags', async () => {
  const html = '<p>Tom has a <b>red</b> <a href="x">car</a>.</p>';
  for (const target of ['de', 'fr']) {
    const [status, { translatedText: [one, two] }] =
      await ask({ q: [html, '<p>x</p>'], source: 'en', target, format: 'html' });
    assert.equal(status, 200);
    assert.match(one, /^<p>.*<\/p>$/);
    assert.deepEqual(one.match(/<[^>]*>/g).sort(), html.match(/<[^>]*>/g)?.sort());
    assert.notEqual(one, html);
    assert.match(two, /^<p>.*<\/p>$/);
  }
  assert.match((await ask({ q: 'x', source: 'en', target: 'de', format: 'pdf' }))[1].error, /pdf/);
});

test('a text gives a text, a list a list', async () => {
  assert.deepEqual(await ask({ q: TEXTS[0], source: 'en', target: 'de' }), [200, { translatedText: GERMAN[0] }]);
  assert.deepEqual(await ask({ q: TEXTS, source: 'en', target: 'de', format: 'text' }),
    [200, { translatedText: GERMAN }]);
  assert.deepEqual(await ask({ q: 'I love you.\n\n  Good morning.\n', source: 'en-US', target: 'DE' }),
    [200, { translatedText: 'Ich liebe dich.\n\n  Guten Morgen.\n' }]);
  // into its own language a text stays as it is
  assert.deepEqual(await ask({ q: 'I luv you', source: 'en', target: 'en' }), [200, { translatedText: 'I luv you' }]);
});

test('a client from npm', async () => {
  const client = new Translate({ engine: 'libre', url: `${shipped.url}translate`, key: 'none is needed' });
  for (const [i, text] of TEXTS.entries()) assert.equal(await client(text, { from: 'en', to: 'de' }), GERMAN[i]);
  assert.equal(await client('Ich liebe dich.', { from: 'German', to: 'English' }), 'I love you.');
  await assert.rejects(client('Good morning.', { from: 'en', to: 'sv' }), /'sv' is not supported, expected de, en/);
});

test('forms, and forms in parts, as pages send them', async () => {
  const fields = { q: 'I love you.\r\nGood morning.', source: 'en', target: 'de' };
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const body of [new URLSearchParams(fields), form]) {
    assert.deepEqual(await told(fetch(`${shipped.url}translate`, { method: 'POST', body })),
      [200, { translatedText: 'Ich liebe dich.\nGuten Morgen.' }]);
  }
  const address = `${shipped.url}translate?${new URLSearchParams({ ...fields, q: 'Good morning.' })}`;
  assert.deepEqual(await told(fetch(address, { method: 'POST' })), [200, { translatedText: GERMAN[0] }]);
});

test('the language of a text', async () => {
  const [status, { translatedText, detectedLanguage }] = await ask({ q: TEXTS[1], source: 'auto', target: 'de' });
  assert.deepEqual([status, translatedText, detectedLanguage.language], [200, GERMAN[1], 'en']);
  assert.ok(detectedLanguage.confidence > 50 && detectedLanguage.confidence <= 100, `${detectedLanguage.confidence}`);
  const [, list] = await ask({ q: TEXTS, source: 'auto', target: 'de' });
  assert.deepEqual(list.translatedText, GERMAN);
  assert.deepEqual(list.detectedLanguage.map((/** @type {any} */ { language }) => language), ['en', 'en', 'en', 'en']);
  // each text of a list has its own language; that of a short one that does not tell is the list's
  const [, mixed] = await ask({ source: 'auto', target: 'de', alternatives: 1,
    q: ['Te quiero.', TEXTS[3], 'Tom', GERMAN[0], 'Where is the nearest station, please?'] });
  assert.deepEqual(mixed.detectedLanguage.map((/** @type {any} */ { language }) => language),
    ['es', 'en', 'en', 'de', 'en']);
  assert.deepEqual(mixed.translatedText.slice(0, 4), [GERMAN[1], GERMAN[3], 'Tom', GERMAN[0]]);
  assert.match(mixed.translatedText[4], /Bahnhof/);
  assert.deepEqual(mixed.alternatives.map((/** @type {string[]} */ { length }) => length), [1, 1, 1, 0, 1]);
  // what has no language has that of the list
  const [, odd] = await ask({ source: 'auto', target: 'de',
    q: ['Te quiero.', 'https://example.org/aaaa/bbbb/cccc/dddd/eeee', 'No sé qué decir, amigo mío.'] });
  assert.deepEqual(odd.detectedLanguage.map((/** @type {any} */ { language }) => language), ['es', 'es', 'es']);
  const [, [best]] = await ask({ q: 'Wo ist hier der nächste Bahnhof?' }, 'detect');
  assert.equal(best.language, 'de');
  assert.deepEqual(await ask({ q: '?!' }, 'detect'), [200, [{ confidence: 0, language: 'en' }]]);
  const russian = 'Я не знаю, где находится ближайший вокзал.';
  assert.deepEqual(await ask({ q: russian, source: 'auto', target: 'de' }),
    [400, { error: "'ru' is not supported, expected de, en, es, fr" }]);
});

test('HTML keeps its tags, of one text and of several', async () => {
  const [plain] = GERMAN;
  const html = (/** @type {unknown} */ q) => ask({ q, source: 'en', target: 'de', format: 'html' });
  assert.deepEqual(await html(`<p class="a">${TEXTS[0]}</p>`), [200, { translatedText: `<p class="a">${plain}</p>` }]);
  const [status, { translatedText }] = await html([`<b>${TEXTS[0]}</b>`, '<i>1 &amp; 2</i>']);
  assert.deepEqual([status, translatedText], [200, [`<b>${plain}</b>`, '<i>1 &amp; 2</i>']]);
  assert.equal((await ask({ q: TEXTS[0], source: 'en', target: 'de', format: 'md' }))[0], 400);
});

test('every pair of the shipped model is translated', async () => {
  const [status, { translatedText }] = await ask({ q: GERMAN[1], source: 'de', target: 'fr' });
  assert.deepEqual([status, translatedText], [200, "Je t'aime."]);
  assert.match(shipped.said.out, /translates between en, de, fr, es: 12 pairs\n/);
});

test('alternatives are other texts than the best', async () => {
  const [, one] = await ask({ q: TEXTS[0], source: 'en', target: 'de', alternatives: 2 });
  assert.equal(one.translatedText, GERMAN[0]);
  assert.equal(one.alternatives.length, 2);
  assert.equal(new Set([one.translatedText, ...one.alternatives]).size, 3);
  const [, two] = await ask({ q: TEXTS.slice(0, 2), source: 'en', target: 'de', alternatives: '2' });
  assert.deepEqual(two.alternatives[0], one.alternatives);
  assert.equal(two.alternatives[1].length, 2);
});

test('languages, settings, health, other origins', async () => {
  const [status, languages] = await told(fetch(`${shipped.url}languages`));
  assert.equal(status, 200);
  assert.deepEqual(languages[0], { code: 'de', name: 'German', targets: ['de', 'en', 'es', 'fr'] });
  assert.deepEqual(languages.map((/** @type {any} */ { code }) => code), ['de', 'en', 'es', 'fr']);
  const [, settings] = await told(fetch(`${shipped.url}frontend/settings`));
  assert.deepEqual([settings.charLimit, settings.apiKeys, settings.keyRequired], [-1, false, false]);
  assert.deepEqual(await told(fetch(`${shipped.url}health`)), [200, { status: 'ok' }]);
  const asked = await fetch(`${shipped.url}translate`, { method: 'OPTIONS' });
  assert.deepEqual([asked.status, await asked.text()], [204, '']);
  for (const { headers } of [asked, await fetch(`${shipped.url}health`), await fetch(`${shipped.url}nothing`)]) {
    assert.equal(headers.get('access-control-allow-origin'), '*');
    assert.equal(headers.get('access-control-allow-headers'), 'Authorization, Content-Type');
  }
  const head = await fetch(`${shipped.url}languages`, { method: 'HEAD' });
  assert.deepEqual([head.status, await head.text()], [200, '']);
});

test('tags that models state in other forms, and what is no tag', async (t) => {
  const { child, url } = await startCommand('--model', TINY, '--from', 'en_US', '--to', 'pt_BR');
  t.after(() => void child.kill('SIGKILL'));
  const [, languages] = await told(fetch(`${url}languages`));
  assert.deepEqual(languages.map((/** @type {any} */ { code }) => code), ['en-US', 'pt-BR']);
  const odd = await startWaiting(t, { pairs: [['a tag', 'de'], ['en', 'de']] });
  assert.deepEqual(await told(fetch(`${odd.url}languages`)), [200, [
    { code: 'a tag', name: 'a tag', targets: ['a tag', 'de'] },
    { code: 'de', name: 'German', targets: ['de'] }, { code: 'en', name: 'English', targets: ['de', 'en'] }]]);
  const text = 'Where is the station?';
  const [status, { translatedText }] = await odd.say(text.slice(0, 20), 'de', { source: 'auto' });
  assert.deepEqual([status, translatedText], [200, `de: ${text.slice(0, 20).toUpperCase()}`]);
});

test('wrong requests are told what is wrong', async () => {
  const right = { q: 'Hi.', source: 'en', target: 'de' };
  for (const [body, error] of /** @type {[unknown, string][]} */ ([
    [{ ...right, q: '' }, 'Invalid request: missing q parameter'],
    [{ ...right, q: [] }, 'Invalid request: missing q parameter'],
    [{ ...right, q: undefined }, 'Invalid request: missing q parameter'],
    [{ ...right, source: undefined }, 'Invalid request: missing source parameter'],
    [{ ...right, target: null }, 'Invalid request: missing target parameter'],
    [{ ...right, target: 5 }, 'Invalid request: target: found 5, expected a text'],
    [{ ...right, q: ['Hi.', 5] }, 'Invalid request: q: found 5, expected a text or a list of texts'],
    [{ ...right, source: 'xx' }, "'xx' is not supported, expected de, en, es, fr"],
    [{ ...right, source: 'not a tag' }, "'not a tag' is not supported, expected de, en, es, fr"],
    [{ ...right, format: 'pdf' }, "'pdf' format is not supported"],
    [{ ...right, alternatives: 'many' }, 'Invalid request: alternatives parameter is not a number'],
    [{ ...right, alternatives: 10 }, 'Invalid request: alternatives parameter must be <= 9'],
    [[right], `Invalid request: body: found [[object Object]], expected a JSON object`],
  ])) {
    assert.deepEqual(await ask(body), [400, { error }]);
  }
  const noText = (/** @type {string} */ found) =>
    [400, { error: `Invalid request: q: found ${found}, expected a text or a list of texts` }];
  assert.deepEqual(await ask({ q: { toString: 1 } }, 'detect'), noText('what has no text'));
  assert.deepEqual(await ask({ q: ['Hi.', ['Hi.']] }, 'detect'), noText('[Hi.]'));
  const url = `${shipped.url}translate`;
  const json = { 'content-type': 'application/json' };
  for (const [init, status, pattern] of /** @type {[RequestInit, number, RegExp][]} */ ([
    [{ body: '{"q":' , headers: json }, 400, /^Invalid request: body: not JSON/],
    [{ body: '{"q":"a","q":"b"}', headers: json }, 400, /the key 'q' occurs twice/],
    [{ body: Buffer.from([0x7b, 0xff]), headers: json }, 400, /body: not UTF-8/],
    [{ body: 'q=%ff', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 400, /URI malformed/],
    [{ body: 'Hi.', headers: { 'content-type': 'multipart/form-data; boundary=x' } }, 400, /^Invalid request: /],
    [{ body: 'Hi.' }, 400, /content-type: found 'text\/plain', expected application\/json, /],
    [{ body: 'x'.repeat(MAX_REQUEST_BYTES + 1), headers: json }, 413, /body: found more than 1048576 bytes/],
    [{ method: 'GET' }, 405, /\/translate: found GET, expected POST/],
  ])) {
    const [found, { error }] = await told(fetch(url, { method: 'POST', ...init }));
    assert.match(error, pattern);
    assert.equal(found, status);
  }
  // a body whose length is not said beforehand
  const stream = new ReadableStream({
    start(controller) {
      for (let i = 0; i <= MAX_REQUEST_BYTES; i += 2 ** 16) controller.enqueue(new Uint8Array(2 ** 16));
      controller.close();
    },
  });
  const [status] = await told(fetch(url, { method: 'POST', body: stream, headers: json, duplex: 'half' }));
  assert.equal(status, 413);
  for (const [path, expected] of [['nothing', 404], ['suggest', 403], ['translate_file', 403]]) {
    const [found, { error }] = await told(post(`${shipped.url}${path}`, right));
    assert.equal(found, expected);
    assert.match(error, new RegExp(String(path)));
  }
});

test('200 requests, 20 at a time: none is lost', async () => {
  let next = 0;
  /** @type {string[]} */
  const wrong = [];
  await Promise.all(Array.from({ length: 20 }, async () => {
    while (next < 200) {
      const i = next++;
      const [q, expected] = [`${TEXTS[i % 4]} ${TEXTS[(i >> 2) % 4]}`, `${GERMAN[i % 4]} ${GERMAN[(i >> 2) % 4]}`];
      const [status, { translatedText }] = await ask({ q, source: 'en', target: 'de' });
      if (status !== 200 || translatedText !== expected) wrong.push(`${status}: ${q}: ${translatedText}`);
    }
  }));
  assert.deepEqual(wrong, []);
});

// ------------------------------------------------------------------------------ limits, with translators of a test

/**
 * A server whose translators wait until `go` is called, and write capitals.
 *
 * @param {import('node:test').TestContext} t
 * @param {object} [options]
 */
async function startWaiting(t, options = {}) {
  const state = {
    url: '', running: 0, most: 0, aborted: 0,
    /** @type {string[]} */
    made: [],
    /** @type {string[]} */
    destroyed: [],
    /** @type {unknown[]} */
    errors: [],
    go: () => {},
    /** @type {Promise<void>} */
    gate: Promise.resolve(),
    hold: () => void (state.gate = new Promise((resolve) => (state.go = resolve))),
    /** What translate() throws. @type {Error | undefined} */
    fails: undefined,
  };
  const server = await startServer(/** @type {any} */ ({
    host: '127.0.0.1', port: 0, charLimit: 20, queue: 100, timeout: 60_000, loaded: 2,
    pairs: [['en', 'de'], ['en', 'fr'], ['en', 'es'], ['en', 'it']],
    onError: (/** @type {unknown} */ error) => state.errors.push(error),
    create: async (/** @type {string} */ source, /** @type {string} */ target) => {
      state.made.push(target);
      return {
        async translate(/** @type {string[]} */ texts, /** @type {{ signal: AbortSignal }} */ { signal }) {
          state.most = Math.max(state.most, ++state.running);
          signal.addEventListener('abort', () => state.aborted++, { once: true });
          try {
            await Promise.race([state.gate, once(signal, 'abort')]);
            signal.throwIfAborted();
            if (state.fails) throw state.fails;
            return texts.map((text) => `${target}: ${text.toUpperCase()}`);
          } finally {
            state.running--;
          }
        },
        destroy: () => void state.destroyed.push(target),
      };
    },
    ...options,
  }));
  t.after(() => {
    state.go();
    return server.stop();
  });
  state.url = server.url;
  /** @param {string} q @param {string} [target] @param {object} [more] */
  const say = (q, target = 'de', more) => told(post(`${state.url}translate`, { q, source: 'en', target, ...more }));
  const until = async (/** @type {() => boolean} */ isSo) => {
    const end = Date.now() + 60_000;
    while (!isSo()) {
      if (Date.now() > end) assert.fail(`not after 60 s: ${isSo}`);
      await new Promise((resolve) => void setImmediate(resolve));
    }
  };
  return Object.assign(state, { server, say, until });
}

test('more requests than the queue takes are refused at once', async (t) => {
  const state = await startWaiting(t, { queue: 3 });
  state.hold();
  const three = ['a', 'b', 'c'].map((q) => state.say(q));
  await state.until(() => state.running === 3);
  const response = await post(`${state.url}translate`, { q: 'd', source: 'en', target: 'de' });
  assert.deepEqual([response.status, response.headers.get('retry-after'), await response.json()],
    [503, '1', { error: 'found 3 requests at the same time, the limit: try again later' }]);
  assert.equal((await fetch(`${state.url}health`)).status, 200);
  state.go();
  assert.deepEqual(await Promise.all(three), ['A', 'B', 'C'].map((q) => [200, { translatedText: `de: ${q}` }]));
  assert.deepEqual(await state.say('d'), [200, { translatedText: 'de: D' }]);
});

test('a request that would not be translated in its time is refused at once', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const state = await startWaiting(t);
  // one at a time, a second each: that says little of many
  for (let i = 0; i < 64; i++) {
    now += 1e6;
    state.hold();
    const one = state.say(`${i}`);
    await state.until(() => state.running === 1);
    now += 1000;
    state.go();
    assert.equal((await one)[0], 200);
  }
  // 64 at a time: of a batch and what waits for it 33 answers are counted, in 33 seconds
  state.hold();
  let begun = 0;
  const countBegun = () => void begun++;
  subscribe('http.server.request.start', countBegun);
  const burst = Array.from({ length: 64 }, (_, i) => state.say(`${i}`));
  await state.until(() => begun === 64 && state.running === 32);
  unsubscribe('http.server.request.start', countBegun);
  now += 33_000;
  state.go();
  for (const [status] of await Promise.all(burst)) assert.equal(status, 200);
  now += 1e6;
  state.hold();
  // 60 s are the limit, and 45 of them may be spent waiting
  let come = 0;
  const count = () => void come++;
  subscribe('http.server.request.start', count);
  t.after(() => unsubscribe('http.server.request.start', count));
  const many = Array.from({ length: 45 }, (_, i) => state.say(`${i}`));
  await state.until(() => come === 45);
  const say = () => post(`${state.url}translate`, { q: 'x', source: 'en', target: 'de' });
  const refused = await say();
  assert.deepEqual([refused.status, refused.headers.get('retry-after'), await refused.json()], [503, '1',
    { error: 'the 45 requests before this one may take longer than 60 s, the limit: try again later' }]);
  // the longer nothing is answered, the longer it will take
  now += 64_000;
  const later = await say();
  assert.deepEqual([later.status, later.headers.get('retry-after')], [503, '91']);
  assert.equal((await fetch(`${state.url}health`)).status, 200);
  assert.equal((await told(post(`${state.url}detect`, { q: 'Wo ist der Bahnhof?' })))[0], 200);
  state.go();
  for (const [status] of await Promise.all(many)) assert.equal(status, 200);
  assert.equal((await state.say('x'))[0], 200);
});

test('so many run at the same time, and the others in their order', async (t) => {
  const state = await startWaiting(t);
  state.hold();
  const all = Array.from({ length: 50 }, (_, i) => state.say(`${i}`));
  await state.until(() => state.running === 32);
  assert.equal((await fetch(`${state.url}health`)).status, 200);
  state.go();
  assert.deepEqual(await Promise.all(all), all.map((_, i) => [200, { translatedText: `de: ${i}` }]));
  assert.equal(state.most, 32);
  const wide = await startWaiting(t, { jobs: 2 });
  wide.hold();
  const more = Array.from({ length: 70 }, (_, i) => wide.say(`${i}`));
  await wide.until(() => wide.running === 64);
  wide.go();
  await Promise.all(more);
  assert.equal(wide.most, 64, 'two workers have two batches');
});

test('--jobs: so many threads for a pair', { skip: process.platform !== 'linux' && 'threads are counted in /proc' },
  async (t) => {
    const { child, url } = await startCommand('--model', SHIPPED, '--jobs', '3');
    t.after(() => void child.kill('SIGKILL'));
    const countThreads = () => readdirSync(`/proc/${child.pid}/task`).length;
    const before = countThreads();
    assert.deepEqual(await told(post(`${url}translate`, { q: TEXTS, source: 'en', target: 'de' })),
      [200, { translatedText: GERMAN }]);
    assert.equal(countThreads() - before, 3);
  });


test('a bounded number of translators is kept, those that were used last', async (t) => {
  const state = await startWaiting(t);
  for (const target of ['de', 'fr', 'de', 'es', 'de', 'fr']) {
    assert.deepEqual(await state.say('a', target), [200, { translatedText: `${target}: A` }]);
  }
  assert.deepEqual(state.made, ['de', 'fr', 'es', 'fr']);
  assert.deepEqual(state.destroyed, ['fr', 'es']);
});

test('a call that waits for its translator is not overtaken, and does not run once it is given up', async () => {
  /** @type {string[]} */
  const order = [];
  const create = async () => /** @type {any} */ ({ destroy: () => {} });
  const translators = new Translators(create, { most: 1, atOnce: 2 });
  /** @type {(() => void)[]} */
  const ends = [];
  /** @param {string} target @param {string} name @param {AbortController} [controller] */
  const use = (target, name, { signal } = new AbortController()) => translators.use('en', target, signal, () => {
    order.push(name);
    return new Promise((resolve) => void ends.push(() => resolve(undefined)));
  });
  const stop = new AbortController();
  const all = [use('de', 'first'), use('it', 'other'), use('de', 'last')];
  const given = use('it', 'never', stop);
  stop.abort();
  await assert.rejects(given, { name: 'AbortError' });
  for (let i = 0; i < all.length; i++) {
    while (ends.length === 0) await new Promise((resolve) => void setImmediate(resolve));
    assert.equal(ends.length, 1, order.join());
    ends.shift()?.();
    await all[i];
  }
  assert.deepEqual(order, ['first', 'other', 'last']);
  translators.destroy();
});

test('a request ends with its time, and the work with it', async (t) => {
  const state = await startWaiting(t, { timeout: 200 });
  state.hold();
  assert.deepEqual(await state.say('a'), [503, { error: 'not done in 0.2 s, the limit' }]);
  await state.until(() => state.running === 0);
  assert.equal(state.aborted, 1);
  // and one that does not end its body
  const socket = connect(Number(new URL(state.url).port), '127.0.0.1');
  socket.write('POST /translate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{');
  const [answer] = await once(socket, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 503 .*not done in 0\.2 s/s);
  socket.destroy();
  state.go();
  // the machine may take 0.2 s for something else
  let later = await state.say('a');
  for (let tries = 0; later[0] === 503 && tries < 50; tries++) later = await state.say('a');
  assert.deepEqual(later, [200, { translatedText: 'de: A' }]);
  assert.deepEqual(state.errors, []);
});

test('a client that leaves ends the work', async (t) => {
  const state = await startWaiting(t);
  state.hold();
  const stop = new AbortController();
  const all = Array.from({ length: 32 }, () =>
    post(`${state.url}translate`, { q: 'a', source: 'en', target: 'de' }, { signal: stop.signal }));
  await state.until(() => state.running === 32);
  stop.abort();
  for (const gone of all) await assert.rejects(gone, { name: 'AbortError' });
  await state.until(() => state.running === 0 && state.aborted === 32);
  state.go();
  assert.deepEqual(await state.say('a'), [200, { translatedText: 'de: A' }]);
  assert.deepEqual(state.errors, []);
});

test('a long text is refused, by its characters', async (t) => {
  const state = await startWaiting(t);
  assert.deepEqual(await state.say('x'.repeat(21)),
    [400, { error: 'Invalid request: request (21) exceeds text limit (20)' }]);
  const list = (/** @type {string[]} */ ...q) =>
    told(post(`${state.url}translate`, { q, source: 'en', target: 'de' }));
  assert.deepEqual(await list('x'.repeat(11), 'y'.repeat(10)), // no list goes around the limit
    [400, { error: 'Invalid request: request (21) exceeds text limit (20)' }]);
  assert.equal((await list('x'.repeat(11), 'y'.repeat(9)))[0], 200);
  assert.equal((await told(fetch(`${state.url}frontend/settings`)))[1].charLimit, 20);
});

test('a failure of a model is a 500, and a broken one is loaded again', async (t) => {
  const state = await startWaiting(t);
  state.fails = new Error('what happened');
  assert.deepEqual(await state.say('a'), [500, { error: 'Cannot translate text: what happened' }]);
  assert.equal(state.errors.length, 1);
  assert.deepEqual([state.made, state.destroyed], [['de'], []]);
  state.fails = new HeedError(E_WASM, 'the module has trapped');
  assert.equal((await state.say('a'))[0], 500);
  state.fails = undefined;
  assert.deepEqual(await state.say('a'), [200, { translatedText: 'de: A' }]);
  assert.deepEqual([state.made, state.destroyed], [['de', 'de'], ['de']]);
  // a pool that has refused a text goes on with others
  state.fails = new HeedError(E_WASM, 'broke twice', { cause: new HeedError(E_WASM, 'broke') });
  assert.equal((await state.say('a'))[0], 500);
  state.fails = undefined;
  assert.equal((await state.say('a'))[0], 200);
  assert.deepEqual([state.made, state.destroyed], [['de', 'de'], ['de']]);
  // one that does not load is tried again by the next request
  let count = 0;
  const failing = await startWaiting(t, {
    create: async () => {
      if (count++ === 0) throw new Error('no such file');
      return { translate: async (/** @type {string[]} */ texts) => texts, destroy: () => {} };
    },
  });
  assert.deepEqual(await failing.say('a'), [500, { error: 'Cannot translate text: no such file' }]);
  assert.deepEqual(await failing.say('a'), [200, { translatedText: 'a' }]);
});

test('a pair that is not translated', async (t) => {
  const state = await startWaiting(t);
  assert.deepEqual(await told(post(`${state.url}translate`, { q: 'a', source: 'de', target: 'fr' })),
    [400, { error: 'French (fr) is not available as a target language from German (de)' }]);
});

test('API keys', async (t) => {
  const state = await startWaiting(t, { keys: ['one', 'two'] });
  assert.equal((await state.say('a'))[0], 400);
  assert.deepEqual(await state.say('a', 'de', { api_key: 'three' }), [403, { error: 'Invalid API key' }]);
  assert.deepEqual(await state.say('a', 'de', { api_key: 'two' }), [200, { translatedText: 'de: A' }]);
  assert.equal((await told(post(`${state.url}detect`, { q: 'a' })))[0], 400);
  const client = new Translate({ engine: 'libre', url: `${state.url}translate`, key: 'one' });
  assert.equal(await client('by key', { from: 'en', to: 'de' }), 'de: BY KEY');
  assert.equal((await told(fetch(`${state.url}languages`)))[0], 200);
  assert.equal((await told(fetch(`${state.url}frontend/settings`)))[1].keyRequired, true);
});

test('a stop answers what has come, also what waits, and refuses what comes', async (t) => {
  const state = await startWaiting(t);
  state.hold();
  const all = Array.from({ length: 40 }, (_, i) => state.say(`${i}`));
  await state.until(() => state.running === 32);
  // connections that are open already: one asks now, the others end their headers later
  /** The server's ends. @type {import('node:net').Socket[]} */
  const sockets = [];
  const see = (/** @type {any} */ { socket }) => void sockets.push(socket);
  subscribe('net.server.socket', see);
  t.after(() => unsubscribe('net.server.socket', see));
  const { port } = new URL(state.url);
  const begin = 'POST /translate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
  const end = 'Content-Length: 37\r\n\r\n{"q":"a","source":"en","target":"de"}';
  const clients = [begin + end, 'GET /health HTTP/1.1\r\nHost: a\r\n', begin].map((text) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(text);
    return socket;
  });
  const [early, late, call] = clients;
  await state.until(() => clients.every(({ localPort }) =>
    sockets.some(({ remotePort, bytesRead }) => remotePort === localPort && bytesRead > 0)));
  const isStopped = state.server.stop();
  await assert.rejects(fetch(`${state.url}health`));
  late.write('\r\n');
  call.write(end);
  const read = async (/** @type {import('node:net').Socket} */ socket) => {
    let answer = '';
    for await (const data of socket) answer += data;
    return answer;
  };
  for (const socket of [late, call]) assert.match(await read(socket), /^HTTP\/1\.1 503 .*"the server stops"/s);
  state.go();
  assert.deepEqual(await Promise.all(all), all.map((_, i) => [200, { translatedText: `de: ${i}` }]));
  assert.match(await read(early), /^HTTP\/1\.1 200 .*connection: close.*"de: A"/s);
  await isStopped;
  assert.deepEqual(state.destroyed, ['de']);
});

// ------------------------------------------------------------------------------ the process

test('SIGTERM: what runs is answered, and the exit status is 0', { skip: process.platform === 'win32' }, async () => {
  const { child, said, url } = await startCommand('--model', SHIPPED);
  const request = httpRequest(`${url}translate`, {
    method: 'POST', headers: { 'content-type': 'application/json', expect: '100-continue' },
  });
  request.flushHeaders();
  await once(request, 'continue'); // it has come
  child.kill('SIGTERM');
  request.end(JSON.stringify({ q: Array(50).fill(TEXTS[3]), source: 'en', target: 'de' }));
  const [response] = await once(request, 'response');
  let answer = '';
  for await (const data of response) answer += data;
  assert.deepEqual([response.statusCode, JSON.parse(answer)], [200, { translatedText: Array(50).fill(GERMAN[3]) }]);
  assert.deepEqual(child.exitCode === null ? await once(child, 'exit') : [child.exitCode, null], [0, null]);
  assert.equal(said.err, '');
  await assert.rejects(fetch(`${url}health`));
});

test('an address that others can reach is told, unless there are keys', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'heed-serve-'));
  const keys = join(directory, 'keys');
  writeFileSync(keys, '# mine\none\n');
  try {
    for (const [args, pattern] of /** @type {[string[], RegExp][]} */ ([
      [['--host', '0.0.0.0'], /^heed: 0\.0\.0\.0: all who reach this address may ask/],
      [['--host', '0.0.0.0', '--api-keys', keys], /^$/],
      [['--host', 'localhost'], /^$/],
    ])) {
      const { child, said, url } = await startCommand('--model', SHIPPED, ...args);
      child.kill('SIGINT');
      assert.deepEqual(await once(child, 'exit'), [0, null], url);
      assert.match(said.err, pattern);
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('wrong options of the command', () => {
  const directory = mkdtempSync(join(tmpdir(), 'heed-serve-'));
  const keys = join(directory, 'keys');
  writeFileSync(keys, '# none\n\n');
  try {
    for (const [args, status, pattern] of /** @type {[string[], number, RegExp][]} */ ([
      [['--host', ''], 2, /--host: found nothing, expected HOST/], // which would be all addresses of this machine
      [['--port', '70000'], 2, /--port: found '70000', expected a whole number from 0 to 65535/],
      [['--timeout', '0'], 2, /--timeout: found '0', expected seconds/],
      [['--jobs', '65'], 2, /--jobs: found '65', expected a whole number from 1 to 64/],
      [['--queue', 'x'], 2, /--queue: found 'x', expected a number/],
      [['--api-keys', join(directory, 'nothing')], 2, /--api-keys: ENOENT/],
      [['--api-keys', keys], 2, /keys: found no key, expected one in each line/],
      [['--from', 'en'], 2, /--from, --to: have no effect without --model/],
      [['--model', SHIPPED, '--from', 'en'], 2, /--from: found en, but the model states its languages: en/],
      [['here'], 2, /serve: expected options only, found here/],
      [['--beams', '4'], 2, /--beams: has no effect on heed serve/],
      [['--port', '0', '--host', 'no.such.host.invalid'], 1, /no\.such\.host\.invalid/],
    ])) {
      const found = spawnSync(process.execPath, [CLI, 'serve', ...args], { encoding: 'utf8' });
      assert.match(found.stderr, pattern);
      assert.equal(found.status, status);
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
});
