// directions.js - what the scorers of written texts share: the directions of a model, its translations of a list of
// texts, tables of tabs, the command line. Used by copy.js and phrases.js.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Translator } from '../../js/index.js';

/** The order of the columns of phrases.tsv, copy/cases.tsv and letter.tsv. */
export const LANGUAGES = ['en', 'de', 'fr', 'es'];

const OPTIONS = `  --model DIR      a model directory; without it, models are looked up in an index
  --models FILE    the index (models/index.json)
  --direction X    such as en-de, any number of times (all that the model or the index has)
  --keep on|off    passed to translate() as the option keep; without it, the default
  --out DIR        writes the outputs there, a file of tabs for each direction
`;

/** @param {string} path @returns {string[][]} */
export function readTable(path) {
  return readFileSync(path, 'utf8').replace(/\n$/, '').split('\n').map((line) => line.split('\t'));
}

/**
 * Directions that a manifest or an index lists, such as "en-de".
 *
 * @param {{ source?: string, target?: string, pairs?: [string, string][], models?: object[] }} lists  heed.json or
 *   index.json
 * @returns {string[]}
 */
export function listDirections({ source, target, pairs, models }) {
  if (models) return models.flatMap(listDirections);
  return (pairs ?? [[source, target]]).map((pair) => pair.join('-'));
}

/**
 * @param {{ model?: string, models: string, keep?: boolean }} from
 * @param {string} direction
 * @param {string[]} texts
 */
async function translateAll({ model, models, keep }, direction, texts) {
  const [sourceLanguage, targetLanguage] = direction.split('-');
  const translator = await Translator.create({ sourceLanguage, targetLanguage, ...(model ? { model } : { models }) });
  try {
    return await translator.translate(texts, keep === undefined ? {} : { keep });
  } finally {
    translator.destroy();
  }
}

/**
 * The program of a scorer: for each direction, translates its sources and prints its line of figures.
 *
 * @param {string} name  the file, and the directory of its table below this one
 * @param {{
 *   has: (direction: string) => boolean,
 *   sources: (direction: string) => string[],
 *   score: (direction: string, outputs: string[]) => { line: string, isGood: boolean, table: string[][] },
 * }} scorer  has: whether the texts are made for the direction; table: what --out writes
 * @returns {Promise<number>}  the exit code
 */
export async function runScorer(name, { has, sources, score }) {
  const { values } = parseArgs({
    options: {
      model: { type: 'string' }, models: { type: 'string', default: 'models/index.json' },
      direction: { type: 'string', multiple: true }, keep: { type: 'string' }, out: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  const { model, models, out } = values;
  if (values.help || !['on', 'off', undefined].includes(values.keep)) {
    console.error(`usage: node tests/score/${name}.js [options]\n${OPTIONS}`);
    return values.help ? 0 : 2;
  }
  const keep = values.keep && values.keep === 'on';
  const listed = () => listDirections(JSON.parse(readFileSync(model ? join(model, 'heed.json') : models, 'utf8')));
  const directions = values.direction ?? listed().filter(has);
  const unknown = directions.find((direction) => !has(direction));
  if (unknown !== undefined) throw new Error(`--direction: found ${unknown}, which the texts of ${name} do not have`);
  let isAllGood = directions.length > 0;
  for (const direction of directions) {
    const outputs = await translateAll({ model, models, keep }, direction, sources(direction));
    const { line, isGood, table } = score(direction, outputs);
    console.log(`${direction}  ${line}`);
    if (!isGood) isAllGood = false;
    if (out) {
      mkdirSync(out, { recursive: true });
      const lines = table.map((cells) => `${cells.map((cell) => cell.replace(/[\t\n]/g, ' ')).join('\t')}\n`);
      writeFileSync(join(out, `${direction}.tsv`), lines.join(''));
    }
  }
  return isAllGood ? 0 : 1;
}
