// strings.js - all texts of the room Translate. ../strings.js loads it when the room is first opened.

import { strings } from '../strings.js';

export const translate = {
  heading: 'Translate',
  lead: 'Type on the left and read on the right. The model runs in this page, and your text stays here.',
  pair: 'Languages',
  pairOf: (/** @type {string} */ from, /** @type {string} */ to) => `${from} to ${to}`,
  ownPair: 'Own model',
  swap: 'Swap the languages',
  noSwap: 'No model for the other direction',
  source: (/** @type {string} */ language) => language || 'Text',
  target: (/** @type {string} */ language) => language || 'Translation',
  sourceLabel: 'Text to translate',
  targetLabel: 'Translation',
  placeholder: 'Type or paste something\u2026',
  waiting: 'The translation appears here.',
  clear: 'Clear',
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'The browser does not allow copying. Select the text and copy it yourself.',
  size: (/** @type {number} */ sentences, /** @type {number} */ characters) =>
    `${sentences} ${sentences === 1 ? 'sentence' : 'sentences'}, ${characters.toLocaleString('en')} `
    + `${characters === 1 ? 'character' : 'characters'}`,
  examples: 'Try',
  exampleTexts: [
    'Have you had breakfast yet?',
    strings.shell.firstText,
    'She gave the book to her brother before she left.',
    'I would like a cup of coffee, please.',
    'The children are playing in the garden. They are very happy.',
  ],
  beams: 'Search wider',
  beamsHint: 'Follow several translations at once, and list the best. Slower, but often a little better.',
  see: 'See its attention',
  candidates: 'The best translations of the search',
  candidatesOf: (/** @type {number} */ i) => `Sentence ${i}`,
  score: 'log-probability',
  probability: (/** @type {string} */ share) => `${share} of the total of these`,
  speed: (/** @type {number} */ tokens, /** @type {string} */ time, /** @type {string} */ rate) =>
    `${tokens} tokens in ${time}, ${rate} tokens/s`,
  speedOfText: (/** @type {string} */ characters, /** @type {string} */ time) =>
    `${characters} characters in ${time}`,
  memory: (/** @type {string} */ weights, /** @type {string} */ memory) => `weights ${weights}, memory ${memory}`,
  where: (/** @type {boolean} */ worker) => (worker ? 'in a worker' : 'in the page'),
  failed: 'This text could not be translated.',
  loadFailed: 'The model could not be loaded.',
  help: {
    NetworkError: 'Check the connection or the address, then try again.',
    QuotaExceededError: 'The browser has no room for the model. Close other tabs, then try again.',
    NotSupportedError: 'Choose other languages or another model, or use a newer browser.',
    file: 'A file of the model is missing or damaged. Download the model again, or choose another one.',
    other: 'Try again; if that does not help, reload the page.',
  },
  retry: 'Try again',
  own: {
    title: 'Use your own model',
    text: 'Any MarianMT (OPUS-MT) directory: config.json, vocab.json, source.spm, target.spm, and the weights in '
      + 'model.safetensors or pytorch_model.bin. Or the files of one of Firefox\u2019s models: model.\u2026.bin and '
      + 'vocab.\u2026.spm. The files stay in this browser.',
    drop: 'Drop the files or the folder here',
    files: 'Choose files',
    folder: 'Choose a folder',
    url: 'Address of the directory',
    urlHint: 'https://\u2026',
    from: 'From',
    to: 'To',
    languageHint: 'language tags such as en and de, if the model does not name its languages',
    load: 'Load',
    missing: (/** @type {string[]} */ names) => `Missing files: ${names.join(', ')}.`,
    badUrl: 'This is not an https address.',
  },
};
