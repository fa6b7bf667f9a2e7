// neuron.js - the view Query and keys: one token's query beside the keys of all tokens, number by number: their
// products, the sum, and its share after softmax.

import { palette } from '../lib/colors.js';
import { h } from '../lib/dom.js';
import { onTheme } from '../lib/matrix.js';
import { mapRowOf } from '../lib/scores.js';
import { shrinkInto } from '../lib/tiles.js';
import { percent } from '../lib/words.js';
import { legend, placeControls } from './controls.js';
import { isWord, sidesOf, signed } from './maps.js';

/** @param {HTMLElement} host @param {any} app */
export function mount(host, app) {
  const { engine, strings: { see } } = app;
  const t = see.neuronView;
  const controls = placeControls(app, {});
  const query = h('select', { onchange: () => {
    row = Number(query.value);
    draw();
  } });
  controls.element.append(h('label', { class: 'field' }, h('span', {}, t.query), query));
  const table = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': see.views.neuron });
  const status = h('p', { class: 'remark', role: 'status' });
  host.append(h('p', { class: 'remark' }, t.lead), controls.element, table,
    legend('diverging', t.negative, t.positive), status);
  let row = 0;
  let run = 0;
  /** @type {any} */
  let now;
  /** @type {Parameters<typeof mapRowOf>[0] | null} */
  let tensors = null;
  let isScaled = true;

  async function load() {
    const mine = ++run;
    const { sentence, place: { stack, layer } } = now;
    const prefix = stack === 'cross' ? `decoder.layers.${layer}.encoder_attn` : `${stack}.layers.${layer}.self_attn`;
    const names = ['q', 'k', 'weights'].map((name) => `${prefix}.${name}`);
    const { relative_buckets: buckets, unscaled_attention: isUnscaled } = engine.seen.config;
    if (buckets > 0 && stack !== 'cross') names.push(`${stack}.position_bias`);
    const [from, to] = [sentence.sourceTokens, sentence.targetTokens].map((tokens) =>
      tokens.map((/** @type {{ id: number }} */ { id }) => id));
    tensors = null;
    try {
      const found = await engine.seen.inspect(from, to, { names });
      if (mine !== run) return;
      const [q, k, weights, bias] = names.map((name) => found[name]);
      tensors = { q, k, weights, bias };
      isScaled = !isUnscaled;
      draw();
    } catch (error) {
      if (mine === run) status.textContent = `${see.failed} ${error instanceof Error ? error.message : error}`;
    }
  }

  /** Numbers as a strip of colours. @param {ArrayLike<number>} data @param {number} reach @param {string} label */
  function strip(data, reach, label) {
    const canvas = h('canvas', { class: 'strip', role: 'img', 'aria-label': label });
    shrinkInto(canvas, { data, rows: 1, cols: data.length, scale: 'diverging', reach }, palette(), data.length, 1);
    return canvas;
  }

  const most = (/** @type {ArrayLike<number>[]} */ lists) =>
    Math.max(1e-9, ...lists.map((list) => Math.max(...Array.from(list, Math.abs))));

  /** What a score is made of. @param {number} size */
  const headOfScores = (size) =>
    `${isScaled ? t.score(size) : t.unscaled}${tensors?.bias ? ` + ${t.bias}` : ''}`;

  function draw() {
    if (!tensors) return;
    const { sides, place } = now;
    const { size, query: q, keys, products, scores, shares } = mapRowOf(tensors, place.head, row, isScaled);
    const [reach, strong] = [most([q, ...keys]), most(products)];
    table.replaceChildren(h('table', { class: 'plain-table neurons' },
      h('thead', {},
        h('tr', {}, h('th', { scope: 'col' }, t.token), h('th', { scope: 'col' }, t.key), h('th', { scope: 'col' },
          t.products), h('th', { scope: 'col' }, headOfScores(size)), h('th', { scope: 'col' }, 'softmax')),
        h('tr', {}, h('th', { scope: 'row' }, sides.labels[row]),
          h('td', {}, strip(q, reach, t.queryOf(sides.labels[row]))), h('td', { colspan: 3 }, t.ownQuery))),
      h('tbody', {}, keys.map((key, i) => {
        const isMasked = place.stack === 'decoder' && i > row;
        const share = h('td', { class: 'share' }, percent(shares[i]));
        share.style.setProperty('--share', shares[i].toFixed(4));
        return h('tr', { class: isMasked ? 'masked' : '' }, h('th', { scope: 'row' }, sides.cols[i]),
          h('td', {}, strip(key, reach, t.keyOf(sides.cols[i]))),
          h('td', {}, strip(products[i], strong, t.productsOf(sides.cols[i]))),
          h('td', {}, isMasked ? '\u2212\u221e' : signed(scores[i])), share);
      }))));
    status.textContent = place.stack === 'decoder' ? t.masked : '';
  }

  const off = onTheme(draw);
  return {
    /** @param {any} sentence @param {any} state */
    update(sentence, state) {
      const before = now;
      const place = controls.update(sentence, state);
      const sides = sidesOf(sentence, place.stack, see.start);
      now = { sentence, place, sides };
      const isSame = before?.sentence === sentence && before.place.stack === place.stack;
      if (!isSame) {
        query.replaceChildren(...sides.labels.map((text, i) => h('option', { value: i }, text)));
        // the first word; a language's token is no word
        row = Math.min(sides.labels.length - 1, place.stack === 'encoder' && !isWord(sentence.sourceTokens[0]) ? 1 : 0);
        query.value = String(row);
      }
      if (isSame && before.place.layer === place.layer && tensors) draw();
      else load();
    },
    /** @returns {import('../lib/export.js').Exports | null} */
    exports() {
      if (!tensors) return null;
      const { sentence, sides, place: { stack, layer, head } } = now;
      const { size, query: q, keys, products, scores, shares } = mapRowOf(tensors, head, row, isScaled);
      return {
        name: `heed-query-${stack}-layer${layer + 1}-head${head + 1}`,
        svg: ({ matrixSvg }) => matrixSvg({
          data: products.flat(), rows: keys.length, cols: size, scale: 'diverging', reach: most(products),
          rowLabels: sides.cols, colLabels: Array.from({ length: size }, (_, i) => String(i + 1)),
          label: t.queryOf(sides.labels[row]),
        }),
        rows: () => [['token', 'score', 'weight', ...Array.from({ length: size }, (_, i) => `q${i + 1}k${i + 1}`)],
          ...sides.cols.map((/** @type {string} */ token, /** @type {number} */ i) =>
            [token, scores[i], shares[i], ...products[i]])],
        json: () => ({
          source: sentence.source, target: sentence.target, stack, layer, head, row, query: Array.from(q),
          keys: keys.map((key) => Array.from(key)), scores, weights: Array.from(shares),
        }),
      };
    },
    unmount() {
      run++;
      off();
    },
  };
}
