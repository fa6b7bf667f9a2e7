// once.js - loads one engine and translates one sentence, in its own process; started by index.js, load.js and
// large.js.
//
//   node once.js ENGINE MODEL DTYPE [BASE]     prints one line of JSON; bytes, milliseconds; ENGINE none: an empty Node
//
// Times start when Node has started. Peaks are of resident memory, of the whole process.
import { isLack } from './engines.js';
import { open } from './node.js';
import { peak } from './peak.js';
import { CASES, modelOf, sentences } from './shapes.js';

const [name, model, dtype, base] = process.argv.slice(2);

/** What this host or build lacks is reported by name; everything else is a failure. */
function skip(error) {
  if (!isLack(error)) throw error;
  console.log(JSON.stringify({ skipped: error.message }));
  process.exit();
}

const before = process.memoryUsage().rss;
const start = performance.now();
let figures = {};
if (name !== 'none') {
  const engine = await open(name, model, dtype, base).catch(skip);
  figures = { load: performance.now() - start, peakLoad: peak() };
  const { source, target } = CASES['one sentence'];
  await engine.translate(sentences(1, source, modelOf(model).vocabulary), target);
  figures.memory = engine.model?.info.memoryBytes;
}
console.log(JSON.stringify({ ...figures, first: performance.now() - start, before, peak: peak() }));
