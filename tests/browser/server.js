// server.js - the repository as a static host serves a site below a path: types, a strict Content-Security-Policy, no
// COOP and COEP; takes the report of page.js. Used by engines.test.js.
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
/** What pages may ask for. Models are data; only the library and what the tests put on a page are code. */
const SERVED = /^(js|models|tests\/browser)\/[\w./-]+$/;
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

/**
 * @returns {Promise<{ url: string, report: Promise<object>, close: () => void }>}  `url`: of page.html; `report`: what
 *   the page found
 */
export async function serve() {
  /** @type {(report: object) => void} */
  let settle;
  const report = new Promise((resolve) => (settle = resolve));
  const server = createServer(async (request, response) => {
    const path = String(request.url).split('?')[0];
    if (request.method === 'POST' && path === `${BASE}tests/browser/report`) {
      settle(JSON.parse(await text(request)));
      response.writeHead(204, HEADERS).end();
      return;
    }
    const name = path.startsWith(BASE) ? path.slice(BASE.length) : '';
    const found = SERVED.test(name) && !name.includes('..') && (await stat(join(ROOT, name)).catch(() => null));
    if (!found || !found.isFile()) {
      response.writeHead(404, HEADERS).end();
      return;
    }
    const type = TYPES[extname(name)] ?? 'application/octet-stream';
    response.writeHead(200, { ...HEADERS, 'content-type': type, 'content-length': found.size });
    createReadStream(join(ROOT, name)).pipe(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}${BASE}tests/browser/page.html`,
    report,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
