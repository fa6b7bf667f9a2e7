// downloads.js - two Translators at once, a Cache API that is full, and pages whose policy allows no worker or no wasm;
// loaded by downloads.html, which embeds itself once per policy. Sends its results to the server.
import { Translator } from '../../js/index.js';

const OPTIONS = {
  sourceLanguage: 'en', targetLanguage: 'de', models: new URL('../../models/index.json', import.meta.url).href,
};
const TEXT = 'I love you. Where is the nearest bank?';

/** What a Translator says and where it is, or its error. */
async function outcome(options) {
  try {
    const translator = await Translator.create({ ...OPTIONS, ...options });
    const text = await translator.translate(TEXT);
    const { worker } = translator.info;
    translator.destroy();
    return { text, worker };
  } catch ({ name, status, message }) {
    return { name, status, message };
  }
}

/** What a page within this one found, under the policy that the server knows by this name. */
function under(policy) {
  const frame = document.createElement('iframe');
  frame.src = `downloads.html?${policy}`;
  const found = new Promise((resolve) => {
    addEventListener('message', ({ data, source }) => source === frame.contentWindow && resolve(data));
  });
  document.body.append(frame);
  return found;
}

async function find() {
  const found = { both: await Promise.all([outcome({}), outcome({})]) };
  found.afterBoth = await Translator.availability(OPTIONS);

  const { put } = Cache.prototype;
  const full = () => new DOMException('no room', 'QuotaExceededError');
  const puts = {
    'at once': () => Promise.reject(full()),
    'in the middle': async (_, response) => {
      const reader = response.body.getReader();
      for (let bytes = 0; bytes < 100_000;) {
        const { done, value } = await reader.read();
        if (done) break;
        bytes += value.length;
      }
      await reader.cancel();
      throw full();
    },
    'and it throws': () => {
      throw full();
    },
  };
  found.full = {};
  for (const [when, failing] of Object.entries(puts)) {
    await caches.delete('heed');
    Cache.prototype.put = failing;
    found.full[when] = { ...(await outcome({ worker: false })), after: await Translator.availability(OPTIONS) };
    Cache.prototype.put = put;
  }
  found.noWorker = await under('no-worker');
  found.noWasm = await under('no-wasm');
  return found;
}

const [, policy] = location.search.split('?');
if (policy === 'no-worker') {
  parent.postMessage({ usual: await outcome({}), asked: await outcome({ worker: true }) }, '*');
} else if (policy === 'no-wasm') parent.postMessage(await outcome({ worker: false }), '*');
else {
  const report = await find().catch((error) => ({ error: `${error.name}: ${error.message}\n${error.stack}` }));
  await fetch('report', { method: 'POST', body: JSON.stringify(report) });
}
