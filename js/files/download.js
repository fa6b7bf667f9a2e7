// download.js - files at URLs: stores them for later loads, and resumes broken downloads. Loaded by source.js for a
// model at a URL, and by lookup.js to see which files are stored.

import { openStore } from './cache.js';

/** Most requests for one file. */
const TRIES = 3;
/** Milliseconds before the second request; each further one waits four times as long. */
const PAUSE = 100;

/** @typedef {import('./source.js').Chunks & { status: number, headers: Headers }} Answer */

/** The version of a file: its ETag or Last-Modified. @param {Headers} headers */
const versionOf = (headers) => headers.get('etag') ?? headers.get('last-modified') ?? '';

/** True if a request may have any header without a preflight. @param {URL} url */
const isNear = (url) => globalThis.location === undefined || url.origin === globalThis.location.origin;

/**
 * Joins one or several responses to the body of one file.
 *
 * @param {import('./source.js').Io} io
 * @param {URL} url
 * @param {Answer} answer  the first
 * @param {{ signal?: AbortSignal, listed?: import('./source.js').Listed, onResume: () => void }} options
 * @returns {import('./source.js').Chunks}
 */
function resumable({ fetchChunks, onAbort, unreadable }, url, answer, { signal, listed, onResume }) {
  const version = versionOf(answer.headers);
  const isPacked = answer.headers.has('content-encoding'); // ranges count encoded bytes
  let at = 0; // bytes returned so far
  let skip = 0; // bytes to skip, because they come again
  let tries = 1;

  const pause = (/** @type {number} */ ms) =>
    new Promise((/** @type {(value: void) => void} */ resolve, reject) => {
      const forget = onAbort(signal, () => reject(signal?.reason));
      setTimeout(() => resolve(forget()), ms);
    });

  /** The rest, from another response; undefined at the end. @param {unknown} error  of the last response */
  const again = async (error) => {
    await answer.close();
    if (!listed && !version) throw error; // the rest might belong to another version of the file
    onResume();
    while (++tries <= TRIES) {
      await pause(PAUSE * 4 ** (tries - 2));
      const isPart = at > 0 && !isPacked;
      // a weak tag is not valid for ranges
      const condition = version && !version.startsWith('W/') && isNear(url) ? { 'if-range': version } : {};
      const asked = isPart ? { range: `bytes=${at}-`, ...condition } : {};
      const next = await fetchChunks(url, signal, false, asked).catch((e) => {
        signal?.throwIfAborted();
        if (e.cause >= 400 && e.cause < 500 && e.cause !== 416) throw e;
        error = e;
        return undefined;
      });
      if (next === null) throw unreadable(`${url}: is there no more`, error, 'NetworkError');
      if (!next && Number(/** @type {any} */ (error).cause) === 416) return undefined;
      if (!next) continue;
      // servers of other origins may hide the header with the range
      const start = next.status !== 206 ? 0
        : Number(/^bytes (\d+)-/.exec(next.headers.get('content-range') ?? '')?.[1] ?? at);
      if (start <= at && (listed || (version && versionOf(next.headers) === version))) {
        skip = at - start;
        return next;
      }
      await next.close();
      throw unreadable(`${url}: changed while it was downloaded`, error);
    }
    throw error;
  };

  return {
    async next() {
      for (;;) {
        try {
          const chunk = await answer.next();
          if (!chunk && listed && at < listed.size) {
            throw unreadable(`${url}: found ${at} bytes, expected ${listed.size}`);
          }
          if (!chunk) return null;
          const fresh = chunk.subarray(Math.min(skip, chunk.length));
          skip -= chunk.length - fresh.length;
          at += fresh.length;
          if (fresh.length > 0) return fresh;
        } catch (error) {
          signal?.throwIfAborted();
          if (listed && at >= listed.size) return null; // the connection broke after the last byte
          const next = await again(error);
          if (!next) return null;
          answer = next;
        }
      }
    },
    close: () => answer.close(),
  };
}

/**
 * Opens files at URLs, or their stored copies.
 *
 * @param {import('./source.js').Io} io
 * @param {boolean | string} [cache]  true or a directory: store files, if possible
 * @param {boolean} [isRetry]  do not read stored files, but store downloads
 */
export async function openRemote(io, cache, isRetry = false) {
  const store = cache ? await openStore(io, cache) : null;
  /** Files that were read from the store. @type {Set<string>} */
  const taken = new Set();
  let isResumed = false;

  /** @param {URL} url @param {NonNullable<Awaited<ReturnType<NonNullable<typeof store>['get']>>>} kept */
  const take = async (url, kept) => {
    taken.add(url.href);
    return kept.isMissing ? (await kept.chunks.close(), null) : kept.chunks;
  };

  /**
   * @param {Answer} answer
   * @param {URL} url
   * @param {{ signal?: AbortSignal, listed?: import('./source.js').Listed }} options
   */
  const keep = async (answer, url, { signal, listed }) => {
    const body = resumable(io, url, answer, { signal, listed, onResume: () => (isResumed = true) });
    const about = { url: url.href, sha256: listed?.sha256 ?? '', version: versionOf(answer.headers), isMissing: false };
    const sink = await store?.create(about);
    return {
      async next() {
        const chunk = await body.next();
        if (chunk) await sink?.write(chunk);
        return chunk;
      },
      accept: async () => sink?.commit(),
      async close() {
        await sink?.abort();
        await body.close();
      },
    };
  };

  return {
    /**
     * @param {URL} url
     * @param {boolean} optional  403 and an HTML page also mean that the file is missing
     * @param {{ signal?: AbortSignal, listed?: import('./source.js').Listed }} [options]
     * @returns {Promise<import('./source.js').Chunks | null>}  null if it is missing
     */
    async find(url, optional, options = {}) {
      const { signal, listed } = options;
      if (url.protocol === 'data:') return (await import('./inline.js')).inlineChunks(io, url.href);
      const kept = isRetry ? undefined : await store?.get(url.href);
      if (kept && listed && kept.sha256 === listed.sha256) return take(url, kept);
      let isFree = kept !== undefined; // must be closed here
      try {
        const answer = await io.fetchChunks(url, signal, optional).catch((error) => {
          signal?.throwIfAborted();
          // no connection or no server: use the stored file
          if (kept && !listed && !(error.cause < 500)) return undefined;
          throw error;
        });
        const isSame = kept && !listed && !kept.isMissing && answer && kept.version
          && versionOf(answer.headers) === kept.version;
        if (kept && (answer === undefined || isSame)) {
          await answer?.close();
          isFree = false;
          return await take(url, kept);
        }
        if (answer) return await keep(answer, url, options);
        if (optional && store) {
          await (await store.create({ url: url.href, sha256: '', version: '', isMissing: true }))?.commit();
        }
        return null;
      } finally {
        if (isFree) await kept?.chunks.close();
      }
    },
    /** Whether another try may succeed after this error. @param {any} error */
    async mayRetry(error) {
      const may = error?.status !== undefined && error.name !== 'NetworkError' && (isResumed || taken.size > 0);
      if (may) for (const url of taken) await store?.remove(url).catch(() => {});
      return may || /changed while it was downloaded$/.test(error?.message);
    },
    /**
     * Whether all files of a model are stored.
     *
     * @param {URL | ((name: string) => string | undefined)} place  of its directory, or of each file
     */
    isKept: async (place) => store !== null
      && (await import('./complete.js')).isKept(io, store,
        typeof place === 'function' ? place : (name) => io.join(place, name).href),
  };
}
