// dom.js - creates elements and listens to events; used by every room of the page.

/**
 * @param {Element} element
 * @param {Record<string, any> | null | undefined} props
 * @param {unknown[]} children
 */
function fill(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2).toLowerCase(), value);
    // for these, the attribute differs from the property or does not exist
    else if (name === 'value' && /^(TEXTAREA|SELECT)$/.test(element.tagName)) continue;
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  // a select accepts its value only after it has its options
  if (props && 'value' in props && /^(TEXTAREA|SELECT)$/.test(element.tagName)) {
    /** @type {HTMLTextAreaElement | HTMLSelectElement} */ (element).value = props.value ?? '';
  }
  return element;
}

/**
 * An HTML element. `props` are attributes (true: an empty one; undefined, null, false: none) and `on…` listeners.
 * Children are nodes, texts, numbers, or arrays of them; undefined, null and false are skipped.
 *
 * @param {string} tag
 * @param {Record<string, any> | null} [props]
 * @param {...unknown} children
 * @returns {any}  an HTMLElement of that tag
 */
export const h = (tag, props, ...children) => fill(document.createElement(tag), props, children);

/**
 * The same for SVG.
 *
 * @param {string} tag
 * @param {Record<string, any> | null} [props]
 * @param {...unknown} children
 * @returns {any}
 */
export const svg = (tag, props, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', tag), props, children);

/**
 * Listens; returns a function that stops listening.
 *
 * @param {EventTarget} target
 * @param {string} type  one or several, separated by spaces
 * @param {(event: any) => void} listener
 * @param {AddEventListenerOptions} [options]
 * @returns {() => void}
 */
export function on(target, type, listener, options) {
  const types = type.split(' ');
  for (const name of types) target.addEventListener(name, listener, options);
  return () => types.forEach((name) => target.removeEventListener(name, listener, options));
}

/**
 * Delays f until it has not been called for `ms`. cancel() drops the waiting call, flush() makes it at once.
 *
 * @template {any[]} A
 * @param {(...args: A) => void} f
 * @param {number} ms
 */
export function debounce(f, ms) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {A} */
  let last;
  const run = () => {
    timer = undefined;
    f(...last);
  };
  /** @param {A} args */
  const later = (...args) => {
    clearTimeout(timer);
    last = args;
    timer = setTimeout(run, ms);
  };
  later.cancel = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  later.flush = () => {
    if (timer === undefined) return;
    clearTimeout(timer);
    run();
  };
  return later;
}
