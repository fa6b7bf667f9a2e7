// turns.js - how long the event loop waits for its turn while a default batch is translated in the calling thread. In a
// page it is sent to the server that the page came from; loaded by turns.html and by ../bench/turns.js.
import { Translator } from '../../js/index.js';
import { FIXTURE } from './fixture.js';

/** 40 sentences of 50 to 130 tokens: more than the default batch. */
const LONG = Array.from({ length: 40 }, (_, i) =>
  `In the ${i + 1}th year of the long and difficult talks between the two countries, both finally agreed to meet in a `
  + 'small town near the border and to discuss all the questions that had remained open since the last treaty'
  + ', the price of bread and of milk among them'.repeat(i % 8));
const ROUNDS = 7;

/** The next turn of the event loop. */
function turn() {
  if (typeof setImmediate === 'function') return new Promise((resolve) => void setImmediate(resolve));
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = resolve;
    port2.postMessage(0);
  });
}

/** Milliseconds: the longest wait of the first call, and the least of further ones, as other programs lengthen it. */
export async function measure() {
  const translator = await Translator.create({
    sourceLanguage: 'en', targetLanguage: 'de', model: FIXTURE, worker: false,
  });
  const rounds = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const waits = [];
    let isOver = false;
    const call = translator.translate(LONG).finally(() => (isOver = true));
    for (let last = performance.now(); !isOver;) {
      await turn();
      waits.push(performance.now() - last);
      last = performance.now();
    }
    await call;
    rounds.push(waits);
  }
  const { simd } = translator.info;
  translator.destroy();
  const [first, ...others] = rounds;
  return {
    simd,
    first: Math.max(...first),
    longest: Math.min(...others.map((waits) => Math.max(...waits))),
    total: Math.min(...others.map((waits) => waits.reduce((sum, ms) => sum + ms, 0))),
  };
}

if (globalThis.document) {
  const report = await measure().catch((error) => ({ error: `${error.stack}` }));
  await fetch('report', { method: 'POST', body: JSON.stringify(report) });
}
