// here.js - the engine of this thread: it has the model and runs its batch. Loaded by engine.js, and by
// serve.js in a worker.

import { onAborts } from '../base/abort.js';
import { turn } from '../base/host.js';
import { checkPair } from '../model/languages.js';
import { LEXICONS, NGRAMS } from '../model/load.js';
import { Model } from '../model/model.js';

/** @typedef {import('./engine.js').Engine} Engine */

/** Room for calls that start while others run. It costs little. Longer sentences have been split. */
const ROOM = { source: 128, spare: 3 };

/**
 * Milliseconds that steps take before the event loop runs. A step of a small model is so short that a turn after each
 * would take a tenth of the time.
 */
const SLICE = 4;

/** Pieces to look up per turn of the event loop. */
const STRIDE = 4096;

/**
 * @param {Model} model
 * @param {import('../model/pairs.js').Way} way
 * @param {import('../model/lexicon.js').Lexicon} [lexicon]
 * @param {import('../model/reverse.js').Rerank} [rerank]
 * @returns {Engine}
 */
function engineOf(model, { encode, settings }, lexicon, rerank) {
  const { config, manifest, tokenizer } = model;
  const defaults = { ...model.generateDefaults, ...settings };
  const batch = model.batch(ROOM);
  const life = new AbortController();
  let isDriven = false;

  /** Runs steps until no call is left. */
  const drive = async () => {
    if (isDriven) return;
    isDriven = true;
    // let the event loop run before the first step, so that simultaneous calls start together
    while (await turn(), batch.isBusy) {
      const end = performance.now() + SLICE;
      do batch.step(); while (batch.isBusy && performance.now() < end);
    }
    isDriven = false;
  };

  /** Runs short work in a turn of its own. @template T @param {() => T} f @returns {Promise<T>} */
  const inTurn = async (f) => {
    await turn();
    life.signal.throwIfAborted();
    return f();
  };

  /** @param {() => Promise<any>} load  a module @param {string} name  of its function, whose result it is */
  const look = (load, name) => async (/** @type {unknown[]} */ ...args) => {
    const module = await load();
    return inTurn(() => module[name](model, ...args));
  };
  const pass = () => import('../model/inspect.js');
  const tensors = () => import('../model/tensors.js');
  const attend = look(pass, 'attention');

  return {
    config,
    manifest,
    defaults,
    get info() {
      return { ...model.info, worker: false };
    },
    async generate(sources, search, { signal, onStep, beamTree, together } = {}) {
      /** @type {import('../model/batch.js').Watcher[]} */
      const watchers = [];
      if (beamTree) watchers.push(new (await import('../model/tree.js')).Trees(search.beams));
      if (search.align) {
        watchers.push(...(await import('../model/attended.js')).watchAttention(sources, search, config));
      }
      const own = search.lexicon ? lexicon : undefined;
      // reranking compares means of log-probabilities
      const isReranked = search.reverse && search.lengthPenalty === 1
        && search.prefix.length === 0 && search.heads.length === 0;
      if (sources.length > 0) await own?.read();
      for (const each of [life.signal, signal]) each?.throwIfAborted();
      if (sources.length === 0) return [];
      return new Promise((resolve, reject) => {
        const call = batch.add(sources, search, {
          watchers,
          together,
          lexicon: own,
          rerank: isReranked ? rerank : undefined,
          onStep: onStep && ((ids) => onStep(tokenizer.decode(ids))),
          onResult: (found) => found.forEach((result) => Object.assign(result, { text: tokenizer.decode(result.ids) })),
          onEnd: (error) => {
            forget();
            if (error === undefined) resolve(/** @type {import('./engine.js').Result[][]} */ (call.results));
            else reject(error);
          },
        });
        const forget = onAborts([life.signal, signal], (reason) => {
          batch.remove(call);
          reject(reason);
        });
        void drive();
      });
    },
    encode: (texts, side = 'source') => inTurn(() =>
      texts.map((text) => (side === 'source' ? encode(text) : tokenizer.encode(text, { side })))),
    decode: (lists) => inTurn(() => lists.map((ids) => tokenizer.decode(ids))),
    async pieces(ids = Array.from({ length: Number(config.decoder_vocab_size) }, (_, id) => id)) {
      const pieces = [];
      for (let at = 0; at < ids.length; at += STRIDE) {
        const some = Array.from(ids).slice(at, at + STRIDE);
        pieces.push(await inTurn(() => some.map((id) => tokenizer.idToPiece(id, { side: 'target' }))));
      }
      return pieces.flat();
    },
    logits: look(pass, 'nextLogits'),
    async attention(source, target, options) {
      const { lexicon: isWanted = false, ...rest } = options ?? {};
      const found = await attend(source, target, Object(options) === options ? rest : options);
      if (!isWanted || !lexicon) return found;
      await lexicon.read();
      return { ...found, logProbs: lexicon.logProbs(model, source, target, found) };
    },
    inspect: look(tensors, 'inspect'),
    parameters: look(tensors, 'parameters'),
    parameter: look(tensors, 'parameter'),
    destroy(reason) {
      life.abort(reason);
      model.dispose();
    },
  };
}

/**
 * Takes a file of a model, which is freed once it is read.
 *
 * @param {Model} model
 * @param {string} name
 */
function take(model, name) {
  const { files } = model.internals();
  const { [name]: bytes } = files;
  delete files[name];
  return bytes;
}

/**
 * The lexicon of a model for a pair, if its directory has one.
 *
 * @param {Model} model
 * @param {[source: string, target: string]} pair  codes of languages, such as 'de'
 */
async function lexiconOf(model, pair) {
  const name = LEXICONS.find((each) => model.internals().files[each]);
  if (name === undefined) return undefined;
  const { Lexicon } = await import('../model/lexicon.js');
  return new Lexicon(take(model, name), model.tokenizer, pair, model.config, name);
}

/**
 * Gives a model its n-grams of a language, if its directory has some.
 *
 * @param {Model} model
 * @param {string} language  the code of the target
 */
async function addNgrams(model, language) {
  const bytes = take(model, NGRAMS);
  if (bytes) await (await import('../model/ngrams.js')).addNgrams(model, bytes, language);
}

/**
 * @param {import('./engine.js').EngineOptions & { record?: import('../files/record.js').FileRecord,
 *   open?: Parameters<typeof Model.load>[4] }} options  record, open: see Model.load
 * @returns {Promise<Engine>}
 */
export async function createHere({ model, source, target, language, onProgress, record, open, ...options }) {
  /** @type {import('../model/pairs.js').Way[]} the last one is that of what is loaded */
  const ways = [];
  const choose = async (/** @type {Parameters<typeof import('../model/pairs.js').chooseWay>[0]} */ parts) =>
    void ways.push((await import('../model/pairs.js')).chooseWay(parts, source, target, language));
  const loaded = await Model.load(
    model,
    { ...options, onProgress: ({ loaded: bytes, total }) => onProgress?.(bytes / total) },
    (manifest, parts) => (parts ? choose(parts) : checkPair(source, target)(manifest)),
    record,
    open,
  );
  try {
    // without a tokenizer nobody has chosen: that is an error
    if (ways.length === 0) await choose(loaded);
    const pair = /** @type {[string, string]} */ ([source, target].map((tag) => new Intl.Locale(tag).language));
    await addNgrams(loaded, pair[1]);
    const way = ways[ways.length - 1];
    const rerank = loaded.manifest.reverse === undefined ? undefined
      : (await import('../model/reverse.js')).rerankOf(loaded, way, source, target);
    return engineOf(loaded, way, await lexiconOf(loaded, pair), rerank);
  } catch (error) {
    loaded.dispose();
    throw error;
  }
}
