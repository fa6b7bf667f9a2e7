// fetch.js - heed fetch: lists and downloads models of Firefox, and downloads those of OPUS-MT and of any URL.

import { join } from 'node:path';
import { cacheDirectory } from '../files/folder.js';
import { UsageError } from './commands.js';
import { write } from './output.js';
import { Download } from './progress.js';

const FIREFOX = 'firefox:';
const OPUS = 'opus:';
/** Languages of a pair. Those of OPUS-MT may be groups, as ROMANCE. @type {Record<string, RegExp>} */
const PAIRS = { [FIREFOX]: /^[a-z]{2,3}(-[a-z\d]+)+$/i, [OPUS]: /^[a-z]\w*(-[a-z]\w*)+$/i };

/** How names of OPUS-MT's models begin that say how they were trained: opus:tc-big-en-fi. */
const TRAINED = /^tc-(?:bible-)?(?:big|base)-/;

/** @param {string} text */
const isUrl = (text) => /^https?:\/\/./i.test(text) && URL.canParse(text);

/** @param {string | undefined} mirror */
export function checkMirror(mirror) {
  if (mirror === undefined || isUrl(mirror)) return;
  throw new UsageError(`--mirror: found '${mirror}', expected the address of a server`);
}

/**
 * A model of OPUS-MT, or of any directory at a URL.
 *
 * @param {string} name
 * @param {string} place
 * @param {string} [mirror]
 */
async function fetchRepository(name, place, mirror) {
  const { fetchDirectory, opusAddress } = await import('../convert/repository.js');
  const pair = name.startsWith(OPUS) ? name.slice(OPUS.length) : '';
  const [source, target, ...more] = pair.replace(TRAINED, '').split('-');
  const about = pair && { name: `opus-mt-${pair}`, ...(more.length === 0 && { source, target }) };
  const bar = new Download(name);
  const { version, count, files } = await fetchDirectory(pair ? opusAddress(pair, mirror) : name, place,
    { ...about, onProgress: (bytes) => bar.count(bytes) }).finally(() => bar.end());
  const what = count === 0 ? 'is there already' : `${count} of ${files} files downloaded`;
  await write(`${place}: ${name}, version ${version || 'unknown'}: ${what}\n`);
}

/** @param {import('./commands.js').Values} values @param {string[]} rest */
export async function fetchModel(values, rest) {
  const { list, mirror, cache } = values;
  const [name, directory, ...more] = rest;
  checkMirror(mirror);
  if (list ? rest.length > 0 : name === undefined || more.length > 0) {
    throw new UsageError('fetch: expected firefox:SOURCE-TARGET, opus:SOURCE-TARGET or a URL, or --list');
  }
  const prefix = list ? undefined : [FIREFOX, OPUS].find((each) => name.startsWith(each));
  const pair = prefix === undefined ? '' : name.slice(prefix.length);
  if (prefix !== undefined && !PAIRS[prefix].test(pair)) {
    throw new UsageError(`fetch: found '${name}', expected ${prefix} and a pair, such as ${prefix}en-pt`);
  }
  if (!list && prefix === undefined && !isUrl(name)) {
    const expected = 'firefox: and a pair, such as firefox:en-pt, opus: and a pair, or a URL';
    throw new UsageError(`fetch: found '${name}', expected ${expected}`);
  }
  if (mirror !== undefined && !list && prefix === undefined) throw new UsageError('--mirror: has no effect with a URL');
  if (cache !== undefined && (list || directory !== undefined)) {
    throw new UsageError(`--cache: has no effect with ${list ? '--list' : 'a directory'}`);
  }
  if (!list && prefix !== FIREFOX) {
    const own = prefix ? `opus-${pair}` : name.replace(/^https?:\/+/i, '').replace(/[^\w.-]+/g, '-').replace(/-$/, '');
    await fetchRepository(name, directory ?? join(cache ?? await cacheDirectory(), own), mirror);
    return;
  }
  const { fetchFiles, findModel, listModels } = await import('../convert/firefox.js');
  const models = await listModels({ mirror });
  if (list) {
    for (const { source, target, version, architecture, bytes, problem } of models) {
      const columns = [`${source}-${target}`.padEnd(12), version.padEnd(6), architecture.padEnd(12)];
      const size = `${(bytes / 1e6).toFixed(1).padStart(5)} MB`;
      await write(`${columns.join(' ')} ${problem ? problem.message : size}\n`);
    }
    return;
  }
  const model = findModel(models, pair, mirror);
  const { source, target, version } = model;
  const place = directory ?? join(cache ?? await cacheDirectory(), `firefox-${source}-${target}`);
  const bar = new Download(`${FIREFOX}${source}-${target}`);
  const onProgress = (/** @type {number} */ loaded) => bar.show(loaded);
  const count = await fetchFiles(model, place, { mirror, onProgress }).finally(() => bar.end());
  const what = count === 0 ? 'is there already' : `${count} of ${model.files.length} files downloaded`;
  await write(`${place}: ${source}-${target}, version ${version}: ${what}\n`);
}
