// firefox-chromium.js - the engines of firefox.js in headless Chromium, each in a browser of its own: pages of one
// browser may share a process. Used by firefox.js.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { findChromium } from './chromium.js';
import { serve } from './server.js';

/** Where pages find the model's files. */
const PLACE = 'model/';

/** Why there is none, or undefined. */
export const lacksChromium = () =>
  (findChromium() ? undefined : 'no Chromium found: apt-get install chromium, or set CHROMIUM to the path of one');

/**
 * @param {string} engine
 * @param {string} directory
 * @param {{ sourceLanguage: string, targetLanguage: string, isRandom: boolean }} options
 */
export async function openPage(engine, directory, options) {
  const { chromium } = createRequire(import.meta.url)('playwright-core');
  const server = await serve();
  // root may not use Chromium's sandbox; all pages are ours
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath: findChromium(), headless: true, args });
  const close = async () => {
    await browser.close();
    server.close();
  };
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(0);
    const names = readdirSync(directory).filter((name) => /\.(bin|spm)$/.test(name));
    await page.route(`${server.url}${PLACE}*`, (/** @type {any} */ route) =>
      route.fulfill({ path: join(directory, basename(new URL(route.request().url()).pathname)) }));
    await page.goto(`${server.url}tests/bench/compared.html`);
    const module = `${server.url}tests/bench/firefox-page.js`;
    const call = (/** @type {string} */ name, /** @type {any[]} */ ...values) =>
      page.evaluate(async ([url, what, rest]) => (await import(url))[what](...rest), [module, name, values]);
    const first = await call('open', engine, { names, place: server.url + PLACE, ...options });
    return { ...first, version: browser.version(), ask: (/** @type {any} */ message) => call('ask', message), close };
  } catch (error) {
    await close();
    throw error;
  }
}
