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

/** Every shipped model: where it is, and what its files say. */
export const shipped = [...new Set(json(new URL('index.json', models)).models.map((/** @type {any} */ m) => m.path))]
  .map((path) => {
    const url = new URL(path, models);
    const [manifest, config] = ['heed.json', 'config.json'].map((name) => json(new URL(name, url)));
    return { url, path: path.replace(/\/$/, ''), manifest, config };
  });

const HEAD = `# Shipped models

Each directory is a model in the layout that Hugging Face uses for MarianMT, plus \`heed.json\`, a manifest with
languages, licence, corpora, options of training, scores, and size and sha256 of every file. \`index.json\` lists the
directories by language pair: \`Translator.create({ sourceLanguage, targetLanguage, models: 'models/index.json' })\` looks
there, and so does the command line.

\`heed-train\` trained each of them from its corpora, starting from random weights. One vocabulary of unigram pieces is
shared by both sides and by the output. Positions are sinusoids, sin half | cos half. Weights are int8 rows with F32
scales.
`;

const SCORES = `
BLEU and chrF2 as sacreBLEU defines them (13a), on held-out sentences of the same sources: greedy, in int8
as shipped, each line as one sentence. \`make score\` measures them again. There is one reference
per sentence, and sentences are short: the figures compare these models with each other, not with other tables.
`;

const CONFIDENCE = `
ECE is the expected calibration error of \`confidence\`, in ten bins: its mean distance from the share of words that the
reference has. The numbers in \`heed.json\` were fitted to every second sentence of the sets and measured on the others.
The ECE of p, the product of the probabilities of a word's tokens, is the error without calibration. \`node
src/train/model/calibrate.js --data ../shared/data\` measures it again.
`;

const licences = [...new Set(shipped.map(({ manifest }) => manifest.license))].join(', ');

const LICENCE = `
## Data and licence

The weights and the vocabularies have the strictest licence of their data,
${licences}: name the attributions when you pass them on.
The MIT licence of the code does not cover the model directories.
`;

/** @param {string[]} cells */
const row = (cells) => `| ${cells.join(' | ')} |\n`;

/** A table. @param {string[]} head @param {string[][]} rows */
const table = (head, rows) => `${row(head)}|${'---|'.repeat(head.length)}\n${rows.map(row).join('')}`;

/** @param {{ bleu: number, chrf2: number }} figures */
const show = ({ bleu, chrf2 }) => `${bleu.toFixed(1)}, ${chrf2.toFixed(1)}`;

function modelTable() {
  return table(['model', 'weights', 'shape', 'training', 'ECE (of p)'], shipped.map(({ path, manifest, config: c }) => {
    const { minutes, epochs, tokens, machine } = manifest.training;
    const [ece, uncalibrated] = [manifest.confidence.ece, manifest.confidence.uncalibrated].map((x) =>
      (100 * x).toFixed(1));
    return [
      path, `${(manifest.files['model.safetensors'].size / 1e6).toFixed(1)} MB`,
      `${c.encoder_layers} + ${c.decoder_layers} layers, d_model ${c.d_model}, ` +
        `feed-forward ${number(c.encoder_ffn_dim)}, ${c.encoder_attention_heads} heads, ` +
        `${c.normalize_before ? 'pre' : 'post'}-norm, ${c.activation_function}, ${number(c.vocab_size)} pieces`,
      `${minutes} min, ${epochs ? `${epochs} epochs, ` : ''}${(tokens / 1e6).toFixed(1)} M target tokens` +
        (machine ? `, ${machine}` : ''),
      `${ece} % (${uncalibrated} %)`,
    ];
  }));
}

function scoreTable() {
  const sets = shipped.flatMap(({ path, manifest }) =>
    Object.entries(manifest.scores).map(([set, s]) => ({ path, set, s })));
  const hasPivot = sets.some(({ s }) => s.pivot);
  return table(['model', 'set', 'sentences', 'BLEU, chrF2', ...(hasPivot ? ['by way of English'] : [])],
    sets.map(({ path, set, s }) =>
      [path, set, number(s.sentences), show(s), ...(hasPivot ? [s.pivot ? show(s.pivot) : ''] : [])]));
}

const dataTable = () => table(['model', 'corpus', 'pairs', 'licence'], shipped.flatMap(({ path, manifest }) =>
  manifest.data.map((/** @type {any} */ { name, pairs, license, attribution }) =>
    [path, name, pairs ? number(pairs) : '', license + (attribution ? `, attribution: ${attribution}` : '')])));

/**
 * A direction of a model: what it makes of the samples and of the letter.
 *
 * @param {URL} url  of the model
 * @param {string} direction
 */
async function showDirection(url, direction) {
  const [source, target] = direction.split('-');
  const translator = await Translator.create({ sourceLanguage: source, targetLanguage: target, model: url });
  const translated = async (/** @type {string[]} */ texts) => {
    const translations = await translator.translate(texts);
    return table([from, to], texts.map((text, i) => [text, translations[i]]));
  };
  const [from, to] = [source, target].map((tag) => names.of(tag) ?? tag);
  const text = `\n### ${from} to ${to}\n\n${await translated(samples[source])}\nThe letter:\n\n` +
    `${await translated(letter.map((line) => line[LANGUAGES.indexOf(source)]))}`;
  translator.destroy();
  return text;
}

/** The whole file. @returns {Promise<string>} */
export async function makeReadme() {
  const tables = [];
  for (const { url, manifest } of shipped)
    for (const direction of listDirections(manifest)) tables.push(await showDirection(url, direction));
  return `${HEAD}
## Models

${modelTable()}${CONFIDENCE}
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
