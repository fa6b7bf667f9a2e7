// guess-worker.js - tells the language of a text, in a worker: its tables take longer to load than a key may wait.
// Used by guess.js.
//
//   in   { id, text }      out   { id, found }, or { id, message } if it failed

import { LanguageDetector } from '../../js/detect/detector.js';

/** @type {Promise<LanguageDetector> | undefined} */
let detector;

addEventListener('message', async ({ data: { id, text } }) => {
  try {
    detector ??= LanguageDetector.create();
    const [found] = await (await detector).detect(text);
    postMessage({ id, found });
  } catch (error) {
    postMessage({ id, message: error instanceof Error ? error.message : String(error) });
  }
});
