// models.js - heed info, convert, quantize, trim and verify: describe, convert and check model directories.

import { DTYPES } from '../base/constants.js';
import { listedFiles, openSource } from '../files/source.js';
import { pairsOf } from '../model/languages.js';
import { openWeights } from '../model/load.js';
import { tasksOf } from '../model/pairs.js';
import { Transformer } from '../model/transformer.js';
import { UsageError } from './commands.js';
import { write } from './output.js';
import { Download } from './progress.js';
import { cacheOf } from './translate.js';

/**
 * The file of a model's weights, and its element types with the number of values of each.
 *
 * @param {string} place
 * @param {Transformer} model
 * @param {boolean | string} cache
 */
async function describeWeights(place, { config, manifest }, cache) {
  const files = await openSource(place, undefined, { cache });
  files.expect(listedFiles(manifest)); // so that stored files are used
  const weights = await openWeights(files, config);
  await weights.close();
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { dtype, shape } of weights.tensors) {
    counts.set(DTYPES[dtype], (counts.get(DTYPES[dtype]) ?? 0) + shape.reduce((product, n) => product * n, 1));
  }
  const types = [...counts].sort(([, a], [, b]) => b - a).map(([type]) => type);
  return `${weights.file}, ${types.join(' and ')}`;
}

/** @param {import('./commands.js').Values} values @param {string[]} rest */
export async function info(values, rest) {
  if (rest.length !== 1) throw new UsageError('info: expected one model directory');
  const cache = await cacheOf(values, rest[0]);
  const download = new Download(rest[0]);
  const model = await Transformer.load(rest[0], {
    cache,
    onProgress: ({ loaded, total }) => void ((cache || values['no-cache']) && download.show(loaded / total)),
  }).finally(() => download.end());
  const { config, manifest, info: about } = model;
  const heads = `${config.encoder_attention_heads}${
    config.decoder_attention_heads === config.encoder_attention_heads ? '' : ` and ${config.decoder_attention_heads}`
  }`;
  const isSsru = config.decoder_cell === 'ssru';
  const mb = (/** @type {number} */ bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  /** @type {[string, unknown][]} */
  const rows = [
    ['name', manifest.name],
    ['languages', languagesOf(model)],
    ['layers', `${config.encoder_layers} encoder, ${config.decoder_layers} decoder${isSsru ? ', with SSRUs' : ''}`],
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
    ['stored as', await describeWeights(rest[0], model, cache)],
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
export async function convertModel(command, rest, dtype) {
  if (rest.length !== 2) throw new UsageError(`${command}: expected a model directory and a new one`);
  if (dtype !== undefined && dtype !== 'int8' && dtype !== 'f16' && dtype !== 'f32') {
    throw new UsageError(`--dtype: found '${dtype}', expected int8, f16 or f32`);
  }
  const { convert } = await import('../convert/convert.js');
  const { file, dtype: made, before, after, isForHeed } = await convert(rest[0], rest[1], { dtype });
  await write(`${rest[1]}: ${after} bytes of weights in ${made}, from ${file} of ${before}\n`);
  if (isForHeed) await write(`${rest[1]}: only heed reads it: transformers has no SSRU\n`);
}

/** @param {import('./commands.js').Values} values @param {string[]} rest */
export async function trimModel({ keep, text }, rest) {
  if (keep === undefined) throw new UsageError('trim: expected --keep, languages such as en,de');
  if (text === undefined) throw new UsageError('trim: expected --text, a file of texts');
  if (rest.length < 2) throw new UsageError('trim: expected a model directory and a new one');
  const [from, to] = rest.slice(-2);
  const tags = keep.split(',').map((tag) => tag.trim()).filter(Boolean);
  const { trim } = await import('../convert/trim.js');
  const { pieces, bytes, speed, failure } = await trim(from, to, { keep: tags, texts: [text, ...rest.slice(0, -2)] });
  const [before, after] = speed.map((tokens) => (tokens < 100 ? tokens.toFixed(1) : Math.round(tokens)));
  // most messages are without the name of their status
  const { message = '', status = '' } = /** @type {Partial<import('../base/errors.js').HeedError>} */ (failure ?? {});
  const whole = !failure ? `${before} with the whole`
    : `the whole does not load here: ${message}${message.includes(status) ? '' : `, ${status}`}`;
  await write(`${to}: ${pieces[1]} ids of ${pieces[0]}, ${bytes[1]} bytes of weights of ${bytes[0]}, ${after} tokens/s `
    + `(${whole})\n`);
}

/** @param {string[]} rest */
export async function verifyModel(rest) {
  if (rest.length !== 1) throw new UsageError('verify: expected one model directory');
  const { verify } = await import('../convert/verify.js');
  const problems = [];
  for await (const { name, size, problem } of verify(rest[0])) {
    await write(`${problem ? 'BAD' : 'ok '} ${name}: ${problem ?? `${size} bytes`}\n`);
    if (problem) problems.push(name);
  }
  if (problems.length > 0) throw new Error(`${rest[0]}: not as heed.json says: ${problems.join(', ')}`);
}

/** The pairs that a model translates. @param {Transformer} model @returns {string | undefined} */
function languagesOf(model) {
  const { config, manifest } = model;
  const pairs = manifest.pairs || manifest.source ? pairsOf(manifest)
    : tasksOf(config).map(({ source, target }) => [source, target]);
  if (pairs.length > 0) return pairs.map((pair) => pair.join(' to ')).join(', ');
  try {
    // sources have a token of their own language
    const isMany = model.tokenizer.encode('').ids.length > 1;
    return isMany ? `${model.tokenizer.languages.length}, from each to each other` : undefined;
  } catch {
    return undefined; // it works with ids
  }
}

/** @param {Transformer} model @returns {string} */
function tokenizerLanguages(model) {
  try {
    return model.tokenizer.languages.join(', ');
  } catch {
    return 'no tokenizer: works with ids';
  }
}
