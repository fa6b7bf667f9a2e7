// markdown.js - Markdown: paragraphs, headings, cells, titles and descriptions of images. Code, front matter,
// formulas, addresses, names of references and all marks stay.
//
//   source -> dialects.js: a tree with the place of each mark -> pieces of each block: inline.js -> translation
//          -> text with escapes, in lines as wide as before -> is it read as the same marks? else the source stays

import { referenceFinder } from '../text/references.js';
import { COMMAND, IS_ATTRIBUTES, parseMarkdown } from './dialects.js';
import { addPieces, pair, sourceOf } from './inline.js';
import { Builder, hasWords } from './unit.js';
import { wrap } from './wrap.js';

/** @typedef {import('./inline.js').Piece} Piece */
/** @typedef {ReturnType<typeof parseMarkdown>} Tree */
/** @typedef {Tree['topNode']} Node */

/** What is at the beginning of a file for other programs. */
const FRONT = /^(?:---[ \t]*\n(?:[^]*?\n)?(?:---|\.\.\.)|\+\+\+[ \t]*\n(?:[^]*?\n)?\+\+\+)[ \t]*(?:\n|$)/;
/** A footnote's name or the mark of a definition before its text, which the parser takes for text. */
const LEAD = /^(?:\[\^[^\]\n]*\]:[ \t]*|[:~][ \t]+)/;

/** What tell() hears of it. */
const UNFIT = 'the marks do not fit the translation; the text stays as it is';

const BLOCKS = /^(?:Paragraph|ATXHeading\d|SetextHeading\d|TableCell|Task)$/;

/** The children of a node. @param {Node} node */
function childrenOf(node) {
  const children = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}

/** The name of a reference as CommonMark compares it. @param {string} label  in brackets */
const labelOf = (label) => label.slice(1, -1).trim().replace(/\s+/g, ' ').toLowerCase();

/** The names of all references. @param {string} source @param {Tree} tree */
function findLabels(source, tree) {
  const labels = new Set();
  tree.iterate({
    enter({ name, node }) {
      if (name !== 'LinkReference') return true;
      const label = node.getChild('LinkLabel');
      if (label) labels.add(labelOf(source.slice(label.from, label.to)));
      return false;
    },
  });
  return labels;
}

/** Reads blocks. */
class Reader {
  #source;
  #builder;
  #labels;
  #find = referenceFinder();
  /** Whether lines begin with marks of a quotation that the tree lacks. */
  #isQuoted = false;

  /** @param {string} source @param {Builder} builder @param {Set<string>} labels */
  constructor(source, builder, labels) {
    this.#source = source;
    this.#builder = builder;
    this.#labels = labels;
  }

  /** Adds a title in quotes. @param {Node} node @returns {(translations: string[]) => string} */
  #title({ from, to }) {
    const title = this.#source.slice(from, to);
    const text = title.slice(1, -1);
    if (!hasWords(text) || /[\\&\n]/.test(text)) return () => title;
    const index = this.#builder.add(text, from);
    return (translations) => {
      const own = translations[index];
      const [open, close] = [title[0], title[title.length - 1]];
      return own === text ? title : open + own.replace(/[\\"'()]/g, (c) => (c === open || c === close || c === '\\'
        ? `\\${c}` : c)) + close;
    };
  }

  /** The title of a reference's address. @param {Node} node */
  reference(node) {
    const title = node.getChild('LinkTitle');
    if (title) this.#builder.replace(title.from, title.to, this.#title(title));
  }

  /** What follows the text of a link. @param {Node[]} rest @returns {Piece['source']} */
  #tail(rest) {
    const title = rest.find(({ name }) => name === 'LinkTitle');
    const [start, end] = [rest[0].from, rest[rest.length - 1].to];
    if (!title) return this.#source.slice(start, end);
    const write = this.#title(title);
    return (translations) => this.#source.slice(start, title.from) + write(translations) +
      this.#source.slice(title.to, end);
  }

  /** @param {Node} node @returns {Piece[]} */
  #link(node) {
    const source = this.#source.slice(node.from, node.to);
    const children = childrenOf(node);
    const close = children.findIndex(({ name }, i) => name === 'LinkMark' && i > 0);
    if (close < 0) return [{ kind: 'word', text: source, source }];
    const [from, to] = [children[0].to, children[close].from];
    const label = this.#source.slice(from, to);
    const hasPlace = children.some(({ name }) => name === 'URL');
    const isNamed = children.some(({ name }, i) => i > close && name === 'LinkLabel' &&
      this.#source.slice(children[i].from, children[i].to) !== '[]');
    const isDefined = this.#labels.has(labelOf(`[${label}]`));
    if (label.startsWith('^')) return [{ kind: 'point', text: '', source }];
    /** @type {Piece['source']} */
    let tail = this.#tail(children.slice(close));
    let unchanged = tail;
    if (!hasPlace && !isNamed) {
      // the text is the name, too
      const mark = node.name === 'Image' ? '![' : '[';
      if (!isDefined && node.name === 'Link' && IS_ATTRIBUTES.test(this.#source.slice(node.to))) {
        return [{ kind: 'open', text: '', source: '[' }, ...this.inline(children.slice(1, close), from, to),
          { kind: 'close', text: '', source: ']' }];
      }
      if (!isDefined) {
        const rest = source.slice(to - node.from);
        return [{ kind: 'text', text: mark, source: mark }, ...this.inline(children.slice(1, close), from, to),
          { kind: 'text', text: rest, source: rest }];
      }
      unchanged = source.slice(to - node.from);
      if (node.name === 'Link') {
        return [{ kind: 'open', text: '', source: '[' }, ...this.inline(children.slice(1, close), from, to),
          { kind: 'close', text: '', source: `][${label}]`, unchanged }];
      }
      tail = `][${label}]`;
    }
    if (node.name !== 'Image') {
      const open = this.#source.slice(node.from, from);
      return [{ kind: 'open', text: '', source: open }, ...this.inline(children.slice(1, close), from, to),
        { kind: 'close', text: '', source: tail }];
    }
    const isPlain = close === 1 && hasWords(label) && !/[\\&\n[\]]/.test(label);
    const index = isPlain ? this.#builder.add(label, from) : -1;
    return [{ kind: 'point', text: '', source: (translations, tell) => {
      const isOther = isPlain && translations[index] !== label;
      return `![${isOther ? escapeText(translations[index], false) : label}`
        + sourceOf({ source: isOther ? tail : unchanged }, translations, tell);
    } }];
  }

  /**
   * The pieces of a part of a block.
   *
   * @param {Node[]} nodes  in it, in order
   * @param {number} from
   * @param {number} to
   * @returns {Piece[]}
   */
  inline(nodes, from, to) {
    /** @type {Piece[]} */
    const pieces = [];
    let at = from;
    const addText = (/** @type {number} */ end) => {
      const lines = this.#isQuoted ? /[ \t\r]*\n[ \t>]*|(?:[^ \t\r\n]+|[ \t\r]+(?![ \t\r\n]))+/g
        : /[ \t\r]*\n[ \t]*|(?:[^ \t\r\n]+|[ \t\r]+(?![ \t\r\n]))+/g;
      for (const { 0: part } of this.#source.slice(at, end).matchAll(lines)) {
        const isBreak = /^\s*\n/.test(part);
        if (isBreak) pieces.push({ kind: 'text', text: ' ', source: part });
        else pieces.push({ kind: 'text', text: part, source: part });
      }
      at = end;
    };
    for (const node of nodes) {
      if (node.to <= at && node.from < at) continue;
      addText(node.from);
      const source = this.#source.slice(node.from, node.to);
      at = node.to;
      if (node.name === 'QuoteMark') {
        // it follows a line break, whose source it joins
        const space = /^[ \t]*/.exec(this.#source.slice(node.to))?.[0] ?? '';
        const last = pieces.at(-1);
        if (last?.kind === 'text' || last?.kind === 'break') last.source += source + space;
        at = Math.min(node.to + space.length, to);
      } else if (/^(?:Emphasis|StrongEmphasis|Strikethrough|Highlight)$/.test(node.name)) {
        const children = childrenOf(node);
        const [first, last] = [children[0], children[children.length - 1]];
        pieces.push({ kind: 'open', text: '', source: this.#source.slice(first.from, first.to) },
          ...this.inline(children.slice(1, -1), first.to, last.from),
          { kind: 'close', text: '', source: this.#source.slice(last.from, last.to) });
      } else if (node.name === 'Link' || node.name === 'Image') pieces.push(...this.#link(node));
      else if (node.name === 'InlineCode') {
        pieces.push({ kind: 'word', text: source.replace(/^`+ ?| ?`+$/g, ''), source });
      } else if (node.name === 'Escape') pieces.push({ kind: 'text', text: source.slice(1), source });
      else if (node.name === 'Entity') {
        pieces.push({ kind: 'text', text: this.#find(source)[0]?.text ?? source, source });
      } else if (node.name === 'HardBreak') {
        const space = /^[ \t]*/.exec(this.#source.slice(node.to))?.[0] ?? '';
        pieces.push({ kind: 'break', text: '', source: source + space });
        at = Math.min(node.to + space.length, to);
      } else if (node.name === 'HTMLTag') {
        const kind = /^<br\b/i.test(source) ? 'break' : source.startsWith('</') ? 'close'
          : /^<(?:img|input|wbr|hr)\b|\/>$/i.test(source) ? 'point' : 'open';
        pieces.push({ kind, text: '', source });
      } else if (node.name === 'Command' && IS_ATTRIBUTES.test(source) && pieces.length > 0 &&
        pieces[pieces.length - 1].kind !== 'text') {
        // attributes are those of what they touch
        const last = pieces[pieces.length - 1];
        const own = last.source;
        last.source = typeof own === 'string' ? own + source : (...all) => own(...all) + source;
        if (last.unchanged !== undefined) last.unchanged += source;
      } else if (/^(?:URL|Autolink|Formula|Command|Output|Emoji)$/.test(node.name)) {
        pieces.push({ kind: 'word', text: source, source });
      } else pieces.push({ kind: 'point', text: '', source });
    }
    addText(to);
    return pieces;
  }

  /**
   * Adds a block with its inline marks.
   *
   * @param {Node} node
   */
  block(node) {
    const source = this.#source;
    let nodes = childrenOf(node);
    let [{ from }, to] = [node, node.to];
    // the marks of headings and tasks are around the text
    const marks = nodes.filter(({ name }) => name === 'HeaderMark' || name === 'TaskMarker');
    for (const mark of marks) {
      if (mark.from === node.from) from = mark.to;
      else to = mark.from;
    }
    nodes = nodes.filter((child) => !marks.includes(child));
    const note = node.name === 'Paragraph' ? LEAD.exec(source.slice(from, to))?.[0].length ?? 0 : 0;
    nodes = nodes.filter((child) => child.from >= from + note && child.to <= to);
    from += note + (/^\s*/.exec(source.slice(from + note, to))?.[0].length ?? 0);
    for (let [first] = nodes; first?.name === 'QuoteMark' && first.from === from; [first] = nodes) {
      from = first.to + (/^\s*/.exec(source.slice(first.to, to))?.[0].length ?? 0);
      nodes.shift();
    }
    const isSetext = node.name.startsWith('Setext');
    // the parser gives no marks of a quotation inside
    if (isSetext) to -= /\n[\s>]*$/.exec(source.slice(from, to))?.[0].length ?? 0;
    this.#isQuoted = isSetext && /\n\s*>/.test(source.slice(from, to));
    to = from + source.slice(from, to).trimEnd().length;
    // commands at both ends stay there, unless the text goes on in another line
    for (let [first] = nodes; first?.name === 'Command' && first.from === from; [first] = nodes) {
      const space = /^[ \t]*(?![ \t\r\n])/.exec(source.slice(first.to, to));
      if (!space) break;
      from = first.to + space[0].length;
      nodes.shift();
    }
    for (let last = nodes.at(-1); last?.name === 'Command' && last.to === to; last = nodes.at(-1)) {
      const before = source.slice(from, last.from);
      if (/\n[\s>]*$/.test(before)) break;
      to = from + before.trimEnd().length;
      nodes.pop();
      // marks that close a heading may stand before its attributes
      if (node.name.startsWith('ATX')) to = from + withoutMarks(source.slice(from, to)).length;
    }
    if (to <= from) return;
    const pieces = pair(this.inline(nodes, from, to));
    if (!pieces.some(({ kind, text }) => kind === 'text' && hasWords(text))) {
      this.#builder.replace(from, to, (translations, tell) => joinPieces(pieces, translations, tell));
      return;
    }
    const isTable = node.name === 'TableCell';
    const write = addPieces(this.#builder, pieces, from, false);
    const breaks = pieces.filter(({ kind, text, source: own }) => kind === 'text' && text === ' ' && own !== ' ' &&
      typeof own === 'string' && own.includes('\n'));
    const start = source.lastIndexOf('\n', from - 1) + 1;
    const width = Math.max(...source.slice(start, to).split('\n').map((line) => line.length));
    const hasSigns = pieces.some(({ kind, source: own }) => kind === 'text' && String(own).includes('$$'));
    const prefix = String(breaks[0]?.source ?? '').replace(/^[^]*\n/, '');
    this.#builder.replace(from, to, (translations, tell) => {
      const translated = write(translations);
      const original = joinPieces(pieces, translations, tell);
      if (!translated) return original;
      const parts = translated.map((piece) => (piece.kind === 'text'
        ? { text: piece.source === piece.text ? escapeText(piece.text, isTable, hasSigns) : piece.text, isFree: true }
        : { text: sourceOf(piece, translations, tell), isFree: false }));
      const whole = parts.map(({ text }) => text).join('');
      const line = translated[0]?.kind === 'text' ? escapeStart(whole, source.slice(from, to)) : whole;
      const flat = pieces.map((piece) => (breaks.includes(piece) ? ' ' : sourceOf(piece, translations, tell))).join('');
      if (line.trim() === '' || skeleton(line) !== skeleton(flat)) {
        tell(this.#builder.lineAt(from), UNFIT);
        return original;
      }
      if (breaks.length === 0) return line;
      const isEscaped = parts[0] && !line.startsWith(parts[0].text);
      if (isEscaped) parts[0] = { text: escapeStart(parts[0].text, source.slice(from, to)), isFree: true };
      const lead = { text: source.slice(start, from), isFree: false };
      return wrap([lead, ...parts], width, prefix).slice(lead.text.length);
    });
  }
}

/** @param {Piece[]} pieces @param {string[]} translations @param {import('./unit.js').Tell} tell */
const joinPieces = (pieces, translations, tell) =>
  pieces.map((piece) => piece.unchanged ?? sourceOf(piece, translations, tell)).join('');

/** A heading without the marks that close it. @param {string} text */
function withoutMarks(text) {
  let end = text.length;
  while (text[end - 1] === '#') end--;
  return end === 0 || /[ \t]/.test(text[end - 1]) ? text.slice(0, end).trimEnd() : text;
}

/** Whether a text is a block of HTML. @param {string} text */
function isHtml(text) {
  const { firstChild } = parseMarkdown(text).topNode;
  return firstChild?.name === 'HTMLBlock' && firstChild.to >= text.trimEnd().length;
}

/** The marks of a text, in any order but commands: a translation must have the same. @param {string} text */
function skeleton(text) {
  const [names, commands] = [/** @type {string[]} */ ([]), /** @type {string[]} */ ([])];
  parseMarkdown(text).iterate({
    enter({ name, from, to }) {
      const own = text.slice(from, to);
      // attributes move with what they touch
      if (name === 'Command') (IS_ATTRIBUTES.test(own) ? names : commands).push(own);
      else if (/^(?:URL|InlineCode|HTMLTag|Formula|Output|Emoji)$/.test(name)) names.push(own);
      else if (name !== 'Escape' && name !== 'Entity') names.push(name);
    },
  });
  return [...names.sort(), ...commands].join(' ');
}

/** What may be read as a mark. */
const SPECIAL = new RegExp([
  /\\(?=[!-/:-@[-`{-~]|$)|`|\*|_|~~|\$\$|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\]\(|\]\[|\]:|\|/.source,
  `(?=${COMMAND})\\{`,
].join('|'), 'g');

/**
 * Text that is read as itself.
 *
 * @param {string} text
 * @param {boolean} isTable
 * @param {boolean} [hasSigns]  $$ is in the text of the source, too
 */
function escapeText(text, isTable, hasSigns = false) {
  return text.replace(SPECIAL, (mark, at) => {
    if (mark === '|') return isTable ? '\\|' : mark;
    if (mark === '$$' && hasSigns) return mark;
    const around = (text[at - 1] ?? ' ') + (text[at + 1] ?? ' ');
    if (mark === '_' && /^[\p{L}\p{N}]{2}$/u.test(around)) return mark;
    if ((mark === '*' || mark === '_') && /^\s\s$/.test(around)) return mark;
    return mark === '~~' || mark === '$$' ? `\\${mark[0]}\\${mark[1]}` : `\\${mark}`;
  });
}

/**
 * A text that is read as a paragraph.
 *
 * @param {string} text
 * @param {string} source  what has a mark itself keeps it
 */
const escapeStart = (text, source) => text
  .replace(/^(?:[-+](?=\s|$)|[-=]+(?=\s*$)|#{1,6}(?=\s|$)|>|~~~|:::|\{(?=:[^{}]*\}\s*$)|\[(?=![\w-]+\]|[ xX]\]\s))/,
    (mark) => (mark === '[' && /^\[![\w-]+\]/.test(source) ? mark : `\\${mark}`))
  .replace(/^(\d{1,9})([.)](?=\s|$))/, '$1\\$2')
  // alone it begins a formula whose end another paragraph may have
  .replace(/^\$\$(?!.*\$\$)/s, '\\$\\$');

/**
 * @param {string} source
 * @returns {import('./unit.js').Document}
 */
export function readMarkdown(source) {
  const front = FRONT.exec(source)?.[0].length ?? 0;
  // of the same length, so that places are those of the file
  const body = source.slice(0, front).replace(/[^\n]/g, ' ') + source.slice(front);
  const tree = parseMarkdown(body);
  const builder = new Builder(source);
  const reader = new Reader(source, builder, findLabels(source, tree));
  tree.iterate({
    enter({ name, node }) {
      if (BLOCKS.test(name)) {
        reader.block(node);
        return false;
      }
      if (name === 'LinkReference') {
        reader.reference(node);
        return false;
      }
      if (name === 'HTMLBlock') {
        const html = source.slice(node.from, node.to);
        if (!hasWords(html.replace(/<[^>]*>?/g, ''))) return false;
        if (node.getChild('QuoteMark')) {
          builder.replace(node.from, node.to, (_, tell) => {
            tell(builder.lineAt(node.from), 'HTML in several lines of a quotation is not translated');
            return html;
          });
        } else {
          const index = builder.add(html, node.from, true);
          builder.replace(node.from, node.to, (translations, tell) => {
            const own = translations[index];
            if (isHtml(own) || !isHtml(html)) return own;
            tell(builder.lineAt(node.from), UNFIT);
            return html;
          });
        }
        return false;
      }
      return true;
    },
  });
  return builder.finish();
}
