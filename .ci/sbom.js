// sbom.js - the bill of materials of the npm package, CycloneDX 1.5: its own files, the parts of the C runtime in each
// of its modules, the bundled libraries, and the tools that made them. Run by `make sbom`; checked by
// tests/supply.test.js.
//
//   node .ci/sbom.js FOLDER     has for each module what the linker said it took, heed.wasm.txt and so on, a file or
//                               archive(member) a line
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = new URL('../', import.meta.url);
const read = (name) => readFileSync(new URL(name, root));
const { version, description, license } = JSON.parse(read('package.json'));
const lock = JSON.parse(read('package-lock.json'));

/** The first version that a program says it has. @param {string} program */
function versionOf(program) {
  const said = execFileSync(program, ['--version'], { encoding: 'utf8' });
  const found = /\d+\.\d+(\.\d+)?/.exec(said);
  if (!found) throw new Error(`${program} --version: found ${said}, expected a number`);
  return found[0];
}

const emcc = process.env.EMCC || 'emcc';
const emscripten = versionOf(emcc);

/** Emscripten's own sources of its libraries say which they are of. @param {string} path @param {RegExp} pattern */
function stated(path, pattern) {
  const base = dirname(execFileSync('readlink', ['-f', execFileSync('which', [emcc], { encoding: 'utf8' }).trim()],
    { encoding: 'utf8' }));
  const file = `${base}/system/lib/${path}`;
  return existsSync(file) ? pattern.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
}

/** Where the code of a linked archive is from; of Emscripten's own otherwise. */
const ORIGINS = {
  libc: {
    name: 'musl', license: 'MIT', version: () => stated('libc/musl/VERSION', /([\d.]+)/),
    description: "C library, as Emscripten has it: members named emscripten_* and wasi-* are Emscripten's own",
  },
  libcompiler_rt: {
    name: 'compiler-rt', license: 'Apache-2.0 WITH LLVM-exception',
    version: () => stated('compiler-rt/readme.txt', /release ([\d.]+\d)/), description: "LLVM's, as Emscripten has it",
  },
};

const MODULES = ['heed.wasm', 'heed-relaxed.wasm', 'heed-pairs.wasm', 'heed-train.wasm'];

/**
 * What of the C runtime a module has.
 *
 * @param {string} module
 * @returns {Map<string, Set<string>>}  members, by a name of ORIGINS or 'emscripten'
 */
function membersOf(module) {
  const linked = readFileSync(join(process.argv[2], `${module}.txt`), 'utf8');
  const members = new Map();
  for (const line of linked.split('\n')) {
    const [, file, member] = /([^/(]+?)(?:\.[ao])(?:\(([^)]+)\))?$/.exec(line.trim()) ?? [];
    // heed's own: the library, and the object that takes the place of one of its
    if (file === undefined || file === 'libheed' || line.includes('wasm-pairs/')) continue;
    const archive = ORIGINS[file] ? file : 'emscripten';
    if (!members.has(archive)) members.set(archive, new Set());
    members.get(archive).add(member ?? `${file}.o`);
  }
  if (!members.has('libc')) {
    throw new Error(`${module}: no C library among what was linked: found ${linked.slice(0, 200)}`);
  }
  return members;
}
const linkedOf = new Map(MODULES.map((module) => [module, membersOf(module)]));

/** @param {string} archive */
const originOf = (archive) => ORIGINS[archive] ?? {
  name: 'emscripten', license: 'MIT', version: () => emscripten,
  description: "Emscripten's own runtime, standalone",
};
/** @param {string} archive */
const referenceOf = (archive) => `runtime:${originOf(archive).name}`;

/** The parts of the C runtime, each with its members in every module that has some. */
const inModules = [...new Set([...linkedOf.values()].flatMap((members) => [...members.keys()]))].sort()
  .map((archive) => {
    const { name, license: licensed, version: find, description: about } = originOf(archive);
    return {
      type: 'library',
      'bom-ref': referenceOf(archive),
      name,
      version: find() ?? `of Emscripten ${emscripten}`,
      description: about,
      licenses: [licensed.includes(' ') ? { expression: licensed } : { license: { id: licensed } }],
      scope: 'required',
      properties: [...linkedOf].filter(([, members]) => members.has(archive)).map(([module, members]) =>
        ({ name: `heed:linked:${module}`, value: [...members.get(archive)].sort().join(' ') })),
    };
  });

const modules = MODULES.map((name) => ({
  type: 'file',
  'bom-ref': `module:${name}`,
  name: `js/${name}`,
  hashes: [{ alg: 'SHA-256', content: createHash('sha256').update(read(`js/${name}`)).digest('hex') }],
}));

const tools = Object.entries({
  emscripten: emcc, 'clang (relaxed SIMD)': process.env.RELAXED_CLANG, 'wasm-ld (relaxed SIMD)': process.env.WASM_LD,
}).filter(([, program]) => program).map(([name, program]) => ({
  type: 'application', name, version: versionOf(String(program)),
}));
tools.push({ type: 'application', name: 'node', version: process.versions.node });

/** Libraries of npm whose code is bundled into the package, see js/make-package.mjs. */
const BUNDLED = ['eld', 'parse5', 'entities', '@lezer/markdown', '@lezer/common', '@lezer/highlight',
  '@messageformat/parser', 'moo', 'saxes', 'xmlchars'].map((name) => `node_modules/${name}`);

/** What of npm is in the package, and what develops and tests heed. */
const packages = Object.entries(lock.packages).filter(([path]) => path).map(([path, locked]) => {
  const name = path.replace(/^.*node_modules\//, '');
  const [algorithm, digest] = locked.integrity.split('-');
  return {
    type: 'library',
    'bom-ref': `npm:${path}`,
    name,
    version: locked.version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${locked.version}`,
    scope: BUNDLED.includes(path) ? 'required' : 'excluded',
    ...(locked.license && { licenses: [{ license: { name: locked.license } }] }),
    hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') }],
  };
});

const main = `pkg:npm/heed@${version}`;
console.log(JSON.stringify({
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: {
    tools: { components: tools },
    component: {
      type: 'library', 'bom-ref': main, name: 'heed', version, description, purl: main,
      licenses: [{ license: { id: license } }],
    },
  },
  components: [...modules, ...inModules, ...packages],
  dependencies: [
    { ref: main, dependsOn: [...modules.map((module) => module['bom-ref']), ...BUNDLED.map((path) => `npm:${path}`)] },
    ...[...linkedOf].map(([module, members]) =>
      ({ ref: `module:${module}`, dependsOn: [...members.keys()].sort().map(referenceOf) })),
  ],
}, null, 2));
