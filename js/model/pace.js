// pace.js - limits the work of one search step, so that the event loop runs in time; used by model.js.

/**
 * Multiply-adds of a step, in int8: about 10 ms on one core of 2020 with 128-bit SIMD. The encoder and the decoder may
 * each use this much. A slower host takes two or three times as long, still less than the 50 ms that a page may block.
 */
const STEP = 4e8;
/** Multiply-adds in f32 take this many times as long. */
const F32 = 4;
/** A step of fewer rows wastes time, because each step reads all weights of the decoder. */
const LEAST_ROWS = 32;

/**
 * @param {Record<string, any>} config  of readConfig
 * @param {boolean} isF32
 * @returns {{ tokens: number, rows: number }}  tokens: of sources that are encoded in one step, if they are more than
 *   one source; rows: targets that the decoder makes longer in one step
 */
export function paceOf(config, isF32) {
  const { d_model: d, encoder_layers: encoders, decoder_layers: decoders, decoder_vocab_size: pieces } = config;
  const token = encoders * d * (4 * d + 2 * config.encoder_ffn_dim);
  // an SSRU has two matrices, self-attention four
  const row = decoders * d * ((config.decoder_cell === 'ssru' ? 4 : 6) * d + 2 * config.decoder_ffn_dim) + d * pieces;
  const step = STEP / (isF32 ? F32 : 1);
  return { tokens: Math.floor(step / token), rows: Math.max(LEAST_ROWS, Math.floor(step / row)) };
}
