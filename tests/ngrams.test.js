// ngrams.test.js - ngrams.bin of a model: the file of parts, what is read and refused, which hypotheses come first, and
// that every way of asking searches with it, unless the caller says otherwise.
import test, { after } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { E_ARGUMENT, E_STATE } from '../js/base/constants.js';
import { MAX_PART } from '../js/base/limits.js';
import { createHere } from '../js/engine/here.js';
import { readParts, unpackPart, unpackParts, writeParts } from '../js/files/parts.js';
import { HeedError, Transformer, Translator } from '../js/index.js';
import { checkGenerate } from '../js/model/options.js';
import { sharing } from '../js/wasm/shared.js';
import { bytes, concat, readFiles, SHIPPED } from './model-files.js';
import { addNgram, gainPlainly, ngramsFile } from './ngrams-file.js';
import { listing, serve, sha256 } from './served-model.js';

/** @typedef {import('./ngrams-file.js').Ngrams} Ngrams */
/** @typedef {import('./model-files.js').Files} Files */

const CLI = fileURLToPath(new URL('../js/cli.js', import.meta.url));
const TO_FRENCH = { sourceLanguage: 'en', targetLanguage: 'fr' };
const TEXTS = ['the small house', 'Where is the station?', 'I love you.', 'My brother worked in Berlin for two years.'];
const BEAMS = { beams: 4 };
const ALL = { ...BEAMS, nBest: 4 };
/** How many ids the small model has. */
const SIZE = 428;

/** A small model of several languages that has learned a little. */
const SMALL = readFiles(fileURLToPath(new URL('golden/hf/multi', import.meta.url)));
const PLAIN = Object.fromEntries(['config.json', 'generation_config.json', 'model.safetensors', 'source.spm',
  'target.spm', 'vocab.json'].map((name) => [name, SMALL[name]]));

/** The model with such a file, which heed.json lists. @param {Uint8Array} data @returns {Files} */
function withFile(data) {
  const files = { 'ngrams.bin': { size: data.length, sha256: sha256(data) } };
  return { ...PLAIN, 'heed.json': bytes(JSON.stringify({ files })), 'ngrams.bin': data };
}

/** The same with the content of these parts. @param {Record<string, Uint8Array>} parts */
const withParts = (parts) => withFile(writeParts(Object.entries(parts).map(([code, content]) =>
  [code, new Uint8Array(gzipSync(content))])));

/** @param {Files} model @param {string} [source] @param {string} [target] @param {object} [options] */
async function engineOf(model, source = 'en', target = 'fr', options = {}) {
  const engine = await createHere({ model, source, target, ...options });
  after(() => engine.destroy(new Error('the end')));
  return engine;
}
/** @typedef {Awaited<ReturnType<typeof engineOf>>} Engine */

/** Hypotheses of texts. @param {Engine} engine @param {object} options @param {string[]} [texts] */
async function search(engine, options, texts = TEXTS) {
  const sources = (await engine.encode(texts)).map(({ ids }) => ids);
  return engine.generate(sources, checkGenerate(/** @type {any} */ (options), engine.defaults, engine.config));
}

/** The sequences of up to four ids of a target, from its start. @param {Int32Array} ids */
const windows = (ids) => [SIZE, ...ids].map((_, i, all) => all.slice(i, i + 4));

/**
 * N-grams of the second best hypotheses, unless the best have them.
 *
 * @param {Awaited<ReturnType<typeof search>>} found  of a search with ALL
 */
function favourSecond(found) {
  /** @type {Ngrams[]} */
  const [known, ngrams] = [1, 2].map(() => ({ size: SIZE, gains: new Map(), kept: new Map() }));
  for (const [{ ids }] of found) for (const each of windows(ids)) addNgram(known, each, () => 0);
  for (const [, { ids }] of found) {
    for (const each of windows(ids)) addNgram(ngrams, each, (own) => (known.gains.has(String(own)) ? 0 : 60));
  }
  return ngramsFile(ngrams);
}

/** Such n-grams of a pair, and what is translated with them: all is other. @param {[string, string]} pair */
async function otherwise(...pair) {
  const found = await search(await engineOf(PLAIN, ...pair), ALL);
  const data = favourSecond(found);
  const own = await search(await engineOf(withParts({ [pair[1]]: data }), ...pair), BEAMS);
  const texts = own.map(([{ text }]) => text);
  texts.forEach((text, i) => assert.notEqual(text, found[i][0].text));
  return { data, texts };
}
const french = await otherwise('en', 'fr');
const english = await otherwise('de', 'en');
const FILES = withParts({ fr: french.data, en: english.data });

const place = mkdtempSync(join(tmpdir(), 'heed-ngrams-'));
after(() => rmSync(place, { recursive: true }));
/** The same as a directory. */
const model = join(place, 'model');
mkdirSync(model);
for (const [name, data] of Object.entries(FILES)) writeFileSync(join(model, name), data);

/** @param {object} [options] */
async function open(options) {
  const translator = await Translator.create({ ...TO_FRENCH, model, ...options });
  after(() => translator.destroy());
  return translator;
}
const translator = await open();
const plain = await open({ model: PLAIN });

test('a score is a number, whatever the length penalty', async () => {
  const engine = await engineOf(PLAIN);
  const [[{ score }]] = await search(engine, { beams: 1, forcedBosTokenId: 5, maxTokens: 2, lengthPenalty: -2000 },
    TEXTS.slice(0, 1));
  assert.equal(score, 0); // of a log-probability of 0
});

test('parts: what is written is read, each part alone, in any place of memory', async () => {
  const [a, b] = ['first', 'second\n'].map((text) => new Uint8Array(gzipSync(text)));
  const file = writeParts([['de', a], ['zhhantxx', b]]);
  assert.deepEqual([...file.subarray(0, 11)], [...bytes('HPT1'), 2, ...bytes('de'), a.length, 0, 0, 0]);
  const far = concat(bytes('xyz'), file, bytes('!')).subarray(3, 3 + file.length);
  for (const each of [file, far]) {
    assert.deepEqual([...readParts(each, 'f')], [['de', a], ['zhhantxx', b]]);
    for (const [codes, text] of /** @type {[string[], string][]} */ ([
      [['de'], 'first'], [['zhhantxx'], 'second\n'], [['zhhantxx', 'de'], 'firstsecond\n'],
      [['en', 'd', ''], ''], [[], ''],
    ])) {
      assert.equal(Buffer.concat(await unpackParts(each, 'f', codes)).toString(), text, String(codes));
    }
  }
  assert.deepEqual([...readParts(writeParts([]), 'f')], []);
  assert.deepEqual([...readParts(writeParts([['es', new Uint8Array()]]), 'f')], [['es', new Uint8Array()]]);
});

test('parts: what is not of this form', () => {
  const part = (/** @type {string} */ code, size = 2, content = 'ab') => concat(Uint8Array.of(code.length),
    bytes(code), new Uint8Array(Uint32Array.of(size).buffer), bytes(content));
  const good = part('de');
  for (const [file, message] of /** @type {[Uint8Array, string][]} */ ([
    [bytes(''), "found '' first, expected 'HPT1'"], [bytes('HPT'), "found 'HPT' first, expected 'HPT1'"],
    [bytes('HPT2'), "found 'HPT2' first, expected 'HPT1'"], [bytes('de\tx'), "found 'de\tx' first, expected 'HPT1'"],
    ...[1, 2, 3, 6].map((n) => [concat(bytes('HPT1'), good, good.subarray(0, n)), 'byte 13: a part is cut short']),
    [concat(bytes('HPT1'), Uint8Array.of(255), good), 'byte 4: a part is cut short'],
    ...['', 'x', 'DE', 'd-', 'de\n', 'd\u00e9'.normalize('NFD').slice(0, 1), 'abcdefghi'].map((code) =>
      [concat(bytes('HPT1'), part(code)), `byte 4: found '${code}', expected a language's code`]),
    [concat(bytes('HPT1'), good, part('en'), good), 'found two parts for de, expected one'],
    [concat(bytes('HPT1'), good, part('en', 3)), 'part en: found 2 bytes, expected 3: it is cut short'],
    [concat(bytes('HPT1'), good, part('en', 2 ** 32 - 1)),
      'part en: found 2 bytes, expected 4294967295: it is cut short'],
  ])) {
    assert.throws(() => readParts(file, 'own.bin'),
      { name: 'HeedError', status: 'HEED_E_FILE', message: `own.bin: ${message}` }, message);
  }
});

test('parts: gzip that is damaged, cut short, or has too much', async () => {
  const packed = new Uint8Array(gzipSync('The content of a part. '.repeat(99)));
  const [name, expected] = ['own.bin: part de', 'own.bin: part de: cannot be unpacked: damaged or cut short'];
  const middle = packed.length >> 1;
  for (const bad of [new Uint8Array(), bytes('text'), packed.subarray(0, -1), packed.subarray(0, middle),
    packed.with(0, 0), packed.with(packed.length - 6, packed[packed.length - 6] ^ 1)]) {
    await assert.rejects(unpackPart(bad, name), (error) => error instanceof HeedError && error.cause !== undefined &&
      error.status === 'HEED_E_FILE' && error.message === expected, `${bad.length} bytes`);
    const file = writeParts([['en', packed], ['de', bad]]);
    await assert.rejects(unpackParts(file, 'own.bin', ['en', 'de']), { status: 'HEED_E_FILE', message: expected });
    assert.ok((await unpackParts(file, 'own.bin', ['en'])).length > 0);
  }
  const content = Buffer.alloc(MAX_PART + 1);
  await assert.rejects(unpackPart(gzipSync(content), name),
    { status: 'HEED_E_FILE', message: `${name}: found more than ${MAX_PART} bytes of content` });
  assert.equal((await unpackPart(gzipSync(content.subarray(1)), name)).length, MAX_PART);
});

test('the shipped model has n-grams of each of its languages, of its vocabulary', async () => {
  const parts = readParts(new Uint8Array(readFileSync(join(SHIPPED, 'ngrams.bin'))), 'ngrams.bin');
  assert.deepEqual([...parts.keys()].sort(), ['de', 'en', 'es', 'fr']);
  for (const [code, packed] of parts) {
    assert.equal(String(gunzipSync(packed).subarray(0, 4)), 'NGR1');
    const engine = await createHere({ model: SHIPPED, source: code === 'en' ? 'de' : 'en', target: code });
    engine.destroy(new Error('enough'));
  }
});

test('a search orders by log-probability and gains, as the definition has them', async () => {
  const bare = await engineOf(PLAIN);
  const without = [{ beams: 1 }, ALL, { ...ALL, lengthPenalty: 0.5, earlyStopping: true },
    { ...ALL, prefix: [2, 420] }];
  const found = (await Promise.all(without.map((options) => search(bare, options)))).flat(2);
  let seed = 1;
  const below = (/** @type {number} */ n) => (seed = (seed * 48271) % (2 ** 31 - 1)) % n;
  /** @type {Ngrams} */
  const ngrams = { size: SIZE, gains: new Map(), kept: new Map() };
  for (const { ids } of found) {
    const all = [SIZE, ...ids];
    for (let i = 0; i + 1 < all.length; i += 1 + below(2)) {
      addNgram(ngrams, all.slice(i, i + 2 + below(3)), () => below(100) - 40);
    }
  }
  for (const key of ngrams.gains.keys()) ngrams.kept.set(key.replace(/,\d+$/, ''), below(16));
  const engine = await engineOf(withParts({ fr: ngramsFile(ngrams) }));
  const { ngrams: weight } = checkGenerate({}, engine.defaults, engine.config);
  assert.ok(weight > 0 && weight < 1);
  let others = 0;
  for (const options of without) {
    const [own, base] = [await search(engine, options), await search(bare, options)];
    const { prefix = [], lengthPenalty = 1 } = /** @type {typeof ALL & Record<string, any>} */ (options);
    for (const [i, hypotheses] of own.entries()) {
      others += Number(hypotheses[0].text !== base[i][0].text);
      const [source] = await engine.encode([TEXTS[i]]);
      for (const { ids, logProb, score, finished } of hypotheses) {
        const sum = logProb + (weight / 4) * gainPlainly(ngrams, ids, prefix.length);
        const expected = sum / (ids.length - prefix.length) ** lengthPenalty;
        assert.ok(Math.abs(score - expected) < 1e-5, `${JSON.stringify(options)}: ${score}, expected ${expected}`);
        assert.ok(logProb < 0);
        // greedy search shares probabilities among allowed ids
        if (options.beams === 1) continue;
        const { logProbs } = await engine.attention(source.ids, ids);
        // the last id of the greatest length is forced, and counts as 0
        const chosen = Array.from(logProbs).slice(prefix.length, finished ? undefined : -1);
        const model = chosen.reduce((total, each) => total + each, 0);
        assert.ok(Math.abs(logProb - model) < 1e-3, `${logProb}, the model has ${model}`);
      }
      const scores = hypotheses.map(({ score }) => score);
      assert.deepEqual(scores, [...scores].sort((a, b) => b - a));
    }
  }
  assert.ok(others > 3, `${others} other translations`);
});

test('what people often write comes first; its score may be above 0, its log-probability is not', async () => {
  // with a longer text, what is favoured repeats itself
  for (const text of TEXTS.slice(0, 2)) {
    const [{ alternatives }] = await plain.translateDetailed(text, ALL);
    const { text: wanted, logProb } = /** @type {{ text: string, logProb: number }[]} */ (alternatives)[0];
    const data = favourSecond(await search(await engineOf(PLAIN), { ...ALL, cutRunaways: true }, [text]));
    const own = await open({ model: withParts({ fr: data }), worker: false });
    const [best] = await own.translateDetailed(text, ALL);
    assert.equal(best.target, wanted);
    assert.ok(Math.abs(best.logProb - logProb) < 1e-4, 'that of the model');
  }
  const [[{ ids }]] = await search(await engineOf(PLAIN), ALL);
  /** @type {Ngrams} */
  const ngrams = { size: SIZE, gains: new Map(), kept: new Map() };
  for (const each of windows(ids)) addNgram(ngrams, each, () => 127);
  for (const beams of [1, 4]) {
    const [[{ logProb, score }]] = await search(await engineOf(withParts({ fr: ngramsFile(ngrams) })), { beams });
    assert.ok(logProb < 0 && score > 0, `${logProb}, ${score}`);
  }
});

test('a beam tree has what the search considered, and the translation', async () => {
  for (const beams of [2, 4]) {
    const [{ tree = [], targetTokens }] = await translator.translateDetailed(TEXTS[3], { beams, beamTree: true });
    const counts = tree.reduce((all, { step }) => all.set(step, (all.get(step) ?? 0) + 1), new Map());
    assert.ok(counts.size > 2 && [...counts.values()].every((n) => n <= 2 * beams), [...counts.values()].join());
    const path = (/** @type {number} */ at) => (at < 0 ? [] : [...path(tree[at].parent), tree[at].id]);
    const paths = tree.flatMap(({ finished, kept }, at) => (finished && kept ? [String(path(at))] : []));
    assert.ok(paths.includes(String(targetTokens.map(({ id }) => id))));
  }
});

test('with ngrams: false all is exactly as without the file', async () => {
  const details = { ...ALL, attention: true, beamTree: true };
  const all = [translator, await open({ worker: false }), await open({ workers: 2 })];
  for (const own of all) {
    for (const text of [TEXTS[0], TEXTS.join(' ')]) {
      assert.deepEqual(await own.translateDetailed(text, { ...details, ngrams: false }),
        await plain.translateDetailed(text, details));
      for (const beams of [1, 4, 6]) {
        const expected = await plain.translate(text, { beams });
        assert.equal(await own.translate(text, { beams, ngrams: false }), expected);
        assert.notEqual(await own.translate(text, { beams, ngrams: true }), expected);
      }
    }
  }
  assert.deepEqual(await plain.translate(TEXTS, { ...BEAMS, ngrams: true }), await plain.translate(TEXTS, BEAMS));
  // at the same time, in one batch
  const calls = await Promise.all([true, false, undefined, false].map((ngrams) =>
    translator.translate([...TEXTS, ...TEXTS], { ...BEAMS, ngrams })));
  const base = await plain.translate([...TEXTS, ...TEXTS], BEAMS);
  assert.deepEqual(calls, [[...french.texts, ...french.texts], base, [...french.texts, ...french.texts], base]);
});

test('streams, details, HTML, workers and a shared memory give the same', async () => {
  const all = { worker: translator, here: await open({ worker: false }), 'two workers': await open({ workers: 2 }),
    'three, of bytes': await open({ model: FILES, workers: 3 }) };
  for (const beams of [1, 4]) {
    const expected = await translator.translate(TEXTS, { beams });
    for (const [name, own] of Object.entries(all)) {
      const many = Array.from({ length: 24 }, (_, i) => i % TEXTS.length);
      assert.deepEqual(await own.translate(many.map((i) => TEXTS[i]), { beams }), many.map((i) => expected[i]), name);
      let streamed = '';
      for await (const piece of own.translateStreaming(TEXTS[0], { beams })) streamed += piece;
      assert.equal(streamed, expected[0], name);
      assert.equal((await own.translateDetailed(TEXTS[0], { beams }))[0].target, expected[0], name);
      assert.equal(await own.translateHtml(`<p>${TEXTS[0]}</p>`, { beams }), `<p>${expected[0]}</p>`, name);
      let free = '';
      for await (const piece of own.translateStreaming(TEXTS[0], { beams, ngrams: false })) free += piece;
      assert.equal(free, await plain.translate(TEXTS[0], { beams }), name);
      assert.equal(await own.translateHtml(`<p>${TEXTS[0]}</p>`, { beams, ngrams: false }), `<p>${free}</p>`, name);
    }
  }
});

test('the second instance of a shared memory finds them there, also when the first one has ended', async () => {
  const first = sharing(true);
  const one = await createHere({ model: FILES, source: 'en', target: 'fr', open: first.open });
  assert.ok(first.share?.model);
  const two = await engineOf(FILES, 'en', 'fr', { open: sharing(first.share).open });
  const alone = await search(await engineOf(FILES), ALL);
  assert.deepEqual(alone.map(([best]) => best.text), french.texts);
  for (let i = 0; i < 2; i++) assert.deepEqual(await Promise.all([search(one, ALL), search(two, ALL)]), [alone, alone]);
  one.destroy(new Error('enough'));
  assert.deepEqual(await search(two, ALL), alone);
  assert.deepEqual(await search(two, { ...ALL, ngrams: false }), await search(await engineOf(PLAIN), ALL));
});

test('only the part of the target is read', async () => {
  const good = new Uint8Array(gzipSync(french.data));
  const other = withFile(writeParts([['de', bytes('no gzip')], ['fr', good], ['es', new Uint8Array(gzipSync('NGR'))]]));
  const own = await open({ model: other });
  assert.deepEqual(await own.translate(TEXTS, BEAMS), french.texts);
  assert.deepEqual(await (await open({ model: other, targetLanguage: 'fr-CA' })).translate(TEXTS, BEAMS), french.texts);
  const message = (/** @type {string} */ code, /** @type {string} */ what) =>
    ({ name: 'HeedError', status: 'HEED_E_FILE', message: `ngrams.bin: part ${code}: ${what}` });
  await assert.rejects(open({ model: other, targetLanguage: 'de' }),
    message('de', 'cannot be unpacked: damaged or cut short'));
  await assert.rejects(open({ model: other, targetLanguage: 'es' }),
    message('es', `found damaged n-grams or those of another model, expected some of ${SIZE} ids`));
  // that of the source is not, and a language without a part has none
  const back = { sourceLanguage: 'de', targetLanguage: 'en' };
  assert.deepEqual(await (await open({ ...back, model: other })).translate(TEXTS, BEAMS),
    await (await open({ ...back, model: PLAIN })).translate(TEXTS, BEAMS));
});

test('a damaged or foreign file: no translator, and no harm to others', async () => {
  const { data } = french;
  const foreign = `part fr: found damaged n-grams or those of another model, expected some of ${SIZE} ids`;
  const ofOthers = (/** @type {number} */ size) => ngramsFile({ size, gains: new Map(), kept: new Map() });
  const packed = gzipSync(data);
  /** @type {[Files, string][]} */
  const cases = [
    ...[data.with(3, 50), data.with(4, data[4] - 1), ofOthers(SIZE - 1), ofOthers(SIZE + 1), data.subarray(0, -1),
      data.subarray(0, 100), concat(data, Uint8Array.of(0)), bytes('NGR1'), bytes('N')].map((content) =>
      /** @type {[Files, string]} */ ([withParts({ fr: content }), foreign])),
    [withFile(writeParts([['fr', packed.subarray(0, -9)]])), 'part fr: cannot be unpacked: damaged or cut short'],
    [withFile(data), "found 'NGR1' first, expected 'HPT1'"],
    [withFile(new Uint8Array()), "found '' first, expected 'HPT1'"],
    [withFile(writeParts([['fr', packed]]).subarray(0, -1)),
      `part fr: found ${packed.length - 1} bytes, expected ${packed.length}: it is cut short`],
  ];
  for (const [files, what] of cases) {
    for (const options of what === foreign ? [{ worker: false }] : [{ worker: false }, {}, { workers: 2 }]) {
      await assert.rejects(open({ model: files, ...options }),
        { name: 'HeedError', status: 'HEED_E_FILE', message: `ngrams.bin: ${what}` });
    }
    (await Transformer.load(files)).dispose();
  }
  for (const worker of [false, true]) {
    await assert.rejects(open({ model: cases[0][0], worker }), HeedError);
    assert.deepEqual(await (await open({ worker })).translate(TEXTS, BEAMS), french.texts);
  }
  assert.deepEqual(await translator.translate(TEXTS, BEAMS), french.texts);
  // heed.json lists another file, or one that is not there
  const bad = { ...FILES, 'ngrams.bin': FILES['ngrams.bin'].with(20, FILES['ngrams.bin'][20] ^ 1) };
  await assert.rejects(open({ model: bad }), { status: 'HEED_E_HASH', message: /^ngrams\.bin: sha256/ });
  const { 'ngrams.bin': _, ...lacking } = FILES;
  await assert.rejects(open({ model: lacking }), { status: 'HEED_E_FILE', message: /ngrams\.bin is missing$/ });
  // not listed: not read
  const unlisted = await open({ model: { ...PLAIN, 'heed.json': bytes('{}'), 'ngrams.bin': bytes('anything') } });
  assert.deepEqual(await unlisted.translate(TEXTS, BEAMS), await plain.translate(TEXTS, BEAMS));
});

test('the core takes n-grams once; after a failure it has none', async () => {
  const own = await Transformer.load(PLAIN);
  const { core, model: handle } = own.internals();
  const set = (/** @type {Uint8Array} */ data) => core.run('heed_model_set_ngrams', handle, data, data.length);
  const before = [set(french.data.subarray(0, -1)), set(bytes('NGR1')), set(new Uint8Array())];
  assert.deepEqual(before, Array(3).fill(E_ARGUMENT));
  assert.deepEqual([set(french.data), set(french.data), set(bytes('NGR1'))], [0, E_STATE, E_STATE]);
  own.dispose();
});

test('at a URL: a Translator downloads it once for all of its workers, a Transformer does not', async (t) => {
  const state = await serve(t);
  state.files = listing(FILES);
  const own = await open({ model: state.address, workers: 2 });
  assert.equal(state.asked.filter((name) => name === 'ngrams.bin').length, 1);
  assert.deepEqual(await own.translate(TEXTS, BEAMS), french.texts);
  state.asked = [];
  (await Transformer.load(state.address)).dispose();
  assert.ok(state.asked.includes('model.safetensors') && !state.asked.includes('ngrams.bin'));
  const stored = { model: state.address, cache: state.cache };
  await open(stored);
  state.asked = [];
  assert.deepEqual(await (await open(stored)).translate(TEXTS, BEAMS), french.texts);
  assert.deepEqual(state.asked, ['heed.json'], 'it is stored like the others');
  assert.equal(await Translator.availability({ ...TO_FRENCH, ...stored }), 'available');
});

test('a Transformer does not read it, and does not know the option', async () => {
  const { 'ngrams.bin': _, ...files } = FILES;
  const [lacking, other] = [await Transformer.load(files), await Transformer.load(PLAIN)];
  const { ids } = other.tokenizer.encode(TEXTS[0], { language: 'fra' });
  assert.deepEqual(lacking.generate([ids], ALL), other.generate([ids], ALL));
  assert.throws(() => lacking.generate([ids], /** @type {any} */ ({ ngrams: false })),
    { name: 'TypeError', message: /^unknown option 'ngrams'/ });
  for (const each of [lacking, other]) each.dispose();
});

test('wrong options', async () => {
  for (const ngrams of [1, 0, 'yes', null, {}]) {
    const options = /** @type {any} */ ({ ngrams });
    const expected = { name: 'TypeError', message: /^ngrams: found .*, expected true or false$/ };
    for (const own of [translator, plain]) {
      await assert.rejects(own.translate(TEXTS[0], options), expected);
      await assert.rejects(own.translate('', options), expected);
      await assert.rejects(own.translateDetailed(TEXTS[0], options), expected);
      await assert.rejects(own.translateHtml('<p>a</p>', options), expected);
      await assert.rejects(async () => {
        for await (const _ of own.translateStreaming(TEXTS[0], options)) assert.fail('a part');
      }, expected);
    }
  }
  await assert.rejects(open({ ngrams: false }), { name: 'TypeError', message: /^unknown option 'ngrams'/ });
});

test('with a glossary, with what is kept, and in two steps', async () => {
  const glossary = { station: 'GARE' };
  const options = { ...BEAMS, glossary };
  assert.match(await translator.translate(TEXTS[1], options), /GARE/);
  assert.equal(await translator.translate(TEXTS[1], { ...options, ngrams: false }),
    await plain.translate(TEXTS[1], options));
  const text = `${TEXTS[0]} https://example.org/a`;
  assert.match(await translator.translate(text, BEAMS), /https:\/\/example\.org\/a/);
  assert.equal(await translator.translate(text, { ...BEAMS, ngrams: false }), await plain.translate(text, BEAMS));
  const index = join(place, 'index.json');
  writeFileSync(index, JSON.stringify({ format: 1, models: [
    { source: 'de', target: 'en', path: './model/' }, { source: 'en', target: 'fr', path: './model/' }] }));
  const pivot = await open({ sourceLanguage: 'de', targetLanguage: 'fr', model: undefined, models: index });
  const back = await open({ sourceLanguage: 'de', targetLanguage: 'en' });
  const bareBack = await open({ sourceLanguage: 'de', targetLanguage: 'en', model: PLAIN });
  for (const [i, each] of TEXTS.entries()) {
    const [{ steps, target }] = await pivot.translateDetailed(each, BEAMS);
    assert.equal(steps?.[0].target, english.texts[i]);
    assert.equal(steps?.[0].target, await back.translate(each, BEAMS));
    assert.equal(target, await translator.translate(english.texts[i], BEAMS));
    const between = await bareBack.translate(each, BEAMS);
    assert.notEqual(between, english.texts[i]);
    assert.equal(await pivot.translate(each, { ...BEAMS, ngrams: false }), await plain.translate(between, BEAMS));
  }
});

test('heed translate --no-ngrams', async () => {
  const heed = (/** @type {string[]} */ ...args) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, 'translate', ...args], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    return stdout;
  };
  assert.match(heed('--help'), /--no-ngrams +do not use the model's n-grams/);
  const file = join(place, 'a.txt');
  writeFileSync(file, `${TEXTS[0]}\n`);
  const options = ['--model', model, '--from', 'en', '--to', 'fr', '--beams', '4'];
  const bare = await plain.translate(TEXTS[0], BEAMS);
  for (const what of [TEXTS[0], file]) {
    assert.equal(heed(...options, what), `${french.texts[0]}\n`);
    assert.equal(heed(...options, '--no-ngrams', what), `${bare}\n`);
  }
});
