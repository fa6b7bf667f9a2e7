// prune-types.mjs - removes the declarations in build/types that no door leads to: nobody can name their types. Also
// removes comments that editors never show. Run by the Makefile after tsc.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the declarations are, in the package too. */
const types = fileURLToPath(new URL('../build/types', import.meta.url));
const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** The declarations that a file's lead to. @param {string} path @param {Set<string>} [found] */
function follow(path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, name] of readFileSync(path, 'utf8').matchAll(/(?:\bfrom\s+|\bimport\()["'](\.[^"']+)\.js["']/g)) {
    follow(join(dirname(path), `${name}.d.ts`), found);
  }
  return found;
}

const kept = new Set();
for (const door of Object.values(exports)) {
  if (door.types) follow(fileURLToPath(new URL(`../${door.types}`, import.meta.url)), kept);
}
for (const name of readdirSync(types, { recursive: true })) {
  const path = join(types, String(name));
  if (path.endsWith('.d.ts') && !kept.has(path)) rmSync(path);
}
/** Rooms whose types are used, but not named, by callers. */
const INNER = /[\\/](base|engine|formats|wasm)[\\/]/;
for (const path of kept) {
  const text = readFileSync(path, 'utf8');
  // tsc writes a typedef as a type, with its words, and leaves the comment too
  const comment = (/** @type {string} */ found) => (INNER.test(path) || found.includes('@typedef') ? '' : found);
  writeFileSync(path, text.replace(/^[ \t]*\/\*\*[^]*?\*\/[ \t]*\n/gm, comment));
}
