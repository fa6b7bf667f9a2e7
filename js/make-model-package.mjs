// make-model-package.mjs - packs build/models/heed-model-NAME.tgz, a package of a model that heed finds when it is
// installed or imported; see translate/installed.js. Run by the Makefile: make-model-package.mjs DIRECTORY
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listedFiles } from './files/source.js';
import { pairsOf } from './model/languages.js';

const directory = resolve(process.argv[2]);
const manifest = JSON.parse(readFileSync(join(directory, 'heed.json'), 'utf8'));
const { version, repository } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const pairs = pairsOf(manifest);
const files = ['heed.json', ...listedFiles(manifest).keys()];
const name = `heed-model-${basename(directory)}`;
const packed = fileURLToPath(new URL('../build/models/', import.meta.url));
const out = mkdtempSync(join(tmpdir(), `${name}-`));

for (const file of files) copyFileSync(join(directory, file), join(out, file));
const write = (/** @type {string} */ file, /** @type {string} */ text) => writeFileSync(join(out, file), text);
const json = (/** @type {unknown} */ value) => `${JSON.stringify(value, null, 2)}\n`;
const languages = [...new Set(pairs.flat())].join(', ');

write('package.json', json({
  name,
  version,
  description: `A translation model for heed: ${languages}`,
  keywords: ['heed', 'heed-model', 'translation', 'model'],
  license: manifest.license,
  repository, // only in a release, see release.yml
  type: 'module',
  sideEffects: ['./index.js'],
  exports: {
    '.': { types: './index.d.ts', default: './index.js' },
    ...Object.fromEntries(['index.json', 'package.json', ...files].map((file) => [`./${file}`, `./${file}`])),
  },
  files: ['index.js', 'index.d.ts', 'index.json', ...files],
}));
write('index.json', json({ format: 1, models: pairs.map(([source, target]) => ({ source, target, path: './' })) }));
// bundlers know files by exactly this expression
write('index.js', `// Importing this package is enough: Translator.create({ sourceLanguage, targetLanguage }) of heed finds its model.
export const pairs = ${JSON.stringify(pairs)};
export const files = {
${files.map((file) => `  '${file}': new URL('./${file}', import.meta.url).href,\n`).join('')}};
(globalThis[Symbol.for('heed.models')] ??= []).push({ pairs, files });
`);
write('index.d.ts', `/** Source and target languages. */
export declare const pairs: [source: string, target: string][];
/** The addresses of the files by name: what the option \`model\` takes. */
export declare const files: Record<string, string>;
`);
write('README.md', `# ${name}

A translation model for [heed](https://www.npmjs.com/package/heed): ${languages}, in ${pairs.length} directions. Its data and
its scores are in \`heed.json\`. Licence: ${manifest.license}.

    npm install heed ${name}
    npx heed translate --to ${pairs[0][1]} "Hello"

heed finds it: \`Translator.create({ sourceLanguage: '${pairs[0][0]}', targetLanguage: '${pairs[0][1]}' })\`. In a page, import it:

    import { Translator } from 'heed';
    import '${name}';
`);

mkdirSync(packed, { recursive: true });
execFileSync('npm', ['pack', '--silent', '--pack-destination', packed], { cwd: out });
renameSync(join(packed, `${name}-${version}.tgz`), join(packed, `${name}.tgz`));
rmSync(out, { recursive: true });
