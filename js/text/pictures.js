// pictures.js - patterns of symbols that are not words, such as emoji and stars, as parts of others. Used by keep.js,
// which finds them, and terms.js, which counts them. Neither loads the other.

/** Marks, colours of skin and tags, which continue a symbol. */
const EXTENDED = '[\\p{M}\\p{Emoji_Modifier}\\u{e0020}-\\u{e007f}]*';

/** One symbol: emoji, also joined ones, arrows, stars, ticks, and those that only a font of its own has. */
export const PICTURE = '(?:(?![\\u00a6\\u00a9\\u00ae\\u00b0\\u2100-\\u214f\\ufffc\\ufffd](?!\\ufe0f|\\p{M}*\\u200d))' +
  `[\\p{Extended_Pictographic}\\p{So}\\p{Co}]|[\\u2190-\\u21ff\\u27f0-\\u27ff])${EXTENDED}` +
  `(?:\\u200d\\p{Extended_Pictographic}${EXTENDED})*`;
