// saxes.js - the one place that imports the parser of XML. The package ships it bundled, see make-package.mjs. Used by
// xliff.js.
//
// saxes refuses what XML refuses, with the line, and gives the place of every tag; it resolves no entities of a
// document's own and loads nothing.

export { SaxesParser } from 'saxes';
