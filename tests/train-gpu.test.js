// src/train/gpu, which trains heed-train's models in PyTorch: ten losses and gradients are heed-train's, and pairs are
// altered by the same rules. The Python is that of PYTHON, build/venv or PATH; without PyTorch the losses are skipped.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode, draw, drawRaw, encode, folder, path, root, sentence, skip, spm, train, write } from './train/draw.js';

test.after(() => rmSync(folder, { recursive: true }));

const own = join(root, 'build/venv/bin/python');
const python = process.env.PYTHON ?? (existsSync(own) ? own : 'python3');
const noPython = spawnSync(python, ['--version']).status !== 0 && `missing: ${python}; set PYTHON`;
const program = join(root, 'src/train/gpu');
/** @param {string[]} list @param {string} [input] */
const runPython = (list, input) => spawnSync(python, list, {
  encoding: 'utf8', input, maxBuffer: 1 << 28, cwd: program,
  env: { ...process.env, CUDA_VISIBLE_DEVICES: '', OMP_NUM_THREADS: '1', PYTHONDONTWRITEBYTECODE: '1' },
});

for (const optimizer of ['adam', 'muon']) {
  const title = `ten losses of the recipe's shape with ${optimizer}, norms and alignments are heed-train's`;
  test(title, { skip: skip || noPython }, (t) => {
    const pairs = Array.from({ length: 40 }, (_, i) => [
      `${i % 3 ? '>>de<< ' : ''}${sentence(i)}, "it's" 24.5 Größe`, `${sentence(i + 1)} — «Größe» 24.5!`,
      // words of one piece, of many, and of bytes; two for one, and none
      Array.from({ length: 4 + (i % 5) }, (_, j) => `${j}-${(j * 3) % 7}`).join(' '),
    ]);
    const file = write('ten.tsv', pairs);
    const shape = [
      'd_model=32', 'encoder_layers=2', 'decoder_layers=2', 'encoder_attention_heads=2', 'decoder_attention_heads=4',
      'encoder_ffn_dim=48', 'decoder_ffn_dim=64', 'normalize_before=1', 'add_final_layer_norm=1',
    ].flatMap((text) => ['--config', text]);
    const same = [
      '--train', file, ...shape, '--rate', '0.01', '--warmup', '4', '--schedule', 'cosine', '--total', '12',
      '--guided', '0.2', '--guided-head', '1', '--dropout', '0', '--longest', '128', '--report', '1',
      '--optimizer', optimizer,
    ];
    const tokens = pairs.reduce((sum, [, target]) => sum + encode(target).length, 0);
    const whole = ['--join', '0', '--batch', `${tokens}`, '--evaluate', '1000'];
    assert.equal(train(`begin-${optimizer}`, ...same, ...whole, '--steps', '0').status, 0);
    const begin = ['--init', path(`begin-${optimizer}/model.safetensors`), '--steps', '10'];
    const ours = train(`c-${optimizer}`, ...same, ...whole, ...begin);
    assert.equal(ours.status, 0, ours.stderr);
    const expected = readFileSync(path(`c-${optimizer}/log.tsv`), 'utf8').trim().split('\n').slice(1).map((line) => {
      const [, , , , , loss, norm, rate, , alignment] = line.split('\t').map(Number);
      return { loss, norm, rate, alignment };
    });

    // the golden vocabulary has its padding elsewhere
    const { status, stdout, stderr } = runPython([
      'train.py', '--spm', spm, '--out', path(`gpu-${optimizer}`), ...same, ...begin, '--config', 'pad_token_id=1',
      '--exact',
    ]);
    if (lacks(t, stderr)) return;
    assert.equal(status, 0, stderr);
    const found = [...stdout.matchAll(/loss ([\d.]+),.* norm ([\d.]+), rate (\S+), alignment ([\d.]+)/g)].map(
      ([, loss, norm, rate, alignment]) => ({ loss, norm, rate, alignment }));
    assert.equal(found.length, 10);
    assert.equal(expected.length, 10);
    for (const [step, wanted] of expected.entries()) {
      // sums of 32-bit floats in another order: 1e-7 at first, and it grows to 1e-6. Printed: 4 digits, of losses 6.
      for (const [name, digits] of Object.entries({ loss: 6, norm: 4, alignment: 4 })) {
        const distance = Math.abs(Number(found[step][name]) - wanted[name]);
        assert.ok(distance <= 1e-5 * wanted[name] + 1.01 * 10 ** -digits,
          `step ${step + 1}: ${name} ${found[step][name]}, expected ${wanted[name]}`);
      }
      assert.equal(Number(found[step].rate), wanted.rate);
    }
    assert.ok(expected[9].loss < 0.7 * expected[0].loss, 'it learns');
  });
}

/** Whether Python lacks PyTorch: then the test is skipped. @param {import('node:test').TestContext} t */
function lacks(t, /** @type {string} */ stderr) {
  if (!/ModuleNotFoundError/.test(stderr)) return false;
  t.skip(`${python}: ${stderr.trim().split('\n').at(-1)}; PYTHON names one with torch, sentencepiece, safetensors`);
  return true;
}

test('parts of train.py: two batches are one of both; a rate by the clock; int8; names of an empty corpus',
  { skip: noPython }, (t) => {
    const { status, stdout, stderr } = runPython(['-c', String.raw`
import contextlib, json, sys, torch
from safetensors.torch import save_file
from data import harvest_names, pad
from model import Marian
from train import arguments, backward, make_config, rate, read_weights
shape = [word for text in sys.argv[2:] for word in ('--config', text)]
o = arguments(['--train', 'x', '--spm', 'x', '--out', 'x', '--guided', '0.2', '--total', '0', '--warmup', '4',
               '--rate', '0.01', '--dropout', '0', *shape])
model = Marian(make_config(o, 50)).double()
pairs = [([5, 6, 7, 2], [9, 8, 2], [(0, 0, 1.0), (2, 3, 1.0)]), ([6, 2], [8, 9, 10, 11, 12, 2], [(1, 0, 1.0)]),
         ([7, 9, 2], [5, 2], [])]
def gradient(*batches):
    model.zero_grad()
    sums = backward(model, [pad(batch, 0) for batch in batches], o, contextlib.nullcontext)
    return torch.cat([p.grad.flatten() for p in model.parameters()]), sums
one, of_one = gradient(pairs)
two, of_two = gradient(pairs[:1], pairs[1:])
distance = ((one - two).norm() / one.norm()).item()
rates = [rate(o, 2, 0), rate(o, 4, 0), rate(o, 90, 0.5), rate(o, 99, 1)]
weights = {'a': torch.tensor([[-127, 3], [0, 64]], dtype=torch.int8), 'a.scale': torch.tensor([0.5, 2.0]),
           'b': torch.tensor([1.5]), 'final_logits_bias': torch.zeros(1)}
save_file(weights, sys.argv[1] + '/int8.safetensors')
read = {name: value.tolist() for name, value in read_weights(sys.argv[1] + '/int8.safetensors').items()}
files = [sys.argv[1] + '/' + name for name in ('one.tsv', 'two.tsv', 'none.tsv')]
for file, text in zip(files, ('>>de<< So Tom left.\tDa ging Tom weg.\n>>de<< So Tim left.\tDa ging Tim weg.\n',
                              '>>fr<< So Tom left.\tAlors Tom part.\n', 'nothing\n')):
    open(file, 'w').write(text)
names = [{language: found for language, (found, _) in harvest_names(files[:2], n).items()} for n in (0, 2)]
found = []
for workers in (0, 2):
    try:
        harvest_names(files, workers)
    except SystemExit as error:
        found.append(str(error))
print(json.dumps([distance, of_one.tolist(), of_two.tolist(), rates, read, names, found]))
`, folder, 'd_model=16', 'encoder_layers=1', 'decoder_layers=1', 'encoder_ffn_dim=8', 'decoder_ffn_dim=8']);
    if (lacks(t, stderr)) return;
    assert.equal(status, 0, stderr);
    const [distance, ofOne, ofTwo, rates, read, names, errors] = JSON.parse(stdout);
    assert.ok(distance < 1e-12, `${distance}: doubles in another order`);
    assert.deepEqual(ofOne.slice(1, 4).filter(Number.isInteger), [11, 3], 'target tokens, tokens with links');
    for (const [i, sum] of ofOne.entries()) assert.ok(Math.abs(ofTwo[i] - sum) < 1e-5 * sum);
    assert.deepEqual(rates, [0.005, 0.01, 0.005, 0]);
    assert.deepEqual(read, { a: [[-63.5, 1.5], [0, 128]], b: [1.5] });
    for (const found of names) assert.deepEqual(found, { '>>de<<': ['Tom', 'Tim'], '>>fr<<': ['Tom'] });
    assert.equal(errors.length, 2);
    for (const error of errors) assert.match(error, /none\.tsv: found no sentence pair/);
  });

test('what pack.py packs is unpacked: all lines, all files; a step is trained', { skip: skip || noPython }, (t) => {
  const one = Array.from({ length: 30 }, (_, i) => [sentence(i), sentence(i + 1), `0-${i % 3} 1-0`]);
  const lines = [
    ...one.map(([from, to, links]) => `>>de<< ${from}\t${to}\t${links}`),
    // reverses: with the same links, with others, without
    ...one.slice(0, 9).map(([from, to], i) => `>>fr<< ${to}\t${from}${['', '\t0-0', `\t${i % 3}-0 0-1`][i % 3]}`),
    'Plain\tSchlicht', 'Schlicht\tPlain', '>>de<< Plain\tSchlicht\t0-0', 'Both\tBoth', 'Both\tBoth',
    '>>de<< Four columns\tVier Spalten\t1-1',
  ];
  const left = ['', 'no pair', '>>de<< \tnothing'];
  const written = [...lines.slice(0, -1), '>>de<< Four columns\tVier Spalten\t0.9\t1-1\r', ...left];
  const [a, b] = ['a', 'b'].map((name) => path(`${name}.tsv`));
  writeFileSync(a, written.map((line) => `${line}\n`).join(''));
  const dev = write('b.tsv', one.slice(0, 5));
  const shape = ['encoder', 'decoder'].flatMap((stack) =>
    [`${stack}_layers=1`, `${stack}_attention_heads=4`, `${stack}_ffn_dim=16`]).concat('d_model=32')
    .flatMap((text) => ['--config', text]);
  assert.equal(train('packed-begin', '--train', b, ...shape, '--steps', '0').status, 0);
  const weights = path('packed-begin/model.safetensors');
  const [packed, work] = [path('run.pack'), path('work')];
  const options = ['--spm', spm, '--train', `${a}:3.5`, '--train', b, '--dev', `en-de=${dev}`, '--init', weights];
  const done = runPython(['pack.py', packed, ...options, ...shape, '--config', 'pad_token_id=1']);
  if (lacks(t, done.stderr)) return;
  assert.equal(done.status, 0, done.stderr);
  assert.equal(runPython(['pack.py', '--unpack', packed, work]).status, 0);
  const read = (/** @type {string} */ file) => readFileSync(file, 'utf8').trim().split('\n').sort();
  assert.deepEqual(read(join(work, '0.tsv')), lines.sort());
  assert.deepEqual(read(join(work, '1.tsv')), read(b));
  const given = readFileSync(join(work, 'options'), 'utf8').trim().split('\n');
  assert.deepEqual([given[3], given[5]], [`${join(work, '0.tsv')}:3.5`, `${join(work, '1.tsv')}:1`]);
  for (const [at, file] of [[1, spm], [7, dev], [9, weights]]) {
    assert.deepEqual(readFileSync(given[at].replace('en-de=', '')), readFileSync(file));
  }
  for (const [more, expected] of /** @type {[string[], RegExp][]} */ ([
    [['--swap'], /unrecognized arguments: --swap/],
    [[`--train=${dev}`, '--replace', '0.1', '--names', 'missing'], /missing/],
  ])) assert.match(runPython(['pack.py', packed, ...options, ...more]).stderr, expected);
  const ran = runPython([
    'train.py', `@${join(work, 'options')}`, '--out', path('packed-run'), '--workers', '0', '--steps', '1',
    '--evaluate', '1',
  ]);
  assert.equal(ran.status, 0, ran.stderr);
  assert.match(ran.stdout, /en-de: perplexity/);
});

/** What noise.py makes of pairs, `times` times each: different texts. @param {string} call  of a pair, p */
function alter(pairs, call, times) {
  const code = `import json, random, sys
sys.path.insert(0, '.')
from noise import harvest, noise, read_kinds, replace
pairs, rng, names = json.load(sys.stdin), random.Random(1), {}
for source, target in pairs:
    harvest(names, '', source, target)
names = list(names.get('', {})), set(names.get('', {}))
found = {${call} for source, target in pairs for _ in range(${times})}
print(json.dumps(sorted(found)))`;
  const { status, stdout, stderr } = runPython(['-c', code], JSON.stringify(pairs));
  assert.equal(status, 0, stderr);
  return new Set(JSON.parse(stdout).map((pair) => pair.map((text) => decode(encode(text))).join('\t')));
}

/** What heed-train makes of them. */
function alterInC(pairs, times, ...list) {
  const tokens = times * pairs.reduce((sum, [, target]) => sum + encode(target).length, 0);
  const file = write('alter.tsv', pairs);
  const drawn = draw('--train', file, '--join', '0', '--batch', `${tokens}`, '--steps', '1', ...list);
  const different = new Map(drawn.flatMap(({ pairs: all }) => all.map((pair) => [pair.join('/'), pair])));
  return new Set([...different.values()].map((pair) => pair.map(decode).join('\t')));
}

test('noise of each kind is heed-train\'s; another kind is refused', { skip: skip || noPython }, () => {
  const prose = [
    ['Das große Haus von Émile ist schön, nicht wahr?', 'Émile’s big house is nice, isn’t it?'],
    ['Schreib an a.b@web.de oder www.web.de/x, {name}!', 'Write to a.b@web.de or www.web.de/x, {name} !'],
    ['(Der Œuvre-Preis) 3b kostet 12,5 %s.', '(The œuvre price) 3b costs 12.5 %s.'],
    ['ßıſĸŉ ŸÿŁłŽž Привет İx a×b ×c, Don\'t-go—now “Ja”', 'ŸÿŁłŽž ĦħĲĳ'],
    [`"Don't," ('tis) said Tom's "old" father, "'go' now."`, `He said "no".`],
    [`Write print("a") and x="1" or "it" etc.).`, 'Write it etc.).'],
    ['Wait... ', 'Wait .'], ['Was?!', 'What!'], ['Ja  .', 'Yes!'], ['.', '.'], ['Nur hier.', 'Only here'],
  ];
  for (const kind of ['capitals', 'small', 'title', 'stops', 'quotes']) {
    const found = alter(prose, `noise(source, target, read_kinds('${kind}=1'), rng)`, 1);
    assert.deepEqual(found, alterInC(prose, 2, '--noise', `${kind}=1`), kind);
  }
  const words = [['Größe', 'x'], ['(House)', 'x'], ['tree', 'a tree'], ['Tom\'s', 'x'], ['abc', 'x'],
    ['well-known', 'x']];
  const typos = alter(words, 'noise(source, target, read_kinds(\'typos=1\'), rng)', 1000);
  assert.deepEqual([...typos].sort(), [...alterInC(words, 1000, '--noise', 'typos=1')].sort());
  assert.ok(typos.size > 20);

  for (const [text, message] of [
    ['quote=0.1', /found 'quote=0\.1', expected typos=P, stops=P, quotes=P, capitals=P, small=P, title=P/],
    ['typos', /found 'typos'/], ['typos=x', /found 'typos=x', expected a number from 0 to 1/],
    ['typos=2', /found 'typos=2', expected a number from 0 to 1/],
    ['small=0.6,title=0.6', /more than 1/],
  ]) {
    assert.match(runPython(['-c', `import noise; noise.read_kinds('${text}')`]).stderr, message);
    assert.notEqual(drawRaw('--train', path('alter.tsv'), '--noise', text).status, 0);
  }
});

test('other names and numbers are heed-train\'s', { skip: skip || noPython }, () => {
  const pairs = [
    ['Room 7 is 0.', 'Zimmer 7 ist 0.'], ['In 2024, a3, 5:30', '2024 a3 5:30'], ['07 and 07', '07 07'],
    ['+05 ist 6€', '+05 6€'], ['x9 é9 9', '9 é9'], ['4”', '4”'], ['Wir sahen Tom gestern', 'we saw Tom yesterday'],
    ['Das ist 1, Élodie!', 'that is 1, Élodie'], ['Tom schläft', 'Tom sleeps'], ['Haus brennt', 'Haus burns'],
    ['geh zu Tom-Tom', 'go to Tom-Tom'], ['a Tom.com x', 'the Tom.com x'], ['der McTom ist', 'the McTom is'],
    ['Tom und Tom hier', 'so Tom and Tom'], ['das (Tom) war', 'that (Tom) was'], ['Tom’s ist TomÉ', 'Tom’s is TomÉ'],
  ];
  const found = alter(pairs, 'replace(source, target, names, 1, 0.5, rng)', 2500);
  const expected = alterInC(pairs, 2500, '--replace', '1', '--invent', '0.5');
  assert.deepEqual([...found].sort(), [...expected].sort());
  assert.ok(found.size > 250, `${found.size}`);
});
