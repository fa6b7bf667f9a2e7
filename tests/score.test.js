// score.test.js - BLEU and chrF2 against published figures and small sums done by hand.
import test from 'node:test';
import assert from 'node:assert/strict';
import { bleu, chrf, tokenize13a } from './score/score.js';

/** @param {number} got @param {number} want @param {number} tolerance of the digits that were published */
const near = (got, want, tolerance) => assert.ok(Math.abs(got - want) < tolerance, `${got} is not ${want}`);

// The worked example of sacreBLEU's README (version 2) and of its test/test_bleu.py: two references a line.
const dogs = ['The dog bit the man.', "It wasn't surprising.", 'The man had just bitten him.'];
const dogReferences = [
  ['The dog bit the man.', 'The dog had bit the man.'],
  ['It was not unexpected.', 'No one was surprised.'],
  ['The man bit him first.', 'The man had bitten the dog.'],
];

test('BLEU: the example of sacreBLEU\'s README', () => {
  const result = bleu(dogs, dogReferences);
  near(result.score, 48.530827, 1e-6);
  assert.deepEqual(result.precisions.map((p) => p.toFixed(1)), ['82.4', '50.0', '45.5', '37.5']);
  assert.equal(result.brevityPenalty.toFixed(3), '0.943');
  assert.deepEqual([result.hypothesisLength, result.referenceLength], [17, 18]);
});

test('BLEU: the example of the sacreBLEU metric card (Hugging Face evaluate)', () => {
  const result = bleu(['hello there general kenobi', 'on our way to ankh morpork'],
    [['hello there general kenobi', 'hello there !'], ['goodbye ankh morpork', 'ankh morpork']]);
  near(result.score, 39.76353643835252, 1e-10);
  assert.deepEqual([result.hypothesisLength, result.referenceLength, result.brevityPenalty], [10, 7, 1]);
});

test('BLEU: by hand', () => {
  // 1-grams 3 of 4; 2-grams "the cat" and "cat sat", 2 of 3; 3-grams 1 of 2; no 4-gram: 1/2 of 1
  const { precisions, score } = bleu(['the cat sat down'], ['the cat sat up']);
  assert.deepEqual(precisions, [75, 200 / 3, 50, 50]);
  near(score, 100 * (0.75 * (2 / 3) * 0.5 * 0.5) ** 0.25, 1e-12);
  // a second order without a match counts a quarter; "the the" may match one "the" only; BP = e^(1 - 5/4)
  const short = bleu(['the the sits low'], ['the cat sits on it']);
  assert.deepEqual(short.precisions, [50, 100 / 6, 12.5, 12.5]);
  near(short.brevityPenalty, Math.exp(-0.25), 1e-15);
  assert.equal(bleu(['same words in here'], ['same words in here']).score.toFixed(9), '100.000000000');
});

test('BLEU: nothing in common, nothing said, nothing long enough', () => {
  assert.equal(bleu(['a b c d e'], ['v w x y z']).score, 0);
  assert.equal(bleu(['', '', ''], dogReferences).score, 0); // published: test_bleu.py
  assert.equal(bleu(['a b c'], ['a b c']).score, 0); // no 4-gram at all
  assert.throws(() => bleu(['a'], []), /1 hypotheses for 0 references/);
  assert.throws(() => bleu([], []), RangeError);
});

test('13a tokens', () => {
  const cases = [
    ['', ''],
    ['Hello, World!', 'Hello , World !'],
    ["It wasn't (quite) well-known.", "It wasn't ( quite ) well-known ."],
    ['3.14 and 1,000, or .5 of 7.', '3.14 and 1,000 , or . 5 of 7 .'],
    ['v1.x, 1,a and a,1 but 2005-06', 'v1 . x , 1 , a and a , 1 but 2005 - 06'],
    ['a-1 1-a - --', 'a-1 1 - a - --'],
    ['&quot;R&amp;D&quot; &lt;b&gt; &apos;', '" R & D " < b > & apos ;'],
    ['&amp;lt; is unescaped twice', '< is unescaped twice'], // &amp; goes before &lt;
    ['one<skipped>two split-\nword and\nline', 'onetwo splitword and line'],
    ['a/b:c;d=e?f@g[h]i^j_k`l{m}n~o|p\\q', 'a / b : c ; d = e ? f @ g [ h ] i ^ j _ k ` l { m } n ~ o | p \\ q'],
    ['10% of $5 #1 *2 +3', '10 % of $ 5 # 1 * 2 + 3'],
    ['Er sagte: „Nein …“', 'Er sagte : „Nein …“'], // other than ASCII punctuation is not split
    ['..,', '. . ,'],
    ['a...b', 'a . . . b'],
    ['\u{1F600}. \u{1F600},1', '\u{1F600} . \u{1F600} , 1'],
    ['no\u00a0break\u3000wide\u0085next\ufeffmark', 'no break wide next\ufeffmark'],
  ];
  for (const [line, want] of cases) assert.equal(tokenize13a(line).join(' '), want);
});

test('chrF2: the example of sacreBLEU\'s README', () => {
  near(chrf(dogs, dogReferences).score, 59.73, 5e-3);
});

test('chrF2: the example of the chrF metric card (Hugging Face evaluate)', () => {
  near(chrf(
    ['The relationship between cats and dogs is not exactly friendly.',
      'a good bookshop is just a genteel black hole that knows how to read.'],
    ['The relationship between dogs and cats is not exactly friendly.',
      'A good bookshop is just a genteel Black Hole that knows how to read.']).score, 84.64214891738334, 1e-10);
});

test('chrF: figures of sacreBLEU\'s test/test_chrf.py (beta 3)', () => {
  const cases = [
    [['a'], ['a'], 100], [[''], ['reference'], 0], [['a b c'], ['a b c'], 100], [['a b c'], ['abc'], 100],
    [[''], ['c'], 0], [['a', 'b'], ['a', 'c'], 50], [['aa'], ['ab'], 25],
  ];
  for (const [hypotheses, references, want] of cases) near(chrf(hypotheses, references, { beta: 3 }).score, want, 1e-9);
  const spaced = { beta: 3, whitespace: true };
  near(chrf(
    ['Die Beziehung zwischen Obama und Netanjahu ist nicht gerade freundlich.'],
    ['Das Verhältnis zwischen Obama und Netanyahu ist nicht gerade freundschaftlich.'],
    spaced).score, 67.3481606, 1e-7);
  near(chrf(
    ['risk assessment must be made of those who are qualified and expertise in the sector '
      + '- these are the scientists .'],
    ['risk assessment has to be undertaken by those who are qualified and expert in that area '
      + '- that is the scientists .'],
    spaced).score, 65.2414427, 1e-7);
});

test('chrF2: by hand', () => {
  // "abc" to "abcd": precision 1 at n = 1, 2, 3; recall 3/4, 2/3, 1/2; n = 4 only the reference has
  const recall = (3 / 4 + 2 / 3 + 1 / 2) / 3;
  near(chrf(['abc'], ['ab cd']).score, (100 * 5 * recall) / (4 + recall), 1e-12);
  // pooled, without the 3- and 4-grams of a line whose reference has none: precision 6/8, 4/6, 1, 1, recall 1
  const precision = (6 / 8 + 4 / 6 + 1 + 1) / 4;
  near(chrf(['abcd', 'abcd'], ['ab', 'abcd']).score, (100 * 5 * precision) / (4 * precision + 1), 1e-12);
  // a character past U+FFFF is one
  near(chrf(['\u{1F600}\u{1F601}'], ['\u{1F600}\u{1F602}']).score, 25, 1e-12);
});
