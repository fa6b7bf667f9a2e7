// live.test.js - the translation that follows a changing text (web/translate/live.js), which words belong together
// (partners.js) and the lines of the glossary (read-terms.js): with a translator of our own that counts its calls, and
// with
// the shipped model.
import test from 'node:test';
import assert from 'node:assert/strict';
import { Translator } from '../js/index.js';
import { wordsOf } from '../js/text/words.js';
import { SHIPPED } from './model-files.js';
import { findAlternatives } from '../web/translate/alternatives.js';
import { targetOf } from '../web/lib/words.js';
import { Live, wholeCode } from '../web/translate/live.js';
import { linksOf, partnersOf } from '../web/translate/partners.js';
import { readTerms } from '../web/translate/read-terms.js';

/** Parts as translateDetailed() gives them: sentences that end with a full stop, in capitals. @param {string} text */
const shout = (text) => Array.from(text.matchAll(/\S[^.]*\./g), ({ 0: source, index: start }) =>
  ({ source, start, target: source.toUpperCase(), targetTokens: source.split(' ') }));

/** A Live whose calls wait until they are answered. */
function start() {
  /** @type {{ text: string, signal: AbortSignal, answer: () => void, fail: (error: Error) => void }[]} */
  const calls = [];
  const seen = { said: '', old: 0, waiting: -1, tokens: -1, errors: /** @type {Error[]} */ ([]) };
  const live = new Live({
    translate: (text, signal) => new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      calls.push({ text, signal, fail: reject, answer: () => resolve(/** @type {any} */ (shout(text))) });
    }),
    show({ pieces, waiting, tokens }) {
      seen.said = pieces.map(({ target, after }) => target + after).join('');
      seen.old = pieces.filter(({ isOld }) => isOld).length;
      Object.assign(seen, { waiting, tokens });
    },
    fail: (error) => seen.errors.push(/** @type {Error} */ (error)),
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  /** Answers all calls, and those that follow. */
  const answer = async () => {
    for (let i = 0; i < calls.length; i++) {
      calls[i].answer();
      await settle();
    }
  };
  return { live, calls, seen, answer, settle };
}

test('each sentence is translated once, and only what changed again', async () => {
  const { live, calls, seen, answer } = start();
  live.update('One is here. Two is here.\n\nThree is here. ', 'en', 'a');
  assert.equal(seen.waiting, 3);
  await answer();
  assert.deepEqual([seen.said, seen.waiting], ['ONE IS HERE. TWO IS HERE.\n\nTHREE IS HERE. ', 0]);
  assert.equal(calls.map(({ text }) => text).join('').replaceAll(/\s+/g, ' '),
    'One is here. Two is here. Three is here. ');
  const before = calls.length;
  live.update('One is here. Two was here.\n\nThree is here. One is here.', 'en', 'a');
  assert.deepEqual([seen.said, seen.old, seen.waiting],
    ['ONE IS HERE. TWO IS HERE.\n\nTHREE IS HERE. ONE IS HERE.', 1, 1]);
  await answer();
  assert.deepEqual(calls.slice(before).map(({ text }) => text.trim()), ['Two was here.']);
  assert.deepEqual([seen.said, seen.old], ['ONE IS HERE. TWO WAS HERE.\n\nTHREE IS HERE. ONE IS HERE.', 0]);
});

test('what abbreviations divide becomes one sentence when their rules are loaded', async () => {
  const { live, calls, seen } = start();
  live.update('Ask Mr. Smith. He knows.', 'en', 'a');
  assert.equal(seen.waiting, 3);
  for (const until = Date.now() + 5000; seen.waiting > 2 && Date.now() < until;) await new Promise(setImmediate);
  assert.equal(seen.waiting, 2);
  live.update('Er wurde 12. Jahr um Jahr. Frau', 'en', 'a');
  assert.equal(seen.waiting, 3, 'the rules are those of the language');
  live.stop();
  assert.equal(calls[0].text, 'Ask Mr. ');
});

test('what stood there stays until the new translation is there, while letters are typed', async () => {
  const { live, calls, seen, answer } = start();
  live.update('The first. The cat.', 'en', 'a');
  await answer();
  for (const typed of ['The first. The cat i.', 'The first. The cat is.', 'The first. The cat is o.']) {
    live.update(typed, 'en', 'a');
    assert.deepEqual([seen.said, seen.old], ['THE FIRST. THE CAT.', 1]);
  }
  // the letters of a running call are not waited for one by one: the newest text is next
  assert.equal(calls.at(-1)?.text, 'The cat i.');
  await answer();
  assert.equal(calls.at(-1)?.text, 'The cat is o.');
  assert.equal(seen.said, 'THE FIRST. THE CAT IS O.');
  live.update('', 'en', 'a');
  assert.deepEqual([seen.said, seen.waiting], ['', 0]);
});

test('a text that changes letter by letter takes one segmenter per language', async (t) => {
  const { live, answer } = start();
  const { Segmenter } = Intl;
  t.after(() => Object.assign(Intl, { Segmenter }));
  /** @type {unknown[]} */
  const made = [];
  Object.assign(Intl, {
    Segmenter: class extends Segmenter {
      /** @param {string} language @param {Intl.SegmenterOptions} options */
      constructor(language, options) {
        super(language, options);
        made.push([language, options.granularity]);
      }
    },
  });
  for (const text of ['O', 'On', 'One.', 'One. T', 'One. Two.']) live.update(text, 'en', 'a');
  live.update('Eins. Zwei.', 'de', 'b');
  await answer();
  assert.deepEqual(made, [['en', 'sentence'], ['de', 'sentence']]);
  for (const text of ['a b', 'a b c', 'a b c d']) assert.equal(wordsOf(text, 'es').length, text.length / 2 + 0.5);
  assert.deepEqual(made.slice(2), [['es', 'word']]);
});

test('code between backticks is one sentence with what surrounds it, in its line', () => {
  const parts = (...texts) => texts.map((text) => ({ text, after: ' ' }));
  const texts = (...given) => wholeCode(parts(...given)).map(({ text }) => text);
  assert.deepEqual(texts('`a.', 'b`'), ['`a. b`']);
  assert.deepEqual(texts('One.', 'See `x.', 'y.', 'z` here.', 'Two.'), ['One.', 'See `x. y. z` here.', 'Two.']);
  assert.deepEqual(texts('A ` alone.', 'Two.'), ['A ` alone.', 'Two.'], 'one backtick is none');
  assert.deepEqual(texts('`a` is.', '`b` too.'), ['`a` is.', '`b` too.']);
  const apart = [{ text: 'A ` here.', after: '\n' }, { text: 'B ` there.', after: '' }];
  assert.deepEqual(wholeCode(apart), apart);
  const code = 'Use `a. Then b.` here. It is good.';
  assert.equal(wholeCode(parts('Use `a.', 'Then b.` here.', 'It is good.')).map(({ text }) => text).join(' '), code);
});

test('alternatives begin as the translation does, and go on with another word', async () => {
  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: SHIPPED });
  try {
    const [part] = await translator.translateDetailed('The house is small.', { beams: 1 });
    const ids = part.targetTokens.map(({ id }) => id);
    for (const first of [0, 2]) {
      const others = await findAlternatives(translator, part, first, { beams: 1 });
      assert.ok(others.length > 0 && others.length <= 5);
      assert.equal(new Set([part.target, ...others.map(({ target }) => target)]).size, others.length + 1, 'none twice');
      for (const { targetTokens } of others) {
        assert.deepEqual(targetTokens.slice(0, first).map(({ id }) => id), ids.slice(0, first));
        assert.notEqual(targetTokens[first].id, ids[first]);
      }
    }
    await assert.rejects(findAlternatives(translator, part, 0, { beams: 1, signal: AbortSignal.abort() }),
      { name: 'AbortError' });
  } finally {
    translator.destroy();
  }
});

test('a long call for a text that is gone is aborted; another key forgets', async () => {
  const { live, calls, seen, answer, settle } = start();
  live.update('A one. A two. A three. A four.', 'en', 'a');
  calls[0].answer();
  await settle();
  assert.equal(calls[1].text, 'A two. A three. ');
  live.update('Another text.', 'en', 'a');
  assert.ok(calls[1].signal.aborted);
  await answer();
  assert.equal(seen.said, 'ANOTHER TEXT.');
  const count = calls.length;
  live.update('Another text.', 'en', 'b');
  assert.deepEqual([seen.said, seen.waiting], ['', 1], 'nothing of another model is shown');
  await answer();
  assert.deepEqual([calls.length, seen.said, seen.errors], [count + 1, 'ANOTHER TEXT.', []]);
});

test('an error is told, and the next change tries again', async () => {
  const { live, calls, seen, answer, settle } = start();
  live.update('One is here.', 'en', 'a');
  calls[0].fail(new Error('no memory'));
  await settle();
  assert.deepEqual(seen.errors.map(({ message }) => message), ['no memory']);
  live.update('One is here.', 'en', 'a');
  await answer();
  assert.equal(seen.said, 'ONE IS HERE.');
});

test('a chosen translation stays for its sentence', async () => {
  const { live, seen, answer } = start();
  live.update('One is here. Two is here.', 'en', 'a');
  await answer();
  const other = { source: 'Two is here.', start: 0, target: 'ZWEI.', targetTokens: [] };
  live.choose('Two is here.', /** @type {any} */ ([other]));
  assert.equal(seen.said, 'ONE IS HERE. ZWEI.');
  live.update('Two is here. One is here.', 'en', 'a');
  assert.deepEqual([seen.said, seen.waiting], ['ZWEI. ONE IS HERE.', 0]);
});

test('with a model: the same text as translate(), and partners that are words of the sentence', async () => {
  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: SHIPPED });
  const text = '  The house is small.  She has two cats and a dog!\n\n\tSee example.org. Mr. Smith sleeps.\n';
  /** @type {import('../web/translate/live.js').Work | undefined} */
  let last;
  await new Promise((resolve, reject) => {
    const live = new Live({
      translate: (part, signal) => translator.translateDetailed(part, { signal }),
      show(work) {
        last = work;
        if (work.waiting === 0) resolve(undefined);
      },
      fail: reject,
    });
    live.update(text, 'en', '');
  });
  const pieces = last?.pieces ?? [];
  assert.equal(pieces.map(({ target, after }) => target + after).join(''), await translator.translate(text));
  for (const { text: source, start } of pieces) assert.equal(text.slice(start, start + source.length), source);
  const [house] = pieces.find((piece) => piece.text.includes('house'))?.parts ?? [];
  const at = house.source.indexOf('house');
  const partners = partnersOf(linksOf(house), 'source', { start: at, end: at + 'house'.length });
  assert.deepEqual(partners.map(({ start, end }) => house.target.slice(start, end).trim()).join(''), 'Haus');
  translator.destroy();
});

test('neighbours that the translator does not divide in the same place become one', async () => {
  /** @type {{ said: string, waiting: number, pieces: string[] }} */
  let last = { said: '', waiting: -1, pieces: [] };
  const live = new Live({
    translate: async (text) => /** @type {any} */ (text === 'X aa. Bb xx. '
      ? [{ source: 'X aa. Bb xx.', start: 0, target: 'THE TERM.', targetTokens: ['THE', 'TERM.'] }]
      : shout(text)),
    show: ({ pieces, waiting }) => (last = {
      waiting, said: pieces.map(({ target, after }) => target + after).join(''), pieces: pieces.map(({ text }) => text),
    }),
    fail: (error) => assert.fail(String(error)),
  });
  live.update('One. X aa. Bb xx. Two.', 'en', 'a');
  const before = last.pieces;
  while (last.waiting > 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(last.said, 'ONE. THE TERM. TWO.');
  assert.deepEqual(before, ['One.', 'X aa.', 'Bb xx.', 'Two.']);
  assert.deepEqual(last.pieces, ['One.', 'X aa. Bb xx.', 'Two.']);
});

test('a sentence in several parts has the white space between them', () => {
  const parts = [{ start: 0, source: 'one,', target: 'EINS,' }, { start: 6, source: 'two', target: 'ZWEI' }];
  assert.equal(targetOf('one,  two ', /** @type {any} */ (parts)), 'EINS,  ZWEI ');
});

test('a glossary has a term and its translation on each line, and the other lines are told', () => {
  const { terms, wrong } =
    readTerms('router = Datenverteiler\n\n# a remark\nNode.js\tNode.js\nx\n = y\na = b = c\nend =');
  assert.deepEqual([...terms], [['router', 'Datenverteiler'], ['Node.js', 'Node.js'], ['a', 'b = c']]);
  assert.deepEqual(wrong, [5, 6, 8]);
});
