// onnx.js - writes ONNX files: a protobuf writer and, on it, a builder of graphs; used by marian.js.

/** A protobuf message as a list of byte pieces: weights are never copied on the way to the file. */
class Message {
  parts = [];
  size = 0;

  #add(part) {
    this.parts.push(part);
    this.size += part.length;
  }

  #varint(value) {
    const bytes = [];
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    bytes.push(Number(rest));
    this.#add(Uint8Array.from(bytes));
  }

  int(field, value) {
    this.#varint(field * 8);
    this.#varint(value);
    return this;
  }

  float(field, value) {
    this.#varint(field * 8 + 5);
    this.#add(new Uint8Array(Float32Array.of(value).buffer));
    return this;
  }

  bytes(field, value) {
    this.#varint(field * 8 + 2);
    this.#varint(value.length);
    this.#add(value);
    return this;
  }

  text(field, value) {
    return this.bytes(field, new TextEncoder().encode(value));
  }

  message(field, value) {
    this.#varint(field * 8 + 2);
    this.#varint(value.size);
    for (const part of value.parts) this.#add(part);
    return this;
  }
}

// TensorProto.DataType
export const TYPES = { float: 1, uint8: 2, int8: 3, int64: 7, bool: 9 };

// AttributeProto: the field that holds the value, and its number in AttributeProto.AttributeType
const FLOAT = 1;
const INT = 2;
const TENSOR = 4;
const GRAPH = 5;
const INTS = 7;

const tensor = (type, dims, data, name = '') => {
  const message = new Message();
  for (const d of dims) message.int(1, d);
  return message.int(2, TYPES[type]).text(8, name)
    .bytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
};

function attribute(name, value) {
  const message = new Message().text(1, name);
  if (value instanceof Graph) return message.message(6, value.encode()).int(20, GRAPH);
  if (value instanceof Message) return message.message(5, value).int(20, TENSOR);
  if (Array.isArray(value)) {
    for (const v of value) message.int(8, v);
    return message.int(20, INTS);
  }
  if (typeof value === 'bigint') return message.int(3, value).int(20, INT);
  return message.float(2, value).int(20, FLOAT);
}

function valueInfo({ name, type, dims }) {
  const shape = new Message();
  for (const d of dims) {
    shape.message(1, typeof d === 'number' ? new Message().int(1, d) : new Message().text(2, d));
  }
  return new Message().text(1, name)
    .message(2, new Message().message(1, new Message().int(1, TYPES[type]).message(2, shape)));
}

/**
 * A graph under construction. Values are known by name. Attributes: a number is a float, a bigint an integer, an array
 * integers, a Graph a branch. A branch sees the values and the weights of the graph around it.
 */
export class Graph {
  #nodes = [];
  #inputs = [];
  #outputs = [];
  #exits = []; // the outputs under the names they were given
  #names;
  #weights;

  /** @param {Graph} [around]  the graph this one is a branch of: weights are stored there, once for both branches */
  constructor(around) {
    this.root = around?.root ?? this;
    this.#names = around ? around.#names : { next: 0 };
    this.#weights = around ? around.#weights : new Map();
  }

  branch() {
    return new Graph(this);
  }

  input(name, type, dims) {
    this.#inputs.push({ name, type, dims });
    return name;
  }

  /** `value` leaves the graph as `name`. The outputs of a branch get names of their own: no name may hide another. */
  output(name, value, type, dims) {
    const own = this === this.root ? name : `${name}_${this.#names.next++}`;
    this.#nodes.push({ type: 'Identity', inputs: [value], outputs: [own], attributes: {} });
    this.#outputs.push({ name: own, type, dims });
    this.#exits.push({ name, type, dims });
  }

  /** A constant of the whole file, stored once for each `name`; `make` is called for the first one only. */
  weight(name, type, dims, make) {
    if (!this.#weights.has(name)) this.#weights.set(name, tensor(type, dims, make(), name));
    return name;
  }

  ints(...values) {
    return this.weight(`ints_${values.join('_')}`, 'int64', [values.length], () => BigInt64Array.from(values, BigInt));
  }

  scalar(value) {
    return this.weight(`scalar_${value}`, 'int64', [], () => BigInt64Array.of(BigInt(value)));
  }

  number(value) {
    return this.weight(`number_${value}`, 'float', [], () => Float32Array.of(value));
  }

  /** A constant made by a node: what a branch can give as an output. */
  constant(type, dims, data) {
    return this.op('Constant', [], { value: tensor(type, dims, data) });
  }

  /** Add a node; the name of its output, or an array of `n` names. */
  op(type, inputs, attributes = {}, n = 1) {
    const outputs = Array.from({ length: n }, () => `${type}_${this.#names.next++}`);
    this.#nodes.push({ type, inputs, outputs, attributes });
    return n === 1 ? outputs[0] : outputs;
  }

  /** What leaves one of two branches, both with the same outputs, leaves this graph. */
  choose(condition, yes, no) {
    this.#nodes.push({
      type: 'If', inputs: [condition], outputs: yes.#exits.map((o) => o.name),
      attributes: { then_branch: yes, else_branch: no },
    });
    this.#outputs.push(...yes.#exits);
  }

  encode() {
    const graph = new Message();
    for (const { type, inputs, outputs, attributes } of this.#nodes) {
      const node = new Message();
      for (const name of inputs) node.text(1, name);
      for (const name of outputs) node.text(2, name);
      node.text(3, `${type}:${outputs[0]}`).text(4, type);
      for (const [name, value] of Object.entries(attributes)) node.message(5, attribute(name, value));
      graph.message(1, node);
    }
    graph.text(2, 'marian');
    if (this === this.root) for (const weight of this.#weights.values()) graph.message(5, weight);
    for (const value of this.#inputs) graph.message(11, valueInfo(value));
    for (const value of this.#outputs) graph.message(12, valueInfo(value));
    return graph;
  }

  /** The file, as a list of pieces. */
  file() {
    const opset = new Message().text(1, '').int(2, 17);
    return new Message().int(1, 8).text(2, 'heed tests/bench').message(8, opset).message(7, this.encode()).parts;
  }
}
