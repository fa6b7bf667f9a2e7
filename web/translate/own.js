// own.js - the user's own model: dropped or chosen files, a folder, or an address; used by translate.js. own-files.js
// knows which files a model has.

import { h, on } from '../lib/dom.js';

/** @param {string} text */
function addressOf(text) {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/**
 * @param {any} app
 * @param {(model: import('../engine.js').Model) => void} load
 */
export function mountOwn(app, load) {
  const t = app.strings.translate.own;
  const said = h('p', { class: 'remark', role: 'status' });
  const files = h('input', { type: 'file', multiple: true, hidden: true, onchange: () => take(files.files) });
  const folder = h('input', { type: 'file', webkitdirectory: true, hidden: true, onchange: () => take(folder.files) });
  const url = h('input', { type: 'url', placeholder: t.urlHint, autocomplete: 'off' });
  const [from, to] = ['from', 'to'].map((name) =>
    h('input', { type: 'text', name, maxlength: 20, autocomplete: 'off', spellcheck: 'false' }));
  const languages = () => ({ from: from.value.trim(), to: to.value.trim() });
  const pick = (/** @type {HTMLInputElement} */ input, /** @type {string} */ text) =>
    h('button', { type: 'button', onclick: () => input.click() }, text);
  const drop = h('div', { class: 'drop' }, h('span', {}, t.drop),
    h('span', { class: 'row' }, pick(files, t.files), pick(folder, t.folder)));
  const element = h('details', { class: 'own' },
    h('summary', {}, t.title),
    h('p', { class: 'remark' }, t.text),
    h('form', { onsubmit: takeUrl },
      h('div', {}, drop, files, folder),
      h('div', { class: 'fields' },
        h('label', {}, t.url, url),
        h('div', { class: 'row' }, h('label', {}, t.from, from), h('label', {}, t.to, to)),
        h('p', { class: 'remark' }, t.languageHint),
        h('div', {}, h('button', { type: 'submit' }, t.load)))),
    said);

  /** @param {Iterable<File>} list */
  async function take(list) {
    try {
      const { byName, foldersOf, missingOf } = await import('./own-files.js');
      const [given, folders] = [byName(list), foldersOf(list)];
      if (folders.length > 0) {
        said.textContent = t.several(folders);
        return;
      }
      const missing = await missingOf(given);
      said.textContent = missing.length ? t.missing(missing) : '';
      if (missing.length === 0) load({ files: given, ...languages() });
    } catch (error) {
      said.textContent = /** @type {Error} */ (error).message;
    }
  }

  /** @param {SubmitEvent} event */
  function takeUrl(event) {
    event.preventDefault();
    const text = url.value.trim();
    const given = addressOf(text);
    const fits = given?.protocol === 'https:' || given?.origin === location.origin;
    said.textContent = fits ? '' : t.badUrl;
    if (fits) load({ url: given.href, ...languages() });
  }

  // anywhere on the page, because a file dropped beside the box would replace the page
  const offs = [
    on(document, 'dragover', (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      element.open = true;
      drop.classList.add('over');
    }),
    on(document, 'dragleave dragend', (event) => !event.relatedTarget && drop.classList.remove('over')),
    on(document, 'drop', async (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      drop.classList.remove('over');
      // the list is empty after the first await
      const entries = Array.from(event.dataTransfer.items, (item) => item.webkitGetAsEntry?.()).filter(Boolean);
      const loose = [...event.dataTransfer.files];
      take(entries.length ? await import('./own-files.js').then(({ filesOf }) => filesOf(entries)) : loose);
    }),
  ];
  return { element, unmount: () => offs.forEach((off) => off()) };
}
