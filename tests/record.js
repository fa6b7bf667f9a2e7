// record.js - makes web/guides/record.md: what each way to use heed prints where there are only Node, npm, a shell and
// the two packed tarballs. A chroot is that machine. Chromium, which opens the page of one script, is outside of it.
//
//   node tests/record.js [FILE]     after `make package`; needs root, npm's registry, Chromium (`.ci/setup browsers`)
//
// A command that does not end as expected ends everything, and nothing is written.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LIMIT, startBrowser } from './browser/chromium.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = process.argv[2] ?? join(root, 'web/guides/record.md');
const MODEL = 'heed-model-de-en-es-fr';
const PORTS = { cdn: 8000, serve: 5000, next: 3000, vite: 4173 };
/** What several commands print. Node and Bun have other quotes. */
const IN_THREE = /^available(\n\{.*\} \[ ["']Das Haus ist klein\.["'], ["']Wo ist der Bahnhof\?["'] \]){3}$/;
const SPANISH = /^¿Dónde está la estación\?$/;
const KEPT = /^ *15\.\d MB +\S+ +"0\.1\.0"$/;
const SERVES = /^heed: http:\/\/127\.0\.0\.1:5000\/ translates between en, de, fr, es: 12 pairs$/m;
assert.equal(process.getuid?.(), 0, 'found another user, expected root: chroot needs it');

const chroot = mkdtempSync(join(tmpdir(), 'heed-record-'));
/** Processes that are not ended yet. @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
process.on('exit', () => {
  for (const each of running) each.kill('SIGKILL');
  rmSync(chroot, { recursive: true, force: true });
});

/** A file or folder at the same place in the chroot. @param {string} path */
function take(path) {
  if (!path || !existsSync(path)) return;
  mkdirSync(join(chroot, dirname(path)), { recursive: true });
  cpSync(realpathSync(path), join(chroot, path), { recursive: true });
}

/** Path of a program outside of the chroot. @param {string} name */
const which = (name) => realpathSync(execFileSync('which', [name], { encoding: 'utf8' }).trim());

/** Deno and Next.js read /proc. It is mounted for the one command alone, and so never in the way of the removal. */
const ENTER = 'mount -t proc proc "$0/proc" && exec chroot "$0" /usr/bin/env -i "$@"';

function furnish() {
  const libraries = new Set();
  const programs = { node: which('node'), sh: which('sh'), env: which('env') };
  for (const [name, path] of Object.entries(programs)) {
    mkdirSync(join(chroot, 'usr/bin'), { recursive: true });
    cpSync(path, join(chroot, 'usr/bin', name));
    const needs = execFileSync('ldd', [path], { encoding: 'utf8' });
    for (const [library] of needs.matchAll(/\/\S+\.so\S*/g)) libraries.add(library);
  }
  symlinkSync('usr/bin', join(chroot, 'bin'));
  for (const library of libraries) {
    take(library);
    // the rest of the C library, which Node does not need, and Deno does
    if (/libc\.so\.6$/.test(library)) take(library.replace('libc.so.6', 'librt.so.1'));
  }
  const npm = dirname(dirname(which('npm')));
  cpSync(npm, join(chroot, 'usr/lib/node_modules/npm'), { recursive: true });
  for (const name of ['npm', 'npx']) {
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(chroot, 'usr/bin', name));
  }
  for (const path of ['/etc/resolv.conf', '/etc/hosts', '/etc/ssl/certs/ca-certificates.crt',
    process.env.NODE_EXTRA_CA_CERTS, process.env.SSL_CERT_FILE]) take(String(path ?? ''));
  for (const folder of ['tmp', 'dev', 'proc', 'root', 'app']) mkdirSync(join(chroot, folder));
  const registry = execFileSync('npm', ['config', 'get', 'registry'],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  writeFileSync(join(chroot, 'root/.npmrc'), `registry=${registry}update-notifier=false\n`);
  execFileSync('mknod', ['-m', '666', join(chroot, 'dev/null'), 'c', '1', '3']);
  execFileSync('mknod', ['-m', '444', join(chroot, 'dev/urandom'), 'c', '1', '9']);
  const options = { cwd: root, encoding: /** @type {const} */ ('utf8') };
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', join(chroot, 'app')], options);
  cpSync(join(root, `build/models/${MODEL}.tgz`), join(chroot, `app/${MODEL}.tgz`));
}

/** Of this environment, programs get only proxies, certificates and npm's settings. */
const environment = Object.entries(process.env).filter(([name]) =>
  /^(https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|npm_config_.*)$/i.test(name))
  .map(([name, value]) => `${name}=${value}`);
environment.push('HOME=/root', 'PATH=/usr/bin', 'LANG=C.UTF-8', 'NEXT_TELEMETRY_DISABLED=1');

/** Runs a line of shell in the folder. @param {string} line */
function inside(line) {
  const program = [...environment, 'sh', '-c', `cd /app && exec 2>&1\n${line}`];
  const shell = spawn('unshare', ['--mount', 'sh', '-c', ENTER, chroot, ...program]);
  running.add(shell);
  shell.once('close', () => running.delete(shell));
  return shell;
}

/** @type {string[]} the lines of the document */
const document = [];
/** @type {string[]} the lines of the block of output that is open */
let block = [];
function close() {
  if (block.length) document.push('```text', ...block, '```', '');
  block = [];
}
/** @param {string} text */
function say(text) {
  close();
  document.push(text, '');
}
/** Puts a file there, and into the document. @param {string} name @param {string} content */
function put(name, content) {
  close();
  const path = join(chroot, 'app', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  document.push(`\`${name}\`:`, '', `\`\`\`${name.endsWith('html') ? 'html' : 'js'}`, content.trimEnd(), '```', '');
}

/** What a program has printed, without colours. @param {string} text */
const plain = (text) => text.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '').replace(/[ \t]+$/gm, '').replace(/^\n+/, '')
  .trimEnd();

/**
 * Runs a command, and records it with what it prints.
 *
 * @param {string} command
 * @param {RegExp} expected  must be in it
 * @param {{ status?: number, from?: string, shown?: (line: string) => boolean }} [options]
 *   status: the exit status; shown: the lines to record, if not all: the document says so
 */
async function run(command, expected, { status = 0, shown } = {}) {
  console.error(`record: ${command.split('\n')[0]}`);
  const shell = inside(command);
  const [output, [code]] = await Promise.all([shell.stdout.toArray(), once(shell, 'close')]);
  const text = plain(Buffer.concat(output).toString());
  assert.equal(code, status, `${command}\n${text}`);
  assert.match(text, expected, command);
  const lines = text === '' ? [] : text.split('\n');
  const some = shown ? lines.filter(shown) : lines;
  block.push(`$ ${command}`, ...some.length < lines.length ? [...some, '…'] : some);
  if (status) block.push('$ echo $?', String(status));
}

/**
 * Runs commands beside a server, and records what all have printed.
 *
 * @param {string} command
 * @param {RegExp} ready  what the server prints when it listens
 * @param {() => Promise<void>} commands
 * @param {{ recorded?: boolean }} [options]
 */
async function beside(command, ready, commands, { recorded = true } = {}) {
  console.error(`record: ${command} &`);
  // the shell becomes the server, which gets the signal
  const server = inside(`exec ${command}`);
  let said = '';
  let settle;
  const listens = new Promise((resolve, reject) => {
    settle = resolve;
    server.once('close', () => reject(new Error(`${command}: ended\n${said}`)));
  });
  server.stdout.on('data', (data) => {
    said += data;
    if (ready.test(said)) settle();
  });
  await listens;
  if (recorded) block.push(`$ ${command} &`, ...plain(said).split('\n'));
  const before = said.length;
  await commands();
  server.removeAllListeners('close');
  const ended = once(server, 'close');
  server.kill('SIGTERM');
  const [code, signal] = await ended;
  running.delete(server);
  if (!recorded) return;
  block.push('$ kill $!; wait $!; echo $?', ...plain(said.slice(before)).split('\n').filter(Boolean),
    String(code ?? signal));
  assert.equal(code, 0, command);
}

/** Started first: where there is none, nothing else runs in vain. */
const browser = await startBrowser();
/**
 * The text that a page shows after it has loaded.
 *
 * @param {string} url
 * @param {RegExp} [refused]  what it shows of an error, which the console may have, too
 */
async function show(url, refused) {
  const page = await browser.newPage();
  /** @type {string[]} */
  const troubles = [];
  page.on('console', (message) => troubles.push(`${message.text()} ${message.location().url}`));
  page.on('pageerror', (error) => troubles.push(String(error)));
  await page.goto(url);
  await page.waitForFunction(() => document.body.textContent?.trim(), null, { timeout: LIMIT });
  const text = String(await page.evaluate(() => document.body.textContent?.trim()));
  await page.close();
  assert.match(text, refused ?? /^Wo ist der Bahnhof\?$/);
  if (!refused) assert.deepEqual(troubles.filter((each) => !/favicon/.test(each)), []);
  return text;
}

furnish();
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
const [heed] = readdirSync(join(chroot, 'app')).filter((name) => /^heed-\d/.test(name));
const day = new Date().toISOString().slice(0, 10);
document.push('---', 'title: What each way prints', '---', '', '# What each way prints', '',
  `This page is what \`node tests/record.js\` wrote on ${day} (commit ${commit}). It makes a chroot with Node, npm,`,
  'a shell, `env`, which starts npm\'s programs, and the two tarballs of `make package`, and runs all that follows',
  'there. A command that prints something else than expected ends it. `…` stands for lines that are left out. In',
  '`/app` are only the two tarballs:', '');

await run('node --version; npm --version; echo *', /heed-model/);

say('## The command line');
await run(`npm install --offline ./${heed} ./${MODEL}.tgz`, /added 2 packages/);
await run('npx heed translate --to de "How are you?"', /^Wie .+\?$/);
await run(String.raw`printf 'Ich liebe dich.\nWo ist der Bahnhof?\n' | npx heed translate --from de --to fr --jobs 2`,
  /^Je t'aime\.\nOù est la gare.\?$/);
await run(String.raw`printf '1\n00:00:01,000 --> 00:00:02,000\nWhere are you?\n' > film.srt
npx heed translate film.srt --to de`, /^1\n00:00:01,000 --> 00:00:02,000\nWo bist du\?$/);
await run('npx heed translate --html --to de "<p>The <b>house</b> is small.</p>"',
  /^<p>Das <b>Haus<\/b> ist klein\.<\/p>$/);
await run('npx heed translate --to fi "How are you?"', /^heed: .* has no model from en to fi/m, { status: 1 });

const PAIR = "const pair = { sourceLanguage: 'en', targetLanguage: 'de' };";
say('## A program, in this thread, in a worker, in two');
put('program.mjs', `import { Translator } from 'heed';

${PAIR}
console.log(await Translator.availability(pair));
for (const more of [{}, { worker: true }, { workers: 2 }]) {
  const translator = await Translator.create({ ...pair, ...more });
  console.log(JSON.stringify(more), await translator.translate(['The house is small.', 'Where is the station?']));
  translator.destroy();
}
`);
await run('node program.mjs', IN_THREE);

say('Without WebAssembly, without its SIMD, and with less memory than the model needs:');
put('small.mjs', `import { Translator } from 'heed';

const made = Translator.create({ sourceLanguage: 'en', targetLanguage: 'de' });
await made.catch((error) => console.log(error.name, error.message));
`);
await run('node --jitless small.mjs', /^NotSupportedError this host lacks WebAssembly$/m);
await run('node --no-enable-sse4-1 small.mjs', /^NotSupportedError this host lacks WebAssembly 128-bit SIMD$/m);
await run('node --wasm-max-mem-pages=100 small.mjs', /^HeedError heed\.wasm: .*memory/m);

say('## Deno and Bun\n\nBoth come from npm.');
await run('npm install --no-audit --no-fund deno bun', /added/, { shown: (line) => !/^npm warn/.test(line) });
await run('npx deno --version', /^deno \d+\.\d+\.\d+ /);
await run('npx deno run --allow-read --allow-env --allow-sys program.mjs', IN_THREE);
await run('npx bun --version', /^\d+\.\d+\.\d+$/);
await run('npx bun run program.mjs', IN_THREE);

say('## `heed/polyfill`\n\nThe program knows nothing of heed.');
put('for-chrome.mjs', `const detector = await LanguageDetector.create();
const [{ detectedLanguage }] = await detector.detect('Where is the station?');
const pair = { sourceLanguage: detectedLanguage, targetLanguage: 'de' };
console.log(detectedLanguage, await Translator.availability(pair));
const translator = await Translator.create(pair);
let streamed = '';
for await (const piece of translator.translateStreaming('The house is small.')) streamed += piece;
console.log(streamed, await translator.translate('Where is the station?'));
`);
await run('node --import heed/polyfill for-chrome.mjs', /^en available\nDas Haus ist klein\. Wo ist der Bahnhof\?$/);
await run(`node --input-type=module -e '
  class Own {}
  globalThis.Translator = Own;
  await import("heed/polyfill");
  console.log(Translator === Own, typeof LanguageDetector);'`, /^true function$/);

say('## A language in between\n\nAn index that has only pairs with English, so that German to French takes two steps:');
put('index.mjs', `import { writeFileSync } from 'node:fs';

const path = './node_modules/${MODEL}/';
const pairs = [['de', 'en'], ['en', 'fr']];
writeFileSync('index.json', JSON.stringify({ models: pairs.map(([source, target]) => ({ source, target, path })) }));
`);
put('pivot.mjs', `import { Translator } from 'heed';

const models = new URL('./index.json', import.meta.url);
const translator = await Translator.create({ sourceLanguage: 'de', targetLanguage: 'fr', models });
console.log(translator.steps.map((step) => \`\${step.sourceLanguage} to \${step.targetLanguage}\`));
const [sentence] = await translator.translateDetailed('Das Haus ist klein.', { attention: true });
console.log(sentence.target, sentence.alignment);
const [first, [second]] = sentence.steps;
for (const step of [first, second]) console.log(step.target, step.attention.cross.shape);
`);
await run(`node index.mjs
npx heed translate --models index.json --from de --to fr "Das Haus ist klein. Wo ist der Bahnhof?"`,
  /^heed: no model has the pair: .*\nLa maison est petite\. Où est la gare.\?$/);
await run('npx heed translate --models index.json --from de --to fr --no-pivot "Das Haus ist klein."',
  /^heed: index\.json has no model from de to fr/, { status: 1 });
await run('node pivot.mjs', /^\[ 'de to en', 'en to fr' \]\nLa maison est petite\.[^]*\n.+ \[ \d.* \]\n.+ \[ \d.* \]$/);

say('## A page with one script, from another origin\n\nA server of packages, as any CDN is:');
put('cdn.mjs', `import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { extname } from 'node:path';

const types = { '.js': 'text/javascript', '.json': 'application/json', '.wasm': 'application/wasm' };
createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost');
  const file = createReadStream('node_modules' + pathname.replace(/^\\/npm/, ''));
  file.on('error', () => response.writeHead(404).end());
  file.on('open', () => {
    const type = types[extname(pathname)] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': type, 'access-control-allow-origin': '*', etag: '"0.1.0"' });
    file.pipe(response);
  });
}).listen(${PORTS.cdn}, '127.0.0.1', () => console.log('listens'));
`);
const CDN = `http://127.0.0.1:${PORTS.cdn}/npm`;
await beside('node cdn.mjs', /listens/, async () => {
  const html = `<!doctype html>
<title>heed</title>
<script type="module">
  import { Translator } from '${CDN}/heed/build/js/index.js';
  import '${CDN}/${MODEL}/index.js';
  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de' });
  document.body.textContent = await translator.translate('Where is the station?');
</script>
`;
  const strict = `<!doctype html>
<title>heed</title>
<meta http-equiv="Content-Security-Policy" content="script-src 'unsafe-inline' ${new URL(CDN).origin}">
<script type="module">
  import { Translator } from '${CDN}/heed/build/js/index.js';
  import '${CDN}/${MODEL}/index.js';
  const made = Translator.create({ sourceLanguage: 'en', targetLanguage: 'de' });
  await made.catch((error) => (document.body.textContent = error.message));
</script>
`;
  const own = createServer(({ url }, response) =>
    response.setHeader('content-type', 'text/html').end(url === '/strict.html' ? strict : html));
  own.listen(0, '127.0.0.1');
  await once(own, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (own.address());
  const text = await show(`http://127.0.0.1:${port}/`);
  const refusal = await show(`http://127.0.0.1:${port}/strict.html`,
    /^heed\S*\.wasm: .*add 'wasm-unsafe-eval' to script-src$/);
  own.close();
  put('page.html', html);
  say(`Chromium ${browser.version()}, on the machine around the chroot, opened it from another port, and it showed:`);
  block.push(text);
  say('A page whose policy forbids WebAssembly:');
  put('strict.html', strict);
  say('It showed:');
  block.push(refusal);
  close();

  say('## `heed fetch` and `heed cache`\n\nThe server of packages has the model, also in place of Hugging Face: a\n'
    + 'mirror may have `{pair}` in it. `heed fetch firefox:…` is not here: its tests have a server of their own\n'
    + 'in place of Mozilla\'s.');
  await run(`npx heed fetch opus:de-en --mirror "${CDN}/${MODEL.replace('de-en', '{pair}')}/"`,
    /^\S+\/opus-de-en: opus:de-en, .*: 9 of 9 files downloaded$/);
  await run('npx heed cache; npx heed cache delete opus-de-en', /^ *15\.\d MB +opus-de-en .*\nopus-de-en: deleted$/);
  await run(`npx heed fetch ${CDN}/${MODEL}/`, /: 9 of 9 files downloaded$/);
  await run('npx heed cache', KEPT);
  await run('npx heed cache update', /^\S+: is the newest$/);
  put('cache.mjs', `import { list, remove, update } from 'heed/cache';

for (const { name, version, size } of await list()) {
  console.log(name, version, size);
  console.log(await update(name));
  console.log(await remove(name));
}
console.log(await list());
`);
  await run('node cache.mjs', /^\S+ "0\.1\.0" \d+\nfalse\nundefined\n\[\]$/);
  await run(`npx heed translate --model ${CDN}/${MODEL}/ --from en --to es "Where is the station?"`, SPANISH);
  await run('npx heed cache', KEPT);
}, { recorded: false });
await run(`npx heed translate --model ${CDN}/${MODEL}/ --from en --to es "Where is the station?"`, SPANISH);
say('The last command ran without the server: the files were stored.');
await run(`npx heed cache delete ${CDN}/${MODEL}/; npx heed cache`, /^\S+: deleted$/);

say('## A bundle\n\nVite takes the module, the worker and the model along:');
put('bundle/index.html', '<!doctype html>\n<title>heed</title>\n<script type="module" src="main.js"></script>\n');
put('bundle/main.js', `import { Translator } from 'heed';
import '${MODEL}';

const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de' });
document.body.textContent = await translator.translate('Where is the station?');
`);
await run('npm install --no-audit --no-fund vite', /added/, { shown: (line) => !/^npm warn/.test(line) });
await run('npx vite build bundle', /built in/,
  { shown: (line) => !/^bundle\/dist\/assets\/(?!(heed|model|vocab|source|worker)-\S+\.(?!js )|worker)/.test(line) });
const preview = `node_modules/.bin/vite preview bundle --host 127.0.0.1 --port ${PORTS.vite} --strictPort`;
await beside(preview, /http:/, async () => {
  const text = await show(`http://127.0.0.1:${PORTS.vite}/`);
  say('Chromium opened what `vite preview bundle` serves, and it showed:');
  block.push(text);
}, { recorded: false });

say('## `heed serve`\n\nA client in place of curl:');
put('ask.mjs', `const [path, ...fields] = process.argv.slice(2);
const answer = await fetch(\`http://127.0.0.1:${PORTS.serve}\${path}\`,
  fields.length ? { method: 'POST', body: new URLSearchParams(fields.map((field) => field.split('='))) } : {});
console.log(answer.status, await answer.text());
`);
await beside(`node_modules/.bin/heed serve --port ${PORTS.serve}`, SERVES, async () => {
  await run('node ask.mjs /health', /^200 \{"status":"ok"\}$/);
  await run('node ask.mjs /languages', /^200 \[(\{"code":"..","name":"\w+","targets":\[[^\]]+\]\},?){4}\]$/);
  await run('node ask.mjs /translate "q=How are you?" source=auto target=de',
    /^200 .*"Wie [^"]+\?".*"language":"en"/);
  await run('node ask.mjs /translate "q=<p>The <b>house</b> is small.</p>" source=en target=fr format=html',
    /^200 .*<p>La <b>maison<\/b> est petite\.<\/p>/);
  await run('node ask.mjs /detect "q=Wo ist der Bahnhof?"', /^200 .*"language":"de"/);
  await run('node ask.mjs /translate q=House source=en target=fi', /^400/);
  say('The package `translate` of npm knows LibreTranslate. It gets 1,000 answers, 100 at a time:');
  put('client.mjs', `import { Translator } from 'heed';
import { Translate } from 'translate';

const texts = Array.from({ length: 50 }, (_, i) => \`Tom has \${i} red cars.\`);
const expected = await (await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de' })).translate(texts);
const translate = new Translate({ engine: 'libre', url: 'http://127.0.0.1:${PORTS.serve}/translate', cache: 1 });
let [next, right] = [0, 0];
await Promise.all(Array.from({ length: 100 }, async () => {
  while (next < 1000) {
    const i = next++ % texts.length;
    if (await translate(texts[i], { from: 'en', to: 'de' }) === expected[i]) right++;
  }
}));
console.log(expected[7], right);
`);
  await run('npm install --no-audit --no-fund translate', /added 1 package/,
    { shown: (line) => !/^npm warn/.test(line) });
  await run('node client.mjs', /^Tom hat 7 rote Autos\. 1000$/);
});
await run('printf "a-key\\n" > keys', /^$/);
await beside(`node_modules/.bin/heed serve --port ${PORTS.serve} --api-keys keys`, SERVES, async () => {
  await run('node ask.mjs /translate q=House source=en target=de', /^400/);
  await run('node ask.mjs /translate q=House source=en target=de api_key=another', /^403/);
  await run('node ask.mjs /translate q=House source=en target=de api_key=a-key', /^200 .*"Haus"/);
});

say('## Next.js\n\n`app/` and `next.config.mjs` are those of {@link "Deno, Bun, Next.js, Electron"}.');
await run('npm install --no-audit --no-fund next react react-dom', /added/,
  { shown: (line) => !/^npm warn/.test(line) });
cpSync(join(root, 'web/examples/next'), join(chroot, 'app'), { recursive: true });
await run('npx next build', /Compiled successfully[^]*Generating static pages/);
await beside(`node node_modules/next/dist/bin/next start -p ${PORTS.next}`, /Ready/, async () => {
  await run(`node -e '
  fetch("http://127.0.0.1:${PORTS.next}/?text=Where+is+the+station%3F").then((answer) => answer.text())
    .then((html) => console.log(/<p>[^<]*<\\/p>/.exec(html)[0]))'`, /^<p>Wo ist der Bahnhof\?<\/p>$/);
}, { recorded: false });

close();
await browser.close();
assert.ok(heed.includes(version));
writeFileSync(target, `${document.join('\n').trimEnd()}\n`);
console.error(`record: ${target}`);
