// composed.js - five hundred English texts made of own words by a seeded chance: short and long, numbers, addresses,
// names, quotes, capitals, several sentences, umlauts, emoji, other scripts; used by everywhere.js.

const WORDS = {
  adjective: 'small old green quiet heavy cheap broken empty famous lazy narrow warm strange honest dusty'.split(' '),
  noun: ('house garden bridge train dog letter window kitchen doctor river teacher ticket lamp village apple machine '
    + 'picture winter horse newspaper bicycle mountain key farmer question').split(' '),
  plural: 'children books neighbours birds shoes friends tomatoes engines stories clouds'.split(' '),
  past: 'found sold painted forgot watched bought repaired lost opened described'.split(' '),
  intransitive: 'slept waited laughed disappeared sang arrived fell'.split(' '),
  place: ['in the garden', 'near the station', 'behind the church', 'on the table', 'at home', 'by the sea',
    'under the old bridge', 'in Hamburg', 'between two mountains'],
  when: ['yesterday', 'last summer', 'every morning', 'after the storm', 'before dinner', 'for three weeks', 'in 1987'],
  name: ['Anna', 'Mr. Miller', 'my sister', 'Dr. Brown', 'the farmer', 'nobody', 'Jürgen', 'Zoë', 'Łukasz',
    'Mrs. O’Hara', 'Þóra', 'Señor Núñez'],
  city: ['Berlin', 'Köln', 'São Paulo', 'Zürich', 'Ystad', 'New York', 'Gdańsk'],
  emoji: ['🎵', '👍🏽', '👩‍👩‍👧', '🇩🇪', '♥', '😀😀'],
  foreign: ['東京', 'Москва', 'Αθήνα', 'القاهرة', 'ירושלים', '서울', 'दिल्ली', 'ไทย'],
  host: ['example.org', 'www.example.com/a/b?c=1&d=2', 'example.net:8080/index.html#top'],
  unit: ['kilograms', 'miles', '%', 'euros', '°C', 'km/h'],
  answer: ['Yes', 'No', 'Of course', 'Never', 'Perhaps', 'Thank you', 'Good morning', 'Why not'],
  end: ['.', '.', '.', '!', '?', '...', ' …', ';', ''],
};

/** What is made, by kind: a name in braces is a word of that list, {n} a number, {s} a plain sentence. */
const SENTENCES = [
  'The {adjective} {noun} {intransitive} {place}.',
  '{name} {past} the {noun} {when}.',
  'Did {name} see the {adjective} {noun} {place}?',
  'The {plural} are {place}.',
  '{name} {past} {n} {plural} and a {adjective} {noun}.',
];
const KINDS = [
  ...SENTENCES, ...SENTENCES,
  '{answer}{end}',
  '{noun}',
  'The {noun}{end}',
  'If {name} had not {past} the {noun}, the {plural} would still be {place}.',
  '{name}, who {intransitive} {when}, {past} a {noun} that was as {adjective} as a {noun}; the {plural} {intransitive} '
    + '{place}, and the {noun} was {adjective} again.',
  'The temperature in {city} was {n} {unit}, {n} more than {when}.',
  'It costs €{n}.99 or ${n}, about {n} {unit} of the price.',
  'On {day}/{day}/20{day} at {day}:{day} the {noun} weighed {n} {unit}.',
  'Call +49 {n} {n} or write to {noun}@example.org.',
  'See https://{host} for the {adjective} {noun}.',
  'http://{host}',
  '{name} said: “The {noun} is {adjective}.”',
  '"Where is the {noun}?" asked {name}. "{answer}," said {name}.',
  '‘{answer}!’ – {name} (the {adjective} {noun}) {intransitive}…',
  '{UPPER}',
  '{lower}',
  '{s} {s}',
  '{s}  {s} {s}',
  '{s}\t{s}',
  '{name} wrote {foreign} on the {noun} in {city}.',
  '{foreign}',
  '{foreign} {emoji} {city}',
  'I {emoji} the {adjective} {noun} {emoji}',
  '{emoji}',
  '{adjective}, {adjective}, {adjective} and {adjective}',
  'The {noun} - the {adjective} one - is <b>not</b> {place} & never was.',
  '{n} + {n} = {n}',
  '  {s} ',
  'Zxq{noun}vbr wplk {n}th, said the {noun}.',
  'e\u0301t\u00e9, soft\u00adhyphen, no\u00a0break and ﬁne ＷＩＤＥ {noun}.',
];

/** @returns {string[]}  the same ones always; none has a line break */
export function composed() {
  let state = 20_240_229;
  /** A whole number below n: xorshift of 32 bits. @param {number} n */
  const below = (n) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % n;
  };
  const pick = (/** @type {string[]} */ list) => list[below(list.length)];
  const capital = (/** @type {string} */ text) => text.charAt(0).toUpperCase() + text.slice(1);
  const made = {
    n: () => String(below(10 ** (1 + below(4)))),
    day: () => String(1 + below(12)).padStart(2, '0'),
    s: () => fill(pick(SENTENCES)),
    UPPER: () => fill(pick(SENTENCES)).toUpperCase(),
    lower: () => fill(pick(SENTENCES)).toLowerCase().replace(/[.?]/g, ''),
  };
  /** @param {string} kind @returns {string} */
  const fill = (kind) => {
    const text = kind.replace(/\{(\w+)\}/g, (_, name) => (made[name] ? made[name]() : pick(WORDS[name])));
    return /^\{(name|adjective|answer)\}/.test(kind) ? capital(text) : text;
  };
  // every kind in turn, so that no chance leaves one out
  return Array.from({ length: 500 }, (_, i) => fill(KINDS[i % KINDS.length]));
}
