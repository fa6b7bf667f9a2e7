// examples.js - texts to begin with, by their language; the same for every language of the page. Used by app.js and
// translate.js. The shipped model translates each of them right, as page-examples.test.js sees.

/** What the page begins with. @type {Record<string, string>} */
export const FIRST = {
  en: 'My brother bought a red bicycle yesterday.',
  de: 'Mein Bruder hat gestern ein rotes Auto gekauft.',
  fr: 'Je ne peux pas venir aujourd\u2019hui parce que je suis malade.',
  es: 'Mi hermano compr\u00f3 ayer un coche rojo.',
};

/** What one can try. @type {Record<string, string[]>} */
export const EXAMPLES = {
  en: [
    FIRST.en,
    'Where is the nearest station?',
    'I would like a cup of tea.',
    'I cannot come today because I am ill.',
    'When did you buy this house?',
  ],
  de: [
    FIRST.de,
    'Wo sind meine Schl\u00fcssel?',
    'Ich h\u00e4tte gern eine Tasse Kaffee.',
    'Ich kann heute nicht kommen, weil ich krank bin.',
    'Wann hast du dieses Haus gekauft?',
  ],
  fr: [
    FIRST.fr,
    'O\u00f9 est la gare la plus proche ?',
    'Je voudrais une tasse de caf\u00e9, s\u2019il vous pla\u00eet.',
    'Je pense que tu as raison.',
    'Elle habite dans cette ville depuis dix ans.',
  ],
  es: [
    FIRST.es,
    '\u00bfD\u00f3nde est\u00e1n mis llaves?',
    'Quisiera una taza de caf\u00e9, por favor.',
    'Ella vive en esta ciudad desde hace mucho tiempo.',
    '\u00bfCu\u00e1ndo compraste esta casa?',
  ],
};
