// measure.js - the comparison itself: engines in turns, round by round; used in Node (node.js), a page (compared.js).
import { CASES, sentences } from './shapes.js';

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

async function time(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * Milliseconds of each engine for each case. An engine is run until the host has compiled all of it (onnxruntime's
 * module takes V8 seconds), then all take turns; every other round goes backwards, so that none always comes first.
 * @param engines  as engines.js makes them
 * @returns {Promise<{case: string, rounds: number, engines: Record<string, number>}[]>}  medians
 */
export async function compare(engines, vocabulary, { rounds = 7, seconds = 2, cases = Object.keys(CASES) } = {}) {
  const results = [];
  for (const name of cases) {
    const { batch, source, target } = CASES[name];
    const input = sentences(batch, source, vocabulary);
    let once = 0; // milliseconds of a round
    for (const engine of engines) {
      const start = performance.now();
      let runs = 0;
      while (runs < 3 || (performance.now() - start < 1000 * seconds && runs < 50)) {
        await engine.translate(input, target);
        runs++;
      }
      once += (performance.now() - start) / runs;
    }
    const n = Math.max(rounds, Math.min(31, Math.floor((1000 * seconds * engines.length) / once)) | 1);
    const times = engines.map(() => []);
    for (let r = 0; r < n; r++) {
      for (let i = 0; i < engines.length; i++) {
        const e = r % 2 ? engines.length - 1 - i : i;
        times[e].push(await time(() => engines[e].translate(input, target)));
      }
    }
    const medians = Object.fromEntries(engines.map((engine, i) => [engine.name, median(times[i])]));
    results.push({ case: name, rounds: n, engines: medians });
  }
  return results;
}

/**
 * Do two engines run the same model? The greatest and the mean square difference of their logits, as a share of the
 * logits' own, over steps that both are forced to take.
 * @param model  heed's Transformer
 * @param engine  onnxruntime
 */
export async function agreement(model, engine, vocabulary) {
  const length = 12;
  const sources = sentences(2, 20, vocabulary, 11);
  const targets = sentences(2, length, vocabulary, 13);
  const steps = [];
  await engine.translate(sources, length, { forced: targets, record: (logits) => steps.push(logits.slice()) });
  let worst = 0;
  let difference = 0;
  let size = 0;
  sources.forEach((source, b) => {
    const { data } = model.forward(source, targets[b]).logits;
    for (let t = 0; t < length; t++) {
      for (let v = 0; v < vocabulary; v++) {
        const a = data[t * vocabulary + v];
        const d = a - steps[t][b * vocabulary + v];
        worst = Math.max(worst, Math.abs(d));
        difference += d * d;
        size += a * a;
      }
    }
  });
  return { worst, relative: Math.sqrt(difference / size) };
}
