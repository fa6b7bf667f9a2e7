// place.js - where the tags of a text stand in its translation, by the alignment of words. Used by translate/html.js,
// before write.js.
//
//   units    words and signs of both texts, which no tag divides; of what does not change, the same in both
//   ranges   from the outermost element inwards: each gets one range of units inside of its parent's, apart from its
//            siblings: the one with the greatest sum of (attention to its words - attention to the others)
//   points   void elements, comments and so on stand beside the word that they stood beside
//
// So every tag comes out once, and elements are nested as in the source. Without evidence order decides.

import { Evidence, layOut, MIXED, unitsBefore } from './evidence.js';

/** @typedef {import('./blocks.js').Block} Block */
/** @typedef {import('./blocks.js').Tag} Tag */
/** @typedef {import('./evidence.js').Layout} Layout */
/** @typedef {import('./evidence.js').Part} Part */
/** @typedef {import('./evidence.js').SourceUnit} SourceUnit */
/** @typedef {import('./evidence.js').TargetUnit} TargetUnit */
/** @typedef {import('./units.js').Unit} Unit */
/** @typedef {import('./units.js').Span} Span */
/**
 * @typedef {object} Placed
 * @property {SourceUnit[]} sources
 * @property {TargetUnit[]} targets
 * @property {number[][]} items  before each unit of the target, and at the end: tags to write, by index; ~i: unit i of
 *   the source with the tags in it
 * @property {Map<number, [first: number, last: number]>} copies  by unit of the source: its tags, if they are copied
 *   with it
 */

/**
 * A tag or an element; word and copy are units that stay as they are.
 *
 * @typedef {object} Node
 * @property {'element' | 'point' | 'word' | 'copy'} kind
 * @property {Node | undefined} parent
 * @property {Node[]} children
 * @property {number} first  index of its first tag
 * @property {number} last  index of its last tag
 * @property {number} from  units of the source: [from, to)
 * @property {number} to
 * @property {number} x  units of the target: [x, y); x === y: none
 * @property {number} y
 * @property {number} unit  of the target, of a word or copy; -1: not found
 */

/** Each unit of a range must be worth a little. */
const LEAST = 0.03;
/** What a word that passes through is worth for the element around it. */
const CERTAIN = 10;

/**
 * Words with tags inside, such as H<sub>2</sub>O, that are in the translation as they are in the source.
 *
 * @param {Block} block
 * @param {Part[]} parts
 * @param {Layout} layout
 * @param {Evidence} evidence
 * @returns {Placed['copies']}
 */
function findCopies({ tags, text }, parts, { sources, targets, ranges }, evidence) {
  /** @type {Placed['copies']} */
  const copies = new Map();
  for (let i = 0; i < tags.length; i++) {
    const k = unitsBefore(sources, tags[i].at);
    const unit = sources[k];
    if (!unit || unit.start >= tags[i].at) continue;
    let [first, last] = [i, i];
    while (tags[last + 1]?.at < unit.end) last++;
    const inner = last;
    for (let j = i; j <= inner; j++) {
      const { mate } = tags[j];
      if (mate >= 0) [first, last] = [Math.min(first, mate), Math.max(last, mate)];
    }
    i = inner;
    const all = tags.slice(first, last + 1);
    const isWhole = all.every(({ at, mate, kind }) => at >= unit.start && at <= unit.end && kind !== 'word' &&
      (mate < 0 || (mate >= first && mate <= last)));
    if (!isWhole) continue;
    const { s0, s1, t0, t1 } = ranges[unit.part];
    const own = text.slice(unit.start, unit.end);
    const data = evidence.of(unit.part);
    let [best, most] = [-1, -1];
    for (let t = t0; t < t1; t++) {
      const other = targets[t];
      if (other.same >= 0 || other.word >= 0) continue;
      const weight = data[(t - t0) * (s1 - s0) + k - s0];
      if (weight > most && parts[unit.part].target.slice(other.start, other.end) === own) [best, most] = [t, weight];
    }
    if (best < 0) continue;
    targets[best].same = k;
    copies.set(k, [first, last]);
  }
  return copies;
}

/**
 * The tags as a tree; its root is the block.
 *
 * @param {Block} block
 * @param {Layout} layout
 * @param {Placed['copies']} copies
 * @returns {Node}
 */
function makeTree({ tags, words }, { sources, targets }, copies) {
  const make = (/** @type {Partial<Node>} */ more) => /** @type {Node} */ ({
    kind: 'element', parent: undefined, children: [], first: -1, last: -1, from: 0, to: 0, x: 0, y: 0, unit: -1,
    ...more,
  });
  const root = make({ to: sources.length, y: targets.length });
  const copied = new Map([...copies].map(([k, [first, last]]) => [first, { k, last }]));
  const unitOfWord = new Map(targets.flatMap(({ word }, t) => (word >= 0 ? [[word, t]] : [])));
  const unitOfCopy = new Map(targets.flatMap(({ same }, t) => (copies.has(same) ? [[same, t]] : [])));
  let [parent, word] = [root, 0];
  const add = (/** @type {Partial<Node>} */ more) => {
    const node = make({ parent, ...more });
    parent.children.push(node);
    return node;
  };
  for (let i = 0; i < tags.length; i++) {
    const { kind, at } = tags[i];
    const from = unitsBefore(sources, at);
    const copy = copied.get(i);
    if (copy) {
      const { k, last } = copy;
      add({ kind: 'copy', first: i, last, from: k, to: k + 1, unit: unitOfCopy.get(k) ?? -1 });
      i = last;
    } else if (kind === 'open') parent = add({ first: i, from, to: from });
    else if (kind === 'close') {
      parent.last = i;
      const isInside = sources[from]?.start < at;
      parent.to = at > tags[parent.first].at ? from + Number(isInside) : parent.from;
      parent = parent.parent ?? root;
    } else if (kind === 'word') {
      const { end } = words[word++];
      const isUnit = sources[from]?.start === at && sources[from].end === end;
      const to = isUnit ? from + 1 : from;
      add({ kind: isUnit ? 'word' : 'point', first: i, last: i, from, to, unit: unitOfWord.get(i) ?? -1 });
    } else add({ kind: 'point', first: i, last: i, from, to: from });
  }
  return root;
}

/**
 * The range of the greatest sum, of units that are free.
 *
 * @param {Float64Array} scores
 * @param {number} from  the unit of the first score
 * @param {(unit: number) => boolean} isFree
 */
function bestRange(scores, from, isFree) {
  let best = { x: from, y: from, sum: 0 };
  let [x, sum] = [from, 0];
  for (let i = 0; i < scores.length; i++) {
    if (!isFree(from + i)) {
      [x, sum] = [from + i + 1, 0];
      continue;
    }
    sum += scores[i];
    if (sum > best.sum) best = { x, y: from + i + 1, sum };
    if (sum <= 0) [x, sum] = [from + i + 1, 0];
  }
  return best;
}

/** Gives the nodes of a tree their ranges. */
class Ranges {
  #block;
  #layout;
  #evidence;
  /** The innermost node of each unit of the target. @type {Node[]} */
  #owners;

  /** @param {Block} block @param {Layout} layout @param {Evidence} evidence @param {Node} root */
  constructor(block, layout, evidence, root) {
    this.#block = block;
    this.#layout = layout;
    this.#evidence = evidence;
    this.#owners = new Array(layout.targets.length).fill(root);
  }

  /** @param {Node} node @param {number} x @param {number} y */
  #claim(node, x, y) {
    [node.x, node.y] = [x, y];
    this.#owners.fill(node, x, y);
  }

  /**
   * A unit of the source belongs to one child: to that with most of its letters, else to the last.
   *
   * @param {Node[]} children
   */
  #divide(children) {
    const { sources } = this.#layout;
    const { tags } = this.#block;
    let [before, end] = [/** @type {Node | undefined} */ (undefined), 0];
    for (const child of children) {
      const letters = (/** @type {Node} */ node, /** @type {Span} */ unit) => (node.kind === 'element'
        ? Math.min(tags[node.last].at, unit.end) - Math.max(tags[node.first].at, unit.start) : Infinity);
      if (before && child.from < end) {
        const unit = sources[end - 1];
        if (letters(before, unit) > letters(child, unit)) child.from = Math.min(end, child.to);
        else before.to = Math.max(before.from, --end);
      }
      if (child.to > child.from) [before, end] = [child, child.to];
    }
  }

  /**
   * How much each unit of the target belongs to a child rather than to the rest of its parent.
   *
   * @param {Node} parent
   * @param {Node} child
   */
  #scores(parent, child) {
    const { sources, targets, ranges } = this.#layout;
    const [first, last] = [sources[child.from].part, sources[child.to - 1].part];
    const [x, y] = [Math.max(parent.x, ranges[first].t0), Math.min(parent.y, ranges[last].t1)];
    const scores = new Float64Array(Math.max(0, y - x));
    const evidence = new Float64Array(scores.length);
    for (let t = x; t < y; t++) {
      const { part, same, word } = targets[t];
      const { s0, s1, t0 } = ranges[part];
      const isIn = (/** @type {number} */ s) => s >= child.from && s < child.to;
      const certain = word >= 0 ? unitsBefore(sources, this.#block.tags[word].at) : same;
      if (certain >= 0) {
        scores[t - x] = isIn(certain) ? CERTAIN : -CERTAIN;
        evidence[t - x] = Number(isIn(certain));
        continue;
      }
      const [from, to] = [Math.max(s0, parent.from), Math.min(s1, parent.to)];
      if (child.from <= from && child.to >= to) {
        [scores[t - x], evidence[t - x]] = [1, 1];
        continue;
      }
      const data = this.#evidence.of(part);
      let [own, others] = [0, 0];
      for (let s = from; s < to; s++) {
        const weight = data[(t - t0) * (s1 - s0) + s - s0];
        if (isIn(s)) own = Math.max(own, weight);
        else others = Math.max(others, weight);
      }
      scores[t - x] = own - others - LEAST;
      evidence[t - x] = targets[t].isWord ? own : own * MIXED;
    }
    return { x, scores, evidence };
  }

  /**
   * Claims the range of a child that begins and ends in what does not change.
   *
   * @param {Node} child
   * @param {Node} parent
   * @param {(unit: number) => boolean} isFree
   */
  #claimSame(child, parent, isFree) {
    const { sources, ranges } = this.#layout;
    const [first, last] = [ranges[sources[child.from].part], ranges[sources[child.to - 1].part]];
    const [x, y] = [first.t0 + child.from - first.s0, last.t0 + child.to - last.s0];
    if (!first.isSame || !last.isSame || x < parent.x || y > parent.y) return false;
    for (let t = x; t < y; t++) if (!isFree(t)) return false;
    this.#claim(child, x, y);
    return true;
  }

  /** Places the children of a node that has a range. @param {Node} parent */
  place(parent) {
    const { sources, targets } = this.#layout;
    const isFree = (/** @type {number} */ t) => this.#owners[t] === parent;
    this.#divide(parent.children.filter(({ from, to }) => to > from));
    const children = parent.children.filter(({ from, to }) => to > from);
    /** @type {Node[]} */
    const open = [];
    for (const child of children) {
      const { kind, unit } = child;
      if (unit >= 0 && isFree(unit)) this.#claim(child, unit, unit + 1);
      else if (unit >= 0) {
        // it cannot stand there: it becomes a point
        targets[unit].isDropped = true;
      } else if (children.length === 1 && child.from <= parent.from && child.to >= parent.to && kind === 'element') {
        this.#claim(child, parent.x, parent.y);
      } else if (!this.#claimSame(child, parent, isFree)) open.push(child);
    }
    const found = open.map((child) => {
      const { x, scores, evidence } = this.#scores(parent, child);
      return { child, x, scores, evidence, sum: bestRange(scores, x, isFree).sum };
    }).sort((a, b) => b.sum - a.sum);
    const isWorded = (/** @type {Unit[]} */ units, /** @type {number} */ from, /** @type {number} */ to) => {
      while (from < to && !units[from].isWord) from++;
      return from < to;
    };
    const left = found.filter(({ child, x, scores }) => {
      const range = bestRange(scores, x, isFree);
      const isRight = range.sum > 0 &&
        (isWorded(targets, range.x, range.y) || !isWorded(sources, child.from, child.to));
      if (isRight) this.#claim(child, range.x, range.y);
      return !isRight && child.kind === 'element';
    });
    // no word is translated by it alone: the likeliest of what is free
    for (const { child, x, evidence } of left) {
      if (!isWorded(sources, child.from, child.to)) continue;
      let [best, most] = [-1, 0];
      for (let i = 0; i < evidence.length; i++) {
        if (evidence[i] > most && isFree(x + i) && targets[x + i].isWord) [best, most] = [x + i, evidence[i]];
      }
      if (best >= 0) this.#claim(child, best, best + 1);
    }
    for (const child of children) {
      if (child.kind !== 'word' || child.y === child.x || child.unit >= 0) continue;
      targets[child.x].word = child.first;
      for (let t = child.x + 1; t < child.y; t++) targets[t].isDropped = true;
    }
  }
}

/**
 * Between which units of the target a node without a range stands: before the unit of this number.
 *
 * @param {Node} node
 * @param {Node} parent
 * @param {{ before?: Node, after?: Node, placed: Node[], known: Map<number, number> }} beside  siblings with words
 *   before and after it; all that have a range, in the order of the target; what is known of the parent's units
 * @param {Tag} tag  its first
 * @param {Layout} layout
 * @param {Evidence} evidence
 */
function pointOf(node, parent, { before, after, placed, known }, tag, { sources, targets, ranges }, evidence) {
  const gap = node.from;
  const [previous, next] = [sources[gap - 1], sources[gap]];
  if (gap <= parent.from || !previous) return parent.x;
  if (gap >= parent.to || !next) return parent.y;
  const within = (/** @type {number} */ b) => Math.min(Math.max(b, parent.x), parent.y);
  /** The unit of the target for one of the source. @param {number} s */
  const unitFor = (s) => {
    const { part } = sources[s];
    const { s0, s1, t0, t1, isSame } = ranges[part];
    const [x, y] = [Math.max(t0, parent.x), Math.min(t1, parent.y)];
    if (isSame) return t0 + s - s0;
    const found = known.get(s);
    if (found !== undefined) return found;
    const data = evidence.of(part);
    let [best, most] = [-1, -1];
    for (let t = x; t < y; t++) {
      const { same } = targets[t];
      const weight = same >= 0 ? Number(same === s) : data[(t - t0) * (s1 - s0) + s - s0];
      if (weight > most) [best, most] = [t, weight];
    }
    known.set(s, best);
    return best;
  };
  const isAfter = (tag.left === tag.right ? previous.isWord && !next.isWord : tag.right);
  let b;
  if (previous.part !== next.part) b = within(ranges[next.part].t0);
  else if (isAfter) {
    const unit = unitFor(gap - 1);
    b = before && before.to === gap && before.y > before.x ? before.y : unit < 0 ? parent.y : unit + 1;
  } else {
    const unit = unitFor(gap);
    b = after && after.from === gap && after.y > after.x ? after.x : unit < 0 ? parent.y : unit;
  }
  b = within(b);
  // not inside of a sibling
  let [low, high] = [0, placed.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (placed[middle].y <= b) low = middle + 1;
    else high = middle;
  }
  const around = placed[low];
  if (around && around.x < b) return isAfter ? around.y : around.x;
  return b;
}

/**
 * @param {Block} block
 * @param {Part[]} parts
 * @param {{ source: Intl.Segmenter, target: Intl.Segmenter }} segmenters  for words, in the languages of the texts
 * @returns {Placed}
 */
export function place(block, parts, segmenters) {
  const layout = layOut(block, parts, segmenters);
  const evidence = new Evidence(block, parts, layout);
  const copies = findCopies(block, parts, layout, evidence);
  const root = makeTree(block, layout, copies);
  const ranges = new Ranges(block, layout, evidence, root);
  const { sources, targets } = layout;
  /** @type {number[][]} */
  const items = Array.from({ length: targets.length + 1 }, () => []);

  /** Writes a node without a range, with all inside. @param {Node} node @param {number} b */
  const addAll = (node, b) => {
    for (let i = node.first; i <= node.last; i++) {
      const unit = copiedAt.get(i);
      if (unit === undefined) items[b].push(i);
      else {
        items[b].push(~unit);
        i = /** @type {[number, number]} */ (copies.get(unit))[1];
      }
    }
    for (const t of fixedIn(node)) targets[t].isDropped = true;
  };
  const copiedAt = new Map([...copies].map(([k, [first]]) => [first, k]));
  /** Units of the target that words and copies inside of a node have. @param {Node} node */
  const fixedIn = (node) => {
    const found = [];
    const rest = [node];
    for (let each; (each = rest.pop());) {
      if (each.unit >= 0) found.push(each.unit);
      for (const child of each.children) rest.push(child);
    }
    return found;
  };

  /** The children of a node in the order of the target, each with its place. @param {Node} node */
  const inOrder = (node) => {
    ranges.place(node);
    const worded = node.children.filter(({ from, to }) => to > from);
    const placed = worded.filter(({ x, y }) => y > x).sort((a, b) => a.x - b.x);
    let next = 0;
    const known = new Map();
    return node.children.map((child) => {
      while (worded[next] === child) next++;
      if (child.y > child.x) return { child, at: child.x, isPlaced: 1 };
      const own = worded[next - 1] === child ? 1 : 0;
      const beside = { before: worded[next - 1 - own], after: worded[next], placed, known };
      const at = pointOf(child, node, beside, block.tags[child.first], layout, evidence);
      return { child, at, isPlaced: 0 };
    }).sort((a, b) => a.at - b.at || a.isPlaced - b.isPlaced);
  };

  const stack = [{ node: root, order: inOrder(root), next: 0 }];
  for (let top; (top = stack.at(-1));) {
    const { node, order } = top;
    const entry = order[top.next++];
    if (!entry) {
      stack.pop();
      if (node.parent) items[node.y].push(node.last);
      continue;
    }
    const { child, at, isPlaced } = entry;
    if (!isPlaced) addAll(child, at);
    else if (child.kind === 'element') {
      items[child.x].push(child.first);
      stack.push({ node: child, order: inOrder(child), next: 0 });
    }
  }
  return { sources, targets, items, copies };
}
