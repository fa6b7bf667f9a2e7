// hosts.js - where tests run beside this Node: an installed browser that opens a page, which reports by itself, and
// other versions of Node. Used by tests of browsers, bundlers and examples, and by chromium.js.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findBrowser, launch } from './launch.js';

const run = promisify(execFile);
/** What a host may take: ten times and more what it takes on two shared cores. */
const LIMIT = 300_000;
const PACKAGES = { chromium: 'chromium', firefox: 'firefox-esr', webkit: 'webkit2gtk-driver xvfb' };

/** @typedef {keyof typeof PACKAGES} Kind */

/**
 * Path of a browser. Chromium must be there; without another the test is skipped, and the answer is undefined.
 *
 * @param {Kind} kind
 * @param {import('node:test').TestContext} [t]  without it every browser must be there
 */
export function needBrowser(kind, t) {
  const program = findBrowser(kind);
  const missing = `${kind} is missing: apt-get install ${PACKAGES[kind]}, or set ${kind.toUpperCase()} to its path`;
  if (!program && t && kind !== 'chromium') t.skip(missing);
  else assert.ok(program, missing);
  return program;
}

/**
 * What a page reports. Browser and server are closed then, or when none has come: that rejects.
 *
 * @param {{ url: string, report: Promise<any>, close: () => void | Promise<void> }} server  of server.js
 * @param {object} [options]
 * @param {Kind} [options.kind]
 * @param {string} [options.url]  to open, if it is not the server's
 * @param {string[]} [options.flags]  more of Chromium's
 * @param {(browser: ReturnType<typeof launch>) => void} [options.started]
 */
export async function reportOf(server, { kind = 'chromium', url = server.url, flags, started } = {}) {
  let browser;
  let timer;
  try {
    browser = launch(kind, String(needBrowser(kind)), url, flags);
    started?.(browser);
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${kind}: no report after ${LIMIT} ms`)), LIMIT);
    });
    return await Promise.race([server.report, browser.failed, late]);
  } finally {
    clearTimeout(timer);
    browser?.failed.catch(() => {}); // it is ended here
    await browser?.close();
    await server.close();
  }
}

/** Other versions of Node, as .ci/setup installs them. */
export const NODES = ['node22', 'node24'];

/**
 * Runs another Node; the test is skipped, and the answer is undefined, where it is not installed.
 *
 * @param {import('node:test').TestContext} t
 * @param {string} name  of NODES
 * @returns {Promise<((args: string[], options?: object) => Promise<string>) | undefined>}  answers what it printed
 */
export async function otherNode(t, name) {
  const program = fileURLToPath(new URL(`node_modules/${name}/bin/node`, import.meta.url));
  if (await access(program).then(() => false, () => true)) {
    return void t.skip(`${name} is not installed in tests/browser (.ci/setup browsers)`);
  }
  return async (args, options) =>
    (await run(program, args, { timeout: LIMIT, maxBuffer: 1 << 24, ...options })).stdout.trim();
}
