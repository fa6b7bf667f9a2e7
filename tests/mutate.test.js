// Mutated model directories: loading a wrong one ends in an error that names a file, and one that loads also
// translates. Nothing traps, hangs or leaks. `make mutate RUNS=1000000` tests more of them.
import test from 'node:test';
import assert from 'node:assert/strict';
import { bringModels } from './firefox-models.js';
import { Bench, derive, translate } from './mutate/bench.js';
import { checkpointFiles, CONTAINERS } from './mutate/checkpoints.js';
import { small } from './mutate/firefox.js';
import { modelFiles } from './mutate/model.js';
import { READERS } from './mutate/readers.js';
import { run } from './mutate/run.js';

/** As many as take some twenty seconds on an idle machine. */
const RUNS = 4000;
/** And half as many seconds. */
const CHECKPOINTS = 1000;
/** The models of golden/hf/families weigh twenty times as much as the tiny one. */
const FAMILIES = 400;
/** Files for each reader of the families. */
const EACH = 50;
/** The models of golden/firefox weigh fifty times as much. */
const FIREFOX = 400;
/** Mozilla's own weigh 17 MB. */
const REAL = 12;
/** Refusals of weights and their configuration, whatever file has them. */
const ANYWHERE = ['FILE', 'CONFIG', 'SAFETENSORS', 'TENSOR_MISSING', 'TENSOR_UNKNOWN', 'TENSOR_SHAPE', 'TENSOR_DTYPE',
  'TENSOR_VALUE'];

/**
 * The mutator reaches into every floor: some load, and every kind of refusal is met.
 *
 * @param {import('node:test').TestContext} t
 * @param {Parameters<typeof run>[0]} asked
 * @param {string[]} kinds
 */
async function check(t, asked, kinds) {
  const { runs, loaded, seconds, slowest, memory, heap, statuses, failures } = await run(asked);
  const end = `memory ${memory}, ${heap} more in JavaScript`;
  t.diagnostic(`${loaded} of ${runs} loaded, ${seconds.toFixed(0)} s, slowest ${slowest.ms.toFixed(0)} ms, ${end}`);
  assert.deepEqual(failures, []);
  assert.equal(runs, asked.runs);
  assert.ok(loaded > runs / 10, `${loaded} load`);
  for (const kind of kinds) assert.ok(statuses[`HEED_E_${kind}`] > 0, `HEED_E_${kind} is met`);
}

test(`${RUNS} mutated model directories`, (t) =>
  check(t, { runs: RUNS }, [...ANYWHERE, 'JSON', 'HASH', 'SPM', 'VOCAB']));

test('in every container the tiny model says the same', async () => {
  const bench = new Bench();
  await bench.start();
  const say = async (/** @type {Record<string, any>} */ files) => {
    const words = translate(await bench.load(files));
    bench.clear();
    return words;
  };
  const expected = await say(modelFiles());
  for (const container of CONTAINERS) assert.deepEqual(await say(checkpointFiles(container)), expected, container);
  const { 'config.json': _, ...files } = checkpointFiles('marian');
  // its decoder begins from zeros, not from a piece: what it says is its own
  assert.equal((await say(await derive(files))).length, expected.length, "config.json made of Marian's settings");
});

test(`${FAMILIES} mutated models of other families`, (t) =>
  check(t, { kind: 'families', runs: FAMILIES }, ANYWHERE));

test(`${EACH} mutated files for each reader of the families`, async (t) => {
  // a whole one takes half a second
  const names = Object.keys(READERS).filter((name) => !READERS[name].isLarge && !READERS[name].lacks);
  const { readers, failures } = await run({ kind: 'readers', readers: names, runs: EACH * names.length });
  assert.deepEqual(failures, []);
  for (const name of names) {
    const { runs, loaded, statuses } = readers[name];
    t.diagnostic(`${name}: ${loaded} of ${runs} loaded, ${JSON.stringify(statuses)}`);
    assert.equal(runs, EACH);
    assert.ok(loaded > EACH / 10 && Object.keys(statuses).length > 2, `${name}: ${JSON.stringify(statuses)}`);
  }
});

test(`${CHECKPOINTS} mutated checkpoints`, (t) =>
  check(t, { kind: 'checkpoints', runs: CHECKPOINTS }, ANYWHERE));

test(`${FIREFOX} mutated models of Firefox`, (t) => check(t, { kind: 'firefox', runs: FIREFOX }, [...ANYWHERE, 'SPM']));

test(`${REAL} mutated models of Mozilla's own`, async (t) => {
  const found = bringModels();
  if ('missing' in found) return t.skip(found.missing);
  process.env.HEED_FIREFOX_MODELS = found.directory;
  const { runs, loaded, failures } = await run({ kind: 'firefox-real', runs: REAL });
  assert.deepEqual([failures, runs], [[], REAL]);
  assert.ok(loaded > 0);
});

test('the models of Firefox that are changed load and translate while nothing is wrong with them', async () => {
  const bench = new Bench();
  await bench.start();
  const all = new Set(small());
  assert.equal(all.size, 6);
  for (const { files, items } of all) {
    const { 'expected.jsonl': _, ...own } = files;
    const model = await bench.load(own, 'auto');
    assert.ok(translate(model).every((words) => words !== ''));
    assert.equal(model.config.encoder_layers, items.some(({ name }) => name.startsWith('encoder_l6_')) ? 6 : 2);
    bench.clear();
  }
});
