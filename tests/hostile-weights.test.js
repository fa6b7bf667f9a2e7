// Weights made by hand to do harm: headers, entries and tensors of model.safetensors. Checkpoints of other containers:
// hostile-checkpoints.test.js.
import test, { after } from 'node:test';
import { checkCount, good, refuseAll, takes } from './hostile/refuse.js';
import { bytes, concat } from './model-files.js';
import { float, headerEntries, weightParts, writeObject, writeWeights } from './mutate/model.js';

/** @typedef {import('./hostile/refuse.js').Case} Case */
/** @typedef {import('./mutate/model.js').Part} Part */

after(() => checkCount(100));

const W = 'model.safetensors';
const parts = weightParts();
const DATA = new Uint8Array(Buffer.concat(parts.map(({ data }) => data)));
const entries = () => headerEntries(weightParts());
const EMBEDDINGS = 'model.shared.weight';
/** A file whose header is this text. @param {string} header @param {Uint8Array} [data] */
const raw = (header, data = DATA) => ({ [W]: writeWeights(header, data) });
/** A file whose header says something else. @param {(header: any) => void} change @param {Uint8Array} [data] */
const header = (change, data = DATA) => {
  const all = Object.fromEntries(entries());
  change(all);
  return raw(JSON.stringify(all), data);
};
/** One whose entry for the embeddings is changed. @param {object} change */
const entry = (change) => header((h) => Object.assign(h[EMBEDDINGS], change));
/** One of whose tensors is another. @param {(list: Part[]) => void} change */
const tensors = (change) => {
  const list = weightParts();
  change(list);
  return raw(writeObject(headerEntries(list)), new Uint8Array(Buffer.concat(list.map(({ data }) => data))));
};
const length = (/** @type {bigint} */ n) => ({ [W]: writeWeights(writeObject(entries()), DATA, n) });
/** The header's text, with something put into the embeddings' entry. @param {string} more */
const inEntry = (more) => raw(writeObject(entries()).replace('"dtype":"F32","shape":[20,8]', `"dtype":"F32",${more}`));

test('headers of safetensors', () =>
  refuseAll(W, [
    ['no bytes', { [W]: new Uint8Array() }, 'SAFETENSORS', /found 0 bytes, expected at least 8/],
    ['seven bytes', { [W]: good[W].subarray(0, 7) }, 'SAFETENSORS', /found 7 bytes, expected at least 8/],
    ['a header of 0 bytes', length(0n), 'SAFETENSORS', /found a header of 0 bytes, expected 2 to 100000000/],
    ['a header of 1 byte', length(1n), 'SAFETENSORS', /found a header of 1 bytes/],
    ['a header longer than the file', length(99_999_999n),
      'SAFETENSORS', /cut short: found \d+ of 99999999 bytes of header/],
    ['a header of 100 MB and a byte', length(100_000_001n), 'SAFETENSORS', /found a header of 100000001 bytes/],
    ['a header of 2^32 bytes and those there are', length(2n ** 32n + 3000n),
      'SAFETENSORS', /found a header of 4294970296 bytes/],
    ['a header of 2^64 - 1 bytes', length(2n ** 64n - 1n),
      'SAFETENSORS', /found a header of 1844674407370955\d+ bytes/],
    ['a header that ends in the middle', length(40n), 'SAFETENSORS', /not JSON/],
    ['a header that goes on into the data', length(BigInt(writeObject(entries()).length + 4)),
      'SAFETENSORS', /not JSON|not UTF-8/],
    ['a space first', raw(` ${writeObject(entries())}`), 'SAFETENSORS', /does not begin with '\{'/],
    ['a byte order mark first', raw(`\ufeff${writeObject(entries())}`), 'SAFETENSORS', /does not begin with '\{'/],
    ['an array', raw('[]'), 'SAFETENSORS', /does not begin with '\{'/],
    ['a web page', { [W]: bytes('<!doctype html><title>Not found</title>') },
      'SAFETENSORS', /found a header of \d+ bytes/],
    ['a pointer to large storage', { [W]: bytes('version https://git-lfs') },
      'SAFETENSORS', /found a header of \d+ bytes/],
    ['a pickle', { [W]: concat(Uint8Array.of(0x80, 2), new Uint8Array(30)) },
      'SAFETENSORS', /found a header of 640 bytes|cut short/],
    ['NUL bytes after the header', raw(`${writeObject(entries())}\0\0`), 'SAFETENSORS', /not JSON/],
    ['two headers', raw(`${writeObject(entries())}{}`), 'SAFETENSORS', /not JSON/],
    ['a header that is not UTF-8',
      { [W]: writeWeights(writeObject(entries()), DATA).map((b) => (b === 0x71 ? 0xff : b)) },
      'SAFETENSORS', /not UTF-8/],
    ['a comment', raw(writeObject(entries()).replace('{', '{/**/')), 'SAFETENSORS', /not JSON/],
    ['a million brackets', raw(`{"a":${'['.repeat(1_000_000)}`), 'SAFETENSORS', /not JSON/],
    ['a tensor twice', raw(writeObject([...entries(), entries()[0]])),
      'SAFETENSORS', /the key 'model\.shared\.weight' occurs twice/],
    ['a tensor twice, spelled otherwise',
      raw(writeObject([...entries(), entries()[0]]).replace(/,"model\.shared(?=[^]*$)/, ',"model\\u002eshared')),
      'SAFETENSORS', /occurs twice/],
    ['a key of an entry twice', inEntry('"shape":[20,8],"shape":[20,8]'),
      'SAFETENSORS', /the key 'shape' occurs twice/],
    ['metadata of numbers', header((h) => (h.__metadata__ = { format: 1 })),
      'SAFETENSORS', /__metadata__: found \[object Object\], expected an object of strings/],
    ['metadata that is a text', header((h) => (h.__metadata__ = 'pt')), 'SAFETENSORS', /__metadata__: found 'pt'/],
    ['no tensors', raw('{}', new Uint8Array()), 'TENSOR_MISSING', /model\.shared\.weight/],
    ['only metadata', raw('{"__metadata__":{}}', new Uint8Array()), 'TENSOR_MISSING', /model\.shared\.weight/],
  ]));

test('entries of safetensors', () =>
  refuseAll(W, [
    ['null', header((h) => (h[EMBEDDINGS] = null)), 'SAFETENSORS', /model\.shared\.weight: shape: found undefined/],
    ['a text', header((h) => (h[EMBEDDINGS] = 'F32')), 'SAFETENSORS', /shape: found undefined/],
    ['a list', header((h) => (h[EMBEDDINGS] = [[20, 8]])), 'SAFETENSORS', /shape: found undefined/],
    ['a negative dimension', entry({ shape: [-20, -8] }),
      'SAFETENSORS', /shape: found \[-20,-8\], expected an array of non-negative integers/],
    ['a fraction', entry({ shape: [2.5, 64] }), 'SAFETENSORS', /shape: found \[2\.5,64\]/],
    ['NaN', inEntry('"shape":[NaN,8]'), 'SAFETENSORS', /not JSON/],
    ['infinity', inEntry('"shape":[1e999,8]'), 'SAFETENSORS', /shape: found \[Infinity,8\]/],
    ['a dimension as a text', entry({ shape: ['20', 8] }),
      'SAFETENSORS', /shape: found \[20,8\], expected an array of non-neg/],
    ['a dimension that is null', entry({ shape: [null, 160] }), 'SAFETENSORS', /shape: found \[,160\]/],
    ['a dimension that is true', entry({ shape: [true, 160] }), 'SAFETENSORS', /shape: found \[true,160\]/],
    ['a shape in a shape', entry({ shape: [[20, 8]] }), 'SAFETENSORS', /shape: found \[20,8\]/],
    ['a shape that is a number', entry({ shape: 160 }), 'SAFETENSORS', /shape: found 160/],
    ['a shape that is an object', entry({ shape: { 0: 20, 1: 8, length: 2 } }),
      'SAFETENSORS', /shape: found \[object Object\]/],
    ['no shape', entry({ shape: undefined }), 'SAFETENSORS', /shape: found undefined/],
    ['a product past 2^32', entry({ shape: [2 ** 31 + 20, 8] }),
      'SAFETENSORS', /found 640 bytes, expected 68719477376 for F32/],
    ['a product that is the size modulo 2^32', entry({ shape: [2 ** 30, 4, 160] }),
      'SAFETENSORS', /found 640 bytes, expected/],
    ['a product past 2^53', entry({ shape: [2 ** 30, 2 ** 30] }), 'SAFETENSORS', /found 640 bytes, expected/],
    ['a product past 2^64', entry({ shape: [2 ** 40, 2 ** 40] }), 'SAFETENSORS', /found 640 bytes, expected/],
    ['a product past all', entry({ shape: Array(100).fill(2 ** 52) }),
      'SAFETENSORS', /found 640 bytes, expected Infinity/],
    ['a dimension past 2^53', entry({ shape: [2 ** 53 + 2] }), 'SAFETENSORS', /shape: found \[9007199254740994\]/],
    ['a product of 0 times much', entry({ shape: [0, 2 ** 52, 2 ** 52] }),
      'SAFETENSORS', /found 640 bytes, expected 0/],
    ['as much as is said, but far too much',
      header((h) => Object.assign(h[EMBEDDINGS], { shape: [2 ** 24, 2 ** 20], data_offsets: [0, 2 ** 46] })),
      'SAFETENSORS', /final_logits_bias: begins at 640, expected 70368744177664/],
    ['a million dimensions', entry({ shape: Array(1_000_000).fill(1) }), 'SAFETENSORS', /found 640 bytes, expected 4/],
    ['no dtype', entry({ dtype: undefined }),
      'TENSOR_DTYPE', /model\.shared\.weight: dtype: found undefined, expected one of F32,F16,BF16,I8/],
    ['doubles', entry({ dtype: 'F64', shape: [10, 8] }), 'TENSOR_DTYPE', /dtype: found 'F64'/],
    ['a small letter', entry({ dtype: 'f32' }), 'TENSOR_DTYPE', /dtype: found 'f32'/],
    ['a number for a dtype', entry({ dtype: 0 }), 'TENSOR_DTYPE', /dtype: found 0/],
    ['__proto__ for a dtype', entry({ dtype: '__proto__' }), 'TENSOR_DTYPE', /dtype: found '__proto__'/],
    ['a list for a dtype', entry({ dtype: ['F32'] }), 'TENSOR_DTYPE', /dtype: found \[F32\]/],
    ['a dtype of a megabyte', entry({ dtype: 'F'.repeat(1_000_000) }), 'TENSOR_DTYPE', /dtype: found 'FFF/],
    ['another dtype than the bytes are of', entry({ dtype: 'F16' }),
      'SAFETENSORS', /found 640 bytes, expected 320 for F16 \[20,8\]/],
    ['no offsets', entry({ data_offsets: undefined }),
      'SAFETENSORS', /data_offsets: found undefined, expected \[begin, end\]/],
    ['one offset', entry({ data_offsets: [640] }), 'SAFETENSORS', /data_offsets: found \[640\]/],
    ['three offsets', entry({ data_offsets: [0, 640, 640] }), 'SAFETENSORS', /data_offsets: found \[0,640,640\]/],
    ['offsets as texts', entry({ data_offsets: ['0', '640'] }), 'SAFETENSORS', /data_offsets: found \[0,640\]/],
    ['offsets swapped', entry({ data_offsets: [640, 0] }), 'SAFETENSORS', /found -640 bytes, expected 640/],
    ['a negative offset', entry({ data_offsets: [-640, 0] }), 'SAFETENSORS', /data_offsets: found \[-640,0\]/],
    ['a fraction of an offset', entry({ data_offsets: [0.5, 640.5] }),
      'SAFETENSORS', /data_offsets: found \[0\.5,640\.5\]/],
    ['offsets past 2^53', entry({ data_offsets: [2 ** 53, 2 ** 53 + 640] }),
      'SAFETENSORS', /data_offsets: found \[900719/],
    ['offsets past 2^32', entry({ data_offsets: [2 ** 32, 2 ** 32 + 640] }),
      'SAFETENSORS', /begins at 640, expected 0: a hole/],
    ['offsets beyond the file',
      header((h) => {
        h['model.decoder.layers.0.final_layer_norm.bias'].data_offsets = [DATA.length, DATA.length + 32];
      }),
      'SAFETENSORS', /final_layer_norm\.bias: begins at \d+, expected \d+: a hole/],
    ['an overlap', header((h) => Object.assign(h.final_logits_bias, { data_offsets: [600, 680] })),
      'SAFETENSORS', /final_logits_bias: begins at 600, expected 640: an overlap/],
    ['the same bytes for two',
      header((h) => Object.assign(h.final_logits_bias, { shape: [20, 8], data_offsets: [0, 640] })),
      'SAFETENSORS', /begins at 0, expected 640: an overlap/],
    ['a hole at the beginning', raw(JSON.stringify(Object.fromEntries(entries().slice(1)))),
      'SAFETENSORS', /final_logits_bias: begins at 640, expected 0: a hole/],
    ['a hole in the middle', header((h) => delete h.final_logits_bias),
      'SAFETENSORS', /begins at 720, expected 640: a hole/],
    ['a tail', raw(writeObject(entries()), concat(DATA, new Uint8Array(1))),
      'SAFETENSORS', /bytes after the last tensor/],
    ['a byte too few', raw(writeObject(entries()), DATA.subarray(0, -1)),
      'SAFETENSORS', /final_layer_norm\.bias: cut short: 1 bytes are missing/],
    ['no data', raw(writeObject(entries()), new Uint8Array()),
      'SAFETENSORS', /model\.shared\.weight: cut short: 640 bytes are missing/],
  ]));

const at = (/** @type {Part[]} */ list, /** @type {string} */ name) =>
  /** @type {Part} */ (list.find((part) => part.name === name));
const FC1 = 'model.encoder.layers.0.fc1.weight';
const NORM = 'model.encoder.layers.0.final_layer_norm.weight';
/** A number at the beginning of a tensor. @param {string} name @param {number} x */
const number = (name, x) =>
  tensors((list) => void (at(list, name).data = concat(float(x), at(list, name).data.subarray(4))));
/** 16-bit elements. @param {'F16' | 'BF16'} dtype @param {number} bits  of the first */
const halves = (dtype, bits) =>
  tensors((list) => {
    Object.assign(at(list, FC1), { dtype, data: concat(Uint8Array.of(bits & 255, bits >> 8), new Uint8Array(126)) });
  });
/** FC1 as I8, with such a scale. @param {Partial<Part> | null} scale */
const int8 = (scale) =>
  tensors((list) => {
    Object.assign(at(list, FC1), { dtype: 'I8', data: new Uint8Array(64).fill(3) });
    const data = concat(...Array(8).fill(float(0.1)));
    if (scale) list.push({ name: `${FC1}.scale`, dtype: 'F32', shape: [8], data, ...scale });
  });
const extra = (/** @type {string} */ name) =>
  tensors((list) => list.push({ name, dtype: 'F32', shape: [1], data: new Uint8Array(4) }));
const without = (/** @type {string} */ name) => tensors((list) => void list.splice(list.indexOf(at(list, name)), 1));
const shaped = (/** @type {string} */ name, /** @type {number[]} */ ...shape) =>
  tensors((list) => void (at(list, name).shape = shape));

test('tensors that are not those of the configuration', async () => {
  await refuseAll(W, [
    ['no embeddings', without(EMBEDDINGS), 'TENSOR_MISSING', /model\.shared\.weight/],
    ['a matrix is missing', without(FC1), 'TENSOR_MISSING', /encoder\.layers\.0\.fc1\.weight/],
    ['a gain is missing', without(NORM), 'TENSOR_MISSING', /final_layer_norm\.weight/],
    ['one more', extra('extra'), 'TENSOR_UNKNOWN', /extra: this configuration has no such tensor/],
    ['__proto__', extra('__proto__'), 'TENSOR_UNKNOWN', /__proto__: this configuration/],
    ['constructor', extra('constructor'), 'TENSOR_UNKNOWN', /constructor: this configuration/],
    ['an empty name', extra(''), 'TENSOR_UNKNOWN', /this configuration has no such tensor/],
    ['a name and a NUL', extra(`${FC1}\0`), 'TENSOR_UNKNOWN', /this configuration has no such tensor/],
    ['half a surrogate pair', extra('\ud83d'), 'TENSOR_UNKNOWN', /this configuration has no such tensor/],
    ['a name of a megabyte', extra('x'.repeat(1_000_000)), 'TENSOR_UNKNOWN', /xxx…: this configuration/],
    ['a layer that is not', extra('model.encoder.layers.1.fc1.weight'), 'TENSOR_UNKNOWN', /layers\.1\.fc1\.weight/],
    ['layer -1', extra('model.encoder.layers.-1.fc1.weight'), 'TENSOR_UNKNOWN', /layers\.-1/],
    ['layer 00', extra('model.encoder.layers.00.fc1.weight'), 'TENSOR_UNKNOWN', /layers\.00/],
    ['a scale of a vector', extra(`${NORM}.scale`), 'TENSOR_UNKNOWN', /final_layer_norm\.weight\.scale/],
    ['a scale of a scale', extra(`${FC1}.scale.scale`), 'TENSOR_UNKNOWN', /scale\.scale/],
    ['transposed', shaped(EMBEDDINGS, 8, 20),
      'TENSOR_SHAPE', /model\.shared\.weight: found shape \[8,20\], expected \[20,8\]/],
    ['flat', shaped(FC1, 64), 'TENSOR_SHAPE', /fc1\.weight: found shape \[64\], expected \[8,8\]/],
    ['three dimensions', shaped(FC1, 8, 8, 1), 'TENSOR_SHAPE', /found shape \[8,8,1\]/],
    ['a column for a vector', shaped(NORM, 8, 1), 'TENSOR_SHAPE', /found shape \[8,1\], expected \[8\]/],
    ['a scalar', tensors((list) => void Object.assign(at(list, NORM), { shape: [], data: new Uint8Array(4) })),
      'TENSOR_SHAPE', /found shape \[\], expected \[8\]/],
    ['nothing', tensors((list) => void Object.assign(at(list, FC1), { shape: [0, 8], data: new Uint8Array() })),
      'TENSOR_SHAPE', /found shape \[0,8\]/],
    ['a thousand dimensions', shaped(NORM, ...Array(1000).fill(1), 8), 'TENSOR_SHAPE', /found shape \[1,1,/],
    ['I8 without its scale', int8(null), 'TENSOR_MISSING', /fc1\.weight: an I8 tensor needs its \.scale/],
    ['a scale of one that is not I8',
      tensors((list) => list.push({ name: `${FC1}.scale`, dtype: 'F32', shape: [8], data: new Uint8Array(32) })),
      'TENSOR_MISSING', /only an I8 tensor may have one/],
    ['a scale for each column and row', int8({ shape: [8, 1] }),
      'TENSOR_SHAPE', /fc1\.weight\.scale: found shape \[8,1\], expected \[8\]/],
    ['too few scales', int8({ shape: [7], data: new Uint8Array(28) }),
      'TENSOR_SHAPE', /found shape \[7\], expected \[8\]/],
    ['scales of 16 bits', int8({ dtype: 'F16', data: new Uint8Array(16) }), 'TENSOR_DTYPE', /fc1\.weight\.scale: F16/],
    ['a scale that is NaN', int8({ data: concat(float(NaN), new Uint8Array(28)) }),
      'TENSOR_VALUE', /fc1\.weight\.scale: HEED_E_TENSOR_VALUE/],
    ['a scale that makes infinity', int8({ data: concat(float(3e38), new Uint8Array(28)) }),
      'TENSOR_VALUE', /fc1\.weight\.scale/],
    ['a vector of I8', tensors((list) => void Object.assign(at(list, NORM), { dtype: 'I8', data: new Uint8Array(8) })),
      'TENSOR_DTYPE', /final_layer_norm\.weight: I8/],
    ...[NaN, Infinity, -Infinity].flatMap((x) =>
      [FC1, NORM, EMBEDDINGS, 'final_logits_bias'].map((name) =>
        /** @type {Case} */ ([`${x} in ${name}`, number(name, x),
          'TENSOR_VALUE', new RegExp(`${name}: HEED_E_TENSOR_VALUE`)]))),
    ['a half that is NaN', halves('F16', 0x7e00), 'TENSOR_VALUE', /fc1\.weight/],
    ['a half that is infinite', halves('F16', 0xfc00), 'TENSOR_VALUE', /fc1\.weight/],
    ['a bfloat16 that is NaN', halves('BF16', 0x7fc1), 'TENSOR_VALUE', /fc1\.weight/],
    ['a bfloat16 that is infinite', halves('BF16', 0xff80), 'TENSOR_VALUE', /fc1\.weight/],
  ]);
  await takes('a vector as one row', shaped(NORM, 1, 8));
  await takes('no final_logits_bias', without('final_logits_bias'));
  await takes('any order', tensors((list) => void list.reverse()));
  await takes('I8 with its scale', int8({}));
});
