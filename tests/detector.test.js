// detector.test.js - LanguageDetector: the browsers' interface, and the languages of short texts.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { LanguageDetector } from '../js/index.js';
import { LANGUAGES, readTable } from './score/directions.js';

const detector = await LanguageDetector.create();

/** @param {string} text */
const languageOf = async (text) => (await detector.detect(text))[0].detectedLanguage;

test('the languages of the twenty sample sentences and of the letter', async () => {
  const samples = JSON.parse(readFileSync(new URL('score/samples.json', import.meta.url), 'utf8'));
  const [, ...letter] = readTable(fileURLToPath(new URL('score/letter.tsv', import.meta.url)));
  for (const [i, language] of LANGUAGES.entries()) {
    const texts = [...samples[language], ...letter.map((row) => row[i])].filter((text) => text.split(' ').length > 3);
    let right = 0;
    for (const text of texts) right += Number(await languageOf(text) === language);
    assert.ok(texts.length >= 25 && right >= 0.95 * texts.length, `${language}: ${right} of ${texts.length}`);
  }
});

test('twenty languages, one sentence each', async () => {
  const sentences = {
    da: 'Hvor kan jeg finde den nærmeste banegård?', nl: 'Waar kan ik het dichtstbijzijnde station vinden?',
    sv: 'Var kan jag hitta närmaste järnvägsstation?', fi: 'Missä on lähin rautatieasema?',
    it: 'Dove posso trovare la stazione più vicina?', pt: 'Onde posso encontrar a estação mais próxima?',
    pl: 'Gdzie mogę znaleźć najbliższy dworzec?', cs: 'Kde najdu nejbližší nádraží?',
    hu: 'Hol találom a legközelebbi pályaudvart?', ro: 'Unde pot găsi cea mai apropiată gară?',
    tr: 'En yakın tren istasyonunu nerede bulabilirim?', ru: 'Где находится ближайший вокзал?',
    uk: 'Де знаходиться найближчий вокзал?', el: 'Πού είναι ο πλησιέστερος σταθμός;',
    ja: '一番近い駅はどこですか。', zh: '最近的火车站在哪里?', ko: '가장 가까운 기차역이 어디에 있습니까?',
    ar: 'أين توجد أقرب محطة قطار؟', he: 'איפה תחנת הרכבת הקרובה ביותר?', hi: 'निकटतम रेलवे स्टेशन कहाँ है?',
  };
  assert.equal(Object.keys(sentences).length, 20);
  for (const [language, text] of Object.entries(sentences)) assert.equal(await languageOf(text), language, text);
});

test('results: the most probable first, und last, 1 in all', async () => {
  for (const text of ['Guten Tag', 'la casa', 'Hello', '', '12 + 3', '\ud800', 'x'.repeat(100_000)]) {
    const results = await detector.detect(text);
    const confidences = results.map(({ confidence }) => confidence);
    assert.equal(results.at(-1)?.detectedLanguage, 'und');
    assert.ok(confidences.every((p) => p >= 0 && p <= 1));
    assert.ok(Math.abs(confidences.reduce((sum, p) => sum + p, 0) - 1) < 1e-9, text);
    const known = confidences.slice(0, -1);
    assert.deepEqual(known, [...known].sort((a, b) => b - a));
  }
  assert.deepEqual(await detector.detect('12 + 3'), [{ detectedLanguage: 'und', confidence: 1 }]);
});

test('an address or a code does not count', async () => {
  assert.equal(await languageOf('Der Zug https://www.example.com/the/train/is/late fährt um 9:30 ab.'), 'de');
});

test('expected languages are more probable', async () => {
  const expecting = await LanguageDetector.create({ expectedInputLanguages: ['pt-BR', 'en'] });
  assert.deepEqual(expecting.expectedInputLanguages, ['pt-BR', 'en']);
  const of = async (/** @type {LanguageDetector} */ d) =>
    (await d.detect('la casa')).find(({ detectedLanguage }) => detectedLanguage === 'pt')?.confidence ?? 0;
  assert.ok(await of(expecting) > 2 * await of(detector));
  assert.equal(detector.expectedInputLanguages, null);
  assert.equal(await LanguageDetector.availability({ expectedInputLanguages: ['de-AT'] }), 'available');
  assert.equal(await LanguageDetector.availability({ expectedInputLanguages: ['tlh'] }), 'unavailable');
  await assert.rejects(LanguageDetector.create({ expectedInputLanguages: ['tlh'] }), { name: 'NotSupportedError' });
  // a tag may have several forms
  for (const [tag, language, text] of [['tl', 'fil', 'Hello po'], ['nb', 'no', 'Takk for maten']]) {
    const hinted = await LanguageDetector.create({ expectedInputLanguages: [tag] });
    const [share, before] = await Promise.all([hinted, detector].map(async (d) =>
      (await d.detect(text)).find(({ detectedLanguage }) => detectedLanguage === language)?.confidence ?? 0));
    assert.ok(share > before, tag);
  }
});

test('wrong arguments are refused by name', async () => {
  assert.throws(() => new LanguageDetector(), /LanguageDetector\.create/);
  await assert.rejects(LanguageDetector.create({ languages: ['de'] }), /unknown option 'languages'/);
  await assert.rejects(LanguageDetector.create({ expectedInputLanguages: 'de' }), /found 'de', expected an array/);
  await assert.rejects(LanguageDetector.create({ expectedInputLanguages: ['d?'] }), RangeError);
  await assert.rejects(detector.detect(5), /input: found 5, expected a string/);
  await assert.rejects(detector.detect('x', { abort: 1 }), TypeError);
});

test('signals, the monitor, and destroy()', async () => {
  const stop = new AbortController();
  /** @type {number[]} */
  const loaded = [];
  const own = await LanguageDetector.create({
    signal: stop.signal,
    monitor: (monitor) => monitor.addEventListener('downloadprogress', (event) => loaded.push(event.loaded)),
  });
  assert.deepEqual(loaded, [0, 1]);
  assert.equal(await own.measureInputUsage('abc'), 3);
  assert.equal(own.inputQuota, Infinity);
  assert.equal(String(own), '[object LanguageDetector]');
  stop.abort(new Error('enough'));
  await assert.rejects(own.detect('Hallo'), /enough/);
  await assert.rejects(LanguageDetector.create({ signal: AbortSignal.abort() }), { name: 'AbortError' });
  await assert.rejects(detector.detect('Hallo', { signal: AbortSignal.abort() }), { name: 'AbortError' });
  const other = await LanguageDetector.create();
  other.destroy();
  await assert.rejects(other.detect('Hallo'), { name: 'AbortError' });
});
