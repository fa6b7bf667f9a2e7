// translate.js - the room Translate: translates text as the user types, and shows speed and candidates. own.js handles
// the user's own models, trouble.js errors.

import { pairName } from '../engine.js';
import { debounce, h, on, svg } from '../lib/dom.js';
import { duration, languageName, megabytes } from '../lib/words.js';
import { showCandidates } from './candidates.js';
import { mountOwn } from './own.js';
import { showTrouble } from './trouble.js';

/** Milliseconds after the last key until the text is translated. */
const PAUSE = 250;
/** For longer texts, attention and scores are computed only when a room asks for them. */
const DETAILED = 2000;
/** Hypotheses of the wide search: the default, and the most. */
const [BEAMS, MOST] = [4, 8];
const SWAP = 'M2 6h13l-3.5-3.5M16 12H3l3.5 3.5';

/** @param {HTMLElement} host @param {any} app */
export function mount(host, app) {
  const { engine } = app;
  const t = app.strings.translate;
  /** @type {(() => void)[]} */
  const offs = [];
  /** Hypotheses of the search. */
  let beams = 1;
  /** The translation that is shown or running. */
  let shown = { text: '', beams: 0, translator: /** @type {any} */ (null) };

  const pairs = h('select', { 'aria-label': t.pair, onchange: () => choose(pairs.value) });
  const swap = h('button', { type: 'button', class: 'icon', 'aria-label': t.swap, onclick: swapPair },
    svg('svg', { viewBox: '0 0 18 18', width: 18, height: 18, 'aria-hidden': 'true', class: 'line' },
      svg('path', { d: SWAP })));
  const wide = h('input', { type: 'checkbox', onchange: () => app.set({ beams: wide.checked ? BEAMS : 0 }) });
  const sourceName = h('h2', {});
  const targetName = h('h2', {});
  const source = h('textarea', {
    'aria-label': t.sourceLabel, placeholder: t.placeholder, rows: 5, autocapitalize: 'sentences', autocomplete: 'off',
    value: app.state.text, oninput: () => {
      app.set({ text: source.value, sentence: 0 });
      showSize();
      later();
    },
  });
  const said = h('div', {
    class: 'said empty', role: 'region', 'aria-label': t.targetLabel, 'aria-live': 'polite', tabindex: 0,
  });
  const size = h('span', {});
  const clear = h('button', { type: 'button', class: 'plain', onclick: () => put('') }, t.clear);
  const copied = h('span', { role: 'status' });
  const copy = h('button', { type: 'button', class: 'plain', onclick: copyOut }, t.copy);
  const see = h('button', { type: 'button', class: 'primary', onclick: () => app.set({ room: 'see' }) }, t.see);
  const figures = h('p', { class: 'figures' });
  const trouble = h('div', {});
  const candidates = h('section', { class: 'candidates', 'aria-live': 'off' });
  const own = mountOwn(app, (model) => {
    app.set({ pair: '' });
    engine.load(model);
  });

  host.append(
    h('h1', {}, t.heading),
    h('p', { class: 'lead' }, t.lead),
    h('div', { class: 'tools' }, pairs, swap, h('label', { class: 'check end', title: t.beamsHint }, wide, t.beams)),
    trouble,
    h('div', { class: 'panes' },
      h('section', { class: 'pane' }, sourceName, source, h('div', { class: 'foot' }, size, clear)),
      h('section', { class: 'pane' }, targetName, said, h('div', { class: 'foot' }, copied, copy, see))),
    figures,
    h('p', { class: 'examples' }, h('span', {}, t.examples),
      t.exampleTexts.map((/** @type {string} */ text) =>
        h('button', { type: 'button', onclick: () => put(text) }, text))),
    candidates,
    own.element,
  );

  const later = debounce(() => run(), PAUSE);

  /** @param {string} text */
  function put(text) {
    source.value = text;
    app.set({ text, sentence: 0 });
    showSize();
    later.cancel();
    run();
    source.focus();
  }

  /** @param {string} name */
  function choose(name) {
    if (name === '') return;
    app.set({ pair: name });
    engine.load(name);
  }

  const reversed = () => engine.pairs.find((/** @type {import('../engine.js').Pair} */ p) =>
    p.source === engine.languages.to && p.target === engine.languages.from && engine.pair);

  function swapPair() {
    const pair = reversed();
    if (!pair) return;
    const text = said.classList.contains('empty') ? source.value : said.textContent;
    source.value = text;
    app.set({ text, sentence: 0 });
    choose(pairName(pair));
  }

  async function copyOut() {
    const done = await navigator.clipboard?.writeText(said.textContent).then(() => true, () => false);
    copied.textContent = done ? t.copied : t.copyFailed;
    setTimeout(() => (copied.textContent = ''), 3000);
  }

  function showSize() {
    const text = source.value;
    const segmenter = new Intl.Segmenter(engine.languages.from || 'und', { granularity: 'sentence' });
    const sentences = [...segmenter.segment(text)].filter(({ segment }) => segment.trim()).length;
    size.textContent = text ? t.size(sentences, text.length) : '';
    clear.hidden = text === '';
  }

  /** @param {string} text @param {boolean} busy */
  function say(text, busy) {
    said.classList.toggle('empty', text === '' && !busy);
    said.setAttribute('aria-busy', String(busy));
    said.textContent = text || (busy ? '' : t.waiting);
    copy.disabled = text === '' || busy;
    see.disabled = text === '';
  }

  function showPairs() {
    const { pairs: list, pair, languages: { from, to }, status } = engine;
    const options = list.map((/** @type {import('../engine.js').Pair} */ p) => h('option', { value: pairName(p) },
      t.pairOf(languageName(p.source), languageName(p.target))));
    const isOwn = pair === '' && status !== 'empty';
    if (isOwn || list.length === 0) {
      options.push(h('option', { value: '' }, from && to ? t.pairOf(languageName(from), languageName(to)) : t.ownPair));
    }
    pairs.replaceChildren(...options);
    pairs.value = isOwn ? '' : pair || pairs.value;
    swap.disabled = !reversed();
    swap.title = swap.disabled ? t.noSwap : t.swap;
    sourceName.textContent = t.source(from && languageName(from));
    targetName.textContent = t.target(to && languageName(to));
    source.lang = from;
    said.lang = to;
  }

  function showStatus() {
    showPairs();
    showSize();
    trouble.replaceChildren();
    if (engine.status === 'failed') {
      say('', false);
      figures.textContent = '';
      showTrouble(trouble, t, t.loadFailed, engine.error, () => engine.retry());
    } else if (engine.status === 'ready') run();
    else if (engine.status === 'loading') say('', false);
  }

  /** Translate the text in the box, unless its translation is shown already. */
  async function run() {
    const text = source.value;
    const { translator } = engine;
    const isShown = shown.text === text && shown.beams === beams && shown.translator === translator;
    if (engine.status !== 'ready' || isShown) return;
    const mine = (shown = { text, beams, translator });
    trouble.replaceChildren();
    if (!text.trim()) {
      engine.cancel();
      candidates.replaceChildren();
      figures.textContent = '';
      return say('', false);
    }
    say('', true);
    const start = performance.now();
    try {
      const options = { beams };
      const target = await engine.stream(text, options, (/** @type {string} */ soFar) =>
        mine === shown && say(soFar, true));
      const ms = performance.now() - start;
      if (mine !== shown) return;
      say(target, false);
      showFigures(ms, text.length);
      if (text.length > DETAILED) return candidates.replaceChildren();
      const { sentences } = await engine.detail(text, beams > 1 ? { beams, nBest: beams } : options);
      if (mine !== shown) return;
      const tokens = sentences.flatMap((/** @type {any} */ { targetTokens }) => targetTokens).length;
      showFigures(ms, text.length, tokens);
      showCandidates(candidates, t, beams > 1 ? sentences : []);
    } catch (error) {
      if (mine !== shown || !host.isConnected) return;
      shown = { text: '', beams: 0, translator: null };
      const { name } = /** @type {Error} */ (error);
      if (name === 'AbortError') return;
      say('', false);
      showTrouble(trouble, t, t.failed, error, run);
    }
  }

  /** @param {number} ms @param {number} characters @param {number} [tokens] */
  function showFigures(ms, characters, tokens) {
    const info = engine.translator?.info;
    const rate = tokens && tokens / (ms / 1000);
    figures.replaceChildren(
      h('span', {}, rate
        ? t.speed(tokens, duration(ms), rate.toFixed(0))
        : t.speedOfText(characters.toLocaleString('en'), duration(ms))),
      ...(info ? [h('span', {}, t.memory(megabytes(info.weightBytes), megabytes(info.memoryBytes))),
        h('span', {}, t.where(info.worker))] : []),
    );
  }

  /** @param {any} state */
  function search(state) {
    const before = beams;
    beams = Math.min(state.beams || 1, MOST);
    wide.checked = beams > 1;
    if (beams !== before) run();
  }

  search(app.state);
  offs.push(on(engine, 'status', showStatus));
  say('', false);
  showStatus();
  return {
    /** @param {any} state */
    update(state) {
      if (state.text !== source.value) {
        source.value = state.text;
        showSize();
        later();
      }
      search(state); // may translate the text in the box
    },
    unmount() {
      later.cancel();
      shown = { text: '', beams: 0, translator: null };
      for (const off of offs) off();
      own.unmount();
      host.remove();
    },
  };
}
