// The command `heed`, run as a process: arguments, line filter, JSON, exit codes.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, cpSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TINY, EN_DE } from './model-files.js';

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
    stdout: 'Guten Morgen!\nIch liebe dich.\n',
    stderr: '',
  });
  assert.equal(heed(['translate', '--from', 'en', '--to', 'de', 'Good morning.']).stdout, 'Guten Morgen!\n');
  assert.equal(heed(['translate', '--model', EN_DE, '--beams', '4', '--', 'I love you.']).stdout, 'Ich liebe dich.\n');
});

test("a model's own languages are taken when none are asked for", () => {
  const directory = mkdtempSync(join(tmpdir(), 'heed-cli-'));
  try {
    cpSync(EN_DE, directory, { recursive: true });
    const manifest = JSON.parse(readFileSync(join(EN_DE, 'heed.json'), 'utf8'));
    writeFileSync(join(directory, 'heed.json'), JSON.stringify({ ...manifest, source: 'fr', target: 'nl' }));
    assert.equal(heed(['translate', '--model', directory, 'Good morning.']).stdout, 'Guten Morgen!\n');
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
  assert.equal(stdout, 'Guten Morgen!\n\n  \nIch liebe dich. Guten Morgen!\r\n\tKannst du mir helfen?\n');
  assert.deepEqual([status, stderr], [0, '']);
  assert.equal(heed(['translate'], '').stdout, '');
  assert.equal(heed(['translate'], '\n').stdout, '\n');
});

test('bytes that are no UTF-8, NUL, and line separators stay on their line', () => {
  const input = Buffer.concat([Buffer.from('a\u2028b\n'), Buffer.from([0xff, 0xfe, 0x0a, 0x61, 0x00, 0x62, 0x0a])]);
  const { status, stdout } = heed(['translate'], input);
  assert.equal(status, 0);
  assert.equal(stdout.split('\n').length, 4);
});

const sentences = ['Good morning.', 'I love you.', '', 'Can you help me?', 'Tom has a red car.'];
const lines = Array.from({ length: 1000 }, (_, i) => sentences[i % 5]);
const few = heed(['translate'], `${sentences.join('\n')}\n`)
  .stdout.split('\n')
  .slice(0, 5);
const expected = `${lines.map((_, i) => few[i % 5]).join('\n')}\n`;

test('a thousand lines come back in order, whatever the batch', () => {
  for (const batch of [[], ['--batch', '7']]) {
    const { status, stdout } = heed(['translate', ...batch], lines.map((line) => `${line}\n`).join(''));
    assert.equal(status, 0);
    assert.equal(stdout, expected);
  }
});

test('a line is answered before the next is asked', async () => {
  const child = spawn(process.execPath, [CLI, 'translate'], { stdio: ['pipe', 'pipe', 'inherit'] });
  for (const [english, german] of [
    ['Good morning.', 'Guten Morgen!\n'],
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
  assert.deepEqual([stdout, stderr], ['Guten Morgen!\n0\n', '']);
});

const hasParallel = spawnSync('parallel', ['--version'], { encoding: 'utf8' }).stdout?.startsWith('GNU parallel');

test('under parallel --pipe', { skip: !hasParallel && 'GNU parallel is missing' }, () => {
  const command = `parallel --pipe --keep-order -j2 -N250 '${process.execPath}' '${CLI}' translate`;
  const input = lines.map((line) => `${line}\n`).join('');
  const { stdout } = spawnSync('bash', ['-c', command], { input, encoding: 'utf8' });
  assert.equal(stdout, expected);
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
      ['Good morning. I love you.', 'Guten Morgen! Ich liebe dich.'],
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
    'source',
    'sourceTokens',
    'start',
    'target',
    'targetTokens',
  ]);
  assert.equal(first.alignment.length, first.targetTokens.length);
  assert.ok(
    first.targetTokens.every((/** @type {any} */ token) => token.logProb <= 0 && typeof token.piece === 'string'),
  );
});

test('--max-tokens and --length-penalty reach the model', () => {
  const { stdout } = heed(['translate', '--json', '--max-tokens', '2', '--length-penalty', '0.5', 'Can you help me?']);
  const [sentence] = JSON.parse(stdout).sentences;
  assert.deepEqual([sentence.targetTokens.length, sentence.finished], [2, false]);
});

test('info tells what a directory holds', () => {
  const { status, stdout } = heed(['info', EN_DE]);
  assert.equal(status, 0);
  for (const part of [
    /^name +en-de$/m,
    /^languages +en to de$/m,
    /^layers +3 encoder, 3 decoder$/m,
    /^parameters +\d+$/m,
    /CC-BY-2\.0-FR/,
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
    cpSync(EN_DE, directory, { recursive: true });
    const vocabulary = JSON.parse(readFileSync(join(EN_DE, 'vocab.json'), 'utf8'));
    const names = Object.keys(vocabulary).filter((piece) => vocabulary[piece] >= 7998);
    vocabulary['>>deu<<'] = 7998;
    vocabulary['>>fra<<'] = 7999;
    for (const name of names) delete vocabulary[name];
    writeFileSync(join(directory, 'vocab.json'), JSON.stringify(vocabulary));
    const manifest = JSON.parse(readFileSync(join(EN_DE, 'heed.json'), 'utf8'));
    delete manifest.files;
    writeFileSync(join(directory, 'heed.json'), JSON.stringify(manifest));
    assert.match(heed(['info', directory]).stdout, /^targets +deu, fra$/m);
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
    assert.equal(status, 1);
    assert.match(stderr, /^heed: language: found 'spa', available: deu, fra/);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('help and version', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  assert.deepEqual(heed(['--version']), { status: 0, stdout: `${version}\n`, stderr: '' });
  for (const args of [['--help'], ['-h'], ['translate', '--help']]) {
    const { status, stdout } = heed(args);
    assert.equal(status, 0);
    for (const option of ['heed convert', 'heed quantize', 'heed verify', '--language', '--dtype', '--glossary',
      '--model', '--json', '--beams', '--length-penalty', '--max-tokens', '--batch', 'heed info'])
      assert.ok(stdout.includes(option), option);
  }
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
    [['translate', '--length-penalty', '', 'a'], 2, /--length-penalty/],
    [['translate', '--to', 'no tag', 'a'], 2, /targetLanguage/],
    [['info'], 2, /expected one model directory/],
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
