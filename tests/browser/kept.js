// kept.js - what a page does with the worker and the cache, sent to the server that the page came from; loaded by
// kept.html.
import { list, remove, update } from '../../js/cache.js';
import { Translator } from '../../js/index.js';

const PAIR = { sourceLanguage: 'en', targetLanguage: 'de' };
const OPTIONS = { ...PAIR, models: new URL('../../models/index.json', import.meta.url).href };
const TEXT = 'I love you. Where is the nearest bank?';
const ROUNDS = 50;

const violations = [];
document.addEventListener('securitypolicyviolation', (event) => {
  violations.push(`${event.effectiveDirective}: ${event.blockedURI}`);
});

/** Name of the error of f. */
const nameOf = (f) => f().then(() => 'none', (error) => error.name);

/** Tell the server to cut the models off, or to serve them again; gives how many bytes of them it has sent. */
const network = async (on) => Number(await (await fetch(`network?${on}`)).text());

/** Have the server measure the memory; gives whether it has enough of it back. Chromium runs with --expose-gc. */
async function look(when) {
  globalThis.gc();
  return (await (await fetch(`memory?${when}`)).text()) === 'true';
}

async function find() {
  const found = { before: await Translator.availability(OPTIONS) };
  const first = await Translator.create(OPTIONS);
  found.info = first.info;
  found.isTranslator = first instanceof Translator;
  found.text = await first.translate(TEXT);
  found.detailed = (await first.translateDetailed(TEXT, { attention: true })).map(({ target }) => target);
  let streamed = '';
  for (const reader = first.translateStreaming(TEXT).getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    streamed += value;
  }
  found.streamed = streamed;

  const stop = new AbortController();
  const running = nameOf(() => first.translate(TEXT.repeat(200), { signal: stop.signal }));
  setTimeout(() => stop.abort());
  found.aborted = await running;
  found.afterAbort = await first.translate(TEXT);
  const ended = nameOf(() => first.translate(TEXT.repeat(200)));
  first.destroy();
  found.destroyed = await ended;

  found.sent = await network(true);
  found.after = await Translator.availability(OPTIONS);
  await network(false);
  const offline = await Translator.create(OPTIONS);
  found.offline = await offline.translate(TEXT);
  offline.destroy();
  found.uncached = await nameOf(() => Translator.create({ ...OPTIONS, cache: false }));
  await network(true);

  // a copy that was changed where it is kept
  const cache = await caches.open('heed');
  const weights = (await cache.keys()).find(({ url }) => url.endsWith('model.safetensors'));
  const kept = await cache.match(weights);
  const bytes = new Uint8Array(await kept.arrayBuffer());
  bytes[bytes.length - 1] ^= 1;
  await cache.put(weights, new Response(bytes, { headers: kept.headers }));
  const healed = await Translator.create(OPTIONS);
  found.healed = await healed.translate(TEXT);
  healed.destroy();

  const here = await Translator.create({ ...OPTIONS, worker: false });
  found.here = { text: await here.translate(TEXT), worker: here.info.worker };
  here.destroy();
  return found;
}

let report;
try {
  report = await find();
  await fetch('memory?before');
  for (let i = 0; i < ROUNDS; i++) {
    const translator = await Translator.create(OPTIONS);
    translator.destroy();
    if (i === 4) await look('warm'); // what is set up once is there
  }
  // the browser gives pages back when it likes
  for (let i = 0; i < 60 && !(await look('after')); i++) await new Promise((resolve) => setTimeout(resolve, 500));

  const [first, ...others] = await list();
  report.kept = { ...first, others: others.map(({ name }) => name) };
  report.updated = await update(first.name);
  await remove(first.name);
  report.left = [await list(), await Translator.availability(OPTIONS)];
} catch (error) {
  report = { error: `${error.name}: ${error.message}\n${error.stack}` };
}
await fetch('report', { method: 'POST', body: JSON.stringify({ ...report, violations }) });
