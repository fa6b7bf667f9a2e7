// dom.js - translatePage() with the shipped model on a page of 2,000 sentences in Chromium: when the first visible
// block is translated, all that is visible, everything; memory; frames that were late; the longest tasks of the page's
// thread in processor time. With --as ar the page is told that the texts are Arabic: its direction changes.
// Run: make package && node tests/bench/dom.js [--sentences 2000] [--as ar]
import { parseArgs } from 'node:util';
import { startBrowser } from '../browser/chromium.js';
import { FIXTURE_PATH } from '../browser/fixture.js';
import { serveOrigin } from '../browser/origins.js';
import { startTrace } from './trace.js';

const { values } = parseArgs({ options: {
  sentences: { type: 'string', default: '2000' }, as: { type: 'string', default: 'de' },
} });
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

/** Bytes of the page's heap that something refers to. */
const session = await page.context().newCDPSession(page);
async function heap() {
  await session.send('HeapProfiler.collectGarbage');
  return (await session.send('Runtime.getHeapUsage')).usedSize / 1e6;
}

await page.evaluate(async ({ origin, model, targetLanguage }) => {
  const { Translator } = await import(`${origin}/build/js/index.js`);
  const { translatePage } = await import(`${origin}/build/js/dom.js`);
  const own = await Translator.create({
    sourceLanguage: 'en', targetLanguage: 'de', model: `${origin}/${model}/`,
  });
  await own.translateHtml('<p>Good <b>morning</b>.</p>');
  const translator = { sourceLanguage: 'en', targetLanguage, translateHtml: own.translateHtml.bind(own) };
  // the last layout belongs to what is measured
  const nextFrame = () => new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)));
  });
  Object.assign(globalThis, { translator, translatePage, nextFrame });
}, { origin: library.origin, model: FIXTURE_PATH, targetLanguage: values.as });
const before = await heap();
const trace = await startTrace(page);
const found = await page.evaluate(async () => {
  const elements = [...document.querySelectorAll('*')];
  const html = document.documentElement.outerHTML;
  const visible = [...document.querySelectorAll('p')].filter((p) => p.getBoundingClientRect().top < innerHeight);
  const originals = new Map(visible.map((p) => [p, p.textContent]));
  let [frames, late, last] = [0, 0, 0];
  const times = {};
  performance.mark('translating');
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
  const translation = globalThis.translatePage(document, { translator: globalThis.translator });
  await translation.done;
  times['everything, ms'] = performance.now() - start;
  isOver = true;
  await globalThis.nextFrame();
  performance.mark('translated');
  const after = [...document.querySelectorAll('*')];
  Object.assign(globalThis, { translation, elements, html });
  return {
    ...times, 'blocks that are visible': visible.length, frames, 'frames that were late': late,
    elements: elements.length,
    'the same elements after': after.length === elements.length && after.every((each, i) => each === elements[i]),
    'blocks with an attribute of ours': document.querySelectorAll('p[lang]').length,
  };
});
found['JavaScript heap before, MB'] = before;
found['and after, MB'] = await heap();
Object.assign(found, await page.evaluate(async () => {
  const { translation, elements, html } = globalThis;
  performance.mark('restoring');
  const start = performance.now();
  translation.restore();
  const time = performance.now() - start;
  await globalThis.nextFrame();
  performance.mark('restored'); // what follows is none of its work
  const isSame = document.documentElement.outerHTML === html;
  const after = [...document.querySelectorAll('*')];
  return {
    'restore() without the layout after it, ms': time,
    'restored byte for byte': isSame,
    'the same elements restored': after.length === elements.length && after.every((each, i) => each === elements[i]),
  };
}));
const { tasks, marks } = await trace('translating');
const [translated, restoring, restored] = ['translated', 'restoring', 'restored'].map((name) => marks.get(name));
/** When the task began that a mark is in. @param {number} mark */
const beginOf = (mark) => Math.max(...tasks.map(({ at }) => at).filter((at) => at <= mark));
const isPart = { translating: ({ at }) => at < translated,
  restoring: ({ at }) => at >= beginOf(restoring) && at < beginOf(restored) };
for (const [name, isIn] of Object.entries(isPart)) {
  const sorted = tasks.filter(({ at }) => at >= marks.get('translating')).filter(isIn).sort((a, b) => b.time - a.time);
  const longest = sorted.slice(0, 5).map(({ time, what }) => `${time.toFixed(1)} (${what})`).join(', ');
  found[`longest tasks ${name}, processor ms`] = longest;
  found[`${name}, processor ms in all`] = sorted.reduce((sum, { time }) => sum + time, 0);
}
for (const [name, value] of Object.entries(found)) {
  console.log(`${name.padEnd(40)} ${typeof value === 'number' ? Math.round(value) : value}`);
}
await browser.close();
library.close();
