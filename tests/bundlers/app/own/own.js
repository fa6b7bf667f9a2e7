// own.js - a user's worker: the bare import is all that heed needs of it. Bundled by bundlers.test.js.
import 'heed/worker';

addEventListener('message', ({ data }) => {
  if (typeof data === 'string') postMessage(`own: ${data}`);
});
