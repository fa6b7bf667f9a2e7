// tags.js - what tags cost: the processor's time of sentences with a link in each, by translateHtml(), beside that of
// the same without, by translateHtml() and translate(). They take turns, and no sentence comes twice.
// Run: node tests/bench/tags.js [--model DIR] [--to de] [--sentences 60] [--rounds 9] [--beams 1]
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { Translator } from '../../js/index.js';
import { FIXTURE_PATH } from '../browser/fixture.js';
import { median } from './measure.js';

const { values } = parseArgs({ options: {
  model: { type: 'string', default: fileURLToPath(new URL(`../../${FIXTURE_PATH}`, import.meta.url)) },
  to: { type: 'string', default: 'de' }, sentences: { type: 'string', default: '60' },
  rounds: { type: 'string', default: '9' }, beams: { type: 'string' },
} });
const WORDS = [['The house', 'My sister', 'A small dog', 'The old station', 'The teacher', 'Our new school'],
  ['is in the city', 'was here yesterday', 'is very good', 'will be there tomorrow', 'was never so cheap'],
  ['with the children', 'near the river', 'without any doubt', 'in the morning', 'after the war', 'on the table'],
  ['and my friends', 'or the old men', 'but not the others', 'as you know', 'if you want'],
  ['come from Berlin', 'eat a lot of bread', 'have no time today', 'want to see it', 'know the answer']];
const count = Number(values.sentences);
/** How many different sentences these words make. */
const all = WORDS.reduce((product, { length }) => product * length, 1);
let next = 0;
/** Parts of a sentence that comes only once. */
function words() {
  // 7 is prime to the numbers of words: all combinations come, and neighbours differ
  let rest = (7 * next++) % all;
  return WORDS.map((list) => {
    const word = list[rest % list.length];
    rest = Math.floor(rest / list.length);
    return word;
  });
}
const plain = () => Array.from({ length: count }, () => words().join(' ')).map((text) => `${text}.`);
const tagged = () => Array.from({ length: count }, () => {
  const [who, is, where, and, what] = words();
  return `${who} ${is} <a href="#">${where}</a> ${and} ${what}.`;
});
const paragraphs = (/** @type {string[]} */ texts) => texts.map((text) => `<p>${text}</p>`).join('\n');

const translator = await Translator.create({
  sourceLanguage: 'en', targetLanguage: values.to, model: values.model, worker: false,
});
const options = values.beams ? { beams: Number(values.beams) } : {};
const ways = {
  'translate()': () => translator.translate(plain(), options),
  'translateHtml()': () => translator.translateHtml(paragraphs(plain()), options),
  'translateHtml() with links': () => translator.translateHtml(paragraphs(tagged()), options),
};
const rounds = Number(values.rounds);
if ((rounds + 1) * 3 * count > all) throw new RangeError(`--sentences, --rounds: more than ${all} sentences in all`);
const times = Object.fromEntries(Object.keys(ways).map((name) => [name, /** @type {number[]} */ ([])]));
for (let round = -1; round < rounds; round++) {
  for (const [name, way] of round % 2 ? Object.entries(ways) : Object.entries(ways).reverse()) {
    const start = process.cpuUsage();
    await way();
    const { user, system } = process.cpuUsage(start);
    if (round >= 0) times[name].push((user + system) / 1000 / count); // the first round compiles
  }
}
translator.destroy();
const least = median(times['translate()']);
for (const [name, list] of Object.entries(times)) {
  console.log(`${name.padEnd(28)} ${median(list).toFixed(2)} ms a sentence, ${(median(list) / least).toFixed(2)}`);
}
