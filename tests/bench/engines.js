// engines.js - heed and onnxruntime behind one small interface; used in Node and in the page.
//
// An engine: {name, translate(sources, length), dispose()}. `translate` decodes greedily and gives an Int32Array of
// exactly `length` ids for each source; </s> is never chosen.
import { END, START } from './shapes.js';

/** Does an error say that this host or this build has no such engine? All others are failures. */
export const isLack = (error) => error.name === 'NotSupportedError' || /not in this build/.test(error.message)
  || (/MODULE_NOT_FOUND$/.test(error.code) && /onnxruntime[-_](node|binding)/.test(error.message));

/** heed. `directory`: path or URL, with a slash at the end. */
export async function heed(Transformer, directory, { dtype, simd }) {
  const model = await Transformer.load(directory, { dtype, simd, cache: false });
  if (model.info.dtype !== dtype || model.info.simd !== simd) {
    const { info } = model;
    model.dispose();
    throw new Error(`asked for ${dtype} ${simd}, got ${info.dtype} ${info.simd}`);
  }
  return {
    name: `heed ${simd}`,
    model,
    translate(sources, length) {
      const options = { beams: 1, maxTokens: length, minTokens: length + 1, batchSize: sources.length };
      return model.generate(sources, options).map(([best]) => best.ids);
    },
    dispose: () => model.dispose(),
  };
}

/** Arg-max of a row, </s> left out. */
function best(logits, start, end) {
  let at = start;
  let max = -Infinity;
  for (let i = start; i < end; i++) {
    if (logits[i] > max && i !== start + END) {
      max = logits[i];
      at = i;
    }
  }
  return at - start;
}

const int64 = (ort, values, dims) => new ort.Tensor('int64', values, dims);

/**
 * onnxruntime, driven as transformers.js does: the decoder's caches go out of one run and into the next as tensors,
 * keys and values of the source are kept from the first step, logits come to JavaScript.
 * @param ort  onnxruntime-web or onnxruntime-node
 * @param files  the bytes of encoder_model.onnx and decoder_model_merged.onnx
 */
export async function onnxruntime(ort, name, files, { layers, heads, width }, options) {
  const encoder = await ort.InferenceSession.create(files.encoder, options);
  const decoder = await ort.InferenceSession.create(files.decoder, options);
  const caches = ['decoder', 'encoder'].flatMap((side) => ['key', 'value'].flatMap((what) =>
    Array.from({ length: layers }, (_, i) => `${i}.${side}.${what}`)));
  return {
    name,
    /** `record`: called with the logits of every step, [batch, vocabulary]; `forced`: ids to take, not the best ones */
    async translate(sources, length, { record, forced } = {}) {
      const batch = sources.length;
      const n = sources[0].length;
      const ids = new BigInt64Array(batch * n);
      sources.forEach((s, b) => s.forEach((id, i) => (ids[b * n + i] = BigInt(id))));
      const mask = int64(ort, new BigInt64Array(batch * n).fill(1n), [batch, n]);
      const encoded = await encoder.run({ input_ids: int64(ort, ids, [batch, n]), attention_mask: mask });

      const out = Array.from({ length: batch }, () => new Int32Array(length));
      const last = new BigInt64Array(batch).fill(BigInt(START));
      const past = {};
      const nothing = new ort.Tensor('float32', [], [batch, heads, 0, width / heads]);
      for (const c of caches) past[`past_key_values.${c}`] = nothing;
      for (let t = 0; t < length; t++) {
        const result = await decoder.run({
          input_ids: int64(ort, last, [batch, 1]),
          encoder_attention_mask: mask,
          encoder_hidden_states: encoded.last_hidden_state,
          use_cache_branch: new ort.Tensor('bool', [t > 0], [1]),
          ...past,
        });
        const logits = result.logits.data;
        record?.(logits);
        const vocabulary = logits.length / batch;
        for (let b = 0; b < batch; b++) {
          const id = forced ? forced[b][t] : best(logits, b * vocabulary, (b + 1) * vocabulary);
          out[b][t] = id;
          last[b] = BigInt(id);
        }
        for (const c of caches) {
          if (t === 0 || c.includes('decoder')) past[`past_key_values.${c}`] = result[`present.${c}`];
        }
      }
      return out;
    },
    async dispose() {
      await encoder.release();
      await decoder.release();
    },
  };
}
