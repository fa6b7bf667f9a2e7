// translate.js - the room Translate: translates text as the user types, and shows speed and candidates. live.js keeps
// the translation up to date, pane.js shows it, own.js handles the user's own models, trouble.js errors.

import { pairName } from '../engine.js';
import { debounce, h, on } from '../lib/dom.js';
import { duration, languageName, megabytes } from '../lib/words.js';
import { EXAMPLES, FIRST } from './examples.js';
import { Live } from './live.js';
import { mountPane } from './pane.js';
import { mountOwn } from './own.js';
import { readTerms } from './read-terms.js';
import { showTrouble } from './trouble.js';

/** Milliseconds from a key to the translation: keys that come together are one change. */
const PAUSE = 30;
/** Milliseconds without a key until the language of the text is guessed, and the letters that it needs. */
const [REST, ENOUGH] = [800, 15];
/** A guess is told from this confidence on. */
const SURE = 0.7;
/** For longer texts, the candidates are not listed, and the beginning is enough to guess. */
const LISTED = 2000;
/** Hypotheses of the wide search: the default, and the most. */
const [BEAMS, MOST] = [4, 8];

/** @param {HTMLElement} host @param {any} app */
export function mount(host, app) {
  const { engine } = app;
  const t = app.strings.translate;
  /** @type {(() => void)[]} */
  const offs = [];
  /** Hypotheses of the search; 0: as many as the model wants. */
  let beams = 0;
  /** Whether the pane has no translation. */
  let isEmpty = true;
  /** Whether the text is that of the page. */
  let isUntouched = Object.values(FIRST).includes(app.state.text);
  /** What the user cleared. */
  let lost = '';
  /** The model that translates, and how many there were before it. */
  let [translator, generation] = [/** @type {any} */ (null), 0];
  /** What has an exact translation, and how the user wrote it. @type {{ terms: Map<string, string>, text: string }} */
  let glossary = { terms: readTerms(app.kept('terms')).terms, text: app.kept('terms') };
  /** Closes the list of alternatives, which is about this word. */
  let closeList = () => {};
  /** @type {HTMLElement | undefined} */
  let asked;

  const wide = h('input', { type: 'checkbox', onchange: () => app.set({ beams: wide.checked ? BEAMS : 0 }) });
  const sourceName = h('h2', {});
  const targetName = h('h2', {});
  const source = h('textarea', {
    'aria-label': t.sourceLabel, placeholder: t.placeholder, rows: 5, autocapitalize: 'sentences', autocomplete: 'off',
    value: app.state.text, oninput: () => {
      app.set({ text: source.value, sentence: 0 });
      lost = '';
      isUntouched = false;
      showSize();
      later();
      guess();
    },
  });
  const mirror = h('div', { class: 'mirror', 'aria-hidden': 'true' });
  const said = h('div', {
    class: 'said empty', role: 'region', 'aria-label': t.targetLabel, 'aria-live': 'polite', tabindex: 0,
  });
  const size = h('span', {});
  const clear = h('button', {
    type: 'button', class: 'plain', onclick: () => {
      const text = lost;
      lost = text ? '' : source.value;
      put(text);
    },
  }, t.clear);
  const guessed = h('p', { class: 'guessed', role: 'status', hidden: true });
  const done = h('span', { class: 'done' });
  const copied = h('span', { role: 'status' });
  const copy = h('button', { type: 'button', class: 'plain', onclick: copyOut }, t.copy);
  const see = h('button', { type: 'button', class: 'primary', onclick: () => app.set({ room: 'see' }) }, t.see);
  const figures = h('p', { class: 'figures' });
  const trouble = h('div', {});
  const troubleHere = h('div', {});
  const candidates = h('section', { class: 'candidates', 'aria-live': 'off' });
  const targetPane = h('section', { class: 'pane' },
    h('div', { class: 'head' }, targetName, h('label', { class: 'check', title: t.beamsHint }, wide, t.beams)),
    troubleHere, said,
    h('div', { class: 'foot' }, done, copied, copy, see));
  const examples = h('p', { class: 'examples' });
  const unplaced = h('p', { class: 'remark unplaced', role: 'status' });
  const pane = mountPane({ said, source, mirror, language: () => engine.languages.from, ask });
  const own = mountOwn(app, (model) => {
    app.set({ pair: '' });
    engine.load(model);
  });

  const later = debounce(() => run(), PAUSE);
  const guess = debounce(() => guessLanguage(), REST);
  const search = () => ({
    ...(beams > 0 && { beams, nBest: beams }), ...(glossary.terms.size > 0 && { glossary: glossary.terms }),
  });
  const live = new Live({
    translate: (text, signal) => engine.translator.translateDetailed(text, { ...search(), signal }),
    show: showWork,
    fail(error) {
      if (!host.isConnected || /** @type {Error} */ (error).name === 'AbortError') return;
      said.setAttribute('aria-busy', 'false');
      done.textContent = '';
      showTrouble(troubleHere, t, t.failed, error, run);
    },
  });
  const termsTrouble = h('p', { class: 'remark', role: 'status' });
  const terms = h('details', { class: 'terms', open: glossary.text !== '', ontoggle: () => terms.open && openTerms() },
    h('summary', {}, t.terms.title), termsTrouble);

  host.append(
    h('h1', {}, t.heading),
    h('p', { class: 'lead' }, t.lead),
    trouble,
    h('div', { class: 'panes' },
      h('section', { class: 'pane' },
        h('div', { class: 'head' }, sourceName), h('div', { class: 'text' }, mirror, source), guessed,
        h('div', { class: 'foot' }, size, clear)),
      targetPane),
    unplaced,
    figures,
    h('p', { class: 'remark limits' }, t.limits),
    examples,
    candidates,
    terms,
    own.element,
  );

  /** The panel of the glossary, which few people open. */
  async function openTerms() {
    const module = await import('./terms.js').catch((error) => {
      termsTrouble.textContent = error.message;
    });
    if (!module || !host.isConnected || !termsTrouble.isConnected) return;
    const panel = module.mountTerms(t.terms, glossary.text, (found, text) => {
      if (text === glossary.text) return;
      glossary = { terms: found, text };
      app.kept('terms', text);
      later();
    });
    termsTrouble.replaceWith(...panel.children);
    offs.push(panel.unmount);
  }

  /** @param {string} text */
  function put(text) {
    isUntouched = false;
    guessed.hidden = true;
    source.value = text;
    app.set({ text, sentence: 0 });
    showSize();
    later.cancel();
    run();
    source.focus();
  }

  async function copyOut() {
    const done = await navigator.clipboard?.writeText(said.textContent).then(() => true, () => false);
    copied.textContent = done ? t.copied : t.copyFailed;
    setTimeout(() => (copied.textContent = ''), 3000);
  }

  function showSize() {
    const text = source.value;
    size.textContent = text ? t.size(text.length) : '';
    clear.textContent = lost ? t.undo : t.clear;
    clear.hidden = text === '' && lost === '';
  }

  /** A note instead of a translation. @param {string} text */
  function note(text) {
    closeList();
    pane.note(text);
    isEmpty = true;
    said.classList.add('empty');
    said.setAttribute('aria-busy', 'false');
    done.textContent = figures.textContent = unplaced.textContent = '';
    candidates.replaceChildren();
    copy.disabled = see.disabled = true;
  }

  /** @param {import('./live.js').Work} work */
  function showWork({ pieces, waiting, tokens, ms }) {
    const total = pieces.filter(({ text }) => text !== '').length;
    const hasText = pieces.some(({ target }) => target !== '');
    if (total === 0) return note(t.waiting);
    if (waiting === 0 && !hasText) return note(t.nothing);
    isEmpty = !hasText;
    said.setAttribute('aria-live', 'polite');
    if (hasText) pane.show(pieces);
    else pane.note('');
    if (!asked?.isConnected) closeList();
    said.classList.toggle('empty', isEmpty && waiting === 0);
    said.setAttribute('aria-busy', String(waiting > 0));
    done.textContent = waiting > 0 && total > 1 ? t.done(total - waiting, total) : '';
    copy.disabled = isEmpty || waiting > 0;
    see.disabled = isEmpty;
    if (waiting > 0) return;
    if (tokens > 0) showFigures(ms, tokens);
    const sentences = pieces.flatMap(({ parts = [] }) => parts);
    const lostTerms = sentences.flatMap(({ glossary: found = [] }) =>
      found.filter(({ targetStart }) => targetStart < 0).map(({ term }) => term));
    unplaced.textContent = lostTerms.length > 0 ? t.terms.lost([...new Set(lostTerms)]) : '';
    list(beams > 1 && source.value.length <= LISTED ? sentences : []);
  }

  /** @type {import('../../js/translate/detail.js').TranslatedSentence[]} */
  let listed = [];
  /** The other hypotheses of the search. @param {typeof listed} sentences */
  async function list(sentences) {
    listed = sentences;
    if (listed.length === 0) return candidates.replaceChildren();
    const { showCandidates } = await import('./candidates.js');
    showCandidates(candidates, t, listed);
  }

  /** What else could stand there. @param {import('./pane.js').Word} word */
  async function ask(word) {
    const { openAlternatives } = await import('./alternatives.js');
    if (!word.element.isConnected) return;
    closeList();
    asked = word.element;
    closeList = openAlternatives({
      frame: host, t, translator: engine.translator, options: { ...search(), nBest: 1 },
      choose: ({ piece, part }, other) => live.choose(piece.text,
        (piece.parts ?? []).map((one) => (one === part ? { ...other, start: part.start } : one))),
    }, word);
  }

  /** Asks whether the text is in another language that the page has a model for. */
  async function guessLanguage() {
    const text = source.value.trim();
    guessed.hidden = true;
    if (text.replace(/\P{L}/gu, '').length < ENOUGH || engine.pairs.length < 2) return;
    try {
      const { languageOf } = await import('./guess.js');
      const { detectedLanguage, confidence } = await languageOf(text.slice(0, LISTED));
      const { from, to } = engine.languages;
      const target = detectedLanguage === to ? from : to;
      const pair = engine.pairs.find((/** @type {import('../engine.js').Pair} */ p) =>
        p.source === detectedLanguage && p.target === target);
      if (!host.isConnected || source.value.trim() !== text || from === detectedLanguage) return;
      if (!pair || confidence < SURE) return;
      guessed.replaceChildren(t.looksLike(languageName(detectedLanguage)), ' ', h('button', {
        type: 'button', onclick: () => {
          guessed.hidden = true;
          app.choose(pairName(pair));
        },
      }, t.translateFrom(languageName(pair.source), languageName(pair.target))));
      guessed.hidden = false;
    } catch {
      // a guess that cannot be made is none
    }
  }

  /** @param {string} language  of the text */
  function showExamples(language) {
    // an untouched page begins with a text in the language that is translated
    if (isUntouched && engine.status === 'ready' && FIRST[language] && source.value !== FIRST[language]) {
      source.value = FIRST[language];
      app.set({ text: source.value });
    }
    examples.replaceChildren(h('span', {}, t.examples),
      ...(EXAMPLES[language] ?? EXAMPLES.en).map((text) =>
        h('button', {
          type: 'button', lang: language, onclick: () => {
            lost = '';
            put(text);
          },
        }, text)));
  }

  function showLanguages() {
    const { from, to } = engine.languages;
    showExamples(from);
    sourceName.textContent = t.source(from && languageName(from));
    targetName.textContent = t.target(to && languageName(to));
    source.lang = from;
    said.lang = to;
  }

  function showStatus() {
    showLanguages();
    showSize();
    for (const place of [trouble, own.trouble]) place.replaceChildren();
    if (engine.status === 'failed') {
      note('');
      if (!engine.pair) own.element.open = true;
      showTrouble(engine.pair ? trouble : own.trouble, t, t.loadFailed, engine.error, () => engine.retry());
    } else if (engine.status === 'ready') {
      if (engine.translator !== translator) generation++;
      ({ translator } = engine);
      run();
    } else if (engine.status === 'loading') {
      guessed.hidden = true;
      live.stop();
      showDownload();
    }
  }

  function showDownload() {
    if (engine.status !== 'loading') return;
    said.setAttribute('aria-live', 'off'); // the status in the header is announced
    note(engine.size ? t.downloading(megabytes(engine.progress * engine.size), megabytes(engine.size)) : '');
  }

  /** Translates the text in the box. */
  function run() {
    if (engine.status !== 'ready') return;
    troubleHere.replaceChildren();
    engine.use({
      ...(beams > 0 && { beams }), ...(glossary.terms.size > 0 && { glossary: Object.fromEntries(glossary.terms) }),
    });
    live.update(source.value, engine.languages.from, `${generation} ${beams} ${glossary.text}`);
  }

  /** @param {number} ms @param {number} tokens */
  function showFigures(ms, tokens) {
    const info = engine.translator?.steps.length === 1 ? engine.translator.info : undefined; // of one model
    figures.replaceChildren(
      h('span', {}, t.speed(tokens, duration(ms), (tokens / (ms / 1000)).toFixed(0))),
      ...(info ? [h('span', {}, t.memory(megabytes(info.weightBytes), megabytes(info.memoryBytes))),
        h('span', {}, t.where(info.worker))] : []),
    );
  }

  /** @param {any} state @returns {boolean}  whether they changed */
  function takeBeams(state) {
    const before = beams;
    beams = Math.min(state.beams, MOST);
    wide.checked = beams > 1;
    return beams !== before;
  }

  takeBeams(app.state);
  offs.push(on(engine, 'status', showStatus), on(engine, 'progress', showDownload));
  note('');
  showStatus();
  return {
    /** @param {any} state */
    update(state) {
      if (state.text !== source.value) {
        source.value = state.text;
        isUntouched = false;
        showSize();
        later();
        guessed.hidden = true;
        guess();
      }
      if (takeBeams(state)) run();
    },
    // the rest of a translation that is not finished would be lost
    translation: () => (copy.disabled ? '' : said.textContent ?? ''),
    unmount() {
      later.cancel();
      guess.cancel();
      closeList();
      live.stop();
      pane.unmount();
      for (const off of offs) off();
      own.unmount();
      host.remove();
    },
  };
}
