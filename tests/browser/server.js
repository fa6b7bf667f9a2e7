// server.js - the repository as a static host serves a site below a path: types, a strict Content-Security-Policy, COOP
// and COEP only if asked for; takes the report of a page. Used by tests that open a page, for reportOf() of hosts.js.
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Not the root of the host, so that an address which begins with a slash is found out. */
const BASE = '/sites/heed/';
/**
 * What the pages of the repository may ask for. Models are data; only the library and the tests' own files are code.
 */
const SERVED = /^(js|models|tests\/browser|tests\/golden\/ssru)\/[\w./-]+$/;
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'",
  'x-content-type-options': 'nosniff',
};
const ISOLATED = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };

/**
 * @param {object} [options]
 * @param {Record<string, string>} [options.folders]  more to serve: the beginning of a path, and the folder it stands
 *   for
 * @param {string} [options.page]  whose address `url` is
 * @param {boolean} [options.isolated]  pages are cross-origin isolated
 * @param {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => boolean}
 *   [options.intercept] sees every request first; true: it has answered
 * @returns {Promise<{ url: string, report: Promise<any>, close: () => void }>}  `report`: what the page found
 */
export async function serve({ folders = {}, page = 'tests/browser/page.html', isolated, intercept } = {}) {
  const headers = isolated ? { ...HEADERS, ...ISOLATED } : HEADERS;
  /** @type {(report: object) => void} */
  let settle;
  const report = new Promise((resolve) => (settle = resolve));
  /** @param {string} name  below BASE */
  const find = (name) => {
    if (name.includes('..')) return null;
    const other = Object.keys(folders).find((folder) => name.startsWith(folder));
    if (other !== undefined) return join(folders[other], name.slice(other.length));
    return SERVED.test(name) ? join(ROOT, name) : null;
  };
  const server = createServer(async (request, response) => {
    if (intercept?.(request, response)) return;
    const path = String(request.url).split('?')[0];
    if (request.method === 'POST' && path.endsWith('/report')) {
      settle(JSON.parse(await text(request)));
      response.writeHead(204, HEADERS).end();
      return;
    }
    const file = path.startsWith(BASE) ? find(path.slice(BASE.length)) : null;
    const found = file && (await stat(file).catch(() => null));
    if (!found || !found.isFile()) {
      response.writeHead(404, HEADERS).end();
      return;
    }
    const type = TYPES[extname(file)] ?? 'application/octet-stream';
    response.writeHead(200, { ...headers, 'content-type': type, 'content-length': found.size });
    createReadStream(file).pipe(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}${BASE}${page}`,
    report,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
