// Puts the model into a worker of your own. Without `worker` a page gets one by itself.
import { Translator } from '../../../js/index.js'; // 'heed'

const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
const model = new URL('../../../models/de-en-es-fr/', import.meta.url);
const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model, worker });
document.querySelector('#target').textContent = await translator.translate(
  document.querySelector('#source').textContent,
);
