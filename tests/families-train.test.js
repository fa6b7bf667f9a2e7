// families-train.test.js - families beside MarianMT learn as in PyTorch: gradients by name, and ten steps of Adam
// (golden/hf/families/gradients.json.gz, by transformers' own classes in 64-bit floats).
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Transformer } from '../js/index.js';
import { tensorNames } from '../js/model/family.js';
import { Trainer } from '../js/train.js';
import { filesOf } from './golden/hf/families/read.js';

/** @type {Record<string, { options: object, batches: any[][], losses: number[], gradientNorms: number[],
 *   gradients: Record<string, [norm: number, ...products: number[]]> }>} */
const golden = JSON.parse(gunzipSync(readFileSync(
  new URL('golden/hf/families/gradients.json.gz', import.meta.url))).toString());

/** -1 and 1, from the finalizer of murmur3; make/gradients.py has the same. @param {number} i @param {number} vector */
function sign(i, vector) {
  let x = i + (vector << 24);
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return 1 - 2 * ((x ^ (x >>> 16)) & 1);
}

for (const [name, { options, batches, losses, gradientNorms, gradients }] of Object.entries(golden)) {
  test(`${name}: gradients by name, and ten steps, are PyTorch's`, async () => {
    const model = await Transformer.load(filesOf(name), { dtype: 'f32' });
    const { toCore } = await tensorNames(model.config);
    const trainer = await Trainer.create(model, { ...options, dropout: 0 });
    let worst = 0;
    for (const [step, loss] of losses.entries()) {
      const result = trainer.step(batches[step % batches.length]);
      // 64-bit floats there, 32-bit here: 1e-7 at first, and it grows with every step
      assert.ok(Math.abs(result.loss - loss) <= 1e-4 * loss, `step ${step}: loss ${result.loss}, expected ${loss}`);
      const distance = Math.abs(result.gradNorm - gradientNorms[step]);
      assert.ok(distance <= 1e-3 * gradientNorms[step], `step ${step}: norm ${result.gradNorm}`);
      if (step > 0) continue;
      for (const [tensor, [norm, ...products]] of Object.entries(gradients)) {
        const { data } = trainer.gradient(/** @type {string} */ (toCore(tensor)));
        const own = Math.hypot(...data);
        // it has no gradient but rounding: softmax does not see what is added to all scores
        if (tensor.endsWith('k_proj.bias')) {
          assert.ok(own < 1e-6, `${tensor}: ${own}`);
          continue;
        }
        // a difference d changes a product with signs by about |d|
        const found = [own, ...products.map((_, vector) => data.reduce((sum, x, i) => sum + x * sign(i, vector), 0))];
        [norm, ...products].forEach((wanted, i) => {
          worst = Math.max(worst, Math.abs(found[i] - wanted) / norm);
          assert.ok(Math.abs(found[i] - wanted) <= 1e-3 * norm, `${tensor}, ${i}: ${found[i]}, expected ${wanted}`);
        });
      }
    }
    console.log(`# ${name}: gradients differ from PyTorch's by ${worst.toExponential(1)} or less`);
    trainer.dispose();
    model.dispose();
  });
}

test('a model of every family is compared', () => {
  assert.deepEqual(Object.keys(golden), ['m2m100', 'nllb', 'mbart50', 't5', 't5-v1.1', 'mt5', 'byt5']);
});
