// corpus.js - the lines a model is trained on: the corpus, and lines made from it for what the corpus lacks. Used by
// make.js.
//
// The corpora consist of sentences of eight words or so, properly written. What people type is not: so some pairs come
// again in capitals, without their full stop, or (the source only) in small letters, and names, numbers and addresses
// come alone, to be copied. Long input is heed-train's business: it joins neighbours.

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** Of 1,000 pairs, how many come again in each way. */
const AGAIN = { capitals: 15, unpunctuated: 40, small: 20, name: 15, number: 10, address: 5 };

/** @typedef {{ source: string, target: string, label: string }} Pair */

/** Repeatable numbers in [0, 1). @param {number} seed */
export function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) >>> 0;
    let t = Math.imul(seed ^ (seed >>> 15), seed | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @param {string} path  of a .tsv.gz @param {boolean} swap  the second column is the source @returns {Pair[]} */
export function readCorpus(path, swap) {
  return gunzipSync(readFileSync(path))
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [first, second, label = ''] = line.split('\t');
      return { source: swap ? second : first, target: swap ? first : second, label };
    });
}

const FULL_STOP = /^(.*[^.!?…\s])[.!]$/u;

/** A word with a capital that both sides have, not at the start of either. @param {Pair} pair */
function sharedName({ source, target }) {
  const names = (/** @type {string} */ text) =>
    text
      .split(' ')
      .slice(1)
      .map((w) => w.replace(/[^\p{L}-]+$/u, ''))
      .filter((w) => /^\p{Lu}\p{Ll}+/u.test(w));
  const there = new Set(names(target));
  return names(source).find((w) => there.has(w));
}

/** @param {() => number} next */
function anyNumber(next) {
  const digits = 1 + Math.floor(next() * 6);
  const n = Math.floor(next() * 10 ** digits);
  return [String(n), `${n} %`, `${(n / 100).toFixed(2)} €`, `${n % 24}:${String(n % 60).padStart(2, '0')}`][
    Math.floor(next() * 4)
  ];
}

/** @param {() => number} next @param {string} word */
function anyAddress(next, word) {
  const name = word.toLowerCase().replace(/[^a-z]/g, '') || 'example';
  const top = ['com', 'org', 'net', 'de', 'fr', 'es'][Math.floor(next() * 6)];
  return [
    `https://www.${name}.${top}/`,
    `www.${name}.${top}`,
    `info@${name}.${top}`,
    `https://${name}.${top}/${Math.floor(next() * 1000)}`,
  ][Math.floor(next() * 4)];
}

/**
 * The corpus and its variations, in the corpus's order.
 *
 * @param {Pair[]} pairs
 * @param {number} seed
 * @returns {string[]}  lines: source TAB target
 */
export function trainingLines(pairs, seed) {
  const next = random(seed);
  const lines = [];
  const add = (/** @type {string} */ source, /** @type {string} */ target) => void lines.push(`${source}\t${target}`);
  for (const pair of pairs) {
    const { source, target } = pair;
    add(source, target);
    const chance = (/** @type {keyof typeof AGAIN} */ kind) => next() * 1000 < AGAIN[kind];
    if (chance('capitals')) add(source.toUpperCase(), target.toUpperCase());
    if (chance('small')) add(source.toLowerCase(), target);
    if (chance('unpunctuated')) {
      const [from, to] = [FULL_STOP.exec(source), FULL_STOP.exec(target)];
      if (from && to) add(from[1], to[1]);
    }
    if (chance('name')) {
      const name = sharedName(pair);
      if (name) add(name, name);
    }
    if (chance('number')) {
      const number = anyNumber(next);
      add(number, number);
    }
    if (chance('address')) {
      const address = anyAddress(next, source.split(' ').at(-1) ?? '');
      add(address, address);
    }
  }
  return lines;
}
