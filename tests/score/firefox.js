// firefox.js - how near heed computes to Firefox's engine and to floats, with each kind of activations and in float32,
// on models of Firefox that are not here, and what each kind costs. Then how many texts of a Translator are the
// engine's.
//
//     node tests/score/firefox.js [--pair enpt]... [--only rows,float32,texts] [--simd relaxed] [--rounds 5]
//
// words/s: of the processor, the median of rounds in which the kinds take turns, line by line, without a shortlist;
// --rounds 0: not measured.
//
// The models are those of firefox-models.js; golden/firefox/real has what a reference computes with them, which
// forced.js compares, and what the engine says, which translated.js compares. Exit code 1: further away than golden
// data that float noise alone explains.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Transformer, Translator } from '../../js/index.js';
import { median } from '../bench/measure.js';
import { bringModels, readRealLines } from '../firefox-models.js';
import { distances, equalFloats, equalIds, mean, quantile } from './forced.js';
import { compareTexts } from './translated.js';

const KINDS = /** @type {const} */ (['rows', 'rows8', 'fixed', 'saturating', 'float32']);
/** The mean distance from float32 activations that rows may have: that of Firefox's engine, and a third more. */
const MOST = { enpt: 0.02, pten: 0.035 };
/** Of float32: 0.00005, as four decimals are stored, and sums in another order. The models here have 0.00016. */
const MOST_FLOAT = 3e-4;
/**
 * Of 187 lines: how many translations must be those of the same sums, and the share of lines whose largest distance is
 * at most 0.15. Float noise exceeds this in 10 to 19 lines.
 */
const LEAST = { equal: 165, near: 0.88 };

const { values } = parseArgs({
  options: {
    pair: { type: 'string', multiple: true, default: Object.keys(MOST) },
    simd: { type: 'string', default: 'auto' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: `${KINDS},texts` },
  },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 0) throw new Error(`--rounds: found ${values.rounds}, expected 0 or more`);
const ALL = [...KINDS, 'texts'];
const only = values.only.split(',');
const other = only.find((name) => !ALL.includes(name));
if (other !== undefined) throw new Error(`--only: found '${other}', expected some of ${ALL.join()}`);
const kinds = KINDS.filter((kind) => only.includes(kind));
const simd = /** @type {'auto' | 'simd128' | 'relaxed'} */ (values.simd);
const models = bringModels();
if ('missing' in models) {
  console.error(`firefox: ${models.missing}`);
  process.exit(1);
}
const { directory } = models;

/** @param {string} pair @param {string} what */
function fail(pair, what) {
  console.log(`${pair}  ${what}: too far`);
  process.exitCode = 1;
}

/** @param {number[]} off */
const show = (off) => `${mean(off).toFixed(4)} ${quantile(off, 0.99).toFixed(3).padStart(6)}`;
const isFloat = (/** @type {string} */ kind) => kind === 'float32';
/** What a kind is compared with. @param {string} kind */
const sumsOf = (kind) => (kind === 'saturating' ? 'saturating' : 'exact');

if (kinds.length > 0) {
  console.log('|Δ log p| of the ids of float activations: mean, 99th percentile, largest; of fixed scales: mean, 99th '
    + 'percentile;\nequal texts: those of fixed scales, or in float32 those of float activations. Of fixed scales with '
    + 'exact sums,\nbut of "saturating" with sums that saturate\n\n'
    + 'pair  activations            float               fixed   lines ≤ 0.0005, ≤ 0.15   equal texts   words/s');
}
for (const pair of kinds.length > 0 ? values.pair : []) {
  const lines = readRealLines(pair).filter(({ sourceIds }) => sourceIds);
  const words = lines.reduce((sum, { source }) => sum + source.trim().split(/\s+/).length, 0);
  const opened = await Promise.all(kinds.map(async (kind) => ({
    kind,
    model: await Transformer.load(join(directory, pair),
      { ...(isFloat(kind) ? { dtype: 'f32' } : { activations: kind }), simd, shortlist: false }),
    equal: 0,
    seconds: /** @type {number[]} */ ([]),
  })));
  // in turns, and the first round warms up
  for (let round = 0; round <= rounds; round++) {
    for (const each of round % 2 ? opened.toReversed() : opened) {
      const start = process.cpuUsage(); // of this process: others may be busy
      each.equal = isFloat(each.kind) ? equalFloats(each.model, lines)
        : equalIds(each.model, lines, 'full', sumsOf(each.kind));
      if (round > 0) each.seconds.push(process.cpuUsage(start).user / 1e6);
    }
  }
  for (const { kind, model, equal, seconds } of opened) {
    const [float, fixed] = /** @type {const} */ (['float', sumsOf(kind)]).map((to) =>
      (isFloat(kind) && to !== 'float' ? [] : lines.map((line) => distances(model, line, to) ?? [])));
    const within = (/** @type {number} */ most) => fixed.filter((off) => Math.max(...off) <= most).length;
    const largest = Math.max(...float.flat());
    console.log([pair.padEnd(4), kind.padEnd(11), show(float.flat()), largest.toFixed(5).padStart(8),
      (isFloat(kind) ? '-' : show(fixed.flat())).padStart(14),
      (isFloat(kind) ? '-' : `${within(0.0005)}, ${within(0.15).toString().padStart(7)}`).padStart(23),
      `${equal} of ${lines.length}`.padStart(12),
      (rounds ? (words / median(seconds)).toFixed(0) : '-').padStart(8)].join('  '));
    const most = /** @type {Record<string, number>} */ (MOST)[pair] ?? Infinity;
    const isFixed = () => within(0.15) >= LEAST.near * lines.length && equal >= (LEAST.equal / 187) * lines.length;
    const isNear = {
      rows: () => mean(float.flat()) <= most,
      rows8: () => mean(float.flat()) <= most,
      fixed: isFixed,
      saturating: isFixed,
      float32: () => largest <= MOST_FLOAT && equal === lines.length,
    };
    if (!isNear[kind]()) fail(pair, kind);
    model.dispose();
  }
}

if (only.includes('texts')) {
  console.log('\nA Translator with keep: false and beams: 1: texts that are the engine\'s; those of exact sums. Of the '
    + 'former, if\nthe alignment is known: lines and tokens that have the engine\'s\n\n'
    + 'pair  activations  shortlist  engine\'s texts    exact sums\'   lines aligned       tokens aligned');
}
for (const pair of only.includes('texts') ? values.pair : []) {
  const [sourceLanguage, targetLanguage] = [pair.slice(0, 2), pair.slice(2)];
  const lines = readRealLines(pair);
  const of = (/** @type {number} */ some, /** @type {number} */ all) => `${some} of ${all}`;
  for (const activations of /** @type {const} */ (['rows', 'fixed', 'saturating'])) {
    const said = [];
    for (const kind of /** @type {const} */ (['full', 'shortlist'])) {
      const translator = await Translator.create({ sourceLanguage, targetLanguage, model: join(directory, pair),
        activations, simd, shortlist: kind === 'shortlist' });
      const { texts, equal, exact, aligned, alignedLines, links, alignedLinks } =
        await compareTexts(translator, lines, kind);
      translator.destroy();
      said.push(texts);
      const share = `${(100 * alignedLinks / links).toFixed(1)} %`;
      console.log([pair, activations.padEnd(11), (kind === 'full' ? 'no' : 'yes').padEnd(9),
        of(equal, lines.length).padStart(14), of(exact, lines.length).padStart(12),
        of(alignedLines, aligned).padStart(14), `${of(alignedLinks, links)}, ${share}`.padStart(21)].join('  '));
      const enough = (LEAST.equal / 187) * lines.length;
      if (activations === 'fixed' && exact < enough) fail(pair, 'a Translator, fixed');
      if (activations === 'saturating' && equal < enough) fail(pair, 'a Translator, saturating');
    }
    const same = said[0].filter((text, i) => text === said[1][i]).length;
    console.log(`${pair}  ${activations}: the same text with a shortlist and without: ${of(same, lines.length)}`);
  }
}
