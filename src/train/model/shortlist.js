// shortlist.js - gives a model directory a shortlist, made by heed-lexicon of aligned corpora; config.json names it, so
// that it is used. For make.js and by hand:
//
//   node src/train/model/shortlist.js --model DIR --out DIR [OPTIONS OF heed-lexicon] ALIGNED...
//
// A model of many pairs has one for all: a list of a piece has its translations in every language, and only that of a
// language token knows the language. A shortlist for each target would save few more rows, and each would be a file
// to download: of 16,000 rows a joint one leaves about a tenth.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';

const NAME = 'lex.s2t.bin';

/**
 * @param {string} model  a directory whose ids are those of source.spm
 * @param {string} out  a copy of it, with the shortlist; may be the same
 * @param {string[]} aligned  files of heed-align
 * @param {string[]} [options]  of heed-lexicon
 */
export function addShortlist(model, out, aligned, options = []) {
  if (out !== model) cpSync(model, out, { recursive: true });
  const path = (/** @type {string} */ name) => join(out, name);
  const read = (/** @type {string} */ name) => JSON.parse(readFileSync(path(name), 'utf8'));
  const config = read('config.json');
  const list = ['--spm', path('source.spm'), '--out', path(NAME), '--eos', String(config.eos_token_id),
    ...options, ...aligned];
  const { status, error } = spawnSync('build/heed-lexicon', list, { stdio: 'inherit' });
  if (error || status !== 0) throw new Error(`build/heed-lexicon: ${error?.message ?? `ended with ${status}`}`);
  const json = (/** @type {unknown} */ value) => `${JSON.stringify(value, null, 2)}\n`;
  writeFileSync(path('config.json'), json({ ...config, shortlist: NAME }));
  const manifest = read('heed.json');
  for (const name of ['config.json', NAME]) {
    const bytes = readFileSync(path(name));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    manifest.files = { ...manifest.files, [name]: { size: bytes.length, sha256 } };
  }
  writeFileSync(path('heed.json'), json(manifest));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const names = ['best', 'least', 'share', 'frequent'];
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: Object.fromEntries(['model', 'out', ...names].map((name) => [name, { type: 'string' }])),
  });
  const { model, out, ...others } = /** @type {Record<string, string>} */ (values);
  if (!model || !out || positionals.length === 0) {
    console.error('usage: shortlist.js --model DIR --out DIR [OPTIONS OF heed-lexicon] ALIGNED...');
    process.exit(2);
  }
  addShortlist(model, out, positionals, Object.entries(others).flatMap(([name, value]) => [`--${name}`, value]));
}
