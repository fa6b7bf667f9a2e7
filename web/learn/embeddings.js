// embeddings.js - chapter: word vectors and the cosine between them, for three editable ones and for the embedding
// table of the loaded model.

import { h } from '../lib/dom.js';
import { tokenName } from '../lib/token.js';
import { short, s } from './chart.js';
import {
  choice,
  decimal,
  failure,
  flow,
  grid,
  matrix,
  ops,
  readable,
  remark,
  rowOf,
  shaped,
  whenReady,
} from './kit.js';
import { EQUALS, formula, frac, m, n, o, paren, row } from './math.js';

export const start = matrix([
  [2, 1],
  [1.5, 1.5],
  [-1, 2],
]);

/** @param {import('./kit.js').Ops} parts @param {import('./kit.js').Matrix} x */
export const compute = (parts, x) => parts.cosineSimilarity(x, x);

/** Rows of the table to compare at once, so that copies stay small even for a large vocabulary. */
const BLOCK = 4096;
/** Words in a list, and rows that are looked at for them: some are bytes, signs and single letters. */
const [NEAREST, SEEN] = [8, 40];
const IS_WORD = /^(\p{L}{2,}|\p{Ideographic}+)$/u;

/** The vectors as arrows. @param {import('./kit.js').Matrix} x @param {string[]} names @param {string} label */
function plane(x, names, label) {
  const reach = Math.max(1, ...Array.from(x.data, Math.abs)) * 1.25;
  const at = (/** @type {number} */ v) => 110 + (v / reach) * 100;
  const svg = s(
    'svg',
    { viewBox: '0 0 220 220', class: 'chart plane', role: 'img', 'aria-label': label },
    s(
      'g',
      { class: 'axes' },
      s('line', { x1: 10, x2: 210, y1: 110, y2: 110 }),
      s('line', { x1: 110, x2: 110, y1: 10, y2: 210 }),
      s('text', { x: 208, y: 124, 'text-anchor': 'end' }, short(reach)),
    ),
  );
  names.forEach((name, i) => {
    const [dx, dy] = x.data.subarray(2 * i, 2 * i + 2);
    const [px, py] = [at(dx), 220 - at(dy)];
    const length = Math.hypot(px - 110, py - 110) || 1;
    // outside of its arrow
    const side = Math.abs(px - 110) < 0.3 * length ? 0 : Math.sign(px - 110);
    const anchor = ['end', 'middle', 'start'][side + 1];
    svg.append(
      s('line', { x1: 110, y1: 110, x2: px, y2: py, class: `curve c${i}` }),
      s('circle', { cx: px, cy: py, r: 4, class: `dot c${i}` }),
      s('text', { x: px + side * 8, y: py + ((py - 110) / length) * 12 + 4, 'text-anchor': anchor }, name),
    );
  });
  return svg;
}

/**
 * Ids of the rows of `table` nearest to `vector`, best first.
 *
 * @param {import('./kit.js').Ops} parts
 * @param {import('./kit.js').Matrix} vector
 * @param {(from: number, to: number) => Promise<Float32Array>} rows  of the table
 * @param {number} count  rows of the table
 * @param {Set<number>} without
 */
export async function nearest(parts, vector, rows, count, without) {
  /** @type {{ id: number, cosine: number }[]} */
  const best = [];
  for (let from = 0; from < count; from += BLOCK) {
    const to = Math.min(from + BLOCK, count);
    const { data } = parts.cosineSimilarity(vector, shaped(to - from, vector.cols, await rows(from, to)));
    for (let i = 0; i < data.length; i++) {
      if (without.has(from + i) || (best.length === SEEN && data[i] <= best[SEEN - 1].cosine)) continue;
      best.push({ id: from + i, cosine: data[i] });
      best.sort((a, b) => b.cosine - a.cosine).splice(SEEN);
    }
  }
  return best;
}

/** @param {HTMLElement} host @param {any} app @param {any} t */
export async function mount(host, app, t) {
  const parts = await ops();
  const similarity = grid(t.similarity, compute(parts, start), { rowLabels: t.names, colLabels: t.names });
  const arrows = h('figure', { class: 'grid' }, h('figcaption', {}, t.plane), plane(start, t.names, t.plane));
  const vectors = grid(t.vectors, start, {
    rowLabels: t.names,
    digits: 1,
    onEdit(x) {
      similarity.set(compute(parts, x));
      arrows.replaceChildren(h('figcaption', {}, t.plane), plane(x, t.names, t.plane));
    },
  });
  const length = (/** @type {string} */ x) => row(o('\u2016'), m(x), o('\u2016'));
  const real = h('section', { class: 'real' });
  host.append(
    formula([
      n('cos'),
      paren(m('a'), o(','), m('b')),
      EQUALS,
      frac(row(m('a'), o('\u00b7'), m('b')), row(length('a'), length('b'))),
    ]),
    flow(vectors.element, arrows, similarity.element),
    real,
  );
  /** @type {(() => void) | undefined} */
  let leave;
  let isAlive = true;
  let run = 0;
  const stop = whenReady(app, real, async () => {
    const mine = ++run;
    const isStill = () => isAlive && mine === run;
    leave?.();
    leave = undefined;
    const off = await mountReal(real, app, t, parts, isStill);
    // the chapter may have been left meanwhile, or another model is loaded
    if (isStill()) leave = off;
    else off?.();
  });
  return {
    unmount() {
      isAlive = false;
      stop();
      leave?.();
    },
  };
}

/**
 * The part that uses the loaded model. Resolves to what leaves it.
 *
 * @param {HTMLElement} host
 * @param {any} app
 * @param {any} t
 * @param {import('./kit.js').Ops} parts
 * @param {() => boolean} isStill  whether this part is still wanted
 */
async function mountReal(host, app, t, parts, isStill) {
  const { translator } = app.engine;
  if (!translator.parameters) {
    host.replaceChildren(h('p', { class: 'remark' }, app.strings.learn.needsInspect));
    return undefined;
  }
  const table = (await translator.parameters()).find(
    (/** @type {{ name: string }} */ { name }) =>
      name === 'model.shared.weight' || name === 'model.encoder.embed_tokens.weight',
  );
  const [count, width] = table.shape;
  const rows = async (/** @type {number} */ from, /** @type {number} */ to) =>
    (await translator.parameter(table.name, [from, to])).data;
  // tokens of every text: the end, and for some models the language
  const frame = new Set((await translator.tokenize('')).ids);

  const input = /** @type {HTMLInputElement} */ (
    h('input', { type: 'text', value: t.wordsStart, spellcheck: 'false' })
  );
  const said = remark(t.size(count, width));
  const result = h('div', { class: 'real' });
  let run = 0;

  /**
   * Words whose rows are nearest to this vector.
   *
   * @param {ArrayLike<number>} vector @param {Set<number>} without  ids
   */
  async function wordsNear(vector, without) {
    const found = await nearest(parts, shaped(1, width, vector), rows, count, without);
    const named = await Promise.all(found.map(async ({ id, cosine }) =>
      ({ text: await tokenName(translator, id), cosine })));
    return named.filter(({ text }) => IS_WORD.test(text)).slice(0, NEAREST);
  }

  /** One row for each word: of its token, or the mean of those of its tokens. @param {string} word */
  async function look(word) {
    const { ids, pieces } = await translator.tokenize(word);
    const isWord = (/** @type {unknown} */ _, /** @type {number} */ i) => !frame.has(ids[i]);
    const kept = Array.from(ids, Number).filter(isWord);
    const vector = new Float32Array(width);
    for (const id of kept) {
      const found = await rows(id, id + 1);
      for (let i = 0; i < width; i++) vector[i] += found[i] / kept.length;
    }
    return { word, ids: kept, pieces: Array.from(pieces).filter(isWord).map(readable), vector };
  }

  async function compare() {
    const mine = ++run;
    const words = await Promise.all(input.value.split(/\s+/).filter(Boolean).slice(0, 10).map(look));
    if (mine !== run || words.length === 0) return;
    const names = words.map(({ word }) => word);
    const all = shaped(
      words.length,
      width,
      words.flatMap(({ vector }) => Array.from(vector)),
    );
    const neighbours = h('ol', { class: 'neighbours' });
    let chosen = 0;
    async function showNearest(/** @type {number} */ index) {
      chosen = index;
      neighbours.replaceChildren(h('li', {}, t.busy));
      const found = await wordsNear(rowOf(all, index), new Set(words[index].ids));
      if (mine !== run || chosen !== index) return;
      neighbours.replaceChildren(...found.map(({ text, cosine }) => {
        const meter = h('span', { class: 'meter', 'aria-hidden': 'true' });
        meter.style.setProperty('--strength', Math.max(cosine, 0).toFixed(3));
        return h('li', {}, h('span', {}, text), meter, h('span', { class: 'number' }, decimal(cosine)));
      }));
    }
    const split = words.filter(({ pieces }) => pieces.length > 1);
    result.replaceChildren(
      ...split.map(({ word, pieces }) => remark(t.pieces(word, pieces))),
      grid(t.similarity, parts.cosineSimilarity(all, all), { rowLabels: names, colLabels: names }).element,
      choice(
        t.near,
        names.map((text, value) => ({ value, text })),
        0,
        showNearest,
      ),
      neighbours,
    );
    await showNearest(0);
  }
  const failed = (/** @type {unknown} */ error) => {
    said.textContent = failure(app, error);
  };
  const form = h(
    'form',
    { class: 'flow' },
    h('label', { class: 'field' }, h('span', {}, t.words), input),
    h('button', { type: 'submit' }, t.compare),
  );
  form.addEventListener('submit', (/** @type {Event} */ event) => {
    event.preventDefault();
    compare().catch(failed);
  });
  if (!isStill()) return undefined;
  const [arrows, lookup] = [0, 1].map(() => h('section', { class: 'real' }));
  host.replaceChildren(h('h2', {}, t.real), said, form, result, arrows, lookup);
  await compare();
  if (!isStill()) return undefined;
  const [{ mount: mountArrows }, { mount: mountLookup }] = await Promise.all(
    [import('./arrows.js'), import('./lookup.js')]);
  await mountArrows(arrows, app, t.arrows, {
    look,
    pieces: t.pieces,
    nearest: wordsNear,
  });
  return isStill() ? mountLookup(lookup, app, t.lookup, parts, rows) : undefined;
}
