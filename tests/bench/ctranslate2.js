// ctranslate2.js - CTranslate2 as an engine of engines.js: native, in a process of Python, on one thread. Used by
// node.js. CTRANSLATE2_PYTHON: a Python that has it (pip install ctranslate2); default: python3.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('ctranslate2.py', import.meta.url));

/**
 * @param {string} folder  of the model in F32
 * @param {string} dtype
 * @throws a NotSupportedError if Python has no CTranslate2
 */
export async function ctranslate2(folder, dtype) {
  const python = process.env.CTRANSLATE2_PYTHON ?? 'python3';
  const child = spawn(python, [PROGRAM, folder, dtype], { stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.on('data', (data) => (said += data));
  const failed = new Promise((_, reject) => {
    const fail = () => reject(/ENOENT|No module named/.test(said)
      ? Object.assign(new Error(`${python} has no CTranslate2`), { name: 'NotSupportedError' }) : new Error(said));
    child.once('error', (error) => fail(said = String(error)));
    child.once('close', fail);
  });
  failed.catch(() => {}); // nobody waits when it is disposed of
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await Promise.race([lines.next(), failed])).value ?? await failed);
  const { version } = await next();
  return {
    name: `CTranslate2 ${version}, native`,
    async translate(sources, length) {
      child.stdin.write(`${JSON.stringify({ sources: sources.map((ids) => [...ids]), length })}\n`);
      return (await next()).map((ids) => Int32Array.from(ids));
    },
    async dispose() {
      child.stdin.end();
    },
  };
}
