// translator.js - text in, text out, in the shape of the Web Translator API; over model.js. Public.

import { openRemote } from './files.js';
import { isNode, onAbort, turn } from './host.js';
import { canonical, checkTag, findModel, languageOf } from './languages.js';
import { badType, checkFunction, checkGenerate, checkOptions, checkSignal } from './options.js';
import { findCut, splitSentences } from './sentences.js';
import { Model } from './model.js';
import { E_LENGTH, E_STATE, HeedError } from './wasm.js';

/**
 * glossary: translations of terms, which come out exactly; where one cannot, translate() throws and translateDetailed()
 * tells. With it translateStreaming() gives sentences.
 *
 * @typedef {import('./options.js').GenerateOptions & { glossary?: Record<string, string> }} TranslateOptions
 */

/**
 * @typedef {object} TranslatedSentence
 * @property {string} source
 * @property {number} start  where it stands in the input, UTF-16
 * @property {string} target
 * @property {{ piece: string, id: number, start: number, end: number }[]} sourceTokens  start, end: UTF-16 in `source`
 * @property {{ piece: string, id: number, logProb: number }[]} targetTokens
 * @property {number} logProb
 * @property {boolean} finished
 * @property {Int32Array} alignment  for each target token its source token: arg-max of the mean cross attention
 * @property {import('./model.js').AttentionMaps} [attention]
 * @property {import('./glossary.js').GlossaryMatch[]} [glossary]  the terms that the source has, if any
 * @property {{ text: string, logProb: number }[]} [alternatives]  the hypotheses after the best
 * @property {(import('./tree.js').BeamNode & { piece: string })[]} [tree]  all that the search looked at
 */

/**
 * A part of the input that is translated as one, and the white space after it.
 *
 * @typedef {ReturnType<import('./tokenizer.js').Tokenizer['encode']>} Encoded
 * @typedef {{ text: string, after: string, start: number } & Encoded} Sentence
 */

/** Sentences of more tokens are rare where models learn, and what models make of them is poor: they are split. */
const LONGEST = 128;

/** @param {string} message */
const notSupported = (message) => new DOMException(message, 'NotSupportedError');

/** @param {EventTarget} monitor @param {number} loaded */
function fireProgress(monitor, loaded) {
  monitor.dispatchEvent(Object.assign(new Event('downloadprogress'), { loaded, total: 1 }));
}

/** As much of a translation under way as later tokens cannot change. @param {string} text */
const settled = (text) => text.replace(/[\s\ufffd]+$/, ''); // U+FFFD: bytes of a character that is not complete

/**
 * Translates in the calling thread, giving the event loop a turn after every decoder step. Calls are queued: each gets
 * what it would get alone.
 */
export class Translator {
  #model;
  #language;
  /** Tokens of the longest source that is translated as one. */
  #longest;
  #segmenter;
  /** Ends with the Translator; its abort ends what runs and waits. */
  #life = new AbortController();
  /** How to give up each call that has not ended. @type {Set<(reason: unknown) => void>} */
  #waiting = new Set();
  /** When it resolves, the model is free. @type {Promise<unknown>} */
  #tail = Promise.resolve();

  /**
   * Only create() makes one.
   *
   * @internal
   * @param {Model | null} model  null: it is elsewhere, see client.js
   * @param {string} source
   * @param {string} target
   * @param {string} [language]
   */
  constructor(model, source, target, language) {
    this.#model = /** @type {Model} */ (model);
    this.#language = language;
    this.#longest = Math.min(Number(model?.config.max_position_embeddings), LONGEST);
    this.#segmenter = new Intl.Segmenter(source, { granularity: 'sentence' });
    /** @readonly */
    this.sourceLanguage = source;
    /** @readonly */
    this.targetLanguage = target;
  }

  /**
   * @param {object} options
   * @param {string} options.sourceLanguage  a BCP 47 tag
   * @param {string} options.targetLanguage
   * @param {import('./files.js').ModelSource} [options.model]  a model directory
   * @param {string | URL} [options.models]  an index.json to look the pair up in
   * @param {AbortSignal} [options.signal]
   * @param {(monitor: EventTarget) => void} [options.monitor]  gets a target of 'downloadprogress' events,
   *   { loaded: 0…1, total: 1 }
   * @param {boolean | Worker | object} [options.worker]  true: in a worker; or one of your own (in Node of
   *   worker_threads), that imports 'heed/worker'. Default: true in pages that can have one, false in Node
   * @param {string} [options.language]  the language token of a model with several targets, if targetLanguage does not
   *   tell
   * @param {import('./load.js').LoadOptions['dtype']} [options.dtype]
   * @param {import('./load.js').LoadOptions['wasm']} [options.wasm]
   * @param {import('./load.js').LoadOptions['simd']} [options.simd]
   * @param {import('./load.js').LoadOptions['cache']} [options.cache]
   * @returns {Promise<Translator>}  NotSupportedError: there is no model for the pair
   */
  static async create(options) {
    const { sourceLanguage, targetLanguage, model, models, monitor, language, worker, ...load } = checkOptions(options);
    const { signal, cache = !isNode } = load;
    const source = checkTag(sourceLanguage, 'sourceLanguage');
    const target = checkTag(targetLanguage, 'targetLanguage');
    checkSignal(signal);
    checkFunction('monitor', monitor);
    const events = new EventTarget();
    monitor?.(events);
    const onProgress = (/** @type {number} */ loaded) => fireProgress(events, loaded);
    if (worker ?? (!isNode && 'document' in globalThis)) {
      const { createClient } = await import('./client.js');
      const client = await createClient({ ...options, onProgress });
      if (client) return client;
    }
    const from = model ?? (models === undefined ? undefined : await findModel(models, source, target, signal, cache));
    if (from === undefined) {
      throw notSupported(
        models === undefined
          ? "no model: give 'model', a model directory, or 'models', an index of them"
          : `${models} has no model from ${source} to ${target}`,
      );
    }
    const transformer = await Model.load(from, {
      ...load,
      onProgress: ({ loaded, total }) => onProgress(loaded / total),
    });
    try {
      const {
        manifest: { source: has, target: into },
        tokenizer: { languages },
      } = transformer;
      const differs = (/** @type {unknown} */ stated, /** @type {string} */ wanted) =>
        typeof stated === 'string' && languageOf(stated) !== languageOf(wanted);
      if (differs(has, source) || differs(into, target)) {
        throw notSupported(`found ${source} to ${target}, the model is for ${has} to ${into}`);
      }
      const tokenFor = (/** @type {string} */ tag) =>
        languages.find((name) => canonical(name.replaceAll('_', '-')) === tag);
      const token = language ?? tokenFor(target) ?? tokenFor(languageOf(target));
      if (languages.length > 0 && token === undefined && into === undefined) {
        throw notSupported(`targetLanguage: found ${target}, the model's are ${languages.join(', ')}`);
      }
      if (token !== undefined) transformer.tokenizer.encode('', { language: token });
      return new Translator(transformer, String(sourceLanguage), String(targetLanguage), token);
    } catch (error) {
      transformer.dispose();
      throw error;
    }
  }

  /**
   * Whether `models` has a model for the pair: 'available' if it is a local directory or all of it is kept,
   * 'downloadable' if it is on a server; 'unavailable' without `models`.
   *
   * @param {{ sourceLanguage: string, targetLanguage: string, models?: string | URL,
   *   cache?: boolean | string }} options
   *   cache: as for create()
   * @returns {Promise<'unavailable' | 'downloadable' | 'downloading' | 'available'>}
   */
  static async availability(options) {
    const { sourceLanguage, targetLanguage, models, cache = !isNode } = checkOptions(options);
    const source = checkTag(sourceLanguage, 'sourceLanguage');
    const target = checkTag(targetLanguage, 'targetLanguage');
    const found = models === undefined ? undefined : await findModel(models, source, target, undefined, cache);
    if (found === undefined) return 'unavailable';
    const isHere = !(found instanceof URL) || (await (await openRemote(cache)).isKept(found));
    return isHere ? 'available' : 'downloadable';
  }

  /**
   * Run f when all calls before have ended.
   *
   * @template T
   * @param {AbortSignal | undefined} signal
   * @param {() => Promise<T>} f
   * @returns {Promise<T>}
   */
  async #queued(signal, f) {
    this.#checkAlive(signal);
    const job = this.#tail.then(() => {
      this.#checkAlive(signal);
      return f();
    });
    this.#tail = job.catch(() => {});
    // who is given up need not wait for the turn, nor for the step that runs, to be told
    return new Promise((resolve, reject) => {
      const forget = onAbort(signal, () => reject(signal?.reason));
      this.#waiting.add(reject);
      job.then(resolve, reject).finally(() => {
        forget();
        this.#waiting.delete(reject);
      });
    });
  }

  /** @param {AbortSignal | undefined} signal */
  #checkAlive(signal) {
    if (this.#life.signal.aborted) {
      throw new HeedError(E_STATE, 'the translator was destroyed', { name: 'InvalidStateError' });
    }
    checkSignal(signal);
  }

  /** Let the event loop have a turn; throws if it brought an end. @param {AbortSignal | undefined} signal */
  async #rest(signal) {
    await turn();
    this.#life.signal.throwIfAborted();
    signal?.throwIfAborted();
  }

  /**
   * generate() in steps. `onStep` gets the ids so far of the one sentence that runs.
   *
   * @param {Sentence[]} sentences
   * @param {TranslateOptions} options
   * @param {((ids: Int32Array | undefined) => void) | null} [onStep]  null: what a glossary cannot do is told, not
   *   thrown
   * @param {import('./tree.js').Trees} [trees]  without a glossary
   * @returns {Promise<import('./glossary.js').Result[][]>}
   */
  async #generate(sentences, { glossary, cutRunaways = true, ...rest }, onStep, trees) {
    const options = { ...rest, cutRunaways };
    if (glossary) {
      const { generateWith } = await import('./glossary.js');
      const encode = this.#encode.bind(this);
      return generateWith(this.#model, sentences, glossary, options, this.#generate.bind(this), encode, onStep);
    }
    const run = this.#model.generateSteps(
      sentences.map(({ ids }) => ids),
      options,
      trees,
    );
    try {
      for (;;) {
        const step = run.next();
        if (step.done) return step.value;
        onStep?.(step.value);
        await this.#rest(options.signal);
      }
    } finally {
      run.return([]);
    }
  }

  /** @param {import('./glossary.js').Result} result */
  #text({ ids, text }) {
    return text ?? this.#model.tokenizer.decode(ids);
  }

  /** @param {string} text */
  #encode(text) {
    return this.#model.tokenizer.encode(text, { language: this.#language });
  }

  /**
   * The parts of a text. A sentence too long for the model becomes several; none is ever cut off.
   *
   * @param {string} input
   * @returns {Sentence[]}
   */
  #split(input) {
    if (typeof input !== 'string') badType('input', input, 'a string');
    /** @type {Sentence[]} */
    const sentences = [];
    let start = 0;
    for (const { text, after } of splitSentences(input, this.#segmenter)) {
      this.#splitSentence(text, start, sentences);
      const last = sentences.at(-1);
      if (text && last?.text) last.after += after;
      else sentences.push({ text: '', after, start, ids: new Int32Array(), pieces: [], offsets: new Int32Array() });
      start += text.length + after.length;
    }
    return sentences;
  }

  /** @param {string} text  without white space around it @param {number} start @param {Sentence[]} out */
  #splitSentence(text, start, out) {
    if (text === '') return;
    const whole = this.#encode(text);
    const { ids, offsets } = whole;
    if (ids.length <= this.#longest) {
      // of characters that the tokenizer drops nothing is left to translate: they stay, as white space does
      const isEmpty = !offsets.some((end, i) => i % 2 === 1 && end > offsets[i - 1]);
      out.push({ text: isEmpty ? '' : text, after: isEmpty ? text : '', start, ...whole });
      return;
    }
    // a part alone may take a token more than within the whole
    const room = this.#longest - 4;
    for (let at = 0, token = 0; at < text.length;) {
      let cut = text.length;
      if (ids.length - token > room) {
        const limit = offsets[2 * (token + room)] - at;
        if (limit >= 1) cut = at + findCut(text.slice(at, at + limit + 512), limit);
        else if (at === 0 && token === 0) {
          throw new HeedError(
            E_LENGTH,
            `input: one character takes more than the ${this.#longest} tokens the model allows`,
          );
        }
      }
      const part = text.slice(at, cut);
      const body = part.trim();
      const lead = part.length - part.trimStart().length;
      const last = out.at(-1);
      if (body === '') /** @type {Sentence} */ (last).after += part;
      else {
        if (lead > 0 && last) last.after += part.slice(0, lead);
        this.#splitSentence(body, start + at + lead, out);
        /** @type {Sentence} */ (out.at(-1)).after += part.slice(lead + body.length);
      }
      at = cut;
      while (token < ids.length && offsets[2 * token] < at) token++;
    }
  }

  /**
   * A string gives a string, an array gives an array in the same order. White space and line breaks are kept.
   *
   * @overload
   * @param {string} input
   * @param {TranslateOptions} [options]
   * @returns {Promise<string>}
   */
  /**
   * @overload
   * @param {string[]} input
   * @param {TranslateOptions} [options]
   * @returns {Promise<string[]>}
   */
  /**
   * @param {string | string[]} input
   * @param {TranslateOptions} [options]
   * @returns {Promise<string | string[]>}
   */
  async translate(input, options = {}) {
    return this.#queued(checkOptions(options).signal, async () => {
      const texts = (Array.isArray(input) ? input : [input]).map((text) => this.#split(text));
      const results = await this.#generate(
        texts.flat().filter(({ text }) => text),
        { ...options, nBest: 1 },
      );
      let next = 0;
      const outputs = texts.map((sentences) =>
        sentences
          .map(({ text, after }) => (text && this.#text(results[next++][0])) + after)
          .join(''),
      );
      return Array.isArray(input) ? outputs : outputs[0];
    });
  }

  /**
   * The sentences one by one, with tokens, scores and alignment.
   *
   * @param {string} input
   * @param {TranslateOptions & { attention?: boolean }} [options]  attention: all maps too; nBest > 1: alternatives
   *   too; beamTree: the tree too
   * @returns {Promise<TranslatedSentence[]>}
   */
  async translateDetailed(input, options = {}) {
    const { beamTree = false, ...generate } = checkOptions(options);
    return this.#queued(options.signal, async () => {
      const { detail } = await import('./detail.js');
      const { Trees } = beamTree ? await import('./tree.js') : {};
      const sentences = this.#split(input).filter(({ text }) => text);
      const trees = Trees && new Trees(options.beams ?? this.#model.generateDefaults.beams);
      const results = await this.#generate(sentences, generate, null, trees);
      const detailed = [];
      for (const [i, hypotheses] of results.entries()) {
        await this.#rest(options.signal);
        detailed.push(detail(this.#model, sentences[i], hypotheses, (result) => this.#text(result), options));
      }
      return detailed;
    });
  }

  /**
   * Pieces of text as they are found; joined they are exactly what translate() gives. Greedy search gives words, beam
   * search sentences. The work waits while nobody reads, and ends when the stream is cancelled.
   *
   * @param {string} input
   * @param {TranslateOptions} [options]
   * @returns {ReadableStream<string>}
   */
  translateStreaming(input, options = {}) {
    const stop = new AbortController();
    let forget = () => {};
    /** @type {Iterator<Sentence, undefined>} */
    let sentences;
    return new ReadableStream({
      start: async () => {
        const { signal } = checkOptions(options);
        this.#checkAlive(signal);
        checkGenerate(options, this.#model.generateDefaults, this.config);
        sentences = this.#split(input).values();
        forget = onAbort(signal, () => stop.abort(signal?.reason));
      },
      pull: async (stream) => {
        while (Number(stream.desiredSize) > 0) {
          const { done, value: sentence } = sentences.next();
          if (done) {
            forget();
            stream.close();
            return;
          }
          await this.#streamSentence(sentence, { ...options, signal: stop.signal }, (text) => stream.enqueue(text));
        }
      },
      cancel: (reason) => {
        forget();
        stop.abort(reason);
      },
    });
  }

  /** @param {Sentence} sentence @param {TranslateOptions} options @param {(text: string) => void} emit */
  async #streamSentence(sentence, options, emit) {
    const { after } = sentence;
    const { tokenizer } = this.#model;
    let emitted = 0;
    const emitUpTo = (/** @type {string} */ text) => {
      if (text.length > emitted) emit(text.slice(emitted));
      emitted = Math.max(emitted, text.length);
    };
    if (sentence.text) {
      await this.#queued(options.signal, async () => {
        const [[result]] = await this.#generate([sentence], { ...options, nBest: 1 }, (running) => {
          if (running) emitUpTo(settled(tokenizer.decode(running)));
        });
        emitUpTo(this.#text(result));
      });
    }
    if (after) emit(after);
  }

  /** Of the model, as Transformer.info; `worker`: it runs in a worker. */
  get info() {
    return { ...this.#model.info, worker: false };
  }

  /** The model's config.json. @returns {Readonly<Record<string, unknown>>} */
  get config() {
    return this.#model.config;
  }

  /** The model's heed.json, or {}. @returns {Readonly<Record<string, unknown>>} */
  get manifest() {
    return this.#model.manifest;
  }

  /** As one sentence, see Tokenizer. @param {string} text @returns {Promise<Encoded>} */
  async tokenize(text) {
    this.#checkAlive(undefined);
    return this.#encode(text);
  }

  /** Ids of the target side to text. @param {ArrayLike<number>} ids @returns {Promise<string>} */
  async detokenize(ids) {
    this.#checkAlive(undefined);
    return this.#model.tokenizer.decode(ids);
  }

  /**
   * See Transformer.attention().
   *
   * @param {ArrayLike<number>} source
   * @param {ArrayLike<number>} target
   * @param {{ disabledHeads?: import('./options.js').Head[] }} [options]
   * @returns {Promise<import('./model.js').AttentionMaps & { logProbs: Float32Array }>}
   */
  async attention(source, target, options) {
    const { attention } = await import('./inspect.js');
    return this.#queued(undefined, async () => attention(this.#model, source, target, options));
  }

  /**
   * See Transformer.inspect().
   *
   * @param {ArrayLike<number>} source
   * @param {ArrayLike<number>} target
   * @param {import('./inspect.js').InspectOptions} [options]
   * @returns {Promise<Record<string, import('./model.js').Tensor>>}
   */
  async inspect(source, target, options) {
    const { inspect } = await import('./inspect.js');
    return this.#queued(undefined, async () => inspect(this.#model, source, target, options));
  }

  /** See Transformer.parameters. @returns {Promise<{ name: string, shape: number[] }[]>} */
  async parameters() {
    const { parameters } = await import('./inspect.js');
    return this.#queued(undefined, async () => parameters(this.#model));
  }

  /**
   * See Transformer.parameter().
   *
   * @param {string} name
   * @param {[from: number, to: number]} [rows]
   * @returns {Promise<import('./model.js').Tensor>}
   */
  async parameter(name, rows) {
    const { parameter } = await import('./inspect.js');
    return this.#queued(undefined, async () => parameter(this.#model, name, rows));
  }

  /** Tokens that the input takes. There is no quota. @param {string} input @returns {Promise<number>} */
  async measureInputUsage(input) {
    this.#checkAlive(undefined);
    return this.#split(input).reduce((sum, { ids }) => sum + ids.length, 0);
  }

  /** Infinity: texts are split into sentences, and of those there may be any number. */
  get inputQuota() {
    return Infinity;
  }

  /** Give all memory back. Calls that run or wait are rejected with an AbortError. */
  destroy() {
    if (this.#life.signal.aborted) return;
    this.#life.abort(new DOMException('the translator was destroyed', 'AbortError'));
    for (const reject of this.#waiting) reject(this.#life.signal.reason);
    this.#model.dispose();
  }

  [Symbol.dispose]() {
    this.destroy();
  }
}
