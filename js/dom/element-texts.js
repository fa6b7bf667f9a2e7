// element-texts.js - what <heed-translate> says, and how it looks. Used by element.js.

/**
 * @typedef {object} Strings
 * @property {string} language
 * @property {(language: string) => string} translate
 * @property {string} original
 * @property {(percent: number) => string} loading
 * @property {(translated: number, total: number) => string} working
 * @property {string} done
 * @property {(message: string) => string} failed
 * @property {(selector: string) => string} nothing
 */

/** By language. @type {Record<string, Strings>} */
export const STRINGS = {
  en: {
    language: 'en',
    translate: (language) => `Translate into ${language}`,
    original: 'Show the original',
    loading: (percent) => `Loading the model: ${percent} %`,
    working: (translated, total) => `Translated: ${translated} of ${total}`,
    done: 'Translated.',
    failed: (message) => `The translation failed: ${message}`,
    nothing: (selector) => `nothing on this page is "${selector}"`,
  },
  de: {
    language: 'de',
    translate: (language) => `Übersetzen: ${language}`,
    original: 'Original zeigen',
    loading: (percent) => `Modell wird geladen: ${percent} %`,
    working: (translated, total) => `Übersetzt: ${translated} von ${total}`,
    done: 'Übersetzt.',
    failed: (message) => `Die Übersetzung ist gescheitert: ${message}`,
    nothing: (selector) => `auf dieser Seite gibt es nichts mit „${selector}“`,
  },
  es: {
    language: 'es',
    translate: (language) => `Traducir al ${language}`,
    original: 'Mostrar el original',
    loading: (percent) => `Cargando el modelo: ${percent} %`,
    working: (translated, total) => `Traducido: ${translated} de ${total}`,
    done: 'Traducido.',
    failed: (message) => `La traducción ha fallado: ${message}`,
    nothing: (selector) => `en esta página no hay nada con «${selector}»`,
  },
  fr: {
    language: 'fr',
    translate: (language) => `Traduire en ${language}`,
    original: 'Afficher l’original',
    loading: (percent) => `Chargement du modèle : ${percent} %`,
    working: (translated, total) => `Traduit : ${translated} sur ${total}`,
    done: 'Traduit.',
    failed: (message) => `La traduction a échoué : ${message}`,
    nothing: (selector) => `rien sur cette page ne correspond à « ${selector} »`,
  },
};

export const STYLE = `
:host { display: block; font: inherit; color: inherit; }
:host([hidden]) { display: none; }
[part="field"] { display: grid; grid-template-columns: 1fr 1fr; gap: 0.25rem 1rem; }
label, #to { font-weight: 600; }
textarea, output { box-sizing: border-box; inline-size: 100%; min-block-size: 6em; padding: 0.5rem; font: inherit;
  color: inherit; background: transparent; border: 1px solid currentColor; border-radius: 0.25rem;
  white-space: pre-wrap; overflow-wrap: break-word; }
textarea { resize: vertical; }
output { display: block; border-style: dashed; }
output[aria-busy="true"] { opacity: 0.6; }
button { padding: 0.4rem 0.8rem; font: inherit; cursor: pointer; }
[part="status"] { grid-column: 1 / -1; min-block-size: 1.2em; margin: 0.25rem 0 0; }
@media (max-width: 40rem) { [part="field"] { grid-template-columns: 1fr; } label { order: 0; } textarea { order: 1; }
  #to { order: 2; } output { order: 3; } [part="status"] { order: 4; } }
`;
