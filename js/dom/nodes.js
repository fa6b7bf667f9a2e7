// nodes.js - kinds of nodes, and what is around and inside of them. Used by the other files of this room.

/** @param {Node} node @returns {node is Element} */
export const isElement = (node) => node.nodeType === Node.ELEMENT_NODE;

/** @param {Node} node @returns {node is Text} */
export const isText = (node) => node.nodeType === Node.TEXT_NODE || node.nodeType === Node.CDATA_SECTION_NODE;

/**
 * The root of the tree in the shadow of an element, also a closed one where an extension may see it.
 *
 * @param {any} element
 * @returns {ShadowRoot | null}
 */
export const shadowOf = (element) => element.openOrClosedShadowRoot ?? element.shadowRoot ?? null;

/** @param {Node} node @returns {Node | null}  also that around a shadow root */
export const parentOf = (node) => node.parentNode ?? /** @type {ShadowRoot} */ (node).host ?? null;

/** A node with all inside, in trees of shadow, too. @param {Node} top */
export function nodesInside(top) {
  const nodes = [top];
  for (let i = 0; i < nodes.length; i++) {
    for (const child of nodes[i].childNodes) nodes.push(child);
    const shadow = shadowOf(nodes[i]);
    if (shadow) nodes.push(shadow);
  }
  return nodes;
}
