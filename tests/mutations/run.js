// run.js - `make mutations`: do the tests notice if one token of src/ changes? Makes seeded random changes of one
// operator, comparison, constant or sign, one at a time, in copies of the tree. Compiles each and runs the C tests,
// and if they pass, runs them with sanitizers, and parity and operations on wasm. Reports changes that no test notices.
//
//     node tests/mutations/run.js [--count 50] [--seed 1] [--jobs 1] [--only 17]
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const { values } = parseArgs({
  options: { count: { type: 'string' }, seed: { type: 'string' }, jobs: { type: 'string' }, only: { type: 'string' } },
});
const [count, seed, jobs] = [values.count ?? 50, values.seed ?? 1, values.jobs ?? 1].map(Number);
/** A hundred times what the slowest program takes alone: a change that makes a loop endless is noticed. */
const LIMIT = 300_000;

/** What a token becomes: one of these. @type {[pattern: RegExp, others: (token: string) => string[]][]} */
const CHANGES = [
  [/(?<=\s)(<=|>=|==|!=|<|>)(?=\s)/g, (t) => ({
    '<': ['<=', '>='], '<=': ['<', '=='], '>': ['>=', '<='], '>=': ['>', '!='], '==': ['!=', '<='], '!=': ['==', '<'],
  })[t] ?? []],
  [/(?<=\s)(&&|\|\|)(?=\s)/g, (t) => [t === '&&' ? '||' : '&&']],
  [/(?<=[\w)\]] )(\+|-|\*|\/|%|<<|>>|&|\||\^)(?= [\w(])/g, (t) => ({
    '+': ['-'], '-': ['+'], '*': ['+'], '/': ['*'], '%': ['/'], '<<': ['>>'], '>>': ['<<'], '&': ['|'], '|': ['&'],
    '^': ['&'],
  })[t] ?? []],
  [/(\+=|-=|\*=|\|=)/g, (t) => [t === '-=' ? '+=' : '-=']],
  [/(?<=[\w)\]])(\+\+|--)/g, (t) => [t === '++' ? '--' : '++']],
  [/(?<![\w."])(\d+)(?![\w."])/g, (t) => [String(Number(t) + 1), ...(t === '0' ? [] : [String(Number(t) - 1)])]],
  [/(?<=(if \(|&& |\|\| |\())(!)(?=\w)/g, () => ['']],
];

/** Changes that change nothing, looked at one by one: tests/README.md says why. Part of the line as it is then. */
const SAME = [
  'const int wide = m <= 1 ? 4 * PANEL',
  'take(w, ".decoder.embed_tokens.weight", 2, NULL, NULL)',
  'enum { ROWS = 12, VECTORS = 3 }',
  'for (; n - i >= 4; i += 3) {',
  's->source_places = arena_ints(arena, (size_t)o->max_source, 2)',
];

/** xorshift32: a function that gives the next number below n. @param {number} state */
const sequence = (state) => (/** @type {number} */ n) => {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % n;
};

/** The code with comments, strings and lines of the preprocessor blank, so that places stay. @param {string} text */
const blanked = (text) => text
  .replace(/\/\*[^]*?\*\/|\/\/.*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g, (found) => found.replace(/[^\n]/g, ' '))
  .replace(/^[ \t]*#(?:.*\\\n)*.*/gm, (found) => found.replace(/[^\n]/g, ' '));

/** Every place of src/ that may change. Not src/train/native: programs and threads, which have tests of their own. */
function places() {
  const files = readdirSync(join(root, 'src'), { recursive: true }).map(String)
    .filter((name) => /\.[ch]$/.test(name) && !/(^|\/)native\//.test(name)).sort();
  return files.flatMap((name) => {
    const code = blanked(readFileSync(join(root, 'src', name), 'utf8'));
    return CHANGES.flatMap(([pattern, others]) => Array.from(code.matchAll(pattern), ({ 0: token, index }) => ({
      file: `src/${name}`, index: Number(index), token, others: others(token),
      line: code.slice(0, index).split('\n').length,
    })));
  }).filter(({ others }) => others.length > 0);
}

/** A copy of what is compiled, with objects, so that only what depends on the change is made anew. */
function copyTree() {
  const tree = mkdtempSync(join(tmpdir(), 'heed-mutation-'));
  for (const name of ['src', 'tests', 'js', 'models', '.ci']) {
    cpSync(join(root, name), join(tree, name), {
      recursive: true, preserveTimestamps: true, filter: (path) => !/node_modules|tests\/fuzz\/corpus/.test(path),
    });
  }
  for (const name of ['Makefile', 'package.json']) {
    cpSync(join(root, name), join(tree, name), { preserveTimestamps: true });
  }
  mkdirSync(join(tree, 'build'));
  for (const name of ['native', 'asan', 'wasm']) {
    cpSync(join(root, 'build', name), join(tree, 'build', name), { recursive: true, preserveTimestamps: true });
  }
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  return tree;
}

/** Which test notices, or undefined. @param {string} tree @param {string} file */
async function noticed(tree, file) {
  const options = { cwd: tree, timeout: LIMIT, killSignal: /** @type {'SIGKILL'} */ ('SIGKILL'), maxBuffer: 1 << 26 };
  const tests = readdirSync(join(tree, 'tests/c')).filter((name) => /^test_.*\.c$/.test(name))
    .map((name) => name.slice(0, -2));
  // the room that changed first: most are noticed there
  const room = file.split('/')[1].replace('.c', '');
  const near = { text: 'text', search: 'search', train: 'train', kernels: 'kernels', base: 'base',
    model: 'model' }[room] ?? 'calls';
  tests.sort((a, b) => Number(b.endsWith(near)) - Number(a.endsWith(near))
    || Number(a.endsWith('train')) - Number(b.endsWith('train')));
  for (const [variant, how] of [['native', ''], ['asan', ', under sanitizers']]) {
    try {
      await run('make', ['WERROR=', variant], options);
    } catch {
      return `the compiler${how}`;
    }
    for (const name of tests) {
      try {
        await run(join(tree, 'build', variant, 'tests', name), [], options);
      } catch {
        return name + how;
      }
    }
  }
  try {
    await run('make', ['WERROR=', 'js/heed.wasm'], options);
    await run(process.execPath, ['--test', 'tests/parity.test.js', 'tests/ops.test.js'], options);
  } catch {
    return 'wasm';
  }
  return undefined;
}

execFileSync('make', ['-s', 'native', 'asan', 'js/heed.wasm'], { cwd: root, stdio: 'inherit' });
const below = sequence(seed);
const all = places();
const chosen = Array.from({ length: count }, () => {
  const place = all[below(all.length)];
  return { ...place, other: place.others[below(place.others.length)] };
});
console.log(`${count} of ${all.length} places in src/, seed ${seed}`);
let next = 0;
let missed = 0;
let done = 0;
await Promise.all(Array.from({ length: jobs }, async () => {
  const tree = copyTree();
  try {
    while (next < chosen.length) {
      const i = next++;
      if (values.only !== undefined && Number(values.only) !== i) continue;
      const { file, index, token, other, line } = chosen[i];
      const path = join(tree, file);
      const text = readFileSync(join(root, file), 'utf8');
      const changed = text.slice(0, index) + other + text.slice(index + token.length);
      writeFileSync(path, changed);
      const by = await noticed(tree, file);
      writeFileSync(path, text);
      const after = changed.split('\n')[line - 1].trim();
      const isSame = !by && SAME.some((part) => after.includes(part));
      done += Number(!isSame);
      if (!by && !isSame) missed++;
      const shown = `${text.split('\n')[line - 1].trim()}   =>   ${after}`;
      const found = by ?? (isSame ? 'no change' : 'NOT NOTICED');
      console.log(`${i} ${found}: ${file}:${line}: '${token}' to '${other}': ${shown}`);
    }
  } finally {
    rmSync(tree, { recursive: true });
  }
}));
console.log(`${done - missed} of ${done} noticed${values.only ? '' : `, ${count - done} are no change`}`);
if (missed > done / 10) process.exitCode = 1;
