// write.js - puts the translation of a unit into the page: into the text nodes that are there, and its elements in
// their new order. Nothing is made again; a text node is added only where there are more texts than nodes. Used by
// page.js.

import { arrange } from './arrange.js';
import { isText } from './nodes.js';
import { readAnswer } from './unit.js';

/** @typedef {import('./unit.js').Child} Child */
/** @typedef {import('./unit.js').Unit} Unit */
/** @typedef {import('./originals.js').Originals} Originals */

/**
 * Text nodes of ours in a parent, by whether they stand beside nodes of a unit.
 *
 * @param {Node} parent
 * @param {Set<Node>} own
 * @param {Originals} originals
 * @returns {{ beside: Text[], others: Text[] }}
 */
function createdIn(parent, own, originals) {
  /** @type {Text[]} */
  const beside = [];
  /** @type {Text[]} */
  const others = [];
  if (!originals.hasOrder(parent)) return { beside, others };
  for (const node of parent.childNodes) {
    if (!originals.isCreated(node)) continue;
    let [before, after] = [node.previousSibling, node.nextSibling];
    while (before && originals.isCreated(before)) before = before.previousSibling;
    while (after && originals.isCreated(after)) after = after.nextSibling;
    const isBeside = own.size === 0 || (before && own.has(before)) || (after && own.has(after));
    (isBeside ? beside : others).push(/** @type {Text} */ (node));
  }
  return { beside, others };
}

/**
 * Writes the children of one parent.
 *
 * @param {Node} parent
 * @param {Node[]} source  those of the unit, in the order of the page
 * @param {Child[]} children  in the order of the translation
 * @param {Unit} unit
 * @param {Originals} originals
 */
function writeChildren(parent, source, children, unit, originals) {
  /** Between two nodes that are no texts: the text nodes that are there, and the text. @type {Text[][]} */
  const slots = [[]];
  for (const node of source) {
    if (isText(node)) /** @type {Text[]} */ (slots.at(-1)).push(node);
    else slots.push([]);
  }
  const texts = [''];
  /** @type {Node[]} */
  const others = [];
  for (const child of children) {
    if (typeof child === 'string') texts[texts.length - 1] += child;
    else {
      others.push(unit.nodes[child]);
      texts.push('');
    }
  }
  const before = originals.childrenOf(parent);
  const spare = createdIn(parent, new Set(source), originals).beside;
  let isChanged = false;
  for (const [k, text] of texts.entries()) {
    if (text === '' || slots[k].length > 0) continue;
    const giver = slots.find((nodes, j) => nodes.length > (texts[j] === '' ? 0 : 1));
    const node = spare.pop() ?? giver?.pop();
    isChanged ||= !node;
    slots[k].push(node ?? originals.createText(parent));
  }
  const nodes = slots.flatMap((slot, k) => (k < others.length ? [...slot, others[k]] : slot));
  isChanged ||= spare.length > 0;
  for (const node of spare) node.remove();
  if (arrange(parent, nodes) || isChanged) originals.noteOrder(parent, before);
  for (const [k, slot] of slots.entries()) {
    // white space before an element may be a node of its own
    const main = Math.max(0, slot.findIndex((node) => /\S/.test(originals.textOf(node))));
    const whole = slot.map((node) => originals.textOf(node)).join('');
    for (const [i, node] of slot.entries()) {
      if (i === main) originals.setText(node, texts[k], whole);
      else originals.setText(node, '');
    }
  }
}

/**
 * Gives back the children of one parent.
 *
 * @param {Node} parent
 * @param {Node[]} source  some of its children, in the order of the page
 * @param {Originals} originals
 */
function writeSource(parent, source, originals) {
  if (originals.hasOrder(parent)) {
    const before = originals.childrenOf(parent);
    for (const node of createdIn(parent, new Set(source), originals).beside) node.remove();
    arrange(parent, source);
    originals.noteOrder(parent, before);
  }
  for (const node of source) if (isText(node)) originals.setText(node, originals.textOf(node));
}

/**
 * Gives back a text that has no words any more.
 *
 * @param {Node} container
 * @param {import('./unit.js').Run} run
 * @param {Originals} originals
 */
export function writeSilent(container, { top, inner }, originals) {
  writeSource(container, top, originals);
  for (const element of inner) writeSource(element, originals.childrenOf(element), originals);
}

/**
 * Makes a container fit its units after the page has changed it: removes text nodes of ours whose unit is gone, and
 * puts units that have mixed apart.
 *
 * @param {Node} container
 * @param {Node[][]} runs  the neighbours of each unit
 * @param {Originals} originals
 */
export function tidy(container, runs, originals) {
  if (!originals.hasOrder(container)) return;
  const source = originals.childrenOf(container);
  for (const node of createdIn(container, new Set(runs.flat()), originals).others) node.remove();
  const runOf = new Map(runs.flatMap((nodes, i) => nodes.map((node) => [node, i])));
  /** Grows where a unit ends. @type {Map<Node, number>} */
  const groups = new Map();
  for (const [i, node] of source.entries()) {
    const before = source[i - 1];
    const goesOn = before && runOf.has(node) && runOf.get(node) === runOf.get(before);
    groups.set(node, before ? Number(groups.get(before)) + (goesOn ? 0 : 1) : 0);
  }
  const live = Array.from(container.childNodes, (node) => groups.get(node)).filter((group) => group !== undefined);
  if (live.some((group, i) => i > 0 && live[i - 1] > group)) arrange(container, source);
  originals.noteOrder(container, source);
}

/**
 * Notes the selection, which is lost where texts are written.
 *
 * @param {Document} document
 * @returns {() => void}  gives it back, each end as far in its text as it was
 */
export function keepSelection(document) {
  const selection = document.getSelection();
  const { anchorNode, anchorOffset = 0, focusNode, focusOffset = 0 } = selection ?? {};
  if (!selection || !anchorNode || !focusNode) return () => {};
  const shareOf = (/** @type {Node} */ node, /** @type {number} */ offset) =>
    (isText(node) ? offset / (node.data.length || 1) : 0);
  const offsetIn = (/** @type {Node} */ node, /** @type {number} */ offset, /** @type {number} */ share) =>
    (isText(node) ? Math.round(share * node.data.length) : Math.min(offset, node.childNodes.length));
  const [from, to] = [shareOf(anchorNode, anchorOffset), shareOf(focusNode, focusOffset)];
  return () => {
    const isSame = selection.anchorNode === anchorNode && selection.anchorOffset === anchorOffset &&
      selection.focusNode === focusNode && selection.focusOffset === focusOffset;
    if (isSame || !anchorNode.isConnected || !focusNode.isConnected) return;
    selection.setBaseAndExtent(anchorNode, offsetIn(anchorNode, anchorOffset, from),
      focusNode, offsetIn(focusNode, focusOffset, to));
  };
}

/**
 * Before the text of an option is written: that is its value, if it has no other.
 *
 * @param {HTMLOptionElement} option
 * @param {Originals} originals
 */
export function keepValue(option, originals) {
  if (originals.attributeOf(option, 'value') !== null) return;
  const texts = originals.childrenOf(option).filter(isText).map((node) => originals.textOf(node));
  originals.setAttribute(option, 'value', texts.join('').replace(/[ \t\n\f\r]+/g, ' ').trim());
}

/**
 * @param {Unit} unit  as it is in the page
 * @param {string} answer  of translateHtml()
 * @param {Originals} originals
 */
export function writeUnit(unit, answer, originals) {
  const { container, nodes, top } = unit;
  const children = readAnswer(answer, unit);
  const restoreSelection = keepSelection(/** @type {Document} */ (container.ownerDocument));
  for (const [i, list] of children) {
    if (i < 0) writeChildren(container, top, list, unit, originals);
    else writeChildren(nodes[i], originals.childrenOf(nodes[i]), list, unit, originals);
  }
  restoreSelection();
}
