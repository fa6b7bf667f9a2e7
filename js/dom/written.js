// written.js - what a translation has written since the records of changes were last read: tells its own changes from
// those of the page, by what is there. Used by originals.js and page.js.

/** @param {ArrayLike<Node>} nodes @param {ArrayLike<Node> | undefined} others */
export const isSameList = (nodes, others) =>
  nodes.length === others?.length && Array.prototype.every.call(nodes, (node, i) => others[i] === node);

export class Written {
  /** @type {Map<Node, string>} */
  #texts = new Map();
  /** @type {Map<Node, Map<string, string | null>>} */
  #attributes = new Map();
  /** @type {Map<Node, Node[]>} */
  #children = new Map();

  /** @param {CharacterData} node */
  addText(node) {
    this.#texts.set(node, node.data);
  }

  /** @param {Element} element @param {string} name */
  addAttribute(element, name) {
    const known = this.#attributes.get(element) ?? new Map();
    this.#attributes.set(element, known.set(name, element.getAttribute(name)));
  }

  /** @param {Node} parent @param {Node[]} children  as they were written */
  addChildren(parent, children) {
    this.#children.set(parent, children);
  }

  /** Whether children of a node were written. @param {Node} parent */
  hasChildren(parent) {
    return this.#children.has(parent);
  }

  /** Whether what has changed is as it was written. @param {MutationRecord} record */
  isOf({ type, target, attributeName }) {
    if (type === 'characterData') return this.#texts.get(target) === /** @type {CharacterData} */ (target).data;
    if (type === 'childList') return isSameList(target.childNodes, this.#children.get(target));
    const name = String(attributeName);
    return this.#attributes.get(target)?.get(name) === /** @type {Element} */ (target).getAttribute(name);
  }
}
