// Doubt: the words of a translation, and how sure the model is of each; what calibrate.js measures it by.
import test, { after } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Transformer, Translator } from '../js/index.js';
import { calibrate, calibrationOf, DEFAULT, logit } from '../js/translate/confidence.js';
import { calibrationError, fit, judge } from '../src/train/model/calibrate.js';
import { changeJson, SHIPPED, readFiles } from './model-files.js';
import { Random } from './mutate/model.js';
import { shipped } from './score/readme.js';

const PAIR = { sourceLanguage: 'en', targetLanguage: 'de' };
const files = readFiles(SHIPPED);
const translator = await Translator.create({ ...PAIR, model: SHIPPED });
after(() => translator.destroy());

/** The words of a text, by their place. @param {string} text @param {string} [language] */
const words = (text, language = 'de') =>
  [...new Intl.Segmenter(language, { granularity: 'word' }).segment(text)].filter(({ isWordLike }) => isWordLike);

/** @param {import('../js/translate/detail.js').TranslatedSentence} sentence */
function checkWords({ target, targetWords }) {
  assert.deepEqual(targetWords.map(({ text, start }) => [text, start]),
    words(target).map(({ segment, index }) => [segment, index]));
  for (const { text, start, end, confidence } of targetWords) {
    assert.equal(target.slice(start, end), text);
    assert.ok(confidence > 0 && confidence <= 1, `${text}: ${confidence}`);
  }
}

test('every word of a target has a position and a confidence, computed from its tokens', async () => {
  const { confidence: numbers } = JSON.parse(readFileSync(`${SHIPPED}/heed.json`, 'utf8'));
  const input = 'The house is red, isn\u2019t it? She bought 12 apples in Saint-Germain today.\nGood-bye!';
  const sentences = await translator.translateDetailed(input);
  assert.ok(sentences.length >= 3);
  for (const sentence of sentences) {
    checkWords(sentence);
    // the pieces of this model are letters, beginning with their space: the text is their sum
    const { target, targetTokens, targetWords } = sentence;
    const pieces = targetTokens.slice(0, -1).map(({ piece }) => piece.replaceAll('\u2581', ' '));
    assert.equal(pieces.join('').trim(), target);
    let end = -(/^ */.exec(pieces.join(''))?.[0].length ?? 0);
    const spans = pieces.map((piece) => [end, (end += piece.length)]);
    for (const [t, { start, end: tokenEnd }] of targetTokens.entries()) {
      // a space alone has the place of the token after it
      if (t < pieces.length && pieces[t].trim()) assert.equal(target.slice(start, tokenEnd).trim(), pieces[t].trim());
      else if (t === pieces.length) assert.deepEqual([start, tokenEnd], [undefined, undefined], '</s>');
    }
    for (const word of targetWords) {
      const p = Math.exp(targetTokens.slice(0, -1).reduce((sum, { logProb }, t) => {
        const [from, to] = [Math.max(spans[t][0], word.start), Math.min(spans[t][1], word.end)];
        // a space alone goes with the word after it
        const isSpace = pieces[t].trim() === '' && spans[t][1] === word.start;
        return sum + (from < to || isSpace ? logProb : 0);
      }, 0));
      const odds = Math.exp(numbers.offset) * (p / (1 - p)) ** numbers.slope;
      // float32 probabilities, of which 1 - p has few digits left
      assert.ok(Math.abs(word.confidence - odds / (1 + odds)) < 1e-3, `${word.text}: ${word.confidence}, p ${p}`);
    }
  }
});

test('an invented word is in doubt, an everyday word is not', async () => {
  const [{ targetWords }] = await translator.translateDetailed('My brother bought a zorkmid in Paris.');
  const of = (/** @type {RegExp} */ pattern) =>
    targetWords.filter(({ text }) => pattern.test(text)).map(({ confidence }) => confidence);
  // whatever the model makes of it
  const invented = of(/^(?!(Mein|Bruder|hat|kaufte|ein|eine|einen|in|Paris|gekauft)$)/);
  assert.equal(invented.length, 1);
  assert.ok(invented[0] < 0.3, `zorkmid: ${invented}`);
  for (const confidence of of(/^(Mein|Bruder|Paris)$/)) assert.ok(confidence > 0.7, String(confidence));
  assert.ok(of(/^(Mein|Bruder|Paris)$/).length >= 2);
});

test('what a glossary gives is certain; the rest is weighed in the text as it is', async () => {
  // the tokenizer spells the ligature as ff: the text of the ids is another, and longer
  const glossary = { Tom: '\ufb00\ufb00\ufb00\ufb00' };
  const [sentence] = await translator.translateDetailed('Tom came home with his sister yesterday.', { glossary });
  checkWords(sentence);
  assert.ok(sentence.target.includes(glossary.Tom));
  const sure = sentence.targetWords.filter(({ confidence }) => confidence === 1).map(({ text }) => text);
  assert.deepEqual(sure, [glossary.Tom]);
  const model = await Transformer.load(SHIPPED);
  try {
    const source = model.tokenizer.encode(sentence.source, { language: 'de' }).ids;
    const { ids, offsets } = model.tokenizer.encode(sentence.target, { side: 'target' });
    const { logProbs } = model.forward(source, ids);
    const others = sentence.targetWords.filter(({ text }) => !sure.includes(text));
    assert.ok(others.length > 1);
    for (const { text, start, end, confidence } of others) {
      const own = logProbs.filter((_, t) => offsets[2 * t] < end && offsets[2 * t + 1] > start);
      const logProb = own.reduce((sum, x) => sum + x, 0);
      assert.ok(Math.abs(confidence - calibrate(logProb, calibrationOf(model.manifest))) < 1e-6, text);
    }
  } finally {
    model.dispose();
  }
});

test('words copied from the source are certain', async () => {
  const junk = 'qzvkxj'.repeat(150);
  const sentences = await translator.translateDetailed(junk);
  assert.equal(sentences.map(({ target }) => target).join(''), junk);
  for (const { target, targetWords } of sentences) {
    assert.deepEqual(targetWords, [{ text: target, start: 0, end: target.length, confidence: 1 }]);
  }
});

test('the same words from a worker, with beams, and for a translation that is stopped', async () => {
  const elsewhere = await Translator.create({ ...PAIR, model: SHIPPED, worker: true });
  try {
    for (const options of [{}, { beams: 3, nBest: 2 }, { maxTokens: 3 }, { maxTokens: 1 }]) {
      const here = await translator.translateDetailed('He is a doctor. Where are you?', options);
      here.forEach(checkWords);
      const there = await elsewhere.translateDetailed('He is a doctor. Where are you?', options);
      assert.deepEqual(there.map(({ targetWords }) => targetWords), here.map(({ targetWords }) => targetWords));
    }
  } finally {
    elsewhere.destroy();
  }
});

test('heed.json says what a model is worth; without, there is a default', async () => {
  /** @param {unknown} confidence */
  const confidences = async (confidence) => {
    const model = changeJson(files, 'heed.json', (json) => ({ ...json, confidence }));
    const other = await Translator.create({ ...PAIR, model });
    try {
      const [{ targetWords }] = await other.translateDetailed('The house is red.');
      return targetWords.map((word) => word.confidence);
    } finally {
      other.destroy();
    }
  };
  const plain = await confidences(undefined);
  assert.deepEqual(await confidences(DEFAULT), plain);
  const more = await confidences({ ...DEFAULT, offset: DEFAULT.offset + 1 });
  assert.ok(more.every((x, i) => x > plain[i]));
  for (const wrong of [null, 1, {}, { offset: 1 }, { slope: 1 }, { offset: '0', slope: 1 }, { offset: 0, slope: 0 },
    { offset: 0, slope: -1 }, { offset: 0, slope: 1e999 }, []]) {
    await assert.rejects(confidences(wrong),
      { status: 'HEED_E_JSON', message: /^heed\.json: confidence: found .*, expected \{ offset, slope \}/ });
  }
});

test('a calibration is monotone, and ends short of 0 and 1', () => {
  let last = 0;
  for (let logProb = -40; logProb <= 0; logProb += 0.25) {
    const confidence = calibrate(logProb, DEFAULT);
    assert.ok(confidence > 0 && confidence < 1 && confidence >= last);
    last = confidence;
  }
  assert.ok(calibrate(-Infinity, DEFAULT) > 0);
  assert.ok(Math.abs(logit(Math.log(0.25)) - Math.log(1 / 3)) < 1e-12);
  assert.deepEqual(calibrationOf({}), DEFAULT);
});

test('a word is right as often as the reference has it, capitals aside', () => {
  const of = (/** @type {string} */ text, /** @type {string} */ reference) =>
    judge(words(text).map(({ segment }) => ({ text: segment })), reference, 'de').map(({ isRight }) => Number(isRight));
  assert.deepEqual(of('Das Haus ist das rote, das!', 'das Haus: Das Rot'), [1, 1, 0, 1, 0, 0]);
  assert.deepEqual(of('ja', ''), [0]);
});

test('the fit finds the numbers that the words were made with, and the error of others', () => {
  const random = new Random(5);
  const numbers = { offset: -0.4, slope: 0.6 };
  const made = Array.from({ length: 20000 }, () => {
    const logProb = 3 * Math.log((random.next() + 1) / 2 ** 32);
    return { logProb, isRight: random.next() / 2 ** 32 < calibrate(logProb, numbers) };
  });
  const found = fit(made);
  // standard errors of 20,000 words: 0.02 and 0.007
  assert.ok(Math.abs(found.offset - numbers.offset) < 0.06 && Math.abs(found.slope - numbers.slope) < 0.03,
    JSON.stringify(found));
  assert.ok(calibrationError(made, (logProb) => calibrate(logProb, found)) < 0.015);
  assert.ok(calibrationError(made, Math.exp) > 0.05);
  // one bin is 0.1 too sure, the other right
  const two = [...Array(10).keys()].flatMap((i) =>
    [{ logProb: Math.log(0.95), isRight: i > 0 }, { logProb: Math.log(0.4), isRight: i < 3 }]);
  assert.ok(Math.abs(calibrationError(two, Math.exp) - (0.05 + 0.1) / 2) < 1e-12);
  const { offset, slope } = fit(made.map((word) => ({ ...word, isRight: true })));
  assert.ok(Number.isFinite(offset) && slope > 0);
});

for (const { path, manifest } of shipped) {
  test(`${path}: heed.json tells its calibration, and how well it fits`, () => {
    const { ece, uncalibrated, words: count } = manifest.confidence;
    assert.deepEqual(calibrationOf(manifest), { offset: manifest.confidence.offset, slope: manifest.confidence.slope });
    assert.ok(ece >= 0 && ece <= 0.03 && ece < uncalibrated, `expected calibration error ${ece} of ${uncalibrated}`);
    assert.ok(count > 4000);
  });
}
