// model.js - chapter: the whole model as a diagram; each box shows what the loaded model computes there.

import { h } from '../lib/dom.js';
import { tokenName } from '../lib/token.js';
import { boxes, diagram } from './diagram.js';
import { attentionName, choice, decimal, failure, fedIn, flow, followSentence, heat, readable, remark } from './kit.js';
import { openSum } from './sum.js';

/** @typedef {import('./diagram.js').Box} Box */
/** @typedef {import('../../js/model/transformer.js').Tensor} Tensor */

const ATTENTION = ['weights', 'scores', 'q', 'k', 'v', 'context', 'output'];
const FFN = ['fc1', 'fc2'];
const GATED = ['fc1', 'fc1_linear', 'gated', 'fc2'];
const SSRU = ['forget', 'candidate', 'cell', 'output'];
const NORMS = {
  encoder: ['self_attn_layer_norm', 'final_layer_norm'],
  decoder: ['self_attn_layer_norm', 'encoder_attn_layer_norm', 'final_layer_norm'],
};
const LIKELIEST = 5;

/**
 * Names of a box's tensors in translator.inspect(). Without names, the box shows tokens.
 *
 * @param {Box} box
 * @param {number} layer
 * @param {boolean} [isRecurrent]
 * @param {Record<string, unknown>} [config]  of the model
 * @returns {string[]}
 */
export function tensorsOf({ id, stack }, layer, isRecurrent = false, config = {}) {
  const part = id.replace(/^.*\./, '');
  const inLayer = `${stack}.layers.${layer}`;
  if (id === 'source' || id === 'target') return [];
  if (id === 'output') return ['logits'];
  if (part === 'positions') return [`${stack}.${config.relative_buckets ? 'position_bias' : part}`, `${stack}.input`];
  if (part === 'self' || part === 'cross') {
    const prefix = attentionName(part === 'cross' ? 'cross' : stack, layer);
    return ATTENTION.map((name) => `${prefix}.${name}`);
  }
  if (part === 'ssru') return SSRU.map((name) => `${inLayer}.ssru.${name}`);
  if (isRecurrent && id === 'decoder.norm1') return [`${inLayer}.ssru_layer_norm`];
  if (part === 'ffn') return (config.gated_feed_forward ? GATED : FFN).map((name) => `${inLayer}.${name}`);
  if (part.startsWith('norm')) return [`${inLayer}.${NORMS[stack][Number(part.at(-1)) - 1]}`];
  return [`${stack}.${part}`];
}

/** @param {ArrayLike<number>} data  -Infinity is left out */
export function summary(data) {
  let [low, high, sum, count] = [Infinity, -Infinity, 0, 0];
  for (let i = 0; i < data.length; i++) {
    const x = data[i];
    if (x === -Infinity) continue;
    low = Math.min(low, x);
    high = Math.max(high, x);
    sum += x;
    count++;
  }
  return { low, high, mean: sum / count };
}

/** Ids of the largest of a row and their probabilities. @param {Float32Array} logits @param {number} count */
export function likeliest(logits, count) {
  const greatest = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  const total = logits.reduce((sum, x) => sum + Math.exp(x - greatest), 0);
  return Array.from(logits.keys())
    .sort((a, b) => logits[b] - logits[a])
    .slice(0, count)
    .map((id) => ({ id, share: Math.exp(logits[id] - greatest) / total }));
}

/** @param {HTMLElement} host @param {any} app @param {any} t */
export function mount(host, app, t) {
  const { engine } = app;
  const place = { box: /** @type {Box} */ (boxes('encoder', false)[3]), tensor: 0, layer: 0, head: 0 };
  const drawing = h('div', { class: 'drawing' });
  const panel = h('div', { class: 'opened', tabindex: -1, 'aria-live': 'off' });
  const said = h('p', { class: 'sentence' });
  const map = heat();
  /** @type {any} */
  let sentence;
  /** Why there is no sentence. @type {unknown} */
  let failed;
  /** Tensors of this sentence by name. @type {Map<string, Promise<Tensor>>} */
  let kept = new Map();
  /** Incremented with each request, so that late answers are dropped. */
  let run = 0;
  /** @type {ReturnType<typeof diagram>} */
  let picture;

  const ids = (/** @type {{ id: number }[]} */ tokens) => tokens.map(({ id }) => id);
  /** @param {string} name @returns {Promise<Tensor>} */
  function tensor(name) {
    let found = kept.get(name);
    if (!found) {
      found = engine.seen
        .inspect(ids(sentence.sourceTokens), ids(sentence.targetTokens), { names: [name] })
        .then((/** @type {Record<string, Tensor>} */ all) => all[name]);
      kept.set(name, /** @type {Promise<Tensor>} */ (found));
    }
    return /** @type {Promise<Tensor>} */ (found);
  }
  const source = () => sentence.sourceTokens.map((/** @type {{ piece: string }} */ { piece }) => readable(piece));
  const fed = () => fedIn(sentence.targetTokens, app.strings.learn.startToken);

  const isRecurrent = () => engine.seen?.config.decoder_cell === 'ssru';

  function drawDiagram() {
    const config = engine.status === 'ready' ? (engine.seen?.config ?? {}) : {};
    // a model with SSRUs lacks a box that the one before had, or has another
    const known = boxes(place.box.stack, false, isRecurrent());
    if (!known.some(({ id }) => id === place.box.id)) Object.assign(place, { box: known[3], tensor: 0 });
    const layers = config.encoder_layers
      ? { encoder: config.encoder_layers, decoder: config.decoder_layers }
      : undefined;
    picture = diagram(t, { isPre: config.normalize_before === true, isRecurrent: isRecurrent(), layers }, (box) => {
      Object.assign(place, { box, tensor: 0 });
      // on a narrow screen the tensors are below the diagram
      show().then(() => panel.scrollIntoView({ block: 'nearest' }));
    });
    drawing.replaceChildren(picture.element);
  }

  /** Rows after which what is likely, and how. @param {Tensor} logits */
  async function top({ shape: [rows, width], data }) {
    const names = new Map();
    const word = async (/** @type {number} */ id) => {
      if (!names.has(id)) names.set(id, await tokenName(engine.seen, id));
      return names.get(id);
    };
    const lines = [];
    for (let row = 0; row < rows; row++) {
      const best = likeliest(data.subarray(row * width, (row + 1) * width), LIKELIEST);
      const cells = await Promise.all(
        best.map(async ({ id, share }) =>
          h(
            'td',
            { class: id === sentence.targetTokens[row].id ? 'current' : '' },
            id === engine.seen.config.eos_token_id ? '</s>' : await word(id),
            ' ',
            h('span', { class: 'number' }, decimal(share)),
          ),
        ),
      );
      lines.push(h('tr', {}, h('th', { scope: 'row' }, fed()[row]), ...cells));
    }
    return h(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t.top },
      h('table', {}, h('caption', {}, t.top), h('tbody', {}, ...lines)),
    );
  }

  /** @param {string} side @param {{ piece: string, id: number }[]} tokens */
  const tokenList = (side, tokens) =>
    h(
      'figure',
      { class: 'grid wide' },
      h('figcaption', {}, `${side}. ${t.tokens}`),
      h(
        'ol',
        { class: 'tokens' },
        ...tokens.map(({ piece, id }) => h('li', {}, readable(piece), h('span', { class: 'number' }, String(id)))),
      ),
    );

  async function show() {
    const mine = ++run;
    const { box } = place;
    picture.mark(box.id);
    const title = h('h2', {}, `${box.id === 'output' ? '' : `${t[box.stack]}: `}${t.boxes[box.id]}`);
    if (!sentence || !engine.seen?.inspect) {
      const { needsModel, needsInspect } = app.strings.learn;
      panel.replaceChildren(title, remark(failed ? failure(app, failed) : sentence ? needsInspect : needsModel));
      return;
    }
    const layers = engine.seen.config[`${box.stack}_layers`];
    place.layer = Math.min(place.layer, layers - 1);
    const names = tensorsOf(box, place.layer, isRecurrent(), engine.seen.config);
    if (names.length === 0) {
      const { sourceTokens, targetTokens } = sentence;
      const start = { piece: app.strings.learn.startToken, id: engine.seen.config.decoder_start_token_id };
      // the decoder is fed what it wrote, after a token to start with
      const tokens = box.id === 'source' ? sourceTokens : [start, ...targetTokens.slice(0, -1)];
      panel.replaceChildren(title, tokenList(t.boxes[box.id], tokens));
      return;
    }
    const name = names[place.tensor];
    const change = (/** @type {Partial<typeof place>} */ patch) => {
      Object.assign(place, patch);
      show();
    };
    try {
      const found = await tensor(name);
      const shown = box.id === 'output' ? await top(found) : map.element;
      if (mine !== run) return;
      const heads = found.shape.length === 3 ? found.shape[0] : 0;
      place.head = Math.min(place.head, Math.max(heads - 1, 0));
      const { low, mean, high } = summary(found.data);
      const controls = [];
      if (names.length > 1) {
        controls.push(
          choice(
            t.tensor,
            names.map((full, value) => ({ value, text: full.replace(/^.*\./, '') })),
            place.tensor,
            (value) => change({ tensor: value }),
          ),
        );
      }
      if (box.inLayer && layers > 1) {
        controls.push(
          choice(
            t.layer,
            Array.from({ length: layers }, (_, value) => ({ value, text: String(value + 1) })),
            place.layer,
            (layer) => change({ layer }),
          ),
        );
      }
      if (heads > 1) {
        controls.push(
          choice(
            t.head,
            Array.from({ length: heads }, (_, value) => ({ value, text: String(value + 1) })),
            place.head,
            (head) => change({ head }),
          ),
        );
      }
      const focus = /** @type {HTMLElement | null} */ (document.activeElement);
      const index = focus && panel.contains(focus) ? focused(panel).indexOf(focus) : -1;
      panel.replaceChildren(
        title,
        flow(...controls),
        h(
          'p',
          { class: 'remark' },
          h('code', {}, name),
          ` ${t.shape(found.shape)}: ${t.range(...spell(low, mean, high))}`,
        ),
        shown,
      );
      if (index >= 0) focused(panel)[index]?.focus();
      if (shown === map.element) draw(box, name, found);
    } catch (error) {
      if (mine === run) panel.replaceChildren(title, remark(failure(app, error)));
    }
  }
  /** Numbers for a line of text. @param {...number} xs @returns {[string, string, string]} */
  const spell = (...xs) => /** @type {[string, string, string]} */ (xs.map((x) => decimal(x, 3)));
  /** What is redrawn is new; the control that was used keeps the focus. @param {HTMLElement} element */
  const focused = (element) =>
    /** @type {HTMLElement[]} */ ([...element.querySelectorAll('input, button, [tabindex]')]);

  /** @param {Box} box @param {string} name @param {Tensor} found */
  function draw(box, name, { shape, data }) {
    const isMap = shape.length === 3;
    const [rows, cols] = shape.slice(-2);
    const isCross = name.includes('.encoder_attn.');
    const ofSource = box.stack === 'encoder' || (isCross && /\.[kv]$/.test(name));
    const stack = isCross ? 'cross' : box.stack;
    map.set({
      data: isMap ? data.subarray(place.head * rows * cols, (place.head + 1) * rows * cols) : data,
      rows,
      cols,
      scale: /\.(weights|forget)$/.test(name) ? 'sequential' : 'diverging',
      label: t.map(name),
      rowLabels: ofSource ? source() : fed(),
      colLabels: isMap ? (stack === 'decoder' ? fed() : source()) : Array.from({ length: cols }, (_, i) => t.column(i)),
      onPick:
        isMap &&
        ((/** @type {number} */ row, /** @type {number} */ col) =>
          openSum(app, { sentence, stack, layer: place.layer, head: place.head, row, col })),
    });
    if (isMap) panel.append(remark(t.sum));
    else panel.append(remark(ofSource ? t.move : `${t.move} ${t.fedIn}`));
  }

  host.append(said, h('div', { class: 'model' }, drawing, panel));
  const stop = followSentence(app, (found, error) => {
    sentence = found;
    failed = error;
    kept = new Map();
    said.textContent = sentence ? `${t.sentence}: ${sentence.source} \u2192 ${sentence.target}` : '';
    drawDiagram();
    show();
  });
  return {
    unmount() {
      run++;
      stop();
    },
  };
}
