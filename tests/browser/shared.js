// shared.js - two workers in a page: as many as asked for, and those that come by themselves; sent to the server that
// the page came from. Loaded by shared.html.
import { Translator } from '../../js/index.js';

const PAIR = { sourceLanguage: 'en', targetLanguage: 'de' };
/** Other searches say no more of memory that is shared. */
const GREEDY = { beams: 1 };
const MODEL = new URL('../../models/de-en-es-fr/', import.meta.url).href;

const violations = [];
document.addEventListener('securitypolicyviolation', (event) => {
  // that WebKit asks for by itself
  if (event.blockedURI.endsWith('/favicon.ico')) return;
  violations.push(`${event.effectiveDirective}: ${event.blockedURI}`);
});

/** What each worker is given: true, the share of another worker, or nothing. @type {string[]} */
let shares = [];
const { postMessage } = MessagePort.prototype;
MessagePort.prototype.postMessage = function (...args) {
  if (args[0]?.method === 'create') shares.push(typeof args[0].args[0].share);
  return Reflect.apply(postMessage, this, args);
};

/** Whether each worker says that its memory is shared. @type {boolean[]} */
let isShared = [];
const { set, ...others } = Object.getOwnPropertyDescriptor(MessagePort.prototype, 'onmessage');
Object.defineProperty(MessagePort.prototype, 'onmessage', { ...others, set(f) {
  Reflect.apply(set, this, [f && ((event) => {
    const { value } = event.data ?? {};
    if (value?.isShared !== undefined) isShared.push(value.isShared);
    return f(event);
  })]);
} });

/** @param {object} options  of a pool @param {string[]} texts */
async function use(options, texts) {
  const alone = await Translator.create({ ...PAIR, model: MODEL, ...options, workers: 1 });
  await alone.translate(texts, GREEDY);
  const single = alone.info.memoryBytes;
  alone.destroy();
  shares = [];
  isShared = [];
  const translator = await Translator.create({ ...PAIR, model: MODEL, ...options });
  let found = await translator.translate(texts, GREEDY);
  // the second one may come only after the last sentence
  while (translator.info.workers !== 2) found = await translator.translate(texts, GREEDY);
  const { info } = translator;
  translator.destroy();
  return { texts: found, info, single, shares: [...shares], isShared: [...isShared] };
}

let report;
try {
  Object.defineProperty(navigator, 'hardwareConcurrency', { value: 2 });
  const texts = await (await fetch('texts')).json();
  report = {
    crossOriginIsolated: globalThis.crossOriginIsolated,
    hasShared: globalThis.SharedArrayBuffer !== undefined,
    fixed: await use({ workers: 2 }, texts),
    grown: await use({}, texts),
  };
} catch (error) {
  report = { error: `${error.name}: ${error.message}\n${error.stack}` };
}
await fetch('report', { method: 'POST', body: JSON.stringify({ ...report, violations }) });
