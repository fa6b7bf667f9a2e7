// verify.js - `heed verify`: compares the files of a model with the sizes and sha256 in its heed.json; used by cli.js.

import { createHash } from 'node:crypto';
import { E_JSON } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { mismatch, parseJson } from '../base/json.js';
import { listedFiles, openSource } from '../files/source.js';

/**
 * @param {string} source  a model directory or the URL of one
 * @returns {AsyncGenerator<{ name: string, size: number, problem: string | undefined }>}  each file as it is read
 */
export async function* verify(source) {
  const files = await openSource(source);
  const manifest = parseJson(await files.read('heed.json'), 'heed.json');
  const listed = [...listedFiles(manifest)];
  if (listed.length === 0) {
    throw new HeedError(E_JSON, mismatch('heed.json: files', manifest.files, 'sizes and sha256 by file name'));
  }
  // a manifest is untrusted: it may name only files of its own directory
  const outside = listed.find(([name]) => !/^[^/\\]+$/.test(name) || name === '..' || name === '.');
  if (outside) throw new HeedError(E_JSON, mismatch('heed.json: files', outside[0], 'names without a path'));
  for (const [name, { size, sha256 }] of listed) {
    const chunks = await files.find(name, true);
    if (!chunks) {
      yield { name, size: 0, problem: 'is missing' };
      continue;
    }
    const hash = createHash('sha256');
    let found = 0;
    try {
      for (let chunk; (chunk = await chunks.next()); found += chunk.length) hash.update(chunk);
    } finally {
      await chunks.close();
    }
    const digest = hash.digest('hex');
    const problem =
      found !== size
        ? `found ${found} bytes, expected ${size}`
        : digest !== sha256
          ? `found sha256 ${digest}, expected ${sha256}`
          : undefined;
    yield { name, size: found, problem };
  }
}
