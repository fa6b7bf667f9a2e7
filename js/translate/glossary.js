// glossary.js - translates sentences with terms of a glossary, with spans that pass through (see text/keep.js), and
// those that pass through as a whole (see text/cut.js). Loaded by host.js when a call has the option `glossary`, or for
// such sentences.
//
// A sentence is first translated freely. If the result has all terms and spans, it is used. Otherwise forced.js puts
// them in. A term that cannot be placed is an error. A span is not: the attempt with most spans is used.

import { badRange } from '../base/check.js';
import { E_STATE } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { MAX_PLACED } from '../base/limits.js';
import { hasStandIn, STAND_IN } from '../text/pieces.js';
import { LINE_BREAK } from '../text/sentences.js';
import {
  countTranslations, firstOf, isTouching, isWorded, lastOf, report, reportKept, termsOf, visible, whole,
} from '../text/terms.js';
import { generateAligned } from './aligned.js';
import { Forced, piecesOf, translateAround } from './forced.js';
import { copyGlossary } from './options.js';

export { leadEnder } from '../text/terms.js';

/** @typedef {readonly [term: string, translation: string][]} Glossary */
/** @typedef {import('../text/terms.js').Found} Found */
/** @typedef {import('../text/terms.js').GlossaryMatch} GlossaryMatch */
/** @typedef {import('../text/terms.js').KeptMatch} KeptMatch */
/** @typedef {import('../engine/engine.js').Engine} Engine */
/** @typedef {import('../engine/engine.js').Result & { glossary?: GlossaryMatch[], kept?: KeptMatch[] }} Result */
/** @typedef {import('./forced.js').Sentence} Sentence */
/** @typedef {import('./forced.js').Attempt} Attempt */
/** @typedef {import('../model/options.js').GenerateOptions} GenerateOptions */

/**
 * @param {string} text
 * @param {unknown} glossary  as callers give it
 * @param {string} [language]  of the text
 * @returns {Found[]}
 */
export const findTerms = (text, glossary, language = 'en') => termsOf(copyGlossary(glossary), language).find(text);

/**
 * Terms that begin in one sentence and end in the next of the same line: they cannot be translated as one.
 *
 * @param {Sentence} sentence
 * @param {Sentence | undefined} next
 * @param {import('../text/terms.js').Terms} terms
 * @returns {GlossaryMatch[]}
 */
function findDivided({ text, start, after }, next, terms) {
  // the next sentence is in another text, on another line, or behind kept text or what divides a line
  if (next?.start !== start + text.length + after.length || LINE_BREAK.test(after) || after.trim()) return [];
  return terms.find(`${text} ${next.text}`)
    .filter((found) => found.start < text.length && found.end > text.length)
    .map((found) => ({ ...found, targetStart: -1, targetEnd: -1, exact: false }));
}

/** @param {GlossaryMatch} lost */
const notPlaced = ({ term, translation }) =>
  new HeedError(E_STATE, `glossary: '${term}' did not come out as '${translation}' once`);

/**
 * HEED_E_STATE for a term that two sentences divide.
 *
 * @param {(Sentence & { isKept?: boolean })[]} sentences
 * @param {Glossary} glossary
 * @param {string} language
 */
export function checkDivided(sentences, glossary, language) {
  const terms = termsOf(glossary, language);
  const translated = sentences.filter(({ text, isKept }) => text && !isKept);
  for (const [i, sentence] of translated.entries()) {
    const [lost] = findDivided(sentence, translated[i + 1], terms);
    if (lost) throw notPlaced(lost);
  }
}

/**
 * Refuses translations that the tokenizer drops: nothing would come out.
 *
 * @param {Engine} engine
 * @param {Found[]} terms
 */
async function checkTranslations(engine, terms) {
  const translations = [...countTranslations(terms)].map(([translation]) => translation);
  const encoded = await engine.encode(translations, 'target');
  for (const [i, { pieces }] of encoded.entries()) {
    const translation = translations[i];
    if (pieces.slice(0, -1).some((piece) => piece !== '' && piece !== '\u2581')) continue;
    const found = terms.find((term) => term.translation === translation);
    badRange(`glossary: ${found?.term}`, visible(translation), 'a text that the model has tokens for');
  }
}

/**
 * The kept spans of a sentence that no term overlaps.
 *
 * @param {Sentence} sentence
 * @param {Found[]} terms
 * @returns {Found[]}
 */
const keptOf = ({ text, kept = [] }, terms) => kept
  .filter(({ start, end }) => !terms.some((term) => term.start < end && term.end > start))
  .map(({ start, end }) => {
    const own = text.slice(start, end);
    return { term: own, translation: own, start, end, isKept: true };
  });

/** Whether a text has words besides some of its parts. @param {string} text @param {[number, number][]} parts */
function hasOthers(text, parts) {
  let [rest, at] = ['', 0];
  for (const [start, end] of parts.sort(([a], [b]) => a - b)) {
    rest += `${text.slice(at, Math.max(at, start))} `;
    at = Math.max(at, end);
  }
  return isWorded.test(rest + text.slice(at));
}

const STAND_INS = new RegExp(whole(STAND_IN), 'gu');
/** How often a text has STAND_IN as a word. @param {string} text */
const countStandIns = (text) => text.match(STAND_INS)?.length ?? 0;

/**
 * Which terms and spans an attempt has. Most important are all terms, then that the words besides the spans are not
 * lost, then all spans at least as often as in the source, then all spans exactly as often.
 *
 * @param {Attempt & { finished: boolean }} attempt
 * @param {Found[]} terms
 * @param {Found[]} kept
 * @param {Sentence} sentence
 */
function judge({ ids, text, starts, finished }, terms, kept, sentence) {
  const { text: source } = sentence;
  const glossary = report(text, terms, starts);
  const found = reportKept(text, kept);
  const { matches, isWhole } = found;
  // a stand-in that was not replaced is too much
  const isExact = found.isExact && (!hasStandIn(sentence) || countStandIns(text) <= countStandIns(source));
  const hasTerms = glossary.every(({ exact }) => exact);
  const placed = matches.filter(({ targetStart }) => targetStart >= 0);
  const share = placed.length / (matches.length + 1);
  const hasWords = kept.length === 0 || !hasOthers(source, kept.map(({ start, end }) => [start, end])) ||
    hasOthers(text, placed.map(({ targetStart, targetEnd }) => [targetStart, targetEnd]));
  const rank = 16 * Number(hasTerms) + 8 * Number(hasWords) + 4 * Number(isWhole) + 2 * Number(isExact) +
    Number(finished) + share;
  return { ids, text, finished, glossary, kept: matches, rank, hasAll: hasTerms && hasWords && isExact };
}

/**
 * A translation without the spaces between spans and words that the source has not, see isTouching().
 *
 * @param {string} text
 * @param {KeptMatch[]} kept
 * @param {string} source
 */
function withoutSpaces(text, kept, source) {
  for (const { start, end, targetStart, targetEnd } of [...kept].sort((a, b) => b.targetStart - a.targetStart)) {
    if (targetStart < 0) continue;
    let [before, own, after] = [text.slice(0, targetStart), source.slice(start, end), text.slice(targetEnd)];
    const [head, rest] = [before.trimEnd(), after.trimStart()];
    if (isTouching(lastOf(own), firstOf(source.slice(end)), firstOf(rest))) after = rest;
    if (isTouching(firstOf(own), lastOf(source.slice(0, start)), lastOf(head))) before = head;
    text = before + own + after;
  }
  return text;
}

/**
 * Attempts at a sentence whose free translation lacks a term or a span, the most promising first.
 *
 * @template {Sentence} T
 * @param {import('./forced.js').Host<T>} host
 * @param {T} sentence
 * @param {Result} free
 * @param {Found[]} terms
 * @param {Found[]} kept
 * @param {GenerateOptions} options
 * @returns {AsyncGenerator<Attempt, void>}
 */
async function* attempts(host, sentence, free, terms, kept, options) {
  const { engine, generate } = host;
  const again = async (/** @type {number[]} */ prefix) =>
    (await generate([sentence], { ...options, nBest: 1, prefix }))[0][0];
  const { maxTokens, maxLength = engine.defaults.maxLength ?? Infinity, prefix } = options;
  const { forcedBosTokenId = engine.defaults.forcedBosTokenId } = options;
  // maxTokens limits the new tokens of each search; maxLength limits all, with the start token
  const longest = Math.min(Number(engine.config.max_position_embeddings), maxTokens ? Infinity : maxLength - 1);
  // nothing comes before a forced first token, such as that of a language
  const first = prefix?.length ?? (forcedBosTokenId === null ? 0 : 1);
  const most = Math.min(longest, first + (maxTokens ?? engine.defaults.maxTokens));
  const all = [...terms, ...kept].sort((a, b) => a.start - b.start);
  // if terms and spans are too much together, try the terms alone
  for (const wanted of terms.length > 0 && kept.length > 0 ? [all, terms] : [all]) {
    const isWithin = (/** @type {Attempt} */ { ids }) => terms.length > 0 || ids.length <= most;
    if (terms.length > 0 || wanted.length <= MAX_PLACED) {
      const pieces = await piecesOf(engine);
      const forced = new Forced(host, pieces, again, sentence, first, longest, options.shortlist);
      const attempt = await forced.run(free, wanted);
      if (isWithin(attempt)) yield attempt;
    }
    const patched = prefix ? undefined
      : await translateAround(host, sentence, wanted, free.text, { ...options, nBest: 1 });
    if (patched && patched.ids.length <= most) yield patched;
  }
  if (kept.length > 0) yield free;
}

/**
 * The hypotheses of one sentence, with its terms and spans in the best.
 *
 * @template {Sentence} T
 * @param {import('./forced.js').Host<T>} host
 * @param {T} sentence
 * @param {Result[]} hypotheses  of the free search, best first
 * @param {Found[]} terms
 * @param {Found[]} kept
 * @param {GenerateOptions & { scores?: boolean, lexicon?: boolean }} options
 * @returns {Promise<Result[]>}
 */
async function complete(host, sentence, [free, ...others], terms, kept, options) {
  const { engine } = host;
  const told = (/** @type {ReturnType<typeof judge>} */ judged) =>
    ({ ...(terms.length > 0 && { glossary: judged.glossary }), ...(kept.length > 0 && { kept: judged.kept }) });
  const alike = kept.length > 0 ? others.filter(({ text }) => reportKept(text, kept).isExact) : others;
  const first = judge(free, terms, kept, sentence);
  if (first.hasAll) {
    const text = withoutSpaces(free.text, first.kept, sentence.text);
    const best = text === free.text ? first : judge({ ...free, text }, terms, kept, sentence);
    return [{ ...free, text, ...told(best) }, ...alike];
  }
  /** @type {ReturnType<typeof judge> | undefined} */
  let best;
  for await (const attempt of attempts(host, sentence, free, terms, kept, options)) {
    const finished = attempt.ids.at(-1) === engine.config.eos_token_id;
    const judged = judge({ ...attempt, finished }, terms, kept, sentence);
    if (!best || judged.rank > best.rank) best = judged;
    // without kept spans, all terms are enough
    if (best.hasAll && (best.finished || kept.length === 0)) break;
  }
  const { ids, text, finished, ...rest } = best ?? first;
  const { disabledHeads, shortlist, lexicon = true, scores } = options;
  const maps = scores && (await engine.attention(sentence.ids, ids, { disabledHeads, shortlist, lexicon }));
  const logProb = maps ? maps.logProbs.reduce((sum, x) => sum + x, 0) : 0;
  const result = { ids, text, logProb, score: logProb, finished, ...(free.tree && { tree: free.tree }) };
  return [{ ...result, ...told({ ids, text, finished, ...rest }) }, ...(terms.length > 0 ? [] : alike)];
}

/**
 * generate() of a Translator, for sentences with terms or kept spans.
 *
 * @template {Sentence} T
 * @param {import('./forced.js').Host<T>} host
 * @param {T[]} sentences
 * @param {Glossary} glossary
 * @param {GenerateOptions & { beamTree?: boolean, scores?: boolean, align?: boolean }} options  align: has no effect;
 *   only free translations keep their attention, those of sentences with tags
 * @param {unknown} [onStep]  null: report a term that cannot be placed instead of throwing HEED_E_STATE
 * @returns {Promise<Result[][]>}
 */
export async function generateWith(host, sentences, glossary, { beamTree, align: _, ...options }, onStep) {
  const { engine, generate } = host;
  const others = sentences.filter(({ isKept }) => !isKept);
  if (others.length < sentences.length) {
    const results = (await generateWith(host, others, glossary, { beamTree, ...options }, onStep)).values();
    const ids = Int32Array.of(Number(engine.config.eos_token_id));
    return sentences.map(({ text, isKept }) =>
      (isKept ? [{ ids, text, logProb: 0, score: 0, finished: true }] : results.next().value ?? []));
  }
  const terms = termsOf(glossary, host.sourceLanguage);
  const found = sentences.map(({ text }) => terms.find(text));
  await checkTranslations(engine, found.flat());
  const plain = sentences.map((sentence) => ({ ...sentence, kept: undefined }));
  const free = await generateAligned(generate, plain, { ...options, ...(beamTree && { beamTree }) });
  return Promise.all(free.map(async (hypotheses, i) => {
    const divided = findDivided(sentences[i], sentences[i + 1], terms);
    const kept = keptOf(sentences[i], found[i]);
    if (found[i].length + kept.length + divided.length === 0) return hypotheses;
    const [best, ...others] = await complete(host, plain[i], hypotheses, found[i], kept, options);
    if (found[i].length + divided.length > 0) best.glossary = [...best.glossary ?? [], ...divided];
    const lost = onStep !== null && best.glossary?.find(({ exact }) => !exact);
    if (lost) throw notPlaced(lost);
    return [best, ...others];
  }));
}

/**
 * The terms of a text of any number of sentences.
 *
 * @param {string} text
 * @param {Glossary} glossary
 * @param {string} language
 */
export const findAnywhere = (text, glossary, language) => termsOf(glossary, language).find(text, true);

/**
 * See Terms.moveBreaks().
 *
 * @param {string} text
 * @param {Glossary} glossary
 * @param {string} language
 */
export const moveBreaks = (text, glossary, language) => termsOf(glossary, language).moveBreaks(text);
