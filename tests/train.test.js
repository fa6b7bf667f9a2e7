// Training in wasm: gradients and steps against PyTorch, a task learned, a model fine-tuned, errors. Needs
// js/heed-train.wasm.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { HeedError, Transformer } from '../js/index.js';
import { Trainer } from '../js/train.js';
import { parseHeader } from '../js/safetensors.js';

const golden = (path) => new URL(`golden/${path}`, import.meta.url);

/** name -> Float32Array of a file of F32. */
function readTensors(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  let at = 8 + length;
  return new Map(parseHeader(bytes.subarray(8, at), 'file').map(({ name, shape, bytes: n }) => {
    const data = new Float32Array(bytes.slice(at, at + n).buffer);
    at += n;
    return [name, { shape, data }];
  }));
}

const norm = (x) => Math.sqrt(x.reduce((sum, v) => sum + v * v, 0));

for (const name of ['postnorm-relu-shared', 'prenorm-gelu-separate-stored', 'swish-odd']) {
  test(`${name} learns as in PyTorch: gradients by name, ten steps of Adam`, async () => {
    const { options, batches, losses, gradientNorms } = JSON.parse(readFileSync(golden(`train/${name}.json`), 'utf8'));
    const want = readTensors(new Uint8Array(readFileSync(golden(`train/${name}.safetensors`))));
    const model = await Transformer.load(golden(name));
    const trainer = await Trainer.create(model, { ...options, dropout: 0 });

    let worst = 0;
    for (const [step, loss] of losses.entries()) {
      const result = trainer.step(batches[step % batches.length]);
      // 64-bit floats there, 32-bit here: 1e-7 at first, and it grows with every step
      assert.ok(Math.abs(result.loss - loss) <= 1e-4 * loss, `step ${step}: loss ${result.loss}, expected ${loss}`);
      assert.ok(Math.abs(result.gradNorm - gradientNorms[step]) <= 1e-3 * gradientNorms[step], `step ${step}: gradient norm`);
      if (step > 0) continue;
      for (const [tensor, { shape, data }] of want) {
        const got = trainer.gradient(tensor);
        assert.deepEqual(got.shape, shape, tensor);
        const off = norm(got.data.map((v, i) => v - data[i]));
        // k_proj.bias has no gradient but rounding: softmax does not see what is added to all scores
        if (tensor.endsWith('k_proj.bias')) assert.ok(norm(got.data) < 1e-6, `${tensor}: ${norm(got.data)}`);
        else {
          assert.ok(off <= 1e-3 * norm(data), `${tensor}: off by ${off} of ${norm(data)}`);
          worst = Math.max(worst, off / norm(data));
        }
      }
    }
    console.log(`# ${name}: gradients differ from PyTorch's by ${worst.toExponential(1)} or less`);
    trainer.dispose();
    model.dispose();
  });
}
