// detector.js - the language of a text, with the interface of the Web LanguageDetector API. Public.

import { onAborts } from '../base/abort.js';
import { badType, checkFunction, checkOptions, checkOwn, checkSignal, OWN } from '../base/check.js';
import { isNode, onAbort } from '../base/host.js';
import { checkTag, languageOf, notSupported } from '../model/languages.js';

/** The languages that are told apart, ISO 639-1. */
const LANGUAGES = ('am ar az be bg bn ca cs da de el en es et eu fa fi fr gu he hi hr hu hy is it ja ka kn ko ku lo ' +
  'lt lv ml mr ms nl no or pa pl pt ro ru sk sl sq sr sv ta te th tl tr uk ur vi yo zh').split(' ');
/** Languages are listed until their probabilities have this sum. */
const ENOUGH = 0.99;

const CREATE = 'expectedInputLanguages signal monitor';

/** @typedef {{ detectedLanguage: string, confidence: number }} LanguageDetectionResult */

/** @type {Promise<typeof import('./probabilities.js')> | undefined} */
let loading;
let isLoaded = false;

/** The library: 450 kB when zipped. A failed download is tried again by the next call. */
function load() {
  loading ??= import('./probabilities.js');
  loading.then(() => (isLoaded = true), () => (loading = undefined));
  return loading;
}

/** @param {unknown} tags @returns {string[]}  canonical */
function checkTags(tags = []) {
  if (!Array.isArray(tags)) badType('expectedInputLanguages', tags, 'an array of language tags');
  return tags.map((tag) => checkTag(tag, 'expectedInputLanguages'));
}

/** The language that stands for a tag: Norwegian is one. @param {string} tag */
const detectedAs = (tag) => (/^n[bn]$/.test(languageOf(tag)) ? 'no' : languageOf(tag));

/** @param {string} tag */
const isKnown = (tag) => LANGUAGES.some((language) => languageOf(language) === detectedAs(tag));

/** Finds out in which language a text is. Nothing leaves the host. */
export class LanguageDetector {
  #probabilities;
  #expected;
  /** Aborted by destroy(). */
  #life = new AbortController();
  /** Removes the listener from the signal of create(). */
  #forget = () => {};

  /**
   * Only create() may call it.
   *
   * @internal
   * @param {symbol} key  OWN
   * @param {typeof import('./probabilities.js').probabilities} probabilities
   * @param {string[]} expected
   */
  constructor(key, probabilities, expected) {
    checkOwn(key, 'LanguageDetector');
    this.#probabilities = probabilities;
    this.#expected = expected;
  }

  /**
   * @param {object} [options]
   * @param {readonly string[]} [options.expectedInputLanguages]  tags of languages that are more probable than others
   * @param {AbortSignal} [options.signal]  aborts create(), and later the LanguageDetector, with its reason
   * @param {(monitor: any) => void} [options.monitor]  as for Translator.create()
   * @returns {Promise<LanguageDetector>}  NotSupportedError: an expected language is unknown; NetworkError: the library
   *   did not load
   */
  static async create(options = {}) {
    const { expectedInputLanguages, signal, monitor } = checkOptions(options, CREATE);
    const expected = checkTags(expectedInputLanguages);
    checkSignal(signal);
    checkFunction('monitor', monitor);
    const unknown = expected.find((tag) => !isKnown(tag));
    if (unknown !== undefined) throw notSupported(`expectedInputLanguages: found ${unknown}, which is not detected`);
    const onProgress = monitor ? (await import('../translate/progress.js')).startMonitor(monitor, signal) : () => {};
    onProgress(0);
    /** @type {Awaited<ReturnType<typeof load>>} */
    const { probabilities } = await new Promise((resolve, reject) => {
      const forget = onAborts([signal], reject);
      load().then(resolve, (error) => reject(error.name === 'NotSupportedError' ? error
        : Object.assign(new DOMException(error.message, 'NetworkError'), { cause: error }))).finally(forget);
    });
    onProgress(1);
    signal?.throwIfAborted();
    const detector = new LanguageDetector(OWN, probabilities, expected);
    detector.#forget = onAbort(signal, () => detector.#end(signal?.reason));
    return detector;
  }

  /**
   * 'available': create() downloads nothing; 'downloadable': it does; 'unavailable': an expected language is unknown.
   *
   * @param {{ expectedInputLanguages?: readonly string[] }} [options]
   * @returns {Promise<'unavailable' | 'downloadable' | 'downloading' | 'available'>}
   */
  static async availability(options = {}) {
    const expected = checkTags(checkOptions(options, CREATE).expectedInputLanguages);
    if (!expected.every(isKnown)) return 'unavailable';
    if (isNode || isLoaded) return 'available';
    return loading ? 'downloading' : 'downloadable';
  }

  /** Canonical tags, null if none were given. */
  get expectedInputLanguages() {
    return this.#expected.length > 0 ? Object.freeze([...this.#expected]) : null;
  }

  /** There is no quota. */
  get inputQuota() {
    return Infinity;
  }

  get [Symbol.toStringTag]() {
    return 'LanguageDetector';
  }

  /** @param {unknown} input @param {{ signal?: AbortSignal }} options */
  #check(input, options) {
    this.#life.signal.throwIfAborted();
    checkSignal(checkOptions(options, 'signal').signal);
    if (typeof input !== 'string') badType('input', input, 'a string');
  }

  /**
   * The languages of a text, the most probable first. The last is 'und', with what is left of 1. The beginning of the
   * text counts, about 350 bytes.
   *
   * @param {string} input
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<LanguageDetectionResult[]>}
   */
  async detect(input, options = {}) {
    this.#check(input, options);
    /** @type {LanguageDetectionResult[]} */
    const results = [];
    let sum = 0;
    for (const [detectedLanguage, confidence] of this.#probabilities(input, this.#expected.map(detectedAs))) {
      if (sum >= ENOUGH) break;
      sum += confidence;
      results.push({ detectedLanguage, confidence });
    }
    return [...results, { detectedLanguage: 'und', confidence: Math.max(0, 1 - sum) }];
  }

  /**
   * The length of the input in UTF-16 units. There is no quota.
   *
   * @param {string} input
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<number>}
   */
  async measureInputUsage(input, options = {}) {
    this.#check(input, options);
    return input.length;
  }

  /** Later calls reject with an AbortError. */
  destroy() {
    this.#end(new DOMException('the language detector was destroyed', 'AbortError'));
  }

  /** @param {unknown} reason */
  #end(reason) {
    this.#forget();
    this.#life.abort(reason);
  }

  [Symbol.dispose]() {
    this.destroy();
  }
}
