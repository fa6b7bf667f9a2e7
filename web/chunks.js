// chunks.js - writes the chunks that esbuild made of the page, those that always load together as one file: fewer
// requests, and they compress better. Used by build.js.
//
//   esbuild makes a chunk of the modules that the same entry points need   ->   33 files before the first translation
//   groups: what the page, its worker or both need at once   ->   three files
//
// Loading a file has no effect, but for app.js and the workers. So what is import()ed from a group is part of it like
// all else, and a file imports another once.

import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { build } from 'esbuild';

/** What is needed at once: an entry point, and what it import()s without exception. */
const AT_ONCE = {
  page: ['web/app.js', 'js/engine/remote.js', 'js/engine/growing.js',
    'js/translate/progress.js', 'js/translate/detail.js'],
  worker: ['js/worker.js', 'js/model/pairs.js', 'js/files/download.js', 'js/model/family.js', 'js/model/inspect.js'],
  // a view of See
  tree: ['js/model/tree.js'],
  translate: ['web/translate/translate.js'],
  // and the view or chapter that opens first, with what the others need, too
  see: ['web/see/see.js', 'web/see/heads.js'],
  learn: ['web/learn/learn.js', 'web/learn/embeddings.js'],
};
/** Their entry points have files of their own: other files import what is in the group, and must not run them. */
const RUN = ['page', 'worker'];

/**
 * The group of each chunk that is in one, by the file's name: 'page-worker' if both need it. And the entry point of
 * each group that has its own in it.
 *
 * @param {import('esbuild').Metafile['outputs']} outputs
 * @returns {{ groups: Map<string, string>, entries: Map<string, string> }}
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
  const entries = new Map();
  for (const path of paths) {
    const own = needed.find(({ entry }) => entry === path)?.name;
    if (own && RUN.includes(own)) continue;
    if (own) entries.set(own, basename(path));
    const by = needed.filter(({ found }) => found.has(path)).map(({ name }) => name);
    // a room finds what the page has
    const first = by.filter((name) => RUN.includes(name));
    const group = (first.length > 0 ? first : by).join('-');
    if (group) groups.set(basename(path), group);
  }
  return { groups, entries };
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
  const { groups, entries } = groupsOf(outputs);
  // a name with its hash stands for one content; which chunks are together depends on all of them, and so does the hash
  const version = createHash('sha256').update([...texts.keys()].sort().join()).digest('hex').slice(0, 6);
  const numbers = new Map([...texts.keys()].map((name, i) => [name, i.toString(36)]));
  const finalName = (/** @type {string} */ name) =>
    name.replace(/-[A-Z\d]{8}(?=\.js$)/, `-${numbers.get(name)}-${version}`);
  const groupName = (/** @type {string} */ group) =>
    (entries.has(group) ? finalName(String(entries.get(group))) : `${group}-${version}.js`);
  const order = [...groups.keys()];
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
  const fileOf = (/** @type {string} */ chunk) => groups.get(chunk) ?? chunk;
  const isEntry = (/** @type {string} */ chunk) => entries.get(fileOf(chunk)) === chunk;
  /**
   * The names that some chunks import of each chunk of a group.
   *
   * @param {string} group @param {(importer: string) => boolean} isImporter
   */
  const wantedOf = (group, isImporter) => {
    const importers = [...texts.keys()].filter(isImporter);
    return order.filter((chunk) => groups.get(chunk) === group).map((chunk) => {
      const wanted = new Set(importers.flatMap((name) => [...importedBy(name, chunk)]));
      return { chunk, names: /** @type {string[]} */ (exported.get(chunk)).filter((name) => wanted.has(name)) };
    });
  };
  /** What a group exports: the short name of each name that other files import of a chunk. */
  const shorts = new Map(Array.from(new Set(groups.values()), (group) => {
    const all = wantedOf(group, (name) => fileOf(name) !== group)
      .flatMap(({ chunk, names }) => names.map((name) => ({ chunk, name })));
    return [group, new Map(all.map(({ chunk, name }, i) =>
      [`${chunk} ${name}`, isEntry(chunk) ? name : `$${i.toString(36)}`]))];
  }));
  const shortOf = (/** @type {string} */ chunk, /** @type {string} */ name) =>
    String(shorts.get(fileOf(chunk))?.get(`${chunk} ${name}`));
  const clause = (/** @type {string[]} */ names, /** @type {string} */ from) =>
    `export { ${names.join(', ')} } from './${from}';\n`;
  /** A chunk that loads at once what it import()s of groups. @param {string} chunk */
  const textOf = (chunk) => {
    /** @type {string[]} */
    const imports = [];
    const text = String(texts.get(chunk)).replace(/\bimport\("\.\/([^"]+)"\)/g, (whole, name) => {
      if (!groups.has(name) || isEntry(name)) return whole;
      imports.push(`import * as $at_once_${imports.length} from './${name}';\n`);
      return `Promise.resolve($at_once_${imports.length - 1})`;
    });
    return text + imports.join('');
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
        plugin.onResolve({ filter: /^\.\// }, ({ path, importer, namespace, pluginData }) => {
          const name = basename(path);
          const group = groups.get(name);
          if (namespace === 'link') return { path: name, namespace: 'other', suffix: `?${pluginData}`, pluginData };
          if (namespace === 'other') return { path, external: true };
          const isInside = namespace === 'group' || (group !== undefined && groups.get(importer) === group);
          if (isInside) return { path: name, namespace: 'chunk' };
          if (!group || isEntry(name)) return { path: `./${finalName(name)}`, external: true };
          return { path: name, namespace: 'link', suffix: `?${importer}`, pluginData: importer };
        });
        plugin.onLoad({ filter: /./, namespace: 'chunk' }, ({ path }) => ({ contents: textOf(path) }));
        plugin.onLoad({ filter: /./, namespace: 'group' }, ({ path }) => ({
          contents: wantedOf(path, (name) => fileOf(name) !== path).map(({ chunk, names }) =>
            clause(names.map((name) => `${name} as ${shortOf(chunk, name)}`), chunk)).join(''),
        }));
        // a chunk of another group, and what one chunk wants of it
        plugin.onLoad({ filter: /./, namespace: 'link' }, ({ path, pluginData }) => ({
          contents: clause(Array.from(importedBy(pluginData, path), (name) => `${shortOf(path, name)} as ${name}`),
            fileOf(path)),
          pluginData: fileOf(pluginData),
        }));
        // the file of another group: one import, however many chunks want something of it
        plugin.onLoad({ filter: /./, namespace: 'other' }, ({ path, pluginData }) => ({
          contents: clause(wantedOf(path, (name) => fileOf(name) === pluginData).flatMap(({ chunk, names }) =>
            names.map((name) => shortOf(chunk, name))), groupName(path)),
        }));
      },
    }],
  });
  return Object.keys(metafile.outputs);
}
