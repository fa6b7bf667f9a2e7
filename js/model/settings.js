// settings.js - unsupported search settings in a model's files; loaded by load.js if a file may have one.

/** Their neutral values; null is always neutral. @type {Record<string, unknown[]>} */
const NEUTRAL = {
  do_sample: [false],
  num_return_sequences: [1],
  num_beam_groups: [1],
  diversity_penalty: [0],
  penalty_alpha: [0],
  encoder_repetition_penalty: [1],
  encoder_no_repeat_ngram_size: [0],
  exponential_decay_length_penalty: [],
  sequence_bias: [],
  constraints: [],
  force_words_ids: [],
  forced_decoder_ids: [],
  remove_invalid_values: [false],
  guidance_scale: [1],
  max_time: [],
  stop_strings: [],
  token_healing: [false],
  watermarking_config: [],
  dola_layers: [],
};
/** These matter if do_sample is true. @type {Record<string, unknown[]>} */
const SAMPLING = {
  temperature: [1],
  top_k: [0],
  top_p: [1],
  min_p: [0],
  top_h: [],
  typical_p: [1],
  epsilon_cutoff: [0],
  eta_cutoff: [0],
};

/**
 * Names of the settings with another value than the neutral one.
 *
 * @param {Record<string, unknown>} settings  of generation_config.json, or of config.json
 * @returns {string[]}
 */
export function unsupportedSettings(settings) {
  const table = settings.do_sample === true ? { ...NEUTRAL, ...SAMPLING } : NEUTRAL;
  return Object.entries(table)
    .filter(([name, neutral]) => settings[name] != null && !neutral.includes(settings[name]))
    .map(([name]) => name);
}
