// engine.js - the only Translator of the page, and its status; used by app.js and, through it, by all rooms.

import { Translator } from '../js/translate/translator.js';

/** @typedef {import('../js/translate/detail.js').TranslatedSentence} TranslatedSentence */
/** @typedef {{ source: string, target: string, path?: string }} Pair  no path: by two models */
/** @typedef {{ text: string, options: string, sentences: TranslatedSentence[] }} Result */
/** @typedef {'empty' | 'loading' | 'ready' | 'failed'} Status */

/**
 * The argument of load(): a pair of the list ('en-de'), or the address or files of a model directory. `from` and `to`
 * are the languages if the model does not name them.
 *
 * @typedef {string | ({ url: string } | { files: Record<string, Blob> }) & { from?: string, to?: string }} Model
 */

/** The files that name the languages of a model. */
const TELLING = ['heed.json', 'tokenizer_config.json'];

/** @param {Pair} pair */
export const pairName = ({ source, target }) => `${source}-${target}`;

/**
 * Events: 'status' (see the fields below), 'progress', 'result' (`last` has changed).
 */
export class Engine extends EventTarget {
  /** @type {Status} */
  status = 'empty';
  /** Why the status is 'failed'. @type {any} */
  error = null;
  /** Of the download, 0 to 1. */
  progress = 0;
  /** Bytes of the model, 0 if it does not tell. */
  size = 0;
  /** The models of the page. @type {Pair[]} */
  pairs = [];
  /** The name of the pair that is loaded or loading; '' for the user's own model. */
  pair = '';
  /** The languages of the model, '' if it does not name them. */
  languages = { from: '', to: '' };
  /** @type {any} */
  translator = null;
  /** Which of two models the rooms look into, if it takes two to translate: 0 or 1. */
  step = 0;
  /** The last result of detail(). @type {Result | null} */
  last = null;
  /**
   * The search that Translate has chosen, so that the other rooms show the same translation.
   *
   * @type {{ beams?: number, glossary?: Record<string, string> }}
   */
  search = {};
  /** Where the list of models is. */
  #models;
  /** @type {AbortController | undefined} */
  #load;
  /** The current load; never rejects. @type {Promise<void>} */
  #loaded = Promise.resolve();
  /** The current run. @type {AbortController | undefined} */
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

  /** Read the list of models. Without a list there are no pairs; the user's own models work. */
  async readPairs() {
    const response = await fetch(this.#models).catch(() => null);
    const list = response?.ok ? await response.json().catch(() => null) : null;
    this.pairs = Array.isArray(list?.models) ? list.models : [];
    const [sources, targets] = [this.pairs.map(({ source }) => source), this.pairs.map(({ target }) => target)]
      .map((tags) => new Set(tags));
    const isWhole = [...sources].every((source) => [...targets].every((target) =>
      source === target || this.pairs.some((pair) => pair.source === source && pair.target === target)));
    if (!isWhole) {
      const { listPairs } = await import('../js/translate/ways.js');
      const all = listPairs(this.pairs.map(({ source, target }) => ({ source, target, place: '' })));
      this.pairs = [...this.pairs, ...all.slice(this.pairs.length).map(([source, target]) => ({ source, target }))];
    }
    this.dispatchEvent(new Event('status'));
    return this.pairs;
  }

  /** The directory of a pair of the list, undefined if there is none, or two. @param {string} name */
  directory(name) {
    const { path } = this.pairs.find((p) => pairName(p) === name) ?? {};
    return path === undefined ? undefined : new URL(path, this.#models);
  }

  /** The translator that See and Learn look into: one model. @returns {any} */
  get seen() {
    return this.translator?.steps[this.step];
  }

  /** Looks into another of two models. @param {number} step */
  look(step) {
    this.step = step;
    this.last = null;
    this.dispatchEvent(new Event('status'));
  }

  /**
   * Load a model in place of the current or loading one. Never rejects: see `status` and `error`.
   *
   * @param {Model} model
   */
  load(model) {
    this.#wanted = model;
    this.#load?.abort();
    const load = (this.#load = new AbortController());
    this.#run?.abort();
    // free its memory first: two models may not fit
    this.translator?.destroy();
    this.translator = null;
    this.last = null;
    this.step = 0;
    this.progress = 0;
    this.size = 0;
    this.pair = typeof model === 'string' ? model : '';
    // those of a pair of the list are known at once, those of other models when their files tell
    this.languages = { from: '', to: '' };
    const created = this.#create(model, load.signal);
    this.#become('loading');
    this.#loaded = created.then(
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

  /** Load the failed model again. */
  retry() {
    if (this.#wanted !== undefined) return this.load(this.#wanted);
    return Promise.resolve();
  }

  /** Searches with these options from now on. @param {Engine['search']} search */
  use(search) {
    if (JSON.stringify(search) === JSON.stringify(this.search)) return;
    this.search = search;
    this.last = null;
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
      if (!pair) throw new DOMException(`This page has no model ${wanted}.`, 'NotSupportedError');
      languages = { from: pair.source, to: pair.target };
    } else {
      source = 'url' in wanted ? new URL(wanted.url) : wanted.files;
      const told = await readLanguages(source, signal);
      languages = { from: wanted.from || told.from, to: wanted.to || told.to };
    }
    signal.throwIfAborted();
    this.languages = languages;
    let isBegun = !(source instanceof URL); // the sizes of two models are not added
    return Translator.create({
      ...(source ? { model: source } : { models: this.#models }),
      sourceLanguage: languages.from || 'und',
      targetLanguage: languages.to || 'und',
      signal,
      monitor: (monitor) => monitor.addEventListener('downloadprogress', (/** @type {any} */ { loaded }) => {
        if (signal.aborted) return;
        if (!isBegun) this.#readSize(/** @type {URL} */ (source), signal);
        isBegun = true;
        this.progress = loaded;
        this.dispatchEvent(new Event('progress'));
      }),
    });
  }

  /**
   * The bytes of the files that heed.json lists. The translator has read it by now, so the browser has it.
   *
   * @param {URL} source
   * @param {AbortSignal} signal
   */
  async #readSize(source, signal) {
    const url = new URL('heed.json', source.href.replace(/\/?$/, '/'));
    const manifest = await fetch(url, { signal, cache: 'force-cache' }).then((response) => response.json()).catch(() => null);
    if (signal.aborted) return;
    this.size = Object.values(manifest?.files ?? {}).reduce((sum, { size = 0 }) => sum + size, 0);
    this.dispatchEvent(new Event('progress'));
  }

  /** Start a run after the previous one has ended. Throws if no model is loaded. */
  async #begin() {
    this.#run?.abort();
    const run = (this.#run = new AbortController());
    await this.#loaded;
    run.signal.throwIfAborted();
    if (!this.translator) throw this.error ?? new DOMException('No model is loaded.', 'InvalidStateError');
    return run.signal;
  }

  /**
   * translateDetailed() with all attention. If it takes two models, the sentences are those of the one that is looked
   * into; with options of their own, only that one translates. Cancels the previous run, which rejects with an
   * AbortError. Returns the last result if it is the answer. Results with options of their own are not stored in
   * `last`.
   *
   * @param {string} text
   * @param {Record<string, any>} [options]  besides those of the search
   * @returns {Promise<Result>}
   */
  async detail(text, options) {
    const all = { ...this.search, ...options };
    const key = JSON.stringify([all, this.step]);
    if (this.last?.text === text && this.last.options === key) {
      this.#run?.abort();
      return this.last;
    }
    const signal = await this.#begin();
    const { step, translator, seen } = this;
    /** @type {TranslatedSentence[]} */
    const whole = await (options ? seen : translator).translateDetailed(text, { ...all, attention: true, signal });
    const sentences = options || seen === translator ? whole
      : whole.flatMap(({ steps: [first, second] = /** @type {any} */ ([]) }) => (step === 0 ? first : second) ?? []);
    const result = { text, options: key, sentences };
    if (!options) {
      this.last = result;
      this.dispatchEvent(new Event('result'));
    }
    return result;
  }

  /** Cancel the current run. */
  cancel() {
    this.#run?.abort();
  }
}

/**
 * The languages in the files of the user's own model; '' if they are missing.
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
      // not JSON: loading reports it if the file matters
    }
  }
  if (!(source instanceof URL) && !source['config.json']) {
    // names of Firefox's files tell the languages
    const { findLayout } = await import('../js/files/layout.js');
    const { source: from, target: to } = findLayout(Object.keys(source))?.languages ?? {};
    found.from ||= tag(from);
    found.to ||= tag(to);
  }
  return found;
}

/** A language tag in the library's form; '' if it is invalid. @param {unknown} value */
function tag(value) {
  try {
    return Intl.getCanonicalLocales(String(value ?? '').replaceAll('_', '-'))[0] ?? '';
  } catch {
    return '';
  }
}
