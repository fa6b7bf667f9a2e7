// fields.js - a SentencePiece file with something wrong in it: fields of its messages, and units of the trie in its
// charsmap, are changed. Used by mutations.js.

import { charsmap, float, LEAF, trieUnits, writeMessage } from './model.js';
import { COUNTS, FLOATS, oneOf, SURFACES, text } from './values.js';

/** @typedef {import('./model.js').Field} Field */
/** @typedef {import('./model.js').Random} Random */

/** Any field of a message, and of the messages in it. @param {Random} random @param {Field[]} fields */
export function changeFields(random, fields) {
  const at = random.below(fields.length + 1);
  const field = fields[at];
  if (!field) return void fields.push({ number: random.below(50), wire: random.below(8), value: random.pick(COUNTS) });
  if (Array.isArray(field.value) && !random.once(4)) return void changeFields(random, field.value);
  oneOf(random, [
    () => fields.splice(at, 1),
    () => fields.push(field),
    () => fields.splice(random.below(fields.length), 0, fields.splice(at, 1)[0]),
    () => (field.wire = random.below(8)),
    () => (field.number = random.pick([0, 1, 2, 3, 4, 5, 24, 35, 44, 2 ** 28])),
    () => changeValue(random, field),
    () => changeValue(random, field),
    () => changeValue(random, field),
  ]);
}

/** @param {Random} random @param {Field} field */
function changeValue(random, field) {
  const { value, wire } = field;
  if (typeof value === 'number') field.value = random.pick(random.once(2) ? COUNTS : [0, 1, 2, 3, 4, 5, 6, 7]);
  else if (wire === 5) field.value = float(random.pick(FLOATS));
  else if (Array.isArray(value))
    field.value = random.pick([[], value.slice(0, 1), text(random.pick(SURFACES)), writeMessage(value).slice(1)]);
  else if (value.length > 500) field.value = changeTrie(random);
  else field.value = text(random.pick(SURFACES));
}

/** @param {Random} random */
function changeTrie(random) {
  const units = trieUnits();
  const n = 1 + random.below(6);
  for (let i = 0; i < n; i++) {
    const at = random.once(4) ? random.pick([0, 1, 26]) : random.below(units.length);
    units[at] = random.pick([
      0,
      LEAF,
      LEAF + random.pick([1, 2, 1000, 2 ** 31 - 1]),
      0xffffffff,
      (64 ^ at) * 1024,
      0x200,
      random.next(),
      (at & 0xff) | 0x100 | (random.below(256) << 10),
      (at ^ 64) | ((at ^ 64) << 10),
    ]);
  }
  if (random.once(6)) units.length = random.below(128);
  const strings = random.pick([
    'a\0',
    'a\0',
    'a\0',
    '',
    'a',
    '\0',
    'b\0c\0',
    'y'.repeat(2000) + '\0',
    '\u2581\u2581 \0',
  ]);
  return charsmap(units, strings, random.once(8) ? random.pick(COUNTS) % 2 ** 32 : undefined);
}
