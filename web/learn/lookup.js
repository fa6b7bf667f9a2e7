// lookup.js - a part of the chapter embeddings: the row of a token is looked up in E, scaled, and the vector of its
// position is added: what the first layer gets, with the loaded model's own numbers.

import { h } from '../lib/dom.js';
import { isSpecial } from '../lib/pieces.js';
import {
  choice, decimal, failure, flow, followSentence, grid, heat, readable, remark, rich, rowOf, shaped,
} from './kit.js';

/** Numbers of a row that are written out, and those in a line of its map, at most. */
const [WRITTEN, LINE] = [8, 64];

/**
 * @param {import('./kit.js').Ops} parts
 * @param {{ table: import('./kit.js').Matrix, id: number, position: ArrayLike<number>, scale: number }} given
 *   table: has row `id`
 */
export function compute(parts, { table, id, position, scale }) {
  const row = rowOf(table, id);
  const scaled = parts.embedding([id], table, scale).data;
  const sum = scaled.map((x, i) => x + position[i]);
  return { row, scaled, position: Float32Array.from(position), sum };
}

/**
 * @param {HTMLElement} host @param {any} app @param {any} t  of this part @param {import('./kit.js').Ops} parts
 * @param {(from: number, to: number) => Promise<Float32Array>} rows  of E
 */
export function mount(host, app, t, parts, rows) {
  const tokens = h('div', {});
  const maps = h('div', { class: 'real' });
  /** Of each row. @type {ReturnType<typeof heat>[]} */
  const heats = [];
  const said = remark();
  const checked = remark();
  /** @type {ReturnType<typeof grid> | undefined} */
  let numbers;
  const places = h('div', {});
  let run = 0;
  /** @param {any} sentence @param {number} at */
  async function show(sentence, at) {
    const mine = ++run;
    const { translator } = app.engine;
    const ids = (/** @type {{ id: number }[]} */ list) => list.map(({ id }) => id);
    // T5 has no position vectors: a bias of its attention knows the distance
    const hasPositions = translator.config.positions !== 'none';
    const names = ['encoder.input', ...(hasPositions ? ['encoder.positions'] : [])];
    const found = await translator.inspect(ids(sentence.sourceTokens), ids(sentence.targetTokens), { names });
    const { id, piece } = sentence.sourceTokens[at];
    const row = await rows(id, id + 1);
    if (mine !== run) return;
    const [input, position = new Float32Array(row.length)] = names.map((name) => {
      const { shape: [, width], data } = found[name];
      return data.subarray(at * width, (at + 1) * width);
    });
    const scale = translator.config.scale_embedding ? Math.sqrt(row.length) : 1;
    // only this row is at hand
    const { scaled, sum } = compute(parts, { table: shaped(1, row.length, row), id: 0, position, scale });
    const shown = /** @type {[string, Float32Array][]} */ ([[t.row(id), row],
      ...(scale === 1 ? [] : [[t.scaled(row.length), scaled]]), ...(hasPositions ? [[t.position(at), position]] : []),
      [t.sum, sum]]);
    const [rowLabels, all] = [shown.map(([name]) => name), shown.map(([, numbersOf]) => numbersOf)];
    const written = shaped(all.length, WRITTEN, all.flatMap((list) => Array.from(list.subarray(0, WRITTEN))));
    numbers = grid(t.first(WRITTEN), written, {
      rowLabels, colLabels: Array.from({ length: WRITTEN }, (_, i) => String(i)),
    });
    places.replaceChildren(numbers.element);
    // lines of one length, so that all numbers are seen at once
    let cols = Math.min(LINE, row.length);
    while (row.length % cols) cols--;
    const starts = Array.from({ length: row.length / cols }, (_, i) => i * cols);
    // one scale for what is added; the row itself would be pale in it
    const reach = Math.max(...all.slice(scale === 1 ? 0 : 1).flatMap((list) => Array.from(list, Math.abs)));
    while (heats.length < all.length) heats.push(heat());
    maps.replaceChildren(...shown.map(([name], i) =>
      h('figure', { class: 'grid wide' }, h('figcaption', {}, name), heats[i].element)));
    shown.forEach(([name, data], i) => heats[i].set({
      data, rows: starts.length, cols, reach: data === row && scale !== 1 ? 0 : reach, scale: 'diverging', whole: true,
      label: `${t.map}: ${name}`, rowLabels: starts.map(String),
      describe: (/** @type {number} */ line, /** @type {number} */ col) =>
        [String(starts[line] + col), decimal(data[starts[line] + col], 4)],
    }));
    said.textContent = t.token(readable(piece), id, at);
    const off = sum.reduce((most, x, i) => Math.max(most, Math.abs(x - input[i])), 0);
    checked.textContent = off < 1e-5 ? t.same : t.differs;
  }
  host.replaceChildren(h('h2', {}, t.title), h('p', {}, ...rich(t.text)), tokens, said, places,
    remark(t.map), maps, checked);
  return followSentence(app, (sentence, error) => {
    if (!sentence) return void (said.textContent = error ? failure(app, error) : app.strings.learn.needsModel);
    // the first word: a language's token is none
    const first = isSpecial(sentence.sourceTokens[0].piece) ? 1 : 0;
    const open = (/** @type {number} */ at) => show(sentence, at).catch((problem) => {
      said.textContent = failure(app, problem);
    });
    tokens.replaceChildren(flow(choice(t.choose, sentence.sourceTokens.map(
      (/** @type {{ piece: string }} */ { piece }, /** @type {number} */ value) => ({ value, text: readable(piece) })),
    first, open)));
    open(first);
  });
}
