// html.js - translates HTML: finds its texts, translates all of them in one call, and writes them into the source.
// Loaded by translator.js when translateHtml() is called.
//
//   source -> text/blocks.js: texts -> sentences -> translations -> alignment, where tags stand inside of a sentence
//          -> text/write.js

import { badType } from '../base/check.js';
import { turn } from '../base/host.js';
import { languageOf } from '../model/languages.js';
import { readBlocks } from '../text/blocks.js';
import { joinSpans } from '../text/units.js';
import { withFixedSpaces, writeDocument } from '../text/write.js';
import { attentionOf } from './alignment.js';
import { translateKnown } from './known.js';

/** @typedef {import('../text/evidence.js').Part} Part */
/** @typedef {import('../text/split.js').Sentence} Sentence */
/** @typedef {import('../text/keep.js').Span} Span */
/** @typedef {import('./glossary.js').Result} Result */
/** @typedef {import('./host.js').Host} Host */
/** @typedef {import('./known.js').Known} Known */
/** @typedef {import('./options.js').Options} Options */

/** Texts to translate, each once. */
class Texts {
  /** @type {Map<string, number>} */
  #known = new Map();
  /** @type {string[]} */
  texts = [];
  /** @type {Span[][]} */
  spans = [];

  /** @param {string} text @param {Span[]} [spans] @returns {number}  its index */
  add(text, spans = []) {
    const key = JSON.stringify([text, spans]);
    const index = this.#known.get(key) ?? this.texts.length;
    if (index === this.texts.length) {
      this.#known.set(key, index);
      this.texts.push(text);
      this.spans.push(spans);
    }
    return index;
  }
}

/**
 * The parts of a text with their translations.
 *
 * @param {Sentence[]} sentences
 * @param {Iterator<Known>} results  of those with a text
 * @param {(sentence: Sentence, known: Known, part: Part) => Promise<void>} weigh  called for each of those
 */
async function joinParts(sentences, results, weigh) {
  /** @type {Part[]} */
  const parts = [];
  const weighed = [];
  let start = 0;
  for (const sentence of sentences) {
    const { text, after } = sentence;
    if (text) {
      const known = /** @type {Known} */ (results.next().value);
      const { result: { text: target, kept } } = known;
      const part = { start, source: text, target: withFixedSpaces(text, target, kept), kept };
      parts.push(part);
      weighed.push(weigh(sentence, known, part));
    }
    const rest = after.trim();
    const end = start + text.length;
    if (rest) parts.push({ start: end + after.indexOf(rest), source: rest, target: rest });
    start = end + after.length;
  }
  await Promise.all(weighed);
  return parts;
}

/**
 * See Translator.translateHtml().
 *
 * @param {string} html
 * @param {Options} options
 * @param {Host & { pageLanguage?: string }} host  pageLanguage: of elements with `lang` that are for translation;
 *   default: sourceLanguage
 * @returns {Promise<string>}
 */
export async function translateHtml(html, options, host) {
  const { engine, sourceLanguage, pageLanguage = sourceLanguage, targetLanguage, split, generate } = host;
  if (typeof html !== 'string') badType('html', html, 'a string');
  const source = languageOf(pageLanguage);
  const document = readBlocks(html, (language) => languageOf(language) !== source);
  const texts = new Texts();
  const ofBlocks = document.blocks.map(({ text, words }) => texts.add(text, joinSpans(words)));
  const ofAttributes = document.attributes.map(({ text }) => texts.add(text));
  const sentences = await split(texts.texts, options, texts.spans);
  for (const [i, { tags }] of document.blocks.entries()) {
    let [start, tag] = [0, 0];
    for (const sentence of sentences[ofBlocks[i]]) {
      const end = start + sentence.text.length;
      while (tags[tag]?.at <= start) tag++;
      sentence.isTagged ||= tags[tag]?.at < end;
      start = end + sentence.after.length;
    }
  }
  const results = await translateKnown(sentences.flat().filter(({ text }) => text), options, { engine, generate });
  const next = results.values();
  const weigh = async (/** @type {Sentence} */ sentence, /** @type {Known} */ known, /** @type {Part} */ part) => {
    if (!sentence.isTagged || part.source === part.target) return;
    part.weights = known.weights ??= await attentionOf(engine, sentence, known.result, options);
  };
  const translated = await Promise.all(sentences.map((own) => joinParts(own, next, weigh))).finally(() => {
    for (const { result } of results) delete result.attended;
  });
  options.signal?.throwIfAborted();
  await turn();
  const outputs = ofAttributes.map((i) => {
    let [output, at] = ['', 0];
    for (const { start, source: text, target } of translated[i]) {
      output += texts.texts[i].slice(at, start) + target;
      at = start + text.length;
    }
    return output + texts.texts[i].slice(at);
  });
  const languages = { source: sourceLanguage, target: targetLanguage };
  return writeDocument(document, ofBlocks.map((i) => translated[i]), outputs, languages);
}
