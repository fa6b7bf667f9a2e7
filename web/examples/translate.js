// Translates a few sentences (or those given as arguments) from English to German with the shipped model, and tells the
// speed; `make run` runs it.
import { Translator } from '../../js/index.js';

const sentences = process.argv.length > 2 ? process.argv.slice(2) : [
  'Good morning!',
  'Have you had breakfast yet?',
  'The house at the end of the street is very old.',
  'I would like to learn another language.',
  'She asked him whether he could help her tomorrow.',
  'We waited for the bus, but it never came.',
];

const start = performance.now();
const translator = await Translator.create({
  sourceLanguage: 'en',
  targetLanguage: 'de',
  model: new URL('../../models/de-en-es-fr/', import.meta.url),
});
const loaded = performance.now();

const translations = [];
for (const sentence of sentences) {
  translations.push(await translator.translate(sentence));
  console.log(`en  ${sentence}\nde  ${translations.at(-1)}\n`);
}
const seconds = (performance.now() - loaded) / 1000;

let tokens = 0; // counted afterwards: the details cost a pass of their own
for (const sentence of sentences) {
  for (const part of await translator.translateDetailed(sentence)) tokens += part.targetTokens.length;
}
translator.destroy();

console.log(`model loaded in ${Math.round(loaded - start)} ms; ${sentences.length} sentences, ${tokens} tokens in `
  + `${seconds.toFixed(2)} s: ${Math.round(tokens / seconds)} tokens per second, one sentence at a time, one thread\n`);
console.log(`Your own text:
  node js/cli.js translate "How are you?"
  node js/cli.js translate < letter.txt
  node js/cli.js --help`);
