// Every status of the C core is met once with the input that causes it, as a user would; afterwards the same object, or
// the next load, works. A status that no input reaches is listed with its reason.
import test, { after } from 'node:test';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { HeedError, Tokenizer, Transformer, Translator } from '../js/index.js';
import { whyMissing } from '../js/files/missing.js';
import { relaxedDot } from '../js/wasm/simd.js';
import { Core } from '../js/wasm/core.js';
import { bytes, changeJson, changeWeights, SHIPPED, readFiles, takeApart, TINY, unlisted } from './model-files.js';

const run = promisify(execFile);
/** Statuses met so far. @type {Set<string>} */
const met = new Set();

const NOT_REACHED = {
  HEED_OK: 'it is no error',
  HEED_E_DIVERGED: 'of training: train.test.js meets it',
};

/** @param {unknown} error @param {string} status @param {RegExp} message @param {string} [name] */
function check(error, status, message, name = 'HeedError') {
  assert.ok(error instanceof HeedError, `a HeedError, not ${error}`);
  assert.equal(error.status, status, String(error.message));
  assert.match(error.message, message);
  assert.equal(error.name, name);
  assert.ok(Number.isInteger(error.code) && error.code > 0);
  met.add(status);
  return true;
}

/** Load, and check() how it fails. @param {any} source @param {string} status @param {RegExp} message */
async function loadFails(source, status, message, options = {}, name = undefined) {
  await assert.rejects(Transformer.load(source, options), (error) => check(error, status, message, name));
}

const tiny = readFiles(TINY);
const enDe = unlisted(readFiles(SHIPPED));
const SOURCE = [5, 9, 12, 0];
const model = await Transformer.load(TINY);
const expected = model.generate([SOURCE]);
const works = () => assert.deepEqual(model.generate([SOURCE]), expected, 'the object works afterwards');

test('files that are missing', async () => {
  await loadFails('/nowhere/at/all', 'HEED_E_FILE', /^\/nowhere\/at\/all: config\.json is missing/);
  await loadFails({}, 'HEED_E_FILE', /^the given files: config\.json is missing/);
  const { 'model.safetensors': _, ...others } = tiny;
  await loadFails(others, 'HEED_E_FILE', /model\.safetensors is missing/);
});

test('places that are no model directory', async () => {
  await loadFails('/nowhere/at/all', 'HEED_E_FILE', /at\/all: config\.json is missing: there is no such directory$/);
  for (const place of [`${TINY}/config.json`, `${SHIPPED}/model.safetensors`]) {
    await loadFails(place, 'HEED_E_FILE', /config\.json is missing: found a file, expected a model directory$/);
  }
  const hub = 'https://huggingface.co/Helsinki-NLP/opus-mt-en-de/resolve/main/';
  const message = 'Helsinki-NLP/opus-mt-en-de: config.json is missing: there is no such directory; '
    + `a model of the Hugging Face Hub is at ${hub}`;
  const isSaid = (/** @type {any} */ error) => error.message === message;
  await assert.rejects(Transformer.load('Helsinki-NLP/opus-mt-en-de'), isSaid);
  const pair = { sourceLanguage: 'en', targetLanguage: 'de', model: 'Helsinki-NLP/opus-mt-en-de' };
  for (const worker of [false, true]) await assert.rejects(Translator.create({ ...pair, worker }), isSaid);
  // a directory in which a file is missing has nothing wrong
  await loadFails(fileURLToPath(new URL('.', import.meta.url)), 'HEED_E_FILE', /config\.json is missing$/);
});

test('addresses that are no model directory', async (t) => {
  const server = createServer((_, response) => response.writeHead(404).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  await loadFails(`http://127.0.0.1:${port}/model.safetensors`, 'HEED_E_FILE',
    /config\.json is missing: found the address of a file, expected that of a model directory; a heed/);
  // as a page sees a name, and the page of a model
  const why = (/** @type {string} */ source) => whyMissing(/** @type {any} */ ({}), source);
  const hub = 'https://huggingface.co/org/model/resolve/main/';
  assert.equal(await why('org/model'), `; a model of the Hugging Face Hub is at ${hub}`);
  assert.equal(await why('https://huggingface.co/org/model'), `: expected the address of the files, ${hub}`);
  for (const place of [hub, './models/en-de/', '/models/en-de', 'https://example.org/en-de']) {
    assert.equal(await why(place), '', place);
  }
});

test('new Tokenizer() and new Transformer() say how one is made', () => {
  const make = (/** @type {any} */ type, /** @type {any[]} */ ...args) => () => new type(...args);
  for (const args of [[], [{}], ['models/en-de']]) {
    const message = /^new Tokenizer: found .*Transformer\.load\(\)/;
    assert.throws(make(Tokenizer, ...args), { name: 'TypeError', message });
    assert.throws(make(Transformer, ...args), { name: 'TypeError', message: /^new Transformer: found .*\.load\(\)$/ });
  }
});

test('a broken heed.json', async () => {
  const broken = {
    '{': /^heed\.json: not JSON: /,
    '[]': /^heed\.json: found \[\], expected a JSON object/,
    '<html>': /^heed\.json: found an HTML page/,
    '{ "source": 5 }': /^heed\.json: source: found 5, expected a string$/,
    '{ "target": ["de"] }': /^heed\.json: target: found \[de\], expected a string$/,
    '{ "name": {} }': /^heed\.json: name: found \[object Object\], expected a string$/,
    '{ "files": [] }': /^heed\.json: files: found \[\], expected an object/,
  };
  const pair = { sourceLanguage: 'en', targetLanguage: 'de' };
  for (const [text, message] of Object.entries(broken)) {
    const model = { ...tiny, 'heed.json': bytes(text) };
    await loadFails(model, 'HEED_E_JSON', message);
    await assert.rejects(Translator.create({ ...pair, model }), (error) => check(error, 'HEED_E_JSON', message));
  }
  works();
});

test('servers that answer with something else', async (t) => {
  const server = createServer((request, response) => {
    const [, where, name] = String(request.url).split('/');
    if (where === 'page') response.setHeader('content-type', 'text/html').end('<!DOCTYPE html><title>app</title>');
    else if (where === 'forbidden') response.writeHead(403).end('no');
    else if (where === 'cut') {
      if (name !== 'model.safetensors')
        return void (tiny[name] ? response.end(tiny[name]) : response.writeHead(404).end());
      response.writeHead(200, { 'content-length': tiny[name].length });
      response.write(tiny[name].subarray(0, 9000), () => response.destroy());
    } else response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const address = `http://127.0.0.1:${port}`;
  await loadFails(`${address}/page/`, 'HEED_E_JSON', /^config\.json: found an HTML page/);
  await loadFails(`${address}/missing`, 'HEED_E_FILE', /\/missing: config\.json is missing/);
  await loadFails(`${address}/forbidden`, 'HEED_E_FILE', /config\.json: HTTP 403/, {}, 'NetworkError');
  await loadFails(`${address}/cut`, 'HEED_E_FILE', /model\.safetensors: the connection broke/, {}, 'NetworkError');
  await loadFails('http://127.0.0.1:1/', 'HEED_E_FILE', /cannot be reached/, {}, 'NetworkError');
  works();
});

test('files that are not those that heed.json lists', async () => {
  const listed = readFiles(SHIPPED);
  const weights = listed['model.safetensors'];
  const [last, header] = [weights.slice(), weights.slice()];
  last[last.length - 1] ^= 1;
  header[0] ^= 1;
  const changes = {
    'config.json': new Uint8Array([...listed['config.json'], 32]),
    'source.spm': listed['source.spm'].with(1000, 7),
    'model.safetensors': last,
  };
  for (const [name, changed] of Object.entries(changes)) {
    await loadFails({ ...listed, [name]: changed }, 'HEED_E_HASH',
      new RegExp(`^${name}: (bytes|sha256): found .*, expected `));
  }
  // what is wrong with it is not what to say: that it is another file is
  await loadFails({ ...listed, 'model.safetensors': header }, 'HEED_E_HASH', /^model\.safetensors: sha256: found /);
  await loadFails({ ...listed, 'model.safetensors': weights.subarray(0, -1) }, 'HEED_E_HASH',
    new RegExp(`: bytes: found ${weights.length - 1}, expected ${weights.length}`));
  for (const files of [3, [], { a: null }, { a: { size: -1, sha256: '0'.repeat(64) } },
    { a: { size: 1, sha256: 'x' } }]) {
    await loadFails({ ...listed, 'heed.json': bytes(JSON.stringify({ files })) }, 'HEED_E_JSON', /^heed\.json: files/);
  }
  works();
});

test('invalid JSON', async () => {
  await loadFails({ ...tiny, 'config.json': bytes('<html>') }, 'HEED_E_JSON', /^config\.json: found an HTML page/);
  await loadFails({ ...tiny, 'config.json': bytes('{"a":') }, 'HEED_E_JSON', /^config\.json: not JSON/);
  await loadFails({ ...tiny, 'config.json': new Uint8Array([0x80]) }, 'HEED_E_JSON', /^config\.json: not UTF-8/);
  await loadFails({ ...tiny, 'generation_config.json': bytes('[]') }, 'HEED_E_JSON', /^generation_config\.json: found/);
  await loadFails(
    { ...enDe, 'vocab.json': bytes('{"a":0,"a":1}') },
    'HEED_E_JSON',
    /^vocab\.json: the key 'a' occurs twice/,
  );
});

test('configurations that make no sense, by key, with what was found', async () => {
  /** @type {[key: string, value: unknown, message: RegExp][]} */
  const cases = [
    ['model_type', 'bert', /found 'bert', expected 'marian'/],
    ['model_type', undefined, /found undefined/],
    ['activation_function', 'mish', /found 'mish', expected one of relu,gelu,swish,gelu_new,silu/],
    ['activation_function', '__proto__', /expected one of relu/],
    ['activation_function', null, /expected one of relu/],
    ['encoder_attention_heads', 5, /found 5: must divide d_model/],
    ['decoder_attention_heads', 0, /found 0/],
    ['d_model', '32', /found '32', expected an integer/],
    ['d_model', 32.5, /found 32\.5/],
    ['d_model', 2 ** 31, /found 2147483648/],
    ['d_model', -32, /found -32/],
    ['encoder_layers', 1e9, /found 1000000000/],
    ['encoder_layers', true, /found true/],
    ['normalize_before', 1, /found 1, expected true or false/],
    ['vocab_size', 0, /found 0/],
    ['vocab_size', null, /found null/],
    ['decoder_vocab_size', 66, /decoder_vocab_size: found 66: must equal vocab_size/],
    ['eos_token_id', 67, /found id 67/],
    ['decoder_start_token_id', -1, /found -1/],
    ['num_beams', 0, /found 0, expected a whole number from 1 to 64/],
    ['max_length', 'long', /found 'long'/],
    ['length_penalty', 'x', /found 'x', expected a number/],
    ['length_penalty', 1e300, /found 1e\+300, expected a number/],
    ['num_beams', 65, /found 65, expected a whole number from 1 to 64/],
    ['bad_words_ids', 7, /expected an array of arrays of ids/],
    ['bad_words_ids', [[]], /bad_words_ids\[0\]: found \[\], expected at least one id/],
    ['bad_words_ids', [[67]], /bad_words_ids\[0\]\[0\]: found id 67, expected 0 to 66/],
    ['eos_token_id', [0, 67], /eos_token_id\[1\]: found id 67, expected 0 to 66/],
    ['early_stopping', 'always', /found 'always', expected true, false or 'never'/],
    ['repetition_penalty', 0, /found 0, expected a number from 0\.001 to 1000/],
    ['suppress_tokens', 5, /found 5, expected an array of ids/],
    ['begin_suppress_tokens', [-1], /begin_suppress_tokens\[0\]: found id -1/],
    ['forced_bos_token_id', [5], /found \[5\], expected an id/],
    ['forced_eos_token_id', [0, 1.5], /forced_eos_token_id\[1\]: found 1\.5/],
    ['renormalize_logits', 1, /found 1, expected true or false/],
  ];
  const { 'generation_config.json': _, ...files } = tiny;
  for (const [key, value, message] of cases) {
    const changed = changeJson(files, 'config.json', (json) => ({ ...json, [key]: value }));
    await loadFails(
      changed,
      'HEED_E_CONFIG',
      new RegExp(`^config\\.json: ${key}: .*${message.source}|^config\\.json: ${message.source}`),
    );
  }
  await loadFails(
    { ...tiny, 'generation_config.json': bytes('{"num_beams":1.5}') },
    'HEED_E_CONFIG',
    /^generation_config\.json: num_beams: found 1\.5/,
  );
});

test('a model that cannot fit in memory, and one that its weights cannot fill', async () => {
  const change = (/** @type {number} */ width) => (/** @type {any} */ json) =>
    ({ ...json, vocab_size: 2 ** 24, decoder_vocab_size: 2 ** 24, d_model: width });
  const huge = changeJson(tiny, 'config.json', change(65536));
  await loadFails(huge, 'HEED_E_MEMORY', /^config\.json: out of memory, HEED_E_MEMORY/);
  // there would be memory for it, but not for a claim alone
  const large = changeJson(tiny, 'config.json', change(32));
  await loadFails(large, 'HEED_E_CONFIG',
    /^config\.json: found a model of 2\d{9} bytes, expected \d+ at most for model\.safetensors/);
  works();
});

test('weights that are not what the configuration asks for', async () => {
  const NAME = 'model.encoder.layers.0.fc1.weight';
  const change = (/** @type {Parameters<typeof changeWeights>[1]} */ f) => changeWeights(tiny, f);
  await loadFails(
    change((h) => void ((h.extra = h[NAME]), delete h[NAME])),
    'HEED_E_TENSOR_UNKNOWN',
    /model\.safetensors: extra: /,
  );
  await loadFails(
    change((h) => void ((h[`${NAME}\0`] = h[NAME]), delete h[NAME])),
    'HEED_E_TENSOR_UNKNOWN',
    /model\.safetensors: /,
  );
  await loadFails(
    change((h) => h[NAME].shape.reverse()),
    'HEED_E_TENSOR_SHAPE',
    /fc1\.weight: found shape \[32,48\], expected \[48,32\]/,
  );
  await loadFails(
    change((h) => void (h[NAME].shape = [48 * 32])),
    'HEED_E_TENSOR_SHAPE',
    /found shape \[1536\]/,
  );
  const bias = 'model.encoder.layers.0.fc1.bias';
  await loadFails(
    change((h) => void (h[bias].shape = [2, 24])),
    'HEED_E_TENSOR_SHAPE',
    /found shape \[2,24\], expected \[48\]/,
  );
  const double = change((h) => Object.assign(h[bias], { dtype: 'F64', shape: [24] }));
  await loadFails(double, 'HEED_E_TENSOR_DTYPE', /fc1\.bias: dtype: found 'F64'/);
  const int8 = change((h) => Object.assign(h[bias], { dtype: 'I8', shape: [192] }));
  await loadFails(int8, 'HEED_E_TENSOR_DTYPE', /fc1\.bias: I8: HEED_E_TENSOR_DTYPE/);
  for (const number of [NaN, Infinity, -Infinity]) {
    const poisoned = change((h, data) =>
      new DataView(data.buffer).setFloat32(h[NAME].data_offsets[0] + 400, number, true),
    );
    await loadFails(poisoned, 'HEED_E_TENSOR_VALUE', /fc1\.weight: HEED_E_TENSOR_VALUE/);
  }
  // a model whose last layer is not in the file
  const more = changeJson(tiny, 'config.json', (json) => ({ ...json, encoder_layers: 3 }));
  await loadFails(more, 'HEED_E_TENSOR_MISSING', /model\.encoder\.layers\.2\./);
  const less = changeJson(tiny, 'config.json', (json) => ({ ...json, encoder_layers: 1 }));
  await loadFails(less, 'HEED_E_TENSOR_UNKNOWN', /model\.encoder\.layers\.1\./);
  works();
});

test('weights that are finite but too large to compute with', async () => {
  const huge = changeWeights(tiny, (h, data) => {
    const view = new DataView(data.buffer);
    const [from, to] = h['model.shared.weight'].data_offsets;
    for (let at = from; at < to; at += 4) view.setFloat32(at, at % 8 ? 3e38 : -3e38, true);
  });
  const overflows = await Transformer.load(huge);
  for (const options of [{ beams: 1 }, { beams: 4 }]) {
    assert.throws(
      () => overflows.generate([SOURCE], options),
      (error) => check(error, 'HEED_E_TENSOR_VALUE', /^generate: HEED_E_TENSOR_VALUE/),
    );
  }
  overflows.dispose();
  works();
});

test('weights that are cut, or go on', async () => {
  const weights = tiny['model.safetensors'];
  const { data } = takeApart(weights);
  const header = weights.length - data.length;
  for (const n of [0, 7, 8, 9, header - 1, header, header + 1, weights.length - 4, weights.length - 1]) {
    await loadFails(
      { ...tiny, 'model.safetensors': weights.subarray(0, n) },
      'HEED_E_SAFETENSORS',
      /^model\.safetensors/,
    );
  }
  const longer = new Uint8Array(weights.length + 1);
  longer.set(weights);
  await loadFails({ ...tiny, 'model.safetensors': longer }, 'HEED_E_SAFETENSORS', /bytes after the last tensor/);
  await loadFails(
    { ...tiny, 'model.safetensors': bytes('<!doctype html><title>Not found</title>') },
    'HEED_E_SAFETENSORS',
    /./,
  );
  works();
});

test('tokenizers that cannot be used', async () => {
  for (const spm of [new Uint8Array(), bytes('<html>'), enDe['source.spm'].subarray(0, 1000)]) {
    await loadFails({ ...enDe, 'source.spm': spm }, 'HEED_E_SPM', /^source\.spm: /);
  }
  const vocabulary = (/** @type {(json: any) => any} */ f) => changeJson(enDe, 'vocab.json', f);
  await loadFails(
    vocabulary((v) => void (v['.'] = Object.keys(v).length)),
    'HEED_E_VOCAB',
    /^vocab\.json: '\.': found (8000|16000), expected an id from 0 to (7999|15999)/,
  );
  await loadFails(
    vocabulary((v) => void (v['.'] = '3')),
    'HEED_E_VOCAB',
    /found '3'/,
  );
  await loadFails(
    vocabulary((v) => void (v['.'] = 3.5)),
    'HEED_E_VOCAB',
    /found 3\.5/,
  );
  await loadFails(
    vocabulary((v) => void (v['.'] = 4)),
    'HEED_E_VOCAB',
    /id 4 is both/,
  );
  await loadFails(
    vocabulary((v) => void delete v['<unk>']),
    'HEED_E_VOCAB',
    /no <unk>/,
  );
  await loadFails(
    vocabulary((v) => void delete v['</s>']),
    'HEED_E_VOCAB',
    /no piece with id 2, the eos_token_id/,
  );

  assert.throws(
    () => model.tokenizer,
    (error) => check(error, 'HEED_E_TOKENIZER', /missing: .*vocab\.json/),
  );
  works();
  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: SHIPPED });
  await assert.rejects(
    Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: SHIPPED, language: 'ita' }),
    (error) => check(error, 'HEED_E_LANGUAGE', /found 'ita', available: /),
  );
  assert.equal(await translator.translate('Good morning.'), 'Guten Morgen.');
  translator.destroy();
});

test('ids and lengths that the model does not have', () => {
  for (const f of [
    (/** @type {any} */ ids) => model.encode(ids),
    (/** @type {any} */ ids) => model.forward(ids, SOURCE),
    (/** @type {any} */ ids) => model.forward(SOURCE, ids),
    (/** @type {any} */ ids) => model.attention(ids, SOURCE),
    (/** @type {any} */ ids) => model.generate([SOURCE, ids]),
  ]) {
    assert.throws(
      () => f([5, 67]),
      (error) => check(error, 'HEED_E_ID', /\[1\]: found id 67, expected 0 to 66/),
    );
    assert.throws(
      () => f([-1]),
      (error) => check(error, 'HEED_E_ID', /\[0\]: found id -1/),
    );
    assert.throws(
      () => f([]),
      (error) => check(error, 'HEED_E_LENGTH', /found 0 ids, expected 1 to 48/),
    );
    assert.throws(
      () => f(new Int32Array(49)),
      (error) => check(error, 'HEED_E_LENGTH', /found 49 ids, expected 1 to 48/),
    );
    for (const wrong of [undefined, null, 5, ['5'], [1.5], [5n]]) assert.throws(() => f(wrong), TypeError);
    works();
  }
  assert.throws(() => model.generate([SOURCE, , SOURCE]), /^TypeError: sources\[1\]: found undefined/); // a hole
  assert.throws(
    () => model.generate([SOURCE], { prefix: [67] }),
    (error) => check(error, 'HEED_E_ID', /^prefix\[0\]/),
  );
  assert.throws(
    () => model.generate([SOURCE], { prefix: new Int32Array(48) }),
    (error) => check(error, 'HEED_E_LENGTH', /^prefix/),
  );
  works();
});

test('more than the core can do', () => {
  const { core, pass } = model.internals();
  assert.throws(
    () => core.call('a head', 'heed_session_set_head', pass(1, 1), 9, 0, 0, 0),
    (error) => check(error, 'HEED_E_ARGUMENT', /^a head/),
  );
  // a number, but past the core's 32-bit floats
  assert.throws(() => model.generate([SOURCE], { lengthPenalty: 1e300 }),
    { name: 'RangeError', message: /^lengthPenalty: found 1e\+300/ });
  assert.throws(() => model.generate([SOURCE], { beams: 65 }), { name: 'RangeError', message: /beams: found 65/ });
  works();
});

test('an object that was disposed, or is busy', async () => {
  const run = model.generateSteps([SOURCE]);
  run.next();
  assert.throws(
    () => model.generate([SOURCE]),
    (error) => check(error, 'HEED_E_STATE', /has not ended/),
  );
  assert.equal(model.encode(SOURCE).shape[0], 4, 'other calls go on');
  run.return([]);
  works();

  const gone = await Transformer.load(SHIPPED);
  const { tokenizer } = gone;
  const resting = gone.generateSteps([[5, 2]]);
  resting.next();
  gone.dispose();
  gone.dispose();
  for (const f of [
    () => gone.encode([2]),
    () => gone.forward([2], [2]),
    () => gone.attention([2], [2]),
    () => gone.generate([[2]]),
    () => gone.info,
    () => gone.tokenizer,
    () => tokenizer.encode('a'),
    () => tokenizer.decode([5]),
    () => resting.next(),
  ])
    assert.throws(f, (error) => check(error, 'HEED_E_STATE', /was disposed/), String(f));

  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: SHIPPED });
  translator.destroy();
  translator[Symbol.dispose]();
  await assert.rejects(translator.translate('a'), { name: 'AbortError' });
});

test('a host without WebAssembly is told so', async () => {
  const program = `
    const { Transformer } = await import(${JSON.stringify(new URL('../js/index.js', import.meta.url).href)});
    const error = await Transformer.load(${JSON.stringify(TINY)}).catch((error) => error);
    console.log(error.name, error.status, error.message);`;
  const { stdout } = await run(process.execPath, ['--jitless', '--input-type=module', '-e', program]);
  assert.equal(stdout, 'NotSupportedError HEED_E_WASM this host lacks WebAssembly\n');
});

test('wasm modules that are none, or not ours', async () => {
  await loadFails(TINY, 'HEED_E_WASM', /^heed\.wasm: \/nowhere\.wasm: ENOENT/, { wasm: '/nowhere.wasm' });
  await loadFails(TINY, 'HEED_E_WASM', /^heed\.wasm: WebAssembly\.compile/, { wasm: bytes('hello') });
  const empty = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
  await loadFails(TINY, 'HEED_E_WASM', /not the module of heed/, { wasm: empty });
  const heed = new URL('../js/heed.wasm', import.meta.url);
  const { simd } = model.info;
  if (relaxedDot() === 'none') {
    await loadFails(TINY, 'HEED_E_WASM', /lacks WebAssembly relaxed SIMD/, { simd: 'relaxed' }, 'NotSupportedError');
  } else {
    await loadFails(TINY, 'HEED_E_WASM', /asked for 'relaxed', the given module is 'simd128'/, {
      simd: 'relaxed',
      wasm: heed,
    });
  }
  assert.equal((await Transformer.load(TINY, { simd: 'simd128' })).info.simd, 'simd128', `auto is ${simd}`);
  assert.ok(await Transformer.load(TINY), 'the next load works');
});

test('a policy that forbids WebAssembly is told, and what to do; so is a host without memory', async (t) => {
  const wasm = readFileSync(new URL('../js/heed.wasm', import.meta.url));
  const hint = /^.+: add 'wasm-unsafe-eval' to script-src$/; // in one line
  // the words of Chromium 156, Firefox 153 and WebKitGTK; everywhere.test.js asks the browsers
  for (const words of [
    'WebAssembly.compile(): Compiling or instantiating WebAssembly module violates the following Content Security'
      + " policy directive because 'unsafe-eval' is not an allowed source of script in the following Content Security"
      + ' Policy directive: "script-src \'self\'".',
    'call to WebAssembly.compile() blocked by CSP',
    "Refused to create a WebAssembly object because 'unsafe-eval' or 'wasm-unsafe-eval' is not an allowed source of"
      + ' script in the following Content Security Policy directive: "script-src \'self\'".\n'
      + " (evaluating 'WebAssembly.instantiate(module, {})')",
  ]) {
    function refuse() {
      throw new WebAssembly.CompileError(words);
    }
    const compile = t.mock.method(WebAssembly, 'compile', async () => refuse());
    await loadFails(TINY, 'HEED_E_WASM', hint, { wasm });
    // the probe of the relaxed build comes first, and does not wait
    const probe = [t.mock.method(WebAssembly, 'validate', () => true), t.mock.method(WebAssembly, 'Module', refuse)];
    await loadFails(TINY, 'HEED_E_WASM', hint, { simd: 'relaxed' });
    for (const { mock } of [compile, ...probe]) mock.restore();
  }
  const other = t.mock.method(WebAssembly, 'compile', () => Promise.reject(new WebAssembly.CompileError('byte 7')));
  await loadFails(TINY, 'HEED_E_WASM', /^heed\.wasm: byte 7$/, { wasm });
  other.mock.restore();
  t.mock.method(WebAssembly, 'instantiate', () => Promise.reject(new RangeError(
    'WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory for new instance')));
  await loadFails(TINY, 'HEED_E_MEMORY', /^heed\.wasm: out of memory, HEED_E_MEMORY$/, { wasm });
});

test('a module that traps answers no more', () => {
  const core = new Core(
    {
      memory: new WebAssembly.Memory({ initial: 1 }),
      malloc: () => 8,
      heed_status_name: () => 0,
      fine: () => 0,
      trap() {
        throw new WebAssembly.RuntimeError('unreachable');
      },
    },
    'simd128',
  );
  assert.equal(core.run('fine'), 0);
  assert.throws(
    () => core.run('trap'),
    (error) => check(error, 'HEED_E_WASM', /broke: RuntimeError: unreachable/),
  );
  assert.throws(
    () => core.run('fine'),
    (error) => check(error, 'HEED_E_WASM', /broke before/),
  );
});

test('the spelling is that of the C core, for every number', () => {
  const header = readFileSync(new URL('../src/base/status.h', import.meta.url), 'utf8');
  for (const [, name, number] of header.matchAll(/\b(HEED_E_\w+) = (\d+)/g)) {
    assert.equal(new HeedError(Number(number), '').status, name);
  }
});

after(() => {
  const header = readFileSync(new URL('../src/base/status.h', import.meta.url), 'utf8');
  const all = [...header.matchAll(/\b(HEED_\w+) = \d+/g)].map(([, name]) => name);
  const missing = all.filter((name) => !met.has(name) && !(name in NOT_REACHED));
  assert.deepEqual(missing, [], 'statuses that no test meets');
  assert.deepEqual(
    Object.keys(NOT_REACHED).filter((name) => met.has(name)),
    [],
    'statuses that are met after all',
  );
});
