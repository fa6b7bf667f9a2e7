// A worker of your own, with work of its own. What it needs for Translator.create() to use it is this one import.
import '../../../js/worker.js'; // 'heed/worker'

addEventListener('message', ({ data }) => {
  if (typeof data === 'string') postMessage(data.length);
});
