// fixture.js - the shipped model that tests take as their example: whoever replaces it changes its path here. Used in
// Node and in pages. tests/README.md lists the tests that expect its translations and sizes.

/** Its directory in the repository. */
export const FIXTURE_PATH = 'models/de-en-es-fr';
/** Its address, with a slash at the end. */
export const FIXTURE = new URL(`../../${FIXTURE_PATH}/`, import.meta.url);
