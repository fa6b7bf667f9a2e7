// polyfill.js - `import 'heed/polyfill'` makes Translator and LanguageDetector global where the host has none. The
// browser's own are never replaced. Public as 'heed/polyfill'.
//
//     import { Translator } from 'heed/polyfill'; // heed's, also where the global one is the browser's
//     Translator.models = 'models/index.json';

import { LanguageDetector, Translator } from './index.js';

for (const [name, value] of Object.entries({ Translator, LanguageDetector })) {
  // as Web IDL defines interfaces
  if (!(name in globalThis)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  }
}

export { LanguageDetector, Translator };
