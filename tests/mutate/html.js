// html.js - random HTML, translated by stubs: no exception, no hang, no tag lost, doubled or crossed, no word cut, and
// the same bytes if the stub changes nothing. Used by html.test.js.
//
//     node tests/mutate/html.js [--runs 100000] [--from 0] [--seed 1]
//
// A stub gives each word of a sentence its translations. Half of the inputs are made of parts, half are changes of
// CASES.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readBlocks } from '../../js/text/blocks.js';
import { INLINE, isRead } from '../../js/text/elements.js';
import { readMarkup } from '../../js/text/markup.js';
import { unitsOf } from '../../js/text/units.js';
import { Random } from './model.js';
import { isOther, STUBS, translateBy } from './stubs.js';

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** All but texts and attributes that people read, in any order. @param {string} html @param {boolean} isSame */
function markupOf(html, isSame) {
  return readMarkup(html).filter(({ type }) => type !== 'text').map((token) => {
    const { type, start, end, name, attributes } = token;
    if (isSame || type !== 'open') return html.slice(start, end);
    const get = (/** @type {string} */ other) => attributes.find((attribute) => attribute.name === other)?.value;
    return `<${name} ${attributes.map((own) =>
      (isRead(name, own.name, get) ? own.name : html.slice(own.start, own.end))).join(' ')}>`;
  }).sort();
}

/** Whether every element has its end tag, and every end tag its element. @param {string} html */
const isWellNested = (html) =>
  readMarkup(html).every(({ type, mate }) => (type !== 'open' && type !== 'close') || mate >= 0);

/**
 * Whether what is found besides the wanted letters is in footnote marks. With a word behind them, they are text.
 *
 * @param {string} wanted
 * @param {string} found
 * @param {{ html: string, tokens: ReturnType<typeof readMarkup> }} document
 */
function isMarks(wanted, found, { html, tokens }) {
  const marks = tokens.flatMap(({ name, mate, type }, i) => (type !== 'open' || name !== 'sup' || mate < 0 ? []
    : tokens.slice(i, mate).filter((token) => token.type === 'text').map(({ start, end }) => html.slice(start, end))));
  const more = [...found];
  const take = (/** @type {string[]} */ from, /** @type {string} */ letter) =>
    from.includes(letter) && from.splice(from.indexOf(letter), 1);
  const rest = [...marks.join('')];
  return [...wanted].every((letter) => take(more, letter)) && more.length > 0
    && more.every((letter) => take(rest, letter));
}

/** What is wrong with a translation, or ''. @param {string} html @param {string} name  of a stub */
export function wrong(html, name) {
  const { document, parts, output } = translateBy(html, name);
  const tiled = readMarkup(html).map(({ start, end }) => html.slice(start, end)).join('');
  if (tiled !== html) return 'the tokens do not tile it';
  if (name === 'identity') return output === html ? '' : `not the same: ${output}`;
  const [before, after] = [markupOf(html, false), markupOf(output, false)];
  if (before.join('\n') !== after.join('\n')) return `other tags: ${output}`;
  if (isWellNested(html) && !isWellNested(output)) return `crossed tags: ${output}`;
  if (['upper', 'reverse', 'twice', 'astray'].includes(name)) {
    // of unknown elements, which are blocks depends on the text beside them
    const letters = (/** @type {string[]} */ texts) =>
      [...texts.join('').replace(/[^\p{L}\p{N}]+/gu, '')].sort().join('');
    const wanted = letters(parts.flat().map(({ target }) => target));
    const found = letters(readBlocks(output, isOther).blocks.map(({ text }) => text));
    const isKept = name === 'astray' && document.blocks.some(({ words }) => words.length > 0);
    // a model may leave nothing but a mark in its element, or take a word into it
    const isOne = () => isMarks(wanted, found, document)
      || isMarks(found, wanted, { html: output, tokens: readMarkup(output) });
    if (!isKept && wanted !== found && !isOne()) return `other text: ${output}`;
  }
  const words = new Set(parts.flat().filter(({ source, target }) => source !== target)
    .flatMap(({ target }) => unitsOf(target, segmenter).map(({ start, end }) => target.slice(start, end))));
  const tokens = readMarkup(output);
  // what passes through is a word of its own, also where a stub puts letters beside it
  const passing = new Set(readBlocks(output, isOther).blocks.flatMap(({ tags }) =>
    tags.flatMap(({ kind, first, last }) => (kind === 'word' ? [first, last - 1] : []))));
  for (let i = 0; i < tokens.length; i++) {
    if (tokens[i].type !== 'text') continue;
    let next = i + 1;
    while (tokens[next] && tokens[next].type !== 'text' && INLINE.has(tokens[next].name)) next++;
    if (next === i + 1 || tokens[next]?.type !== 'text') continue;
    const left = /[\p{L}\p{N}]+$/u.exec(output.slice(tokens[i].start, tokens[i].end))?.[0];
    const right = /^[\p{L}\p{N}]+/u.exec(output.slice(tokens[next].start, tokens[next].end))?.[0];
    const isOneBlock = tokens.slice(i + 1, next).every(({ mate }, k) => mate >= 0 && !passing.has(i + 1 + k));
    if (!left || !right || !isOneBlock || !words.has(left + right)) continue;
    // as it is in the source
    const cut = left + output.slice(tokens[i].end, tokens[next].start) + right;
    if (!html.includes(cut)) return `a word is cut, ${cut}: ${output}`;
  }
  return '';
}

// ---------------------------------------------------------------- inputs

/** The strings of golden/html. @type {string[]} */
export const CASES = readFileSync(new URL('../golden/html/cases.jsonl', import.meta.url), 'utf8').trim().split('\n')
  .map((line) => JSON.parse(line).html);

const WORDS = [
  'The', 'house', 'is', 'small', 'a', 'dog', 'and', 'cat.', 'Where', 'H2O', '[16]', 'x', '\u00e9t\u00e9',
  '\u4e00\u3002', '12', '\u{1f600}', '-', '...', 'well-known', "don't", '&amp;', '&eacute;', '&nbsp;', '&#39;', '&#x1F600;',
  '&notit', '&', '<', '< b', '<3', '>', '"', "'", '\0', '\r\n', '\u00a0', '\u200b', '\ud83d', 'e\u0301',
];
const NAMES = ('p div b i a span u sup sub code kbd var button label select option ul li table tr td th h1 pre ' +
  'textarea script style title svg text path math mi foreignObject x-y font template noscript iframe B P html body ' +
  'head form dd dt ruby rt q object video center plaintext xmp').split(' ');
const VOIDS = ['br', 'img', 'hr', 'input', 'wbr', 'meta', 'BR', 'br/', 'img/', 'area'];
const ATTRIBUTES = [
  'title="The dog"', "alt='a cat'", 'translate=no', 'translate="yes"', 'class="notranslate x"', 'lang=fr',
  'lang="en-US"', 'href=x', 'title=dog', 'disabled', 'contenteditable', 'placeholder="y &quot;q&quot;"',
  "title='y \"q\" z'", 'a=1 a=2', 'aria-label="small &amp; old"', 'type=button value=Go', '/',
  'name=description content="A house"', 'x"y', '=', 'id="\n"',
];
const OTHERS = [
  '<!-- c -->', '<!--', '<!-->', '<!DOCTYPE html>', '<?pi x?>', '</>', '</ x>', '<![CDATA[x]]>', '<', '</', '<p',
  '</p ', '<a b="', '--!>', ']]>', '<!x',
];

/** @param {Random} random @param {number} depth @returns {string} */
function nested(random, depth) {
  let html = '';
  for (let left = 1 + random.below(4); left > 0; left--) {
    const kind = random.below(12);
    if (kind < 6) html += random.pick(WORDS) + (random.once(4) ? '' : random.pick([' ', ' ', ' ', '\n', '  ', '\t']));
    else if (kind < 10 && depth > 0) {
      const name = random.pick(NAMES);
      html += `<${name}${random.once(3) ? ` ${random.pick(ATTRIBUTES)}` : ''}>${nested(random, depth - 1)}`;
      if (!random.once(20)) html += `</${random.once(30) ? random.pick(NAMES) : name}>`;
    } else if (kind < 11) html += `<${random.pick(VOIDS)}${random.once(3) ? ` ${random.pick(ATTRIBUTES)}` : ''}>`;
    else if (random.once(4)) html += random.pick(OTHERS);
    if (random.once(3)) html += ' ';
  }
  return html;
}

/** Parts of a string taken out, doubled, moved or put in. @param {Random} random @param {string} html */
function changed(random, html) {
  let result = html;
  for (let left = 1 + random.below(4); left > 0; left--) {
    const [at, size] = [random.below(result.length + 1), random.below(8)];
    const piece = result.slice(at, at + size);
    const [head, tail] = [result.slice(0, at), result.slice(at + size)];
    const to = random.below(head.length + 1);
    result = [
      () => head + tail, () => head + piece + piece + tail, () => head.slice(0, to) + piece + head.slice(to) + tail,
      () => head + random.pick(OTHERS) + piece + tail, () => `${head}<${random.pick(NAMES)}>${piece}${tail}`,
      () => `${head}</${random.pick(NAMES)}>${piece}${tail}`, () => head + random.pick(WORDS) + piece + tail,
      () => head + String.fromCharCode(random.below(128)) + tail,
    ][random.below(8)]();
  }
  return result;
}

/** @param {number} seed @param {number} index */
export function makeInput(seed, index) {
  const random = new Random(seed * 1_000_003 + index);
  return index % 2 === 0 ? nested(random, 4) : changed(random, random.pick(CASES));
}

/** Milliseconds of a processor that an input may take. */
const SLOW = 2000;
const now = () => process.cpuUsage().user / 1000;

/**
 * @param {{ runs: number, from?: number, seed?: number }} options
 * @returns {{ counts: Record<string, number>, slowest: number, failures: string[] }}  counts: inputs by stub
 */
export function run({ runs, from = 0, seed = 1 }) {
  const names = Object.keys(STUBS);
  /** @type {Record<string, number>} */
  const counts = Object.fromEntries(names.map((name) => [name, 0]));
  /** @type {string[]} */
  const failures = [];
  let slowest = 0;
  for (let index = from; index < from + runs && failures.length < 20; index++) {
    const html = makeInput(seed, index);
    // every input must come back as it is, and pass one more
    for (const name of ['identity', names[1 + Math.floor(index / 2) % (names.length - 1)]]) {
      const start = now();
      let what;
      try {
        what = wrong(html, name);
      } catch (/** @type {any} */ error) {
        what = error.stack;
      }
      const time = now() - start;
      slowest = Math.max(slowest, time);
      if (time > SLOW) what ||= `takes ${time.toFixed(0)} ms`;
      if (what) failures.push(`seed ${seed}, run ${index}, ${name}: ${JSON.stringify(html)}: ${what}`);
      counts[name]++;
    }
  }
  return { counts, slowest, failures };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const number = (/** @type {string} */ initial) => /** @type {const} */ ({ type: 'string', default: initial });
  const { values } = parseArgs({ options: { runs: number('100000'), from: number('0'), seed: number('1') } });
  const start = performance.now();
  const { counts, slowest, failures } = run({
    runs: Number(values.runs), from: Number(values.from), seed: Number(values.seed),
  });
  for (const failure of failures) console.log(failure);
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.log(Object.entries(counts).map(([name, count]) => `${name} ${count}`).join(', '));
  const end = `slowest ${slowest.toFixed(0)} ms; ${failures.length} failures`;
  console.log(`${counts.identity} random strings in ${seconds} s, ${end}`);
  process.exitCode = failures.length > 0 ? 1 : 0;
}
