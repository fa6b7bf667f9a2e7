// dom.js - translatePage() of the built package on small pages, with a stub instead of a model; loaded by dom.html and
// dom-engines.js, and sent to the server that it came from: by name what was wrong, or ''.
import { translatePage } from '../../js/dom.js';
import { CASES } from './dom-cases.js';
import { send } from './report.js';
import { Stub } from './stub.js';

/** All nodes below one, by identity. @param {Node} root */
export function nodesOf(root) {
  const found = [];
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_ALL);
  for (let node; (node = walk.nextNode());) found.push(node);
  return found;
}

export function check(isRight, what) {
  if (!isRight) throw new Error(what);
}

export function equal(found, expected, what = '') {
  const [a, b] = [found, expected].map((value) => JSON.stringify(value));
  check(a === b, `${what} found ${a}, expected ${b}`);
}

export const pause = (ms = 0) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until something holds; what: tells what there is instead. */
export async function until(isTrue, what) {
  for (const end = performance.now() + 60_000; !isTrue();) {
    check(performance.now() < end, `never: ${isTrue}: ${what?.()}`);
    await pause(10);
  }
}

// the server's policy allows no style attributes
const sheet = new CSSStyleSheet();
sheet.replaceSync('.block { display: block } .pre { white-space: pre } .tall { height: 100vh }');
document.adoptedStyleSheets = [sheet];

const report = {};
for (const [name, run] of Object.entries(CASES)) {
  const host = document.body.appendChild(document.createElement('div'));
  const made = [];
  const tools = {
    host,
    /** A page in an element, and its translation when it is done. */
    async translate(html, stub = 'upper', options = {}) {
      host.innerHTML = html;
      const translator = typeof stub === 'string' ? new Stub(stub) : stub;
      const translation = translatePage(host, { translator, ...options });
      made.push(translation);
      await translation.done;
      return { translation, translator };
    },
  };
  try {
    await run(tools);
    report[name] = '';
  } catch (error) {
    report[name] = `${error}\n${error.stack}`; // WebKit's stack has no message
  }
  for (const translation of made) translation.stop();
  host.remove();
}
await send('dom', report);
