// directory.js - writes the weights of heed-train and a vocabulary as model directories in OPUS-MT's layout, f32 and
// int8. Used by make.js.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ACTIVATIONS, DECODER_CELLS, POSITIONS } from '../../../js/base/constants.js';
import { convert, describeFile } from '../../../js/convert/convert.js';
import { writeParts } from '../../../js/files/parts.js';
import { LEXICONS, NGRAMS } from '../../../js/model/load.js';

/** The values of config.json for heed-train's numbers of keys that are no numbers there. */
const VALUES = {
  activation_function: (/** @type {number} */ n) => ACTIVATIONS[n],
  decoder_cell: (/** @type {number} */ n) => DECODER_CELLS[n],
  positions: (/** @type {number} */ n) => POSITIONS[n],
  layer_norm_eps: (/** @type {number} */ n) => n / 1e12 || 1e-5,
};

/**
 * config.json of a model: heed-train's defaults and the options of the run.
 *
 * @param {number} vocabulary
 * @param {Record<string, number | string | number[][]>} set
 */
export function makeConfig(vocabulary, set) {
  /** @type {Record<string, any>} */
  const defaults = {
    architectures: ['MarianMTModel'],
    model_type: 'marian',
    d_model: 256,
    encoder_layers: 3,
    decoder_layers: 3,
    encoder_attention_heads: 4,
    decoder_attention_heads: 4,
    encoder_ffn_dim: 1024,
    decoder_ffn_dim: 1024,
    activation_function: ACTIVATIONS[0],
    static_position_embeddings: true,
    normalize_before: false,
    normalize_embedding: false,
    add_final_layer_norm: false,
    scale_embedding: true,
    share_encoder_decoder_embeddings: true,
    tie_word_embeddings: true,
    is_encoder_decoder: true,
    use_cache: true,
    vocab_size: vocabulary,
    decoder_vocab_size: vocabulary,
    max_position_embeddings: 512,
    pad_token_id: 0,
    unk_token_id: 1,
    eos_token_id: 2,
    bos_token_id: 2,
    decoder_start_token_id: 0,
    forced_eos_token_id: null,
    dropout: 0.1,
    attention_dropout: 0.0,
    activation_dropout: 0.0,
  };
  // heed-train takes numbers for words, and for true and false
  const own = Object.entries(set).map(([key, value]) => [
    key,
    Object.hasOwn(VALUES, key)
      ? VALUES[/** @type {keyof typeof VALUES} */ (key)](Number(value))
      : typeof defaults[key] === 'boolean' ? Boolean(Number(value)) : value,
  ]);
  const config = { ...defaults, ...Object.fromEntries(own) };
  // MarianMT of transformers has no norms before the sublayers; with them, and one after the last layer, it is Pegasus
  const isPegasus = config.normalize_before && config.add_final_layer_norm && !config.normalize_embedding;
  return isPegasus
    ? { ...config, architectures: ['PegasusForConditionalGeneration'], model_type: 'pegasus' }
    : config;
}

/** @param {string} vocab  spm.vocab @returns {string[]} */
export const readPieces = (vocab) =>
  readFileSync(vocab, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t')[0]);

const json = (/** @type {unknown} */ value) => `${JSON.stringify(value, null, 2)}\n`;

/** lexicon.bin of the lines of lexicon.tsv, each of which begins with its language. @param {string} lines */
function packLexicon(lines) {
  /** @type {Map<string, string[]>} */
  const all = new Map();
  for (const line of lines.split(/(?<=\n)/)) {
    const [language] = line.split('\t', 1);
    const own = all.get(language);
    if (own) own.push(line);
    else all.set(language, [line]);
  }
  return writeParts([...all].map(([language, own]) => [language, gzipSync(own.join(''), { level: 9 })]));
}

/**
 * Writes OUT/float and OUT/int8.
 *
 * @param {object} from
 * @param {string} from.weights  model.safetensors of heed-train
 * @param {string} from.spm  path of the vocabulary without the extension
 * @param {Parameters<typeof makeConfig>[1]} from.set  options of the run
 * @param {string} [from.lexicon]  path of lexicon.tsv; packed as lexicon.bin if it has a line
 * @param {string} [from.ngrams]  path of ngrams.bin
 * @param {Record<string, unknown>} from.manifest  heed.json
 * @param {string} out
 */
export async function writeDirectory({ weights, spm, set, lexicon, ngrams, manifest }, out) {
  const pieces = readPieces(`${spm}.vocab`);
  const config = makeConfig(pieces.length, set);
  const languages = pieces.filter((piece) => /^>>.+<<$/.test(piece));
  const [float, int8] = [join(out, 'float'), join(out, 'int8')];
  rmSync(out, { recursive: true, force: true });
  mkdirSync(float, { recursive: true });
  /** @type {Record<string, string | Buffer>} */
  const files = {
    'config.json': json(config),
    'generation_config.json': json({
      // a translation never has padding or language tokens
      bad_words_ids: [config.pad_token_id, ...languages.map((piece) => pieces.indexOf(piece))].map((id) => [id]),
      decoder_start_token_id: config.decoder_start_token_id,
      eos_token_id: config.eos_token_id,
      pad_token_id: config.pad_token_id,
      max_length: config.max_position_embeddings,
      num_beams: 3,
    }),
    // the class of the vocabulary, whatever the model's: transformers reads these files with it
    'tokenizer_config.json': json({
      tokenizer_class: 'MarianTokenizer', separate_vocabs: false, eos_token: '</s>', unk_token: '<unk>',
      pad_token: '<pad>', model_max_length: config.max_position_embeddings,
    }),
    'source.spm': readFileSync(`${spm}.model`),
    'target.spm': readFileSync(`${spm}.model`),
    'vocab.json': JSON.stringify(Object.fromEntries(pieces.map((piece, id) => [piece, id]))),
  };
  const lines = lexicon ? readFileSync(lexicon, 'utf8') : '';
  if (lines !== '') files[LEXICONS[0]] = packLexicon(lines);
  if (ngrams) files[NGRAMS] = readFileSync(ngrams);
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(float, name), bytes);
  // convert() takes along what is listed
  /** @type {Record<string, { size: number, sha256: string }>} */
  const listed = {};
  for (const name of [...LEXICONS, NGRAMS]) if (files[name]) listed[name] = await describeFile(join(float, name));
  const isAny = Object.keys(listed).length > 0;
  writeFileSync(join(float, 'heed.json'), json({ ...manifest, ...(isAny && { files: listed }) }));
  cpSync(weights, join(float, 'model.safetensors'));
  await convert(float, int8, { dtype: 'int8' });
}
