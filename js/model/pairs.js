// pairs.js - what a model does with a pair of languages: nothing; a token for the target, as MarianMT; tokens for both,
// as M2M-100; or the words of a task before the text, as T5. Loaded by here.js; used by stated.js.

import { E_CONFIG } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { canonical, languageOf, notSupported } from './languages.js';
import { RULES } from './options.js';

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

/** @param {Iterable<string>} languages @param {string} option @param {string} tag */
export function codeOf(languages, option, tag) {
  const code = findCode(languages, tag);
  if (code === undefined) throw notSupported(`${option}: found ${tag}, the model's are ${[...languages].join(', ')}`);
  return code;
}

/** @param {Task[]} tasks @param {string} source @param {string} target */
export function findTask(tasks, source, target) {
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
