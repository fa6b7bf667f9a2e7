// JSON made by hand to do harm: config.json, generation_config.json, vocab.json and heed.json; and files in the place
// of others.
import test, { after } from 'node:test';
import assert from 'node:assert/strict';
import { HeedError } from '../js/index.js';
import { checkCount, count, good, load, refuseAll, takes, works } from './hostile/refuse.js';
import { bytes, concat } from './model-files.js';
import { configJson, generationJson, vocabEntries, writeObject } from './mutate/model.js';

/** @typedef {import('./hostile/refuse.js').Case} Case */

const W = 'model.safetensors';

after(() => checkCount(237));

/** @param {string} name @param {Record<string, any>} value */
const json = (name, value) => ({ [name]: bytes(JSON.stringify(value)) });
const config = (/** @type {Record<string, any>} */ change) => json('config.json', { ...configJson(), ...change });
const generation = (/** @type {Record<string, any>} */ change) =>
  json('generation_config.json', { ...generationJson(), ...change });

/** Arrays in arrays, too deep for a text of them; and an object whose methods are none. */
const DEEP = bytes('['.repeat(20_000) + ']'.repeat(20_000));
const ODD = bytes('{"toString":1,"valueOf":1}');

test('values of which there is no text', async () => {
  const text = (/** @type {Uint8Array} */ b) => new TextDecoder().decode(b);
  const put = (/** @type {string} */ name, /** @type {string} */ key, /** @type {Uint8Array} */ value) => {
    const { [key]: _, ...rest } = JSON.parse(text(good[name]));
    return { [name]: bytes(JSON.stringify(rest).replace('{', `{${JSON.stringify(key)}:${text(value)},`)) };
  };
  for (const [what, value] of /** @type {const} */ ([['deep arrays', DEEP], ['no methods', ODD]])) {
    for (const key of ['model_type', 'd_model', 'activation_function', 'scale_embedding', 'pad_token_id']) {
      await refuseAll('config.json', [
        [`${what}: ${key}`, put('config.json', key, value), 'CONFIG', /found what has no text, expected/]]);
    }
    await refuseAll('generation_config.json', [
      [what, put('generation_config.json', 'bad_words_ids', value), 'CONFIG', /found what has no text, exp/]]);
    await refuseAll('vocab.json', [
      [what, put('vocab.json', 'abc', value), 'VOCAB', /abc.*found what has no text, expected/]]);
  }
  await refuseAll('heed.json', [
    ['deep', put('heed.json', 'files', DEEP), 'JSON', /files.*found what has no text, expected/]]);
  for (const [what, value] of /** @type {const} */ ([
    ['deep', DEEP], ['a deep size', `{"size":${text(DEEP)}}`], ['a deep hash', `{"size":1,"sha256":${text(DEEP)}}`],
    ['a hash without methods', `{"size":1,"sha256":${text(ODD)}}`],
    ['a hash in a list', `{"size":1,"sha256":["${'a'.repeat(64)}"]}`],
  ])) {
    const list = bytes(`{"model.bin":${typeof value === 'string' ? value : text(value)}}`);
    await refuseAll('heed.json', [
      [what, put('heed.json', 'files', list), 'JSON', /files: 'model\.bin': found .*, expected \{ size, sha256 \}/]]);
  }
  await refuseAll('config.json', [
    ['a list of one', config({ activation_function: ['relu'] }), 'CONFIG', /found \[relu\], expected/]]);
});

test('files that are not JSON', async () => {
  for (const name of ['config.json', 'generation_config.json', 'vocab.json', 'heed.json']) {
    const text = new TextDecoder().decode(good[name]);
    await refuseAll(name, [
      ['nothing', { [name]: new Uint8Array() }, 'JSON', /not JSON/],
      ['cut', { [name]: good[name].subarray(0, -1) }, 'JSON', /not JSON/],
      ['more behind it', { [name]: bytes(`${text}{}`) }, 'JSON', /not JSON/],
      ['a comma too many', { [name]: bytes(text.replace(/\}$/, ',}')) }, 'JSON', /not JSON/],
      ['null', { [name]: bytes('null') }, 'JSON', /found null, expected a JSON object/],
      ['a list', { [name]: bytes('[{}]') }, 'JSON', /expected a JSON object/],
      ['UTF-16',
        { [name]: concat(Uint8Array.of(0xff, 0xfe), new Uint8Array(Buffer.from(text, 'utf16le'))) },
        'JSON', /not UTF-8/],
      ['half a character', { [name]: concat(bytes('{"a'), Uint8Array.of(0xc3), bytes('":1}')) }, 'JSON', /not UTF-8/],
      ['a character too long', { [name]: concat(bytes('{"a'), Uint8Array.of(0xc0, 0x80), bytes('":1}')) },
        'JSON', /not UTF-8/],
      ['a key twice', { [name]: bytes(text.replace('{', '{"</s>":0,"</s>":0,')) },
        'JSON', /the key '<\/s>' occurs twice/],
      ['a web page', { [name]: bytes('\n<html></html>') }, 'JSON', /found an HTML page, expected JSON/],
      ['many brackets', { [name]: bytes(`{"a":${'[{"a":'.repeat(200_000)}`) }, 'JSON', /not JSON/],
    ]);
  }
});

test('configurations', () =>
  refuseAll('config.json', [
    ['no object of a model', json('config.json', {}), 'CONFIG', /model_type: found undefined, expected 'marian'/],
    ['another model', config({ model_type: ['marian'] }), 'CONFIG', /model_type: found \[marian\]/],
    ...[3, 0, -2, 16].map((n) => /** @type {Case} */ ([`${n} heads`, config({ encoder_attention_heads: n }),
      'CONFIG', new RegExp(`encoder_attention_heads: found ${n}: must `)])),
    ...[0, 257, 1e9, -1, 2 ** 31 - 1].map((n) => /** @type {Case} */ ([`${n} layers`, config({ decoder_layers: n }),
      'CONFIG', new RegExp(`decoder_layers: found ${n}: must be between 1 and 256`)])),
    ...[2 ** 31, 2 ** 53, 1e300, 1.5, '1', null, [1], {}, true, ''].map((n) =>
      /** @type {Case} */ ([`${JSON.stringify(n)} layers`, config({ decoder_layers: n }),
      'CONFIG', /decoder_layers: found .*, expected an integer/])),
    ...[0, -8, 65537].map((n) => /** @type {Case} */ ([`a width of ${n}`, config({ d_model: n }),
      'CONFIG', new RegExp(`d_model: found ${n}`)])),
    ['no feed-forward', config({ encoder_ffn_dim: 0 }), 'CONFIG', /encoder_ffn_dim: found 0: must be between/],
    ['no positions', config({ max_position_embeddings: 0 }), 'CONFIG', /max_position_embeddings: found 0/],
    ['positions without end', config({ max_position_embeddings: 65537 }),
      'CONFIG', /max_position_embeddings: found 65537/],
    ['a vocabulary without end', config({ vocab_size: 2 ** 24 + 1, decoder_vocab_size: 2 ** 24 + 1 }),
      'CONFIG', /vocab_size: found 16777217/],
    ['a vocabulary that takes all memory', config({ vocab_size: 2 ** 24, decoder_vocab_size: 2 ** 24 }),
      'CONFIG', /found a model of \d+ bytes, expected \d+ at most for model\.safetensors/],
    ['a vocabulary that takes more', config({ d_model: 65536, vocab_size: 2 ** 24, decoder_vocab_size: 2 ** 24 }),
      'MEMORY', /out of memory, HEED_E_MEMORY/],
    ['layers that take all memory', config({ d_model: 4096, encoder_layers: 256 }), 'MEMORY', /out of memory/],
    ['layers that take much', config({ d_model: 1024, encoder_layers: 100 }), 'CONFIG', /found a model of \d+ bytes/],
    ['vocabularies that differ', config({ decoder_vocab_size: 21 }),
      'CONFIG', /decoder_vocab_size: found 21: must equal vocab_size/],
    ['an end that is no id', config({ eos_token_id: 20 }), 'CONFIG', /eos_token_id: found 20: must be an id/],
    ['a negative end', config({ eos_token_id: -1 }), 'CONFIG', /eos_token_id: found -1/],
    ['a start that is no id', config({ decoder_start_token_id: 58100 }),
      'CONFIG', /decoder_start_token_id: found 58100/],
    ['padding that is no id', config({ pad_token_id: 20 }),
      'CONFIG', /pad_token_id: found 20, expected an integer, at least 0, at most 19/],
    ...[[], ['0'], [[0]], [null]].map((ids) =>
      /** @type {Case} */ ([`ends: ${JSON.stringify(ids)}`, config({ eos_token_id: ids }),
      'CONFIG', /eos_token_id: found .*, expected an integer/])),
    ['a list of ends that are no ids', config({ eos_token_id: [20, 1] }), 'CONFIG', /eos_token_id: found 20: must be/],
    ['another activation', config({ activation_function: 'tanh' }),
      'CONFIG', /activation_function: found 'tanh', expected one of/],
    ['an activation by its number', config({ activation_function: 2 }), 'CONFIG', /activation_function: found 2/],
    ...['gru', 1, null].map((value) => /** @type {Case} */ ([`a cell: ${value}`, config({ decoder_cell: value }),
      'CONFIG', /decoder_cell: found .*, expected one of self_attention,ssru/])),
    ...['absolute', 0, ['hf', 'marian']].map((value) => /** @type {Case} */ ([`positions: ${value}`,
      config({ positions: value }), 'CONFIG', /positions: found .*, expected one of hf,marian/])),
    ...['1e-6', 0, -1e-6, 9e-13, 0.0021, 1e300, null, [1e-6], false].map((value) =>
      /** @type {Case} */ ([`layer_norm_eps: ${JSON.stringify(value)}`, config({ layer_norm_eps: value }),
        'CONFIG', /layer_norm_eps: found .*, expected a number from 1e-12 to 0.002/])),
    ...['normalize_before', 'scale_embedding', 'tie_word_embeddings', 'share_encoder_decoder_embeddings'].map((key) =>
      /** @type {Case} */ ([`${key}: 'false'`, config({ [key]: 'false' }),
        'CONFIG', new RegExp(`${key}: found 'false', expected true or false`)])),
  ]));

test('what generation_config.json says', () =>
  refuseAll('generation_config.json', [
    ...[0, 65, 1e9, 1.5, '4', [4], true].map((n) => /** @type {Case} */ ([`${n} beams`, generation({ num_beams: n }),
      'CONFIG', /num_beams: found .*, expected a (number|whole number from 1 to 64)$/])),
    ['no length', generation({ max_length: 0 }), 'CONFIG', /max_length: found 0, expected a whole number from 1/],
    ['a negative length', generation({ max_new_tokens: -1 }), 'CONFIG', /max_new_tokens: found -1/],
    ['a length past 2^31', generation({ max_length: 2 ** 31 }), 'CONFIG', /max_length: found 2147483648/],
    ['less than no tokens', generation({ min_length: -1 }), 'CONFIG', /min_length: found -1/],
    ['n-grams of a fraction', generation({ no_repeat_ngram_size: 2.5 }), 'CONFIG', /no_repeat_ngram_size: found 2\.5/],
    ['a penalty past floats', generation({ length_penalty: 1e39 }),
      'CONFIG', /length_penalty: found 1e\+39, expected a number/],
    ['an infinite penalty', { 'generation_config.json': bytes('{"length_penalty":1e999}') },
      'CONFIG', /length_penalty: found Infinity/],
    ['a penalty that is a text', generation({ length_penalty: '1' }), 'CONFIG', /length_penalty: found '1'/],
    ...[[1], [[20]], [[-1]], [[1.5]], [[]], [['1']], {}, 'x', [[[1]]]].map((words) =>
      /** @type {Case} */ ([`bad words: ${JSON.stringify(words)}`, generation({ bad_words_ids: words }),
      'CONFIG', /bad_words_ids(\[0\])*: found .*, expected (an array|an integer|0 to 19|at least one id)/])),
    ...['suppress_tokens', 'begin_suppress_tokens', 'forced_eos_token_id', 'eos_token_id'].flatMap((key) =>
      [[20], [-1], [1.5], ['1'], {}, 'x', [[1]]].map((ids) =>
        /** @type {Case} */ ([`${key}: ${JSON.stringify(ids)}`, generation({ [key]: ids }),
        'CONFIG', new RegExp(`${key}(\\[0\\])?: found .*, expected `)]))),
    ...[[5], 20, -1, 1.5, '1', {}].map((id) => /** @type {Case} */ ([`first: ${id}`,
      generation({ forced_bos_token_id: id }), 'CONFIG', /forced_bos_token_id(\[0\])?: found .*, expected /])),
    ...[0, -1, 1001, '1', [1]].map((x) => /** @type {Case} */ ([`repetition: ${x}`,
      generation({ repetition_penalty: x }), 'CONFIG', /repetition_penalty: found .*, expected a number/])),
    ...['always', 1, 0, []].map((x) => /** @type {Case} */ ([`early: ${x}`,
      generation({ early_stopping: x }), 'CONFIG', /early_stopping: found .*, expected true, false or 'never'/])),
    ['a text for true', generation({ renormalize_logits: 'true' }), 'CONFIG', /renormalize_logits: found 'true'/],
    ['an end that is no id', generation({ eos_token_id: 20 }),
      'CONFIG', /eos_token_id: found 20, expected an integer, at least 0, at most 19/],
    ['a negative start', generation({ decoder_start_token_id: -1 }), 'CONFIG', /decoder_start_token_id: found -1/],
    ['padding past 2^31', generation({ pad_token_id: 2 ** 31 }), 'CONFIG', /pad_token_id: found 2147483648/],
    ['no ends', generation({ eos_token_id: [] }), 'CONFIG', /eos_token_id: found \[\], expected at least one id/],
  ]));

/** @param {(entries: [string, any][]) => void} change */
const vocab = (change) => {
  const list = vocabEntries();
  change(list);
  return { 'vocab.json': bytes(writeObject(list)) };
};
const id = (/** @type {any} */ value) => vocab((list) => void (list[5][1] = value));

test('vocabularies', async () => {
  await refuseAll('vocab.json', [
    ['no pieces', json('vocab.json', {}), 'VOCAB', /found no <unk>/],
    ['no unknown piece', vocab((list) => void list.splice(1, 1)), 'VOCAB', /found no <unk>/],
    ['no end', vocab((list) => void list.splice(0, 1)), 'VOCAB', /found no piece with id 0, the eos_token_id/],
    ['an id for two', id(4), 'VOCAB', /id 4 is both 'b' and 'c'/],
    ...[-1, 20, 2 ** 31, 2 ** 53, 1e300, 4.5].map((n) => /** @type {Case} */ ([`id ${n}`, id(n),
      'VOCAB', /'c': found .*, expected an id from 0 to 19/])),
    ...['5', null, true, [], [5], {}].map((n) => /** @type {Case} */ ([`id ${JSON.stringify(n)}`, id(n),
      'VOCAB', /'c': found .*, expected an id from 0 to 19/])),
    ['pieces of another model', vocab((list) => void list.push(['more', 20])), 'VOCAB', /'more': found 20/],
    ['a piece of a megabyte', vocab((list) => void list.push(['x'.repeat(1_000_000), 99])), 'VOCAB', /'xxx/],
    ['lists in one another', json('vocab.json', { vocab: { a: 1 } }), 'VOCAB', /'vocab': found \[object Object\]/],
  ]);
  await takes('__proto__ is a piece like others', vocab((list) => void (list[5][0] = '__proto__')));
  await takes('half a surrogate pair', vocab((list) => void (list[5][0] = '\ud83d')));
  await takes('toString', vocab((list) => void (list[5][0] = 'toString')));
});

test('lists of files', async () => {
  const files = (/** @type {any} */ value) => json('heed.json', { files: value });
  const sha256 = 'a'.repeat(64);
  await refuseAll('heed.json', [
    ...[null, 7, 'x', [], true].map((value) => /** @type {Case} */ ([`files: ${JSON.stringify(value)}`, files(value),
      'JSON', /files: found .*, expected an object of \{ size, sha256 \} by name/])),
    ...[
      null, 7, [], {}, { size: 5 }, { sha256 }, { size: '5', sha256 }, { size: -1, sha256 }, { size: 0.5, sha256 },
      { size: 2 ** 53, sha256 }, { size: 5, sha256: 'a' }, { size: 5, sha256: 'g'.repeat(64) }, { size: 5, sha256: [] },
    ].map((value) =>
      /** @type {Case} */ ([`a file: ${JSON.stringify(value)}`, files({ 'config.json': value }),
        'JSON', /files: 'config\.json': found .*, expected \{ size, sha256 \}/])),
  ]);
  for (const name of Object.keys(good).filter((key) => key !== 'heed.json')) {
    const size = good[name].length;
    await refuseAll(name, [
      [`${name} is larger`, files({ [name]: { size: size - 1, sha256 } }),
        'HASH', /bytes: found more than \d+, expected \d+ as heed\.json says/],
      [`${name} is smaller`, files({ [name]: { size: size + 1, sha256 } }), 'HASH', /bytes: found \d+, expected \d+/],
      [`${name} is another`, files({ [name]: { size, sha256 } }), 'HASH', /sha256: found [\da-f]{64}, expected a{64}/],
    ]);
    // what is listed must be there, be it one that a model can do without
    const { [name]: missing, ...others } = { ...good, ...files({ [name]: { size, sha256 } }) };
    await assert.rejects(load(others), { status: 'HEED_E_FILE', message: `the given files: ${name} is missing` });
    count();
  }
  await works();
});

test('model directories of other files', async () => {
  const { [W]: _, ...others } = good;
  const names = Object.keys(good);
  for (const name of names) {
    for (const other of names.filter((key) => key !== name)) {
      // any file in the place of any other: an error, unless nothing in it matters
      try {
        await load({ ...good, [name]: good[other] });
        assert.ok(/^heed|^generation|\.spm$/.test(name), `${other} as ${name} loads`);
      } catch (/** @type {any} */ error) {
        const isClear = error instanceof HeedError && error.message.startsWith(`${name}: `);
        assert.ok(isClear, `${other} as ${name}: ${error?.stack}`);
        count();
      }
    }
  }
  for (const [name, data] of /** @type {[string, Uint8Array][]} */ ([
    ['pytorch_model.bin', new Uint8Array()], ['pytorch_model.bin', good[W]], ['pytorch_model.bin', good['config.json']],
    ['model.npz', new Uint8Array()], ['model.npz', good[W]], ['model.npz', good['source.spm']],
  ])) {
    await assert.rejects(load({ ...others, [name]: data }), (/** @type {any} */ error) => {
      assert.ok(error instanceof HeedError && error.message.startsWith(`${name}: `), `${name}: ${error?.stack}`);
      return true;
    });
    count();
  }
  await works();
});
