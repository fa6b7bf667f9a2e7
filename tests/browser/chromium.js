// chromium.js - the built page in Chromium, driven by playwright-core; used by page.test.js, page-use.test.js and, for
// other pages, element.test.js.
import { createRequire } from 'node:module';
import { needBrowser } from './hosts.js';
import { serveSite } from './site.js';

const require = createRequire(new URL('package.json', import.meta.url));
/** What a step may take: far more than it takes on two shared cores. */
export const LIMIT = 60_000;

/** Installed by .ci/setup browsers. */
function driver() {
  try {
    return require('playwright-core').chromium;
  } catch {
    throw new Error('playwright-core is missing: .ci/setup browsers installs it');
  }
}

/** Start Chromium. */
export async function startBrowser() {
  // root may not use Chromium's sandbox; all pages are ours
  return driver().launch({
    executablePath: needBrowser('chromium'), chromiumSandbox: process.getuid?.() !== 0,
  });
}

/** Start Chromium with an extension. @param {string} extension  folder @param {string} profile  folder */
export async function startWithExtension(extension, profile) {
  const context = await driver().launchPersistentContext(profile, {
    executablePath: needBrowser('chromium'), chromiumSandbox: process.getuid?.() !== 0,
    ignoreDefaultArgs: ['--disable-extensions'],
    args: [`--disable-extensions-except=${extension}`, `--load-extension=${extension}`],
  });
  context.setDefaultTimeout(LIMIT);
  return context;
}

/** Serve the page, and start Chromium. @param {Parameters<typeof serveSite>[0]} [options] */
export async function startChromium(options) {
  needBrowser('chromium');
  const site = await serveSite(options);
  const browser = await startBrowser();

  /**
   * A page in a profile of its own; `troubles` is what it or its policy complained about.
   *
   * @param {{ place?: string, width?: number, theme?: 'light' | 'dark', touch?: boolean }} [options]
   */
  async function openPage({ place = 'translate', width = 1280, theme = 'light', touch = false } = {}) {
    const context = await browser.newContext({
      viewport: { width, height: 860 }, colorScheme: theme, acceptDownloads: true, reducedMotion: 'reduce',
      hasTouch: touch,
    });
    context.setDefaultTimeout(LIMIT);
    const page = await context.newPage();
    const troubles = [];
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && troubles.push(message.text()));
    page.on('pageerror', (error) => troubles.push(String(error.stack)));
    await page.addInitScript(() => {
      addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
        console.error(`policy: ${effectiveDirective}: ${blockedURI}`));
    });
    await page.goto(`${site.url}#/${place}`);
    await page.waitForSelector('.status[data-status="ready"]');
    return { page, troubles, close: () => context.close() };
  }

  return {
    site,
    browser,
    openPage,
    async close() {
      await browser.close();
      await site.close();
    },
  };
}

/** Go to a room or view as a link does, and wait until it shows what it has. */
export async function visit(page, place) {
  await page.evaluate((hash) => (location.hash = hash), `#/${place}`);
  await page.waitForSelector(`.room-${place.split(/[/?]/)[0]} :is(h1, h2)`);
  await page.waitForFunction(() => !document.querySelector('main [aria-busy="true"]'));
}

/** The translation that the page shows, once it is whole. */
export const said = (page) =>
  page.waitForSelector('.said[aria-busy="false"]:not(.empty)').then((element) => element.textContent());

/**
 * Waits in a page until a promise is true: page.waitForFunction() does not wait for promises.
 *
 * @param {import('playwright-core').Page} page
 * @param {() => Promise<boolean>} isSo  runs in the page
 */
export const until = (page, isSo) => page.evaluate(`(async () => {
  const isSo = ${isSo};
  for (const end = performance.now() + ${LIMIT}; !(await isSo()); await new Promise((turn) => setTimeout(turn, 50))) {
    if (performance.now() > end) throw new Error('not so in ${LIMIT} ms');
  }
})()`);

/**
 * Waits until the header has these languages; '-' for those of the user's own model.
 *
 * @param {import('playwright-core').Page} page @param {string} pair  'en-de'
 */
export const hasPair = (page, pair) => page.waitForFunction((wanted) =>
  Array.from(document.querySelectorAll('header .languages select'), ({ value }) => value).join('-') === wanted, pair);
