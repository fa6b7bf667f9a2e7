// engine.js - what an engine is: who does the work for a Translator, wherever that is. Chooses one. Used by
// translate/.

import { builtin, isNode } from '../base/host.js';
import { builds } from '../builds.js';

/** @typedef {ReturnType<import('../text/tokenizer.js').Tokenizer['encode']>} Encoded */
/** @typedef {import('../model/options.js').Search} Search */
/** @typedef {import('../model/model.js').Model} Model */
/** @typedef {import('../model/model.js').Generated & { text: string }} Result  text: of the ids */

/**
 * Searches for translations, and knows text as ids. A job is one sentence with its search. Jobs of all calls share a
 * running batch: a sentence that ends makes room for another, and calls take turns. What a sentence gives does not
 * depend on what runs beside it. The event loop gets its turn after every step.
 *
 * An engine runs in this thread (here.js) or in a worker (remote.js). What it takes and gives is plain data.
 * Errors are those of the function here that does the work; all promises are rejected with the reason of destroy().
 *
 * @typedef {object} Engine
 * @property {Readonly<Record<string, unknown>>} config  config.json, with what a MarianConfig holds where it is silent
 * @property {Readonly<Record<string, unknown>>} manifest  heed.json, or {}
 * @property {Readonly<import('../model/config.js').GenerateDefaults>} defaults  of a search
 * @property {Model['info'] & { worker: boolean }} info  as of the last answer
 * @property {(sources: Int32Array[], search: Search, options?: JobOptions) => Promise<Result[][]>} generate  for each
 *   source its hypotheses, best first. Of checked ids and a search of checkGenerate()
 * @property {(texts: string[], side?: 'source' | 'target') => Promise<Encoded[]>} encode  sources with the token of the
 *   target language, if the model has several
 * @property {(lists: ArrayLike<number>[]) => Promise<string[]>} decode  ids of the target side
 * @property {(ids?: ArrayLike<number>) => Promise<string[]>} pieces  of ids of the target side, or of all of them
 * @property {(source: ArrayLike<number>, prefix: ArrayLike<number>) => Promise<Float32Array>} logits  [V] of the id
 *   that follows the prefix
 * @property {Asynchronous<typeof import('../model/inspect.js').attention>} attention
 * @property {Asynchronous<typeof import('../model/inspect.js').inspect>} inspect
 * @property {Asynchronous<typeof import('../model/inspect.js').parameters>} parameters
 * @property {Asynchronous<typeof import('../model/inspect.js').parameter>} parameter
 * @property {(reason: unknown) => void} destroy  frees all memory
 */

/**
 * @typedef {object} JobOptions
 * @property {AbortSignal} [signal]  its abort drops these jobs, at once. All others go on
 * @property {(text: string) => void} [onStep]  gets the text so far, after each step; only of one source by greedy
 *   search
 * @property {boolean} [beamTree]  the best hypothesis of each source gets its `tree`
 */

/**
 * A function of a model as a method that takes its time.
 *
 * @template {(model: Model, ...args: any[]) => any} F
 * @typedef {F extends (model: Model, ...args: infer Args) => infer R ? (...args: Args) => Promise<R> : never}
 *   Asynchronous
 */

/**
 * @typedef {object} EngineOptions
 * @property {import('../files/source.js').ModelSource} model
 * @property {string} source  language tag
 * @property {string} target
 * @property {string} [language]  the language token of a model with several targets, if `target` does not tell
 * @property {AbortSignal} [signal]
 * @property {(loaded: number) => void} [onProgress]  gets numbers from 0 to 1
 * @property {boolean | Worker | object} [worker]  where it is; undefined: in a worker if there can be one
 * @property {number} [timeout]  milliseconds after which a worker counts as silent
 * @property {import('../model/load.js').LoadOptions['dtype']} [dtype]
 * @property {import('../model/load.js').LoadOptions['wasm']} [wasm]
 * @property {import('../model/load.js').LoadOptions['simd']} [simd]
 * @property {import('../model/load.js').LoadOptions['cache']} [cache]
 */

/**
 * Here, so that builds.js is loaded before any engine: webpack forgets the modules in chunks that are loaded later.
 *
 * @returns {Promise<any>}
 */
async function startWorker() {
  if (!isNode) return builds.worker();
  const { Worker } = await builtin('worker_threads');
  // flags of this program like --input-type are not for the worker's
  return new Worker(new URL(builds.workerAddress()), { execArgv: [] });
}

/**
 * In a worker if that is wanted and can be, else here.
 *
 * @param {EngineOptions} options
 * @returns {Promise<Engine>}  NotSupportedError: the model is for another pair
 */
export async function createEngine({ worker, timeout, ...options }) {
  if (worker ?? (!isNode && 'document' in globalThis)) {
    const { createRemote } = await import('./remote.js');
    const engine = await createRemote(startWorker, { worker, timeout, ...options });
    if (engine) return engine;
  }
  return (await import('./here.js')).createHere(options);
}
