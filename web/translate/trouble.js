// trouble.js - explains an error and what to do about it; used by translate.js.

import { h } from '../lib/dom.js';

/** @param {any} help  strings @param {any} error */
function advice(help, error) {
  if (Object.hasOwn(help, error?.name)) return help[error.name];
  // codes 10 to 19 of heed are about files
  return error?.code >= 10 && error.code < 20 ? help.file : help.other;
}

/**
 * @param {HTMLElement} host
 * @param {any} t  strings
 * @param {string} what
 * @param {any} error
 * @param {() => void} again
 */
export function showTrouble(host, t, what, error, again) {
  host.replaceChildren(h('div', { class: 'alert', role: 'alert' },
    h('p', {}, h('strong', {}, what), ' ', advice(t.help, error)),
    h('p', { class: 'detail' }, error?.message ?? String(error)),
    h('button', { type: 'button', onclick: again }, t.retry)));
}
