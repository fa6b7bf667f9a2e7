// directions.js - what the scorers of written texts share: the directions of a model, its translations of a list of
// texts, tables of tabs, the command line. Used by copy.js and phrases.js.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

/** Of a scorer that keeps figures. */
const WRITE = `  --write          keeps the figures of the models of the index for models/README.md
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
 * The first digits of the hash of the weights that an index has for a direction.
 *
 * @param {string} index  an index.json
 * @param {string} direction
 * @returns {string}
 */
export function weightsOf(index, direction) {
  /** @type {{ source: string, target: string, path: string }[]} */
  const models = JSON.parse(readFileSync(index, 'utf8')).models;
  const { path = '' } = models.find(({ source, target }) => `${source}-${target}` === direction) ?? {};
  const { files } = JSON.parse(readFileSync(join(dirname(index), path, 'heed.json'), 'utf8'));
  return files['model.safetensors'].sha256.slice(0, 12);
}

/**
 * A table of figures with a row for each direction, option `keep`, and weights: the rows in place of former ones and
 * of those of other weights.
 *
 * @param {string[][]} rows  those that are there, without a header
 * @param {string[]} row  direction, keep, weights, figures
 */
export const putRow = (rows, row) => [
  ...rows.filter(([direction, keep, weights]) => weights === row[2] && (direction !== row[0] || keep !== row[1])), row,
].sort((a, b) => (a.slice(0, 2).join() < b.slice(0, 2).join() ? -1 : 1));

/**
 * The program of a scorer: for each direction, translates its sources and prints its line of figures.
 *
 * @param {string} name  the file, and the directory of its table below this one
 * @param {{
 *   has: (direction: string) => boolean,
 *   sources: (direction: string) => string[],
 *   score: (direction: string, outputs: string[]) =>
 *     { line: string, isGood: boolean, table: string[][], figures?: string[] },
 *   kept?: { path: string, head: string[] },
 * }} scorer  has: whether the texts are made for the direction; table: what --out writes; figures: what --write adds to
 *   the file `kept`, whose columns after the third are those of head
 * @returns {Promise<number>}  the exit code
 */
export async function runScorer(name, { has, sources, score, kept }) {
  const { values } = parseArgs({
    options: {
      model: { type: 'string' }, models: { type: 'string', default: 'models/index.json' },
      direction: { type: 'string', multiple: true }, keep: { type: 'string' }, out: { type: 'string' },
      help: { type: 'boolean' }, ...(kept && { write: { type: /** @type {const} */ ('boolean') } }),
    },
  });
  const { model, models, out } = values;
  const write = kept && 'write' in values && values.write;
  if (values.help || !['on', 'off', undefined].includes(values.keep) || (write && model)) {
    console.error(`usage: node tests/score/${name}.js [options]\n${OPTIONS}${kept ? WRITE : ''}`);
    return values.help ? 0 : 2;
  }
  const keep = values.keep && values.keep === 'on';
  const list = model ? join(model, 'heed.json') : models;
  const directions = values.direction ?? listDirections(JSON.parse(readFileSync(list, 'utf8'))).filter(has);
  if (directions.length === 0)
    throw new Error(`${list}: lists no direction that the texts of ${name} have; --direction names one`);
  const unknown = directions.find((direction) => !has(direction));
  if (unknown !== undefined) throw new Error(`--direction: found ${unknown}, which the texts of ${name} do not have`);
  let isAllGood = true;
  for (const direction of directions) {
    const outputs = await translateAll({ model, models, keep }, direction, sources(direction));
    const { line, isGood, table, figures = [] } = score(direction, outputs);
    console.log(`${direction}  ${line}`);
    if (!isGood) isAllGood = false;
    if (write) {
      const [, ...rows] = existsSync(kept.path) ? readTable(kept.path) : [];
      const row = [direction, keep === false ? 'off' : 'on', weightsOf(models, direction), ...figures];
      const lines = [['direction', 'keep', 'weights', ...kept.head], ...putRow(rows, row)];
      writeFileSync(kept.path, lines.map((cells) => `${cells.join('\t')}\n`).join(''));
    }
    if (out) {
      mkdirSync(out, { recursive: true });
      const lines = table.map((cells) => `${cells.map((cell) => cell.replace(/[\t\n]/g, ' ')).join('\t')}\n`);
      writeFileSync(join(out, `${direction}.tsv`), lines.join(''));
    }
  }
  return isAllGood ? 0 : 1;
}
