// Translation through a language in between, where no model has the pair: which way it takes, that it is what the two
// models say one after the other, alignment through the middle, glossary, streams, aborts; in the API and the command.
import test, { after } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { E_FILE } from '../js/base/constants.js';
import { HeedError, Translator } from '../js/index.js';
import { composeAlternatives, composeSentence } from '../js/translate/compose.js';
import { findModel } from '../js/translate/lookup.js';
import { findSteps, listPairs } from '../js/translate/ways.js';
import { listen } from './listen.js';

const CLI = fileURLToPath(new URL('../js/cli.js', import.meta.url));
/** Pairs with English alone: the others take two steps. */
const INDEX = fileURLToPath(new URL('with-english.json', import.meta.url));
const PAIR = { sourceLanguage: 'de', targetLanguage: 'fr' };
const SENTENCES = [
  'Ich liebe dich.', 'Tom hat ein rotes Auto.', 'Kannst du mir helfen?', 'Das Wetter ist heute schön.',
];
const SEE = 'Siehe https://example.org/a?b=c.';
const TEXT = `${SENTENCES[0]} ${SENTENCES[1]}\n\n  ${SENTENCES[2]} ${SEE}\nhttps://example.org\n`;

const pivot = await Translator.create({ ...PAIR, models: INDEX });
after(() => pivot.destroy());
const [first, second] = pivot.steps;

/** @param {ReadableStream<string>} stream */
async function collect(stream) {
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return pieces;
}

/** @param {string[]} args */
function heed(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8', input: '' });
  return { status, stdout, stderr };
}

/** @param {string[]} pairs  such as 'de-en' */
const entries = (...pairs) => pairs.map((path) => {
  const [source, target] = path.split('-');
  return { source, target, place: path };
});

test('the steps: the first in the list that leads to the target', () => {
  const placesOf = (/** @type {any} */ steps) => steps?.map((/** @type {any} */ { place }) => place);
  const models = entries('de-nl', 'de-es', 'de-en', 'en-fr', 'es-fr', 'fr-de', 'de-en');
  assert.deepEqual(placesOf(findSteps(models, 'de', 'fr')), ['de-es', 'es-fr']);
  assert.deepEqual(placesOf(findSteps(models, 'de', 'fr', 'en')), ['de-en', 'en-fr']);
  assert.deepEqual(placesOf(findSteps(models, 'de', 'fr', 'en-GB')), ['de-en', 'en-fr']);
  assert.equal(findSteps(models, 'de', 'fr', 'nl'), undefined);
  assert.equal(findSteps(models, 'de', 'it'), undefined);
  assert.equal(findSteps(models, 'fr', 'it'), undefined);
  for (const target of ['de', 'de-AT']) { // de to es to de makes no sense
    assert.throws(() => findSteps([...models, ...entries('es-de')], 'de', target),
      { name: 'NotSupportedError', message: `found de to ${target}, expected two languages` });
  }
  assert.deepEqual(findSteps(models, 'de-AT', 'fr-CA', 'en'), [
    { source: 'de-AT', target: 'en', place: 'de-en' }, { source: 'en', target: 'fr-CA', place: 'en-fr' }]);
});

test('of models for one language, the one for the script that is asked for', async () => {
  const list = (/** @type {[string, string][]} */ ...pairs) =>
    pairs.map(([source, target]) => ({ source, target, place: `${source} ${target}` }));
  const models = list(['en', 'zh-Hans'], ['en', 'zh-Hant'], ['zh-Hans', 'en'], ['zh-Hant', 'en'], ['fr', 'en']);
  const find = (/** @type {string} */ source, /** @type {string} */ target) => findModel({ models: [models], source,
    target });
  assert.equal(await find('en', 'zh-Hant'), 'en zh-Hant');
  assert.equal(await find('en', 'zh-TW'), 'en zh-Hant');
  assert.equal(await find('en', 'zh'), 'en zh-Hans');
  assert.equal(await find('zh-HK', 'en'), 'zh-Hant en');
  const steps = async (/** @type {string} */ source, /** @type {string} */ target) =>
    /** @type {any[]} */ (await find(source, target)).map(({ place }) => place);
  assert.deepEqual(await steps('fr', 'zh-Hant'), ['fr en', 'en zh-Hant']);
  assert.deepEqual(await steps('fr', 'zh-CN'), ['fr en', 'en zh-Hans']);
  // another script is better than none
  assert.equal(await findModel({ models: [models.slice(0, 1)], source: 'en', target: 'zh-Hant' }), 'en zh-Hans');
  const [way] = findSteps(list(['zh-Hant', 'ja'], ['zh-Hans', 'en'], ['en', 'fr']), 'zh-Hant', 'fr') ?? [];
  assert.equal(way?.place, 'zh-Hans en');
  assert.deepEqual(listPairs(models.slice(0, 2).concat(list(['fr', 'en']))).map((pair) => pair.join(' ')),
    ['en zh-Hans', 'en zh-Hant', 'fr en', 'fr zh-Hans', 'fr zh-Hant']);
  // the script in between
  const [, second] = findSteps(list(['ja', 'zh-Hant'], ['zh-Hans', 'fr'], ['zh-Hant', 'fr']), 'ja', 'fr') ?? [];
  assert.equal(second?.place, 'zh-Hant fr');
  const between = findSteps(list(['ja', 'zh-Hant'], ['zh-Hans', 'fr'], ['ja', 'en'], ['en', 'fr']), 'ja', 'fr') ?? [];
  assert.deepEqual(between.map(({ place }) => place), ['ja en', 'en fr']);
  // the first index that has the script, and an unreadable one only if no other has the languages
  const [hans, hant] = models.map((model) => [model]);
  const inAll = (/** @type {any[]} */ ...indexes) => findModel({ models: indexes, source: 'en', target: 'zh-Hant' });
  assert.equal(await inAll(hans, hant), 'en zh-Hant');
  assert.equal(await inAll(hans, '/nowhere.json', hant), 'en zh-Hant');
  assert.equal(await inAll(hans, '/nowhere.json'), 'en zh-Hans');
  await assert.rejects(inAll('/nowhere.json', list(['fr', 'en'])), { code: E_FILE });
});

test('what is listed is what is found, in the scripts of both', async () => {
  const namesOf = async (/** @type {string[]} */ ...tags) => {
    const models = tags.map((pair) => ({ source: pair.split(' ')[0], target: pair.split(' ')[1], place: pair }));
    const listed = listPairs(models).map((pair) => pair.join(' '));
    for (const pair of listed) {
      const [source, target] = pair.split(' ');
      const found = /** @type {any} */ (await findModel({ models: [models], source, target }));
      const [first, last] = typeof found === 'string' ? [found, found] : found.map((/** @type {any} */ m) => m.place);
      assert.deepEqual([first.split(' ')[0], last.split(' ')[1]], [source, target], pair);
    }
    return listed.slice(models.length);
  };
  assert.deepEqual(await namesOf('fr en', 'en zh-Hans', 'de zh-Hant'), ['fr zh-Hans']);
  assert.deepEqual(await namesOf('zh-Hans en', 'zh-Hant ja', 'en fr'), ['zh-Hans fr']);
  // two steps with the script, before one with another
  assert.deepEqual(await namesOf('en zh-Hans', 'en fr', 'fr zh-Hant'), ['en zh-Hant']);
  assert.deepEqual(await namesOf('en zh-Hans', 'de zh-Hant'), []);
});

test('pairs have canonical tags, whatever form a list or a model states', async () => {
  const data = (/** @type {object} */ json) => `data:application/json,${encodeURIComponent(JSON.stringify(json))}`;
  const models = data({ models: [{ source: 'pt_br', target: 'en_US', path: 'file:///a/' },
    { source: 'en', target: 'de', path: 'file:///b/' }] });
  const pairs = [['pt-BR', 'en-US'], ['en', 'de'], ['pt-BR', 'de']];
  assert.deepEqual((await Translator.pairs({ models })).map(Object.values), pairs);
  const steps = /** @type {any[]} */ (await findModel({ models, source: 'pt', target: 'de' }));
  assert.deepEqual(steps.map(({ source, target }) => [source, target]), [['pt', 'en-US'], ['en-US', 'de']]);
  const model = { 'heed.json': Buffer.from('{ "source": "pt_br", "target": "en_US" }') };
  assert.deepEqual((await Translator.pairs({ model })).map(Object.values), pairs.slice(0, 1));
});

test('all pairs of a list', () => {
  const models = entries('de-en', 'en-de', 'en-fr', 'es-en');
  const names = (/** @type {string | false | undefined} */ way) => listPairs(models, way).map((pair) => pair.join('-'));
  assert.deepEqual(names(undefined), ['de-en', 'en-de', 'en-fr', 'es-en', 'de-fr', 'es-de', 'es-fr']);
  assert.deepEqual(names('en'), names(undefined));
  for (const way of /** @type {const} */ ([false, 'de'])) {
    assert.deepEqual(names(way), ['de-en', 'en-de', 'en-fr', 'es-en']);
  }
  // 26 languages, each from and to English: 0.2 s, and more than 20 s if every tag is read each time
  const letters = Array.from({ length: 26 }, (_, i) => `q${String.fromCharCode(97 + i)}`);
  const start = performance.now();
  const all = listPairs(entries(...letters.flatMap((language) => [`${language}-en`, `en-${language}`])));
  assert.equal(all.length, 27 * 26);
  assert.ok(performance.now() - start < 5000, `${performance.now() - start} ms`);
});

test('a translator says its way, and a model for the pair comes first', async () => {
  assert.ok(pivot instanceof Translator);
  assert.equal(String(pivot), '[object Translator]');
  const wayOf = (/** @type {Translator} */ { steps }) =>
    steps.map(({ sourceLanguage, targetLanguage }) => `${sourceLanguage}-${targetLanguage}`);
  assert.deepEqual([pivot.sourceLanguage, pivot.targetLanguage, ...wayOf(pivot)], ['de', 'fr', 'de-en', 'en-fr']);
  const direct = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'fr', models: INDEX, pivot: 'de' });
  assert.deepEqual(wayOf(direct), ['en-fr']);
  assert.equal(direct.steps[0], direct);
  direct.destroy();
  for (const [way, message] of /** @type {const} */ ([[false, / has no model from de to fr$/],
    ['es', / has no model from de to fr, nor two with es$/]])) {
    await assert.rejects(Translator.create({ ...PAIR, models: INDEX, pivot: way }),
      { name: 'NotSupportedError', message });
  }
  await assert.rejects(Translator.create({ ...PAIR, models: INDEX, pivot: 'x_' }),
    { name: 'RangeError', message: /^pivot/ });
  await assert.rejects(Translator.create({ ...PAIR, models: INDEX, pivot: /** @type {any} */ (true) }),
    { name: 'TypeError', message: /^pivot/ });
});

test('availability, of both models', async (t) => {
  const options = { ...PAIR, models: INDEX };
  assert.equal(await Translator.availability(options), 'available');
  assert.equal(await Translator.availability({ ...options, pivot: 'en' }), 'available');
  assert.equal(await Translator.availability({ ...options, pivot: false }), 'unavailable');
  assert.equal(await Translator.availability({ ...options, pivot: 'es' }), 'unavailable');
  for (const way of /** @type {const} */ ([undefined, false, 'de'])) {
    for (const targetLanguage of ['en', 'en-GB']) {
      const same = { sourceLanguage: 'en', targetLanguage, models: INDEX, pivot: way };
      assert.equal(await Translator.availability(same), 'unavailable');
      await assert.rejects(Translator.create(same),
        { name: 'NotSupportedError', message: `found en to ${targetLanguage}, expected two languages` });
    }
  }
  const shipped = new URL('../models/', import.meta.url);
  let index = '';
  const address = await listen(t, (request, response) => {
    try {
      response.end(request.url === '/index.json' ? index : readFileSync(new URL(`.${request.url}`, shipped)));
    } catch {
      response.writeHead(404).end();
    }
  });
  const at = async (/** @type {string} */ one, /** @type {string} */ two) => {
    const models = [{ source: 'de', target: 'en', path: one }, { source: 'en', target: 'fr', path: two }];
    index = JSON.stringify({ models });
    return Translator.availability({ ...PAIR, models: `${address}index.json` });
  };
  const local = (/** @type {string} */ name) => new URL(name, shipped).href;
  const place = 'de-en-es-fr/';
  assert.equal(await at(local(place), local(place)), 'available');
  assert.equal(await at(local(place), place), 'downloadable');
  assert.equal(await at(place, local(place)), 'downloadable');
  assert.equal(await at(local(place), local('nothing/')), 'unavailable');
  assert.equal(await at('nothing/', local(place)), 'unavailable');
  assert.equal(await at(local('en-de/'), local(place)), 'unavailable'); // it moved
  // a list that cannot be read may have a model for the pair
  await assert.rejects(Translator.availability({ ...PAIR, models: [`${address}none.json`, INDEX] }));
});

test('it says what the second model makes of what the first says', async () => {
  const middles = await first.translate(SENTENCES);
  assert.deepEqual(middles.slice(0, 2), ['I love you.', 'Tom has a red car.']);
  const expected = await second.translate(middles);
  assert.deepEqual(await pivot.translate(SENTENCES), expected);
  assert.equal(expected[1], 'Tom a une voiture rouge.');
  assert.equal(await pivot.translate(TEXT), `${expected[0]} ${expected[1]}\n\n  ${expected[2]} ${
    await second.translate(await first.translate(SEE))}\nhttps://example.org\n`);
  for (const text of ['', ' \n', '?!', 'https://example.org']) assert.equal(await pivot.translate(text), text);
  assert.deepEqual(await pivot.translate([]), []);
  const beams = { beams: 3 };
  assert.equal(await pivot.translate(SENTENCES[3], beams),
    await second.translate(await first.translate(SENTENCES[3], beams), beams));
});

test('HTML: texts of both steps, tags at their words, elements in other languages as they are', async () => {
  const [plain, middle] = [await pivot.translate(SENTENCES), await first.translate(SENTENCES)];
  const page = SENTENCES.map((text) => `<p>${text}</p>`).join('\n');
  const found = await pivot.translateHtml(page);
  assert.deepEqual(found.replace(/<\/?p>/g, '').split('\n'), plain);
  assert.notDeepEqual(found.replace(/<\/?p>/g, '').split('\n'), middle);
  // the second step sees elements of the first one's language, and its own, as the page means them
  const mixed = `<p lang=de>${SENTENCES[0]}</p><p lang=en>I see</p><p lang=fr>Je vois</p>` +
    '<p>Das <b id=1>Wetter</b> ist <img src=x> heute <i>schön</i>.</p>';
  const translated = await pivot.translateHtml(mixed);
  assert.ok(translated.startsWith(`<p lang=de>${plain[0]}</p><p lang=en>I see</p><p lang=fr>Je vois</p>`), translated);
  const tags = (/** @type {string} */ html) => html.match(/<[^>]*>/g)?.sort();
  assert.deepEqual(tags(translated), tags(mixed));
  assert.match(await pivot.translateHtml('<p>Tom hat ein <b>Auto</b>.</p>', { glossary: { Auto: 'Bolide' } }), /Bolide/);
  await assert.rejects(pivot.translateHtml(/** @type {any} */ (7)), { name: 'TypeError', message: /html/ });
  const stop = new AbortController();
  const call = pivot.translateHtml(page.repeat(20), { signal: stop.signal });
  stop.abort();
  await assert.rejects(call, { name: 'AbortError' });
});

test('a stream is the same, joined', async () => {
  const whole = await pivot.translate(TEXT, { beams: 1 });
  const pieces = await collect(pivot.translateStreaming(TEXT, { beams: 1 }));
  assert.equal(pieces.join(''), whole);
  assert.ok(pieces.length > 15, `words, not sentences: ${pieces.length}`);
  const long = SENTENCES.join(' ').repeat(5);
  assert.equal((await collect(pivot.translateStreaming(long))).join(''), await pivot.translate(long));
  const glossary = { Auto: 'bagnole' };
  const own = await collect(pivot.translateStreaming(TEXT, { glossary }));
  assert.equal(own.join(''), await pivot.translate(TEXT, { glossary }));
});

test('details: tokens, words, positions, and both steps', async () => {
  const sentences = await pivot.translateDetailed(TEXT, { attention: true });
  assert.deepEqual(sentences.map(({ source, start }) => TEXT.slice(start, start + source.length)),
    sentences.map(({ source }) => source));
  let [text, at] = ['', 0];
  for (const { source, start, target } of sentences) {
    text += TEXT.slice(at, start) + target;
    at = start + source.length;
  }
  assert.equal(text + TEXT.slice(at), await pivot.translate(TEXT));
  const [, car, , see] = sentences;
  // for each word of the target, the word of the source
  const token = (/** @type {string} */ piece) => {
    const t = car.targetTokens.findIndex((own) => own.piece.replace('\u2581', '') === piece);
    const { start, end } = car.sourceTokens[car.alignment[t]];
    return car.source.slice(start, end).trim();
  };
  assert.deepEqual(['Tom', 'voiture', 'rouge', '.'].map(token), ['Tom', 'Auto', 'rot', '.']); // of rotes
  assert.equal(car.alignment.length, car.targetTokens.length);
  assert.equal(car.targetTokens.at(-1)?.piece, '</s>');
  assert.equal(car.sourceTokens[car.alignment[car.alignment.length - 1]].piece, '</s>');
  for (const { text: word, start, end, confidence } of car.targetWords) {
    assert.equal(car.target.slice(start, end), word);
    assert.ok(confidence > 0 && confidence <= 1);
  }
  assert.deepEqual(car.targetWords.map((word) => word.text), ['Tom', 'a', 'une', 'voiture', 'rouge']);
  const [one, [two]] = car.steps ?? [];
  assert.deepEqual([one?.target, two?.source, two?.target], ['Tom has a red car.', 'Tom has a red car.', car.target]);
  assert.deepEqual(one?.attention?.cross.shape.slice(2), [one?.targetTokens.length, one?.sourceTokens.length]);
  assert.deepEqual(two?.attention?.cross.shape.slice(2), [two?.targetTokens.length, two?.sourceTokens.length]);
  assert.equal(car.attention, undefined);
  assert.equal(car.logProb, Number(one?.logProb) + Number(two?.logProb));
  assert.ok(car.targetWords.every(({ confidence }, i) => confidence <= Number(two?.targetWords[i].confidence)));
  const [address] = see.kept ?? [];
  assert.equal(see.target.slice(address.targetStart, address.targetEnd), 'https://example.org/a?b=c');
  // what is no word at all passes through
  const junk = 'xy'.repeat(1000);
  const copies = await pivot.translateDetailed(junk);
  assert.equal(copies.map(({ target }) => target).join(''), junk);
  assert.ok(copies.every(({ steps }) => steps?.[1].length === 0));
  assert.equal(await pivot.translate(junk), junk);
});

test('n-best: other texts, the most probable first', async () => {
  const [{ target, alternatives = [], steps }] =
    await pivot.translateDetailed(SENTENCES[1], { beams: 4, nBest: 4 });
  assert.equal(target, await pivot.translate(SENTENCES[1], { beams: 4 }));
  assert.equal(alternatives.length, 3);
  assert.equal(new Set([target, ...alternatives.map(({ text }) => text)]).size, 4);
  for (let i = 1; i < 3; i++) assert.ok(alternatives[i].logProb <= alternatives[i - 1].logProb);
  assert.equal(steps?.[0].alternatives?.length, 3);
});

test('sentences of the middle, and what the tokens do not spell', () => {
  const token = (/** @type {string} */ piece) => ({ piece, id: 0, logProb: 0 });
  const span = (/** @type {number} */ start, /** @type {number} */ end) => ({ piece: '', id: 0, start, end });
  const word = (/** @type {string} */ text, /** @type {number} */ start, confidence = 1) =>
    ({ text, start, end: start + text.length, confidence });
  // 'ab cd' -> 'A B. \u00e9 C' -> 'x! y z', where the middle is two sentences
  const whole = {
    source: 'ab cd', start: 7, target: 'A B. \u00e9 C', logProb: -1, finished: true,
    sourceTokens: [span(0, 2), span(2, 5), span(5, 5)],
    targetTokens: ['\u2581A', '\u2581B', '.', '<0xC3>', '<0xA9>', '\u2581C', '</s>'].map(token),
    targetWords: [word('A', 0, 0.5), word('B', 2, 0.5), word('C', 7, 0.25)],
    alignment: Int32Array.of(1, 0, 0, 0, 0, 1, 2),
    glossary: [{ term: 't', translation: 'X1', start: 0, end: 2, targetStart: 2, targetEnd: 3, exact: true },
      { term: 'u', translation: 'X2', start: 3, end: 5, targetStart: -1, targetEnd: -1, exact: false }],
  };
  const one = {
    source: 'A B.', start: 0, target: 'x!', logProb: -2, finished: true,
    sourceTokens: [span(0, 1), span(1, 3), span(3, 4), span(4, 4)], targetTokens: ['\u2581x', '!', '</s>'].map(token),
    targetWords: [word('x', 0, 0.5)], alignment: Int32Array.of(1, 2, 3),
    glossary: [{ term: 'X1', translation: 'x', start: 2, end: 3, targetStart: 0, targetEnd: 1, exact: true }],
  };
  const two = {
    source: '\u00e9 C', start: 5, target: 'y z', logProb: -4, finished: false,
    sourceTokens: [span(0, 1), span(1, 3), span(3, 3)], targetTokens: ['\u2581y', '\u2581z'].map(token),
    targetWords: [word('y', 0), word('z', 2)], alignment: Int32Array.of(1, 1),
  };
  const composed = composeSentence(whole, [one, two], new Map([['X1', 'x'], ['X2', 'w']]));
  assert.equal(composed.target, 'x! y z');
  assert.deepEqual(composed.targetTokens.map(({ piece }) => piece), ['\u2581x', '!', '\u2581y', '\u2581z']);
  assert.deepEqual([...composed.alignment], [0, 0, 1, 1]);
  assert.deepEqual(composed.targetWords, [word('x', 0, 0.25), word('y', 3, 0.25), word('z', 5, 0.25)]);
  assert.deepEqual([composed.logProb, composed.finished, composed.start], [-7, false, 7]);
  assert.deepEqual(composed.glossary, [
    { term: 't', translation: 'x', start: 0, end: 2, targetStart: 0, targetEnd: 1, exact: true },
    { term: 'u', translation: 'w', start: 3, end: 5, targetStart: -1, targetEnd: -1, exact: false }]);
  // ways: a text that two have counts once, with the better; the best is not among them
  /** @param {string} middle @param {number} logProb @param {...[text: string, logProb: number]} all */
  const way = (middle, logProb, ...all) => {
    const [[target, own], ...others] = all;
    const alternatives = others.map(([text, each]) => ({ text, logProb: each }));
    return { middle, logProb, next: [{ ...two, source: middle, start: 0, target, logProb: own, alternatives }] };
  };
  assert.deepEqual(composeAlternatives([way('m', -1, ['p', -1], ['q', -5], ['r', -9]),
    way('n', -2, ['q', -1], ['p', -2], ['s', -4]), way('o', -3, ['r', -1])], 'p'),
  [{ text: 'q', logProb: -3 }, { text: 'r', logProb: -4 }]);
});

test('terms of a glossary hold through both steps', async () => {
  const glossary = { Wetter: 'M\u00e9t\u00e9o France' };
  const text = SENTENCES[3];
  const target = await pivot.translate(text, { glossary });
  for (const term of Object.values(glossary)) assert.equal(target.split(term).length, 2, `${term} in ${target}`);
  assert.ok(!/\bX\d/.test(target), target);
  assert.equal(await pivot.translate(text, { glossary: new Map(Object.entries(glossary)) }), target);
  const sentences = await pivot.translateDetailed(text, { glossary });
  const matches = sentences.flatMap(({ glossary: own = [], target: translated }) =>
    own.map(({ term, translation, targetStart, targetEnd, exact }) =>
      [term, translation, translated.slice(targetStart, targetEnd), exact]));
  assert.deepEqual(matches, [
    ['Wetter', 'M\u00e9t\u00e9o France', 'M\u00e9t\u00e9o France', true]]);
  // the middle has a name that the text does not have
  const [{ steps }] = await pivot.translateDetailed('X1 ist das Wetter.', { glossary });
  assert.match(String(steps?.[0].target), /\bXx1\b/);
  // what is impossible is told in the words of the caller
  const lost = (/** @type {Record<string, string>} */ own, /** @type {RegExp} */ message) =>
    assert.rejects(pivot.translate(TEXT, { glossary: own }), (error) => {
      assert.ok(error instanceof HeedError);
      assert.match(error.message, message);
      return true;
    });
  await lost({ 'dich. Tom': 'toi' }, /^glossary: 'dich\. Tom' did not come out as 'toi' once, from de to en$/);
  await lost({ Auto: 'bagnole '.repeat(600).trim() },
    /^glossary: 'Auto' did not come out as 'bagnole .*, from en to fr$/);
  await assert.rejects(pivot.translate(SENTENCES[1], { glossary: { Auto: ' ' } }),
    { name: 'RangeError', message: /^glossary: Auto: found ' '/ });
});

test('options of one model are refused, others are checked', async () => {
  for (const options of [{ prefix: [1] }, { badWords: [[1]] }, { disabledHeads: [] }, { eosTokenIds: [1] }]) {
    const [name] = Object.keys(options);
    const error = { name: 'TypeError', message: new RegExp(`^${name}: found .*, as this translator has two`) };
    await assert.rejects(pivot.translate('Hallo.', options), error);
    await assert.rejects(pivot.translateDetailed('Hallo.', options), error);
    assert.throws(() => pivot.translateStreaming('Hallo.', options), error);
  }
  await assert.rejects(pivot.translate('Hallo.', /** @type {any} */ ({ beam: 1 })), /did you mean 'beams'/);
  await assert.rejects(pivot.translate(/** @type {any} */ (5)), { name: 'TypeError', message: /^input/ });
  await assert.rejects(pivot.translateDetailed('', { beams: 1, nBest: 2 }), { name: 'RangeError' });
  await assert.rejects(pivot.tokenize('Hallo.'), /translator: it has two models, de to en and en to fr: ask/);
  assert.throws(() => pivot.config, /ask translator\.steps\[0\] or translator\.steps\[1\]/);
  assert.equal(await pivot.measureInputUsage(TEXT), await first.measureInputUsage(TEXT));
  assert.equal(pivot.inputQuota, Infinity);
});

test('aborts and destroy() end both steps; progress is that of both', async (t) => {
  /** @type {number[]} */
  const seen = [];
  const stop = new AbortController();
  const own = await Translator.create({
    ...PAIR, models: INDEX, signal: stop.signal, worker: true,
    monitor: (monitor) =>
      monitor.addEventListener('downloadprogress', (/** @type {any} */ { loaded }) => seen.push(loaded)),
  });
  assert.deepEqual([seen[0], seen.at(-1)], [0, 1]);
  assert.deepEqual(seen, [...seen].sort((a, b) => a - b));
  assert.equal(await own.translate(SENTENCES[0]), await pivot.translate(SENTENCES[0]));
  const long = SENTENCES.join(' ').repeat(50);
  const call = new AbortController();
  const aborted = own.translate(long, { signal: call.signal });
  const reader = own.translateStreaming(long).getReader();
  await reader.read(); // so the call runs too
  call.abort();
  await assert.rejects(aborted, { name: 'AbortError' });
  const pending = own.translate(long);
  stop.abort(new Error('enough'));
  await assert.rejects(pending, /enough/);
  await assert.rejects((async () => {
    while (!(await reader.read()).done);
  })(), /enough/);
  await assert.rejects(own.translate('Hallo.'), /enough/);
  assert.throws(() => own.translateStreaming('Hallo.'), /enough/);
  for (const step of own.steps) await assert.rejects(step.translate('Hallo.'), /enough/);
  // a step that does not load ends the other
  const address = await listen(t, (_, response) => {
    response.end(JSON.stringify({ models: [{ source: 'de', target: 'en', path: new URL('../models/de-en-es-fr/',
      import.meta.url).href }, { source: 'en', target: 'fr', path: 'http://127.0.0.1:9/' }] }));
  });
  await assert.rejects(Translator.create({ ...PAIR, models: address }), (/** @type {any} */ error) =>
    error instanceof DOMException && error.name === 'NetworkError' && error.cause instanceof HeedError);
  await assert.rejects(Translator.create({ ...PAIR, models: INDEX, dtype: /** @type {any} */ ('f8') }), /dtype/);
  const never = AbortSignal.abort(new Error('never'));
  await assert.rejects(Translator.create({ ...PAIR, models: INDEX, signal: never }), /never/);
  // a reason may be anything
  const late = new AbortController();
  const monitor = (/** @type {EventTarget} */ m) => m.addEventListener('downloadprogress', () => late.abort(null));
  assert.equal(await Translator.create({ ...PAIR, models: INDEX, signal: late.signal, monitor })
    .catch((error) => error), null);
});

test('the command says the way, on standard error', () => {
  const way = 'heed: no model has the pair: de to en, then en to fr\n';
  assert.deepEqual(heed('translate', '--models', INDEX, '--from', 'de', '--to', 'fr', 'Ich liebe dich.'),
    { status: 0, stdout: "Je t'aime.\n", stderr: way });
  const { stdout } = heed('translate', '--models', INDEX, '--from', 'de', '--to', 'fr', '--pivot', 'en', '--json',
    'Ich liebe dich.');
  const { target, sentences: [{ alignment, steps: [one, [two]] }] } = JSON.parse(stdout);
  assert.deepEqual([target, one.target, two.target], ["Je t'aime.", 'I love you.', "Je t'aime."]);
  for (const list of [alignment, one.alignment, two.alignment]) assert.ok(Array.isArray(list));
  for (const [args, status, pattern] of /** @type {[string[], number, RegExp][]} */ ([
    [['--models', INDEX, '--from', 'de', '--to', 'fr', '--no-pivot'], 1, /has no model from de to fr/],
    [['--models', INDEX, '--from', 'de', '--to', 'fr', '--pivot', 'es'], 1, /has no model from de to fr, nor two with es/],
    [['--models', INDEX, '--to', 'en'], 1,
      /^heed: found en to en, expected two languages; --from and --to name them\n$/],
    [['--from', 'de', '--to', 'fr', '--pivot', 'x_'], 2, /--pivot: found 'x_', expected a language tag/],
    [['--pivot', 'en', '--no-pivot'], 2, /--no-pivot: has no effect with --pivot/],
    [['--model', 'models/de-en-es-fr', '--pivot', 'en'], 2, /--pivot: has no effect with --model/],
    [['--model', 'models/de-en-es-fr', '--models', INDEX], 2, /--models: has no effect with --model/],
  ])) {
    const found = heed('translate', ...args, 'Hallo.');
    assert.match(found.stderr, pattern);
    assert.equal(found.status, status);
  }
});
