// until.js - waits in Node until something is so. Used by marionette.js, with-extension.js and page.test.js.
import { setTimeout as sleep } from 'node:timers/promises';

/** Far more than anything takes on two shared cores. */
const LIMIT = 60_000;

/**
 * The first answer that is true.
 *
 * @template T
 * @param {() => T | Promise<T>} ask
 * @param {unknown} what  for the error
 */
export async function untilTrue(ask, what) {
  for (const end = Date.now() + LIMIT; Date.now() < end; await sleep(20)) {
    const answer = await ask();
    if (answer) return answer;
  }
  throw new Error(`not so in ${LIMIT} ms: ${what}`);
}
