// content.js - translates the page, or gives it back if it is translated. Runs in the page each time that the button is
// pressed; build.js puts it together with heed/dom.
import { translatePage } from 'heed/dom';

/** What the model translates, each into each. */
const LANGUAGES = ['de', 'en', 'es', 'fr'];

const TRIES = 3;

/** A Translator whose model is in background.js. */
class Distant {
  #port;
  #next = 0;
  /**
   * @typedef {{ html: string, tries: number, resolve: (html: string) => void, reject: (error: Error) => void }} Call
   *   tries: how often it was sent
   */
  /** @type {Map<number, Call>} */
  #calls = new Map();

  /** @param {string} sourceLanguage @param {string} targetLanguage */
  constructor(sourceLanguage, targetLanguage) {
    this.sourceLanguage = sourceLanguage;
    this.targetLanguage = targetLanguage;
  }

  #connect() {
    const port = chrome.runtime.connect({ name: `${this.sourceLanguage} ${this.targetLanguage}` });
    port.onMessage.addListener(({ id, html, error }) => {
      const call = this.#calls.get(id);
      this.#calls.delete(id);
      if (error === undefined) call?.resolve(html);
      else call?.reject(new Error(error));
    });
    port.onDisconnect.addListener(() => {
      // the service worker has ended, as they do; it starts again when it is asked
      this.#port = undefined;
      for (const [id, call] of this.#calls) {
        try {
          if (call.tries++ === TRIES) throw new Error('the extension has ended again and again');
          this.send({ id, html: call.html });
        } catch (error) {
          this.#calls.delete(id);
          call.reject(error); // or it was removed
        }
      }
    });
    return port;
  }

  send(message) {
    this.#port ??= this.#connect();
    this.#port.postMessage(message);
  }

  /** @param {string} html @param {{ signal?: AbortSignal }} options */
  translateHtml(html, { signal } = {}) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const cancel = () => {
        reject(signal.reason);
        if (this.#calls.delete(id)) this.send({ id });
      };
      const end = () => signal?.removeEventListener('abort', cancel);
      this.#calls.set(id, {
        html, tries: 1,
        resolve: (answer) => {
          end();
          resolve(answer);
        },
        reject: (error) => {
          end();
          reject(error);
        },
      });
      signal?.addEventListener('abort', cancel);
      this.send({ id, html });
    });
  }

  end() {
    this.#port?.disconnect();
    this.#port = undefined;
  }
}

/** The language of the page: what it says, or what the browser sees in it. */
async function languageOfPage() {
  const [stated] = document.documentElement.lang.toLowerCase().split('-');
  if (LANGUAGES.includes(stated)) return stated;
  const { languages } = await chrome.i18n.detectLanguage(document.body.innerText.slice(0, 5000));
  return languages[0]?.language.split('-')[0] ?? '';
}

/** The language that the user wants: what the options say, or the browser. @param {string} source */
async function wantedLanguage(source) {
  const { target } = await chrome.storage.local.get('target');
  const own = navigator.languages.map((tag) => tag.split('-')[0]);
  return [target, ...own, 'en', 'de'].find((tag) => LANGUAGES.includes(tag) && tag !== source);
}

async function translate() {
  const source = await languageOfPage();
  const translator = new Distant(source, await wantedLanguage(source));
  const show = (badge, title) => translator.send({ badge, title });
  if (!LANGUAGES.includes(source)) {
    show('?', `This page is in another language than ${LANGUAGES.join(', ')}`);
    return undefined;
  }
  const translation = translatePage(document, {
    translator,
    onProgress: ({ translated, total }) => show(translated < total ? `${Math.floor((100 * translated) / total)}%` : '',
      'Show the original'),
  });
  translation.done.catch((error) => error.name !== 'AbortError' && show('!', error.message));
  return () => {
    translation.restore();
    show('', 'Translate this page');
    translator.end();
  };
}

// kept between two presses: scripts of an extension share their globals, and pages do not see them
if (globalThis.heedRestore) {
  globalThis.heedRestore.then((restore) => restore?.());
  delete globalThis.heedRestore;
} else {
  const started = translate();
  const forget = () => {
    if (globalThis.heedRestore === started) delete globalThis.heedRestore;
  };
  globalThis.heedRestore = started;
  // where nothing is translated, the next press tries again
  started.then((restore) => restore ?? forget(), forget);
}
