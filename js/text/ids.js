// ids.js - checks ids of callers: each must be in the vocabulary, and a sequence must fit the model. Used by
// tokenizer.js, model/ and train.js.

import { badType } from '../base/check.js';
import { E_ID, E_LENGTH } from '../base/constants.js';
import { HeedError } from '../base/errors.js';

/** @param {string} what @param {unknown} id @param {number} vocabulary @returns {number} */
export function checkId(what, id, vocabulary) {
  if (!Number.isInteger(id)) badType(what, id, 'an integer');
  const value = Number(id);
  if (value >= 0 && value < vocabulary) return value;
  throw new HeedError(E_ID, `${what}: found id ${value}, expected 0 to ${vocabulary - 1}`);
}

/**
 * Ids as int32s, each inside the vocabulary.
 *
 * @param {string} what  for messages
 * @param {ArrayLike<number>} ids
 * @param {number} vocabulary
 * @returns {Int32Array}
 */
export function checkIds(what, ids, vocabulary) {
  if (typeof ids !== 'object' || ids === null || !Number.isInteger(ids.length) || ids.length < 0)
    badType(what, ids, 'an array of ids');
  return Int32Array.from(ids, (id, i) => checkId(`${what}[${i}]`, id, vocabulary));
}

/**
 * checkIds, and checks that there is at least one id, and at most as many as the model has positions.
 *
 * @param {string} what
 * @param {ArrayLike<number>} ids
 * @param {number} vocabulary
 * @param {number} longest
 */
export function checkSequence(what, ids, vocabulary, longest) {
  const length = Number(ids?.length);
  if (length === 0 || length > longest) {
    throw new HeedError(E_LENGTH, `${what}: found ${length} ids, expected 1 to ${longest}`);
  }
  return checkIds(what, ids, vocabulary);
}
