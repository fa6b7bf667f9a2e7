// guides.test.js - the blocks of code in the guides do what they say: those that can run in Node or Chromium run, and
// each other is listed with its reason.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { reportOf } from './browser/hosts.js';
import { serve } from './browser/server.js';
import { SHIPPED } from './model-files.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const guides = join(root, 'web/guides');

/** Blocks that do not run here, by their guide and first line. */
const NOT_RUN = {
  'extension.md: {': 'a manifest; that of bundlers.test.js, which runs it, is compared below',
  'hosts.md: npm install heed heed-model-de-en-es-fr': 'hosts.test.js installs the tarballs, and runs Deno and Bun',
  'own-model.md: make build/heed-train': 'ten hours; train-native.test.js runs the same command for seconds',
  'page.md: npm install heed': 'installed.test.js installs the tarballs',
};
/** Guides that were written by a program, which ran all that is in them. */
const WRITTEN = ['record.md'];
/** Tests of the files that guides include. */
const INCLUDED = {
  'attention/main.js': 'examples', 'fine-tune.js': 'examples', 'next/app/page.js': 'hosts',
  'next/next.config.mjs': 'hosts', 'page/main.js': 'examples', 'parallel.sh': 'examples', 'react/main.js': 'examples',
  'react/use-translation.js': 'examples', 'server.js': 'examples', 'spark.py': 'spark', 'worker/main.js': 'examples',
  'worker/worker.js': 'examples',
};

/** The blocks of code of a text: between fences, or indented by four after a blank line. @param {string} text */
function blocksOf(text) {
  const blocks = [];
  let isOpen = '';
  let before = '';
  for (const line of text.split('\n')) {
    const [, fence] = /^(```)\w*$/.exec(line) ?? [];
    if (fence && !isOpen) {
      blocks.push('');
      isOpen = 'fence';
    } else if (fence) isOpen = '';
    else if (isOpen !== 'fence' && /^ {4}\S/.test(line) && (isOpen || before === '')) {
      if (!isOpen) blocks.push('');
      isOpen = 'indent';
    } else if (isOpen === 'indent') isOpen = '';
    if (isOpen && !fence) blocks.push(`${blocks.pop()}${isOpen === 'indent' ? line.slice(4) : line}\n`);
    before = line;
  }
  return blocks;
}

/** Every block by its guide and first line. @type {Map<string, string>} */
const blocks = new Map();
/** @type {Set<string>} */
const included = new Set();
for (const name of (await readdir(guides)).filter((each) => each.endsWith('.md') && !WRITTEN.includes(each))) {
  const text = await readFile(join(guides, name), 'utf8');
  for (const block of blocksOf(text)) {
    const key = `${name}: ${block.split('\n')[0]}`;
    assert.ok(!blocks.has(key), `${key}: two blocks begin so`);
    blocks.set(key, block);
  }
  for (const [, file] of text.matchAll(/\{@includeCode \.\.\/examples\/(\S+)\}/g)) included.add(file);
}

/** A folder with heed, a model, and the commands that guides have. @type {string} */
let app;
test.before(async () => {
  app = await mkdtemp(join(tmpdir(), 'heed-guides-'));
  const modules = join(app, 'node_modules');
  await mkdir(join(modules, 'heed-model-test'), { recursive: true });
  await mkdir(join(app, 'bin'));
  await symlink(root, join(modules, 'heed'));
  const models = [{ source: 'en', target: 'de', path: 'model/' }];
  for (const place of ['node_modules/heed-model-test', 'models']) {
    await mkdir(join(app, place), { recursive: true });
    await writeFile(join(app, place, 'index.json'), JSON.stringify({ models }));
    await symlink(SHIPPED, join(app, place, 'model'));
  }
  // a model of one pair, as OPUS-MT's are
  await mkdir(join(app, 'opus-mt-en-de'));
  const manifest = JSON.parse(await readFile(join(SHIPPED, 'heed.json'), 'utf8'));
  for (const name of Object.keys(manifest.files)) await symlink(join(SHIPPED, name), join(app, 'opus-mt-en-de', name));
  await writeFile(join(app, 'opus-mt-en-de/heed.json'), JSON.stringify({ ...manifest, pairs: [['en', 'de']] }));
  const commands = {
    heed: `exec '${process.execPath}' '${join(root, 'js/cli.js')}' "$@"`,
    // installed.test.js has npm's own
    npx: 'exec "$@"',
    curl: `exec '${process.execPath}' -e '
      const [address, ...rest] = process.argv.slice(1);
      const fields = rest.filter((each) => each !== "-d").map((each) => each.split("="));
      fetch(address, { method: "POST", body: new URLSearchParams(fields) })
        .then((answer) => answer.text()).then(console.log);' "$@"`,
  };
  for (const [name, script] of Object.entries(commands)) {
    await writeFile(join(app, 'bin', name), `#!/bin/sh\n${script}\n`);
    await chmod(join(app, 'bin', name), 0o755);
  }
});
test.after(() => rm(app, { recursive: true, force: true }));

const surroundings = () =>
  ({ cwd: app, env: { ...process.env, PATH: `${join(app, 'bin')}:${process.env.PATH}`, XDG_CACHE_HOME: app } });

/** Runs lines of shell. @param {string} lines */
const shell = async (lines) => (await run('sh', ['-ec', lines], surroundings())).stdout;

let programs = 0;
/** What a program of Node prints. @param {string[]} parts  of it */
async function program(...parts) {
  const name = `program-${++programs}.mjs`;
  await writeFile(join(app, name), parts.join('\n'));
  return (await run(process.execPath, [name, SHIPPED], surroundings())).stdout;
}

/**
 * Starts a server with the first line, and asks it with the second.
 *
 * @param {string} block  the server has a free port, the other one 5000
 * @param {(ask: (from?: RegExp | string, to?: string) => Promise<any>) => Promise<void>} check  ask: what it answers;
 *   part of the line may be replaced
 */
async function served(block, check) {
  const [start, line] = block.trim().split('\n');
  const server = spawn('sh', ['-c', `exec ${start}`], surroundings());
  const closed = once(server, 'close');
  try {
    let said = '';
    server.stdout.on('data', (data) => (said += data));
    server.stderr.on('data', (data) => (said += data));
    while (!said.includes('\n') && server.exitCode === null) {
      await Promise.race([once(server.stdout, 'data'), once(server.stderr, 'data'), closed]);
    }
    const [, port] = /http:\/\/[\d.]+:(\d+)/.exec(said) ?? assert.fail(said);
    await check(async (from = '', to = '') => JSON.parse(await shell(line.replace('5000', port).replace(from, to))));
  } finally {
    server.kill();
    await closed;
  }
}

/** A server of the model of one pair. @param {(host: string) => Promise<void>} check */
async function withModel(check) {
  const server = createServer(async (request, response) => {
    const file = String(request.url).replace('/models/en-de/', 'opus-mt-en-de/');
    const bytes = await readFile(join(app, file)).catch(() => null);
    response.writeHead(bytes ? 200 : 404, { etag: '"1"' }).end(request.method === 'HEAD' ? undefined : bytes);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await check(`127.0.0.1:${/** @type {any} */ (server.address()).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const MODEL = `
  import { Translator } from 'heed';
  const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de' });`;

/** What is done with each block. @type {Record<string, (block: string) => Promise<void>>} */
const RUN = {
  [`coming-from.md: import { Translator as Heed } from 'heed/polyfill'; // the global Translator is heed's where the ${
    ''}browser has none`]: async (block) => {
    assert.equal(await program(block, `
      const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de' });
      console.log(await translator.translate('The house is small.'));`), 'Das Haus ist klein.\n');
  },
  "extension.md: import { Translator } from 'heed/inline';": async (block) => {
    assert.equal(await program(`
      let listener;
      globalThis.chrome = { runtime: {
        getURL: () => process.argv[2], onMessage: { addListener: (f) => (listener = f) },
      } };`, block.replace(/^import .*$/m, 'const { Translator } = await import("heed/inline");'), `
      const answers = ['The house is small.', 5].map((text) => new Promise((resolve) => {
        if (listener(text, {}, resolve) !== true) resolve('the answer would not wait');
      }));
      console.log(...await Promise.all(answers));`),
    "Das Haus ist klein. { error: 'input: found 5, expected a string' }\n");
  },
  "hosts.md: // translator.js, started with utilityProcess.fork(new URL('./translator.js', import.meta.url))":
    async (block) => {
      // Electron is not to be had here; its process has this of it
      assert.equal(await program(`
        import { EventEmitter } from 'node:events';
        process.parentPort = new EventEmitter();
        process.parentPort.postMessage = (message) => console.log(message);`, block, `
        process.parentPort.emit('message', { data: { id: 7, text: 'The house is small.' } });`),
      "{ id: 7, text: 'Das Haus ist klein.' }\n");
    },
  'many-machines.md: heed translate --jobs 4 < corpus.en > corpus.de': async (block) => {
    await writeFile(join(app, 'corpus.en'), 'The house is small.\n\nWhere is the station?\n');
    assert.equal(await shell(`${block}\ncat corpus.de`), 'Das Haus ist klein.\n\nWo ist der Bahnhof?\n');
  },
  'own-model.md: npx heed convert opus-mt-en-de/ en-de/': async (block) => {
    assert.match(await shell(block), /Wie .*\?\n$/);
  },
  'server.md: npx heed serve --port 5000': (block) => served(block.replace('--port 5000', '--port 0'), async (ask) => {
    assert.match((await ask()).translatedText, /^Wie .*\?$/);
  }),
  'server.md: npx heed serve --host 0.0.0.0 --api-keys keys.txt --queue 100 --timeout 20': async (block) => {
    await writeFile(join(app, 'keys.txt'), 'a-key\n');
    await served(block.replace('serve', 'serve --port 0'), async (ask) => {
      assert.match((await ask()).translatedText, /^Wie .*\?$/);
      assert.deepEqual(await ask(/a-key$/m, 'another'), { error: 'Invalid API key' });
    });
  },
  'stored.md: npx heed fetch https://example.org/models/en-de/': (block) => withModel(async (host) => {
    const lines = block.replaceAll('https://example.org', `http://${host}`)
      .replace('example.org', host.replace(':', '-'));
    const [fetched, translated, listed, updated, deleted] = (await shell(lines)).split('\n');
    const name = `${host.replace(':', '-')}-models-en-de`;
    assert.match(fetched, /: 9 of 9 files downloaded$/);
    assert.equal(translated, 'Das Haus ist klein.');
    assert.match(listed, new RegExp(`^ *[\\d.]+ MB  ${name}  `));
    assert.deepEqual([updated, deleted], [`${name}: is the newest`, `${name}: deleted`]);
  }),
  "stored.md: import { list, remove, update } from 'heed/cache';": (block) => withModel(async (host) => {
    const model = `http://${host}/models/en-de/`;
    await shell(`heed translate --model ${model} "The house is small."`);
    assert.match(await program(block.replace('https://example.org', `http://${host}`), 'console.log(await list());'),
      new RegExp(`^${model} 1\\d{7} .*\nfalse\n\\[\\]\n$`));
  }),
  'subtitles.md: const cues = await translator.translate(texts); // an array in, an array out, in the same order':
    async (block) => {
      const texts = "const texts = ['The house is small.', 'Where is the station?'];";
      assert.equal(await program(MODEL, texts, block, "console.log(cues.join('|'));"),
        'Das Haus ist klein.|Wo ist der Bahnhof?\n');
    },
  'subtitles.md: npx heed translate film.en.srt --from en --to de > film.de.srt': async (block) => {
    await writeFile(join(app, 'film.en.srt'), '1\n00:00:01,000 --> 00:00:02,000\nThe house is small.\n');
    assert.equal(await shell(`${block}\ncat film.de.srt`), '1\n00:00:01,000 --> 00:00:02,000\nDas Haus ist klein.\n');
  },
};

const TRANSLATOR = `
  import { Translator } from './build/js/index.js';
  const model = new URL('../models/de-en-es-fr/', import.meta.url);`;
/** Blocks that run in a page, with what stands around each; it exports `shown`. */
const IN_PAGE = {
  'page.md: const translator = await Translator.create({': {
    before: `${TRANSLATOR}
      const bar = {};`,
    after: "export const shown = [bar.value, await translator.translate('The house is small.')];",
    expected: [1, 'Das Haus ist klein.'],
  },
  'page.md: let controller = new AbortController();': {
    before: `${TRANSLATOR}
      const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model });
      const [source, target] = ['textarea', 'p'].map((name) => document.createElement(name));
      export const shown = [];
      const change = new Promise((resolve) => {
        addEventListener('unhandledrejection', ({ reason }) => resolve(shown.push(String(reason))));
        new MutationObserver(() => resolve(shown.push(target.textContent))).observe(target, { childList: true });
      });`,
    after: `
      for (const value of ['The house', 'The house is small.']) {
        source.value = value;
        source.dispatchEvent(new Event('input'));
      }
      await change;`,
    expected: ['Das Haus ist klein.'],
  },
  "page.md: import { translatePage } from 'heed/dom';": {
    before: `${TRANSLATOR}
      const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model });
      const article = document.createElement('article');
      article.append('The house is small.');
      document.body.append(article);
      export const shown = [];
      new MutationObserver(() => shown.push(article.textContent))
        .observe(article, { childList: true, characterData: true, subtree: true });`,
    after: `
      await null; // the observer is told
      article.remove();`,
    expected: ['Das Haus ist klein.', 'The house is small.'],
  },
  'page.md: <script type="module" src="build/js/element.js"></script>': {
    before: `
      const article = document.createElement('article');
      article.id = 'article';
      article.append('The house is small.');
      const html = `,
    after: `;
      document.body.append(article, document.createRange().createContextualFragment(html));
      await customElements.whenDefined('heed-translate');
      const [field, button] = document.querySelectorAll('heed-translate');
      const done = (element) => new Promise((resolve, reject) => {
        element.addEventListener('translated', resolve);
        element.addEventListener('failed', ({ detail }) => reject(detail.error ?? detail));
      });
      field.value = 'The house is small.';
      await done(field);
      button.shadowRoot.querySelector('button').click();
      await done(button);
      export const shown = [field.translation, article.textContent];`,
    expected: ['Das Haus ist klein.', 'Das Haus ist klein.'],
  },
};

test('every block of code is run here or listed with its reason', () => {
  assert.deepEqual([...blocks.keys()].sort(), [RUN, IN_PAGE, NOT_RUN].flatMap(Object.keys).sort());
});

test('every file that a guide includes is run by a test', async () => {
  assert.deepEqual([...included].sort(), Object.keys(INCLUDED).sort());
  for (const [file, name] of Object.entries(INCLUDED)) {
    const [example] = file.split('/');
    const text = await readFile(join(root, `tests/${name}.test.js`), 'utf8');
    assert.ok(text.includes(`'${example}'`) || text.includes(`/${example}'`), `${name}.test.js: ${example}`);
  }
});

for (const [key, check] of Object.entries(RUN)) {
  test(key.length > 90 ? `${key.slice(0, 90)}…` : key, () => check(blocks.get(key) ?? assert.fail('it is gone')));
}

test('in a page', async () => {
  const folder = join(app, 'page');
  await mkdir(join(folder, 'build'), { recursive: true });
  await symlink(join(root, 'build/js'), join(folder, 'build/js'));
  await symlink(join(root, 'models'), join(folder, 'models'));
  const names = Object.keys(IN_PAGE).map((_, i) => `./block-${i}.js`);
  for (const [i, [key, { before, after }]] of Object.entries(IN_PAGE).entries()) {
    const block = blocks.get(key) ?? '';
    const code = block.startsWith('<') ? JSON.stringify(block) : block.replace(/'heed\/(\w+)'/g, "'./build/js/$1.js'");
    await writeFile(join(folder, names[i]), [before, code, after].join('\n'));
  }
  await writeFile(join(folder, 'index.html'), '<!doctype html><script type="module" src="main.js"></script>');
  await writeFile(join(folder, 'main.js'), `
    const report = [];
    for (const name of ${JSON.stringify(names)}) report.push(await import(name).then((m) => m.shown, String));
    await fetch('report', { method: 'POST', body: JSON.stringify(report) });`);
  const { url, report, close } = await serve({ folders: { 'guide/': folder }, page: 'guide/index.html' });
  assert.deepEqual(await reportOf({ url, report, close }), Object.values(IN_PAGE).map(({ expected }) => expected));
});

test('the manifest of the guide says what that of the extension of the tests says', async () => {
  const { name: _, ...manifest } = JSON.parse(blocks.get('extension.md: {') ?? '');
  const { name: __, host_permissions: ___, ...tested } =
    JSON.parse(await readFile(join(root, 'tests/bundlers/extension/manifest.json'), 'utf8'));
  assert.deepEqual(manifest, tested);
});
