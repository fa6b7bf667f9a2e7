// strings.js - every word of the room About. Fetched by ../strings.js when it is first opened.

export const about = {
  heading: 'About',
  lead: 'heed is an encoder-decoder Transformer in WebAssembly. It translates in the page and shows every attention '
    + 'weight it used to do so.',
  privacy: {
    title: 'Privacy',
    text: [
      'Nothing that you type leaves this page. There is no server behind it, no account, no cookie and no '
      + 'measuring of visitors.',
      'A link copied from the address bar holds your text, after the # that browsers do not send to the server.',
      'The page fetches its own files and the model. Both are kept by the browser, so that it also works offline.',
    ],
  },
  how: {
    title: 'How it works',
    text: [
      'The core is written in C, compiled to WebAssembly with 128-bit SIMD, and runs in a worker, so that the page '
      + 'stays responsive. Weights are 8-bit integers.',
      'The attention that the room See shows is not an approximation: it is what the model computed, for every layer '
      + 'and head of the encoder, the decoder and the attention between them.',
    ],
  },
  models: {
    title: 'Models',
    loading: 'Reading the list of models\u2026',
    none: 'There is no list of models here.',
    failed: 'The description of this model could not be read:',
    pair: 'Languages',
    parameters: 'Parameters',
    size: 'Download',
    license: 'Licence',
    trained: 'Trained on',
    pairs: (/** @type {string} */ n) => `${n} pairs of sentences`,
    scores: 'Scores',
    score: (/** @type {any} */ s) => [
      s.bleu !== undefined && `BLEU ${s.bleu}`, s.chrf2 !== undefined && `chrF ${s.chrf2}`,
    ].filter(Boolean).join(', '),
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
  },
};
