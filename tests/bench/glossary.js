// glossary.js - the time of the first and of further uses of a glossary: terms of one word and of two.
//
//   node tests/bench/glossary.js     prints milliseconds for each number of terms, the best of 5 runs in turns
//
// Measures only the search for terms, without the model. The text has 60 words; 10 of them are terms.
import { findTerms } from '../../js/translate/glossary.js';

const SIZES = [100, 1000, 10_000, 20_000];
const ROUNDS = 5;

/** The n-th made-up word: no two are the same. @param {number} n */
const word = (n) => `${n.toString(7).replace(/\d/g, (digit) => ['ba', 'co', 'di', 'fu', 'ge', 'lo', 'mi'][+digit])}x`;

/** @param {number} size @param {number} round  so that no round has the glossary of another */
const glossaryOf = (size, round) => Object.fromEntries(Array.from({ length: size }, (_, i) =>
  [i % 3 ? word(i + 7) : `${word(i + 7)} ${word(i)}`, `Wort ${i} ${round}`]));

/** @template T @param {() => T} f @returns {[number, T]} */
function time(f) {
  const start = performance.now();
  const result = f();
  return [performance.now() - start, result];
}

const best = SIZES.map(() => [Infinity, Infinity]);
for (let round = 0; round < ROUNDS; round++) {
  for (const [i, size] of SIZES.entries()) {
    const glossary = glossaryOf(size, round);
    const terms = Object.keys(glossary).filter((_, n) => n % Math.floor(size / 10) === 0);
    const text = terms.slice(0, 10).map((term) => `the ${term} is not what it`).join(' ');
    for (const again of [0, 1]) {
      const [ms, found] = time(() => findTerms(text, glossary));
      if (found.length < 10) throw new Error(`${size}: found ${found.length} terms, expected 10`);
      best[i][again] = Math.min(best[i][again], ms);
    }
  }
}
console.log('terms    first use, ms    again, ms');
for (const [i, size] of SIZES.entries()) {
  const [first, again] = best[i].map((ms) => ms.toFixed(2));
  console.log(`${String(size).padEnd(9)}${first.padStart(13)}${again.padStart(13)}`);
}
