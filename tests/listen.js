// listen.js - a server of this machine for the time of a test. Used by the tests of loading.
import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * @param {import('node:test').TestContext} t
 * @param {import('node:http').RequestListener} answer
 * @returns {Promise<string>}  its address, with a slash at the end
 */
export async function listen(t, answer) {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return `http://127.0.0.1:${port}/`;
}
