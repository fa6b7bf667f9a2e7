// html-page.js - translateHtml() of the built package in a page, in its own thread and over a worker, sent to the
// server that the page came from; loaded by html.html and dom-engines.js. A page loads no bare names, so js/ itself
// will not do.
import { Translator } from '../../build/js/index.js';
import { FIXTURE } from './fixture.js';
import { HTML } from './html-text.js';
import { send } from './report.js';

const report = {};
try {
  for (const worker of [false, true]) {
    const translator = await Translator.create({
      sourceLanguage: 'en', targetLanguage: 'de', model: FIXTURE, worker, cache: false,
    });
    report[worker ? 'worker' : 'page'] = await translator.translateHtml(HTML);
    translator.destroy();
  }
} catch (error) {
  report.error = `${error.name}: ${error.message}\n${error.stack}`;
}
await send('html', report);
