// folder.js - stores downloaded files in a directory, in Node. Loaded by cache.js; others ask it where that is.

import { builtin } from '../base/host.js';

/** Size of the header of a stored file in Node: its data as JSON, padded with spaces. */
const HEAD = 4096;
/** An incomplete file that is older (in milliseconds) belongs to a program that has ended. */
const STALE = 24 * 3600 * 1000;

/** The directory, if none is given. @returns {Promise<string>} */
export async function cacheDirectory() {
  const [path, os] = await Promise.all(['path', 'os'].map(builtin));
  return path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'heed');
}

/** @param {import('./source.js').Io} io @param {string} [given] @returns {Promise<import('./cache.js').Store>} */
export async function openFolder({ ChunkReader, fileChunks }, given) {
  const [fs, path, { createHash }] = await Promise.all(['fs/promises', 'path', 'crypto'].map(builtin));
  const directory = given ?? await cacheDirectory();
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
      await removeStale(file).catch(() => {});
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
