// background.js - a service worker of an extension that translates, and reports to the server of the test.
import { Translator } from './heed/build/js/inline.js'; // service workers may not import() what index.js loads later
import { server } from './server.js';

async function translate() {
  const translator = await Translator.create({
    sourceLanguage: 'en',
    targetLanguage: 'de',
    model: chrome.runtime.getURL('de-en-es-fr/'),
  });
  const text = await translator.translate('The house is small.');
  const report = { text, worker: translator.info.worker, violations: [] };
  translator.destroy();
  return report;
}

translate()
  .catch((error) => ({ error: `${error.name}: ${error.message}\n${error.cause?.message ?? ''}\n${error.stack}` }))
  .then((report) => fetch(server, { method: 'POST', body: JSON.stringify(report), mode: 'no-cors' }));
