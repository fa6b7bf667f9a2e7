// controls.js - the choice of stack, layer and head, shared by several views of See and stored in the permalink.

import { h } from '../lib/dom.js';
import { STACKS, placeOf, stacksOf } from './maps.js';

/**
 * @param {string} label @param {{ value: string, text: string }[]} options @param {(value: string) => void} onChange
 */
function select(label, options, onChange) {
  const element = h('select', { onchange: () => onChange(element.value) },
    options.map(({ value, text }) => h('option', { value }, text)));
  return { element, label: h('label', { class: 'field' }, h('span', {}, label), element) };
}

/** @param {number} n */
const numbers = (n) => Array.from({ length: n }, (_, i) => ({ value: String(i), text: String(i + 1) }));

/**
 * @param {any} app
 * @param {{ stacks?: boolean, layers?: boolean, heads?: boolean, words?: boolean }} which
 * @returns {{ element: HTMLElement, update: (sentence: any, state: any) => ReturnType<typeof placeOf> }}
 */
export function placeControls(app, { stacks = true, layers = true, heads = true, words = false }) {
  const t = app.strings.see;
  const stack = select(t.stack, STACKS.map((value) => ({ value, text: t.stacks[value] })),
    (value) => app.set({ stack: value }));
  /** @type {ReturnType<typeof placeOf>} */
  let now;
  const layer = select(t.layer, [], (value) => app.set({ layer: Number(value) }));
  const head = select(t.head, [], (value) => app.set({ layer: now.layer, head: Number(value), heads: '' }));
  const only = h('input', { type: 'checkbox', onchange: () => app.set({ words: Number(only.checked) }) });
  const element = h('div', { class: 'controls' }, stacks && stack.label, layers && layer.label, heads && head.label,
    words && h('label', { class: 'check' }, only, h('span', {}, t.onlyWords)));
  const fill = (/** @type {HTMLSelectElement} */ to, /** @type {number} */ n, /** @type {number} */ at) => {
    if (to.options.length !== n) {
      to.replaceChildren(...numbers(n).map(({ value, text }) => h('option', { value }, text)));
    }
    to.value = String(at);
  };
  return {
    element,
    update(sentence, state) {
      const place = (now = placeOf(sentence, state));
      only.checked = state.words === 1;
      const known = stacksOf(sentence);
      for (const option of stack.element.options) {
        // Safari does not hide options
        option.hidden = option.disabled = !known.includes(/** @type {any} */ (option.value));
      }
      stack.element.value = place.stack;
      fill(layer.element, place.layers, place.layer);
      fill(head.element, place.heads, place.head);
      return place;
    },
  };
}

/**
 * What the colours of a scale mean, from its least to its greatest number.
 *
 * @param {'sequential' | 'diverging'} scale @param {string} least @param {string} greatest
 */
export const legend = (scale, least, greatest) => h('p', { class: 'legend' }, h('span', {}, least),
  h('i', { class: scale, 'aria-hidden': 'true' }), h('span', {}, greatest));

/**
 * Arrow keys among elements; Tab reaches one of them at a time.
 *
 * @param {HTMLElement} host @param {() => HTMLElement[]} items
 * @param {(key: string, at: number) => number | undefined} [move]  where a key leads; default: before and after
 */
export function roving(host, items, move) {
  const stop = (/** @type {HTMLElement} */ item) => items()
    .forEach((other) => (other.tabIndex = other === item ? 0 : -1));
  host.addEventListener('focusin', ({ target }) => {
    const item = items().find((other) => other === target);
    if (item) stop(item);
  });
  host.addEventListener('keydown', (event) => {
    const all = items();
    const at = all.indexOf(/** @type {any} */ (document.activeElement));
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = move ? move(event.key, at) : /** @type {any} */ ({
      ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1,
    })[event.key];
    if (to === undefined) return;
    event.preventDefault();
    all[to]?.focus();
  });
  if (items()[0]) stop(items()[0]);
}
