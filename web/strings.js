// strings.js - all texts around the rooms in English; each room has its own strings.js. strings/de.js and the like have
// all of them in another language.

export const strings = {
  shell: {
    title: 'heed',
    tabs: { translate: 'Translate', see: 'See', learn: 'Learn', about: 'About' },
    nav: 'Rooms',
    skip: 'Skip to the content',
    toDark: 'Switch to dark colours',
    toLight: 'Switch to light colours',
    status: {
      empty: 'No model loaded',
      loading: (/** @type {number} */ percent) => `Loading the model, ${percent}\u00a0%`,
      ready: 'Ready',
      failed: 'The model could not be loaded',
    },
    progress: 'Download of the model',
    roomFailed: 'This section could not be opened.',
    roomLoading: 'Opening\u2026',
    retry: 'Try again',
    language: 'Language of the page',
    pair: 'Languages of the translation',
    from: 'Translate from',
    to: 'Translate to',
    swap: 'Swap the languages',
    noSwap: 'No model for the other direction',
    own: 'own model',
  },
};

/** The other languages of the page. */
const OTHERS = {
  de: () => import('./strings/de.js'),
  es: () => import('./strings/es.js'),
  fr: () => import('./strings/fr.js'),
};
/** The languages of the page by their own names. */
export const LANGUAGES = { de: 'Deutsch', en: 'English', es: 'Espa\u00f1ol', fr: 'Fran\u00e7ais' };

/** All texts in the language of the page, if it is not English. @type {Record<string, any> | undefined} */
let others;

/**
 * Speaks this language from now on, if the page has it.
 *
 * @param {string} language  ISO 639-1
 */
export async function speak(language) {
  if (!Object.hasOwn(OTHERS, language)) return;
  others = await OTHERS[/** @type {keyof typeof OTHERS} */ (language)]();
  Object.assign(strings.shell, others.shell);
  document.documentElement.lang = language;
}

/** The texts of a room, loaded when it is first opened. @type {Record<string, () => Promise<any>>} */
export const roomStrings = {
  translate: async () => others ?? import('./translate/strings.js'),
  see: async () => others ?? import('./see/strings.js'),
  learn: async () => others ?? import('./learn/strings.js'),
  about: async () => others ?? import('./about/strings.js'),
};
