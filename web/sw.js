// sw.js - keeps the page for when there is no network; registered by offline.js, completed by build.js. What models are
// made of is kept by the library (js/files/cache.js).
//
//   the page's files      one set per version, from the cache alone; a new one takes over when the page is next opened
//   what tells of models  (the list, each heed.json) from the network as long as there is one, then as in that set

// What build.js puts in is described in build-time.d.ts.

const PAGE = `heed-page-${VERSION}`;
/** Where versions before this kept models, which the library keeps in a cache of its own. */
const MODELS = 'heed-models';
/** As the DOM's types know no service workers. @type {any} */
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
  // past the HTTP cache, which may hold files of another version
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
