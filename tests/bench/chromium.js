// chromium.js - compares the engines on one model in headless Chromium; started by index.js, used by bench.test.js.
//
//   node chromium.js MODEL DTYPE [ROUNDS]     prints one line of JSON
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { serve } from './server.js';

/** Path of a Chromium, or undefined. */
export const findChromium = () =>
  [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
    .find((path) => path && existsSync(path));

/**
 * What run() of compared.js gives in a page.
 *
 * @param {any} chromium  of playwright-core
 * @param {string} model
 * @param {string} dtype
 * @param {any} options  of run(); a directory is one of the repository
 */
export async function compareInChromium(chromium, model, dtype, { directory, ...options }) {
  const server = await serve();
  // root may not use Chromium's sandbox; all pages are ours
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath: findChromium(), headless: true, args });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(0);
    await page.goto(`${server.url}tests/bench/compared.html`);
    return await page.evaluate(async ([url, ...rest]) => (await import(url)).run(...rest), [
      `${server.url}tests/bench/compared.js`, model, dtype,
      { ...options, ...(directory && { directory: `${server.url}${directory}` }) },
    ]);
  } finally {
    await browser.close();
    server.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [model, dtype, rounds = 7] = process.argv.slice(2);
  const { chromium } = await import('playwright-core');
  console.log(JSON.stringify(await compareInChromium(chromium, model, dtype, { rounds: Number(rounds) })));
}
