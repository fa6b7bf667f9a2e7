// messageformat.js - the one place that imports the parser of ICU messages. The package ships it bundled, see
// make-package.mjs. Used by messages.js.
//
// @messageformat/parser gives the place of every part in its source, and reads quotes as ICU does.

export { parse } from '@messageformat/parser';
