// learn-long.js - the tasks of the chapter "Train one yourself", trained to the end: each must be learned.
//
//   node tests/learn-long.js [SEED]     part of `make test-long`
import assert from 'node:assert/strict';
import { END } from '../web/learn/base-task.js';
import { pairOf, TASKS, untilEnd } from '../web/learn/tasks.js';
import { begin } from '../web/learn/trainer.js';

const seed = Number(process.argv[2] ?? 3);
const TRIALS = 200;
let [passed, failed] = [0, 0];
for (const [name, task] of Object.entries(TASKS)) {
  const trainer = await begin(task, seed);
  const [texts, trials] = [task.texts(seed), task.trials(987654)];
  for (let step = 0; step < task.steps; step++) {
    trainer.step(Array.from({ length: task.batch }, () => pairOf(task, texts.next().value)));
  }
  const asked = Array.from({ length: TRIALS }, () => trials.next().value);
  const model = await trainer.toModel();
  const answers = model.generate(asked.map(task.toIds), { maxTokens: task.longest, batchSize: 50 });
  const right = answers.filter(([{ ids }], i) => task.toText(untilEnd(ids, END)) === task.solve(asked[i])).length;
  const seconds = process.cpuUsage().user / 1e6;
  console.log(`${name}: ${right} of ${TRIALS} right after ${task.steps} steps, ${seconds.toFixed(0)} s so far`);
  try {
    assert.ok(right >= 0.9 * TRIALS, name);
    passed++;
  } catch {
    failed++;
  }
  model.dispose();
  trainer.dispose();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = Number(failed > 0);
