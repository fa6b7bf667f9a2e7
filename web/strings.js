// strings.js - all texts around the rooms; each room has its own. To translate the page, translate this file and the
// strings.js of translate, see, learn and about.

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
      loading: (/** @type {number} */ percent) => `Loading the model, ${percent} %`,
      ready: 'Ready',
      failed: 'The model could not be loaded',
    },
    progress: 'Download of the model',
    roomFailed: 'This section could not be opened.',
    roomLoading: 'Opening\u2026',
    retry: 'Try again',
    firstText: 'The cat sleeps on the sofa because it is tired.',
  },
};

/** The texts of a room, loaded when it is first opened. */
export const roomStrings = {
  translate: () => import('./translate/strings.js'),
  see: () => import('./see/strings.js'),
  learn: () => import('./learn/strings.js'),
  about: () => import('./about/strings.js'),
};
