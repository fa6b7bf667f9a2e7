// make-constants.mjs - writes js/base/constants.js: the numbers that the C core and JavaScript share, from the headers
// that define them. Run by the Makefile; a test compares what it would write with what is there.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const HEADERS = [
  'src/base/status.h', 'src/base/kinds.h', 'src/layers/positions.h', 'src/heed.h', 'src/train/adam.h',
  'src/train/trainer.h',
];

/** Enumerations whose names are also words of an option or a file: the first name, and what a word leaves out. */
const WORDS = {
  ACTIVATIONS: { first: 'RELU', wordOf: (/** @type {string} */ name) => name.toLowerCase() },
  DTYPES: { first: 'F32', wordOf: (/** @type {string} */ name) => name },
  QUANTIZERS: { first: 'QUANTIZE_ROWS', wordOf: (/** @type {string} */ name) => name.slice(9).toLowerCase() },
  STACKS: { first: 'ENCODER', wordOf: (/** @type {string} */ name) => name.toLowerCase() },
  DECODER_CELLS: { first: 'SELF_ATTENTION', wordOf: (/** @type {string} */ name) => name.toLowerCase() },
  NORMS: { first: 'LAYER_NORM', wordOf: (/** @type {string} */ name) => name.toLowerCase() },
  POSITIONS: { first: 'POSITIONS_HF', wordOf: (/** @type {string} */ name) => name.slice(10).toLowerCase() },
  LAYOUTS: {
    first: 'POSITIONS_INTERLEAVED',
    wordOf: (/** @type {string} */ name) => name.slice(10).toLowerCase().replace('_', '-'),
  },
  OPTIMIZERS: { first: 'OPTIMIZER_ADAM', wordOf: (/** @type {string} */ name) => name.slice(10).toLowerCase() },
  SCHEDULES: {
    first: 'SCHEDULE_INVERSE_SQRT',
    wordOf: (/** @type {string} */ name) => name.slice(9).toLowerCase().replace('_', '-'),
  },
};

/** @param {string} text  `5`, `-1` or `1 << 20` */
function numberOf(text) {
  const [, value, shift = 0] = /^(-?\d+)(?:\s*<<\s*(\d+))?$/.exec(text) ?? [];
  if (value === undefined) throw new Error(`found '${text}', expected a number`);
  return Number(value) * 2 ** Number(shift);
}

/**
 * The enumerations of a header. JavaScript's names go without HEED_. A constant without its number is an error: what is
 * shared is pinned.
 *
 * @param {string} header
 * @returns {[name: string, number: number][][]}
 */
export function enumsOf(header) {
  const code = header.replace(/\/\*[^]*?\*\//g, '');
  return [...code.matchAll(/\benum\s*\{([^}]*)\}/g)].map(([, body]) =>
    body.split(',').filter((item) => item.trim()).map((item) => {
      const [name, number = ''] = item.split('=').map((side) => side.trim());
      return [name.replace(/^HEED_/, ''), numberOf(number)];
    }));
}

/** The text of js/base/constants.js. @param {(path: string) => string} read  a file of the repository */
export function constants(read) {
  const lines = [
    '// constants.js - the numbers that the C core and JavaScript share, by their names without HEED_. Made by',
    '// js/make-constants.mjs from the headers named below: change those, then `make constants`.',
  ];
  /** @type {string[]} */
  const lists = [];
  for (const header of HEADERS) {
    lines.push('', `// ${header}`);
    for (const names of enumsOf(read(header))) {
      for (const [name, number] of names) lines.push(`export const ${name} = ${number};`);
      for (const [list, { first, wordOf }] of Object.entries(WORDS)) {
        if (names[0][0] !== first) continue;
        if (names.some(([, number], i) => number !== i)) throw new Error(`${list}: expected the numbers 0, 1, ...`);
        lists.push(`export const ${list} = /** @type {const} */ ([${
          names.map(([name]) => `'${wordOf(name)}'`).join(', ')}]);`);
        if (list !== 'DTYPES') continue;
        const widths = names.map(([name]) => Number(/\d+/.exec(name)) / 8);
        lists.push(`/** Bytes of an element by its type. */\nexport const WIDTHS = [${widths.join(', ')}];`);
      }
    }
  }
  if (lists.length !== Object.keys(WORDS).length + 1) throw new Error('an enumeration of WORDS is in no header');
  return [...lines, '', '// Words by their number.', ...lists, ''].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const at = (/** @type {string} */ path) => new URL(`../${path}`, import.meta.url);
  writeFileSync(at('js/base/constants.js'), constants((path) => readFileSync(at(path), 'utf8')));
}
