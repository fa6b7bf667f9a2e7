// documents.js - files in, files out: reads a file of a known format, translates its texts, and writes them into it;
// all else stays byte for byte. Used by cli/files.js.
//
//   file -> the format's reader -> units: texts, and HTML for texts with marks inside -> Translator
//        -> translations -> the format's writer

import { E_STATE } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { BATCH } from '../base/limits.js';

/** @typedef {import('./unit.js').Document} Document */
/** @typedef {import('./unit.js').Unit} Unit */
/**
 * @typedef {object} ReadOptions
 * @property {string} source  a language tag
 * @property {string} target
 * @property {string[]} [keys]  of JSON: see json.js
 */

/**
 * @typedef {object} Format
 * @property {string[]} endings  of names
 * @property {boolean} [isBilingual]  it has the translations beside the texts
 * @property {(source: string, options: ReadOptions) => Promise<Document>} read  loads the reader
 */

/** @type {Record<string, Format>} */
export const FORMATS = {
  html: {
    endings: ['html', 'htm', 'xhtml'],
    read: async (source, options) => (await import('./html.js')).readHtml(source, options),
  },
  json: {
    endings: ['json', 'arb'],
    read: async (source, options) => (await import('./json.js')).readJson(source, options),
  },
  md: { endings: ['md', 'markdown'], read: async (source) => (await import('./markdown.js')).readMarkdown(source) },
  po: {
    endings: ['po', 'pot'], isBilingual: true,
    read: async (source, options) => (await import('./po.js')).readPo(source, options),
  },
  srt: {
    endings: ['srt'],
    read: async (source, options) => (await import('./subtitles.js')).readSubtitles(source, 'srt', options),
  },
  txt: { endings: ['txt', 'text'], read: async (source) => (await import('./text.js')).readText(source) },
  vtt: {
    endings: ['vtt'],
    read: async (source, options) => (await import('./subtitles.js')).readSubtitles(source, 'vtt', options),
  },
  xliff: {
    endings: ['xliff', 'xlf'], isBilingual: true,
    read: async (source, options) => (await import('./xliff.js')).readXliff(source, options),
  },
};

/** The format of a file, by its name. @param {string} name @returns {string | undefined} */
export function formatOf(name) {
  const ending = /[^/\\]\.([A-Za-z]+)$/.exec(name)?.[1].toLowerCase() ?? '';
  return Object.keys(FORMATS).find((format) => FORMATS[format].endings.includes(ending));
}

/**
 * Reads a file. Readers see line feeds alone, unless a file has both kinds of line ends.
 *
 * @param {string} format
 * @param {string} text
 * @param {ReadOptions} options
 * @returns {Promise<Document>}  DocumentError: the file is not of this format
 */
export async function readDocument(format, text, options) {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const isCrLf = /\r\n/.test(text) && !/(?<!\r)\n|\r(?!\n)/.test(text);
  const source = text.slice(mark.length);
  const { units, write } = await FORMATS[format].read(isCrLf ? source.replaceAll('\r\n', '\n') : source, options);
  return {
    units,
    write: (translations, tell) => {
      const output = write(translations, tell);
      return mark + (isCrLf ? output.replace(/\r?\n/g, '\r\n') : output);
    },
  };
}

/** What went wrong if a term of a glossary could not be placed. @param {unknown} error */
const termProblem = (error) =>
  (error instanceof HeedError && error.code === E_STATE && error.message.startsWith('glossary: ')
    ? error.message : undefined);

/**
 * The translations of units; equal ones are translated once. A unit whose term of the glossary cannot be placed gets
 * its `problem`, and its text for a translation.
 *
 * @param {Unit[]} units
 * @param {Pick<import('../translate/translator.js').Translator, 'translate' | 'translateHtml'>} translator
 * @param {object} [options]
 * @param {import('./memory.js').Memory} [options.memory]  what it has is not translated; gets what is new
 * @param {(done: number, total: number) => void} [options.onProgress]  UTF-16 units of texts
 * @param {import('../translate/options.js').TranslateOptions} [options.search]  of the Translator
 * @returns {Promise<string[]>}
 */
export async function translateUnits(units, translator, { memory, onProgress, search } = {}) {
  const keyOf = (/** @type {Unit} */ { text, isHtml }) => (isHtml ? 'h' : 't') + text;
  /** @type {Map<string, string>} */
  const translations = new Map();
  /** @type {Map<string, Unit>} */
  const missing = new Map();
  for (const unit of units) {
    const known = memory?.get(unit);
    if (known === undefined) missing.set(keyOf(unit), unit);
    else translations.set(keyOf(unit), known);
  }
  /** Calls at the same time share the work. @param {Unit[]} group */
  const translateGroup = async (group) => {
    const plain = group.filter(({ isHtml }) => !isHtml);
    const [texts, ...htmls] = await Promise.all([
      translator.translate(plain.map(({ text }) => text), search),
      ...group.filter(({ isHtml }) => isHtml).map(({ text }) => translator.translateHtml(text, search)),
    ]);
    const [nextText, nextHtml] = [texts.values(), htmls.values()];
    return group.map(({ isHtml }) => /** @type {string} */ ((isHtml ? nextHtml : nextText).next().value));
  };
  /** @type {Map<string, string>} */
  const problems = new Map();
  const left = [...missing.values()];
  const total = left.reduce((sum, { text }) => sum + text.length, 0);
  let done = 0;
  for (let at = 0; at < left.length; at += BATCH) {
    const group = left.slice(at, at + BATCH);
    const results = await translateGroup(group).catch((error) => {
      if (termProblem(error) === undefined) throw error;
      // each alone, to find those that it is about
      return Promise.all(group.map((unit) => translateGroup([unit]).then(([own]) => own, (own) => {
        const problem = termProblem(own);
        if (problem === undefined) throw own;
        problems.set(keyOf(unit), problem);
        return unit.text;
      })));
    });
    for (const [i, unit] of group.entries()) {
      translations.set(keyOf(unit), results[i]);
      if (!problems.has(keyOf(unit))) memory?.add(unit, results[i]);
      done += unit.text.length;
    }
    onProgress?.(done, total);
  }
  for (const unit of units) unit.problem = problems.get(keyOf(unit));
  return units.map((unit) => /** @type {string} */ (translations.get(keyOf(unit))));
}
