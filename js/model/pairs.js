// pairs.js - what a model does with a pair of languages: nothing; a token for the target, as MarianMT; tokens for both,
// as M2M-100; or the words of a task before the text, as T5. Loaded by here.js, lookup.js, offered.js.

import { concat } from '../base/bytes.js';
import { E_CONFIG } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { parseJson } from '../base/json.js';
import { canonical, languageOf, notSupported } from './languages.js';
import { RULES } from './options.js';

/** @typedef {Awaited<ReturnType<typeof import('../files/source.js').openSource>>} Files */

/** Names of the same language in tags and in models. @type {Record<string, string[]>} */
const ALIASES = {
  no: ['nb', 'nn'], nb: ['no'], nn: ['no'], // Norwegian, Bokmål, Nynorsk
  ps: ['pbt'], qu: ['quy'], ff: ['fuv'], zgh: ['tzm'], // a language, and the one of its forms that NLLB has
  nso: ['ns'], // M2M-100's own
};

/** A code of a model as a locale; undefined if it is none. @param {string} code */
function localeOf(code) {
  try {
    return new Intl.Locale(code.replaceAll('_', '-'));
  } catch {
    return undefined;
  }
}

/**
 * The code of a model for a language tag: the same language, script and region; else the same language and script. What
 * a tag does not state is what is most likely for its language. A code without a script fits every one, and so does the
 * only code of a language if the tag names no script.
 *
 * @param {Iterable<string>} codes  such as `de`, `deu_Latn`, `de_DE`, `zh_CN`
 * @param {string} tag  canonical, such as `de`, `zh-Hant`, `pt-BR`
 * @returns {string | undefined}
 */
export function findCode(codes, tag) {
  const wanted = new Intl.Locale(tag);
  const { language, script } = wanted.maximize();
  for (const name of [language, ...ALIASES[language] ?? []]) {
    const found = [...codes].flatMap((code) => {
      const locale = localeOf(code);
      return locale?.language === name ? [{ code, locale }] : [];
    });
    const same = (/** @type {Intl.Locale} */ locale) => String(locale.maximize()) === String(wanted.maximize());
    const first = found.find(({ code, locale }) => code.startsWith(name) && same(locale))
      ?? found.find(({ locale }) => same(locale))
      // of two codes for one language, the one with its name: apc_Arab before ajp_Arab
      ?? [...found].sort((a, b) => Number(b.code.startsWith(name)) - Number(a.code.startsWith(name)))
        .find(({ locale }) => {
          const isPlain = locale.script === undefined && locale.region === undefined;
          return isPlain || locale.maximize().script === script;
        })
      ?? (found.length === 1 && wanted.script === undefined && wanted.region === undefined ? found[0] : undefined);
    if (first) return first.code;
  }
  return undefined;
}

/** Options of generate() that a task may set, by their names in config.json. @type {Record<string, string>} */
const TASK_SETTINGS = {
  num_beams: 'beams',
  early_stopping: 'earlyStopping',
  length_penalty: 'lengthPenalty',
  no_repeat_ngram_size: 'noRepeatNgram',
  max_length: 'maxLength',
};

/** @typedef {{ source: string, target: string, name: string, prefix: string, settings: Record<string, any> }} Task */

/**
 * The translations among the tasks of a T5 model, `task_specific_params` of config.json.
 *
 * @param {Readonly<Record<string, any>>} config
 * @returns {Task[]}
 */
export function tasksOf({ task_specific_params: tasks }) {
  return Object.entries(Object(tasks)).flatMap(([name, task]) => {
    const [, source, target] = /^translation_(\w+?)_to_(\w+)$/.exec(name) ?? [];
    if (source === undefined || typeof task?.prefix !== 'string') return [];
    return [{ source, target, name, prefix: task.prefix, settings: task }];
  });
}

/**
 * Bytes at the start of a SentencePiece model in which its languages are: SentencePiece numbers such symbols before all
 * pieces of texts. MADLAD's take about 10,000.
 */
const HEAD = 65536;

/**
 * The languages among the pieces of a model, as MADLAD's; [] if its SentencePiece model does not begin with any.
 * Reads only the start of the file if `target` is among those there, else all of it.
 *
 * @param {Files} files
 * @param {string} [target]  default: all languages are wanted
 */
async function languagePieces(files, target) {
  const chunks = await files.find('spiece.model', true);
  if (!chunks) return [];
  const { languagesIn } = await import('../formats/spm-languages.js');
  const reader = new files.io.ChunkReader(chunks);
  try {
    const head = await reader.take(HEAD);
    const languages = languagesIn(head);
    if (languages.length === 0 || (target && findCode(languages, target) !== undefined)) return languages;
    return languagesIn(concat([head, await reader.take(Infinity)]));
  } finally {
    await reader.close();
  }
}

/**
 * @param {Files} files
 * @param {string} name
 * @returns {Promise<Record<string, any>>}  {} if it is missing
 */
async function readJson(files, name) {
  const bytes = await files.readOptional(name);
  return bytes ? Object(parseJson(bytes, name)) : {};
}

/**
 * What the files of a model say of its languages, without its tables of pieces: codes of both sides, codes of targets,
 * or tasks; all empty if they do not tell.
 *
 * @param {Files} files
 * @param {Record<string, any>} stated  config.json
 * @param {(name: string) => boolean | Promise<boolean>} has  whether a file is there
 * @param {string} [target]  the only target that matters
 */
async function readLanguages(files, stated, has, target) {
  const { codesOf } = await import('../text/families.js');
  const codes = codesOf(stated, await readJson(files, 'tokenizer_config.json'), await has('vocab.json'));
  const targets = codes.length > 0 ? [] : await languagePieces(files, target);
  return { codes, targets, tasks: codes.length > 0 || targets.length > 0 ? [] : tasksOf(stated) };
}

/** Whether config.json is that of a model of MarianMT. @param {Record<string, any>} stated */
const isMarian = (stated) => (stated.model_type ?? 'marian') === 'marian';

/**
 * Refuses a pair that config.json, tokenizer_config.json and spiece.model do not have, if heed.json does not tell. It
 * does not read vocab.json and tokenizer.json, so create() tells of the languages there.
 *
 * @param {Files} files
 * @param {any} manifest  heed.json
 * @param {(name: string) => boolean | Promise<boolean>} has  whether a file is there
 * @param {[source: string, target: string]} pair  canonical tags
 */
export async function checkFiles(files, manifest, has, pair) {
  if (manifest.pairs || manifest.source || manifest.target || !await has('config.json')) return;
  const stated = await readJson(files, 'config.json');
  if (isMarian(stated)) return;
  const { codes, targets, tasks } = await readLanguages(files, stated, has, pair[1]);
  if (codes.length > 0) {
    ['sourceLanguage', 'targetLanguage'].forEach((option, i) => codeOf(codes, option, pair[i]));
  } else if (targets.length > 0) codeOf(targets, 'targetLanguage', pair[1]);
  else if (tasks.length > 0) findTask(tasks, ...pair);
}

/** Names of groups of languages in OPUS-MT's models, by ISO 639-5; others have more than three letters. */
const GROUPS = new RegExp('^(?:aav|afa|alv|art|bat|bnt|cau|ccs|cel|cpf|cpp|cus|dra|euq|fiu|gem|gmq|gmw|grk|iir|inc|ine|'
  + 'iro|itc|map|mkh|mul|nic|phi|poz|pqe|pqw|roa|sal|sem|sla|ssa|taw|trk|tut|urj|zle|zls|zlw|[a-z]{4,})$');
/** Codes of models that people write in another way. @type {Record<string, string>} */
const USUAL = { pbt: 'ps', quy: 'qu', fuv: 'ff', ns: 'nso' };

/**
 * The tags of codes: the language alone where it has one code, as in `de` of `de_DE`.
 *
 * @param {Iterable<string>} codes
 */
function tagsOf(codes) {
  const usual = (/** @type {string} */ code) => code.replace(/^[a-z]+/, (language) => USUAL[language] ?? language);
  const tags = [...new Set([...codes].map((code) => canonical(usual(code).replaceAll('_', '-'))))]
    .filter((tag) => tag !== undefined);
  const languages = tags.map(languageOf);
  return tags.map((tag, i) => {
    const isOnly = languages.indexOf(languages[i]) === languages.lastIndexOf(languages[i]);
    return isOnly ? languages[i] : tag;
  });
}

/**
 * The pairs of a model without heed.json, by the languages of its files; of MarianMT's, by the language tokens of
 * vocab.json and by the languages of tokenizer_config.json.
 *
 * @param {Files} files
 * @param {(name: string) => boolean | Promise<boolean>} has  whether a file is there
 * @returns {Promise<import('./languages.js').Pair[]>}  canonical tags; [] if the files do not tell
 */
export async function listStated(files, has) {
  const stated = Object(parseJson(await files.read('config.json'), 'config.json'));
  if (isMarian(stated)) {
    const { source_lang: source, target_lang: target } = await readJson(files, 'tokenizer_config.json');
    const [from] = tagsOf([String(source ?? '')]).filter((tag) => !GROUPS.test(tag));
    const tokens = Object.keys(await readJson(files, 'vocab.json'))
      .flatMap((piece) => /^>>(.+)<<$/.exec(piece)?.[1] ?? []);
    const targets = tagsOf(tokens.length > 0 ? tokens : [String(target ?? '')]);
    return targets.filter((to) => to !== from).map((to) => [from, to]);
  }
  const { codes, targets, tasks } = await readLanguages(files, stated, has);
  const all = tagsOf(codes);
  return [
    ...all.flatMap((from) => all.filter((to) => to !== from).map((to) => [from, to])),
    ...tagsOf(targets).map((to) => [undefined, to]),
    ...tasks.map(({ source, target }) => [source, target].map((code) => tagsOf([code])[0])),
  ];
}

/** @param {Iterable<string>} languages @param {string} option @param {string} tag */
function codeOf(languages, option, tag) {
  const code = findCode(languages, tag);
  if (code === undefined) throw notSupported(`${option}: found ${tag}, the model's are ${[...languages].join(', ')}`);
  return code;
}

/** @param {Task[]} tasks @param {string} source @param {string} target */
function findTask(tasks, source, target) {
  const task = tasks.find((each) => languageOf(each.source) === languageOf(source)
    && languageOf(each.target) === languageOf(target));
  if (task) return task;
  const list = tasks.map((each) => `${each.source} to ${each.target}`).join(', ');
  throw notSupported(`found ${source} to ${target}, the model's tasks are ${list}`);
}

/** The defaults of a search for a task. @param {Task} task @param {Record<string, any>} config */
function settingsOf({ name, settings }, config) {
  /** @type {Record<string, any>} */
  const found = {};
  for (const [key, option] of Object.entries(TASK_SETTINGS)) {
    if (settings[key] == null) continue;
    try {
      RULES[option](`config.json: task_specific_params: ${name}: ${key}`, settings[key], config);
    } catch (error) {
      throw new HeedError(E_CONFIG, /** @type {Error} */ (error).message, { cause: error });
    }
    found[option] = settings[key];
  }
  const { maxLength, ...others } = found;
  const longest = Number(config.max_position_embeddings);
  return maxLength === undefined ? others : { ...others, maxTokens: Math.max(1, Math.min(longest, maxLength - 1)) };
}

/**
 * How a model translates a pair.
 *
 * @typedef {object} Way
 * @property {(text: string) => ReturnType<import('../text/tokenizer.js').Tokenizer['encode']>} encode  sources
 * @property {Partial<import('./config.js').GenerateDefaults>} [settings]  other defaults of a search
 */

/**
 * How a model of MarianMT translates: with a language token, if it has several targets.
 *
 * @param {Pick<import('./model.js').Model, 'manifest' | 'tokenizer'>} model
 * @param {string} target
 * @param {string} [language]  the token, if `target` does not tell
 * @returns {import('./pairs.js').Way}
 */
function chooseToken({ manifest, tokenizer }, target, language) {
  const { languages } = tokenizer;
  const tokenFor = (/** @type {string} */ tag) =>
    languages.find((name) => canonical(name.replaceAll('_', '-')) === tag);
  const token = language ?? tokenFor(target) ?? tokenFor(languageOf(target)) ?? findCode(languages, target);
  if (languages.length > 0 && token === undefined && manifest.target === undefined) {
    throw notSupported(`targetLanguage: found ${target}, the model's are ${languages.join(', ')}`);
  }
  const encode = (/** @type {string} */ text) => tokenizer.encode(text, { language: token });
  encode(''); // refuses an unknown token
  return { encode };
}

/**
 * @param {Pick<import('./model.js').Model, 'config' | 'manifest' | 'tokenizer'>} model
 * @param {string} source  canonical tags
 * @param {string} target
 * @param {string} [language]  the token of the target, if `target` does not tell
 * @returns {Way}  NotSupportedError: the model has no such pair
 */
export function chooseWay(model, source, target, language) {
  const { config, tokenizer } = model;
  if (config.model_type === 'marian') return chooseToken(model, target, language);
  const { languages } = tokenizer;
  if (languages.length === 0) {
    const tasks = tasksOf(config);
    const task = tasks.length > 0 ? findTask(tasks, source, target) : undefined;
    if (!task) return { encode: (text) => tokenizer.encode(text) };
    const { length } = task.prefix;
    return {
      settings: settingsOf(task, config),
      encode(text) {
        const encoded = tokenizer.encode(task.prefix + text);
        // tokens of the prefix have empty ranges at the start of the text
        encoded.offsets.forEach((at, i) => (encoded.offsets[i] = Math.max(0, at - length)));
        return encoded;
      },
    };
  }
  const choose = (/** @type {string} */ option, /** @type {string} */ tag) => codeOf(languages, option, tag);
  const to = language ?? choose('targetLanguage', target);
  const [token] = tokenizer.encode('', { side: 'target', language: to }).ids.filter((id) => id !== config.eos_token_id);
  const { ids } = tokenizer.encode('');
  const start = Number(config.decoder_start_token_id);
  // mBART's first models: the language is the end of a source, and the start of a translation, which no search changes
  if (ids.length > 1 && ids[1] !== config.eos_token_id && start !== config.eos_token_id) {
    if (start !== token) {
      throw notSupported(`targetLanguage: found ${to}, the model's is ${tokenizer.idToPiece(start)}`);
    }
    const own = choose('sourceLanguage', source);
    return { encode: (text) => tokenizer.encode(text, { language: own }) };
  }
  // a source of no stated language gets the usual one, if sources have tokens of their own language
  const from = ids.length > 1 ? choose('sourceLanguage', source) : undefined;
  return from === undefined ? { encode: (text) => tokenizer.encode(text, { language: to }) }
    : { encode: (text) => tokenizer.encode(text, { language: from }), settings: { forcedBosTokenId: token } };
}
