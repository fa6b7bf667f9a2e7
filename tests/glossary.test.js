// glossary.test.js - terms of a glossary come out exactly, once for each time they stand in the source, or it is said
// which did not. What the model makes of the rest is not looked at: any model will do.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HeedError, Translator } from '../js/index.js';
import { asWithin } from '../js/translate/forced.js';
import { findTerms } from '../js/translate/glossary.js';
import { SHIPPED } from './model-files.js';

const options = { sourceLanguage: 'en', targetLanguage: 'de', model: SHIPPED };
const translator = await Translator.create(options);

/**
 * Words the model does not know, terms of two words, signs, a character without a piece, terms that stay as they are.
 */
const glossary = {
  router: 'Datenverteiler', 'machine learning': 'Machine Learning', car: 'Kraftfahrzeug', 'Node.js': 'Node.js',
  'C++': 'C++', dog: 'Köter', house: 'Gebäude 𓀀', teacher: 'Lehrkraft', 'New York': 'Neu-York', 'e-mail': 'eMail™',
};
const TEMPLATES = ['The X is new.', 'I like X.', 'Where is the X?', 'Tom bought a X yesterday.',
  'Have you ever seen a X?', "I don't know anything about X.", 'My brother talks about X every day.',
  'Is this your X?', 'X is very important to me.', 'She said that the X was too expensive.',
  'If the X does not work, call me.', 'There is a X in front of the X.', 'We cannot live without X.',
  'Who told you about X?', 'The old man looked at the X and smiled.', 'Please give me the X (it is mine).',
  'Nobody believes that the X is dangerous.', '"X" is a word.', 'After work he goes to the X.',
  'What do you think of X, and why?'];

/** @type {{ source: string, term: keyof typeof glossary, times: number }[]} */
const sentences = TEMPLATES.flatMap((template) =>
  /** @type {(keyof typeof glossary)[]} */ (Object.keys(glossary)).map((term) => {
    const text = template.replaceAll('X', term);
    return { source: text[0].toUpperCase() + text.slice(1), term, times: template.split('X').length - 1 };
  }));

test('a term beyond the greatest length is reported, like every missing term', async () => {
  const text = 'My brother told my old teacher a long story.';
  const more = { glossary: { story: 'Mär', teacher: 'Lehrkraft' } };
  let lost = 0;
  for (let maxLength = 2; maxLength < 24; maxLength++) {
    const [sentence] = await translator.translateDetailed(text, { ...more, maxLength });
    assert.ok(sentence.targetTokens.length < maxLength);
    const isExact = sentence.glossary?.every(({ exact }) => exact);
    lost += isExact ? 0 : 1;
    const plain = translator.translate(text, { ...more, maxLength });
    if (isExact) assert.equal(await plain, sentence.target);
    else await assert.rejects(plain, { status: 'HEED_E_STATE', message: /^glossary: '(story|teacher)' did not come/ });
  }
  assert.ok(lost > 4 && lost < 18, `${lost} of 22`);
});

test('200 sentences: each term once for each time', async (t) => {
  assert.equal(sentences.length, 200);
  let free = 0;
  for (const [i, { source, term, times }] of sentences.entries()) {
    const detailed = await translator.translateDetailed(source, { glossary });
    const matches = detailed.flatMap((sentence) => (sentence.glossary ?? []).map((match) => ({ ...match, sentence })));
    assert.equal(matches.length, times, source);
    assert.ok(matches.every(({ exact }) => exact), `${source} | ${detailed.map(({ target }) => target).join(' ')}`);
    for (const { sentence, start, end, targetStart, targetEnd, exact: _, ...match } of matches) {
      assert.deepEqual([match.term, match.translation], [term, glossary[term]]);
      assert.equal(sentence.source.slice(start, end).toLowerCase(), term.toLowerCase());
      assert.equal(sentence.target.slice(targetStart, targetEnd), glossary[term], source);
    }
    const whole = detailed.map(({ target }) => target).join(' ');
    assert.equal(whole.split(glossary[term]).length - 1, times, `${source} | ${whole}`);
    if (i % 4 === 0) free += Number((await translator.translate(source)).split(glossary[term]).length - 1 === times);
  }
  t.diagnostic(`without a glossary ${free} of ${sentences.length / 4} do so`);
});

test('one call, a list, a stream and a worker say the same', async () => {
  const some = sentences.filter((_, i) => i % 23 === 0);
  const texts = some.map(({ source }) => source);
  const one = [];
  for (const { source, term, times } of some) {
    const text = await translator.translate(source, { glossary, beams: 2 });
    assert.equal(text.split(glossary[term]).length - 1, times, `${source} | ${text}`);
    one.push(text);
  }
  assert.deepEqual(await translator.translate(texts, { glossary, beams: 2 }), one);
  let streamed = '';
  for await (const part of translator.translateStreaming(texts.join(' '), { glossary, beams: 2 })) streamed += part;
  assert.equal(streamed, await translator.translate(texts.join(' '), { glossary, beams: 2 }));
  const worker = await Translator.create({ ...options, worker: true });
  assert.equal(await worker.translate(texts[0], { glossary, beams: 2 }), one[0]);
  worker.destroy();
});

test('a text without terms is translated as ever, with n-best', async () => {
  const plain = await translator.translateDetailed('Good morning. I love you.', { beams: 3, nBest: 3 });
  assert.deepEqual(await translator.translateDetailed('Good morning. I love you.', { beams: 3, nBest: 3, glossary }),
    plain);
  assert.deepEqual(await translator.translateDetailed('Good morning. I love you.',
    { beams: 3, nBest: 3, glossary: {} }), plain);
});

test("a translation that has the term already stays the model's own", async () => {
  const [free] = await translator.translateDetailed('I love you.');
  const word = /** @type {string} */ (/\p{L}{3,}/u.exec(free.target)?.[0]);
  const [kept] = await translator.translateDetailed('I love you.', { glossary: { love: word } });
  assert.equal(kept.target, free.target);
  assert.deepEqual(kept.glossary?.map(({ targetStart, exact }) => [targetStart, exact]),
    [[free.target.indexOf(word), true]]);
});

test('terms are whole words, the longest first, as they are written', () => {
  const found = (/** @type {string} */ text, /** @type {Record<string, string>} */ terms) =>
    findTerms(text, terms).map(({ term, start, end }) => `${term}@${start}-${end}`);
  const terms = { car: 'a', 'car park': 'b', 'C++': 'c', US: 'd', été: 'e', 車: 'f', '.NET': 'g', parking: 'h' };
  assert.deepEqual(found('My car, my cars, a scar; car-free car park.', terms),
    ['car@3-6', 'car@25-28', 'car park@34-42']);
  assert.deepEqual(found('Car and Car', terms), ['car@0-3'], 'a capital begins a sentence, nothing else');
  assert.deepEqual(found('"Car" it was', terms), ['car@1-4']);
  assert.deepEqual(found('us, US, USA', terms), ['US@4-6']);
  assert.deepEqual(found('C++ C++11 C+++ .NET ASP.NET', terms),
    ['C++@0-3', 'C++@4-7', 'C++@10-13', '.NET@15-19', '.NET@23-27']);
  assert.deepEqual(found('un été\u0301 étés été', terms), ['été@13-16']);
  assert.deepEqual(found('電車と自動車', terms), ['車@1-2', '車@5-6'], 'where words are not parted');
  assert.deepEqual(found('constructor __proto__ toString', {}), []);
  assert.deepEqual(found('a constructor', { constructor: 'x' }), ['constructor@2-13']);
  assert.deepEqual(found('a', JSON.parse('{"__proto__": "x"}')), []);
});

test('first letters where a sentence begins, in their language', () => {
  /** @param {string} text @param {Record<string, string>} terms @param {string} language */
  const found = (text, terms, language) =>
    findTerms(text, terms, language).map(({ term, translation, start, end }) => [term, translation, start, end]);
  const turkish = { 'ısı': 'heat', istanbul: 'Istanbul', 'İzmir': 'Smyrna' };
  assert.deepEqual(found('İstanbul güzel.', turkish, 'tr'), [['istanbul', 'Istanbul', 0, 8]]);
  assert.deepEqual(found('Isı arttı.', turkish, 'tr-TR'), [['ısı', 'heat', 0, 3]]);
  assert.deepEqual(found('Istanbul, İSTANBUL', turkish, 'tr'), [], 'I is another letter there');
  assert.deepEqual(found('Güzel İzmir, İstanbul', turkish, 'tr'), [['İzmir', 'Smyrna', 6, 11]]);
  assert.deepEqual(found('Istanbul', turkish, 'en'), [['istanbul', 'Istanbul', 0, 8]]);
  assert.deepEqual(found('I\u0307zmir', turkish, 'tr'), [['İzmir', 'Smyrna', 0, 6]], 'a mark of its own');
  for (const capital of ['SS', 'Ss', 'ß']) {
    assert.deepEqual(found(`${capital} ist ein Buchstabe`, { ß: 's' }, 'de'), [['ß', 's', 0, capital.length]]);
  }
  assert.deepEqual(found('Ο ίδιος. ίδιος', { ίδιος: 'same' }, 'el'),
    [['ίδιος', 'same', 2, 7], ['ίδιος', 'same', 9, 14]]);
  assert.deepEqual(found('Ίδιος, Ίδιος', { ίδιος: 'same' }, 'el'), [['ίδιος', 'same', 0, 5]]);
  assert.deepEqual(found('Σάββατο', { σάββατο: 'Saturday' }, 'el'), [['σάββατο', 'Saturday', 0, 7]]);
  assert.deepEqual(found('IJs is koud', { ijs: 'ice' }, 'nl'), [['ijs', 'ice', 0, 3]]);
  assert.deepEqual(found('ǅep', { ǆep: 'pocket' }, 'hr'), [['ǆep', 'pocket', 0, 3]]);
  assert.deepEqual(found('𐐀𐑌 𐐀𐑌', { '𐐨𐑌': 'x' }, 'en'), [['𐐨𐑌', 'x', 0, 4]], 'a letter of two units');
  // what is one text to a reader
  assert.deepEqual(found('un e\u0301te\u0301 chaud', { été: 'summer' }, 'fr'), [['été', 'summer', 3, 8]]);
  assert.deepEqual(found('New \u00a0York', { 'New York': 'a' }, 'en'), [['New York', 'a', 0, 9]]);
  assert.equal(asWithin('İstanbul güzel', '', 'tr'), 'istanbul güzel');
  assert.equal(asWithin('Isı', '', 'tr'), 'ısı');
});

test('20,000 terms', async () => {
  const terms = Array.from({ length: 20_000 }, (_, i) => [i % 2 ? `thing${i}` : `thing${i} part`, `Ding ${i}`]);
  const many = { ...Object.fromEntries(terms), router: 'Datenverteiler' };
  assert.deepEqual(findTerms('Thing19999 or thing0 part, thing0 or thing20001', many).map(({ term }) => term),
    ['thing19999', 'thing0 part']);
  const few = { router: 'Datenverteiler' };
  const texts = ['The router is new.', 'I like my car.'];
  assert.deepEqual(await translator.translate(texts, { glossary: many }),
    await translator.translate(texts, { glossary: few }));
});

test('a Map; a glossary that its owner changes', async () => {
  const map = new Map([['car', 'Kraftfahrzeug']]);
  assert.equal(await translator.translate('The car is red.', { glossary: map }),
    await translator.translate('The car is red.', { glossary: { car: 'Kraftfahrzeug' } }));
  for (const own of [map, { car: 'Kraftfahrzeug' }]) {
    const set = (/** @type {string} */ translation) =>
      (own instanceof Map ? own.set('car', translation) : Object.assign(own, { car: translation }));
    const running = translator.translate('The car is red.', { glossary: own });
    const streaming = translator.translateStreaming('The car is red. The car is new.', { glossary: own });
    set('Vehikel');
    assert.match(await running, /Kraftfahrzeug/, 'as it was at the call');
    let streamed = '';
    for await (const part of streaming) streamed += part;
    assert.equal(streamed.match(/Kraftfahrzeug/g)?.length, 2);
    assert.match(await translator.translate('The car is red.', { glossary: own }), /Vehikel/);
    if (own instanceof Map) own.delete('car');
    else delete (/** @type {any} */ (own).car);
    assert.equal(await translator.translate('The car is red.', { glossary: own }),
      await translator.translate('The car is red.'));
  }
});

test('no term begins in one text of an array and ends in the next', async () => {
  const glossary = { 'New York': 'Neu-York' };
  // the second text goes on at the place where the first ends
  const texts = ['Is it new? New', '              York is big.'];
  assert.deepEqual(await translator.translate(texts, { glossary }), await translator.translate(texts));
});

test('a line break inside a term moves, and lines of a list are not a term', async () => {
  const own = { 'New York': 'Neu-York', 'car park': 'Parkplatz' };
  for (const [text, moved] of [
    ['I live in New\nYork.', 'I live in\nNew York.'],
    ['Tom saw the car\r\n  park. It is big.', 'Tom saw the\r\ncar   park. It is big.'],
    ['New\nYork is very big.', 'New York\nis very big.'],
    ['It is cold. New\nYork is big.\n\nYes.', 'It is cold.\nNew York is big.\n\nYes.'],
  ]) {
    const glossary = own;
    assert.equal(await translator.translate(text, { glossary }), await translator.translate(moved, { glossary }));
    let streamed = '';
    for await (const part of translator.translateStreaming(text, { glossary })) streamed += part;
    assert.equal(streamed, await translator.translate(text, { glossary }));
    const matches = (await translator.translateDetailed(text, { glossary })).flatMap((line) => line.glossary ?? []);
    assert.deepEqual(matches.map(({ exact }) => exact), [true], text);
    assert.equal((streamed.match(/\n/g) ?? []).length, (text.match(/\n/g) ?? []).length, 'no line is lost');
  }
  for (const list of ['car\npark', 'New\n\nYork is big', 'I like my car.\nPark here.']) {
    assert.equal(await translator.translate(list, { glossary: own }), await translator.translate(list));
  }
});

test('what cannot come out is said', async () => {
  // a term that ends in the next sentence
  const divided = { 'morning. Tom': 'x' };
  const text = 'Good morning. Tom has a red car.';
  await assert.rejects(translator.translate(text, { glossary: divided }), (/** @type {any} */ error) =>
    error instanceof HeedError && /^glossary: 'morning\. Tom' did not come out as 'x' once$/.test(error.message));
  await assert.rejects(translator.translateStreaming(text, { glossary: divided }).getReader().read(),
    { status: 'HEED_E_STATE', message: "glossary: 'morning. Tom' did not come out as 'x' once" });
  const [first] = await translator.translateDetailed(text, { glossary: divided });
  assert.deepEqual(first.glossary?.map(({ term, targetStart, exact }) => [term, targetStart, exact]),
    [['morning. Tom', -1, false]]);
  // more terms than a translation of the model's length can hold
  const long = { a: 'Kraftfahrzeug '.repeat(400).trim() };
  const [cut] = await translator.translateDetailed('This is a dog.', { glossary: long });
  assert.deepEqual(cut.glossary?.map(({ exact }) => exact), [false]);
  assert.equal(await translator.translate('I love you.'), await translator.translate('I love you.', { glossary }));
});

test('an invalid glossary is refused by name', async () => {
  const any = /** @type {any} */ (translator);
  for (const [wrong, name, message] of /** @type {[any, string, RegExp][]} */ ([
    ['car', 'TypeError', /^glossary: found 'car', expected an object/],
    [['car'], 'TypeError', /^glossary: found \[car\], expected an object/],
    [{ car: 7 }, 'TypeError', /^glossary: car: found 7, expected a text/],
    [{ car: '' }, 'RangeError', /^glossary: car: found '', expected a text on one line/],
    [{ car: 'a\nb' }, 'RangeError', /^glossary: car: /],
    [new Set(['car']), 'TypeError', /^glossary: found \[object Set\], expected an object or a Map/],
    [null, 'TypeError', /^glossary: found null, expected an object/],
    [new Map([[7, 'a']]), 'TypeError', /^glossary: found 7, expected a text as term/],
    // the tokenizer drops these, or gives bytes that nobody sees
    [{ car: '\u200b' }, 'RangeError', /^glossary: car: found 'U\+200B', expected a text on one line that can be seen/],
    [{ car: '\u00ad\ufeff' }, 'RangeError', /^glossary: car: found 'U\+00ADU\+FEFF', /],
    [{ '\u200b': 'a' }, 'RangeError', /^glossary: found 'U\+200B', expected a term/],
    [{ car: '\u2581' }, 'RangeError', /^glossary: car: found '\u2581', expected a text that the model has tokens for/],
    [{ 'New York': 'a', 'New  York': 'b' }, 'RangeError',
      /^glossary: New  York: found 'b', expected 'a' as for 'New York'/],
    [{ '': 'a' }, 'RangeError', /^glossary: found '', expected a term/],
    [{ ' car': 'a' }, 'RangeError', /^glossary: found ' car', expected a term without white space/],
  ])) {
    await assert.rejects(any.translate('The car.', { glossary: wrong }), { name, message });
  }
});

test('cancelling ends it', async () => {
  const stop = new AbortController();
  const reason = new Error('enough');
  const running = translator.translate(sentences.map(({ source }) => source), { glossary, signal: stop.signal });
  setImmediate(() => stop.abort(reason));
  await assert.rejects(running, reason);
  assert.match(await translator.translate('The car is red.', { glossary }), /Kraftfahrzeug/);
});

test('heed translate --glossary', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'heed-glossary-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const cli = fileURLToPath(new URL('../js/cli.js', import.meta.url));
  let n = 0;
  const heed = (/** @type {string} */ content, /** @type {string} */ input, /** @type {string[]} */ ...args) => {
    const path = join(folder, `${n++}.tsv`);
    writeFileSync(path, content);
    return spawnSync(process.execPath, [cli, 'translate', '--glossary', path, ...args], { input, encoding: 'utf8' });
  };
  const good = heed('car\tKraftfahrzeug\r\n\nNew York\tNeu-York\n',
    'The car is red.\n\nI live in New York. My car is old.\n');
  assert.deepEqual([good.status, good.stderr], [0, '']);
  const lines = good.stdout.split('\n');
  assert.deepEqual(lines.map((line) => [line.includes('Kraftfahrzeug'), line.includes('Neu-York')]),
    [[true, false], [false, false], [true, true], [false, false]]);
  // comments, blank lines, a byte order mark
  const noted = heed('\ufeff# terms\n\n  # more\ncar\tKraftfahrzeug\n\t\n\\#1\tNummer eins\n',
    'The car is red.\nHe is #1.\n');
  assert.deepEqual([noted.status, noted.stderr], [0, '']);
  assert.ok(noted.stdout.includes('Kraftfahrzeug') && noted.stdout.includes('Nummer eins'), noted.stdout);
  // lines have nothing to do with each other
  const apart = heed('New York\tNeu-York\n', 'I like the new\nIs this New\nYork is big.\n');
  assert.deepEqual([apart.status, apart.stderr, apart.stdout.split('\n').length], [0, '', 4]);
  const json = JSON.parse(heed('car\tKraftfahrzeug\n', 'The car is red.\n', '--json').stdout);
  assert.equal(json.sentences[0].glossary[0].exact, true);
  const lost = heed('morning. Tom\tx\n', 'Good morning. Tom has a car.\nI love you.\n');
  assert.equal(lost.status, 1);
  assert.match(lost.stderr, /^heed: 'morning\. Tom' is not translated as 'x' each time: Good morning\. \| /);
  assert.equal(lost.stdout.trim().split('\n').length, 2, 'the lines are translated all the same');
  for (const [content, message] of [['car\n', /0?\d+\.tsv: line 1: expected a term, a tab/],
    ['a\tb\tc\n', /line 1: expected/],
    [Buffer.from('car\tAuto\ncaf\xe9\tKaffee\n', 'latin1'), /\.tsv: line 2: invalid UTF-8: byte 5 is 0x09/],
    ['a\tb\na\tc\n', /line 2: 'a' has a different translation on an earlier line/]]) {
    const { status, stderr } = heed(/** @type {string} */ (content), 'a\n');
    assert.equal(status, 1);
    assert.match(stderr, /** @type {RegExp} */ (message));
  }
});

test('a part inside a sentence begins with a small letter, except words that have a capital there', () => {
  assert.equal(asWithin('Ist neu', 'Das Haus ist neu.'), 'ist neu');
  assert.equal(asWithin('Haus und Hof', 'Das neue Haus ist teuer.'), 'Haus und Hof');
  assert.equal(asWithin('Das Haus', 'Das Haus ist neu.'), 'das Haus', 'the first word has a capital anyway');
  assert.equal(asWithin('Äpfel', 'Ich mag Äpfel.'), 'Äpfel');
  assert.equal(asWithin('Haus', 'Das ist ein Hausboot.'), 'haus', 'another word');
  assert.equal(asWithin('3 Häuser', ''), '3 Häuser');
  assert.equal(asWithin('USA und', 'USA sind'), 'USA und');
  assert.equal(asWithin("I'm tired", "I'm tired."), "I'm tired");
  assert.equal(asWithin('O’Hara kam', 'O’Hara kam gestern.'), 'O’Hara kam');
  assert.equal(asWithin('A car', 'A car.'), 'a car');
  assert.equal(asWithin('Ist neu', 'Das Haus. Ist neu.'), 'ist neu', 'the first word of another sentence');
  assert.equal(asWithin('', 'Ja.'), '');
});
