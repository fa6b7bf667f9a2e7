// engine.js - the one Translator of the page and what it is doing; used by app.js and, through it, by all rooms.

import { Translator } from '../js/translate/translator.js';

/** @typedef {import('../js/translate/translator.js').TranslatedSentence} TranslatedSentence */
/** @typedef {{ source: string, target: string, path: string }} Pair */
/** @typedef {{ text: string, options: string, sentences: TranslatedSentence[] }} Result */
/** @typedef {'empty' | 'loading' | 'ready' | 'failed'} Status */

/**
 * What load() takes: a pair of the list ('en-de'), an address or files of a model directory. `from` and `to` are the
 * languages if the model does not say.
 *
 * @typedef {string | ({ url: string } | { files: Record<string, Blob> }) & { from?: string, to?: string }} Model
 */

/** The files that tell the languages of a model. */
const TELLING = ['heed.json', 'tokenizer_config.json'];

/** @param {Pair} pair */
export const pairName = ({ source, target }) => `${source}-${target}`;

/**
 * Events: 'status' (and then the fields below say more), 'progress', 'result' (`last` is another one).
 */
export class Engine extends EventTarget {
  /** @type {Status} */
  status = 'empty';
  /** Why the status is 'failed'. @type {any} */
  error = null;
  /** Of the download, 0 to 1. */
  progress = 0;
  /** The models that the page has. @type {Pair[]} */
  pairs = [];
  /** The name of the pair that is loaded or loading; '' for a model of one's own. */
  pair = '';
  /** The languages of the model, '' if it does not say. */
  languages = { from: '', to: '' };
  /** @type {any} */
  translator = null;
  /** The last result of detail(). @type {Result | null} */
  last = null;
  /** Where the list of models is. */
  #models;
  /** @type {AbortController | undefined} */
  #load;
  /** The load under way, settled without an error. @type {Promise<void>} */
  #loaded = Promise.resolve();
  /** The run under way. @type {AbortController | undefined} */
  #run;
  /** @type {Model | undefined} */
  #wanted;

  /** @param {URL} models  index.json */
  constructor(models) {
    super();
    this.#models = models;
  }

  /** @param {Status} status @param {any} [error] */
  #become(status, error = null) {
    this.status = status;
    this.error = error;
    this.dispatchEvent(new Event('status'));
  }

  /** Read the list of models. A page without one has no pairs, and models of one's own work. */
  async readPairs() {
    const response = await fetch(this.#models).catch(() => null);
    const list = response?.ok ? await response.json().catch(() => null) : null;
    this.pairs = Array.isArray(list?.models) ? list.models : [];
    this.dispatchEvent(new Event('status'));
    return this.pairs;
  }

  /** The directory of a pair of the list, undefined if there is none. @param {string} name */
  directory(name) {
    const pair = this.pairs.find((p) => pairName(p) === name);
    return pair && new URL(pair.path, this.#models);
  }

  /**
   * Load a model instead of the one there is, or of the one that is loading. Never rejects: `status` and `error` tell.
   *
   * @param {Model} model
   */
  load(model) {
    this.#wanted = model;
    this.#load?.abort();
    const load = (this.#load = new AbortController());
    this.#run?.abort();
    // its memory first: two models may be more than there is
    this.translator?.destroy();
    this.translator = null;
    this.last = null;
    this.progress = 0;
    this.pair = typeof model === 'string' ? model : '';
    this.#become('loading');
    this.#loaded = this.#create(model, load.signal).then(
      (translator) => {
        if (load.signal.aborted) return translator.destroy();
        this.translator = translator;
        this.#become('ready');
      },
      (error) => {
        if (!load.signal.aborted) this.#become('failed', error);
      },
    );
    return this.#loaded;
  }

  /** What failed, once more. */
  retry() {
    if (this.#wanted !== undefined) return this.load(this.#wanted);
    return Promise.resolve();
  }

  /** Free all memory. */
  unload() {
    this.#load?.abort();
    this.#run?.abort();
    this.translator?.destroy();
    this.translator = null;
    this.last = null;
    this.#become('empty');
  }

  /** @param {Model} wanted @param {AbortSignal} signal */
  async #create(wanted, signal) {
    let source;
    let languages;
    if (typeof wanted === 'string') {
      const pair = this.pairs.find((p) => pairName(p) === wanted);
      source = this.directory(wanted);
      if (!pair || !source) throw new DOMException(`There is no model ${wanted} here.`, 'NotSupportedError');
      languages = { from: pair.source, to: pair.target };
    } else {
      source = 'url' in wanted ? new URL(wanted.url) : wanted.files;
      const told = await readLanguages(source, signal);
      languages = { from: wanted.from || told.from, to: wanted.to || told.to };
    }
    signal.throwIfAborted();
    this.languages = languages;
    return Translator.create({
      model: source,
      sourceLanguage: languages.from || 'und',
      targetLanguage: languages.to || 'und',
      signal,
      monitor: (monitor) => monitor.addEventListener('downloadprogress', (/** @type {any} */ { loaded }) => {
        if (signal.aborted) return;
        this.progress = loaded;
        this.dispatchEvent(new Event('progress'));
      }),
    });
  }

  /** A run of its own, after the end of the one before. The translator is there, or it throws. */
  async #begin() {
    this.#run?.abort();
    const run = (this.#run = new AbortController());
    await this.#loaded;
    run.signal.throwIfAborted();
    if (!this.translator) throw this.error ?? new DOMException('No model is loaded.', 'InvalidStateError');
    return run.signal;
  }

  /**
   * translateDetailed() with all attention, cancelling the run before (which rejects with an AbortError). What the last
   * result answers already is not run again. Results with heads switched off are not kept as `last`.
   *
   * @param {string} text
   * @param {Record<string, any>} [options]
   * @returns {Promise<Result>}
   */
  async detail(text, options = {}) {
    const key = JSON.stringify(options);
    if (this.last?.text === text && this.last.options === key) {
      this.#run?.abort();
      return this.last;
    }
    const signal = await this.#begin();
    const sentences = await this.translator.translateDetailed(text, { ...options, attention: true, signal });
    const result = { text, options: key, sentences };
    if (!options.disabledHeads?.length) {
      this.last = result;
      this.dispatchEvent(new Event('result'));
    }
    return result;
  }

  /**
   * translateStreaming(), cancelling the run before.
   *
   * @param {string} text
   * @param {Record<string, any>} options
   * @param {(soFar: string) => void} onText
   */
  async stream(text, options, onText) {
    const signal = await this.#begin();
    const reader = this.translator.translateStreaming(text, { ...options, signal }).getReader();
    let soFar = '';
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return soFar;
      onText((soFar += value));
    }
  }

  /** End the run under way. */
  cancel() {
    this.#run?.abort();
  }
}

/**
 * The languages that a model of one's own says it is for, '' where it does not.
 *
 * @param {URL | Record<string, Blob>} source
 * @param {AbortSignal} signal
 */
async function readLanguages(source, signal) {
  const found = { from: '', to: '' };
  for (const name of TELLING) {
    const text = source instanceof URL
      ? await fetch(new URL(name, source.href.replace(/\/?$/, '/')), { signal })
        .then((response) => (response.ok ? response.text() : ''), () => '')
      : await source[name]?.text();
    signal.throwIfAborted();
    try {
      const told = JSON.parse(text || '{}');
      const [from, to] = told.pairs?.[0] ?? [told.source ?? told.source_lang, told.target ?? told.target_lang];
      found.from ||= tag(from);
      found.to ||= tag(to);
    } catch {
      // not JSON: loading says so if the file matters
    }
  }
  return found;
}

/** A language tag as the library takes it, '' if it is none. @param {unknown} value */
function tag(value) {
  try {
    return Intl.getCanonicalLocales(String(value ?? '').replaceAll('_', '-'))[0] ?? '';
  } catch {
    return '';
  }
}
