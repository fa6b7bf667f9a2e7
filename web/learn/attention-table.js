// attention-table.js - a part of the chapter masking: the self-attention of a sentence in the loaded model's encoder,
// for each head and as their mean, with a look-ahead mask and a padding mask.

import { h } from '../lib/dom.js';
import { attentionName, choice, failure, flow, heat, readable, remark, shaped, slider, whenReady } from './kit.js';

/** What the table begins with. */
const SENTENCE = 'The cat sat on the mat';
/** Rows of padding at the end of the sentence. */
export const PADDED = 3;

/**
 * The shares of one head. A masked score is -Infinity.
 *
 * @param {import('./kit.js').Ops} parts
 * @param {{ rows: number, cols: number, data: ArrayLike<number> }} scores
 * @param {{ isAhead: boolean, from: number }} masks  isAhead: a word sees no later one; from: the first hidden column
 */
export function compute(parts, { rows, cols, data }, { isAhead, from }) {
  const masked = Array.from(data, (x, i) => ((isAhead && i % cols > Math.floor(i / cols)) || i % cols >= from
    ? -Infinity : x));
  return parts.softmax(shaped(rows, cols, masked));
}

/** @param {{ data: Float32Array }[]} maps  of one size */
export function meanOf(maps) {
  const sum = new Float32Array(maps[0].data.length);
  for (const { data } of maps) for (let i = 0; i < sum.length; i++) sum[i] += data[i] / maps.length;
  return { ...maps[0], data: sum };
}

/**
 * @param {HTMLElement} host @param {any} app @param {any} t  of this part @param {import('./kit.js').Ops} parts
 * @returns {() => void}
 */
export function mount(host, app, t, parts) {
  const given = { text: SENTENCE, layer: 0, head: -1, isAhead: false, isPadded: false, isHidden: true };
  const map = heat();
  const said = remark();
  const controls = h('div', { class: 'real' });
  let run = 0;

  async function show() {
    const mine = ++run;
    const { translator } = app.engine;
    const { ids, pieces } = await translator.tokenize(given.text);
    const { encoder_attention_heads: heads, pad_token_id: pad } = translator.config;
    const name = `${attentionName('encoder', given.layer)}.scores`;
    const plain = Array.from(ids, Number);
    // with the mask no layer sees padding: then the numbers are those of the sentence without it
    const isSeen = given.isPadded && !given.isHidden;
    const source = isSeen ? [...plain, ...Array(PADDED).fill(pad)] : plain;
    const { [name]: { data, shape: [, rows, cols] } } =
      await translator.inspect(source, [translator.config.eos_token_id], { names: [name] });
    if (mine !== run) return;
    const labels = [...Array.from(pieces, readable), ...(given.isPadded ? Array(PADDED).fill('<pad>') : [])];
    const [shownRows, all] = [plain.length, labels.length];
    const maps = Array.from({ length: heads }, (_, head) => {
      const of = data.subarray(head * rows * cols, (head + 1) * rows * cols);
      const scores = Array.from({ length: shownRows * all }, (_, i) => {
        const col = i % all;
        return col < cols ? of[Math.floor(i / all) * cols + col] : -Infinity;
      });
      return compute(parts, { rows: shownRows, cols: all, data: scores },
        { isAhead: given.isAhead, from: given.isHidden ? shownRows : all });
    });
    const chosen = given.head < 0 ? meanOf(maps) : maps[Math.min(given.head, heads - 1)];
    map.set({
      ...chosen, scale: 'sequential', whole: true, label: t.title, rowLabels: labels.slice(0, shownRows), colLabels: labels,
    });
    said.textContent = [given.isAhead ? t.ahead : '', given.isPadded ? (given.isHidden ? t.hidden : t.seen) : '']
      .filter(Boolean).join(' ') || t.plain;
  }
  const change = (/** @type {Partial<typeof given>} */ patch) => {
    Object.assign(given, patch);
    show().catch((error) => (said.textContent = failure(app, error)));
  };
  /** @param {string} label @param {boolean} now @param {(value: boolean) => void} set */
  const onOff = (label, now, set) =>
    choice(label, [true, false].map((value) => ({ value, text: value ? t.on : t.off })), now, set);

  host.append(h('h2', {}, t.title), h('p', {}, t.text), controls, map.element, said);
  return whenReady(app, controls, () => {
    const { translator } = app.engine;
    if (!translator.inspect) return void (said.textContent = app.strings.learn.needsInspect);
    const { encoder_layers: layers, encoder_attention_heads: heads } = translator.config;
    // another model may have fewer
    given.layer = Math.min(given.layer, layers - 1);
    given.head = Math.min(given.head, heads - 1);
    const input = h('input', { type: 'text', value: given.text, lang: 'en', autocomplete: 'off' });
    controls.replaceChildren(
      h('form', { class: 'flow', onsubmit(/** @type {SubmitEvent} */ event) {
        event.preventDefault();
        change({ text: input.value.trim() || SENTENCE });
      } }, h('label', { class: 'field' }, h('span', {}, t.input), input), h('button', { type: 'submit' }, t.show)),
      flow(
        slider(t.layer, { min: 1, max: layers, value: given.layer + 1 }, (layer) => change({ layer: layer - 1 })),
        choice(t.head, [{ value: -1, text: t.mean },
          ...Array.from({ length: heads }, (_, value) => ({ value, text: String(value + 1) }))], given.head,
        (head) => change({ head }))),
      flow(
        onOff(t.aheadMask, given.isAhead, (isAhead) => change({ isAhead })),
        onOff(t.padding, given.isPadded, (isPadded) => change({ isPadded })),
        onOff(t.paddingMask, given.isHidden, (isHidden) => change({ isHidden }))),
    );
    return show();
  });
}
