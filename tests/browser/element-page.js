// element-page.js - <heed-translate> of the built package, with the shipped model: a field, and a part of the page that
// is translated and taken back. Loaded by dom-engines.js.
import '../../build/js/element.js';
import { FIXTURE } from './fixture.js';
import { send } from './report.js';

const once = (/** @type {EventTarget} */ target, /** @type {string} */ type) =>
  new Promise((resolve, reject) => {
    target.addEventListener(type, resolve, { once: true });
    target.addEventListener('failed', ({ detail: { error } }) => reject(error), { once: true });
  });

const report = {};
try {
  const main = document.body.appendChild(document.createElement('main'));
  const attributes = `from="en" to="de" model="${FIXTURE}"`;
  main.innerHTML = `<heed-translate ${attributes}></heed-translate>
    <heed-translate ${attributes} target="#article"></heed-translate>
    <div id="article"><p>The <b>house</b> is small.</p></div>`;
  const [field, part] = main.querySelectorAll('heed-translate');
  const { innerHTML: html, firstChild: { children: [bold] } } = main.querySelector('#article');
  field.value = 'The house is small.';
  await once(field, 'translated');
  report.field = field.translation;
  const button = part.shadowRoot.querySelector('button');
  button.click();
  await once(part, 'translated');
  const article = main.querySelector('#article');
  Object.assign(report, { part: article.innerHTML, lang: article.lang, isSame: article.querySelector('b') === bold });
  button.click();
  report.isRestored = article.innerHTML === html && !article.hasAttribute('lang');
  main.remove();
} catch (error) {
  report.error = `${error.name}: ${error.message}\n${error.stack}`;
}
await send('element', report);
