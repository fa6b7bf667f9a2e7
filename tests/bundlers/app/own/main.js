// main.js - a user's program that has a worker of its own: translates in it, talks to it, and reports to the server of
// the test. Bundled by bundlers.test.js.
import { Translator } from 'heed';

const worker = new Worker(new URL('./own.js', import.meta.url), { type: 'module' });

async function translate() {
  const translator = await Translator.create({
    sourceLanguage: 'en',
    targetLanguage: 'de',
    model: new URL('../models/de-en-es-fr/', document.baseURI),
    worker,
  });
  const text = await translator.translate('The house is small.');
  const answer = new Promise((resolve) => worker.addEventListener('message', resolve, { once: true }));
  worker.postMessage('hello');
  return { text, worker: translator.info.worker, answer: (await answer).data };
}

translate()
  .catch((error) => ({ error: `${error.name}: ${error.message}\n${error.stack}` }))
  .then((report) => fetch('./report', { method: 'POST', body: JSON.stringify({ ...report, violations: [] }) }));
