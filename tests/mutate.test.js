// Mutated model directories: whatever is wrong with files, loading them ends in an error that names one, and what loads
// translates. Nothing traps, hangs or leaks. `make mutate RUNS=1000000` makes more of them.
import test from 'node:test';
import assert from 'node:assert/strict';
import { run } from './mutate/run.js';

/** As many as take less than a minute on an idle machine. */
const RUNS = 20_000;

test(`${RUNS} mutated model directories`, async (t) => {
  const { runs, loaded, seconds, slowest, memory, statuses, failures } = await run({ runs: RUNS });
  t.diagnostic(
    `${loaded} of ${runs} loaded, ${seconds.toFixed(0)} s, slowest ${slowest.ms.toFixed(0)} ms, memory ${memory}`,
  );
  assert.deepEqual(failures, []);
  assert.equal(runs, RUNS);
  // the mutator reaches into every floor: some load, and every kind of refusal is met
  assert.ok(loaded > RUNS / 10, `${loaded} load`);
  for (const kind of [
    'JSON',
    'CONFIG',
    'SAFETENSORS',
    'TENSOR_MISSING',
    'TENSOR_UNKNOWN',
    'TENSOR_SHAPE',
    'TENSOR_DTYPE',
    'TENSOR_VALUE',
    'HASH',
    'SPM',
    'VOCAB',
    'FILE',
  ]) {
    assert.ok(statuses[`HEED_E_${kind}`] > 0, `HEED_E_${kind} is met`);
  }
});
