// write.js - a document with its texts translated: everything else byte for byte. Used by translate/html.js.
//
// White space around and between sentences is that of the source. Inside of a translation, tags that stand together
// in a gap between words, as they do in the source, are copied with the white space of the source.

import { place } from './place.js';
import { encodeText, encodeValue } from './escapes.js';

/** @typedef {import('./blocks.js').Block} Block */
/** @typedef {import('./blocks.js').Document} Document */
/** @typedef {import('./evidence.js').Part} Part */
/** @typedef {import('./place.js').Placed} Placed */

/** Languages without spaces between sentences. */
const UNSPACED = /^(?:ja|yue|zh)\b/;

/** Characters of a number or a unit beside a no-break space. */
const LONGEST_NUMBER = 40;

/** Writes the texts of a document; blocks in their order. */
class Writer {
  #html;
  #tokens;
  /** Tags whose attributes are translated. @type {Map<number, string>} */
  #changed = new Map();
  /** By its first token: a block that is written. @type {Map<number, { last: number, output: string }>} */
  #written = new Map();

  /**
   * @param {Document} document
   * @param {string[]} attributes  translations
   */
  constructor({ html, tokens, attributes: read }, attributes) {
    this.#html = html;
    this.#tokens = tokens;
    for (let i = 0; i < read.length;) {
      const { token } = read[i];
      const { start, end } = tokens[token];
      let [output, at] = ['', start];
      for (; read[i]?.token === token; i++) {
        const { text, quote, start: from, end: to } = read[i];
        const value = attributes[i];
        output += html.slice(at, from);
        if (value === text) output += html.slice(from, to);
        else output += (quote || '"') + encodeValue(value, quote || '"') + (quote || '"');
        at = to;
      }
      this.#changed.set(token, output + html.slice(at, end));
    }
  }

  /** @param {number} token */
  #tagOf(token) {
    const { start, end } = this.#tokens[token];
    return this.#changed.get(token) ?? this.#html.slice(start, end);
  }

  /** Tokens, with the blocks inside. @param {number} first @param {number} last */
  #tokensOf(first, last) {
    let output = '';
    for (let i = first; i < last;) {
      const block = this.#written.get(i);
      output += block?.output ?? this.#tagOf(i);
      i = block?.last ?? i + 1;
    }
    return output;
  }

  /** The document. */
  finish() {
    return this.#tokensOf(0, this.#tokens.length);
  }

  /**
   * Writes a block, after all that are inside of it.
   *
   * @param {Block} block
   * @param {Part[]} parts
   * @param {Placed} placed
   * @param {(space: string) => string} between  white space between two translations
   */
  write(block, parts, placed, between) {
    const { sources, targets, items } = placed;
    const { text } = block;
    const gaps = new Gaps(block, placed, this.#html, this.#tokens, (first, last) =>
      // the first token may be that of this block, too
      this.#tagOf(first) + this.#tokensOf(first + 1, last));
    const starts = parts.map(() => sources.length);
    for (let k = sources.length - 1; k >= 0; k--) starts[sources[k].part] = k;
    let output = '';
    for (let t = 0; t <= targets.length; t++) {
      const [unit, previous, list] = [targets[t], targets[t - 1], items[t]];
      if (!unit || !previous) output += gaps.writeEdge(list, unit ? 0 : sources.length, !previous);
      else if (unit.part !== previous.part) {
        const gap = starts[unit.part];
        const own = text.slice(sources[gap - 1]?.end ?? 0, sources[gap].start);
        const space = between(own);
        const isSame = space === own;
        output += isSame && gaps.isWhole(list, gap) ? gaps.copy(gap)
          : gaps.writeAmong(list, isSame ? gaps.spaces(gap) : space);
      } else {
        const space = parts[unit.part].target.slice(previous.end, unit.start);
        const gap = list.length > 0 ? gaps.of(list[0]) : unit.same === previous.same + 1 ? unit.same : -1;
        const isAlike = gap > 0 && gap < sources.length && gaps.isWhole(list, gap) &&
          (text.slice(sources[gap - 1].end, sources[gap].start) !== '') === (space !== '');
        if (isAlike) output += gaps.copy(gap);
        else if (list.length > 0 || !unit.isDropped) output += gaps.writeAmong(list, encodeText(space));
      }
      if (!unit || unit.isDropped) continue;
      if (unit.word >= 0) output += gaps.item(unit.word);
      else if (unit.same >= 0) output += gaps.item(~unit.same);
      else output += encodeText(parts[unit.part].target.slice(unit.start, unit.end));
    }
    this.#written.set(block.first, { last: block.last, output });
  }
}

/** Tags and white space of a block, by the gap between two units of the source that they stand in. */
class Gaps {
  #block;
  #sources;
  #copies;
  #html;
  #tokens;
  #render;
  /** Of each gap: its tags, [first, last]. @type {[number, number][]} */
  #tags;
  /** Of each tag its gap; -1: it is inside of a unit. */
  #gapOf;

  /**
   * @param {Block} block
   * @param {Placed} placed
   * @param {string} html
   * @param {import('./markup.js').Token[]} tokens
   * @param {(first: number, last: number) => string} render  tokens
   */
  constructor(block, { sources, copies }, html, tokens, render) {
    this.#block = block;
    this.#sources = sources;
    this.#copies = copies;
    this.#html = html;
    this.#tokens = tokens;
    this.#render = render;
    this.#tags = Array.from({ length: sources.length + 1 }, () => [0, -1]);
    this.#gapOf = new Int32Array(block.tags.length).fill(-1);
    const copied = [...copies.values()];
    let [gap, next] = [0, 0];
    for (const [i, { kind, at }] of block.tags.entries()) {
      while (copied[next]?.[1] < i) next++;
      while (sources[gap]?.end <= at) gap++;
      const isInside = copied[next]?.[0] <= i || sources[gap]?.start < at;
      if (kind === 'word' || isInside) continue;
      if (this.#tags[gap][1] < 0) this.#tags[gap][0] = i;
      this.#tags[gap][1] = i;
      this.#gapOf[i] = gap;
    }
  }

  /** @param {number} item  see Placed */
  of(item) {
    return item >= 0 ? this.#gapOf[item] : -1;
  }

  /** Where a unit begins in the source. @param {number} k */
  #startOf(k) {
    const start = this.#block.from[this.#sources[k].start];
    const copy = this.#copies.get(k);
    return copy ? Math.min(start, this.#tokens[this.#block.tags[copy[0]].first].start) : start;
  }

  /** Where it ends. @param {number} k */
  #endOf(k) {
    const end = this.#block.to[this.#sources[k].end - 1];
    const copy = this.#copies.get(k);
    return copy ? Math.max(end, this.#tokens[this.#block.tags[copy[1]].last - 1].end) : end;
  }

  /** Where a gap begins and ends. @param {number} gap */
  #edgesOf(gap) {
    const { first, last } = this.#block;
    return [gap > 0 ? this.#endOf(gap - 1) : this.#tokens[first].start,
      gap < this.#sources.length ? this.#startOf(gap) : this.#tokens[last - 1].end];
  }

  /**
   * A part of the source with tags between.
   *
   * @param {number} start
   * @param {number} end
   * @param {[first: number, last: number]} tags
   * @param {(tag: number) => string} write
   */
  #join(start, end, [first, last], write) {
    let [output, at] = ['', start];
    for (let i = first; i <= last; i++) {
      const tag = this.#block.tags[i];
      output += this.#html.slice(at, this.#tokens[tag.first].start) + write(i);
      at = this.#tokens[tag.last - 1].end;
    }
    return output + this.#html.slice(at, end);
  }

  /** @param {number} item  see Placed @returns {string} */
  item(item) {
    const { tags } = this.#block;
    if (item >= 0) return this.#render(tags[item].first, tags[item].last);
    const k = ~item;
    return this.#join(this.#startOf(k), this.#endOf(k), this.#copies.get(k) ?? [0, -1], (i) => this.item(i));
  }

  /** A gap as it is in the source. @param {number} gap */
  copy(gap) {
    const [start, end] = this.#edgesOf(gap);
    return this.#join(start, end, this.#tags[gap], (i) => this.item(i));
  }

  /** Its white space alone. @param {number} gap */
  spaces(gap) {
    const [start, end] = this.#edgesOf(gap);
    return this.#join(start, end, this.#tags[gap], () => '');
  }

  /** Whether a list has the tags of a gap, and no others. @param {number[]} list @param {number} gap */
  isWhole(list, gap) {
    const [first, last] = this.#tags[gap];
    return list.length === last - first + 1 && list.every((item, i) => item === first + i);
  }

  /** Before or after all words. @param {number[]} list @param {number} gap @param {boolean} isFirst */
  writeEdge(list, gap, isFirst) {
    if (this.isWhole(list, gap)) return this.copy(gap);
    const items = list.map((item) => this.item(item)).join('');
    // an image that stood between spaces
    const isApart = (/** @type {number | undefined} */ item) => item !== undefined && item >= 0 &&
      this.#block.tags[item].kind === 'point' && this.#block.tags[item].left && this.#block.tags[item].right;
    return isFirst ? this.spaces(gap) + items + (isApart(list.at(-1)) ? ' ' : '')
      : (isApart(list[0]) ? ' ' : '') + items + this.spaces(gap);
  }

  /** Tags between two words, with the white space that is there. @param {number[]} list @param {string} space */
  writeAmong(list, space) {
    const { tags } = this.#block;
    const isBreak = (/** @type {number} */ item) =>
      item >= 0 && tags[item].isSpaced && !tags[item].left && !tags[item].right;
    if (space === ' ' && list.some(isBreak)) space = '';
    /** Whether it rather stands after the white space. @param {number} item */
    const isAfter = (item) => {
      if (item < 0) return true;
      const { kind, left, right } = tags[item];
      return left === right ? kind !== 'close' : left;
    };
    // as few as possible on the wrong side
    let wrong = list.filter((item) => !isAfter(item)).length;
    let [fewest, split] = [wrong, 0];
    for (const [i, item] of list.entries()) {
      wrong += isAfter(item) ? 1 : -1;
      if (wrong < fewest) [fewest, split] = [wrong, i + 1];
    }
    const write = (/** @type {number[]} */ some) => some.map((item) => this.item(item)).join('');
    const isApart = space === '' && list[0] >= 0 && tags[list[0]].kind === 'point' && tags[list[0]].left;
    return write(list.slice(0, split)) + (isApart ? ' ' : space) + write(list.slice(split));
  }
}

/**
 * @param {Document} document
 * @param {Part[][]} parts  of each block
 * @param {string[]} attributes  their translations
 * @param {{ source: string, target: string }} languages
 * @returns {string}
 */
export function writeDocument(document, parts, attributes, { source, target }) {
  const writer = new Writer(document, attributes);
  const segmenters = {
    source: new Intl.Segmenter(source, { granularity: 'word' }),
    target: new Intl.Segmenter(target, { granularity: 'word' }),
  };
  const between = (/** @type {string} */ space) => (UNSPACED.test(target) ? (space === ' ' ? '' : space)
    : space === '' && UNSPACED.test(source) ? ' ' : space);
  for (const [i, block] of document.blocks.entries()) {
    writer.write(block, parts[i], place(block, parts[i], segmenters), between);
  }
  return writer.finish();
}

/**
 * The translation with the spaces that do not break a line as in the source, beside numbers: 4&nbsp;km.
 *
 * @param {string} source
 * @param {string} target
 * @param {NonNullable<Part['kept']>} [kept]  what passes through: its spaces are not changed
 */
export function withFixedSpaces(source, target, kept = []) {
  if (source === target) return target;
  let result = target;
  const plain = (/** @type {string} */ text) => text.replace(/[\u00a0\u202f]/g, ' ');
  // beside letters it is no word to the translator, and it may have other spaces there
  const fixed = kept.map(({ start, end, targetStart }) => {
    const from = targetStart < 0 ? plain(target).indexOf(plain(source.slice(start, end))) : targetStart;
    return { from, to: from + end - start };
  }).filter(({ from }) => from >= 0);
  for (const { 0: space, index } of source.matchAll(/[\u00a0\u202f]/g)) {
    if (kept.some(({ start, end }) => start < index && index < end)) continue;
    const [before = ''] = /\S*$/.exec(source.slice(Math.max(0, index - LONGEST_NUMBER), index)) ?? [];
    const [after = ''] = /^\S*/.exec(source.slice(index + 1, index + 1 + LONGEST_NUMBER)) ?? [];
    const words = [/\d/.test(before) && `${before} `, /\d/.test(after) && ` ${after}`].filter((word) => word !== false);
    for (const word of words) {
      let at = result.indexOf(word);
      const isKept = () => {
        const place = at + word.indexOf(' ');
        return fixed.some(({ from, to }) => from < place && place < to);
      };
      while (at >= 0 && isKept()) at = result.indexOf(word, at + 1);
      if (at < 0) continue;
      result = result.slice(0, at) + word.replace(' ', space) + result.slice(at + word.length);
      break;
    }
  }
  return result;
}
