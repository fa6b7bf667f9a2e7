// offline.js - registers the service worker, which stores the built page for offline use; used by app.js.

/**
 * Browsers without service workers, and pages on http, still need the network.
 *
 * @param {string} script  of the service worker; '': none
 */
export async function keepOffline(script) {
  if (script === '' || !('serviceWorker' in navigator)) return;
  // private windows of some browsers have no service workers
  await navigator.serviceWorker.register(script).catch(() => {});
}
