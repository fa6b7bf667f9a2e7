// Tokens of M2M-100, NLLB-200, mBART, T5, mT5 and ByT5 as transformers and SentencePiece make them; languages by their
// tags; files that are wrong.
import test from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { findCode, tasksOf } from '../js/model/pairs.js';
import { M2M_100, MBART_50, NLLB } from '../js/text/codes.js';
import { openSides } from '../js/text/families.js';
import { Tokenizer } from '../js/text/tokenizer.js';
import { instantiate } from '../js/wasm/module.js';

const ROOT = new URL('golden/hf/families/', import.meta.url);
const core = await instantiate({});

/** @typedef {Record<string, Uint8Array | null>} Files  null: without the one in the folder */

/** The file of a folder. @param {string} folder @param {string} name */
function readFile(folder, name) {
  const url = new URL(`${folder}/${name}`, ROOT);
  return existsSync(url) ? new Uint8Array(readFileSync(url)) : null;
}

/** @param {Uint8Array | null | undefined} bytes */
const parse = (bytes) => (bytes ? JSON.parse(new TextDecoder().decode(bytes)) : undefined);
/** @param {unknown} value */
const json = (value) => new TextEncoder().encode(JSON.stringify(value));

/**
 * The tokenizer of a folder.
 *
 * @param {string} folder
 * @param {Files} [files]  in place of those in the folder
 */
async function open(folder, files = {}) {
  const read = async (/** @type {string} */ name) => (name in files ? files[name] : readFile(folder, name));
  const readJson = async (/** @type {string} */ name) => parse(await read(name));
  const stated = await readJson('config.json');
  const config = { decoder_vocab_size: stated.vocab_size, ...stated };
  const vocab = await readJson('vocab.json');
  const sides = await openSides({ core, config, stated, vocab, read, json: readJson });
  assert.ok(sides, folder);
  return new Tokenizer({ core, config, sides });
}

/** @param {string} folder @param {string} name @returns {any[]} */
const linesOf = (folder, name) =>
  gunzipSync(readFileSync(new URL(`${folder}/${name}.jsonl.gz`, ROOT))).toString().trim().split('\n')
   .map((line) => JSON.parse(line));

const FAMILIES = ['m2m100', 'nllb', 'mbart50', 't5', 't5-v1.1', 'mt5', 'byt5'];
/** Where transformers makes special tokens of typed text, which stays text here. */
const TYPED = ['</s> typed', '<unk>'];
const TASK = 'translate English to German: ';

for (const folder of FAMILIES) {
  test(`${folder}: ids and texts are transformers'`, async () => {
    const tokenizer = await open(folder);
    let compared = 0;
    for (const { text, decoded, as_target: targets = {}, ids, with_task: withTask, ...sources } of
      linesOf(folder, 'tokenizer')) {
      const source = ids ?? Object.values(sources)[0];
      assert.equal(tokenizer.decode(source, { side: 'source' }), decoded.trim(), text);
      if (TYPED.includes(text)) continue;
      /** @param {Int32Array} found @param {number[]} expected */
      const same = (found, expected) => {
        assert.deepEqual([...found], expected, text);
        compared++;
      };
      if (ids) same(tokenizer.encode(text).ids, ids);
      if (withTask) same(tokenizer.encode(TASK + text).ids, withTask);
      for (const [language, expected] of Object.entries(sources)) {
        same(tokenizer.encode(text, { language }).ids, expected);
      }
      for (const [language, expected] of Object.entries(targets)) {
        same(tokenizer.encode(text, { side: 'target', language }).ids, expected);
      }
    }
    assert.ok(compared >= 40, `${compared}`);
  });

  test(`${folder}: more texts, in many scripts, and typed special tokens, which stay text`, async () => {
    const tokenizer = await open(folder);
    const lines = linesOf(folder, 'more');
    assert.ok(lines.length > 150);
    for (const { text, language, ids, body } of lines) {
      const { ids: found, pieces, offsets } = tokenizer.encode(text, { language });
      if (ids) assert.deepEqual([...found], ids, text);
      else assert.deepEqual([...found].slice(tokenizer.languages.length > 0 ? 1 : 0), body, text);
      assert.equal(pieces.length, found.length);
      assert.equal(offsets.length, 2 * found.length);
      assert.ok(offsets.every((at) => at >= 0 && at <= text.length));
    }
  });
}

for (const [folder, of] of [['mbart25', 'mbart50'], ['nllb-legacy', 'nllb'], ['wmt21', 'm2m100'], ['madlad', 'mt5']]) {
  test(`${folder}: ids are transformers' and SentencePiece's`, async () => {
    const own = ['tokenizer_config.json', 'added_tokens.json', 'spiece.model']
      .flatMap((name) => (name === 'spiece.model' && folder !== 'madlad' ? [] : [[name, readFile(folder, name)]]));
    const config = parse(readFile(of, 'config.json'));
    const changed = folder === 'madlad' ? { eos_token_id: 2, vocab_size: 640 } : {};
    const tokenizer = await open(of, { ...Object.fromEntries(own), 'config.json': json({ ...config, ...changed }) });
    const lines = linesOf(folder, 'more');
    for (const { text, language, ids } of lines) {
      assert.deepEqual([...tokenizer.encode(text, { language }).ids], ids, `${language}: ${text}`);
      assert.equal(tokenizer.decode(ids), text.trim().replace(/ +/g, ' '));
    }
  });
}

/** Without the SentencePiece model. */
const NONE = { 'sentencepiece.bpe.model': null, 'spiece.model': null };
for (const [folder, file] of [['nllb', 'tokenizer.json'], ['t5', 'tokenizer.json'], ['nllb', 'tokenizer-5.json'],
  ['mbart50', 'tokenizer-5.json'], ['t5', 'tokenizer-5.json'], ['mt5', 'tokenizer-5.json']]) {
  test(`${folder}: the same ids with ${file}`, async () => {
    // that of transformers 5 is alone but for settings
    const others = file === 'tokenizer.json' ? {}
      : { 'added_tokens.json': null, 'tokenizer_config.json': json({ extra_ids: 100, src_lang: 'eng_Latn' }) };
    const tokenizer = await open(folder, { ...NONE, ...others, 'tokenizer.json': readFile(folder, file) });
    const [usual, lines] = [await open(folder), linesOf(folder, 'more')];
    assert.deepEqual(tokenizer.languages, usual.languages);
    for (const { text, language } of lines) {
      const [found, expected] = [tokenizer, usual].map((each) => each.encode(text, { language }));
      assert.deepEqual(found, expected, text);
      assert.equal(tokenizer.decode(found.ids), usual.decode(expected.ids), text);
    }
  });
}

test('tokenizer.json with the language after the text', async () => {
  const listed = parse(readFile('nllb', 'tokenizer.json'));
  const special = (/** @type {string} */ id) => ({ SpecialToken: { id } });
  listed.post_processor.single = [{ Sequence: { id: 'A' } }, special('</s>'), special('eng_Latn')];
  const tokenizer = await open('nllb', { ...NONE, 'tokenizer.json': json(listed) });
  assert.deepEqual([...tokenizer.encode('Hello.', { language: 'deu_Latn' }).ids], [67, 28, 156, 295, 2, 443]);
});

/**
 * What is wrong with a tokenizer.json.
 *
 * @type {[name: string, folder: string, change: (json: any) => void, expected: RegExp][]}
 */
const WRONG_JSON = [
  ['another model', 't5', (j) => (j.model.type = 'WordPiece'),
    /model: type: found 'WordPiece', expected Unigram or BPE/],
  ['no model', 't5', (j) => delete j.model, /model: type: found undefined/],
  ['a score that is none', 't5', (j) => (j.model.vocab[7][1] = 'x'),
    /model: vocab: 7: found \['?.*expected \[piece, score\]/],
  ['a piece twice', 't5', (j) => (j.model.vocab[7] = j.model.vocab[8]),
    /model: vocab: found '1 twice', expected each piece once/],
  ['no unknown piece', 't5', (j) => (j.model.unk_id = null),
    /tokenizer.json: pieces: .*one piece of type 2 \(unknown\)/],
  ['an id beyond the vocabulary', 't5', (j) => (j.added_tokens.push({ id: 512, content: 'xx' })),
    /'xx': found 512, expected an id from 0 to 511/],
  ['an id of two', 't5', (j) => (j.added_tokens.push({ id: 3, content: 'xx' })),
    /id 3: found \['?▁.*expected one token/],
  ['an added token with another id', 't5', (j) => (j.added_tokens.push({ id: 3, content: '</s>' })),
    /added_tokens: '<\/s>': found 3, expected 1/],
  ['an added token without text', 't5', (j) => (j.added_tokens.push({ id: 3 })), /added_tokens: found/],
  ['lower case', 't5', (j) => (j.normalizer = { type: 'Lowercase' }),
    /normalizer: found 'Lowercase', expected Precompiled/],
  ['a charsmap that is none', 't5', (j) => (j.normalizer = { type: 'Precompiled', precompiled_charsmap: '%' }),
    /expected base64/],
  ['a broken charsmap', 't5', (j) => (j.normalizer = { type: 'Precompiled', precompiled_charsmap: 'AAAA' }),
    /tokenizer.json: normalizer_spec/],
  ['bytes as GPT-2 has them', 't5', (j) => (j.pre_tokenizer = { type: 'ByteLevel' }),
    /pre_tokenizer: found .*expected Metaspace/],
  ['no merges', 'nllb', (j) => delete j.model.merges, /model: merges: found undefined, expected an array/],
  ['a merge of what is no piece', 'nllb', (j) => (j.model.merges[3] = 'q q'),
    /model: merges: 3: found 'q q', expected two pieces/],
  ['merges that SentencePiece does not make', 'nllb', (j) => j.model.merges.pop(),
    /model: merges: to '.*': found \d, expected \d, as of SentencePiece/],
  ['merges in another order', 'nllb', (j) => j.model.merges.push(j.model.merges[0]),
    /all merges to a piece one after another/],
  ['ends of words', 'nllb', (j) => (j.model.end_of_word_suffix = '</w>'),
    /model: end_of_word_suffix: found '<\/w>', expected null/],
];
for (const [name, folder, change, expected] of WRONG_JSON) {
  test(`tokenizer.json, refused: ${name}`, async () => {
    const listed = parse(readFile(folder, 'tokenizer.json'));
    change(listed);
    await assert.rejects(open(folder, { ...NONE, 'tokenizer.json': json(listed) }),
      ({ name: kind, message }) => {
        assert.equal(kind, 'HeedError');
        assert.match(message, /^tokenizer\.json: /);
        assert.match(message, expected);
        return true;
      });
  });
}

test('language tokens of fairseq are behind the pieces, as on the hub, if no file lists them', async () => {
  const none = { 'added_tokens.json': null, 'tokenizer_config.json': null };
  const nllb = await open('nllb', none);
  assert.equal(nllb.languages.length, 202);
  const size = 400;
  // FLORES-200: of 256,000 pieces ace_Arab is 256001, eng_Latn 256047
  assert.equal(nllb.pieceToId('ace_Arab'), size + 1);
  assert.equal(nllb.encode('x').ids[0], size + 47);
  assert.equal(nllb.idToPiece(size + 47), 'eng_Latn');
  const mbart = await open('mbart50', none);
  assert.deepEqual(['ar_AR', 'de_DE', 'en_XX', 'fr_XX'].map((code) => mbart.pieceToId(code)),
    [1, 3, 4, 8].map((id) => size + id));
  const m2m = await open('m2m100', none);
  assert.equal(m2m.languages.length, 100);
  assert.equal(m2m.pieceToId('__af__'), 401);
});

test('files of a model change the list of languages', async () => {
  const added = { tyv_Cyrl: 604, eng_Latn: 605 };
  const tokenizer = await open('nllb', { 'added_tokens.json': json(added), 'tokenizer_config.json': null });
  assert.equal(tokenizer.languages.length, 203);
  assert.deepEqual([...tokenizer.encode('', { language: 'tyv_Cyrl' }).ids], [604, 2]);
  assert.equal(tokenizer.encode('').ids[0], 605);
});

test('a language without a token is refused with the list', async () => {
  const tokenizer = await open('m2m100');
  assert.throws(() => tokenizer.encode('', { language: 'deu' }), /language: found 'deu', available: af, am/);
});

test('ByT5: bytes with their offsets; invalid sequences are dropped, U+FFFD is not', async () => {
  const tokenizer = await open('byt5');
  const { ids, offsets, pieces } = tokenizer.encode('é!');
  assert.deepEqual([...ids], [0xc3 + 3, 0xa9 + 3, 0x21 + 3, 1]);
  assert.deepEqual([...offsets], [0, 0, 0, 1, 1, 2, 2, 2]);
  assert.deepEqual(pieces, ['<0xC3>', '<0xA9>', '<0x21>', '</s>']);
  const decode = (/** @type {number[]} */ ...bytes) => tokenizer.decode(bytes.map((byte) => byte + 3));
  assert.equal(decode(0x61, 0xff, 0x62), 'ab');
  assert.equal(decode(0xe2, 0x82, 0x61), 'a');
  assert.equal(decode(0xe0, 0xef, 0xbf, 0xbd, 0x61, 0x80), '\ufffda');
  assert.equal(tokenizer.decode([0, 100, 300, 383, 101, 1]), 'ab');
  assert.deepEqual([tokenizer.idToPiece(259), tokenizer.pieceToId('<extra_id_124>')], ['<extra_id_0>', 383]);
});

test('other families have tokenizers that heed does not read', async () => {
  const stated = { ...parse(readFile('t5', 'config.json')), model_type: 'pegasus' };
  const read = async (/** @type {string} */ name) => readFile('t5', name);
  assert.equal(await openSides({ core, config: stated, stated, read, json: async () => ({}) }), null);
});

test('sentinels have their names, and no text', async () => {
  const t5 = await open('t5');
  assert.deepEqual([t5.idToPiece(400), t5.idToPiece(499), t5.idToPiece(500)], ['<extra_id_99>', '<extra_id_0>', '']);
  assert.equal(t5.pieceToId('<extra_id_0>'), 499);
  assert.equal(t5.decode([499, ...t5.encode('Hello.').ids]), 'Hello.');
  const mt5 = await open('mt5');
  assert.equal(mt5.idToPiece(570), '');
});

test('tags find the codes of models', () => {
  const of = (/** @type {string} */ tag) => [NLLB, M2M_100, MBART_50]
    .map((codes) => findCode(codes, Intl.getCanonicalLocales(tag)[0]) ?? null);
  const expected = {
    en: ['eng_Latn', 'en', 'en_XX'],
    'en-GB': ['eng_Latn', 'en', 'en_XX'],
    'pt-BR': ['por_Latn', 'pt', 'pt_XX'],
    zh: ['zho_Hans', 'zh', 'zh_CN'],
    'zh-Hant': ['zho_Hant', 'zh', null],
    'zh-TW': ['zho_Hant', 'zh', null],
    'sr-Latn': [null, 'sr', null],
    no: ['nob_Latn', 'no', null],
    nn: ['nno_Latn', 'no', null],
    tl: ['tgl_Latn', 'tl', 'tl_XX'],
    iw: ['heb_Hebr', 'he', 'he_IL'],
    fa: ['pes_Arab', 'fa', 'fa_IR'],
    'fa-AF': ['prs_Arab', 'fa', 'fa_IR'],
    apc: ['apc_Arab', null, null],
    'ks-Deva': ['kas_Deva', null, null],
    sat: ['sat_Beng', null, null],
    ps: ['pbt_Arab', 'ps', 'ps_AF'],
    tlh: [null, null, null],
  };
  for (const [tag, codes] of Object.entries(expected)) assert.deepEqual(of(tag), codes, tag);
  for (const code of NLLB) {
    const tag = Intl.getCanonicalLocales(code.replace('_', '-'))[0];
    const found = findCode(NLLB, tag);
    // two codes are other names of another one's language
    assert.equal(found, { ajp_Arab: 'apc_Arab', twi_Latn: 'aka_Latn' }[code] ?? code, tag);
  }
  for (const code of M2M_100) assert.equal(findCode(M2M_100, Intl.getCanonicalLocales(code)[0]), code);
});

test('the tasks of T5 by their pairs', () => {
  const tasks = tasksOf(parse(readFile('t5', 'config.json')));
  assert.deepEqual(tasks.map(({ source, target, prefix }) => [source, target, prefix]), [
    ['en', 'de', 'translate English to German: '],
    ['en', 'es', 'translate English to Spanish: '],
    ['en', 'fr', 'translate English to French: '],
  ]);
  assert.deepEqual(tasksOf({}), []);
  const others = { summarization: { prefix: 'summarize: ' }, translation_a_to_b: 3 };
  assert.deepEqual(tasksOf({ task_specific_params: others }), []);
});

const WRONG = [
  { name: 'fewer rows than pieces', folder: 'nllb', config: { vocab_size: 400 },
    expected: /sentencepiece.bpe.model: found 400 pieces, expected 399 at most, as vocab_size says/ },
  { name: 'fewer rows than pieces of T5', folder: 't5', config: { vocab_size: 399 },
    expected: /spiece.model: found 400 pieces, expected 399 at most/ },
  { name: 'fewer rows than bytes', folder: 'byt5', config: { vocab_size: 258 },
    expected: /config.json: vocab_size: found 258, expected at least 259, as ByT5 has/ },
  { name: 'an id that is none', folder: 'nllb', files: { 'added_tokens.json': json({ x: -1 }) },
    expected: /added_tokens.json: added tokens: found \[-1,x\], expected an id and its token/ },
  { name: 'a token that is none', folder: 'nllb',
    files: { 'tokenizer_config.json': json({ added_tokens_decoder: { 5: 3 } }) },
    expected: /tokenizer_config.json: added tokens: found \[5,\], expected/ },
  { name: 'a vocabulary without <unk>', folder: 'm2m100', files: { 'vocab.json': json({ a: 0, b: 2 }) },
    expected: /vocab.json: found no <unk>/ },
  { name: 'a model that is none', folder: 't5', files: { 'spiece.model': new Uint8Array([1, 2, 3]) },
    expected: /spiece.model: / },
];
for (const { name, folder, files, config, expected } of WRONG) {
  test(`refused: ${name}`, async () => {
    const stated = { ...parse(readFile(folder, 'config.json')), ...config };
    await assert.rejects(open(folder, { ...files, 'config.json': json(stated) }), expected);
  });
}
