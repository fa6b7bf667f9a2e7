// axe-long.js - axe on every room and view of the built page, and on each panel that can be opened there, in three
// sizes, light and dark.
//
//   node tests/axe-long.js [SIZE-THEME...]     such as 768-dark; default: all six. Part of `make test-long`
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { said, startChromium, visit } from './browser/chromium.js';
import { PLACES } from './browser/expected.js';

/** @typedef {import('playwright-core').Page} Page */

const require = createRequire(new URL('browser/package.json', import.meta.url));
const SIZES = [1280, 768, 390];
const THEMES = /** @type {const} */ (['light', 'dark']);

/** A file that is no model. */
const WRONG = { name: 'model.safetensors', mimeType: 'application/octet-stream', buffer: Buffer.from('no model') };

/** @param {Page} page */
const openAll = (page) => page.evaluate(() => {
  for (const details of document.querySelectorAll('details')) details.open = true;
});

/**
 * What can be opened at a place, one after another, each beside what is open already.
 *
 * @type {Record<string, [name: string, open: (page: Page) => Promise<unknown>][]>}
 */
const PANELS = {
  translate: [
    ['glossary', async (page) => {
      await page.click('.terms summary');
      await page.fill('.terms textarea', 'dog = Dackel\na line that is no term');
    }],
    ['own model', async (page) => {
      await page.click('.own summary');
      await page.waitForSelector('.own input[type=file]', { state: 'attached' });
    }],
    ['own model with a wrong file', async (page) => {
      await page.locator('.own input[type=file]').first().setInputFiles(WRONG);
      await page.waitForFunction(() => /missing|lacks|config\.json/.test(document.querySelector('.own').textContent));
    }],
    ['wide search', async (page) => {
      await page.check('.check input');
      await page.waitForSelector('.candidates ol');
    }],
    ['what else could stand there', async (page) => {
      await page.locator('.said .word').first().click();
      await page.waitForSelector('.alternatives li, .alternatives button');
    }],
    ['another language', async (page) => {
      await page.keyboard.press('Escape');
      await page.fill('.panes textarea', 'Je voudrais savoir où se trouve la gare la plus proche.');
      await page.waitForSelector('.guessed:not([hidden])');
    }],
    ['cleared', (page) => page.locator('.pane .foot button').first().click()],
  ],
  'see/matrix': [
    ['sum', async (page) => {
      await page.locator('.map canvas').first().click({ position: { x: 150, y: 100 } });
      await page.waitForSelector('dialog[open] :is(table, math, .remark)');
    }],
    ['numbers', async (page) => {
      await page.keyboard.press('Escape');
      await page.waitForSelector('dialog', { state: 'detached' });
    }],
  ],
  'learn/train': [
    ['a model that has learned', async (page) => {
      await page.locator('.figure').getByRole('button', { name: 'Train', exact: true }).click();
      await page.waitForFunction(() => /Step [1-9]/.test(document.querySelector('.figure').textContent));
      await page.locator('.figure').getByRole('button', { name: 'Stop', exact: true }).click();
      await page.waitForFunction(() => /Stopped/.test(document.querySelector('.figure').textContent));
    }],
  ],
  'learn/model': [
    ['a box', async (page) => {
      await page.locator('.diagram [role=button], .diagram button').nth(3).click();
      await page.waitForSelector('.opened .map canvas');
    }],
  ],
};

const wanted = process.argv.slice(2);
const axe = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');
const { openPage, close } = await startChromium();
let [passed, failed] = [0, 0];

/** @param {Page} page @param {string} where */
async function look(page, where) {
  const { violations, wide } = await page.evaluate(async () => ({
    ...await globalThis.axe.run(document, { resultTypes: ['violations'], preload: false }),
    wide: document.documentElement.scrollWidth - innerWidth,
  }));
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ').slice(0, 600)}`);
  if (wide > 0) found.push(`${wide} px too wide`);
  for (const one of found) console.log(`${where}: ${one}`);
  found.length === 0 ? passed++ : failed++;
}

try {
  for (const width of SIZES) for (const theme of THEMES) {
    if (wanted.length > 0 && !wanted.includes(`${width}-${theme}`)) continue;
    const { page, troubles, close: closePage } = await openPage({ width, theme });
    await page.evaluate(axe);
    await said(page);
    for (const place of PLACES) {
      const where = `${width} px, ${theme}, ${place}`;
      try {
        await visit(page, place);
        await look(page, where);
        for (const [name, open] of PANELS[place] ?? []) {
          await open(page);
          await look(page, `${where}, ${name}`);
        }
        const hasMore = await page.evaluate(() => {
          const details = [...document.querySelectorAll('details:not([open])')];
          // of each choice the last; what it leads to is drawn
          const last = [...document.querySelectorAll('fieldset')].flatMap((group) =>
            [...group.querySelectorAll('input[type=radio]')].slice(-1)).filter((input) => !input.checked);
          for (const input of last) input.click();
          return details.length + last.length > 0;
        });
        if (!hasMore) continue;
        await openAll(page);
        await page.waitForFunction(() => !document.querySelector('main [aria-busy="true"]'));
        await look(page, `${where}, all opened, and other choices`);
      } catch (error) {
        console.log(`${where}: ${error.message}`);
        failed++;
      }
    }
    for (const trouble of troubles) console.log(`${width} px, ${theme}: ${trouble}`);
    failed += troubles.length;
    await closePage();
  }
} finally {
  await close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = Number(failed > 0);
