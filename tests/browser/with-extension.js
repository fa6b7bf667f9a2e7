// with-extension.js - Chromium or Firefox with an extension, and one page: what a test does there is the same in both.
// Used by extension.test.js.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startWithExtension } from './chromium.js';
import { startFirefox } from './marionette.js';
import { untilTrue } from './until.js';

/**
 * @typedef {object} Browser
 * @property {(url: string) => Promise<void>} open  in place of the page before
 * @property {(name: string) => Promise<void>} openOwn  a page of the extension
 * @property {(f: Function, arg?: unknown) => Promise<any>} evaluate  a function in the page
 * @property {(f: Function, arg?: unknown) => Promise<any>} until  evaluates it until its answer is true
 * @property {(selector: string) => Promise<void>} click
 * @property {(selector: string, text: string) => Promise<void>} fill
 * @property {() => Promise<void>} press  the extension's button
 * @property {() => Promise<[badge: string, title: string]>} button  what it shows
 * @property {() => Promise<string[]>} requests  what the pages and the extension have asked for
 * @property {() => Promise<void>} close
 */

/** @param {string} extension  folder, which is changed @param {string} profile  folder @returns {Promise<Browser>} */
async function startChromium(extension, profile) {
  // a press of the button gives access to the tab, and Playwright cannot press it
  const manifest = join(extension, 'manifest.json');
  const settings = JSON.parse(await readFile(manifest, 'utf8'));
  await writeFile(manifest, JSON.stringify({ ...settings, host_permissions: ['http://127.0.0.1/*'] }));
  const context = await startWithExtension(extension, profile);
  /** @type {string[]} */
  const requests = [];
  context.on('request', (request) => requests.push(request.url()));
  const worker = context.serviceWorkers()[0] ?? await context.waitForEvent('serviceworker');
  // a worker that has started need not have come to its listeners
  await untilTrue(() => worker.evaluate(() => chrome.action.onClicked.hasListeners()), 'the extension listens');
  const [page] = context.pages();
  const evaluate = (f, arg) => page.evaluate(f, arg);
  return {
    open: async (url) => void await page.goto(url),
    openOwn: async (name) => void await page.goto(new URL(name, worker.url()).href),
    evaluate,
    until: (f, arg) => untilTrue(() => evaluate(f, arg), f),
    click: (selector) => page.locator(selector).click(),
    fill: (selector, text) => page.locator(selector).fill(text),
    press: () => worker.evaluate(async () => {
      const [tab] = await chrome.tabs.query({ active: true, lastFocusedWindow: true });
      chrome.action.onClicked.dispatch(tab);
    }),
    button: () => worker.evaluate(async () => {
      const [{ id: tabId }] = await chrome.tabs.query({ active: true, lastFocusedWindow: true });
      return Promise.all([chrome.action.getBadgeText({ tabId }), chrome.action.getTitle({ tabId })]);
    }),
    requests: async () => requests,
    close: () => context.close(),
  };
}

/** @param {string} extension  folder @returns {Promise<Browser>} */
async function startInFirefox(extension) {
  const { send, inPage, inBrowser, install, close } = await startFirefox(extension);
  try {
    await inBrowser(() => {
      const own = Services.wm.getMostRecentWindow('navigator:browser');
      own.heedRequests = [];
      Services.obs.addObserver((subject) => {
        const { URI, loadInfo } = subject.QueryInterface(Ci.nsIHttpChannel);
        const isDocument = loadInfo.externalContentPolicyType === Ci.nsIContentPolicy.TYPE_DOCUMENT;
        // the browser's own services, such as its updates, ask in its own name
        if (isDocument || !loadInfo.triggeringPrincipal.isSystemPrincipal) own.heedRequests.push(URI.spec);
      }, 'http-on-opening-request');
    });
    const { value: id } = await install();
    const host = await inBrowser((own) => {
      // as a user puts it beside the address
      window.CustomizableUI.addWidgetToArea('heed_example_org-browser-action', 'nav-bar');
      return WebExtensionPolicy.getByID(own).mozExtensionHostname;
    }, id);
    const open = (/** @type {string} */ url) => send('Marionette:SetContext', { value: 'content' })
      .then(() => send('WebDriver:Navigate', { url }));
    const find = async (/** @type {string} */ selector) => {
      await send('Marionette:SetContext', { value: 'content' });
      const { value } = await send('WebDriver:FindElement', { using: 'css selector', value: selector });
      return { id: Object.values(value)[0] };
    };
    return {
      open,
      openOwn: (name) => open(`moz-extension://${host}/${name}`),
      evaluate: inPage,
      until: (f, arg) => untilTrue(() => inPage(f, arg), f),
      click: async (selector) => send('WebDriver:ElementClick', await find(selector)),
      async fill(selector, text) {
        const field = await find(selector);
        await send('WebDriver:ElementClear', field);
        await send('WebDriver:ElementSendKeys', { ...field, text });
      },
      press: () => inBrowser(() => document.getElementById('heed_example_org-BAP').click()),
      button: () => inBrowser(() => {
        const button = document.getElementById('heed_example_org-BAP');
        return [button.getAttribute('badge') ?? '', button.getAttribute('label')];
      }),
      requests: () => inBrowser(() => Services.wm.getMostRecentWindow('navigator:browser').heedRequests),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * @param {'chromium' | 'firefox'} kind
 * @param {string} extension  folder, which is changed for Chromium
 * @param {string} profile  folder for Chromium's
 */
export const startBrowserWith = (kind, extension, profile) =>
  (kind === 'chromium' ? startChromium(extension, profile) : startInFirefox(extension));
