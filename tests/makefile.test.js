// makefile.test.js - what the Makefile asks of the machine, and makes of the answer.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'heed-makefile-'));
test.after(() => rmSync(folder, { recursive: true }));

// A compiler that has the headers it is told to have, and adds a line to the file that it is told to write.
const compiler = join(folder, 'cc');
writeFileSync(compiler, `#!/bin/sh
if [ "$1" = -include ]; then case " $HEADERS " in *" $2 "*) exit 0;; *) exit 1;; esac; fi
for file; do :; done
echo compiled >> "$file"
`);
chmodSync(compiler, 0o755);
const { MAKEFLAGS, MFLAGS, MAKELEVEL, ...env } = process.env;

/** What make prints. @param {string} HEADERS  that the compiler has @param {string[]} list  arguments of make */
const make = (HEADERS, ...list) => execFileSync('make', [`HOST_CC=${compiler}`, `BUILD=${folder}`, ...list],
  { cwd: root, env: { ...env, HEADERS }, encoding: 'utf8', maxBuffer: 1 << 26 });

test('the help is one screen, and names targets that there are', () => {
  const lines = make('', '-s', 'help').trim().split('\n');
  assert.ok(lines.length <= 24, `${lines.length} lines`);
  assert.deepEqual(lines.filter((line) => line.length > 120), []);
  const named = lines.join('\n').match(/(?<=\bmake )[a-z][a-z-]*/g) ?? [];
  assert.ok(named.length > 20);
  const rules = ['Makefile', 'src/train/train.mk', 'tests/fuzz/fuzz.mk']
    .map((path) => readFileSync(join(root, path), 'utf8')).join('\n');
  const missing = named.filter((target) => !new RegExp(`^([a-z-]+ )*${target}( [a-z-]+)*:`, 'm').test(rules));
  assert.deepEqual(missing, []);
});

test('an instance that joins a memory has a stack as large as that of the first', () => {
  const pages = Number(/\[STACK, ROOM\] = \[(\d+),/.exec(readFileSync(join(root, 'js/wasm/shared.js'), 'utf8'))?.[1]);
  const link = /^WASM_LINK .*$/m.exec(readFileSync(join(root, 'Makefile'), 'utf8'))?.[0] ?? '';
  const relaxed = /-z stack-size=(\d+)/.exec(readFileSync(join(root, 'Makefile'), 'utf8'))?.[1];
  assert.deepEqual([/TOTAL_STACK=(\d+)/.exec(link)?.[1], relaxed].map(Number), [65536 * pages, 65536 * pages]);
});

test('the trainer uses the libraries of matrices that are there, and no other', () => {
  const commands = (/** @type {string} */ headers) => make(headers, '-n', 'V=1', `${folder}/heed-train`);
  for (const [headers, found] of /** @type {[string, string[]][]} */ ([
    ['', []], ['cblas.h', ['-DHEED_OPENBLAS', '-lopenblas']], ['dnnl.h', ['-DHEED_ONEDNN', '-ldnnl']],
  ])) {
    const flags = ['-DHEED_OPENBLAS', '-lopenblas', '-DHEED_ONEDNN', '-ldnnl'];
    const words = new Set(commands(headers).split(/\s+/));
    assert.ok(words.has('src/train/native/main.c'));
    assert.deepEqual(flags.filter((flag) => words.has(flag)), found, headers || 'no header');
  }
});

test('what was compiled before a library was installed is compiled again, once', () => {
  const object = `${folder}/train/train/native/mean.o`;
  const compiled = ['', '', 'dnnl.h', 'dnnl.h'].map((headers) => {
    make(headers, object);
    return readFileSync(object, 'utf8').trim().split('\n').length;
  });
  assert.deepEqual(compiled, [1, 1, 2, 2]);
});
