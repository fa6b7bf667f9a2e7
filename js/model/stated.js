// stated.js - the languages that the small files of a model state, without its tables of pieces. Loaded by lookup.js,
// offered.js.

import { concat } from '../base/bytes.js';
import { parseJson } from '../base/json.js';
import { canonical, languageOf } from './languages.js';
import { codeOf, findCode, findTask, tasksOf } from './pairs.js';

/** @typedef {Awaited<ReturnType<typeof import('../files/source.js').openSource>>} Files */

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
