// offline.js - asks the service worker of the built page to keep it; used by app.js.

/**
 * Browsers without service workers, and pages of http, work as before: only with a network.
 *
 * @param {string} script  of the service worker; '': there is none
 */
export async function keepOffline(script) {
  if (script === '' || !('serviceWorker' in navigator)) return;
  // private windows of some browsers have none
  await navigator.serviceWorker.register(script).catch(() => {});
}
