// learn.js - the room Learn: a list of chapters, one of them open. Each chapter is one file.

import { h } from '../lib/dom.js';
import { failure, release, rich, useStyles } from './kit.js';

/**
 * mount() of a chapter: may be asynchronous; returns { unmount? } or nothing.
 *
 * @typedef {(host: HTMLElement, app: any, t: any) => any} Mount
 */

/**
 * In the order they are taught; each is loaded when it is opened.
 *
 * @type {Record<string, () => Promise<{ mount: Mount }>>}
 */
export const CHAPTERS = {
  embeddings: () => import('./embeddings.js'),
  positions: () => import('./positions.js'),
  'self-attention': () => import('./self-attention.js'),
  qkv: () => import('./qkv.js'),
  scaled: () => import('./scaled.js'),
  softmax: () => import('./softmax.js'),
  'by-hand': () => import('./by-hand.js'),
  masking: () => import('./masking.js'),
  'multi-head': () => import('./multi-head.js'),
  cross: () => import('./cross.js'),
  ffn: () => import('./ffn.js'),
  model: () => import('./model.js'),
  objective: () => import('./objective.js'),
  decoding: () => import('./decoding.js'),
  train: () => import('./train.js'),
};
const IDS = Object.keys(CHAPTERS);

/** Chapters with an editable grid. */
const EDITABLE = [
  'embeddings', 'self-attention', 'qkv', 'softmax', 'by-hand', 'masking', 'multi-head', 'cross', 'ffn', 'objective',
  'decoding',
];

/**
 * @param {HTMLElement} host
 * @param {any} app
 * @returns {{ update: (state: { view: string }) => void, unmount: () => void }}
 */
export function mount(host, app) {
  const t = app.strings.learn;
  /** @type {string | undefined} */
  let open;
  /** What the open chapter gave to be unmounted with. @type {any} */
  let shown;
  const links = IDS.map((id) => h('a', { href: `#/learn/${id}` }, h('span', {}, ...rich(t[id].title))));
  for (const [i, link] of links.entries()) {
    link.addEventListener('click', (/** @type {MouseEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go(i);
    });
  }
  const article = h('article', { class: 'chapter' });
  const root = h(
    'div',
    { class: 'learn' },
    h('nav', { 'aria-label': t.contents }, h('ol', {}, ...links.map((link) => h('li', {}, link)))),
    article,
  );

  /** @param {number} index */
  function go(index) {
    app.set({ room: 'learn', view: IDS[index] });
    // keyboard users continue at the start of the new chapter
    article.querySelector('h1')?.focus({ preventScroll: true });
    article.scrollIntoView({ block: 'start' });
  }

  /** @param {number} index @param {string} text @param {string} kind */
  function step(index, text, kind) {
    if (!IDS[index]) return h('span', {});
    const button = h(
      'button',
      { type: 'button', class: kind },
      h('small', {}, text),
      ' ',
      ...rich(t[IDS[index]].title),
    );
    button.addEventListener('click', () => go(index));
    return button;
  }

  function close() {
    shown?.unmount?.();
    shown = undefined;
    release();
  }

  /** On a narrow screen the links are in a scrolling row. */
  function scrollLinks() {
    const current = links[IDS.indexOf(open ?? '')];
    const list = current?.closest('ol');
    list?.scrollTo({ left: current.offsetLeft - list.offsetLeft - 24 });
  }

  /** @param {string} id */
  async function show(id) {
    open = id;
    close();
    const index = IDS.indexOf(id);
    const chapter = t[id];
    links.forEach((link, i) =>
      i === index ? link.setAttribute('aria-current', 'page') : link.removeAttribute('aria-current'),
    );
    scrollLinks();
    const figure = h('div', { class: 'figure', 'aria-busy': 'true' }, h('p', { class: 'remark' }, t.loading));
    article.replaceChildren(
      h('p', { class: 'kicker' }, t.chapter(index + 1, IDS.length)),
      h('h1', { tabindex: -1 }, ...rich(chapter.title)),
      ...chapter.text.map((/** @type {string} */ text) => h('p', {}, ...rich(text))),
      figure,
      h('aside', { class: 'notice' }, h('strong', {}, t.notice), ' ', ...rich(chapter.notice)),
      ...(EDITABLE.includes(id) ? [h('p', { class: 'remark' }, t.edit)] : []),
      h(
        'nav',
        { class: 'steps', 'aria-label': `${t.previous}, ${t.next}` },
        step(index - 1, t.previous, 'previous'),
        step(index + 1, t.next, 'next'),
      ),
    );
    const body = h('div', {});
    try {
      const { mount: mountChapter } = await CHAPTERS[id]();
      if (open !== id) return;
      const mounted = await mountChapter(body, app, chapter);
      if (open !== id) return void mounted?.unmount?.();
      shown = mounted;
      figure.replaceChildren(body);
    } catch (error) {
      if (open !== id) return;
      figure.replaceChildren(h('p', { role: 'alert' }, failure(app, error)));
    } finally {
      figure.removeAttribute('aria-busy');
    }
  }

  root.hidden = true;
  useStyles().then(() => {
    root.hidden = false;
    scrollLinks();
  });
  host.append(root);
  /** @param {{ view: string }} state */
  function update({ view }) {
    const id = IDS.includes(view) ? view : IDS[0];
    if (id !== open) show(id);
  }
  update(app.state);
  return {
    update,
    unmount() {
      open = undefined;
      close();
      root.remove();
    },
  };
}
