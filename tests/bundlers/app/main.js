// main.js - a user's program: translates in a page, and reports to the server of the test. Bundled by bundlers.test.js.
import { Translator } from 'heed';

const violations = [];
document.addEventListener('securitypolicyviolation', (event) => {
  violations.push(`${event.effectiveDirective}: ${event.blockedURI}`);
});

let report;
try {
  const translator = await Translator.create({
    sourceLanguage: 'en',
    targetLanguage: 'de',
    model: new URL('../models/en-de/', document.baseURI),
  });
  report = { text: await translator.translate('The house is small.'), info: translator.info };
  translator.destroy();
} catch (error) {
  report = { error: `${error.name}: ${error.message}\n${error.cause?.message ?? ''}\n${error.stack}` };
}
await fetch('./report', { method: 'POST', body: JSON.stringify({ ...report, violations }) });
