// quantize.test.js - `heed quantize`: the directory it writes holds what the core makes of the weights itself.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Transformer } from '../js/index.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const cli = join(root, 'js/cli.js');
const scratch = mkdtempSync(join(tmpdir(), 'heed-quantize-'));
test.after(() => rmSync(scratch, { recursive: true }));

const SOURCE = [5, 17, 3, 33, 9, 0];
const TARGET = [9, 8, 30, 0];

for (const name of ['postnorm-relu-shared', 'prenorm-gelu-separate-stored', 'swish-odd', 'silu-f16', 'bf16', 'int8']) {
  test(`${name}: quantised in a file equals quantised while loading, bit for bit`, async () => {
    const [from, to] = [join(root, 'tests/golden', name), join(scratch, name)];
    execFileSync(process.execPath, [cli, 'quantize', from, to]);
    const [loading, file] = [await Transformer.load(from, { dtype: 'int8' }), await Transformer.load(to)];
    assert.equal(file.info.dtype, 'int8');
    assert.equal(file.info.parameters, loading.info.parameters);
    const [want, got] = [loading, file].map((model) => model.forward(SOURCE, TARGET).logits.data);
    assert.deepEqual(got, want);
    loading.dispose();
    file.dispose();

    const { dtype, files } = JSON.parse(readFileSync(join(to, 'heed.json'), 'utf8'));
    assert.equal(dtype, 'int8');
    for (const [path, { size, sha256 }] of Object.entries(files)) {
      const bytes = readFileSync(join(to, path));
      assert.equal(bytes.length, size, path);
      assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256, path);
    }
    assert.ok('config.json' in files && 'model.safetensors' in files);
  });
}

test('an int8 model stays the same', async () => {
  const [from, to] = [join(root, 'models/en-de'), join(scratch, 'en-de')];
  const out = execFileSync(process.execPath, [cli, 'quantize', from, to], { encoding: 'utf8' });
  assert.match(out, /bytes of weights, from 7802440\n$/);
  const [want, got] = [await Transformer.load(from), await Transformer.load(to)];
  const ids = want.tokenizer.encode('Have you had breakfast yet?').ids;
  assert.deepEqual(got.generate([ids], { beams: 2 }), want.generate([ids], { beams: 2 }));
  want.dispose();
  got.dispose();
});

test('what cannot be done is said, and nothing is overwritten', () => {
  const quantize = (/** @type {string[]} */ ...args) =>
    spawnSync(process.execPath, [cli, 'quantize', ...args], { encoding: 'utf8' });
  const usage = quantize('only-one');
  assert.equal(usage.status, 2);
  assert.match(usage.stderr, /expected a model directory and a new one/);
  const full = quantize(join(root, 'models/en-de'), join(root, 'models/en-de'));
  assert.equal(full.status, 1);
  assert.match(full.stderr, /models\/en-de: is not empty/);
  assert.equal(statSync(join(root, 'models/en-de/model.safetensors')).size, 7802440);
  const missing = quantize(join(scratch, 'nowhere'), join(scratch, 'a'));
  assert.equal(missing.status, 1);
  assert.match(missing.stderr, /model\.safetensors is missing/);

  const cut = join(scratch, 'cut');
  cpSync(join(root, 'tests/golden/bf16'), cut, { recursive: true });
  truncateSync(join(cut, 'model.safetensors'), statSync(join(cut, 'model.safetensors')).size - 1);
  const short = quantize(cut, join(scratch, 'b'));
  assert.equal(short.status, 1);
  assert.match(short.stderr, /the file is cut short/);
});
