// parse5.js - the one place that imports the tokenizer of HTML. The package ships it bundled, see make-package.mjs.
// Used by markup.js.
//
// parse5's tokenizer is the state machine of the HTML standard, and gives the place of every tag and attribute in the
// source: exact for any input, however ill-formed. Bundled it takes 30 kB when zipped, with the names of all character
// references; htmlparser2's takes 20 kB and has rules of its own, for example for scripts inside of comments. parse5's
// tree is not used, since it moves elements that are not where they belong, and ours must stay where they are.

export { Tokenizer, TokenizerMode } from 'parse5';
