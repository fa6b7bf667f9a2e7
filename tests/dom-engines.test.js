// dom-engines.test.js - HTML, 'heed/dom' and <heed-translate> of the built package in Firefox and WebKit: what
// html.test.js, dom.test.js and element.test.js see in Chromium.
import test from 'node:test';
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { Translator } from '../js/index.js';
import { FIXTURE_PATH } from './browser/fixture.js';
import { needBrowser, reportOf } from './browser/hosts.js';
import { HTML } from './browser/html-text.js';
import { serve } from './browser/server.js';

const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
/** Pages load no bare names, so they get the built package. */
const folders = {
  'build/js/': path('../build/js/'), 'js/': path('../build/js/'), 'tests/mutate/stubs.js': path('mutate/stubs.js'),
};

for (const kind of /** @type {const} */ (['firefox', 'webkit'])) {
  test(`${kind}: the bytes of Node, every page of dom.test.js, and the element`, async (t) => {
    if (!needBrowser(kind, t)) return;
    const translator = await Translator.create({
      sourceLanguage: 'en', targetLanguage: 'de', model: path(`../${FIXTURE_PATH}`),
    });
    const expected = await translator.translateHtml(HTML);
    const text = await translator.translate('The house is small.');
    const part = await translator.translateHtml('<p>The <b>house</b> is small.</p>');
    translator.destroy();
    const { html, dom, element } =
      await reportOf(await serve({ folders, page: 'tests/browser/dom-engines.html' }), { kind });
    assert.deepEqual(html, { page: expected, worker: expected });
    assert.ok(Object.keys(dom).length > 40);
    assert.deepEqual(Object.entries(dom).filter(([, wrong]) => wrong !== ''), []);
    assert.deepEqual(element, { field: text, part, lang: 'de', isSame: true, isRestored: true });
  });
}
