// screenshots.js - pictures of the built page in Chromium: the four of the README, or every view to look at. One is of
// a model of Mozilla's, if firefox-models.js can bring it.
//
//   node tests/browser/screenshots.js              into web/images, light, 1280 px wide: `make screenshots`
//   node tests/browser/screenshots.js all FOLDER   every view, at 1280, 768 and 390 px, light and dark, whole pages
//
// Those of the README have fewer colours where pngquant is installed (apt-get install pngquant).
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bringModels } from '../firefox-models.js';
import { PLACES } from './expected.js';
import { findBrowser } from './launch.js';
import { serveSite } from './site.js';

const require = createRequire(new URL('package.json', import.meta.url));
const IMAGES = fileURLToPath(new URL('../../web/images/', import.meta.url));
/** Bytes of a picture that a README loads, at most. */
const MOST = 120_000;
const TEXT = 'My sister lives in a small house near the station because she works there.';
/** Name, place, height: what the README shows. */
const CHOSEN = [
  ['translate', 'translate', 700],
  ['see', 'see/heads?layer=2&heads=0-2', 1000],
  ['learn', 'learn/self-attention', 820],
];
/** With Mozilla's model from English to Portuguese. */
const FIREFOX = ['firefox', 'see/heads?layer=2&heads=0', 1240];
const FIREFOX_TEXT = 'Nobody at the bakery remembered the name of the old woman who had paid for everyone.';

const [what = 'readme', folder = IMAGES] = process.argv.slice(2);
const site = await serveSite();
const browser = await require('playwright-core').chromium.launch({
  // root may not use Chromium's sandbox; the page is ours
  executablePath: findBrowser('chromium'), chromiumSandbox: process.getuid?.() !== 0,
});

/**
 * Have the page at a place, with what it computes.
 *
 * @param {import('playwright-core').Page} page
 * @param {string} place
 * @param {string} [text]
 */
async function visit(page, place, text = TEXT) {
  const link = `${place}${place.includes('?') ? '&' : '?'}${new URLSearchParams({ text })}`;
  await page.evaluate((hash) => (location.hash = hash), `#/${link}`);
  await page.waitForSelector(`.room-${place.split('/')[0]} :is(h1, h2)`);
  await page.waitForFunction(() => !document.querySelector('main [aria-busy="true"]'));
  if (place === 'translate') await page.waitForSelector('.said[aria-busy="false"]:not(.empty)');
  await page.mouse.move(0, 0);
  // what is drawn in the next frames, and the beam's search
  await page.waitForTimeout(600);
}

/** What is out of sight is drawn when it comes near. @param {import('playwright-core').Page} page */
const scrollThrough = (page) => page.evaluate(async () => {
  for (let y = 0; y < document.body.scrollHeight; y += innerHeight / 2) {
    scrollTo(0, y);
    for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
  }
  scrollTo(0, 0);
});

/** @param {number} width @param {number} height @param {'light' | 'dark'} colorScheme */
async function openPage(width, height, colorScheme) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' });
  await page.goto(site.url);
  await page.waitForSelector('.status[data-status="ready"]');
  return page;
}

try {
  await mkdir(folder, { recursive: true });
  if (what === 'all') {
    for (const width of [1280, 768, 390]) {
      for (const theme of /** @type {const} */ (['light', 'dark'])) {
        const page = await openPage(width, 860, theme);
        for (const place of PLACES) {
          await visit(page, place);
          await scrollThrough(page);
          await page.screenshot({ path: join(folder, `${place.replace('/', '-')}-${width}-${theme}.png`),
            fullPage: true });
        }
        await page.close();
      }
    }
  } else {
    const models = bringModels();
    if ('missing' in models) console.log(`firefox.png: skipped: ${models.missing}`);
    for (const [name, place, height] of [...CHOSEN, ...('missing' in models ? [] : [FIREFOX])]) {
      const path = join(folder, `${name}.png`);
      const page = await openPage(1280, height, 'light');
      if (name === 'firefox' && 'directory' in models) {
        const directory = join(models.directory, 'enpt');
        const files = readdirSync(directory).filter((file) => /\.(bin|spm)$/.test(file));
        await page.click('.own summary');
        await page.locator('input[type=file]').first().setInputFiles(files.map((file) => join(directory, file)));
        await page.getByText('Ready: English → Portuguese').waitFor();
      }
      await visit(page, place, name === 'firefox' ? FIREFOX_TEXT : undefined);
      await page.screenshot({ path });
      await page.close();
      try {
        execFileSync('pngquant', ['--force', '--strip', '--speed', '1', '--output', path, '64', path]);
      } catch (error) {
        if (error.code !== 'ENOENT') throw error;
      }
      const { size } = await stat(path);
      if (size > MOST) throw new Error(`${path}: ${size} bytes, expected at most ${MOST}; is pngquant installed?`);
      console.log(`${path}: ${size} bytes`);
    }
  }
} finally {
  await browser.close();
  await site.close();
}
