// Times of day that a corpus shares are replaced by others: the same ones in all languages, as Intl writes them.
import test from 'node:test';
import assert from 'node:assert/strict';
import { random } from '../src/train/model/random.js';
import { addDates, dateLines } from '../src/train/model/dates.js';
import { addTimes, listTimes, replaceTimes } from '../src/train/model/times.js';

/** What Intl writes in English, such as "4:30 PM". @param {number} time  minutes */
const spoken = (time) => new Intl.DateTimeFormat('en-US', { timeStyle: 'short', timeZone: 'UTC' })
  .format(new Date(60_000 * time)).replace(/\s/u, ' ');

const ROW = {
  en: 'The shop is open from 9:30 am to 6:15 pm, not at 12:05 am.',
  de: 'Der Laden hat von 9:30 bis 18:15 Uhr offen, nicht um 0.05 Uhr.',
  fr: 'Le magasin ouvre de 9 h 30 à 18h15, pas à 0 h 05.',
  es: 'La tienda abre de 9:30 a 18:15, no a las 0:05.',
};

test('times of day are found in the spellings of four languages', () => {
  const cases = /** @type {[string, string, number[]][]} */ ([
    ['en', 'Call at 4 p.m. or 12:30 PM.', [960, 750]], ['en', 'On page 4: pm, 14:30, 3.30 am', []],
    ['en', 'at 12am', [0]],
    ['de', 'Um 7 Uhr, nicht 19.45 Uhr; die Uhr kostet 7.', [420, 1185]], ['de', 'zwischen 8 und 9:30 Uhr', [480, 570]],
    ['fr', 'à 8 h, à 20h30, 5 heures, 3 ha', [480, 1230]], ['es', 'a la 1:30, a las 16 h, 4:00 p.m.', [90, 960]],
  ]);
  for (const [language, text, times] of cases) assert.deepEqual(listTimes(text, language), times, text);
});

test('the sentences of a row get the same new times, in their order and spelling', () => {
  const next = random(5);
  const seen = new Set();
  for (let i = 0; i < 300; i++) {
    const row = /** @type {Record<string, string>} */ (replaceTimes(ROW, next));
    const times = listTimes(row.de, 'de');
    assert.ok(times[2] < times[0] && times[0] < times[1] && times[1] < 1440);
    for (const time of times) seen.add(time);
    const [from, to, not] = times.map((time) => [Math.floor(time / 60), String(time % 60).padStart(2, '0')]);
    const english = times.map((time) => spoken(time).toLowerCase());
    assert.equal(row.en, `The shop is open from ${english[0]} to ${english[1]}, not at ${english[2]}.`);
    const open = `von ${from.join(':')} bis ${to.join(':')} Uhr`;
    assert.equal(row.de, `Der Laden hat ${open} offen, nicht um ${not.join('.')} Uhr.`);
    assert.equal(row.fr, `Le magasin ouvre de ${from.join(' h ')} à ${to.join('h')}, pas à ${not.join(' h ')}.`);
    const article = not[0] === 1 ? 'la' : 'las';
    assert.equal(row.es, `La tienda abre de ${from.join(':')} a ${to.join(':')}, no a ${article} ${not.join(':')}.`);
  }
  assert.ok(seen.size > 300);
});

test('full hours stay full; rows that differ or tell the part of the day stay as they are', () => {
  const next = random(6);
  for (let i = 0; i < 50; i++) {
    const row = replaceTimes({ en: 'It starts at 8 pm.', fr: 'Ça commence à 20 h.', es: 'Empieza a las 20:00.' }, next);
    const [hour] = /\d+/.exec(row?.fr ?? '') ?? [];
    assert.equal(row?.en, `It starts at ${spoken(60 * Number(hour)).toLowerCase().replace(':00', '')}.`);
    assert.match(row?.es ?? '', /^Empieza a las? \d+:00\.$/);
  }
  for (const row of [
    { en: 'At 4:30 pm.', de: 'Um 4:30 Uhr.' }, { en: 'No time.', de: 'Keine Zeit.' },
    { en: 'At 6 am.', de: 'Morgens um 6 Uhr, morgens.' }, { en: 'At 1 pm or 1 pm.', de: 'Um 13 Uhr.' },
    { en: 'At 6 am and 6 am.', fr: 'À 6 h et à 6 h.' }, { de: 'Um 18 Uhr.', es: 'A las 18:00.' },
    { de: 'Um 25 Uhr.', fr: 'À 25 h.' },
  ]) assert.equal(replaceTimes(row, next), undefined, JSON.stringify(row));
});

test('sentences without a time get the same one in every language, and keep their words', () => {
  const plain = { en: 'Tom came home.', de: 'Tom kam nach Hause.', fr: 'Tom est rentré.', es: 'Tom volvió a casa.' };
  const next = random(8);
  const [seen, forms] = [new Set(), new Set()];
  for (let i = 0; i < 2000; i++) {
    const row = /** @type {Record<string, string>} */ (addTimes(plain, next));
    const times = listTimes(row.en, 'en');
    assert.ok(times.length > 0 && new Set(times).size === times.length, row.en);
    for (const [language, text] of Object.entries(row)) {
      // a colon after 19:30 would make it no time
      assert.deepEqual(listTimes(text.replace(/ ?: (?=Tom)/, ' '), language), times, text);
      const [body] = plain[language].split('.');
      assert.ok(text.includes(body) && text.endsWith('.'), text);
      assert.doesNotMatch(text, /[TU](?![a-z])|\blas 1(?!\d)|\bla (?!1(?!\d))/, text);
    }
    for (const time of times) seen.add(time);
    forms.add(row.de.replace(/[\d:]+/g, ''));
  }
  assert.ok(seen.size > 500 && forms.size === 11, `${seen.size} times, ${forms.size} forms`);
  for (const text of ['Tom is 30.', 'Wait. Tom came.', 'No stop', 'Tom (the son) came.', `${'a'.repeat(90)}.`]) {
    assert.equal(addTimes({ ...plain, en: text }, next), undefined, text);
  }
});

test('dates are the same in every language, each in its own order, and exist', () => {
  const plain = { en: 'Tom came home.', de: 'Tom kam nach Hause.', fr: 'Tom est rentré.', es: 'Tom volvió a casa.' };
  const next = random(9);
  const names = Object.fromEntries(['en', 'de', 'fr', 'es'].map((language) => {
    const { format } = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' });
    return [language, Array.from({ length: 12 }, (_, i) => format(Date.UTC(2024, i)))];
  }));
  const months = (/** @type {string} */ language) => `(?<month>${names[language].join('|')})`;
  const patterns = {
    en: new RegExp(`${months('en')} (?<day>\\d+)(?:, (?<year>\\d{4}))?`, 'g'),
    de: new RegExp(`(?<day>\\d+)\\. ${months('de')}(?: (?<year>\\d{4}))?`, 'g'),
    fr: new RegExp(`\\b(?<day>1er|[2-9]|\\d\\d) ${months('fr')}(?: (?<year>\\d{4}))?`, 'g'),
    es: new RegExp(`\\b(?<day>\\d+) de ${months('es')}(?: de (?<year>\\d{4}))?`, 'g'),
  };
  const read = (/** @type {string} */ text, /** @type {keyof typeof patterns} */ language) =>
    [...text.matchAll(patterns[language])].map(({ groups: { day, month, year } = {} }) =>
      [parseInt(day, 10), names[language].indexOf(month), year].join());
  const [days, forms] = [new Set(), new Set()];
  const rows = [...Array.from({ length: 2000 }, () => addDates(plain, next)), ...dateLines(2000, next)];
  for (const row of rows) {
    const dates = read(row.en, 'en');
    assert.ok(dates.length > 0, row.en);
    for (const language of /** @type {(keyof typeof patterns)[]} */ (Object.keys(patterns))) {
      assert.deepEqual(read(row[language], language), dates, row[language]);
      assert.doesNotMatch(row[language], /\b[DEWNC]\b(?!')|undefined/, row[language]);
    }
    for (const date of dates) {
      const [day, month, year] = date.split(',').map(Number);
      assert.equal(new Date(Date.UTC(2024, month, day)).getUTCMonth(), month, date); // 2024 has a February 29
      days.add(32 * month + day);
    }
    forms.add(row.en.replace(patterns.en, 'D').replace(/\w+day/, 'W').replace(/\d|^\w[\w ]+(?=, D$)/g, ''));
  }
  assert.ok(days.size > 350 && forms.size === 19, `${days.size} days, ${[...forms].join('|')}`);
  assert.equal(addDates({ ...plain, en: 'Tom is 30.' }, next), undefined);
});
