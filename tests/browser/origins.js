// origins.js - servers of an origin of their own, without a policy: folders, and pages that are strings. Used by tests
// of <heed-translate> and of the extension.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TYPES = {
  '.css': 'text/css; charset=utf-8', '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json', '.wasm': 'application/wasm',
};

/**
 * @param {object} options
 * @param {string[]} [options.folders]  of the repository
 * @param {Record<string, string>} [options.pages]  HTML by path
 * @returns {Promise<{ origin: string, asked: string[], close: () => void }>}  asked: paths
 */
export async function serveOrigin({ folders = [], pages = {} }) {
  /** @type {string[]} */
  const asked = [];
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(String(request.url).split('?')[0]);
    asked.push(path);
    const isServed = folders.some((folder) => path.startsWith(`/${folder}/`)) && !path.includes('..');
    const body = pages[path] ?? (isServed ? await readFile(join(ROOT, path)).catch(() => undefined) : undefined);
    const type = path in pages ? TYPES['.html'] : TYPES[extname(path)] ?? 'application/octet-stream';
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': type, 'access-control-allow-origin': '*' });
    response.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    asked,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
