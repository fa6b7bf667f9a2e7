// engine.js - the interface of an engine, which does the work of a Translator in this thread or in a worker. Creates
// one. Used by translate/.

import { builtin, isNode } from '../base/host.js';
import { builds } from '../builds.js';

/** @typedef {ReturnType<import('../text/tokenizer.js').Tokenizer['encode']>} Encoded */
/** @typedef {import('../model/options.js').Search} Search */
/** @typedef {import('../model/model.js').Model} Model */
/** @typedef {import('../model/model.js').Generated & { text: string }} Result  text: of the ids */

/**
 * Searches for translations, and converts between text and ids. A job is one sentence with its search. Jobs of all
 * calls share a running batch: when a sentence ends, another takes its row, and calls take turns. The result of a
 * sentence does not depend on the others. The event loop runs after a step, once steps have taken 4 ms.
 *
 * An engine runs in this thread (here.js), in a worker (remote.js), or in several (pool.js). Its arguments and results
 * are plain data. Its errors are those of the underlying function; destroy() rejects all promises with its reason.
 *
 * @typedef {object} Engine
 * @property {Readonly<Record<string, unknown>>} config  config.json, with MarianConfig's defaults
 * @property {Readonly<Record<string, unknown>>} manifest  heed.json, or {}
 * @property {Readonly<import('../model/config.js').GenerateDefaults>} defaults  of a search
 * @property {Model['info'] & { worker: boolean, workers?: number }} info  at the time of the last answer; workers: how
 *   many there are, if several share the work
 * @property {boolean} [isShared]  of a worker: others can use its weights
 * @property {(port: MessagePort) => Promise<void>} [lend]  sends to the other end of the port what another worker needs
 *   for that. No other thread sees it: a memory is free when the last thread that has seen it ends, or collects its
 *   garbage
 * @property {(sources: Int32Array[], search: Search, options?: JobOptions) => Promise<Result[][]>} generate  for each
 *   source its hypotheses, best first. Takes checked ids, and a search from checkGenerate()
 * @property {(texts: string[], side?: 'source' | 'target') => Promise<Encoded[]>} encode  sources with the token of the
 *   target language, if the model has several
 * @property {(lists: ArrayLike<number>[]) => Promise<string[]>} decode  ids of the target side
 * @property {(ids?: ArrayLike<number>) => Promise<string[]>} pieces  of target ids, or of all target ids
 * @property {Asynchronous<typeof import('../model/inspect.js').nextLogits>} logits  [V] of the id after the prefix
 * @property {(source: ArrayLike<number>, target: ArrayLike<number>, options?: { shortlist?: boolean,
 *   disabledHeads?: import('../model/options.js').Head[], lexicon?: boolean }) =>
 *   Promise<ReturnType<typeof import('../model/inspect.js').attention>>} attention  lexicon: logProbs are those of a
 *   search with the model's lexicon, if it has one; default false
 * @property {Asynchronous<typeof import('../model/tensors.js').inspect>} inspect
 * @property {Asynchronous<typeof import('../model/tensors.js').parameters>} parameters
 * @property {Asynchronous<typeof import('../model/tensors.js').parameter>} parameter
 * @property {(reason: unknown) => void} destroy  frees all memory
 */

/**
 * @typedef {object} JobOptions
 * @property {AbortSignal} [signal]  its abort drops these jobs at once; others continue
 * @property {(text: string) => void} [onStep]  gets the text so far that stays, after each step; only for one source
 * @property {boolean} [beamTree]  the best hypothesis of each source gets its `tree`
 * @property {number} [together]  how many sources to make room for at the first, those of calls that follow at once
 *   included, so that the memory does not grow twice
 */

/**
 * The asynchronous form of a function of a model.
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
 * @property {string} [language]  the language token of a model with several targets, if `target` does not determine it
 * @property {AbortSignal} [signal]
 * @property {(loaded: number) => void} [onProgress]  gets numbers from 0 to 1
 * @property {boolean | Worker | object} [worker]  whether to use a worker, or the worker; undefined: use one if
 * possible
 * @property {number} [workers]  how many share the work; undefined: one, or as many as there is work for
 * @property {number} [timeout]  milliseconds after which a worker counts as silent
 * @property {import('../model/load.js').LoadOptions['dtype']} [dtype]
 * @property {import('../model/load.js').LoadOptions['activations']} [activations]
 * @property {import('../model/load.js').LoadOptions['wasm']} [wasm]
 * @property {import('../model/load.js').LoadOptions['simd']} [simd]
 * @property {import('../model/load.js').LoadOptions['cache']} [cache]
 * @property {import('../model/load.js').LoadOptions['shortlist']} [shortlist]
 * @property {true | MessagePort} [share]  true: others may use its weights; or where another worker's are lent
 */

/**
 * Imported here, so that builds.js is loaded before any engine: webpack drops its URLs from chunks that are loaded
 * later.
 *
 * @returns {Promise<any>}
 */
async function startWorker() {
  if (!isNode) return builds.worker();
  const { Worker } = await builtin('worker_threads');
  // flags of this program, such as --input-type, must not reach the worker
  return new Worker(new URL(builds.workerAddress()), { execArgv: [] });
}

/**
 * Creates an engine in a worker, if requested and possible, or else in this thread.
 *
 * @param {EngineOptions} options
 * @returns {Promise<Engine>}  NotSupportedError: the model is for another pair
 */
export async function createEngine({ worker, workers, timeout, ...options }) {
  if (workers !== undefined || (worker ?? (!isNode && 'document' in globalThis))) {
    const { createRemote } = await import('./remote.js');
    const engine = await createRemote(startWorker, { worker, workers, timeout, ...options });
    if (engine) return engine;
  }
  return (await import('./here.js')).createHere(options);
}
