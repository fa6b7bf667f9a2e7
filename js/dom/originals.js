// originals.js - what a page had where a translation is now: texts, attributes, and the order of children. All that
// reads the page reads it through this, as if it were not translated. Used by page.js, read.js and write.js.
//
// Nothing is noted of a text or attribute that the page has changed since: then what the page wrote is the original.

import { MAX_OUTPUTS } from '../base/limits.js';
import { arrange, findOrdered } from './arrange.js';
import { isText } from './nodes.js';
import { isSameList, Written } from './written.js';

/** @typedef {{ source: Node[], live: Node[] }} Order  source: without nodes of ours; live: as a translation left it */

/** A set of objects that it does not keep alive. @template {object} T */
class WeakList {
  /** @type {Set<WeakRef<T>>} */
  #refs = new Set();
  /** @type {WeakSet<T>} */
  #known = new WeakSet();
  /** @type {FinalizationRegistry<WeakRef<T>>} */
  #gone = new FinalizationRegistry((ref) => void this.#refs.delete(ref));

  /** @param {T} object */
  add(object) {
    if (this.#known.has(object)) return;
    const ref = new WeakRef(object);
    this.#known.add(object);
    this.#refs.add(ref);
    this.#gone.register(object, ref);
  }

  /** @returns {T[]} */
  list() {
    return [...this.#refs].flatMap((ref) => ref.deref() ?? []);
  }
}

export class Originals {
  /** @type {WeakMap<Node, { source: string, written: string }>} */
  #texts = new WeakMap();
  /** @type {WeakMap<Element, Map<string, { source: string | null, written: string }>>} */
  #attributes = new WeakMap();
  /** @type {WeakMap<Node, Order>} */
  #orders = new WeakMap();
  /** Text nodes of ours. @type {WeakSet<Node>} */
  #created = new WeakSet();
  /** All nodes with something noted. @type {WeakList<Node>} */
  #touched = new WeakList();
  /** Text nodes that the page has added or written. @type {WeakSet<Node>} */
  #fresh = new WeakSet();
  /** Originals by translation, for copies that a page makes of its nodes. @type {Map<string, string>} */
  #outputs = new Map();
  #written = new Written();

  /** What was written since this was last called: the records of changes are about to be read. */
  takeWritten() {
    const written = this.#written;
    this.#written = new Written();
    return written;
  }

  /** The text that the page gave a text node. @param {CharacterData} node */
  textOf(node) {
    const { data } = node;
    const known = this.#texts.get(node);
    if (known?.written === data) return known.source;
    // two words at least: one may be the same in both languages, and mean something else
    const isCopy = !known && this.#fresh.has(node) && /\S\s+\S/.test(data);
    const copied = isCopy ? this.#outputs.get(data) : undefined;
    if (copied === undefined) return data;
    this.#texts.set(node, { source: copied, written: data });
    this.#touched.add(node);
    return copied;
  }

  /** Notes that the page has added a text node: it may be a copy of a translation. @param {Node} node */
  noteText(node) {
    this.#fresh.add(node);
  }

  /** Notes that the page has written a text, which may be what a translation wrote there. @param {Node} node */
  noteWritten(node) {
    this.#texts.delete(node);
    this.#fresh.add(node);
  }

  /** Whether the text of a node is a translation. @param {CharacterData} node */
  ownsText(node) {
    return this.#texts.get(node)?.written === node.data;
  }

  /**
   * @param {CharacterData} node
   * @param {string} text
   * @param {string} [whole]  what it translates, if that is more than the text of this node
   */
  setText(node, text, whole) {
    if (node.data === text) return;
    const source = this.textOf(node);
    if (text === source) this.#texts.delete(node);
    else {
      this.#texts.set(node, { source, written: text });
      this.#touched.add(node);
      // a copy of this node has the words of all nodes of the text
      if (whole ?? source) this.#remember(text, whole ?? source);
    }
    node.data = text;
    this.#written.addText(node);
  }

  /** @param {string} text @param {string} source */
  #remember(text, source) {
    this.#outputs.delete(text);
    this.#outputs.set(text, source);
    if (this.#outputs.size > MAX_OUTPUTS) this.#outputs.delete(String(this.#outputs.keys().next().value));
  }

  /** An attribute as the page gave it. @param {Element} element @param {string} name */
  attributeOf(element, name) {
    const value = element.getAttribute(name);
    const known = this.#attributes.get(element)?.get(name);
    return known && known.written === value ? known.source : value;
  }

  /** @param {Element} element @param {string} name */
  ownsAttribute(element, name) {
    const known = this.#attributes.get(element)?.get(name);
    return known !== undefined && known.written === element.getAttribute(name);
  }

  /** @param {Element} element @param {string} name @param {string} value */
  setAttribute(element, name, value) {
    if (element.getAttribute(name) === value) return;
    const source = this.attributeOf(element, name);
    const known = this.#attributes.get(element) ?? new Map();
    if (value === source) known.delete(name);
    else known.set(name, { source, written: value });
    this.#attributes.set(element, known);
    this.#touched.add(element);
    element.setAttribute(name, value);
    this.#written.addAttribute(element, name);
  }

  /** @param {Element} element @param {string} name */
  restoreAttribute(element, name) {
    const known = this.#attributes.get(element);
    const { source, written } = known?.get(name) ?? {};
    known?.delete(name);
    if (source === undefined || element.getAttribute(name) !== written) return;
    if (source === null) element.removeAttribute(name);
    else element.setAttribute(name, source);
    this.#written.addAttribute(element, name);
  }

  /** A text node for words that the page has no node for. @param {Node} parent @returns {Text} */
  createText(parent) {
    const node = /** @type {Document} */ (parent.ownerDocument).createTextNode('');
    this.#created.add(node);
    this.#texts.set(node, { source: '', written: '' });
    this.#touched.add(node);
    return node;
  }

  /** Whether a text node is of ours, as it was written. @param {Node} node */
  isCreated(node) {
    return this.#created.has(node) && this.ownsText(/** @type {Text} */ (node));
  }

  /** The children that the page gave a node, in its order: none of ours. @param {Node} parent @returns {Node[]} */
  childrenOf(parent) {
    const order = this.#orders.get(parent);
    const live = Array.from(parent.childNodes);
    const now = live.filter((node) => !this.isCreated(node));
    if (!order) return now;
    if (isSameList(live, order.live)) return order.source;
    order.source = mergeOrder(order, now);
    order.live = live;
    return order.source;
  }

  /**
   * Changes the order of the page as the page changes its children.
   *
   * @param {MutationRecord[]} records  of children; none is missing, and none is of ours
   */
  noteChildren(records) {
    const parents = new Set(records.map(({ target }) => target).filter((parent) => this.#orders.has(parent)));
    for (const { target, addedNodes, removedNodes, nextSibling } of records) {
      const order = this.#orders.get(target);
      if (!order) continue;
      const { source } = order;
      const gone = new Set(removedNodes);
      let place = source.findIndex((node) => gone.has(node));
      order.source = source.filter((node) => !gone.has(node));
      const added = Array.from(addedNodes).filter((node) => !this.isCreated(node));
      if (added.length === 0) continue;
      if (place < 0) {
        let next = nextSibling;
        while (next && this.isCreated(next)) next = next.nextSibling;
        place = next ? order.source.indexOf(next) : -1;
      }
      order.source.splice(place < 0 ? order.source.length : place, 0, ...added);
    }
    for (const parent of parents) {
      const order = /** @type {Order} */ (this.#orders.get(parent));
      order.live = Array.from(parent.childNodes);
      // a record may be of a node that went elsewhere since
      const now = new Set(order.live);
      order.source = order.source.filter((node) => now.has(node));
    }
  }

  /** Whether the children of a node are in the order that a translation gave them. @param {Node} parent */
  ownsOrder(parent) {
    const order = this.#orders.get(parent);
    return order !== undefined && isSameList(parent.childNodes, order.live);
  }

  /** Whether a translation has changed the children of a node. @param {Node} parent */
  hasOrder(parent) {
    return this.#orders.has(parent);
  }

  /**
   * Notes that a translation has changed the children. What custom elements have added meanwhile is of the page.
   *
   * @param {Node} parent
   * @param {Node[]} before  its children before that, without nodes of ours
   */
  noteOrder(parent, before) {
    const had = new Set(before);
    const live = Array.from(parent.childNodes).filter((node) => had.has(node) || this.isCreated(node));
    const source = before.filter((node) => node.parentNode === parent);
    this.#written.addChildren(parent, live);
    if (isSameList(live, source)) this.#orders.delete(parent);
    else {
      this.#orders.set(parent, { source, live });
      this.#touched.add(parent);
    }
  }

  /** Gives the page back what it had, where it has not changed it since. */
  restore() {
    this.giveBack(this.#touched.list());
    this.#outputs.clear();
    this.takeWritten();
  }

  /** The same of some nodes. @param {Node[]} nodes */
  giveBack(nodes) {
    const orders = new Map(nodes.filter((parent) => this.#orders.has(parent))
      .map((parent) => [parent, this.childrenOf(parent)]));
    const parents = new Set(orders.keys());
    for (const node of nodes) {
      const { parentNode } = node;
      if (!parentNode || !this.isCreated(node)) continue;
      /** @type {Text} */ (node).remove();
      parents.add(parentNode);
    }
    for (const [parent, list] of orders) {
      arrange(parent, list);
      this.#orders.delete(parent);
    }
    for (const parent of parents) {
      const own = new Set(orders.get(parent) ?? parent.childNodes);
      this.#written.addChildren(parent, Array.from(parent.childNodes).filter((node) => own.has(node)));
    }
    for (const node of nodes) {
      if (isText(node)) {
        if (this.ownsText(node)) {
          node.data = this.textOf(node);
          this.#written.addText(node);
        }
        this.#texts.delete(node);
      }
      const element = /** @type {Element} */ (node);
      for (const name of [...(this.#attributes.get(element)?.keys() ?? [])]) this.restoreAttribute(element, name);
    }
  }
}

/**
 * The order that the page would have without a translation, after it has changed its children, as far as it can be told
 * without the records of the changes.
 *
 * @param {Order} order
 * @param {Node[]} now  the children, without nodes of ours
 */
function mergeOrder({ source, live }, now) {
  const before = new Set(source);
  const places = new Map(live.flatMap((node, i) => (before.has(node) ? [[node, i]] : [])));
  // what the page has moved is as if it were new
  const stayed = findOrdered(now, places);
  /** New nodes by the old node that they stand before. @type {Map<Node, Node[]>} */
  const added = new Map();
  /** @type {Node[]} */
  let group = [];
  for (const node of now) {
    if (!stayed.has(node)) group.push(node);
    else if (group.length > 0) {
      added.set(node, group);
      group = [];
    }
  }
  return [...source.filter((node) => stayed.has(node)).flatMap((node) => [...(added.get(node) ?? []), node]), ...group];
}
