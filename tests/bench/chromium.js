// chromium.js - compares the engines on one model in headless Chromium; started by index.js.
//
//   node chromium.js MODEL DTYPE [ROUNDS]     prints one line of JSON
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { serve } from './server.js';

/** Path of a Chromium, or undefined. */
export const findChromium = () =>
  [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
    .find((path) => path && existsSync(path));

async function main(model, dtype, rounds) {
  const { chromium } = await import('playwright-core');
  const server = await serve();
  // root may not use Chromium's sandbox; all pages are ours
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath: findChromium(), headless: true, args });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(0);
    await page.goto(`${server.url}tests/bench/page.html`);
    const result = await page.evaluate(async ([url, ...rest]) => (await import(url)).run(...rest),
      [`${server.url}tests/bench/page.js`, model, dtype, rounds]);
    console.log(JSON.stringify(result));
  } finally {
    await browser.close();
    server.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [model, dtype, rounds = 7] = process.argv.slice(2);
  await main(model, dtype, Number(rounds));
}
