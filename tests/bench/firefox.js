// firefox.js - heed beside the engine of Firefox's translations, Bergamot, and beside fxtranslate, on one of Firefox's
// models: the lines of a file one at a time, all in one call, and one long text; in Node and in Chromium. Then a model
// of the size of "base" with random weights, one line at a time: see firefox-base.js. Part of `make bench`.
//
//   HEED_FIREFOX_MODEL=DIR node tests/bench/firefox.js [--lines FILE] [--from en] [--to pt] [--rounds 7]
//                      [--only heed,bergamot] [--lengths 200] [--hosts node,chromium] [--models own,base]
//                      [--results FILE]
//
// --results writes the times to a file as those in results/, of which the page of benchmarks is made.
// DIR has the model, its vocabulary and its shortlist, unpacked. FILE has a text on each line; without it the lines are
// those of golden/firefox/real, 200 in English and 200 in Portuguese. Every engine has a process of its own, on one
// thread; they take turns, and every other round goes backwards. Times are medians. The processes run in the Node of
// this folder, because Node 20 has no relaxed SIMD; without it, in that of this program.
//
// With random weights every translation has twice the tokens of its source, which is the most that the engines allow.
//
// Operations are those of heed's products for these tokens, a multiply and an add counting as two, with all rows of the
// output matrix or those of the shortlist. The same number is divided by each engine's time, so that shares compare.
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Transformer, Translator } from '../../js/index.js';
import { readRealLines } from '../firefox-models.js';
import { install } from './competitors.js';
import { writeBase } from './firefox-base.js';
import { lacksChromium, openPage } from './firefox-chromium.js';
import { LENGTH } from './firefox-measure.js';
import { median } from './measure.js';
import { commandOf, writeResult } from './results.js';
import { brief, machine, megabytes, table } from './table.js';

/** fxtranslate has no shortlist. */
const ENGINES = ['heed relaxed', 'heed simd128', 'bergamot',
  ...['heed relaxed', 'heed simd128', 'bergamot', 'fxtranslate'].map((name) => `${name}, no shortlist`)];
/** Milliseconds of a round after which an engine needs no other. */
const PATIENCE = 20_000;
/** Tokens of the long text. */
const LONG = 256;
/** Lines that random weights translate: each is long. */
const RANDOM_LINES = 50;
/** Rows of the output matrix that a shortlist leaves: the median of real ones. */
const CANDIDATES = 640;

const { values } = parseArgs({
  options: {
    lines: { type: 'string' },
    from: { type: 'string', default: 'en' },
    to: { type: 'string', default: 'pt' },
    rounds: { type: 'string', default: '7' },
    only: { type: 'string', default: '' },
    lengths: { type: 'string', default: '200' },
    hosts: { type: 'string', default: 'node,chromium' },
    models: { type: 'string', default: 'own,base' },
    results: { type: 'string' },
  },
});
const directory = process.env.HEED_FIREFOX_MODEL;
if (!directory) {
  console.log('\nFIREFOX: skipped: HEED_FIREFOX_MODEL names no directory with a model (heed fetch firefox:en-pt)');
  process.exit();
}
const { from: sourceLanguage, to: targetLanguage } = values;
const lines = readLines().slice(0, Number(values.lengths));

/** What --results writes. @type {import('./results.js').Measured[]} */
const measured = [];

const newer = fileURLToPath(new URL('node_modules/node24/bin/node', import.meta.url));
const execPath = existsSync(newer) ? newer : process.execPath;

/** The lines of FILE, or those of golden/firefox/real. @returns {string[]} */
function readLines() {
  if (values.lines !== undefined) return readFileSync(values.lines, 'utf8').replace(/\n$/, '').split('\n');
  const pair = `${sourceLanguage}${targetLanguage}`;
  if (['enpt', 'pten'].includes(pair)) return readRealLines(pair).map(({ source }) => source);
  throw new Error(`${pair}: found no lines, expected --lines with a file of sentences, one a line`);
}

/** Lines in turn until they have so many tokens. @param {Transformer} model */
function longText(model) {
  const parts = [];
  for (let i = 0, left = LONG; left > 0; i++) {
    const line = lines[i % lines.length];
    parts.push(line);
    left -= model.tokenizer.encode(line).ids.length - 1;
  }
  return parts.join(' ');
}

/**
 * Billions of operations for so many tokens.
 *
 * @param {Record<string, any>} config
 * @param {{ source: number, target: number }} tokens
 * @param {number} rows  of the output matrix
 */
function operations(config, { source, target }, rows) {
  const { d_model: d, encoder_layers: encoders, decoder_layers: decoders } = config;
  const encoder = encoders * (4 * d * d + 2 * d * config.encoder_ffn_dim);
  // SSRU: two products; cross-attention: two for each target token, keys and values for each source token
  const own = config.decoder_cell === 'ssru' ? 2 : 4;
  const decoder = decoders * ((own + 2) * d * d + 2 * d * config.decoder_ffn_dim);
  return 2e-9 * (source * (encoder + decoders * 2 * d * d) + target * (decoder + rows * d));
}

/** A directory's model without its shortlist. @param {string} place */
function without(place) {
  const made = mkdtempSync(join(tmpdir(), 'heed-bench-'));
  process.on('exit', () => rmSync(made, { recursive: true }));
  for (const name of readdirSync(place)) {
    if (!/^lex\b|^heed\.json$/.test(name)) symlinkSync(resolve(place, name), join(made, name));
  }
  return made;
}

/** An engine in a process. @param {string} engine @param {string} place @param {boolean} isRandom */
async function openProcess(engine, place, isRandom) {
  const program = fileURLToPath(new URL('firefox-engine.js', import.meta.url));
  const list = [engine, place, sourceLanguage, targetLanguage, ...(isRandom ? ['random'] : [])];
  const child = fork(program, list, { execPath });
  const ask = async (/** @type {any} */ message) => {
    if (message !== undefined) child.send(message);
    // listeners that were not needed are removed: an engine answers hundreds of times
    const done = new AbortController();
    const { signal } = done;
    try {
      const [answer] = await Promise.race([once(child, 'message', { signal }),
        once(child, 'exit', { signal }).then(([code]) => { throw new Error(`${engine}: ended with ${code}`); })]);
      return answer;
    } finally {
      done.abort();
    }
  };
  return { ...(await ask(undefined)), ask, close: () => child.connected && child.disconnect() };
}

/**
 * Int8 GOP/s that the machine attains in each build, which kernels.js prints first.
 *
 * @param {'wasm' | 'wasm-relaxed' | 'wasm-pairs'} build
 */
async function attainable(build) {
  const path = fileURLToPath(new URL(`../../build/${build}/bench/kernels.wasm`, import.meta.url));
  if (!existsSync(path)) return undefined; // `make bench` builds it
  const program = spawn(execPath, [fileURLToPath(new URL('kernels.js', import.meta.url)), path]);
  let said = '';
  for await (const part of program.stdout) {
    said += part;
    const [, rate] = /int8 ([\d.]+)/.exec(said) ?? [];
    if (rate) {
      program.kill();
      return Number(rate);
    }
  }
  return undefined; // this host lacks an instruction of the build
}

/**
 * What each case has: the texts, and the tokens of heed's translations.
 *
 * @typedef {{ texts: string[], isOneByOne: boolean, tokens: { source: number, target: number, words: number } }} Case
 */

/** @param {string} place @returns {Promise<Record<string, Case>>} */
async function ownCases(place) {
  const model = await Transformer.load(place);
  const text = longText(model);
  model.dispose();
  const cases = {
    'lines, one at a time': { texts: lines, isOneByOne: true },
    'all lines in one call': { texts: lines, isOneByOne: false },
    [`one text of ${LONG} tokens`]: { texts: [text], isOneByOne: false },
  };
  const translator = await Translator.create({ sourceLanguage, targetLanguage, model: place });
  /** @type {Record<string, Case>} */
  const counted = {};
  for (const [name, { texts, isOneByOne }] of Object.entries(cases)) {
    const sentences = [];
    for (const each of texts) sentences.push(...await translator.translateDetailed(each, { keep: false, beams: 1 }));
    const count = (/** @type {'sourceTokens' | 'targetTokens'} */ side) =>
      sentences.reduce((sum, sentence) => sum + sentence[side].length, 0);
    const tokens = { source: count('sourceTokens'), target: count('targetTokens'), words: wordsOf(texts) };
    counted[name] = { texts, isOneByOne, tokens };
  }
  translator.destroy();
  return counted;
}

/**
 * Lines of one sentence, because Bergamot splits others.
 *
 * @param {string} place
 * @returns {Promise<Record<string, Case>>}
 */
async function randomCases(place) {
  const model = await Transformer.load(place);
  const texts = lines.filter((line) => !/[.!?…:;]["')\]]*\s/.test(line)).slice(0, RANDOM_LINES);
  const source = texts.reduce((sum, line) => sum + model.tokenizer.encode(line).ids.length, 0);
  model.dispose();
  const tokens = { source, target: LENGTH * source, words: wordsOf(texts) };
  return { 'lines, one at a time': { texts, isOneByOne: true, tokens } };
}

const wordsOf = (/** @type {string[]} */ texts) => texts.join('\n').split(/\s+/).filter(Boolean).length;

/**
 * One model on one host.
 *
 * @param {string} host
 * @param {string} place  the model's directory
 * @param {Record<string, Case>} cases
 * @param {Record<string, any>} config
 * @param {boolean} isRandom
 */
async function compare(host, place, cases, config, isRandom) {
  const isNode = host === 'node';
  const bare = without(place);
  const engines = [];
  for (const name of ENGINES.filter((each) => values.only.split(',').some((some) => each.includes(some)))) {
    const [engine, other] = name.split(', ');
    // fxtranslate is a module of Node, and ends translations by its own rule
    if (engine === 'fxtranslate' && (!isNode || isRandom)) continue;
    const from = other ? bare : place;
    const opened = isNode
      ? await openProcess(engine, from, isRandom)
      : await openPage(engine, from, { sourceLanguage, targetLanguage, isRandom });
    if (opened.skipped) {
      console.log(`${name}: skipped: ${opened.skipped}`);
      await opened.close();
    } else engines.push({ name, ...opened });
  }
  const version = isNode
    ? `Node ${execFileSync(execPath, ['--version'], { encoding: 'utf8' }).trim().slice(1)}`
    : `Chromium ${engines[0]?.version}`;
  console.log(`\nFIREFOX: ${isRandom ? 'random weights, base' : place}, ${lines.length} lines`);
  console.log(`${machine()}; engines in ${version}`);

  /**
   * The first round warms up: hosts compile, Bergamot packs its matrices.
   *
   * @type {Record<string, Record<string, any[]>>}
   */
  const results = {};
  for (const [name, { texts, isOneByOne }] of Object.entries(cases)) {
    results[name] = Object.fromEntries(engines.map((engine) => [engine.name, []]));
    const slow = new Set();
    for (let round = 0; round <= rounds; round++) {
      for (const engine of round % 2 ? engines.toReversed() : engines) {
        if (slow.has(engine)) continue;
        const result = await engine.ask({ texts, isOneByOne });
        // one that takes so long is measured once
        if (result.ms > PATIENCE) slow.add(engine);
        if (round > 0 || slow.has(engine)) results[name][engine.name].push(result);
      }
    }
  }

  for (const [name, byEngine] of Object.entries(results)) {
    const { tokens } = cases[name];
    const { source, target, words } = tokens;
    console.log(`\n${name}: ${words} words, ${source} source and ${target} target tokens, median of ${rounds} rounds`);
    const rows = Object.entries(byEngine).map(([engine, all]) => {
      const ms = median(all.map((result) => result.ms));
      const isShort = !engine.includes('no shortlist');
      const base = byEngine[isShort ? 'bergamot' : 'bergamot, no shortlist'];
      const rate = (1000 * operations(config, tokens, isShort ? CANDIDATES : config.decoder_vocab_size)) / ms;
      const most = engine.includes('relaxed') ? relaxed : plain;
      const each = all.flatMap((result) => result.each).sort((a, b) => a - b);
      // the kernels were measured in Node
      const share = most && isNode ? `${((100 * rate) / most).toFixed(0)} %` : '-';
      return [engine, all.length, brief(ms), brief((1000 * words) / ms), brief(rate), share,
        base ? `${(median(base.map((result) => result.ms)) / ms).toFixed(2)}x` : '',
        each.length > all.length ? `${brief(median(each))}; ${brief(each[Math.floor(0.95 * each.length)])}` : ''];
    });
    console.log(table(['engine', 'rounds', 'ms', 'words/s', 'GOP/s', 'share', 'to bergamot', 'ms a line, 95 %'], rows));
  }

  for (const [name, byEngine] of Object.entries(results)) {
    for (const hasShortlist of [true, false]) {
      const some = Object.entries(byEngine).filter(([engine]) => engine.includes('no shortlist') !== hasShortlist);
      if (some.length === 0) continue;
      measured.push({
        label: [isRandom ? 'base' : '', name, hasShortlist ? '' : 'no shortlist', version].filter(Boolean).join(', '),
        engines: Object.fromEntries(some.map(([engine, all]) =>
          [engine.split(', ')[0], median(all.map((result) => result.ms))])),
      });
    }
  }

  const begin = isNode ? 'the start' : 'the files in memory';
  console.log(`\nload: from ${begin} to the first translation possible; memory: peak of the process, Node included`);
  const all = await Promise.all(engines.map(async ({ ask }) => (isNode ? ask('peak') : {})));
  const shown = (/** @type {number | undefined} */ bytes) => (bytes === undefined ? '-' : megabytes(bytes));
  console.log(table(['engine', 'load, ms', 'peak, MB', "heed's module, MB"], engines.map(({ name, load }, i) =>
    [name, brief(load), shown(all[i].peak), shown(all[i].own)])));
  const files = readdirSync(place).filter((name) => /\.(bin|spm)$/.test(name))
    .reduce((sum, name) => sum + statSync(join(place, name)).size, 0);
  const most = megabytes(1.3 * files + 2 ** 24);
  console.log(`the most that heed's module should have: 1.3 times the files and 16 MB, ${most} MB`);
  for (const { close } of engines) await close();
}

install();
const rounds = Number(values.rounds);
const dot = execFileSync(execPath, ['--input-type=module', '--eval',
  `import { relaxedDot } from ${JSON.stringify(new URL('../../js/wasm/simd.js', import.meta.url))};
  console.log(relaxedDot())`], { encoding: 'utf8' }).trim();
const [plain, relaxed] = [await attainable('wasm'), await attainable(dot === 'pairs' ? 'wasm-pairs' : 'wasm-relaxed')];
console.log(`\nrelaxed dot product: ${dot}`);
console.log(`attainable in int8, GOP/s: SIMD128 ${plain ?? '-'}, relaxed SIMD ${relaxed ?? '-'}`);
for (const kind of values.models.split(',')) {
  const isRandom = kind === 'base';
  const place = isRandom
    ? await writeBase(directory, fileURLToPath(new URL(`../../build/bench/firefox-base/${basename(resolve(directory))}`,
      import.meta.url)))
    : directory;
  const model = await Transformer.load(place);
  const { config } = model;
  model.dispose();
  const cases = await (isRandom ? randomCases : ownCases)(place);
  for (const host of values.hosts.split(',')) {
    const missing = host === 'chromium' && lacksChromium();
    if (missing) console.log(`\n${host}: skipped: ${missing}`);
    else await compare(host, place, cases, config, isRandom);
  }
}
if (values.results) {
  const where = relative(process.cwd(), resolve(directory));
  writeResult(values.results, {
    title: "Beside Firefox's engine",
    text: `Milliseconds for ${lines.length} lines from ${sourceLanguage} to ${targetLanguage} with one of Firefox's `
      + `models, ${basename(where)}, and for a text of ${LONG} tokens, on one thread, each engine in a process or a `
      + `page of its own, in turns, medians of ${rounds} rounds; in brackets the speed-up over Bergamot's wasm, the `
      + `engine of Firefox. "base" is a model of that size with random weights, for at most ${RANDOM_LINES} of the `
      + `lines. The relaxed dot product is "${dot}" here.`,
    command: `HEED_FIREFOX_MODEL=${where} ${commandOf('firefox.js', process.argv.slice(2))}`,
    base: 'bergamot',
    measured,
  });
}
