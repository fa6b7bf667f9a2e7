// dom-fuzz.js - random pages that change at random while they are translated by stubs; loaded by dom-fuzz.html with
// ?runs=…&from=…, and reports what was wrong.
//
// Each page is there twice: one is translated, its twin only gets the same changes. At the end
//   - every node of the twin has its own in the page, with the same parent: none is lost
//   - the page reads like a copy of the twin that is translated afresh
//   - restore() gives the twin, byte for byte
import { translatePage } from '../../js/dom.js';
import { Stub } from './stub.js';

const query = new URLSearchParams(location.search);
const [runs, from] = ['runs', 'from'].map((name) => Number(query.get(name)));
/** Pages at the same time: each waits for frames. */
const ABREAST = 25;

const WORDS = ['the house', 'is small', ' a dog ', 'and', ' cats. ', 'Where? ', ' ', '12', '\n  x ', '& <b>', 'I  like',
  '\u00a0km', '\u{1f600}', 'H2O', ', ', '.'];
const NAMES = ('p div b i a span u sup code button label select option ul li table td h1 pre textarea script style ' +
  'svg x-y font q em strong section br img input hr wbr').split(' ');
const ATTRIBUTES = [['title', 'The dog'], ['alt', 'a cat'], ['translate', 'no'], ['translate', 'yes'],
  ['class', 'notranslate'], ['lang', 'fr'], ['lang', 'en'], ['contenteditable', ''], ['hidden', ''],
  ['aria-label', 'small & old'], ['href', '#']];
/** They get no elements. */
const EMPTY = /^(?:br|img|input|hr|wbr|textarea|script|style|option)$/;

/** mulberry32. @param {number} seed */
function randomOf(seed) {
  let state = seed;
  return (/** @type {number} */ n) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

/** Two trees that get the same changes; twins have the same index in `nodes`. */
class Pair {
  nodes = [[], []];
  log = [];

  constructor(random) {
    this.random = random;
    this.roots = [0, 1].map(() => document.createElement('div'));
    this.roots.forEach((root, i) => this.nodes[i].push(root));
  }

  pick(list) {
    return list[this.random(list.length)];
  }

  /** A text that no stub gives as a translation: that would be taken for a copy of one. */
  words(between) {
    const text = Array.from({ length: 1 + this.random(3) }, () => this.pick(WORDS)).join(between);
    return /\S\s+\S/.test(text) && !/\p{Ll}/u.test(text) ? `${text} and` : text;
  }

  /** Index of a node of the twin that fits, or -1. */
  find(fits) {
    const twins = this.nodes[1];
    for (let tries = 0; tries < 20; tries++) {
      const i = this.random(twins.length);
      if (this.roots[1].contains(twins[i]) && fits(twins[i])) return i;
    }
    return -1;
  }

  /** New nodes, one for each tree. */
  make(depth = 0) {
    const kind = this.random(10);
    if (kind < 5 || depth > 4) return this.add(() => document.createTextNode(this.text));
    if (kind === 5) return this.add(() => document.createComment('a dog'));
    const i = this.add(() => {
      const element = document.createElement(this.name);
      for (const [name, value] of this.attributes) element.setAttribute(name, value);
      return element;
    });
    if (!EMPTY.test(this.nodes[1][i].localName)) {
      for (let count = this.random(4); count > 0; count--) this.insert(this.make(depth + 1), i, -1);
    } else if (this.nodes[1][i].localName === 'option') {
      this.insert(this.add(() => document.createTextNode(this.text)), i, -1);
    }
    return i;
  }

  add(make) {
    this.text = this.words(' ');
    this.name = this.pick(NAMES);
    this.attributes = this.random(5) === 0 ? [this.pick(ATTRIBUTES)] : [];
    for (const list of this.nodes) list.push(make());
    return this.nodes[1].length - 1;
  }

  insert(node, parent, before) {
    for (const list of this.nodes) list[parent].insertBefore(list[node], before < 0 ? null : list[before]);
  }

  change() {
    const isHolder = (node) => node.nodeType === 1 && !EMPTY.test(node.localName);
    const action = this.random(8);
    const other = this.find((node) => node !== this.roots[1]);
    const [a, b] = this.nodes;
    if (action < 2) {
      const i = this.find(({ nodeType }) => nodeType === 3);
      const text = this.words('');
      if (i >= 0) for (const list of this.nodes) list[i].data = text;
    } else if (action === 2 && other >= 0 && isHolder(b[other].parentNode)) {
      this.insert(this.make(2), b.indexOf(b[other].parentNode), other);
    } else if (action === 3) this.insert(this.make(2), Math.max(0, this.find(isHolder)), -1);
    else if (action === 4 && other >= 0) for (const list of this.nodes) list[other].remove();
    else if (action === 5 && other >= 0) {
      // to another parent: within one, a page that moves nodes decides the order of all
      const parent = this.find((node) => isHolder(node) && !b[other].contains(node) && node !== b[other].parentNode);
      if (parent >= 0) this.insert(other, parent, -1);
    } else if (action === 6) {
      const i = this.find((node) => node.nodeType === 1 && node !== this.roots[1]);
      const [name, value] = this.pick(ATTRIBUTES);
      const isOff = this.random(2) === 0;
      if (i >= 0) {
        for (const list of this.nodes) {
          if (isOff) list[i].removeAttribute(name);
          else list[i].setAttribute(name, value);
        }
      }
    } else if (action === 7 && other >= 0 && this.random(3) === 0) {
      const text = this.add(() => document.createTextNode(this.text));
      for (const list of this.nodes) list[other].replaceWith(list[text]);
    }
    return a.length;
  }

  /** What is lost, or ''. */
  lost() {
    const [a, b] = this.nodes;
    for (const [i, twin] of b.entries()) {
      if (i === 0) continue;
      const parent = twin.parentNode;
      const own = a[i].parentNode;
      if (parent ? own !== a[b.indexOf(parent)] : own !== null) return `${twin.nodeName} ${i} has another parent`;
    }
    return '';
  }
}

const pause = (ms = 0) => new Promise((resolve) => setTimeout(resolve, ms));

/** Attributes by name: one that a translation adds may come before or after one of the page's. */
function sorted(root) {
  const copy = root.cloneNode(true);
  for (const element of copy.querySelectorAll('*')) {
    const attributes = Array.from(element.attributes, ({ name, value }) => [name, value]).sort();
    for (const [name] of attributes) element.removeAttribute(name);
    for (const [name, value] of attributes) element.setAttribute(name, value);
  }
  return copy.innerHTML;
}

/** What is wrong with the page of a seed, or ''. */
async function run(seed) {
  const random = randomOf(seed);
  const pair = new Pair(random);
  const [root, twin] = pair.roots;
  for (let i = 0; i < 6; i++) pair.insert(pair.make(), 0, -1);
  const stub = pair.pick(['upper', 'reverse', 'twice', 'half', 'identity']);
  // both are in the page, since styles count
  document.body.append(root, twin);
  const translation = translatePage(root, { translator: new Stub(stub) });
  // a text that changes often waits some moments
  const settled = async () => {
    for (let quiet = 0; quiet < 3;) {
      await pause(100);
      const { translated, total } = translation.progress;
      quiet = translated === total ? quiet + 1 : 0;
    }
  };
  try {
    if (random(2)) await translation.done;
    for (let burst = 0; burst < 3; burst++) {
      for (let i = 0; i < 10; i++) {
        pair.change();
        changes++;
        if (random(12) === 0) await Promise.resolve();
      }
      for (let waits = random(4); waits > 0; waits--) await pause();
    }
    await translation.done;
    await settled();
    const lost = pair.lost();
    if (lost) return lost;
    const copy = twin.cloneNode(true);
    twin.replaceWith(copy);
    const fresh = translatePage(copy, { translator: new Stub(stub) });
    await fresh.done;
    const wanted = sorted(copy);
    let found = sorted(root);
    // a text that has changed often is read again after MAX_CHANGE_DELAY, in its turn among the other pages
    for (let waits = 0; found !== wanted && waits < 600; waits++) {
      await pause(100);
      found = sorted(root);
    }
    if (found !== wanted) return `${stub}: ${found}\n-- afresh --\n${wanted}\n-- of --\n${twin.innerHTML}`;
    translation.restore();
    if (root.innerHTML !== twin.innerHTML) return `${stub}, restored: ${root.innerHTML}\n-- not --\n${twin.innerHTML}`;
    fresh.restore();
    if (copy.innerHTML !== twin.innerHTML) {
      return `${stub}, restored afresh: ${copy.innerHTML}\n-- not --\n${twin.innerHTML}`;
    }
    copy.remove();
    return '';
  } catch (error) {
    return String(error.stack ?? error);
  } finally {
    translation.stop();
    root.remove();
    twin.remove();
  }
}

let changes = 0;
const wrong = [];
addEventListener('error', ({ message }) => wrong.push({ message }));
addEventListener('unhandledrejection', ({ reason }) => wrong.push({ message: String(reason) }));
let next = from;
const lane = async () => {
  while (next < from + runs && wrong.length < 5) {
    const seed = next++;
    const message = await run(seed);
    if (message) wrong.push({ seed, message });
  }
};
const start = performance.now();
await Promise.all(Array.from({ length: ABREAST }, lane));
const seconds = Math.round((performance.now() - start) / 1000);
await fetch('report', { method: 'POST', body: JSON.stringify({ pages: next - from, changes, wrong, seconds }) });
