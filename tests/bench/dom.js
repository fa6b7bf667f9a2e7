// dom.js - translatePage() with the shipped model on a page of 2,000 sentences in Chromium: when the first visible
// block is translated, all that is visible, everything; memory; frames that were late; the longest task.
// Run: make package && node tests/bench/dom.js [--sentences 2000]
import { parseArgs } from 'node:util';
import { startBrowser } from '../browser/chromium.js';
import { FIXTURE_PATH } from '../browser/fixture.js';
import { serveOrigin } from '../browser/origins.js';

const { values } = parseArgs({ options: { sentences: { type: 'string', default: '2000' } } });
const PARTS = [['The house', 'My sister', 'A small dog', 'The old station', 'The teacher'],
  ['is in the city', 'was here yesterday', 'is very good', 'will be there tomorrow'],
  ['with the children', 'near the river', 'without any doubt', 'in the morning', 'after the war']];
const sentences = Array.from({ length: Number(values.sentences) }, (_, i) =>
  `${PARTS[0][i % 5]} number ${i} ${PARTS[1][i % 4]} <a href="#">${PARTS[2][i % 3]}</a>.`);
const paragraphs = Array.from({ length: Math.ceil(sentences.length / 4) }, (_, i) =>
  `<p>${sentences.slice(4 * i, 4 * i + 4).join(' ')}</p>`);

const library = await serveOrigin({
  folders: ['build/js', FIXTURE_PATH],
  pages: { '/': `<!doctype html><html lang="en"><title>A long page</title>${paragraphs.join('\n')}</html>` },
});
const browser = await startBrowser();
const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
await page.goto(library.origin);
page.setDefaultTimeout(600_000);
const found = await page.evaluate(async ({ origin, model }) => {
  const { Translator } = await import(`${origin}/build/js/index.js`);
  const { translatePage } = await import(`${origin}/build/js/dom.js`);
  const translator = await Translator.create({
    sourceLanguage: 'en', targetLanguage: 'de', model: `${origin}/${model}/`,
  });
  await translator.translateHtml('<p>Good <b>morning</b>.</p>');
  const elements = [...document.querySelectorAll('*')];
  const html = document.documentElement.outerHTML;
  const visible = [...document.querySelectorAll('p')].filter((p) => p.getBoundingClientRect().top < innerHeight);
  const originals = new Map(visible.map((p) => [p, p.textContent]));
  let [longest, frames, late, last] = [0, 0, 0, 0];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  }).observe({ type: 'longtask' });
  const times = {};
  const start = performance.now();
  let isOver = false;
  const frame = (now) => {
    if (last) {
      frames++;
      late += Math.max(0, Math.round((now - last) / (1000 / 60)) - 1);
    }
    last = now;
    const left = visible.filter((p) => p.textContent === originals.get(p)).length;
    if (left < visible.length) times['first visible block, ms'] ??= performance.now() - start;
    if (left === 0) times['all that is visible, ms'] ??= performance.now() - start;
    if (!isOver) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  const before = performance.memory.usedJSHeapSize;
  const translation = translatePage(document, { translator });
  await translation.done;
  times['everything, ms'] = performance.now() - start;
  isOver = true;
  const after = [...document.querySelectorAll('*')];
  const figures = {
    ...times, 'blocks that are visible': visible.length, frames, 'frames that were late': late,
    'longest task, ms (0: none took 50)': longest,
    'JavaScript heap before, MB': before / 1e6, 'and after, MB': performance.memory.usedJSHeapSize / 1e6,
    elements: elements.length,
    'the same elements after': after.length === elements.length && after.every((each) => elements.includes(each)),
  };
  const restoring = performance.now();
  translation.restore();
  figures['restoring, ms'] = performance.now() - restoring;
  figures['restored byte for byte'] = document.documentElement.outerHTML === html;
  return figures;
}, { origin: library.origin, model: FIXTURE_PATH });
for (const [name, value] of Object.entries(found)) {
  console.log(`${name.padEnd(36)} ${typeof value === 'number' ? Math.round(value) : value}`);
}
await browser.close();
library.close();
