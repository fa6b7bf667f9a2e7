// hosts.test.js - the packed package in Deno, Bun and Next.js with server rendering: installed with a package of a
// model, imported, translating. They come from npm; without the registry the tests are skipped, and say so.
import test, { after, before } from 'node:test';
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const TEXTS = ['Where is the nearest station?', 'The house is small.'];
const PROGRAM = `
  import { Translator } from 'heed';
  const pair = { sourceLanguage: 'en', targetLanguage: 'de' };
  for (const more of [{}, { worker: true }, { workers: 2 }]) {
    const translator = await Translator.create({ ...pair, ...more });
    console.log(JSON.stringify(await translator.translate(${JSON.stringify(TEXTS)})));
    translator.destroy();
  }
`;

/** A folder with both packages. @type {string} */
let app;
let expected;
before(async () => {
  app = await mkdtemp(join(tmpdir(), 'heed-hosts-'));
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', app], { cwd: root });
  const answer = JSON.parse(stdout);
  const [{ filename }] = Array.isArray(answer) ? answer : Object.values(answer);
  await writeFile(join(app, 'package.json'), '{ "private": true, "type": "module" }');
  await writeFile(join(app, 'program.js'), PROGRAM);
  await install('--offline', join(app, filename), join(root, 'build/models/heed-model-de-en-es-fr.tgz'));
  expected = (await run(process.execPath, ['program.js'], { cwd: app })).stdout;
  assert.equal(new Set(expected.trim().split('\n')).size, 1);
});
after(() => rm(app, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

/** @param {string[]} names  of packages */
const install = (...names) =>
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...names], { cwd: app, timeout: 400_000 });

/** What npm says where there is no network or registry, or one that has not this version or does not work now. */
const ABSENT = new RegExp(`\\bE(?:${[
  'NOTFOUND', 'AI_AGAIN', 'CONNREFUSED', 'CONNRESET', 'TIMEDOUT', 'NETUNREACH', 'HOSTUNREACH', 'IDLETIMEOUT',
  'RR_SOCKET_TIMEOUT', 'TARGET', '40[134]', '429', '5\\d\\d',
].join('|')})\\b`);
/** Installs packages; false and a skipped test without the registry. @param {any} t @param {string[]} names */
const fetched = (t, ...names) => install(...names).then(() => true, (error) => {
  const [why] = ABSENT.exec(`${error.message}${error.stderr}`) ?? (error.killed ? ['no answer'] : []);
  if (!why) throw error;
  t.skip(`${names[0]} cannot be installed: npm's registry is not to be had (${why})`);
  return false;
});

/**
 * The program for this machine. The script that would link it does not run here.
 *
 * @param {string} at  the scope of its packages
 * @param {string} name
 */
async function programIn(at, name) {
  const all = await readdir(join(app, 'node_modules', at), { recursive: true });
  return join(app, 'node_modules', at, all.find((path) => new RegExp(`(^|/)${name}(\\.exe)?$`).test(path)) ?? name);
}

// pinned: a new release of a package must not break this test
for (const [name, version, at, args] of /** @type {const} */ ([
  ['deno', '2.9.6', '@deno', ['run', '--allow-read', '--allow-env', '--allow-sys']],
  ['bun', '1.4.5', '@oven', ['run']],
])) {
  test(`${name}: a translation here, in a worker and in two`, async (t) => {
    if (!(await fetched(t, `${name}@${version}`))) return;
    const { stdout } = await run(await programIn(at, name), [...args, 'program.js'], { cwd: app, timeout: 200_000 });
    assert.equal(stdout, expected);
  });
}

test('Next.js: a page that the server renders', async (t) => {
  if (!(await fetched(t, 'next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1'))) return;
  await cp(join(root, 'web/examples/next'), app, { recursive: true });
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };
  const next = join(app, 'node_modules/next/dist/bin/next');
  await run(process.execPath, [next, 'build'], { cwd: app, env, timeout: 600_000 });
  const server = spawn(process.execPath, [next, 'start', '-p', '0'], { cwd: app, env });
  try {
    let said = '';
    for await (const data of server.stdout) {
      said += data;
      if (/Ready/.test(said)) break;
    }
    const [address] = /http:\/\/localhost:\d+/.exec(said) ?? assert.fail(said);
    const [first] = JSON.parse(expected.split('\n')[0]);
    const page = await (await fetch(`${address}/?text=${encodeURIComponent(TEXTS[0])}`)).text();
    assert.equal(/<p>([^<]*)<\/p>/.exec(page)?.[1], first);
  } finally {
    const ended = once(server, 'exit');
    server.kill('SIGKILL'); // it would still write into the folder
    if (server.exitCode === null && server.signalCode === null) await ended;
  }
});
