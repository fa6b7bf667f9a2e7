// own.js - the user's own model: where files are dropped, and the panel, own-panel.js, which is loaded when it is
// opened. Used by translate.js.

import { h, on } from '../lib/dom.js';

/**
 * @param {any} app
 * @param {(model: import('../engine.js').Model) => void} load
 */
export function mountOwn(app, load) {
  const t = app.strings.translate.own;
  const said = h('p', { class: 'remark', role: 'status' });
  const trouble = h('div', {});
  const element = h('details', { class: 'own', ontoggle: () => element.open && open() },
    h('summary', {}, t.title), trouble, said);
  /** @type {Promise<ReturnType<typeof import('./own-panel.js').makePanel> | undefined> | undefined} */
  let opening;
  const open = () => (opening ??= import('./own-panel.js').then(({ makePanel }) => {
    said.textContent = '';
    const panel = makePanel(t, said, load);
    element.append(panel.element);
    return panel;
  }, (error) => {
    opening = undefined;
    said.textContent = error.message;
    return undefined;
  }));

  const mark = (/** @type {boolean} */ isOver) => element.querySelector('.drop')?.classList.toggle('over', isOver);
  // anywhere on the page, because a file dropped beside the box would replace the page
  const offs = [
    on(document, 'dragover', (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      element.open = true;
      mark(true);
    }),
    on(document, 'dragleave dragend', (event) => !event.relatedTarget && mark(false)),
    on(document, 'drop', async (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      mark(false);
      // both lists are empty after the first await
      const entries = Array.from(event.dataTransfer.items, (item) => item.webkitGetAsEntry?.()).filter(Boolean);
      const loose = [...event.dataTransfer.files];
      (await open())?.take(entries, loose);
    }),
  ];
  return { element, trouble, unmount: () => offs.forEach((off) => off()) };
}
