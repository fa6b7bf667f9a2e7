// html.js - tables of HTML and its translations: Bergamot's beside heed's with the same toy model, and what a stub
// makes of the numbered cases, which gives each word in capitals, in reverse.
//
//     node tests/score/html.js
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Translator } from '../../js/index.js';
import { translateBy } from '../mutate/html.js';

const golden = (/** @type {string} */ name) => new URL(`../golden/${name}`, import.meta.url);
const lines = (/** @type {string} */ name) =>
  readFileSync(golden(name), 'utf8').trim().split('\n').map((line) => JSON.parse(line));
/** @param {string[]} cells */
const row = (cells) => console.log(`| ${cells.map((cell) =>
  `\`${cell.replace(/\n/g, '\u2424').replaceAll('|', '\\|')}\``).join(' | ')} |`);

console.log('| source | Bergamot | heed |\n|---|---|---|');
const model = fileURLToPath(golden('firefox/tiny-joint'));
const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model });
for (const { source, html } of lines('html/bergamot.jsonl')) {
  row([source, html, await translator.translateHtml(source)]);
}
translator.destroy();

console.log('\n| case | source | stub |\n|---|---|---|');
for (const { case: number, html } of lines('html/cases.jsonl')) {
  row([String(number), html, translateBy(html, 'reverse').output]);
}
