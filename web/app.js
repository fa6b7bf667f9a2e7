// app.js - the page: its state, the permalink that mirrors it, the theme, and the rooms; loaded by index.html.

import { Engine, pairName } from './engine.js';
import { h, debounce } from './lib/dom.js';
import { keepOffline } from './offline.js';
import { mountShell } from './shell.js';
import { LANGUAGES, roomStrings, speak, strings } from './strings.js';
import { FIRST } from './translate/examples.js';

/**
 * @typedef {object} State
 * @property {'translate' | 'see' | 'learn' | 'about'} room
 * @property {string} view  See: heads, matrix, ... (see/see.js); Learn: a chapter
 * @property {string} text
 * @property {string} pair  from the list of models
 * @property {'encoder' | 'decoder' | 'cross'} stack
 * @property {number} layer
 * @property {number} head  -1, and the layer too: the clearest head of the stack
 * @property {number} sentence  index
 * @property {string} heads  the heads chosen in Heads: '0-2', or 'none'; '': only `head`
 * @property {string} off  disabled heads by stack, layer and head: 'cross.0.1-decoder.2.3'
 * @property {number} beams  of the search; 0: the default of each room
 * @property {number} words  1: See leaves out the tokens that are no words
 */

/**
 * translation(): the translation of the page's text, '' if it is not complete.
 *
 * @typedef {{ update: (state: State) => void, unmount: () => void, translation?: () => string }} Room
 */
/** @typedef {typeof app} App */

/** @type {Record<State['room'], () => Promise<{ mount: (host: HTMLElement, app: any) => Room }>>} */
const ROOMS = {
  translate: () => import('./translate/translate.js'),
  see: () => import('./see/see.js'),
  learn: () => import('./learn/learn.js'),
  about: () => import('./about/about.js'),
};
/** @type {State} */
const DEFAULTS = {
  room: 'translate', view: '', text: FIRST.en, pair: '',
  stack: 'cross', layer: -1, head: -1, sentence: 0, heads: '', off: '', beams: 0, words: 0,
};
/** The parameters in the query of a permalink. */
const QUERY = /** @type {const} */ (['text', 'pair', 'stack', 'layer', 'head', 'sentence', 'heads', 'off', 'beams',
  'words']);

/** @param {string} hash @returns {State} */
function parse(hash) {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const [room, view = ''] = path.split('/');
  /** @type {any} */
  const state = { ...DEFAULTS, view };
  if (Object.hasOwn(ROOMS, room)) state.room = room;
  const params = new URLSearchParams(query);
  for (const name of QUERY) {
    const value = params.get(name);
    if (value === null) continue;
    if (typeof DEFAULTS[name] !== 'number') state[name] = value;
    else if (/^\d{1,6}$/.test(value)) state[name] = Number(value);
  }
  if (!['encoder', 'decoder', 'cross'].includes(state.stack)) state.stack = DEFAULTS.stack;
  return state;
}

/** @param {State} state */
function permalink(state) {
  const params = new URLSearchParams();
  for (const name of QUERY) if (state[name] !== DEFAULTS[name]) params.set(name, String(state[name]));
  const query = params.toString();
  return `#/${state.room}${state.view && `/${state.view}`}${query && `?${query}`}`;
}

const meta = (/** @type {string} */ name) =>
  document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? '';

/** @type {Set<(state: State) => void>} */
const listeners = new Set();
/** The last view of each room. @type {Partial<Record<State['room'], string>>} */
const views = {};

export const app = {
  engine: new Engine(new URL(meta('heed-models'), document.baseURI)),
  state: parse(location.hash),
  /** @type {typeof strings & Record<string, any>} */
  strings,
  /** @type {'light' | 'dark'} */
  theme: 'light',

  /** @param {Partial<State>} patch */
  set(patch) {
    const before = app.state;
    const room = patch.room ?? before.room;
    const view = patch.view ?? (room === before.room ? before.view : (views[room] ?? ''));
    app.state = { ...before, ...patch, room, view };
    // "back" returns to the previous room or view, not to the previous letter
    if (room !== before.room || view !== before.view) {
      writeHash.cancel();
      write('pushState');
    } else writeHash();
    changed();
  },

  /**
   * Chooses a pair of the list: loads its model, and stores the choice for the next visit.
   *
   * @param {string} pair @param {Partial<State>} [more]  what else changes
   */
  choose(pair, more) {
    app.set({ ...more, pair });
    app.kept('pair', pair);
    app.engine.load(pair);
  },

  /** The translation of the page's text; '' where the room has none that is complete. */
  translation: () => open?.room?.translation?.() ?? '',

  /** @param {(state: State) => void} listener @returns {() => void} */
  on(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },

  /**
   * What the user chose last time, or chooses now for next time.
   *
   * @param {'pair' | 'terms' | 'language'} what
   * @param {string} [value]
   * @returns {string}
   */
  kept(what, value) {
    return store(`heed-${what}`, value) ?? '';
  },

  /** @param {'light' | 'dark'} theme @param {boolean} [keep]  store it: the user chose it */
  setTheme(theme, keep = true) {
    app.theme = theme;
    paint();
    if (keep) store('heed-theme', theme);
    changed();
  },
};

/** What `app.state` was last read from or written to. */
let hash = location.hash;

/** @param {'pushState' | 'replaceState'} way */
function write(way) {
  history[way](null, '', permalink(app.state));
  hash = location.hash;
}

/** Browsers limit these calls per second. A link that was just followed is not overwritten before it is read. */
const writeHash = debounce(() => {
  if (location.hash === hash) write('replaceState');
}, 300);

function changed() {
  const { state } = app;
  views[state.room] = state.view;
  shell.update(state);
  show();
  for (const listener of listeners) listener(state);
}

/** Private windows may have no storage. @param {string} key @param {string} [value] */
function store(key, value) {
  try {
    if (value !== undefined) localStorage.setItem(key, value);
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

const spoken = store('heed-language') ?? navigator.language.slice(0, 2);
// a file that cannot be loaded leaves the page in English
await speak(spoken).catch(() => {});
const shell = mountShell(app, LANGUAGES);
/** @type {{ name: string, room?: Room } | undefined} */
let open;

/** Mount the room of the state, or update the mounted one. */
async function show() {
  const { room: name } = app.state;
  if (open?.name === name) return void open.room?.update(app.state);
  open?.room?.unmount();
  /** @type {{ name: string, room?: Room }} */
  const mine = (open = { name });
  const host = h('div', { class: `room room-${name}` });
  shell.main.replaceChildren(h('p', { class: 'opening' }, strings.shell.roomLoading));
  try {
    const [{ mount }, words] = await Promise.all([ROOMS[name](), roomStrings[name]()]);
    if (open !== mine) return;
    Object.assign(strings, { [name]: words[name] });
    shell.main.replaceChildren(host);
    mine.room = mount(host, app);
  } catch (error) {
    if (open !== mine) return;
    open = undefined;
    shell.showFailure(error, show);
  }
}

/** Loads the pair of the state, or else the one of last time, or else the first one. */
async function loadModel() {
  const pairs = await app.engine.readPairs();
  const names = pairs.map(pairName);
  const name = [app.state.pair, app.kept('pair')].find((wanted) => names.includes(wanted)) ?? names[0];
  if (name) await app.engine.load(name);
}

const paper = matchMedia('print');
/** Shows the theme: the rooms draw anew what they have drawn themselves. Paper is light. */
function paint(isPaper = paper.matches) {
  document.documentElement.dataset.theme = isPaper ? 'light' : app.theme;
}
// Browsers print what is drawn at `beforeprint`. A preview may only change the media.
addEventListener('beforeprint', () => paint(true));
addEventListener('afterprint', () => paint(false));
paper.addEventListener('change', () => paint());

const dark = matchMedia('(prefers-color-scheme: dark)');
const chosen = store('heed-theme');
app.setTheme(chosen === 'light' || chosen === 'dark' ? chosen : dark.matches ? 'dark' : 'light', false);
dark.addEventListener('change', () => {
  if (!store('heed-theme')) app.setTheme(dark.matches ? 'dark' : 'light', false);
});

addEventListener('hashchange', () => {
  const { pair } = app.state;
  hash = location.hash;
  app.state = parse(hash);
  changed();
  if (app.state.pair !== pair && app.state.pair) app.engine.load(app.state.pair);
});
addEventListener('pagehide', () => writeHash.flush());

// separate tasks, so that the page is painted and usable in between
setTimeout(loadModel);
setTimeout(() => keepOffline(meta('heed-offline')));
