// here.js - the engine of this thread: it has the model and drives its running batch. Used by engine.js, and by
// serve.js in a worker.

import { onAborts } from '../base/abort.js';
import { turn } from '../base/host.js';
import { checkPair, chooseToken } from '../model/languages.js';
import { Model } from '../model/model.js';

/** @typedef {import('./engine.js').Engine} Engine */

/** What the first session holds at least: more costs little, and calls that come a little later need not wait. */
const LEAST = { source: 128, rows: 4 };

/** Pieces that are looked up in one turn. */
const STRIDE = 4096;

/** @implements {Engine} */
class Here {
  #model;
  #language;
  #batch;
  /** Aborted by destroy(). */
  #life = new AbortController();
  #isDriven = false;

  /** @param {Model} model @param {string} [language]  the token of sources */
  constructor(model, language) {
    this.#model = model;
    this.#language = language;
    this.#batch = model.batch(LEAST);
  }

  get config() {
    return this.#model.config;
  }

  get manifest() {
    return this.#model.manifest;
  }

  get defaults() {
    return this.#model.generateDefaults;
  }

  get info() {
    return { ...this.#model.info, worker: false };
  }

  /** @type {Engine['generate']} */
  async generate(sources, search, { signal, onStep, beamTree } = {}) {
    const trees = beamTree ? new (await import('../model/tree.js')).Trees(search.beams) : undefined;
    for (const each of [this.#life.signal, signal]) each?.throwIfAborted();
    if (sources.length === 0) return [];
    const { tokenizer } = this.#model;
    return new Promise((resolve, reject) => {
      const call = this.#batch.add(sources, search, {
        trees,
        onStep: onStep && ((ids) => onStep(tokenizer.decode(ids))),
        onResult: (found) => found.forEach((result) => Object.assign(result, { text: tokenizer.decode(result.ids) })),
        onEnd: (error) => {
          forget();
          if (error === undefined) resolve(/** @type {import('./engine.js').Result[][]} */ (call.results));
          else reject(error);
        },
      });
      const forget = onAborts([this.#life.signal, signal], (reason) => {
        this.#batch.remove(call);
        reject(reason);
      });
      void this.#drive();
    });
  }

  /** Step by step, until no call is left. */
  async #drive() {
    if (this.#isDriven) return;
    this.#isDriven = true;
    // the first turn comes before the first step: calls that are made together begin together
    while (await turn(), this.#batch.isBusy) this.#batch.step();
    this.#isDriven = false;
  }

  /** Work that is done at once, in a turn of its own. @template T @param {() => T} f @returns {Promise<T>} */
  async #do(f) {
    await turn();
    this.#life.signal.throwIfAborted();
    return f();
  }

  /** @type {Engine['encode']} */
  async encode(texts, side = 'source') {
    const options = side === 'source' ? { language: this.#language } : { side };
    return this.#do(() => texts.map((text) => this.#model.tokenizer.encode(text, options)));
  }

  /** @type {Engine['decode']} */
  async decode(lists) {
    return this.#do(() => lists.map((ids) => this.#model.tokenizer.decode(ids)));
  }

  /** @type {Engine['pieces']} */
  async pieces(ids = Array.from({ length: Number(this.config.decoder_vocab_size) }, (_, id) => id)) {
    const pieces = [];
    for (let at = 0; at < ids.length; at += STRIDE) {
      const some = Array.from(ids).slice(at, at + STRIDE);
      pieces.push(await this.#do(() => some.map((id) => this.#model.tokenizer.idToPiece(id, { side: 'target' }))));
    }
    return pieces.flat();
  }

  /** What a function of inspect.js gives. @param {string} name @param {unknown[]} args @returns {Promise<any>} */
  async #look(name, ...args) {
    const module = /** @type {any} */ (await import('../model/inspect.js'));
    return this.#do(() => module[name](this.#model, ...args));
  }

  /** @type {Engine['logits']} */
  logits(...args) {
    return this.#look('nextLogits', ...args);
  }

  /** @type {Engine['attention']} */
  attention(...args) {
    return this.#look('attention', ...args);
  }

  /** @type {Engine['inspect']} */
  inspect(...args) {
    return this.#look('inspect', ...args);
  }

  /** @type {Engine['parameters']} */
  parameters() {
    return this.#look('parameters');
  }

  /** @type {Engine['parameter']} */
  parameter(...args) {
    return this.#look('parameter', ...args);
  }

  /** @type {Engine['destroy']} */
  destroy(reason) {
    this.#life.abort(reason);
    this.#model.dispose();
  }
}

/**
 * @param {import('./engine.js').EngineOptions} options
 * @returns {Promise<Engine>}
 */
export async function createHere({ model, source, target, language, onProgress, ...options }) {
  const loaded = await Model.load(
    model,
    { ...options, onProgress: ({ loaded: bytes, total }) => onProgress?.(bytes / total) },
    checkPair(source, target),
  );
  try {
    return new Here(loaded, chooseToken(loaded, target, language));
  } catch (error) {
    loaded.dispose();
    throw error;
  }
}
