// verify.js - `heed verify`: compares the files of a model with the sizes and sha256 in its heed.json; used by cli.js.

import { createHash } from 'node:crypto';
import { E_JSON } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { describe, mismatch, parseJson } from '../base/json.js';
import { openSource } from '../files/source.js';

/**
 * @param {string} source  a model directory or the URL of one
 * @returns {AsyncGenerator<{ name: string, size: number, problem: string | undefined }>}  each file as it is read
 */
export async function* verify(source) {
  const files = await openSource(source);
  const { files: stated } = parseJson(await files.read('heed.json'), 'heed.json');
  const isObject = typeof stated === 'object' && stated !== null && !Array.isArray(stated);
  if (!isObject || Object.keys(stated).length === 0) {
    throw new HeedError(E_JSON, mismatch('heed.json: files', stated, 'sizes and sha256 by file name'));
  }
  const entries = Object.entries(/** @type {Record<string, any>} */ (stated)).map(([name, entry]) => {
    const { size, sha256 } = entry ?? {};
    const fits = Number.isSafeInteger(size) && size >= 0 && /^[\da-f]{64}$/i.test(String(sha256));
    if (!fits) {
      throw new HeedError(E_JSON, mismatch(`heed.json: files: ${name}`, describe(sha256), 'a size and a sha256'));
    }
    // a manifest is untrusted: it may name only files of its own directory
    if (!/^[^/\\]+$/.test(name) || name === '..' || name === '.') {
      throw new HeedError(E_JSON, mismatch('heed.json: files', name, 'names without a path'));
    }
    return { name, size, sha256: String(sha256).toLowerCase() };
  });
  for (const { name, size, sha256 } of entries) {
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
