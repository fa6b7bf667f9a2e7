// own-worker-there.js - a worker of a page's own, that throws when it is told to; started by own-worker.js.
import '../../js/worker.js';

addEventListener('message', ({ data }) => {
  if (data === 'throw') throw new Error('unrelated');
});
