// main.js - a user's program with an installed package of a model, which it only imports: translates, and reports to
// the server of the test. Bundled by bundlers.test.js.
import { Translator } from 'heed';
import 'heed-model-de-en-es-fr';

async function translate() {
  const pair = { sourceLanguage: 'en', targetLanguage: 'de' };
  const translator = await Translator.create(pair);
  const text = await translator.translate('The house is small.');
  return { text, worker: translator.info.worker };
}

translate()
  .catch((error) => ({ error: `${error.name}: ${error.message}\n${error.stack}` }))
  .then((report) => fetch('./report', { method: 'POST', body: JSON.stringify({ ...report, violations: [] }) }));
