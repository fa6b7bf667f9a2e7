// coverage.js - `make coverage`: lines and branches of src/ that the C tests reached, by gcov's own counts.
//
//     node tests/coverage.js BUILD [--all]
//
// Run after the programs of BUILD, compiled with --coverage; --all tells each place too that they did not reach.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const build = process.argv[2];
const notes = readdirSync(build, { recursive: true }).map(String).filter((name) => name.endsWith('.gcda')).sort();
if (notes.length === 0) throw new Error(`${build}: found no counts (.gcda): the programs have not run`);

/**
 * By file and line: how often, and how often each way of each branch. A line of a header, or of a function that was
 * inlined, is in several reports: counts are added.
 *
 * @type {Map<string, Map<number, { count: number, branches: Map<string, number> }>>}
 */
const files = new Map();
for (const note of notes) {
  const args = ['--json-format', '--stdout', '--branch-probabilities', join(build, note)];
  const report = JSON.parse(execFileSync('gcov', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 }));
  for (const { file, lines } of report.files) {
    const name = relative(root, join(root, file));
    if (!name.startsWith('src/')) continue;
    const known = files.get(name) ?? new Map();
    files.set(name, known);
    for (const { line_number: line, count, branches } of lines) {
      const entry = known.get(line) ?? { count: 0, branches: new Map() };
      known.set(line, entry);
      entry.count += count;
      for (const [i, branch] of branches.entries()) {
        // of one line as of several functions: ways that stand at the same place are the same
        const key = `${branches.length} ${i}`;
        entry.branches.set(key, (entry.branches.get(key) ?? 0) + branch.count);
      }
    }
  }
}

const total = { lines: 0, reached: 0, branches: 0, taken: 0 };
const missing = [];
for (const [name, lines] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
  const own = { lines: 0, reached: 0, branches: 0, taken: 0 };
  for (const [line, { count, branches }] of [...lines].sort(([a], [b]) => a - b)) {
    const ways = [...branches.values()];
    own.lines++;
    own.reached += Number(count > 0);
    own.branches += ways.length;
    own.taken += ways.filter((n) => n > 0).length;
    if (count === 0) missing.push(`${name}:${line}: not reached`);
    else if (ways.includes(0)) {
      const left = ways.filter((n) => n === 0).length;
      missing.push(`${name}:${line}: ${left} of ${ways.length} ways not taken`);
    }
  }
  for (const key of /** @type {(keyof typeof own)[]} */ (Object.keys(own))) total[key] += own[key];
  if (own.reached < own.lines || own.taken < own.branches) {
    console.log(`${name}: ${own.reached} of ${own.lines} lines, ${own.taken} of ${own.branches} branches`);
  }
}
const percent = (/** @type {number} */ a, /** @type {number} */ b) => `${((100 * a) / b).toFixed(2)} % (${a} of ${b})`;
if (process.argv.includes('--all')) console.log(missing.join('\n'));
const [lines, branches] = [percent(total.reached, total.lines), percent(total.taken, total.branches)];
console.log(`lines ${lines}, branches ${branches}, ${files.size} files`);
