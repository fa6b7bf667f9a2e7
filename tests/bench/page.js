// page.js - what a visitor of the page waits for, in Chromium: first paint, the model, the first translation, the
// longest that the main thread was busy while loading and while translating, by the clock (0: nothing took 50 ms) and
// in processor time, which other programs on the machine do not lengthen. Run: node tests/bench/page.js
import { createRequire } from 'node:module';
import { findBrowser } from '../browser/launch.js';
import { serveSite } from '../browser/site.js';
import { startTrace } from './trace.js';
import { gzipSizes } from '../../web/build.js';

const require = createRequire(new URL('../browser/package.json', import.meta.url));
const TEXT = 'The children are playing in the garden. Where did you leave the keys this morning? I would like two '
  + 'tickets to Hamburg, please. My sister has been learning the violin for six years.';
const RUNS = 5;

const site = await serveSite();
const browser = await require('playwright-core').chromium.launch({
  executablePath: findBrowser('chromium'), chromiumSandbox: process.getuid?.() !== 0,
});

async function visit() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  const trace = await startTrace(page);
  await page.addInitScript(() => {
    window.tasks = [];
    new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((task) => task.toJSON())))
      .observe({ type: 'longtask', buffered: true });
    document.addEventListener('DOMContentLoaded', () => new MutationObserver(() => {
      if (document.querySelector('.status[data-status="ready"]')) window.ready ??= performance.now();
      if (document.querySelector('.said[aria-busy="false"]:not(.empty)')) window.first ??= performance.now();
    }).observe(document, { subtree: true, childList: true, attributes: true }));
  });
  await page.goto(site.url);
  await page.waitForFunction(() => window.first);
  const start = await page.evaluate(() => (performance.mark('translating'), performance.now()));
  await page.locator('textarea').fill('');
  await page.locator('textarea').pressSequentially(TEXT, { delay: 15 });
  await page.waitForFunction(() =>
    document.querySelector('.said[aria-busy="false"]:not(.empty)')?.textContent.includes('Hamburg'));
  await page.waitForTimeout(300);
  const figures = await page.evaluate((from) => {
    const paint = performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
    const busy = (after) =>
      Math.max(0, ...window.tasks.filter(({ startTime }) => startTime >= after).map(({ duration }) => duration));
    return {
      'first paint': paint,
      'model ready': window.ready,
      'first translation after the model': window.first - window.ready,
      'longest task while loading': busy(0), 'longest task while translating': busy(from),
    };
  }, start);
  const { tasks, marks } = await trace('translating');
  const mark = marks.get('translating');
  const longest = (isWanted) => Math.max(0, ...tasks.filter(isWanted).map(({ time }) => time));
  figures['the same, processor time, loading'] = longest(({ at }) => at < mark);
  figures['the same, processor time, translating'] = longest(({ at }) => at >= mark);
  await context.close();
  return figures;
}

try {
  const runs = [];
  for (let i = 0; i < RUNS; i++) runs.push(await visit());
  for (const name of Object.keys(runs[0])) {
    const sorted = runs.map((run) => run[name]).sort((a, b) => a - b);
    const [median, worst] = [sorted[RUNS >> 1], sorted[RUNS - 1]].map((ms) => ms.toFixed(0));
    console.log(`${name.padEnd(38)} median ${median} ms, worst ${worst} ms`);
  }
  const sizes = Object.values(await gzipSizes(site.scripts));
  console.log(`${'scripts after gzip'.padEnd(38)} ${sizes.reduce((sum, size) => sum + size, 0)} bytes`);
} finally {
  await browser.close();
  await site.close();
}
