// SentencePiece files made by hand to do harm: framing, pieces, double-array tries; and whole ones, cut at every byte.
import test, { after } from 'node:test';
import assert from 'node:assert/strict';
import { checkCount, good, load, refuseAll, takes, works } from './hostile/refuse.js';
import { bytes, concat } from './model-files.js';
import {
  charsmap, float, LEAF, pieceField, spmFields, trieUnits, varint, writeMessage,
} from './mutate/model.js';

/** @typedef {import('./hostile/refuse.js').Case} Case */
/** @typedef {import('./hostile/refuse.js').Files} Files */
/** @typedef {import('./mutate/model.js').Field} Field */

const W = 'model.safetensors';

/** A file of changed fields. @param {(fields: Field[]) => void} change @param {number} [type] */
const spm = (change, type = 1) => {
  const fields = spmFields(type);
  change(fields);
  return { 'source.spm': writeMessage(fields) };
};
const more = (/** @type {Parameters<typeof pieceField>} */ ...piece) =>
  spm((fields) => void fields.push(pieceField(...piece)));
/** A field of the fourth piece, the first of text. @param {number} index @param {Partial<Field>} change */
const inPiece = (index, change) =>
  spm((fields) => void Object.assign(/** @type {Field[]} */ (fields[3].value)[index], change));
/** What follows the last field. @param {...number} last */
const tail = (...last) => ({ 'source.spm': concat(good['source.spm'], Uint8Array.from(last)) });
const trainer = (/** @type {Field[]} */ value) => spm((fields) => void fields.push({ number: 2, wire: 2, value }));
/** Another charsmap. @param {Uint8Array} value @param {number} [spec]  3: normalizer, 5: denormalizer */
const normalizer = (value, spec = 3) =>
  spm((fields) => void fields.push({ number: spec, wire: 2, value: [{ number: 2, wire: 2, value }] }));
/** A charsmap whose trie has other units. @param {Record<number, number>} change */
const trie = (change) => normalizer(charsmap(Object.assign(trieUnits(), change), 'a\0'));
const Z = 64 ^ 0x5a;

const WHOLE = /a whole SentencePiece model; this file is cut off, or something else/;
const CHARSMAP = 'normalizer_spec\\.precompiled_charsmap: ';

test('SentencePiece files', async () => {
  await refuseAll('source.spm', [
    ['nothing', { 'source.spm': new Uint8Array() }, 'SPM', /pieces: at least one piece/],
    ['JSON', { 'source.spm': good['vocab.json'] }, 'SPM', WHOLE],
    ['weights', { 'source.spm': good[W] }, 'SPM', /^source\.spm: ./],
    ['zeros', { 'source.spm': new Uint8Array(100) }, 'SPM', WHOLE],
    ['ones', { 'source.spm': new Uint8Array(100).fill(255) }, 'SPM', WHOLE],
    ['a file that is compressed', { 'source.spm': Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0) }, 'SPM', WHOLE],
    ['a field cut in its number', tail(0x8a), 'SPM', WHOLE],
    ['a number of 11 bytes', tail(...Array(11).fill(0x80), 0), 'SPM', WHOLE],
    ['a length beyond the file', tail(0x0a, 5, 1), 'SPM', WHOLE],
    ['a length of 2^31', tail(0x0a, ...varint(2 ** 31)), 'SPM', WHOLE],
    ['a length of 2^32', tail(0x0a, ...varint(2 ** 32)), 'SPM', WHOLE],
    ['a length of 2^64 - 1', tail(0x0a, ...Array(9).fill(255), 1), 'SPM', WHOLE],
    ['a group', tail(0x0b, 0x0c), 'SPM', WHOLE],
    ['wire type 6', tail(0x0e), 'SPM', WHOLE],
    ['wire type 7', tail(0x0f), 'SPM', WHOLE],
    ['field 0', tail(0x02, 0), 'SPM', WHOLE],
    ['eight bytes cut', tail(0x31, 1, 2), 'SPM', WHOLE],
    ['four bytes cut', tail(0x35, 1, 2), 'SPM', WHOLE],
    ['a piece that reaches beyond itself', tail(0x0a, 3, 0x0a, 9, 0x61), 'SPM', WHOLE],
    ['a piece cut in its score', tail(0x0a, 6, 0x0a, 1, 0x61, 0x15, 0, 0), 'SPM', WHOLE],
    ['a normalizer that reaches beyond itself', tail(0x1a, 2, 0x12, 200), 'SPM', WHOLE],
    ['a thousand messages in one another',
      tail(...Array.from({ length: 1000 }, () => [0x0a, ...varint(99_999)]).flat()), 'SPM', WHOLE],
    ['no pieces', spm((fields) => void fields.splice(0, 18)), 'SPM', /pieces: at least one piece/],
    ['no piece for text', spm((fields) => void fields.splice(3, 15)),
      'SPM', /pieces: at least one piece that text can become/],
    ['no unknown piece', spm((fields) => void fields.splice(0, 1)), 'SPM', /pieces: one piece of type 2 \(unknown\)/],
    ['two unknown pieces', more('<unk2>', 0, 2), 'SPM', /pieces: one piece of type 2/],
    ['a piece twice', more('ab', -9), 'SPM', /pieces: each piece only once/],
    ['a piece twice, of BPE', spm((fields) => void fields.push(pieceField('ab', -9)), 2),
      'SPM', /pieces: each piece only once/],
    ['a control piece twice', more('</s>', 0, 3), 'SPM', /pieces: each piece only once/],
    ['a user-defined piece twice', spm((fields) => void fields.push(pieceField('q', 0, 4), pieceField('q', 0, 4))),
      'SPM', /pieces: each piece only once/],
    ['an empty piece', more('', -1), 'SPM', /pieces: a piece that is not empty/],
    ['a piece with a NUL', more('a\0b', -1), 'SPM', /pieces: a piece without NUL bytes/],
    ['a piece of 1025 bytes', more('x'.repeat(1025), -1), 'SPM', /pieces: a piece of at most 1024 bytes/],
    ['a score that is NaN', inPiece(1, { value: float(NaN) }), 'SPM', /pieces: a score that is a finite number/],
    ['a score that is infinite', inPiece(1, { value: float(Infinity) }), 'SPM', /a score that is a finite number/],
    ['a score that is minus infinity', inPiece(1, { value: float(-Infinity) }),
      'SPM', /a score that is a finite number/],
    ...[0, 7, 99, 2 ** 31, 2 ** 32 + 1, 2 ** 53].map((type) =>
      /** @type {Case} */ ([`type ${type}`, inPiece(2, { value: type }),
      'SPM', /pieces: a type from 1 \(normal\) to 6 \(byte\)/])),
    ...[0, 3, 4, 2 ** 32 + 1].map((type) =>
      /** @type {Case} */ ([`model type ${type}`, trainer([{ number: 3, wire: 0, value: type }]),
      'SPM', /trainer_spec\.model_type: 1 \(unigram\) or 2 \(BPE\)/])),
    ['a byte without the others', more('<0x41>', 0, 6),
      'SPM', /byte pieces only where trainer_spec\.byte_fallback is set/],
    ['no bytes to fall back on', trainer([{ number: 35, wire: 0, value: 1 }]),
      'SPM', /a piece for each of the 256 bytes/],
    ['a byte that is none',
      spm((fields) => {
        fields.push(pieceField('<0xGG>', 0, 6), { number: 2, wire: 2, value: [{ number: 35, wire: 0, value: 1 }] });
      }),
      'SPM', /a byte piece of the form <0xNN>/],
    ['an unknown surface of 1025 bytes', trainer([{ number: 44, wire: 2, value: bytes('x'.repeat(1025)) }]),
      'SPM', /trainer_spec\.unk_surface: at most 1024 bytes/],
  ]);
  await takes('a piece that is not UTF-8', more(Uint8Array.of(0xff, 0xfe), -1));
  await takes('fields of no meaning', tail(...varint(99 * 8), 5));
});

test('rules of normalisation', async () => {
  const units = (/** @type {number[]} */ ...list) => normalizer(charsmap(list, 'a\0'));
  await refuseAll('source.spm', [
    ['three bytes', normalizer(Uint8Array.of(1, 2, 3)),
      'SPM', new RegExp(`${CHARSMAP}a size, a trie and replacements`)],
    ['no trie', normalizer(charsmap([], 'a\0')), 'SPM', new RegExp(`${CHARSMAP}a size, a trie`)],
    ['a trie that is larger than all', normalizer(charsmap(trieUnits(), 'a\0', 1_000_000)),
      'SPM', new RegExp(`${CHARSMAP}a size, a trie`)],
    ['a trie of 2^32 - 1 bytes', normalizer(charsmap(trieUnits(), 'a\0', 2 ** 32 - 1)),
      'SPM', new RegExp(`${CHARSMAP}a size, a trie`)],
    ['a trie of half a unit', normalizer(charsmap(trieUnits(), 'a\0', 510)),
      'SPM', new RegExp(`${CHARSMAP}a size, a trie`)],
    ['no replacements', normalizer(charsmap(trieUnits(), '')), 'SPM', new RegExp(`${CHARSMAP}a size, a trie`)],
    ['replacements without an end', normalizer(charsmap(trieUnits(), 'a')),
      'SPM', new RegExp(`${CHARSMAP}replacements that end in NUL`)],
    ['a replacement of 1025 bytes', normalizer(charsmap(trieUnits(), `${'x'.repeat(1025)}\0`)),
      'SPM', new RegExp(`${CHARSMAP}replacements of at most 1024 bytes`)],
    ['a root outside', trie({ 0: 1000 << 10 }), 'SPM', new RegExp(`${CHARSMAP}offsets inside the trie`)],
    ['a root far outside', trie({ 0: 0x7fffffff }), 'SPM', new RegExp(`${CHARSMAP}offsets inside the trie`)],
    ['a leaf outside', trie({ [Z]: 0x5a | 0x100 | (1000 << 10) }),
      'SPM', new RegExp(`${CHARSMAP}offsets inside the trie`)],
    ['a leaf that is none', trie({ 1: 7 }), 'SPM', new RegExp(`${CHARSMAP}a leaf where a key ends`)],
    ['a number outside', trie({ 1: LEAF + 2 }), 'SPM', new RegExp(`${CHARSMAP}numbers inside the table`)],
    ['the largest number', trie({ 1: 0xffffffff }), 'SPM', new RegExp(`${CHARSMAP}numbers inside the table`)],
    ['a circle of one state', trie({ [Z]: 0x5a | ((Z ^ 64) << 10) }),
      'SPM', new RegExp(`${CHARSMAP}a trie without circles`)],
    ['a circle of two states', trie({ [Z]: 0x5a | ((Z ^ 32) << 10), [32 ^ 0x41]: 0x41 | ((32 ^ 0x41 ^ 64) << 10) }),
      'SPM', new RegExp(`${CHARSMAP}a trie without circles`)],
    ['one unit that leads to itself', units(0), 'SPM', new RegExp(`${CHARSMAP}a trie without circles`)],
    ['zeros', units(...Array(256).fill(0)), 'SPM', new RegExp(`${CHARSMAP}a trie without circles`)],
    ['rules of denormalisation', normalizer(Uint8Array.of(1), 5),
      'SPM', /denormalizer_spec\.precompiled_charsmap: a size, a trie/],
  ]);
  await takes('a trie without rules', units(64 << 10, ...Array(255).fill(LEAF)));
});

test('SentencePiece files cut at every byte', async () => {
  for (const type of [1, 2]) {
    const fields = spmFields(type);
    const whole = writeMessage(fields);
    /** Between two fields of the file a reader cannot know: the rest has its initial values. */
    const ends = new Set(fields.map((_, i) => writeMessage(fields.slice(0, i + 1)).length));
    const taken = [];
    for (let n = 0; n < whole.length; n++) {
      try {
        await load({ ...good, 'source.spm': whole.subarray(0, n) });
        taken.push(n);
      } catch (/** @type {any} */ error) {
        assert.equal(error.status, 'HEED_E_SPM', `${n} bytes: ${error.message}`);
        assert.match(error.message, /^source\.spm: (pieces: |a whole SentencePiece model)/);
      }
    }
    // with the first piece of text the file could be whole
    const least = writeMessage(fields.slice(0, 4)).length;
    assert.deepEqual(taken, [...ends].filter((n) => n >= least && n < whole.length));
  }
  await works();
});

after(() => checkCount(65));
