// main.js - a user's program: translates in a page, and reports to the server of the test. Bundled by bundlers.test.js.
import { Translator } from 'heed';

const violations = [];
document.addEventListener('securitypolicyviolation', (event) => {
  violations.push(`${event.effectiveDirective}: ${event.blockedURI}`);
});

async function translate() {
  const translator = await Translator.create({
    sourceLanguage: 'en',
    targetLanguage: 'de',
    model: new URL('../models/de-en-es-fr/', document.baseURI),
  });
  const text = await translator.translate('The house is small.');
  const { worker } = translator.info;
  translator.destroy();
  return { text, worker };
}

translate()
  .catch((error) => ({ error: `${error.name}: ${error.message}\n${error.cause?.message ?? ''}\n${error.stack}` }))
  .then((report) => fetch('./report', { method: 'POST', body: JSON.stringify({ ...report, violations }) }));
