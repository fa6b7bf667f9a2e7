// tags.js - how well place() finds the words of a tag: in sentences whose words are aligned by hand (train/gold.tsv), a
// tag around each one or two words of the source, and the translation that is given there.
//
//     node tests/score/tags.js
//
// Prints for each direction, and for the last layer and all layers: how many ranges are exactly right, and F1 of the
// words in them. Counted are those whose translation is one range, by hand.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Transformer } from '../../js/index.js';
import { readBlocks } from '../../js/text/blocks.js';
import { place } from '../../js/text/place.js';
import { meanOf } from '../../js/translate/alignment.js';

const WORDED = /[\p{L}\p{N}]/u;
/** Words as the links count them, see train/native/words.h. @param {string} text */
const wordsOf = (text) => Array.from(text.matchAll(/[\p{L}\p{N}\p{M}]+|\S/gu), ({ 0: { length }, index }) =>
  ({ start: index, end: index + length }));
/** @param {Int32Array} offsets */
const spansOf = (offsets) =>
  Array.from({ length: offsets.length / 2 }, (_, i) => ({ start: offsets[2 * i], end: offsets[2 * i + 1] }));
const segmenterOf = (/** @type {string} */ language) => new Intl.Segmenter(language, { granularity: 'word' });

const rows = readFileSync(new URL('../train/gold.tsv', import.meta.url), 'utf8').trim().split('\n')
  .filter((line) => !line.startsWith('#')).map((line) => line.split('\t'));

for (const direction of ['en-de', 'de-en', 'en-fr', 'fr-en', 'en-es', 'es-en']) {
  const [from, to] = direction.split('-');
  const isFromEnglish = from === 'en';
  const model = await Transformer.load(fileURLToPath(new URL(`../../models/${direction}`, import.meta.url)));
  const segmenters = { source: segmenterOf(from), target: segmenterOf(to) };
  /** @type {Record<string, { exact: number, f1: number, total: number }>} */
  const counts = {};
  for (const [language, english, other, list] of rows) {
    if (language !== (isFromEnglish ? to : from)) continue;
    const [source, target] = isFromEnglish ? [english, other] : [other, english];
    const links = Array.from(list.matchAll(/(\d+)-(\d+)/g), ([, a, b]) =>
      (isFromEnglish ? [Number(a), Number(b)] : [Number(b), Number(a)]));
    const [own, its] = [model.tokenizer.encode(source), model.tokenizer.encode(target, { side: 'target' })];
    const { shape: [layers, heads, T, S], data } = model.attention(own.ids, its.ids).cross;
    const size = heads * T * S;
    const maps = Array.from({ length: layers }, (_, i) =>
      ({ shape: [heads, T, S], data: data.subarray(i * size, (i + 1) * size) }));
    const [sourceWords, targetWords] = [wordsOf(source), wordsOf(target)];
    for (const [name, some] of /** @type {const} */ ([['last', maps.slice(-1)], ['all', maps]])) {
      const count = (counts[name] ??= { exact: 0, f1: 0, total: 0 });
      const weights = { data: meanOf(some, undefined), sources: spansOf(own.offsets), targets: spansOf(its.offsets) };
      for (let k = 0; k < sourceWords.length; k++) for (const words of [1, 2]) {
        const marked = sourceWords.slice(k, k + words);
        if (marked.length < words || !marked.every(({ start, end }) => WORDED.test(source.slice(start, end)))) continue;
        const wanted = [...new Set(links.filter(([s]) => s >= k && s < k + words).map(([, t]) => t))];
        const isRange = wanted.length > 0 && Math.max(...wanted) - Math.min(...wanted) === wanted.length - 1;
        if (!isRange) continue;
        const [start, end] = [marked[0].start, marked[words - 1].end];
        const html = `${source.slice(0, start)}<b>${source.slice(start, end)}</b>${source.slice(end)}`;
        const [block] = readBlocks(html, () => false).blocks;
        const { items, targets } = place(block, [{ start: 0, source, target, weights }], segmenters);
        const [x, y] = [0, 1].map((tag) => items.findIndex((list_) => list_.includes(tag)));
        const found = targetWords.flatMap((word, i) =>
          (targets.slice(x, y).some((unit) => word.start < unit.end && word.end > unit.start) ? [i] : []));
        const both = found.filter((i) => wanted.includes(i)).length;
        count.total++;
        count.exact += Number(both === found.length && both === wanted.length);
        count.f1 += (2 * both) / (found.length + wanted.length);
      }
    }
  }
  model.dispose();
  const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)} %`;
  console.log(direction, Object.entries(counts).map(([name, { exact, f1, total }]) =>
    `${name}: ${percent(exact / total)} of ${total} exact, F1 ${percent(f1 / total)}`).join('; '));
}
