// translator.js - text in, text out, with the interface of the Web Translator API. Has texts split and sentences
// translated by host.js, and joins the results. Public.

import { endStream, unlessAborted } from '../base/abort.js';
import { badType, checkFunction, checkOptions, checkOwn, checkSignal, OWN } from '../base/check.js';
import { isNode, onAbort, turn } from '../base/host.js';
import { createEngine } from '../engine/engine.js';
import { checkTag } from '../model/languages.js';
import { checkGenerate } from '../model/options.js';
import { throughWords } from '../text/words.js';
import { createHost } from './host.js';
import { copyOptions, CREATE, TRANSLATE, TRANSLATE_DETAILED } from './options.js';

/** @typedef {import('../text/split.js').Sentence} Sentence */
/** @typedef {import('../text/split.js').Encoded} Encoded */
/** @typedef {import('./options.js').TranslateOptions} TranslateOptions */
/** @typedef {import('./options.js').Options} Options */
/** @typedef {import('./detail.js').TranslatedSentence} TranslatedSentence */

/** Finds models. A page that names its model does not need this module. */
const lookup = () => import('./lookup.js');

/** A failed download, as the specification defines it. @param {any} error */
const withName = (error) =>
  error?.name === 'NetworkError' ? Object.assign(new DOMException(error.message, error.name), { cause: error }) : error;

/**
 * Calls that run at the same time share the engine's work: two take the time of one call with both texts. Each call
 * gets the same result as alone.
 */
export class Translator {
  /**
   * The index in which create() and availability() look for a model if they get neither `model` nor `models`.
   *
   * @type {string | URL | (string | URL)[] | undefined}
   */
  static models;

  #engine;
  /** What splits texts and translates sentences. */
  #host;
  /** Aborted by destroy(). Cancels all running and waiting calls. */
  #life = new AbortController();
  /** Removes the listener from the signal of create(). */
  #forget = () => {};

  /**
   * Only create() may call it.
   *
   * @internal
   * @param {symbol} key  OWN
   * @param {import('../engine/engine.js').Engine} engine
   * @param {string} source
   * @param {string} target
   */
  constructor(key, engine, source, target) {
    checkOwn(key, 'Translator');
    this.#engine = engine;
    this.#host = createHost(engine, source, target, (signal) => this.#check(signal));
  }

  /** A canonical language tag. */
  get sourceLanguage() {
    return this.#host.sourceLanguage;
  }

  /** A canonical language tag. */
  get targetLanguage() {
    return this.#host.targetLanguage;
  }

  get [Symbol.toStringTag]() {
    return 'Translator';
  }

  /** The translators that do the work, one after the other: this one, or two. @returns {Translator[]} */
  get steps() {
    return [this];
  }

  /** What this lends to other files. @internal @returns {import('./host.js').Host} */
  get [OWN]() {
    return this.#host;
  }

  /**
   * @param {object} options
   * @param {string} options.sourceLanguage  a BCP 47 tag
   * @param {string} options.targetLanguage
   * @param {import('../files/source.js').ModelSource} [options.model]  a model directory
   * @param {string | URL | (string | URL)[]} [options.models]  one or several index.json files to search for the pair;
   *   default: Translator.models
   * @param {string | false} [options.pivot]  the language in between if no model has the pair: it is translated in two
   *   steps. Default: the first of `models` that makes it possible. false: never
   * @param {AbortSignal} [options.signal]  aborts create(), and later the Translator, with its reason
   * @param {(monitor: any) => void} [options.monitor]  gets an EventTarget with `ondownloadprogress`; the events are
   *   ProgressEvents, { loaded: 0…1, total: 1 }
   * @param {boolean | Worker | object} [options.worker]  true: run in a worker; or your own worker (in Node from
   *   worker_threads), that imports 'heed/worker'. Default: true in pages if possible, false in Node
   * @param {number} [options.workers]  how many workers share the sentences of calls, 1 to 64. In Node and in pages
   *   that are cross-origin isolated they share one copy of the weights, elsewhere each has its own. With one copy, a
   *   fault in one of them (HEED_E_WASM, a bug in heed) ends all. Others are started in their place, and a call whose
   *   sentences break a module twice is rejected; with a model that was passed as bytes all calls are. A call has one
   *   for every 8 sentences at most. Default: where there is a worker, one, and more while there is much to do: one
   *   for every 32 sentences that wait, as many as there are cores and 4 at most, if they need no download and take
   *   1 GB together at most
   * @param {number} [options.timeout]  milliseconds after which a call is rejected if the worker sends no message, no
   *   progress and no sign of life; Infinity: never. Default: 30,000. It has no effect without a worker
   * @param {string} [options.language]  the target language token for a model with several, if targetLanguage does not
   *   determine it
   * @param {import('../model/load.js').LoadOptions['dtype']} [options.dtype]
   * @param {import('../model/load.js').LoadOptions['activations']} [options.activations]
   * @param {import('../model/load.js').LoadOptions['wasm']} [options.wasm]
   * @param {import('../model/load.js').LoadOptions['simd']} [options.simd]
   * @param {import('../model/load.js').LoadOptions['cache']} [options.cache]
   * @param {import('../model/load.js').LoadOptions['shortlist']} [options.shortlist]
   * @returns {Promise<Translator>}  NotSupportedError: no model for the pair
   */
  static async create(options) {
    const { sourceLanguage, targetLanguage, monitor, signal, timeout, models = Translator.models, pivot, ...rest } =
      checkOptions(options, CREATE);
    const source = checkTag(sourceLanguage, 'sourceLanguage');
    const target = checkTag(targetLanguage, 'targetLanguage');
    checkSignal(signal);
    checkFunction('monitor', monitor);
    if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0)) {
      badType('timeout', timeout, 'milliseconds, or Infinity');
    }
    const { worker } = rest;
    if (worker != null && typeof worker !== 'boolean' && Object(worker) !== worker) {
      badType('worker', worker, 'true, false or a Worker');
    }
    const onProgress = monitor && (await import('./progress.js')).startMonitor(monitor, signal);
    /** @type {Translator | undefined} */
    let made;
    try {
      const find = async () =>
        (await lookup()).findModel({ models, source, target, pivot, signal, cache: rest.cache ?? !isNode });
      const model = rest.model ?? (await find());
      const own = { ...rest, source, target, signal, timeout, onProgress };
      made = Array.isArray(model) ? await (await import('./pivot.js')).createPivot(Translator, model, own)
        : new Translator(OWN, await createEngine({ ...own, model }), source, target);
      await turn(); // listeners of the last progress event can still abort
      signal?.throwIfAborted();
    } catch (error) {
      made?.destroy();
      throw withName(error);
    }
    made.#follow(signal);
    return made;
  }

  /**
   * Whether create() would find a model for the pair, or two: 'available' if all its files are local or stored,
   * 'downloadable' if they are on a server, 'unavailable' without one. With `pivot: false`: one model for the pair.
   * A model's languages are those of heed.json, or of config.json, tokenizer_config.json and spiece.model. If only
   * tokenizer.json or MarianMT's vocab.json tells, every pair is available, and create() refuses those that are not.
   *
   * @param {{ sourceLanguage: string, targetLanguage: string, model?: import('../files/source.js').ModelSource,
   *   models?: string | URL | (string | URL)[], pivot?: string | false, cache?: boolean | string }} options
   *   model, models, pivot, cache: as for create()
   * @returns {Promise<'unavailable' | 'downloadable' | 'downloading' | 'available'>}
   */
  static async availability(options) {
    const { sourceLanguage, targetLanguage, model, models = Translator.models, pivot, cache = !isNode } =
      checkOptions(options, CREATE);
    const source = checkTag(sourceLanguage, 'sourceLanguage');
    const target = checkTag(targetLanguage, 'targetLanguage');
    try {
      return await (await lookup()).availability({ model, models, source, target, pivot, cache });
    } catch (error) {
      throw withName(error);
    }
  }

  /**
   * The pairs of languages that a model, the models of indexes, or those that are installed translate, those with a
   * model of their own first. Of a model at a URL it downloads small files, the vocab.json of MarianMT, and the
   * spiece.model of T5. availability() tells whether the model of a pair is there. A model of which no file but
   * tokenizer.json tells the languages has none here.
   *
   * @param {{ model?: import('../files/source.js').ModelSource, models?: string | URL | (string | URL)[],
   *   pivot?: string | false, cache?: boolean | string }} [options]  as for create(); with `pivot: false` only pairs
   *   that need one model
   * @returns {Promise<{ sourceLanguage?: string, targetLanguage: string }[]>}  without a source: of any language
   */
  static async pairs(options = {}) {
    return (await import('./offered.js')).offeredPairs(options, Translator.models, withName);
  }

  /**
   * The result of f. Rejects at once when the call is aborted, without waiting for the running step.
   *
   * @template T
   * @param {AbortSignal | undefined} signal
   * @param {() => Promise<T>} f
   * @returns {Promise<T>}
   */
  async #run(signal, f) {
    this.#check(signal);
    return unlessAborted([this.#life.signal, signal], f);
  }

  /** @param {AbortSignal | undefined} signal */
  #check(signal) {
    this.#life.signal.throwIfAborted();
    checkSignal(signal);
  }

  /**
   * Translates a string to a string, or an array to an array in the same order. White space and line breaks are kept.
   *
   * @overload
   * @param {string} input
   * @param {TranslateOptions} [options]
   * @returns {Promise<string>}
   */
  /**
   * @overload
   * @param {readonly string[]} input
   * @param {TranslateOptions} [options]
   * @returns {Promise<string[]>}
   */
  /**
   * @overload
   * @param {string | readonly string[]} input
   * @param {TranslateOptions} [options]
   * @returns {Promise<string | string[]>}
   */
  /**
   * @param {string | readonly string[]} input
   * @param {TranslateOptions} [options]
   * @returns {Promise<string | string[]>}
   */
  async translate(input, options = {}) {
    const own = copyOptions(options, TRANSLATE);
    const isList = Array.isArray(input);
    const inputs = isList ? [...input] : [input];
    return this.#run(own.signal, async () => {
      const texts = await this.#host.split(inputs, own);
      const results = await this.#host.generate(
        texts.flat().filter(({ text }) => text),
        { ...own, nBest: 1 },
      );
      let next = 0;
      const outputs = texts.map((sentences) =>
        sentences
          .map(({ text, after }) => (text && results[next++][0].text) + after)
          .join(''),
      );
      return isList ? outputs : outputs[0];
    });
  }

  /**
   * Translates the texts of HTML, and attributes that people read. Everything else stays as it is; tags inside of a
   * sentence stand at the words that they stood at. The HTML may be a document or a part of one, and ill-formed.
   *
   * @param {string} html
   * @param {TranslateOptions} [options]
   * @returns {Promise<string>}
   */
  async translateHtml(html, options = {}) {
    const own = copyOptions(options, TRANSLATE);
    return this.#run(own.signal, async () => (await import('./html.js')).translateHtml(html, own, this.#host));
  }

  /**
   * Translates a text. Returns its sentences with tokens, scores and alignment.
   *
   * @param {string} input
   * @param {TranslateOptions & { attention?: boolean }} [options]  attention: with all maps; nBest > 1: with
   * alternatives;
   *   beamTree: with the tree
   * @returns {Promise<TranslatedSentence[]>}
   */
  async translateDetailed(input, options = {}) {
    const own = /** @type {Options & { attention?: boolean, beamTree?: boolean }} */ (
      copyOptions(options, TRANSLATE_DETAILED));
    return this.#run(own.signal, async () => {
      const { detail } = await import('./detail.js');
      const sentences = (await this.#host.split([input], own))[0].filter(({ text }) => text);
      const results = await this.#host.generate(sentences, own, null);
      const detailed = [];
      for (const [i, hypotheses] of results.entries()) {
        this.#check(own.signal);
        detailed.push(await detail(this.#engine, sentences[i], hypotheses, own, this.targetLanguage));
      }
      return detailed;
    });
  }

  /**
   * Translates a text to a stream of pieces, a word or some at a time. Joined, they are exactly the result of
   * translate(). With beams a word comes when all beams have it. The work pauses while nobody reads, and stops when the
   * stream is cancelled.
   *
   * @param {string} input
   * @param {TranslateOptions} [options]
   * @returns {ReadableStream<string>}
   */
  translateStreaming(input, options = {}) {
    const { signal, ...rest } = copyOptions(options, TRANSLATE);
    if (typeof input !== 'string') badType('input', input, 'a string');
    this.#check(signal);
    const stop = new AbortController();
    const own = { ...rest, nBest: 1, signal: stop.signal };
    let forget = () => {};
    /** @type {Iterator<Sentence, undefined>} */
    let sentences;
    return new ReadableStream({
      start: async (stream) => {
        forget = endStream([this.#life.signal, signal], stream, stop.abort.bind(stop));
        try {
          checkGenerate(own, this.#engine.defaults, this.config);
          const [parts] = await this.#host.split([input], own);
          // each sentence is translated alone
          if (own.glossary) (await import('./glossary.js')).checkDivided(parts, own.glossary, this.sourceLanguage);
          sentences = parts.values();
        } catch (error) {
          forget();
          throw error;
        }
      },
      pull: async (stream) => {
        try {
          while (Number(stream.desiredSize) > 0) {
            const { done, value: sentence } = sentences.next();
            if (done) {
              forget();
              stream.close();
              return;
            }
            await this.#streamSentence(sentence, own, (text) => stream.enqueue(text));
          }
        } catch (error) {
          forget();
          throw error;
        }
      },
      cancel: (reason) => {
        forget();
        stop.abort(reason);
      },
    });
  }

  /** @param {Sentence} sentence @param {Options} options @param {(text: string) => void} emit */
  async #streamSentence(sentence, options, emit) {
    const { text, after } = sentence;
    let emitted = 0;
    const emitUpTo = (/** @type {string} */ found) => {
      if (found.length > emitted) emit(found.slice(emitted));
      emitted = Math.max(emitted, found.length);
    };
    if (text) {
      // the rest may change: U+FFFD stands for bytes of a character, and for the last marks see text/last-marks.js
      const [[result]] = await this.#host.generate([sentence], options, (found) => emitUpTo(throughWords(found)));
      emitUpTo(result.text);
    }
    if (after) emit(after);
  }

  /** Data of the model, as Transformer.info; `worker`: whether it runs in a worker. */
  get info() {
    return this.#engine.info;
  }

  /** The model's config.json. @returns {Readonly<Record<string, unknown>>} */
  get config() {
    return this.#engine.config;
  }

  /** The model's heed.json, or {}. @returns {Readonly<Record<string, unknown>>} */
  get manifest() {
    return this.#engine.manifest;
  }

  /** Encodes a text as one sentence, see Tokenizer. @param {string} text @returns {Promise<Encoded>} */
  async tokenize(text) {
    return this.#run(undefined, async () => (await this.#engine.encode([text]))[0]);
  }

  /** Decodes ids of the target side. @param {ArrayLike<number>} ids @returns {Promise<string>} */
  async detokenize(ids) {
    return this.#run(undefined, async () => (await this.#engine.decode([ids]))[0]);
  }

  /**
   * See Transformer.attention().
   *
   * @param {ArrayLike<number>} source
   * @param {ArrayLike<number>} target
   * @param {{ disabledHeads?: import('../model/options.js').Head[], shortlist?: boolean }} [options]
   * @returns {Promise<import('../model/model.js').AttentionMaps & { logProbs: Float32Array, candidates?: Int32Array }>}
   */
  async attention(source, target, options) {
    return this.#run(undefined, () => this.#engine.attention(source, target, options));
  }

  /**
   * See Transformer.inspect().
   *
   * @param {ArrayLike<number>} source
   * @param {ArrayLike<number>} target
   * @param {import('../model/tensors.js').InspectOptions} [options]
   * @returns {Promise<Record<string, import('../model/model.js').Tensor>>}
   */
  async inspect(source, target, options) {
    return this.#run(undefined, () => this.#engine.inspect(source, target, options));
  }

  /** See Transformer.parameters. @returns {Promise<{ name: string, shape: number[] }[]>} */
  async parameters() {
    return this.#run(undefined, () => this.#engine.parameters());
  }

  /**
   * See Transformer.parameter().
   *
   * @param {string} name
   * @param {[from: number, to: number]} [rows]
   * @returns {Promise<import('../model/model.js').Tensor>}
   */
  async parameter(name, rows) {
    return this.#run(undefined, () => this.#engine.parameter(name, rows));
  }

  /**
   * The number of tokens in the input. There is no quota.
   *
   * @param {string} input
   * @param {TranslateOptions} [options]  as for translate()
   * @returns {Promise<number>}
   */
  async measureInputUsage(input, options = {}) {
    const own = copyOptions(options, TRANSLATE);
    const [sentences] = await this.#run(own.signal, () => this.#host.split([input], { ...own, keep: false }));
    return sentences.reduce((sum, { ids }) => sum + ids.length, 0);
  }

  /** Infinity, because texts are split into sentences, and their number is not limited. */
  get inputQuota() {
    return Infinity;
  }

  /** Free all memory. Running, waiting and later calls reject with an AbortError. */
  destroy() {
    this.#end(new DOMException('the translator was destroyed', 'AbortError'));
  }

  /** Ends with the signal. Not in create(), whose variables hold the files. @param {AbortSignal | undefined} signal */
  #follow(signal) {
    this.#forget = onAbort(signal, () => this.#end(signal?.reason));
  }

  /** destroy() with the reason with which calls reject. @param {unknown} reason */
  #end(reason) {
    if (this.#life.signal.aborted) return;
    this.#forget();
    this.#life.abort(reason);
    this.#engine.destroy(reason);
  }

  [Symbol.dispose]() {
    this.destroy();
  }
}
