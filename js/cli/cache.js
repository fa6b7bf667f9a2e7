// cache.js - heed cache: lists the models that are stored, deletes and updates them.

import { stat } from 'node:fs/promises';
import { isOfFirefox } from '../convert/fetched.js';
import { list, remove, update } from '../convert/stored.js';
import { UsageError } from './commands.js';
import { checkMirror } from './fetch.js';
import { write } from './output.js';

/** @param {import('./commands.js').Values} values @param {string[]} rest */
export async function manageCache({ cache, mirror }, [action = 'list', ...names]) {
  if (!['list', 'delete', 'update'].includes(action)) {
    throw new UsageError(`cache: found '${action}', expected list, delete or update`);
  }
  if (action === 'list' && names.length > 0) {
    throw new UsageError(`cache list: expected nothing more, found ${names.join(' ')}`);
  }
  if (action === 'delete' && names.length === 0) throw new UsageError('cache delete: expected the names of models');
  if (mirror !== undefined && action !== 'update') {
    throw new UsageError(`--mirror: has no effect on heed cache ${action}`);
  }
  checkMirror(mirror);
  if (cache !== undefined && !(await stat(cache).catch(() => undefined))?.isDirectory()) {
    throw new UsageError(`--cache: found '${cache}', expected a directory`);
  }
  const options = { cache, mirror };
  const stored = await list(options);
  if (action === 'list') {
    for (const { name, size, version, isPartial } of stored) {
      const state = isPartial ? 'incomplete' : version;
      await write(`${`${(size / 1e6).toFixed(1)} MB`.padStart(10)}  ${name}  ${state}`.trimEnd() + '\n');
    }
    return;
  }
  const wrong = names.find((name) => !stored.some((model) => model.name === name));
  if (wrong !== undefined) throw new Error(`${wrong}: found no stored model of this name; "heed cache" lists them`);
  const chosen = names.length > 0 ? names : stored.map((model) => model.name);
  if (mirror !== undefined) {
    const isFirefox = await Promise.all(stored.map(async ({ name, directory }) =>
      directory !== undefined && chosen.includes(name) && isOfFirefox(directory)));
    if (!isFirefox.includes(true)) {
      throw new UsageError(`--mirror: has no effect, as none of ${names.length > 0 ? 'these' : 'the stored'} models is`
        + " one of Firefox's");
    }
  }
  for (const name of chosen) {
    try {
      if (action === 'delete') await remove(name, options);
      const done = action === 'delete' ? 'deleted' : await update(name, options) ? 'updated' : 'is the newest';
      await write(`${name}: ${done}\n`);
    } catch (error) {
      // Continue with the other models.
      process.stderr.write(`heed: ${name}: ${/** @type {Error} */ (error).message}\n`);
      process.exitCode = 1;
    }
  }
}
