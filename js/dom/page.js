// page.js - translates a living page: what is visible first, and what the page changes later. Public as 'heed/dom'.
//
//   containers -> read.js: units -> queue.js: translations -> write.js
//
// All own work is done in pieces of some milliseconds. What the page has changed in between is seen before anything is
// written, so an answer for a text that is no more is not used.

import { onAborts } from '../base/abort.js';
import { E_STATE } from '../base/constants.js';
import { badType, checkBoolean, checkFunction, checkOptions, checkSignal } from '../base/check.js';
import { turn } from '../base/host.js';
import { MAX_CHANGE_DELAY, CHANGE_DELAY, PAGE_SLICE } from '../base/limits.js';
import { directionOf, languageOf } from '../model/languages.js';
import { isKept, NO_STATE, READ } from '../text/elements.js';
import { TRANSLATE } from '../translate/options.js';
import { isElement, isText, nodesInside, parentOf } from './nodes.js';
import { Originals } from './originals.js';
import { Queue } from './queue.js';
import { isOpaque, Reader } from './read.js';
import { textOfBlock } from './unit.js';
import { keepSelection, tidy, writeSilent, writeUnit } from './write.js';

/** @typedef {import('../text/elements.js').State} State */
/** @typedef {import('./queue.js').AnyUnit} AnyUnit */
/** @typedef {import('./read.js').Place} Place */
/** @typedef {Document | Element | ShadowRoot} Root */

/**
 * What translatePage() needs of a Translator. In an extension it may be an object that sends the texts elsewhere.
 *
 * @typedef {object} PageTranslator
 * @property {string} sourceLanguage
 * @property {string} targetLanguage
 * @property {(html: string, options: any) => Promise<string>} translateHtml
 */
/**
 * observe: follow changes of the page. Default: true. All other options are those of translate().
 *
 * @typedef {import('../translate/translator.js').TranslateOptions & { translator: PageTranslator, observe?: boolean,
 *   onProgress?: (progress: { translated: number, total: number }) => void }} PageOptions
 */

/** Attributes that say what is translated. */
const RULES = ['translate', 'lang', 'contenteditable', 'class'];
const NOT_TRANSLATED = /(?:^|\s)notranslate(?:\s|$)/;
/** So many changes of a container are read at once. */
const QUIET = 5;
/** Milliseconds to wait for a browser to say what is visible. */
const PATIENCE = 250;

/** @param {Node} node @returns {node is HTMLOptionElement} */
const isOption = (node) => isElement(node) && node.localName === 'option';

/** @param {State} a @param {State} b */
const isSameState = (a, b) => a.isFixed === b.isFixed && a.isOther === b.isOther && a.isEdited === b.isEdited &&
  a.isPreformatted === b.isPreformatted;

/** The latest translation of each root. @type {WeakMap<Root, PageTranslation>} */
const latest = new WeakMap();

/** A page that is translated. Made by translatePage(). */
export class PageTranslation {
  /**
   * Resolves when all that was there is translated; rejects if translating fails, and when it is stopped before.
   *
   * @type {Promise<void>}
   */
  done;
  #progress = { translated: 0, total: 0 };
  #root;
  #options;
  /** The outermost container. */
  #top;
  #originals = new Originals();
  #reader;
  #queue;
  /** Containers that were read. @type {WeakMap<Node, { state: State, units: Set<AnyUnit> }>} */
  #known = new WeakMap();
  /**
   * Containers to read, the next at the end, each with the round in which its state was found, and whether `done` waits
   * for it.
   */
  #places = /** @type {(Place & { round: number, isFirst: boolean })[]} */ ([]);
  /** Grows when the page changes. */
  #round = 0;
  /** Translations to write. @type {{ unit: AnyUnit, answer: string }[]} */
  #answers = [];
  /** Units that are not written. @type {Set<AnyUnit>} */
  #open = new Set();
  /** Those of them that `done` waits for. @type {Set<AnyUnit>} */
  #first = new Set();
  /**
   * Containers that have changed, with the time to read them, and whether `done` waits for them.
   *
   * @type {Map<Element | ShadowRoot, { at: number, isFirst: boolean }>}
   */
  #changed = new Map();
  /** How often containers have changed of late. @type {WeakMap<Node, { count: number, last: number }>} */
  #unrest = new WeakMap();
  #timer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  #mutations;
  #intersections = /** @type {IntersectionObserver | undefined} */ (undefined);
  /** @type {WeakSet<Element>} */
  #visible = new WeakSet();
  #knowsVisible = false;
  /** Elements whose language is set. @type {WeakSet<Node>} */
  #marked = new WeakSet();
  #isWorking = false;
  #isEnded = false;
  #isDone = false;
  /** @type {() => void} */
  #resolve = () => {};
  /** @type {(reason: unknown) => void} */
  #reject = () => {};
  #forget;
  #document;
  #directions;

  /** @param {Root} root @param {PageOptions} options */
  constructor(root, { translator, signal, onProgress, observe = true, ...rest }) {
    const source = languageOf(translator.sourceLanguage);
    this.#root = root;
    this.#document = /** @type {Document} */ (root.ownerDocument ?? root);
    this.#options = { translator, onProgress, observe };
    this.#directions = [translator.sourceLanguage, translator.targetLanguage].map(directionOf);
    this.#reader = new Reader(this.#originals, (language) => languageOf(language) !== source);
    const stop = new AbortController();
    this.#queue = new Queue({
      translate: (html) => translator.translateHtml(html, { ...rest, signal: stop.signal }),
      isVisible: ({ container }) => this.#isVisible(container),
      deliver: (unit, answer) => {
        this.#answers.push({ unit, answer });
        this.#wake();
      },
      fail: (error) => this.#end(error),
      // a term that cannot be placed
      isOfText: (error) => rest.glossary !== undefined && Object(error).code === E_STATE,
      wake: () => this.#wake(),
    });
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = (reason) => {
        stop.abort(reason);
        reject(reason);
      };
    });
    this.#forget = onAborts([signal], () => this.#stopWith(signal?.reason));
    this.#mutations = new MutationObserver((records) => {
      this.#note(records);
      this.#wake();
    });
    this.#watch(root);
    this.#startIntersections();
    this.#document.addEventListener('visibilitychange', this.#wake);
    this.#top = /** @type {Element | ShadowRoot | null} */ (this.#document === root ? root.documentElement : root);
    if (this.#top) this.#push({ container: this.#top, state: this.#stateAt(this.#top) }, true);
    void this.#work();
  }

  /** Texts, of which the same that stands twice counts twice. */
  get progress() {
    return { ...this.#progress };
  }

  /** No more changes are followed; what is translated stays. */
  stop() {
    this.#stopWith(new DOMException('the translation of the page was stopped', 'AbortError'));
  }

  /** The page as it was; what it has changed itself stays. Stops. */
  restore() {
    this.stop();
    const restoreSelection = keepSelection(this.#document);
    this.#originals.restore();
    restoreSelection();
  }

  /** @param {unknown} reason */
  #stopWith(reason) {
    // who stops it knows
    this.done.catch(() => {});
    this.#end(reason);
  }

  /** @param {unknown} reason */
  #end(reason) {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#forget();
    this.#queue.end();
    this.#disconnect();
    clearTimeout(this.#timer);
    this.#reject(reason); // without effect if it is done
  }

  #disconnect() {
    this.#mutations.disconnect();
    this.#intersections?.disconnect();
    this.#document.removeEventListener('visibilitychange', this.#wake);
  }

  // ---------------------------------------------------------------- what is visible

  #startIntersections() {
    if (typeof IntersectionObserver !== 'function') {
      this.#knowsVisible = true;
      return;
    }
    this.#intersections = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) this.#visible.add(target);
        else this.#visible.delete(target);
      }
      this.#knowsVisible = true;
      this.#wake();
    });
    setTimeout(() => {
      this.#knowsVisible = true;
      this.#wake();
    }, PATIENCE);
  }

  /** @param {Node} container */
  #boxOf(container) {
    return isElement(container) ? container : /** @type {ShadowRoot} */ (container).host;
  }

  /** @param {Node} container */
  #isVisible(container) {
    return this.#visible.has(this.#boxOf(container)) || container.parentNode === this.#document.head;
  }

  // ---------------------------------------------------------------- changes

  /** @param {Node} root */
  #watch(root) {
    this.#mutations.observe(root, {
      subtree: true, childList: true, characterData: true, attributeOldValue: true,
      attributeFilter: [...RULES, ...READ],
    });
  }

  /** The container that a node is read in. @param {Node} node @returns {Element | ShadowRoot | undefined} */
  #containerOf(node) {
    /** @type {Node | null} */
    let each = node;
    while (each && !this.#known.has(each)) each = parentOf(each);
    return /** @type {Element | undefined} */ (each ?? undefined);
  }

  /** Notes what the page has changed. @param {MutationRecord[]} records */
  #note(records) {
    if (records.length > 0) this.#round++;
    const ofChildren = records.filter(({ type }) => type === 'childList');
    const owned = new Set(ofChildren.map(({ target }) => target).filter((each) => this.#originals.ownsOrder(each)));
    this.#originals.noteChildren(ofChildren.filter(({ target }) => !owned.has(target)));
    for (const { type, target, attributeName, oldValue, addedNodes } of records) {
      if (type === 'characterData') {
        if (!isText(target) || this.#originals.ownsText(target)) continue;
        this.#originals.noteText(target);
        this.#addChange(target);
      } else if (type === 'childList') {
        if (owned.has(target)) continue;
        let isFirst = false;
        for (const node of addedNodes) {
          // it may come from elsewhere
          const nodes = nodesInside(node);
          if (this.#forgetNodes(nodes)) isFirst = true;
          for (const each of nodes) if (isText(each)) this.#originals.noteText(each);
          if (isKept(this.#stateInside(target))) this.#originals.giveBack(nodes);
        }
        this.#addChange(target, isFirst);
      } else {
        const [element, name] = [/** @type {Element} */ (target), String(attributeName)];
        if (this.#originals.ownsAttribute(element, name)) continue;
        const isRule = name === 'class'
          ? NOT_TRANSLATED.test(oldValue ?? '') !== NOT_TRANSLATED.test(element.getAttribute(name) ?? '')
          : RULES.includes(name);
        if (isRule) this.#noteRule(element);
        else if (name !== 'class') this.#addChange(element);
      }
    }
  }

  /** What holds of an element has changed. @param {Element} element */
  #noteRule(element) {
    this.#marked = new WeakSet();
    const nodes = nodesInside(element);
    const isFirst = this.#forgetNodes(nodes);
    if (isKept(this.#stateAt(element))) this.#originals.giveBack(nodes);
    // what is around the root is not read
    if (element !== this.#top) this.#addChange(parentOf(element) ?? element, isFirst);
    else if (this.#options.observe || isFirst) {
      this.#push({ container: element, state: this.#stateAt(element) }, isFirst);
    }
  }

  /** So that they are read again. @param {Node[]} nodes @returns {boolean}  whether `done` waits for one of them */
  #forgetNodes(nodes) {
    let isFirst = false;
    for (const node of nodes) {
      if (this.#dropUnits(node)) isFirst = true;
      this.#known.delete(node);
    }
    return isFirst;
  }

  /** @param {Node} node @param {boolean} [isAwaited]  whether `done` waits for what is inside */
  #addChange(node, isAwaited = false) {
    const container = this.#containerOf(node);
    if (!container) return;
    const isFirst = this.#dropUnits(container) || isAwaited;
    const noted = this.#changed.get(container);
    if (noted) noted.isFirst ||= isFirst;
    // without `observe`, too, what was there is translated
    if (noted || !(this.#options.observe || isFirst)) return;
    const now = performance.now();
    const unrest = this.#unrest.get(container) ?? { count: 0, last: 0 };
    unrest.count = now - unrest.last > MAX_CHANGE_DELAY ? 0 : unrest.count + 1;
    unrest.last = now;
    this.#unrest.set(container, unrest);
    // at first before the page is painted, if the translation is known; but a text that is written again and again has
    // to wait, or the languages would take turns
    const delay = unrest.count < QUIET ? 0 : Math.min(CHANGE_DELAY * 2 ** (unrest.count - QUIET), MAX_CHANGE_DELAY);
    // and `done` does not wait for it
    this.#changed.set(container, { at: now + delay, isFirst: isFirst && unrest.count < QUIET });
  }

  /** Moves the changes whose time has come to the places to read. */
  #readChanges() {
    const now = performance.now();
    let next = Infinity;
    for (const [container, { at, isFirst }] of this.#changed) {
      if (at > now) {
        next = Math.min(next, at);
        continue;
      }
      this.#changed.delete(container);
      if (container.isConnected) this.#push({ container, state: this.#stateAt(container) }, isFirst);
    }
    clearTimeout(this.#timer);
    if (next < Infinity) this.#timer = setTimeout(() => this.#wake(), next - now);
  }

  /**
   * Drops what waits of a container, until it is read again.
   *
   * @param {Node} container
   * @returns {boolean}  whether `done` waits for some of it
   */
  #dropUnits(container) {
    const known = this.#known.get(container);
    let isFirst = false;
    for (const unit of known?.units ?? []) {
      if (this.#first.delete(unit)) isFirst = true;
      this.#drop(unit);
    }
    known?.units.clear();
    return isFirst;
  }

  /** @param {AnyUnit} unit */
  #drop(unit) {
    if (!this.#open.delete(unit)) return;
    this.#progress.total--;
    this.#queue.remove(unit);
  }

  // ---------------------------------------------------------------- reading

  /** What holds in a node, by all that is around it. @param {Node} start */
  #stateAt(start) {
    const around = [];
    for (let node = /** @type {Node | null} */ (start); node; node = parentOf(node)) {
      if (isElement(node)) around.push(node);
    }
    const state = around.reduceRight((each, element) => this.#reader.stateOf(element, each), NO_STATE);
    const isInside = around.some((element) => element !== start && isOpaque(element));
    return isInside ? { ...state, isFixed: true } : state;
  }

  /** What holds of the children of a node. @param {Node} node @returns {State} */
  #stateInside(node) {
    const state = this.#stateAt(node);
    return isElement(node) && isOpaque(node) ? { ...state, isFixed: true } : state;
  }

  /** @param {Place} place @param {boolean} isFirst  whether `done` waits for it */
  #push(place, isFirst) {
    this.#places.push({ ...place, round: this.#round, isFirst });
  }

  /** @param {Place & { round: number, isFirst: boolean }} place */
  #read({ container, state: before, round, isFirst: isAwaited }) {
    if (!container.isConnected) return;
    // the page may have changed what holds there
    const state = round === this.#round ? before : this.#stateAt(container);
    const isNew = !this.#known.has(container);
    let isFirst = this.#dropUnits(container) || isAwaited;
    const { units, inside, inline, kept, silent } = this.#reader.read(container, state);
    this.#known.set(container, { state, units: new Set(units) });
    if (isNew && !isElement(container) && container !== this.#root) this.#watch(container);
    for (const element of inline) {
      if (this.#dropUnits(element)) isFirst = true;
      this.#known.delete(element);
    }
    const [from, to] = this.#directions;
    if (from !== to) {
      for (const element of kept) {
        const hasText = /\S/.test(element.textContent ?? '') && !element.hasAttribute('dir');
        if (hasText) this.#originals.setAttribute(element, 'dir', from);
      }
    }
    const runs = units.flatMap((unit) => (unit.name === undefined ? unit : []));
    tidy(container, [...runs, ...silent].map(({ top }) => top), this.#originals);
    for (const run of silent) writeSilent(container, run, this.#originals);
    if (units.length === 0 && isOption(container)) this.#originals.restoreAttribute(container, 'value');
    for (const unit of units) {
      if (isFirst) this.#first.add(unit);
      this.#add(unit);
    }
    for (const place of inside.reverse()) {
      const known = this.#known.get(place.container);
      if (!known || !isSameState(known.state, place.state)) this.#push(place, isFirst);
    }
  }

  /** @param {AnyUnit} unit */
  #add(unit) {
    this.#open.add(unit);
    this.#progress.total++;
    const answer = this.#queue.find(unit.html);
    if (answer !== undefined) this.#answers.push({ unit, answer });
    else {
      this.#queue.add(unit);
      this.#intersections?.observe(this.#boxOf(unit.container));
    }
  }

  // ---------------------------------------------------------------- writing

  /** @param {AnyUnit} unit @param {string} answer */
  #write(unit, answer) {
    if (!this.#open.has(unit)) return;
    this.#open.delete(unit);
    this.#first.delete(unit);
    this.#progress.translated++;
    const { container } = unit;
    this.#known.get(container)?.units.delete(unit);
    if (this.#known.get(container)?.units.size === 0) this.#intersections?.unobserve(this.#boxOf(container));
    if (!container.isConnected) {
      this.#known.delete(container);
      return;
    }
    if (unit.name !== undefined) this.#originals.setAttribute(unit.container, unit.name, textOfBlock(answer));
    else {
      this.#keepValue(container);
      writeUnit(unit, answer, this.#originals);
      for (const node of unit.nodes) if (isElement(node)) this.#markLanguage(node, false);
    }
    this.#markLanguages(container);
  }

  /** The value of an option is its text, if it has no other. @param {Node} container */
  #keepValue(container) {
    if (!isOption(container) || this.#originals.attributeOf(container, 'value') !== null) return;
    const texts = this.#originals.childrenOf(container).filter(isText).map((node) => this.#originals.textOf(node));
    this.#originals.setAttribute(container, 'value', texts.join('').replace(/[ \t\n\f\r]+/g, ' ').trim());
  }

  /** Sets the language where the page states one, and at the root. @param {Node} container */
  #markLanguages(container) {
    const root = /** @type {Node} */ (this.#top);
    for (let node = /** @type {Node | null} */ (container); node && !this.#marked.has(node); node = parentOf(node)) {
      this.#marked.add(node);
      const isTop = isElement(root) ? node === root : node.parentNode === root;
      if (isElement(node)) this.#markLanguage(node, isTop);
      if (node === root) break;
    }
  }

  /** @param {Element} element @param {boolean} isTop */
  #markLanguage(element, isTop) {
    const { sourceLanguage, targetLanguage } = this.#options.translator;
    const [from, to] = this.#directions;
    const lang = this.#originals.attributeOf(element, 'lang');
    if (isTop || (lang && languageOf(lang) === languageOf(sourceLanguage))) {
      this.#originals.setAttribute(element, 'lang', targetLanguage);
    }
    const dir = this.#originals.attributeOf(element, 'dir')?.toLowerCase();
    if (from !== to && (isTop || dir === from)) this.#originals.setAttribute(element, 'dir', to);
  }

  // ---------------------------------------------------------------- the order of work

  /** Bound, since it is also a listener. */
  #wake = () => void this.#work();

  /** Whether there is nothing left to do until something happens. */
  #step() {
    this.#note(this.#mutations.takeRecords());
    const next = this.#answers.shift();
    if (next) this.#write(next.unit, next.answer);
    else {
      this.#readChanges();
      const place = this.#places.pop();
      if (!place) return true;
      this.#read(place);
    }
    // own changes are told from those of the page before there are more
    this.#note(this.#mutations.takeRecords());
    return false;
  }

  async #work() {
    if (this.#isWorking || this.#isEnded) return;
    this.#isWorking = true;
    try {
      for (;;) {
        const end = performance.now() + PAGE_SLICE;
        let isIdle = false;
        while (!isIdle && performance.now() < end) isIdle = this.#step();
        this.#report();
        if (this.#isEnded) return;
        // a page that nobody sees waits
        if (this.#knowsVisible && !this.#document.hidden) this.#queue.feed();
        if (isIdle) break;
        await turn();
        if (this.#isEnded) return;
      }
      this.#finish();
    } catch (error) {
      this.#end(error);
    } finally {
      this.#isWorking = false;
    }
  }

  #finish() {
    if (this.#isDone || this.#first.size > 0) return;
    for (const { isFirst } of this.#changed.values()) if (isFirst) return;
    this.#isDone = true;
    if (!this.#options.observe) this.#disconnect();
    this.#resolve();
  }

  #reported = '';
  #report() {
    const { translated, total } = this.#progress;
    const text = `${translated}/${total}`;
    if (text === this.#reported) return;
    this.#reported = text;
    this.#options.onProgress?.({ translated, total });
  }
}

/**
 * Translates what is in a document, an element or a shadow root: texts, attributes that people read, the title; what
 * is visible first. Nodes stay the same: only their texts change, and inline elements move with their words. Changes of
 * the page are translated, too. A translation of the same root before is taken back first.
 *
 * @param {Root} root
 * @param {PageOptions} options
 * @returns {PageTranslation}
 */
export function translatePage(root, options) {
  const { translator, signal, onProgress, observe } =
    checkOptions(options, `translator onProgress observe ${TRANSLATE}`);
  if (![1, 9, 11].includes(root?.nodeType) || !('querySelector' in root)) {
    badType('root', root, 'a Document, an Element or a ShadowRoot');
  }
  const { defaultView } = /** @type {Document} */ (root.ownerDocument ?? root);
  if (!root.isConnected || !defaultView) badType('root', root, 'one in a page that is shown');
  if (typeof translator?.translateHtml !== 'function') badType('translator', translator, 'a Translator');
  checkSignal(signal);
  checkFunction('onProgress', onProgress);
  if (observe !== undefined) checkBoolean('observe', observe);
  latest.get(root)?.restore();
  const translation = new PageTranslation(root, options);
  latest.set(root, translation);
  return translation;
}
