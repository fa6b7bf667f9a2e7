// site.js - the built page as a static host serves it below a path, under a strict policy and without special headers;
// it can be cut off from its readers. Used by page.test.js and bench/page.js.
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { buildSite } from '../../web/build.js';

/** Not the root of the host, so that an address which begins with a slash is found out. */
const BASE = '/sites/heed/';
const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
};
const POLICY = [
  "default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "worker-src 'self'", "connect-src 'self'",
  "style-src 'self'", "img-src 'self' blob: data:", "manifest-src 'self'",
].join('; ');

/**
 * Build the page into a temporary folder and serve it.
 *
 * @param {{ extra?: (request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) =>
 *   Promise<boolean> | boolean }} [options]  extra: answers first, also when cut off; true if it did
 */
export async function serveSite({ extra } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'heed-site-'));
  const { scripts } = await buildSite(folder);
  let reachable = true;
  /** Paths that were asked for and not there. @type {string[]} */
  const missing = [];
  /** Names of the files that were asked for. @type {Set<string>} */
  const asked = new Set();
  const server = createServer(async (request, response) => {
    if (await extra?.(request, response)) return;
    if (!reachable) return void request.socket.destroy();
    const path = decodeURIComponent(String(request.url).split('?')[0]);
    const name = path.startsWith(BASE) ? path.slice(BASE.length) || 'index.html' : '';
    const found = /^[\w./-]+$/.test(name) && !name.includes('..') && (await stat(join(folder, name)).catch(() => null));
    const headers = { 'content-security-policy': POLICY, 'x-content-type-options': 'nosniff' };
    if (!found || !found.isFile()) {
      missing.push(path);
      return void response.writeHead(404, headers).end();
    }
    asked.add(name);
    const type = TYPES[extname(name)] ?? 'application/octet-stream';
    response.writeHead(200, { ...headers, 'content-type': type, 'content-length': found.size });
    createReadStream(join(folder, name)).pipe(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}${BASE}`,
    scripts,
    missing,
    asked,
    /** From now on no request is answered. */
    cut() {
      reachable = false;
      server.closeAllConnections();
    },
    /** As before. */
    mend() {
      reachable = true;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
