// text-limits.test.js - texts of any size and kind through the Translator: none, as long as there is room for and
// longer, a megabyte, marks, halves of characters, control tokens; and translations that do not end by themselves.
import test, { after } from 'node:test';
import assert from 'node:assert/strict';
import { Tokenizer, Transformer, Translator } from '../js/index.js';
import { SHIPPED, TINY } from './model-files.js';

const PAIR = { sourceLanguage: 'en', targetLanguage: 'de' };
const translator = await Translator.create({ ...PAIR, model: SHIPPED });
after(() => translator.destroy());

/** Tokens of the longest source that a Translator takes as one. */
const LONGEST = 128;
/** A text of n tokens, </s> and the token of the language included. @param {number} n */
async function textOf(n) {
  const others = (await translator.tokenize('house')).ids.length - 1;
  const text = Array(n - others).fill('house').join(' ');
  assert.equal((await translator.tokenize(text)).ids.length, n);
  return text;
}

/** @param {string} text @param {object} [options] */
async function streamed(text, options) {
  let all = '';
  for await (const piece of translator.translateStreaming(text, options)) all += piece;
  return all;
}

test('0, 1, most and most + 1 tokens', async () => {
  for (const nothing of ['', ' ', '\n\t\r\n', '\u3000', '\u00a0']) {
    assert.equal(await translator.translate(nothing), nothing);
    assert.equal(await streamed(nothing), nothing);
    assert.deepEqual(await translator.translateDetailed(nothing), []);
    assert.equal(await translator.measureInputUsage(nothing), 0);
  }
  assert.deepEqual(await translator.translate([]), []);
  assert.match(await translator.translate('house'), /[Hh]aus/);

  for (const [n, parts] of [[LONGEST - 1, 1], [LONGEST, 1], [LONGEST + 1, 2], [2 * LONGEST + 2, 3]]) {
    const text = await textOf(n);
    const detailed = await translator.translateDetailed(text, { maxTokens: 8 });
    assert.equal(detailed.length, parts, `${n} tokens`);
    assert.ok(detailed.every(({ sourceTokens }) => sourceTokens.length <= LONGEST));
    assert.equal(detailed.map(({ source }) => source).join(' '), text, 'no word is lost');
    assert.equal(await translator.translate(text, { maxTokens: 8 }), detailed.map(({ target }) => target).join(' '));
  }
});

test('ids: 0, 1, most and most + 1 of them', async (t) => {
  const model = await Transformer.load(TINY);
  t.after(() => model.dispose());
  const most = Number(model.config.max_position_embeddings);
  const ids = (/** @type {number} */ n) => Array.from({ length: n }, (_, i) => 3 + (i % 50));
  for (const n of [1, most]) {
    assert.equal(model.encode(ids(n)).shape[0], n);
    assert.equal(model.forward(ids(n), ids(n)).logits.shape[0], n);
    assert.deepEqual(model.attention(ids(n), ids(n)).cross.shape.slice(2), [n, n]);
    assert.equal(model.generate([ids(n)], { maxTokens: most }).length, 1);
  }
  const said = model.generate([ids(5)]);
  const whole = `expected 1 to ${most}$`;
  for (const n of [0, most + 1, 1e6]) {
    const wrong = { status: 'HEED_E_LENGTH', message: new RegExp(`: found ${n} ids, ${whole}`) };
    assert.throws(() => model.encode(ids(n)), wrong);
    assert.throws(() => model.forward(ids(n), ids(1)), wrong);
    assert.throws(() => model.forward(ids(1), ids(n)), wrong);
    assert.throws(() => model.attention(ids(1), ids(n)), wrong);
    assert.throws(() => model.generate([ids(1), ids(n)]), wrong);
  }
  assert.deepEqual(model.generate([ids(5)]), said);
});

test('an eighth of a megabyte: work in proportion, with and without spaces, and of marks', async (t) => {
  // what is counted: texts handed to the tokenizer, which text.test.js shows to be linear itself, and their length
  const { encode } = Tokenizer.prototype;
  const work = { calls: 0, units: 0 };
  Tokenizer.prototype.encode = function (text, options) {
    work.calls++;
    work.units += text.length;
    return encode.call(this, text, options);
  };
  t.after(() => void (Tokenizer.prototype.encode = encode));
  const letters = 'etaoinshrdlu';
  /** @type {Record<string, (n: number) => string>} */
  const texts = {
    sentences: (n) => 'The house is small. Where is it? '.repeat(n / 32).slice(0, n),
    'one sentence': (n) => 'and the house is small '.repeat(n / 22).slice(0, n),
    'no space': (n) => Array.from({ length: n }, (_, i) => letters[(i * 7919 + i * i) % 12]).join(''),
    'one letter': (n) => 'a'.repeat(n),
    'no white space, many sentences': (n) => '\u5bb6\u306f\u5c0f\u3055\u3044\u3002'.repeat(n / 6),
    lines: (n) => 'a\n'.repeat(n / 2),
    'white space': (n) => ` ${' '.repeat(n - 2)}a`,
  };
  for (const [name, make] of Object.entries(texts)) {
    for (const n of [1 << 14, 1 << 17]) {
      const text = make(n);
      Object.assign(work, { calls: 0, units: 0 });
      const tokens = await translator.measureInputUsage(text);
      const given = `${work.calls} texts of ${work.units} units`;
      t.diagnostic(`${name}: ${n} units, ${tokens} tokens: ${given} to the tokenizer`);
      // the whole, its parts, and parts of those that are too long by themselves
      assert.ok(work.units <= 4 * n, `${name}: ${work.units} units of ${n} were read`);
      // white space is no token
      assert.ok(tokens >= (name === 'white space' ? 1 : n / 64), `${name}: ${tokens} tokens`);
    }
  }
  const marks = `e${'\u0301'.repeat(100_000)}`;
  assert.ok(await translator.measureInputUsage(marks) > 1000);
  assert.ok(work.units <= 4 * (1 << 17));
});

test('100,000 combining marks are tokens like others', async () => {
  const marks = `e${'\u0301'.repeat(100_000)} house`;
  const { ids, offsets } = await translator.tokenize(marks);
  assert.equal(offsets.at(-1), marks.length);
  assert.ok(offsets.every((end, i) => i === 0 || end >= offsets[i - 1]), 'in order');
  assert.equal(ids.at(-1), translator.config.eos_token_id);
  const few = `e${'\u0301'.repeat(300)} house`;
  const detailed = await translator.translateDetailed(few);
  assert.equal(detailed.map(({ source }) => source).join('').replaceAll(' ', ''), few.replaceAll(' ', ''),
    'none is lost');
});

test('a word of a thousand letters is no word: it is kept, and what stands around it is translated', async () => {
  const words = ['a'.repeat(1500), 'xqzjv'.repeat(300), '\u00df'.repeat(1500), '0'.repeat(1500), 'haha'.repeat(400),
    'a-'.repeat(750), 'Zm9v+/Ymd=='.repeat(150)];
  for (const word of words) {
    assert.ok(await translator.translate(word) === word);
    assert.ok(await streamed(word, { beams: 2 }) === word);
    const text = `I love you. ${word} Good morning. Look at ${word}, please.`;
    const said = await translator.translate(text);
    assert.ok(said.startsWith(`${await translator.translate('I love you.')} ${word} `), said.slice(0, 40));
    assert.equal(said.split(word).length, 3);
    assert.ok(await streamed(text) === said);
    const detailed = await translator.translateDetailed(text);
    const kept = detailed.filter(({ source }) => word.includes(source));
    assert.ok(kept.map(({ target }) => target).join('') === word + word);
    // of what is kept the model says nothing but its end: the work is that of the few words around
    const tokens = detailed.reduce((sum, { targetTokens }) => sum + targetTokens.length, 0);
    assert.ok(tokens < detailed.length + 60, `${tokens} tokens of ${detailed.length} parts`);
    for (const { source, start } of detailed) assert.equal(text.slice(start, start + source.length), source);
  }
  // scripts that do not part words are translated, however long
  const han = await translator.translateDetailed('\u5bb6\u306f\u5c0f\u3055'.repeat(60), { maxTokens: 4, keep: false });
  assert.ok(han.length > 1 && han.every(({ targetTokens }) => targetTokens.length === 4));
  const [first] = await translator.translateDetailed(`the car ${words[0]} park`, { glossary: { 'car park': 'x' } });
  assert.equal(first.glossary, undefined, 'not a term');
});

test('a megabyte is translated from its first sentence on, and an abort stops it at once', async () => {
  const text = 'The house is small. '.repeat(50_000);
  const reader = translator.translateStreaming(text).getReader();
  const first = await reader.read();
  assert.match(String(first.value), /\S/);
  await reader.cancel();
  assert.match(await translator.translate('house'), /[Hh]aus/);
});

test('halves of characters, NUL, and what no text should hold are translated, and the next text as before',
  async () => {
    const before = await translator.translate('The house is small.');
    const odd = [
      '\ud83d', '\ude00', '\ude00\ud83d', 'a\ud83d b', '\udbff\ud83d\ude00', '\0', 'a\0b', '\0'.repeat(200),
      '\ufeffhouse', '\uffff', '\ufffd', '\u202ehouse', '\u200b', '\x1b[31m', '\u2028\u2029', 'e\u0301',
      '\u{10ffff}', '\u0600', '\ufdfa'.repeat(20),
    ];
    for (const text of odd) {
      const said = await translator.translate(text, { maxTokens: 40 });
      assert.equal(typeof said, 'string');
      assert.equal(await streamed(text, { maxTokens: 40 }), said, JSON.stringify(text));
      for (const { source, start } of await translator.translateDetailed(text, { maxTokens: 40 })) {
        assert.equal(text.slice(start, start + source.length), source);
      }
      assert.equal(await translator.translate('The house is small.'), before, `after ${JSON.stringify(text)}`);
    }
  });

test('what reads like a control token is text', async () => {
  const { eos_token_id: eos, pad_token_id: pad } = translator.config;
  for (const text of ['</s>', '<pad>', '<unk>', '<s>', '>>deu<<', 'a </s> b', '</s></s></s>', '<0x41>', '\u2581</s>']) {
    const { ids } = await translator.tokenize(text);
    assert.ok(ids.length > 1, text);
    assert.deepEqual([...ids].filter((id) => id === eos || id === pad), [eos], `${text}: the one end is ours`);
    assert.equal(ids.at(-1), eos);
    for (const { targetTokens, finished } of await translator.translateDetailed(text)) {
      const ends = targetTokens.filter(({ id }) => id === eos).length;
      assert.equal(ends, Number(finished), text);
    }
  }
});

// ---------------------------------------------------------------- what does not end by itself

/** This model goes on with these for ever. */
const LOOPS = ['ha'.repeat(24), 'ha'.repeat(40), 'ho'.repeat(24), 'na'.repeat(40)];

test('what loops is cut, says so, and is the same in every way of asking', async () => {
  const greedy = { beams: 1 };
  const longest = (/** @type {number} */ source) => 32 + 4 * source;
  for (const text of LOOPS) {
    const [free] = await translator.translateDetailed(text, { ...greedy, cutRunaways: false, maxTokens: 250 });
    assert.ok(!free.finished && free.targetTokens.length === 250, `${text}: there is something to cut`);
    const [cut] = await translator.translateDetailed(text, greedy);
    const n = cut.targetTokens.length;
    assert.equal(cut.finished, false, text);
    assert.ok(n < longest(cut.sourceTokens.length), `${n}`);
    assert.deepEqual(cut.targetTokens.map(({ id }) => id), free.targetTokens.slice(0, n).map(({ id }) => id));
    assert.ok(free.target.startsWith(cut.target));
    assert.equal(await translator.translate(text, greedy), cut.target);
    assert.equal(await streamed(text, greedy), cut.target);
    const [first, , last] = await translator.translate(['house', 'The house is small.', text], greedy);
    assert.deepEqual([first, last], [await translator.translate('house', greedy), cut.target], 'in a batch');
    const [wide] = await translator.translateDetailed(text, { beams: 4 });
    assert.ok(wide.targetTokens.length <= longest(wide.sourceTokens.length), text);
  }
  // a limit of one's own holds too, and so does a least length
  const [short] = await translator.translateDetailed(LOOPS[0], { ...greedy, maxTokens: 10 });
  assert.deepEqual([short.targetTokens.length, short.finished], [10, false]);
  const [long] = await translator.translateDetailed(LOOPS[0], { ...greedy, minTokens: 120 });
  const n = long.targetTokens.length;
  assert.ok(n >= 120 && n <= 120 + longest(long.sourceTokens.length), `${n}`);
});

test('a translation that repeats itself like its source is not stopped', async () => {
  const texts = [
    'no no no no no no', 'no, no, no, no, no, no!', 'no '.repeat(50), 'Ha ha ha ha ha ha ha ha ha ha ha ha!',
    'very '.repeat(20), '1 1 1 1 1 1 1 1', '1000000000000000000000', '!'.repeat(60),
    '. '.repeat(20), '.'.repeat(30), '0'.repeat(100), 'The the the the the the the the the the',
    'Bla bla bla bla bla bla bla bla bla bla bla bla bla bla bla bla bla.',
    'Row, row, row your boat, gently down the stream, merrily, merrily, merrily, merrily, life is but a dream.',
  ];
  for (const beams of [1, 3]) {
    const free = await translator.translate(texts, { beams, cutRunaways: false });
    const cut = await translator.translate(texts, { beams });
    assert.deepEqual(cut, free);
    for (const text of texts) {
      for (const { finished } of await translator.translateDetailed(text, { beams })) assert.ok(finished, text);
    }
  }
});

test('what must be long may still end', async () => {
  const [{ finished, targetTokens }] = await translator.translateDetailed('Hello.', { minTokens: 60 });
  assert.deepEqual([finished, targetTokens.length > 60], [true, true]);
});

test('cutRunaways: the default of a Translator, in a worker too; an option of generate()', async (t) => {
  const wrong = { name: 'TypeError', message: "cutRunaways: found 'yes', expected true or false" };
  await assert.rejects(translator.translate('a', /** @type {any} */ ({ cutRunaways: 'yes' })), wrong);
  const there = await Translator.create({ ...PAIR, model: SHIPPED, worker: true });
  t.after(() => there.destroy());
  assert.equal(await there.translate(LOOPS[0]), await translator.translate(LOOPS[0]));
  const model = await Transformer.load(SHIPPED);
  t.after(() => model.dispose());
  const { ids } = model.tokenizer.encode(LOOPS[0], { language: 'de' });
  const [[plain]] = model.generate([ids], { beams: 1, maxTokens: 250 });
  assert.deepEqual([plain.ids.length, plain.finished], [250, false]);
  const [[cut]] = model.generate([ids], { beams: 1, maxTokens: 250, cutRunaways: true });
  assert.ok(cut.ids.length < 150 && !cut.finished);
  assert.equal(model.tokenizer.decode(cut.ids), await translator.translate(LOOPS[0], { beams: 1 }));
});
