// see.js - the room See: the attention of the translated sentence, in ten views, of which a model has nine or ten.
// One view is open at a time. Each view is one file; all use one TranslatedSentence.

import { h, on } from '../lib/dom.js';
import { languageName, targetOf } from '../lib/words.js';
import { stacksOf } from './maps.js';

/**
 * A view. update() is called when the sentence or the state changes; exports() returns the visible data to save.
 *
 * @typedef {{ update: (sentence: any, state: any) => void, exports: () => import('../lib/export.js').Exports | null,
 *   unmount: () => void }} View
 */

/** @typedef {(host: HTMLElement, app: any) => View} Mount */

/**
 * Each is loaded when it is opened; few models have gates.
 *
 * @type {Record<string, () => Promise<{ mount: Mount }>>}
 */
const VIEWS = {
  heads: () => import('./heads.js'),
  flow: () => import('./flow.js'),
  matrix: () => import('./matrix.js'),
  neuron: () => import('./neuron.js'),
  layers: () => import('./layers.js'),
  gates: () => import('./gates.js'),
  alignment: () => import('./alignment.js'),
  occlusion: () => import('./occlusion.js'),
  ablation: () => import('./ablation.js'),
  beam: () => import('./beam.js'),
};
/** mount() of those that were opened. @type {Record<string, Mount>} */
const loaded = {};
const KINDS = /** @type {const} */ (['PNG', 'SVG', 'CSV', 'JSON']);

/** A decoder has self-attention or gates. @param {any} sentence */
const hasGates = (sentence) => !stacksOf(sentence).includes('decoder');

/** @type {Promise<void> | undefined} */
let styling;

/** The style sheet of this room, loaded once. */
function useStyles() {
  styling ??= new Promise((resolve) => {
    const href = new URL('./see.css', import.meta.url).href;
    document.head.append(h('link', { rel: 'stylesheet', href, onload: () => resolve(), onerror: () => resolve() }));
  });
  return styling;
}

/** @param {HTMLElement} host @param {any} app */
export function mount(host, app) {
  const t = app.strings.see;
  const { engine } = app;
  /** What is shown. @type {any} */
  let result = null;
  /** @type {{ id: string, view: View } | undefined} */
  let open;
  let isMounted = true;
  /** The text and the translator of the run under way. @type {{ text: string, translator: any } | null} */
  let asked = null;

  const links = Object.keys(VIEWS).map((id) => h('a', {
    href: `#/see/${id}`,
    onclick(/** @type {MouseEvent} */ event) {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      app.set({ room: 'see', view: id });
    },
  }, t.views[id]));
  // few models have gates
  links[Object.keys(VIEWS).indexOf('gates')].hidden = true;
  const input = h('input', { type: 'text', 'aria-label': t.text, autocomplete: 'off', value: app.state.text });
  const form = h('form', {
    class: 'ask', onsubmit(/** @type {SubmitEvent} */ event) {
      event.preventDefault();
      app.set({ text: input.value, sentence: 0 });
    },
  }, input, h('button', { type: 'submit' }, t.translate));
  const sentences = h('select', { onchange: () => app.set({ sentence: Number(sentences.value) }) });
  const chooser = h('label', { class: 'field' }, h('span', {}, t.sentence), sentences);
  const models = h('select', { onchange: () => engine.look(Number(models.value)) });
  const chosen = h('label', { class: 'field', hidden: true }, h('span', {}, t.model), models);
  const spoken = h('p', { class: 'pair' });
  const listed = h('p', { class: 'remark' });
  const body = h('div', { class: 'view' });
  const trouble = h('p', { class: 'remark', role: 'status' });
  const savers = h('div', { class: 'saves', role: 'group', 'aria-label': t.export },
    h('span', { 'aria-hidden': 'true' }, t.export),
    KINDS.map((kind) => h('button', { type: 'button', 'aria-label': t.exportOf(kind), onclick: () => save(kind) },
      kind)));
  const about = h('p', { class: 'about-attention' }, t.attention, ' ',
    h('a', { href: '#/learn/self-attention' }, t.chapter));
  const all = h('div', { class: 'see', hidden: true }, h('h1', {}, t.heading), about, form, chosen, chooser, spoken,
    listed, h('nav', { class: 'views', 'aria-label': t.viewsLabel }, links), body, savers, trouble);
  host.append(all);

  /** @param {typeof KINDS[number]} kind */
  async function save(kind) {
    trouble.textContent = '';
    try {
      const what = open?.view.exports();
      if (what) await (await import('../lib/export.js')).exportAs(kind, what);
    } catch (error) {
      trouble.textContent = `${t.exportFailed} ${error instanceof Error ? error.message : error}`;
    }
  }

  /** Words instead of a view. @param {string} text @param {boolean} busy @param {...Node} more */
  function say(text, busy, ...more) {
    close();
    spoken.hidden = listed.hidden = chooser.hidden = savers.hidden = true;
    body.setAttribute('aria-busy', String(busy));
    body.replaceChildren(h('p', { class: 'remark', role: 'status' }, text), ...more);
  }

  function close() {
    open?.view.unmount();
    open = undefined;
    body.replaceChildren();
  }

  /** Lists the models, if it takes two to translate. */
  function listModels() {
    const steps = engine.translator?.steps ?? [];
    chosen.hidden = steps.length < 2;
    models.replaceChildren(...steps.map((/** @type {any} */ step, /** @type {number} */ i) =>
      h('option', { value: i }, [step.sourceLanguage, step.targetLanguage].map(languageName).join(' \u2192 '))));
    models.value = String(engine.step);
  }

  /** Get the sentences of the page's text, then show them. */
  async function look() {
    const { text } = app.state;
    if (engine.status !== 'ready') {
      result = asked = null;
      if (engine.status === 'loading') return say(t.loading, true);
      const again = h('button', { type: 'button', onclick: () => engine.retry() }, t.retry);
      return engine.status === 'failed' ? say(t.loadFailed, false, again) : say(t.noModel, false);
    }
    if (text.trim() === '') {
      result = asked = null;
      return say(t.noText, false);
    }
    if (result?.text === text && result.translator === engine.seen) return show();
    if (asked && asked.text === text && asked.translator === engine.seen) return;
    const mine = (asked = { text, translator: engine.seen });
    say(t.running, true);
    try {
      const found = engine.last?.text === text ? engine.last : await engine.detail(text);
      if (asked !== mine || !isMounted) return;
      asked = null;
      result = { ...found, translator: mine.translator };
      if (result.sentences.length === 0) return say(t.noText, false);
      show();
    } catch (error) {
      if (asked !== mine || !isMounted) return;
      asked = null;
      say(`${t.failed} ${error instanceof Error ? error.message : error}`, false);
    }
  }

  function show() {
    const { state } = app;
    if (result.sentences.length === 0) return;
    const at = Math.min(state.sentence, result.sentences.length - 1);
    const sentence = result.sentences[at];
    const known = (/** @type {string} */ view) =>
      Object.hasOwn(VIEWS, view) && (view !== 'gates' || hasGates(sentence));
    const id = known(state.view) ? state.view : 'heads';
    sentences.replaceChildren(...result.sentences.map((/** @type {any} */ { source }, /** @type {number} */ i) =>
      h('option', { value: i }, `${i + 1}: ${source.length > 60 ? `${source.slice(0, 60)}\u2026` : source}`)));
    sentences.value = String(at);
    chooser.hidden = result.sentences.length < 2;
    // a text of one sentence is in the field above
    spoken.replaceChildren(h('span', {
      lang: engine.seen.sourceLanguage, class: sentence.source === state.text.trim() ? 'above' : undefined,
    }, sentence.source),
      h('span', { 'aria-hidden': 'true' }, ' \u2192 '),
      h('span', { lang: engine.seen.targetLanguage }, sentence.target));
    // the view Alignment shows both texts itself, of any length
    spoken.classList.toggle('long', sentence.source.length + sentence.target.length > 280);
    spoken.hidden = id === 'alignment';
    // a shortlist leaves out most words
    listed.hidden = !sentence.candidates;
    listed.textContent = t.candidates(sentence.candidates?.length ?? 0, result.translator.config.decoder_vocab_size);
    savers.hidden = false;
    links.forEach((link, i) => {
      link.hidden = !known(Object.keys(VIEWS)[i]);
      if (Object.keys(VIEWS)[i] === id) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    });
    if (!loaded[id]) {
      if (open?.id !== id) close();
      body.setAttribute('aria-busy', 'true');
      VIEWS[id]().then(({ mount: mountView }) => {
        loaded[id] = mountView;
        if (isMounted && result) show();
      }).catch((error) => isMounted && sayFailed(error));
      return;
    }
    try {
      if (!open || open.id !== id) {
        close();
        const inner = h('div', { class: `view-${id}` });
        body.replaceChildren(inner);
        open = { id, view: loaded[id](inner, app) };
      }
      open.view.update(sentence, state);
      body.setAttribute('aria-busy', 'false');
    } catch (error) {
      sayFailed(error);
    }
  }

  /** @param {unknown} error */
  const sayFailed = (error) => say(`${t.viewFailed} ${error instanceof Error ? error.message : error}`, false);

  const showModel = () => {
    listModels();
    look();
  };
  const off = on(engine, 'status', showModel);
  showModel();
  useStyles().then(() => (all.hidden = false));
  return {
    /** @param {any} state */
    update(state) {
      if (document.activeElement !== input) input.value = state.text;
      look();
    },
    // what one of two models says is no translation
    translation: () => (result?.text === app.state.text && engine.seen === engine.translator
      ? targetOf(result.text, result.sentences) : ''),
    unmount() {
      isMounted = false;
      off();
      close();
    },
  };
}
