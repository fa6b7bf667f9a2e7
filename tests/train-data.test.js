// What heed-train learns from: several corpora with shares, language tokens, given weights. build/train-drawn prints
// the batches.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { PIECES, decode, draw, drawRaw, encode, folder, path, sentence, skip, train, write } from './train/draw.js';

test.after(() => rmSync(folder, { recursive: true }));

test('a language token is the piece in front of the ids of the rest', { skip }, () => {
  const lines = [
    ['>>de<< Good morning, Tom.', 'Guten Morgen, Tom.'],
    ['>>fr<<It is 7:30.', 'Il est 7h30.'],
    ['>>de<<  Two spaces', 'Zwei'],
    ['No token', 'Kein Zeichen'],
    ['In the text >>de<< it is text', '>>fr<< auch hier'],
    ['>> de<< is text', '>><<'],
    ['>><< is text', 'x'],
  ];
  const expected = [
    [[PIECES, ...encode('Good morning, Tom.')], encode('Guten Morgen, Tom.')],
    [[PIECES + 1, ...encode('It is 7:30.')], encode('Il est 7h30.')],
    [[PIECES, ...encode('Two spaces')], encode('Zwei')],
    ...lines.slice(3).map(([source, target]) => [encode(source), encode(target)]),
  ];
  const tokens = expected.reduce((sum, [, target]) => sum + target.length, 0);
  const file = write('tokens.tsv', lines);
  const [{ pairs }] = draw('--train', file, '--join', '0', '--batch', `${tokens}`, '--steps', '1');
  for (const pair of pairs) {
    const at = expected.findIndex((wanted) => JSON.stringify(wanted) === JSON.stringify(pair));
    assert.ok(at >= 0, `${pair}`);
  }
  assert.equal(new Set(pairs.map(String)).size, lines.length, 'an epoch has each');

  const swapped = write('swapped.tsv', [['Guten Morgen', '>>de<< Good morning']]);
  assert.deepEqual(draw('--train', swapped, '--swap', '--join', '0', '--batch', '1', '--steps', '1')[0].pairs, [
    [[PIECES, ...encode('Good morning')], encode('Guten Morgen')],
  ]);
});

test('the target tokens follow the shares, in every stretch', { skip }, () => {
  const files = [20, 300, 45].map((n, k) =>
    write(`share${k}.tsv`, Array.from({ length: n }, (_, i) => [`${k} ${sentence(i)}`, sentence(i)])),
  );
  const shares = [1, 2.5, 6.5];
  const batches = draw(...files.flatMap((file, k) => ['--train', `${file}:${shares[k]}`]), '--join', '0.2', '--batch',
    '600', '--steps', '40');
  const sums = [0, 0, 0];
  for (const { pairs } of batches) {
    for (const [source, target] of pairs) sums[Number(decode(source)[0])] += target.length;
    const all = sums.reduce((a, b) => a + b);
    // never off by more than the longest pair that can be drawn
    sums.forEach((sum, k) => assert.ok(Math.abs(sum - (all * shares[k]) / 10) <= 128, `${sums}`));
  }
  const { places } = batches.at(-1);
  assert.ok(places[0][0] > 3 && places[1][0] < 3, `epochs of their own: ${places}`);
});

test('joined neighbours have one language and its token once', { skip }, () => {
  const pairs = Array.from({ length: 500 }, (_, i) => [
    `${['>>de<< ', '>>fr<< '][i % 2]}${sentence(i)}`,
    `${['deutsch', 'français'][i % 2]} ${sentence(i)}`,
  ]);
  let joined = 0;
  for (const batch of draw('--train', write('join.tsv', pairs), '--join', '0.5', '--batch', '9000', '--steps', '5')) {
    for (const [source, target] of batch.pairs) {
      const language = source[0] - PIECES;
      assert.ok(language === 0 || language === 1);
      assert.ok(source.slice(1).every((id) => id < PIECES), `${source}`);
      const found = ['deutsch', 'français'].map((mark) => decode(target).split(mark).length - 1);
      assert.equal(found[1 - language], 0, `${target}`);
      joined += found[language] > 1 ? 1 : 0;
      assert.ok(found[language] >= 1);
    }
  }
  assert.ok(joined > 200, `${joined} joined`);
});

test('pairs that stand together in a file are joined with their like', { skip }, () => {
  const pairs = Array.from({ length: 1000 }, (_, i) => [
    `${['>>de<< ', '>>fr<< '][i % 2]}${i < 500 ? 'eins' : 'zwei'} ${sentence(i)}`,
    sentence(i),
  ]);
  const file = write('blocks.tsv', pairs);
  let [joined, mixed] = [0, 0];
  for (const batch of draw('--train', file, '--join', '0.5', '--batch', '9000', '--steps', '5')) {
    for (const [source] of batch.pairs) {
      const [one, two] = ['eins', 'zwei'].map((mark) => decode(source.slice(1)).split(mark).length - 1);
      joined += one + two > 1 ? 1 : 0;
      mixed += one && two ? 1 : 0;
    }
  }
  // one border in each run of 64 pairs; in a random order most of them would be mixed
  assert.ok(joined > 300 && mixed < joined / 10, `${mixed} of ${joined}`);
});

test('pairs that are too long are left out, and counted', { skip }, () => {
  const file = write('long.tsv', [
    ['short', 'short'],
    [sentence(1, 30), 'short'],
    ['short', sentence(2, 30)],
    ['no second column'],
    ['blank', '  '],
  ]);
  const [{ pairs, skipped, places }] = draw('--train', file, '--longest', '20', '--batch', '9', '--steps', '1');
  assert.ok(pairs.every(([source, target]) => source.length <= 20 && target.length <= 20));
  assert.equal(skipped, places[0][0] * 3 + places[0][1] - pairs.length);
  const only = write('only.tsv', [[sentence(1, 30), 'short']]);
  const { status, stderr } = drawRaw('--train', only, '--longest', '20');
  assert.equal(status, 1);
  assert.match(stderr, /only\.tsv: no pair of at most --longest 20 ids a side/);
});

const plain = write('plain.tsv', Array.from({ length: 60 }, (_, i) => [sentence(i), sentence(i + 1)]));

test('held-out files are reported by name', { skip }, () => {
  const held = ['--dev', plain, '--dev', `news=${plain}`, '--dev', `talk=${write('=.tsv', [['a', 'b']])}`];
  const { status, stdout, stderr } = train('held', '--train', plain, ...held, '--steps', '2');
  assert.equal(status, 0, stderr);
  const [own, news, talk] = ['', 'news: ', 'talk: '].map(
    (name) => new RegExp(`^step 2: ${name}held-out -log p ([\\d.]+) per token, perplexity`, 'm').exec(stdout)?.[1],
  );
  assert.equal(own, news);
  assert.ok(own && talk && own !== talk, stdout);
  const kinds = readFileSync(path('held/log.tsv'), 'utf8').split('\n').map((line) => line.split('\t')[0]);
  assert.deepEqual(kinds, ['kind', 'train', 'train', 'dev', 'dev:news', 'dev:talk', '']);
});

test('a run continues with other shares, but not with other files', { skip }, () => {
  const other = write('other.tsv', Array.from({ length: 30 }, (_, i) => [sentence(i + 9), sentence(i)]));
  assert.equal(train('shares', '--train', `${plain}:3`, '--train', other, '--steps', '4').status, 0);
  const says = (pattern, ...list) => {
    const { status, stderr } = train('shares', ...list, '--steps', '6');
    assert.equal(status, 1);
    assert.match(stderr, pattern);
  };
  says(/checkpoint: its run had 2 --train files, found 1/, '--train', plain);
  says(/checkpoint: --train file 1 had 60 pairs, found 30/, '--train', other, '--train', plain);
  const { status, stdout, stderr } = train('shares', '--train', plain, '--train', `${other}:7`, '--steps', '6');
  assert.equal(status, 0, stderr);
  assert.match(stdout, /continuing after step 4/);
  assert.match(stdout, /step 6, epochs \d\.\d\d,\d\.\d\d: loss/);
});

test('--init starts from the weights of a file', { skip }, () => {
  assert.equal(train('first', '--train', plain, '--steps', '3').status, 0);
  const weights = path('first/model.safetensors');
  const bytes = readFileSync(weights);
  // a rate of 1e-30 changes no weight that is not 0 already
  const still = ['--rate', '1e-30', '--warmup', '1', '--evaluate', '100', '--train', plain];
  assert.equal(train('second', ...still, '--init', weights, '--steps', '1').status, 0);
  const tensors = (file) => {
    const length = Number(file.readBigUInt64LE(0));
    const header = JSON.parse(file.subarray(8, 8 + length));
    return { header, data: file.subarray(8 + length) };
  };
  const { header, data } = tensors(bytes);
  const floats = (name, { header: h, data: d }) => {
    const [from, to] = h[name].data_offsets;
    return new Float32Array(d.buffer.slice(d.byteOffset + from, d.byteOffset + to));
  };
  const second = tensors(readFileSync(path('second/model.safetensors')));
  const names = Object.keys(header).filter((name) => name !== '__metadata__');
  for (const name of names) {
    const [before, after] = [{ header, data }, second].map((file) => floats(name, file));
    assert.ok(before.every((x, i) => Math.abs(x - after[i]) < 1e-25), name);
  }

  /** The file with another header; in the order of another writer, with its own metadata. */
  const rewrite = (change) => {
    const entries = Object.fromEntries(names.toReversed().map((name) => [name, structuredClone(header[name])]));
    change(entries);
    const json = Buffer.from(JSON.stringify({ ...entries, __metadata__: { format: 'pt', note: 'a "quoted" \\ one' } },
      null, 1));
    const size = Buffer.alloc(8);
    size.writeBigUInt64LE(BigInt(json.length));
    writeFileSync(path('rewritten.safetensors'), Buffer.concat([size, json, data]));
    return train('third', ...still, '--init', path('rewritten.safetensors'), '--steps', '1');
  };
  assert.equal(rewrite(() => {}).status, 0);
  assert.deepEqual(readFileSync(path('third/model.safetensors')), readFileSync(path('second/model.safetensors')));
  rmSync(path('third'), { recursive: true });
  const fc1 = 'model.encoder.layers.0.fc1.weight';
  const says = (pattern, change) => {
    const { status, stderr } = rewrite(change);
    assert.equal(status, 1, String(pattern));
    assert.match(stderr, pattern);
  };
  says(/fc1\.weight: found shape \[4, 16\], expected \[8, 8\]/, (e) => void (e[fc1].shape = [4, 16]));
  says(/fc1\.weight: found dtype BF16, expected F32/, (e) => void (e[fc1].dtype = 'BF16'));
  says(/fc1\.weight: missing/, (e) => void delete e[fc1]);
  says(/lm_head\.weight: unknown tensor, not one of this model/, (e) => void (e['lm_head.weight'] = e[fc1]));
  says(/fc1\.weight: its bytes are not all in the file; is the file truncated\?/,
    (e) => void (e[fc1].data_offsets = [0, 1e12]));
  writeFileSync(path('rewritten.safetensors'), bytes.subarray(0, 50));
  const { stderr } = train('third', ...still, '--init', path('rewritten.safetensors'), '--steps', '1');
  assert.match(stderr, /rewritten\.safetensors: not a safetensors file, or truncated/);
});

test('wrong options are named', { skip }, () => {
  const says = (pattern, ...list) => {
    const { status, stderr } = train('none', '--steps', '1', ...list);
    assert.equal(status, 1);
    assert.match(stderr, pattern);
  };
  const unknown = write('unknown.tsv', [['a', 'b'], ['>>eo<< Good morning', 'Bonan matenon']]);
  says(/unknown\.tsv, line 2: found the language token >>eo<<, which is not a piece of --spm/, '--train', unknown);
  says(/unknown\.tsv, line 2: found the language token >>eo<</, '--train', plain, '--dev', unknown);
  says(/plain\.tsv: found a share of 0, expected one above 0/, '--train', `${plain}:0`);
  says(/--batch: found '1e12', expected a number from -2147483647 to 2147483647/, '--train', plain, '--batch', '1e12');
  says(/--rate: found no value, expected one; --help lists the options/, '--train', plain, '--rate');
  says(/two files have the name 'a'/, '--train', plain, '--dev', `a=${plain}`, '--dev', `a=${unknown}`);
  says(/plain\.tsv:x: No such file/, '--train', `${plain}:x`);
  const old = readFileSync(path('first/checkpoint'));
  old.write('heed-t1');
  writeFileSync(path('first/checkpoint'), old);
  assert.match(train('first', '--train', plain).stderr, /found a checkpoint of format heed-t1, expected heed-t2/);
});
