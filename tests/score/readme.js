// readme.js - what models/README.md says, from the models themselves: their manifests, and what they make of the
// sentences of samples.json and of letter.tsv. Used by models.test.js, which compares; run by itself, it writes the
// file.
//
//     node tests/score/readme.js
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Translator } from '../../js/index.js';
import { LANGUAGES, listDirections, readTable } from './directions.js';

const models = new URL('../../models/', import.meta.url);
const json = (/** @type {URL} */ url) => JSON.parse(readFileSync(url, 'utf8'));
/** The same for every model, written before any of them, in nobody's training data. */
const samples = json(new URL('samples.json', import.meta.url));
const [, ...letter] = readTable(fileURLToPath(new URL('letter.tsv', import.meta.url)));
const names = new Intl.DisplayNames('en', { type: 'language' });
const number = (/** @type {number} */ n) => n.toLocaleString('en');

/** Every shipped model: where it is and what its manifest says. */
export const shipped = json(new URL('index.json', models)).models.map((/** @type {{ path: string }} */ { path }) => {
  const url = new URL(path, models);
  return { url, path: path.replace(/\/$/, ''), manifest: json(new URL('heed.json', url)) };
});

const HEAD = `# Shipped models

Each directory is a model in the layout that Hugging Face uses for MarianMT, plus \`heed.json\`, a manifest with
languages, licence, corpora, options of training, scores, and size and sha256 of every file. \`index.json\` lists the
directories by language pair: \`Translator.create({ sourceLanguage, targetLanguage, models: 'models/index.json' })\` looks
there, and so does the command line.

All are of the same kind: d_model 256, 4 heads, feed-forward width 1,024, 3 + 3 layers, post-norm, ReLU, sinusoidal
positions (sin half | cos half), one vocabulary of unigram pieces shared by both sides and by the output, stored as int8
rows with F32 scales. \`heed-train\` trained each of them from its corpus, starting from random weights.
`;

const SCORES = `
BLEU and chrF2 as sacreBLEU defines them (13a), on held-out sentences of the same sources: greedy, in int8
as shipped, each line as one sentence. \`make score\` measures them again. There is one reference
per sentence, and sentences are short: the figures compare these models with each other, not with other tables.

ECE is the expected calibration error of \`confidence\`, in ten bins: its mean distance from the share of words that the
reference has. The numbers in \`heed.json\` were fitted to every second sentence of the set and measured on the others.
The ECE of p, the product of the probabilities of a word's tokens, is the error without calibration. \`node
src/train/model/calibrate.js --data ../shared/data\` measures it again.
`;

const LICENCE = `
## Data and licence

The weights and the vocabularies have the strictest licence of their data, CC BY 2.0 FR
(https://creativecommons.org/licenses/by/2.0/fr/): name tatoeba.org and www.manythings.org/anki when you pass them on.
The MIT licence of the code does not cover the model directories.
`;

/** @param {string[]} cells */
const row = (cells) => `| ${cells.join(' | ')} |\n`;

function scoreTable() {
  const lines = shipped.map(({ path, manifest }) => {
    const [[set, { sentences, bleu, chrf2 }]] = Object.entries(manifest.scores);
    const { size } = manifest.files['model.safetensors'];
    const { minutes, epochs } = manifest.training;
    const [ece, uncalibrated] = [manifest.confidence.ece, manifest.confidence.uncalibrated].map((x) =>
      (100 * x).toFixed(1));
    return row([
      path, `${(size / 1e6).toFixed(1)} MB`, `${minutes} min, ${epochs} epochs`, `${set} (${number(sentences)})`,
      bleu.toFixed(1), chrf2.toFixed(1), `${ece} % (${uncalibrated} %)`,
    ]);
  });
  return row(['model', 'weights', 'training', 'set (sentences)', 'BLEU', 'chrF2', 'ECE (of p)']) + `|${'---|'.repeat(7)}\n` +
    lines.join('');
}

function dataTable() {
  const lines = shipped.flatMap(({ path, manifest }) =>
    manifest.data.map(({ name, pairs, license, attribution }) =>
      row([path, name, number(pairs), license + (attribution ? `, attribution: ${attribution}` : '')])));
  return row(['model', 'corpus', 'pairs', 'licence']) + `|${'---|'.repeat(4)}\n` + lines.join('');
}

/**
 * A direction of a model: what it makes of the samples and of the letter.
 *
 * @param {URL} url  of the model
 * @param {string} direction
 */
async function showDirection(url, direction) {
  const [source, target] = direction.split('-');
  const translator = await Translator.create({ sourceLanguage: source, targetLanguage: target, model: url });
  const table = async (/** @type {string[]} */ texts) => {
    const translations = await translator.translate(texts);
    return row([from, to]) + `|${'---|'.repeat(2)}\n` + texts.map((text, i) => row([text, translations[i]])).join('');
  };
  const [from, to] = [source, target].map((tag) => names.of(tag) ?? tag);
  const text = `\n### ${from} to ${to}\n\n${await table(samples[source])}\nThe letter:\n\n` +
    `${await table(letter.map((line) => line[LANGUAGES.indexOf(source)]))}`;
  translator.destroy();
  return text;
}

/** The whole file. @returns {Promise<string>} */
export async function makeReadme() {
  const tables = [];
  for (const { url, manifest } of shipped)
    for (const direction of listDirections(manifest)) tables.push(await showDirection(url, direction));
  return `${HEAD}
## Scores

${scoreTable()}${SCORES}
## Samples

Translations of the same twenty sentences and of a business letter by each model, with greedy search. The texts were
written for this page before the models were trained; none was left out.
${tables.join('')}${LICENCE}
${dataTable()}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('README.md', models), await makeReadme());
}
