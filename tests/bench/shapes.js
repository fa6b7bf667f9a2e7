// shapes.js - the models and the inputs of the benchmark, as data; used in Node and in the page.

/** Two sizes of Marian model: `A` is what a small page ships, `B` is a usual OPUS-MT model. */
export const MODELS = {
  A: { width: 256, heads: 4, ffn: 1024, layers: 3, vocabulary: 8000, seed: 1 },
  B: { width: 512, heads: 8, ffn: 2048, layers: 6, vocabulary: 32000, seed: 2 },
};

/** The shape of NLLB-200's 600M, for large.js alone: norms before the sublayers, fairseq's sinusoids, no bias of logits. */
export const LARGE = {
  N: { family: 'm2m_100', width: 1024, heads: 16, ffn: 4096, layers: 12, vocabulary: 256206, seed: 3 },
};
/** @param {string} name */
export const modelOf = (name) => MODELS[name] ?? LARGE[name];

export const END = 2; // </s>; never produced here, so that every engine makes the same number of tokens
export const START = 0; // decoder_start_token_id
export const POSITIONS = 512;

/** Every sentence is `source` tokens long and gets `target` tokens; all sentences of a batch are equally long. */
export const CASES = {
  'one sentence': { batch: 1, source: 20, target: 25 },
  'batch of 8': { batch: 8, source: 20, target: 25 },
  'batch of 32': { batch: 32, source: 20, target: 25 },
  '256 tokens': { batch: 1, source: 256, target: 25 },
};

/** A generator of uniform 32-bit integers (mulberry32): the same numbers in every run and on every host. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
}

/** `batch` sentences of `length` ids, the last one </s>. */
export function sentences(batch, length, vocabulary, seed = 7) {
  const next = random(seed);
  return Array.from({ length: batch }, () =>
    Int32Array.from({ length }, (_, i) => (i === length - 1 ? END : END + 1 + (next() % (vocabulary - END - 1)))));
}
