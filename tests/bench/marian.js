// marian.js - a model of Marian's or M2M-100's as the two ONNX files that transformers.js loads: encoder_model and
// decoder_model_merged; used by models.js.
//
// The graphs are what the exporter makes of Hugging Face's Marian: padding masks, heads as one long batch, shapes
// computed from the inputs, caches of keys and values, one file for the first step and the later ones. They are leaner
// where that can only help the engine: LayerNormalization is one node, and the decoder takes one token at a time, so
// that it needs no causal mask. `int8` is what onnxruntime's quantize_dynamic makes with the settings of
// transformers.js for `q8`: every product with a weight, and the embedding, in int8 with one scale for each matrix;
// activations are measured and rounded to uint8 as they come.
import { Graph } from './onnx.js';

const MASKED = -3.4028234663852886e38; // the most negative float, as the exporter has it

/** Row-major [rows, cols] to [cols, rows]. */
function transpose(data, rows, cols) {
  const out = new data.constructor(data.length);
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < cols; c++) out[c * rows + r] = data[r * cols + c];
  }
  return out;
}

/** One scale for all, the greatest magnitude at 127. */
function quantize(data) {
  let max = 0;
  for (const v of data) max = Math.max(max, Math.abs(v));
  const scale = Math.fround(max / 127);
  const rounded = new Int8Array(data.length);
  for (let i = 0; i < data.length; i++) rounded[i] = Math.round(data[i] / scale);
  return { scale, data: rounded };
}

/** The layers that encoder and decoder share, added to a graph. */
class Layers {
  #rounded = new Map(); // an activation -> its uint8 values, scale and zero point: made once, used by each product
  #quantized;

  constructor(graph, model, weights, int8, quantized) {
    this.g = graph;
    this.model = model;
    this.weights = weights;
    this.int8 = int8;
    this.#quantized = quantized; // of the whole file
  }

  in(graph) {
    return new Layers(graph, this.model, this.weights, this.int8, this.#quantized);
  }

  vector(name) {
    const data = this.weights.get(name).data;
    return this.g.weight(name, 'float', [data.length], () => data);
  }

  #int8Of(name) {
    if (!this.#quantized.has(name)) this.#quantized.set(name, quantize(this.weights.get(name).data));
    return this.#quantized.get(name);
  }

  #zero() {
    return this.g.weight('zero_point', 'int8', [], () => new Int8Array(1));
  }

  /** Weights [rows, cols] as the right-hand side of a product: [cols, rows]. */
  #right(name, type, data) {
    const [rows, cols] = this.weights.get(name).shape;
    return this.g.weight(`${name}.T`, type, [cols, rows], () => transpose(data(), rows, cols));
  }

  /** x W^T + bias. `right`: name of W^T where it is not stored by itself. */
  product(x, name, bias, right) {
    const { g } = this;
    let out;
    if (this.int8) {
      const { scale } = this.#int8Of(name);
      if (!this.#rounded.has(x)) this.#rounded.set(x, g.op('DynamicQuantizeLinear', [x], {}, 3));
      const [values, xScale, xZero] = this.#rounded.get(x);
      const w = right ?? this.#right(name, 'int8', () => this.#int8Of(name).data);
      const sums = g.op('Cast', [g.op('MatMulInteger', [values, w, xZero, this.#zero()])], { to: 1n });
      const wScale = g.weight(`${name}.scale`, 'float', [1], () => Float32Array.of(scale));
      out = g.op('Mul', [sums, g.op('Mul', [xScale, wScale])]);
    } else {
      out = g.op('MatMul', [x, right ?? this.#right(name, 'float', () => this.weights.get(name).data)]);
    }
    return bias === undefined ? out : g.op('Add', [out, this.vector(bias)]);
  }

  linear(x, name) {
    return this.product(x, `${name}.weight`, `${name}.bias`);
  }

  /** The embedding matrix as it is stored, [V, D]. */
  table() {
    const name = 'model.shared.weight';
    const { shape, data } = this.weights.get(name);
    return this.int8
      ? this.g.weight(name, 'int8', shape, () => this.#int8Of(name).data)
      : this.g.weight(name, 'float', shape, () => data);
  }

  /** Scaled embedding plus position; `offset` and `end` are positions, int64 [1]. */
  embed(ids, offset, end) {
    const { g } = this;
    let rows = g.op('Gather', [this.table(), ids]);
    if (this.int8) {
      const scale = g.number(this.#int8Of('model.shared.weight').scale);
      rows = g.op('DequantizeLinear', [rows, scale, this.#zero()]);
    }
    const { shape, data } = this.weights.get('positions');
    const positions = g.weight('positions', 'float', shape, () => data);
    return g.op('Add', [
      g.op('Mul', [rows, g.number(Math.fround(Math.sqrt(this.model.width)))]),
      g.op('Slice', [positions, offset, end, g.ints(0)]),
    ]);
  }

  /** int64 [B, S], 1 where there is a token, to what is added to scores, [B, 1, 1, S]. */
  mask(tokens) {
    const { g } = this;
    const hidden = g.op('Sub', [g.number(1), g.op('Cast', [tokens], { to: 1n })]);
    return g.op('Unsqueeze', [g.op('Mul', [hidden, g.number(MASKED)]), g.ints(1, 2)]);
  }

  /** Size of one dimension, an int64 scalar. */
  dim(x, axis) {
    return this.g.op('Gather', [this.g.op('Shape', [x]), this.g.scalar(axis)]);
  }

  /** The same, int64 [1]. */
  size(x, axis) {
    return this.g.op('Unsqueeze', [this.dim(x, axis), this.g.ints(0)]);
  }

  /** x in the shape of `dims`: numbers, or int64 scalars of the graph. */
  reshape(x, ...dims) {
    const { g } = this;
    const shape = dims.map((d) => (typeof d === 'number' ? g.ints(d) : g.op('Unsqueeze', [d, g.ints(0)])));
    return g.op('Reshape', [x, g.op('Concat', shape, { axis: 0n })]);
  }

  /** [B, T, D] to [B, H, T, Dh]. */
  heads(x) {
    const { heads, width } = this.model;
    return this.g.op('Transpose', [this.reshape(x, this.dim(x, 0), -1, heads, width / heads)], { perm: [0, 2, 1, 3] });
  }

  /** x and what a sublayer makes of it, with its norm: before it in M2M-100, else after the sum. */
  residual(x, norm, sublayer) {
    const sum = (y) => this.g.op('Add', [x, y]);
    return this.model.family ? sum(sublayer(this.norm(x, norm))) : this.norm(sum(sublayer(x)), norm);
  }

  /**
   * Attention of x [B, T, D] over keys and values [B, H, S, Dh], which `over` makes of what queries are made of; the
   * residual and its norm included.
   */
  attend(x, name, over, mask) {
    return this.residual(x, `${name}_layer_norm`, (y) => this.attention(y, name, ...over(y), mask));
  }

  attention(x, name, keys, values, mask) {
    const { g } = this;
    const { heads, width } = this.model;
    const [batch, rows] = [this.dim(x, 0), this.dim(x, 1)];
    const all = g.op('Mul', [batch, g.scalar(heads)]);
    const flat = (y) => this.reshape(y, all, -1, width / heads); // [B H, -1, Dh]
    const scale = g.number(Math.fround(1 / Math.sqrt(width / heads)));
    const queries = flat(this.heads(g.op('Mul', [this.linear(x, `${name}.q_proj`), scale])));
    const flatKeys = flat(keys);
    let scores = g.op('MatMul', [queries, g.op('Transpose', [flatKeys], { perm: [0, 2, 1] })]);
    if (mask) {
      const source = this.dim(flatKeys, 1);
      scores = g.op('Add', [this.reshape(scores, batch, heads, rows, source), mask]);
      scores = this.reshape(scores, all, rows, source);
    }
    const sums = g.op('MatMul', [g.op('Softmax', [scores], { axis: -1n }), flat(values)]);
    const apart = this.reshape(sums, batch, heads, rows, width / heads);
    const joined = this.reshape(g.op('Transpose', [apart], { perm: [0, 2, 1, 3] }), batch, rows, width);
    return this.linear(joined, `${name}.out_proj`);
  }

  keysAndValues(x, name) {
    return [this.heads(this.linear(x, `${name}.k_proj`)), this.heads(this.linear(x, `${name}.v_proj`))];
  }

  norm(x, name) {
    return this.g.op('LayerNormalization', [x, this.vector(`${name}.weight`), this.vector(`${name}.bias`)],
      { axis: -1n, epsilon: 1e-5 });
  }

  feedForward(x, layer) {
    return this.residual(x, `${layer}.final_layer_norm`, (y) =>
      this.linear(this.g.op('Relu', [this.linear(y, `${layer}.fc1`)]), `${layer}.fc2`));
  }

  /** What leaves a stack. */
  last(x, side) {
    return this.model.family ? this.norm(x, `model.${side}.layer_norm`) : x;
  }
}

/**
 * encoder_model.onnx.
 * @param weights  Map from name to {shape, data}; 'positions' is the table of positions
 */
export function encoder(model, weights, int8) {
  const g = new Graph();
  const ids = g.input('input_ids', 'int64', ['batch', 'source']);
  const tokens = g.input('attention_mask', 'int64', ['batch', 'source']);
  const layers = new Layers(g, model, weights, int8, new Map());
  const mask = layers.mask(tokens);
  let x = layers.embed(ids, g.ints(0), layers.size(ids, 1));
  for (let i = 0; i < model.layers; i++) {
    const layer = `model.encoder.layers.${i}`;
    x = layers.attend(x, `${layer}.self_attn`, (y) => layers.keysAndValues(y, `${layer}.self_attn`), mask);
    x = layers.feedForward(x, layer);
  }
  g.output('last_hidden_state', layers.last(x, 'encoder'), 'float', ['batch', 'source', model.width]);
  return g.file();
}

/** One step of the decoder. `output`: the matrix of the logits; `past`: a later step, with what earlier ones left. */
function step(layers, model, output, past) {
  const { g } = layers;
  const width = model.width / model.heads;
  const own = ['batch', model.heads, 'decoded', width];
  const source = ['kept', model.heads, 'kept_source', width];
  const mask = layers.mask('encoder_attention_mask');
  const offset = past ? layers.size('past_key_values.0.decoder.key', 2) : g.ints(0);
  let x = layers.embed('input_ids', offset, g.op('Add', [offset, g.ints(1)]));
  const present = [];
  for (let i = 0; i < model.layers; i++) {
    const layer = `model.decoder.layers.${i}`;
    let keys;
    let values;
    x = layers.attend(x, `${layer}.self_attn`, (y) => {
      [keys, values] = layers.keysAndValues(y, `${layer}.self_attn`);
      if (past) {
        keys = g.op('Concat', [`past_key_values.${i}.decoder.key`, keys], { axis: 2n });
        values = g.op('Concat', [`past_key_values.${i}.decoder.value`, values], { axis: 2n });
      }
      return [keys, values];
    });
    // the later steps are given what the first one made, and hand on nothing
    const empty = () => g.constant('float', [0, model.heads, 1, width], new Float32Array(0));
    const [sourceKeys, sourceValues] = past
      ? [`past_key_values.${i}.encoder.key`, `past_key_values.${i}.encoder.value`]
      : layers.keysAndValues('encoder_hidden_states', `${layer}.encoder_attn`);
    x = layers.attend(x, `${layer}.encoder_attn`, () => [sourceKeys, sourceValues], mask);
    x = layers.feedForward(x, layer);
    present.push(
      [`present.${i}.decoder.key`, keys, own],
      [`present.${i}.decoder.value`, values, own],
      [`present.${i}.encoder.key`, past ? empty() : sourceKeys, source],
      [`present.${i}.encoder.value`, past ? empty() : sourceValues, source],
    );
  }
  const bias = model.family ? undefined : 'final_logits_bias';
  const logits = layers.product(layers.last(x, 'decoder'), 'model.shared.weight', bias, output);
  g.output('logits', logits, 'float', ['batch', 1, model.vocabulary]);
  for (const [name, value, dims] of present) g.output(name, value, 'float', dims);
}

/** decoder_model_merged.onnx. */
export function decoder(model, weights, int8) {
  const g = new Graph();
  g.input('encoder_attention_mask', 'int64', ['batch', 'source']);
  g.input('input_ids', 'int64', ['batch', 1]);
  g.input('encoder_hidden_states', 'float', ['batch', 'source', model.width]);
  for (let i = 0; i < model.layers; i++) {
    for (const [side, length] of [['decoder', 'past'], ['encoder', 'past_source']]) {
      for (const what of ['key', 'value']) {
        const dims = ['batch', model.heads, length, model.width / model.heads];
        g.input(`past_key_values.${i}.${side}.${what}`, 'float', dims);
      }
    }
  }
  g.input('use_cache_branch', 'bool', [1]);
  const layers = new Layers(g, model, weights, int8, new Map());
  // the embedding is in the file once; the runtime turns it while loading, as it does with all constants
  const output = g.op('Transpose', [layers.table()], { perm: [1, 0] });
  const [later, first] = [g.branch(), g.branch()];
  step(layers.in(later), model, output, true);
  step(layers.in(first), model, output, false);
  g.choose('use_cache_branch', later, first);
  return g.file();
}
