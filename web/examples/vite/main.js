// Needs no plugin and no setting: Vite finds the worker and the wasm. Put a model directory into public/.
import { Translator } from 'heed';

const model = new URL('de-en-es-fr/', document.baseURI);
const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model });
document.querySelector('#target').textContent = await translator.translate(
  document.querySelector('#source').textContent,
);
