// serve.js - heed serve: a server for programs that speak LibreTranslate's interface.

import { readFileSync } from 'node:fs';
import { LOADED, MAX_WORKERS, REQUEST_SECONDS, REQUESTS } from '../base/limits.js';
import { pairsOf } from '../model/languages.js';
import { startServer } from '../serve/server.js';
import { readIndex } from '../translate/lookup.js';
import { pairsOfModel, withTags } from '../translate/offered.js';
import { Translator } from '../translate/translator.js';
import { listPairs } from '../translate/ways.js';
import { numberOf, UsageError } from './commands.js';
import { write } from './output.js';
import { cacheOf, count, modelsOf, readManifest } from './translate.js';

/** LibreTranslate's. */
const PORT = 5000;
/** Addresses that only this machine can reach. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/i;
/** The most that a timer takes, in seconds. */
const LONGEST = 2_147_483;

/** @param {string} path @returns {string[]} */
function readKeys(path) {
  let text;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`--api-keys: ${/** @type {Error} */ (error).message}`);
  }
  const keys = text.split('\n').map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  if (keys.length === 0) throw new UsageError(`--api-keys: ${path}: found no key, expected one in each line`);
  return keys;
}

/** @param {string | undefined} value */
function portOf(value) {
  const port = numberOf('port', value) ?? PORT;
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new UsageError(`--port: found '${value}', expected a whole number from 0 to 65535`);
}

/** @param {string | undefined} value @returns {number}  milliseconds */
function timeoutOf(value) {
  const seconds = numberOf('timeout', value) ?? REQUEST_SECONDS;
  if (seconds > 0 && seconds <= LONGEST) return seconds * 1000;
  throw new UsageError(`--timeout: found '${value}', expected seconds, more than 0 and at most ${LONGEST}`);
}

/**
 * The pairs of languages of a model. --from and --to give what it does not state.
 *
 * @param {import('./commands.js').Values} values
 * @param {boolean | string} cache
 * @returns {Promise<import('../model/languages.js').Pair[]>}
 */
async function servedPairs({ model = '', from, to }, cache) {
  const isOpen = from === undefined && to === undefined;
  const listed = isOpen ? await pairsOfModel(model, cache) : [];
  const stated = listed.length > 0 ? listed : pairsOf(await readManifest(model, cache));
  return stated.map(([source, target]) => {
    for (const [option, given, own] of [['--from', from, source], ['--to', to, target]]) {
      if (own !== undefined && given !== undefined) {
        throw new UsageError(`${option}: found ${given}, but the model states its languages: ${own}`);
      }
      if (own === undefined && given === undefined) {
        throw new UsageError(`${option}: found none, and the model does not state its languages`);
      }
    }
    return [source ?? from, target ?? to];
  });
}

/** Resolves at the first SIGTERM or SIGINT. A second one ends the program at once. */
async function stopSignal() {
  await new Promise((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT']) {
      process.once(name, () => {
        resolve(undefined);
        process.once(name, () => process.exit(1));
      });
    }
  });
}

/** @param {import('./commands.js').Values} values @param {string[]} rest */
export async function serve(values, rest) {
  if (rest.length > 0) throw new UsageError(`serve: expected options only, found ${rest.join(' ')}`);
  const { from, to, host = '127.0.0.1' } = values;
  const { model, models = '', pivot } = await modelsOf(values);
  if (!model && (from ?? to) !== undefined) throw new UsageError('--from, --to: have no effect without --model');
  const keys = values['api-keys'] === undefined ? [] : readKeys(values['api-keys']);
  const limits = {
    charLimit: count('char-limit', values['char-limit'], 2 ** 31 - 1) ?? Infinity,
    queue: count('queue', values.queue, 2 ** 20) ?? REQUESTS,
    loaded: count('loaded', values.loaded, 2 ** 20) ?? LOADED,
    timeout: timeoutOf(values.timeout),
    jobs: count('jobs', values.jobs, MAX_WORKERS) ?? 1,
  };
  const cache = await cacheOf(values, model ?? (typeof models === 'string' ? models : undefined));
  const indexes = model ? [] : [models].flat();
  const entries = (await Promise.all(indexes.map((index) => readIndex(index, undefined, cache)))).flat();
  const pairs = /** @type {[source: string, target: string][]} */ (
    withTags(model ? await servedPairs(values, cache) : listPairs(entries, pivot)));
  const place = model ? { model } : { models: /** @type {any} */ (models), pivot };
  const server = await startServer({
    host,
    port: portOf(values.port),
    pairs,
    keys,
    ...limits,
    // in threads of their own, so that several pairs use several processors, and requests are read at any time
    create: (sourceLanguage, targetLanguage) =>
      Translator.create({ ...place, sourceLanguage, targetLanguage, cache, workers: limits.jobs }),
    onError: (message) => void process.stderr.write(`heed: ${message}\n`),
  });
  const signal = stopSignal();
  if (keys.length === 0 && !LOOPBACK.test(host)) {
    process.stderr.write(`heed: ${host}: all who reach this address may ask; --api-keys FILE asks for a key\n`);
  }
  const through = model ? 0 : pairs.length - entries.length;
  await write(`heed: ${server.url} translates between ${[...new Set(pairs.flat())].join(', ')}: ${pairs.length} pairs`
    + `${through > 0 ? `, ${through} of them through another language` : ''}\n`);
  await signal;
  await server.stop();
}
