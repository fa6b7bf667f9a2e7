// documents.js - files of each format, changed at random and translated by stubs: no exception but one that names a
// line, the same bytes if the stub changes nothing, and else a file of the same structure. Used by documents.test.js.
//
//     node tests/mutate/documents.js [--runs 100000] [--from 0] [--seed 1] [--format md]

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FORMATS, readDocument, translateUnits } from '../../js/documents/documents.js';
import { parseMarkdown } from '../../js/documents/dialects.js';
import { parse } from '../../js/documents/messageformat.js';
import { DocumentError } from '../../js/documents/unit.js';
import { readMarkup } from '../../js/text/markup.js';
import { Random } from './model.js';
import { STUBS, translateBy, translatePlain } from './stubs.js';

const GOLDEN = new URL('../golden/documents/', import.meta.url);

/** A Translator without a model. @param {string} stub @returns {any} */
export const fakeTranslator = (stub) => ({
  translate: async (/** @type {string[]} */ texts) => texts.map((text) => translatePlain(text, STUBS[stub])),
  translateHtml: async (/** @type {string} */ html) => translateBy(html, stub).output,
});

/**
 * A file, translated.
 *
 * @param {string} format
 * @param {string} text
 * @param {string} stub
 * @param {Partial<import('../../js/documents/documents.js').ReadOptions>} [options]
 */
export async function translateDocument(format, text, stub, options) {
  const document = await readDocument(format, text, { source: 'en', target: 'de', ...options });
  const translations = await translateUnits(document.units, fakeTranslator(stub));
  /** @type {string[]} */
  const problems = [];
  const output = document.write(translations, (line, problem) => problems.push(`${line}: ${problem}`));
  return { output, problems, units: document.units };
}

/** By format: golden files. @type {Record<string, string>} */
export const SAMPLES = Object.fromEntries(readdirSync(GOLDEN).filter((name) => name.startsWith('sample.'))
  .map((name) => [name.slice('sample.'.length), readFileSync(new URL(name, GOLDEN), 'utf8')]));

/**
 * What two files of a format must have in common, whatever their texts; undefined: the file is wrong.
 *
 * @type {Record<string, (text: string) => unknown>}
 */
export const STRUCTURES = {
  json: (text) => {
    const shape = (/** @type {any} */ value, /** @type {string} */ key) => (Array.isArray(value)
      ? value.map((each) => shape(each, key)) : value && typeof value === 'object'
        ? Object.entries(value).map(([own, each]) => [own, shape(each, own)])
        : typeof value === 'string' ? key !== '@@locale' && placeholders(value) : value);
    return shape(JSON.parse(text), '');
  },
  md: (text) => {
    /** @type {string[]} */
    const blocks = [];
    /** @type {string[]} */
    let marks = [];
    const body = text.replace(/^---\n[^]*?\n---\n/, (front) => front.replace(/[^\n]/g, ' '));
    parseMarkdown(body).iterate({
      enter({ name, from, to }) {
        if (/^(?:Escape|Entity|Link(?:Label|Mark))$/.test(name)) return;
        const isInline =
          /^(?:Link|Image|Autolink|URL|InlineCode|HTMLTag|HardBreak|(?:Str|High|Em|Comm|Outp)\w+|CodeMark|Formula)$/;
        if (isInline.test(name)) {
          marks.push(/URL|Code|Tag|Formula|Command|Output|Emoji/.test(name) ? `${name} ${text.slice(from, to)}` : name);
        } else if (!/^(?:LinkTitle|QuoteMark|HTMLBlock)$/.test(name)) {
          blocks.push(...marks.sort(), /Code/.test(name) ? `${name} ${text.slice(from, to)}` : name);
          marks = [];
        }
      },
    });
    return [...blocks, ...marks.sort()];
  },
  // all but the translations, and flags in comments
  po: (text) => text.replace(/^[ \t]*msgstr.*(?:\n[ \t]*".*)*|^[ \t]*#[^\n]*\n/gm, '')
    .replace(/^msgid ""\n+(?!")/, '').replace(/\n+/g, '\n').trim(),
  // all but the lines after times
  srt: (text) => cuesOf(text),
  vtt: (text) => cuesOf(text),
  // all but targets and their languages
  xliff: (text) => text.replace(/\s*<target[^<>]*(?:\/>|>[^]*?<\/target\s*>)/g, '')
    .replace(/ target-language="de"/, ''),
  html: (text) => readMarkup(text).filter(({ type }) => type !== 'text').map(({ type, start, end, name }) =>
    (type === 'open' ? name : text.slice(start, end))).sort(),
  txt: () => '',
};

/** The blocks of subtitles, of cues up to their times. @param {string} text */
const cuesOf = (text) => text.split(/\n[ \t]*\n/)
  .map((block) => block.replace(/(-->[^\n]*)\n[^]*\S[^]*$/, '$1 X').trim())
  .filter(Boolean);

/** The placeholders and tags of a text. @param {string} text */
function placeholders(text) {
  if (!/\{\s*[\w.-]+\s*,\s*(?:plural|select|selectordinal)\s*,/.test(text)) {
    return (text.match(/%%|\{[^{}]*\}|%[sd]|<\/?[a-z]\w*(?:\s[^<>]*)?\/?>/g) ?? []).sort().join('');
  }
  // sentences around plurals are in each of their cases
  const found = new Set();
  const visit = (/** @type {any[]} */ tokens) => {
    for (const { type, arg = '', cases = [] } of tokens) {
      if (type !== 'content') found.add(`${type} ${arg}`);
      for (const each of cases) {
        found.add(`${arg} ${each.key}`);
        visit(each.tokens);
      }
    }
  };
  visit(parse(text, { strict: false }));
  return [...found].sort().join();
}

/** Pieces that mean something in a format. @type {Record<string, string[]>} */
const TOKENS = {
  json: ['{', '}', '[', ']', '"', ',', ':', '\\', '\\n', '"a b"', '"{x} y"', '"%s <b>z</b>"', 'null', '1e9', ' ',
    '\n', '\\u00e9', '{n, plural, one {# a} other {# b}}', "'", '#', '{0}'],
  md: ['*', '**', '_', '`', '```', '~~', '[', ']', '](', ')', '![', '<b>', '</b>', '<!--', '> ', '- ', '1. ', '# ', '|',
    '\n', '\n\n', '    ', '\\', '&amp;', '---', '===', '[r]', ': ', 'x_y', '\t', '<', '$', '\r\n', 'word',
    '$$', '{% a %}', '{: .x}'],
  po: ['"', '\\', '\n', '\n\n', '#', '#, fuzzy\n', '#| x\n', '#~ ', 'msgid ', 'msgstr ', 'msgstr[0] ', 'msgstr[1] ',
    'msgid_plural ', 'msgctxt ', '""', '"a b"', '%d', '{x}', ' ', 'nplurals=', ';', '?', 'n', '==', '"Language: "'],
  srt: ['\n', '\n\n', '-->', '<i>', '</i>', '<b>', '{\\an1}', '- ', 'word ', '.', ',', '\u2026', '[', '<', '1\n', ' '],
  vtt: ['\n', '\n\n', '-->', '<i>', '</i>', '<c.x>', '<v A>', '<00:01.000>', '- ', 'word ', '.', '&amp;', '&', 'NOTE ',
    'WEBVTT', '<', ' '],
  xliff: ['<', '>', '/', '"', '&', '&amp;', '<g id="2">', '</g>', '<x id="3"/>', '<source>', '</source>',
    ' state="new"', '{0}', '%s', ' translate="no"', ']]>', '<!--', 'word ', '\n'],
  html: ['<b>', '</b>', '<p>', '<br>', '<', '>', '&amp;', '<div lang=fr>', '</div>', ' title="a b"', '<!--', '-->',
    '<pre>', '</pre>', '<textarea>', '<span translate=no>', '</span>', 'word ', '\n'],
  txt: ['\n', '\n\n', ' ', '- ', '1. ', '\t', 'word', 'Word.', '\u3000', '\r\n', '\u2028'],
};

/** @param {Random} random @param {string} text @param {string[]} tokens */
function changed(random, text, tokens) {
  let result = text;
  for (let left = 1 + random.below(6); left > 0; left--) {
    const [at, size] = [random.below(result.length + 1), random.below(12)];
    const piece = result.slice(at, at + size);
    const [head, tail] = [result.slice(0, at), result.slice(at + size)];
    result = [
      () => head + tail, () => head + piece + piece + tail, () => head + random.pick(tokens) + piece + tail,
      () => head + random.pick(tokens) + tail, () => head + piece.split('').reverse().join('') + tail,
      () => head + String.fromCharCode(random.below(random.once(4) ? 0x10000 : 128)) + piece + tail,
    ][random.below(6)]();
  }
  return result;
}

/** A part of a sample, since short files are quick. @param {Random} random @param {string} text */
function partOf(random, text) {
  const lines = text.split('\n');
  const from = random.below(lines.length);
  return random.once(3) ? text : lines.slice(from, from + 1 + random.below(8)).join('\n');
}

/** @param {string} format @param {number} seed @param {number} index */
export function makeInput(format, seed, index) {
  const random = new Random(seed * 1_000_003 + index);
  // the parser does not know footnotes, and takes those of one word for references
  const sample = SAMPLES[format].replace(/^\[\^.*\n/gm, '');
  const isWhole = format === 'xliff';
  if (format !== 'json') return changed(random, isWhole ? sample : partOf(random, sample), TOKENS[format]);
  // most changes of its grammar are refused: change strings, too
  if (random.once(2)) return changed(random, SAMPLES.json, TOKENS.json);
  const values = Object.values(JSON.parse(SAMPLES.json)).filter((value) => typeof value === 'string');
  return JSON.stringify({ a: changed(random, random.pick(values), TOKENS.json), b: random.pick(values) }, null, 1);
}

/** Milliseconds of a processor that an input may take. */
const SLOW = 2000;
const now = () => process.cpuUsage().user / 1000;
const OTHERS = ['upper', 'reverse', 'twice', 'half', 'astray', 'none'];

/**
 * What is wrong with the translation of a file, or ''.
 *
 * @param {string} format
 * @param {string} text
 * @param {string} stub
 */
export async function wrong(format, text, stub) {
  let structure;
  try {
    structure = JSON.stringify(STRUCTURES[format](text));
  } catch {
    structure = undefined; // heed must refuse it, too
  }
  const refused = (/** @type {unknown} */ error) => error instanceof DocumentError && error.line > 0;
  try {
    const { output } = await translateDocument(format, text, stub);
    if (structure === undefined) return `not refused: ${output}`;
    // with its language
    const isMarked = /"@@locale"/.test(text) || FORMATS[format].isBilingual;
    if (stub === 'identity' && output !== text && !isMarked) return `not the same: ${output}`;
    const found = JSON.stringify(STRUCTURES[format](output));
    return found === structure ? '' : `other structure: ${output}: ${found}, expected ${structure}`;
  } catch (/** @type {any} */ error) {
    if (!refused(error)) return error.stack;
    // a message may be wrong in a file that is right; of others, structures here know less than readers
    return structure === undefined || format !== 'json' || /ICU/.test(error.message) ? '' : `refused: ${error.message}`;
  }
}

/**
 * @param {{ runs: number, from?: number, seed?: number, formats?: string[] }} options
 * @returns {Promise<{ counts: Record<string, number>, slowest: number, failures: string[] }>}  counts: by format
 */
export async function run({ runs, from = 0, seed = 1, formats = Object.keys(SAMPLES) }) {
  /** @type {Record<string, number>} */
  const counts = Object.fromEntries(formats.map((format) => [format, 0]));
  /** @type {string[]} */
  const failures = [];
  let slowest = 0;
  for (let index = from; index < from + runs && failures.length < 20; index++) {
    const format = formats[index % formats.length];
    const text = makeInput(format, seed, index);
    for (const stub of ['identity', OTHERS[Math.floor(index / formats.length) % OTHERS.length]]) {
      const start = now();
      let what = await wrong(format, text, stub);
      const time = now() - start;
      slowest = Math.max(slowest, time);
      if (time > SLOW) what ||= `takes ${time.toFixed(0)} ms`;
      if (what) failures.push(`seed ${seed}, run ${index}, ${format}, ${stub}: ${JSON.stringify(text)}: ${what}`);
    }
    counts[format]++;
  }
  return { counts, slowest, failures };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const number = (/** @type {string} */ initial) => /** @type {const} */ ({ type: 'string', default: initial });
  const { values } = parseArgs({
    options: { runs: number('100000'), from: number('0'), seed: number('1'), format: { type: 'string' } },
  });
  const start = performance.now();
  const { counts, slowest, failures } = await run({
    runs: Number(values.runs), from: Number(values.from), seed: Number(values.seed),
    formats: values.format?.split(','),
  });
  for (const failure of failures) console.log(failure);
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  const each = Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(', ');
  console.log(`${each} in ${seconds} s, slowest ${slowest.toFixed(0)} ms; ${failures.length} failures`);
  process.exitCode = failures.length > 0 ? 1 : 0;
}
