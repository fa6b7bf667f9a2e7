// languages.js - how often LanguageDetector is right, and how well its confidence says so, on short texts of programs:
// the translations that gettext has on a Linux system, 3 to 8 words (of Chinese, Japanese and Korean 8 to 25
// characters), without commands and placeholders; of every fourth its first two words, and its longest word alone.
//
//     node tests/score/languages.js [/usr/share/locale]
//
// Prints the share that is right for each language, and the calibration error of the best confidence in ten bins.
import { readdirSync, readFileSync } from 'node:fs';
import { LanguageDetector } from '../../js/index.js';

const LANGUAGES = ['de', 'fr', 'es', 'pt_BR', 'it', 'nl', 'pl', 'cs', 'sv', 'da', 'fi', 'tr', 'ru', 'uk', 'el', 'hu',
  'ro', 'ja', 'zh_CN', 'ko'];
const MOST = 200;
/** Codes, names of files, placeholders, acronyms. */
const NOT_TEXT = /[%<>{}\\/$_=|\n`"«»„“#@&*0-9]|[A-Z]{2}|--/;

/** The pairs of a .mo file, English and its translation. @param {string} path @returns {[string, string][]} */
function readCatalogue(path) {
  const bytes = readFileSync(path);
  if (bytes.readUInt32LE(0) !== 0x950412de) return [];
  const [count, originals, translations] = [8, 12, 16].map((at) => bytes.readUInt32LE(at));
  const text = (/** @type {number} */ table, /** @type {number} */ i) => {
    const [length, at] = [bytes.readUInt32LE(table + 8 * i), bytes.readUInt32LE(table + 8 * i + 4)];
    return bytes.toString('utf8', at, at + length);
  };
  return Array.from({ length: count }, (_, i) => [text(originals, i), text(translations, i)]);
}

/** @param {string} text @param {boolean} hasSpaces */
function isShortText(text, hasSpaces) {
  const words = text.split(/\s+/).length;
  const fits = hasSpaces ? words >= 3 && words <= 8 && text.length >= 15 && text.length <= 60
    : text.length >= 8 && text.length <= 25;
  return fits && !NOT_TEXT.test(text) && !text.includes('\0') && !text.includes('\ufffd');
}

/** Up to MOST of them, spread evenly over the sorted list. @param {Set<string>} texts */
function choose(texts) {
  const sorted = [...texts].sort();
  const share = (/** @type {number} */ i) => Math.floor((i * MOST) / sorted.length);
  return sorted.filter((_, i) => share(i) !== share(i - 1));
}

/** @param {string} root @returns {Record<string, string[]>}  texts by language */
function readTexts(root) {
  /** @type {Set<string>} */
  const english = new Set();
  /** @type {Record<string, string[]>} */
  const texts = {};
  for (const locale of LANGUAGES) {
    const folder = `${root}/${locale}/LC_MESSAGES`;
    /** @type {Set<string>} */
    const own = new Set();
    for (const name of readdirSync(folder).filter((file) => file.endsWith('.mo') && !/^iso_|xkb/.test(file))) {
      for (const [from, to] of readCatalogue(`${folder}/${name}`)) {
        if (isShortText(from, true)) english.add(from);
        if (to !== from && isShortText(to, !['ja', 'zh_CN', 'ko'].includes(locale))) own.add(to);
      }
    }
    texts[locale.split('_')[0]] = choose(own);
  }
  return { en: choose(english), ...texts };
}

const detector = await LanguageDetector.create();
const kinds = { 'whole texts': 0, 'two words': 0, 'one word': 0 };
const right = { ...kinds };
const bins = Array.from({ length: 10 }, () => ({ n: 0, confidence: 0, right: 0 }));
for (const [language, texts] of Object.entries(readTexts(process.argv[2] ?? '/usr/share/locale'))) {
  let correct = 0;
  for (const [i, text] of texts.entries()) {
    const words = text.split(/\s+/);
    const longest = words.reduce((a, b) => (b.length > a.length ? b : a));
    /** @type {[keyof typeof kinds, string][]} */
    const cases = [['whole texts', text]];
    if (i % 4 === 0 && words.length > 2) cases.push(['two words', words.slice(0, 2).join(' ')], ['one word', longest]);
    for (const [kind, part] of cases) {
      const [{ detectedLanguage, confidence }] = await detector.detect(part);
      const isRight = Number(detectedLanguage === language);
      const bin = bins[Math.min(9, Math.floor(10 * confidence))];
      kinds[kind]++;
      right[kind] += isRight;
      bin.n++;
      bin.confidence += confidence;
      bin.right += isRight;
      if (kind === 'whole texts') correct += isRight;
    }
  }
  console.log(`${language}  ${((100 * correct) / texts.length).toFixed(0).padStart(3)} % of ${texts.length}`);
}
for (const [kind, n] of Object.entries(kinds)) {
  console.log(`${kind}: ${((100 * right[/** @type {keyof typeof kinds} */ (kind)]) / n).toFixed(1)} % of ${n}`);
}
const all = bins.reduce((sum, { n }) => sum + n, 0);
const error = bins.reduce((sum, bin) => sum + Math.abs(bin.confidence - bin.right), 0) / all;
console.log(`expected calibration error: ${(100 * error).toFixed(1)} %`);
