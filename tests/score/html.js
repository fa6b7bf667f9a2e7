// html.js - tables of HTML and its translations: Bergamot's beside heed's with the same toy model, and what a stub
// makes of the numbered cases, which writes each word in capitals.
//
//     node tests/score/html.js
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Translator } from '../../js/index.js';
import { WANTED } from '../golden/html/wanted.js';

const golden = (/** @type {string} */ name) => new URL(`../golden/${name}`, import.meta.url);
const lines = (/** @type {string} */ name) =>
  readFileSync(golden(name), 'utf8').trim().split('\n').map((line) => JSON.parse(line));
/** @param {string} text */
const code = (text) => `\`${text.replace(/\n/g, '\u2424').replaceAll('|', '\\|')}\``;
/** @param {string[]} cells */
const row = (cells) => console.log(`| ${cells.map(code).join(' | ')} |`);

console.log('| source | Bergamot | heed |\n|---|---|---|');
const model = fileURLToPath(golden('firefox/tiny-joint'));
const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model });
for (const { source, html } of lines('html/bergamot.jsonl')) {
  row([source, html, await translator.translateHtml(source)]);
}
translator.destroy();

/** What a test shows of a case, or where it is. @param {number} number */
function shown(number) {
  const own = WANTED.filter(([each]) => each === number);
  if (own.length === 0) return number > 50 ? 'browser/dom-cases.js' : 'html.test.js';
  return own.map(([, html, upper]) => `${code(html)} \u2192 ${code(upper)}`).join('<br>');
}

console.log('\n| case | input | Bergamot; from 51 Firefox | heed |\n|---|---|---|---|');
for (const { case: number, input, others } of lines('html/others.jsonl')) {
  console.log(`| ${number} | ${input} | ${others} | ${shown(number)} |`);
}
