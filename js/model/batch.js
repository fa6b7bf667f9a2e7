// batch.js - the running batch of a model. Calls take turns: each time a row is free, the next call puts a sentence
// into it. A sentence that ends makes room for another, of whatever call. The result of a sentence does not depend on
// the others. Used by transformer.js and engine/here.js, through model.js.

import { E_STATE, MAX_BATCH } from '../base/constants.js';
import { ints } from '../wasm/core.js';
import { paceOf } from './pace.js';
import { Session } from './session.js';

/** @typedef {import('./options.js').Search} Search */
/** @typedef {import('./model.js').Generated} Generated */

/** Rows of a batch by default: more gains little, and costs memory. */
const ROWS = 32;
/** How many sentences may overtake a call that does not fit the batch. After them the batch runs empty for it. */
const PATIENCE = 32;

/**
 * @typedef {object} Hooks
 * @property {(error?: unknown) => void} onEnd  called once: all sentences have ended, or there is an error
 * @property {(hypotheses: Generated[]) => void} [onResult]  of each sentence when it has ended
 * @property {(ids: Int32Array) => void} [onStep]  gets the ids so far that stay; only of one sentence
 * @property {Watcher[]} [watchers]  get every step of the search
 * @property {import('./lexicon.js').Lexicon} [lexicon]  whose words become more probable; it was read
 * @property {import('./reverse.js').Rerank} [rerank]  sorts the hypotheses of a sentence
 * @property {number} [together]  sentences that will wait at once, with those of calls that follow
 */
/**
 * Records the steps of a search.
 *
 * @typedef {object} Watcher
 * @property {(core: import('../wasm/core.js').Core, session: number, row: number, source: number) => void} step  called
 *   after each step, for each sentence that runs or has just ended; source: its index
 * @property {(source: number, best: Generated) => void} finish  adds what it has recorded to the best hypothesis
 */

/**
 * Sentences with the same search, and their state.
 *
 * @typedef {object} Call
 * @property {Int32Array[]} sources
 * @property {Search} search
 * @property {Hooks} hooks
 * @property {Generated[][]} results  by source
 * @property {number[]} waiting  indices of the sources without a row; the last is next
 * @property {number[]} size  of a session that holds any of its sources
 * @property {number} running  rows it has
 * @property {number} most  rows it may have
 * @property {number} left  sentences that have not ended
 * @property {string} heads  attention heads that are switched off: equal for all rows of a batch
 * @property {number} passed  how many sentences of other calls entered while its next one did not fit
 */

/** @param {Call} call */
const wantsRow = ({ waiting, running, most }) => waiting.length > 0 && running < most;

export class Batch {
  #core;
  #session;
  #disableHeads;
  #byteIds;
  /** Limits of one step. */
  #pace;
  /** See the constructor. */
  #source;
  #spare;
  /** Of the session. */
  #handle = 0;
  /** In the order of their turns. @type {Call[]} */
  #calls = [];
  /** The sentences that run, by row. @type {Map<number, { call: Call, index: number }>} */
  #rows = new Map();
  /**
   * Sentences whose hypotheses are being reranked.
   *
   * @type {{ call: Call, index: number, found: Generated[], passes: Iterator<void> }[]}
   */
  #reranked = [];
  /** Search of the sentence that was added last. @type {Search | undefined} */
  #search;
  /** Heads that are switched off while there are rows. */
  #heads = '';

  /**
   * @param {object} parts
   * @param {import('../wasm/core.js').Core} parts.core
   * @param {number} parts.model
   * @param {Record<string, any>} parts.config
   * @param {boolean} parts.isF32
   * @param {(session: number, heads: [number, number, number][]) => void} parts.disableHeads
   * @param {() => Int32Array} parts.byteIds  of the vocabulary
   * @param {{ source: number, spare: number }} room  for calls that start later. source: least length of sources that
   *   a session holds; spare: rows that only calls without a row may take, so that a short call does not wait for a
   *   long one
   */
  constructor({ core, model, config, isF32, disableHeads, byteIds }, { source, spare }) {
    const longest = config.max_position_embeddings;
    this.#core = core;
    this.#session = new Session(core, model, longest);
    this.#disableHeads = disableHeads;
    this.#byteIds = byteIds;
    this.#pace = paceOf(config, isF32);
    this.#source = Math.min(source, longest);
    this.#spare = spare;
  }

  /** Whether a call has not ended. */
  get isBusy() {
    return this.#calls.length > 0;
  }

  /** Rows by default for searches with so many beams. @param {number} beams */
  #rowsFor(beams) {
    return Math.max(1, Math.min(ROWS, Math.floor(this.#pace.rows / beams)));
  }

  /**
   * Adds a call, whose sentences get rows in the next steps.
   *
   * @param {Int32Array[]} sources  one at least
   * @param {Search} search
   * @param {Hooks} hooks
   * @returns {Call}
   */
  add(sources, search, hooks) {
    const length = (/** @type {number} */ i) => sources[i].length;
    const { beams, prefix, maxTokens, batchSize } = search;
    /** @type {Call} */
    const call = {
      sources,
      search,
      hooks,
      results: new Array(sources.length),
      // long ones first: what is left at the end, when the batch empties, is short
      waiting: sources.map((_, i) => i).sort((a, b) => length(a) - length(b) || b - a),
      size: [],
      running: 0,
      most: Math.min(sources.length, batchSize ?? this.#rowsFor(beams)),
      left: sources.length,
      heads: search.heads.join(';'),
      passed: 0,
    };
    call.size = [length(call.waiting[sources.length - 1]), prefix.length + maxTokens, beams];
    this.#calls.push(call);
    return call;
  }

  /** Drop a call with its rows. The others go on. @param {Call} call */
  remove(call) {
    this.#calls = this.#calls.filter((other) => other !== call);
    this.#reranked = this.#reranked.filter((sentence) => sentence.call !== call);
    for (const [row, running] of this.#rows) if (running.call === call) this.#release(row);
  }

  /** @param {number} row */
  #release(row) {
    this.#rows.delete(row);
    if (!this.#core.isUsable) return;
    try {
      this.#core.call('generate', 'heed_search_release', this.#handle, row);
    } catch (error) {
      // a trap in another worker took the row; an abort, which comes here too, has nobody to tell
      if (this.#core.isUsable) throw error;
    }
  }

  /** @param {Call} call @param {unknown} [error] */
  #end(call, error) {
    this.remove(call);
    call.hooks.onEnd(error);
  }

  /**
   * Gives rows to waiting sentences, and runs one step of the decoder for all rows; or reranks, one pass at a time.
   * Each step is short. Creating a session of the batch takes as long as a step, so a call that creates one does
   * nothing else.
   */
  step() {
    const core = this.#core;
    if (this.#rerank()) return;
    try {
      if (!this.#admit() || this.#rows.size === 0) return;
      core.call('generate', 'heed_search_step', this.#handle, ints(1));
      for (const [row, { call, index }] of this.#rows) {
        call.hooks.watchers?.forEach((each) => each.step(core, this.#handle, row, index));
      }
      for (let row; (row = core.run('heed_search_finished', this.#handle)) >= 0;) this.#finish(row);
      for (const [row, { call }] of this.#rows) this.#tell(row, call);
    } catch (error) {
      this.#rows.clear(); // the next search begins with free rows
      for (const call of this.#calls) this.#end(call, error);
    }
  }

  /** The row's sentence has ended. @param {number} row */
  #finish(row) {
    const core = this.#core;
    const { call, index } = /** @type {{ call: Call, index: number }} */ (this.#rows.get(row));
    const { search, sources, hooks: { rerank } } = call;
    try {
      // a failed sentence has none; asking for its first hypothesis throws the reason
      const all = core.run('heed_search_hypotheses', this.#handle, row) || 1;
      const count = rerank ? all : Math.min(search.nBest, all);
      const found = Array.from({ length: count }, (_, rank) => core.hypothesis(this.#handle, row, rank));
      this.#release(row);
      call.running--;
      if (rerank) this.#reranked.push({ call, index, found, passes: rerank(sources[index], found) });
      else this.#settle(call, index, found);
    } catch (error) {
      this.#end(call, error);
    }
  }

  /** Runs a pass for the first sentence whose hypotheses are reranked. @returns {boolean}  false: there is none */
  #rerank() {
    if (this.#reranked.length === 0) return false;
    const [{ call, index, found, passes }] = this.#reranked;
    try {
      if (!passes.next().done) return true;
      this.#reranked.shift();
      this.#settle(call, index, found);
    } catch (error) {
      this.#end(call, error);
    }
    return true;
  }

  /** @param {Call} call @param {number} index @param {Generated[]} found  its hypotheses, best first */
  #settle(call, index, found) {
    const { search, hooks, results } = call;
    results[index] = found.slice(0, search.nBest);
    hooks.watchers?.forEach((each) => each.finish(index, found[0]));
    hooks.onResult?.(results[index]);
    if (--call.left === 0) this.#end(call);
  }

  /** @param {number} row @param {Call} call */
  #tell(row, call) {
    const { onStep } = call.hooks;
    if (!onStep || call.sources.length > 1) return;
    // all beams have them, so they stay
    const agreed = this.#core.run('heed_search_agreed', this.#handle, row);
    if (agreed === 0) return;
    try {
      onStep(this.#core.hypothesis(this.#handle, row, 0).ids.subarray(0, agreed));
    } catch (error) {
      this.#end(call, error);
    }
  }

  /** Gives rows to waiting sentences; calls take turns. @returns {boolean}  false: a session was made instead */
  #admit() {
    // the core encodes what is added in its next step: so much that the step stays short
    let tokens = 0;
    if (this.#isTooSmall()) return true;
    for (let i = 0; i < this.#calls.length;) {
      const call = this.#calls[i];
      const next = call.waiting.length - 1;
      if (!wantsRow(call)) {
        i++;
        continue;
      }
      const { length } = call.sources[call.waiting[next]];
      if (tokens > 0 && tokens + length > this.#pace.tokens) return true;
      let hasEntered;
      try {
        if (this.#rows.size === 0 && this.#begin(call)) return false;
        hasEntered = this.#enter(call, call.waiting[next]);
      } catch (error) {
        this.#end(call, error);
        continue;
      }
      if (hasEntered) {
        tokens += length;
        for (const other of this.#calls.slice(0, i)) if (wantsRow(other)) other.passed++;
        this.#calls.push(...this.#calls.splice(i, 1));
        i = 0;
      } else if (this.#rows.size === this.#session.size[3] || call.passed >= PATIENCE) return true;
      else i++;
    }
    return true;
  }

  /** Whether so many sentences wait that the batch should run empty and continue with more rows. */
  #isTooSmall() {
    const [, , beams, all] = this.#session.size;
    const rows = all - this.#spare;
    if (this.#rows.size === 0 || rows >= this.#rowsFor(beams)) return false;
    return this.#calls.reduce((sum, { waiting, most }) => sum + Math.min(waiting.length, most), 0) >= 2 * rows;
  }

  /** Begins a search with room for the call and others like it. @param {Call} call @returns  true: made a session */
  #begin({ size, search, heads, most, hooks: { together = 0 } }) {
    const [source, target, beams] = size;
    const alike = this.#calls.filter((other) => other.heads === heads && other.size.every((n, i) => n <= size[i]));
    const wanted = alike.reduce((sum, other) => sum + Math.min(other.waiting.length, other.most), 0);
    const rows = Math.min(Math.max(wanted, together), Math.max(most, this.#rowsFor(beams)));
    const all = Math.min(2 ** Math.ceil(Math.log2(rows)) + this.#spare, MAX_BATCH);
    const need = [Math.max(source, this.#source), target, beams, all];
    const isMade = !this.#session.holds(need);
    this.#handle = this.#session.for(...need);
    if (isMade) return true;
    this.#core.check(this.#setRules('heed_search_begin', search), 'generate');
    this.#core.run('heed_session_enable_heads', this.#handle);
    this.#disableHeads(this.#handle, search.heads);
    this.#search = search;
    this.#heads = heads;
    return false;
  }

  /** @param {'heed_search_begin' | 'heed_search_rules'} name @param {Search} search @returns {number}  the status */
  #setRules(name, search) {
    return this.#core.search(name, this.#handle, search, search.validUtf8 ? this.#byteIds() : new Int32Array());
  }

  /** @param {Call} call @param {number} index @returns {boolean}  false: it does not fit beside what runs */
  #enter(call, index) {
    const { search, heads, size, sources, hooks: { lexicon } } = call;
    if (this.#rows.size > 0) {
      const spare = call.running > 0 ? 0 : this.#spare;
      const isFull = this.#rows.size >= this.#session.size[3] - this.#spare + spare;
      const load = [...this.#rows.values()].reduce((sum, running) => sum + running.call.search.beams, search.beams);
      // a batch of a size that is asked for may take longer steps
      const isSlow = search.batchSize === undefined && load > this.#pace.rows + spare;
      if (isFull || isSlow || heads !== this.#heads || !this.#session.holds(size)) return false;
    }
    if (search !== this.#search) {
      const status = this.#setRules('heed_search_rules', search);
      if (status === E_STATE) return false; // the core cannot keep another search
      this.#core.check(status, 'generate');
      this.#search = search;
    }
    const row = ints(1);
    this.#core.call('generate', 'heed_search_add', this.#handle, sources[index], sources[index].length, row);
    this.#rows.set(row.value[0], { call, index });
    if (lexicon) {
      const entries = lexicon.entriesFor(sources[index]);
      this.#core.call(lexicon.file, 'heed_search_lexicon', this.#handle, row.value[0], lexicon.head, entries,
        entries.length);
    }
    call.waiting.pop();
    call.running++;
    call.passed = 0;
    return true;
  }
}
