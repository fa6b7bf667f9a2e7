// keep-translate.test.js - what passes through a translation comes out as often as it stands in the source, in every
// way of asking, and nothing else changes. Any model will do.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Translator } from '../js/index.js';
import { findKept } from '../js/text/keep.js';
import { mayKeep, split } from '../js/text/split.js';
import { changeJson, readFiles, SHIPPED } from './model-files.js';
import { readCases } from './score/copy.js';

const options = { sourceLanguage: 'en', targetLanguage: 'de', model: SHIPPED };
const translator = await Translator.create(options);

/** @param {string} text */
const kept = (text, language = 'en') => findKept(text, language).map(({ start, end }) => text.slice(start, end));

test('the parts of a line are translated alone, with what divides them as it is', async () => {
  const parts = ['The house', 'My account', 'Two dogs', 'A small cat.'];
  const alone = await translator.translate(parts);
  const line = `| ${parts.join(' \u00b7 ')} \u2022 ${parts[0]} | `;
  const expected = `| ${alone.join(' \u00b7 ')} \u2022 ${alone[0]} | `;
  assert.equal(await translator.translate(line), expected);
  assert.equal(await translator.translateHtml(`<p>${line}</p>`), `<p>${expected}</p>`);
  assert.equal(await translator.translateHtml('<a>The house</a> | <b>My <i>account</i></b>'),
    `<a>${alone[0]}</a> | <b>${alone[1].replace(/(\S+)$/, '<i>$1</i>')}</b>`);
  let streamed = '';
  for await (const piece of translator.translateStreaming(line)) streamed += piece;
  assert.equal(streamed, expected);
  assert.deepEqual((await translator.translateDetailed(line)).map(({ source, start }) => [source, start]),
    [...parts, parts[0]].map((part, i) => [part, line.indexOf(part, i === 4 ? 20 : 0)]));
  assert.equal(await translator.translate(`# ${parts.join('\t')}\n-----${parts[2]}-----\n- ${parts[0]} ........ 5`),
    `# ${alone.join('\t')}\n-----${alone[2]}-----\n- ${alone[0]} ........ 5`);
});

test('with keep: false nothing divides a line; a term may hold what divides, and none goes across it', async () => {
  const line = 'Home | News';
  const [plain, ofModel] = [await translator.translate(line), await translator.translate(line, { keep: false })];
  assert.notEqual(ofModel, plain);
  assert.equal(await translator.translateHtml(`<p>${line}</p>`, { keep: false }), `<p>${ofModel}</p>`);
  assert.equal(await translator.translate(line, { glossary: { 'Home News': 'Heimatnachrichten' } }), plain);
  const glossary = { 'Yes | No': 'Ja | Nein', house: 'Bude' };
  assert.equal(await translator.translate('Yes | No', { glossary }), 'Ja | Nein');
  const house = await translator.translate('The house', { glossary });
  assert.match(house, /Bude/);
  const html = '<p>The house | <b>Yes | No</b> \u2022 The house</p>';
  assert.equal(await translator.translateHtml(html, { glossary }),
    `<p>${house} | <b>Ja | Nein</b> \u2022 ${house}</p>`);
  const [choice] = await translator.translateDetailed('Choose yes \u00b7 no today.',
    { glossary: { 'yes \u00b7 no': 'J/N' } });
  assert.equal(choice.glossary?.[0].exact, true);
});

test('a text that has something to keep is searched, one of plain words is not', () => {
  for (const { sentences } of readCases()) {
    for (const [language, text] of Object.entries(sentences)) {
      if (findKept(text, language).length > 0) assert.ok(mayKeep(text), text);
    }
  }
  for (const text of ['aa.bb', 'foo()', 'camelCase', ':-)', '\u4e2d', '<b>', '--x', '7', '\u0663', 'a\tb', 'a.....']) {
    assert.ok(mayKeep(text), text);
  }
  const plain = ['Is it so? He said: "Yes - or no!" (Maybe.)', '\u00c9t\u00e9 \u2026 \u2013 \u00abna\u00efve\u00bb'];
  for (const text of plain) {
    assert.ok(!mayKeep(text), text);
  }
});

const SENTENCES = [
  'Write to anna_lena99@example.org today.', 'Have a look at https://kochbuch.example.net/suppe/17?lang=en.',
  'Hello {name}, you have %d new messages.', 'Click <b>here</b> to go on.', 'My number is +49 30 5550 1734, call me.',
  'I love you \u{1f468}\u200d\u{1f469}\u200d\u{1f467}!', 'Open the file src/main.c in the evening.',
  'She said \u043f\u0440\u0438\u0432\u0435\u0442 to my brother.',
  'The code is KX-2048-B, and KX-2048-B is not new.', 'Run `make. Now` and wait.',
  'Ask @lena_bakes about #SlowSunday.',
  'In 1984 he was in camelCase().',
  '\u00a9 2024 Foo and all its friends.', 'Foo\u00ae and Foo-Bar\u2122 are here.',
  'See \u00a7 5 and \u00bd of it.', 'Call me at \u0660\u0661\u0662\u0663.',
];

test('each span comes out once for each time, in every way of asking', async () => {
  const alone = [];
  for (const source of SENTENCES) {
    const sentences = await translator.translateDetailed(source);
    const matches = sentences.flatMap((sentence) => (sentence.kept ?? []).map((match) => ({ ...match, sentence })));
    assert.deepEqual(matches.map(({ text }) => text), kept(source), source);
    for (const { text, start, end, targetStart, targetEnd, sentence } of matches) {
      assert.equal(sentence.source.slice(start, end), text);
      assert.equal(sentence.target.slice(targetStart, targetEnd), text, `${source} | ${sentence.target}`);
    }
    const target = await translator.translate(source);
    assert.equal(target, sentences.map((sentence) => sentence.target).join(''), source);
    for (const text of kept(source)) {
      assert.equal(target.split(text).length, source.split(text).length, `${source} | ${target}`);
    }
    alone.push(target);
  }
  assert.deepEqual(await translator.translate(SENTENCES), alone);
  const text = SENTENCES.join(' ');
  const whole = await translator.translate(text);
  let streamed = '';
  for await (const part of translator.translateStreaming(text)) streamed += part;
  assert.equal(streamed, whole);
  const worker = await Translator.create({ ...options, worker: true });
  assert.deepEqual(await worker.translate(SENTENCES), alone);
  assert.equal((await worker.translateDetailed(SENTENCES[0]))[0].kept?.[0].text, 'anna_lena99@example.org');
  worker.destroy();
});

test('a line of nothing else comes back without the model', async () => {
  const lines = ['https://example.org/a?b. \u{1f600}', '  {a} {b}  ', '+49 30 5550 1734', '<b></b>', '`x. y z`',
    '\u043f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440!',
    '\u0663\u0664\u0665', '\u0967\u0968\u0969.',
    'src/main.c', '```\nlet a = 1. Two\n```',
    '5', '(12)', '[3]:', '17.', '10:30', '3\u20135', '-7', '\u00b9', '*\u00b3', '12\t7', 'IV.', 'XL.',
    '00:00:01,000 --> 00:00:02,500'];
  for (const line of lines) {
    assert.equal(await translator.translate(line), line);
    assert.deepEqual(await translator.translateDetailed(line), [], line);
  }
  const text = `Good morning.\n${lines.join('\n')}\nGood morning.`;
  assert.equal(await translator.translate('5', { glossary: { 5: 'f\u00fcnf' } }), 'f\u00fcnf');
  for (const line of ['1,000', '5 %', '$5', '1 000', '3.5', '\u0967', 'I.']) {
    assert.equal((await translator.translateDetailed(line, { keep: false })).length, 1, line);
  }
  const morning = await translator.translate('Good morning.');
  assert.equal(await translator.translate(text), `${morning}\n${lines.join('\n')}\n${morning}`);
});

test('without such spans, and with keep: false, it is as if the option were not', async () => {
  const plain = 'Good morning. I love you, my friend.';
  const detailed = await translator.translateDetailed(plain, { beams: 3, nBest: 3 });
  assert.deepEqual(detailed, await translator.translateDetailed(plain, { beams: 3, nBest: 3, keep: false }));
  assert.ok(detailed.every((sentence) => !('kept' in sentence)));
  const url = 'https://example.org/a?b=c';
  const [free] = await translator.translateDetailed(url, { keep: false });
  assert.ok(free.targetTokens.length > 0 && !free.kept, 'the model is asked');
  assert.equal(await translator.measureInputUsage(url), await translator.measureInputUsage(url, { keep: false }));
  assert.ok(await translator.measureInputUsage(url) > 1);
  await assert.rejects(translator.translate('a', /** @type {any} */ ({ keep: 'no' })),
    { name: 'TypeError', message: "keep: found 'no', expected true or false" });
});

test('a free translation that has the span stays, with its other hypotheses', async () => {
  const source = 'The train left for Boston in 1984.';
  const [free] = await translator.translateDetailed(source, { keep: false, beams: 2, nBest: 2 });
  const [own] = await translator.translateDetailed(source, { beams: 2, nBest: 2 });
  assert.match(free.target, /1984/);
  assert.deepEqual([own.target, own.logProb], [free.target, free.logProb]);
  assert.deepEqual(own.alternatives, free.alternatives?.filter(({ text }) => text.split('1984').length === 2));
});

test('a glossary wins where it overlaps, and is content with what it was content with', async () => {
  const text = 'Ask AB-1234 or CD-5678 about the router.';
  const glossary = { 'AB-1234': 'Herrn XY', router: 'Datenverteiler' };
  const [{ target, kept: spans, glossary: terms }] = await translator.translateDetailed(text, { glossary });
  assert.deepEqual(spans?.map((span) => span.text), ['CD-5678']);
  assert.ok(terms?.every(({ exact }) => exact), target);
  assert.ok(/Herrn XY/.test(target) && /CD-5678/.test(target) && !/AB-1234/.test(target), target);
  assert.match(await translator.translate('AB-1234', { glossary }), /Herrn XY/);
  // what a glossary alone cannot do is an error; what passes through never is
  const many = Array.from({ length: 40 }, (_, i) => `x${i}y${i}, the`).join(' ');
  assert.equal(typeof await translator.translate(`We saw ${many} cat.`), 'string');
  for (let maxTokens = 1; maxTokens < 12; maxTokens++) {
    for (const source of SENTENCES.slice(0, 4)) {
      const [{ targetTokens }] = await translator.translateDetailed(source, { maxTokens });
      assert.ok(targetTokens.length <= maxTokens, `${targetTokens.length} tokens of ${maxTokens}`);
    }
  }
});

test('new tokens do not include the prefix, and scores are of the model without the disabled heads', async () => {
  const source = 'Please visit https://example.org/a/b today.';
  const [{ target, targetTokens }] = await translator.translateDetailed(source);
  const prefix = targetTokens.slice(0, 3).map(({ id }) => id);
  const [same] = await translator.translateDetailed(source, { prefix, maxTokens: targetTokens.length - 3 });
  assert.equal(same.target, target);
  const disabledHeads = [{ stack: /** @type {const} */ ('cross'), layer: 0, head: 0 }];
  const [own] = await translator.translateDetailed(source, { disabledHeads });
  assert.match(own.target, /https:\/\/example\.org\/a\/b/);
  const sum = own.targetTokens.reduce((all, { logProb }) => all + logProb, 0);
  // greedy search shares out the probabilities of what it forbids, such as the tokens of languages: these are small
  assert.ok(Math.abs(own.logProb - sum) < 0.01 * Math.abs(sum), `${own.logProb} is ${sum}`);
});

test('heed translate --no-keep', () => {
  const cli = fileURLToPath(new URL('../js/cli.js', import.meta.url));
  const heed = (/** @type {string[]} */ ...args) =>
    spawnSync(process.execPath, [cli, 'translate', ...args, '漢字 🦊'], { encoding: 'utf8' });
  const { status, stdout } = heed();
  assert.deepEqual([status, stdout], [0, '漢字 🦊\n']);
  const free = heed('--no-keep');
  assert.equal(free.status, 0);
  assert.notEqual(free.stdout, stdout);
});

test('keep: a sentence of many addresses has them all, in their order', async () => {
  const addresses = Array.from({ length: 8 }, (_, i) => `https://example.org/page${i}`);
  const text = await translator.translate(`See ${addresses.join(' and ')} for more.`);
  // an address may end the sentence: its full stop is not the address's
  assert.deepEqual(text.replace(/\.$/, '').match(/https?:\S+/g), addresses);
});

test('a row of emoji is as long as in the source, in a glossary too', async () => {
  const emoji = (/** @type {string} */ text) => text.replace(/\P{Extended_Pictographic}/gu, '');
  for (const text of ['Great job! \u{1f44f}\u{1f44f}\u{1f44f} See you.', `See you ${'\u{1f618}'.repeat(4)}`]) {
    assert.equal(emoji(await translator.translate(text)), emoji(text));
  }
  const glossary = { '\u{1f44f}': '\u{1f44d}' };
  const text = await translator.translate('Good morning \u{1f44f}\u{1f44f}', { glossary });
  assert.equal(emoji(text), '\u{1f44d}\u{1f44d}');
});

test('keep: words in foreign scripts get no others beside them, wherever they stand', async () => {
  const words = ['\u041f\u0440\u0438\u0432\u0435\u0442', '\u4f60\u597d', '\u05e9\u05dc\u05d5\u05dd'];
  const twins = ['@ means hello.', 'He said @ to my brother.', 'The word (@) means peace.', 'My name is @.'];
  for (const word of words) {
    for (const text of twins) {
      const source = text.replace('@', word);
      const [{ target, sourceTokens }] = await translator.translateDetailed(source);
      // as with a name that has a piece of its own
      const twin = await translator.translate(text.replace('@', 'X'), { keep: false });
      assert.equal(target.replace(word, 'X'), twin, source);
      const tokens = sourceTokens.map(({ start, end }) => source.slice(start, end));
      assert.ok(tokens.some((token) => token.trim() === word), tokens.join('|'));
      assert.equal(tokens.join(''), source);
    }
  }
  const [word] = words;
  // the parts that the caller keeps are read as what they are put back for
  for (const [part, text] of [
    [`<code>git</code> ${word}`, 'He said @ to me.'],
    [`<span translate="no">${word} and hello</span>`, 'He said @ to me.'],
    [`<span translate="no">the ${word} 5</span>`, 'The word @ means peace.'], [`<b>${word}</b>`, 'My name is @.'],
  ]) {
    const twin = await translator.translate(text.replace('@', 'X'), { keep: false });
    const html = `<p>${text.replace('@', part)}</p>`;
    assert.equal(await translator.translateHtml(html), `<p>${twin.replace('X', part)}</p>`);
  }
  // an alternative, if there is one, has not what the model read, and says the word once
  const [{ target: best, alternatives = [] }] =
    await translator.translateDetailed(`He said ${word} to my brother.`, { beams: 4, nBest: 4 });
  for (const text of [best, ...alternatives.map((other) => other.text)]) {
    assert.equal(text.split(word).length, 2, text);
    assert.doesNotMatch(text, /\bX\b/);
  }
  const models = fileURLToPath(new URL('with-english.json', import.meta.url));
  const pivot = await Translator.create({ sourceLanguage: 'de', targetLanguage: 'fr', models });
  assert.equal(pivot.steps.length, 2);
  const french = await pivot.translate(`Er sagte ${word} zu meinem Bruder.`);
  assert.equal(french.split(word).length, 2, french);
  assert.doesNotMatch(french, /\bX\b/);
  pivot.destroy();
  const two = `I like ${words[0]}, ${words[1]} \u{1f600} and X.`;
  const target = await translator.translate(two);
  for (const each of [words[0], words[1], '\u{1f600}', 'X']) assert.equal(target.split(each).length, 2, target);
  // a part of a word may be a term, so what is beside it is not hidden
  const glossary = { [words[1]]: 'Hallo' };
  assert.match(await translator.translate(`He said ${words[1]} to me.`, { glossary }), /Hallo/);
});

test('keep: no space comes between a word and what is kept beside it', async () => {
  for (const [text, wanted] of /** @type {[string, RegExp][]} */ ([
    ['Use <b>The end</b> now', /<b>\p{L}[^<]*\p{L}<\/b>(?: |$)/u], ['Use <b> The end </b> now', /<b> .* <\/b>(?: |$)/],
    ['The cat is <b>here', /\p{L} <b>\p{L}/u],
  ])) {
    const [{ target, kept: spans }] = await translator.translateDetailed(text);
    assert.match(target, wanted, text);
    assert.ok(spans?.length, text);
    for (const span of spans) assert.equal(target.slice(span.targetStart, span.targetEnd), span.text);
    assert.equal(await translator.translate(text), target);
  }
  // a part is never one word with what is beside it: it could not be found
  for (const [text, part] of [['I \u2764\ufe0fyou all', '\u2764\ufe0f'], ['Add \xbdcup of milk.', '\xbd'],
    ['Click 1\ufe0f\u20e3Open now.', '1\ufe0f\u20e3']]) {
    const [{ target, kept: [span] = [] }] = await translator.translateDetailed(text);
    assert.equal(target.slice(span?.targetStart, span?.targetEnd), part, target);
  }
});

test('keep: a script without spaces between words says nothing of spaces beside what is kept', async () => {
  const model = changeJson(readFiles(SHIPPED), 'heed.json', ({ pairs: _, ...json }) =>
    ({ ...json, source: 'ja', target: 'de' }));
  const japanese = await Translator.create({ sourceLanguage: 'ja', targetLanguage: 'de', language: 'de', model });
  assert.match(await japanese.translate('The house{name}\u5148\u751f is big.'), /\{name\} \p{L}/u);
  assert.match(await japanese.translate('house{name}dog'), /^house\{name\}dog$/);
  japanese.destroy();
  assert.deepEqual(kept('\u6211\u5728Google\u5de5\u4f5c', 'zh'), ['Google']);
  assert.deepEqual(kept('\u042f \u0432 Google12', 'ru'), ['Google12']);
});

test('keep: control characters become no words between parts that are translated alone', async () => {
  const parts = Array.from({ length: 70 }, (_, i) => `{a${i}}`).join(' and ');
  const plain = await translator.translate(`The house ${parts}`);
  assert.equal(await translator.translate(`The\0house ${parts}`), plain);
});

test('keep: words besides what is kept are not lost, though the model says nothing of them', async () => {
  for (const text of ['Done \u2705', 'Well done \u{1f389}']) {
    assert.match(await translator.translate(text), /\p{L}.*\S$/u, text);
  }
});

test('a sentence that is too long is not cut within what is kept', async () => {
  // a token for each word, and one for the end
  const encode = async (/** @type {string[]} */ texts) => texts.map((text) => {
    const words = [...text.matchAll(/\S+/g)].flatMap(({ 0: word, index }) => [index, index + word.length]);
    const offsets = Int32Array.of(...words, text.length, text.length);
    return { ids: new Int32Array(offsets.length / 2), pieces: [], offsets };
  });
  const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
  const text = 'one two three four five six SEVEN EIGHT NINE A B C ten, eleven twelve';
  const find = () => ({ spans: [{ start: text.indexOf('SEVEN'), end: text.indexOf(' ten') }], hidden: text });
  const [parts] = await split([text], { encode, segmenter, positions: 12, find });
  assert.deepEqual(parts.map((part) => part.text),
    ['one two three four five six', 'SEVEN EIGHT NINE A B C ten,', 'eleven twelve']);
});
