// firefox-base.js - a model of the size of Firefox's "base" (width 512, feed-forward 2048) with random weights, and the
// names, settings, vocabulary and shortlist of one of Firefox's tiny models. It ends no translation. Used by
// firefox.js.
import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openSource } from '../../js/files/source.js';
import { findLayout } from '../../js/files/layout.js';
import { readBin } from '../../js/formats/bin.js';
import { openCursor } from '../../js/formats/cursor.js';
import { SETTINGS } from '../../js/formats/marian-settings.js';
import { FLOAT32, floats, INT8, INTGEMM8, writeBin } from '../hostile/marian-bin.js';
import { concat } from '../model-files.js';

const [WIDTH, FFN] = [512, 2048];
/** Of the integers, which are as likely from -RANGE to RANGE; and of the input of a matrix, alpha. */
const [RANGE, ALPHA] = [40, 10];
/** An array begins at a multiple of so many bytes. */
const ALIGNMENT = 256;

/** Repeatable numbers in 0…2^32 - 1. @param {number} seed */
const random = (seed) => () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0);

/**
 * @param {string} from  a directory with one of Firefox's models
 * @param {string} to
 * @returns {Promise<string>}  to
 */
export async function writeBase(from, to) {
  const name = String(findLayout(readdirSync(from))?.weights);
  if (existsSync(join(to, name))) return to;
  const cursor = /** @type {import('../../js/formats/cursor.js').Cursor} */ (
    await openCursor(await openSource(from), name));
  const arrays = await readBin(cursor, Number(cursor.size));
  const stated = arrays.find((array) => array.name === SETTINGS);
  if (!stated) throw new Error(`${name}: ${SETTINGS} is missing`);
  const yaml = new TextDecoder().decode(await cursor.read(stated.begin, stated.bytes));
  await cursor.close();
  const setting = (/** @type {string} */ key) => Number(RegExp(`^${key}: (\\d+)$`, 'm').exec(yaml)?.[1]);
  const sizes = new Map([[setting('dim-emb'), WIDTH], [setting('transformer-dim-ffn'), FFN]]);

  const next = random(1);
  const items = arrays.map(({ name: item, type, shape: tiny }) => {
    if (item === SETTINGS) {
      const text = yaml.replace(/^dim-emb: .*$/m, `dim-emb: ${WIDTH}`)
        .replace(/^transformer-dim-ffn: .*$/m, `transformer-dim-ffn: ${FFN}`);
      const data = new TextEncoder().encode(text);
      return { name: item, type: INT8, shape: [data.length], data };
    }
    const shape = tiny.map((n) => sizes.get(n) ?? n);
    const n = shape.reduce((product, size) => product * size, 1);
    const isAlpha = item.endsWith('_QuantMultA');
    /** @type {Uint8Array} */
    let data;
    if (type === 'intgemm8') {
      const values = new Int8Array(n).map(() => (isAlpha ? 127 : (next() >>> 8) % (2 * RANGE + 1) - RANGE));
      // a sum of `shape[0]` products of unit size has unit size; a row of a table is as long as one of them
      const inputs = item.includes('Wemb') ? shape[1] : shape[0];
      const q = isAlpha ? 127 / ALPHA : (RANGE / Math.sqrt(3)) * Math.sqrt(inputs);
      data = concat(new Uint8Array(values.buffer), floats([q]));
    } else {
      const values = new Float32Array(n).fill(isAlpha ? ALPHA : item.endsWith('_ln_scale') ? 1 : 0);
      if (item === 'decoder_ff_logit_out_b') values[0] = -1e4; // </s>
      data = new Uint8Array(values.buffer);
    }
    const padding = new Uint8Array((ALIGNMENT - data.length % ALIGNMENT) % ALIGNMENT);
    return { name: item, type: type === 'intgemm8' ? INTGEMM8 : FLOAT32, shape, data: concat(data, padding) };
  });
  mkdirSync(to, { recursive: true });
  for (const other of readdirSync(from).filter((file) => /^lex\.|vocab\./.test(file))) {
    if (!existsSync(join(to, other))) symlinkSync(resolve(from, other), join(to, other));
  }
  writeFileSync(join(to, `${name}.partial`), writeBin(items));
  renameSync(join(to, `${name}.partial`), join(to, name));
  return to;
}
