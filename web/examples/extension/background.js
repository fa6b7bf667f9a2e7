// background.js - has the model, which translates for all tabs; in Chromium a service worker, in Firefox a page.
//
//   button -> content.js in the tab -> a port: { id, html } there, { id, html } or { id, error } back
import { Translator } from './heed/inline.js'; // service workers may not import() what index.js loads later

/** By pair of languages; an idle service worker ends, and they with it. @type {Map<string, Promise<Translator>>} */
const translators = new Map();

/** @param {string} sourceLanguage @param {string} targetLanguage */
function translatorFor(sourceLanguage, targetLanguage) {
  const pair = `${sourceLanguage} ${targetLanguage}`;
  const known = translators.get(pair);
  if (known) return known;
  const made = Translator.create({
    sourceLanguage, targetLanguage, model: chrome.runtime.getURL('model/'), cache: false,
  });
  translators.set(pair, made);
  made.catch(() => translators.delete(pair)); // the next time may do
  return made;
}

/** @param {number} tabId @param {string} text @param {string} title */
function show(tabId, text, title) {
  void chrome.action.setBadgeText({ tabId, text });
  void chrome.action.setTitle({ tabId, title });
}

chrome.action.onClicked.addListener(async ({ id }) => {
  const script = { target: { tabId: id }, files: ['content.js'] };
  const [result] = await chrome.scripting.executeScript(script).catch(() => []);
  // the browser's own pages, and its store; there Chromium fails, and Firefox gives null
  if (!result) show(id, '!', 'The browser lets no extension read this page');
});

chrome.runtime.onConnect.addListener((port) => {
  const [from, to] = port.name.split(' ');
  const tabId = port.sender.tab.id;
  /** How to abort each call. @type {Map<number, AbortController>} */
  const calls = new Map();
  const send = (message) => calls.delete(message.id) && port.postMessage(message);
  port.onMessage.addListener(async ({ id, html, badge, title }) => {
    if (badge !== undefined) {
      show(tabId, badge, title);
      return;
    }
    if (html === undefined) {
      calls.get(id)?.abort();
      calls.delete(id);
      return;
    }
    const stop = new AbortController();
    calls.set(id, stop);
    try {
      const translator = await translatorFor(from, to);
      send({ id, html: await translator.translateHtml(html, { signal: stop.signal }) });
    } catch (error) {
      send({ id, error: error.message });
    }
  });
  port.onDisconnect.addListener(() => {
    for (const stop of calls.values()) stop.abort();
    calls.clear();
  });
});
