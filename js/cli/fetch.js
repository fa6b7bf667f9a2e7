// fetch.js - heed fetch: lists and downloads models of Firefox.

import { homedir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from './commands.js';
import { write } from './output.js';
import { Download } from './progress.js';

const PREFIX = 'firefox:';

/**
 * Where a model is stored if no directory is given: beside the files of other downloads.
 *
 * @param {string | undefined} cache  of --cache
 * @param {string} name
 */
const placeOf = (cache, name) =>
  join(cache ?? join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'heed'), name);

/** @param {import('./commands.js').Values} values @param {string[]} rest */
export async function fetchModel(values, rest) {
  const { list, mirror, cache } = values;
  const [name, directory, ...more] = rest;
  if (mirror !== undefined && !(/^https?:\/\/./i.test(mirror) && URL.canParse(mirror))) {
    throw new UsageError(`--mirror: found '${mirror}', expected the address of a server`);
  }
  if (list ? rest.length > 0 : name === undefined || more.length > 0) {
    throw new UsageError('fetch: expected firefox:SOURCE-TARGET and a directory, or --list');
  }
  const pair = !list && name.startsWith(PREFIX) ? name.slice(PREFIX.length) : '';
  if (!list && !/^[a-z]{2,3}(-[a-z\d]+)+$/i.test(pair)) {
    throw new UsageError(`fetch: found '${name}', expected firefox: and a pair, such as firefox:en-pt`);
  }
  if (cache !== undefined && (list || directory !== undefined)) {
    throw new UsageError(`--cache: has no effect with ${list ? '--list' : 'a directory'}`);
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
  const model = findModel(models, pair);
  const { source, target, version } = model;
  const place = directory ?? placeOf(cache, `firefox-${source}-${target}`);
  const bar = new Download(`${PREFIX}${source}-${target}`);
  const onProgress = (/** @type {number} */ loaded) => bar.show(loaded);
  const count = await fetchFiles(model, place, { mirror, onProgress }).finally(() => bar.end());
  const what = count === 0 ? 'is there already' : `${count} of ${model.files.length} files downloaded`;
  await write(`${place}: ${source}-${target}, version ${version}: ${what}\n`);
}
