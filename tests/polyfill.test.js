// polyfill.test.js - code written for the browsers' Translator and LanguageDetector runs as it is, in a process of its
// own: the globals of this one stay. installed.test.js has it in a browser.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SHIPPED } from './model-files.js';

const run = promisify(execFile);
const polyfill = new URL('../js/polyfill.js', import.meta.url).href;

/** What a script prints. @param {string} script @returns {Promise<any>} */
async function printed(script) {
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
  return JSON.parse(stdout);
}

/** As guides to the browsers' API have it. */
const FOR_THE_BROWSER = `
  const detect = async (text) => {
    if (!('LanguageDetector' in self)) return undefined;
    const availability = await LanguageDetector.availability();
    if (availability === 'unavailable') return undefined;
    const detector = await LanguageDetector.create({
      monitor(m) { m.addEventListener('downloadprogress', (e) => seen.push(e.loaded)); },
    });
    const [{ detectedLanguage, confidence }] = await detector.detect(text);
    return confidence > 0.5 ? detectedLanguage : undefined;
  };
  const seen = [];
  const text = 'Good morning. Where is the station?';
  const sourceLanguage = await detect(text);
  const availability = await Translator.availability({ sourceLanguage, targetLanguage: 'de' });
  const translator = await Translator.create({ sourceLanguage, targetLanguage: 'de',
    monitor(m) { m.addEventListener('downloadprogress', (e) => seen.push(e.loaded)); } });
  let streamed = '';
  for await (const chunk of translator.translateStreaming(text)) streamed += chunk;
  console.log(JSON.stringify({ sourceLanguage, availability, whole: await translator.translate(text), streamed,
    progress: [seen[0], seen.at(-1)] }));`;

test('unmodified code detects and translates', async () => {
  const index = `data:application/json,${encodeURIComponent(JSON.stringify(
    { models: [{ source: 'en', target: 'de', path: new URL(`file://${SHIPPED}/`).href }] }))}`;
  const found = await printed(`
    globalThis.self = globalThis;
    const { Translator: own } = await import('${polyfill}');
    own.models = new URL('${index}');
    ${FOR_THE_BROWSER}`).catch((error) => error.stderr);
  assert.equal(found.sourceLanguage, 'en', String(found));
  assert.equal(found.availability, 'available');
  assert.ok(found.whole.length > 10);
  assert.equal(found.streamed, found.whole);
  assert.deepEqual(found.progress, [0, 1]);
});

test('what the host has stays, and new globals are like interfaces', async () => {
  assert.deepEqual(await printed(`
    class Translator {}
    globalThis.Translator = Translator;
    const own = await import('${polyfill}');
    const { writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(globalThis, 'LanguageDetector');
    console.log(JSON.stringify([globalThis.Translator === Translator, own.Translator === Translator,
      globalThis.LanguageDetector === own.LanguageDetector, writable, enumerable, configurable]));`),
  [true, false, true, true, false, true]);
});
