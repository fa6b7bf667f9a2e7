// translate.js - heed translate: texts or lines in, lines out.

import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { E_LANGUAGE, MAX_BATCH, QUANTIZERS } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { resolve } from '../base/host.js';
import { BATCH, MAX_WORKERS } from '../base/limits.js';
import { checkTag, languageOf, pairsOf } from '../model/languages.js';
import { RULES } from '../model/options.js';
import { moveBreaks } from '../translate/glossary.js';
import { findFetched, findInstalled } from '../translate/installed.js';
import { readStated } from '../translate/offered.js';
import { copyGlossary } from '../translate/options.js';
import { Translator } from '../translate/translator.js';
import { checked, numberOf, UsageError } from './commands.js';
import { inputSize, lineGroups, readGlossary } from './input.js';
import { write } from './output.js';
import { Download, Work } from './progress.js';

/** @typedef {import('./commands.js').Values} Values */

/** The index of the models of a clone; packages have none. */
const SHIPPED = fileURLToPath(new URL('../../models/index.json', import.meta.url));

/** Search options of the command line, with their names in the API. */
const SEARCH = /** @type {const} */ ({
  beams: 'beams',
  'length-penalty': 'lengthPenalty',
  'repetition-penalty': 'repetitionPenalty',
  'no-repeat-ngram': 'noRepeatNgram',
  'max-tokens': 'maxTokens',
  'min-tokens': 'minTokens',
});
/** Those without effect on greedy search. */
const OF_BEAMS = ['length-penalty', 'early-stopping'];

/** @param {string} option @param {string | undefined} value @param {number} most */
export function count(option, value, most) {
  const n = numberOf(option, value);
  if (n !== undefined && !(Number.isInteger(n) && n >= 1 && n <= most)) {
    throw new UsageError(`--${option}: found '${value}', expected a whole number from 1 to ${most}`);
  }
  return n;
}

/** The search options of the command line, checked as far as possible without a model. @param {Values} values */
export function searchOptions(values) {
  /** @type {import('../translate/options.js').TranslateOptions} */
  const options = {
    batchSize: count('batch', values.batch, MAX_BATCH) ?? BATCH,
    keep: values['no-keep'] === undefined,
    lexicon: values['no-lexicon'] === undefined,
    ngrams: values['no-ngrams'] === undefined,
    reverse: values['no-reverse'] === undefined,
  };
  for (const [option, name] of Object.entries(SEARCH)) {
    const value = numberOf(option, values[option]);
    if (value === undefined) continue;
    checked(() => RULES[name](`--${option}`, value, {}), `--${option}`, String(values[option]));
    options[name] = value;
  }
  const early = values['early-stopping'];
  if (early !== undefined) {
    if (early !== 'true' && early !== 'false' && early !== 'never') {
      throw new UsageError(`--early-stopping: found '${early}', expected true, false or never`);
    }
    options.earlyStopping = early === 'never' ? early : early === 'true';
  }
  const { beams, maxTokens, minTokens } = options;
  options.nBest = count('n-best', values['n-best'], beams ?? Infinity);
  if (options.nBest !== undefined && values.glossary !== undefined) {
    throw new UsageError('--n-best: has no effect with --glossary, which gives one translation');
  }
  if (maxTokens !== undefined && minTokens !== undefined && minTokens > maxTokens) {
    throw new UsageError(`--min-tokens: found ${minTokens}, expected at most --max-tokens, ${maxTokens}`);
  }
  return options;
}

/**
 * Checks that depend on the model's number of beams.
 *
 * @param {Translator} translator
 * @param {Values} values
 * @param {import('../model/options.js').GenerateOptions} options
 */
export async function checkBeams(translator, values, { beams, nBest = 1 }) {
  const named = OF_BEAMS.filter((option) => values[option] !== undefined);
  const needed = Math.max(nBest, named.length > 0 ? 2 : 1);
  if (needed <= (beams ?? 1)) return;
  const hasBeams = beams === undefined && await translator.translateDetailed('', { nBest: needed }).then(() => true)
    .catch((error) => (error instanceof RangeError ? false : Promise.reject(error)));
  if (hasBeams) return;
  if (named.length > 0) throw new UsageError(`--${named[0]}: has no effect on greedy search: add --beams 2 or more`);
  throw new UsageError(`--n-best: found ${nBest}, expected at most as many as beams: add --beams ${nBest}`);
}

/**
 * The `cache` option; false for a model that is not at a URL.
 *
 * @param {Values} values
 * @param {string | undefined} model
 * @returns {Promise<boolean | string>}
 */
export async function cacheOf({ cache, 'no-cache': without }, model) {
  const { url } = model === undefined ? { url: undefined } : await resolve(model);
  const given = cache !== undefined ? '--cache' : without !== undefined ? '--no-cache' : undefined;
  const isSearched = model === undefined && cache !== undefined; // see modelsOf()
  if (given && !url && !isSearched) throw new UsageError(`${given}: has no effect on a local model`);
  if (cache !== undefined && without !== undefined) throw new UsageError('--no-cache: has no effect with --cache');
  if (cache !== undefined && url) {
    try {
      mkdirSync(cache, { recursive: true });
      accessSync(cache, constants.W_OK);
    } catch (error) {
      const { code } = /** @type {NodeJS.ErrnoException} */ (error);
      throw new UsageError(`--cache: found '${cache}', expected a directory to write into (${code})`);
    }
  }
  return url ? (cache ?? without === undefined) : false;
}

/** The manifest of a model, if it has one. @param {string} model @param {boolean | string} cache */
export async function readManifest(model, cache) {
  return (await readStated(model, cache)).stated;
}

/**
 * The pair to translate, as far as the options and the model tell.
 *
 * @param {Values} values
 * @param {import('../model/languages.js').Pair[]} pairs  of the model
 * @returns {import('../model/languages.js').Pair}
 */
function choosePair({ from, to, language }, pairs) {
  const wanted = (/** @type {string | undefined} */ option, /** @type {unknown} */ stated) =>
    option === undefined || stated === undefined || languageOf(String(stated)) === languageOf(option);
  const fitting = pairs.filter(([source, target]) => wanted(from, source) && wanted(to, target));
  const tag = language?.replace(/^>>(.+)<<$/, '$1'); // the token itself is a name of the language, too
  const chosen = fitting.length > 1 ? fitting.filter(([, target]) => wanted(tag, target)) : fitting;
  // --to zh-Hant fits zh-Hans too, but what an option gives is not open
  const open = new Set(chosen.map(([source, target]) => `${from ?? source} ${to ?? target}`));
  if (open.size <= 1) return chosen[0] ?? fitting[0] ?? (pairs.length === 1 ? pairs[0] : []);
  const list = chosen.map(([source = 'any', target = 'any']) => `${source} to ${target}`).join(', ');
  const missing = from === undefined ? (to === undefined ? '--from and --to' : '--from') : '--to';
  throw new UsageError(`${missing}: found none, expected those of a pair of the model: ${list}`);
}

/**
 * Where to find models, and the language in between.
 *
 * @param {Values} values
 * @returns {Promise<{ model?: string, models?: string | import('../translate/lookup.js').Index[],
 *   pivot?: string | false }>}
 */
export async function modelsOf({ model, models, cache, pivot, 'no-pivot': without }) {
  const useless = Object.entries({ models, pivot, 'no-pivot': without }).find(([, value]) => value !== undefined);
  if (model !== undefined && useless) throw new UsageError(`--${useless[0]}: has no effect with --model`);
  if (pivot !== undefined && without !== undefined) throw new UsageError('--no-pivot: has no effect with --pivot');
  if (model !== undefined) return { model };
  if (pivot !== undefined) checked(() => checkTag(pivot, '--pivot'), '--pivot', pivot);
  const way = without === undefined ? pivot : false;
  if (models !== undefined) return { models, pivot: way };
  const fetched = await findFetched(cache);
  if (cache !== undefined && fetched.length === 0) {
    throw new UsageError(`--cache: found no model of heed fetch in '${cache}', expected one, as there is no --model`);
  }
  const installed = await findInstalled(cache, fetched);
  return { models: [...(existsSync(SHIPPED) ? [SHIPPED] : []), installed], pivot: way };
}

/**
 * The model, and the pair of languages, of a command line.
 *
 * @param {Values} values
 */
export async function findPair(values) {
  const { model, models, pivot } = await modelsOf(values);
  const place = model ?? (typeof models === 'string' ? models : undefined);
  const cache = await cacheOf(values, place);
  const pairs = model ? pairsOf(await readManifest(model, cache)) : [];
  const [source = 'en', target = 'de'] = choosePair(values, pairs);
  return { model, models, pivot, place, cache, source: values.from ?? source, target: values.to ?? target };
}

/** @param {Values} values @param {number} [workers] */
export async function openTranslator(values, workers) {
  const { language, activations, shortlist, 'no-shortlist': without } = values;
  if (activations !== undefined && !QUANTIZERS.includes(/** @type {any} */ (activations))) {
    throw new UsageError(`--activations: found '${activations}', expected ${QUANTIZERS.join(', ')}`);
  }
  if (shortlist !== undefined && without !== undefined) {
    throw new UsageError('--no-shortlist: has no effect with --shortlist');
  }
  const { model, models, pivot, place, cache, source, target } = await findPair(values);
  const isRemote = cache !== false || values['no-cache'] !== undefined;
  const download = isRemote ? new Download(String(place)) : undefined;
  try {
    const translator = await Translator.create({
      sourceLanguage: source,
      targetLanguage: target,
      language,
      cache,
      workers,
      activations: /** @type {any} */ (activations),
      shortlist: shortlist !== undefined || (without === undefined ? undefined : false),
      model,
      models: /** @type {any} */ (models),
      pivot,
      monitor: (monitor) => monitor.addEventListener('downloadprogress', (/** @type {any} */ { loaded }) =>
        download?.show(loaded)),
    });
    if (translator.steps.length > 1) {
      download?.end();
      const way = translator.steps.map((step) => `${step.sourceLanguage} to ${step.targetLanguage}`).join(', then ');
      process.stderr.write(`heed: no model has the pair: ${way}\n`);
    }
    return translator;
  } catch (error) {
    const isLanguage = error instanceof HeedError && error.code === E_LANGUAGE;
    if (error instanceof RangeError || isLanguage) throw new UsageError(error.message);
    if (model || !(error instanceof Error)) throw error;
    const hint = languageOf(source) === languageOf(target) ? '--from and --to name them'
      : '--model names a model directory';
    throw new Error(`${error.message}; ${hint}`, { cause: error });
  } finally {
    download?.end();
  }
}

/**
 * Reports glossary terms that are missing in the translation.
 *
 * @param {Awaited<ReturnType<typeof details>>} lines
 * @param {Work} work
 */
function warnOfTerms(lines, work) {
  for (const { source, target, glossary = [] } of lines.flatMap(({ sentences }) => sentences)) {
    for (const { term, translation } of glossary.filter(({ exact }) => !exact)) {
      work.tell(`'${term}' is not translated as '${translation}' each time: ${source} | ${target}`);
      process.exitCode = 1;
    }
  }
}

/**
 * The details of lines, one object each. Each line is a call of its own, so that its neighbours do not change it; the
 * calls share the steps of the decoder.
 *
 * @param {Translator} translator
 * @param {string[]} lines
 * @param {import('../translate/options.js').TranslateOptions} options
 */
function details(translator, lines, options) {
  const glossary = options.glossary && copyGlossary(options.glossary);
  return Promise.all(lines.map(async (source) => {
    // as translateDetailed() does, so that the text between sentences has the right position
    const text = glossary ? moveBreaks(source, glossary, translator.sourceLanguage) : source;
    const sentences = await translator.translateDetailed(source, options);
    /** The line, with a chosen text for each sentence. @param {(sentence: typeof sentences[0]) => string} choose */
    const join = (choose) => {
      let [target, at] = ['', 0];
      for (const sentence of sentences) {
        target += text.slice(at, sentence.start) + choose(sentence);
        at = sentence.start + sentence.source.length;
      }
      return target + text.slice(at);
    };
    return { source, target: join(({ target }) => target), sentences, join };
  }));
}

/**
 * Groups of texts, and whether they are lines.
 *
 * @param {import('./commands.js').Operand[]} operands
 * @param {number} batch
 * @param {Work} work
 * @returns {AsyncGenerator<{ lines: string[], isInput: boolean }>}
 */
async function* groupsOf(operands, batch, work) {
  const onWrong = (/** @type {string} */ problem) => {
    work.tell(`standard input: ${problem}`);
    process.exitCode = 1;
  };
  /** @type {string[]} */
  let lines = [];
  for (const { text, isInput } of operands) {
    if (!isInput) lines.push(text);
    if (lines.length > 0 && (isInput || lines.length === batch)) yield { lines: lines.splice(0), isInput: false };
    if (!isInput) continue;
    for await (const group of lineGroups(process.stdin, batch, onWrong)) yield { lines: group, isInput: true };
  }
  if (lines.length > 0) yield { lines, isInput: false };
}

/**
 * @param {Values} values
 * @param {import('./commands.js').Operand[]} given
 */
export async function translate(values, given) {
  const search = searchOptions(values);
  const operands = given.length > 0 ? given : [{ text: '-', isInput: true, isText: false }];
  const useless = ['json', 'n-best'].find((option) => values[option] !== undefined);
  if (values.html && useless) throw new UsageError(`--${useless}: has no effect with --html`);
  const inputs = operands.filter(({ isInput }) => isInput).length;
  if (inputs > 1) throw new UsageError('-: given twice, but standard input can be read only once');
  const size = inputs > 0 ? inputSize() : 0;
  const glossary = values.glossary === undefined ? undefined : readGlossary(values.glossary);
  const options = { ...search, glossary };
  const { nBest = 1, batchSize = BATCH } = search;
  const jobs = count('jobs', values.jobs, MAX_WORKERS);
  const translator = await openTranslator(values, jobs);
  await checkBeams(translator, values, search);
  const texts = operands.reduce((sum, { text, isInput }) => sum + (isInput ? 0 : Buffer.byteLength(text) + 1), 0);
  const work = new Work(size === undefined ? undefined : size + texts);
  /** @param {string[]} lines */
  const run = async (lines) => {
    // translate() would throw if a term is missing
    const isDetailed = values.json || nBest > 1 || (glossary && !values.html);
    const detailed = isDetailed ? await details(translator, lines, options) : [];
    const results = values.json
      ? detailed.map(({ join: _, ...line }) => JSON.stringify(line, (name, value) =>
        (name === 'candidates' ? undefined : ArrayBuffer.isView(value) ? [.../** @type {any} */ (value)] : value)))
      : nBest > 1
        ? detailed.flatMap(({ join }) => Array.from({ length: nBest }, (_, i) =>
          join(({ target, alternatives = [] }) =>
            (i === 0 ? target : alternatives[Math.min(i, alternatives.length) - 1]?.text ?? target))))
        : isDetailed
          ? detailed.map(({ target }) => target)
          : values.html
            ? await Promise.all(lines.map((line) => translator.translateHtml(line, options)))
            : await translator.translate(lines, options);
    return { detailed, results };
  };
  /**
   * Writes the results of a group after those of the group before it.
   *
   * @param {ReturnType<typeof run>} started
   * @param {string[]} lines
   * @param {boolean} isInput
   * @param {Promise<void>} previous
   */
  const writeResults = async (started, lines, isInput, previous) => {
    started.catch(() => {}); // reported when those before are written
    await previous;
    const { detailed, results } = await started;
    warnOfTerms(detailed, work);
    // a line stays one line, even if a model returns line breaks
    await work.around(async () => {
      for (const result of results) await write(`${isInput ? result.replace(/\n/g, ' ') : result}\n`);
    });
    if (!process.stdin.isTTY || inputs === 0) work.add(lines);
  };
  /** The groups that run, or wait for an earlier one to be written. @type {Promise<void>[]} */
  const running = [];
  let last = Promise.resolve();
  try {
    for await (const { lines, isInput } of groupsOf(operands, batchSize, work)) {
      last = writeResults(run(lines), lines, isInput, last);
      running.push(last);
      // an error ends the command although more input may come
      last.catch((error) => void (inputs > 0 && process.stdin.destroy(error)));
      if (running.length >= 2 * (jobs ?? 0)) await running.shift();
    }
    await last;
  } finally {
    work.end(); // so that an error is on its own line
    translator.destroy();
  }
}
