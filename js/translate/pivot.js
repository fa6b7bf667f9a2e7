// pivot.js - a Translator of two steps, for a pair of languages that has no model: from the source to a language in
// between, the middle, and from there to the target. Loaded by translator.js when it is needed.
//
//   source -> sentences -> first model -> middle, a text for each sentence -> second model -> target
//
// Terms of a glossary pass the middle as names that it does not have, such as X1.

import { endStream, unlessAborted } from '../base/abort.js';
import { badType, checkSignal, OWN } from '../base/check.js';
import { HeedError } from '../base/errors.js';
import { onAbort } from '../base/host.js';
import { AHEAD } from '../base/limits.js';
import { termsOf } from '../text/terms.js';
import { composeAlternatives, composeSentence, isCopied } from './compose.js';
import { copyOptions, TRANSLATE, TRANSLATE_DETAILED } from './options.js';

/** @typedef {import('./translator.js').Translator} Translator */
/** @typedef {import('./options.js').TranslateOptions} TranslateOptions */
/** @typedef {import('./options.js').Options} Options */
/** @typedef {import('./detail.js').TranslatedSentence} TranslatedSentence */
/** @typedef {import('../text/split.js').Sentence} Sentence */
/**
 * @typedef {object} Detour  the glossaries of the steps, undefined without a glossary
 * @property {[term: string, name: string][]} [first]
 * @property {[name: string, translation: string][]} [second]
 * @property {Map<string, string>} terms  by name: the caller's term
 * @property {Map<string, string>} translations  by name: the caller's translation
 */

/** Options with ids, or with layers and heads, which mean something else in each model. */
const OF_ONE_MODEL = ['prefix', 'badWords', 'suppressTokens', 'beginSuppressTokens', 'forcedBosTokenId',
  'forcedEosTokenId', 'eosTokenIds', 'disabledHeads'];

/** @param {Record<string, unknown>} options */
function checkIds(options) {
  const wrong = OF_ONE_MODEL.find((name) => options[name] !== undefined);
  if (wrong) badType(wrong, options[wrong], 'no option of one model, as this translator has two: see its steps');
}

/**
 * The glossaries of both steps: a name for each translation, which the texts do not have.
 *
 * @param {Options['glossary']} glossary
 * @param {string[]} texts
 * @param {string} language  of the texts
 * @returns {Detour}
 */
function detourOf(glossary, texts, language) {
  if (!glossary) return { terms: new Map(), translations: new Map() };
  termsOf(glossary, language); // refuses what it refuses in one step
  let prefix = 'X';
  while (texts.some((text) => new RegExp(`${prefix}\\d`, 'i').test(text))) prefix += 'x';
  /** @type {Map<string, string>} */
  const names = new Map();
  for (const [, translation] of glossary) {
    if (!names.has(translation)) names.set(translation, `${prefix}${names.size + 1}`);
  }
  const nameOf = (/** @type {string} */ translation) => /** @type {string} */ (names.get(translation));
  return {
    first: glossary.map(([term, translation]) => [term, nameOf(translation)]),
    second: [...names].map(([translation, name]) => [name, translation]),
    terms: new Map(glossary.map(([term, translation]) => [nameOf(translation), term])),
    translations: new Map([...names].map(([translation, name]) => [name, translation])),
  };
}

/**
 * An error of a step, with the words of the caller's glossary instead of the names in the middle.
 *
 * @param {any} error
 * @param {Map<string, string>} words  by name
 * @param {Translator} step
 */
function renamed(error, words, { sourceLanguage, targetLanguage }) {
  if (words.size === 0 || !(error instanceof HeedError || error instanceof RangeError)) return error;
  error.message = error.message.replace(/X+\d+/gi, (name) => words.get(name) ?? name)
    + `, from ${sourceLanguage} to ${targetLanguage}`;
  return error;
}

/**
 * An engine that can only be destroyed: all work is that of the steps.
 *
 * @param {string} way
 * @param {(reason: unknown) => void} destroy
 * @returns {any}
 */
const noEngine = (way, destroy) => new Proxy({ destroy }, {
  get(own, name) {
    if (name === 'destroy') return own.destroy;
    throw new TypeError(`translator: it has two models, ${way}: ask translator.steps[0] or translator.steps[1]`);
  },
});

/**
 * The class, on top of that of translator.js, which this file cannot import.
 *
 * @param {typeof import('./translator.js').Translator} Base
 */
const pivotClass = (Base) => class extends Base {
  #steps;
  #life;

  /**
   * @param {[Translator, Translator]} steps
   * @param {AbortController} life  ends the steps
   */
  constructor(steps, life) {
    const [{ sourceLanguage, targetLanguage: middle }, { targetLanguage }] = steps;
    super(OWN, noEngine(`${sourceLanguage} to ${middle} and ${middle} to ${targetLanguage}`,
      (reason) => life.abort(reason)), sourceLanguage, targetLanguage);
    this.#steps = steps;
    this.#life = life;
  }

  /** @override */
  get steps() {
    return [...this.#steps];
  }

  /**
   * As that of the base: rejects at once when the call is aborted.
   *
   * @template T
   * @param {AbortSignal | undefined} signal
   * @param {() => Promise<T>} f
   * @returns {Promise<T>}
   */
  #call(signal, f) {
    return unlessAborted([this.#life.signal, signal], f);
  }

  /**
   * Runs a step. Its errors have the caller's words.
   *
   * @template T
   * @param {0 | 1} index
   * @param {Detour} detour
   * @param {() => Promise<T>} f
   * @returns {Promise<T>}
   */
  async #step(index, { terms, translations }, f) {
    try {
      return await f();
    } catch (error) {
      throw renamed(error, index === 0 ? translations : terms, this.#steps[index]);
    }
  }

  /**
   * The texts of sentences in the middle.
   *
   * @param {Sentence[]} sentences
   * @param {Options} options
   * @param {Detour} detour
   */
  async #toMiddle(sentences, options, detour) {
    const { generate } = this.#steps[0][OWN];
    const own = { ...options, glossary: detour.first, nBest: 1 };
    return (await this.#step(0, detour, () => generate(sentences, own))).map(([{ text }]) => text);
  }

  /** @param {Options} options @param {Detour} detour */
  #ofSecond = (options, { second }) => ({ ...options, glossary: second && new Map(second) });

  /**
   * @override
   * @overload
   * @param {string} input
   * @param {TranslateOptions} [options]
   * @returns {Promise<string>}
   */
  /**
   * @override
   * @overload
   * @param {readonly string[]} input
   * @param {TranslateOptions} [options]
   * @returns {Promise<string[]>}
   */
  /**
   * @override
   * @overload
   * @param {string | readonly string[]} input
   * @param {TranslateOptions} [options]
   * @returns {Promise<string | string[]>}
   */
  /**
   * @override
   * @param {string | readonly string[]} input
   * @param {TranslateOptions} [options]
   * @returns {Promise<any>}
   */
  async translate(input, options = {}) {
    const own = copyOptions(options, TRANSLATE);
    const isList = Array.isArray(input);
    const inputs = isList ? [...input] : [input];
    checkIds(own);
    return this.#call(own.signal, async () => {
      const [first, second] = this.#steps;
      const detour = detourOf(own.glossary, inputs, this.sourceLanguage);
      const texts = await first[OWN].split(inputs, { ...own, glossary: detour.first });
      const sentences = texts.flat().filter(({ text }) => text);
      const middles = await this.#toMiddle(sentences, own, detour);
      const moving = sentences.filter(({ isKept }) => !isKept);
      const translated = await this.#step(1, detour, () =>
        second.translate(middles.filter((_, i) => !sentences[i].isKept), this.#ofSecond(own, detour)));
      const targets = new Map(moving.map((sentence, i) => [sentence, translated[i]]));
      const outputs = texts.map((parts) =>
        parts.map((part) => (targets.get(part) ?? part.text) + part.after).join(''));
      return isList ? outputs : outputs[0];
    });
  }

  /**
   * As that of the base. Both steps translate the same elements, by the language of the source.
   *
   * @override
   * @param {string} html
   * @param {TranslateOptions} [options]
   * @returns {Promise<string>}
   */
  async translateHtml(html, options = {}) {
    const own = copyOptions(options, TRANSLATE);
    if (typeof html !== 'string') badType('html', html, 'a string');
    checkIds(own);
    return this.#call(own.signal, async () => {
      const [first, second] = this.#steps;
      const { translateHtml } = await import('./html.js');
      const detour = detourOf(own.glossary, [html], this.sourceLanguage);
      const middle = await this.#step(0, detour, () =>
        translateHtml(html, { ...own, glossary: detour.first }, first[OWN]));
      const host = { ...second[OWN], pageLanguage: this.sourceLanguage };
      return this.#step(1, detour, () => translateHtml(middle, { ...own, glossary: detour.second }, host));
    });
  }

  /**
   * As that of the base. `steps` of a sentence has the details of both steps; `alignment` goes through the middle. The
   * alternatives are the best ways through the alternatives of both steps.
   *
   * @override
   * @param {string} input
   * @param {TranslateOptions & { attention?: boolean }} [options]
   * @returns {Promise<TranslatedSentence[]>}
   */
  async translateDetailed(input, options = {}) {
    const own = copyOptions(options, TRANSLATE_DETAILED);
    checkIds(own);
    return this.#call(own.signal, async () => {
      const [first, second] = this.#steps;
      const detour = detourOf(own.glossary, [input], this.sourceLanguage);
      const sentences = await this.#step(0, detour, () =>
        first.translateDetailed(input, { ...own, glossary: detour.first && new Map(detour.first) }));
      const ofSecond = this.#ofSecond(own, detour);
      const goOn = (/** @type {string} */ middle) =>
        this.#step(1, detour, () => second.translateDetailed(middle, ofSecond));
      if (sentences.length === 0) await goOn(''); // checks the options
      return Promise.all(sentences.map(async (sentence) => {
        const next = isCopied(sentence) ? [] : await goOn(sentence.target);
        const composed = composeSentence(sentence, next, detour.translations);
        if (!sentence.alternatives) return composed;
        const others = await Promise.all(sentence.alternatives.map(async ({ text, logProb }) =>
          ({ middle: text, logProb, next: await goOn(text) })));
        return { ...composed, alternatives: composeAlternatives(
          [{ middle: sentence.target, logProb: sentence.logProb, next }, ...others], composed.target) };
      }));
    });
  }

  /**
   * As that of the base. Some sentences at a time pass the first step, then the second streams each.
   *
   * @override
   * @param {string} input
   * @param {TranslateOptions} [options]
   * @returns {ReadableStream<string>}
   */
  translateStreaming(input, options = {}) {
    const { signal, ...rest } = copyOptions(options, TRANSLATE);
    if (typeof input !== 'string') badType('input', input, 'a string');
    checkIds(rest);
    checkSignal(signal);
    this.#life.signal.throwIfAborted();
    const stop = new AbortController();
    const pieces = this.#pieces(input, { ...rest, signal: stop.signal });
    let forget = () => {};
    return new ReadableStream({
      start: (stream) => {
        forget = endStream([this.#life.signal, signal], stream, stop.abort.bind(stop));
      },
      pull: async (stream) => {
        try {
          const { done, value } = await pieces.next();
          if (!done) {
            stream.enqueue(value);
            return;
          }
        } catch (error) {
          forget();
          throw error;
        }
        forget();
        stream.close();
      },
      cancel: (reason) => {
        forget();
        stop.abort(reason);
      },
    });
  }

  /** @param {string} input @param {Options} options @returns {AsyncGenerator<string, void>} */
  async* #pieces(input, options) {
    const [first, second] = this.#steps;
    const detour = detourOf(options.glossary, [input], this.sourceLanguage);
    const [parts] = await first[OWN].split([input], { ...options, glossary: detour.first });
    const ofSecond = this.#ofSecond(options, detour);
    // terms may go from one sentence to the next
    const size = options.glossary ? parts.length : AHEAD;
    for (let at = 0; at < parts.length; at += size) {
      const some = parts.slice(at, at + size);
      const middles = (await this.#toMiddle(some.filter(({ text }) => text), options, detour)).values();
      for (const { text, after, isKept } of some) {
        const middle = text && middles.next().value;
        if (isKept) yield text;
        else if (middle && options.glossary) {
          yield await this.#step(1, detour, () => second.translate(middle, ofSecond));
        } else if (middle) {
          const reader = second.translateStreaming(middle, ofSecond).getReader();
          for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value;
        }
        if (after) yield after;
      }
    }
  }

  /**
   * The number of tokens of the first step.
   *
   * @override
   * @param {string} input
   * @param {TranslateOptions} [options]
   * @returns {Promise<number>}
   */
  async measureInputUsage(input, options) {
    return this.#steps[0].measureInputUsage(input, options);
  }
};

/**
 * @param {typeof import('./translator.js').Translator} Base
 * @param {import('./lookup.js').Entry[]} models  of the two steps
 * @param {object} options  those of Translator.create() that hold for both
 * @param {string} options.source
 * @param {string} options.target
 * @param {AbortSignal} [options.signal]  aborts the creation
 * @param {string} [options.language]  the token of the target language
 * @param {(loaded: number) => void} [options.onProgress]  gets numbers from 0 to 1
 * @returns {Promise<Translator>}
 */
export async function createPivot(Base, models, { source: _, target: __, signal, language, onProgress, ...rest }) {
  const life = new AbortController();
  const forget = onAbort(signal, () => life.abort(signal?.reason));
  const loaded = models.map(() => 0);
  try {
    const [first, second] = await Promise.all(models.map(({ source, target, place }, i) => Base.create({
      ...rest,
      ...(i === 1 && { language }),
      sourceLanguage: source,
      targetLanguage: target,
      model: place,
      signal: life.signal,
      monitor: (monitor) => monitor.addEventListener('downloadprogress', (/** @type {any} */ event) => {
        loaded[i] = event.loaded;
        onProgress?.(loaded.reduce((sum, part) => sum + part, 0) / loaded.length);
      }),
    })));
    return new (pivotClass(Base))([first, second], life);
  } catch (/** @type {any} */ error) {
    life.abort(error); // of the other step too
    // create() of the pair makes a NetworkError again
    throw error?.name === 'NetworkError' ? error.cause : error;
  } finally {
    forget();
  }
}
