// sw.js - stores the page for offline use; registered by offline.js, completed by build.js. The library stores the
// models (js/files/cache.js).
//
//   files of the page     one set per version, only from the cache; a new set is used when the page is next opened
//   lists of models       (index.json, each heed.json) from the network if there is one, else from that set

// build-time.d.ts describes the constants that build.js inserts.

const PAGE = `heed-page-${VERSION}`;
/** The cache in which earlier versions stored models; the library has its own cache. */
const MODELS = 'heed-models';
/** The DOM's types have no service workers. @type {any} */
const worker = self;
const { scope } = worker.registration;
const kept = new Set(FILES.map((path) => new URL(path, scope).href));
const models = new URL('models/', scope).href;

worker.addEventListener('install', (/** @type {any} */ event) => event.waitUntil(install()));
worker.addEventListener('activate', (/** @type {any} */ event) => event.waitUntil(activate()));
worker.addEventListener('fetch', (/** @type {any} */ event) => {
  const { method, url } = event.request;
  const address = url.split(/[?#]/)[0];
  if (method !== 'GET' || !kept.has(address)) return;
  event.respondWith(address.startsWith(models) ? fetch(event.request).catch(() => fromPage(event.request, address))
    : fromPage(event.request, address));
});

async function install() {
  const cache = await caches.open(PAGE);
  // not from the HTTP cache, which may have files of another version
  await cache.addAll([...kept].map((url) => new Request(url, { cache: 'reload' })));
}

async function activate() {
  const old = (await caches.keys())
    .filter((name) => name === MODELS || (name.startsWith('heed-page-') && name !== PAGE));
  await Promise.all(old.map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/** @param {Request} request @param {string} address */
async function fromPage(request, address) {
  const cache = await caches.open(PAGE);
  return (await cache.match(address)) ?? fetch(request);
}
