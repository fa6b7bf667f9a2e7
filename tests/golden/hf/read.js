// read.js - what transformers made of the models in this folder; see README.md. Used by generate.test.js.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { readTensors } from '../golden.js';

/**
 * @typedef {{ ids: number[], score?: number, text?: string, steps?: number[] }} Output
 * @typedef {object} Case
 * @property {string} case
 * @property {number} line  of lines
 * @property {Record<string, any>} settings  of transformers' generate()
 * @property {Output[]} outputs  best first
 * @property {boolean} [fragile]
 * @property {boolean} [unsupported]
 */

/** @param {URL} url @returns {any[]} */
const readLines = (url) => gunzipSync(readFileSync(url)).toString().trim().split('\n').map((line) => JSON.parse(line));

/** @param {'opus' | 'untied' | 'multi'} name */
export function readHf(name) {
  const directory = new URL(`${name}/`, import.meta.url);
  const read = (/** @type {string} */ file) => readLines(new URL(`${file}.jsonl.gz`, directory));
  return {
    directory,
    /** @type {Case[]} */
    cases: read('cases'),
    /** @type {{ text: string, source: number[], sum: number, abs_sum: number, first: number[], last: number[] }[]} */
    lines: read('lines'),
    /** @type {{ text: string, ids: number[], target_ids: number[], decoded: string, ids_as_text?: number[] }[]} */
    texts: read('tokenizer'),
    tensors: readTensors(new URL('golden.safetensors', directory)),
  };
}

/** @typedef {{ settings: Record<string, any>, outputs: Output[], target_prefix: number[] }} Run */
/** @returns {{ case: string, line: number, ctranslate2: Run, transformers: Run, same_ids: boolean,
 *   same_ids_early_stopping?: boolean }[]} */
export const readCtranslate2 = () => readLines(new URL('ctranslate2.jsonl.gz', import.meta.url));

/** heed's options by the names of transformers. @type {Record<string, string>} */
const OPTIONS = {
  num_beams: 'beams',
  num_return_sequences: 'nBest',
  max_new_tokens: 'maxTokens',
  min_new_tokens: 'minTokens',
  max_length: 'maxLength',
  min_length: 'minLength',
  length_penalty: 'lengthPenalty',
  early_stopping: 'earlyStopping',
  renormalize_logits: 'renormalizeLogits',
  repetition_penalty: 'repetitionPenalty',
  no_repeat_ngram_size: 'noRepeatNgram',
  bad_words_ids: 'badWords',
  suppress_tokens: 'suppressTokens',
  begin_suppress_tokens: 'beginSuppressTokens',
  forced_bos_token_id: 'forcedBosTokenId',
  forced_eos_token_id: 'forcedEosTokenId',
  eos_token_id: 'eosTokenIds',
  decoder_input_ids: 'prefix',
};

/**
 * Settings of transformers as options of heed, whose prefix has no start token.
 *
 * @param {Record<string, any>} settings
 * @param {unknown} start  decoder_start_token_id
 */
export function optionsOf(settings, start) {
  const options = Object.fromEntries(Object.entries(settings).map(([name, value]) => [OPTIONS[name] ?? name, value]));
  if (options.prefix?.[0] === start) options.prefix = options.prefix.slice(1);
  return options;
}
