// heed-lexicon: shortlists of what heed-align found, as the reader of shortlists sees them.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listedFiles } from '../js/files/source.js';
import { readShortlist } from '../js/formats/shortlist.js';
import { pieceField, writeMessage } from './mutate/model.js';
import { PIECES, encode, folder, path, root, spm, write } from './train/draw.js';

test.after(() => rmSync(folder, { recursive: true }));

const program = join(root, 'build/heed-lexicon');
const skip = !existsSync(program) && 'missing: build/heed-lexicon; make builds it';
/** The languages behind the pieces: see draw.js. */
const [DE, FR] = [PIECES, PIECES + 1];
const EOS = 2;

/** @param {string[]} list */
const run = (...list) => spawnSync(program, list, { encoding: 'utf8' });

/** The lists of a shortlist, by id. @param {string[][]} rows  columns @param {string[]} options */
const listsOf = (rows, ...options) => listsOfSize(PIECES + 2, spm, rows, ...options);

/** @param {number} size  of the vocabulary @param {string} model @param {string[][]} rows @param {string[]} options */
function listsOfSize(size, model, rows, ...options) {
  const [from, to] = [write('aligned.tsv', rows), path('lex.bin')];
  const { status, stderr } = run('--spm', model, '--out', to, ...options, from);
  assert.equal(status, 0, stderr);
  const config = { vocab_size: size, decoder_vocab_size: size };
  /** @type {string[]} */
  const warnings = [];
  const { warn } = console;
  console.warn = (text) => warnings.push(text);
  const { first, offsets, ids } = readShortlist(new Uint8Array(readFileSync(to)), 'lex.bin', config);
  console.warn = warn;
  assert.deepEqual(warnings, [], 'the checksum is right');
  assert.equal(first, 3);
  return { list: (/** @type {number} */ id) => [...ids.subarray(offsets[id], offsets[id + 1])], stderr };
}

/** Ids of a text without </s>. @param {string} text */
const idsOf = (text) => encode(text).slice(0, -1);
/** The space before a word is a piece of its own in this vocabulary, and of no word. */
const [SPACE] = idsOf('a');
const sorted = (/** @type {Iterable<number>} */ ids) => [...new Set(ids)].sort((a, b) => a - b);

test('a list has its piece and those of linked words, of all languages; that of a language its own', { skip }, () => {
  const rows = [
    ['>>de<< the house', 'das Haus', '0-0 1-1'],
    ['>>fr<< the house', 'maison la', '0-1 1-0'],
    ['>>de<< the', 'nichts', ''],
  ];
  const { list, stderr } = listsOf(rows, '--least', '1');
  assert.match(stderr, /^2 of 3 pairs have links/);
  const [the, house] = [idsOf('the'), idsOf('the house')];
  const wanted = new Map();
  const want = (/** @type {number[]} */ from, /** @type {number[]} */ to) =>
    from.filter((id) => id !== SPACE)
      .forEach((id) => wanted.set(id, [...(wanted.get(id) ?? []), ...to.filter((other) => other !== SPACE)]));
  const behind = (/** @type {string} */ whole, /** @type {string} */ start) => idsOf(whole).slice(idsOf(start).length);
  want(the, idsOf('das'));
  want(house.slice(the.length), behind('das Haus', 'das'));
  want(the, behind('maison la', 'maison'));
  want(house.slice(the.length), idsOf('maison'));
  want([EOS], [EOS]);
  wanted.set(DE, encode('das Haus')).set(FR, encode('maison la'));
  for (let id = 0; id < PIECES + 2; id++) {
    // any piece can be copied
    const own = id < 3 || id === DE || id === FR ? [] : [id];
    assert.deepEqual(list(id), sorted([...own, ...(wanted.get(id) ?? [])]), `piece ${id}`);
  }
});

test('the most frequent candidates of each language stay, often enough, with their share', { skip }, () => {
  const [a, b, c] = ['a', 'b', 'c'].map((text) => idsOf(text).at(-1));
  const pair = (/** @type {string} */ language, /** @type {string} */ target) => [`${language}a`, target, '0-0'];
  const rows = (/** @type {string} */ language) => [...Array(6).fill(pair(language, 'a')),
    ...Array(3).fill(pair(language, 'b')), pair(language, 'c')];
  const of = (/** @type {string[][]} */ from, /** @type {string[]} */ ...options) =>
    listsOf(from, '--frequent', '0', ...options).list(Number(a)).filter((id) => [a, b, c].includes(id));
  const german = rows('>>de<< ');
  assert.deepEqual(of(german), sorted([a, b].map(Number)), 'once is too seldom');
  assert.deepEqual(of(german, '--least', '1'), sorted([a, b, c].map(Number)));
  assert.deepEqual(of(german, '--least', '1', '--share', '0.2'), sorted([a, b].map(Number)));
  assert.deepEqual(of(german, '--best', '1'), [a]);
  assert.deepEqual(of(rows('>>de<< ').slice(6), '--best', '1'), sorted([a, b].map(Number)), 'a itself, too');
  const french = Array(2).fill(pair('>>fr<< ', 'c'));
  assert.deepEqual(of([...german, ...french], '--best', '1'), sorted([a, c].map(Number)), 'one of each language');
  const { list } = listsOf([['a', 'b', '0-0'], ['a', 'b', '0-0']], '--frequent', '5');
  assert.deepEqual(list(EOS), sorted(encode('b')), 'without languages, </s> has the frequent pieces');
});

test('a language token may have any id', { skip }, () => {
  const unused = Array.from({ length: 2 ** 16 }, (_, i) => pieceField(`unused ${i}`, 0, 5));
  const languages = ['>>es<<', '>>it<<'].map((piece) => pieceField(piece, 0, 3));
  const model = path('large.spm');
  writeFileSync(model, Buffer.concat([readFileSync(spm), writeMessage([...unused, ...languages])]));
  const ES = PIECES + 2 + unused.length;
  const rows = [['>>es<< the', 'das', '0-0'], ['>>it<< the', 'la', '0-0'], ['the', 'nichts', '0-0']];
  const { list } = listsOfSize(ES + 2, model, rows, '--least', '1');
  assert.deepEqual(list(ES), sorted(encode('das')));
  assert.deepEqual(list(ES + 1), sorted(encode('la')));
  assert.deepEqual(list(EOS), sorted(encode('nichts')));
});

test('wrong lines and options are named', { skip }, () => {
  /** @param {string[][]} rows @param {RegExp} message */
  const refused = (rows, message) => {
    const { status, stderr } = run('--spm', spm, '--out', path('none.bin'), write('wrong.tsv', rows));
    assert.equal(status, 1);
    assert.match(stderr, message);
  };
  refused([['a', 'b', '0-0'], ['a', 'b']], /wrong\.tsv:2: found two columns at most, expected links in a third/);
  refused([['a', 'b', 'c']], /wrong\.tsv:1: found other things than links "i-j" in the last column/);
  refused([['>>xx<< a', 'b', '0-0']], /wrong\.tsv:1: the vocabulary has no piece >>xx<</);
  assert.match(run('--spm', spm).stderr, /--spm, --out and a file with links are needed/);
  assert.match(run('--best', '0').stderr, /--best: found '0', expected a number from 1/);
  assert.match(run('--worst', '0').stderr, /--worst: no such option/);
  assert.match(run('x.tsv', '--best').stderr, /--best: found no value, expected one/);
  assert.match(run('--help').stdout, /heed-lexicon --spm FILE --out FILE/);
});

test('shortlist.js gives one to a model', { skip }, () => {
  const [model, out] = [path('model'), path('model-with')];
  mkdirSync(model);
  cpSync(spm, join(model, 'source.spm'));
  writeFileSync(join(model, 'config.json'), '{ "eos_token_id": 2 }');
  writeFileSync(join(model, 'heed.json'), '{ "format": 1, "files": {} }');
  const rows = [['>>de<< the', 'das', '0-0'], ['>>de<< the', 'das', '0-0']];
  const list = ['--model', model, '--out', out, '--best', '3', write('two.tsv', rows)];
  const { status, stderr } =
    spawnSync(process.execPath, ['src/train/model/shortlist.js', ...list], { cwd: root, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const json = (/** @type {string} */ name) => JSON.parse(readFileSync(join(out, name), 'utf8'));
  assert.deepEqual(json('config.json'), { eos_token_id: 2, shortlist: 'lex.s2t.bin' });
  const listed = listedFiles(json('heed.json'));
  assert.deepEqual([...listed.keys()], ['config.json', 'lex.s2t.bin']);
  assert.equal(listed.get('lex.s2t.bin')?.size, readFileSync(join(out, 'lex.s2t.bin')).length);
});
