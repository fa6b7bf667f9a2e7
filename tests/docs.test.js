// docs.test.js - the documentation that `make docs` builds: every guide and entry point is in it, no link leads
// nowhere, and its examples run from where it is.
import test from 'node:test';
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchmarksPage } from '../web/guides/benchmarks.js';
import { buildDocs, ENTRIES, LIVE } from '../web/guides/build.js';
import { reportOf } from './browser/hosts.js';
import { serve } from './browser/server.js';
import { watchPage } from './browser/watched.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const site = await mkdtemp(join(tmpdir(), 'heed-docs-'));
test.after(() => rm(site, { recursive: true, force: true }));
await writeFile(join(site, 'index.html'), '');
await symlink(join(root, 'models'), join(site, 'models'));
await buildDocs(site);

const pages = (await readdir(join(site, 'docs'), { recursive: true }))
  .filter((name) => name.endsWith('.html')).map((name) => join(site, 'docs', name));
const texts = new Map(await Promise.all(pages.map(async (page) => [page, await readFile(page, 'utf8')])));

/** Addresses of a page that are neither elsewhere nor in itself. @param {string} html */
const linksOf = (html) => [...html.matchAll(/ (?:href|src)="([^"#?]+)[^"]*"/g)].map(([, link]) => link)
  .filter((link) => !/^(?:https?:|data:)/.test(link));

test('no link leads nowhere', async () => {
  const dead = [];
  let links = 0;
  for (const [page, html] of texts) {
    for (const link of new Set(linksOf(html))) {
      links++;
      const file = resolve(dirname(page), decodeURIComponent(link));
      const found = await stat(file).then((each) => each.isFile(), () => false);
      if (!found) dead.push(`${page.slice(site.length)}: ${link}`);
    }
  }
  assert.deepEqual(dead, []);
  assert.ok(links > 500, `${links} links`);
});

test('every guide has its page, with the code that it includes', async () => {
  const guides = (await readdir(join(root, 'web/guides')))
    .filter((name) => name.endsWith('.md') && name !== 'index.md');
  const documents = pages.filter((page) => page.includes('/documents/'));
  assert.equal(documents.length, guides.length + 1, 'and the benchmarks');
  const all = [...texts.values()].join('');
  assert.doesNotMatch(all, /@includeCode|\{@link|href="(?:example|site):/);
  for (const name of guides) {
    const title = /^# (.+)$/m.exec(await readFile(join(root, 'web/guides', name), 'utf8'))?.[1];
    assert.ok(documents.some((page) => texts.get(page)?.includes(`>${title}<`)), `${name}: ${title}`);
  }
});

/** What classes have and people do not use: byteIds is for the search. */
const HIDDEN = ['constructor', 'length', 'name', 'prototype', 'byteIds'];

test('the reference has what the package exports', async () => {
  // heed/inline has the types of `.`; other exports are files without types
  const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const typed = Object.values(exports)
    .flatMap(({ types }) => /^\.\/build\/types\/(\w+)\.d\.ts$/.exec(types)?.[1] ?? []);
  assert.deepEqual([...ENTRIES].sort(), [...new Set(typed)].sort());
  /** @type {Function[]} */
  const classes = [];
  for (const entry of ENTRIES) {
    const html = texts.get(join(site, 'docs/modules', `${entry}.html`)) ?? assert.fail(`${entry} is missing`);
    for (const [name, value] of Object.entries(await import(`../js/${entry}.js`))) {
      assert.ok(html.includes(`id="${name.toLowerCase()}"`), `${entry}: ${name}`);
      if (/^class\b/.test(String(value))) classes.push(value);
    }
  }
  assert.ok(classes.length > ENTRIES.length / 2, String(classes.length));
  for (const type of new Set(classes)) {
    const isOf = (/** @type {string} */ page) => page.includes('/classes/') && page.endsWith(`.${type.name}.html`);
    const html = [...texts].find(([page]) => isOf(page))?.[1] ?? '';
    for (const name of [type, type.prototype].flatMap(Object.getOwnPropertyNames)) {
      if (HIDDEN.includes(name)) continue;
      assert.ok(html.includes(`id="${name.toLowerCase()}"`), `${type.name}.${name}`);
    }
  }
});

test('a result of a benchmark needs a cell for each column', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'heed-results-'));
  t.after(() => rm(folder, { recursive: true }));
  const [columns, rows] = [['x', 'y'], [['1', '2|3']]];
  const result = { title: 'A', text: 'B', command: 'C', date: 'D', machine: 'E', columns, rows };
  const write = (/** @type {object} */ change) =>
    writeFile(join(folder, 'a.json'), JSON.stringify({ ...result, ...change }));
  await write({});
  assert.match(await benchmarksPage(folder), /## A\n\nB\n\n\| x \| y \|\n\| --- \| ---: \|\n\| 1 \| 2\\\|3 \|/);
  await write({ rows: [['1']] });
  await assert.rejects(benchmarksPage(folder), /a\.json: found 1 cells, expected 2/);
});

for (const name of LIVE) {
  test(`the example ${name} runs where the documentation links to it`, async () => {
    await watchPage(join(site, 'web/examples', name));
    const folders = Object.fromEntries(['js/', 'models/', 'web/'].map((each) => [each, join(site, each)]));
    const { text, error } = await reportOf(await serve({ folders, page: `web/examples/${name}/index.html` }));
    assert.equal(error, undefined);
    assert.match(text, /^Das Haus\b.+\.$/);
  });
}
