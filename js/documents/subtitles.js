// subtitles.js - SubRip (.srt) and WebVTT (.vtt): the texts of cues. Numbers, times, settings, notes and styles stay.
//
//   lines -> cues -> sentences, which may go on in the next cue -> translation -> divided into cues as long, for their
//   share, as before, and into lines
//
// No library is used: the formats are lists of lines, and known parsers give no places in the file.

import { MAX_CUES } from '../base/limits.js';
import { languageOf } from '../model/languages.js';
import { encodeText } from '../text/escapes.js';
import { referenceFinder } from '../text/references.js';
import { divide, findCuts } from './divide.js';
import { addPieces } from './inline.js';
import { Builder, DocumentError, hasWords } from './unit.js';

/** @typedef {import('./inline.js').Piece} Piece */
/** @typedef {{ text: string, start: number, end: number, number: number }} Line  end: without the line break */
/**
 * @typedef {object} Segment  what one speaker says in a cue
 * @property {Line[]} lines
 * @property {string} lead  marks before its text
 * @property {string} tail  and after it
 * @property {Piece[]} pieces  in between
 * @property {string} text  of the pieces
 * @property {boolean} isTimed  it has times inside
 */

const TIME = { srt: /^\s*\d+:\d\d:\d\d[,.]\d{1,3}\s*-->\s*\d+:\d\d:\d\d[,.]\d{1,3}(?:\s.*)?$/,
  vtt: /^(?:\d{2,}:)?\d\d:\d\d\.\d{3}[ \t]+-->[ \t]+(?:\d{2,}:)?\d\d:\d\d\.\d{3}(?:[ \t].*)?$/ };
/** Tags, and positions in SubRip. */
const MARK = { srt: /<\/?[A-Za-z][^<>]*>|\{\\[^{}]*\}/g, vtt: /<[^<>]*>/g };
/** A line of another speaker. */
const SPEAKER = /^\s*(?:<[^<>]*>)*\s*[-\u2013\u2014\u2010]\s*(?=\S)/;
/** Its dash, which a tag may follow. */
const DASH = /^\s*[-\u2013\u2014\u2010](?:\s*(?=\S)|\s+$)/;

/** Who speaks, in WebVTT. */
const VOICE = /^\s*<v(?:\.[^\s<>]*)?[ \t]+([^<>]*)>/;

/** A line of a speaker with a name of at most three words in capitals, such as "ANNA:". */
const NAMED = new RegExp(
  '^\\s*(?:<[^<>]*>|\\{\\\\[^{}]*\\})*(?=[^:]{2,31}:)\\p{Lu}[\\p{Lu}\\p{N}.\'\u2019-]*' +
    '(?: [\\p{Lu}\\p{N}.\'\u2019-]+){0,2}:(?=[\\s<]|$)', 'u',
);
/** A line of a sound. */
const SOUND = /^\s*(?:<[^<>]*>|\{\\[^{}]*\})*(?:\[[^[\]]*\]|\([^()]*\))(?:<[^<>]*>)*\s*$/;

/** A line of a song: each is alone. */
const SONG = /^\s*(?:<[^<>]*>)*\s*[\u266a\u266b]/;
/** What WebVTT says to be of another language. */
const FOREIGN = /<lang[ \t]+([\w-]+)[ \t]*>([^<>]*)<\/lang>/g;

/** The end of a sentence. */
const ENDS = /[.!?:\u2026\u3002\uff01\uff1f][\s"'\u201d\u2019\u00bb)\]]*$/;
/** What is no continuation: songs, sounds. */
const APART = /^[-\u2013\u2014\u266a\u266b#[(]/;
/** Longest line, unless the file has longer ones. */
const WIDTH = 42;

/**
 * The texts of cues, each as its lines.
 *
 * @param {string} source
 * @param {'srt' | 'vtt'} format
 * @returns {Line[][]}
 */
function readCues(source, format) {
  /** @type {Line[][]} */
  const blocks = [];
  /** @type {Line[]} */
  let block = [];
  const lines = Array.from(source.matchAll(/[^\n]*(?:\n|$)/g), ({ 0: whole, index }, i) => {
    const text = whole.replace(/\r?\n$/, '');
    return { text, start: index, end: index + text.length, number: i + 1 };
  });
  const hasTime = (/** @type {Line | undefined} */ line) => line?.text.includes('-->');
  /** Lines of spaces in a cue of WebVTT: neither a time follows nor an identifier and a time. */
  const within = new Set();
  for (let i = lines.length - 1, isCue = false; format === 'vtt' && i >= 0; i--) {
    if (lines[i].text.trim() !== '') isCue = Boolean(hasTime(lines[i]) || hasTime(lines[i + 1]));
    else if (lines[i].text !== '' && !isCue) within.add(lines[i]);
  }
  for (const line of lines) {
    if (line.text.trim() !== '' || (block.length > 0 && within.has(line))) block.push(line);
    else if (block.length > 0) {
      blocks.push(block);
      block = [];
    }
  }
  if (block.length > 0) blocks.push(block);
  if (format === 'vtt') {
    const first = blocks.shift();
    if (!first || first[0].start !== 0 || !/^WEBVTT(?:[ \t].*)?$/.test(first[0].text)) {
      throw new DocumentError(1, `found '${source.split('\n')[0].slice(0, 40)}', expected WEBVTT`);
    }
    const inHeader = first.find(({ text }) => text.includes('-->'));
    if (inHeader) {
      throw new DocumentError(inHeader.number, 'found a time in the header, expected a blank line before it');
    }
  }
  return blocks.flatMap((own) => {
    if (format === 'vtt' && /^(?:NOTE|STYLE|REGION)(?:[ \t]|$)/.test(own[0].text)) return [];
    const at = TIME[format].test(own[0].text) ? 0 : 1;
    const [time, ...more] = own.slice(at);
    if (!time || !TIME[format].test(time.text)) {
      const line = time ?? own[0];
      const example = format === 'srt' ? '00:00:01,000 --> 00:00:02,000' : '00:01.000 --> 00:02.000';
      throw new DocumentError(line.number, `found '${line.text.slice(0, 40)}', expected a time such as ${example}`);
    }
    const second = more.find(({ text }) => TIME[format].test(text) || (format === 'vtt' && text.includes('-->')));
    if (second) throw new DocumentError(second.number, 'found a second time, expected a blank line before it');
    const isText = (/** @type {Line} */ { text }) => text.trim() !== '';
    const texts = more.slice(more.findIndex(isText), more.findLastIndex(isText) + 1);
    return texts.length > 0 ? [texts] : [];
  });
}

/**
 * Extends a range of pieces to include the partner of each open or close mark inside it.
 *
 * @param {Piece[]} pieces
 * @param {number} first
 * @param {number} last
 */
function withMates(pieces, first, last) {
  /** @type {number[]} */
  const open = [];
  let [from, to] = [first, last];
  for (const [i, { kind }] of pieces.entries()) {
    if (kind === 'open') open.push(i);
    const mate = kind === 'close' ? open.pop() ?? i : i;
    if (mate < first && i > first && i < last) from = Math.min(from, mate);
    if (mate > first && mate < last && i > last) to = i;
  }
  return [from, to];
}

/** A time inside of a cue. @param {Piece} piece */
const isTime = ({ kind, source }) => kind === 'point' && /^<\d/.test(String(source));

/** Reads the texts of cues. */
class Reader {
  #format;
  #builder;
  #source;
  #target;
  #width = WIDTH;
  #find = referenceFinder();

  /** The source's. */
  #language;

  /**
   * @param {string} source
   * @param {'srt' | 'vtt'} format
   * @param {{ source: string, target: string }} languages  tags
   */
  constructor(source, format, { source: language, target }) {
    this.#source = source;
    this.#language = languageOf(language);
    this.#format = format;
    this.#builder = new Builder(source);
    this.#target = target;
  }

  /** @param {string} text @returns {Piece[]} */
  #text(text) {
    if (text === '') return [];
    let [decoded, at] = ['', 0];
    for (const { start, end, text: own } of this.#format === 'vtt' ? this.#find(text) : []) {
      decoded += text.slice(at, start) + own;
      at = end;
    }
    return [{ kind: 'text', text: decoded + text.slice(at), source: text }];
  }

  /** @param {Line[]} lines @returns {Segment} */
  #segment(lines) {
    const text = lines.map((line) => line.text).join('\n');
    /** @type {Piece[]} */
    let pieces = [];
    let at = 0;
    const foreign = new Map(this.#format === 'vtt' ? Array.from(text.matchAll(FOREIGN))
      .filter(([, tag]) => languageOf(tag) !== this.#language).map((match) => [match.index, match]) : []);
    for (const { 0: mark, index } of text.matchAll(MARK[this.#format])) {
      if (index < at) continue;
      pieces.push(...this.#text(text.slice(at, index).replace(/\s+/g, ' ')));
      const kept = foreign.get(index);
      if (kept) {
        const [whole, , content] = kept;
        pieces.push({ kind: 'word', text: content.replace(/\s+/g, ' '), source: whole });
        at = index + whole.length;
        continue;
      }
      const kind = mark.startsWith('</') ? 'close' : /^<[A-Za-z]/.test(mark) ? 'open' : 'point';
      pieces.push({ kind, text: '', source: mark });
      at = index + mark.length;
    }
    pieces.push(...this.#text(text.slice(at).replace(/\s+/g, ' ')));
    pieces = pieces.filter(({ kind, text: own }) => kind !== 'text' || own !== '');
    const isText = (/** @type {Piece} */ { kind, text: own }) =>
      kind === 'word' || (kind === 'text' && own.trim() !== '');
    const isOwn = (/** @type {Piece} */ piece) => piece.kind === 'text' && isText(piece);
    const none = { lines, lead: text, tail: '', pieces: [], text: '', isTimed: false };
    const start = pieces.findIndex(isText);
    if (!pieces.some(isOwn)) return none;
    // what remains of a text without its dash
    const begin = pieces[start];
    const [dash] = (begin.kind === 'text' ? DASH.exec(begin.text) : null) ?? [''];
    const rest = begin.kind === 'text' ? { ...begin, text: begin.text.slice(dash.length).trimStart() } : begin;
    const head = pieces.slice(0, start);
    /** @type {Piece} */
    const point = { kind: 'point', text: '', source: dash };
    if (dash) head.push(point);
    pieces = [...head, ...(rest.text === '' ? [] : [rest]), ...pieces.slice(start + 1)];
    // words of another language alone are none for the translation
    if (!pieces.some(isOwn)) return none;
    const [first, last] = withMates(pieces, pieces.findIndex(isText), pieces.findLastIndex(isText));
    // with a tag before the dash, too, the dash stays at the beginning
    const isMoved = pieces.slice(first, last + 1).includes(point);
    const inner = pieces.slice(first, last + 1).filter((piece) => piece !== point);
    const end = inner[inner.length - 1];
    if (end.kind === 'text') inner[inner.length - 1] = { ...end, text: end.text.trimEnd() };
    const join = (/** @type {Piece[]} */ some) => some.map((piece) => String(piece.source)).join('');
    return { lines, lead: join(pieces.slice(0, first)) + (isMoved ? dash : ''),
      tail: join(pieces.slice(last + 1)), pieces: inner, text: inner.map((piece) => piece.text).join(''),
      isTimed: inner.some(isTime) };
  }

  /** A segment in lines. @param {Segment} segment @param {Piece[]} pieces */
  #write({ lead, tail }, pieces) {
    const text = pieces.map((piece) => piece.text).join('').trim();
    const count = Math.ceil(text.length / this.#width);
    const cuts = count > 1 && /\s/.test(text) ? findCuts(text, new Array(count).fill(1), this.#target) : [];
    const encode = (/** @type {Piece} */ { kind, text: own, source }) => (kind !== 'text' ? String(source)
      : this.#format === 'vtt' ? encodeText(own) : own.replaceAll('-->', '\u2192'));
    let [output, at, next] = ['', 0, 0];
    for (const piece of pieces) {
      if (piece.kind !== 'text') {
        output += encode(piece);
        at += piece.text.length;
        while (cuts[next] < at) next++; // no line ends inside
        continue;
      }
      let from = 0;
      for (; cuts[next] < at + piece.text.length; next++) {
        const to = cuts[next] - at;
        output += `${encode({ ...piece, text: piece.text.slice(from, to).trimEnd() })}\n`;
        from = to;
      }
      output += encode({ ...piece, text: piece.text.slice(from) });
      at += piece.text.length;
    }
    return lead + output.trim() + tail;
  }

  /** What a line says of its speaker; undefined: nothing. @param {Line} line */
  #voiceOf({ text }) {
    return this.#format === 'vtt' ? VOICE.exec(text)?.[1] : undefined;
  }

  /** Whether a line begins what a speaker says. @param {Line} line */
  #isSpeaker(line) {
    return SPEAKER.test(line.text) || this.#voiceOf(line) !== undefined;
  }

  /** Adds a sentence, or some. @param {Segment[]} segments */
  #add(segments) {
    const { lines: [{ start }] } = segments[0];
    const joined = segments.flatMap((segment, i) =>
      [...(i > 0 ? [{ kind: /** @type {const} */ ('text'), text: ' ', source: ' ' }] : []), ...segment.pieces]);
    if (!joined.some(({ kind, text }) => kind === 'text' && hasWords(text))) return;
    const write = addPieces(this.#builder, joined, start, false);
    const times = joined.filter(isTime);
    const places = segments.map(({ lines }) => ({ start: lines[0].start, end: lines[lines.length - 1].end }));
    for (const [i, { start: from, end: to }] of places.entries()) {
      this.#builder.replace(from, to, (translations) => {
        let time = 0; // they only grow
        const pieces = write(translations)?.map((piece) => (isTime(piece) ? times[time++]
          : piece.kind === 'text' ? { ...piece, text: piece.text.replace(/\s+/g, ' ') } : piece));
        const text = pieces?.map((piece) => piece.text).join('').trim() ?? '';
        if (!pieces || text === '') return this.#source.slice(from, to);
        const cuts = findCuts(pieces.map((piece) => piece.text).join(''), segments.map((own) => own.text.length),
          this.#target);
        // a cue without a word would be none
        const own = divide(pieces, cuts)[i] ?? [{ kind: 'text', text: '\u2026', source: '' }];
        return this.#write(segments[i], own);
      });
    }
  }

  /** @returns {import('./unit.js').Document} */
  read() {
    const cues = readCues(this.#source, this.#format);
    const plain = (/** @type {Line} */ { text }) => text.replace(MARK[this.#format], '');
    this.#width = Math.max(WIDTH, ...cues.flat().map((line) => plain(line).length));
    // where all is in capitals, those before a colon are no name
    const hasNames = cues.flat().some((line) => /\p{Ll}/u.test(plain(line)));
    const isNamed = (/** @type {Line} */ { text }) => hasNames && NAMED.test(text);
    /** @type {Segment[]} */
    let group = [];
    /** Of the group. @type {string | undefined} */
    let voice;
    const flush = () => {
      if (group.length > 0) this.#add(group);
      group = [];
      voice = undefined;
    };
    for (const lines of cues) {
      // lines of several speakers are apart
      const isDialogue = lines.filter((line) => this.#isSpeaker(line)).length > 1 ||
        (lines.length > 1 && this.#isSpeaker(lines[1]));
      /** @type {Line[][]} */
      const speakers = [];
      for (const [i, line] of lines.entries()) {
        const isNew = i === 0 || (isDialogue && this.#isSpeaker(line)) || SONG.test(line.text) ||
          isNamed(line) || SOUND.test(line.text) || SOUND.test(lines[i - 1].text);
        if (isNew) speakers.push([line]);
        else speakers[speakers.length - 1].push(line);
      }
      for (const [i, own] of speakers.entries()) {
        const segment = this.#segment(own);
        const before = group.at(-1);
        const goesOn = before && i === 0 && !before.isTimed && !segment.isTimed && group.length < MAX_CUES &&
          [undefined, voice].includes(this.#voiceOf(own[0])) && segment.text !== '' &&
          !ENDS.test(before.text) && !SPEAKER.test(own[0].text) && !isNamed(own[0]) &&
          !APART.test(segment.text) && !APART.test(before.text) &&
          (/^\p{Ll}/u.test(segment.text) || !/[\p{P}\p{S}]$/u.test(before.text) || /,$/.test(before.text));
        if (!goesOn) flush();
        if (segment.text !== '') group.push(segment);
        voice ??= this.#voiceOf(own[0]);
      }
    }
    flush();
    return this.#builder.finish();
  }
}

/**
 * @param {string} source
 * @param {'srt' | 'vtt'} format
 * @param {{ source: string, target: string }} languages  tags
 * @returns {import('./unit.js').Document}
 */
export const readSubtitles = (source, format, languages) => new Reader(source, format, languages).read();
