// server.js - an HTTP server with LibreTranslate's interface: its routes, what it refuses, and a stop that loses
// nothing. Used by cli/serve.js.
//
// A request is counted from its headers to its answer. Above the limit it is refused at once, before its body is read,
// so that memory stays within limits: queue requests of MAX_REQUEST_BYTES. So is one that would not be translated in
// its time: if it waited, its time would end when its work has begun, and the work of all would be lost.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { BATCH, GRACE_SECONDS, MAX_REQUEST_BYTES } from '../base/limits.js';
import { onAbort } from '../base/host.js';
import { readBody, readFields, Refusal } from './fields.js';
import { Interface } from './interface.js';
import { Pace } from './pace.js';
import { Translators } from './translators.js';

/** @typedef {import('node:http').IncomingMessage} Request */
/** @typedef {import('node:http').ServerResponse} Response */

/** As LibreTranslate: any page may ask, and no cookies are used. */
const CROSS_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'Authorization, Content-Type',
  'access-control-expose-headers': 'Authorization',
  'access-control-allow-methods': 'GET, POST',
  'access-control-max-age': String(20 * 24 * 60 * 60),
};
/** What LibreTranslate has besides, and may be told to refuse. */
const DISABLED = ['/translate_file', '/suggest'];
/** How much of its time a request may have to wait for: the estimate is rough. */
const ROOM = 0.75;

/** @param {string} text */
const digest = (text) => createHash('sha256').update(text).digest('hex');

/**
 * @typedef {object} ServerOptions
 * @property {string} host
 * @property {number} port  0: any that is free
 * @property {[source: string, target: string][]} pairs  what it translates
 * @property {(source: string, target: string) => Promise<import('../translate/translator.js').Translator>} create
 * @property {readonly string[]} [keys]  API keys; none: everybody may ask
 * @property {number} charLimit  characters of a text; Infinity: no limit
 * @property {number} queue  requests at the same time, with those that wait
 * @property {number} timeout  milliseconds for a request, from its headers to its answer
 * @property {number} loaded  translators to keep
 * @property {number} [jobs]  threads of each translator, 1
 * @property {(message: string) => void} onError  hears of failures that are not the client's
 */

export class Server {
  #options;
  #server;
  #translators;
  #interface;
  /** Digests: comparing them tells nothing of a key. */
  #keys;
  /** The requests that are not answered. @type {Set<AbortController>} */
  #open = new Set();
  #pace = new Pace();
  #isStopping = false;
  /** Where it listens. */
  url = '';
  /** Called when the last request is answered. */
  #onIdle = () => {};

  /** Only startServer() calls it. @param {ServerOptions} options */
  constructor(options) {
    const { create, pairs, charLimit, loaded, timeout, keys = [], jobs = 1 } = options;
    this.#options = options;
    this.#keys = new Set(keys.map(digest));
    this.#translators = new Translators(create, { most: loaded, atOnce: jobs * BATCH });
    this.#interface = new Interface(this.#translators, pairs, charLimit);
    this.#server = createServer({ requestTimeout: timeout },
      (request, response) => void this.#serve(request, response));
  }

  /** @returns {Promise<void>} */
  async listen() {
    const { host, port } = this.#options;
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    const { address, port: own } = /** @type {any} */ (this.#server.address());
    this.url = `http://${address.includes(':') ? `[${address}]` : address}:${own}/`;
  }

  /** @param {Response} response @param {number} status @param {unknown} value @param {Record<string, string>} [more] */
  #send(response, status, value, more) {
    if (response.headersSent || response.destroyed) return; // nobody reads it
    const body = value === undefined ? '' : JSON.stringify(value);
    response.writeHead(status, {
      ...CROSS_ORIGIN,
      ...(body && { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) }),
      ...(this.#isStopping && { connection: 'close' }),
      ...more,
    });
    response.end(body);
  }

  /** What is answered without a body and without a queue. @type {Record<string, () => unknown>} */
  #pages = {
    '/languages': () => this.#interface.languages(),
    '/frontend/settings': () => this.#interface.settings(this.#keys.size > 0),
    '/health': () => {
      if (this.#isStopping) throw new Refusal(503, 'the server stops');
      return { status: 'ok' };
    },
  };

  /** @type {Record<string, (fields: Record<string, unknown>, signal: AbortSignal) => Promise<unknown>>} */
  #calls = {
    '/translate': (fields, signal) => this.#interface.translate(fields, signal),
    '/detect': (fields) => this.#interface.detect(fields),
  };

  /** @param {unknown} key */
  #checkKey(key) {
    if (this.#keys.size === 0) return;
    if (key === undefined || key === '') throw new Refusal(400, 'api_key: found none: ask the operator of the server');
    if (!this.#keys.has(digest(String(key)))) throw new Refusal(403, 'Invalid API key');
  }

  /**
   * The answer to a request with a body.
   *
   * @param {Request} request
   * @param {URL} address
   * @param {AbortSignal} signal
   */
  async #call(request, { pathname, searchParams }, signal) {
    const body = await readBody(request, MAX_REQUEST_BYTES, signal);
    const fields = await readFields(body, request.headers['content-type'], searchParams);
    this.#checkKey(fields.api_key);
    return this.#calls[pathname](fields, signal);
  }

  /**
   * Runs a call within the limits of the server.
   *
   * @param {Request} request
   * @param {Response} response
   * @param {URL} address
   * @returns {Promise<unknown>}
   */
  async #limited(request, response, address) {
    const { queue, timeout } = this.#options;
    if (this.#isStopping) throw new Refusal(503, 'the server stops', { 'retry-after': '1' });
    if (this.#open.size >= queue) {
      throw new Refusal(503, `found ${queue} requests at the same time, the limit: try again later`,
        { 'retry-after': '1' });
    }
    const isCounted = address.pathname === '/translate'; // others take no time
    const wait = this.#pace.timeFor(this.#open.size + 1) - ROOM * timeout;
    if (isCounted && this.#open.size >= BATCH && wait > 0) {
      throw new Refusal(503, `the ${this.#open.size} requests before this one may take longer than `
        + `${timeout / 1000} s, the limit: try again later`, { 'retry-after': String(Math.ceil(wait / 1000)) });
    }
    const stop = new AbortController();
    const { signal } = stop;
    this.#open.add(stop);
    if (this.#open.size === BATCH) this.#pace.begin();
    const timer = setTimeout(() => stop.abort(new Refusal(503, `not done in ${timeout / 1000} s, the limit`,
      { 'retry-after': '1' })), timeout);
    const leave = () => stop.abort(new Refusal(499, 'the client has gone'));
    response.once('close', leave);
    try {
      // what listens late, as a model that loads, does not delay the answer
      const answer = await new Promise((resolve, reject) => {
        onAbort(signal, () => reject(signal.reason));
        this.#call(request, address, signal).then(resolve, reject);
      });
      if (isCounted && this.#open.size >= BATCH) this.#pace.answer();
      return answer;
    } finally {
      clearTimeout(timer);
      response.off('close', leave);
      if (this.#open.size === BATCH) this.#pace.rest();
      this.#open.delete(stop);
      if (this.#open.size === 0) this.#onIdle();
    }
  }

  /** @param {Request} request @param {Response} response @returns {Promise<unknown>} */
  async #answer(request, response) {
    const { method = '', url = '' } = request;
    if (!URL.canParse(url, this.url)) throw new Refusal(400, 'the address of the request is none');
    const address = new URL(url, this.url);
    const path = address.pathname;
    if (DISABLED.includes(path)) throw new Refusal(403, `${path} is disabled on this server`);
    const [isPage, isCall] = [Object.hasOwn(this.#pages, path), Object.hasOwn(this.#calls, path)];
    if (!isPage && !isCall) {
      const all = [...Object.keys(this.#calls), ...Object.keys(this.#pages)];
      throw new Refusal(404, `found ${path.slice(0, 60)}, expected ${all.join(', ')}`);
    }
    const allowed = isPage ? ['GET', 'HEAD'] : ['POST'];
    if (!allowed.includes(method)) {
      throw new Refusal(405, `${path}: found ${method}, expected ${allowed[0]}`, { allow: allowed.join(', ') });
    }
    return isPage ? this.#pages[path]() : this.#limited(request, response, address);
  }

  /** @param {Request} request @param {Response} response */
  async #serve(request, response) {
    if (request.method === 'OPTIONS') return void this.#send(response, 204, undefined);
    try {
      this.#send(response, 200, await this.#answer(request, response));
    } catch (/** @type {any} */ error) {
      if (error instanceof Refusal) {
        this.#send(response, error.status, { error: error.message }, error.headers);
      } else {
        this.#options.onError(error.stack ?? String(error));
        this.#send(response, 500, { error: `Cannot translate text: ${error.message}` });
      }
    }
  }

  /** Refuses new requests, answers those that have come, and frees all. @returns {Promise<void>} */
  async stop() {
    if (this.#isStopping) return;
    this.#isStopping = true;
    const closed = once(this.#server, 'close');
    this.#server.close();
    if (this.#open.size > 0) await new Promise((resolve) => (this.#onIdle = () => resolve(undefined)));
    this.#server.closeIdleConnections();
    // clients that do not read their answer, or do not end their headers, do not hold the program
    const timer = setTimeout(() => this.#server.closeAllConnections(), GRACE_SECONDS * 1000);
    await closed;
    clearTimeout(timer);
    this.#translators.destroy();
  }
}

/** @param {ServerOptions} options @returns {Promise<Server>}  that listens */
export async function startServer(options) {
  const server = new Server(options);
  await server.listen();
  return server;
}
