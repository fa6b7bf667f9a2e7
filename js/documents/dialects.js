// dialects.js - what writers of Markdown use beyond GitHub's: formulas, names of emoji, marked words, boxes, lists of
// definitions, lines for other programs. Used by markdown.js.
//
//   > [!NOTE]       :::tip The title       $a_1$       $$       :tada:       ==marked==       {% include x %}
//
// Without this they would be text: a box would lose its line, and a formula would be translated.

import { markdown as github } from './lezer.js';

/** @typedef {import('@lezer/markdown').BlockContext} BlockContext */
/** @typedef {import('@lezer/markdown').InlineContext} InlineContext */
/** @typedef {import('@lezer/markdown').Line} Line */

/** The head of a box: of GitHub in a quotation, of other programs anywhere; what follows is its title. */
const ALERT = /^\[![\w-]+\][-+]?[ \t]*/;
const BOX = /^:{3,}[ \t]*(?:[\w-]+|\{[^{}]*\})?(?:[ \t]+|\[)?/;
/** What follows a title. */
const AFTER_TITLE = /[\]\s]*(?:\{[^{}]*\}\s*)?$/;
/** A line for Jekyll, Hugo or kramdown alone. */
const COMMAND = /^(?:\{%[^{}]*%\}|\{\{[<%].*[>%]\}\}|\{:[^{}]*\})\s*$/;
/** Where lines of a formula begin. */
const FORMULA = /^\$\$(?:\s*$|(?=[^$]*[\\^_={}][^$]*(?:\$\$\s*)?$))/;
const DEFINITION = /^:[ \t]+\S/;
/** A name of an emoji, and what touches it if it is none. */
const EMOJI = /^:[a-z\d+-][\w+-]*:(?![\w:])/i;
const WORD = /[\p{L}\p{N}_]/u;

/** What is after the marks of the blocks around it. @param {Line} line */
const restOf = (line) => line.text.slice(line.pos);

/** Whether a line begins a block of these. @param {BlockContext} context @param {Line} line */
const begins = (context, line) => {
  const text = restOf(line);
  return /^:{3,}/.test(text) || COMMAND.test(text) || FORMULA.test(text) || DEFINITION.test(text);
};

/**
 * A line that is not translated but for the title at its end.
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
  return COMMAND.test(text) && addHead(context, line, text);
}

/** @param {BlockContext} context @param {Line} line */
function parseFormula(context, line) {
  if (!FORMULA.test(restOf(line))) return false;
  const start = context.lineStart + line.pos;
  const isEnd = (/** @type {string} */ text) => /\$\$\s*$/.test(text);
  let isLast = isEnd(restOf(line).slice(2));
  let end = context.lineStart + line.text.length;
  // depth: of the blocks around it that go on, as the library's own code blocks compare it
  const isInside = () => /** @type {Line & { depth: number }} */ (line).depth >= context.depth;
  while (context.nextLine() && !isLast && isInside()) {
    isLast = isEnd(restOf(line));
    end = context.lineStart + line.text.length;
  }
  context.addElement(context.elt('Formula', start, end));
  return true;
}

/**
 * A formula in a line: no space is inside of its signs, and it is not two prices.
 *
 * @param {InlineContext} context
 * @param {number} next
 * @param {number} at
 */
function parseInlineFormula(context, next, at) {
  if (next !== 36 || WORD.test(context.slice(at - 1, at))) return -1;
  const rest = context.slice(at, context.end);
  const found = /^\$\$(?!\s)(?:[^$\\]|\\[^])+\$\$|^\$(?![\s$])((?:[^$\\]|\\[^])*)(?<!\s)\$(?!\d)/.exec(rest);
  if (!found || (/^\d.*\s/.test(found[1] ?? '') && !/[\\^_={}]/.test(found[1]))) return -1;
  return context.addElement(context.elt('Formula', at, at + found[0].length));
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

/** GitHub's Markdown, and this. */
export const markdown = github.configure({
  defineNodes: [{ name: 'Directive', block: true }, 'Formula', 'Emoji', 'Highlight', 'HighlightMark'],
  parseBlock: [
    { name: 'Directive', before: 'HTMLBlock', parse: parseBox, endLeaf: begins },
    { name: 'Formula', before: 'HTMLBlock', parse: parseFormula },
  ],
  parseInline: [
    { name: 'Formula', before: 'Emphasis', parse: parseInlineFormula },
    { name: 'Emoji', before: 'Emphasis', parse: parseEmoji },
    { name: 'Highlight', after: 'Emphasis', parse: parseMarked },
  ],
});
