// interface.js - LibreTranslate's interface: the fields of a request in, what is answered out. Used by server.js.
//
//   /translate  { q, source, target, format, alternatives } -> { translatedText, detectedLanguage, alternatives }
//   /detect     { q } -> [{ language, confidence }]
//   /languages  [{ code, name, targets }]

import { onAbort, turn } from '../base/host.js';
import { describe, mismatch } from '../base/json.js';
import { MAX_ALTERNATIVES } from '../base/limits.js';
import { LanguageDetector } from '../detect/detector.js';
import { canonical, languageOf } from '../model/languages.js';
import { findCode } from '../model/pairs.js';
import { Refusal } from './fields.js';

/** @typedef {import('../translate/translator.js').Translator} Translator */
/** @typedef {{ language: string, confidence: number }} Detected  confidence: percent */
/** @typedef {Record<string, unknown>} Fields */

/** A text of a list has a language of its own if the detector is so sure, in percent. */
const SURE = 90;

const NAMES = new Intl.DisplayNames(['en'], { type: 'language' });

/** @param {string} code  that of an index may be no tag */
const nameOf = (code) => (canonical(code) === undefined ? code : NAMES.of(code) ?? code);

/** @param {string} message */
const wrong = (message) => new Refusal(400, message);

/**
 * What every request has to have.
 *
 * @param {Fields} fields
 * @param {string} name
 */
function needed(fields, name) {
  const value = fields[name];
  if (value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)) {
    throw wrong(`Invalid request: missing ${name} parameter`);
  }
  return value;
}

/** The text of a request, or those of its list. @param {Fields} fields @returns {string[]} */
function textsOf(fields) {
  const texts = [needed(fields, 'q')].flat();
  for (const text of texts) {
    if (typeof text !== 'string') throw wrong(mismatch('Invalid request: q', text, 'a text or a list of texts'));
  }
  return /** @type {string[]} */ (texts);
}

/** @param {Fields} fields @param {string} name @returns {string} */
function neededText(fields, name) {
  const value = needed(fields, name);
  if (typeof value !== 'string') throw wrong(mismatch(`Invalid request: ${name}`, value, 'a text'));
  return value;
}

/**
 * The hypotheses for a whole text: the first is the best of each sentence, the second the second best, and so on. A
 * sentence with fewer repeats its last.
 *
 * @param {Translator} translator
 * @param {string} text
 * @param {number} count
 * @param {AbortSignal} signal
 * @returns {Promise<string[]>}
 */
async function hypothesesOf(translator, text, count, signal) {
  const options = { nBest: count, signal };
  // more beams than the model's own only if they are needed
  const sentences = await translator.translateDetailed(text, options).catch((error) => {
    if (!(error instanceof RangeError)) throw error;
    return translator.translateDetailed(text, { ...options, beams: count });
  });
  return Array.from({ length: count }, (_, i) => {
    let [target, at] = ['', 0];
    for (const { start, source, target: best, alternatives = [] } of sentences) {
      const own = [best, ...alternatives.map((other) => other.text)];
      target += text.slice(at, start) + own[Math.min(i, own.length - 1)];
      at = start + source.length;
    }
    return target + text.slice(at);
  });
}

/** Answers requests. Languages are as in the pairs; a request may name one with a region, such as en-US. */
export class Interface {
  #translators;
  #targets;
  #charLimit;
  /** @type {Promise<LanguageDetector> | undefined} */
  #detector;

  /**
   * @param {import('./translators.js').Translators} translators
   * @param {[source: string, target: string][]} pairs  language tags
   * @param {number} charLimit  characters of a text, or of a list in all; Infinity: no limit
   */
  constructor(translators, pairs, charLimit) {
    this.#translators = translators;
    this.#charLimit = charLimit;
    const codes = [...new Set(pairs.flat())].sort();
    /** By source. @type {Map<string, Set<string>>} */
    this.#targets = new Map(codes.map((code) =>
      // a text in the language that is asked for stays as it is
      [code, new Set([code, ...pairs.filter(([source]) => source === code).map(([, target]) => target)].sort())]));
  }

  languages() {
    return [...this.#targets].map(([code, targets]) => ({ code, name: nameOf(code), targets: [...targets] }));
  }

  /** @param {boolean} hasKeys */
  settings(hasKeys) {
    const [source, target = source] = this.#targets.keys();
    return {
      charLimit: Number.isFinite(this.#charLimit) ? this.#charLimit : -1,
      frontendTimeout: 500,
      apiKeys: hasKeys,
      keyRequired: hasKeys,
      suggestions: false,
      filesTranslation: false,
      supportedFilesFormat: [],
      language: { source: { code: 'auto', name: 'Auto Detect' }, target: { code: target, name: nameOf(target) } },
    };
  }

  /** The language as in the pairs, or undefined. @param {string} code */
  #match(code) {
    const codes = [...this.#targets.keys()];
    const tag = canonical(code.replaceAll('_', '-'));
    return codes.find((own) => own === code) ?? (tag && findCode(codes, tag))
      ?? codes.find((own) => languageOf(own) === languageOf(code));
  }

  /** The language of a request as in the pairs. @param {string} code */
  #find(code) {
    const found = this.#match(code);
    if (found !== undefined) return found;
    throw wrong(`${describe(code)} is not supported, expected ${[...this.#targets.keys()].join(', ')}`);
  }

  /**
   * The languages of a text, the most probable first.
   *
   * @param {string} text
   * @returns {Promise<Detected[]>}
   */
  async #detect(text) {
    this.#detector ??= (async () => {
      const isKnown = async (/** @type {string} */ code) => canonical(code) !== undefined &&
        (await LanguageDetector.availability({ expectedInputLanguages: [code] })) === 'available';
      const codes = [...this.#targets.keys()];
      const known = await Promise.all(codes.map(isKnown));
      return LanguageDetector.create({ expectedInputLanguages: codes.filter((_, i) => known[i]) });
    })();
    this.#detector.catch(() => (this.#detector = undefined));
    const found = (await (await this.#detector).detect(text)).filter(({ detectedLanguage }) =>
      detectedLanguage !== 'und');
    // so LibreTranslate answers for a text without letters
    if (found.length === 0) return [{ confidence: 0, language: 'en' }];
    return found.map(({ detectedLanguage, confidence }) =>
      ({ confidence: Math.round(confidence * 1000) / 10, language: detectedLanguage }));
  }

  /**
   * The language of each text: its own if that is sure and translated, else that of the whole list.
   *
   * @param {string[]} texts
   * @param {string} target
   * @param {AbortSignal} signal
   * @returns {Promise<Detected[]>}
   */
  async #detectEach(texts, target, signal) {
    const [all] = await this.#detect(texts.join('\n'));
    /** @type {Map<string, Detected>} */
    const sure = new Map();
    for (const text of texts.length > 1 ? new Set(texts) : []) {
      const [own] = await this.#detect(text);
      const source = this.#match(own.language) ?? '';
      if (own.confidence >= SURE && this.#targets.get(source)?.has(target)) sure.set(text, own);
      await turn(); // other requests go on
      signal.throwIfAborted();
    }
    return texts.map((text) => sure.get(text) ?? all);
  }

  /** @param {Fields} fields */
  async detect(fields) {
    return this.#detect(textsOf(fields).join('\n'));
  }

  /** The texts to translate. @param {Fields} fields */
  #texts(fields) {
    const texts = textsOf(fields);
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    if (length > this.#charLimit) {
      throw wrong(`Invalid request: request (${length}) exceeds text limit (${this.#charLimit})`);
    }
    return texts;
  }

  /** @param {unknown} value */
  static #count(value) {
    const count = value === undefined || value === null || value === '' ? 0 : Number(value);
    if (!Number.isInteger(count)) throw wrong('Invalid request: alternatives parameter is not a number');
    if (count > MAX_ALTERNATIVES) {
      throw wrong(`Invalid request: alternatives parameter must be <= ${MAX_ALTERNATIVES}`);
    }
    return Math.max(0, count);
  }

  /** The source of a request, of which there has to be a pair. @param {string} asked @param {string} target */
  #sourceFor(asked, target) {
    const source = this.#find(asked);
    if (this.#targets.get(source)?.has(target)) return source;
    throw wrong(`${nameOf(target)} (${target}) is not available as a target language from `
      + `${nameOf(source)} (${source})`);
  }

  /**
   * @param {Fields} fields
   * @param {AbortSignal} signal
   * @returns {Promise<{ translatedText: string | string[], detectedLanguage?: Detected | Detected[],
   *   alternatives?: string[] | string[][] }>}
   */
  async translate(fields, signal) {
    const texts = this.#texts(fields);
    const [asked, wanted] = [neededText(fields, 'source'), neededText(fields, 'target')];
    const count = Interface.#count(fields.alternatives);
    const format = fields.format || 'text';
    if (format !== 'text' && format !== 'html') throw wrong(`${describe(format)} format is not supported`);
    const isHtml = format === 'html';
    const target = this.#find(wanted);
    const detected = asked === 'auto'
      ? await this.#detectEach(isHtml ? texts.map((text) => text.replace(/<[^>]*>/g, ' ')) : texts, target, signal)
      : undefined;
    const names = texts.map((_, i) => detected?.[i].language ?? asked);
    const sourceOf = new Map([...new Set(names)].map((name) => [name, this.#sourceFor(name, target)]));
    /** Of each text its hypotheses. @type {string[][]} */
    const found = texts.map((text) => [text]);
    const sources = [...new Set(sourceOf.values())].filter((source) => source !== target);
    // what fails for one source ends the others
    const stop = new AbortController();
    const forget = onAbort(signal, () => stop.abort(signal.reason));
    if (signal.aborted) stop.abort(signal.reason);
    const both = stop.signal;
    await Promise.all(sources.map(async (source) => {
      const own = [...texts.keys()].filter((i) => sourceOf.get(names[i]) === source);
      const list = own.map((i) => texts[i]);
      const translated = await this.#translators.use(source, target, both, async (translator) => {
        const asHtml = async (/** @type {string} */ text) => [await this.#translateHtml(translator, text, both)];
        if (isHtml) return Promise.all(list.map(asHtml));
        if (count === 0) return (await translator.translate(list, { signal: both })).map((text) => [text]);
        return Promise.all(list.map((text) => hypothesesOf(translator, text, count + 1, both)));
      });
      translated.forEach((each, i) => (found[own[i]] = each));
    })).finally(() => {
      forget();
      stop.abort();
    });
    const all = found.map(([best, ...others]) =>
      ({ best, others: [...new Set(others)].filter((other) => other !== best) }));
    const isList = Array.isArray(fields.q);
    const one = (/** @type {any[]} */ list) => (isList ? list : list[0]);
    return {
      translatedText: one(all.map(({ best }) => best)),
      ...(detected && { detectedLanguage: one(detected) }),
      ...(count > 0 && { alternatives: one(all.map(({ others }) => others)) }),
    };
  }

  /** @param {any} translator @param {string} text @param {AbortSignal} signal @returns {Promise<string>} */
  async #translateHtml(translator, text, signal) {
    if (typeof translator.translateHtml !== 'function') {
      throw wrong("'html' format is not supported, expected 'text'");
    }
    return translator.translateHtml(text, { signal });
  }
}
