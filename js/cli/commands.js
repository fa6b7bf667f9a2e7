// commands.js - what the command `heed` understands: its commands, the options of each, the help; a command line into
// values. Used by cli.js and the commands.

import { parseArgs } from 'node:util';

/** A command line that makes no sense: exit status 2. */
export class UsageError extends Error {}

/**
 * By option: what it takes, if anything, and lines of help.
 *
 * @type {Record<string, { takes?: string, help: string[] }>}
 */
const OPTIONS = {
  model: { takes: 'DIR', help: ['a model directory or the URL of one'] },
  from: { takes: 'en', help: ['with --to, choose among the models that come with heed (the default'] },
  to: { takes: 'de', help: ['is en to de)'] },
  language: { takes: 'deu', help: ['into which, of a model that heed info lists several targets of'] },
  glossary: {
    takes: 'FILE',
    help: ['lines of a term, a tab and its translation, which comes out exactly;',
      'blank lines and lines that begin with # are left out (\\# begins a term', 'with #)'],
  },
  json: { help: ['one JSON object a line: tokens, scores, alignment'] },
  'n-best': {
    takes: 'N',
    help: ['N lines for each, the N best, best first; at most as many as beams; with', '--json as alternatives'],
  },
  beams: { takes: 'N', help: ['beam search; 1 is greedy; default: what the model says'] },
  'length-penalty': { takes: 'X', help: ['score = log-probability / length^X; with beams'] },
  'early-stopping': { takes: 'W', help: ['true, false or never: when beams end'] },
  'repetition-penalty': { takes: 'X', help: ['more than 1: what is there already becomes less likely'] },
  'no-repeat-ngram': { takes: 'N', help: ['no N tokens twice in the same order; 0: off'] },
  'max-tokens': { takes: 'N', help: ['new tokens of a sentence at most'] },
  'min-tokens': { takes: 'N', help: ['and at least'] },
  batch: { takes: 'N', help: ['lines translated together (32)'] },
  dtype: { takes: 'T', help: ['int8, f16 or f32; default: as it is'] },
  cache: {
    takes: 'DIR',
    help: ['where files of a URL are kept; default: $XDG_CACHE_HOME/heed, or', '~/.cache/heed'],
  },
  'no-cache': { help: ['keep nothing, and take nothing that is kept'] },
  help: { help: ['this text; also heed help, heed help COMMAND'] },
  version: { help: ['the version'] },
};
const SHORT = { help: 'h', version: 'v' };
const CACHE = ['cache', 'no-cache'];
const ALWAYS = Object.keys(SHORT);

/**
 * The commands: what follows, what they do, and which options they have.
 *
 * @type {Record<string, { usage: string, about: string[], options: string[] }>}
 */
const COMMANDS = {
  translate: {
    usage: '[options] [TEXT…]',
    about: ['translates the texts, one a line; of standard input, which is read',
      'without a text or for the text -, one line out for each line in'],
    options: ['model', 'from', 'to', 'language', 'glossary', 'json', 'n-best', 'beams', 'length-penalty',
      'early-stopping', 'repetition-penalty', 'no-repeat-ngram', 'max-tokens', 'min-tokens', 'batch', ...CACHE],
  },
  info: { usage: 'DIR', about: ['what a model directory or the URL of one holds'], options: CACHE },
  convert: {
    usage: 'IN OUT',
    about: ['a model directory of any container, pytorch_model.bin or',
      "Marian's .npz too, as one with model.safetensors and its hashes"],
    options: ['dtype'],
  },
  quantize: { usage: 'IN OUT', about: ['the same with --dtype int8: a quarter of F32'], options: [] },
  verify: { usage: 'DIR', about: ['compares files with the sizes and hashes of heed.json'], options: [] },
  help: { usage: '[COMMAND]', about: ['this text, or that of a command'], options: [] },
};

/** The help of some options. @param {string[]} names */
const helpOf = (names) => names.flatMap((name) => {
  const { takes, help } = OPTIONS[name];
  const short = Object.hasOwn(SHORT, name) ? `-${SHORT[/** @type {keyof SHORT} */ (name)]}, ` : '';
  const left = `  ${short}--${name}${takes ? ` ${takes}` : ''}`;
  return help.map((line, i) => `${(i === 0 ? left : '').padEnd(26)}${line}`);
}).join('\n');

/** @param {string[]} names */
const usageOf = (names) => names.flatMap((name) => {
  const { usage, about } = COMMANDS[name];
  const left = `  heed ${name} ${usage}`;
  return about.map((line, i) => `${(i === 0 ? left : '').padEnd(36)}${line}`);
}).join('\n');

/** @param {string} [command] */
export function helpText(command) {
  if (command === undefined) {
    return `heed - translates with a Transformer, on this machine

${usageOf(Object.keys(COMMANDS))}
  heed --help | --version

${helpOf(Object.keys(OPTIONS))}

An option belongs to the commands that \`heed help COMMAND\` lists it for; elsewhere it is refused. What has
no effect is refused too. A bar shows a download and a line the work, when standard error is a terminal.

Exit status: 0 done, 1 failed, 2 wrong usage.
`;
  }
  if (!Object.hasOwn(COMMANDS, command)) throw new UsageError(`help: unknown command '${command}'`);
  return `${usageOf([command])}\n\n${helpOf([...COMMANDS[command].options, 'help'])}\n`;
}

/**
 * @typedef {Record<string, string | undefined>} Values  by option; 'true': it takes nothing and is there
 * @typedef {{ text: string, isInput: boolean }} Operand  isInput: it is `-`, standard input
 */

/** @param {string} name @param {string} written  with its dashes @returns {never} */
function refuse(name, written) {
  const isNear = (/** @type {string} */ known) => known.startsWith(name) || name.startsWith(known);
  const near = name.length > 1 && Object.keys(OPTIONS).find(isNear);
  throw new UsageError(`unknown option ${written}${near ? `: did you mean --${near}?` : ''}`);
}

/**
 * @param {string[]} argv
 * @returns {{ command: string | undefined, values: Values, operands: Operand[] }}
 */
export function parse(argv) {
  const types = Object.fromEntries(Object.entries(OPTIONS).map(([name, { takes }]) =>
    [name, { type: takes ? /** @type {const} */ ('string') : /** @type {const} */ ('boolean'),
      ...(Object.hasOwn(SHORT, name) && { short: SHORT[/** @type {keyof SHORT} */ (name)] }) }]));
  const { tokens } = parseArgs({ args: argv, options: types, allowPositionals: true, strict: false, tokens: true });
  /** @type {Values} */
  const values = {};
  /** @type {Operand[]} */
  const operands = [];
  let isText = false; // after `--` nothing has a meaning of its own
  for (const token of tokens) {
    if (token.kind === 'option-terminator') isText = true;
    else if (token.kind === 'positional') operands.push({ text: token.value, isInput: token.value === '-' && !isText });
    else {
      const { name, rawName, value, inlineValue } = token;
      const takes = Object.hasOwn(OPTIONS, name) ? OPTIONS[name].takes : refuse(name, rawName);
      if (!takes && value !== undefined) throw new UsageError(`--${name}: found '${value}', expected nothing`);
      const isOption = !inlineValue && /^-+[a-z]/i.test(value ?? '');
      if (takes && (value === undefined || isOption)) {
        throw new UsageError(`--${name}: found ${isOption ? value : 'nothing'}, expected ${takes}`);
      }
      if (values[name] !== undefined) throw new UsageError(`--${name}: is given twice`);
      values[name] = value ?? 'true';
    }
  }
  const command = operands.shift()?.text;
  const isAsking = ALWAYS.some((name) => values[name]);
  if (command !== undefined && Object.hasOwn(COMMANDS, command) && !isAsking) {
    const wrong = Object.keys(values).find((name) => !COMMANDS[command].options.includes(name));
    if (wrong) throw new UsageError(`--${wrong}: has no effect on heed ${command}`);
  }
  return { command, values, operands };
}

/** @param {string} option @param {string | undefined} value @returns {number | undefined} */
export function numberOf(option, value) {
  if (value === undefined) return undefined;
  const n = value.trim() === '' ? NaN : Number(value);
  if (!Number.isFinite(n)) throw new UsageError(`--${option}: found '${value}', expected a number`);
  return n;
}

/**
 * What `f` gives; what it says of a value is wrong usage.
 *
 * @template T
 * @param {() => T} f
 * @param {string} option
 * @param {string} value  as it was written
 * @returns {T}
 */
export function checked(f, option, value) {
  try {
    return f();
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    throw new UsageError(`${option}: found '${value}', expected${error.message.split(', expected').at(-1)}`);
  }
}
