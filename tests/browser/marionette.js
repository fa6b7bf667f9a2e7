// marionette.js - drives Firefox by its own protocol, Marionette: JSON over TCP, with its length before it. Used by
// with-extension.js.
//
// Scripts run in the page, or with all rights in the browser's own window: there they press its buttons and see every
// request. The clients of Playwright and Puppeteer have no such scripts.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { needBrowser } from './hosts.js';
import { launch } from './launch.js';
import { untilTrue } from './until.js';

const FLAGS = ['--marionette', '--remote-allow-system-access'];

/** @param {import('node:net').Socket} socket */
function clientOf(socket) {
  /** Calls that have no answer yet, by number. @type {Map<number, { resolve: Function, reject: Function }>} */
  const calls = new Map();
  let [next, received] = [0, Buffer.alloc(0)];
  const rejectAll = (error = new Error('Firefox has closed the connection')) => {
    for (const { reject } of calls.values()) reject(error);
    calls.clear();
  };
  socket.on('error', rejectAll).on('close', () => rejectAll());
  socket.on('data', (data) => {
    received = Buffer.concat([received, data]);
    for (;;) {
      const colon = received.indexOf(':');
      const start = colon + 1;
      const end = start + Number(received.subarray(0, colon));
      if (colon < 0 || received.length < end) return;
      const message = JSON.parse(String(received.subarray(start, end)));
      received = received.subarray(end);
      if (!Array.isArray(message)) continue; // the greeting
      const [, id, error, result] = message;
      const call = calls.get(id);
      calls.delete(id);
      if (error) call?.reject(new Error(`Firefox: ${error.error}: ${error.message}`));
      else call?.resolve(result);
    }
  });
  /** @param {string} name @param {object} [parameters] @returns {Promise<any>} */
  return (name, parameters = {}) => new Promise((resolve, reject) => {
    if (socket.destroyed) throw new Error(`Firefox: ${name}: the connection was closed before`);
    calls.set(next, { resolve, reject });
    const message = Buffer.from(JSON.stringify([0, next++, name, parameters]));
    socket.write(Buffer.concat([Buffer.from(`${message.length}:`), message]));
  });
}

/** Start Firefox with an extension. @param {string} extension  folder */
export async function startFirefox(extension) {
  const browser = launch('firefox', String(needBrowser('firefox')), 'about:blank', FLAGS);
  /** @type {import('node:net').Socket | undefined} */
  let socket;
  const close = async () => {
    socket?.destroy();
    browser.failed.catch(() => {}); // it is ended here
    await browser.close();
  };
  try {
    const port = () => readFile(join(browser.profile, 'MarionetteActivePort'), 'utf8').then(Number, () => 0);
    const found = await Promise.race([untilTrue(port, 'Firefox opens a port'), browser.failed]);
    socket = connect(found, '127.0.0.1');
    await once(socket, 'connect');
    const send = clientOf(socket);
    await send('WebDriver:NewSession');
    /** @param {string} context @param {Function} f @param {unknown[]} args */
    const run = async (context, f, args) => {
      await send('Marionette:SetContext', { value: context });
      return (await send('WebDriver:ExecuteScript', { script: `return (${f})(...arguments)`, args })).value;
    };
    const inPage = (/** @type {Function} */ f, /** @type {unknown[]} */ ...args) => run('content', f, args);
    const inBrowser = (/** @type {Function} */ f, /** @type {unknown[]} */ ...args) => run('chrome', f, args);
    const install = () => send('Addon:Install', { path: extension, temporary: true });
    return { send, inPage, inBrowser, install, close };
  } catch (error) {
    await close();
    throw error;
  }
}
