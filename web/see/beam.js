// beam.js - the view Beam: the hypotheses of the search as a tree, and the results.

import { palette } from '../lib/colors.js';
import { debounce, h, svg } from '../lib/dom.js';
import { onTheme } from '../lib/matrix.js';
import { readable } from '../lib/pieces.js';
import { percent } from '../lib/words.js';
import { roving } from './controls.js';
import { signed } from './maps.js';

/** Beams of the search: default and maximum. */
const [BEAMS, MOST] = [4, 8];
/** Width of a step and height of a row, in pixels. */
const [STEP, ROW] = [146, 30];

/**
 * @typedef {{ parent: number, step: number, id: number, piece: string, logProb: number, total: number, kept: boolean,
 *   finished: boolean, best: boolean }} Node
 */

/**
 * The positions of the nodes: a column for each step; in it the children of one parent are neighbours, in the order of
 * the parents, those of the winner first. So the winner is the first row, and no two edges cross.
 *
 * @param {Node[]} nodes  parents before children
 * @returns {{ rows: Int32Array, depth: Int32Array, children: number[][], count: number, deepest: number }}
 */
export function layOut(nodes) {
  /** @type {number[][]} */
  const children = nodes.map(() => []);
  const depth = new Int32Array(nodes.length);
  const rows = new Int32Array(nodes.length);
  nodes.forEach(({ parent }, i) => {
    if (parent < 0) return;
    children[parent].push(i);
    depth[i] = depth[parent] + 1;
  });
  const order = (/** @type {number} */ a, /** @type {number} */ b) =>
    Number(nodes[b].best) - Number(nodes[a].best) || nodes[b].total - nodes[a].total || a - b;
  let count = 0;
  let deepest = 0;
  for (let column = nodes.map((_, i) => i).filter((i) => nodes[i].parent < 0).sort(order); column.length;) {
    column.forEach((i, row) => (rows[i] = row));
    count = Math.max(count, column.length);
    deepest = depth[column[0]];
    column = column.flatMap((i) => [...children[i]].sort(order));
  }
  return { rows, depth, children, count, deepest };
}

/** @param {HTMLElement} host @param {any} app */
export function mount(host, app) {
  const { engine, strings: { see } } = app;
  const t = see.beamView;
  let beams = BEAMS;
  let isMounted = true;
  /** @type {any} */
  let sentence;
  /** What the search gave. @type {any} */
  let found = null;
  let run = 0;
  const shown = h('output', {});
  const slider = h('input', { type: 'range', min: 1, max: MOST, step: 1, oninput: () => {
    app.set({ beams: slider.valueAsNumber });
  } });
  const status = h('span', { class: 'remark', role: 'status' });
  const list = h('div', {});
  host.append(h('p', { class: 'remark' }, t.lead),
    h('div', { class: 'controls' }, h('label', { class: 'field' }, h('span', {}, t.beams, ' ', shown), slider), status),
    list);
  const later = debounce(() => search(), 200);

  async function search() {
    const mine = ++run;
    const base = sentence;
    status.textContent = t.running;
    try {
      // a search with a glossary has no tree
      const { sentences: [result] } = await engine.detail(base.source,
        { beams, nBest: beams, beamTree: true, glossary: undefined });
      if (mine !== run || !isMounted) return;
      found = result;
      status.textContent = '';
      draw();
    } catch (error) {
      if (mine !== run || !isMounted || /** @type {any} */ (error).name === 'AbortError') return;
      status.textContent = `${see.failed} ${error instanceof Error ? error.message : error}`;
    }
  }

  /** @param {Node[]} nodes @param {boolean} isLive  reached by keyboard, not a picture alone */
  function tree(nodes, isLive) {
    const colors = palette();
    const { rows, depth, children, count, deepest } = layOut(nodes);
    const at = (/** @type {number} */ i) => [16 + depth[i] * STEP, 16 + (rows[i] + 0.5) * ROW];
    const isFaint = (/** @type {Node} */ { kept, best }) => !kept && !best;
    const edges = nodes.map((node, i) => {
      if (node.parent < 0) return null;
      const [x, y] = at(i);
      const [fromX, fromY] = at(node.parent);
      const start = fromX + STEP - 34;
      return svg('path', {
        d: `M${start} ${fromY}C${start + 18} ${fromY} ${x - 18} ${y} ${x - 4} ${y}`, fill: 'none',
        stroke: node.best ? colors.accent : colors.muted, 'stroke-width': node.best ? 2.5 : 1,
        'stroke-opacity': isFaint(node) ? 0.45 : 1,
      });
    });
    const cut = (/** @type {string} */ text) => (text.length > 9 ? `${text.slice(0, 8)}\u2026` : text);
    const groups = nodes.map((node, i) => {
      const [x, y] = at(i);
      const piece = node.piece ? readable(node.piece) : see.start;
      const states = [node.best && t.best, node.finished && t.finished, isFaint(node) && t.pruned].filter(Boolean)
        .join(', ');
      const told = t.node(piece, signed(node.logProb), signed(node.total), states);
      return svg('g', isLive ? { tabindex: -1, role: 'img', class: 'node', 'aria-label': told } : {},
        isLive && svg('title', {}, told),
        svg('rect', {
          x: x - 4, y: y - 12, width: STEP - 30, height: 24, rx: 6, fill: colors.bg,
          stroke: node.best ? colors.accent : colors.line, 'stroke-width': node.best ? 2 : 1,
          'stroke-dasharray': isFaint(node) ? '3 3' : 'none',
        }),
        svg('text', {
          x: x + 2, y: y + 4, fill: isFaint(node) ? colors.muted : colors.fg, 'font-size': 12,
          'font-weight': node.best ? 700 : 400,
        }, cut(piece)),
        svg('text', { x: x + STEP - 38, y: y + 4, fill: colors.muted, 'font-size': 10.5, 'text-anchor': 'end' },
          node.step < 0 ? '' : signed(node.logProb, 1)));
    });
    const [width, height] = [(deepest + 1) * STEP + 16, count * ROW + 32];
    const picture = svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`,
      ...(isLive && { role: 'group', 'aria-label': t.tree }) }, edges, groups);
    if (isLive) {
      roving(picture, () => groups, (key, i) => {
        const { parent } = nodes[i];
        const level = nodes.map((_, j) => j).filter((j) => depth[j] === depth[i]).sort((a, b) => rows[a] - rows[b]);
        const beside = level.indexOf(i);
        return /** @type {Record<string, number | undefined>} */ ({
          ArrowRight: children[i].find((j) => nodes[j].best) ?? children[i].find((j) => nodes[j].kept)
            ?? children[i][0],
          ArrowLeft: parent < 0 ? undefined : parent, ArrowUp: level[beside - 1], ArrowDown: level[beside + 1],
        })[key];
      });
    }
    return { picture, width, height };
  }

  /** All results of the search, best first. */
  const ends = () => [{ text: found.target, logProb: found.logProb, score: found.score },
    ...(found.alternatives ?? [])];

  function draw() {
    if (!found) return;
    let sum = 0;
    const nodes = /** @type {Node[] | undefined} */ (found.tree);
    list.replaceChildren(
      nodes?.length ? h('section', {}, h('h2', {}, t.tree), h('p', { class: 'remark' }, t.treeHelp),
        h('div', { class: 'scroll tree' }, tree(nodes, true).picture)) : h('p', { class: 'remark' }, t.noTree),
      h('section', {}, h('h2', {}, t.list), h('p', { class: 'remark' }, t.listHelp),
        h('ol', { class: 'ends' }, ends().map(({ text, logProb, score = logProb }, i) =>
        h('li', { class: i === 0 ? 'first' : '' }, h('span', { lang: engine.languages.to }, text),
          h('span', { class: 'number' }, signed(score, 3)), h('span', { class: 'number' }, signed(logProb)))))),
      h('section', {}, h('h2', {}, t.tokens), h('div',
        { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t.tokens }, h('table', { class: 'plain-table' },
          h('thead', {}, h('tr', {}, [t.piece, t.logProb, t.probability, t.sum]
            .map((text) => h('th', { scope: 'col' }, text)))),
          h('tbody', {}, found.targetTokens.map((/** @type {any} */ { piece, logProb }) =>
            h('tr', {}, h('th', { scope: 'row' }, readable(piece)),
              h('td', {}, signed(logProb, 3)), h('td', {}, percent(Math.exp(logProb))),
              h('td', {}, signed((sum += logProb), 3)))))))),
    );
  }

  const off = onTheme(draw);
  return {
    /** @param {any} given @param {any} state */
    update(given, state) {
      const before = beams;
      beams = Math.min(state.beams || BEAMS, MOST);
      slider.value = shown.textContent = String(beams);
      if (given === sentence) return void (beams !== before && later());
      sentence = given;
      found = null;
      list.replaceChildren();
      search();
    },
    /** @returns {import('../lib/export.js').Exports | null} */
    exports() {
      if (!found) return null;
      const nodes = /** @type {Node[]} */ (found.tree
        ?? found.targetTokens.map((/** @type {any} */ { piece, id, logProb }, /** @type {number} */ i) => ({
          parent: i - 1, step: i, id, piece, logProb, total: found.targetTokens.slice(0, i + 1)
            .reduce((/** @type {number} */ s, /** @type {any} */ x) => s + x.logProb, 0),
          kept: true, finished: i === found.targetTokens.length - 1, best: true,
        })));
      const columns = /** @type {const} */ (['parent', 'step', 'id', 'piece', 'logProb', 'total', 'kept', 'finished',
        'best']);
      return {
        name: `heed-beam-${beams}`,
        svg({ svgDocument }) {
          const { picture, width, height } = tree(nodes, false);
          return svgDocument(width, height, new XMLSerializer().serializeToString(picture), t.tree);
        },
        rows: () => [['node', ...columns], ...nodes.map((node, i) => [i, ...columns.map((name) => node[name])])],
        json: () => ({ source: found.source, beams, hypotheses: ends(), nodes }),
      };
    },
    unmount() {
      isMounted = false;
      later.cancel();
      off();
      engine.cancel();
    },
  };
}
