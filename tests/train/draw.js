// draw.js - what the tests of the trainer's data share: files of pairs, a vocabulary with two language tokens, and the
// batches that build/train-drawn prints.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { instantiate } from '../../js/wasm/module.js';
import { pieceField, writeMessage } from '../mutate/model.js';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const [program, drawn] = ['build/heed-train', 'build/train-drawn'].map((file) => join(root, file));
const missing = [program, drawn].filter((file) => !existsSync(file));
/** Why tests cannot run, or false. */
export const skip = missing.length > 0 && `missing: ${missing.join(', ')}; make builds them`;

/** Gone with the tests' end: the caller removes it. */
export const folder = mkdtempSync(join(tmpdir(), 'heed-data-'));
/** @param {string} name */
export const path = (name) => join(folder, name);

/** A file of pairs. @param {string} name @param {string[][]} pairs */
export function write(name, pairs) {
  writeFileSync(path(name), pairs.map((columns) => `${columns.join('\t')}\n`).join(''));
  return path(name);
}

/** The golden vocabulary of this name. */
export const goldenSpm = (/** @type {string} */ name) => join(root, 'tests/golden/text', name);
const base = readFileSync(goldenSpm('unigram-bytes.spm'));
/** It, and behind it two languages: >>de<<, then >>fr<<. */
export const spm = path('languages.spm');
writeFileSync(spm, Buffer.concat([base, writeMessage([pieceField('>>de<<', 0, 3), pieceField('>>fr<<', 0, 4)])]));

const core = await instantiate();
const { handle: tokenizer, pieces: { types, piece } } = core.tokenizer('languages.spm', new Uint8Array(base));
/** How many pieces there are before the languages. */
export const PIECES = types.length;
/** heed-train's default eos_token_id. */
const EOS = 2;
/** Ids as heed-train has them, </s> and all. @param {string} text */
export const encode = (text) => [...core.tokenizerEncode(tokenizer, text).ids, EOS];
/** @param {number[]} ids  with </s> */
export const decode = (ids) => core.tokenizerDecode(tokenizer, ids.slice(0, -1).map((id) => piece(id)));

/** @param {string} binary @param {string[]} list */
const run = (binary, list) => spawnSync(binary, list, { encoding: 'utf8', maxBuffer: 1 << 28 });
/** train-drawn with arguments that it refuses. @param {string[]} list */
export const drawRaw = (...list) => run(drawn, ['--spm', spm, '--out', folder, ...list]);

/**
 * Batches as train-drawn prints them, links as "source-target"; of later options of the same name the last counts.
 *
 * @param {string[]} list
 * @returns {{ pairs: any[][][], skipped: number, places: number[][] }[]}
 */
export function draw(...list) {
  const { status, stdout, stderr } = drawRaw(...list);
  assert.equal(status, 0, stderr);
  const batches = [];
  let pairs = [];
  for (const [kind, ...fields] of stdout.trim().split('\n').map((line) => line.split('\t'))) {
    if (kind === 'pair') pairs.push(fields.map((side, i) => side.split(' ').map(i < 2 ? Number : String)));
    else {
      const [skipped, ...places] = fields.map(Number);
      batches.push({ pairs, skipped, places: places.flatMap((_, i) => (i % 2 ? [] : [places.slice(i, i + 2)])) });
      pairs = [];
    }
  }
  return batches;
}

/** A tiny model in a batch of 64 tokens. */
const SMALL = [
  ...['d_model', 'encoder_ffn_dim', 'decoder_ffn_dim'].flatMap((key) => ['--config', `${key}=8`]),
  ...['encoder_layers', 'decoder_layers'].flatMap((key) => ['--config', `${key}=1`]),
  ...['--threads', '1', '--gemm', 'plain', '--batch', '64', '--part', '128', '--report', '1', '--evaluate', '2'],
];
/** heed-train. @param {string} out  in the folder @param {string[]} more */
export const train = (out, ...more) => run(program, ['--spm', spm, '--out', path(out), ...SMALL, ...more]);

const WORDS = 'house tree river stone cloud green small under walks sings never today'.split(' ');
/** Two to eight words, or n. @param {number} i */
export const sentence = (i, n = 2 + (i % 7)) =>
  Array.from({ length: n }, (_, j) => WORDS[(i * 5 + j * j * 3) % 12]).join(' ');
