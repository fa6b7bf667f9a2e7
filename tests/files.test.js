// files.test.js - heed translate FILE, run as a process: where files go, what is kept of translations, what is refused.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../js/cli.js', import.meta.url));

/** Runs in a directory of its own. @param {(use: ReturnType<typeof tools>) => void} f */
function inDirectory(f) {
  const directory = mkdtempSync(join(tmpdir(), 'heed-files-'));
  try {
    f(tools(directory));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** @param {string} directory */
const tools = (directory) => ({
  heed: (/** @type {string[]} */ args, input = '') => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, 'translate', ...args],
      { input, encoding: 'utf8', cwd: directory });
    return { status, stdout, stderr };
  },
  write: (/** @type {string} */ name, /** @type {string | Uint8Array} */ text) =>
    writeFileSync(join(directory, name), text),
  read: (/** @type {string} */ name) => readFileSync(join(directory, name), 'utf8'),
  path: (/** @type {string} */ name) => join(directory, name),
  list: () => readdirSync(directory).sort(),
});

const JSON_FILE = '{"a": "Good morning, {name}!", "b": ["The house is small."]}\n';

test('a file is written to standard output, another file, a directory or its own place', () => inDirectory((use) => {
  const { heed, write, read, path, list } = use;
  write('a.json', JSON_FILE);
  write('b.md', '# The house is small.\n');
  const { status, stdout, stderr } = heed(['a.json', '--from', 'en', '--to', 'de']);
  assert.deepEqual([status, stderr], [0, '']);
  const { a, b: [b] } = JSON.parse(stdout);
  assert.match(a, /^Guten Morgen, \{name\}!$/);
  assert.match(b, /Haus/);
  assert.equal(heed(['a.json', '-o', 'c.json']).stdout, '');
  assert.equal(read('c.json'), stdout);
  mkdirSync(path('out'));
  assert.equal(heed(['a.json', 'b.md', '--output', 'out']).status, 0);
  assert.equal(read('out/a.json'), stdout);
  chmodSync(path('b.md'), 0o640);
  assert.equal(heed(['b.md', '--in-place']).status, 0);
  assert.equal(read('b.md'), read('out/b.md'));
  assert.equal(statSync(path('b.md')).mode & 0o777, 0o640);
  assert.deepEqual(list(), ['a.json', 'b.md', 'c.json', 'out']);
  assert.equal(heed(['--format', 'json'], JSON_FILE).stdout, stdout);
}));

test('links, devices and modes stay as they are', () => inDirectory(({ heed, write, read, path, list }) => {
  const isLink = (/** @type {string} */ name) => lstatSync(path(name)).isSymbolicLink();
  write('a.json', '{"a": "1"}\n');
  write('b.json', '');
  chmodSync(path('b.json'), 0o666); // more than the umask leaves
  for (const [link, place] of [['link', 'b.json'], ['null', '/dev/null'], ['new', 'c.json']]) {
    symlinkSync(place, path(link));
    assert.deepEqual(heed(['a.json', '-o', link]), { status: 0, stdout: '', stderr: '' });
    assert.ok(isLink(link), link);
  }
  assert.deepEqual([read('b.json'), read('c.json')], [read('a.json'), read('a.json')]);
  assert.equal(statSync(path('b.json')).mode & 0o777, 0o666);
  assert.equal(heed(['a.json', '-o', '/dev/stdout']).stdout, read('a.json'));
  assert.deepEqual(list(), ['a.json', 'b.json', 'c.json', 'link', 'new', 'null']);
}));

test('a memory and --check', () => inDirectory(({ heed, write, read }) => {
  write('a.json', JSON_FILE);
  const memory = ['--memory', 'memory.jsonl'];
  const missing = heed(['a.json', '--check', ...memory]);
  assert.deepEqual([missing.status, missing.stdout], [1, '']);
  assert.match(missing.stderr, /^a\.json:1: not translated: .*Good morning[^]*\na\.json:1: not translated: 'The house/);
  assert.equal(heed(['a.json', '-o', 'b.json', ...memory]).status, 0);
  assert.equal(read('memory.jsonl').split('\n').length, 3);
  assert.deepEqual(heed(['a.json', '-o', 'b.json', '--check', ...memory]), { status: 0, stdout: '', stderr: '' });
  // corrected by hand, in the memory and in the file
  write('memory.jsonl', read('memory.jsonl').replace(/"target":"[^"]*Haus[^"]*"/, '"target":"Klein ist das Haus."'));
  const old = heed(['a.json', '-o', 'b.json', '--check', ...memory]);
  assert.deepEqual([old.status, old.stderr], [1, 'b.json: is out of date\n']);
  assert.equal(heed(['a.json', '-o', 'b.json', ...memory]).status, 0);
  assert.match(read('b.json'), /Klein ist das Haus/);
  assert.equal(heed(['a.json', '-o', 'none.json', '--check', ...memory]).stderr, 'none.json: is missing\n');
  // a byte order mark, no line break at the end, and an error later in the command
  const line = '{"from":"en","to":"de","source":"Yes.","target":"Ja."}';
  write('memory.jsonl', `\ufeff${line}`);
  write('b.json', '["The house is small.", "Yes."]');
  assert.equal(heed(['b.json', '-o', 'nowhere/b.json', ...memory]).status, 1);
  const lines = read('memory.jsonl').split('\n');
  assert.deepEqual([lines[0], lines[2], lines.length], [`\ufeff${line}`, '', 3]);
  assert.equal(JSON.parse(lines[1]).source, 'The house is small.');
  write('memory.jsonl', '{"from":"en"}\n');
  const wrong = heed(['a.json', ...memory]);
  assert.deepEqual([wrong.status, wrong.stderr],
    [1, 'heed: memory.jsonl: line 1: to: found undefined, expected a text\n']);
}));

test('wrong files are named with their line, and nothing is written', () => inDirectory((use) => {
  const { heed, write, read, list } = use;
  write('a.json', JSON_FILE);
  write('b.json', '{\n  "a": "x",\n}\n');
  const both = heed(['a.json', 'b.json', '--in-place']);
  assert.deepEqual([both.status, both.stderr], [1, "heed: b.json: line 3: found '}', expected a key in quotes\n"]);
  assert.equal(read('a.json'), JSON_FILE);
  write('c.txt', Uint8Array.of(65, 10, 0xff, 10));
  assert.equal(heed(['c.txt']).stderr, 'heed: c.txt: line 2: invalid UTF-8: byte 1 is 0xff\n');
  assert.match(heed(['none.txt']).stderr, /none\.txt: is missing \(a text that looks like a file comes after --\)/);
  assert.equal(heed(['a.json', '-o', 'nowhere/a.json']).status, 1);
  assert.deepEqual(list(), ['a.json', 'b.json', 'c.txt']);
}));

test('texts, and HTML on the command line', () => inDirectory(({ heed }) => {
  assert.equal(heed(['--', 'notes.txt']).stdout, 'notes.txt\n');
  assert.match(heed(['--html', '<p>The <b>house</b> is small.</p>']).stdout, /^<p>.*<b>Haus<\/b>.*<\/p>\n$/);
  assert.match(heed(['--html'], '<p>The house\nis small.</p>\n').stdout, /^<p>.*Haus.*<\/p>\n$/);
  assert.equal(existsSync('notes.txt'), false);
}));

test('--keys translates only these values of JSON; spaces around commas do not count', () => inDirectory(({ heed, write }) => {
  write('a.json', '{"title":"Good morning.","id":"Good morning.","body":"Good morning."}');
  for (const keys of ['title,body', ' title, body ']) {
    assert.equal(heed(['a.json', '--keys', keys]).stdout,
      '{"title":"Guten Morgen.","id":"Good morning.","body":"Guten Morgen."}');
  }
}));

test('options that do not fit are refused', () => inDirectory(({ heed, write, path }) => {
  write('a.json', '{}');
  write('a.md', '');
  mkdirSync(path('out'));
  mkdirSync(path('other'));
  write('other/a.json', '{}');
  for (const [args, wanted] of /** @type {[string[], RegExp][]} */ ([
    [['a.json', 'a.md'], /several files: expected --in-place, or --output and a directory/],
    [['a.json', 'a.md', '-o', 'b'], /several files: expected a directory, found --output b/],
    [['a.json', 'A text.'], /A text\.: expected a file whose name ends with one of \.html/],
    [['a.json', '--in-place', '-o', 'b.json'], /--output: has no effect with --in-place/],
    [['a.json', '--check'], /--check: expected --memory for json/],
    [['a.json', '--json'], /--json: has no effect on files/],
    [['a.json', '--keys', 'a,'], /--keys: found 'a,', expected names with commas in between/],
    [['a.md', '--keys', 'a'], /--keys: has no effect on md/],
    [['a.json', '--format', 'doc'], /--format: found 'doc', expected html, json/],
    [['--in-place', '--format', 'md'], /--in-place: has no effect on standard input/],
    [['a.json', 'other/a.json', '-o', 'out'], /a\.json, other\/a\.json: both would be written to out\/a\.json/],
    [['a.json', './a.json', '--in-place'], /a\.json, \.\/a\.json: both would be written to/],
    [['-', '--format', 'json', '-o', 'out'], /-: expected --output and a file, found the directory out/],
    [['--html', '--json', '<p>'], /--json: has no effect with --html/],
    [['--html', 'a.json'], /--html: has no effect on files, .*: a\.json/],
  ])) {
    const { status, stderr } = heed(args);
    assert.equal(status, 2, args.join(' '));
    assert.match(stderr, wanted);
  }
}));
