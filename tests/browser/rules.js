// rules.js - what the Translator API and the Writing Assistance APIs' shared infrastructure say of any Translator, each
// rule as a function that throws where it is broken. Runs in a page, in Node, and over workers of both; used by
// rules.test.js and rules-page.js.
import { Translator } from '../../js/index.js';
import { FIXTURE } from './fixture.js';

const MODELS = new URL('../../models/index.json', import.meta.url);
/** An index without the pair. */
const OTHER = new URL('other-index.json', import.meta.url).href;
const PAIR = { sourceLanguage: 'en', targetLanguage: 'de' };
const TEXT = 'Good morning.';
const LONG = 'The house at the end of the street is very old. '.repeat(40);

/** @param {unknown} found @param {unknown} expected @param {string} [what] */
function is(found, expected, what = 'value') {
  if (!Object.is(found, expected)) throw new Error(`${what}: found ${String(found)}, expected ${String(expected)}`);
}

/**
 * @param {any} error
 * @param {any} expected  the very error; or the class of a JavaScript error; or the name of a DOMException
 */
function isError(error, expected) {
  if (typeof expected === 'string') {
    is(error instanceof DOMException, true, `a DOMException, not ${error}`);
    is(error.name, expected, `the name of ${error}`);
  } else if (typeof expected === 'function') is(error?.constructor, expected, `the class of ${error}`);
  else is(error, expected, 'the error');
}

/** @param {Promise<unknown>} promise @param {any} expected  see isError */
async function rejects(promise, expected) {
  const fail = (/** @type {unknown} */ value) => Promise.reject(new Error(`no rejection: ${value}`));
  isError(await promise.then(fail, (error) => error), expected);
}

/** @param {() => unknown} f @param {any} expected  see isError */
function throws(f, expected) {
  let error;
  try {
    f();
  } catch (e) {
    error = e;
  }
  isError(error, expected);
}

/** @param {ReadableStream<string>} stream */
async function joined(stream) {
  let text = '';
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += value;
  }
}

/** A promise, and what settles it. */
function deferred() {
  /** @type {(value?: any) => void} */
  let resolve = () => {};
  const promise = new Promise((f) => void (resolve = f));
  return { promise, resolve };
}

/** What all the methods say when a Translator has ended. @param {any} translator @param {any} reason */
async function isOver(translator, reason) {
  await rejects(translator.translate(TEXT), reason);
  await rejects(translator.translateDetailed(TEXT), reason);
  await rejects(translator.measureInputUsage(TEXT), reason);
  throws(() => translator.translateStreaming(TEXT), reason);
}

/**
 * Each takes what makes a Translator of the shipped model where the rules are tried, with further options.
 *
 * @type {Record<string, (make: (options?: any) => Promise<any>, more: object) => Promise<void>>}
 */
export const RULES = {
  async 'create() and availability() reject what is no option with a TypeError'(make, more) {
    const { create, availability } = /** @type {any} */ (Translator); // static methods need no `this`
    for (const f of [create, availability]) {
      await rejects(f(), TypeError);
      await rejects(f(null), TypeError);
      await rejects(f({ sourceLanguage: 'en' }), TypeError);
      await rejects(f({ targetLanguage: 'en' }), TypeError);
    }
    await rejects(make({ signal: {} }), TypeError);
    await rejects(make({ monitor: 5 }), TypeError);
    await rejects(make({ model: 5, ...more }), TypeError);
  },

  async 'a tag that is none is a RangeError'(make) {
    for (const tag of ['', 'e', 'en_US', 'en-', '-en', 'no tag', 'en-US-US-x', 'abcdefghijk']) {
      await rejects(make({ sourceLanguage: tag }), RangeError);
      await rejects(make({ targetLanguage: tag }), RangeError);
      await rejects(Translator.availability({ ...PAIR, targetLanguage: tag }), RangeError);
    }
  },

  async 'tags are canonical, attributes read-only'(make) {
    const translator = await make({ sourceLanguage: 'EN-us', targetLanguage: 'de-latn-at' });
    is(translator.sourceLanguage, 'en-US');
    is(translator.targetLanguage, 'de-Latn-AT');
    is(translator.inputQuota, Infinity);
    for (const name of ['sourceLanguage', 'targetLanguage', 'inputQuota']) {
      is(Object.hasOwn(translator, name), false, name);
      is(typeof Object.getOwnPropertyDescriptor(Translator.prototype, name)?.get, 'function', name);
      throws(() => void (translator[name] = 'fr'), TypeError);
    }
    is(translator.sourceLanguage, 'en-US');
    translator.destroy();
  },

  async 'an object says what it is, and only create() makes one'(make) {
    const translator = await make();
    is(Object.prototype.toString.call(translator), '[object Translator]');
    is(translator instanceof Translator, true);
    throws(() => new /** @type {any} */ (Translator)(), TypeError);
    is(translator.constructor, Translator, 'constructor');
    translator.destroy();
  },

  async 'create() with an aborted signal rejects with its reason, and calls no monitor'(make) {
    const reason = new Error('before');
    let calls = 0;
    await rejects(make({ signal: AbortSignal.abort(reason), monitor: () => calls++ }), reason);
    await rejects(make({ signal: AbortSignal.abort() }), 'AbortError');
    is(calls, 0, 'calls');
  },

  async 'aborting create() rejects with the reason, at any progress, and no event follows'(make) {
    for (const when of [0, 1]) {
      const stop = new AbortController();
      const reason = new Error(`at ${when}`);
      const reached = deferred();
      let late = 0;
      const monitor = (/** @type {any} */ target) =>
        target.addEventListener('downloadprogress', (/** @type {any} */ { loaded }) => {
          if (stop.signal.aborted) late++;
          if (loaded === when) reached.resolve();
        });
      const creation = make({ signal: stop.signal, monitor });
      creation.catch(() => {}); // it may reject before it is looked at
      await reached.promise;
      stop.abort(reason);
      await rejects(creation, reason);
      is(late, 0, 'events after the abort');
    }
    const stop = new AbortController();
    const creation = make({ signal: stop.signal });
    stop.abort();
    await rejects(creation, 'AbortError');
  },

  async 'a monitor that throws ends create() with its error, before the pair is looked at'() {
    const error = new Error('not today');
    const monitor = () => {
      throw error;
    };
    await rejects(Translator.create({ sourceLanguage: 'und', targetLanguage: 'und', monitor }), error);
  },

  async 'the monitor gets ProgressEvents that grow from 0 to 1, in parts of 65,536'(make) {
    /** @type {any[]} */
    const events = [];
    /** @type {unknown[]} */
    const handled = [];
    let isMade = false;
    let late = 0;
    /** @type {any} */
    let target;
    const translator = await make({
      monitor(/** @type {any} */ monitor) {
        target = monitor;
        is(monitor instanceof EventTarget, true, 'an EventTarget');
        is(Object.prototype.toString.call(monitor), '[object CreateMonitor]');
        is(monitor.ondownloadprogress, null);
        const replaced = () => handled.push('replaced');
        monitor.ondownloadprogress = replaced;
        is(monitor.ondownloadprogress, replaced);
        monitor.ondownloadprogress = 'no function';
        is(monitor.ondownloadprogress, null);
        monitor.ondownloadprogress = replaced;
        monitor.ondownloadprogress = function (/** @type {any} */ event) {
          handled.push(this === monitor && event.currentTarget === monitor && event);
        };
        monitor.addEventListener('downloadprogress', (/** @type {any} */ event) => {
          events.push(event);
          late += Number(isMade);
        });
      },
    });
    isMade = true;
    is(await translator.translate(TEXT), 'Guten Morgen.');
    is(late, 0, 'events after create()');
    is(events.length >= 2, true, `${events.length} events`);
    is(handled.length, events.length, 'events of the handler');
    is(events[0].loaded, 0, 'first');
    is(events.at(-1).loaded, 1, 'last');
    let last = -1;
    for (const [i, event] of events.entries()) {
      is(handled[i], event, 'event of the handler');
      is(event instanceof Event, true, 'an Event');
      is(Object.prototype.toString.call(event), '[object ProgressEvent]');
      if (globalThis.ProgressEvent) is(event instanceof ProgressEvent, true, "the host's class");
      is(event.type, 'downloadprogress');
      is(event.lengthComputable, true);
      is(event.total, 1);
      is(event.target, target, 'target');
      is(event.loaded % (1 / 65_536), 0, `rest of ${event.loaded}`);
      is(event.loaded > last, true, `${event.loaded} after ${last}`);
      last = event.loaded;
    }
    translator.destroy();
  },

  async 'destroy() ends what runs and waits, and all that follows, with an AbortError'(make) {
    const translator = await make();
    const running = [
      translator.translate(LONG), translator.translate(TEXT), translator.translateDetailed(TEXT),
      translator.measureInputUsage(TEXT), translator.measureInputUsage(LONG),
      joined(translator.translateStreaming(LONG)), translator.translateStreaming(TEXT).pipeTo(new WritableStream()),
    ];
    is(translator.destroy(), undefined);
    is(translator.destroy('why'), undefined);
    for (const call of running) await rejects(call, 'AbortError');
    await isOver(translator, 'AbortError');
  },

  async 'the signal of create() destroys the Translator later, with its reason'(make) {
    const stop = new AbortController();
    const reason = new Error('the page is closed');
    const translator = await make({ signal: stop.signal });
    is(await translator.translate(TEXT), 'Guten Morgen.');
    const running = [
      translator.translate(LONG), translator.measureInputUsage(LONG), joined(translator.translateStreaming(LONG)),
    ];
    stop.abort(reason);
    for (const call of running) await rejects(call, reason);
    await isOver(translator, reason);
    translator.destroy();
    await isOver(translator, reason);
  },

  async 'aborting a call rejects with the reason, and the next call works'(make) {
    const translator = await make();
    for (const method of ['translate', 'translateDetailed', 'measureInputUsage']) {
      for (const reason of [undefined, new Error('enough'), 0]) {
        const stop = new AbortController();
        const call = translator[method](LONG, { signal: stop.signal });
        stop.abort(reason);
        await rejects(call, reason ?? 'AbortError');
        await rejects(translator[method](LONG, { signal: stop.signal }), reason ?? 'AbortError');
      }
    }
    const usage = await translator.measureInputUsage(TEXT, { signal: new AbortController().signal });
    is(usage >= 0 && Number.isFinite(usage), true, `usage ${usage}`);
    is(await translator.translate(TEXT), 'Guten Morgen.');
    translator.destroy();
  },

  async 'translateStreaming() throws at once'(make) {
    const translator = await make();
    const reason = new Error('too late');
    throws(() => translator.translateStreaming(TEXT, { signal: AbortSignal.abort(reason) }), reason);
    throws(() => translator.translateStreaming(TEXT, { signal: AbortSignal.abort() }), 'AbortError');
    throws(() => translator.translateStreaming(), TypeError);
    throws(() => translator.translateStreaming(TEXT, 5), TypeError);
    throws(() => translator.translateStreaming(TEXT, { signal: {} }), TypeError);
    const stream = translator.translateStreaming(TEXT);
    is(Object.prototype.toString.call(stream), '[object ReadableStream]');
    is(await joined(stream), 'Guten Morgen.');
    translator.destroy();
  },

  async 'a stream under way ends at once with the reason, while it is read and while it is not'(make) {
    for (const isRead of [true, false]) {
      const translator = await make();
      const stop = new AbortController();
      const reason = new Error('enough');
      const [one, two] = [{ signal: stop.signal }, {}]
        .map((options) => translator.translateStreaming(LONG, options).getReader());
      for (const reader of [one, two]) is((await reader.read()).done, false, 'a piece');
      const next = isRead ? one.read() : undefined;
      stop.abort(reason);
      // what was translated before may still be on its way to a read that waits
      await next?.then(() => {}, (/** @type {any} */ error) => isError(error, reason));
      await rejects(one.read(), reason);
      await rejects(one.closed, reason);
      is((await two.read()).done, false, 'the other stream goes on');
      translator.destroy();
      await rejects(two.read(), 'AbortError');
    }
  },

  async 'streams at once are both right'(make) {
    const translator = await make();
    const say = (/** @type {string} */ text) => joined(translator.translateStreaming(text));
    const texts = await Promise.all([TEXT, TEXT, 'I love you.'].map(say));
    is(texts.join('|'), 'Guten Morgen.|Guten Morgen.|Ich liebe dich.');
    translator.destroy();
  },

  async 'text with nothing to translate comes back as it is'(make) {
    const translator = await make();
    const controls = Array.from({ length: 32 }, (_, i) => String.fromCharCode(i));
    const signs = ['!', '...', '?!', '—', '(…)', '€ % §', '→', '😀', '👩‍👩‍👧 ♥', '🇩🇪', ' 🎵\n\n♥ '];
    const texts = ['', ' ', ' \r\n\t\f', ...controls, ...signs];
    const said = await translator.translate(texts);
    for (const [i, text] of texts.entries()) is(said[i], text, 'translate()');
    for (const text of ['', ' \n', '😀', '\u0007', '?! ...']) {
      is(await translator.translate(text), text, 'translate() of one');
      is(await joined(translator.translateStreaming(text)), text, 'translateStreaming()');
      is((await translator.translateDetailed(text)).length, 0, 'sentences');
      is(await translator.measureInputUsage(text), 0, 'usage');
    }
    is(await translator.translate('😀\nGood morning.\n...'), '😀\nGuten Morgen.\n...');
    is((await translator.translate(`Hello ${controls[7]} world`)).includes('Hello'), false, 'a word is translated');
    // a term of a glossary is translated though it has no letter
    is((await translator.translate('♥', { glossary: { '♥': 'Herz' } })).includes('Herz'), true, 'the term');
    is(await translator.translate('😀', { glossary: { '♥': 'Herz' } }), '😀');
    translator.destroy();
  },

  async 'input and options of another type are TypeErrors'(make) {
    const translator = await make();
    for (const method of ['translate', 'translateDetailed', 'measureInputUsage']) {
      await rejects(translator[method](), TypeError);
      await rejects(translator[method](TEXT, null), TypeError);
      await rejects(translator[method](TEXT, { signal: 'stop' }), TypeError);
    }
    is(await translator.translate(TEXT), 'Guten Morgen.');
    translator.destroy();
  },

  async 'Translator.models is where create() and availability() look'(_, more) {
    const none = { sourceLanguage: 'en', targetLanguage: 'ja' };
    const { models: before } = Translator;
    is(before, undefined, 'Translator.models');
    await rejects(Translator.create({ ...PAIR, ...more }), 'NotSupportedError');
    is(await Translator.availability(PAIR), 'unavailable');
    try {
      for (const models of [MODELS, MODELS.href, [MODELS], [OTHER, MODELS.href]]) {
        Translator.models = models;
        is(['available', 'downloadable'].includes(await Translator.availability(PAIR)), true, 'availability');
        is(await Translator.availability(none), 'unavailable');
        await rejects(Translator.create({ ...none, ...more }), 'NotSupportedError');
        const translator = await Translator.create({ ...PAIR, ...more });
        is(await translator.translate(TEXT), 'Guten Morgen.');
        translator.destroy();
      }
      // an option of the call wins
      await rejects(Translator.create({ ...PAIR, ...more, models: OTHER }), 'NotSupportedError');
      is(await Translator.availability({ ...PAIR, models: OTHER }), 'unavailable');
    } finally {
      Translator.models = before;
    }
  },

  async 'a pair without a model is not supported'(make) {
    await rejects(make({ targetLanguage: 'it' }), 'NotSupportedError');
    await rejects(make({ sourceLanguage: 'it', targetLanguage: 'en' }), 'NotSupportedError');
    is(await Translator.availability({ ...PAIR, targetLanguage: 'it', model: FIXTURE }), 'unavailable');
    is(await Translator.availability({ ...PAIR, model: new URL('nowhere/', FIXTURE) }), 'unavailable');
  },

  async 'a server that cannot be reached is a NetworkError'(make) {
    const nowhere = 'http://127.0.0.1:1/';
    await rejects(make({ model: nowhere }), 'NetworkError');
    await rejects(make({ model: undefined, models: `${nowhere}index.json` }), 'NetworkError');
    await rejects(Translator.availability({ ...PAIR, model: nowhere }), 'NetworkError');
  },
};

/**
 * What of the rules is broken.
 *
 * @param {object} more  options of every Translator: where it runs
 * @returns {Promise<Record<string, string>>}  '' or an error, by rule
 */
export async function survey(more) {
  const make = (/** @type {object} */ options) => Translator.create({ ...PAIR, model: FIXTURE, ...more, ...options });
  /** @type {Record<string, string>} */
  const found = {};
  for (const [rule, check] of Object.entries(RULES)) {
    found[rule] = await check(make, more).then(() => '', (error) => `${error?.stack ?? error}`);
  }
  return found;
}
