// firefox.js - Mozilla's list of Firefox's translation models, in Remote Settings: reads it, chooses the files of a
// pair of languages, and stores them in a directory with a heed.json. Used by `heed fetch`.
//
// The list has one record for each file. All files of a pair have one version, and the highest one is the model. A file
// comes as an attachment, usually packed; sizes and SHA-256 of the attachment and of what is in it are compared.
//
// Mozilla's other list, models.json beside the files in gzip, is not read: it has the size and hash of the model only,
// none of vocabularies and shortlists, and no versions. A damaged vocabulary could not be told from a right one.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { E_FILE, E_HASH, E_JSON } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { mismatch, parseJson, short } from '../base/json.js';
import { MAX_UNPACKED } from '../base/limits.js';
import { openRemote, openSource } from '../files/source.js';
import { unpack } from '../files/unpack.js';
import { FETCHED } from '../translate/installed.js';
import { withPartialManifest } from './repository.js';

/** Mozilla's server, and where its attachments are. */
const SERVER = 'https://firefox.settings.services.mozilla.com/v1';
const ATTACHMENTS = 'https://firefox-settings-attachments.cdn.mozilla.net';
const RECORDS = 'buckets/main/collections/translations-models-v2/records';
/** The major version of the files that heed reads, and that Firefox takes. */
const MAJOR = 3;
/** Kinds of files: the model, its shortlist, and one vocabulary or one of each side. Others are not for translation. */
const KINDS = ['model', 'lex', 'vocab', 'srcvocab', 'trgvocab'];

/**
 * A file of a model.
 *
 * @typedef {object} Entry
 * @property {string} kind  one of KINDS
 * @property {string} name
 * @property {number} size
 * @property {string} sha256
 * @property {{ name: string, location: string, size: number, sha256: string }} attachment
 *
 * The newest model of a pair. bytes: to download. problem: why it cannot be, which is no reason to refuse other pairs.
 * @typedef {{ source: string, target: string, version: string, architecture: string, bytes: number, files: Entry[],
 *   problem?: HeedError }} Listed
 *
 * @typedef {Awaited<ReturnType<typeof openSource>>['io']} Io
 */

/**
 * The files of a server. Without `mirror` that is Mozilla's.
 *
 * @param {string | undefined} mirror
 */
function addressesOf(mirror) {
  const base = new URL((mirror ?? SERVER).replace(/\/*$/, '/')).href;
  const files = mirror === undefined ? `${ATTACHMENTS}/` : base;
  return {
    records: new URL(RECORDS, base),
    /** @param {string} location  of the list, which may name no other server */
    attachment: (location) => {
      const url = URL.canParse(location, files) ? new URL(location, files) : undefined;
      if (url?.href.startsWith(files)) return url;
      throw new HeedError(E_JSON, mismatch('records: attachment: location', location, `a path below ${files}`));
    },
  };
}

/** @param {unknown} size  in bytes */
const isSize = (size) => Number.isSafeInteger(size) && Number(size) >= 0 && Number(size) <= MAX_UNPACKED;
/** @param {unknown} hash */
const isHash = (hash) => typeof hash === 'string' && /^[\da-f]{64}$/i.test(hash);

/** The name of a file of a model, which becomes that of a file here. @param {unknown} name @returns {name is string} */
const isName = (name) => typeof name === 'string' && /^[\w-][\w.-]*\.(bin|spm)$/.test(name);

/** @param {Record<string, any>} record @returns {Entry} */
function entryOf({ name, fileType: kind, decompressedSize, decompressedHash, attachment }) {
  if (!isName(name)) throw new HeedError(E_JSON, mismatch('records: name', name, 'the name of a .bin or .spm file'));
  const what = `records: ${short(name)}`;
  const packed = attachment?.filename;
  const isPacked = typeof packed === 'string' && /\.(zst|gz)$/.test(packed);
  const [size, sha256] = isPacked ? [decompressedSize, decompressedHash] : [attachment?.size, attachment?.hash];
  if (!isSize(attachment?.size) || !isHash(attachment?.hash) || typeof attachment.location !== 'string') {
    throw new HeedError(E_JSON, `${what}: found no attachment with location, size and hash`);
  }
  if (!isSize(size) || !isHash(sha256)) {
    throw new HeedError(E_JSON, `${what}: found no decompressedSize and decompressedHash`);
  }
  return {
    kind, name, size, sha256: sha256.toLowerCase(),
    attachment: {
      name: isPacked ? packed : name, location: attachment.location, size: attachment.size,
      sha256: attachment.hash.toLowerCase(),
    },
  };
}

/** A version as numbers; a test version, 3.0a1, comes before 3.0. @param {string} version */
function parseVersion(version) {
  const [, major, minor, rest] = /^(\d+)\.(\d+)(.*)$/.exec(version) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), rest === '' ? 1 : 0];
}

/** @param {string} a @param {string} b */
function compareVersions(a, b) {
  const [x, y] = [a, b].map((version) => parseVersion(version) ?? []);
  const i = x.findIndex((n, at) => n !== y[at]);
  return i < 0 ? 0 : x[i] - y[i];
}

/**
 * The files of a version.
 *
 * @param {Record<string, any>[]} records
 * @param {string} what  for errors
 */
function filesOf(records, what) {
  const files = records.map(entryOf);
  const twice = files.find(({ kind }, i) => files.findIndex((other) => other.kind === kind) !== i);
  if (twice) throw new HeedError(E_JSON, `${what}: found several files of type ${twice.kind}, expected one`);
  const plain = (/** @type {Entry} */ file) => file.name.toLowerCase();
  const same = files.find((file, i) => files.findIndex((other) => plain(other) === plain(file)) !== i);
  if (same) throw new HeedError(E_JSON, `${what}: found several files called ${same.name}, expected one`);
  const has = (/** @type {string} */ kind) => files.some((file) => file.kind === kind);
  if (!has('model') || has('vocab') === has('srcvocab') || has('srcvocab') !== has('trgvocab')) {
    const found = files.map(({ kind }) => kind).join(', ');
    throw new HeedError(E_JSON, mismatch(what, found, 'model, and vocab or srcvocab and trgvocab'));
  }
  return files;
}

/**
 * The newest released model of each pair.
 *
 * @param {Record<string, any>[]} records
 * @returns {Listed[]}  by pair
 */
function newestOf(records) {
  /** @type {Map<string, Record<string, any>[]>} */
  const byPair = new Map();
  for (const record of records) {
    const { sourceLanguage: source, targetLanguage: target, version, fileType, filter_expression: channels } =
      Object(record);
    const isOurs = [source, target].every((tag) => typeof tag === 'string' && /^[a-z]{2,3}(-[a-z\d]+)*$/i.test(tag))
      && KINDS.includes(fileType) && !channels && typeof version === 'string' && parseVersion(version)?.[0] === MAJOR;
    if (isOurs) byPair.set(`${source} ${target}`, [...(byPair.get(`${source} ${target}`) ?? []), record]);
  }
  return [...byPair.values()].map((all) => {
    const version = all.map((record) => record.version).sort(compareVersions).at(-1);
    const own = all.filter((record) => record.version === version);
    const { sourceLanguage: source, targetLanguage: target } = own[0];
    const { architecture = '' } = own.find(({ fileType }) => fileType === 'model') ?? {};
    const model = { source, target, version, architecture: typeof architecture === 'string' ? architecture : '' };
    try {
      const files = filesOf(own, `records: ${source}-${target}, version ${version}`);
      return { ...model, files, bytes: files.reduce((sum, { attachment }) => sum + attachment.size, 0) };
    } catch (error) {
      if (!(error instanceof HeedError)) throw error;
      return { ...model, files: [], bytes: 0, problem: error };
    }
  }).sort((a, b) => (`${a.source}-${a.target}` < `${b.source}-${b.target}` ? -1 : 1));
}

/**
 * The models of Mozilla's list.
 *
 * @param {{ mirror?: string, signal?: AbortSignal }} [options]  mirror: another server with the same paths, and the
 *   attachments below it
 * @returns {Promise<Listed[]>}
 */
export async function listModels({ mirror, signal } = {}) {
  const { io } = await openSource({});
  const { records } = addressesOf(mirror);
  const chunks = await (await openRemote(false)).find(records, false, { signal });
  if (!chunks) throw new HeedError(E_FILE, `${records}: is missing: expected Mozilla's list`);
  const { data } = parseJson(await io.readAll(chunks), 'records');
  if (!Array.isArray(data)) throw new HeedError(E_JSON, mismatch('records: data', data, 'an array'));
  return newestOf(data);
}

/**
 * The model of a pair.
 *
 * @param {Listed[]} models
 * @param {string} pair  such as en-pt
 * @param {string} [mirror]  where the list is from, for the commands of the error
 * @returns {Listed}  HEED_E_FILE: there is none
 */
export function findModel(models, pair, mirror) {
  const wanted = pair.toLowerCase();
  const find = (/** @type {string} */ source, /** @type {string} */ target) => models.find((model) =>
    !model.problem && model.source.toLowerCase() === source && model.target.toLowerCase() === target);
  const found = models.find(({ source, target }) => `${source}-${target}`.toLowerCase() === wanted);
  if (found?.problem) throw found.problem;
  if (found) return found;
  // a tag may have hyphens too
  const parts = wanted.split('-');
  const steps = parts.map((_, i) => [find(parts.slice(0, i).join('-'), 'en'), find('en', parts.slice(i).join('-'))]);
  const [first, second] = steps.find(([to, from]) => to && from) ?? [];
  const what = `firefox:${pair}: found no released model for this pair`;
  if (!first || !second) throw new HeedError(E_FILE, `${what}; "heed fetch --list" prints the pairs`);
  const [source, target] = [first.source, second.target];
  const fetches = [`firefox:${source}-en`, `firefox:en-${target}`]
    .map((name) => `heed fetch ${name}${mirror === undefined ? '' : ` --mirror ${mirror}`}`).join(' && ');
  throw new HeedError(E_FILE, `${what}, but two that translate it by way of English: ${
    fetches} && heed translate --from ${source} --to ${target}`);
}

/** @param {string} path */
async function hashOf(path) {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}

/** Whether a file has the listed content. @param {string} path @param {Entry} entry */
async function isThere(path, { size, sha256 }) {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true && found.size === size && (await hashOf(path)) === sha256;
}

/** @param {string} name @param {string} what @param {unknown} found @param {unknown} expected */
function compare(name, what, found, expected) {
  if (found === expected) return;
  throw new HeedError(E_HASH, `${name}: ${what}: found ${found}, expected ${expected} as Mozilla's list says`);
}

/**
 * Chunks that are compared with the list at their end.
 *
 * @param {import('../files/source.js').Chunks} chunks
 * @param {string} name
 * @param {{ size: number, sha256: string }} expected
 * @param {(bytes: number) => void} [onBytes]
 * @returns {import('../files/source.js').Chunks}
 */
function compared(chunks, name, { size, sha256 }, onBytes) {
  const hash = createHash('sha256');
  let [found, hasEnded] = [0, false];
  const self = {
    async next() {
      const chunk = await chunks.next();
      found += chunk?.length ?? 0;
      if (found > size) compare(name, 'bytes', `more than ${size}`, size);
      if (chunk) {
        hash.update(chunk);
        onBytes?.(chunk.length);
      } else if (!hasEnded) {
        hasEnded = true;
        compare(name, 'bytes', found, size);
        compare(name, 'sha256', hash.digest('hex'), sha256);
      }
      return chunk;
    },
    verify: async () => {
      while (await self.next());
    },
    close: () => chunks.close(),
  };
  return self;
}

/**
 * Downloads a file, compares it and unpacks it.
 *
 * @param {Io} io
 * @param {URL} url
 * @param {Entry} entry
 * @param {string} path  of the new file; it is not there if this fails
 * @param {(bytes: number) => void} onBytes
 * @param {AbortSignal} [signal]
 */
async function download(io, url, entry, path, onBytes, signal) {
  const { attachment, name } = entry;
  const remote = await openRemote(false);
  const body = await remote.find(url, false, { signal, listed: attachment });
  if (!body) throw new HeedError(E_FILE, `${url}: is missing, though Mozilla's list has it`);
  let content = compared(body, attachment.name, attachment, onBytes);
  try {
    const file = await open(path, 'w');
    try {
      content = await unpack(io, content, attachment.name);
      if (attachment.name !== name) content = compared(content, name, entry);
      for (let chunk; (chunk = await content.next());) {
        signal?.throwIfAborted();
        await file.writeFile(chunk);
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await content.close();
  }
}

/**
 * Refuses a directory with other files than an earlier version of the model.
 *
 * @param {string} directory
 * @param {Listed} model
 * @returns {Promise<string[]>}  the files of the earlier version
 */
async function checkDirectory(directory, { source, target, files }) {
  const names = await readdir(directory).catch((error) => {
    throw new HeedError(E_FILE, `${directory}: ${error.message}`, { cause: error });
  });
  const bytes = names.includes('heed.json') ? await readFile(join(directory, 'heed.json')) : undefined;
  const manifest = bytes ? parseJson(bytes, join(directory, 'heed.json')) : {};
  // only what was fetched before is replaced
  const isOurs = manifest.from === FETCHED && manifest.source === source && manifest.target === target;
  const earlier = isOurs ? Object.keys(Object(manifest.files)).filter(isName) : [];
  const known = new Set(['heed.json', ...files.map(({ name }) => name), ...earlier]);
  const other = names.find((name) => !known.has(name.replace(/\.partial$/, '')));
  if (other !== undefined || (bytes && !isOurs)) {
    const found = other === undefined ? `a model from ${manifest.source} to ${manifest.target}` : short(other);
    const expected = `a new directory, or one of ${source}-${target}`;
    throw new HeedError(E_FILE, `${directory}: found ${found}, expected ${expected}`);
  }
  return earlier;
}

/**
 * Stores the files of a model. What is there already is not downloaded again. They get their names together, when all
 * are complete.
 *
 * @param {Listed} model
 * @param {string} directory  is made if it is missing
 * @param {{ mirror?: string, onProgress?: (loaded: number) => void, signal?: AbortSignal }} [options]  loaded: of 1;
 *   signal: before all is complete, its abort leaves the model as it was
 * @returns {Promise<number>}  how many files were downloaded
 */
export async function fetchFiles(model, directory, { mirror, onProgress, signal } = {}) {
  const { source, target, version, files, bytes } = model;
  const { io } = await openSource({});
  const { attachment: addressOf } = addressesOf(mirror);
  await mkdir(directory, { recursive: true });
  const earlier = await checkDirectory(directory, model);
  let loaded = 0;
  const add = (/** @type {number} */ n) => onProgress?.((loaded += n) / bytes);
  /** Files that get their names at the end. @type {string[]} */
  const partial = [];
  let count = 0;
  await withPartialManifest(directory, { source, target, mirror }, async () => {
    for (const entry of files) {
      const path = join(directory, entry.name);
      signal?.throwIfAborted();
      if (await isThere(path, entry)) add(entry.attachment.size);
      else {
        if (await isThere(`${path}.partial`, entry)) add(entry.attachment.size);
        else {
          await download(io, addressOf(entry.attachment.location), entry, `${path}.partial`, add, signal);
          count++;
        }
        partial.push(path);
      }
    }
    signal?.throwIfAborted();
    for (const path of partial) await rename(`${path}.partial`, path);
    for (const name of earlier) {
      if (!files.some((entry) => entry.name === name)) await rm(join(directory, name), { force: true });
    }
    return {
      format: 1, name: `Firefox ${source}-${target} ${version}`, from: FETCHED, source, target,
      ...(mirror && { mirror }),
      files: Object.fromEntries(files.map(({ name, size, sha256 }) => [name, { size, sha256 }])),
    };
  });
  return count;
}
