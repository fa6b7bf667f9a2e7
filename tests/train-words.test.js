// lexicon.js: which rare words translate each other, by the links of heed-align in lines from English.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'heed-words-'));
test.after(() => rmSync(folder, { recursive: true }));

/** The lexicon of corpora by name: [source, target, links]. @param {Record<string, string[][]>} corpora */
function run(corpora) {
  mkdirSync(join(folder, 'train'), { recursive: true });
  for (const name of ['everyday', 'phrases', 'sentences', 'words', 'docs']) {
    const lines = (corpora[name] ?? []).map((cells) => `${cells.join('\t')}\n`);
    writeFileSync(join(folder, 'train', `${name}.tsv.aligned`), lines.join(''));
  }
  const out = join(folder, 'lexicon.tsv');
  const { status, stderr } = spawnSync(process.execPath,
    ['src/train/model/lexicon.js', '--work', folder, '--out', out], { cwd: ROOT, encoding: 'utf8' });
  return { status, stderr, rows: status === 0 ? readFileSync(out, 'utf8').split('\n').filter(Boolean) : [] };
}

/** @template T @param {number} n @param {T} item */
const times = (n, item) => Array.from({ length: n }, () => item);

test('words that are linked alone, at least twice, with their shares; the form that is written most', () => {
  const { rows } = run({
    everyday: [
      ['>>de<< The hedge grows.', 'Die Hecke wächst.', '0-0 1-1 2-2'], ['>>de<< Hedge!', 'Hecke!', '0-0'],
      ['>>de<< A hedge.', 'Ein Zaun.', '1-1'],
      // once only, a name that stays, two words for one that is linked elsewhere too
      ['>>de<< A hare.', 'Ein Hase.', '1-1'], ...times(3, ['>>de<< Kofi.', 'Kofi.', '0-0']),
      ...times(3, ['>>de<< an owl', 'eine Eule', '0-0 1-0 1-1']),
    ],
    words: times(2, ['>>es<< the hedge', 'el seto', '1-1']),
  });
  assert.deepEqual(rows, [
    // two of three, and one more that may have been seen; of two, two
    'de\thedge\tHecke\t50\t67',
    'es\ta hedge\tun seto\t67\t0',
    'es\thedge\tseto\t67\t67',
    'es\tthe hedge\tel seto\t67\t0',
  ]);
});

test('the forms of a word are one translation together, and each is there that is seen often enough', () => {
  const of = (/** @type {string} */ language, /** @type {Record<string, number>} */ words) =>
    Object.entries(words).flatMap(([word, n]) => times(n, [`>>${language}<< sour`, word, '0-0']));
  const found = (/** @type {Parameters<typeof of>} */ ...list) => run({ sentences: of(...list) }).rows
    .map((row) => row.split('\t')).filter(([, , , share]) => share !== '0').map(([, , word, share]) => [word, share]);
  assert.deepEqual(found('es', { agrio: 2, agria: 2, agrias: 1, malo: 4, ácido: 2 }), // ácido: 2 of 11
    [['agria', '17'], ['agrio', '17'], ['malo', '33']]);
  assert.deepEqual(found('es', { agrio: 2, agria: 1 }), [['agria', '25'], ['agrio', '50']], 'once is a tenth');
  assert.deepEqual(found('es', { agrio: 1, agria: 1 }), [['agria', '33'], ['agrio', '33']], 'twice together');
  assert.deepEqual(found('fr', { ancien: 2, ancienne: 2, anciens: 2, vieux: 4 }),
    [['ancien', '18'], ['ancienne', '18'], ['anciens', '18'], ['vieux', '36']]);
  assert.deepEqual(found('de', { saurer: 2, saures: 2, bitter: 5 }), [['bitter', '50'], ['saurer', '20'], ['saures', '20']]);
  const many = Object.fromEntries(['', 'e', 'er', 'es', 'en', 'em', 'enes'].map((end) => [`mild${end}`, 3]));
  assert.equal(found('de', many).length, 6);
});

test('several words and compounds translate one word; a word that is not rare is not translated', () => {
  const { rows } = run({
    phrases: [
      ...times(4, ['>>fr<< my granddaughter', 'ma petite-fille', '1-1']),
      ...times(4, ['>>fr<< potatoes', 'pommes de terre', '0-0 0-1 0-2']),
      ...times(4, ['>>fr<< apple tree', 'pommier', '0-0 1-0']),
      // "nearest" is two words, of which the aligner found one
      ...times(4, ['>>fr<< the nearest', 'la plus proche', '1-2']),
      ...times(4, ['>>fr<< close', 'tout proche', '0-1']),
    ],
    docs: [
      ...times(51, ['>>es<< the house', 'la casa', '0-0 1-1']), ...times(50, ['>>es<< a home', 'una casa', '1-1']),
    ],
  });
  assert.deepEqual(rows, [
    // one line, however often it is there, does not say that two words belong together
    'fr\tapple tree\tpommier\t0\t80',
    'fr\tclose\tproche\t80\t80',
    'fr\tgranddaughter\tpetite-fille\t80\t80',
    'fr\tpotatoes\tpommes de terre\t80\t0',
    // "casa" and "house" are not rare
    'es\thome\tcasa\t98\t0',
  ]);
});

test('lines from other languages are not read; a line without a language is refused', () => {
  const { rows } = run({
    everyday: [
      ...times(2, ['>>fr<< a wolf', 'un loup', '1-1']), ...times(2, ['>>en<< ein Wolf', 'a wolf', '1-1']),
      ...times(2, ['>>fr<< ein Luchs', 'un lynx', '1-1']),
    ],
  });
  assert.deepEqual(rows, ['fr\twolf\tloup\t67\t67']);
  const { status, stderr } = run({ docs: [['a wolf', 'un loup', '1-1']] });
  assert.equal(status, 1);
  assert.match(stderr, /docs\.tsv\.aligned: found 'a wolf.*', expected >>xx<< first/);
});

test('words together: linked to nothing else, in three lines, with few other translations', () => {
  const halls = [
    ['>>fr<< The town hall!', 'La mairie !', '0-0 1-1 2-1 3-2'], ['>>fr<< Town hall', 'Mairie', '0-0 1-0'],
    ['>>fr<< a town hall', 'une mairie', '0-0 1-1 2-1'], ['>>fr<< Bus stop', "Arrêt d'autobus", '0-3 1-0'],
    ['>>fr<< the bus stop', "l'arrêt d'autobus", '0-0 1-5 2-2'],
    ['>>fr<< a bus stop', "un arrêt d'autobus", '0-0 1-4 2-1'],
  ];
  const { rows } = run({
    everyday: [...halls, ...halls, // a line counts once
      ['>>fr<< old school', 'ancienne école', '0-0 1-1'],
      ['>>fr<< the old school', "l'ancienne école", '0-0 1-2 2-3'],
      // too frequent
      ...Array.from({ length: 301 }, (_, i) => [`>>fr<< hot dog ${i}`, `chien chaud ${i}`, '0-1 1-0 2-2']),
      ...Array.from({ length: 1001 }, (_, i) => [`>>fr<< the ${i}`, `la ${i}`, '0-0 1-1']),
      ...[...'abcd'].map((letter) => [`>>fr<< ${letter} the pen`, `la plume ${letter}`, '0-2 1-0 2-1']),
      ...times(9, ['>>fr<< old school', 'ancienne école', '0-0 1-1'])],
    words: [
      ...[...'abcd'].map((letter) => [`>>fr<< ${letter} red rose`, `rose rouge ${letter}`, '0-2 1-1 2-0']),
      ...[...'xyzuvwq'].map((letter) => [`>>fr<< ${letter} red rose`, letter, '0-0']),
      // a "not" has no link, and would be lost; so would a "ne"
      ...[...'abcd'].map((letter) => [`>>fr<< not hard work ${letter}`, `travail facile ${letter}`, '1-1 2-0 3-2']),
      ...[...'abcd'].map((letter) => [`>>fr<< lazy day ${letter}`, `ne jour actif ${letter}`, '0-2 1-1 2-3']),
      ...[...'abcd'].map((letter) => [`>>fr<< , cold night ${letter}`, `, nuit froide ${letter}`, '1-2 2-1 3-3']),
      // "petite" belongs to the letter too
      ...[...'abcd'].map((letter) => [`>>fr<< ${letter} white cat`, `petite chatte ${letter}`, '0-2 0-0 1-0 2-1']),
    ],
    docs: [...'abcde'].map((letter) => [`>>fr<< ${letter} sales order`, `commande client ${letter}`, '0-2 1-1 2-0']),
  });
  const together = rows.filter((row) => / /.test(row));
  assert.deepEqual(together, [
    "fr\tbus stop\tarrêt d'autobus\t75\t75",
    'fr\tcold night\tnuit froide\t80\t80',
    // 4 of 11 times it has another translation; "rose rouge" has none
    'fr\tred rose\trose rouge\t0\t80',
    'fr\ttown hall\tmairie\t75\t86',
  ]);
});

test('rare nouns of the dictionary with their articles, from English only; links past the end', () => {
  const { rows } = run({
    everyday: [
      ...times(200, ['>>fr<< a house', 'une maison', '0-0 1-1']), ...times(2, ['>>de<< ostrich', 'Strauß', '0-0']),
      ...times(2, ['>>fr<< hero', 'héros', '0-0']), ...times(2, ['>>es<< hour', 'hora', '0-0']),
    ],
    words: [
      ['>>fr<< hedge', 'haie', '0-0'],
      ['>>fr<< The hedge', 'La haie', '0-0 1-1'], ['>>fr<< the hedge', 'la haie', '0-0 1-1'],
      ['>>fr<< an owl', 'une chouette', '0-0 1-1 7-1 1-9'], ['>>fr<< the owl', 'la chouette', '0-0 1-1'],
      // an owl is no "hibou" in most lines, a house is frequent, "to sing" has no article
      ['>>fr<< the owl', 'le hibou', '0-0 1-1'], ['>>fr<< the house', 'la maison', '0-0 1-1'],
      ...times(2, ['>>fr<< to sing', 'chanter', '1-0']),
      // one article tells the other, where that has one gender and number; "le héros", but "l'homme"
      ['>>fr<< a ladder', 'une échelle', '0-0 1-1'], ['>>fr<< ladder', 'échelle', '0-0'],
      ['>>fr<< a hero', 'un héros', ''], ['>>es<< the hour', 'la hora', ''],
      ['>>de<< an ostrich', 'ein Strauß', ''],
    ],
  });
  assert.deepEqual(rows, [
    'de\tan ostrich\tein Strauß\t67\t0',
    'de\tostrich\tStrauß\t67\t67',
    'fr\ta hedge\tune haie\t75\t0',
    'fr\ta hero\tun héros\t67\t0',
    'fr\ta ladder\tune échelle\t67\t0',
    'fr\tan owl\tune chouette\t50\t0',
    'fr\thedge\thaie\t75\t75',
    'fr\thero\théros\t67\t67',
    'fr\tladder\téchelle\t67\t67',
    'fr\towl\tchouette\t50\t67',
    'fr\tsing\tchanter\t67\t67',
    'fr\tthe\tla\t67\t80', // only here "the" is rare
    'fr\tthe hedge\tla haie\t75\t0',
    "fr\tthe ladder\tl'échelle\t67\t0",
    'fr\tthe owl\tla chouette\t50\t0',
    'es\ta hour\tuna hora\t67\t0',
    'es\thour\thora\t67\t67',
    'es\tthe hour\tla hora\t67\t0',
  ]);
});
