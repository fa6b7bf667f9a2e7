// offline.js - asks the service worker of the built page to keep it, with the models that are used; used by app.js.

/**
 * Browsers without service workers, and pages of http, work as before: only with a network.
 *
 * @param {string} script  of the service worker; '': there is none
 * @param {import('./engine.js').Engine} engine
 */
export async function keepOffline(script, engine) {
  if (script === '' || !('serviceWorker' in navigator)) return;
  try {
    await navigator.serviceWorker.register(script);
  } catch {
    return; // private windows of some browsers
  }
  const { active } = await navigator.serviceWorker.ready;
  const keepModel = () => {
    const directory = engine.status === 'ready' && engine.directory(engine.pair);
    if (directory) active?.postMessage({ keep: directory.href });
  };
  engine.addEventListener('status', keepModel);
  keepModel();
}
