// chunks.js - writes the chunks that esbuild made of the page, those that always load together as one file: fewer
// requests, and they compress better. Used by build.js.
//
//   esbuild makes a chunk of the modules that the same entry points need   ->   33 files before the first translation
//   groups: what the page, its worker or both need at once   ->   three files

import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { build } from 'esbuild';

/** What is needed at once: an entry point, which keeps its file, and what it import()s without exception. */
const AT_ONCE = {
  page: ['web/app.js', 'js/engine/remote.js', 'js/engine/growing.js',
    'js/translate/progress.js', 'js/translate/detail.js'],
  worker: ['js/worker.js', 'js/model/pairs.js', 'js/files/download.js', 'js/model/family.js', 'js/model/inspect.js',
    // for a view of See only, but smaller here than as two files of its own
    'js/model/tree.js'],
  translate: ['web/translate/translate.js'],
  // and the view or chapter that opens first, with what the others need, too
  see: ['web/see/see.js', 'web/see/heads.js'],
  learn: ['web/learn/learn.js', 'web/learn/embeddings.js'],
};

/**
 * The group of each chunk that is in one, by the file's name: 'page-worker' if both need it.
 *
 * @param {import('esbuild').Metafile['outputs']} outputs
 * @returns {Map<string, string>}
 */
function groupsOf(outputs) {
  const paths = Object.keys(outputs);
  const needed = Object.entries(AT_ONCE).map(([name, sources]) => {
    const found = new Set(sources.map((source) => {
      const path = paths.find((output) => outputs[output].entryPoint === source);
      if (!path) throw new Error(`web/chunks.js: ${source} is not an entry point, and nothing imports it on demand`);
      return path;
    }));
    const [entry] = found;
    // what is appended meanwhile is visited too
    for (const path of found) {
      for (const { path: other, kind } of outputs[path].imports) if (kind === 'import-statement') found.add(other);
    }
    return { name, entry, found };
  });
  const groups = new Map();
  for (const path of paths) {
    if (needed.some(({ entry }) => entry === path)) continue;
    const by = needed.filter(({ found }) => found.has(path)).map(({ name }) => name);
    // a room finds what the page has
    const first = by.filter((name) => name === 'page' || name === 'worker');
    const group = (first.length > 0 ? first : by).join('-');
    if (group) groups.set(basename(path), group);
  }
  return groups;
}

/**
 * Writes all files of a build with `splitting: true, write: false`.
 *
 * @param {import('esbuild').BuildResult<{ write: false, metafile: true }>} made
 * @param {import('esbuild').BuildOptions} options  of the files
 * @returns {Promise<string[]>}  their paths, relative to `absWorkingDir`
 */
export async function writeChunks({ outputFiles, metafile: { outputs } }, options) {
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  const exported = new Map(Object.entries(outputs).map(([path, { exports }]) => [basename(path), exports]));
  const groups = groupsOf(outputs);
  // a name with its hash stands for one content; which chunks are together depends on all of them, and so does the hash
  const version = createHash('sha256').update([...texts.keys()].sort().join()).digest('hex').slice(0, 6);
  const numbers = new Map([...texts.keys()].map((name, i) => [name, i.toString(36)]));
  const finalName = (/** @type {string} */ name) =>
    name.replace(/-[A-Z\d]{8}(?=\.js$)/, `-${numbers.get(name)}-${version}`);
  const groupName = (/** @type {string} */ group) => `${group}-${version}.js`;
  const order = [...groups.keys()];
  const members = (/** @type {string} */ group) => order.filter((name) => groups.get(name) === group);
  /**
   * What the code of one chunk imports of another, by name; all that it exports for an import().
   *
   * @param {string} importer @param {string} chunk @returns {Set<string>}
   */
  const importedBy = (importer, chunk) => {
    const text = String(texts.get(importer));
    if (text.includes(`import("./${chunk}")`)) return new Set(exported.get(chunk));
    // esbuild writes `import{a,b as c}from"./x.js"`
    const clauses = text.split(`}from"./${chunk}"`).slice(0, -1).map((before) => /import\{([^{}]*)$/.exec(before)?.[1]);
    if (clauses.includes(undefined)) throw new Error(`web/chunks.js: ${importer} imports ${chunk} in an unknown form`);
    return new Set(clauses.flatMap((clause) => String(clause).split(',').map((name) => name.split(' as ')[0])));
  };
  /**
   * Exports again what is imported of a chunk. `clause` has its name, and the short one that it has in its group.
   *
   * @param {string} from @param {string} chunk @param {(importer: string) => boolean} isImporter
   * @param {(name: string, short: string) => string} clause
   */
  const reexport = (from, chunk, isImporter, clause) => {
    const wanted = new Set([...texts.keys()].filter(isImporter).flatMap((name) => [...importedBy(name, chunk)]));
    const names = /** @type {string[]} */ (exported.get(chunk));
    const clauses = names.map((name, i) => wanted.has(name)
      && clause(name, `$${order.indexOf(chunk).toString(36)}_${i}`));
    return `export { ${clauses.filter(Boolean).join(', ')} } from './${from}';\n`;
  };

  const files = [...texts.keys()].filter((name) => !groups.has(name));
  const entry = (/** @type {string} */ given, /** @type {string} */ name) => ({ in: given, out: name.slice(0, -3) });
  const { metafile } = await build({
    ...options,
    metafile: true,
    entryPoints: [
      ...files.map((name) => entry(`chunk:${name}`, finalName(name))),
      ...Array.from(new Set(groups.values()), (group) => entry(`group:${group}`, groupName(group))),
    ],
    plugins: [{
      name: 'chunks',
      setup(plugin) {
        plugin.onResolve({ filter: /^(chunk|group):/ }, ({ path, kind }) => {
          const [namespace, name] = path.split(':');
          return kind === 'entry-point' ? { path: name, namespace } : undefined;
        });
        plugin.onResolve({ filter: /^\.\// }, ({ path, importer, namespace }) => {
          const name = basename(path);
          const group = groups.get(name);
          if (namespace === 'link') return { path, external: true };
          if (!group) return { path: `./${finalName(name)}`, external: true };
          const isInside = namespace === 'group' || groups.get(importer) === group;
          return isInside ? { path: name, namespace: 'chunk' }
            : { path: name, namespace: 'link', suffix: `?${importer}`, pluginData: importer };
        });
        plugin.onLoad({ filter: /./, namespace: 'chunk' }, ({ path }) => ({ contents: texts.get(path) }));
        plugin.onLoad({ filter: /./, namespace: 'group' }, ({ path }) => ({
          contents: members(path).map((chunk) => reexport(chunk, chunk, (name) => groups.get(name) !== path,
            (name, short) => `${name} as ${short}`)).join(''),
        }));
        // a chunk of another group, and what one chunk wants of it: a file keeps all names that it imports
        plugin.onLoad({ filter: /./, namespace: 'link' }, ({ path, pluginData }) => ({
          contents: reexport(groupName(String(groups.get(path))), path, (name) => name === pluginData,
            (name, short) => `${short} as ${name}`),
        }));
      },
    }],
  });
  return Object.keys(metafile.outputs);
}
