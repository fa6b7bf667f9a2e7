// Three lines in a page, without a build: any file server will do, and no special headers.
import { Translator } from '../../../js/index.js'; // from a copy of the package's js folder

const model = new URL('../../../models/de-en-es-fr/', import.meta.url);
const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model });
document.querySelector('#target').textContent = await translator.translate(
  document.querySelector('#source').textContent,
);
