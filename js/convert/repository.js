// repository.js - a model of a repository with the layout of Hugging Face, as OPUS-MT's, or of any directory at a URL:
// stores its files in a directory with a heed.json. Used by `heed fetch` and `heed cache update`.
//
// What a server says of a file is compared: sizes and hashes of heed.json, or the X-Linked-ETag (SHA-256) and the
// X-Linked-Size of Hugging Face. A file gets its name when all are complete.

import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { E_FILE, E_HASH, E_JSON } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { parseJson, short } from '../base/json.js';
import { listedFiles, openRemote, openSource } from '../files/source.js';
import { canonical, languageOf } from '../model/languages.js';
import { FETCHED } from '../translate/installed.js';

/** OPUS-MT's models on Hugging Face; `{pair}` is such as en-de. */
const OPUS = 'https://huggingface.co/Helsinki-NLP/opus-mt-{pair}/resolve/main/';
/** Files of a directory without heed.json: those that must be there, those that may, and one of the weights. */
const NEEDED = ['config.json', 'vocab.json', 'source.spm', 'target.spm'];
const OPTIONAL = ['generation_config.json', 'target_vocab.json', 'tokenizer_config.json'];
const WEIGHTS = ['model.safetensors', 'pytorch_model.bin'];
const MANIFEST = 'heed.json';
/** ISO 639-5: codes of groups of languages, in lower case. Other names of groups have capitals. */
const GROUPS = new Set((
  'aav afa alg alv apa aqa aql art ath auf aus awd azc bad bai bat ber bih bnt btk cai cau cba ccn ccs cdc '
  + 'cdd cel cmc cpe cpf cpp crp csu cus day dmn dra egx esx euq fiu fox gem gme gmq gmw grk him hmx hok hyx '
  + 'iir ijo inc ine ira iro itc jpx kar kdo khi kro map mkh mno mul mun myn nah nai ngf nic nub omq omv oto '
  + 'paa phi plf poz pqe pqw pra qwe roa sai sal sdv sem sgn sio sit sla smi son sqj ssa syd tai tbq trk tup '
  + 'tut tuw urj wak wen xgn xnd ypk zhx zle zls zlw znd'
).split(' '));
/** @param {string} name  of a side of a model; cat_oci_spa: three languages */
const isGroup = (name) => /[A-Z]|^[a-z]{3}(_[a-z]{3})+$/.test(name) || GROUPS.has(name);
/** Names that a heed.json may list: they become those of files here. */
const NAME = /^[\w-][\w.-]*$/;

/**
 * The directory of one of OPUS-MT's models.
 *
 * @param {string} pair  such as en-de
 * @param {string} [mirror]  a server with the same paths, or a URL with `{pair}` in it
 */
export function opusAddress(pair, mirror) {
  const template = mirror === undefined ? OPUS
    : mirror.includes('{pair}') ? mirror : mirror.replace(/\/*$/, '') + new URL(OPUS.replace('{pair}', '@')).pathname
      .replace('@', '{pair}');
  return template.replaceAll('{pair}', pair).replace(/\/*$/, '/');
}

/** What a server says of a file before it sends it. @param {URL} url @param {AbortSignal} [signal] */
async function headOf(url, signal) {
  // a redirect to the store of large files loses these headers
  const { headers } = await fetch(url, { method: 'HEAD', redirect: 'manual', signal })
    .catch(() => ({ headers: new Headers() }));
  const [, sha256] = /^"?([\da-f]{64})"?$/i.exec(headers.get('x-linked-etag') ?? '') ?? [];
  const size = headers.get('x-linked-size');
  const version = headers.get('x-repo-commit') ?? headers.get('etag') ?? headers.get('last-modified') ?? '';
  return { sha256: sha256?.toLowerCase(), size: size === null ? undefined : Number(size), version };
}

/** @param {string} path */
async function hashOf(path) {
  const hash = createHash('sha256');
  for await (const chunk of (await open(path)).createReadStream()) hash.update(chunk);
  return hash.digest('hex');
}

/** Whether a file is there as it is listed. @param {string} path @param {{ size: number, sha256: string }} [listed] */
const isAsListed = async (path, listed) => listed !== undefined
  && (await stat(path).catch(() => undefined))?.size === listed.size && (await hashOf(path)) === listed.sha256;

/** Whether all files are there as heed.json lists them. @param {string} directory @param {any} files */
async function areAsListed(directory, files) {
  for (const [name, listed] of listedFiles({ files })) {
    if (!(await isAsListed(join(directory, name), listed))) return false;
  }
  return true;
}

/**
 * Downloads a file beside its name, with `.partial`.
 *
 * @param {URL} url
 * @param {string} path
 * @param {{ optional: boolean, listed?: import('../files/source.js').Listed, signal?: AbortSignal,
 *   onBytes: (bytes: number) => void }} options
 * @returns {Promise<{ size: number, sha256: string } | null>}  null: the server does not have it
 */
async function download(url, path, { optional, listed, signal, onBytes }) {
  const told = listed ?? await headOf(url, signal);
  const chunks = await (await openRemote(false)).find(url, optional, { signal, listed });
  if (!chunks) return null;
  const file = await open(`${path}.partial`, 'w');
  const hash = createHash('sha256');
  let size = 0;
  try {
    for (let chunk; (chunk = await chunks.next());) {
      await file.writeFile(chunk);
      hash.update(chunk);
      size += chunk.length;
      onBytes(chunk.length);
    }
  } finally {
    await chunks.close();
    await file.close();
  }
  const found = { size, sha256: hash.digest('hex') };
  for (const what of /** @type {const} */ (['size', 'sha256'])) {
    if (told[what] === undefined || told[what] === found[what]) continue;
    await rm(`${path}.partial`);
    throw new HeedError(E_HASH, `${url}: ${what === 'size' ? 'bytes' : what}: found ${found[what]}, expected ${
      told[what]} as ${listed ? 'heed.json' : 'the server'} says`);
  }
  return found;
}

/**
 * The heed.json of a directory.
 *
 * @param {string} directory
 * @param {string[]} [names]  of the file: the first that is there
 * @returns {Promise<Record<string, any>>}  {} if none
 */
export async function readManifest(directory, names = [MANIFEST]) {
  for (const name of names) {
    const bytes = await readFile(join(directory, name)).catch(() => undefined);
    try {
      if (bytes) return parseJson(bytes, join(directory, name));
    } catch (error) {
      // a download that ended while it was written
      if (!name.endsWith('.partial')) throw error;
    }
  }
  return {};
}

/**
 * Runs a download, and writes its heed.json at the end. While it runs, and if it ends early, heed.json.partial tells
 * whose files there are, unless there is a heed.json.
 *
 * @param {string} directory
 * @param {Record<string, unknown>} about  what the download needs to go on
 * @param {() => Promise<Record<string, unknown>>} f  resolves to what heed.json is to say
 */
export async function withPartialManifest(directory, about, f) {
  const place = join(directory, MANIFEST);
  const partial = `${place}.partial`;
  await writeFile(partial, JSON.stringify({ from: FETCHED, ...about }));
  try {
    const manifest = await f();
    await writeFile(partial, `${JSON.stringify(manifest, null, 2)}\n`);
    await rename(partial, place);
  } catch (error) {
    const names = await readdir(directory);
    if (names.length === 1 || names.includes(MANIFEST)) await rm(partial, { force: true });
    throw error;
  }
}

/**
 * The languages of one of OPUS-MT's models. A name such as ROMANCE or gmq is that of a group: no source is then stated,
 * and the targets are those of the vocabulary's tokens.
 *
 * @param {{ source?: string, target?: string }} named  in the name of the model
 * @param {string} directory
 */
async function languagesOf({ source, target }, directory) {
  if (source === undefined || target === undefined) return {};
  const from = isGroup(source) ? undefined : source;
  if (!isGroup(target)) return { ...(from && { source: from }), target };
  const vocab = parseJson(await readFile(join(directory, 'vocab.json')), join(directory, 'vocab.json'));
  const tags = Object.keys(vocab).flatMap((piece) => /^>>(\w+)<<$/.exec(piece)?.[1] ?? [])
    .filter((name) => canonical(name.replaceAll('_', '-')) !== undefined);
  const targets = [...new Set(tags.map(languageOf))]
    .filter((language) => !isGroup(language) && language !== languageOf(from ?? ''));
  if (from === undefined || targets.length === 0) return from ? { source: from } : {};
  return { pairs: targets.map((language) => [from, language]) };
}

/** Those that a heed.json states. @param {Record<string, any>} manifest */
const languagesIn = (manifest) => Object.fromEntries(['source', 'target', 'pairs']
  .filter((key) => manifest[key] !== undefined).map((key) => [key, manifest[key]]));

/**
 * Stores the files of a model. What is there already, with the listed content, is not downloaded again.
 *
 * @param {string} address  of the directory
 * @param {string} directory  is made if it is missing
 * @param {{ name?: string, source?: string, target?: string, onProgress?: (loaded: number) => void,
 *   signal?: AbortSignal }} [options]  name, source, target: for a new heed.json; onProgress: gets the bytes so far
 * @returns {Promise<{ version: string, count: number, files: number }>}  count: how many were downloaded
 */
export async function fetchDirectory(address, directory, { onProgress, signal, ...about } = {}) {
  const base = new URL(address.replace(/\/*$/, '/'));
  const { io } = await openSource({});
  const own = await readManifest(directory, [MANIFEST, `${MANIFEST}.partial`]);
  await mkdir(directory, { recursive: true });
  const isOurs = own.from === FETCHED && own.url === base.href;
  const others = (await readdir(directory)).filter((name) => !name.endsWith('.partial'));
  if (others.length > 0 && !isOurs) {
    throw new HeedError(E_FILE, `${directory}: found ${short(others[0])}, expected a new directory, or one of ${base}`);
  }
  const listing = await (await openRemote(false)).find(new URL('heed.json', base), true, { signal });
  const manifest = listing ? parseJson(await io.readAll(listing), 'heed.json') : {};
  const listed = listedFiles(manifest);
  const wrong = [...listed.keys()].find((name) => !NAME.test(name) || name === 'heed.json');
  if (wrong !== undefined) throw new HeedError(E_JSON, `heed.json: files: found ${short(wrong)}, expected file names`);
  const weights = WEIGHTS.map((name) => new URL(name, base));
  const { version } = await headOf(listing ? new URL('heed.json', base) : weights[0], signal)
    .then((first) => (first.version ? first : headOf(weights[1], signal)));
  // an older heed.json may state a group
  const isStated = ![own.source, own.target].some((language) => language !== undefined && isGroup(language));
  if (isOurs && !listing && isStated && version !== '' && own.version === version
      && (await areAsListed(directory, own.files))) {
    return { version, count: 0, files: Object.keys(own.files).length };
  }

  let loaded = 0;
  const onBytes = (/** @type {number} */ bytes) => onProgress?.((loaded += bytes));
  /** @type {Record<string, { size: number, sha256: string }>} */
  const files = {};
  /** @type {string[]} */
  const fresh = [];
  const get = async (/** @type {string} */ name, optional = false) => {
    const path = join(directory, name);
    const entry = listed.get(name);
    if (entry && (await isAsListed(path, entry))) {
      files[name] = entry;
      return true;
    }
    const found = await download(new URL(name, base), path, { optional, listed: entry, signal, onBytes });
    if (!found && !optional) throw new HeedError(E_FILE, `${new URL(name, base)} is missing`);
    if (found) {
      files[name] = found;
      fresh.push(path);
    }
    return found !== null;
  };
  await withPartialManifest(directory, { url: base.href, about }, async () => {
    if (listed.size > 0) for (const name of listed.keys()) await get(name);
    else {
      for (const name of NEEDED) await get(name);
      for (const name of OPTIONAL) await get(name, true);
      if (!(await get(WEIGHTS[0], true))) await get(WEIGHTS[1]);
    }
    for (const path of fresh) await rename(`${path}.partial`, path);
    for (const name of Object.keys(Object(own.files))) {
      if (isOurs && NAME.test(name) && !Object.hasOwn(files, name)) await rm(join(directory, name), { force: true });
    }
    const { name, ...named } = about;
    const says = manifest.target !== undefined || manifest.pairs !== undefined;
    // an update has no name to read the languages from
    const languages = says ? {} : named.target === undefined && isOurs ? languagesIn(own)
      : await languagesOf(named, directory);
    const title = name ?? (isOurs ? own.name : undefined);
    return { format: 1, ...(title && { name: title }), ...languages, ...manifest,
      from: FETCHED, url: base.href, version, files };
  });
  return { version, count: fresh.length, files: Object.keys(files).length };
}
