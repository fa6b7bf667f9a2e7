// shell.js - the parts around every room: name, tabs, languages of the translation, status of the model, language of
// the page, theme; used by app.js.

import { h, on, svg } from './lib/dom.js';
import { languageName } from './lib/words.js';
import { mountPair } from './pair.js';

const MOON = 'M14.5 10.2A6 6 0 0 1 7.8 3.5a6 6 0 1 0 6.7 6.7z';
const SUN = 'M9 5.6a3.4 3.4 0 1 1 0 6.8a3.4 3.4 0 0 1 0-6.8zM9 1v2M9 15v2M1 9h2M15 9h2M3.3 3.3l1.5 1.5'
  + 'M13.2 13.2l1.5 1.5M3.3 14.7l1.5-1.5M13.2 4.8l1.5-1.5';
const GLOBE = 'M9 2a7 7 0 1 1 0 14a7 7 0 0 1 0-14zM9 2c-4.2 4-4.2 10 0 14c4.2-4 4.2-10 0-14M2 9h14';

/** @param {any} app @param {Record<string, string>} languages  of the page, by ISO 639-1 */
export function mountShell(app, languages) {
  const { engine } = app;
  const t = app.strings.shell;
  const main = /** @type {HTMLElement} */ (document.querySelector('main'));
  const tabs = Object.entries(t.tabs).map(([room, name]) => h('a', {
    href: `#/${room}`,
    onclick(/** @type {MouseEvent} */ event) {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      app.set({ room });
    },
  }, name));
  const path = svg('path', {});
  const icon = (/** @type {Element} */ inner) =>
    svg('svg', { viewBox: '0 0 18 18', width: 18, height: 18, 'aria-hidden': 'true', class: 'line' }, inner);
  const theme = h('button', {
    type: 'button', class: 'icon theme', onclick: () => app.setTheme(app.theme === 'dark' ? 'light' : 'dark'),
  }, icon(path));
  // For screen readers; others see the languages beside it.
  const said = h('span', {});
  const pair = h('span', { class: 'unseen' });
  const status = h('p', { class: 'status', role: 'status' }, h('span', { class: 'dot', 'aria-hidden': 'true' }),
    h('span', {}, said, pair));
  const bar = h('progress', { max: 1, value: 0, 'aria-label': t.progress, hidden: true });

  const skip = document.querySelector('.skip');
  if (skip) {
    skip.textContent = t.skip;
    // the hash is the permalink, so following the link would leave the room
    on(skip, 'click', (event) => (event.preventDefault(), main.focus()));
  }
  const language = h('select', {
    'aria-label': t.language, value: document.documentElement.lang,
    onchange() {
      app.kept('language', language.value);
      location.reload(); // the rooms have their texts already
    },
  }, Object.entries(languages).map(([tag, name]) => h('option', { value: tag, lang: tag }, name)));
  document.querySelector('header')?.replaceChildren(
    h('div', { class: 'bar' },
      h('a', { class: 'name', href: '#/translate' }, t.title),
      h('nav', { 'aria-label': t.nav }, tabs),
      mountPair(app), status,
      h('label', { class: 'language', title: t.language }, icon(svg('path', { d: GLOBE })), language), theme),
    bar,
  );

  function showStatus() {
    const { from, to } = engine.languages;
    status.dataset.status = engine.status;
    const percent = Math.round(engine.progress * 100);
    const text = engine.status === 'loading' ? t.status.loading(percent) : t.status[engine.status];
    const ready = engine.status === 'ready' && from && to;
    said.textContent = text;
    pair.textContent = ready ? `: ${languageName(from)} \u2192 ${languageName(to)}` : '';
    bar.hidden = engine.status !== 'loading';
    bar.value = engine.progress;
  }
  on(engine, 'status', showStatus);
  // screen readers announce the status, not every per cent
  let tenth = -1;
  on(engine, 'progress', () => {
    bar.value = engine.progress;
    const now = Math.floor(engine.progress * 10);
    if (now !== tenth) showStatus();
    tenth = now;
  });
  showStatus();

  return {
    main,
    /** @param {any} state */
    update(state) {
      const rooms = Object.keys(t.tabs);
      tabs.forEach((tab, i) => {
        if (rooms[i] === state.room) tab.setAttribute('aria-current', 'page');
        else tab.removeAttribute('aria-current');
      });
      const isDark = app.theme === 'dark';
      path.setAttribute('d', isDark ? SUN : MOON);
      theme.setAttribute('aria-label', isDark ? t.toLight : t.toDark);
      theme.title = isDark ? t.toLight : t.toDark;
      document.title = `${t.title}: ${t.tabs[state.room]}`;
    },
    /** @param {any} error @param {() => void} again */
    showFailure(error, again) {
      main.replaceChildren(h('div', { class: 'alert', role: 'alert' },
        h('p', {}, t.roomFailed), h('p', { class: 'detail' }, error?.message ?? String(error)),
        h('button', { type: 'button', onclick: again }, t.retry)));
    },
  };
}
