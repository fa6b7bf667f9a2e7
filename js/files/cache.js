// cache.js - stores downloaded files: in the Cache API of pages and workers, in a directory in Node. A failure here
// never fails a load: a file that cannot be stored is downloaded again. Used by download.js.

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
 * @property {(url: string) => Promise<void>} remove
 * @property {() => Promise<(About & { size: number })[]>} list  what is stored
 */

/** Size of the header of a stored file in Node: its data as JSON, padded with spaces. */
const HEAD = 4096;
/** An incomplete file that is older (in milliseconds) belongs to a program that has ended. */
const STALE = 24 * 3600 * 1000;

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

/** @param {import('./source.js').Io} io @param {string} [given] @returns {Promise<Store>} */
async function openDirectory({ ChunkReader, builtin, fileChunks }, given) {
  const [fs, path, os, { createHash }] =
    await Promise.all(['fs/promises', 'path', 'os', 'crypto'].map((name) => builtin(name)));
  const directory = given ?? path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'heed');
  const nameOf = (/** @type {string} */ url) => createHash('sha256').update(url).digest('hex').slice(0, 40);
  const fileOf = (/** @type {string} */ url) => path.join(directory, nameOf(url));

  const removeStale = async (/** @type {string} */ file) => {
    for (const name of await fs.readdir(directory)) {
      const other = path.join(directory, name);
      if (!other.startsWith(`${file}.`)) continue;
      const { mtimeMs } = await fs.stat(other);
      if (Date.now() - mtimeMs > STALE) await fs.rm(other, { force: true });
    }
  };

  return {
    async get(url) {
      const chunks = await fileChunks(fileOf(url));
      if (!chunks) return undefined;
      const reader = new ChunkReader(chunks);
      try {
        const about = JSON.parse(new TextDecoder().decode(await reader.take(HEAD)));
        if (about.url === url) return { ...about, chunks: { next: () => reader.next(Infinity), close: chunks.close } };
      } catch {
        // not our file: treated as missing
      }
      await chunks.close();
      return undefined;
    },
    async create(about) {
      const head = JSON.stringify(about).padEnd(HEAD);
      if (Buffer.byteLength(head) > HEAD) return undefined;
      const file = fileOf(about.url);
      await attempt(() => removeStale(file));
      await fs.mkdir(directory, { recursive: true });
      const part = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}`;
      const handle = await fs.open(part, 'wx');
      const write = async (/** @type {string | Uint8Array} */ bytes) => void (await handle.writeFile(bytes));
      const sink = {
        write,
        async commit() {
          await handle.close();
          await fs.rename(part, file); // other programs see either the old or the new file
        },
        async abort() {
          await handle.close();
          await fs.rm(part, { force: true });
        },
      };
      await write(head).catch(async (/** @type {unknown} */ error) => {
        await sink.abort();
        throw error;
      });
      return sink;
    },
    remove: (url) => fs.rm(fileOf(url), { force: true }),
    async list() {
      const found = [];
      for (const name of await fs.readdir(directory)) {
        if (!/^[\da-f]{40}$/.test(name)) continue;
        const chunks = await fileChunks(path.join(directory, name));
        if (!chunks) continue;
        try {
          const about = JSON.parse(new TextDecoder().decode(await new ChunkReader(chunks).take(HEAD)));
          if (nameOf(about.url) === name) found.push({ ...about, size: chunks.size - HEAD });
        } catch {
          // not our file
        }
        await chunks.close();
      }
      return found;
    },
  };
}

/**
 * @param {import('./source.js').Io} io
 * @param {boolean | string} cache  a string: the directory, in Node; true: $XDG_CACHE_HOME/heed or ~/.cache/heed
 * @returns {Promise<Store | null>}  null if this host cannot store files
 */
export async function openStore(io, cache) {
  const given = typeof cache === 'string' ? cache : undefined;
  const store = await attempt(() => (io.isNode ? openDirectory(io, given) : openWebStore(io)));
  if (!store) return null;
  return {
    get: (url) => attempt(() => store.get(url)),
    create: (about) =>
      attempt(async () => {
        const sink = await store.create(about);
        return sink && forgiving(sink);
      }),
    remove: async (url) => void (await attempt(() => store.remove(url))),
    list: async () => (await attempt(() => store.list())) ?? [],
  };
}

/** Files of a model that only transformers reads, so that none is ever stored. */
export const UNREAD = ['tokenizer_config.json', 'special_tokens_map.json'];

/**
 * Whether a model works without the network: all files that its stored heed.json lists are stored with the same hashes;
 * without a list, its configuration and weights are.
 *
 * @param {import('./source.js').Io} io
 * @param {Store} store
 * @param {(name: string) => any} addressOf  where a file was loaded from, or the file
 */
export async function isKept(io, store, addressOf) {
  const { readAll } = io;
  const get = async (/** @type {string} */ name) => {
    const file = addressOf(name);
    const isInline = typeof file === 'string' && file.startsWith('data:');
    if (file === undefined || (typeof file === 'string' && !isInline)) return file && store.get(file);
    const chunks = isInline ? (await import('./inline.js')).inlineChunks(io, file)
      : await (await import('./local.js')).givenChunks(io, { [name]: file }, name);
    return chunks && { chunks, isMissing: false, sha256: null };
  };
  const kept = await get('heed.json');
  const text = kept ? new TextDecoder().decode(await readAll(kept.chunks)) : '';
  const { files } = (await attempt(async () => JSON.parse(text || '{}'))) ?? {}; // '': the server does not have it
  if (!files) {
    const read = async (/** @type {string} */ name) => {
      const file = await get(name);
      return file && readAll(file.chunks);
    };
    const has = async (/** @type {string} */ name) => {
      const file = await get(name);
      await file?.chunks.close();
      return Boolean(file && !file.isMissing);
    };
    return (await has('config.json')) && (await import('./needed.js')).hasWeights({ has, read });
  }
  for (const [name, listed] of Object.entries(files)) {
    if (UNREAD.includes(name)) continue;
    const file = await get(name);
    await file?.chunks.close();
    const isOther = listed.sha256 && file?.sha256 !== null && file?.sha256 !== String(listed.sha256).toLowerCase();
    if (!file || file.isMissing || isOther) return false;
  }
  return true;
}
