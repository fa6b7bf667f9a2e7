// own-worker.js - what becomes of a Translator in a worker of the page's own, when that fails; sent to the server that
// the page came from. Loaded by own-worker.html.
import { Translator } from '../../js/index.js';
import { FIXTURE } from './fixture.js';

const PAIR = { sourceLanguage: 'en', targetLanguage: 'de', model: FIXTURE };
const TEXT = 'I love you. Where is the nearest bank?';

/** A module worker. @param {string} name  of a file beside this one */
const start = (name) => new Worker(new URL(name, import.meta.url), { type: 'module' });

/** The next event of a kind. @param {EventTarget} target @param {string} type @returns {Promise<any>} */
const next = (target, type) => new Promise((resolve) => target.addEventListener(type, resolve, { once: true }));

/** What create() rejects with. @param {Worker} worker @param {object} options */
const errorOf = (worker, options) => Translator.create({ ...PAIR, worker, ...options }).then(
  () => 'none', ({ name, message }) => `${name}: ${message}`);

/** The same of a worker that fails before it is ready. The clock is ours: it fails before the time is up. */
async function errorOfBroken() {
  const { setInterval } = globalThis;
  let tick = () => {};
  globalThis.setInterval = /** @type {any} */ ((/** @type {() => void} */ f) => {
    tick = f;
    return 0;
  });
  const worker = start('own-worker-broken.js');
  const failed = next(worker, 'error');
  const error = errorOf(worker, { timeout: 500 });
  await failed;
  await new Promise((resolve) => void setTimeout(resolve)); // heed's own listener comes after ours
  for (let i = 0; i < 10; i++) tick();
  globalThis.setInterval = setInterval;
  return error;
}

async function find() {
  const found = {};
  const worker = start('own-worker-there.js');
  // it throws before it is ready, too
  const early = next(worker, 'error');
  worker.postMessage('throw');
  const translator = await Translator.create({ ...PAIR, worker });
  await early;
  const thrown = next(worker, 'error');
  const running = translator.translate(TEXT.repeat(20));
  worker.postMessage('throw');
  const event = await thrown;
  found.thrown = { message: event.message, isHandled: event.defaultPrevented };
  await running;
  found.text = await translator.translate(TEXT);
  translator.destroy();
  worker.terminate();

  found.missing = await errorOf(start('there-is-no-such-file.js'), { timeout: Infinity });
  found.broken = await errorOfBroken();

  // what cannot be sent
  for (const [name, option] of Object.entries({ element: { wasm: document.body }, function: { model: () => {} } })) {
    found[name] = await Translator.create({ ...PAIR, ...option }).then(() => 'none', ({ message }) => message);
  }
  return found;
}

const report = await find().catch((error) => ({ error: `${error.name}: ${error.message}\n${error.stack}` }));
await fetch('report', { method: 'POST', body: JSON.stringify(report) });
