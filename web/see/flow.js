// flow.js - the view Flow: the way from the text to the next token of the translation, opened step by step, with the
// model's own numbers. The end of the way is the start of the next token's.
//
//   tokens -> embedding -> layers of the encoder -> heads of the decoder's layers -> one vector -> logits -> token

import { palette } from '../lib/colors.js';
import { h } from '../lib/dom.js';
import { heatmap, onTheme } from '../lib/matrix.js';
import { isSpecial, readable, textOf } from '../lib/pieces.js';
import { shrinkInto } from '../lib/tiles.js';
import { fixed, percent } from '../lib/words.js';
import { meanOf, sidesOf, signed } from './maps.js';

/** @typedef {import('../../js/model/transformer.js').Tensor} Tensor */

/** Tokens in the list of the most probable ones. */
const LISTED = 8;
/** The longest side of a picture, in pixels of its own. */
const MOST = 256;

/**
 * The most probable tokens of a row of logits, the best first.
 *
 * @param {Float32Array} logits
 * @param {number} temperature  the logits are divided by it
 * @param {number} count
 */
export function likely(logits, temperature, count) {
  const greatest = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  const power = (/** @type {number} */ x) => Math.exp((x - greatest) / temperature);
  const total = logits.reduce((sum, x) => sum + power(x), 0);
  return Array.from(logits.keys()).sort((a, b) => logits[b] - logits[a]).slice(0, count)
    .map((id) => ({ id, logit: logits[id], share: power(logits[id]) / total }));
}

/**
 * A relative position bias by distance: a row for each head, a column for each place of the key, from the first token
 * before the query to the last one after it. A decoder has none after it.
 *
 * @param {Tensor} bias  [heads, n, n]
 * @param {boolean} isCausal
 */
export function byDistance({ shape: [heads, n], data }, isCausal) {
  const cols = isCausal ? n : 2 * n - 1;
  return {
    rows: heads, cols, data: Float32Array.from({ length: heads * cols }, (_, i) => {
      const distance = (i % cols) - (n - 1);
      const row = Math.max(0, -distance);
      return data[(Math.floor(i / cols) * n + row) * n + row + distance];
    }),
  };
}

/**
 * What this model makes of a token, and of the last vector: families differ.
 *
 * @param {Record<string, any>} config @param {any} t  the view's texts
 */
export function notesOf(config, t) {
  const { d_model: width, scale_embedding: isScaled, normalize_embedding: isNormed, scale_logits: isDivided } = config;
  const hasPositions = config.positions !== 'none';
  const join = (/** @type {any[]} */ notes) => notes.filter(Boolean).join(' ');
  return {
    embedding: join([t.embeddingNote(width), isScaled && t.timesNote(width),
      hasPositions ? t.positionNote : t.distanceNote, isNormed && t.normedNote]),
    logits: join([config.tie_word_embeddings ? t.tiedNote : t.ownNote, isDivided && t.dividedNote(width),
      t.softmaxNote]),
  };
}

/** @param {HTMLElement} host @param {any} app */
export function mount(host, app) {
  const { engine, strings: { see } } = app;
  const t = see.flowView;
  /** @type {any} */
  let sentence;
  /** @type {Record<string, Tensor> | null} */
  let tensors = null;
  /** The target token that is being written. */
  let at = 0;
  let temperature = 1;
  let run = 0;
  /** @type {{ element: HTMLDetailsElement, draw: () => void }[]} */
  let stages = [];
  /** Maps with listeners. @type {Set<{ destroy: () => void }>} */
  const maps = new Set();

  const written = h('p', { class: 'written', 'aria-live': 'polite' });
  const steps = h('div', { class: 'flow-steps' });
  const status = h('p', { class: 'remark', role: 'status' });
  const next = h('button', { type: 'button', class: 'primary', onclick: () => {
    const closed = stages.find(({ element }) => !element.open)?.element;
    // its own event draws it
    if (closed) {
      closed.open = true;
      closed.scrollIntoView({ block: 'nearest' });
    } else go((at + 1) % sentence.targetTokens.length);
  } });
  const all = h('button', { type: 'button', onclick: () => {
    const isOpen = stages.some(({ element }) => !element.open);
    for (const { element } of stages) element.open = isOpen;
  } }, t.all);
  // without tensors there is nothing to open
  const controls = h('div', { class: 'controls', hidden: true }, written, next, all);
  host.append(h('p', { class: 'remark' }, t.lead), controls, steps, status);

  const ids = (/** @type {{ id: number }[]} */ tokens) => tokens.map(({ id }) => id);
  const chips = (/** @type {string[]} */ names) => h('ol', { class: 'chips' }, names.map((name) => h('li', {}, name)));
  const rowOf = (/** @type {Tensor} */ { shape: [, cols], data }, /** @type {number} */ row) =>
    ({ rows: 1, cols, data: /** @type {Float32Array} */ (data.subarray(row * cols, (row + 1) * cols)) });
  const whole = (/** @type {Tensor} */ { shape: [rows, cols], data }) => ({ rows, cols, data });

  /** Numbers as colours. @param {{ rows: number, cols: number, data: ArrayLike<number> }} map
   * @param {string} label @param {'sequential' | 'diverging'} [scale] */
  function picture(map, label, scale = 'diverging') {
    const canvas = h('canvas', { class: map.rows === 1 ? 'strip' : 'strip tall', role: 'img', 'aria-label': label });
    let reach = scale === 'sequential' ? 1 : 1e-9;
    for (let i = 0; i < map.data.length; i++) reach = Math.max(reach, Math.abs(map.data[i]));
    shrinkInto(canvas, { ...map, scale, reach }, palette(), Math.min(map.cols, MOST), Math.min(map.rows, MOST));
    return h('figure', {}, canvas, h('figcaption', {}, `${label}: ${map.rows}\u00a0\u00d7\u00a0${map.cols}`));
  }

  /** What each head of a layer looks at for this token. @param {'decoder' | 'cross'} stack @param {number} layer */
  function heads(stack, layer) {
    const { shape: [, count, rows, cols], data } = sentence.attention[stack];
    const sides = sidesOf(sentence, stack, see.start);
    const used = stack === 'decoder' ? at + 1 : cols;
    const place = h('div', {});
    const label = `${see.stacks[stack]}, ${see.layer} ${layer + 1}`;
    const options = {
      rows: count, cols: used, whole: true, label,
      rowLabels: Array.from({ length: count }, (_, i) => `${see.head} ${i + 1}`),
      colLabels: sides.cols.slice(0, used),
      data: Float32Array.from({ length: count * used }, (_, i) =>
        data[((layer * count + Math.floor(i / used)) * rows + at) * cols + (i % used)]),
    };
    // it measures itself, so it needs its place first
    queueMicrotask(() => place.isConnected && maps.add(heatmap(place, options)));
    return h('figure', {}, place, h('figcaption', {}, label));
  }

  function logits() {
    const { logits: found } = /** @type {Record<string, Tensor>} */ (tensors);
    const list = h('ol', { class: 'likely' });
    const shown = h('output', {});
    const slider = h('input', { type: 'range', min: 0.1, max: 3, step: 0.1, value: temperature, oninput: () => {
      temperature = slider.valueAsNumber;
      fill();
    } });
    async function fill() {
      shown.textContent = fixed(temperature, 1);
      const best = likely(rowOf(found, at).data, temperature, LISTED);
      const { config } = engine.seen;
      const given = sentence.targetTokens[at];
      const names = await Promise.all(best.map(async ({ id }) =>
        (id === config.eos_token_id ? '</s>' : (await engine.seen.detokenize([id])).trim()
          || (id === given.id ? readable(given.piece) : `#${id}`))));
      list.replaceChildren(...best.map(({ id, logit, share }, i) => {
        const item = h('li', { class: id === sentence.targetTokens[at].id ? 'first' : '' }, h('span', {}, names[i]),
          h('span', { class: 'number' }, signed(logit)), h('span', { class: 'share' }, percent(share)));
        item.style.setProperty('--share', share.toFixed(4));
        return item;
      }));
    }
    fill();
    const { id, piece } = sentence.targetTokens[at];
    const isGiven = isSpecial(piece) && id !== engine.seen.config.eos_token_id;
    return [isGiven && h('p', { class: 'remark' }, t.givenNote),
      h('label', { class: 'field' }, h('span', {}, t.temperature, ' \u03c4 = ', shown), slider), list];
  }

  /** The steps of the way: title, explanation, content. @returns {[string, string, () => unknown][]} */
  function way() {
    const all_ = /** @type {Record<string, Tensor>} */ (tensors);
    const source = sidesOf(sentence, 'encoder', see.start).cols;
    const fed = sidesOf(sentence, 'cross', see.start).fed ?? [];
    const { encoder, decoder, cross } = sentence.attention;
    const [width] = all_['encoder.output'].shape.slice(-1);
    const notes = notesOf(engine.seen.config, t);
    const distances = (/** @type {'encoder' | 'decoder'} */ stack) => {
      const bias = all_[`${stack}.position_bias`];
      return bias && picture(byDistance(bias, stack === 'decoder'), t.distances);
    };
    const layersOf = (/** @type {number} */ n) => Array.from({ length: n }, (_, layer) => layer);
    return [
      [t.tokens, t.tokensNote, () => chips(source)],
      [t.embedding, notes.embedding, () => [picture(whole(all_['encoder.input']), t.vectors), distances('encoder')]],
      ...layersOf(encoder.shape[0]).map((layer) => /** @type {[string, string, () => unknown]} */ ([
        t.encoderLayer(layer + 1), t.encoderNote, () => [
          picture(meanOf(sentence, 'encoder', layersOf(encoder.shape[1]).map((head) => [layer, head])), t.mean,
            'sequential'),
          picture(whole(all_[`encoder.layers.${layer}.self_attn.output`]), t.adds),
          picture(whole(all_[`encoder.layers.${layer}.fc2`]), t.thinks)]])),
      [t.memory, t.memoryNote, () => picture(whole(all_['encoder.output']), t.vectors)],
      [t.fed, t.fedNote, () => [chips(fed.slice(0, at + 1)), picture(rowOf(all_['decoder.input'], at), fed[at]),
        distances('decoder')]],
      ...layersOf(cross.shape[0]).map((layer) => /** @type {[string, string, () => unknown]} */ ([
        t.decoderLayer(layer + 1), t.decoderNote,
        () => [decoder.shape[0] > 0 && heads('decoder', layer), heads('cross', layer)]])),
      [t.vector, t.vectorNote(width), () => picture(rowOf(all_['decoder.output'], at), t.vectors)],
      [t.logits, notes.logits, logits],
    ];
  }

  function release() {
    for (const map of maps) map.destroy();
    maps.clear();
  }

  /** What is open stays open. */
  function build() {
    release();
    const open = stages.map(({ element }) => element.open);
    stages = way().map(([title, note, content], i) => {
      const body = h('div', { class: 'stage' });
      const element = h('details', { open: open[i] ?? i === 0, ontoggle: () => (draw(), tell()) },
        h('summary', {}, `${i + 1}. ${title}`), h('p', { class: 'remark' }, note), body);
      const draw = () => {
        if (element.open && !body.hasChildNodes()) body.append(...[content()].flat().filter(Boolean));
      };
      return { element, draw };
    });
    steps.replaceChildren(...stages.map(({ element }) => element));
    for (const { draw } of stages) draw();
    tell();
  }

  function tell() {
    const tokens = sentence.targetTokens;
    written.replaceChildren(t.written, ' ', h('span', { lang: engine.languages.to },
      textOf(tokens.slice(0, at).map((/** @type {any} */ { piece }) => piece)
        .filter((/** @type {string} */ piece) => !isSpecial(piece)))), ' ',
    h('mark', {}, '?'));
    const closed = stages.find(({ element }) => !element.open);
    const title = closed?.element.querySelector('summary')?.textContent;
    next.textContent = title ? t.open(title)
      : at + 1 < tokens.length ? t.write(readable(tokens[at].piece)) : t.again;
    all.textContent = closed ? t.all : t.none;
  }

  /** @param {number} token */
  function go(token) {
    at = token;
    if (tensors) build();
  }

  async function load() {
    const mine = ++run;
    const [layers] = sentence.attention.encoder.shape;
    const names = ['encoder.input', 'encoder.output', 'decoder.input', 'decoder.output', 'logits',
      ...Array.from({ length: layers }, (_, i) => ['self_attn.output', 'fc2'].map((name) =>
        `encoder.layers.${i}.${name}`)).flat(),
      ...(engine.seen.config.relative_buckets > 0 ? ['encoder.position_bias', 'decoder.position_bias'] : [])];
    try {
      const found = await engine.seen.inspect(ids(sentence.sourceTokens), ids(sentence.targetTokens), { names });
      if (mine !== run) return;
      tensors = found;
      status.textContent = '';
      go(0);
      controls.hidden = false;
    } catch (error) {
      if (mine === run) status.textContent = `${see.failed} ${error instanceof Error ? error.message : error}`;
    }
    if (mine === run) steps.setAttribute('aria-busy', 'false');
  }

  const off = onTheme(() => tensors && build());
  return {
    /** @param {any} given */
    update(given) {
      if (given === sentence) return;
      sentence = given;
      tensors = null;
      controls.hidden = true;
      steps.setAttribute('aria-busy', 'true');
      load();
    },
    /** @returns {import('../lib/export.js').Exports | null} */
    exports() {
      if (!tensors) return null;
      const best = likely(rowOf(tensors.logits, at).data, temperature, LISTED);
      const names = best.map(({ id }) => String(id));
      return {
        name: `heed-flow-${at + 1}`,
        svg: ({ matrixSvg }) => matrixSvg({
          data: best.map(({ share }) => share), rows: best.length, cols: 1, rowLabels: names,
          colLabels: [t.logits], label: `${t.logits}, \u03c4 = ${fixed(temperature, 1)}`,
        }),
        rows: () => [['id', 'logit', 'probability'], ...best.map(({ id, logit, share }) => [id, logit, share])],
        json: () => ({ source: sentence.source, target: sentence.target, token: at, temperature, likely: best }),
      };
    },
    unmount() {
      run++;
      off();
      release();
    },
  };
}
