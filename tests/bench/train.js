// Training speed in wasm, and of the native trainer on one thread with the same arithmetic (f32), in turns. Needs
// js/heed-train.wasm and build/heed-train; ids are random, of the lengths that Tatoeba's sentences have.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Trainer } from '../../js/train.js';
import { FIXTURE_PATH } from '../browser/fixture.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const TURNS = 3;
const SECONDS = 12;
const config = {
  model_type: 'marian',
  d_model: 256,
  encoder_layers: 3,
  decoder_layers: 3,
  encoder_attention_heads: 4,
  decoder_attention_heads: 4,
  encoder_ffn_dim: 1024,
  decoder_ffn_dim: 1024,
  activation_function: 'relu',
  vocab_size: 8000,
  max_position_embeddings: 512,
  scale_embedding: true,
  pad_token_id: 0,
  eos_token_id: 2,
  decoder_start_token_id: 0,
};

let seed = 1;
const random = (n) => Math.floor(((seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32) * n);
const ids = () => [...Array.from({ length: 6 + random(12) }, () => 3 + random(7000)), 2];
const batch = () => Array.from({ length: 80 }, () => ({ source: ids(), target: ids() }));

async function wasm() {
  const trainer = await Trainer.create({ config });
  trainer.step(batch()); // compiled and warm
  const start = performance.now();
  let tokens = 0;
  while (performance.now() - start < 1000 * SECONDS) tokens += trainer.step(batch()).tokens;
  const speed = tokens / ((performance.now() - start) / 1000);
  const memory = trainer.memoryBytes;
  trainer.dispose();
  return { speed, memory };
}

function native() {
  const folder = mkdtempSync(join(tmpdir(), 'heed-bench-'));
  const words = Array.from(
    { length: 400 },
    (_, i) => `${'bcdfghjklmnprstvwz'[i % 18]}${'aeiou'[i % 5]}${'lmnrst'[i % 6]}${i % 7 ? '' : 'en'}`,
  );
  const line = () => Array.from({ length: 4 + random(5) }, () => words[random(400)]).join(' ');
  writeFileSync(join(folder, 'pairs.tsv'), Array.from({ length: 20000 }, () => `${line()}\t${line()}\n`).join(''));
  const { stdout } = spawnSync(
    join(root, 'build/heed-train'),
    [
      '--train',
      join(folder, 'pairs.tsv'),
      '--spm',
      join(root, FIXTURE_PATH, 'source.spm'),
      '--out',
      join(folder, 'out'),
      '--threads',
      '1',
      '--gemm',
      'plain',
      '--join',
      '0',
      '--batch',
      '1024',
      '--report',
      '4',
      '--minutes',
      String(SECONDS / 60),
    ],
    { encoding: 'utf8' },
  );
  rmSync(folder, { recursive: true });
  const speeds = [...stdout.matchAll(/([\d.]+) tokens\/s/g)].map(([, n]) => Number(n)).sort((a, b) => a - b);
  return speeds[speeds.length >> 1];
}

if (!existsSync(join(root, 'build/heed-train'))) {
  console.log('training: skipped: build/heed-train is missing (make build/heed-train)');
} else {
  const found = [];
  for (let turn = 0; turn < TURNS; turn++) found.push({ ...(await wasm()), native: native() });
  const median = (key) => found.map((f) => f[key]).sort((a, b) => a - b)[TURNS >> 1];
  const [speed, other] = [median('speed'), median('native')];
  console.log(
    `training, wasm:               ${speed.toFixed(0)} target tokens/s, ${(median('memory') / 2 ** 20).toFixed(0)} MB`,
  );
  console.log(
    `training, native, one thread: ${other.toFixed(0)} target tokens/s (f32), ${(other / speed).toFixed(1)} times`,
  );
}
