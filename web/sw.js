// sw.js - keeps the page and its model for when there is no network; registered by offline.js, completed by build.js.
//
//   the page's files   one set per version, from the cache alone; a new version takes over when the page is next opened
//   models             from the network as long as there is one, and from the cache where there is none

/* global VERSION, FILES */
// VERSION (a hash of all files) and FILES (paths below this one; '' is the page) are put in by build.js.

const PAGE = `heed-page-${VERSION}`;
const MODELS = 'heed-models';
const scope = self.registration.scope;
const kept = new Set(FILES.map((path) => new URL(path, scope).href));
const models = new URL('models/', scope).href;

self.addEventListener('install', (event) => event.waitUntil(install()));
self.addEventListener('activate', (event) => event.waitUntil(activate()));
self.addEventListener('message', (event) => {
  if (event.data?.keep) event.waitUntil(keep(event.data.keep));
});
self.addEventListener('fetch', (event) => {
  const { method, url } = event.request;
  const address = url.split(/[?#]/)[0];
  if (method !== 'GET') return;
  if (kept.has(address)) event.respondWith(fromPage(event.request, address));
  else if (address.startsWith(models)) event.respondWith(fromModels(event.request, address));
});

async function install() {
  const cache = await caches.open(PAGE);
  // past the HTTP cache, which may hold files of another version
  await cache.addAll([...kept].map((url) => new Request(url, { cache: 'reload' })));
}

async function activate() {
  const old = (await caches.keys()).filter((name) => name.startsWith('heed-page-') && name !== PAGE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
}

/** @param {Request} request @param {string} address */
async function fromPage(request, address) {
  const cache = await caches.open(PAGE);
  return (await cache.match(address)) ?? fetch(request);
}

/** @param {Request} request @param {string} address */
async function fromModels(request, address) {
  try {
    return await fetch(request);
  } catch (error) {
    const cache = await caches.open(MODELS);
    const found = await cache.match(address);
    if (found) return found;
    // of a model that is kept whole, what is not there is missing, not out of reach
    if (await cache.match(new URL('heed.json', address))) return new Response(null, { status: 404 });
    throw error;
  }
}

/**
 * Keep a model: all the files of its manifest or, if one of them fails, what was kept before.
 *
 * @param {string} directory  a URL below models/
 */
async function keep(directory) {
  const manifest = new URL('heed.json', directory).href;
  const cache = await caches.open(MODELS);
  await cache.add(new URL('index.json', models));
  const fresh = await fetch(manifest);
  const text = await fresh.clone().text();
  if (!fresh.ok || text === (await (await cache.match(manifest))?.text())) return;
  const { files = {} } = JSON.parse(text);
  await cache.addAll(Object.keys(files).map((name) => new URL(name, directory).href));
  await cache.put(manifest, fresh);
}
