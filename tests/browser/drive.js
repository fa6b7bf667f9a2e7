// drive.js - uses the built page in a frame like a person, without a driver, and sends its results to the server
// of the page; loaded by drive.html, for page-engines.test.js.

const frame = document.querySelector('iframe');
/** What a step may take, far more than it takes on two shared cores. */
const LIMIT = 60_000;
/** What the page's policy forbade, and what it threw. */
const troubles = [];

/**
 * What f gives as soon as it is something.
 *
 * @template T
 * @param {string} what
 * @param {() => T | Promise<T>} f
 * @returns {Promise<T>}
 */
async function until(what, f) {
  for (const end = Date.now() + LIMIT; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const value = await f();
    if (value) return value;
  }
  const text = frame.contentDocument?.body?.textContent.slice(0, 400);
  throw new Error(`${what}: not within ${LIMIT} ms; the page says: ${text}`);
}

const find = (selector) => frame.contentDocument?.querySelector(selector);
const said = () => (find('.said[aria-busy="false"]:not(.empty)') ? find('.said').textContent : '');

/** Wait for the page that the frame loads, and listen to what goes wrong in it. */
async function opened() {
  await until('a model', () => find('.status[data-status="ready"]'));
  const { contentWindow, contentDocument } = frame;
  contentDocument.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
    troubles.push(`policy: ${effectiveDirective}: ${blockedURI}`));
  contentWindow.addEventListener('error', ({ message }) => troubles.push(message));
  contentWindow.addEventListener('unhandledrejection', ({ reason }) => troubles.push(String(reason)));
  const script = contentDocument.createElement('script');
  Object.assign(script, { type: 'module', src: '/drive/probe.js' });
  contentDocument.head.append(script);
  return until('the probe', () => contentWindow.probe);
}

/** @param {string} text @param {string} [not]  what the translation is not */
async function translate(text, not = '') {
  const before = said();
  const box = find('textarea');
  box.value = text;
  box.dispatchEvent(new frame.contentWindow.Event('input', { bubbles: true }));
  return until('a translation', () => said() !== before && said() !== not && said());
}

/** @param {string} place */
async function visit(place) {
  frame.contentWindow.location.hash = `#/${place}`;
  const [room] = place.split('/');
  await until(place, () => find(`.room-${room} :is(h1, h2)`) && !find('main [aria-busy="true"]'));
}

async function drive({ text, places }) {
  frame.src = '/sites/heed/';
  const app = await opened();
  await until('the first translation', said);
  const target = await translate(text);
  const { sentences } = await app.engine.detail(text);
  const arrays = sentences.flatMap(({ attention: { encoder, decoder, cross } }) =>
    [encoder.data, decoder.data, cross.data]);
  const digest = await crypto.subtle.digest('SHA-256', await new Blob(arrays).arrayBuffer());
  for (const place of places) await visit(place);

  // what is exported is clicked as a link to a blob: its address and name are what a browser saves
  const exported = {};
  await visit('see/matrix');
  const { contentWindow } = frame;
  contentWindow.HTMLAnchorElement.prototype.click = function click() {
    exported[this.download.split('.').at(-1)] = this.href.split(':')[0];
  };
  for (const kind of ['PNG', 'SVG', 'CSV', 'JSON']) {
    const button = await until(`a button ${kind}`, () => [...frame.contentDocument.querySelectorAll('button')]
      .find(({ textContent }) => textContent.trim() === kind));
    button.click();
    await until(`a file ${kind}`, () => exported[kind.toLowerCase()]);
  }

  const hasWorkers = 'serviceWorker' in navigator;
  let offline;
  if (hasWorkers) {
    // the service worker has the page's files, and the library all files of the model
    const model = new URL('models/de-en-es-fr/', frame.src);
    const { files } = await (await fetch(new URL('heed.json', model))).json();
    // tokenizer_config.json is read for other families only, so it is not kept
    const read = ['heed.json', ...Object.keys(files)].filter((name) => name !== 'tokenizer_config.json');
    await until('a page and a model that are kept', async () => {
      const worker = await navigator.serviceWorker.getRegistration('/sites/heed/');
      const kept = new Set((await (await caches.open('heed')).keys()).map(({ url }) => url));
      return worker?.active?.state === 'activated' && read.every((name) => kept.has(new URL(name, model).href));
    });
    await fetch('cut', { method: 'POST' });
    await visit('translate');
    const { probe: before } = frame.contentWindow;
    frame.contentWindow.location.reload();
    await until('a reload', () => frame.contentWindow.probe !== before);
    await opened();
    await until('the first translation offline', said);
    offline = await translate('The house is small.');
  }
  return {
    target, exported, hasWorkers, offline,
    hash: Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join(''),
  };
}

const wanted = await (await fetch('wanted')).json();
const report = await drive(wanted).catch((error) => ({ error: `${error.name}: ${error.message}\n${error.stack}` }));
await fetch('report', {
  method: 'POST',
  body: JSON.stringify({ ...report, troubles, userAgent: navigator.userAgent }),
});
