// The native trainer, build/heed-train: after an interruption it continues exactly; it learns; it reports errors.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Transformer } from '../js/index.js';
import { makeConfig } from '../src/train/model/directory.js';
import { parseHeader } from '../js/formats/safetensors.js';
import { FIXTURE_PATH } from './browser/fixture.js';
import { spmFields, writeMessage } from './mutate/model.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'build/heed-train');
const programs = ['build/train-toy', 'build/train-products', 'build/train-faults'];
const [toy, products, faults] = programs.map((path) => join(root, path));
const missing = [program, toy, products, faults].filter((path) => !existsSync(path));
const skip = missing.length > 0 && `missing: ${missing.join(', ')}; make builds them`;
const folder = mkdtempSync(join(tmpdir(), 'heed-train-'));
test.after(() => rmSync(folder, { recursive: true }));

const words = 'house tree river stone cloud green small under walks sings never today'.split(' ');
const corpus = join(folder, 'pairs.tsv');
writeFileSync(
  corpus,
  Array.from({ length: 400 }, (_, i) => {
    const line = Array.from({ length: 2 + (i % 7) }, (_, j) => words[(i * 5 + j * j * 3) % 12]);
    return `${line.join(' ')}\t${line.toReversed().join(' ')}\tmade up`;
  }).join('\n'),
);

const STEPS = 60;
const DATA = ['--train', corpus, '--dev', corpus, '--spm', join(root, FIXTURE_PATH, 'source.spm')];
const PIECES = Object.keys(JSON.parse(readFileSync(join(root, FIXTURE_PATH, 'vocab.json'), 'utf8'))).length;
const argsOf = (data, out, ...more) => [
  ...data,
  '--out',
  out,
  '--threads',
  '1',
  '--gemm',
  'plain',
  '--steps',
  String(STEPS),
  '--batch',
  '256',
  '--part',
  '128',
  '--longest',
  '64',
  '--join',
  '0.3',
  '--report',
  '1',
  '--evaluate',
  '25',
  '--rate',
  '0.01',
  '--warmup',
  '10',
  '--config',
  'd_model=32',
  '--config',
  'encoder_ffn_dim=48',
  '--config',
  'decoder_ffn_dim=48',
  '--config',
  'encoder_layers=1',
  '--config',
  'decoder_layers=1',
  ...more,
];
const args = (out, ...more) => argsOf(DATA, out, ...more);
const run = (...list) => spawnSync(program, list, { encoding: 'utf8' });

/** Weights and both moments, to the bit: what follows the checkpoint's header, which has the seconds spent. */
const learned = (out) => readFileSync(join(out, 'checkpoint')).subarray(4096);

/** Start, and send `signal` once that step is reported. @returns {Promise<number>} the step it came to */
function stopAt(step, signal, out, ...more) {
  return new Promise((resolve) => {
    const child = spawn(program, args(out, ...more));
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.includes(`step ${step},`)) child.kill(signal);
    });
    child.on('close', () => resolve(Number([...text.matchAll(/step (\d+),/g)].at(-1)?.[1])));
  });
}

test('a student with SSRUs learns to turn its sentences around, and runs', { skip }, async () => {
  const out = join(folder, 'recurrent');
  const { status, stdout, stderr } = run(...args(out, '--config', 'decoder_cell=1', '--config', 'positions=1',
    '--config', 'layer_norm_eps=1000000', '--steps', '600', '--evaluate', '600'));
  assert.equal(status, 0, stderr);
  const loss = Number([...stdout.matchAll(/-log p ([\d.]+)/g)].at(-1)[1]);
  assert.ok(loss < 1, `-log p ${loss}`);

  const spm = readFileSync(join(root, FIXTURE_PATH, 'source.spm'));
  const vocab = readFileSync(join(root, FIXTURE_PATH, 'vocab.json'));
  const set = { d_model: 32, encoder_ffn_dim: 48, decoder_ffn_dim: 48, encoder_layers: 1, decoder_layers: 1,
    decoder_cell: 1, positions: 1, layer_norm_eps: 1_000_000 };
  const config = makeConfig(PIECES, set);
  assert.deepEqual([config.decoder_cell, config.positions, config.layer_norm_eps], ['ssru', 'marian', 1e-6]);
  const model = await Transformer.load({
    'config.json': Buffer.from(JSON.stringify(config)), 'source.spm': spm, 'target.spm': spm, 'vocab.json': vocab,
    'model.safetensors': readFileSync(join(out, 'model.safetensors')),
  });
  const pairs = readFileSync(corpus, 'utf8').split('\n').slice(0, 50).map((line) => line.split('\t'));
  const found = model.generate(pairs.map(([source]) => model.tokenizer.encode(source).ids), { maxTokens: 40 });
  const same = found.filter(([{ ids }], i) => model.tokenizer.decode(ids) === pairs[i][1]).length;
  assert.ok(same >= 25, `${same} of 50`);
  model.dispose();
});

test('interrupted or killed, a run ends where an undisturbed one does, to the bit', { skip }, async () => {
  const [whole, stopped, killed] = ['whole', 'stopped', 'killed'].map((name) => join(folder, name));
  assert.equal(run(...args(whole)).status, 0);
  assert.ok(learned(whole).length > 3 * PIECES * 32 * 4);

  const first = await stopAt(20, 'SIGTERM', stopped);
  assert.ok(first >= 20 && first < STEPS, `interrupted after ${first}`);
  const second = run(...args(stopped));
  assert.match(second.stdout, new RegExp(`continuing after step ${first}\\b`));
  assert.ok(learned(stopped).equals(learned(whole)), 'after SIGTERM');

  const at = await stopAt(30, 'SIGKILL', killed, '--save-minutes', '0.0001');
  assert.ok(at >= 30 && at < STEPS, `killed after ${at}`);
  const last = run(...args(killed));
  assert.match(last.stdout, /continuing after step \d+/);
  assert.ok(learned(killed).equals(learned(whole)), 'after SIGKILL');

  // where checkpoints have their steps since the format was made, and what distinguishes models of one size
  const checkpoint = readFileSync(join(whole, 'checkpoint'));
  assert.equal(checkpoint.readDoubleLE(8 + 2 * 8 + 22 * 4), STEPS);
  assert.match(run(...args(whole, '--config', 'positions=1')).stderr, /checkpoint: a checkpoint of another model/);

  const [before, after] = [second, last].map(({ stdout }) => Number([...stdout.matchAll(/loss ([\d.]+)/g)].at(-1)[1]));
  assert.equal(before, after);
  const dev = [...last.stdout.matchAll(/-log p ([\d.]+)/g)].map(([, loss]) => Number(loss));
  assert.ok(dev.at(-1) < 9, `it learns: ${dev}`);
});

test('two runs in one directory are refused', { skip }, async () => {
  const out = join(folder, 'whole');
  const child = spawn(program, args(out, '--steps', '100000'));
  await new Promise((resolve) => void child.stdout.once('data', resolve));
  const { status, stderr } = run(...args(out));
  const ended = new Promise((resolve) => void child.once('close', resolve));
  child.kill();
  await ended;
  assert.equal(status, 1);
  assert.match(stderr, /another heed-train is running in this directory/);
});

test('two threads compute the same as one, except for the order of sums', { skip }, () => {
  const [one, two] = ['whole', 'two'].map((name) => join(folder, name));
  assert.equal(run(...args(two, '--threads', '2')).status, 0);
  const loss = (out) =>
    readFileSync(join(out, 'log.tsv'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('dev\t25\t'))[0]
      .split('\t')[5];
  // dropout differs: it depends on the part of the batch, and two threads cut in other places
  assert.ok(Math.abs(loss(one) - loss(two)) < 0.05, `${loss(one)}, ${loss(two)}`);
});

test('Muon on three threads: a run in two parts is the run in one, to the bit', { skip }, () => {
  const [one, two, adam] = ['muon', 'muon-parts', 'adam'].map((name) => join(folder, name));
  const learn = (/** @type {string} */ out, /** @type {string} */ optimizer, /** @type {number} */ steps) => {
    const { status, stderr } = run(...args(out, '--optimizer', optimizer, '--threads', '3', '--steps', `${steps}`));
    assert.equal(status, 0, stderr);
  };
  learn(one, 'muon', 30);
  learn(two, 'muon', 12);
  learn(two, 'muon', 30);
  assert.ok(learned(one).equals(learned(two)));
  learn(adam, 'adam', 30);
  assert.ok(!learned(one).equals(learned(adam)));
  assert.match(run(...args(one, '--optimizer', 'sgd')).stderr, /--optimizer: expected adam or muon/);
});

test('model.safetensors has the tensors of MarianMTModel', { skip }, () => {
  const bytes = new Uint8Array(readFileSync(join(folder, 'whole/model.safetensors')));
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const shapes = new Map(
    parseHeader(bytes.subarray(8, 8 + length), 'model.safetensors').map(({ name, shape }) => [name, shape]),
  );
  assert.equal(shapes.size, 2 + 16 + 26);
  assert.deepEqual(shapes.get('model.shared.weight'), [PIECES, 32]);
  assert.deepEqual(shapes.get('final_logits_bias'), [1, PIECES]);
  assert.deepEqual(shapes.get('model.decoder.layers.0.encoder_attn_layer_norm.bias'), [32]);
});

test('errors name the cause', { skip }, () => {
  const says = (pattern, ...list) => {
    const { status, stderr } = run(...list);
    assert.equal(status, 1);
    assert.match(stderr, pattern);
  };
  const out = join(folder, 'none');
  says(/--train, --spm and --out are required/);
  says(/--speed: no such option/, '--speed', '3');
  says(/--gemm magic: unsupported by this build; --list shows its products/, ...args(out, '--gemm', 'magic'));
  says(/--batch: found 'many', expected a number/, ...args(out, '--batch', 'many'));
  says(/--config d_models=3: unknown key of config\.json/, ...args(out, '--config', 'd_models=3'));
  says(/HEED_E_CONFIG encoder_attention_heads/, ...args(out, '--config', 'encoder_attention_heads=5'));
  says(/missing\.tsv: No such file/, ...args(out, '--train', join(folder, 'missing.tsv')));
  says(/a checkpoint of another model/, ...args(join(folder, 'whole'), '--config', 'd_model=64'));
});

/** The message and nothing else: no report of a leak. */
const SAYS_SO = /^heed-train: (.*: )?out of memory(: \d+ bytes .*)?\n\d+ allocations\n$/;

test('without memory it reports that, leaks nothing, and can continue from the checkpoint', { skip }, (t) => {
  const [pairs, spm] = ['few.tsv', 'tiny.spm'].map((name) => join(folder, name));
  const lines = Array.from({ length: 40 },
    (_, i) => `${'abc xy '.repeat(1 + (i % 3))}Xaver\t${'bc ab '.repeat(1 + (i % 2))}Xaver\t0-1 1-0`);
  lines.push('abc\u{1F600} xy\tbc\u{1F600} ab\t0-1 1-0'); // a character of four bytes
  writeFileSync(pairs, lines.join('\n'));
  writeFileSync(spm, writeMessage(spmFields()));
  const small = ['d_model', 'encoder_ffn_dim', 'decoder_ffn_dim'].flatMap((key) => ['--config', `${key}=8`]);
  const data = ['--train', pairs, '--train', `${pairs}:2`, '--dev', pairs, '--dev', `other=${pairs}`, '--spm', spm];
  const options = ['--threads', '2', '--batch', '32', '--part', '64'];
  const noise = ['--noise', 'typos=0.3,stops=0.3,capitals=0.2', '--sample-source', '0.3', '--sample-target', '0.3'];
  const altered = [...noise, '--replace', '0.5', '--ema', '0.9', '--guided', '0.5', '--attention-dropout', '0.1'];
  const more = ['--longest', '32', '--evaluate', '3', '--save-minutes', '0', ...small, ...altered];
  /** Under ASan, with allocation number `at` failing; 0: none. */
  const go = (out, steps, at) =>
    spawnSync(faults, [...argsOf(data, out), ...options, ...more, '--steps', steps], {
      encoding: 'utf8',
      env: { ...process.env, HEED_TRAIN_STARTED: '1', HEED_FAIL_AT: String(at) },
    });
  const [base, whole, out] = ['base', 'undisturbed', 'starved'].map((name) => join(folder, name));
  assert.equal(go(base, '4', 0).status, 0);
  cpSync(base, whole, { recursive: true });
  const { status, stderr } = go(whole, '8', 0);
  assert.equal(status, 0, stderr);
  const needed = Number(/^(\d+) allocations$/m.exec(stderr)?.[1]);
  assert.ok(needed > 40, stderr);
  for (let at = 1; at <= needed; at++) {
    rmSync(out, { recursive: true, force: true });
    cpSync(base, out, { recursive: true });
    const starved = go(out, '8', at);
    assert.equal(starved.status, 1, `allocation ${at}: ${starved.stderr}`);
    assert.match(starved.stderr, SAYS_SO, `allocation ${at}`);
    if (at % 3 !== 1) continue; // a third of them also continues
    const again = go(out, '8', 0);
    assert.equal(again.status, 0, `after allocation ${at}: ${again.stderr}`);
    assert.match(again.stdout, /continuing after step [4-8]\b/);
    assert.ok(learned(out).equals(learned(whole)), `after allocation ${at} it ends elsewhere`);
  }
  t.diagnostic(`each of ${needed} allocations failed`);
});

test('strings of digits are reversed', { skip }, () => {
  const { status, stdout } = spawnSync(toy, { encoding: 'utf8' });
  console.log(`# ${stdout.trim()}`);
  assert.equal(status, 0, stdout);
});

test('every matrix product of this build is right', { skip }, () => {
  const { status, stdout } = spawnSync(products, { encoding: 'utf8' });
  console.log(`# ${stdout.trim()}`);
  assert.equal(status, 0, stdout);
});
