// models.js - writes the random models of shapes.js, the same weights for every engine; used by all programs here.
//
//   build/bench/<model>/f32        config.json, generation_config.json, model.safetensors (F32)
//   build/bench/<model>/int8       the same with I8 matrices and a scale for each row
//   build/bench/<model>/onnx-f32   encoder_model.onnx, decoder_model_merged.onnx
//   build/bench/<model>/onnx-int8  the same, dynamically quantised
//   build/bench/<model>/bergamot   Marian's .bin in int8, and a vocabulary: see bergamot-model.js
//
// A model of LARGE has no onnx-f32, which would be more than a protobuf may have, and nothing for Bergamot.
import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bergamotFiles } from './bergamot-model.js';
import { decoder, encoder } from './marian.js';
import { END, MODELS, POSITIONS, START, modelOf, random } from './shapes.js';

export const FOLDER = fileURLToPath(new URL('../../build/bench/', import.meta.url));

/** n numbers of a normal distribution, from two streams of uniform ones (Box and Muller). */
function normal(n, deviation, next) {
  const out = new Float32Array(n);
  for (let i = 0; i < n; i += 2) {
    const radius = deviation * Math.sqrt(-2 * Math.log((next() + 1) / 2 ** 32));
    const angle = (2 * Math.PI * next()) / 2 ** 32;
    out[i] = radius * Math.cos(angle);
    if (i + 1 < n) out[i + 1] = radius * Math.sin(angle);
  }
  return out;
}

/** The same deviation, uniformly: what a large model takes seconds for instead of minutes. */
function uniform(n, deviation, next) {
  const out = new Float32Array(n);
  const width = deviation * Math.sqrt(12);
  for (let i = 0; i < n; i++) out[i] = width * (next() / 2 ** 32 - 0.5);
  return out;
}

/** All tensors under their Hugging Face names. Deviations keep every activation near 1, as training does. */
function weights(model) {
  const { width: D, ffn: F, vocabulary: V, family } = model;
  const next = random(model.seed);
  const all = new Map();
  const add = (name, shape, deviation, mean = 0) => {
    const data = (family ? uniform : normal)(shape.reduce((a, b) => a * b), deviation, next);
    if (mean) for (let i = 0; i < data.length; i++) data[i] += mean;
    all.set(name, { shape, data });
  };
  const linear = (name, rows, cols) => {
    add(`${name}.weight`, [rows, cols], 1 / Math.sqrt(cols));
    add(`${name}.bias`, [rows], 0.1);
  };
  const norm = (name) => {
    add(`${name}.weight`, [D], 0.1, 1);
    add(`${name}.bias`, [D], 0.1);
  };
  const attention = (name) => {
    for (const part of ['q_proj', 'k_proj', 'v_proj', 'out_proj']) linear(`${name}.${part}`, D, D);
    norm(`${name}_layer_norm`);
  };
  add('model.shared.weight', [V, D], 1 / Math.sqrt(D));
  if (!family) add('final_logits_bias', [1, V], 0.1);
  for (const side of ['encoder', 'decoder']) {
    for (let i = 0; i < model.layers; i++) {
      const layer = `model.${side}.layers.${i}`;
      attention(`${layer}.self_attn`);
      if (side === 'decoder') attention(`${layer}.encoder_attn`);
      linear(`${layer}.fc1`, F, D);
      linear(`${layer}.fc2`, D, F);
      norm(`${layer}.final_layer_norm`);
    }
    if (family) norm(`model.${side}.layer_norm`);
  }
  return all;
}

/** Marian's table of positions, or fairseq's: sines in the first half of a row, cosines in the second. */
function positions({ width, family }) {
  const data = new Float32Array(POSITIONS * width);
  // fairseq has other wavelengths, and its first position is the one after that of the padding
  const [first, wavelengths] = family ? [2, width / 2 - 1] : [0, width / 2];
  for (let p = 0; p < POSITIONS; p++) {
    for (let i = 0; i < width / 2; i++) {
      const angle = (p + first) / 10000 ** (i / wavelengths);
      data[p * width + i] = Math.sin(angle);
      data[p * width + width / 2 + i] = Math.cos(angle);
    }
  }
  return { shape: [POSITIONS, width], data };
}

const config = (model) => ({
  model_type: model.family ?? 'marian',
  d_model: model.width,
  encoder_layers: model.layers,
  decoder_layers: model.layers,
  encoder_attention_heads: model.heads,
  decoder_attention_heads: model.heads,
  encoder_ffn_dim: model.ffn,
  decoder_ffn_dim: model.ffn,
  activation_function: 'relu',
  static_position_embeddings: true,
  // stated by the family
  ...(!model.family && { normalize_before: false, normalize_embedding: false, add_final_layer_norm: false }),
  scale_embedding: true,
  share_encoder_decoder_embeddings: true,
  tie_word_embeddings: true,
  is_encoder_decoder: true,
  vocab_size: model.vocabulary,
  decoder_vocab_size: model.vocabulary,
  max_position_embeddings: POSITIONS,
  pad_token_id: model.family ? 1 : START,
  eos_token_id: END,
  decoder_start_token_id: START,
});

const generation = {
  decoder_start_token_id: START,
  eos_token_id: END,
  pad_token_id: START,
  max_length: POSITIONS,
  num_beams: 1,
};

const bytesOf = (data) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

/** A safetensors file as a list of pieces. */
function safetensors(tensors) {
  const header = {};
  let end = 0;
  for (const [name, { shape, data }] of tensors) {
    const start = end;
    end += data.byteLength;
    header[name] = { dtype: data instanceof Int8Array ? 'I8' : 'F32', shape, data_offsets: [start, end] };
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const padded = new Uint8Array(Math.ceil(text.length / 8) * 8).fill(0x20);
  padded.set(text);
  const length = bytesOf(BigUint64Array.of(BigInt(padded.length)));
  return [length, padded, ...Array.from(tensors.values(), (t) => bytesOf(t.data))];
}

/** Matrices to int8, one scale for each row, the row's greatest magnitude at 127. */
function rowsToInt8(tensors) {
  const out = new Map();
  for (const [name, { shape, data }] of tensors) {
    const [rows, cols] = shape;
    if (shape.length < 2 || rows === 1) {
      out.set(name, { shape, data });
      continue;
    }
    const values = new Int8Array(data.length);
    const scales = new Float32Array(rows);
    for (let r = 0; r < rows; r++) {
      let max = 0;
      for (let i = r * cols; i < (r + 1) * cols; i++) max = Math.max(max, Math.abs(data[i]));
      scales[r] = max / 127 || 1;
      for (let i = r * cols; i < (r + 1) * cols; i++) values[i] = Math.round(data[i] / scales[r]);
    }
    out.set(name, { shape, data: values });
    out.set(`${name}.scale`, { shape: [rows], data: scales });
  }
  return out;
}

async function write(folder, files) {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const file = await open(join(folder, name), 'w');
    try {
      for (const piece of Array.isArray(content) ? content : [Buffer.from(JSON.stringify(content, null, 2))]) {
        await file.writeFile(piece);
      }
    } finally {
      await file.close();
    }
  }
}

/** Writes a model in int8 for heed alone. */
export async function writeInt8(name, folder) {
  const model = modelOf(name);
  const json = { 'config.json': config(model), 'generation_config.json': generation };
  await write(folder, { ...json, 'model.safetensors': safetensors(rowsToInt8(weights(model))) });
}

/** Write the models that are not there or were written by other code. */
export async function writeModels(names = Object.keys(MODELS)) {
  const code = createHash('sha256');
  for (const file of ['models.js', 'marian.js', 'onnx.js', 'shapes.js', 'bergamot-model.js']) {
    code.update(await readFile(new URL(file, import.meta.url)));
  }
  const stamp = code.digest('hex');
  for (const name of names) {
    const folder = join(FOLDER, name);
    const stampFile = join(folder, 'stamp');
    if ((await readFile(stampFile, 'utf8').catch(() => '')) === stamp) continue;
    await rm(folder, { recursive: true, force: true });
    const model = modelOf(name);
    const tensors = weights(model);
    const json = { 'config.json': config(model), 'generation_config.json': generation };
    await write(join(folder, 'f32'), { ...json, 'model.safetensors': safetensors(tensors) });
    await write(join(folder, 'int8'), { ...json, 'model.safetensors': safetensors(rowsToInt8(tensors)) });
    if (!model.family) await write(join(folder, 'bergamot'), bergamotFiles(model, tensors));
    tensors.set('positions', positions(model));
    for (const [kind, int8] of [['onnx-f32', false], ['onnx-int8', true]].slice(model.family ? 1 : 0)) {
      await write(join(folder, kind), {
        'encoder_model.onnx': encoder(model, tensors, int8),
        'decoder_model_merged.onnx': decoder(model, tensors, int8),
      });
    }
    await writeFile(stampFile, stamp);
  }
}
