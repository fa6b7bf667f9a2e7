// counts.js - counts in maps. Used by what reads corpora: lexicon.js, collocations.js, names.js.

/** @template K @param {Map<K, number>} map @param {K} key */
export const countIn = (map, key) => map.set(key, (map.get(key) ?? 0) + 1);

/** What was counted most; the earliest of several. @template K @param {Map<K, number>} map  not empty @returns {K} */
export const mostFrequent = (map) => [...map].sort((a, b) => b[1] - a[1])[0][0];
