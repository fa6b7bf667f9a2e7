// trim.js - how much faster a model of NLLB-200's 600M gets without most of its pieces: random weights of its shape in
// int8, and what `heed trim` leaves of them.
//
//     node tests/bench/trim.js [--pieces 1000,32000] [--rounds 5]
//
// --pieces: so many different ones are in the text. It needs 8 GB of memory and 2 GB on the disk, and writes
// build/bench/trim. Everything runs on one thread, all models in one process and in turns. Times are the processor's,
// so that other programs matter less.
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PIECE_CONTROL, PIECE_UNKNOWN } from '../../js/base/constants.js';
import { trim } from '../../js/convert/trim.js';
import { writeSpm } from '../../js/formats/spm-write.js';
import { Transformer } from '../../js/index.js';
import { heed } from './engines.js';
import { median } from './measure.js';
import { FOLDER, writeInt8 } from './models.js';
import { CASES, sentences } from './shapes.js';
import { brief, machine, megabytes, table } from './table.js';

const LISTED = ['one sentence', 'batch of 8'];
const KEPT = ['de', 'en', 'fr'];
/** Of NLLB-200's SentencePiece model. */
const PIECES = 256_000;

const { values } = parseArgs({
  options: { pieces: { type: 'string', default: '1000,32000' }, rounds: { type: 'string', default: '5' } },
});

/** A word of four letters for each number. @param {number} n */
const word = (n) =>
  Array.from({ length: 4 }, (_, i) => String.fromCharCode(97 + (Math.floor(n / 26 ** i) % 26))).join('');

/** Random weights, and a tokenizer of words that have nothing in common. @param {string} folder */
async function writeModel(folder) {
  await writeInt8('N', folder);
  const first = [['<unk>', PIECE_UNKNOWN], ['<s>', PIECE_CONTROL], ['</s>', PIECE_CONTROL]]
    .map(([text, type]) => ({ text: String(text), type: Number(type) }));
  const words = Array.from({ length: PIECES - first.length }, (_, i) =>
    ({ text: `\u2581${word(i)}`, score: -1 - i / 1e5 }));
  await writeFile(join(folder, 'sentencepiece.bpe.model'), writeSpm([...first, ...words], {}));
}

const folder = join(FOLDER, 'trim');
const whole = join(folder, 'whole');
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
await writeModel(whole);
console.log(machine());

const bytesOf = async (/** @type {string} */ place) => (await stat(join(place, 'model.safetensors'))).size;
const rows = [['whole', whole, 256_206, await bytesOf(whole)]];
for (const n of values.pieces.split(',').map(Number)) {
  const text = join(folder, `${n}.txt`);
  const words = Array.from({ length: n }, (_, i) => word((i * 7919) % (PIECES - 3)));
  const lines = Array.from({ length: Math.ceil(n / 20) }, (_, i) => words.slice(20 * i, 20 * (i + 1)).join(' '));
  await writeFile(text, lines.join('\n'));
  const place = join(folder, String(n));
  const { pieces, bytes, speed } = await trim(whole, place, { keep: KEPT, texts: [text] });
  console.log(`heed trim: ${pieces[1]} ids of ${pieces[0]}, ${bytes[1]} bytes of weights of ${bytes[0]}, `
    + `${brief(speed[1])} tokens/s (${brief(speed[0])} with the whole)`);
  rows.push([String(pieces[1]), place, pieces[1], bytes[1]]);
}
const engines = [];
for (const [name, place] of rows) {
  engines.push({ ...(await heed(Transformer, `${place}/`, { dtype: 'int8', simd: 'simd128' })), name });
}
const least = Math.min(...rows.map(([, , vocabulary]) => vocabulary));

/** Milliseconds of the processor. @param {() => unknown} work */
function time(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const cells = [];
for (const name of LISTED) {
  const { batch, source, target } = CASES[name];
  const input = sentences(batch, source, least);
  const turn = () => engines.map((engine) => time(() => engine.translate(input, target)));
  turn(); // until all is compiled
  const turns = Array.from({ length: Number(values.rounds) }, turn);
  const medians = engines.map((_, i) => median(turns.map((times) => times[i])));
  rows.forEach(([, , ids, bytes], i) => cells.push([name, ids, megabytes(bytes), brief(medians[i]),
    brief((1000 * batch * target) / medians[i]), `${(medians[0] / medians[i]).toFixed(2)}x`]));
}
console.log(table(['case', 'ids', 'weights MB', 'ms', 'tokens/s', 'to the whole'], cells, 1));
for (const engine of engines) engine.dispose();
