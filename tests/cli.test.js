// The command `heed`, run as a process: arguments, line filter, JSON, exit codes.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync, cpSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SHIPPED, TINY, withLanguages } from './model-files.js';

const CLI = fileURLToPath(new URL('../js/cli.js', import.meta.url));

/** @param {string[]} args @param {string | Uint8Array} [input] */
function heed(args, input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  return { status, stdout, stderr };
}

test('texts as arguments, one line each', () => {
  assert.deepEqual(heed(['translate', 'Good morning.', 'I love you.']), {
    status: 0,
    stdout: 'Guten Morgen.\nIch liebe dich.\n',
    stderr: '',
  });
  assert.equal(heed(['translate', '--from', 'en', '--to', 'de', 'Good morning.']).stdout, 'Guten Morgen.\n');
  const pair = ['--from', 'en', '--to', 'de'];
  const beams = heed(['translate', '--model', SHIPPED, ...pair, '--beams', '4', '--', 'I love you.']);
  assert.equal(beams.stdout, 'Ich liebe dich.\n');
});

test("a model's own languages are taken when none are asked for", () => {
  const directory = mkdtempSync(join(tmpdir(), 'heed-cli-'));
  try {
    cpSync(SHIPPED, directory, { recursive: true });
    const manifest = JSON.parse(readFileSync(join(SHIPPED, 'heed.json'), 'utf8'));
    const { pairs: _, ...others } = manifest;
    writeFileSync(join(directory, 'heed.json'), JSON.stringify({ ...others, source: 'nl', target: 'de' }));
    assert.equal(heed(['translate', '--model', directory, 'Good morning.']).stdout, 'Guten Morgen.\n');
    assert.equal(heed(['translate', '--model', directory, '--from', 'en', '--to', 'de', 'Hi.']).status, 1);
  } finally {
    rmSync(directory, { recursive: true });
  }
  const { status, stderr } = heed(['translate', '--model', '', 'Good morning.']);
  assert.equal(status, 2);
  assert.match(stderr, /--model: found nothing/);
});

test('a full disk is said without a stack trace', { skip: !existsSync('/dev/full') && 'no /dev/full here' }, () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, [CLI, 'translate', 'Good morning.'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  closeSync(full);
  assert.equal(status, 1);
  assert.match(stderr, /^heed: .*ENOSPC.*\n$/);
});

test('one line out for each line in', () => {
  const { status, stdout, stderr } = heed(
    ['translate'],
    'Good morning.\n\n  \nI love you. Good morning.\r\n\tCan you help me?',
  );
  assert.equal(stdout, 'Guten Morgen.\n\n  \nIch liebe dich. Guten Morgen.\r\n\tKannst du mir helfen?\n');
  assert.deepEqual([status, stderr], [0, '']);
  assert.equal(heed(['translate'], '').stdout, '');
  assert.equal(heed(['translate'], '\n').stdout, '\n');
});

test('invalid UTF-8, NUL and line separators stay on their line; invalid UTF-8 is reported', () => {
  const input = Buffer.concat([Buffer.from('a\u2028b\n'), Buffer.from([0xff, 0xfe, 0x0a, 0x61, 0x00, 0x62, 0x0a])]);
  const { status, stdout, stderr } = heed(['translate'], input);
  assert.equal(status, 1);
  assert.equal(stdout.split('\n').length, 4);
  assert.equal(stderr, 'heed: standard input: line 2: invalid UTF-8: byte 1 is 0xff\n');
});

test('where in the input it is no UTF-8', () => {
  const bytes = (/** @type {(string | number[])[]} */ ...parts) =>
    Buffer.concat(parts.map((part) => Buffer.from(/** @type {any} */ (part))));
  const line = 'I love you.\n';
  for (const [input, place] of /** @type {[Buffer, string][]} */ ([
    [bytes(line.repeat(3), 'caf', [0xe9], ' au lait\n', line), 'line 4: invalid UTF-8: byte 5 is 0x20'],
    [bytes(line, '\ufffd is a character\n', 'a', [0xc0, 0xaf], '\n'),
      'line 3: invalid UTF-8: byte 2 is 0xc0'],
    [bytes(line, 'a', [0xe2, 0x82]), 'line 2: invalid UTF-8: a character is incomplete after byte 3'],
    [bytes(line, 'ab', [0xe2, 0x82], '\n'), 'line 2: invalid UTF-8: a character is incomplete after byte 4'],
    // lines in several chunks of a pipe
    [bytes(`${'x'.repeat(70_000)}\n`, line, [0xff, 0x0a]), 'line 3: invalid UTF-8: byte 1 is 0xff'],
  ])) {
    const { status, stdout, stderr } = heed(['translate', '--max-tokens', '3'], input);
    assert.deepEqual([status, stderr], [1, `heed: standard input: ${place}\n`]);
    const count = input.toString('latin1').split('\n').filter((text) => text !== '').length;
    assert.equal(stdout.split('\n').length - 1, count, 'a line out for each line in');
  }
  const good = heed(['translate', '--max-tokens', '3'], '\ufffd\n');
  assert.deepEqual([good.status, good.stderr], [0, '']);
});

test('- is standard input, between texts too; after -- it is a text', () => {
  assert.equal(heed(['translate', '-'], 'Good morning.\n').stdout, 'Guten Morgen.\n');
  assert.equal(heed(['translate', 'I love you.', '-', 'Good morning.'], 'Good morning.\nI love you.\n').stdout,
    'Ich liebe dich.\nGuten Morgen.\nIch liebe dich.\nGuten Morgen.\n');
  const text = heed(['translate', '--', '-'], 'Good morning.\n');
  assert.equal(text.stdout.split('\n').length, 2);
  assert.ok(!text.stdout.includes('Guten Morgen'));
});

test('a directory is no input', () => {
  const input = openSync(tmpdir(), 'r');
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, 'translate'], {
    stdio: [input, 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  closeSync(input);
  assert.deepEqual([status, stdout, stderr], [1, '', 'heed: standard input: found a directory, expected text\n']);
});

test('--n-best gives so many lines for each, best first', () => {
  const lines = heed(['translate', '--beams', '4', '--n-best', '3'], 'Good morning. I love you.\n\nCan you help me?\n')
    .stdout.split('\n');
  assert.equal(lines.length, 10);
  const best = heed(['translate', '--beams', '4'], 'Good morning. I love you.\n\nCan you help me?\n')
    .stdout.split('\n');
  assert.deepEqual([lines[0], lines[3], lines[6]], best.slice(0, 3));
  assert.deepEqual(lines.slice(3, 6), ['', '', '']);
  assert.equal(new Set(lines.slice(6, 9)).size, 3);
  const { sentences: [sentence] } = JSON.parse(
    heed(['translate', '--json', '--beams', '4', '--n-best', '3', 'Can you help me?']).stdout);
  const others = sentence.alternatives.map((/** @type {any} */ { text }) => text);
  assert.deepEqual([sentence.target, ...others], lines.slice(6, 9));
});

test('options of search reach the model', () => {
  const text = 'The old man and the young man talk about the man and the dog.';
  const tokensOf = (/** @type {string} */ source, /** @type {string[]} */ ...args) => {
    const { stdout, stderr } = heed(['translate', '--json', ...args, source]);
    assert.equal(stderr, '');
    return JSON.parse(stdout).sentences[0].targetTokens;
  };
  const tokens = (/** @type {string[]} */ ...args) => tokensOf(text, '--beams', '1', ...args);
  assert.ok(tokens('--min-tokens', '40').length >= 40);
  const ids = (/** @type {any[]} */ list) => list.map(({ id }) => id);
  const free = ids(tokens());
  assert.ok(new Set(free).size < free.length, 'some token comes twice');
  const once = ids(tokens('--no-repeat-ngram', '1', '--max-tokens', '12'));
  assert.equal(new Set(once).size, once.length);
  assert.notDeepEqual(ids(tokens('--repetition-penalty', '5')), free);
  const lengthAt = (/** @type {string} */ penalty) => tokensOf('I like it.', '--beams', '6', '--max-tokens', '40',
    '--length-penalty', penalty, '--early-stopping', 'never', '--no-ngrams').length;
  const [short, long] = [lengthAt('-5'), lengthAt('10')];
  assert.ok(short < long, `${short} and ${long} tokens`);
});

test('a word of 4,000 letters comes out as it is', () => {
  const word = 'qwertzuiop'.repeat(400);
  assert.ok(heed(['translate'], `${word}\nGood morning.\n`).stdout === `${word}\nGuten Morgen.\n`);
});

/** A command at a terminal, for standard error alone: what is written there. @param {string} command */
async function atTerminal(command) {
  const child = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (data) => (text += data));
  const [status] = await once(child, 'close');
  assert.equal(status, 0, text);
  return text;
}
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux');
const skipTerminal = !hasScript && 'script of util-linux is missing';

test('at a terminal: lines done, lines a second, time left', { skip: skipTerminal }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'heed-cli-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [input, output] = [join(folder, 'in'), join(folder, 'out')];
  writeFileSync(input, lines.map((line) => `${line}\n`).join(''));
  const run = `'${process.execPath}' '${CLI}' translate --batch 20`;
  const seen = await atTerminal(`${run} < '${input}' > '${output}'`);
  assert.equal(readFileSync(output, 'utf8'), translationOf(1000));
  assert.match(seen, /\r\x1b\[K\d+ lines, \d+\.\d a second, \d+:\d\d left/);
  const counts = [...seen.matchAll(/(\d+) lines,/g)].map(([, n]) => Number(n));
  assert.ok(counts.every((n, i) => n % 20 === 0 && n <= 1000 && (i === 0 || n > counts[i - 1])), `${counts}`);
  assert.ok(seen.endsWith('\r\x1b[K'), 'the line is gone at the end');
  // of a pipe nobody knows the end
  const piped = await atTerminal(`head -n 500 '${input}' | ${run} > '${output}'`);
  assert.match(piped, /\d+ lines, \d+\.\d a second\r/);
  assert.ok(!piped.includes('left'));
  assert.equal(heed(['translate'], lines.slice(0, 500).join('\n')).stderr, '', 'no terminal, no line');
});

test('at a terminal: messages are on their own lines', { skip: skipTerminal }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'heed-cli-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [input, terms] = [join(folder, 'in'), join(folder, 'terms.tsv')];
  // lines before the last, so that the state of the work is shown
  writeFileSync(input, `${lines.slice(0, 400).join('\n')}\nGood morning. Tom has a car.\n`);
  writeFileSync(terms, 'morning. Tom\tx\n');
  const seen = await atTerminal(
    `'${process.execPath}' '${CLI}' translate --glossary '${terms}' < '${input}' > /dev/null || true`);
  const warning = /a second, \d+:\d\d left\r\x1b\[Kheed: 'morning\. Tom' is not translated as 'x' each time: [^\n]*\r?\n/;
  assert.match(seen, warning);
  assert.ok(seen.endsWith('\r\x1b[K'), 'the line is gone at the end');
});

test('what a URL has is kept, at a terminal with a bar; --no-cache keeps nothing', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'heed-cli-'));
  t.after(() => rmSync(folder, { recursive: true }));
  /** @type {string[]} */
  let asked = [];
  const server = createServer((request, response) => {
    const name = String(request.url).slice(1);
    asked.push(name);
    const path = join(SHIPPED, name);
    if (!existsSync(path)) return void response.writeHead(404).end();
    response.end(readFileSync(path));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => void server.close());
  const url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`;
  const kept = (/** @type {string} */ name) => (existsSync(join(folder, name)) ? readdirSync(join(folder, name)) : []);
  /** @param {string} home @param {string[]} args */
  const run = async (home, args) => {
    asked = [];
    const env = { ...process.env, XDG_CACHE_HOME: join(folder, home) };
    const child = spawn(process.execPath, [CLI, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.on('data', (data) => (out += data));
    child.stderr.on('data', (data) => (err += data));
    const [status] = await once(child, 'close');
    return { status, out, err };
  };
  const pair = ['--from', 'en', '--to', 'de'];
  const said = { status: 0, out: 'Guten Morgen.\n', err: '' };
  assert.deepEqual(await run('home', ['translate', '--model', url, ...pair, 'Good morning.']), said);
  assert.ok(asked.includes('model.safetensors'));
  assert.ok(kept('home/heed').length >= 6, `${kept('home/heed')}`);
  assert.deepEqual(await run('home', ['translate', '--model', url, ...pair, 'Good morning.']), said);
  assert.deepEqual([...new Set(asked)], ['heed.json'], 'the rest is there');
  assert.match((await run('home', ['info', url])).out, /^parameters +\d+$/m);
  assert.ok(!asked.includes('model.safetensors'));

  assert.deepEqual(await run('none', ['translate', '--model', url, ...pair, '--no-cache', 'Good morning.']), said);
  assert.deepEqual(kept('none/heed'), []);
  const deep = join(folder, 'own/deep');
  assert.deepEqual(await run('none', ['translate', '--model', url, ...pair, '--cache', deep, 'Good morning.']), said);
  assert.deepEqual([kept('none/heed').length, kept('own/deep').length >= 6], [0, true]);

  writeFileSync(join(folder, 'file'), '');
  for (const [args, message] of /** @type {[string[], RegExp][]} */ ([
    [['--cache', join(folder, 'file')], /--cache: found '.*file', expected a directory to write into \(EEXIST\)/],
    [['--cache', join(folder, 'own'), '--no-cache'], /--no-cache: has no effect with --cache/],
  ])) {
    const { status, err } = await run('none', ['translate', '--model', url, ...pair, ...args, 'a']);
    assert.equal(status, 2);
    assert.match(err, message);
  }
  if (skipTerminal) return void t.diagnostic(`the bar: ${skipTerminal}`);
  const own = join(folder, 'bar');
  const seen = await atTerminal(
    `'${process.execPath}' '${CLI}' translate --model ${url} ${pair.join(' ')} --cache '${own}' 'Good morning.' `
    + '> /dev/null');
  assert.match(seen, /\r\x1b\[Khttp:\S+ \[\.+\] 0 %/);
  assert.match(seen, /\[#{30}\] 100 %/);
  assert.ok(seen.endsWith('\r\x1b[K'), 'the bar is gone at the end');
});

const sentences = ['Good morning.', 'I love you.', '', 'Can you help me?', 'Tom has a red car.'];
const lines = Array.from({ length: 1000 }, (_, i) => sentences[i % 5]);
const few = heed(['translate'], `${sentences.join('\n')}\n`)
  .stdout.split('\n')
  .slice(0, 5);
const translationOf = (count) => lines.slice(0, count).map((_, i) => `${few[i % 5]}\n`).join('');

test('a thousand lines are returned in order for every batch size', () => {
  for (const [count, ...batch] of [[1000], [400, '--batch', '7']]) {
    const { status, stdout } = heed(['translate', ...batch], lines.slice(0, count).map((line) => `${line}\n`).join(''));
    assert.equal(status, 0);
    assert.equal(stdout, translationOf(count));
  }
});

test('a line is answered before the next is asked', async () => {
  const child = spawn(process.execPath, [CLI, 'translate'], { stdio: ['pipe', 'pipe', 'inherit'] });
  for (const [english, german] of [
    ['Good morning.', 'Guten Morgen.\n'],
    ['I love you.', 'Ich liebe dich.\n'],
  ]) {
    child.stdin.write(`${english}\n`);
    const [answer] = await once(child.stdout, 'data');
    assert.equal(String(answer), german);
  }
  child.stdin.end();
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('a reader that has had enough is no error', () => {
  const pipe = `yes 'Good morning.' | head -20000 | '${process.execPath}' '${CLI}' translate | head -1`;
  const { stdout, stderr } = spawnSync('bash', ['-c', `${pipe}; echo "\${PIPESTATUS[2]}"`], { encoding: 'utf8' });
  assert.deepEqual([stdout, stderr], ['Guten Morgen.\n0\n', '']);
});

test('messages that nobody reads stop nothing', () => {
  // it says its two steps before the first translation, see pivot.test.js
  const index = fileURLToPath(new URL('with-english.json', import.meta.url));
  const command = `'${process.execPath}' '${CLI}' translate --models '${index}' --from de --to fr`;
  const { status, stdout } = spawnSync('bash', ['-c', `${command} 2> >(exec true)`],
    { encoding: 'utf8', input: 'Ich liebe dich.\n' });
  assert.equal(status, 0);
  assert.match(stdout, /^J.+\n$/);
});

const hasParallel = spawnSync('parallel', ['--version'], { encoding: 'utf8' }).stdout?.startsWith('GNU parallel');

test('under parallel --pipe', { skip: !hasParallel && 'GNU parallel is missing' }, () => {
  const command = `parallel --pipe --keep-order -j2 -N100 '${process.execPath}' '${CLI}' translate`;
  const input = lines.slice(0, 400).map((line) => `${line}\n`).join('');
  const { stdout } = spawnSync('bash', ['-c', command], { input, encoding: 'utf8' });
  assert.equal(stdout, translationOf(400));
});

test('each line is translated alone: fences in the lines around it change nothing', () => {
  const input = '```\nGood morning.\n```\n';
  const { stdout } = heed(['translate'], input);
  assert.match(stdout, /^```\n.*Morgen.*\n```\n$/);
  const targets = heed(['translate', '--json'], input).stdout.trim().split('\n').map((line) => JSON.parse(line).target);
  assert.equal(`${targets.join('\n')}\n`, stdout);
});

test('--json gives an object a line', () => {
  const { status, stdout } = heed(
    ['translate', '--json', '--beams', '2'],
    'Good morning. I love you.\n\n  Can you help me? ',
  );
  assert.equal(status, 0);
  const objects = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    objects.map(({ source, target }) => [source, target]),
    [
      ['Good morning. I love you.', 'Guten Morgen. Ich liebe dich.'],
      ['', ''],
      ['  Can you help me? ', '  Kannst du mir helfen? '],
    ],
  );
  const [
    {
      sentences: [first, second],
    },
    ,
    {
      sentences: [third],
    },
  ] = objects;
  assert.deepEqual([first.start, second.start, third.start], [0, 14, 2]);
  assert.deepEqual(Object.keys(first).sort(), [
    'alignment',
    'finished',
    'logProb',
    'score',
    'source',
    'sourceTokens',
    'start',
    'target',
    'targetTokens',
    'targetWords',
  ]);
  assert.equal(first.alignment.length, first.targetTokens.length);
  assert.ok(
    first.targetTokens.every((/** @type {any} */ token) => token.logProb <= 0 && typeof token.piece === 'string'),
  );
});

test('--max-tokens and --length-penalty reach the model', () => {
  const { stdout } = heed(['translate', '--json', '--max-tokens', '2', '--beams', '2', '--length-penalty', '0.5',
    'Can you help me?']);
  const [sentence] = JSON.parse(stdout).sentences;
  assert.deepEqual([sentence.targetTokens.length, sentence.finished], [2, false]);
});

test('info tells what a directory holds', () => {
  const { status, stdout } = heed(['info', SHIPPED]);
  assert.equal(status, 0);
  for (const part of [
    /^name +\w\w-\w\w/m,
    /^languages +en to de\b/m,
    /^layers +\d encoder, \d decoder$/m,
    /^parameters +\d+$/m,
    /^licence +CC-BY-/m,
    /BLEU/,
  ]) {
    assert.match(stdout, part);
  }
  assert.match(stdout, /^stored as +model\.safetensors, I8 and F32$/m);
  assert.match(heed(['info', TINY]).stdout, /^targets +no tokenizer/m);
});

test('a model of several languages lists them, and takes --language', () => {
  const directory = mkdtempSync(join(tmpdir(), 'heed-cli-'));
  try {
    const several = withLanguages('>>deu<<', '>>fra<<');
    for (const [name, content] of Object.entries(several)) writeFileSync(join(directory, name), content);
    const stated = JSON.parse(readFileSync(join(directory, 'heed.json'), 'utf8'));
    const { source: _, target: __, pairs: ___, ...others } = stated;
    const manifest = { ...others, source: 'en', target: 'de' };
    writeFileSync(join(directory, 'heed.json'), JSON.stringify(manifest));
    assert.match(heed(['info', directory]).stdout, /^targets +deu, fra$/m);
    const pairs = [['de', 'fra'], ['en', 'deu'], ['en', 'fra']];
    writeFileSync(join(directory, 'heed.json'), JSON.stringify({ ...others, pairs }));
    assert.match(heed(['info', directory]).stdout, /^languages +de to fra, en to deu, en to fra$/m);
    for (const [args, piece] of /** @type {[string[], string][]} */ ([
      [['--from', 'de'], '>>fra<<'], [['--from', 'en', '--to', 'fr'], '>>fra<<'], [['--to', 'de'], '>>deu<<'],
      [['--language', 'deu'], '>>deu<<'], [['--from', 'en', '--language', 'fra'], '>>fra<<'],
      [['--language', '>>deu<<'], '>>deu<<'], [['--from', 'en', '--language', '>>fra<<'], '>>fra<<'],
    ])) {
      const { stdout } = heed(['translate', '--model', directory, '--json', ...args, 'Hi.']);
      assert.equal(JSON.parse(stdout).sentences[0].sourceTokens[0].piece, piece, args.join(' '));
    }
    for (const [args, message] of /** @type {[string[], string][]} */ ([
      [[], '--from and --to: found none, expected those of a pair of the model: de to fra, en to deu, en to fra'],
      [['--from', 'en'], '--to: found none, expected those of a pair of the model: en to deu, en to fra'],
      [['--to', 'fr'], '--from: found none, expected those of a pair of the model: de to fra, en to fra'],
      ...['fra', '>>fra<<'].map((token) => [['--language', token],
        '--from and --to: found none, expected those of a pair of the model: de to fra, en to fra']),
    ])) {
      const { status, stderr } = heed(['translate', '--model', directory, ...args, 'Hi.']);
      assert.deepEqual([status, stderr.split('\n')[0]], [2, `heed: ${message}`]);
    }
    assert.match(heed(['translate', '--model', directory, '--from', 'fr', 'Hi.']).stderr, /the model is for de to fra/);
    const regions = [['en', 'de-DE'], ['en', 'de-AT']];
    writeFileSync(join(directory, 'heed.json'), JSON.stringify({ ...others, pairs: regions }));
    for (const args of [['--to', 'de-AT'], ['--from', 'en', '--to', 'de']]) {
      const { stdout, stderr } = heed(['translate', '--model', directory, '--json', ...args, 'Hi.']);
      assert.equal(stderr, '', args.join(' '));
      assert.equal(JSON.parse(stdout).sentences[0].sourceTokens[0].piece, '>>deu<<');
    }
    assert.match(heed(['translate', '--model', directory, '--from', 'en', 'Hi.']).stderr,
      /^heed: --to: found none, expected those of a pair of the model: en to de-DE, en to de-AT$/m);
    writeFileSync(join(directory, 'heed.json'), JSON.stringify(manifest));
    const typed = ['Good morning.', '>>fra<< Good morning.'];
    const first = (/** @type {string[]} */ args) => {
      const { stdout, stderr } = heed(['translate', '--model', directory, '--json', ...args]);
      assert.equal(stderr, '');
      return JSON.parse(stdout).sentences[0].sourceTokens[0].piece;
    };
    assert.equal(first(['--language', 'deu', typed[0]]), '>>deu<<');
    assert.equal(first(['--language', 'fra', typed[0]]), '>>fra<<');
    assert.equal(first([typed[0]]), '>>deu<<', 'the one of --to, or of heed.json');
    assert.equal(first(['--language', 'deu', typed[1]]), '>>deu<<', 'what is typed is text');
    const { status, stderr } = heed(['translate', '--model', directory, '--language', 'spa', typed[0]]);
    assert.equal(status, 2);
    assert.match(stderr, /^heed: language: found 'spa', available: deu, fra/);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('--activations, and the pair of a model of Firefox', () => {
  const model = fileURLToPath(new URL('golden/firefox/memory-split', import.meta.url));
  const say = (/** @type {string[]} */ ...args) => heed(['translate', '-m', model, '--json', ...args, 'Es regnet.']);
  const scores = (/** @type {string[]} */ ...args) =>
    JSON.parse(say(...args).stdout).sentences[0].targetTokens[0].logProb;
  const kinds = ['rows', 'rows8', 'fixed', 'saturating'];
  const [own, rows, rows8, fixed, saturating] = [scores(), ...kinds.map((kind) => scores('--activations', kind))];
  assert.equal(own, rows);
  assert.equal(new Set([rows, rows8, fixed, saturating]).size, 4, `${rows}, ${rows8}, ${fixed}, ${saturating}`);
  assert.match(say('--from', 'en').stderr, /found en to en, the model is for de to en/);
  const float = fileURLToPath(new URL('golden/firefox/tiny-float', import.meta.url));
  const { status, stderr } = heed(['translate', '-m', float, '--activations', 'fixed', 'Hi.']);
  assert.equal(status, 1);
  assert.match(stderr, /model\.ende\.float32\.bin, which is not int8: activations: found 'fixed', expected 'rows'/);
});

test('help and version', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  for (const args of [['--version'], ['-v'], ['translate', '-v']]) {
    assert.deepEqual(heed(args), { status: 0, stdout: `${version}\n`, stderr: '' });
  }
  for (const args of [['--help'], ['-h'], ['translate', '--help'], ['help']]) {
    const { status, stdout } = heed(args);
    assert.equal(status, 0);
    for (const option of ['heed convert', 'heed quantize', 'heed verify', '--language', '--dtype', '--glossary',
      '--model', '--json', '--beams', '--length-penalty', '--max-tokens', '--batch', 'heed info', '--n-best', '--cache',
      '--no-cache', '--activations', 'heed serve', '--port', 'heed help', '-v, --version'])
      assert.ok(stdout.includes(option), option);
    assert.ok(stdout.split('\n').every((line) => line.length <= 110), 'lines of a terminal');
  }
  const part = heed(['help', 'convert']);
  assert.equal(part.status, 0);
  assert.match(part.stdout, /^ {2}heed convert IN OUT/);
  assert.ok(part.stdout.includes('--dtype') && !part.stdout.includes('--beams'));
});

test('exit codes: 1 for failure, 2 for usage, each with a word why', () => {
  /** @type {[string[], number, RegExp][]} */
  const cases = [
    [[], 2, /no command/],
    [['frobnicate'], 2, /unknown command 'frobnicate'/],
    [['translate', '--frobnicate'], 2, /--frobnicate/],
    [['translate', '--model'], 2, /--model/],
    [['translate', '--beams', 'x', 'a'], 2, /--beams: found 'x'/],
    [['translate', '--beams', '0', 'a'], 2, /--beams: found '0'/],
    [['translate', '--batch', '1.5', 'a'], 2, /--batch: found '1\.5'/],
    [['translate', '--length-penalty', '', 'a'], 2, /--length-penalty: found nothing, expected X/],
    [['translate', '--models=', 'a'], 2, /--models: found nothing, expected FILE/],
    [['fetch', '--cache', '', 'opus:en-de'], 2, /--cache: found nothing, expected DIR/],
    [['translate', '--to', 'no tag', 'a'], 2, /targetLanguage/],
    [['info'], 2, /expected one model directory/],
    // values
    [['translate', '--model', '--json', 'a'], 2, /--model: found --json, expected DIR/],
    [['translate', '--json=yes', 'a'], 2, /--json: found 'yes', expected nothing/],
    [['translate', '--beams', '65', 'a'], 2, /--beams: found '65', expected a whole number from 1 to 64/],
    [['translate', '--batch', '2000', 'a'], 2, /--batch: found '2000', expected a whole number from 1 to 1024/],
    [['translate', '--max-tokens', '1e99', 'a'], 2, /--max-tokens: found '1e99'/],
    [['translate', '--max-tokens', '4', '--min-tokens', '5', 'a'], 2, /--min-tokens: found 5, .*--max-tokens, 4/],
    [['translate', '--repetition-penalty', '0', 'a'], 2, /--repetition-penalty: found '0', expected a number from/],
    [['translate', '--no-repeat-ngram', '-1', 'a'], 2, /--no-repeat-ngram: found '-1'/],
    [['translate', '--beams', '2', '--early-stopping', 'maybe', 'a'], 2,
      /--early-stopping: found 'maybe', expected true/],
    [['translate', '--beams', '2', '--n-best', '3', 'a'], 2,
      /--n-best: found '3', expected a whole number from 1 to 2/],
    [['translate', '--glossary', '/nowhere', 'a'], 2, /--glossary: \/nowhere: is missing/],
    [['translate', '--glossary', tmpdir(), 'a'], 2, /--glossary: .*: found a directory, expected a file/],
    [['translate', '--activations', 'row', 'a'], 2,
      /--activations: found 'row', expected rows, rows8, fixed, saturating/],
    [['translate', '--shortlist', '--no-shortlist', 'a'], 2, /--no-shortlist: has no effect with --shortlist/],
    [['info', '--activations', 'rows', SHIPPED], 2, /--activations: has no effect on heed info/],
    [['convert', '--dtype', 'f64', 'a', 'b'], 2, /--dtype: found 'f64', expected int8, f16 or f32/],
    [['translate', '--beam', '3', 'a'], 2, /unknown option --beam: did you mean --beams\?/],
    [['translate', '-x', 'a'], 2, /unknown option -x/],
    [['help', 'frobnicate'], 2, /help: unknown command 'frobnicate'/],
    // what has no effect
    [['translate', '--beams', '2', '--beams', '3', 'a'], 2, /--beams: is given twice/],
    [['translate', '-', '-'], 2, /standard input can be read only once/],
    [['translate', '--dtype', 'int8', 'a'], 2, /--dtype: has no effect on heed translate/],
    [['info', '--beams', '2', SHIPPED], 2, /--beams: has no effect on heed info/],
    [['quantize', '--dtype', 'int8', 'a', 'b'], 2, /--dtype: has no effect on heed quantize/],
    [['verify', '--json', SHIPPED], 2, /--json: has no effect on heed verify/],
    [['translate', '--n-best', '4', 'a'], 2, /--n-best: found 4, expected at most as many as beams/],
    [['translate', '--beams', '1', '--length-penalty', '2', 'a'], 2,
      /--length-penalty: has no effect on greedy search/],
    [['translate', '--beams', '1', '--early-stopping', 'never', 'a'], 2, /--early-stopping: has no effect on greedy/],
    [['translate', '--cache', tmpdir(), 'a'], 2, /--cache: found no model of heed fetch in /],
    [['translate', '--cache', tmpdir(), '-m', SHIPPED, 'a'], 2, /--cache: has no effect on a local model/],
    [['info', '--no-cache', SHIPPED], 2, /--no-cache: has no effect on a local model/],
    [['translate', '--to', 'fi', 'a'], 1, /no model from en to fi/],
    [['translate', '--model', '/nowhere', 'a'], 1, /\/nowhere: config\.json is missing/],
    [['translate', '--model', TINY, 'a'], 1, /works with ids only/],
    [['info', '/nowhere'], 1, /\/nowhere: config\.json is missing/],
  ];
  for (const [args, code, message] of cases) {
    const { status, stdout, stderr } = heed(args);
    assert.equal(status, code, args.join(' '));
    assert.equal(stdout, '');
    assert.match(stderr, message);
    assert.match(stderr, /^heed: /);
    assert.ok(!/\n\s+at /.test(stderr), 'no stack trace');
  }
});
