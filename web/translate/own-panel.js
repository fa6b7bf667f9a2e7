// own-panel.js - the panel of the user's own model: chosen files, a folder, or an address. Loaded by own.js when it is
// opened; own-files.js knows which files a model has.

import { h } from '../lib/dom.js';
import { byName, filesOf, foldersOf, missingOf } from './own-files.js';

/** @param {string} text */
function addressOf(text) {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/**
 * @param {any} t  strings
 * @param {HTMLElement} said  where errors stand
 * @param {(model: import('../engine.js').Model) => void} load
 */
export function makePanel(t, said, load) {
  const files = h('input', { type: 'file', multiple: true, hidden: true, onchange: () => take([], files.files) });
  const folder =
    h('input', { type: 'file', webkitdirectory: true, hidden: true, onchange: () => take([], folder.files) });
  const wrong = h('p', { class: 'remark', id: 'own-wrong', role: 'status' });
  const url =
    h('input', { type: 'url', placeholder: t.urlHint, autocomplete: 'off', 'aria-describedby': wrong.id });
  const [from, to] = ['from', 'to'].map((name) =>
    h('input', { type: 'text', name, maxlength: 20, autocomplete: 'off', spellcheck: 'false' }));
  const languages = () => ({ from: from.value.trim(), to: to.value.trim() });
  const pick = (/** @type {HTMLInputElement} */ input, /** @type {string} */ text) =>
    h('button', { type: 'button', onclick: () => input.click() }, text);
  const element = h('div', {},
    h('p', { class: 'remark' }, t.text),
    h('form', { onsubmit: takeUrl },
      h('div', {},
        h('div', { class: 'drop' }, h('span', {}, t.drop),
          h('span', { class: 'row' }, pick(files, t.files), pick(folder, t.folder))),
        files, folder, said),
      h('div', { class: 'fields' },
        h('label', {}, t.url, url), wrong,
        h('div', { class: 'row' }, h('label', {}, t.from, from), h('label', {}, t.to, to)),
        h('p', { class: 'remark' }, t.languageHint),
        h('div', {}, h('button', { type: 'submit' }, t.load)))));

  /** @param {any[]} entries  of a drop: files and folders @param {Iterable<File>} loose  if there are none */
  async function take(entries, loose) {
    try {
      const list = entries.length ? await filesOf(entries) : loose;
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
    wrong.textContent = fits ? '' : t.badUrl;
    url.setAttribute('aria-invalid', String(!fits));
    if (fits) load({ url: given.href, ...languages() });
  }

  return { element, take };
}
