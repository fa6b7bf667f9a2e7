// element.js - <heed-translate>: a field whose text is translated while one types, or a button that translates a part
// of the page. Used by ../element.js.
//
//   from, to         languages
//   model, models    addresses as for Translator.create(), relative to the page
//   target           a selector: the part of the page

import { Translator } from '../translate/translator.js';
import { translatePage } from './page.js';
import { STRINGS, STYLE } from './element-texts.js';

/** Milliseconds after the last key. */
const TYPING = 300;

/** @typedef {import('./page.js').PageTranslation} PageTranslation */
/** Who has translated a part of the page. @type {WeakMap<Node, { element: HeedTranslate, page: PageTranslation }>} */
const owners = new WeakMap();

// Node has no elements, but may import this
const Base = /** @type {typeof HTMLElement} */ (globalThis.HTMLElement ?? class {});

/**
 * @param {string} name
 * @param {Record<string, string>} [attributes]
 * @param {(Node | string)[]} children
 */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/**
 * `value` is the text of the field, `translation` its translation. The event 'translated' says that there is one; its
 * `detail.translation` has it, or with `target` the PageTranslation.
 */
export class HeedTranslate extends Base {
  static observedAttributes = ['from', 'to', 'model', 'models', 'target'];

  /** @type {Promise<Translator> | undefined} */
  #translator;
  /** Aborted when the element changes or goes. */
  #life = new AbortController();
  /** Aborted by the next key. */
  #call = new AbortController();
  #timer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  #page = /** @type {PageTranslation | undefined} */ (undefined);
  #source = /** @type {HTMLTextAreaElement | undefined} */ (undefined);
  #result = /** @type {HTMLOutputElement | undefined} */ (undefined);
  #button = /** @type {HTMLButtonElement | undefined} */ (undefined);
  #status = /** @type {HTMLElement | undefined} */ (undefined);
  /** What `value` was set to before there is a field. */
  #value = '';
  #isBuilt = false;

  /** The text of the field. */
  get value() {
    return this.#source?.value ?? this.#value;
  }

  set value(text) {
    this.#value = text;
    if (!this.#source) return;
    this.#source.value = text;
    if (this.#isBuilt) void this.#translateField();
  }

  /** The translation of the field. */
  get translation() {
    return this.#result?.textContent ?? '';
  }

  connectedCallback() {
    if (!this.#isBuilt) this.#build();
  }

  disconnectedCallback() {
    // it may only have been moved
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#reset();
      this.#isBuilt = false;
    });
  }

  /** @param {string} _ @param {string | null} before @param {string | null} now */
  attributeChangedCallback(_, before, now) {
    if (before === now || !this.#isBuilt) return;
    this.#reset();
    this.#build();
  }

  // ---------------------------------------------------------------- what one sees

  get #strings() {
    const [language] = (this.closest('[lang]')?.getAttribute('lang') ?? navigator.language).split('-');
    return STRINGS[language] ?? STRINGS.en;
  }

  /** @param {string} tag */
  #nameOf(tag) {
    try {
      return new Intl.DisplayNames([this.#strings.language], { type: 'language' }).of(tag) ?? tag;
    } catch {
      return tag;
    }
  }

  get #from() {
    return this.getAttribute('from') ?? '';
  }

  get #to() {
    return this.getAttribute('to') ?? '';
  }

  #build() {
    const shadow = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    shadow.adoptedStyleSheets = [sheet];
    const value = this.value;
    const field = this.#source;
    const isFocused = field !== undefined && shadow.activeElement === field;
    this.#isBuilt = true;
    this.#status = make('p', { part: 'status', role: 'status' });
    const texts = this.#strings;
    if (this.hasAttribute('target')) {
      this.#button = /** @type {HTMLButtonElement} */ (make('button', { part: 'button', type: 'button' }));
      this.#button.append(texts.translate(this.#nameOf(this.#to)));
      this.#button.addEventListener('click', () => void this.#togglePage());
      shadow.replaceChildren(make('div', { translate: 'no' }, this.#button, this.#status));
      return;
    }
    this.#source = /** @type {HTMLTextAreaElement} */ (
      make('textarea', { id: 'source', part: 'source', rows: '4', dir: 'auto', lang: this.#from }));
    this.#source.value = value;
    const translateSoon = () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#translateField(), TYPING);
    };
    this.#source.addEventListener('input', translateSoon);
    if (value !== '') translateSoon();
    this.#result = /** @type {HTMLOutputElement} */ (make('output', {
      id: 'result', part: 'result', for: 'source', dir: 'auto', lang: this.#to, 'aria-live': 'polite',
      'aria-labelledby': 'to',
    }));
    shadow.replaceChildren(make('div', { translate: 'no', part: 'field' },
      make('label', { for: 'source' }, this.#nameOf(this.#from)), make('span', { id: 'to' }, this.#nameOf(this.#to)),
      this.#source, this.#result, this.#status));
    if (!field || !isFocused) return;
    // somebody writes there
    this.#source.setSelectionRange(field.selectionStart, field.selectionEnd);
    this.#source.focus();
  }

  /** @param {string} text */
  #say(text) {
    if (this.#status && this.#status.textContent !== text) this.#status.textContent = text;
  }

  // ---------------------------------------------------------------- what it does

  /** Ends all work; the page is as it was. */
  #reset() {
    this.#life.abort();
    this.#call.abort();
    this.#life = new AbortController();
    clearTimeout(this.#timer);
    this.#page?.restore();
    this.#page = undefined;
    this.#translator = undefined;
  }

  /** @param {'model' | 'models'} name */
  #addressOf(name) {
    const value = this.getAttribute(name);
    if (value === null) return undefined;
    try {
      return new URL(value, this.baseURI);
    } catch {
      throw new TypeError(`${name}: found '${value}', expected an address`);
    }
  }

  async #create() {
    for (const name of ['from', 'to']) {
      if (!this.getAttribute(name)) throw new TypeError(`${name}: found nothing, expected a language such as 'de'`);
    }
    return Translator.create({
      sourceLanguage: this.#from,
      targetLanguage: this.#to,
      model: this.#addressOf('model'),
      models: this.#addressOf('models'),
      signal: this.#life.signal,
      monitor: (monitor) => monitor.addEventListener('downloadprogress',
        (/** @type {ProgressEvent} */ { loaded }) => this.#say(this.#strings.loading(Math.floor(100 * loaded)))),
    });
  }

  /** @param {unknown} error @param {AbortSignal} signal  of the work that failed */
  #fail(error, signal) {
    if (signal.aborted) return;
    this.#say(this.#strings.failed(/** @type {Error} */ (error)?.message ?? String(error)));
    // the next time may do
    this.#translator?.then((translator) => translator.destroy(), () => {});
    this.#translator = undefined;
    this.dispatchEvent(new CustomEvent('failed', { detail: { error } }));
  }

  async #translateField() {
    this.#call.abort();
    this.#call = new AbortController();
    const { signal } = this.#call;
    const [source, result] = [this.#source, this.#result];
    if (!source || !result) return;
    result.ariaBusy = 'true';
    try {
      const translator = await (this.#translator ??= this.#create());
      const translation = await translator.translate(source.value, { signal });
      result.textContent = translation;
      this.#say('');
      this.dispatchEvent(new CustomEvent('translated', { detail: { translation } }));
    } catch (error) {
      this.#fail(error, signal);
    } finally {
      if (!signal.aborted) result.ariaBusy = 'false';
    }
  }

  /** Resets the button when the translation of the page is gone. */
  #forgetPage() {
    this.#page = undefined;
    if (!this.#button) return;
    this.#button.textContent = this.#strings.translate(this.#nameOf(this.#to));
    this.#say('');
  }

  async #togglePage() {
    const button = /** @type {HTMLButtonElement} */ (this.#button);
    // a button that is disabled would lose the focus
    if (button.ariaDisabled === 'true') return;
    const { original, working, done, nothing } = this.#strings;
    if (this.#page) {
      this.#page.restore();
      this.#forgetPage();
      return;
    }
    const selector = this.getAttribute('target') ?? '';
    const { signal } = this.#life;
    button.ariaDisabled = 'true';
    /** @type {PageTranslation | undefined} */
    let page;
    try {
      const root = /** @type {Document | ShadowRoot} */ (this.getRootNode()).querySelector(selector) ??
        document.querySelector(selector);
      if (!root) throw new Error(nothing(selector));
      const translator = await (this.#translator ??= this.#create());
      signal.throwIfAborted();
      // what another element has made of it is taken back
      const owner = owners.get(root);
      if (owner && owner.element.#page === owner.page) owner.element.#forgetPage();
      page = translatePage(root, {
        translator, signal, onProgress: ({ translated, total }) => this.#say(working(translated, total)),
      });
      this.#page = page;
      owners.set(root, { element: this, page });
      button.textContent = original;
      button.ariaDisabled = 'false';
      await page.done;
      this.#say(done);
      this.dispatchEvent(new CustomEvent('translated', { detail: { translation: page } }));
    } catch (error) {
      // who takes it back ends it
      if (page === this.#page) this.#fail(error, signal);
    } finally {
      button.ariaDisabled = 'false';
    }
  }
}
