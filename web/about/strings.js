// strings.js - all texts of the room About. ../strings.js loads it when the room is first opened.

export const about = {
  heading: 'About',
  lead: 'heed is an encoder-decoder Transformer in WebAssembly. It translates in the page and shows every attention '
    + 'weight of the translation.',
  privacy: {
    title: 'Privacy',
    text: [
      'Nothing that you type leaves this page. There is no server behind it, no account, no cookie and no '
      + 'tracking.',
      'A link from the address bar contains your text after the #, which browsers do not send to the server.',
      'The page downloads its own files and the model. The browser stores both, so the page also works offline.',
    ],
  },
  how: {
    title: 'How it works',
    text: [
      'The core is written in C, compiled to WebAssembly with 128-bit SIMD, and runs in a worker, so that the page '
      + 'stays responsive. Weights are 8-bit integers.',
      'The attention under See is not an approximation: the model computed it, for every layer '
      + 'and head of the encoder, the decoder and the attention between them.',
    ],
  },
  models: {
    title: 'Models',
    loading: 'Reading the list of models\u2026',
    none: 'This page has no list of models.',
    failed: 'The description of this model could not be read:',
    pair: 'Languages',
    parameters: 'Parameters',
    size: 'Download',
    license: 'Licence',
    trained: 'Trained on',
    pairs: (/** @type {string} */ n) => `${n} pairs of sentences`,
    scores: 'Scores',
    state: 'State',
    provisional: 'Provisional: trained briefly. Good for everyday sentences, poor on rare words and long sentences.',
  },
  own: {
    title: 'In your own page',
    text: 'Copy this folder to any web server, or use the library:',
    code: "import { Translator } from 'heed';\n\nconst translator = await Translator.create({\n"
      + "  sourceLanguage: 'en', targetLanguage: 'de', models: 'models/index.json',\n});\n"
      + "await translator.translate('The house is small.');",
    codeLabel: 'Example',
    docs: 'Guides, reference and examples',
  },
};
