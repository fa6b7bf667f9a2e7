// bench.js - one instance of the module for any number of models, one after another: that of a page ends with its
// model. Used by run.js and ../hostile/refuse.js.

import { openContainer } from '../../js/formats/open.js';
import { openSource } from '../../js/files/source.js';
import { loadModel } from '../../js/model/load.js';
import { Transformer } from '../../js/model/transformer.js';
import { Core } from '../../js/wasm/core.js';
import { instantiate } from '../../js/wasm/module.js';

const TEXTS = ['abc ab, cab', 'Z \u00e9xy b\u2603 a</s> >>fra<<'];

/** The core, and what is made in it. */
export class Bench {
  /** @type {Core} */
  core = /** @type {any} */ (null);
  /** @type {[name: string, room: any][]} */
  #made = [];

  /** @param {string} [wasm] */
  async start(wasm) {
    const core = await instantiate({ simd: 'simd128', wasm });
    this.core = core;
    this.#made = [];
    core.run = (name, ...values) => {
      const result = Core.prototype.run.call(core, name, ...values);
      if (name.endsWith('_create') && result === 0) {
        // the last room of one number is the handle's; a report has three
        const room = values.findLast(
          (value) => /** @type {any} */ (value)?.type && /** @type {any} */ (value).length === 1,
        );
        this.#made.push([name.replace('_create', '_free'), room]);
      }
      if (name.endsWith('_free'))
        this.#made = this.#made.filter(([free, { value }]) => free !== name || value[0] !== values[0]);
      return result;
    };
  }

  /** Free what was made, the last first. */
  clear() {
    for (const [free, room] of this.#made.splice(0).reverse()) Core.prototype.run.call(this.core, free, room.value[0]);
  }

  /**
   * @param {Record<string, Uint8Array | Blob>} files
   * @param {'auto' | 'f32' | 'int8'} [dtype]
   * @returns {Promise<Model>}
   */
  async load(files, dtype = 'auto') {
    const parts = await loadModel(this.core, files, { cache: false, isRetry: true, dtype });
    return new Transformer(/** @type {any} */ (parts));
  }
}

/**
 * A directory with a config.json made of Marian's settings, as `heed convert` begins.
 *
 * @param {Record<string, Uint8Array | Blob>} files
 * @returns {Promise<Record<string, Uint8Array | Blob>>}
 */
export async function derive(files) {
  const weights = await openContainer(await openSource(files), undefined);
  if (!weights) return files;
  await weights.close();
  return { ...files, 'config.json': new TextEncoder().encode(JSON.stringify(/** @type {any} */ (weights).config)) };
}

/** Both texts, all that a caller would see. @param {Transformer} model */
export function translate(model) {
  const { maxTokens } = model.generateDefaults;
  let tokenizer;
  try {
    tokenizer = model.tokenizer;
  } catch {
    tokenizer = null; // it came without
  }
  return TEXTS.map((text) => {
    const ids = tokenizer ? tokenizer.encode(text).ids : [1, 0];
    const [[best]] = model.generate([ids], { maxTokens: Math.min(maxTokens, 12) });
    if (Number.isNaN(best.score) || Number.isNaN(best.logProb))
      throw new Error(`score ${best.score}, logProb ${best.logProb}`);
    return tokenizer ? tokenizer.decode(best.ids) : String(best.ids);
  });
}
