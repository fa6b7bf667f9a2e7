// own-worker-broken.js - a worker of a page's own that never comes to its import of heed; started by own-worker.js.
throw new Error('before heed');
