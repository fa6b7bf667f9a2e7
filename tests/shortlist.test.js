// shortlist.test.js - shortlists: the file, what a model computes with one, and the options that use it or not.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { HeedError, Transformer, Translator } from '../js/index.js';
import { readShortlist } from '../js/formats/shortlist.js';
import { createEngine } from '../js/engine/engine.js';
import { nextLogits } from '../js/model/inspect.js';
import { checkGenerate } from '../js/model/options.js';
import { generateWith } from '../js/translate/glossary.js';
import { relaxedDot } from '../js/wasm/simd.js';
import { bringModels } from './firefox-models.js';
import { changeJson, SHIPPED, readFiles, TINY } from './model-files.js';
import { selectPlainly, shortlistFile } from './shortlist-file.js';

const V = 67;
const NAME = 'lex.50.50.test.s2t.bin';
const SIZES = { vocab_size: V, decoder_vocab_size: V };
/** Some ids for each source id, none for a few. */
const LISTS = Array.from({ length: V }, (_, i) => Array.from({ length: i % 4 }, (_, j) => (i * 7 + j * 13) % V));
/** The modules that this host can run: `node --experimental-wasm-relaxed-simd` has both in Node 20. */
const ALL_MODULES = /** @type {const} */ (['simd128', 'relaxed']);
const MODULES = ALL_MODULES.slice(0, relaxedDot() === 'none' ? 1 : 2);
const SOURCES = [[5, 6, 7, 2], [30, 31, 2], [64, 12, 8, 55, 2], [2], [9, 9, 10, 11, 40, 41, 42, 2]];

/** @param {Record<string, Uint8Array>} files @param {Uint8Array} list @param {object} [more]  for config.json */
const withList = (files, list, more = {}) =>
  changeJson({ ...files, [NAME]: list }, 'config.json', (json) => ({ ...json, shortlist: NAME, ...more }));

const tiny = readFiles(TINY);
const all = shortlistFile(LISTS.map(() => []), { first: V });

/** What console.warn gets. @template T @param {() => T} f @returns {[result: T, warnings: string[]]} */
function warningsOf(f) {
  const { warn } = console;
  /** @type {string[]} */
  const warnings = [];
  console.warn = (text) => void warnings.push(text);
  try {
    return [f(), warnings];
  } finally {
    console.warn = warn;
  }
}

test('a file is read as it was written', () => {
  for (const size of [V, V - 1]) { // an id more in the model is padding
    const lists = LISTS.slice(0, size);
    const file = shortlistFile(lists, { first: 9 });
    const [{ first, offsets, ids }, warnings] = warningsOf(() => readShortlist(file, NAME, SIZES));
    assert.equal(first, 9);
    assert.deepEqual(lists.map((_, i) => [...ids.subarray(offsets[i], offsets[i + 1])]), lists);
    assert.equal(offsets.length, size + 1);
    assert.deepEqual(warnings, []);
  }
});

test('a wrong checksum is a warning', () => {
  const good = shortlistFile(LISTS);
  const [, warnings] = warningsOf(() => readShortlist(shortlistFile(LISTS, { checksum: 5n }), NAME, SIZES));
  assert.deepEqual(warnings, [`heed: ${NAME}: the checksum is wrong: the file may be damaged`]);
  for (let bit = 0; bit < 32; bit++) { // of the number that nothing needs
    const changed = good.slice();
    changed[24 + (bit >> 3)] ^= 1 << (bit & 7);
    assert.equal(warningsOf(() => readShortlist(changed, NAME, SIZES))[1].length, 1, `bit ${bit}`);
  }
});

test('all that is out of bounds is refused, with what was found', () => {
  const good = shortlistFile(LISTS);
  const changed = (/** @type {number} */ at, /** @type {bigint} */ value) => {
    const file = Buffer.from(good);
    file.writeBigUInt64LE(value, at);
    return file;
  };
  const m = BigInt(LISTS.flat().length);
  const end = 48 + 8 * V;
  /** @type {[Uint8Array, RegExp][]} */
  const cases = [
    [good.subarray(0, 47), /bytes: found 47, expected 48 at least/],
    [changed(0, 1n), /first bytes: found '0x1', expected '?0xf11a48d5013417f5/],
    [changed(16, BigInt(V + 1)), /first ids: found 68, expected 67 at most/],
    [changed(32, 2n ** 63n), /lists: found 9223372036854775807, expected 66 or 67/],
    [changed(32, BigInt(V - 1)), /lists: found 65, expected 66 or 67/],
    [changed(40, m + 1n), /bytes: found \d+, expected \d+, for 68 offsets and \d+ ids/],
    [changed(40, 2n ** 62n), /bytes: found \d+, expected 18446744073709552208/],
    [changed(48, 1n), /offset of list 0: found 1, expected 0/],
    [changed(56, 2n ** 40n), /offset of list 1: found 1099511627776, expected 0 to/],
    [changed(48 + 8 * 9, 0n), /offset of list 9: found 0, expected \d+ to/],
    [changed(end, m - 1n), /end of the last list: found \d+, expected|offset of list 67/],
    [changed(end + 8, BigInt(V)), /target id 0: found 67, expected an id below 67/],
    [changed(end + 8, 2n ** 31n), /target id 0: found 2147483648, expected an id below 67/],
    [good.subarray(0, -4), /bytes: found/],
    [Buffer.concat([good, Buffer.alloc(4)]), /bytes: found/],
  ];
  for (const [file, message] of cases) {
    assert.throws(() => readShortlist(file, NAME, SIZES), (error) => {
      assert.ok(error instanceof HeedError && error.message.startsWith(`${NAME}: `), String(error));
      assert.match(error.message, message);
      return true;
    });
  }
});

test('of 20,000 changed files each is refused by an error that names it, or loads and selects ids', async () => {
  let seed = 20170612;
  const random = (/** @type {number} */ below) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const good = shortlistFile(LISTS);
  const model = await Transformer.load(tiny);
  const { core, model: handle } = model.internals();
  let loaded = 0;
  for (let i = 0; i < 20_000; i++) {
    let file = good.slice();
    for (let changes = random(3); changes >= 0; changes--) file[random(file.length)] = random(256);
    if (random(8) === 0) file = file.slice(0, random(file.length));
    warningsOf(() => {
      try {
        const { first, offsets, ids } = readShortlist(file, NAME, SIZES);
        loaded++;
        // the core checks them again, and a model has one shortlist
        const status = core.run('heed_model_set_shortlist', handle, first, offsets, offsets.length, ids, ids.length);
        assert.ok(status === 0 || status === 5);
      } catch (error) {
        const isRefused = error instanceof HeedError && error.message.startsWith(NAME) && error.message.length < 400;
        assert.ok(isRefused, String(error));
      }
    });
  }
  assert.ok(loaded > 100 && loaded < 10_000, `${loaded}`);
  const ids = model.candidates(SOURCES[0]);
  assert.ok(ids.length > 0 && ids.every((id, i) => id < V && (i === 0 || id > ids[i - 1])));
  model.dispose();
});

test('the core takes the same files as the plain reader, with the same words', async () => {
  const { warn } = console;
  const good = shortlistFile(LISTS);
  let seed = 1;
  let taken = 0;
  try {
    for (let i = 0; i < 200; i++) {
      const file = good.slice();
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      // of all fields of the head and the offsets; of the ids few changes are refused
      if (i > 0) file[seed % (i % 2 ? 48 + 8 * V : file.length)] ^= 1 << (seed >>> 29);
      const outcome = async (/** @type {() => unknown} */ read) => {
        /** @type {string[]} */
        const said = [];
        console.warn = (text) => void said.push(text);
        await Promise.resolve().then(read).catch((error) => said.push(error.message));
        return said;
      };
      const plain = await outcome(() => void readShortlist(file, NAME, SIZES));
      taken += Number(!plain.some((text) => text.startsWith(NAME)));
      assert.deepEqual(await outcome(async () => (await Transformer.load(withList(tiny, file))).dispose()), plain);
    }
  } finally {
    console.warn = warn;
  }
  assert.ok(taken > 20 && taken < 180, `${taken}`);
});

test('the candidates of a sentence are what the definition says', async () => {
  const model = await Transformer.load(withList(tiny, shortlistFile(LISTS, { first: 9 })));
  for (const source of SOURCES) {
    for (const more of [[], [66], [60, 1, 61]]) {
      const expected = selectPlainly(LISTS, source, { first: 9, vocabulary: V, more: [...more, 2] });
      assert.deepEqual([...model.candidates(source, more)], expected);
      assert.ok(expected.length < V);
    }
  }
  model.dispose();
});

test('a shortlist with all ids changes nothing, to the bit', async () => {
  const [plain, listed] = [await Transformer.load(tiny), await Transformer.load(withList(tiny, all))];
  for (const options of [{ maxTokens: 20 }, { beams: 4, nBest: 4, maxTokens: 20, noRepeatNgram: 2 }]) {
    assert.deepEqual(listed.generate(SOURCES, options), plain.generate(SOURCES, options));
  }
  assert.deepEqual(listed.forward(SOURCES[0], [5, 2]), plain.forward(SOURCES[0], [5, 2]));
  assert.equal(listed.candidates(SOURCES[0]).length, V);
  for (const model of [plain, listed]) model.dispose();
});

/** @type {import('../js/index.js').GenerateOptions[]} */
const SEARCHES = [
  { maxTokens: 20 },
  { beams: 3, nBest: 3, maxTokens: 20 },
  { maxTokens: 20, prefix: [66, 50] },
  { beams: 2, maxTokens: 20, prefix: [66, 50] },
  { beams: 2, maxTokens: 20, forcedBosTokenId: 65, minTokens: 5, repetitionPenalty: 1.3, badWords: [[1], [3, 4]] },
];

test('a sentence gives what it gives alone, in all modules, and its probabilities are those of a pass', async () => {
  for (const directory of ['postnorm-relu-shared', 'int8', 'ssru']) {
    const files = readFiles(TINY.replace('postnorm-relu-shared', directory));
    const config = JSON.parse(new TextDecoder().decode(files['config.json']));
    const lists = LISTS.slice(0, config.vocab_size);
    const list = withList(files, shortlistFile(lists, { first: 9 }));
    const sources = SOURCES.map((source) => [...source.slice(0, -1), Number(config.eos_token_id)]);
    const results = [];
    for (const simd of MODULES) {
      const model = await Transformer.load(list, { simd });
      assert.equal(model.info.simd, simd);
      for (const options of SEARCHES) {
        const together = model.generate(sources, options);
        results.push(together);
        const each = sources.flatMap((source) => model.generate([source], { ...options, batchSize: 1 }));
        assert.deepEqual(each, together, `${directory}: ${JSON.stringify(options)}`);
        const { beams = 1, prefix = [], forcedBosTokenId } = options;
        for (const [i, [{ ids, logProb }]] of together.entries()) {
          const candidates = model.candidates(sources[i], ids);
          assert.ok(candidates.length < config.vocab_size);
          const { logits, logProbs } = model.forward(sources[i], ids);
          const computed = Array.from(candidates.keys(), (k) => candidates[k]);
          const row = logits.data.subarray(0, config.vocab_size);
          assert.deepEqual([...row.keys()].filter((id) => row[id] > -Infinity), computed);
          // a greedy search shares out the probability of what rules forbid; the core adds up in double, then rounds
          const sum = logProbs.subarray(prefix.length).reduce((total, x) => total + x, 0);
          const isPlain = beams > 1 && forcedBosTokenId === undefined;
          if (isPlain) assert.ok(Math.abs(sum - logProb) < 1e-5, `${directory}: ${sum} ${logProb}`);
        }
      }
      model.dispose();
    }
    const first = results.slice(0, SEARCHES.length);
    assert.deepEqual(results, MODULES.flatMap(() => first), directory);
  }
});

test('shortlist: false computes all words; by default it is used if both sides share a vocabulary', async () => {
  const listed = withList(tiny, shortlistFile(LISTS, { first: 9 }));
  const [plain, model] = [await Transformer.load(tiny), await Transformer.load(listed)];
  const [without, with_] = [plain.generate(SOURCES), model.generate(SOURCES)];
  assert.notDeepEqual(with_, without);
  assert.deepEqual(model.generate(SOURCES, { shortlist: false }), without);
  const target = [5, 2];
  for (const [name, result] of Object.entries({
    forward: model.forward(SOURCES[0], target, { shortlist: false }),
    attention: model.attention(SOURCES[0], target, { shortlist: false }),
    inspect: model.inspect(SOURCES[0], target, { names: ['logits', 'log_probs'], shortlist: false }),
  })) {
    const more = name === 'inspect' ? { names: ['logits', 'log_probs'] } : undefined;
    assert.deepEqual(result, /** @type {any} */ (plain)[name](SOURCES[0], target, more), name);
    assert.notDeepEqual(/** @type {any} */ (model)[name](SOURCES[0], target, more), result, name);
  }
  assert.deepEqual(model.attention(SOURCES[0], target).candidates, model.candidates(SOURCES[0], target));

  const off = await Transformer.load(listed, { shortlist: false });
  assert.deepEqual(off.generate(SOURCES), without);
  const found = await Transformer.load({ ...tiny, [NAME]: listed[NAME] }, { shortlist: true });
  assert.deepEqual(found.generate(SOURCES), with_, 'found by its name');
  for (const each of [plain, model, off, found]) each.dispose();

  const apart = readFiles(TINY.replace('postnorm-relu-shared', 'prenorm-gelu-separate-stored'));
  const { vocab_size: S, decoder_vocab_size: T } = JSON.parse(new TextDecoder().decode(apart['config.json']));
  const lists = Array.from({ length: S }, (_, i) => [i % T]);
  const files = withList(apart, shortlistFile(lists, { first: 5 }));
  const source = [7, 8, 2];
  const [unused, used] = [await Transformer.load(files), await Transformer.load(files, { shortlist: true })];
  assert.equal(unused.candidates(source).length, T);
  const eos = Number(used.config.eos_token_id);
  const expected = selectPlainly(lists, source, { first: 5, vocabulary: T, isShared: false, more: [eos] });
  assert.deepEqual([...used.candidates(source)], expected);
  for (const each of [unused, used]) each.dispose();
});

test('a shortlist that is missing or wrong is named', async () => {
  const isMissing = { status: 'HEED_E_FILE', message: 'lex.*.s2t.bin is missing: the model has no shortlist' };
  await assert.rejects(Transformer.load(tiny, { shortlist: true }), isMissing);
  const { [NAME]: _, ...lost } = withList(tiny, all);
  const message = `${NAME} is missing: the model has no shortlist`;
  await assert.rejects(Transformer.load(lost), { ...isMissing, message });
  const cut = withList(tiny, all.subarray(0, 60));
  await assert.rejects(Transformer.load(cut), { status: 'HEED_E_SAFETENSORS', message: /^lex.*: bytes: found 60/ });
  await assert.rejects(Transformer.load(tiny, /** @type {any} */ ({ shortlist: 1 })), TypeError);
});

test('a Translator uses it, in a worker too, and its details tell which words were computed', async () => {
  const files = readFiles(SHIPPED);
  const { vocab_size: size } = JSON.parse(new TextDecoder().decode(files['config.json']));
  // a toy, which has what this model says of two sentences
  const pair = { sourceLanguage: 'en', targetLanguage: 'de' };
  const plain = await Translator.create({ ...pair, model: files });
  const text = 'Good morning. The house is small.';
  const expected = await plain.translate(text);
  const ids = (await plain.translateDetailed(text)).flatMap(({ targetTokens }) => targetTokens.map(({ id }) => id));
  const lists = Array.from({ length: size }, (_, i) => (i % 2 ? [] : ids));
  const model = withList(files, shortlistFile(lists, { first: 8 }));
  const glossary = { house: 'Palast' };
  for (const worker of [false, true]) {
    const translator = await Translator.create({ ...pair, model, worker });
    assert.equal(await translator.translate(text), expected);
    const [first, second] = await translator.translateDetailed(text);
    for (const { candidates, targetTokens } of [first, second]) {
      assert.ok(candidates && candidates.length < 100 && targetTokens.every(({ id }) => candidates.includes(id)));
    }
    const [unlimited] = await translator.translateDetailed(text, { shortlist: false });
    assert.equal(unlimited.candidates, undefined);
    assert.notDeepEqual(unlimited.targetTokens, first.targetTokens);
    // the words are in no list
    assert.match(await translator.translate(text, { glossary }), /Palast/);
    const [, given] = await translator.translateDetailed(text, { glossary });
    assert.equal(given.glossary?.[0].exact, true);
    assert.ok(given.targetTokens.every(({ logProb }) => Number.isFinite(logProb)));
    translator.destroy();
  }
  plain.destroy();
});

// ---------------------------------------------------------------- golden/firefox: what the real engine makes with one

const golden = fileURLToPath(new URL('golden/firefox/', import.meta.url));
/** @param {string} file @returns {any[]}  its sentences */
const linesOf = (file) => {
  const bytes = readFileSync(file);
  return String(file.endsWith('.gz') ? gunzipSync(bytes) : bytes).trim().split('\n').map((line) => JSON.parse(line))
    .filter(({ sourceIds }) => sourceIds);
};

/**
 * Texts of a search with the shortlist that are the engine's, and the distances of log-probabilities from its own.
 *
 * @param {Transformer} model  with fixed scales
 * @param {any[]} lines
 */
function compare(model, lines) {
  let texts = 0;
  const distances = lines.flatMap(({ sourceIds, shortlist: { exact, ids, logProbs, exactLogProbs } }) => {
    const wanted = exact?.ids ?? ids;
    const [[best]] = model.generate([sourceIds], { maxTokens: 2 * sourceIds.length });
    texts += Number(best.ids.join() === wanted.join());
    if (exact && !exactLogProbs) return []; // those of sums that saturate
    const found = model.forward(sourceIds, wanted).logProbs;
    return Array.from(found, (x, t) => Math.abs(x - (exactLogProbs ?? logProbs)[t]));
  });
  distances.sort((a, b) => a - b);
  return { texts, median: distances[distances.length >> 1], most: distances[Math.floor(distances.length * 0.98)] };
}

test("Firefox's small models say with their shortlist what the engine says with it", async (t) => {
  for (const name of ['tiny-seven', 'memory-split']) {
    const lines = linesOf(join(golden, name, 'expected.jsonl'));
    assert.equal(lines.length, 192);
    const model = await Transformer.load(join(golden, name), { shortlist: true, activations: 'fixed' });
    const { texts, median, most } = compare(model, lines);
    t.diagnostic(`${name}: ${texts} of 192 texts; log-probabilities differ by ${median.toFixed(5)}, 98 % by ${most}`);
    // noise of floats changes up to 24 texts; log-probabilities are stored with four decimals. memory-split has sums
    // that saturate in the engine, and still change the log-probabilities where they do not change the text
    assert.ok(texts >= 168, `${name}: ${texts} texts`);
    if (name === 'tiny-seven') assert.ok(median < 1e-3 && most < 0.15, `${name}: ${median}, ${most}`);
    model.dispose();
  }
});

const brought = bringModels();
for (const pair of ['enpt', 'pten']) {
  const skip = 'missing' in brought && brought.missing;
  test(`${pair}: the candidates and texts of a model of Mozilla's`, { skip }, async (t) => {
    const { directory } = /** @type {{ directory: string }} */ (brought);
    const model = await Transformer.load(join(directory, pair), { activations: 'fixed' });
    const lines = linesOf(join(golden, 'real', `${pair}.expected.jsonl.gz`));
    assert.equal(lines.length, 187);
    for (const { sourceIds, shortlist } of lines) {
      assert.equal(model.candidates(sourceIds).length, shortlist.candidates);
    }
    const { texts, median, most } = compare(model, lines);
    t.diagnostic(`${texts} of 187 texts; log-probabilities differ by ${median.toFixed(5)}, 98 % by ${most}`);
    assert.ok(texts >= 165 && median < 1e-3 && most < 0.15, `${texts} texts, ${median}, ${most}`);
    model.dispose();
  });
}

test('a glossary, too, goes without it if asked', async () => {
  const directory = join(golden, 'tiny-seven');
  const model = await Transformer.load(directory);
  const [{ sourceIds }] = linesOf(join(directory, 'expected.jsonl'));
  const [prefix, shortlist] = [[7, 300], false];
  const row = nextLogits(model, sourceIds, prefix, { shortlist });
  assert.ok(row.every(Number.isFinite) && !nextLogits(model, sourceIds, prefix).every(Number.isFinite));
  const { data } = model.forward(sourceIds, [...prefix, 0], { shortlist }).logits;
  assert.deepEqual(row, data.slice(-row.length));
  model.dispose();

  const engine = await createEngine({ model: directory, source: 'en', target: 'de' });
  /** @type {any[]} */
  const asked = [];
  const host = /** @type {any} */ ({
    engine: {
      ...engine,
      logits: (/** @type {any} */ source, /** @type {any} */ ids, /** @type {any} */ options) => {
        asked.push(options.shortlist);
        return engine.logits(source, ids, options);
      },
    },
    sourceLanguage: 'en', targetLanguage: 'de', encode: engine.encode,
    generate: (/** @type {any[]} */ sentences, /** @type {any} */ options) =>
      engine.generate(sentences.map(({ ids }) => ids), checkGenerate(options, engine.defaults, engine.config)),
  });
  const texts = linesOf(join(directory, 'expected.jsonl')).slice(0, 40).map(({ source }) => source);
  const sentences = (await engine.encode(texts))
    .map((encoded, i) => ({ text: texts[i], after: '', start: 0, ...encoded }));
  for (const given of [false, undefined]) {
    asked.length = 0;
    await generateWith(host, sentences, [['the', 'Haus'], ['I', 'Haus'], ['a', 'Haus']], { shortlist: given }, null);
    assert.ok(asked.length > 0 && asked.every((found) => found === given), `${asked}`);
  }
  engine.destroy(undefined);
});

test('the command line goes without it if asked, or with it in spite of two vocabularies', async () => {
  const cli = fileURLToPath(new URL('../js/cli.js', import.meta.url));
  for (const [name, sourceLanguage, targetLanguage, option] of [
    ['tiny-seven', 'en', 'de', '--no-shortlist'], ['memory-split', 'de', 'en', '--shortlist'],
  ]) {
    const model = join(golden, name);
    const isAsked = option === '--shortlist';
    const pair = { sourceLanguage, targetLanguage, model };
    const [usual, asked] = [await Translator.create(pair), await Translator.create({ ...pair, shortlist: isAsked })];
    const texts = linesOf(join(model, 'expected.jsonl')).slice(0, 8).map(({ source }) => source);
    const [before, after] = [await usual.translate(texts), await asked.translate(texts)];
    const at = before.findIndex((text, i) => text !== after[i]);
    assert.ok(at >= 0, name);
    const heed = (/** @type {string[]} */ ...args) =>
      execFileSync(process.execPath, [cli, 'translate', '-m', model, ...args, '--', texts[at]], { encoding: 'utf8' });
    assert.equal(heed(option), `${after[at]}\n`);
    const { target, sentences: [first] } = JSON.parse(heed('--json'));
    assert.equal(target, before[at]);
    assert.equal('candidates' in first, false);
    for (const each of [usual, asked]) each.destroy();
  }
});
