// lexicon.js - the lexicon of a model: translations of words that are rare in what it was trained on. A search makes
// them more probable where the head that aligns looks at the word; see src/search/lexicon.c. Loaded by engine/here.js
// for models that have such a file.
//
//     lexicon.bin, the pair -> words with their translations
//     ids of a source       -> its words -> their translations as ids: the entries of heed_search_lexicon()
//
// A line has five columns: the code of a language, an English word, a word of that language, and how often the second
// translates the first and the first the second, in hundredths; 0: the word to translate is not rare. Instead of a word
// there may be several, "town hall"; to look them up, four at most. Between two other languages English stands in the
// middle. Lines of other languages than the pair's are not checked. The file is lexicon.tsv, or lexicon.bin, where each
// language has a part, see files/parts.js.

import { E_CONFIG, E_FILE, LEXICON_INTS, PLACE_ANY, PLACE_FIRST, PLACE_LATER } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { turn } from '../base/host.js';
import { mismatch } from '../base/json.js';
import { unpackParts } from '../files/parts.js';
import { isByte } from '../text/pieces.js';
import { floats } from '../wasm/core.js';
import { headsFor } from './heads.js';

const FILE = 'lexicon.tsv';
/** The weight of a lexicon beside the model: of the attention to a word that has one translation. */
const STRENGTH = 0.35;
/** What is left of it for a noun with its article: the noun has entries of its own, and both would force it. */
const ARTICLE = 0.6;
/** Translations of a word. */
const MOST = 6;
/** The least share of a translation by way of English. */
const LEAST = 0.1;
/** Lines to read per turn of the event loop: about 2 ms. */
const STRIDE = 2048;
/** Stands for a character that the vocabulary lacks. */
const LACKING = '\ufffd';
/** A word, with hyphens or without. A word with a character that the vocabulary lacks is
 * still one word; its parts are not looked up. */
const WORD = /[\p{L}\p{M}\p{N}\ufffd]+(?:-[\p{L}\p{M}\p{N}\ufffd]+)*/gu;
/** Words that have a translation together, at most. */
const TOGETHER = 4;
/** The characters of such words. */
const SPAN = /^[\p{L}\p{M}\p{N}\u2581'-]+$/u;
/** What is before a word inside a sentence. */
const INSIDE = /[\p{L}\p{N},;)]\u2581$/u;
/** The start of a word in SentencePiece's pieces. */
const SPACE = '\u2581';
/** Languages of joints.js. */
const JOINED = new Set(['fr', 'es']);
/** An English article, with which a noun tells the gender of its translation. */
const ENGLISH = /^(?:the|an?) /i;
const COLUMNS = 5;
const HUNDREDTHS = /^(?:100|[1-9]?\d)$/;

/**
 * share: of the occurrences of the other word, 0 to 1; from: how the other word is written
 *
 * @typedef {[word: string, share: number, from: string]} Translation
 */

/** Words are the same in small letters and in any of Unicode's forms. @param {string} word */
const keyOf = (word) => word.normalize('NFC').toLowerCase();

/** @param {Translation[]} list */
const best = (list) => list.sort((a, b) => b[1] - a[1]).slice(0, MOST);

/** The lines of a language by their words. Only the lines of words that are looked up become objects. */
class Side {
  #text;
  #columns;
  /** Where the lines of a word begin. @type {Map<string, number | number[]>} */
  #places = new Map();

  /** @param {string} text  lexicon.tsv @param {boolean} isFromEnglish */
  constructor(text, isFromEnglish) {
    this.#text = text;
    this.#columns = isFromEnglish ? { word: 1, other: 2, share: 3 } : { word: 2, other: 1, share: 4 };
  }

  /** @param {string[]} fields  of a line @param {number} at  where it begins */
  add(fields, at) {
    const { word, share } = this.#columns;
    if (fields[share] === '0') return;
    const key = keyOf(fields[word]);
    const places = this.#places.get(key);
    if (Array.isArray(places)) places.push(at);
    else this.#places.set(key, places === undefined ? at : [places, at]);
  }

  /** @param {string} key @returns {Translation[]}  the most frequent first */
  of(key) {
    const { word, other, share } = this.#columns;
    return best([this.#places.get(key) ?? []].flat().map((at) => {
      const fields = lineAt(this.#text, at).split('\t');
      return [fields[other], Number(fields[share]) / 100, fields[word]];
    }));
  }
}

/** A line without its end. @param {string} text @param {number} at */
function lineAt(text, at) {
  const end = text.indexOf('\n', at);
  const line = text.slice(at, end < 0 ? undefined : end);
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/**
 * The columns of a line, checked.
 *
 * @param {string} line
 * @param {number} number  of the line
 * @param {string} file  for messages
 */
function fieldsOf(line, number, file) {
  const refuse = (/** @type {unknown} */ found, /** @type {string} */ expected) => {
    throw new HeedError(E_FILE, mismatch(`${file}: line ${number}`, found, expected));
  };
  const fields = line.split('\t');
  if (fields.length !== COLUMNS) refuse(line, `${COLUMNS} columns with tabs between`);
  for (const i of [1, 2]) if (fields[i].trim() === '') refuse(fields[i], `a word in column ${i + 1}`);
  for (const i of [3, 4]) {
    if (!HUNDREDTHS.test(fields[i])) refuse(fields[i], `a whole number from 0 to 100 in column ${i + 1}`);
  }
  return fields;
}

/**
 * Reads the lines of two languages; the event loop runs in between. Line ends may be CRLF, and a BOM may be first.
 *
 * @param {Uint8Array | Uint8Array[]} bytes  lexicon.tsv, or what some languages have of it
 * @param {string} source  the code of a language, such as 'de'
 * @param {string} target
 * @param {string} [file]  for messages, which count lines over all that is given
 * @returns {Promise<(key: string) => Translation[]>}  translations of a word as keyOf() writes it, the most frequent
 *   first. HEED_E_FILE: a line of these languages is malformed, or the file is not UTF-8
 */
export async function readLexicon(bytes, source, target, file = FILE) {
  let text = '';
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    const texts = [bytes].flat().map((each) => decoder.decode(each));
    // the last line may have no end
    text = texts.map((each) => (each === '' || each.endsWith('\n') ? each : `${each}\n`)).join('');
  } catch (error) {
    throw new HeedError(E_FILE, `${file}: found other bytes, expected UTF-8`, { cause: error });
  }
  const [toEnglish, fromEnglish] = [new Side(text, false), new Side(text, true)];
  const sides = new Map([[source, toEnglish], [target, fromEnglish]]);
  sides.delete('en');
  for (let at = 0, number = 1; at < text.length; number++) {
    const end = text.indexOf('\n', at);
    const tab = text.indexOf('\t', at);
    if (tab < 0 || (end >= 0 && tab > end)) fieldsOf(lineAt(text, at), number, file);
    const side = sides.get(text.slice(at, tab));
    side?.add(fieldsOf(lineAt(text, at), number, file), at);
    at = end < 0 ? text.length : end + 1;
    if (number % STRIDE === 0) await turn();
  }
  if (source === 'en') return (key) => fromEnglish.of(key);
  if (target === 'en') return (key) => toEnglish.of(key);
  return (key) => {
    /** @type {Map<string, Translation>} */
    const found = new Map();
    for (const [english, share, from] of toEnglish.of(key)) {
      for (const [word, further] of fromEnglish.of(keyOf(english))) {
        found.set(word, [word, (found.get(word)?.[1] ?? 0) + share * further, from]);
      }
    }
    return best([...found.values()].filter(([, share]) => share >= LEAST));
  };
}

/** The lexicon of a model for a pair of languages. */
export class Lexicon {
  #bytes;
  #tokenizer;
  #pair;
  /** @type {Promise<void> | undefined} */
  #reading;
  /** Translations of a word. @type {Awaited<ReturnType<typeof readLexicon>> | undefined} */
  #translationsOf;
  /** Of words that have translations: share, place and ids of each entry. @type {Map<string, number[][]>} */
  #known = new Map();
  /** @type {typeof import('./joints.js').entriesAfter | undefined} */
  #entriesAfter;
  /** What pieces of the source add to its text, by id. @type {Map<number, string>} */
  #pieces = new Map();

  /**
   * Reads nothing yet.
   *
   * @param {Uint8Array} bytes
   * @param {import('../text/tokenizer.js').Tokenizer} tokenizer
   * @param {[source: string, target: string]} pair  codes of languages, such as 'de'
   * @param {Readonly<Record<string, any>>} config  HEED_E_CONFIG: it names no head of the last layer that aligns
   * @param {string} [file]  lexicon.bin or lexicon.tsv
   */
  constructor(bytes, tokenizer, pair, { decoder_layers: layers, decoder_attention_heads: heads, alignment_heads },
    file = FILE) {
    const [, head] = headsFor(alignment_heads, layers, heads)?.find(([layer]) => layer === layers - 1) ?? [];
    if (head === undefined) {
      const expected = `a head of decoder layer ${layers - 1} beside a ${file}: it says which word is translated`;
      const found = JSON.stringify(alignment_heads);
      throw new HeedError(E_CONFIG, `config.json: alignment_heads: found ${found}, expected ${expected}`);
    }
    this.head = head;
    this.#bytes = bytes;
    this.file = file;
    this.#tokenizer = tokenizer;
    this.#pair = pair;
  }

  async #read() {
    const [, target] = this.#pair;
    if (JOINED.has(target)) this.#entriesAfter = (await import('./joints.js')).entriesAfter;
    const isPlain = this.file === FILE;
    const texts = isPlain ? [this.#bytes] : await unpackParts(this.#bytes, this.file, this.#pair);
    this.#translationsOf = await readLexicon(texts, ...this.#pair, this.file);
    this.#bytes = new Uint8Array();
  }

  /** Reads the file at the first call. Each call rejects if that fails, see readLexicon(). @returns {Promise<void>} */
  read() {
    return (this.#reading ??= this.#read());
  }

  /**
   * The entries of a word, or of several with \u2581 between: share in thousandths, place, ids of the target.
   * Translations that the vocabulary cannot spell have none.
   *
   * @param {string} word
   * @param {boolean} isName  it may be a name: it has a capital inside a sentence
   * @param {boolean} isSentence  the source begins with a capital
   * @returns {number[][]}
   */
  #entriesOf(word, isName, isSentence) {
    const key = keyOf(word.replaceAll(SPACE, ' '));
    const own = `${isName} ${isSentence} ${key}`;
    const known = this.#known.get(own);
    if (known) return known;
    const found = (this.#translationsOf?.(key) ?? []).flatMap(([text, share, from]) => {
      if (isName && /^\p{Ll}/u.test(from)) return []; // Mr Baker bakes nothing
      const thousandths = Math.round(1000 * STRENGTH * share * (this.#isArticle(from) ? ARTICLE : 1));
      const capital = text.replace(/^\p{Ll}/u, (letter) => letter.toLocaleUpperCase(this.#pair[1]));
      const entry = (/** @type {number} */ place, /** @type {string} */ form) => {
        const ids = this.#tokenizer.encode(form, { side: 'target' }).ids.slice(0, -1);
        return this.#tokenizer.decode(ids) === form ? [[thousandths, place, ...ids]] : [];
      };
      const first = isSentence ? capital : text;
      // a German article is that of the nominative, with which a sentence or a fragment begins
      if (this.#pair[1] === 'de' && this.#isArticle(from)) return entry(PLACE_FIRST, first);
      const after = this.#entriesAfter?.(this.#tokenizer, text, first, this.#pair[1], thousandths) ?? [];
      // what begins with a capital becomes what does. The core knows all as one word in this order
      return [...after, ...(first === text ? entry(PLACE_ANY, text)
        : [...entry(PLACE_FIRST, first), ...entry(PLACE_LATER, text)])];
    });
    // other words are not kept: there is no end of them
    if (found.length > 0) this.#known.set(own, found);
    return found;
  }

  /** @param {string} text  of the source */
  #isArticle(text) {
    return this.#pair[0] === 'en' && ENGLISH.test(text);
  }

  /** @param {number} id  of the source @returns {string}  a byte as <0x41>; a space for what is no text */
  #pieceOf(id) {
    const known = this.#pieces.get(id);
    if (known !== undefined) return known;
    const piece = this.#tokenizer.idToPiece(id);
    // no text: </s>, the token of a language, a space
    const isText = isByte(piece) || this.#tokenizer.decode([id], { side: 'source' }) !== '';
    const own = piece === '<unk>' ? LACKING : isText ? piece : SPACE;
    this.#pieces.set(id, own);
    return own;
  }

  /**
   * The text of a source, and where each of its ids begins there. A character that is spelled by bytes belongs to the
   * first of them.
   *
   * @param {ArrayLike<number>} ids
   * @returns {{ text: string, starts: number[] }}  starts: one more than ids, the last is the end of the text
   */
  #textOf(ids) {
    let text = '';
    /** @type {number[]} */
    const starts = [];
    /** @type {number[]} */
    const open = [];
    const pieces = [...Array.from(ids, (id) => this.#pieceOf(id)), ''];
    for (const piece of pieces) {
      if (open.length > 0 && !isByte(piece)) text += new TextDecoder().decode(Uint8Array.from(open.splice(0)));
      starts.push(text.length);
      if (isByte(piece)) open.push(Number(piece.slice(1, -1)));
      else text += piece;
    }
    return { text, starts };
  }

  /**
   * The entries of a source, as heed_search_lexicon() takes them. What does not fit into LEXICON_INTS is left out. Call
   * it after read().
   *
   * @param {ArrayLike<number>} ids
   * @returns {Int32Array}
   */
  entriesFor(ids) {
    const { text, starts } = this.#textOf(ids);
    const isSentence = /^\P{L}*\p{Lu}/u.test(text);
    /** @type {number[]} */
    const entries = [];
    const visit = (/** @type {string} */ word, /** @type {number} */ at) => {
      // German nouns have capitals
      const isName = this.#pair[0] !== 'de' && /^\p{Lu}\p{Ll}/u.test(word) && INSIDE.test(text.slice(0, at));
      const found = this.#entriesOf(word, isName, isSentence);
      if (found.length === 0) return false;
      const end = starts.findIndex((start) => start >= at + word.length);
      // of ids that begin at the same place, the first has the text
      const first = starts.indexOf(Math.max(...starts.filter((start) => start <= at)));
      for (const [share, place, ...list] of found) {
        if (entries.length + 5 + list.length <= LEXICON_INTS) {
          entries.push(first, end, share, place, list.length, ...list);
        }
      }
      return true;
    };
    /** The text of words that may be known together; else ''. @param {RegExpExecArray[]} words */
    const spanOf = (words) => {
      const last = words[words.length - 1];
      const span = text.slice(words[0].index, last.index + last[0].length);
      return words.length > 1 && SPAN.test(span) ? span : '';
    };
    const isKnown = (/** @type {string} */ span) => span !== '' && this.#entriesOf(span, false, isSentence).length > 0;
    /** Takes the first word, or all that are known together; returns how many. @param {RegExpExecArray[]} words */
    const visitFirst = (words) => {
      const { 0: word, index } = words[0];
      const isArticle = this.#isArticle(`${word} `);
      for (let n = Math.min(words.length, TOGETHER); n > 1; n--) {
        const span = spanOf(words.slice(0, n));
        if (span === '') continue;
        if (!isArticle) {
          if (visit(span, index)) return n;
          continue;
        }
        // "the town" is known, but the word is "town hall"
        const isPart = words.some((_, last) => last >= n && isKnown(spanOf(words.slice(1, last + 1))));
        if (!isPart && visit(span, index)) return 1;
      }
      if (!visit(word, index) && word.includes('-')) {
        for (const part of word.matchAll(/[^-]+/g)) visit(part[0], index + part.index);
      }
      return 1;
    };
    const words = [...text.matchAll(WORD)];
    for (let i = 0; i < words.length;) i += visitFirst(words.slice(i, i + TOGETHER + 1));
    return Int32Array.from(entries);
  }

  /**
   * Log-probabilities of a target's ids in a search with this lexicon.
   *
   * @param {import('./model.js').Model} model
   * @param {ArrayLike<number>} source
   * @param {ArrayLike<number>} target
   * @param {{ cross: import('./model.js').Tensor, logProbs: Float32Array }} pass  of the model alone
   * @returns {Float32Array}
   */
  logProbs(model, source, target, { cross: { shape: [layers, heads, T, S], data }, logProbs }) {
    const { core, model: handle } = model.internals();
    const entries = this.entriesFor(source);
    const at = ((layers - 1) * heads + this.head) * T * S;
    const out = floats(T);
    core.call(FILE, 'heed_lexicon_log_probs', handle, entries, entries.length, Int32Array.from(target), T,
      data.subarray(at, at + T * S), S, logProbs, out);
    return out.value;
  }
}
