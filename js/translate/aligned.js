// aligned.js - translates sentences of which some have tags inside: as two calls that share the work, because only
// those with tags need their attention. Used by known.js and glossary.js.

/** @typedef {import('../engine/engine.js').Result} Result */

/**
 * @template {{ isTagged?: boolean, ids: Int32Array }} T
 * @template {object} O
 * @param {(sentences: T[], options: O & { align: boolean }) => Promise<Result[][]>} generate
 * @param {T[]} sentences
 * @param {O} options
 * @returns {Promise<Result[][]>}  in the order of the sentences; those with tags have `attended`, where the search has
 *   kept it
 */
export async function generateAligned(generate, sentences, options) {
  const longest = (/** @type {T[]} */ some) => some.reduce((most, { ids }) => Math.max(most, ids.length), 0);
  const calls = [true, false]
    .map((align) => ({ align, some: sentences.filter(({ isTagged = false }) => isTagged === align) }))
    .filter(({ some }) => some.length > 0 || sentences.length === 0)
    // a batch is made for its first call: the shorter sentences fit into it
    .sort((a, b) => longest(b.some) - longest(a.some));
  const results = new Map();
  await Promise.all(calls.map(async ({ align, some }) => {
    for (const [i, each] of (await generate(some, { ...options, align })).entries()) results.set(some[i], each);
  }));
  return sentences.map((sentence) => results.get(sentence));
}
