// lezer.js - the one place that imports the parser of Markdown. The package ships it bundled, see make-package.mjs.
// Used by markdown.js.
//
// @lezer/markdown gives the place of every mark, such as the stars around a word and the brackets of a link. Other
// parsers give that of elements only, or of none inside a paragraph.

import { GFM, parser } from '@lezer/markdown';

/** CommonMark with GitHub's tables, tasks, strikethrough and bare addresses. */
export const markdown = parser.configure(GFM);
