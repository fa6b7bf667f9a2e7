// examples.js - texts to begin with, by their language; the same for every language of the page. Used by app.js and
// translate.js.

/** What the page begins with. @type {Record<string, string>} */
export const FIRST = {
  en: 'The cat sleeps on the sofa because it is tired.',
  de: 'Die Katze schl\u00e4ft auf dem Sofa, weil sie m\u00fcde ist.',
  fr: 'Le chat dort sur le canap\u00e9 parce qu\u2019il est fatigu\u00e9.',
  es: 'El gato duerme en el sof\u00e1 porque est\u00e1 cansado.',
};

/** What one can try. @type {Record<string, string[]>} */
export const EXAMPLES = {
  en: [
    'Have you had breakfast yet?',
    FIRST.en,
    'She gave the book to her brother before she left.',
    'I would like a cup of coffee, please.',
    'The children are playing in the garden. They are very happy.',
  ],
  de: [
    'Hast du schon gefr\u00fchst\u00fcckt?',
    FIRST.de,
    'Sie gab das Buch ihrem Bruder, bevor sie ging.',
    'Ich h\u00e4tte gern eine Tasse Kaffee, bitte.',
    'Die Kinder spielen im Garten. Sie sind sehr gl\u00fccklich.',
  ],
  fr: [
    'As-tu d\u00e9j\u00e0 pris ton petit-d\u00e9jeuner ?',
    FIRST.fr,
    'Elle a donn\u00e9 le livre \u00e0 son fr\u00e8re avant de partir.',
    'Je voudrais une tasse de caf\u00e9, s\u2019il vous pla\u00eet.',
    'Les enfants jouent dans le jardin. Ils sont tr\u00e8s heureux.',
  ],
  es: [
    '\u00bfYa has desayunado?',
    FIRST.es,
    'Le dio el libro a su hermano antes de irse.',
    'Quisiera una taza de caf\u00e9, por favor.',
    'Los ni\u00f1os juegan en el jard\u00edn. Est\u00e1n muy contentos.',
  ],
};
