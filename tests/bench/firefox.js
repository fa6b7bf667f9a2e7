// firefox.js - heed beside the engine of Firefox's translations, Bergamot, and beside fxtranslate, on one of Firefox's
// models: the lines of a file one at a time, all in one call, and one long text. Part of `make bench`.
//
//   HEED_FIREFOX_MODEL=DIR node tests/bench/firefox.js [--lines FILE] [--from en] [--to pt] [--rounds 7] [--only heed]
//                                                      [--lengths 200]
//
// DIR has the model, its vocabulary and its shortlist, unpacked; FILE is DIR/source.txt by default. Every engine has a
// process of its own, on one thread; they take turns, and every other round goes backwards. Times are medians. The
// processes run in the Node of this folder, because Node 20 has no relaxed SIMD; without it, in that of this program.
//
// Operations are those of heed's products for these tokens, a multiply and an add counting as two, with all rows of the
// output matrix or those of the shortlist. The same number is divided by each engine's time, so that shares compare.
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Transformer, Translator } from '../../js/index.js';
import { install } from './competitors.js';
import { median } from './measure.js';
import { brief, machine, megabytes, table } from './table.js';

/** fxtranslate has no shortlist. */
const ENGINES = ['heed relaxed', 'heed simd128', 'bergamot',
  ...['heed relaxed', 'heed simd128', 'bergamot', 'fxtranslate'].map((name) => `${name}, no shortlist`)];
/** Milliseconds of a round after which an engine needs no other. */
const PATIENCE = 20_000;
/** Tokens of the long text. */
const LONG = 256;
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
  },
});
const directory = process.env.HEED_FIREFOX_MODEL;
if (!directory) {
  console.log('\nFIREFOX: skipped: HEED_FIREFOX_MODEL names no directory with a model (heed fetch firefox:en-pt)');
  process.exit();
}
const file = values.lines ?? join(directory, 'source.txt');
if (!existsSync(file)) throw new Error(`${file} is missing: --lines names a file of sentences, one a line`);
const lines = readFileSync(file, 'utf8').replace(/\n$/, '').split('\n').slice(0, Number(values.lengths));
const { from: sourceLanguage, to: targetLanguage } = values;

const newer = fileURLToPath(new URL('node_modules/node24/bin/node', import.meta.url));
const execPath = existsSync(newer) ? newer : process.execPath;

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

/** The same model without its shortlist. */
const without = mkdtempSync(join(tmpdir(), 'heed-bench-'));
process.on('exit', () => rmSync(without, { recursive: true }));
for (const name of readdirSync(directory)) {
  if (!/^lex\b|^heed\.json$/.test(name)) symlinkSync(resolve(directory, name), join(without, name));
}

/** @param {string} name */
async function open(name) {
  const program = fileURLToPath(new URL('firefox-engine.js', import.meta.url));
  const [engine, other] = name.split(', ');
  const place = other ? without : String(directory);
  const child = fork(program, [engine, place, sourceLanguage, targetLanguage], { execPath });
  // listens once for all questions: Node warns of more than ten listeners
  const end = once(child, 'exit').then(([code]) => { throw new Error(`${name}: ended with ${code}`); });
  end.catch(() => {}); // it is no error that it ends after the last question
  const ask = async (/** @type {any} */ message) => {
    if (message !== undefined) child.send(message);
    const [answer] = await Promise.race([once(child, 'message'), end]);
    return answer;
  };
  const first = await ask(undefined);
  return { name, child, ask, load: first.load, skipped: first.skipped };
}

/**
 * Int8 GOP/s that the machine attains in each build, which kernels.js prints first.
 *
 * @param {'wasm' | 'wasm-relaxed'} build
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

install();
const model = await Transformer.load(directory);
const text = longText(model);
const cases = {
  'lines, one at a time': { texts: lines, isOneByOne: true },
  'all lines in one call': { texts: lines, isOneByOne: false },
  [`one text of ${LONG} tokens`]: { texts: [text], isOneByOne: false },
};
const translator = await Translator.create({ sourceLanguage, targetLanguage, model: directory });
/** Tokens of each case, with the end. */
const tokens = {};
for (const [name, { texts }] of Object.entries(cases)) {
  const sentences = [];
  for (const each of texts) sentences.push(...await translator.translateDetailed(each, { keep: false, beams: 1 }));
  const count = (/** @type {'sourceTokens' | 'targetTokens'} */ side) =>
    sentences.reduce((sum, sentence) => sum + sentence[side].length, 0);
  const words = texts.join('\n').split(/\s+/).filter(Boolean).length;
  tokens[name] = { source: count('sourceTokens'), target: count('targetTokens'), words };
}
translator.destroy();
const { config } = model;
model.dispose();

const engines = [];
for (const name of ENGINES.filter((each) => each.includes(values.only))) {
  const engine = await open(name);
  if (engine.skipped) console.log(`${name}: skipped: ${engine.skipped}`);
  else engines.push(engine);
}

const version = execFileSync(execPath, ['--version'], { encoding: 'utf8' }).trim();
console.log(`\nFIREFOX: ${directory}, ${lines.length} lines\n${machine()}; engines in Node ${version}`);
const [plain, relaxed] = [await attainable('wasm'), await attainable('wasm-relaxed')];
console.log(`attainable in int8, GOP/s: SIMD128 ${plain ?? '-'}, relaxed SIMD ${relaxed ?? '-'}`);
const rounds = Number(values.rounds);
/**
 * The first round warms up: hosts compile, Bergamot packs its matrices.
 *
 * @type {Record<string, Record<string, any[]>>}
 */
const results = {};
for (const [name, message] of Object.entries(cases)) {
  results[name] = Object.fromEntries(engines.map((engine) => [engine.name, []]));
  const slow = new Set();
  for (let round = 0; round <= rounds; round++) {
    for (const engine of round % 2 ? engines.toReversed() : engines) {
      if (slow.has(engine)) continue;
      const result = await engine.ask(message);
      // one that takes so long is measured once
      if (result.ms > PATIENCE) slow.add(engine);
      if (round > 0 || slow.has(engine)) results[name][engine.name].push(result);
    }
  }
}

for (const [name, byEngine] of Object.entries(results)) {
  const { source, target, words } = tokens[name];
  console.log(`\n${name}: ${words} words, ${source} source and ${target} target tokens, median of ${rounds} rounds`);
  const rows = Object.entries(byEngine).map(([engine, all]) => {
    const ms = median(all.map((result) => result.ms));
    const isShort = !engine.includes('no shortlist');
    const base = byEngine[isShort ? 'bergamot' : 'bergamot, no shortlist'];
    const rate = (1000 * operations(config, tokens[name], isShort ? CANDIDATES : config.decoder_vocab_size)) / ms;
    const most = engine.includes('relaxed') ? relaxed : plain;
    const each = all.flatMap((result) => result.each).sort((a, b) => a - b);
    const share = most ? `${((100 * rate) / most).toFixed(0)} %` : '-';
    return [engine, all.length, brief(ms), brief((1000 * words) / ms), brief(rate), share,
      base ? `${(median(base.map((result) => result.ms)) / ms).toFixed(2)}x` : '',
      each.length > all.length ? `${brief(median(each))}; ${brief(each[Math.floor(0.95 * each.length)])}` : ''];
  });
  console.log(table(['engine', 'rounds', 'ms', 'words/s', 'GOP/s', 'share', 'to bergamot', 'ms a line, 95 %'], rows));
}

console.log('\nload: from the start to the first translation possible; memory: peak of the process, Node included');
const peaks = await Promise.all(engines.map(async (engine) => (await engine.ask('peak')).peak));
console.log(table(['engine', 'load, ms', 'peak, MB'], engines.map(({ name, load }, i) =>
  [name, brief(load), megabytes(peaks[i])])));
for (const { child } of engines) child.disconnect();
