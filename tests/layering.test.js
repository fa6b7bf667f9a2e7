// The rules of the source code: includes and imports go in one direction, every header compiles alone, the core prints
// nothing, and only wasm/ handles addresses in JavaScript.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');
const list = (dir, pattern) =>
  readdirSync(join(root, dir), { recursive: true }).filter((f) => pattern.test(f)).sort();

/** The rooms that a room may include, itself aside. The files directly in src/ are the room 'heed'. */
const downstairs = {
  base: [],
  text: ['base'],
  kernels: ['base'],
  layers: ['base', 'kernels'],
  model: ['base', 'kernels', 'layers'],
  search: ['base', 'kernels', 'model'],
  train: ['base', 'kernels', 'layers', 'model'],
  heed: ['base', 'text', 'layers', 'model', 'search'],
};
/** heed.h is the contract that these fulfil: it may be included from below. */
const fulfilsHeed = (file) =>
  /^(model|search|train)\//.test(file) || file === 'text/tokenizer.c' || file === 'layers/ops.c';

/** Of the programs above the core, the trainer samples from SentencePiece's own tables. */
const mayAlso = (file, other) => file.startsWith('train/native/') && other === 'text';

const room = (file) => (file.includes('/') ? file.split('/')[0] : 'heed');
const sources = list('src', /\.[ch]$/);

/** What of `#include`s in `text` (of `file`) breaks the rules. */
function wrongIncludes(file, text) {
  const wrong = [];
  for (const [, name] of text.matchAll(/^\s*#\s*include\s*"([^"]+)"/gm)) {
    if (name === 'heed.h' && fulfilsHeed(file)) continue;
    if (name.includes('..')) wrong.push(`${file} includes ${name}: paths start at src/`);
    else if (room(name) !== room(file) && !downstairs[room(file)]?.includes(room(name)) && !mayAlso(file, room(name))) {
      wrong.push(`${file} includes ${name}: ${room(file)} may not see ${room(name)}`);
    }
  }
  return wrong;
}

/** C without its comments, line breaks kept. */
const withoutComments = (c) => c.replace(/\/\*[^]*?\*\//g, (s) => s.replace(/[^\n]/g, ' '));

test('the include rule sees a wrong include', () => {
  assert.equal(wrongIncludes('kernels/gemm.c', '#include "model/config.h"\n').length, 1);
  assert.equal(wrongIncludes('heed.c', '#include "train/adam.h"\n').length, 1);
  assert.equal(wrongIncludes('layers/norm.c', '#include "heed.h"\n').length, 1);
  assert.equal(wrongIncludes('layers/norm.c', '#include "../base/arena.h"\n').length, 1);
  assert.equal(wrongIncludes('train/adam.c', '#include "text/vocab.h"\n').length, 1);
  assert.equal(wrongIncludes('train/native/sampling.c', '#include "text/vocab.h"\n').length, 0);
  assert.equal(wrongIncludes('search/beam.c', '#include "model/config.h"\n#include "heed.h"\n').length, 0);
});

test('every #include goes downstairs', () => {
  assert.ok(sources.length > 0, 'src/ has files');
  assert.deepEqual(sources.flatMap((file) => wrongIncludes(file, read(`src/${file}`))), []);
});

test('every room is in the table', () => {
  assert.deepEqual(sources.filter((file) => !(room(file) in downstairs)), []);
});

test('every header compiles alone, included once or twice', (t) => {
  const compiler = process.env.HOST_CC || 'gcc';
  if (spawnSync(compiler, ['--version']).error) return t.skip(`${compiler} is missing`);
  for (const header of sources.filter((f) => f.endsWith('.h') && !f.startsWith('kernels/native/'))) {
    const flags = ['-std=c11', '-Wall', '-Wextra', '-Wpedantic', '-Werror', '-Wno-unused-function', '-fsyntax-only',
      '-DHEED_RELAXED'];
    const machine = process.arch === 'x64' ? ['-msse4.1'] : [];
    const r = spawnSync(compiler, [...flags, ...machine, '-Isrc', '-Isrc/kernels/native', '-x', 'c', '-'], {
      cwd: root,
      input: `#include "${header}"\n#include "${header}"\nextern int nothing;\n`,
      encoding: 'utf8',
    });
    assert.equal(r.status, 0, `${header} does not compile alone:\n${r.stderr}`);
  }
});

test('every C file says in its first comment what it is', () => {
  const silent = sources.filter((file) => {
    const name = file.split('/').pop();
    return !new RegExp(`^/\\*\\s*\\*?\\s*${name.replace('.', '\\.')}\\b`).test(read(`src/${file}`));
  });
  assert.deepEqual(silent, []);
});

test('the map of src/ has every room in its order and a line for every file', () => {
  const map = read('src/README.md');
  const parts = map.split(/^## `src\//m).slice(1).map((part) => ({ name: part.split('`')[0], part }));
  const order = parts.map(({ name }) => name.replace('/', '') || 'heed');
  assert.deepEqual([...order].sort(), Object.keys(downstairs).sort());
  for (const [i, upper] of order.entries()) {
    assert.deepEqual(downstairs[upper].filter((lower) => order.indexOf(lower) < i), [], `${upper} stands too low`);
  }
  const lines = parts.flatMap(({ name, part }) =>
    [...part.matchAll(/^\| `([\w.]+)` \|/gm)].map(([, file]) => name + file));
  // a header stands for its source
  const files = sources.filter((file) => !/^(train|kernels)\/native\//.test(file) &&
    (file === 'heed.c' || file.endsWith('.h') || !sources.includes(file.replace(/c$/, 'h'))));
  assert.deepEqual(lines.sort(), files);
});

test('the core prints nothing, ends nothing, and allocates in the arena only', () => {
  const forbidden = /\b(printf|fprintf|puts|putchar|perror|exit|_Exit|abort|malloc|calloc|realloc|free)\s*\(/;
  const found = sources
    // train/native is a program, not the core
    .filter((file) => file.endsWith('.c') && !/^base\/(arena|heap)\.c$/.test(file) && !file.startsWith('train/native/'))
    .flatMap((file) =>
      withoutComments(read(`src/${file}`))
        .split('\n')
        .flatMap((line, i) => (forbidden.test(line) ? [`src/${file}:${i + 1}: ${line.trim()}`] : [])));
  assert.deepEqual(found, []);
});

// ------------------------------------------------------------------------------ JavaScript

/** The rooms of js/, the lowest first: the files directly in js/ are the room 'doors', and builds.js is the ground. */
const FLOORS = ['builds', 'base', 'wasm', 'files', 'formats', 'text', 'model', 'engine', 'translate', 'documents', 'dom',
  'detect', 'train', 'convert', 'serve', 'cli', 'doors'];
const scripts = list('js', /\.js$/);
const roomOf = (file) => (file.includes('/') ? file.split('/')[0] : file === 'builds.js' ? 'builds' : 'doors');

/** What a script imports of js/, when it runs or, with `types`, for its types alone. */
function importsOf(file, code, types = false) {
  const text = types ? code : code.replace(/\/\*\*[^]*?\*\//g, '');
  const found = text.matchAll(/(?:\bfrom\s+|^import\s+|\bimport\(\s*)'(\.[^']+)'/gm);
  return [...new Set([...found].map(([, name]) => join(file, '..', name)))];
}

/** What of the imports of `code` (of `file`) breaks the order of the rooms. */
const wrongImports = (file, code) => importsOf(file, code, true)
  .filter((other) => !FLOORS.slice(0, FLOORS.indexOf(roomOf(file)) + 1).includes(roomOf(other)))
  .map((other) => `${file} imports ${other}`);

/** A way from a file back to itself, or null. `imports`: by file. */
function findCircle(imports) {
  const done = new Set();
  const visit = (file, path) => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const other of imports.get(file) ?? []) {
      const circle = visit(other, [...path, file]);
      if (circle) return circle;
    }
    done.add(file);
    return null;
  };
  for (const file of imports.keys()) {
    const circle = visit(file, []);
    if (circle) return circle;
  }
  return null;
}

test('the rule of imports sees a wrong import and a circle', () => {
  const wrong = [
    ['text/split.js', "import { Model } from '../model/model.js';"],
    ['model/load.js', "const late = await import('../translate/lookup.js');"],
    ['wasm/core.js', "/** @param {import('../model/model.js').Model} model */"],
    ['base/json.js', "export { a } from '../index.js';"],
    ['base/json.js', "import '../nowhere/a.js';"],
  ];
  for (const [file, code] of wrong) assert.equal(wrongImports(file, code).length, 1, code);
  assert.deepEqual(wrongImports('model/load.js', "import { a } from '../text/split.js';\nimport b from './b.js';"), []);
  assert.deepEqual(importsOf('a.js', "/** @type {import('./b.js').B} */\nimport { c } from './c.js';"), ['c.js']);
  assert.deepEqual(findCircle(new Map([['a', ['b']], ['b', ['c']], ['c', ['b']]])), ['b', 'c', 'b']);
  assert.equal(findCircle(new Map([['a', ['b', 'c']], ['b', ['c']]])), null);
});

test('every import goes downstairs, those of types too', () => {
  assert.ok(scripts.length > 0, 'js/ has files');
  const found = scripts.flatMap((file) => wrongImports(file, read(`js/${file}`)));
  assert.deepEqual(found, []);
});

test('no import leads back to its file', () => {
  const imports = new Map(scripts.map((file) => [file, importsOf(file, read(`js/${file}`))]));
  assert.equal(findCircle(imports), null);
});

test('a clone without npm packages runs: what they are needed for is loaded for that alone', () => {
  // static imports alone: those that stand at the beginning of a line
  const loaded = new Set();
  const bare = [];
  const visit = (file) => {
    if (loaded.has(file)) return;
    loaded.add(file);
    const code = read(`js/${file}`).replace(/\/\*\*[^]*?\*\//g, '');
    for (const [, name] of code.matchAll(/^(?:import\s+|(?:import|export)\s[^;']*?\bfrom\s+)'([^']+)';/gm)) {
      if (name.startsWith('.')) visit(join(file, '..', name));
      else if (!name.startsWith('node:')) bare.push(`${file} imports ${name}`);
    }
  };
  for (const file of scripts.filter((each) => roomOf(each) === 'doors')) visit(file);
  assert.ok(loaded.has('cli/translate.js') && loaded.has('translate/translator.js'));
  assert.deepEqual(bare, []);
});

test('the map of js/ has every room in its order and a line for every file', () => {
  const map = read('js/README.md');
  const rooms = [...map.matchAll(/^## `js\/(?:(\w+)\/)?`/gm)].map(([, name]) => name ?? 'doors');
  assert.deepEqual(rooms, FLOORS.filter((floor) => floor !== 'builds').reverse());
  const lines = map.split(/^## `js\//m).slice(1).flatMap((part) => {
    const dir = /^\w+\//.exec(part)?.[0] ?? '';
    return [...part.matchAll(/^\| `([\w-]+\.js)` \|/gm)].map(([, name]) => dir + name);
  });
  assert.deepEqual(lines.sort(), scripts);
});

/** Each family of models, as code would name it. */
const FAMILIES = [/m2m/i, /nllb/i, /mbart/i, /\bm?t5\b/i, /byt5/i, /madlad/i, /pegasus/i];

test('a family of models is named in four files at most, those of the map', () => {
  const table = /\n {2}\| family \|[^]*?\n\n/.exec(read('js/README.md'))?.[0] ?? '';
  const named = scripts.filter((file) => table.split('\n')[1].includes(`\`${file.replace('model/', '')}\``)
    || ['text/codes.js', 'files/needed.js'].includes(file));
  assert.equal(named.length, 5);
  // what refuses a family for what it is has its name for people
  const code = (/** @type {string} */ file) => read(`js/${file}`)
    .replace(/\/\*[^]*?\*\/|\/\/.*$|throw new HeedError\([^]*?\);$/gm, '');
  const found = FAMILIES.map((family) => scripts.filter((file) => family.test(code(file))));
  assert.ok(found.some(({ length }) => length === 4));
  for (const [i, files] of found.entries()) {
    assert.ok(files.length <= 4, `${FAMILIES[i]}: ${files}`);
    assert.deepEqual(files.filter((file) => !named.includes(file)), [], String(FAMILIES[i]));
  }
});

/** Functions that a browser which the README names lacks: Chrome 100, Firefox 125 or Safari 16.4. */
const NEWER = new RegExp('\\.(?:toSorted|toReversed|toSpliced|isWellFormed|toWellFormed|union|intersection|difference|' +
  'isSubsetOf|isSupersetOf|checkVisibility|requestIdleCallback)\\(|(?:URL\\.(?:canParse|parse)|' +
  'AbortSignal\\.(?:any|timeout)|Response\\.json|(?:Object|Map)\\.groupBy|Array\\.fromAsync|' +
  'Promise\\.(?:withResolvers|try)|Iterator\\.from|ReadableStream\\.from|Uint8Array\\.from(?:Base64|Hex)|' +
  'import\\.meta\\.resolve)\\(|ompressionStream\\([\'"]deflate-raw');

test('what runs in browsers calls nothing that the oldest of them lack', () => {
  assert.match('nodes.toReversed()', NEWER);
  assert.match('URL.canParse(url)', NEWER);
  assert.match("new DecompressionStream('deflate-raw')", NEWER);
  const inNode = /^(?:cli|serve|convert|documents)\/|^cli\.js|^make-|^prune-/;
  const files = [...list('js', /\.js$/).filter((file) => !inNode.test(file)).map((file) => `js/${file}`),
    ...list('web', /\.js$/).filter((file) => !/^(?:examples|guides)\/|^(?:build|chunks)\.js/.test(file))
      .map((file) => `web/${file}`)];
  assert.ok(files.length > 150, String(files.length));
  assert.deepEqual(files.filter((file) => NEWER.test(read(file))), []);
});

test('lines have 120 columns at most', () => {
  const code = [...list('js', /\.js$/).map((file) => `js/${file}`),
    ...list('src', /\.[ch]$/).filter((file) => !file.startsWith('train/')).map((file) => `src/${file}`)];
  assert.ok(code.length > 200, String(code.length));
  const wide = code.flatMap((file) => read(file).split('\n')
    .flatMap((line, i) => ([...line].length > 120 ? [`${file}:${i + 1}`] : [])));
  assert.deepEqual(wide, []);
});

test('only wasm/ knows addresses', () => {
  const address = /\bmemory\.buffer\b|\bmalloc\b|\bHEAP[UF]?\d|new WebAssembly\.Memory\b|WebAssembly\.instantiate/;
  const find = (/** @type {string[]} */ files) => files.flatMap((file) =>
    read(`js/${file}`)
      .split('\n')
      .flatMap((line, i) => (address.test(line) ? [`js/${file}:${i + 1}: ${line.trim()}`] : [])));
  assert.notDeepEqual(find(scripts.filter((file) => roomOf(file) === 'wasm')), []);
  assert.deepEqual(find(scripts.filter((file) => roomOf(file) !== 'wasm')), []);
});
