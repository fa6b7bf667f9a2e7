#!/usr/bin/env node
// cli.js - the command `heed`: translates arguments, or standard input line by line; describes models.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openSource } from './files.js';
import { openWeights } from './load.js';
import { DTYPES } from './safetensors.js';
import { Transformer } from './transformer.js';
import { Translator } from './translator.js';

const HELP = `heed - translates with a Transformer, on this machine

  heed translate [options] [TEXT…]   translate the texts, one a line; without any, standard
                                     input: one line out for each line in, in order
  heed info DIR                      what a model directory holds
  heed convert IN OUT                a model directory of any container, pytorch_model.bin or Marian's
                                     .npz too, as one with model.safetensors and its hashes
  heed quantize IN OUT               the same with --dtype int8: a quarter of F32
  heed verify DIR                    compare files with the sizes and hashes of heed.json
  heed --help | --version

  --model DIR           a model directory or the URL of one
  --from en --to de     choose among the models that come with heed (the default is en to de)
  --language deu        into which, of a model that heed info lists several targets of
  --json                one JSON object a line: tokens, scores, alignment
  --beams N             beam search; 1 is greedy; default: what the model says
  --length-penalty X    score = log-probability / length^X
  --glossary FILE       lines of a term, a tab and its translation, which comes out exactly
  --max-tokens N        new tokens of a sentence at most
  --batch N             lines translated together (32)
  --dtype T             of convert: int8, f16 or f32; default: as it is

Exit status: 0 done, 1 failed, 2 wrong usage.
`;

/** A command line that makes no sense: exit status 2. */
class UsageError extends Error {}

const OPTIONS = /** @type {const} */ ({
  model: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  language: { type: 'string' },
  dtype: { type: 'string' },
  json: { type: 'boolean' },
  beams: { type: 'string' },
  'length-penalty': { type: 'string' },
  'max-tokens': { type: 'string' },
  batch: { type: 'string' },
  glossary: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
});

/** @param {string} option @param {string | undefined} value @param {boolean} [whole] @returns {number | undefined} */
function number(option, value, whole = true) {
  if (value === undefined) return undefined;
  const n = value.trim() === '' ? NaN : Number(value);
  if (!Number.isFinite(n) || (whole && (!Number.isInteger(n) || n < 1))) {
    throw new UsageError(`--${option}: found '${value}', expected a ${whole ? 'positive whole ' : ''}number`);
  }
  return n;
}

/** @param {string[]} argv */
function parse(argv) {
  try {
    return parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(/** @type {Error} */ (error).message);
  }
}

/** Resolves when the text is on its way, so that a slow reader slows the work down. @param {string} text */
function write(text) {
  if (process.stdout.write(text)) return undefined;
  return new Promise((resolve) => void process.stdout.once('drain', resolve));
}

/**
 * Lines in groups: as many as are there at once, `most` at most, so that a line typed by hand is answered at once and a
 * pipe is translated in batches. No more is read ahead than one chunk of input.
 *
 * @param {AsyncIterable<Uint8Array>} input
 * @param {number} most
 */
async function* lineGroups(input, most) {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let rest = '';
  for await (const chunk of input) {
    const text = rest + decoder.decode(chunk, { stream: true });
    const lines = text.split('\n');
    rest = /** @type {string} */ (lines.pop());
    for (let i = 0; i < lines.length; i += most) yield lines.slice(i, i + most);
  }
  rest += decoder.decode();
  if (rest !== '') yield [rest];
}

/** The state of the work, on standard error when a person watches. */
class Progress {
  #watched = process.stderr.isTTY && !process.stdout.isTTY;
  #start = performance.now();
  #shown = 0;
  #lines = 0;

  /** @param {number} lines */
  add(lines) {
    this.#lines += lines;
    const now = performance.now();
    if (!this.#watched || now - this.#shown < 200) return;
    this.#shown = now;
    const perSecond = this.#lines / ((now - this.#start) / 1000);
    process.stderr.write(`\r${this.#lines} lines, ${perSecond.toFixed(1)} a second \u001b[K`);
  }

  end() {
    if (this.#shown > 0) process.stderr.write('\r\u001b[K');
  }
}

/** What a model says of itself, if it does. @param {string} model @returns {Promise<Record<string, any>>} */
async function readManifest(model) {
  const bytes = await (await openSource(model)).readOptional('heed.json');
  return bytes ? JSON.parse(new TextDecoder().decode(bytes)) : {};
}

/** @param {{ model?: string, from?: string, to?: string, language?: string }} values */
async function openTranslator({ model, from, to, language }) {
  if (model === '') throw new UsageError('--model: found nothing, expected a model directory');
  const { source = 'en', target = 'de' } = model ? await readManifest(model) : {};
  const shipped = fileURLToPath(new URL('../models/index.json', import.meta.url));
  try {
    return await Translator.create({
      sourceLanguage: from ?? source,
      targetLanguage: to ?? target,
      language,
      ...(model ? { model } : { models: shipped }),
    });
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(error.message);
    if (model || !(error instanceof Error)) throw error;
    throw new Error(`${error.message}; --model names a model directory`, { cause: error });
  }
}

/** A glossary: lines of term, tab, translation. @param {string} path @returns {Record<string, string>} */
function readGlossary(path) {
  /** @type {Map<string, string>} */
  const terms = new Map();
  for (const [i, line] of readFileSync(path, 'utf8').split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const [term, translation, ...more] = line.split('\t').map((part) => part.trim());
    const where = `${path}: line ${i + 1}`;
    if (!term || !translation || more.length > 0) {
      throw new Error(`${where}: expected a term, a tab and its translation`);
    }
    if ((terms.get(term) ?? translation) !== translation) {
      throw new Error(`${where}: '${term}' has another translation before`);
    }
    terms.set(term, translation);
  }
  return Object.fromEntries(terms);
}

/** Say which terms of a glossary did not come out. @param {Awaited<ReturnType<typeof details>>} lines */
function warnOfTerms(lines) {
  for (const { source, target, glossary = [] } of lines.flatMap(({ sentences }) => sentences)) {
    for (const { term, translation } of glossary.filter(({ exact }) => !exact)) {
      process.stderr.write(`heed: '${term}' is not '${translation}' once for each time: ${source} | ${target}\n`);
      process.exitCode = 1;
    }
  }
}

/**
 * Lines' details, one object each. They are translated together: a line break always ends a sentence.
 *
 * @param {Translator} translator
 * @param {string[]} lines
 * @param {object} options
 */
async function details(translator, lines, options) {
  const sentences = await translator.translateDetailed(lines.join('\n'), options);
  let next = 0;
  let begin = 0;
  return lines.map((source) => {
    const own = [];
    let [target, at] = ['', 0];
    for (; next < sentences.length && sentences[next].start < begin + source.length; next++) {
      const sentence = sentences[next];
      const start = sentence.start - begin;
      own.push({ ...sentence, start, alignment: [...sentence.alignment] });
      target += source.slice(at, start) + sentence.target;
      at = start + sentence.source.length;
    }
    begin += source.length + 1;
    return { source, target: target + source.slice(at), sentences: own };
  });
}

/** @param {ReturnType<typeof parse>['values']} values @param {string[]} texts */
async function translate(values, texts) {
  const batch = number('batch', values.batch) ?? 32;
  const options = {
    batchSize: batch,
    beams: number('beams', values.beams),
    maxTokens: number('max-tokens', values['max-tokens']),
    lengthPenalty: number('length-penalty', values['length-penalty'], false),
    glossary: values.glossary === undefined ? undefined : readGlossary(values.glossary),
  };
  const translator = await openTranslator(values);
  const progress = new Progress();
  const groups = texts.length > 0 ? [texts] : lineGroups(process.stdin, batch);
  for await (const lines of groups) {
    // translate() would throw where a term does not come out
    const detailed = values.json || options.glossary ? await details(translator, lines, options) : [];
    warnOfTerms(detailed);
    const results = values.json
      ? detailed.map((line) => JSON.stringify(line))
      : options.glossary
        ? detailed.map(({ target }) => target)
        : await translator.translate(lines, options);
    // a line stays a line, whatever a model says
    for (const result of results) await write(`${texts.length > 0 ? result : result.replace(/\n/g, ' ')}\n`);
    progress.add(lines.length);
  }
  progress.end();
  translator.destroy();
}

/** The file of a model's weights, and its types by the numbers they hold. @param {string} model @param {any} config */
async function describeWeights(model, config) {
  const weights = await openWeights(await openSource(model), config);
  await weights.close();
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { dtype, shape } of weights.tensors) {
    counts.set(DTYPES[dtype], (counts.get(DTYPES[dtype]) ?? 0) + shape.reduce((product, n) => product * n, 1));
  }
  const types = [...counts].sort(([, a], [, b]) => b - a).map(([type]) => type);
  return `${weights.file}, ${types.join(' and ')}`;
}

/** @param {string[]} rest */
async function info(rest) {
  if (rest.length !== 1) throw new UsageError('info: expected one model directory');
  const model = await Transformer.load(rest[0]);
  const { config, manifest, info: about } = model;
  const heads = `${config.encoder_attention_heads}${
    config.decoder_attention_heads === config.encoder_attention_heads ? '' : ` and ${config.decoder_attention_heads}`
  }`;
  const mb = (/** @type {number} */ bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  /** @type {[string, unknown][]} */
  const rows = [
    ['name', manifest.name],
    ['languages', manifest.source && `${manifest.source} to ${manifest.target}`],
    ['layers', `${config.encoder_layers} encoder, ${config.decoder_layers} decoder`],
    [
      'width',
      `${config.d_model}, ${heads} heads, feed-forward ${config.encoder_ffn_dim}, ${config.activation_function}`,
    ],
    [
      'vocabulary',
      config.vocab_size === config.decoder_vocab_size
        ? config.vocab_size
        : `${config.vocab_size} source, ${config.decoder_vocab_size} target`,
    ],
    ['positions', config.max_position_embeddings],
    ['parameters', about.parameters],
    ['stored as', await describeWeights(rest[0], config)],
    ['computes in', `${about.dtype}, ${about.simd}, ${mb(about.weightBytes)} of weights`],
    ['targets', tokenizerLanguages(model)],
    ['licence', manifest.license],
    [
      'scores',
      manifest.scores &&
        Object.entries(manifest.scores)
          .map(([set, s]) => `${set}: BLEU ${s.bleu}, chrF2 ${s.chrf2}`)
          .join('; '),
    ],
  ];
  for (const [name, value] of rows)
    if (value !== undefined && value !== '') await write(`${name.padEnd(12)}${value}\n`);
  model.dispose();
}

/** @param {string} command @param {string[]} rest @param {string} [dtype] */
async function convertModel(command, rest, dtype) {
  if (rest.length !== 2) throw new UsageError(`${command}: expected a model directory and a new one`);
  if (dtype !== undefined && dtype !== 'int8' && dtype !== 'f16' && dtype !== 'f32') {
    throw new UsageError(`--dtype: found '${dtype}', expected int8, f16 or f32`);
  }
  const { convert } = await import('./convert/convert.js');
  const { file, dtype: made, before, after } = await convert(rest[0], rest[1], { dtype });
  await write(`${rest[1]}: ${after} bytes of weights in ${made}, from ${file} of ${before}\n`);
}

/** @param {string[]} rest */
async function verifyModel(rest) {
  if (rest.length !== 1) throw new UsageError('verify: expected one model directory');
  const { verify } = await import('./convert/verify.js');
  const problems = [];
  for await (const { name, size, problem } of verify(rest[0])) {
    await write(`${problem ? 'BAD' : 'ok '} ${name}: ${problem ?? `${size} bytes`}\n`);
    if (problem) problems.push(name);
  }
  if (problems.length > 0) throw new Error(`${rest[0]}: not as heed.json says: ${problems.join(', ')}`);
}

/** @param {Transformer} model @returns {string} */
function tokenizerLanguages(model) {
  try {
    return model.tokenizer.languages.join(', ');
  } catch {
    return 'no tokenizer: works with ids';
  }
}

/** @param {string[]} argv */
async function main(argv) {
  const {
    values,
    positionals: [command, ...rest],
  } = parse(argv);
  if (values.version) {
    await write(`${createRequire(import.meta.url)('heed/package.json').version}\n`);
  } else if (values.help) await write(HELP);
  else if (command === 'translate') await translate(values, rest);
  else if (command === 'info') await info(rest);
  else if (command === 'convert') await convertModel(command, rest, values.dtype);
  else if (command === 'quantize') await convertModel(command, rest, 'int8');
  else if (command === 'verify') await verifyModel(rest);
  else throw new UsageError(command === undefined ? 'no command' : `unknown command '${command}'`);
}

// whoever reads may have had enough: `heed translate | head -1`
process.stdout.on('error', (error) => {
  if (/** @type {any} */ (error).code === 'EPIPE') process.exit(0);
  process.stderr.write(`heed: ${error.message}\n`);
  process.exit(1);
});

try {
  await main(process.argv.slice(2));
} catch (error) {
  const usage = error instanceof UsageError;
  process.stderr.write(
    `heed: ${error instanceof Error ? error.message : error}\n${usage ? "Try 'heed --help'.\n" : ''}`,
  );
  process.exitCode = usage ? 2 : 1;
}
