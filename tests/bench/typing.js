// typing.js - how long it takes from a key to the updated translation of a text of 620 words, in Chromium: median and
// worst, and the longest task of the main thread by the clock (0: none took 50 ms). Run: node tests/bench/typing.js
import { startChromium } from '../browser/chromium.js';

const SENTENCE = 'The children are playing in the garden today.';
const [SENTENCES, KEYS] = [77, 12];
const TEXT = Array.from({ length: SENTENCES }, (_, i) => SENTENCE.replace('today', `with ${i + 2} dogs`))
  .join(' ').split(' ').slice(0, 620).join(' ');

const { openPage, close } = await startChromium();
const { page } = await openPage();
const isWhole = () => document.querySelector('.said[aria-busy="false"]:not(.empty)');
await page.waitForFunction(isWhole);
await page.fill('textarea', TEXT);
await page.waitForFunction(isWhole, undefined, { timeout: 300_000 });
const { times, longest } = await page.evaluate(async (keys) => {
  const [source, said] = [document.querySelector('textarea'), document.querySelector('.said')];
  const tasks = [0];
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask' });
  const found = [];
  for (let i = 0; i < keys; i++) {
    const at = Math.floor(source.value.length / 2);
    const changed = new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        if (said.ariaBusy !== 'false' || said.querySelector('.old')) return;
        observer.disconnect();
        resolve(undefined);
      });
      observer.observe(said, { subtree: true, childList: true, attributes: true });
    });
    const start = performance.now();
    source.setRangeText('abcdefghijklm'[i], at, at, 'end');
    source.dispatchEvent(new InputEvent('input', { bubbles: true }));
    await changed;
    found.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return { times: found.sort((a, b) => a - b), longest: Math.max(...tasks) };
}, KEYS);
const ms = (/** @type {number} */ x) => `${x.toFixed(0)} ms`;
console.log(`${TEXT.split(' ').length} words, ${KEYS} keys: median ${ms(times[KEYS / 2])}, `
  + `worst ${ms(times[KEYS - 1])}, longest task ${ms(longest)}`);
await close();
