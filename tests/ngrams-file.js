// ngrams-file.js - writes n-grams from the description in src/heed.h, and tells what they gain by the definition in
// src/model/ngrams.h. Used by ngrams.test.js.
import assert from 'node:assert/strict';

/**
 * @typedef {object} Ngrams
 * @property {number} size  of the vocabulary: this id is the start of a target
 * @property {Map<string, number>} gains  in quarters, by ids, such as "428,7,2"
 * @property {Map<string, number>} kept  in quarters, by the ids of a context; 0 if missing
 */

/** @param {string} key */
const idsOf = (key) => key.split(',').map(Number);

/** @param {number} n @returns {number[]} */
const varint = (n) => (n < 128 ? [n] : [(n % 128) | 128, ...varint(Math.floor(n / 128))]);

/**
 * Adds an n-gram, unless it is there, and those that it needs: without its last id, and without its first.
 *
 * @param {Ngrams} ngrams
 * @param {number[]} ids
 * @param {(ids: number[]) => number} gainOf
 */
export function addNgram(ngrams, ids, gainOf) {
  if (ids.length < 2 || ngrams.gains.has(String(ids))) return;
  ngrams.gains.set(String(ids), gainOf(ids));
  addNgram(ngrams, ids.slice(0, -1), gainOf);
  addNgram(ngrams, ids.slice(1), gainOf);
}

/** The bytes that heed_model_set_ngrams() reads. @param {Ngrams} ngrams @returns {Uint8Array} */
export function ngramsFile({ size, gains, kept }) {
  const levels = [2, 3, 4].map((n) => [...gains.keys()].filter((key) => idsOf(key).length === n)
    .sort((a, b) => idsOf(a).reduce((order, id, i) => order || id - idsOf(b)[i], 0)));
  const out = [...Buffer.from('NGR1'), ...varint(size), ...levels.flatMap((level) => varint(level.length))];
  levels.forEach((level, i) => {
    const contexts = i === 0 ? Array.from({ length: size + 1 }, (_, id) => String(id)) : levels[i - 1];
    const lists = contexts.map((context) => level.filter((key) => String(idsOf(key).slice(0, -1)) === context));
    out.push(...lists.flatMap((list) => varint(list.length)));
    lists.forEach((list, at) => {
      const shorter = String(idsOf(contexts[at]).slice(1));
      const after = i === 0 ? Array.from({ length: size }, (_, id) => id) : levels[i - 1].flatMap((key) => {
        const ids = idsOf(key);
        return String(ids.slice(0, -1)) === shorter ? [ids[i]] : [];
      });
      let next = 0;
      for (const key of list) {
        const place = after.indexOf(idsOf(key)[i + 1]);
        assert.ok(place >= next, `${key}: found no n-gram without its first id`);
        out.push(...varint(place - next));
        next = place + 1;
      }
    });
    assert.equal(lists.flat().length, level.length, 'an n-gram without its last id is missing');
    for (const key of level) out.push(Number(gains.get(key)) & 255);
    contexts.forEach((context, at) => void (lists[at].length > 0 && out.push(kept.get(context) ?? 0)));
  });
  return Uint8Array.from(out);
}

/**
 * What the ids of a target gain after its prefix, in quarters.
 *
 * @param {Ngrams} ngrams
 * @param {ArrayLike<number>} target  with its prefix
 * @param {number} [from]  how long that is
 */
export function gainPlainly({ size, gains, kept }, target, from = 0) {
  const contexts = new Set([...gains.keys()].map((key) => String(idsOf(key).slice(0, -1))));
  const all = [size, ...Array.from(target)];
  /** @type {(context: number[], id: number) => number} */
  const gainAfter = (context, id) => {
    if (context.length === 0) return 0;
    const own = gains.get(String([...context, id]));
    if (own !== undefined) return own;
    const less = contexts.has(String(context)) ? kept.get(String(context)) ?? 0 : 0;
    return gainAfter(context.slice(1), id) - less;
  };
  let sum = 0;
  for (let i = 1 + from; i < all.length; i++) sum += gainAfter(all.slice(Math.max(0, i - 3), i), all[i]);
  return sum;
}
