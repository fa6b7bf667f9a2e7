// sum.js - "show the sum": a dialog that computes one cell of an attention map again, step by step, from the model's
// own q, k and v. Opened from the maps of the room See and from chapters of Learn.

import { h } from '../lib/dom.js';
import { mapRowOf, partOf } from '../lib/scores.js';
import { attentionName, decimal, fedIn, readable, rich, useStyles } from './kit.js';

/** @typedef {import('../../js/model/transformer.js').Tensor} Tensor */
/** @typedef {{ stack: 'encoder' | 'decoder' | 'cross', layer: number, head: number, row: number, col: number }} Cell */

/** Digits after the point: of a share and of everything else. */
const [SHARE, NUMBER] = [4, 3];

const add = (/** @type {number[]} */ xs) => xs.reduce((a, b) => a + b, 0);

/**
 * Softmax of scores, and the mix of values.
 *
 * @param {number[]} scores
 * @param {number[][]} values  one list for each score
 */
export function mix(scores, values) {
  const greatest = Math.max(...scores);
  const powers = scores.map((x) => Math.exp(x - greatest));
  const total = add(powers);
  const shares = powers.map((x) => x / total);
  const mixed = values[0].map((_, i) => add(values.map((value, j) => shares[j] * value[i])));
  return { scores, powers, total, shares, mixed };
}

/**
 * The steps of one cell in 64-bit numbers, from the model's 32-bit numbers.
 *
 * @param {{ q: Tensor, k: Tensor, v: Tensor, weights: Tensor, bias?: Tensor }} tensors  [n, A], [m, A], [m, A],
 *   [H, n, m]; bias [H, n, n]: what a model with relative positions adds to the scores of self-attention
 * @param {Cell} cell
 * @param {boolean} [isScaled]  false: the model does not divide by √d_k
 */
export function compute({ v, ...tensors }, { stack, head, row, col }, isScaled = true) {
  const { size: dk, divisor, query, keys, products, biases, scores: all, shares } =
    mapRowOf(tensors, head, row, isScaled);
  const isMasked = (/** @type {number} */ j) => stack === 'decoder' && j > row;
  const scores = all.map((score, j) => (isMasked(j) ? -Infinity : score));
  const values = scores.map((_, j) => Array.from(partOf(v, j, head, dk)));
  const dot = add(products[col]);
  return {
    dk,
    query: Array.from(query),
    key: Array.from(keys[col]),
    products: products[col],
    dot,
    isScaled,
    scaled: dot / divisor,
    /** Undefined in a model without. */
    bias: tensors.bias && biases[col],
    masked: isMasked(col),
    values,
    ...mix(scores, values),
    /** The model's number in this cell. */
    cell: shares[col],
  };
}

/**
 * Blocks of numbers, as many in a row as fit; the last number of each block is shaded by size.
 *
 * @param {string[]} names  of the numbers of a block
 * @param {number[][]} lines  one list of numbers for each name
 */
function blocks(names, lines) {
  const last = lines[lines.length - 1];
  const reach = Math.max(...last.map(Math.abs)) || 1;
  const list = h('ol', { class: 'blocks' }, h('li', { class: 'names' }, ...names.map((name) => h('span', {}, name))));
  for (let i = 0; i < last.length; i++) {
    const item = h(
      'li',
      { class: last[i] < 0 ? 'negative' : 'positive' },
      ...lines.map((line) => h('span', {}, decimal(line[i], NUMBER))),
    );
    item.style.setProperty('--strength', (Math.abs(last[i]) / reach).toFixed(3));
    list.append(item);
  }
  return list;
}

/**
 * @param {any} app
 * @param {Cell & { sentence: any, disabledHeads?: object[] }} options  sentence: a TranslatedSentence, or its index in
 *   engine.last
 */
export async function openSum(app, { sentence: given, stack, layer, head, row, col, disabledHeads }) {
  const t = app.strings.learn.sum;
  await useStyles();
  const sentence = typeof given === 'number' ? app.engine.last.sentences[given] : given;
  const { translator } = app.engine;
  const body = h('div', { class: 'sum' }, h('p', {}, t.loading));
  const close = h('button', { type: 'button', class: 'close' }, t.close);
  const title = h('h2', { id: 'sum-title' }, t.title);
  const dialog = /** @type {HTMLDialogElement} */ (
    h('dialog', { class: 'sum-dialog', 'aria-labelledby': 'sum-title' }, h('header', {}, title, close), body)
  );
  close.addEventListener('click', () => dialog.close());
  // a click beside the dialog closes it too
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();

  try {
    if (!translator?.inspect) throw new Error(app.strings.learn.needsInspect);
    const prefix = attentionName(stack, layer);
    const { relative_buckets: buckets, unscaled_attention: isUnscaled } = translator.config;
    const hasBias = buckets > 0 && stack !== 'cross';
    const names = ['q', 'k', 'v', 'weights'].map((name) => `${prefix}.${name}`);
    if (hasBias) names.push(`${stack}.position_bias`);
    const ids = (/** @type {{ id: number }[]} */ tokens) => tokens.map(({ id }) => id);
    const found = await translator.inspect(ids(sentence.sourceTokens), ids(sentence.targetTokens), {
      names,
      disabledHeads,
    });
    const [q, k, v, weights, bias] = names.map((name) => found[name]);
    const source = sentence.sourceTokens.map((/** @type {{ piece: string }} */ { piece }) => readable(piece));
    const fed = fedIn(sentence.targetTokens, app.strings.learn.startToken);
    const labels = { rows: stack === 'encoder' ? source : fed, cols: stack === 'decoder' ? fed : source };
    const show = (/** @type {number} */ at) => {
      const sum = compute({ q, k, v, weights, bias }, { stack, layer, head, row, col: at }, !isUnscaled);
      body.replaceChildren(
        ...describe(t, sum, {
          stack,
          layer,
          head,
          row,
          col: at,
          labels,
          show,
          dtype: translator.info?.dtype,
          predicts: stack === 'encoder' ? undefined : readable(sentence.targetTokens[row].piece),
        }),
      );
    };
    show(col);
  } catch (error) {
    body.replaceChildren(h('p', { role: 'alert' }, `${t.failed} ${error instanceof Error ? error.message : error}`));
  }
  return dialog;
}

/**
 * @param {any} t
 * @param {ReturnType<typeof compute>} sum
 * @param {Cell & { labels: { rows: string[], cols: string[] }, show: (col: number) => void, dtype?: string,
 *   predicts?: string }} place
 */
function describe(t, sum, { stack, layer, head, row, col, labels, show, dtype, predicts }) {
  const line = (/** @type {string} */ name, /** @type {string} */ number) =>
    h('p', { class: 'line' }, h('span', {}, ...rich(name)), h('strong', {}, number));
  const section = (/** @type {string} */ name, /** @type {Node[]} */ ...children) =>
    h('section', {}, h('h3', {}, name), ...children);
  /** What the scores in the table give: the model's own, or edited. @type {ReturnType<typeof mix>} */
  let now = sum;
  const inMap = decimal(sum.cell, SHARE);
  const answer = h('strong', {});
  const checked = h('p', { class: 'remark', 'aria-live': 'polite' });
  const mixture = h('div', {});
  const [total, all] = [h('td', {}), h('td', {})];

  const rows = labels.cols.map((label, j) => {
    const token = h('button', { type: 'button', class: 'token' }, label);
    token.addEventListener('click', () => show(j));
    const [power, share] = [h('td', {}), h('span', {})];
    const bar = h('span', { class: 'share' });
    const isMasked = sum.scores[j] === -Infinity;
    const input = h('input', {
      type: 'number',
      step: 0.5,
      value: sum.scores[j].toFixed(NUMBER),
      'aria-label': t.scoreOf(label),
    });
    input.addEventListener('input', () => {
      if (!Number.isFinite(input.valueAsNumber)) return;
      const scores = now.scores.slice();
      scores[j] = input.valueAsNumber;
      now = mix(scores, sum.values);
      draw();
    });
    const element = h(
      'tr',
      j === col ? { class: 'current', 'aria-current': 'true' } : {},
      h('th', { scope: 'row' }, token),
      h('td', {}, isMasked ? decimal(-Infinity) : input),
      power,
      h('td', {}, bar, share),
    );
    return {
      element,
      reset: () => (input.value = sum.scores[j].toFixed(NUMBER)),
      draw() {
        power.textContent = decimal(now.powers[j], SHARE);
        share.textContent = decimal(now.shares[j], SHARE);
        bar.style.setProperty('--strength', now.shares[j].toFixed(4));
      },
    };
  });
  const heads = [t.token, t.score, t.power, t.share].map((text) => h('th', { scope: 'col' }, text));
  const foot = h('tr', {}, h('th', { scope: 'row' }, t.rowSum), h('td', {}), total, all);
  const table = h(
    'table',
    {},
    h('thead', {}, h('tr', {}, ...heads)),
    h('tbody', {}, ...rows.map(({ element }) => element)),
    h('tfoot', {}, foot),
  );
  const again = h('button', { type: 'button' }, t.again);
  again.addEventListener('click', () => {
    now = sum;
    for (const row of rows) row.reset();
    draw();
  });

  function draw() {
    const here = decimal(now.shares[col], SHARE);
    answer.textContent = here;
    total.textContent = decimal(now.total, SHARE);
    all.textContent = decimal(add(now.shares), SHARE);
    for (const row of rows) row.draw();
    const isOwn = now === sum;
    again.hidden = isOwn;
    checked.textContent = isOwn ? `${t.check(here, inMap)} ${here === inMap ? '' : t.differs}` : t.edited(inMap);
    const value = sum.values[col];
    mixture.replaceChildren(
      blocks(['v', t.thisValue, t.mixed], [value, value.map((x) => now.shares[col] * x), now.mixed]),
    );
  }
  draw();

  return [
    h('p', { class: 'asks' }, `${t.asks(labels.rows[row], labels.cols[col])}: `, answer),
    h(
      'p',
      { class: 'remark' },
      `${t.place(t.stacks[stack], layer + 1, head + 1)}. `,
      predicts === undefined ? '' : t.predicts(predicts),
    ),
    section(
      t.products,
      blocks([t.query, t.key, t.product], [sum.query, sum.key, sum.products]),
      line(t.total, decimal(sum.dot, NUMBER)),
      ...(sum.isScaled
        ? [line(`${t.scaled} = ${decimal(Math.sqrt(sum.dk), NUMBER)}`, decimal(sum.scaled, NUMBER))]
        : [h('p', { class: 'remark' }, ...rich(t.unscaled))]),
      ...(sum.bias === undefined
        ? []
        : [
            line(t.bias(col - row), decimal(sum.bias, NUMBER)),
            line(t.biased, decimal(sum.scaled + sum.bias, NUMBER)),
            h('p', { class: 'remark' }, t.biasNote),
          ]),
      h('p', { class: 'remark' }, sum.masked ? t.masked : stack === 'decoder' ? t.allowed : ''),
    ),
    section(
      t.softmax,
      h('p', { class: 'remark' }, t.softmaxNote),
      h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t.softmax }, table),
      checked,
      again,
    ),
    section(t.values, h('p', { class: 'remark' }, t.valuesNote), mixture),
    h('p', { class: 'remark' }, dtype === 'int8' ? t.int8 : t.f32),
  ];
}
