// refuse.js - model directories that are to be refused, by one instance of the module, which after every list of them
// translates with a good one as it did before. Used by the hostile-*.test.js of model directories.
import assert from 'node:assert/strict';
import { HeedError } from '../../js/index.js';
import { Bench, translate } from '../mutate/bench.js';
import { modelFiles } from '../mutate/model.js';

/** @typedef {Record<string, Uint8Array>} Files */
/**
 * What is wrong, the files that say so, the error.
 *
 * @typedef {[what: string, files: Files, status: string, message: RegExp]} Case
 */

/** Nothing is wrong with it. */
export const good = modelFiles();
const bench = new Bench();
await bench.start();

/** Load these files in place of the good ones, and translate; what was made is freed. @param {Files} files */
export async function load(files) {
  try {
    return translate(await bench.load(files));
  } finally {
    bench.clear();
  }
}

const expected = await load(good);

/** Directories refused so far. */
let refused = 0;
/** One more was. */
export const count = () => ++refused;

/** @param {number} least */
export function checkCount(least) {
  console.log(`# ${refused} malformed directories refused`);
  assert.ok(refused >= least, `${refused} cases, there were ${least}`);
}

/** The instance works as before. */
export const works = async () => assert.deepEqual(await load(good), expected, 'the same instance translates as before');

/** @param {string} file  the one to blame @param {Case[]} cases */
export async function refuseAll(file, cases) {
  for (const [what, files, status, message] of cases) {
    await assert.rejects(
      load({ ...good, ...files }),
      (/** @type {any} */ error) => {
        assert.ok(error instanceof HeedError, `${what}: ${error?.stack}`);
        assert.equal(error.status, `HEED_E_${status}`, `${what}: ${error.message}`);
        assert.ok(error.message.startsWith(`${file}: `), `${what}: ${error.message}`);
        assert.match(error.message, message, what);
        assert.ok(error.message.length < 300, `${what}: a message of ${error.message.length} characters`);
        return true;
      },
      what,
    );
    count();
  }
  await works();
}

/** What is odd and allowed loads. @param {string} what @param {Files} files */
export const takes = (what, files) => assert.doesNotReject(load({ ...good, ...files }), what);
