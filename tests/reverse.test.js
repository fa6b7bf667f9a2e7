// reverse.test.js - hypotheses are reranked by the probability of the source: the order is what Transformer.forward()
// says, however the caller asks, and nothing changes unless heed.json has `reverse`.
import test, { after } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHere } from '../js/engine/here.js';
import { Transformer, Translator } from '../js/index.js';
import { checkGenerate } from '../js/model/options.js';
import { bytes, readFiles } from './model-files.js';

const CLI = fileURLToPath(new URL('../js/cli.js', import.meta.url));
const WEIGHT = 2;
const BEAMS = { beams: 4 };
const ALL = { ...BEAMS, nBest: 4 };
const PAIRS = [['en', 'fr'], ['fr', 'de'], ['es', 'en']];
/** What js/model/reverse.js compares. */
const [COMPARED, CLOSE, LONGEST] = [2, 0.08, 32];
const TEXTS = [
  'the small house', 'Where is the station?', 'I love you.', 'My brother worked in Berlin.', 'Good morning', 'a red car',
  'Il fait beau.', 'La maison est grande.', 'Je ne sais pas.', '¿Dónde está?', 'el perro', 'No lo sé.',
];

/** A small model of several languages that has learned a little. */
const { 'heed.json': _, ...PLAIN } = readFiles(fileURLToPath(new URL('golden/hf/multi', import.meta.url)));
/** @param {object} manifest */
const withManifest = (manifest) => ({ ...PLAIN, 'heed.json': bytes(JSON.stringify(manifest)) });
const MODEL = withManifest({ reverse: WEIGHT });

/** @param {object} options @returns {Promise<Translator>} */
async function open(options) {
  const translator = await Translator.create({
    sourceLanguage: 'en', targetLanguage: 'fr', model: MODEL, worker: false, ...options });
  after(() => translator.destroy());
  return translator;
}

const model = await Transformer.load(PLAIN);
after(() => model.dispose());

/**
 * The mean log-probability of a source's ids from a hypothesis.
 *
 * @param {ArrayLike<number>} ids
 * @param {string} text
 * @param {string} source
 */
function backwards(ids, text, source) {
  const token = model.tokenizer.encode('', { language: { en: 'eng', de: 'deu', fr: 'fra', es: 'spa' }[source] }).ids[0];
  const { logProbs } = model.forward([token, ...Array.from(ids)], model.tokenizer.encode(text).ids);
  return logProbs.reduce((sum, each) => sum + each, 0) / logProbs.length;
}

/**
 * Hypotheses of the texts for which the model has room.
 *
 * @param {string} source
 * @param {string} target
 * @param {object} options
 * @param {object} [files]
 */
async function search(source, target, options, files = MODEL) {
  const engine = await createHere({ model: files, source, target });
  after(() => engine.destroy(new Error('the end')));
  const longest = Number(engine.config.max_position_embeddings);
  const sources = (await engine.encode(TEXTS)).map(({ ids }) => ids).filter(({ length }) => length <= longest);
  const rules = /** @type {any} */ ({ ...options, cutRunaways: true, validUtf8: true });
  return engine.generate(sources, checkGenerate(rules, engine.defaults, engine.config));
}

test('scores have what forward() says of the source, and hypotheses are in their order', async () => {
  let [changed, same, alone] = [0, 0, 0];
  for (const [source, target] of PAIRS) {
    const [free, found] = [await search(source, target, { ...ALL, reverse: false }), await search(source, target, ALL)];
    const translator = await open({ sourceLanguage: source, targetLanguage: target });
    for (const [i, text] of TEXTS.entries()) {
      const isLong = model.tokenizer.encode(text).ids.length > LONGEST;
      const close = free[i].slice(0, isLong ? 1 : COMPARED).filter(({ score }) => score > free[i][0].score - CLOSE);
      const probable = close.map(({ ids }) => backwards(ids, text, source));
      const expected = free[i].map((each, rank) => ({
        text: each.text, score: each.score + (rank < close.length ? WEIGHT * (probable[rank] - probable[0]) : 0),
      })).sort((a, b) => b.score - a.score);
      assert.deepEqual(found[i].map((each) => each.text), expected.map((each) => each.text), `${source}: ${text}`);
      // each is a sum of 32-bit numbers
      found[i].forEach(({ score }, rank) => assert.ok(Math.abs(score - expected[rank].score) < 1e-5, text));
      for (const nBest of [1, 2]) {
        const [{ target: best, score }] = await translator.translateDetailed(text, { ...BEAMS, nBest });
        assert.deepEqual([best, score], [found[i][0].text, found[i][0].score]);
      }
      assert.equal(await translator.translate(text, { ...BEAMS, reverse: false }), free[i][0].text);
      if (close.length === 1) alone++;
      else if (found[i][0].text === free[i][0].text) same++;
      else changed++;
    }
  }
  assert.ok(changed >= 3 && same >= 3 && alone >= 3, `${changed} changed, ${same} stayed, ${alone} had none close`);
});

test('with reverse: false, without `reverse` in heed.json or without a way back all is as without it', async () => {
  const free = await search('en', 'fr', { ...ALL, reverse: false });
  assert.deepEqual(await search('en', 'fr', ALL, PLAIN), free);
  const pairs = [['en', 'fr'], ['fr', 'de']];
  assert.deepEqual(await search('en', 'fr', ALL, withManifest({ pairs, reverse: WEIGHT })), free);
  assert.deepEqual(await search('it', 'fr', ALL), free, 'no token for Italian');
  assert.deepEqual(await search('en', 'fr', ALL, withManifest({ reverse: 0 })), free);
  assert.notDeepEqual(await search('en', 'fr', ALL, withManifest({ pairs: [...pairs, ['fr', 'en']], reverse: WEIGHT })),
    free);
});

test('one beam, a prefix, a length penalty, disabled heads and long sources are not reranked', async () => {
  for (const options of [{ beams: 1 }, { ...ALL, prefix: [20] }, { ...ALL, lengthPenalty: 2 },
    { ...ALL, disabledHeads: [{ stack: 'cross', layer: 1, head: 0 }] }]) {
    assert.deepEqual(await search('en', 'fr', options), await search('en', 'fr', { ...options, reverse: false }));
  }
  const translator = await open({});
  const ids = async (/** @type {string} */ text) => (await translator.tokenize(text)).ids.length - 1;
  /** @type {Record<string, number>} */
  const changed = { short: 0, long: 0 };
  for (const text of TEXTS.flatMap((one) => TEXTS.map((other) => `${one} ${other}`.replace(/[.?]/g, '')))) {
    const [given, free] = await Promise.all([{}, { reverse: false }].map((options) =>
      translator.translate(text, { ...BEAMS, ...options })));
    if (given !== free) changed[await ids(text) > LONGEST ? 'long' : 'short']++;
  }
  assert.ok(changed.short > 3 && changed.long === 0, JSON.stringify(changed));
});

test('streams, HTML, the command line and workers give the same', async () => {
  const expected = await (await open({})).translate(TEXTS, BEAMS);
  for (const own of [await open({}), await open({ worker: true }), await open({ worker: undefined, workers: 2 })]) {
    assert.deepEqual(await own.translate([...TEXTS, ...TEXTS], BEAMS), [...expected, ...expected]);
    for (const [i, text] of TEXTS.entries()) {
      let streamed = '';
      for await (const piece of own.translateStreaming(text, BEAMS)) streamed += piece;
      assert.equal(streamed, expected[i]);
      assert.equal(await own.translateHtml(`<p>${text}</p>`, BEAMS), `<p>${expected[i].replace(/&/g, '&amp;')}</p>`);
    }
  }
  const place = mkdtempSync(join(tmpdir(), 'heed-reverse-'));
  after(() => rmSync(place, { recursive: true }));
  for (const [name, data] of Object.entries(MODEL)) writeFileSync(join(place, name), data);
  const run = (/** @type {string[]} */ ...args) => spawnSync(process.execPath,
    [CLI, 'translate', '--model', place, '--from', 'en', '--to', 'fr', '--beams', '4', ...args],
    { input: TEXTS.join('\n'), encoding: 'utf8' }).stdout.trim().split('\n');
  assert.deepEqual(run(), expected);
  assert.deepEqual(run('--no-reverse'), await (await open({})).translate(TEXTS, { ...BEAMS, reverse: false }));
});

test('tags stand where they stand in what was chosen, and the tree marks it', async () => {
  const translator = await open({});
  let changed = 0;
  for (const text of TEXTS) {
    const [{ tree = [], target, targetTokens }] = await translator.translateDetailed(text, { ...BEAMS, beamTree: true });
    assert.deepEqual(tree.filter(({ best }) => best).map(({ id }) => id), targetTokens.map(({ id }) => id));
    const words = text.split(' ');
    const html = await translator.translateHtml([`<b>${words[0]}</b>`, ...words.slice(1)].join(' '), BEAMS);
    assert.equal(html.replace(/<\/?b>/g, ''), target);
    if (target !== await translator.translate(text, { ...BEAMS, reverse: false })) changed++;
  }
  assert.ok(changed >= 2, `${changed} changed`);
});

test('fewer hypotheses are the first ones of more', async () => {
  for (const [source, target] of PAIRS) {
    const all = await search(source, target, ALL);
    for (const nBest of [1, 2, 3]) {
      assert.deepEqual(await search(source, target, { ...ALL, nBest }), all.map((found) => found.slice(0, nBest)));
    }
  }
});

test('a hypothesis as long as the model allows has no room for a token, and is not compared', async () => {
  const config = JSON.parse(new TextDecoder().decode(MODEL['config.json']));
  const options = { ...ALL, forcedEosTokenId: null };
  let full = 0;
  for (let longest = 6; longest < 24; longest++) {
    const files = { ...MODEL, 'config.json': bytes(JSON.stringify({ ...config, max_position_embeddings: longest })) };
    const free = await search('en', 'fr', { ...options, reverse: false }, files);
    const found = await search('en', 'fr', options, files);
    for (const [i, { length }] of free.entries()) {
      assert.equal(found[i].length, length);
      const ends = free[i].slice(0, COMPARED).filter(({ score, finished, ids }) =>
        finished && ids.length === longest && score > free[i][0].score - CLOSE);
      full += ends.length;
    }
  }
  assert.ok(full > 0, 'there are some');
});

test('a heed.json whose `reverse` is no weight is refused', async () => {
  for (const reverse of [-1, '0.3', true, null, [0.3]]) {
    const message = /^heed\.json: reverse: found .+, expected a number of 0 or more$/;
    await assert.rejects(open({ model: withManifest({ reverse }) }),
      { name: 'HeedError', status: 'HEED_E_JSON', message });
  }
  await assert.rejects((await open({})).translate('Hello.', /** @type {any} */ ({ reverse: 1 })),
    { name: 'TypeError', message: /^reverse: / });
});
