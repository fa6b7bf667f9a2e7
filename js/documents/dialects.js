// dialects.js - what writers of Markdown use beyond GitHub's: formulas, names of emoji, marked words, boxes, lists of
// definitions, lines for other programs. Used by markdown.js.
//
//   > [!NOTE]       :::tip The title       $a_1$       $$       :tada:       ==marked==       {% include x %}
//   # A title {#id}       [A text]{.class}       {{ site.title }}       [A link]({{ site.url }}/x)
//
// Without this they would be text: the first line of a box would be joined to the next one, and a formula would be
// translated.

import { markdown as github } from './lezer.js';

/** @typedef {import('@lezer/markdown').BlockContext} BlockContext */
/** @typedef {import('@lezer/markdown').InlineContext} InlineContext */
/** @typedef {import('@lezer/common').Input} Input */
/** @typedef {import('@lezer/markdown').Line} Line */

/** The head of a box: of GitHub in a quotation, of other programs anywhere; what follows is its title. */
const ALERT = /^\[![\w-]+\][-+]?[ \t]*/;
const BOX = /^:{3,}[ \t]*(?:[\w-]+|\{[^{}]*\})?(?:[ \t]+|\[)?/;
/** What follows a title. */
const AFTER_TITLE = /[\]\s]*(?:\{(?!%)[^{}]*\}\s*)?$/;
/** What Jekyll or Hugo runs. Each ends at its first end. */
const RUN = '\\{%[^{}]*%\\}|\\{\\{<(?:(?!>\\}\\}|\\{\\{)[^])*>\\}\\}|\\{\\{%(?:(?!%\\}\\}|\\{\\{)[^])*%\\}\\}';
/** Attributes of what they touch, as kramdown and Pandoc have them. */
const ATTRIBUTES = '\\{:[ \\t]*(?:[.#][\\w-]|[\\w-]+=)[^{}]*\\}|' +
  '\\{[ \\t]*(?:[.#][A-Za-z][\\w:.-]*|[A-Za-z][\\w-]*=[^\\s{}])[^{}\\n]*\\}|\\{-\\}';
export const IS_ATTRIBUTES = new RegExp(`^(?:${ATTRIBUTES})`);
/** What such programs write in the place of a name. */
const OUTPUT = '\\{\\{\\{[^{}\\n]*\\}\\}\\}|\\{\\{(?![<%{])[^{}\\n]*\\}\\}';
/** Anywhere in a text. */
export const COMMAND = `(?:${RUN}|${ATTRIBUTES}|${OUTPUT})`;
const INLINE_OUTPUT = new RegExp(`^(?:${OUTPUT})`);
const INLINE_COMMAND = new RegExp(`^(?:${RUN}|${ATTRIBUTES})`);
/** An address with some of these, of a link or of a name. */
const ADDRESS = new RegExp(`(?:\\]\\(|^ {0,3}\\[[^\\]\\n]+\\]:[ \\t]*)(?:[^\\s(){}]|${RUN}|${OUTPUT})+`, 'gm');
const INSIDE = new RegExp(`${RUN}|${OUTPUT}`, 'g');
/** A line of it alone. */
const LINE_COMMAND = new RegExp(`^(?:${RUN}|\\{:[^{}]*\\}|` +
  `import\\s[^'"]*\\sfrom\\s+(?:'[^']*'|"[^"]*");?|import\\s+(?:'[^']*'|"[^"]*");?)\\s*$`);
/** What may be after the end of a formula: a number in braces, a point. */
const FORMULA_END = /\$\$[\s.,;:]*(?:\{[^{}]*\}\s*)?/;
/** A line that is a formula, or the first of one whose other lines must be there. */
const FORMULA_LINE = new RegExp(`^\\$\\$[^$]*[\\\\^_={}][^$]*${FORMULA_END.source}$`);
const FORMULA_START = /^\$\$(?:\s*$|[^$]*[\\^_={}][^$]*$)/;
const MATH = /[\\^_={}]/;
const TWO_WORDS = /\p{L}{2}\s+\p{L}{2}/u;
const DEFINITION = /^[:~][ \t]+\S/;
/** A name of an emoji, and what touches it if it is none. */
const EMOJI = /^:[a-z\d+-][\w+-]*:(?![\w:])/i;
const WORD = /[\p{L}\p{N}_]/u;

/** What is after the marks of the blocks around it. @param {Line} line */
const restOf = (line) => line.text.slice(line.pos);

/** Whether a line begins a block of these. @param {BlockContext} context @param {Line} line */
const begins = (context, line) => {
  const text = restOf(line);
  return /^:{3,}/.test(text) || LINE_COMMAND.test(text) || DEFINITION.test(text) || beginsFormula(context, line);
};

/**
 * Only the title at the end of the line is translated.
 *
 * @param {BlockContext} context
 * @param {Line} line
 * @param {string} head  before the title
 */
function addHead(context, line, head) {
  const text = restOf(line);
  const from = context.lineStart + line.pos;
  const title = text.slice(head.length).replace(AFTER_TITLE, '');
  const start = from + head.length;
  context.addElement(context.elt('Directive', from, title ? start : from + text.length));
  if (title) {
    context.addElement(context.elt('Paragraph', start, start + title.length, context.parser.parseInline(title, start)));
  }
  context.nextLine();
  return true;
}

/** @param {BlockContext} context @param {Line} line */
function parseBox(context, line) {
  const text = restOf(line);
  const isQuoted = context.parentType().name === 'Blockquote';
  const head = (isQuoted ? ALERT.exec(text) : null) ?? BOX.exec(text);
  if (head) return addHead(context, line, head[0]);
  return LINE_COMMAND.test(text) && addHead(context, line, text);
}

/**
 * Up to where no line ends a formula that begins before: of one that begins with a line of its own, and of others.
 *
 * @type {WeakMap<BlockContext, { own: number, other: number }>}
 */
const endless = new WeakMap();

/**
 * Whether a line begins a formula, whose end follows in the same quotation or list: else all that follows would be one.
 * If the first line has more than the mark, no blank line is inside.
 *
 * @param {BlockContext} context
 * @param {Line} line
 */
function beginsFormula(context, line) {
  const text = restOf(line);
  if (FORMULA_LINE.test(text)) return true;
  if (!FORMULA_START.test(text)) return false;
  const kind = text.trim() === '$$' ? 'own' : 'other';
  const known = endless.get(context) ?? { own: 0, other: 0 };
  endless.set(context, known);
  if (context.lineStart < known[kind]) return false;
  const { input } = /** @type {BlockContext & { input: Input }} */ (context);
  const start = context.lineStart + line.text.length + 1;
  const rest = start < input.length ? input.read(start, input.length) : '';
  const isQuoted = line.text.slice(0, line.pos).includes('>');
  for (let at = 0; at < rest.length;) {
    const end = rest.indexOf('\n', at) < 0 ? rest.length : rest.indexOf('\n', at);
    const next = rest.slice(at, end);
    const isInside = isQuoted ? /^\s*>/.test(next) : context.depth === 1 || /^(?:\s|$)/.test(next);
    if (!isInside || (kind === 'other' && /^[\s>]*$/.test(next))) {
      known[kind] = start + at;
      return false;
    }
    if (next.includes('$$')) return true;
    at = end + 1;
  }
  known[kind] = start + rest.length;
  return false;
}

/** @param {BlockContext} context @param {Line} line */
function parseFormula(context, line) {
  if (!beginsFormula(context, line)) return false;
  const start = context.lineStart + line.pos;
  let [isLast, end, after] = [false, start, ''];
  const readLine = (/** @type {number} */ from) => {
    const text = line.text.slice(from);
    const found = FORMULA_END.exec(text);
    isLast = found !== null;
    const at = found ? found.index + '$$'.length : text.length;
    end = context.lineStart + from + at;
    after = found && text.length > found.index + found[0].length ? text.slice(at) : '';
  };
  readLine(line.pos + 2);
  // depth: of the blocks around it that go on, as the library's own code blocks compare it
  const isInside = () => /** @type {Line & { depth: number }} */ (line).depth >= context.depth;
  while (context.nextLine() && !isLast && isInside()) readLine(line.pos);
  context.addElement(context.elt('Formula', start, end));
  if (after) {
    context.addElement(context.elt('Paragraph', end, end + after.length, context.parser.parseInline(after, end)));
  }
  return true;
}

/**
 * A formula in a line: no space is inside of its signs, and it is not two prices. Inside of $$ a space may be where
 * a sign of mathematics is, and no two words.
 *
 * @param {InlineContext} context
 * @param {number} next
 * @param {number} at
 */
function parseInlineFormula(context, next, at) {
  if (next !== 36 || WORD.test(context.slice(at - 1, at))) return -1;
  const rest = context.slice(at, context.end);
  const found = /^\$\$(?<wide>(?:[^$\\]|\\[^])+)\$\$|^\$(?![\s$])(?<one>(?:[^$\\]|\\[^])*)(?<!\s)\$(?!\d)/.exec(rest);
  if (!found) return -1;
  const { wide, one = '' } = /** @type {Record<string, string | undefined>} */ (found.groups);
  const isWords = wide === undefined ? /^\d.*\s/.test(one) && !MATH.test(one)
    : /^\s/.test(wide) && (!MATH.test(wide) || TWO_WORDS.test(wide.replace(/\\[A-Za-z]+(?:\{[^{}]*\})?/g, '')));
  if (isWords) return -1;
  return context.addElement(context.elt('Formula', at, at + found[0].length));
}

/** @param {InlineContext} context @param {number} next @param {number} at */
function parseCommand(context, next, at) {
  if (next !== 123) return -1;
  const rest = context.slice(at, context.end);
  const found = INLINE_COMMAND.exec(rest);
  if (found) return context.addElement(context.elt('Command', at, at + found[0].length));
  const output = INLINE_OUTPUT.exec(rest);
  return output ? context.addElement(context.elt('Output', at, at + output[0].length)) : -1;
}

/** @param {InlineContext} context @param {number} next @param {number} at */
function parseEmoji(context, next, at) {
  if (next !== 58 || /[\p{L}\p{N}_:]/u.test(context.slice(at - 1, at))) return -1;
  const found = EMOJI.exec(context.slice(at, Math.min(context.end, at + 60)));
  return found ? context.addElement(context.elt('Emoji', at, at + found[0].length)) : -1;
}

const MARKED = { resolve: 'Highlight', mark: 'HighlightMark' };

/** @param {InlineContext} context @param {number} next @param {number} at */
function parseMarked(context, next, at) {
  if (next !== 61 || context.char(at + 1) !== 61 || context.char(at + 2) === 61) return -1;
  const [before, after] = [context.slice(at - 1, at), context.slice(at + 2, at + 3)];
  if (before === '=') return -1;
  const isSpace = (/** @type {string} */ c) => c === '' || /\s/.test(c);
  return context.addDelimiter(MARKED, at, at + 2, !isSpace(after) && !WORD.test(before),
    !isSpace(before) && !WORD.test(after));
}

/**
 * In place of the parser's own, which takes quadratic time for many spaces.
 *
 * @param {InlineContext} context @param {number} next @param {number} at
 */
function parseBreak(context, next, at) {
  if (next === 92 && context.char(at + 1) === 10) return context.addElement(context.elt('HardBreak', at, at + 2));
  // the first of some spaces has looked at them
  if (next !== 32 || context.char(at + 1) !== 32 || (at > context.offset && context.char(at - 1) === 32)) return -1;
  let end = at + 2;
  while (context.char(end) === 32) end++;
  return context.char(end) === 10 ? context.addElement(context.elt('HardBreak', at, end + 1)) : -1;
}

/** GitHub's Markdown, and this. */
const markdown = github.configure({
  defineNodes: [{ name: 'Directive', block: true }, 'Formula', 'Command', 'Output', 'Emoji', 'Highlight',
    'HighlightMark'],
  parseBlock: [
    { name: 'Directive', before: 'HTMLBlock', parse: parseBox, endLeaf: begins },
    { name: 'Formula', before: 'HTMLBlock', parse: parseFormula },
  ],
  parseInline: [
    { name: 'HardBreak', parse: parseBreak },
    { name: 'Formula', before: 'Emphasis', parse: parseInlineFormula },
    { name: 'Command', before: 'Emphasis', parse: parseCommand },
    { name: 'Emoji', before: 'Emphasis', parse: parseEmoji },
    { name: 'Highlight', after: 'Emphasis', parse: parseMarked },
  ],
});

/**
 * The tree of a text. What other programs write divides no row of a table, and in an address it has no spaces or
 * quotes.
 *
 * @param {string} source
 */
export const parseMarkdown = (source) => markdown.parse(source
  .replace(INSIDE, (output) => output.replaceAll('|', 'x'))
  .replace(ADDRESS, (address) => address.replace(INSIDE, (output) => output.replace(/[^\n]/g, 'x'))));
