// Containers made by hand to do harm: each is refused with an error that names the file and what was found, at once.
import test from 'node:test';
import assert from 'node:assert/strict';
import { deflateRawSync } from 'node:zlib';
import { HeedError } from '../js/index.js';
import { openContainer } from '../js/formats/open.js';
import { openSource } from '../js/files/source.js';
import {
  dict, global, int, list, long, npy, op, pickle, pickles, text, tensor, tuple, u16, u32, u64, zip,
} from './hostile/containers.js';
import { bytes, concat } from './model-files.js';
import { timeOf } from './time-of.js';

/** @typedef {import('./hostile/containers.js').Entry} Entry */
/** @typedef {import('./hostile/containers.js').Lies} Lies */

const config = { vocab_size: 4, decoder_vocab_size: 4 };

const numbers = new Uint8Array(24);
/** @param {Uint8Array} state @param {Partial<Entry>} [storage] @param {Entry[]} [others] */
const torch = (state, storage = {}, others = []) =>
  zip([{ name: 'm/data.pkl', data: state }, { name: 'm/data/0', data: numbers, ...storage }, ...others]);
/** A list of the one before, twice, 200 times: a text of it would be longer than any memory. */
const doubled = concat(op(0x5d, 0x71, 0, 0x30),
  ...Array.from({ length: 200 }, (_, i) => op(0x28, 0x68, i, 0x68, i, 0x74, 0x71, i + 1, 0x30)), op(0x68, 200));
const key = 'k'.repeat(3000);
const large = long(2n ** 53n - 1n);
const good = pickle(dict(text('w'), tensor()));
/** @param {Uint8Array[]} parts  of the state's pickle */
const state = (...parts) => torch(pickle(...parts));
const one = (/** @type {Parameters<typeof tensor>[0]} */ options) => state(dict(text('w'), tensor(options)));

/** @param {Partial<Parameters<typeof pickles>[0]> & { count?: number, tail?: Uint8Array }} [o] */
const legacy = ({ count = 6, tail = new Uint8Array(), ...o } = {}) =>
  concat(pickles({ state: good, keys: list(text('0')), ...o }), u64(count), numbers, tail);

/** @param {string} name @param {Uint8Array} data */
async function drain(name, data) {
  const weights = await openContainer(await openSource({ [name]: data }), config);
  assert.ok(weights);
  const sums = [];
  try {
    for (const t of weights.tensors) {
      let left = t.bytes;
      for (let chunk; left > 0 && (chunk = await weights.next(left)); ) left -= chunk.length;
      sums.push([t.name, t.shape, left]);
    }
  } finally {
    await weights.close();
  }
  return sums;
}

/** @param {Record<string, [Uint8Array, RegExp, number?]>} cases @param {string} file */
async function refuseAll(cases, file) {
  for (const [what, [data, message, code = 13]] of Object.entries(cases)) {
    const time = await timeOf(() => assert.rejects(drain(file, data), (/** @type {any} */ error) => {
      assert.ok(error instanceof HeedError, `${what}: ${error?.stack}`);
      assert.ok(error.message.startsWith(`${file}: `), `${what}: ${error.message}`);
      assert.match(error.message, message, what);
      assert.equal(error.code, code, what);
      assert.ok(error.message.length < 400, `${what}: a message of ${error.message.length} characters`);
      return true;
    }, what));
    assert.ok(time < 5000, `${what} is refused in some seconds of the processor`);
  }
}

const TORCH = 'pytorch_model.bin';

test('valid options pass', async () => {
  const expected = [['w', [2, 3], 0]];
  assert.deepEqual(await drain(TORCH, torch(good)), expected);
  assert.deepEqual(await drain(TORCH, legacy()), expected);
  assert.deepEqual(await drain(TORCH, one({ shape: tuple(int(1), int(6)), stride: tuple(int(999), int(1)) })),
    [['w', [1, 6], 0]]);
  assert.deepEqual(await drain(TORCH, torch(good, { packed: deflateRawSync(numbers), method: 8 })), expected);
});

test('pickles run nothing', () =>
  refuseAll(
    {
      'a shell': [state(global('os', 'system'), tuple(text('id')), op(0x52)), /found os\.system, which is no part/],
      'posix': [state(global('posix', 'system')), /found posix\.system/],
      'eval': [state(global('builtins', 'eval')), /found builtins\.eval/],
      'eval by its name on the stack': [state(text('builtins'), text('eval'), op(0x93)), /found builtins\.eval/],
      'another function of torch': [state(global('torch', 'load')), /found torch\.load/],
      'a storage that is a path': [state(global('torch', 'x.FloatStorage')), /found torch\.x\.FloatStorage/],
      'a storage of another module': [state(global('evil', 'FloatStorage')), /found evil\.FloatStorage/],
      'a dictionary of another module': [state(global('os', 'OrderedDict')), /found os\.OrderedDict/],
      'a name without end': [state(bytes('cos')), /cut short/],
      'a very long name': [state(global('x'.repeat(100_000), 'y')), /found x{100}, which/],
      'INST': [state(op(0x28), bytes('ios\nsystem\n')), /found opcode 0x69/],
      'OBJ': [state(op(0x28), global('collections', 'OrderedDict'), op(0x6f)), /found opcode 0x6f/],
      'NEWOBJ': [state(global('collections', 'OrderedDict'), op(0x29, 0x81)), /found opcode 0x81/],
      'EXT1': [state(op(0x82, 1)), /found opcode 0x82/],
      'a text protocol': [torch(bytes("(dp0\n.")), /found opcode 0x64/],
      'a persistent id as text': [state(bytes('P0\n')), /found opcode 0x50/],
      'protocol 9': [torch(op(0x80, 9, 0x2e)), /found pickle protocol 9, expected 2 to 5/],
      'a name that would be longer than memory': [state(doubled, text('x'), op(0x93)), /name of a global is no text/],
      'a name of tuples in tuples': [
        state(op(0x29), new Uint8Array(1_000_000).fill(0x85), text('x'), op(0x93)), /name of a global is no text/],
      'a text called': [state(text('x'), op(0x29, 0x52)), /something is called that is no function/],
      'a call without a tuple': [state(global('collections', 'OrderedDict'), int(1), op(0x52)), /arguments of a call/],
      'pairs that could be many': [
        state(global('collections', 'OrderedDict'), tuple(concat(op(0x5d))), op(0x52)),
        /OrderedDict: expected no arguments/],
      'BUILD on a list': [state(op(0x5d, 0x7d, 0x62)), /expected an OrderedDict/],
    },
    TORCH,
  ));

test('the stack machine does not stumble', () =>
  refuseAll(
    {
      'nothing': [torch(new Uint8Array()), /cut short at byte 0/],
      'an empty stack': [torch(op(0x80, 2, 0x2e)), /too little on the stack/],
      'a tuple of nothing': [state(op(0x85)), /too little on the stack/],
      'no mark': [state(op(0x74)), /no mark/],
      'two objects': [state(op(0x7d, 0x7d)), /more than one object/],
      'a mark as an object': [state(op(0x28)), /too little on the stack/],
      'something that is not remembered': [state(op(0x68, 7)), /nothing is remembered as 7/],
      'something far that is not': [state(op(0x6a), u32(0xffffffff)), /nothing is remembered as 4294967295/],
      'a text of 4 GB': [state(op(0x58), u32(0xffffffff)), /cut short/],
      'an integer of 255 bytes': [state(op(0x8a, 255), new Uint8Array(255)), /an integer of 255 bytes/],
      'a text that is not UTF-8': [state(op(0x58), u32(1), op(0xff)), /not UTF-8/],
      'a key without a value': [state(op(0x7d, 0x28), text('a'), op(0x75)), /a key has no value/],
      'a key twice': [state(dict(text('a'), int(1), text('a'), int(2))), /the key 'a' occurs twice/],
      'a key that is a list': [state(dict(op(0x5d), int(1))), /neither text nor number/],
      'items of a list': [state(op(0x5d, 0x28), text('a'), int(1), op(0x75)), /expected a dictionary/],
      'a list that holds itself': [state(op(0x5d, 0x71, 0, 0x68, 0, 0x61)), /found no state_dict/],
      'a dictionary that holds itself': [state(op(0x7d, 0x71, 0), text('a'), op(0x68, 0, 0x73)), /expected a tensor/],
      'a million tuples in one another': [state(op(0x29), new Uint8Array(1_000_000).fill(0x85)), /found no state_dict/],
      'lists that double': [state(doubled), /found no state_dict/],
      'a long key twice': [state(dict(text(key), int(1), text(key), int(2))), /the key 'k{56}… occurs twice/],
      'a million memos': [
        state(op(0x5d), new Uint8Array(1_000_000).fill(0x94)), /found no state_dict/],
      'a million marks': [state(new Uint8Array(1_000_000).fill(0x28)), /too little on the stack/],
    },
    TORCH,
  ));

test('tensors fit their storages', () =>
  refuseAll(
    {
      'no dictionary': [state(op(0x5d)), /found no state_dict/],
      'a number for a tensor': [state(dict(text('w'), int(1))), /w: expected a tensor/],
      'doubles': [one({ type: 'DoubleStorage' }), /w: found DoubleStorage, expected one of FloatStorage/, 17],
      '__proto__': [one({ type: 'Storage' }), /found Storage/, 17],
      'a long type': [one({ type: `${'L'.repeat(900)}Storage` }), /w: found L{57}…, expected/, 17],
      'a long key': [one({ key }), /storage k{57}…: found no entry/],
      'a long name': [state(dict(text(key), tensor({ offset: int(1) }))), /: k{57}…: 6 elements at 1 are beyond/],
      'a long shape': [
        one({ shape: tuple(...Array(8).fill(large)), stride: tuple(...Array(8).fill(large)) }), /not contiguous/],
      'beyond the storage': [one({ shape: tuple(int(3), int(3)) }), /9 elements at 0 are beyond the 6/],
      'an offset beyond': [one({ offset: int(1) }), /6 elements at 1 are beyond the 6/],
      'a negative offset': [one({ offset: int(-1) }), /expected a storage, an offset/],
      'a negative dimension': [one({ shape: tuple(int(-2), int(-3)) }), /a shape and a stride/],
      'a product past 2^64': [one({ shape: tuple(long(2n ** 40n), long(2n ** 40n)),
        stride: tuple(long(2n ** 40n), int(1)) }), /beyond the 6/],
      'a dimension past 2^53': [one({ shape: tuple(long(2n ** 60n)), stride: tuple(int(1)) }), /a shape and a stride/],
      'a shape of 1000': [one({ shape: tuple(...Array(1000).fill(int(1))) }), /a shape and a stride/],
      'a transposed matrix': [one({ stride: tuple(int(1), int(2)) }),
        /found strides \[1,2\] for \[2,3\]: not contiguous/],
      'a broadcast': [one({ stride: tuple(int(0), int(1)) }), /not contiguous/],
      'another number of strides': [one({ stride: tuple(int(1)) }), /shape and stride differ in length/],
      'a shape that is a text': [one({ shape: text('ab') }), /a shape and a stride/],
      'a storage that is not there': [one({ key: '1' }), /storage 1: found no entry, expected 24 bytes/],
      'a storage outside': [one({ key: '../data.pkl' }), /storage \.\.\/data\.pkl: found \d+ bytes|no entry/],
      'a storage that is larger': [one({ count: int(7) }), /storage 0: found 24 bytes, expected 28/],
      'a storage of 2^50': [one({ count: long(2n ** 50n) }), /found 24 bytes, expected/],
      'a storage of -1': [one({ count: int(-1) }), /expected \('storage'/],
      'a view of a storage': [one({ rest: [tuple(text('1'), int(0), int(6))] }), /views of other storages/],
      'two sizes of one storage': [
        state(dict(text('w'), tensor(), text('v'), tensor({ count: int(7) }))), /storage 0 is of another size before/],
      'another kind of id': [state(tuple(text('module'), int(1)), op(0x51)), /expected \('storage'/],
      'big-endian': [torch(good, {}, [{ name: 'm/byteorder', data: bytes('big') }]), /byteorder: expected 'little'/],
      'two states': [torch(good, {}, [{ name: 'n/data.pkl', data: good }]), /expected one entry NAME\/data\.pkl/],
      'another archive': [zip([{ name: 'a.txt', data: bytes('hi') }]), /expected one entry NAME\/data\.pkl/],
    },
    TORCH,
  ));

test('archives do not lie', () => {
  const big = 2 ** 32 - 2;
  const long_ = 'x'.repeat(60_000);
  const entry = (/** @type {Partial<Entry>} */ storage) => torch(good, storage);
  const end64 = (/** @type {Lies} */ wide) =>
    zip([{ name: 'm/data.pkl', data: good }, { name: 'm/data/0', data: numbers }], { wide });
  const at = 30 + 'm/data.pkl'.length + good.length;
  const wide = { size: 0xffffffff, packedSize: 0xffffffff, at: 0xffffffff,
    extra: concat(u16(7), u16(2), u16(0), u16(1), u16(24), u64(24), u64(24), u64(at)) };
  return Promise.all([drain(TORCH, end64({})), drain(TORCH, entry(wide))]).then((sums) => {
    assert.deepEqual(sums, [[['w', [2, 3], 0]], [['w', [2, 3], 0]]], 'zip64 itself is read');
    return refuseAll(
      {
        'only the beginning': [bytes('PK\x03\x04'), /no end of a zip archive/],
        'an end in a comment': [concat(torch(good), bytes('x')), /no end of a zip archive/],
        'a directory beyond': [zip([], { end: { directoryAt: 1000 } }), /found a directory of 0 entries/],
        'a directory of 4 GB': [zip([], { end: { directoryBytes: big } }), /found a directory/],
        'more entries than fit': [
          zip([{ name: 'a', data: numbers }], { end: { count: 9, here: 9 } }), /found a directory of 9 entries/],
        'fewer entries than said': [
          zip([{ name: 'x'.repeat(60), data: numbers }], { end: { count: 2, here: 2 } }),
          /cut short|something else in it/],
        'zip64: a directory of 2^52': [end64({ directoryBytes: 2 ** 52 }), /found a directory/],
        'zip64: 2^52 entries': [end64({ count: 2 ** 52, here: 2 ** 52 }), /found a directory/],
        'zip64: elsewhere': [end64({ recordAt: 2 ** 40 }), /zip64 end record is said to be/],
        'zip64: not there': [end64({ magic: 7 }), /zip64 end record is missing/],
        'encrypted': [entry({ flags: 1 }), /m\/data\/0: is encrypted/],
        'another compression': [entry({ method: 14 }), /found compression method 14/],
        'an entry that is larger': [entry({ size: 10_000 }), /10000 bytes overlap/],
        'an entry of 4 GB': [entry({ size: big }), /overlap/],
        'an entry that is smaller packed': [entry({ packedSize: 4 }), /found 4 stored bytes, expected 24/],
        'an entry in another': [entry({ at: 0 }), /overlap/],
        'an entry beyond': [entry({ at: 100_000 }), /overlap/],
        'another name at its place': [entry({ localName: 'm/data/1' }), /m\/data\/0: is called m\/data\/1/],
        'an entry twice': [torch(good, {}, [{ name: 'm/data/0', data: numbers }]), /occurs twice/],
        'a bomb': [entry({ packed: deflateRawSync(numbers), method: 8, size: 2 ** 31 }), /deflated bytes cannot be/],
        'deflated to less': [
          torch(pickle(dict(text('w'), tensor({ count: int(8), shape: tuple(int(8)), stride: tuple(int(1)) }))),
            { packed: deflateRawSync(numbers), method: 8, size: 32 }),
          /m\/data\/0: cut short: 8 bytes|cannot be inflated/],
        'another checksum': [
          entry({ packed: deflateRawSync(numbers), method: 8, central: { crc: 1 } }), /m\/data\/0: cannot be inflated/],
        'deflated to more': [
          entry({ packed: deflateRawSync(concat(numbers, numbers)), method: 8 }),
          /m\/data\/0: (cannot be inflated|found more than 24 bytes)/],
        'deflated bytes, and others': [
          entry({ packed: concat(deflateRawSync(numbers), new Uint8Array(9)), method: 8 }), /cannot be inflated/],
        'no deflated bytes before a tensor': [
          torch(pickle(dict(text('w'), tensor({ offset: int(6), count: int(12) }))),
            { packed: new Uint8Array(24).fill(0xff), method: 8, size: 48 }), /m\/data\/0: cannot be inflated/],
        'no deflated bytes': [
          entry({ packed: new Uint8Array(24).fill(0xff), method: 8 }), /cannot be inflated/],
        'a state of 100 MB': [
          zip([{ name: 'm/data.pkl', data: numbers, packed: new Uint8Array(100_000), method: 8, size: 100_000_000 }]),
          /found 100000000 bytes, expected 8388608 at most/],
          'a name of 60,000 letters': [zip([{ name: long_, data: numbers, flags: 1 }]), /x{57}…: is encrypted/],
        'and it occurs twice': [
          zip([{ name: long_, data: numbers }, { name: long_, data: numbers }]), /x{57}… occurs twice/],
        'a name that is not UTF-8': [
          zip([{ name: 'ab', data: numbers }]).map((b) => (b === 0x61 ? 0xff : b)), /not UTF-8/],
      },
      TORCH,
    );
  });
});

test('the format before 1.6', () =>
  refuseAll(
    {
      'another magic number': [legacy({ magic: int(1) }), /neither a zip archive nor/],
      'a pickle of something': [pickle(text('hello')), /neither a zip archive nor/],
      'another version': [legacy({ version: int(1000) }), /found version 1000/],
      'a version that would be longer than memory': [legacy({ version: doubled }), /found version object/],
      'a long key': [legacy({ keys: list(text('0'), text(key)) }), /storage k{57}… belongs/],
      'big-endian': [legacy({ machine: dict(text('little_endian'), op(0x89)) }), /little-endian/],
      'no list of keys': [legacy({ keys: text('0') }), /list of the keys/],
      'keys that are numbers': [legacy({ keys: tuple(int(0)) }), /list of the keys/],
      'a key of no tensor': [legacy({ keys: tuple(text('0'), text('1')) }), /storage 1 belongs to no tensor/],
      'a key twice': [legacy({ keys: tuple(text('0'), text('0')) }), /occurs twice/],
      'no keys': [legacy({ keys: tuple() }), /found \d+ bytes, expected/],
      'another count': [legacy({ count: 7 }), /storage 0: found 7 elements, expected 6/],
      'a tail': [legacy({ tail: numbers }), /found \d+ bytes, expected/],
      'a web page': [bytes('<!doctype html>'), /found opcode 0x3c/],
      'a pickle that never ends': [concat(op(0x80, 2), new Uint8Array(20_000_000).fill(0x4e)), /cut short/],
    },
    TORCH,
  ));

test('what tensors share is counted once: the bytes to load are those of the file', async () => {
  const shared = (/** @type {string} */ name) =>
    concat(text(name), tensor({ count: int(1024), shape: tuple(int(1024)), stride: tuple(int(1)) }));
  const file = torch(pickle(dict(shared('a'), shared('b'), shared('c'))), { data: new Uint8Array(4096) });
  const weights = await openContainer(await openSource({ [TORCH]: file }), config);
  assert.equal(weights?.tensors.length, 3);
  assert.equal(weights.tensors.reduce((sum, t) => sum + t.bytes, weights.head), file.length);
  await weights.close();
});

test('a bias of more rows than one is not cut', async () => {
  const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }";
  const array = { name: 'decoder_ff_logit_out_b.npy', data: npy(header, new Uint8Array(32)) };
  const sums = await drain('model.npz', zip([array]));
  assert.deepEqual(sums, [['final_logits_bias', [2, 4], 0]]);
});

test('arrays of NumPy', () => {
  const plain = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  const npz = (/** @type {Uint8Array} */ data, name = 'encoder_l1_self_Wq.npy') => zip([{ name, data }]);
  const of = (/** @type {string} */ from, /** @type {string} */ to) => npz(npy(plain.replace(from, to), numbers));
  return refuseAll(
    {
      'no array': [npz(bytes('hello, world')), /no NumPy array/],
      'too short': [npz(bytes('\x93NU')), /no NumPy array/],
      'version 9': [npz(npy(plain, numbers, 9)), /no NumPy array/],
      'a header of 4 GB': [npz(concat(Uint8Array.from([0x93]), bytes('NUMPY'), op(2, 0), u32(0xfffffff0))),
        /found a header/],
      'Python objects': [of('<f4', '|O'), /no type and shape/],
      'doubles': [npz(npy(plain.replace('<f4', '<f8').replace('2, 3', '1, 3'), numbers)),
        /encoder_l1_self_Wq: found <f8/, 17],
      'big-endian': [of('<f4', '>f4'), /no type and shape/],
      'columns first': [of('False', 'True'), /expected numbers in row order/],
      'another size': [of('2, 3', '2, 4'), /found 24 bytes, expected 32/],
      'a size past 2^64': [of('2, 3', '99999999999, 99999999999'), /found 24 bytes, expected/],
      'a negative size': [of('2, 3', '-2, 3'), /no type and shape/],
      'a long type': [of('<f4', `<f${'0'.repeat(2000)}4`), /found <f0{55}…, expected/, 17],
      'a long name': [npz(npy(plain), `${key}.npy`), /: k{57}…: found 0 bytes/],
      'two of one long name': [
        zip(['', '.npy'].map((end) => ({ name: `${key}${end}`, data: npy(plain, numbers) }))),
        /: k{57}… and k{57}… are one tensor/],
      'pieces that differ': [npz(npy(plain, numbers), 'Wemb.npy'), /Wemb: found 2 pieces, expected 4/, 16],
    },
    'model.npz',
  );
});
