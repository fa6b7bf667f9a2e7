// Text to text with the shipped model: exact strings, white space, long input, streams, queues, cancelling; and the
// splitting into sentences that all of it rests on.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Transformer, Translator } from '../js/index.js';
import { findCut } from '../js/text/cut.js';
import { joinSentences } from '../js/text/abbreviations.js';
import { withRun } from '../js/text/last-marks.js';
import { splitSentences } from '../js/text/sentences.js';
import { leadEnder } from '../js/text/terms.js';
import { listen } from './listen.js';
import { bytes, changeJson, readFiles, SHIPPED, TINY, withLanguages } from './model-files.js';

const INDEX = fileURLToPath(new URL('../models/index.json', import.meta.url));
const PAIR = { sourceLanguage: 'en', targetLanguage: 'de' };
const CONFIG = JSON.parse(readFileSync(`${SHIPPED}/config.json`, 'utf8'));

// in these the best translation leads by far: they are the same in f32 and in int8
const PAIRS = [
  ['Did you sleep well?', 'Hast du gut geschlafen?'],
  ['Good morning.', 'Guten Morgen.'],
  ['He is my friend.', 'Er ist mein Freund.'],
  ['I love you.', 'Ich liebe dich.'],
  ['Tom has a red car.', 'Tom hat ein rotes Auto.'],
  ['She is reading a book.', 'Sie liest gerade ein Buch.'],
  ['She reads a book every evening.', 'Sie liest jeden Abend ein Buch.'],
  ['The weather is nice today.', 'Heute ist das Wetter schön.'],
  ['My brother works in Berlin.', 'Mein Bruder arbeitet in Berlin.'],
  ['Can you help me?', 'Kannst du mir helfen?'],
];
const ENGLISH = PAIRS.map(([english]) => english);
const GERMAN = PAIRS.map(([, german]) => german);

const translator = await Translator.create({ ...PAIR, model: SHIPPED });

/** @param {ReadableStream<string>} stream */
async function collect(stream) {
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return pieces;
}

test('a string gives a string, an array an array in the same order', async () => {
  for (const [english, german] of PAIRS) assert.equal(await translator.translate(english), german);
  assert.deepEqual(await translator.translate(ENGLISH), GERMAN);
  assert.deepEqual(await translator.translate([]), []);
});

test('texts and options are as they were when the call was made', async () => {
  const running = translator.translate(ENGLISH[0]); // the calls below wait
  const texts = [...ENGLISH];
  const options = { beams: 2, nBest: 2, attention: true };
  const calls = [translator.translate(texts), translator.translateDetailed(ENGLISH[1], options)];
  texts.fill('');
  Object.assign(options, { nBest: 1, attention: false });
  const [all, [sentence]] = await Promise.all(calls);
  assert.deepEqual(all, GERMAN);
  assert.equal(sentence.alternatives?.length, 1);
  assert.ok(sentence.attention);
  await running;
});

test('what the tokenizer drops stays, and a line break of any kind too', async () => {
  assert.equal(await translator.translate('\u200b'), '\u200b');
  assert.equal(await translator.translate(`${ENGLISH[1]}\n\u200b\n${ENGLISH[3]}`),
    `${GERMAN[1]}\n\u200b\n${GERMAN[3]}`);
  for (const lineBreak of ['\n', '\r', '\r\n', '\v', '\f', '\u0085', '\u2028', '\u2029']) {
    assert.equal(await translator.translate(ENGLISH[1] + lineBreak + ENGLISH[3]), GERMAN[1] + lineBreak + GERMAN[3]);
  }
});

test('many calls at once are no leak', async () => {
  /** @type {string[]} */
  const warnings = [];
  const listen = (/** @type {Error} */ warning) => void warnings.push(warning.message);
  process.on('warning', listen);
  const all = await Promise.all(Array.from({ length: 30 }, () => translator.translate(ENGLISH[1])));
  await new Promise((resolve) => void setImmediate(resolve));
  process.off('warning', listen);
  assert.deepEqual(all, Array(30).fill(GERMAN[1]));
  assert.deepEqual(warnings, []);
});

test('batches of every size, f32 and int8, say the same', async () => {
  for (const batchSize of [1, 3, 100]) assert.deepEqual(await translator.translate(ENGLISH, { batchSize }), GERMAN);
  for (const dtype of /** @type {const} */ (['f32', 'int8'])) {
    const other = await Translator.create({ ...PAIR, model: SHIPPED, dtype });
    assert.deepEqual(await other.translate(ENGLISH), GERMAN, dtype);
    other.destroy();
  }
});

test('empty and white-space text comes back as it is', async () => {
  for (const text of ['', ' ', '\n', ' \t\r\n\u00a0\u2003 ', '\u0085', ' \n\u2028\v']) {
    assert.equal(await translator.translate(text), text);
    assert.deepEqual(await translator.translateDetailed(text), []);
    assert.equal((await collect(translator.translateStreaming(text))).join(''), text);
    assert.equal(await translator.measureInputUsage(text), 0);
  }
});

test('line breaks, paragraphs and spacing are kept', async () => {
  assert.equal(
    await translator.translate(`  ${ENGLISH[0]}  ${ENGLISH[1]}\r\n\r\n\t${ENGLISH[2]}\n${ENGLISH[3]} \n`),
    `  ${GERMAN[0]}  ${GERMAN[1]}\r\n\r\n\t${GERMAN[2]}\n${GERMAN[3]} \n`,
  );
});

test('details: tokens with offsets, probabilities, alignment', async () => {
  const input = ` ${ENGLISH[4]}\n${ENGLISH[3]}`;
  const sentences = await translator.translateDetailed(input, { beams: 4, nBest: 3, attention: true });
  assert.deepEqual(
    sentences.map(({ source, start, target }) => [source, start, target]),
    [
      [ENGLISH[4], 1, GERMAN[4]],
      [ENGLISH[3], 2 + ENGLISH[4].length, GERMAN[3]],
    ],
  );
  for (const {
    source,
    sourceTokens,
    targetTokens,
    logProb,
    finished,
    alignment,
    attention,
    alternatives,
  } of sentences) {
    assert.ok(finished);
    assert.equal(sourceTokens.map(({ start, end }) => source.slice(start, end)).join(''), source);
    const sum = targetTokens.reduce((total, token) => total + token.logProb, 0);
    // two orders of summation in 32 bits, of a dozen numbers below 10
    assert.ok(Math.abs(sum - logProb) < 1e-4, `${sum} is ${logProb}`);
    assert.deepEqual([targetTokens.at(-1)?.piece, sourceTokens.at(-1)?.piece], ['</s>', '</s>']);
    assert.equal(alignment.length, targetTokens.length);
    assert.ok(alignment.every((s) => s >= 0 && s < sourceTokens.length));
    const { decoder_layers: layers, decoder_attention_heads: heads } = CONFIG;
    assert.deepEqual(attention?.cross.shape, [layers, heads, targetTokens.length, sourceTokens.length]);
    assert.equal(alternatives?.length, 2);
    assert.ok(alternatives.every((a) => typeof a.text === 'string' && a.logProb < 0));
  }
  const [{ targetTokens, sourceTokens, alignment }] = sentences;
  const red = targetTokens.findIndex(({ piece }) => piece.startsWith('▁rot'));
  assert.equal(sourceTokens[alignment[red]].piece, '▁red');
  const [plain] = await translator.translateDetailed(ENGLISH[0]);
  assert.ok(!('attention' in plain) && !('alternatives' in plain));
});

test('maxTokens cuts, and says so', async () => {
  const [{ finished, targetTokens }] = await translator.translateDetailed(ENGLISH[0], { maxTokens: 2 });
  assert.deepEqual([finished, targetTokens.length], [false, 2]);
});

test('long sentences are split, never cut', async () => {
  const long = Array.from({ length: 60 }, (_, i) => `Tom has ${i} red cars and a small house in Berlin`).join(', ');
  const unbroken = 'Donaudampfschifffahrt'.repeat(100);
  const clusters = 'e\u0301\u0323'.repeat(700);
  for (const text of [long, `${long}.`, unbroken, clusters, `a ${unbroken} b`, '𝒳'.repeat(600)]) {
    const sentences = await translator.translateDetailed(text, { maxTokens: 1 });
    assert.ok(sentences.length > 1);
    assert.ok(sentences.every(({ sourceTokens }) => sourceTokens.length <= 128));
    let at = 0;
    for (const { source, start } of sentences) {
      assert.match(text.slice(at, start), /^\s*$/, 'between them is white space only');
      assert.equal(text.slice(start, start + source.length), source);
      at = start + source.length;
    }
    assert.equal(at, text.length, 'the last ends where the text ends');
  }
  const parts = await translator.translateDetailed(long, { maxTokens: 1 });
  assert.ok(
    parts.slice(0, -1).every(({ source }) => source.endsWith(',')),
    'after a clause, where there is one',
  );
  const letters = await translator.translateDetailed(clusters, { maxTokens: 1 });
  assert.ok(
    letters.every(({ source }) => source.startsWith('e') && source.length % 3 === 0),
    'between characters otherwise',
  );
});

// a way that takes time with the square of the length takes minutes
test('a hundred thousand characters are split', { timeout: 120_000 }, async () => {
  for (const text of ['x'.repeat(1e5), 'J. '.repeat(3e4).trim(), 'Hello. '.repeat(1e4), `a${'\u0301'.repeat(1e5)}`]) {
    assert.ok((await translator.measureInputUsage(text)) > 0);
  }
});

test('a model of 48 positions gets pieces that fit', async () => {
  const [source, target] = ['source.spm', 'target.spm'].map((name) => readFiles(SHIPPED)[name]);
  const files = {
    ...readFiles(TINY),
    'source.spm': source,
    'target.spm': target,
    'vocab.json': bytes('{"</s>":0,"<unk>":1,"▁Tom":2}'),
  };
  const tiny = await Translator.create({ ...PAIR, model: files });
  const sentences = await tiny.translateDetailed('Tom '.repeat(100).trim(), { maxTokens: 1 });
  assert.ok(sentences.every(({ sourceTokens }) => sourceTokens.length <= 48));
  assert.equal(sentences.map(({ source: text }) => text).join(' '), 'Tom '.repeat(100).trim());
});

test('streams give words as they come, and joined what translate() gives', async () => {
  const text = `${ENGLISH.slice(0, 4).join(' ')}\n\n  ${ENGLISH.slice(4).join('  ')}\n`;
  for (const options of [{ beams: 1 }, { beams: 2 }, { beams: 1, maxTokens: 3 }]) {
    const pieces = await collect(translator.translateStreaming(text, options));
    assert.equal(pieces.join(''), await translator.translate(text, options));
    // a sentence and what follows it would be 2
    assert.ok(pieces.length > 2 * ENGLISH.length, `${pieces.length} pieces`);
  }
  // neither has other hypotheses than the best
  for (const each of [translator.translate(ENGLISH[1], { beams: 1, nBest: 2 }),
    collect(translator.translateStreaming(ENGLISH[1], { beams: 1, nBest: 2 })).then((pieces) => pieces.join(''))]) {
    assert.equal(await each, GERMAN[1]);
  }
  const pieces = await collect(translator.translateStreaming(ENGLISH[7], { beams: 1 }));
  assert.ok(pieces.length > 4, 'one sentence, several pieces');
});

test('a stream stops when it is cancelled or aborted, and pauses while nobody reads', async () => {
  const text = ENGLISH.join(' ').repeat(20);
  const reader = translator.translateStreaming(text).getReader();
  assert.ok((await reader.read()).value);
  await reader.cancel('enough');
  assert.equal(await translator.translate(ENGLISH[1]), GERMAN[1]);

  const stop = new AbortController();
  const second = translator.translateStreaming(text, { signal: stop.signal }).getReader();
  await second.read();
  stop.abort();
  await assert.rejects(
    async () => {
      while (!(await second.read()).done);
    },
    { name: 'AbortError' },
  );
  assert.throws(() => translator.translateStreaming(text, { signal: stop.signal }), { name: 'AbortError' });
  await assert.rejects(collect(translator.translateStreaming(text, { beams: 0 })), RangeError);
  assert.throws(() => translator.translateStreaming(/** @type {any} */ (5)), TypeError);

  translator.translateStreaming(text); // never read
  assert.equal(await translator.translate(ENGLISH[1]), GERMAN[1], 'it keeps nobody waiting');
});

test('calls at the same time are all right', async () => {
  const jobs = [...PAIRS, ...PAIRS].map(async ([english, german], i) => {
    const got =
      i % 3 === 0
        ? (await collect(translator.translateStreaming(english))).join('')
        : i % 3 === 1
          ? await translator.translate(english)
          : (await translator.translateDetailed(english))[0].target;
    assert.equal(got, german);
  });
  await Promise.all(jobs);
});

test('an abort rejects a running or waiting call at once, and the next call works', async () => {
  const text = ENGLISH.join(' ').repeat(50);
  const [first, second] = [new AbortController(), new AbortController()];
  const running = translator.translate(text, { signal: first.signal });
  const waiting = translator.translate(ENGLISH[0], { signal: second.signal });
  const third = translator.translate(ENGLISH[0]);
  second.abort();
  await assert.rejects(waiting, { name: 'AbortError' });
  first.abort(new Error('no more'));
  await assert.rejects(running, { message: 'no more' });
  assert.equal(await third, GERMAN[0]);
  await assert.rejects(translator.translate('a', { signal: AbortSignal.abort() }), { name: 'AbortError' });
});

test('a timer gets through while a long text is translated', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  await translator.translate(ENGLISH.join(' '));
  clearInterval(timer);
  assert.ok(ticks > 2, `${ticks} ticks`);
});

test('wrong input is refused by name', async () => {
  const any = /** @type {any} */ (translator);
  await assert.rejects(any.translate(5), { name: 'TypeError', message: /^input: found 5/ });
  await assert.rejects(any.translate(['a', null]), { name: 'TypeError', message: /^input: found null/ });
  await assert.rejects(any.translate('a', { beams: 'x' }), { name: 'TypeError', message: /^beams/ });
  await assert.rejects(any.translateDetailed(undefined), TypeError);
  await assert.rejects(any.measureInputUsage(undefined), TypeError);
  assert.equal(await translator.translate(ENGLISH[0]), GERMAN[0]);
});

test('usage is counted in tokens, and there is no quota', async () => {
  // the pieces of four words and </s>, and the token of the target's language where a model has some
  const one = await translator.measureInputUsage('I love you.');
  assert.ok(one === 5 || one === 6, `${one} tokens`);
  assert.equal(await translator.measureInputUsage('I love you. I love you.\nI love you.'), 3 * one);
  assert.equal(translator.inputQuota, Infinity);
});

test('create: the pair, the index, progress', async (t) => {
  /** @type {number[]} */
  const seen = [];
  const found = await Translator.create({
    ...PAIR,
    models: INDEX,
    monitor: (m) =>
      m.addEventListener('downloadprogress', (event) => {
        const { loaded, total } = /** @type {any} */ (event);
        assert.equal(total, 1);
        seen.push(loaded);
      }),
  });
  assert.deepEqual([seen[0], seen.at(-1)], [0, 1]);
  assert.ok(seen.every((loaded, i) => i === 0 || loaded >= seen[i - 1]));
  assert.equal(await found.translate(ENGLISH[1]), GERMAN[1]);
  found.destroy();

  const regional = await Translator.create({ sourceLanguage: 'en-US', targetLanguage: 'de-AT', models: INDEX });
  assert.deepEqual([regional.sourceLanguage, regional.targetLanguage], ['en-US', 'de-AT']);
  regional.destroy();

  const unsupported = { name: 'NotSupportedError' };
  await assert.rejects(Translator.create({ sourceLanguage: 'de', targetLanguage: 'it', models: INDEX }), unsupported);
  await assert.rejects(Translator.create({ sourceLanguage: 'it', targetLanguage: 'en', model: SHIPPED }), unsupported);
  await assert.rejects(Translator.create({ sourceLanguage: 'en', targetLanguage: 'it', model: SHIPPED }), unsupported);
  await assert.rejects(Translator.create(PAIR), unsupported);
  await assert.rejects(Translator.create(/** @type {any} */ ({ targetLanguage: 'de' })), {
    name: 'TypeError',
    message: /^sourceLanguage/,
  });
  await assert.rejects(Translator.create({ ...PAIR, targetLanguage: 'no tag' }), {
    name: 'RangeError',
    message: /^targetLanguage/,
  });
  await assert.rejects(Translator.create({ ...PAIR, models: '/nowhere.json' }), { code: 10 });
  await assert.rejects(Translator.create({ ...PAIR, models: `${SHIPPED}/config.json` }), { code: 11 });
  await assert.rejects(Translator.create({ ...PAIR, model: TINY }), { code: 22 });
  await assert.rejects(Translator.create({ ...PAIR, model: SHIPPED, signal: AbortSignal.abort() }), {
    name: 'AbortError',
  });
  const stop = new AbortController();
  const monitor = (/** @type {EventTarget} */ m) => m.addEventListener('downloadprogress', () => stop.abort());
  await assert.rejects(Translator.create({ ...PAIR, model: SHIPPED, signal: stop.signal, monitor }), {
    name: 'AbortError',
  });
  // the reason of the abort, not that of an index that could not be read before
  const late = new AbortController();
  const silent = await listen(t, () => late.abort(new Error('enough')));
  await assert.rejects(Translator.create({ ...PAIR, models: ['/nowhere.json', silent], signal: late.signal }),
    /^Error: enough$/);
});

test('availability', async () => {
  assert.equal(await Translator.availability(PAIR), 'unavailable');
  assert.equal(await Translator.availability({ ...PAIR, models: INDEX }), 'available');
  assert.equal(
    await Translator.availability({ sourceLanguage: 'fi', targetLanguage: 'de', models: INDEX }),
    'unavailable',
  );
  await assert.rejects(Translator.availability(/** @type {any} */ ({})), TypeError);
});

test('a model of several target languages takes the language', async () => {
  const files = withLanguages('>>deu<<', '>>fra<<');
  const { 'heed.json': _, ...anonymous } = files;
  for (const [options, piece] of [
    [{}, '>>deu<<'],
    [{ targetLanguage: 'fr' }, '>>fra<<'],
    [{ language: 'fra' }, '>>fra<<'],
  ]) {
    const several = await Translator.create({ ...PAIR, .../** @type {object} */ (options), model: anonymous });
    const [{ sourceTokens }] = await several.translateDetailed('Hello.', { maxTokens: 1 });
    assert.equal(sourceTokens[0].piece, piece);
    several.destroy();
  }
  await assert.rejects(Translator.create({ ...PAIR, targetLanguage: 'es', model: anonymous }), {
    name: 'NotSupportedError',
    message: /deu, fra/,
  });
});

test('a model lists its pairs: each is translated, others are refused by name', async () => {
  const tokens = withLanguages('>>de<<', '>>fr<<');
  const stating = (/** @type {object} */ manifest) =>
    ({ ...tokens, 'heed.json': new TextEncoder().encode(JSON.stringify({ format: 1, ...manifest })) });
  const model = stating({ pairs: [['en', 'de'], ['de', 'fr'], ['en', 'fr']] });
  for (const [sourceLanguage, targetLanguage, piece] of [
    ['en', 'de', '>>de<<'], ['de', 'fr', '>>fr<<'], ['en-US', 'fr-CA', '>>fr<<'],
  ]) {
    const pair = { sourceLanguage, targetLanguage, model };
    assert.equal(await Translator.availability(pair), 'available');
    const translator = await Translator.create(pair);
    const [{ sourceTokens }] = await translator.translateDetailed('Hello.', { maxTokens: 1 });
    assert.equal(sourceTokens[0].piece, piece);
    translator.destroy();
  }
  const other = { sourceLanguage: 'fr', targetLanguage: 'de', model };
  assert.equal(await Translator.availability(other), 'unavailable');
  await assert.rejects(Translator.create(other), {
    name: 'NotSupportedError',
    message: 'found fr to de, the model is for en to de, de to fr, en to fr',
  });
  for (const pairs of ['en-de', ['en-de'], [['en']], [['en', 'de', 'fr']], [['en', 1]], [null], { en: 'de' }]) {
    const error = { code: 11, message: /^heed\.json: pairs: found .*, expected an array of \[source, target\]/ };
    const malformed = stating({ pairs });
    await assert.rejects(Transformer.load(malformed), error);
    await assert.rejects(Translator.create({ ...PAIR, model: malformed }), error);
  }
});

test('a directory whose model moved names the new path', async () => {
  const model = { 'heed.json': new TextEncoder().encode('{ "format": 1, "moved": "../de-en-es-fr/" }') };
  const error = { code: 10, message: 'heed.json: the model moved: expected the path ../de-en-es-fr/' };
  await assert.rejects(Translator.create({ ...PAIR, model }), error);
  await assert.rejects(Transformer.load(model), error);
  assert.equal(await Translator.availability({ ...PAIR, model }), 'unavailable');
  await assert.rejects(Transformer.load({ 'heed.json': new TextEncoder().encode('{ "moved": 1 }') }), {
    code: 11, message: /^heed\.json: moved: found 1, expected a string/,
  });
});

test('destroy ends what runs and what waits', async () => {
  const other = await Translator.create({ ...PAIR, model: SHIPPED });
  const running = other.translate(ENGLISH);
  const waiting = other.translate(ENGLISH[0]);
  const stream = collect(other.translateStreaming(ENGLISH[0]));
  setImmediate(() => other.destroy());
  for (const job of [running, waiting, stream]) await assert.rejects(job, { name: 'AbortError' });
  await assert.rejects(other.translate('a'), { name: 'AbortError' });
  assert.throws(() => other.translateStreaming('a'), { name: 'AbortError' });
  await assert.rejects(other.measureInputUsage('a'), { name: 'AbortError' });
});

test('memory stays as it is over hundreds of calls of every kind', async () => {
  const own = await Translator.create({ ...PAIR, model: SHIPPED });
  const round = async () => {
    await own.translate(ENGLISH);
    await own.translateDetailed(ENGLISH.slice(0, 3).join(' '), { attention: true });
    await collect(own.translateStreaming(ENGLISH[2]));
  };
  await round();
  const { memoryBytes } = own.info;
  for (let i = 0; i < 30; i++) await round();
  assert.equal(own.info.memoryBytes, memoryBytes);
  own.destroy();
});

// ---------------------------------------------------------------- sentences

const english = new Intl.Segmenter('en', { granularity: 'sentence' });
const split = (/** @type {string} */ text, language = 'en') => {
  const join = (/** @type {Iterable<string>} */ segments) => joinSentences(segments, language);
  return [...splitSentences(text, english, join)].map((part) => part.text);
};

test('sentences are separated, and nothing is lost between them', () => {
  const texts = [
    '',
    ' ',
    'a',
    'a b.',
    'A. B',
    'One. Two! Three?\n\nFour\r\n  five ',
    '\n\n',
    '\u2028x\u2029',
    'He said: "No." Then he left.',
    'a\u0085b\vc\fd',
    '...',
    '。你好。再见。',
    '\ud800. \udc00.',
  ];
  for (const text of texts) {
    assert.equal(
      [...splitSentences(text, english, joinSentences)]
        .map((part) => part.text + part.after)
        .join(''),
      text,
    );
  }
  assert.deepEqual(split('One. Two! Three?\n\nFour\r\n  five '), ['One.', 'Two!', 'Three?', 'Four', 'five']);
});

test('a line that needs no segmenter is one sentence to the segmenter of every language', () => {
  const bits = [...'abzAZ09éßñΩжשع中あกक़ा्ु\u0301 \u00a0\u3000\t,\'"()-–—‘’“”„«»:%&+=/;\u037e。！？….!?.!?'];
  const languages = ['en', 'de', 'el', 'ja', 'th', 'hi', 'fr', 'ar', 'zh-Hant', 'pt-BR'];
  const segmenters = languages.map((tag) => new Intl.Segmenter(tag, { granularity: 'sentence' }));
  let seed = 1;
  const random = (/** @type {number} */ below) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  let [without, asked] = [0, false];
  for (let i = 0; i < 20_000; i++) {
    const line = Array.from({ length: 1 + random(14) }, () => bits[random(bits.length - (i % 2) * 13)]).join('');
    const segmenter = segmenters[i % segmenters.length];
    asked = false;
    const spy = { segment: (/** @type {string} */ text) => ((asked = true), segmenter.segment(text)) };
    assert.equal([...splitSentences(line, spy)].map((part) => part.text + part.after).join(''), line);
    if (asked) continue;
    without++;
    assert.equal([...segmenter.segment(line)].length, 1, `${languages[i % languages.length]}: ${JSON.stringify(line)}`);
  }
  assert.ok(without > 5000 && without < 18_000, `${without}`);
});

test('abbreviations and initials end no sentence', () => {
  for (const text of [
    'Mr. Smith met Dr. Jones.',
    'J. S. Bach wrote it.',
    'See Fig. 3 and No. 7.',
    'It is 3.5 m long.',
    'Use e.g. Node.',
    'Prof. Dr. Meyer came, z. B. Today.',
  ])
    assert.deepEqual(split(text), [text]);
  assert.deepEqual(split('So did I. We left.'), ['So did I.', 'We left.']);
});

test('English abbreviations that may end a sentence do so before a word that begins one', () => {
  for (const text of ['The U.S. Army left.', 'At 5 p.m. Monday we met.', 'By 9 a.m. EST it is over.',
    'Apple Inc. CEO Cook spoke.'])
    for (const tag of ['en', '']) assert.deepEqual(split(text, tag), [text]);
  for (const [language, ...sentences] of [
    ['en', 'He lives in the U.S.', 'His sister does not.'], ['en', 'It began at 5 p.m.', 'The end was late.'],
    ['en', 'They sold Apple Inc.', 'Now they are rich.'], ['de', 'Er war in den U.S.', 'Danach kam er.'],
    ['en', 'It ends at 5 p.m.', 'Please be on time.'], ['en', 'Doors open at 7 p.m.', 'Tickets are free.'],
    ['en', 'He went to the U.S.', 'Mr. Smith stayed.'], ['en', 'She likes the U.K.', 'Don\u2019t you?'],
    ['en', 'It is from the E.U.', 'Because of that we came.'], ['en', 'They left the U.N.', 'Are you sure?'],
  ])
    assert.deepEqual(split(sentences.join(' '), language), sentences);
});

test('German ordinals, and abbreviations before a number, end no sentence', () => {
  for (const [language, text] of [
    ['de', 'Rotterdam, 12. März 2027'], ['de-AT', 'Im 19. Jahrhundert war das so.'], ['de', 'Das 2. Jahrtausend'],
    ['de', 'Vom 3. bis zum 5. Mai ist zu.'], ['de', '1. Kapitel'], ['', 'Rotterdam, 12. März 2027'],
    ['en', 'Your order no. 40-7718 of May 5'], ['es', 'Según el art. 5 no es así.'], ['en', 'Call tel. 555 0162.'],
    ['es', 'Cuesta aprox. 5 \u20ac.'], ['fr', 'Cela co\u00fbte env. 50 \u20ac.'], ['en', 'Upload max. 10 MB.'],
    ['de', 'Bis zum vollendeten 14. Lebensjahr'], ['pt', 'Veja a p\u00e1g. 5.'], ['fr', 'RDV ven. 12/05.'],
    ['en', 'On Thu. 5 May we meet.'], ['en', 'Under art. 6 GDPR it is so.'],
  ])
    assert.deepEqual(split(text, language), [text]);
  for (const [language, ...sentences] of [
    ['de', 'Er wurde 12.', 'Danach ging er.'], ['de', 'Es war 2012.', 'Mai war kalt.'],
    ['en', 'I said no.', 'Forty came.'], ['de', 'Er wurde 12.', 'Jan kam.'], ['en', 'He turned 12.', 'Jan is older.'],
    ['en', 'We were 12.', 'Adventure was all.'], ['de', 'Es waren 12.', 'Teilweise ging es.'],
    ['fr', 'Il fait partie des 27.', 'Elle ne vient pas.'], ['en', 'We roll the die 12.', 'Tag is fun.'],
    ['de', 'Er kam Montag, dem 12.', 'Sie ging.'],
  ])
    assert.deepEqual(split(sentences.join(' '), language), sentences);
});

test('German ordinals in Roman numbers, and abbreviations with a capital, end no sentence', () => {
  for (const text of ['Heinrich VIII. Tudor war K\u00f6nig.', 'Im II. Weltkrieg', 'Wilhelm I. Hohenzollern kam.',
    'Zzgl. Versand und ggf. Zoll', 'Evtl. Montag, vgl. Kapitel IV. Absatz 2'])
    assert.deepEqual(split(text, 'de'), [text]);
  for (const [language, ...sentences] of [
    ['de', 'Das ist Heinrich VIII.', 'Er war K\u00f6nig.'], ['de', 'Siehe Teil II.', 'Dort steht es.'],
    ['en', 'He met Henry VIII.', 'Tudor kings ruled.'], ['', 'So did I.', 'We left.'],
    ['de', 'Es gilt Artikel XX.', '\u201eNiemand darf\u2026\u201c'],
  ])
    assert.deepEqual(split(sentences.join(' '), language), sentences);
});

test('German abbreviations of letters, ordinals behind "mein", and days and volumes end no sentence', () => {
  for (const [language, text] of [
    ['de', 'i.H.v. 5 Euro, i.d.R. Montag, o.g. Punkte, m.E. Montag'], ['de', 'Der Dipl.-Ing. Meier'],
    ['de', 'Sein 2. Buch'],
    ['de', 'Mein 1. Versuch und ihr 3. Kind'], ['de', 'Mo-Fr 9-18 Uhr, Sa. 10-14 Uhr'], ['de', 'Max. 5 Personen'],
    ['en', 'On Sat. 5 May, see Vol. II of it.'], ['en', 'Min. 8 GB incl. 2 DVDs'],
    ['en', 'Ask Thomas, a.k.a. Tom'], ['en', 'Order nr. 5'], ['fr', 'Le 5 janv. 2024'],
    ['fr', 'Le sam. 6/7, ou juil. 2024'], ['fr', 'Une ville, par ex. Lyon'], ['fr', 'Une ville (ex. Paris)'],
    ['fr', 'Une ville, p.ex. Paris'],
    ['fr', 'Ste. Marie'], ['es', 'Cap. IV, vol. II, el 3 dic. 2024'],
  ])
    assert.deepEqual(split(text, language), [text]);
  for (const [language, ...sentences] of [
    ['de', 'Siehe s.o.', 'Danke.'], ['de', '\u00c4pfel u.\u00e4.', 'Danach Birnen.'], ['de', 'Und so o.\u00e4.', 'Ja.'],
    ['de', 'Er ist der 5.', 'Er freut sich.'], ['de', 'Er macht das so.', '10 Leute kamen.'],
    ['en', 'I said no.', 'I think so.'], ['en', 'He sat.', '10 Kings came.'], ['fr', 'Il vient mar.', 'Elle non.'],
  ])
    assert.deepEqual(split(sentences.join(' '), language), sentences);
});

test('abbreviations of four languages, dates and quotations end no sentence', async () => {
  const texts = {
    en: ['I. e. Sen. Brown of Mt. Everest and Messrs. Lee.', 'It was on Nov. 3 or Dec. 4.',
      'Ask Smith et al. They know.', 'He came (really!) and left.', '"Are you ok?" she asked.',
      'Enter the Serial No. List.'],
    de: ['Bzgl. Ihrer Anfrage an Hrn. Meier', 'Die Fa. M\u00fcller & Co. KG', 'Abb. 3 und Kap. 4', 'Goethestr. 12',
      'Am 12. 3. 2024 kam er.', 'Am 31. Dez. 2023', 'Die 3. Frage', 'Beim 2. Weltkrieg', 'Mo.\u2013Fr. 9 Uhr',
      '\u201eKomm!\u201c sagte er.'],
    fr: ['MM. Dupont et Mgr. Petit', 'au 5, av. Foch', 'T\u00e9l. 01', '\u00ab Bonjour\u00a0! \u00bb dit-il.',
      '\u00ab Quoi\u202f?\u202f\u00bb', '\u00ab Oui ! \u00bb, dit-il.', 'Il dit \u00ab Quoi ? \u00bb.'],
    es: ['P. ej. Madrid', 'EE. UU.',
      'La Srta. P\u00e9rez, la Dra. Gil y D\u00f1a. Ana', 'P\u00e1g. 5, n\u00fam. 6', 'Av. Libertad'],
  };
  for (const [language, own] of Object.entries(texts)) {
    for (const text of own) for (const tag of [language, '']) assert.deepEqual(split(text, tag), [text]);
  }
  for (const [language, ...sentences] of [
    ['es', 'Habla con Ud.', 'Ma\u00f1ana voy.'], ['es', 'Gana 5 aprox.', 'Ella no.'], ['es', 'Vamos al.', 'No.'],
    ['en', 'I said No.', 'He left.'], ['es', 'Llega el Sa.', 'Ella no.'], ['it', 'Vengo lt.', 'Lei no.'],
  ])
    assert.deepEqual(split(sentences.join(' '), language), sentences);
  for (const sentences of [
    ['Is it 5?', 'No.', 'It is 6.'], ['I changed my mind.', 'He left.'], ['Er wurde 12.', 'Maike kam.'],
    ['\u00ab Salut.\u00a0\u00bb', 'Elle part.'], ['\u00ab Quoi ? \u00bb.', 'Oui.'],
    ['Il crie\u00a0: \u00ab Viens ! \u00bb', '\u00ab Oui. \u00bb'],
    ['Er ging.', '\u00bbHalt!\u00ab', 'Sie kam.'], ['"Yes!"', 'He left.'], ['is it?', 'yes!', 'good.'],
  ])
    assert.deepEqual(split(sentences.join(' ')), sentences);
  const detailed = await translator.translateDetailed('Ask Sen. Brown. He knows.');
  assert.deepEqual(detailed.map(({ source }) => source), ['Ask Sen. Brown.', 'He knows.']);
  // by the rules of its own language, English, which has no such ordinals
  const two = await translator.translateDetailed('He is 12. Mai Lee is 13.');
  assert.deepEqual(two.map(({ source }) => source), ['He is 12.', 'Mai Lee is 13.']);
});

test('marks before the text of a line belong to no sentence', async () => {
  for (const [lead, text] of [
    ['- ', 'milk'], ['  * ', 'a child'], ['## ', 'The second part'], ['>> ', 'Yes.'], ['> - [ ] ', 'Buy milk.'],
    ['// ', 'Adds one.'], ['\u2013 ', 'No.'], ['a) ', 'Open it.'], ['(12) ', 'Go.'], ['\t+ ', 'one'],
  ]) {
    assert.deepEqual([...splitSentences(`One.\n${lead}${text}`, english)],
      [{ text: 'One.', after: `\n${lead}` }, { text, after: '' }]);
  }
  // a term of a glossary belongs to the text
  for (const [text, term, lead] of [
    ['-> go', '->', ''], ['# 5', '#', ''], ['5) apples', '5', ''], ['- 5) apples', '5) apples', '- '],
    ['15) apples', '5', '15) '], ['a) apples', 'apples', 'a) '],
  ]) {
    const [first, second = first] = splitSentences(text, english, undefined, leadEnder([[term, 'x']]));
    assert.deepEqual([first === second ? '' : first.after, second.text], [lead, text.slice(lead.length)]);
  }
  for (const keep of [true, false]) {
    for (const [text, glossary, wanted] of /** @type {[string, Record<string, string>, RegExp][]} */ ([
      ['-> go', { '->': '\u2192' }, /\u2192/], ['# 5', { '#': 'Nr.' }, /^Nr\. 5$/],
      ['5) apples', { 5: 'f\u00fcnf' }, /^f\u00fcnf/],
    ]))
      assert.match(await translator.translate(text, { glossary, keep }), wanted, text);
  }
  // more marks than the stack of the engine has room for
  for (const sign of ['- ', '-', ' ', '- \t']) {
    const line = `${sign.repeat(8e6 / sign.length)}x`;
    const parts = [...splitSentences(line, { segment: (text) => /** @type {any} */ ([{ segment: text, index: 0 }]) })];
    assert.equal(parts.map(({ text, after }) => text + after).join(''), line);
  }
  for (const text of ['-5 degrees', '*one* word', '#tag', '[xx] y', '(I think) so', '(ab) c', '---', '5 + 3']) {
    assert.deepEqual(split(text), [text]);
  }
});

test('what ends a sentence as an ordinary word, or before a word that begins one, joins nothing', () => {
  for (const [language, ...sentences] of [
    // no Roman numbers
    ['en', 'No.', "I'm tired."], ['en', 'Never mind.', 'I\u2019ll do it.'], ['en', 'I love art.', "I've two dogs."],
    ['fr', "C'est un art.", "L'homme est l\u00e0."], ['it', 'Ho detto no.', "L'ho visto."], ['en', 'No.', 'I, too.'],
    ['en', 'He said no.', 'X is wrong.'], ['de', 'Sie kam im Mai.', 'XL passt.'],
    // before German words that begin sentences
    ['de', 'Das ist o.k.', 'Wir gehen.'], ['de', 'Er ist im Sportverein e.V.', 'Die Beitr\u00e4ge sind hoch.'],
    ['de', '\u00c4pfel, Birnen u.s.w.', 'Danach Nelken.'], ['de', 'Es gibt Rosen u.v.a.', 'Peter mag sie.'],
    ['de', 'Er mag Rosen u.a.m.', 'Tom nicht.'], ['de', 'Er ist Oberst a.D.', 'Er kam.'],
    ['de', 'Es entsteht ein Sog.', 'Das Wasser steigt.'], ['de', 'Er ist Dipl.-Ing.', 'Er arbeitet.'],
    ['de', 'Siehe Teil II.', 'Dies zeigt es.'], ['de', 'Ich trage XL.', 'Meine Schwester auch.'],
    ['de', 'Siehe Teil II.', 'Au\u00dferdem gilt es.'], ['de', 'Er ist der 5.', 'Welche sind es?'],
    ['', 'We came at 5 p.m.', 'We left.'],
    // days and months of other languages
    ['fr', 'C\u2019est un jeu.', '10 Fran\u00e7ais y sont.'], ['en', 'The light is dim.', '5 Germans left.'],
    ['en', 'He took off his cap.', '2 Germans came.'], ['en', 'It orbits the Sun.', '8 Planets do.'],
    ['fr', 'C\u2019est le vol.', '10 Anglais partent.'], ['es', 'Dijo que no.', '10 Alemanes vinieron.'],
    ['fr', 'Voil\u00e0 mon ex.', 'Paul arrive.'], ['en', 'He met King Jr.', 'They sang.'], ['en', 'Tom: No.', 'He left.'],
  ])
    assert.deepEqual(split(sentences.join(' '), language), sentences);
  for (const [language, text] of [
    ['en', 'See Vol. IV, Chap. II of it, Art. XII'], ['de', 'Siehe Kap. V, Abb. III'], ['fr', 'l\u2019art. V, chap. X'],
    ['en', 'On Wed. 5 May, Mar. 3'], ['de', 'Max Meier & Co. KG'], ['de', 'Der Dipl.-Ing. Meier z.B. Die Zeit'],
    ['fr', 'p. ex. Paris'], ['en', 'Sammy Davis Jr. Show'], ['en', 'See Vol. I, p. 5 of it.'],
    ['en', 'Serial No. A12 is wrong.'], ['en', 'Model No. I-500'], ['de', 'Das sind sog. Ein-Euro-Jobs.'],
    ['de', 'Das sog. Ich'],
  ])
    assert.deepEqual(split(text, language), [text]);
});

test('a run of marks comes back as it was typed, whatever the model counts', () => {
  for (const [source, target, wanted] of [
    ['Hello!!!', 'Hallo!!!!', 'Hallo!!!'], ['What?!', 'Was?', 'Was?!'], ['Well\u2026', 'Nun...', 'Nun\u2026'],
    ['Wait..', 'Warte.', 'Warte..'], ['Je t\u2019aime !!!', 'I love you!!', 'I love you!!!'],
    ['I love you!!', 'Je t\u2019aime ! ! !', 'Je t\u2019aime !!'], ['Oh no...', 'Oh non !', 'Oh non...'],
    ['The house \u2026', 'Das Haus...', 'Das Haus \u2026'], ['Oui...', 'Yes ...', 'Yes...'],
    ['"Stop!!!"', '\u201eHalt!!!!\u201c', '\u201eHalt!!!\u201c'], ['Yes!!! \u{1f389}', 'Ja! \u{1f389}', 'Ja!!! \u{1f389}'],
    ['Um 17 Uhr!!', 'At 5 p.m.!!!', 'At 5 p.m.!!'], ['Bier usw!!', 'Beer etc.!!', 'Beer etc.!!'],
    ['Bier usw!!', 'bi\u00e8re, etc. !!!', 'bi\u00e8re, etc. !!'],
    ['Hello!!! ;)', 'Hallo!!!! ;)', 'Hallo!!! ;)'], ['What?!', '\xbfQu\xe9!?', '\xbfQu\xe9?!'],
    ['What?!', '\xbf\xa1Qu\xe9!?', '\xbf\xa1Qu\xe9!?'], ['\xbf\xa1Qu\xe9!?', 'What?', 'What!?'],
    ['Well . . .', 'Nun . ..', 'Nun . . .'], ['\u7b49\u7b49!!!', 'Wait!', 'Wait!!!'],
    // a single mark is the model's, and so is what other scripts write
    ['Des pommes, etc. ?', 'Apples, etc.?', 'Apples, etc.?'], ['Bonjour M. !', 'Hello sir!', 'Hello sir!'],
    ['Hello!', 'Hallo.', 'Hallo.'], ['Really.', 'Echt!!', 'Echt!!'], ['At 5 p.m.!!', 'Um 17 Uhr!', 'Um 17 Uhr!'],
    ['What?!', '\u4ec0\u4e48\uff1f\uff01', '\u4ec0\u4e48\uff1f\uff01'], ['What?!', '\u03a4\u03b9;!', '\u03a4\u03b9;!'],
    ['Wait\u2026', '\u7b49\u7b49\u2026\u2026', '\u7b49\u7b49\u2026\u2026'],
    ['\u7b49\u7b49\u2026\u2026', 'Wait...', 'Wait...'], ['\u884c\u3053\u3046\u2026', 'Let us go.', 'Let us go.'],
    ['Hello!!!', 'Hallo', 'Hallo'], ['"So?!".', '\u201eUnd?\u201c.', '\u201eUnd?\u201c.'], ['!!!', '!', '!'],
  ])
    assert.equal(withRun({ text: source }, [{ text: target }])[0].text, wanted, source);
  for (const second of ['Hallo!!!!', 'Hallo!!!']) {
    const alike = ['Hallo!!', second, 'Hi!!'].map((text) => ({ text }));
    assert.deepEqual(withRun({ text: 'Hello!!!' }, alike).map(({ text }) => text), ['Hallo!!!', 'Hi!!!']);
  }
  const smile = { text: ':-)', start: 9, end: 12, targetStart: 10, targetEnd: 13 };
  assert.deepEqual(withRun({ text: 'Hello!!! :-)' }, [{ text: 'Hallo!!!! :-)', kept: [smile] }]),
    [{ text: 'Hallo!!! :-)', kept: [{ ...smile, targetStart: 9, targetEnd: 12 }] }]);
  // terms of a glossary and kept parts are exact, in the source and in the target
  for (const [start, end, targetStart, targetEnd] of [[0, 3, 0, 7], [0, 6, 0, 3]]) {
    const wow = { text: 'Wau!!!!', glossary: [{ start, end, targetStart, targetEnd }] };
    assert.deepEqual(withRun({ text: 'Wow!!!' }, [wow]), [wow]);
  }
  const spread = { text: 'Use {...}', kept: [{ start: 4, end: 9 }] };
  assert.equal(withRun(spread, [{ text: 'Mit {...} arbeiten.' }])[0].text, 'Mit {...} arbeiten.');
});

test('runs of marks in every way of asking', async () => {
  for (const text of ['I love you ! ! ! Really ?!', 'Well . . .', 'I love you!!! :D', 'We are here!!! \u2764\ufe0f']) {
    for (const keep of [true, false]) {
      const target = await translator.translate(text, { keep });
      assert.equal((await collect(translator.translateStreaming(text, { keep }))).join(''), target);
      // other sentences of the call change nothing
      assert.equal((await translator.translate([text, 'What?!'], { keep }))[0], target);
    }
  }
  for (const text of ['Hello!!!', 'I love you!! Really?!', 'He said: "Stop!!!"', 'Well\u2026', 'Wait.. Come here....']) {
    const target = await translator.translate(text);
    assert.equal((await collect(translator.translateStreaming(text))).join(''), target);
    assert.deepEqual(target.match(/[!?.\u2026]+/g), text.match(/[!?.\u2026]+/g), target);
    const detailed = await translator.translateDetailed(text);
    assert.equal(detailed.map((sentence) => sentence.target).join(' '), target);
    for (const { target: own, targetTokens, targetWords } of detailed) {
      // the tokens of words have their places, and none is outside of the text
      for (const word of targetWords) {
        const isIn = targetTokens.some(({ start, end }) => start <= word.start && end > word.start);
        assert.ok(isIn, `${own}: ${word.text}`);
      }
      assert.ok(targetTokens.every(({ end = 0 }) => end <= own.length), own);
    }
    assert.equal(await translator.translateHtml(`<p>${text}</p>`), `<p>${target}</p>`);
    assert.match(await translator.translateHtml(`<p><b>${text}</b></p>`), /[!?.\u2026]+["\u201c]?<\/b><\/p>$/);
  }
});

test('control characters become no words', async () => {
  const plain = await translator.translate('The house is big.');
  for (const control of ['\0', '\x01', '\x1b', '\x7f', '\x92']) {
    for (const keep of [true, false]) {
      const text = `The${control}house is big.`;
      assert.equal(await translator.translate(text, { keep }), plain);
      const [{ source, sourceTokens }] = await translator.translateDetailed(text, { keep });
      assert.equal(source, text);
      const tokens = sourceTokens.map(({ start, end }) => text.slice(start, end));
      assert.ok(tokens.some((token) => /^.house$/.test(token)), tokens.join('|'));
    }
    assert.equal(await translator.translate(control), control);
    assert.equal(await translator.translate(`${control}\nThe house is big.`), `${control}\n${plain}`);
  }
});

test('windows see what a whole line shows', () => {
  const line = Array.from({ length: 900 }, (_, i) => `This is sentence ${i}, no more.`).join(' ');
  assert.equal(split(line).length, 900);
  assert.deepEqual(split('x'.repeat(10_000)), ['x'.repeat(10_000)]);
});

test('cuts: a clause, a space, a character', () => {
  const cut = (/** @type {string} */ text, /** @type {number} */ limit) => text.slice(0, findCut(text, limit));
  assert.equal(cut('one two, three four five', 12), 'one two,');
  assert.equal(cut('one, two three four five', 20), 'one, two three four ');
  assert.equal(cut('abcdefghij', 4), 'abcd');
  assert.equal(cut('ab\u0301cd', 2), 'a');
  assert.equal(cut('a👩‍👩‍👧b', 5), 'a');
  assert.equal(cut('𝒳𝒳', 1).length, 1, 'progress is made whatever the limit');
  assert.equal(cut('𝒳𝒳𝒳', 3), '𝒳');
});

test('alignment follows the heads that config.json names', async () => {
  const align = async (heads) => {
    const files = changeJson(readFiles(SHIPPED), 'config.json', (config) => ({ ...config, alignment_heads: heads }));
    const options = { sourceLanguage: 'en', targetLanguage: 'de', model: files };
    const translator = await Translator.create(options);
    const [found] = await translator.translateDetailed('The old dog sleeps in the green house near the river.',
      { attention: true });
    translator.destroy();
    return found;
  };
  const { attention, alignment: all } = await align(undefined);
  const [layers, heads, T, S] = attention.cross.shape;
  const maxima = (list) =>
    Int32Array.from({ length: T }, (_, t) => {
      const sums = Array.from({ length: S }, (_, s) =>
        list.reduce((sum, [l, h]) => sum + attention.cross.data[((l * heads + h) * T + t) * S + s], 0));
      return sums.indexOf(Math.max(...sums));
    });
  const every = Array.from({ length: layers * heads }, (_, i) => [Math.floor(i / heads), i % heads]);
  assert.deepEqual(all, maxima(every));
  const lists = [[[layers - 1, 0]], [[0, 1], [layers - 1, heads - 1]]];
  for (const list of lists) assert.deepEqual((await align(list)).alignment, maxima(list));
  assert.equal(new Set([every, ...lists].map((list) => maxima(list).join())).size, 3, 'they differ');
  for (const wrong of [[], 7, [[layers, 0]], [[0, heads]], [[0, -1]], [[0]], [0, 1], [['0', 0]]])
    await assert.rejects(align(wrong), (error) =>
      error.status === 'HEED_E_CONFIG' &&
      /config\.json: alignment_heads: found .*, expected \[\[layer, head\]/.test(error.message));
});
