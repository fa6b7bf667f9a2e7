// arrange.js - puts children of a node in another order by moving as few as possible, so that focus, selection, players
// and frames stay as they are. Used by originals.js and write.js.

import { isElement } from './nodes.js';

/** Elements that lose something when they are moved. */
const HEAVY = 'audio, embed, iframe, object, video';

/** What it costs to move a node. @param {Node} node @param {Element | null} focused */
function weigh(node, focused) {
  if (!isElement(node)) return 1;
  if (node.contains(focused)) return 1000;
  return node.matches(HEAVY) || node.querySelector(HEAVY) ? 100 : 2;
}

/**
 * Those of some nodes that are in the same order by their places: the heaviest sequence.
 *
 * @param {Node[]} nodes
 * @param {Map<Node, number>} places
 * @param {(node: Node) => number} [weight]
 * @returns {Set<Node>}
 */
export function findOrdered(nodes, places, weight = () => 1) {
  const placed = nodes.filter((node) => places.has(node));
  const sorted = [...placed].sort((a, b) => Number(places.get(a)) - Number(places.get(b)));
  // most stand right at the beginning and at the end
  let [start, end] = [0, placed.length];
  while (start < end && placed[start] === sorted[start]) start++;
  while (end > start && placed[end - 1] === sorted[end - 1]) end--;
  const own = placed.slice(start, end);
  const at = own.map((node) => Number(places.get(node)));
  const sums = new Float64Array(own.length);
  const before = new Int32Array(own.length).fill(-1);
  let best = -1;
  for (let i = 0; i < own.length; i++) {
    for (let j = 0; j < i; j++) {
      if (at[j] < at[i] && sums[j] > sums[i]) [sums[i], before[i]] = [sums[j], j];
    }
    sums[i] += weight(own[i]);
    if (best < 0 || sums[i] > sums[best]) best = i;
  }
  const ordered = new Set([...placed.slice(0, start), ...placed.slice(end)]);
  for (let i = best; i >= 0; i = before[i]) ordered.add(own[i]);
  return ordered;
}

/** @param {any} parent @param {Node} node @param {Node | null} next */
function move(parent, node, next) {
  // keeps what an element does, where browsers have it
  if (parent.moveBefore && node.isConnected && parent.isConnected) parent.moveBefore(node, next);
  else parent.insertBefore(node, next);
}

/** The element with the focus, in the innermost shadow root. @param {Document | null} document */
function focusIn(document) {
  let focused = document?.activeElement ?? null;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return focused;
}

/**
 * Gives some children of a node an order. They stand together then, if they did so before; new ones are inserted.
 *
 * @param {Node} parent
 * @param {Node[]} nodes
 * @returns {boolean}  whether one has moved
 */
export function arrange(parent, nodes) {
  const isDone = nodes.every((node, i) =>
    node.parentNode === parent && (i === 0 || nodes[i - 1].nextSibling === node));
  if (isDone) return false;
  const wanted = new Set(nodes);
  /** @type {Map<Node, number>} */
  const places = new Map();
  let last = null;
  for (const [i, node] of parent.childNodes.entries()) {
    if (!wanted.has(node)) continue;
    places.set(node, i);
    last = node;
  }
  const focused = focusIn(parent.ownerDocument);
  const fixed = findOrdered(nodes, places, (node) => weigh(node, focused));
  if (fixed.size === nodes.length) return false;
  let next = /** @type {Node | null} */ (last ? last.nextSibling : null);
  for (const node of [...nodes].reverse()) {
    if (!fixed.has(node)) move(parent, node, next);
    next = node;
  }
  if (focused && focused !== focusIn(parent.ownerDocument) && 'focus' in focused) {
    /** @type {HTMLElement} */ (focused).focus({ preventScroll: true });
  }
  return true;
}
