// build.js - builds the documentation beside the page: guides, a reference made of the types, results of benchmarks,
// and the examples that run in a page, with the package that they import: `make docs`.
//
//   node web/guides/build.js [FOLDER]     default: build/site
//
// TypeDoc makes all pages, since it reads the types, Markdown and code of other files, and has a search and both
// colours. Needs build/js (`make package`).

import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Application } from 'typedoc';
import { benchmarksPage } from './benchmarks.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const from = (/** @type {string} */ path) => join(root, path);
/** The guides in the order of the menu; index.md is the first page. */
const GUIDES = [
  'page', 'worker', 'react', 'server', 'many-machines', 'hosts', 'extension', 'stored', 'subtitles', 'own-model',
  'fine-tuning', 'coming-from', 'examples', 'benchmarks', 'record',
];
/** The examples that a page opens without a build. */
export const LIVE = ['page', 'worker', 'attention'];
/** Entry points of the package; heed/inline is not among them, as it has the types of `index`. */
export const ENTRIES = ['index', 'dom', 'element', 'ops', 'train', 'polyfill', 'cache', 'worker'];

/** Addresses in the guides of what is not a guide. @param {string} top  path to the folder of the site */
const addresses = (top) => /** @type {[RegExp, string][]} */ ([
  [/href="example:([\w-]+)"/g, `href="${top}web/examples/$1/index.html"`],
  [/href="site:([^"]*)"/g, `href="${top}$1"`],
]);

/** @param {string} folder  where the page is, or will be */
export async function buildDocs(folder) {
  const out = join(folder, 'docs');
  const sources = from('build/docs');
  for (const place of [out, sources]) await rm(place, { recursive: true, force: true });
  // the guides name the examples by ../examples, here as there
  await cp(from('web/guides'), join(sources, 'guides'), { recursive: true });
  await cp(from('web/examples'), join(sources, 'examples'), { recursive: true });
  await writeFile(join(sources, 'guides/benchmarks.md'), await benchmarksPage(from('tests/bench/results')));

  const app = await Application.bootstrap({
    name: 'heed',
    entryPoints: ENTRIES.map((name) => from(`js/${name}.js`)),
    tsconfig: from('tsconfig.json'),
    readme: join(sources, 'guides/index.md'),
    projectDocuments: GUIDES.map((name) => join(sources, `guides/${name}.md`)),
    sort: ['source-order'],
    // make types checks them
    skipErrorChecking: true,
    // those of lib.dom, which a class inherits: HeedTranslate would have 500
    excludeExternals: true,
    disableSources: true,
    disableGit: true,
    githubPages: false,
    hideGenerator: true,
    // a typedef that imports its type is the only name that people see
    validation: { notExported: false },
    highlightLanguages: ['javascript', 'typescript', 'json', 'html', 'css', 'shellscript', 'python'],
    logLevel: 'Warn',
  });
  const project = await app.convert();
  if (!project) throw new Error('TypeDoc could not read the types');
  app.validate(project);
  await app.generateDocs(project, out);
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error('TypeDoc had warnings, see above');

  for (const name of /** @type {string[]} */ (await readdir(out, { recursive: true }))) {
    if (!name.endsWith('.html')) continue;
    const file = join(out, name);
    let text = await readFile(file, 'utf8');
    const top = '../'.repeat(relative(folder, file).split(sep).length - 1);
    for (const [pattern, address] of addresses(top)) text = text.replace(pattern, address);
    await writeFile(file, text);
  }

  for (const name of LIVE) {
    await cp(from(`web/examples/${name}`), join(folder, 'web/examples', name), { recursive: true });
  }
  await mkdir(join(folder, 'js'), { recursive: true });
  await cp(from('build/js'), join(folder, 'js'), { recursive: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = resolve(process.argv[2] ?? from('build/site'));
  await buildDocs(folder);
  console.log(`${join(folder, 'docs')}: guides and reference`);
}
