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
import { PAGE_SLICE } from '../base/limits.js';
import { languageOf } from '../model/languages.js';
import { isKept, READ } from '../text/elements.js';
import { TRANSLATE } from '../translate/options.js';
import { Changes } from './changes.js';
import { Languages } from './languages.js';
import { isElement, isText, nodesInside, parentOf } from './nodes.js';
import { Originals } from './originals.js';
import { Queue } from './queue.js';
import { isMixing, isUnread, Reader } from './read.js';
import { textOfBlock } from './unit.js';
import { Units } from './units.js';
import { Visible } from './visible.js';
import { keepSelection, keepValue, tidy, writeSilent, writeUnit } from './write.js';

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
 * @typedef {import('../translate/options.js').TranslateOptions & { translator: PageTranslator, observe?: boolean,
 *   onProgress?: (progress: { translated: number, total: number }) => void }} PageOptions
 */

/** Attributes that say what is translated. */
const RULES = ['translate', 'lang', 'contenteditable', 'class'];
const NOT_TRANSLATED = /(?:^|\s)notranslate(?:\s|$)/;

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
  #root;
  #options;
  /** The outermost container. */
  #top;
  #originals = new Originals();
  #reader;
  #queue;
  #languages;
  #units = new Units((unit) => this.#queue.remove(unit));
  /**
   * Containers to read, the next at the end, each with the round in which its state was found, and whether `done` waits
   * for it.
   */
  #places = /** @type {(Place & { round: number, isFirst: boolean })[]} */ ([]);
  /** Grows when the page changes. */
  #round = 0;
  /** Translations to write. @type {{ unit: AnyUnit, answer: string }[]} */
  #answers = [];
  #changes = new Changes(() => this.#wake());
  #mutations;
  #visible;
  #isWorking = false;
  #isEnded = false;
  #isDone = false;
  /** @type {() => void} */
  #resolve = () => {};
  /** @type {(reason: unknown) => void} */
  #reject = () => {};
  #forget;
  #document;

  /** @param {Root} root @param {PageOptions} options */
  constructor(root, { translator, signal, onProgress, observe = true, ...rest }) {
    const source = languageOf(translator.sourceLanguage);
    this.#root = root;
    this.#document = /** @type {Document} */ (root.ownerDocument ?? root);
    this.#options = { translator, onProgress, observe };
    this.#reader = new Reader(this.#originals, (language) => languageOf(language) !== source);
    const stop = new AbortController();
    this.#queue = new Queue({
      translate: (html) => translator.translateHtml(html, { ...rest, signal: stop.signal }),
      isVisible: ({ container }) => this.#visible.has(container),
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
    this.#visible = new Visible(this.#document, this.#wake);
    this.#document.addEventListener('visibilitychange', this.#wake);
    this.#top = /** @type {Element | ShadowRoot | null} */ (this.#document === root ? root.documentElement : root);
    this.#languages = new Languages(this.#originals, this.#reader, translator, this.#top);
    if (this.#top) this.#pushAlone(this.#top, true);
    void this.#work();
  }

  /** Texts, of which the same that stands twice counts twice. */
  get progress() {
    return { ...this.#units.progress };
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
    this.#changes.end();
    this.#reject(reason); // without effect if it is done
  }

  #disconnect() {
    this.#mutations.disconnect();
    this.#visible.end();
    this.#document.removeEventListener('visibilitychange', this.#wake);
  }

  // ---------------------------------------------------------------- changes

  /** @param {Node} root */
  #watch(root) {
    this.#mutations.observe(root, {
      subtree: true, childList: true, characterData: true, attributeOldValue: true,
      attributeFilter: [...RULES, ...READ],
    });
  }

  /**
   * Notes what the page has changed.
   *
   * @param {MutationRecord[]} records  all that there are; some may be of changes of ours
   */
  #note(records) {
    const written = this.#originals.takeWritten();
    if (records.length > 0) this.#round++;
    const ofPage = records.filter((record) => !written.isOf(record));
    const ofChildren = ofPage.filter(({ type }) => type === 'childList');
    // in which order the page has changed what was written, too, is not known
    const isMixed = (/** @type {Node} */ node) => written.hasChildren(node);
    const owned = new Set(ofChildren.map(({ target }) => target)
      .filter((each) => !isMixed(each) && this.#originals.ownsOrder(each)));
    this.#originals.noteChildren(ofChildren.filter(({ target }) => !owned.has(target) && !isMixed(target)));
    for (const { type, target, attributeName, oldValue, addedNodes, removedNodes } of ofPage) {
      if (type === 'characterData') {
        if (!isText(target)) continue;
        this.#originals.noteWritten(target);
        this.#addChange(target);
      } else if (type === 'childList') {
        if (owned.has(target)) continue;
        let isFirst = false;
        for (const node of addedNodes) {
          // it may come from elsewhere
          const nodes = nodesInside(node);
          if (this.#units.forget(nodes)) isFirst = true;
          for (const each of nodes) if (isText(each)) this.#originals.noteText(each);
          this.#languages.forget();
          if (isKept(this.#reader.stateInside(target))) this.#originals.giveBack(nodes);
        }
        const isWhole = isKept(this.#reader.stateAt(target)) && [...addedNodes, ...removedNodes].some(isMixing);
        if (isWhole) {
          // if the mixed-in part is gone, nothing inside is read again
          if ([...removedNodes].some(isMixing)) {
            const kept = nodesInside(this.#reader.keptAround(target, this.#top) ?? target);
            this.#originals.giveBack(kept.filter((node) => isKept(this.#reader.stateAt(node))));
          }
          this.#noteKind(target, isFirst);
        } else this.#addChange(target, isFirst);
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
    this.#languages.forget();
    if (isKept(this.#reader.stateAt(element))) this.#originals.giveBack(nodesInside(element));
    this.#noteKind(element);
  }

  /**
   * A node may be read in another way. So may be what is kept around it: as a whole, or with parts that are not kept.
   *
   * @param {Node} changed
   * @param {boolean} [isAwaited]  whether `done` waits for what is inside
   */
  #noteKind(changed, isAwaited = false) {
    const node = (changed !== this.#top && this.#reader.keptAround(parentOf(changed), this.#top)) || changed;
    const isFirst = this.#units.forget(nodesInside(node)) || isAwaited;
    // what is around the root is not read
    if (node !== this.#top) this.#addChange(parentOf(node) ?? node, isFirst);
    else if (this.#options.observe || isFirst) this.#pushAlone(this.#top, isFirst);
  }

  /** @param {Node} node @param {boolean} [isAwaited]  whether `done` waits for what is inside */
  #addChange(node, isAwaited = false) {
    let container = this.#units.containerOf(node);
    let isFirst = isAwaited;
    // without the block inside of it, it may be a part of a text
    while (container && this.#units.of(container)?.isLoose) {
      if (this.#units.forget([container])) isFirst = true;
      container = this.#units.containerOf(container);
    }
    if (!container) return;
    if (this.#units.drop(container)) isFirst = true;
    // without `observe`, too, what was there is translated
    this.#changes.add(container, isFirst, this.#options.observe || isFirst);
  }

  /** Moves the changes whose time has come to the places to read. */
  #readChanges() {
    for (const { container, isFirst } of this.#changes.takeDue()) {
      if (container.isConnected) this.#pushAlone(container, isFirst);
    }
  }

  // ---------------------------------------------------------------- reading

  /** @param {Place} place @param {boolean} isFirst  whether `done` waits for it */
  #push(place, isFirst) {
    this.#places.push({ ...place, round: this.#round, isFirst });
  }

  /** A container without what is around it. @param {Place['container']} container @param {boolean} isFirst */
  #pushAlone(container, isFirst) {
    this.#push({ container, state: this.#reader.stateAt(container), isLoose: false }, isFirst);
  }

  /** @param {Place & { round: number, isFirst: boolean }} place */
  #read({ container, state: before, isLoose, round, isFirst: isAwaited }) {
    // the page may have changed it since
    if (!container.isConnected || this.#units.isPart(container) || isUnread(container)) return;
    const state = round === this.#round ? before : this.#reader.stateAt(container);
    const isNew = !this.#units.of(container);
    let isFirst = this.#units.drop(container) || isAwaited;
    const { units, inside, inline, kept, silent, isBlock } = this.#reader.read(container, state);
    if (isNew && !isElement(container) && container !== this.#root) this.#watch(container);
    if (this.#units.forget(inline)) isFirst = true;
    this.#units.setParts(inline, inside.map((place) => place.container));
    this.#units.set(container, state, units, { isBlock, isLoose, isFirst });
    this.#languages.keepDirections(kept);
    const runs = units.flatMap((unit) => (unit.name === undefined ? unit : []));
    tidy(container, [...runs, ...silent].map(({ top }) => top), this.#originals);
    for (const run of silent) writeSilent(container, run, this.#originals);
    // what states its language states the new one, also without words: some may come
    if (!isKept(state)) {
      for (const { inner } of silent) this.#languages.addInline(inner);
      if (units.length === 0) this.#languages.add(container, false);
    }
    if (runs.length === 0 && isOption(container)) this.#originals.restoreAttribute(container, 'value');
    for (const unit of units) {
      const answer = this.#queue.find(unit.html);
      if (answer !== undefined) this.#answers.push({ unit, answer });
      else {
        this.#queue.add(unit);
        this.#visible.watch(container);
      }
    }
    for (const place of inside.reverse()) {
      const known = this.#units.of(place.container);
      if (!known || !isSameState(known.state, place.state)) this.#push(place, isFirst);
    }
  }

  // ---------------------------------------------------------------- writing

  /** @param {AnyUnit} unit @param {string} answer */
  #write(unit, answer) {
    if (!this.#units.take(unit)) return;
    const { container } = unit;
    const known = this.#units.of(container);
    if (known?.units.size === 0) this.#visible.forget(container);
    if (!container.isConnected) {
      this.#units.forget([container]);
      return;
    }
    if (unit.name !== undefined) this.#originals.setAttribute(unit.container, unit.name, textOfBlock(answer));
    else {
      if (isOption(container)) keepValue(container, this.#originals);
      writeUnit(unit, answer, this.#originals);
      this.#languages.addInline(unit.nodes.filter((_, i) => !unit.leaves.has(i)));
    }
    this.#languages.add(container, known?.isBlock === true && unit.name === undefined);
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
      if (place) this.#read(place);
      else return !this.#isSettled() || !this.#settle();
    }
    this.#note(this.#mutations.takeRecords());
    return false;
  }

  /** Whether all that was there is translated. */
  #isSettled() {
    return !this.#units.hasFirst && !this.#changes.hasFirst;
  }

  /** States the languages at last. @returns {boolean}  whether there is more to do */
  #settle() {
    if (this.#isDone) return false;
    const hasMore = this.#languages.settle();
    this.#note(this.#mutations.takeRecords());
    return hasMore;
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
        if (this.#visible.isKnown && !this.#document.hidden) this.#queue.feed();
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
    if (this.#isDone || !this.#isSettled()) return;
    this.#isDone = true;
    if (!this.#options.observe) this.#disconnect();
    this.#resolve();
  }

  #reported = '';
  #report() {
    const { translated, total } = this.#units.progress;
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
