// lexicon.test.js - lexicon.tsv or lexicon.bin of a model: how it is read and refused, the entries of a source, and
// that every way of asking searches with it, unless the caller says otherwise.
import test, { after } from 'node:test';
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { LEXICON_INTS, PLACE_AFTER, PLACE_ANY, PLACE_FIRST, PLACE_LATER } from '../js/base/constants.js';
import { convert } from '../js/convert/convert.js';
import { trim } from '../js/convert/trim.js';
import { readParts, unpackParts, writeParts } from '../js/files/parts.js';
import { HeedError, Transformer, Translator } from '../js/index.js';
import { Lexicon, readLexicon } from '../js/model/lexicon.js';
import { bytes, readFiles, SHIPPED, withLanguages } from './model-files.js';
import { serve, sha256 } from './served-model.js';

const CLI = fileURLToPath(new URL('../js/cli.js', import.meta.url));
/** Wrong words, by which a translation shows that the lexicon was used. */
const WRONG = [
  'de\tbadger\tXylophon\t100\t100', 'de\tacorn\tpurpur\t100\t100', 'fr\tbadger\tvoiture\t100\t100',
].map((line) => `${line}\n`).join('');
const BADGER = 'There is a badger in the garden.';
const XYLOPHONE = 'Wir haben ein Xylophon.';
const TO_GERMAN = { sourceLanguage: 'en', targetLanguage: 'de' };

/**
 * A model with the files of the shipped one, all of them listed, and another lexicon.
 *
 * @param {string | Uint8Array} lexicon
 */
function withLexicon(lexicon, files = readFiles(SHIPPED), name = 'lexicon.tsv') {
  const data = typeof lexicon === 'string' ? bytes(lexicon) : lexicon;
  const { 'lexicon.bin': _, ...others } = files;
  const manifest = JSON.parse(String(Buffer.from(files['heed.json'])));
  delete manifest.files['lexicon.bin'];
  manifest.files[name] = { size: data.length, sha256: sha256(data) };
  return { ...others, 'heed.json': bytes(JSON.stringify(manifest)), [name]: data };
}

/** The lines by language: lexicon.bin. @param {string} lexicon */
function packed(lexicon) {
  const lines = lexicon.split(/(?<=\n)/);
  const codes = [...new Set(lines.map((line) => line.split('\t', 1)[0]))];
  return writeParts(codes.map((code) => [code,
    new Uint8Array(gzipSync(lines.filter((line) => line.startsWith(`${code}\t`)).join('')))]));
}

/** The same as a directory, and the shipped model without a lexicon. */
const place = mkdtempSync(join(tmpdir(), 'heed-lexicon-'));
after(() => rmSync(place, { recursive: true }));
const [model, bare] = ['model', 'bare'].map((name) => join(place, name));
for (const folder of [model, bare]) cpSync(SHIPPED, folder, { recursive: true });
for (const folder of [model, bare]) rmSync(join(folder, 'lexicon.bin'));
for (const [name, data] of Object.entries(withLexicon(WRONG))) writeFileSync(join(model, name), data);
const { files: { 'lexicon.bin': _, ...listed }, ...manifest } =
  JSON.parse(readFileSync(join(bare, 'heed.json'), 'utf8'));
writeFileSync(join(bare, 'heed.json'), JSON.stringify({ ...manifest, files: listed }));

/** @param {object} [options] */
async function open(options) {
  const translator = await Translator.create({ ...TO_GERMAN, model, ...options });
  after(() => translator.destroy());
  return translator;
}
const translator = await open();
const transformer = await Transformer.load(SHIPPED);
const { tokenizer, config } = transformer;

/** @param {string} lexicon @param {[string, string]} pair @param {string[]} words */
async function look(lexicon, pair, ...words) {
  const translationsOf = await readLexicon(bytes(lexicon), ...pair);
  return words.map((word) => translationsOf(word).map(([text, share]) => [text, share]));
}

/** The entries of a text, with words instead of ids: [source pieces, share, place, word]. */
async function entriesOf(
  /** @type {string} */ lexicon, /** @type {string} */ text, /** @type {[string, string]} */ pair = ['en', 'de'],
  own = tokenizer, /** @type {object} */ options = { language: pair[1] },
) {
  return entriesFrom(new Lexicon(bytes(lexicon), own, pair, config), text, own, options);
}

/**
 * The same of a lexicon.
 *
 * @param {Lexicon} read
 * @param {string} text
 * @param {typeof tokenizer} own
 * @param {object} options
 */
async function entriesFrom(read, text, own, options) {
  await read.read();
  const { ids } = own.encode(text, options);
  const all = read.entriesFor(ids);
  assert.ok(all.length <= LEXICON_INTS);
  const found = [];
  for (let at = 0; at < all.length;) {
    const [first, end, share, where, n] = all.subarray(at, at + 5);
    assert.ok(first >= 0 && first < end && end <= ids.length && n > 0, `${first} to ${end} of ${ids.length}`);
    found.push([[...ids.subarray(first, end)].map((id) => own.idToPiece(id)).join(''), share, where,
      own.decode(all.subarray(at + 5, at + 5 + n))]);
    at += 5 + n;
  }
  return found;
}

test('reading: from English, to English, by way of English', async () => {
  const lexicon = 'de\tBadger\tDachs\t60\t80\nde\tbadger\tDachse\t30\t0\nde\tbrock\tDachs\t0\t20\n' +
    'fr\tBadger\tblaireau\t50\t90\nfr\tbadger\tgrisard\t10\t90\nes\tbadger\tx\ty\n';
  assert.deepEqual(await look(lexicon, ['en', 'de'], 'badger', 'brock', 'dachs', 'nothing'),
    [[['Dachs', 0.6], ['Dachse', 0.3]], [], [], []]);
  assert.deepEqual(await look(lexicon, ['de', 'en'], 'dachs', 'dachse', 'badger'),
    [[['Badger', 0.8], ['brock', 0.2]], [], []]);
  // 0.8 * 0.5; 0.8 * 0.1 is too little
  assert.deepEqual(await look(lexicon, ['de', 'fr'], 'dachs', 'badger'), [[['blaireau', 0.4]], []]);
  assert.deepEqual(await look(lexicon, ['nl', 'sv'], 'dachs'), [[]]);
  assert.deepEqual(await look(`${lexicon}en\tbadger\tbrock\t9\t9\n`, ['en', 'en'], 'badger', 'brock'), [[], []]);
});

test('a word with a capital inside a sentence may be a name, and is one unless it is written so', async () => {
  const lexicon = 'de\tbaker\tB\u00e4cker\t90\t90\nde\tTurk\tT\u00fcrke\t90\t90\nfr\tbaker\tboulanger\t90\t90\n';
  const wordsOf = async (/** @type {string} */ text, /** @type {[string, string]} */ pair = ['en', 'de']) =>
    (await entriesOf(lexicon, text, pair)).map(([source]) => source);
  assert.deepEqual(await wordsOf('We met Mr Baker, Baker and a Turk.'), ['\u2581Turk']);
  assert.deepEqual(await wordsOf('Baker! The baker, a BAKER.'), ['\u2581Baker', '\u2581baker', '\u2581BAKER']);
  // German nouns have capitals
  for (const target of ['en', 'fr'])
    assert.deepEqual(new Set(await wordsOf('Das ist ein B\u00e4cker.', ['de', target])), new Set(['\u2581B\u00e4cker']));
});

test('reading: six translations of a word at most, the most frequent', async () => {
  const lines = Array.from({ length: 200 }, (_, i) => `de\tset\tWort${i}\t${i % 100}\t1\n`).join('');
  assert.deepEqual(await look(lines, ['en', 'de'], 'set'), [
    [99, 98, 97].flatMap((i) => [[`Wort${i}`, i / 100], [`Wort${100 + i}`, i / 100]]),
  ]);
});

test('reading: CRLF, a BOM, no end of the last line, any words, other languages', async () => {
  const crlf = '\ufeffde\tbadger\tDachs\t60\t0\r\nde\tacorn\tEichel\t0\t100';
  assert.deepEqual(await look(crlf, ['en', 'de'], 'badger', 'acorn'), [[['Dachs', 0.6]], []]);
  assert.deepEqual(await look(crlf, ['de', 'en'], 'dachs', 'eichel'), [[], [['acorn', 1]]]);
  const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];
  const objects = names.map((name) => `de\t${name}\t${name}\t100\t100\n${name}\tx\n`).join('');
  assert.deepEqual(await look(objects, ['en', 'de'], '__proto__', 'constructor', 'valueof'),
    [[['__proto__', 1]], [['constructor', 1]], []]);
  const composed = 'de\tcafe\u0301\tKaffeehaus\t100\t100\n';
  assert.deepEqual(await look(composed, ['en', 'de'], 'caf\u00e9'), [[['Kaffeehaus', 1]]]);
  assert.deepEqual(await look('', ['en', 'de'], 'x'), [[]]);
});

test('reading: what is wrong, with the number of the line', async () => {
  const good = 'de\tbadger\tDachs\t60\t80\n';
  const column = (/** @type {number} */ n) => `expected a whole number from 0 to 100 in column ${n}`;
  for (const [bad, message] of [
    ['de\tacorn\tEichel\t60\n', "found 'de\tacorn\tEichel\t60', expected 5 columns with tabs between"],
    ['de\tacorn\tEichel\t60\t1\t2\n', "found 'de\tacorn\tEichel\t60\t1\t2', expected 5 columns with tabs between"],
    ['\n', "found '', expected 5 columns with tabs between"],
    ['\r\n', "found '', expected 5 columns with tabs between"],
    ['de acorn\n', "found 'de acorn', expected 5 columns with tabs between"],
    ['de\t\tEichel\t60\t1\n', "found '', expected a word in column 2"],
    ['de\tacorn\t \t60\t1\n', "found ' ', expected a word in column 3"],
    ...['101', '00', '07', '-1', '0.5', '1e1', '', 'x', ' 7', 'NaN'].flatMap((found) => [
      [`de\tacorn\tEichel\t${found}\t1\n`, `found '${found}', ${column(4)}`],
      [`de\tacorn\tEichel\t1\t${found}\r\n`, `found '${found}', ${column(5)}`],
    ]),
  ]) {
    await assert.rejects(readLexicon(bytes(good + bad + good), 'en', 'de'),
      { name: 'HeedError', status: 'HEED_E_FILE', message: `lexicon.tsv: line 2: ${message}` }, bad);
  }
  await assert.rejects(readLexicon(bytes(`${good}de acorn`), 'en', 'de'), { message: /^lexicon\.tsv: line 2: / });
  await assert.rejects(readLexicon(Uint8Array.of(0x64, 0x65, 0x09, 0xff), 'en', 'de'),
    { status: 'HEED_E_FILE', message: 'lexicon.tsv: found other bytes, expected UTF-8' });
});

test('reading lets the event loop run', async () => {
  let turns = 0;
  let isOn = true;
  const tick = () => void (isOn && ++turns && setImmediate(tick));
  setImmediate(tick);
  await readLexicon(bytes('de\tbadger\tDachs\t60\t80\n'.repeat(20_000)), 'en', 'de');
  isOn = false;
  assert.ok(turns >= 9, `${turns} turns`);
});

test('lexicon.bin: the entries of the same lines, of which only the parts of the pair are unpacked', async () => {
  const lines = 'de\tbadger\tDachs\t60\t80\nfr\tbadger\tblaireau\t50\t90\nde\tacorn\tEichel\t90\t90\n' +
    'es\tbadger\ttejón\t70\t70\nfr\tacorn\tgland\t80\t80\nde\tthe badger\tder Dachs\t50\t50\n';
  const text = 'The badger has an acorn. Der Dachs hat eine Eichel. Le blaireau a un gland. El tejón.';
  const broken = bytes('no gzip');
  for (const pair of /** @type {[string, string][]} */ ([['en', 'de'], ['en', 'fr'], ['en', 'es'], ['de', 'en'],
    ['de', 'fr'], ['fr', 'de'], ['es', 'de'], ['en', 'it']])) {
    const entriesIn = (/** @type {Uint8Array} */ file) => entriesFrom(
      new Lexicon(file, tokenizer, pair, config, 'lexicon.bin'), text, tokenizer, { language: 'de' });
    const expected = await entriesOf(lines, text, pair, tokenizer, { language: 'de' });
    assert.equal(expected.length > 0, pair[1] !== 'it');
    const parts = [...readParts(packed(lines), '')];
    for (const order of [parts, parts.toReversed()]) {
      assert.deepEqual(await entriesIn(writeParts(order)), expected);
      const own = order.map(([code, part]) => /** @type {[string, Uint8Array]} */ ([code,
        pair.includes(code) ? part : broken]));
      assert.deepEqual(await entriesIn(writeParts(own)), expected);
    }
    const code = pair.find((each) => each !== 'en' && each !== 'it');
    if (!code) continue;
    const harmed = parts.map(([each, part]) => /** @type {[string, Uint8Array]} */ ([each,
      each === code ? broken : part]));
    await assert.rejects(entriesIn(writeParts(harmed)), { status: 'HEED_E_FILE',
      message: `lexicon.bin: part ${code}: cannot be unpacked: damaged or cut short` });
  }
});

test('lexicon.bin: a part whose last line has no end, and errors that name the file', async () => {
  const part = (/** @type {string} */ code, /** @type {string} */ text) =>
    /** @type {[string, Uint8Array]} */ ([code, new Uint8Array(gzipSync(text))]);
  const read = (/** @type {[string, Uint8Array][]} */ ...parts) =>
    entriesFrom(new Lexicon(writeParts(parts), tokenizer, ['de', 'fr'], config, 'lexicon.bin'), 'Dachs', tokenizer,
      { language: 'de' });
  const [german, french] = ['de\tbadger\tDachs\t60\t80', 'fr\tbadger\tblaireau\t50\t90'];
  const entries = await read(part('de', german), part('fr', french));
  assert.ok(entries.length > 0);
  assert.deepEqual(await read(part('de', `${german}\n`), part('fr', `${french}\n`)), entries);
  await assert.rejects(read(part('de', 'de\tx')),
    { message: /^lexicon\.bin: line 1: found 'de\tx', expected 5 columns/ });
});

test('the shipped lexicon has a part for each language but English, whose lines are right', async () => {
  const file = new Uint8Array(readFileSync(join(SHIPPED, 'lexicon.bin')));
  assert.deepEqual([...readParts(file, '').keys()].sort(), ['de', 'es', 'fr']);
  for (const code of ['de', 'es', 'fr']) {
    const [content] = await unpackParts(file, '', [code]);
    assert.equal(content[content.length - 1], 10, 'the last line ends');
    for (const line of new TextDecoder().decode(content).split('\n', 9)) assert.ok(line.startsWith(`${code}\t`), line);
    for (const pair of [['en', code], [code, 'en']]) await readLexicon(content, pair[0], pair[1]);
  }
});

test('entries: the pieces of a word, its share, and where the translation may begin', async () => {
  assert.deepEqual(await entriesOf(WRONG, 'The acorn and a BADGER.'), [
    ['\u2581acorn', 350, PLACE_FIRST, 'Purpur'], ['\u2581acorn', 350, PLACE_LATER, 'purpur'],
    ['\u2581BADGER', 350, PLACE_ANY, 'Xylophon'],
  ]);
  assert.deepEqual(await entriesOf(WRONG, 'Acorns, acorn\u0301, badgers, 2badger.'), [], 'other words');
  assert.deepEqual(await entriesOf('de\tacorn\tEichel\t33\t0\n', '(acorn)'), [['acorn', 116, PLACE_ANY, 'Eichel']]);
  assert.deepEqual(await entriesOf(WRONG, 'Das Xylophon.', ['de', 'fr']), [
    ['\u2581Xylophon', 0, PLACE_AFTER, "'vo"], ['\u2581Xylophon', 350, PLACE_FIRST, 'Voiture'],
    ['\u2581Xylophon', 350, PLACE_LATER, 'voiture'],
  ]);
  // a fragment begins as it is written
  assert.deepEqual(await entriesOf(WRONG, 'an acorn'), [['\u2581acorn', 350, PLACE_ANY, 'purpur']]);
});

test('entries: several words that are known together, the most of them, and the others alone', async () => {
  const lexicon = ['town\tStadt', 'hall\tFlur', 'town hall\tRathaus', 'old town hall clock\tTurmuhr', 'of\tX',
    'flea-market\tTr\u00f6delmarkt', "dog's life\tHundeleben", 'a b c d e\tX']
    .map((pair) => `de\t${pair}\t100\t0\n`).join('');
  const look = async (/** @type {string} */ text) =>
    (await entriesOf(lexicon, text)).map(([from, , , to]) => `${from} ${to}`);
  assert.deepEqual(await look('a town hall'), ['\u2581town\u2581hall Rathaus']);
  assert.deepEqual(await look('an old town hall clock'), ['\u2581old\u2581town\u2581hall\u2581clock Turmuhr']);
  assert.deepEqual(await look('town, hall: hall town'),
    ['\u2581town Stadt', '\u2581hall Flur', '\u2581hall Flur', '\u2581town Stadt']);
  assert.deepEqual(await look('(town hall) town'), ['town\u2581hall Rathaus', '\u2581town Stadt']);
  assert.deepEqual(await look("a dog's life, a flea-market"),
    ["\u2581dog's\u2581life Hundeleben", '\u2581flea-market Tr\u00f6delmarkt']);
  assert.deepEqual(await look('a b c d e'), [], 'four at most');
  assert.deepEqual(await look('We met at Town Hall.'), [], 'a name');
  assert.deepEqual(await entriesOf(lexicon, 'The town hall.'), [['\u2581town\u2581hall', 350, PLACE_ANY, 'Rathaus']]);
});

test('entries: French words that an article joins, and where they cannot stand', async () => {
  const lexicon = ['autoroute', '\u00e9chelle', '\u0153illet', 'horloge', 'b\u00e2teau', 'Yvelines'].map((word, i) =>
    `fr\tword${'abcdef'[i]}\t${word}\t100\t0\n`).join('');
  const look = async (/** @type {string} */ text, own = lexicon, target = 'fr') =>
    (await entriesOf(own, text, ['en', target])).map(([, share, where, word]) => [share, where, word]);
  const french = await look('The worda.');
  assert.deepEqual(french.filter(([share]) => Number(share) > 0),
    [[350, PLACE_AFTER, "'autoroute"], [350, PLACE_FIRST, 'Autoroute'], [350, PLACE_LATER, 'autoroute']]);
  const never = french.filter(([share]) => share === 0);
  assert.ok(never.every(([, where, word]) => where === PLACE_AFTER && / au/.test(String(word))), String(never));
  for (const word of ['le', 'La', 'de', 'que', 'du', 'Ce']) {
    assert.ok(never.some(([, , own]) => String(own).startsWith(`${word} `)), word);
  }
  assert.deepEqual(await look('a worde'), [[0, PLACE_AFTER, "'b"], [350, PLACE_ANY, 'b\u00e2teau']]);
  // an "h" may be mute or not
  assert.deepEqual(await look('a wordd'), [[350, PLACE_AFTER, "'horloge"], [350, PLACE_ANY, 'horloge']]);
  const [[, , joined]] = await look('a wordc');
  assert.equal(joined, "'\u0153illet");
  const german = await look('the worda', lexicon.replaceAll('fr\t', 'de\t'), 'de');
  assert.deepEqual(german, [[350, PLACE_ANY, 'autoroute']]);
});

test('a French word follows an article without a space', async () => {
  const french = await open({ model: SHIPPED, targetLanguage: 'fr' });
  for (const [text, expected] of [
    ['thick fog on the motorway', /l'autoroute/], ['Where is the bus stop?', /l'arrêt de bus/],
    ['My favourite season is autumn.', /l'automne/], ['The nurse gave him an injection.', /L'infirmière/],
    ['I was not invited to the opening ceremony.', /ouverture/],
    ['The ladder is against the wall.', /^L'échelle/], ['He fell from the ladder.', /de l'échelle/],
    // articles that a preposition absorbs, and the gender of rare nouns
    ['How do I get to the castle from here?', /au château/], ['The bees are in the lavender.', /dans la lavande/],
  ]) {
    const own = await french.translate(/** @type {string} */ (text));
    assert.match(own, /** @type {RegExp} */ (expected));
    assert.doesNotMatch(own, /' |\b(?:au|du|le|la|un|une) l[ea] /i);
  }
});

test('a Spanish word follows what begins its sentence without a space', async () => {
  const own = await open({ model: withLexicon('es\tbadger\txilófono\t100\t100\n'), targetLanguage: 'es' });
  // n-grams would not begin with a word that nobody writes there
  assert.equal(await own.translate('Badger!', { ngrams: false }), '¡Xilófono!');
  assert.doesNotMatch(await own.translate('Badger!', { lexicon: false }), /xil/i);
});

test('a word that has an apostrophe itself begins once', async () => {
  const own = await open({ model: withLexicon("fr\tbadger\thors-d'\u0153uvre\t100\t100\n"), targetLanguage: 'fr' });
  for (const beams of [1, 2, 3]) {
    const text = await own.translate('two badger, a badger', { beams });
    assert.doesNotMatch(text, /hors-d'hors/);
    assert.match(text, /hors-d'\u0153uvre/);
  }
});

test('entries: an article and a noun, by language', async () => {
  const lexicon = [
    'fr\tthe harbour\tle port', 'fr\tharbour\tport', 'fr\tthe bees\tles abeilles', 'fr\ta bee\tune abeille',
    'es\tthe harbour\tel puerto', 'es\tthe bee\tla abeja', 'de\tthe bee\tdie Biene', 'de\tbee\tBiene',
    'fr\tan prochain\tnext year', 'de\tbee hive\tBienenstock', 'de\tnext year\tn\u00e4chstes Jahr',
  ].map((pair) => `${pair}\t100\t${pair.includes('prochain') ? 100 : 0}\n`).join('')
    .replace('fr\tan prochain\tnext year', 'fr\tnext year\tan prochain');
  const look = async (/** @type {string} */ text, /** @type {string} */ target, from = 'en') =>
    (await entriesOf(lexicon, text, [from, target])).map(([, share, where, word]) => [share, where, word]);
  const right = async (/** @type {string} */ text, /** @type {string} */ target) =>
    (await look(text, target)).filter(([share]) => Number(share) > 0);
  const marked = (/** @type {string} */ text) => ['¡', '¿'].map((mark) => [210, PLACE_AFTER, mark + text]);
  // the noun has its own entries, so the article has less
  assert.deepEqual(await right('to the harbour', 'fr'), [
    ...['du', 'Du', 'au', 'Au'].map((word) => [210, PLACE_AFTER, `${word} port`]), [210, PLACE_ANY, 'le port'],
    [350, PLACE_ANY, 'port'],
  ]);
  assert.deepEqual(await right('of the bees', 'fr'), [
    ...['des', 'Des', 'aux'].map((word) => [210, PLACE_AFTER, `${word} abeilles`]),
    [210, PLACE_ANY, 'les abeilles'],
  ]);
  assert.deepEqual(await right('A bee', 'fr'),
    [[210, PLACE_AFTER, "'une abeille"], [210, PLACE_FIRST, 'Une abeille'], [210, PLACE_LATER, 'une abeille']]);
  assert.deepEqual(await right('the harbour', 'es'),
    [...['del', 'Del', 'al', 'Al'].map((word) => [210, PLACE_AFTER, `${word} puerto`]),
      ...marked('el puerto'), [210, PLACE_ANY, 'el puerto']]);
  assert.deepEqual(await right('the bee', 'es'), [...marked('la abeja'), [210, PLACE_ANY, 'la abeja']]);
  assert.deepEqual(await right('The bee', 'es'),
    [...marked('La abeja'), [210, PLACE_FIRST, 'La abeja'], [210, PLACE_LATER, 'la abeja']]);
  // not after another article, nor after what a preposition makes of one; two ids say so
  for (const [text, target, words] of /** @type {const} */ ([
    ['to the harbour', 'fr', ['la le', 'un le', 'de le', '\u00e0 le', 'aux le']],
    ['the bee', 'es', ['el la', 'del la', 'al la', 'Un la']], ['the harbour', 'es', ['de el', 'a el', 'La el']],
  ])) {
    const never = (await look(text, target)).flatMap(([share, , word]) => (share === 0 ? [word] : []));
    for (const word of words) assert.ok(never.includes(word), `${text}: ${word} of ${never}`);
    assert.ok(!never.some((word) => /^(?:de la|a la|la la|le le)$/.test(String(word))), String(never));
  }
  // the nominative begins a sentence; elsewhere it would often be wrong
  assert.deepEqual(await look('The bee and the bee.', 'de'), [
    [210, PLACE_FIRST, 'Die Biene'], [350, PLACE_ANY, 'Biene'], [210, PLACE_FIRST, 'Die Biene'],
    [350, PLACE_ANY, 'Biene'],
  ]);
  assert.deepEqual(await look('The bee hive.', 'de'), [[350, PLACE_ANY, 'Bienenstock']], 'not the gender of the bee');
  const next = await look("l'an prochain", 'de', 'fr');
  assert.deepEqual(next, [[350, PLACE_ANY, 'n\u00e4chstes Jahr']], 'no English article');
});

test('entries: a compound with hyphens, or its parts', async () => {
  const parts = 'de\twhistle\tPfeife\t100\t0\nde\tblower\tGebl\u00e4se\t100\t0\n';
  assert.deepEqual((await entriesOf(parts, 'A whistle-blower.')).map(([from, , , to]) => [from, to]),
    [['\u2581whistle', 'Pfeife'], ['blower', 'Gebl\u00e4se']]);
  const whole = `${parts}de\tWhistle-Blower\tHinweisgeber\t100\t0\n`;
  assert.deepEqual((await entriesOf(whole, 'A whistle-blower.')).map(([from, , , to]) => [from, to]),
    [['\u2581whistle-blower', 'Hinweisgeber']]);
});

test('entries: characters that are bytes; combining marks', async () => {
  const lexicon = 'de\tGy\u0151r\tRaab\t100\t0\nde\tgy\tX\t100\t0\nde\tr\tX\t100\t0\nde\t\u0151\tX\t100\t0\n';
  const spelled = '\u2581Gy<0xC5><0x91>r';
  for (const city of ['Gy\u0151r', 'Gyo\u030br']) {
    assert.deepEqual(await entriesOf(lexicon, `We live in ${city}.`), [[spelled, 350, PLACE_ANY, 'Raab']]);
  }
  assert.deepEqual(await entriesOf(lexicon, 'A \u0151 B'), [['<0xC5><0x91>', 350, PLACE_ANY, 'X']]);
  const name = '\u0645\u062d\u0645\u062f';
  const [[from]] = await entriesOf(`de\t${name}\tName\t100\t0\n`, `a ${name} b`);
  assert.match(from, /^(<0x[\dA-F]{2}>){8}$/);
});

test('entries: nothing that the vocabulary cannot spell, and no language token', async () => {
  const other = await Transformer.load(withLanguages('>>de<<', '>>fr<<'));
  const lexicon = 'de\tbadger\tDachs\u0663\u4eba\t100\t0\nde\tacorn\t\u200b\t100\t0\nde\tde\tX\t100\t0\n';
  assert.deepEqual(await entriesOf(lexicon, 'A badger.', ['en', 'de'], other.tokenizer, { language: 'de' }),
    await entriesOf(lexicon, 'A badger.'), 'bytes spell it');
  assert.deepEqual(await entriesOf(lexicon, 'An acorn.'), []);
  assert.equal((await entriesOf(lexicon, 'The word is de.')).length, 1, 'the word, not the token');
  other.dispose();
  // without byte pieces: of OPUS-MT's kind
  const plain = await Transformer.load(fileURLToPath(new URL('golden/hf/untied', import.meta.url)));
  const [known] = plain.tokenizer.encode('the').pieces;
  assert.equal(known.replace('\u2581', ''), 'the');
  const lacking = 'fr\tthe\t\u6f22\t100\t0\nfr\tth\tla\t100\t0\nfr\te\tla\t100\t0\n';
  assert.deepEqual(await entriesOf(lacking, 'the', ['en', 'fr'], plain.tokenizer, {}), []);
  assert.deepEqual(await entriesOf(lacking, 'th\u6f22e', ['en', 'fr'], plain.tokenizer, {}), [], 'no parts of a word');
  plain.dispose();
});

test('entries: what does not fit is left out', async () => {
  const lines = Array.from({ length: 3 }, (_, i) => `de\tacorn\t${'nussbaumholz'.repeat(8 - i)}\t${99 - i}\t0\n`);
  assert.equal((await entriesOf(lines.join(''), `Acorn ${'and '.repeat(100)}`)).length, 6);
  const many = await entriesOf(lines.join(''), 'acorn '.repeat(150));
  assert.ok(many.length > 10 && many.length < 3 * 150, `${many.length} entries`);
});

test('a sentence gets the word, and not with lexicon: false', async () => {
  for (const beams of [1, 3]) {
    assert.match(await translator.translate(BADGER, { beams }), /Xylophon/);
    assert.doesNotMatch(await translator.translate(BADGER, { beams, lexicon: false }), /Xylophon/);
  }
  assert.match(await translator.translate('Acorn!'), /^Purpur/);
  assert.match(await translator.translate('I saw an acorn.'), /^Ich habe einen purpur/);
  const plain = await open({ model: bare });
  assert.equal(await translator.translate(BADGER, { lexicon: false }), await plain.translate(BADGER));
  assert.equal(await plain.translate(BADGER, { lexicon: true }), await plain.translate(BADGER));
  const others = ['How are you?', 'Tom has a red car.'];
  assert.deepEqual(await translator.translate(others), await plain.translate(others));
  const [mixed, free, again] = await Promise.all([translator.translate(BADGER),
    translator.translate(BADGER, { lexicon: false }), translator.translate([BADGER, others[0]])]);
  assert.deepEqual([mixed, free, again], [await translator.translate(BADGER), await plain.translate(BADGER),
    [mixed, await plain.translate(others[0])]], 'at the same time');
});

test('the probabilities of a sentence\'s tokens are those of its search, with the lexicon and without', async () => {
  const shipped = await open({ model: SHIPPED });
  const french = await open({ model: SHIPPED, targetLanguage: 'fr' });
  const texts = ['The nurse is on the motorway.', BADGER, 'A photocopier at the town hall!',
    'The sheep are behind the hedge, and the ladder is wet.', 'two parrots'];
  let isOther = false;
  for (const own of [translator, shipped, french])
    for (const text of texts)
      // greedy search shares probabilities among allowed ids
      for (const beams of [2, 3]) {
        const [both, alone] = await Promise.all([true, false].map(async (lexicon) =>
          (await own.translateDetailed(text, { beams, lexicon }))[0]));
        for (const { targetTokens, logProb } of [both, alone]) {
          const sum = targetTokens.reduce((total, token) => total + token.logProb, 0);
          // sums of floats; the pass of the whole target rounds as its steps do
          assert.ok(Math.abs(sum - logProb) < 1e-4, `${text}: ${sum}, the search has ${logProb}`);
        }
        isOther ||= Math.abs(both.logProb - alone.logProb) > 0.1;
      }
  assert.ok(isOther);
});

test('streams, details, HTML, workers and pools give the same', async () => {
  const pairs = [[translator, 'worker'], [await open({ worker: false }), 'here'],
    [await open({ workers: 2 }), 'pool']];
  for (const beams of [1, 3]) {
    const expected = await translator.translate(BADGER, { beams });
    assert.match(expected, /Xylophon/);
    for (const [own, name] of /** @type {[Translator, string][]} */ (pairs)) {
      assert.equal(await own.translate(BADGER, { beams }), expected, name);
      const many = await own.translate(Array(20).fill(BADGER), { beams });
      assert.deepEqual(many, Array(20).fill(expected), name);
      let streamed = '';
      for await (const piece of own.translateStreaming(BADGER, { beams })) streamed += piece;
      assert.equal(streamed, expected, name);
      const [{ target, logProb }] = await own.translateDetailed(BADGER, { beams });
      assert.equal(target, expected, name);
      const [free] = await own.translateDetailed(BADGER, { beams, lexicon: false });
      assert.notEqual(free.target, expected);
      assert.ok(logProb < 0 && logProb > -20);
      assert.equal(await own.translateHtml(`<p>${BADGER}</p>`, { beams }), `<p>${expected}</p>`, name);
      const html = await own.translateHtml(`<p>${BADGER}</p>`, { beams, lexicon: false });
      assert.equal(html, `<p>${free.target}</p>`, name);
    }
  }
});

test('at a URL: a Translator downloads it once for all of its workers, a Transformer does not', async (t) => {
  const state = await serve(t);
  state.files = withLexicon(WRONG);
  const own = await open({ model: state.address, workers: 2 });
  assert.equal(state.asked.filter((name) => name === 'lexicon.tsv').length, 1);
  const expected = await translator.translate(BADGER);
  assert.match(expected, /Xylophon/);
  assert.deepEqual(await own.translate(Array(8).fill(BADGER)), Array(8).fill(expected));
  state.asked = [];
  (await Transformer.load(state.address)).dispose();
  assert.ok(state.asked.includes('model.safetensors') && !state.asked.includes('lexicon.tsv'));
  state.asked = [];
  const stored = { model: state.address, cache: state.cache };
  await open(stored);
  state.asked = [];
  assert.equal(await (await open(stored)).translate(BADGER), expected);
  assert.deepEqual(state.asked, ['heed.json'], 'it is stored like the others');
  assert.equal(await Translator.availability({ ...TO_GERMAN, model: state.address, cache: state.cache }), 'available');
});

test('lexicon.bin: it gives what lexicon.tsv gives, and comes before it', async (t) => {
  const state = await serve(t);
  const files = withLexicon(packed(WRONG), undefined, 'lexicon.bin');
  const both = { ...withLexicon('de\tbadger\tRathaus\t100\t100\n', files), 'lexicon.bin': files['lexicon.bin'] };
  const manifests = [files, both].map((each) => JSON.parse(String(Buffer.from(each['heed.json']))));
  Object.assign(manifests[1].files, manifests[0].files);
  state.files = { ...both, 'heed.json': bytes(JSON.stringify(manifests[1])) };
  for (const options of [{ model: files }, { model: files, worker: false }, { model: files, workers: 2 },
    { model: state.address }, { model: state.files }]) {
    const own = await open(options);
    for (const beams of [1, 3]) {
      for (const lexicon of [true, false]) {
        assert.equal(await own.translate(BADGER, { beams, lexicon }),
          await translator.translate(BADGER, { beams, lexicon }));
      }
    }
  }
  assert.equal(state.asked.filter((name) => name === 'lexicon.bin').length, 1);
  assert.ok(!state.asked.includes('lexicon.tsv'));
  const back = await open({ model: files, sourceLanguage: 'de', targetLanguage: 'fr' });
  assert.match(await back.translate(XYLOPHONE), /voiture/);
  const { 'lexicon.bin': _, ...lacking } = files;
  await assert.rejects(open({ model: lacking }), { status: 'HEED_E_FILE', message: /lexicon\.bin is missing$/ });
});

test('a damaged lexicon.bin: each call that uses it rejects, others go on', async () => {
  const good = packed(WRONG);
  const de = /** @type {Uint8Array} */ (readParts(good, '').get('de'));
  const free = await translator.translate(BADGER, { lexicon: false });
  for (const [data, what] of /** @type {[Uint8Array, string | RegExp][]} */ ([
    [bytes(WRONG), "lexicon.bin: found 'de\tb' first, expected 'HPT1'"],
    [good.subarray(0, -1), /^lexicon\.bin: part fr: found \d+ bytes, expected \d+: it is cut short$/],
    [writeParts([['de', de.with(de.length - 6, de[de.length - 6] ^ 1)]]),
      'lexicon.bin: part de: cannot be unpacked: damaged or cut short'],
    [packed(`${WRONG}de\tbadger\tDachs\t700\t1\n`), /line 3: found '700', expected a whole number from 0 to 100/],
  ])) {
    for (const worker of [false, true]) {
      const own = await open({ model: withLexicon(data, undefined, 'lexicon.bin'), worker });
      for (let i = 0; i < 2; i++) {
        await assert.rejects(own.translate(BADGER), { name: 'HeedError', status: 'HEED_E_FILE', message: what });
        assert.equal(await own.translate(BADGER, { lexicon: false }), free);
      }
    }
  }
});

test('with a glossary, with what is kept, and in two steps', async () => {
  const glossary = { garden: 'Hinterhof' };
  const own = await translator.translate(BADGER, { glossary });
  assert.match(own, /Xylophon/);
  assert.match(own, /Hinterhof/);
  assert.doesNotMatch(await translator.translate(BADGER, { glossary, lexicon: false }), /Xylophon/);
  const kept = await translator.translate('This badger is at https://example.org/a.');
  assert.match(kept, /Xylophon/);
  assert.match(kept, /https:\/\/example\.org\/a/);
  const index = join(place, 'index.json');
  writeFileSync(index, JSON.stringify({ format: 1, models: [
    { source: 'de', target: 'en', path: './model/' }, { source: 'en', target: 'fr', path: './model/' }] }));
  const options = { sourceLanguage: 'de', targetLanguage: 'fr' };
  const pivot = await open({ ...options, model: undefined, models: index });
  const steps = await pivot.translateDetailed(XYLOPHONE);
  assert.match(String(steps[0].steps?.[0].target), /badger/);
  assert.match(steps[0].target, /voiture/);
  assert.doesNotMatch(await pivot.translate(XYLOPHONE, { lexicon: false }), /voiture/);
  const direct = await open(options);
  assert.match(await direct.translate(XYLOPHONE), /voiture/);
});

test('a Transformer does not read it: it searches as without', async () => {
  const { 'lexicon.tsv': _, ...files } = withLexicon(WRONG);
  const lacking = await Transformer.load(files);
  const [source] = [tokenizer.encode(BADGER, { language: 'de' }).ids];
  const [[own]] = lacking.generate([source]);
  assert.deepEqual([...own.ids], [...transformer.generate([source])[0][0].ids]);
  assert.throws(() => lacking.generate([source], /** @type {any} */ ({ lexicon: false })),
    { name: 'TypeError', message: /lexicon/ });
  lacking.dispose();
  await assert.rejects(open({ model: files }), { status: 'HEED_E_FILE', message: /lexicon\.tsv is missing/ });
});

test('a malformed one: each call that uses it rejects, others go on', async () => {
  const message = "lexicon.tsv: line 2: found '700', expected a whole number from 0 to 100 in column 4";
  const expected = { name: 'HeedError', status: 'HEED_E_FILE', message };
  for (const worker of [false, true]) {
    const own = await open({ model: withLexicon('fr\tx\ty\t1\t1\nde\tbadger\tDachs\t700\t1\n'), worker });
    const running = own.translate(BADGER, { lexicon: false });
    for (let i = 0; i < 2; i++) {
      const error = await own.translate(BADGER).catch((/** @type {unknown} */ caught) => caught);
      assert.ok(error instanceof HeedError);
      assert.deepEqual({ name: error.name, status: error.status, message: error.message }, expected);
      await assert.rejects(own.translateDetailed(BADGER), expected);
      await assert.rejects(async () => {
        for await (const _ of own.translateStreaming(BADGER)) assert.fail('a part');
      }, expected);
    }
    assert.equal(await running, await translator.translate(BADGER, { lexicon: false }));
    assert.equal(await own.translate(''), '');
    assert.equal(await own.translate(BADGER, { lexicon: false }), await running);
  }
  const french = await open({ model: withLexicon('de\tbadger\tDachs\t700\t1\n'), targetLanguage: 'fr' });
  assert.notEqual(await french.translate(BADGER), '', 'of another language');
});

test('a model without a head that aligns, a damaged file, wrong options', async () => {
  const files = readFiles(SHIPPED);
  const stated = JSON.parse(String(Buffer.from(files['config.json'])));
  for (const heads of [undefined, [[0, 0]]]) {
    const changed = bytes(JSON.stringify({ ...stated, alignment_heads: heads }));
    const manifest = JSON.parse(String(Buffer.from(files['heed.json'])));
    delete manifest.files['config.json'];
    const own = withLexicon(WRONG, { ...files, 'config.json': changed, 'heed.json': bytes(JSON.stringify(manifest)) });
    await assert.rejects(open({ model: own }),
      { status: 'HEED_E_CONFIG', message: `config.json: alignment_heads: found ${JSON.stringify(heads)}, expected a ` +
        'head of decoder layer 1 beside a lexicon.tsv: it says which word is translated' });
  }
  await assert.rejects(open({ model: withLexicon(packed(WRONG), { ...files, 'config.json': bytes(JSON.stringify(
    { ...stated, alignment_heads: undefined })), 'heed.json': bytes('{"files":{}}') }, 'lexicon.bin') }),
  { status: 'HEED_E_CONFIG', message: /beside a lexicon\.bin: it says which word is translated$/ });
  await assert.rejects(open({ model: { ...withLexicon(WRONG), 'lexicon.tsv': bytes(WRONG.replace('Xy', 'xY')) } }),
    { status: 'HEED_E_HASH', message: /^lexicon\.tsv: sha256/ });
  for (const call of [translator.translate.bind(translator), translator.translateDetailed.bind(translator)]) {
    await assert.rejects(call('', /** @type {any} */ ({ lexicon: 1 })),
      { name: 'TypeError', message: 'lexicon: found 1, expected true or false' });
  }
});

test('the core refuses entries that a broken lexicon would give, and the next call works', async (t) => {
  const { entriesFor } = Lexicon.prototype;
  t.after(() => void (Lexicon.prototype.entriesFor = entriesFor));
  const own = await open({ worker: false });
  for (const [entries, status] of /** @type {[number[], string][]} */ ([
    [[0, 1, 500, 0, 1], 'HEED_E_ARGUMENT'], [[0, 1, 500, 0, 0], 'HEED_E_ARGUMENT'],
    [[0, 1, 500, 0, 1, 16_000], 'HEED_E_ID'], [[0, 1, 500, 0, 1, -1], 'HEED_E_ID'],
    [[0, 99, 500, 0, 1, 5], 'HEED_E_ARGUMENT'], [[0, 1, 1001, 0, 1, 5], 'HEED_E_ARGUMENT'],
    [[0, 1, 500, 3, 1, 5], 'HEED_E_ARGUMENT'], [Array(1e5).fill(1), 'HEED_E_LENGTH'],
  ])) {
    Lexicon.prototype.entriesFor = () => Int32Array.from(entries);
    await assert.rejects(own.translate(BADGER), { status, message: /^lexicon\.tsv/ }, `${entries.slice(0, 9)}`);
    Lexicon.prototype.entriesFor = entriesFor;
    assert.equal(await own.translate(BADGER), await translator.translate(BADGER));
  }
});

test('heed translate --no-lexicon, and heed serve', async (t) => {
  const heed = (/** @type {string[]} */ ...args) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, 'translate', '--model', model, '--from', 'en',
      '--to', 'de', ...args, BADGER], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    return stdout;
  };
  assert.equal(heed(), `${await translator.translate(BADGER)}\n`);
  assert.equal(heed('--no-lexicon'), `${await translator.translate(BADGER, { lexicon: false })}\n`);
  const file = join(place, 'a.txt');
  writeFileSync(file, `${BADGER}\n`);
  for (const args of [[], ['--no-lexicon']]) {
    const { stdout } = spawnSync(process.execPath,
      [CLI, 'translate', '--model', model, '--from', 'en', '--to', 'de', ...args, file], { encoding: 'utf8' });
    assert.match(stdout, /Garten/);
    assert.equal(/Xylophon/.test(stdout), args.length === 0);
  }
  const child = spawn(process.execPath, [CLI, 'serve', '--port', '0', '--model', model],
    { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => void child.kill('SIGKILL'));
  let said = '';
  for await (const data of child.stdout) if ((said += data).includes('\n')) break;
  const answer = await fetch(`${/http:\/\/\S+\//.exec(said)?.[0]}translate`, {
    method: 'POST', headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ q: BADGER, source: 'en', target: 'de' }),
  });
  assert.equal((await answer.json()).translatedText, await translator.translate(BADGER));
});

test('heed convert and heed trim take it along, if heed.json lists it', async () => {
  const [copy, small, french, unlisted] = ['copy', 'small', 'french', 'unlisted'].map((name) => join(place, name));
  const listed = (/** @type {string} */ where) => JSON.parse(readFileSync(join(where, 'heed.json'), 'utf8')).files;
  await convert(model, copy, { dtype: 'int8' });
  assert.equal(readFileSync(join(copy, 'lexicon.tsv'), 'utf8'), WRONG);
  assert.equal(listed(copy)['lexicon.tsv'].sha256, sha256(bytes(WRONG)));
  assert.equal(await (await open({ model: copy })).translate(BADGER), await translator.translate(BADGER));
  const texts = [join(place, 'texts')];
  writeFileSync(texts[0], `${BADGER}\nIch sah einen Dachs im Garten, Sofa, Tisch.\nJe vois un jardin.\n`);
  await trim(model, small, { keep: ['en', 'de'], texts });
  const lines = readFileSync(join(small, 'lexicon.tsv'), 'utf8');
  assert.equal(lines, WRONG.replace(/^fr.*\n/m, ''));
  assert.equal(listed(small)['lexicon.tsv'].sha256, sha256(bytes(lines)));
  assert.notEqual(await (await open({ model: small })).translate(BADGER), '');
  await trim(model, french, { keep: ['en', 'es'], texts });
  assert.ok(!existsSync(join(french, 'lexicon.tsv')) && !listed(french)['lexicon.tsv'], 'no line is left');
  const from = join(place, 'from');
  cpSync(bare, from, { recursive: true });
  writeFileSync(join(from, 'lexicon.tsv'), 'anything');
  await convert(from, unlisted, { dtype: 'int8' });
  assert.ok(!existsSync(join(unlisted, 'lexicon.tsv')));
});
