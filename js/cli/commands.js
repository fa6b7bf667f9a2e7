// commands.js - the commands of `heed`, their options and help texts; parses a command line. Used by cli.js and the
// commands.

import { parseArgs } from 'node:util';

/** A wrong command line: exit status 2. */
export class UsageError extends Error {}

/**
 * The options: the argument, if any, and lines of help.
 *
 * @type {Record<string, { takes?: string, help: string[] }>}
 */
const OPTIONS = {
  model: { takes: 'DIR', help: ['a model directory or the URL of one'] },
  models: {
    takes: 'FILE',
    help: ['an index.json of models, or its URL, to find a pair in; default: installed',
      'packages heed-model-*, and fetched models'],
  },
  from: {
    takes: 'en',
    help: ['with --to, choose among --models (the default is en to de), or among the',
      'pairs of --model (the default is its only one)'],
  },
  to: { takes: 'de', help: ['see --from'] },
  pivot: {
    takes: 'en',
    help: ['the language in between, where no model has the pair; default: the first of', '--models that leads to it'],
  },
  'no-pivot': { help: ['no language in between: one model or none'] },
  language: { takes: 'deu', help: ['target language, for a model with several (see heed info)'] },
  glossary: {
    takes: 'FILE',
    help: ['file of exact translations: lines of a term, a tab and its translation;',
      'blank lines and lines that begin with # are ignored (\\# begins a term', 'with #)'],
  },
  'no-keep': { help: ['translate addresses, code, placeholders, emoji and the like as other text'] },
  'no-lexicon': { help: ["do not use the model's lexicon of rare words"] },
  'no-ngrams': { help: ["do not use the model's n-grams: what people often write"] },
  'no-reverse': { help: ['do not rerank translations by the probability of the source'] },
  shortlist: {
    help: ["compute only words of the model's shortlist; default: if both sides share a", 'vocabulary'],
  },
  'no-shortlist': { help: ['compute all words, although the model has a shortlist'] },
  activations: {
    takes: 'KIND',
    help: ['how int8 matrices take their inputs: rows (the default), rows8 (nearer to', 'floats), fixed (the scales'
      + " of Firefox's models, exact sums) or saturating", '(the same, with sums clamped to 16 bits as in its engine)'],
  },
  format: {
    takes: 'FORMAT',
    help: ['the format of files or of standard input, if names do not tell: html, json,',
      'md, po, srt, txt, vtt or xliff'],
  },
  html: { help: ['the texts, or all of standard input, are HTML'] },
  output: { takes: 'FILE', help: ['where to write a translated file; a directory for several; default: standard',
    'output'] },
  'in-place': { help: ['write translated files where they were'] },
  memory: {
    takes: 'FILE',
    help: ['a file of lines of JSON, with all texts of files and their translations: only',
      'what is new is translated'],
  },
  check: { help: ['translate nothing; name what is not translated, or out of date: exit status 1'] },
  keys: { takes: 'A,B.C', help: ['of JSON files: translate only the values of these keys; * is any key'] },
  json: { help: ['one JSON object per line: tokens, scores, alignment'] },
  'n-best': {
    takes: 'N',
    help: ['the N best translations, one per line, best first; at most --beams; with', '--json as alternatives'],
  },
  beams: { takes: 'N', help: ['number of beams; 1 is greedy search; default: from the model'] },
  'length-penalty': { takes: 'X', help: ['for beams: score = log-probability, with gains of n-grams, / length^X'] },
  'early-stopping': { takes: 'W', help: ['when beams stop: true, false or never'] },
  'repetition-penalty': { takes: 'X', help: ['above 1, tokens that occur already become less likely'] },
  'no-repeat-ngram': { takes: 'N', help: ['no sequence of N tokens occurs twice; 0: off'] },
  'max-tokens': { takes: 'N', help: ['most new tokens of a sentence'] },
  'min-tokens': { takes: 'N', help: ['fewest new tokens of a sentence'] },
  batch: { takes: 'N', help: ['lines to translate together (32)'] },
  jobs: {
    takes: 'N',
    help: ["threads that share the lines (default: the command's own) or, for each",
      'pair of heed serve, the requests (1); they have one copy of the weights, and', 'the output is the same'],
  },
  keep: { takes: 'A,B', help: ['the languages that stay'] },
  text: { takes: 'FILE', help: ['texts in all of these languages; more files may follow'] },
  dtype: { takes: 'T', help: ['int8, f16 or f32; default: as in the file'] },
  cache: {
    takes: 'DIR',
    help: ['where downloaded files are stored; default: $XDG_CACHE_HOME/heed, or', '~/.cache/heed'],
  },
  'no-cache': { help: ['neither store downloaded files nor use stored ones'] },
  list: { help: ["the pairs of Mozilla's list, with version, kind and bytes to download"] },
  mirror: {
    takes: 'URL',
    help: ["a server with the same paths; Mozilla's is meant for Firefox, so use a mirror",
      'for many downloads; of OPUS-MT also a URL with {pair} in it'],
  },
  host: { takes: 'HOST', help: ['the address to listen at; default: 127.0.0.1, which only this machine can', 'reach'] },
  port: { takes: 'N', help: ['the port to listen at, 5000; 0: any that is free'] },
  'api-keys': {
    takes: 'FILE',
    help: ['answer only requests with one of these API keys; blank lines, and lines that', 'begin with #, are ignored'],
  },
  'char-limit': {
    takes: 'N',
    help: ['most characters of a text or a list; default: no limit but 1 MiB for a', 'request'],
  },
  queue: { takes: 'N', help: ['most requests at the same time, with those that wait (512)'] },
  timeout: { takes: 'S', help: ['most seconds for a request (60)'] },
  loaded: { takes: 'N', help: ['most pairs of languages to keep in memory (8)'] },
  help: { help: ['this text; also heed help, heed help COMMAND'] },
  version: { help: ['the version'] },
};
const SHORT = { model: 'm', output: 'o', help: 'h', version: 'v' };
const CACHE = ['cache', 'no-cache'];
const ALWAYS = ['help', 'version'];

/**
 * The commands: their arguments, their help and their options.
 *
 * @type {Record<string, { usage: string, about: string[], options: string[] }>}
 */
const COMMANDS = {
  translate: {
    usage: '[options] [TEXT… | FILE…]',
    about: ['translates the texts, one per line; without a text, or for -, it',
      'translates each line of standard input; or files, which their names',
      'tell: .html, .json, .md, .po, .srt, .txt, .vtt, .xliff; texts that',
      'look so come after --'],
    options: ['format', 'html', 'output', 'in-place', 'memory', 'check', 'keys', 'model', 'models', 'from', 'to',
      'pivot', 'no-pivot', 'language', 'glossary', 'no-keep', 'no-lexicon', 'no-ngrams', 'no-reverse', 'shortlist',
      'no-shortlist', 'activations', 'json', 'n-best', 'beams', 'length-penalty', 'early-stopping',
      'repetition-penalty', 'no-repeat-ngram', 'max-tokens', 'min-tokens', 'batch', 'jobs', ...CACHE],
  },
  info: { usage: 'DIR', about: ['describes a model directory or its URL'], options: CACHE },
  convert: {
    usage: 'IN OUT',
    about: ["converts a model directory, of pytorch_model.bin, Marian's .npz or",
      "Firefox's files too, to one with model.safetensors and hashes; no",
      'other program reads one with SSRUs, as Firefox has'],
    options: ['dtype'],
  },
  quantize: { usage: 'IN OUT', about: ['the same with --dtype int8: a quarter of the size of F32'], options: [] },
  trim: {
    usage: '[options] IN OUT',
    about: ['makes a smaller model: it has only the pieces that the texts of --text',
      'need, and the languages of --keep; prints the speed of both'],
    options: ['keep', 'text'],
  },
  verify: { usage: 'DIR', about: ['compares files with the sizes and hashes of heed.json'], options: [] },
  fetch: {
    usage: 'firefox:en-pt [DIR]',
    about: ["downloads a model from Mozilla's list of Firefox's models, checks it",
      'and unpacks it; without DIR, in the cache, as firefox-en-pt;',
      "opus:en-de: OPUS-MT's of Hugging Face; or the URL of a directory"],
    options: ['list', 'mirror', 'cache'],
  },
  cache: {
    usage: '[list | delete NAME… | update [NAME…]]',
    about: ['lists the models that are stored with size and version, deletes some, or',
      'downloads what has changed'],
    options: ['mirror', 'cache'],
  },
  serve: {
    usage: '[options]',
    about: ["answers HTTP requests of LibreTranslate's interface: /translate, /detect,",
      '/languages; ends with SIGTERM or SIGINT when all requests are answered'],
    options: ['model', 'models', 'from', 'to', 'pivot', 'no-pivot', 'host', 'port', 'api-keys', 'char-limit', 'queue',
      'timeout', 'loaded', 'jobs', ...CACHE],
  },
  help: { usage: '[COMMAND]', about: ['shows this text, or that of a command'], options: [] },
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
  // a long one has a line of its own
  const isLong = left.length >= 36;
  const lines = about.map((line, i) => `${(i === 0 && !isLong ? left : '').padEnd(36)}${line}`);
  return isLong ? [left, ...lines] : lines;
}).join('\n');

/** @param {string} [command] */
export function helpText(command) {
  if (command === undefined) {
    return `heed - translates on this machine, with a Transformer

${usageOf(Object.keys(COMMANDS))}
  heed --help | --version

${helpOf(Object.keys(OPTIONS))}

\`heed help COMMAND\` lists the options of a command. Other options, and options without effect, are refused.
On a terminal, standard error shows the progress of downloads and translation.

Exit status: 0 done, 1 failed, 2 wrong usage.
`;
  }
  if (!Object.hasOwn(COMMANDS, command)) throw new UsageError(`help: unknown command '${command}'`);
  return `${usageOf([command])}\n\n${helpOf([...COMMANDS[command].options, 'help'])}\n`;
}

/**
 * @typedef {Record<string, string | undefined>} Values  by option; 'true' for an option without argument
 * @typedef {{ text: string, isInput: boolean, isText: boolean }} Operand  isInput: it is `-`, standard input; isText:
 *   it is after `--`, and no file
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
  let isText = false; // after `--` everything is text
  for (const token of tokens) {
    if (token.kind === 'option-terminator') isText = true;
    else if (token.kind === 'positional') {
      operands.push({ text: token.value, isInput: token.value === '-' && !isText, isText });
    }
    else {
      const { name, rawName, value, inlineValue } = token;
      const takes = Object.hasOwn(OPTIONS, name) ? OPTIONS[name].takes : refuse(name, rawName);
      if (!takes && value !== undefined) throw new UsageError(`--${name}: found '${value}', expected nothing`);
      const isOption = !inlineValue && /^-+[a-z]/i.test(value ?? '');
      if (takes && (!value || isOption)) { // an empty value may be a variable that is not set
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
 * The result of `f`; its TypeErrors and RangeErrors become wrong usage.
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
