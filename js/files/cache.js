// cache.js - stores downloaded files: in the Cache API of pages and workers, in Node in a directory, see folder.js. A
// failure here never fails a load: a file that cannot be stored is downloaded again. Used by download.js, kept.js.

/**
 * Data of a stored file. `sha256`: as listed in heed.json, or ''; `version`: ETag or Last-Modified, or ''; `isMissing`:
 * the server does not have the file.
 *
 * @typedef {{ url: string, sha256: string, version: string, isMissing: boolean }} About
 *
 * A file that is being stored. It becomes visible as a whole when commit() resolves, or never.
 * @typedef {{ write(chunk: Uint8Array): Promise<void>, commit(): Promise<void>, abort(): Promise<void> }} Sink
 *
 * @typedef {object} Store
 * @property {(url: string) => Promise<About & { chunks: import('./source.js').Chunks } | undefined>} get  the caller
 * must
 *   close the chunks
 * @property {(about: About) => Promise<Sink | undefined>} create
 * @property {(url: string) => Promise<void>} remove  unlike the others, it may fail
 * @property {() => Promise<(About & { size: number })[]>} list  what is stored
 */

/**
 * The result of `f`, or undefined if it fails. @template T @param {() => Promise<T>} f @returns {Promise<T |
 * undefined>}
 */
const attempt = (f) => f().catch(() => undefined);

/** A sink that ignores all data after its first failure. @param {Sink} sink @returns {Sink} */
function forgiving(sink) {
  let isOver = false;
  const end = async (/** @type {() => Promise<void>} */ f) => {
    if (isOver) return;
    isOver = true;
    await f().catch(() => sink.abort().catch(() => {}));
  };
  return {
    write: async (chunk) => (isOver ? undefined : sink.write(chunk).catch(() => end(() => sink.abort()))),
    commit: () => end(() => sink.commit()),
    abort: () => end(() => sink.abort()),
  };
}

/** @param {import('./source.js').Io} io @returns {Promise<Store>} */
async function openWebStore({ streamChunks, byteChunks }) {
  const cache = await caches.open('heed');
  return {
    async get(url) {
      const found = await cache.match(url);
      const about = found?.headers.get('x-heed');
      if (!found || !about) return undefined;
      const chunks = found.body ? streamChunks(found.body, url) : byteChunks(new Uint8Array());
      return { ...JSON.parse(decodeURIComponent(about)), chunks };
    },
    async create(about) {
      /** @type {ReadableStreamDefaultController<Uint8Array>} */
      let controller;
      let wake = () => {};
      const stream = new ReadableStream({
        start: (c) => void (controller = c),
        pull: () => wake(),
        cancel: () => wake(),
      });
      const headers = { 'x-heed': encodeURIComponent(JSON.stringify(about)) };
      // the entry becomes visible when its body is complete
      const stored = cache.put(about.url, new Response(stream, { headers }));
      stored.catch(() => wake());
      return {
        async write(chunk) {
          controller.enqueue(chunk.slice());
          // waits for the write, so a slow disk slows the download down instead of filling memory
          if (Number(controller.desiredSize) <= 0) {
            await Promise.race([stored, new Promise((resolve) => (wake = () => resolve(undefined)))]);
          }
        },
        async commit() {
          controller.close();
          await stored;
        },
        async abort() {
          controller.error(new Error('not kept'));
          await stored.catch(() => {});
        },
      };
    },
    async remove(url) {
      await cache.delete(url);
    },
    list: async () => (await Promise.all((await cache.keys()).map(async (request) => {
      const found = await cache.match(request);
      const about = found?.headers.get('x-heed');
      return found && about ? [{ ...JSON.parse(decodeURIComponent(about)), size: (await found.blob()).size }] : [];
    }))).flat(),
  };
}

/**
 * @param {import('./source.js').Io} io
 * @param {boolean | string} cache  a string: the directory, in Node; true: $XDG_CACHE_HOME/heed or ~/.cache/heed
 * @returns {Promise<Store | null>}  null if this host cannot store files
 */
export async function openStore(io, cache) {
  const given = typeof cache === 'string' ? cache : undefined;
  const store = await attempt(async () =>
    (io.isNode ? (await import('./folder.js')).openFolder(io, given) : openWebStore(io)));
  if (!store) return null;
  return {
    get: (url) => attempt(() => store.get(url)),
    create: (about) =>
      attempt(async () => {
        const sink = await store.create(about);
        return sink && forgiving(sink);
      }),
    remove: (url) => store.remove(url),
    list: async () => (await attempt(() => store.list())) ?? [],
  };
}
