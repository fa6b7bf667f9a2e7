// typing.js - how long it takes from a key to the updated translation of a text of 620 words, in Chromium: median and
// worst by the clock, and the longest tasks of the main thread by the processor. Run: node tests/bench/typing.js
import { startChromium } from '../browser/chromium.js';
import { startTrace } from './trace.js';

const SENTENCE = 'The children are playing in the garden today.';
const [SENTENCES, KEYS] = [77, 12];
const TEXT = Array.from({ length: SENTENCES }, (_, i) => SENTENCE.replace('today', `with ${i + 2} dogs`))
  .join(' ').split(' ').slice(0, 620).join(' ');

const { openPage, close } = await startChromium();
const { page } = await openPage();
// the translation before stays until the new one begins, and is whole until then
const isWhole = (/** @type {number} */ words) => {
  const said = document.querySelector('.said[aria-busy="false"]:not(.empty)');
  return said && said.textContent.split(' ').length >= words && !said.querySelector('.old');
};
await page.waitForFunction(isWhole, 1);
await page.fill('textarea', TEXT);
await page.waitForFunction(isWhole, TEXT.split(' ').length * 0.7, { timeout: 300_000 });
const trace = await startTrace(page);
const times = await page.evaluate(async (keys) => {
  performance.mark('typing');
  const [source, said] = [document.querySelector('textarea'), document.querySelector('.said')];
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
  return found.sort((a, b) => a - b);
}, KEYS);
const ms = (/** @type {number} */ x) => `${x.toFixed(0)} ms`;
console.log(`${TEXT.split(' ').length} words, ${KEYS} keys: median ${ms(times[KEYS / 2])}, `
  + `worst ${ms(times[KEYS - 1])}`);
const { tasks, marks } = await trace('typing');
const longest = tasks.filter(({ at }) => at >= Number(marks.get('typing'))).sort((a, b) => b.time - a.time).slice(0, 3);
console.log(`longest tasks, processor ms: ${longest.map(({ time, what }) => `${time.toFixed(1)} (${what})`).join(', ')}`);
await close();
