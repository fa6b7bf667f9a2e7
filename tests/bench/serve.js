// serve.js - 10,000 requests to heed serve, 100 at a time: every answer is compared with what the Translator gives, and
// the memory of the server is read on the way. A request that is refused because there are too many is sent again, as
// the server asks for, TRIES times at most; after that it counts as lost. Fails if an answer is lost or wrong, or if
// memory grows: the mean of the last tenth of the samples may be GROWTH above that of the third tenth.
// Run: node tests/bench/serve.js [REQUESTS] [AT ONCE] [client] (Linux, which tells the memory of a process). With
// `client`, the package `translate` of npm sends the requests, all of them from English.
//
// On 2026-11-26, two cores of an AMD EPYC, which other programs used at a lower priority (load 15), Node 20.20; two
// pairs, three beams, with `client`:
//
//   requests  at once  lost or wrong  refusals  seconds  a second  ms: median  95 %  most  MB: third tenth  last tenth
//      10000      100              0         0      138      72.4        1403  1732  3224              283         275
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Translate } from 'translate';
import { Translator } from '../../js/index.js';
import { brief, machine, table } from './table.js';

const [requests, atOnce] = [Number(process.argv[2] ?? 10_000), Number(process.argv[3] ?? 100)];
/**
 * The most that memory may grow by after the start. In a short run, garbage that is not collected yet outweighs 5 %:
 * with 400 requests, between 4 % more and 10 % less was measured, and 16 % more with a leak of 400 kB a request.
 */
const GROWTH = requests < 5000 ? 1.12 : 1.05;
const SAMPLES = 100;
/** How often a request is sent: over a minute at least, as a refusal asks for a second and more. */
const TRIES = 60;

const root = new URL('../../', import.meta.url);
const TEXTS = Array.from({ length: 64 }, (_, i) => [
  `Tom has ${i} red cars.`,
  `My brother worked in Berlin for ${i} years, and then he moved to a small village near the sea.`,
  `Can you help me with number ${i}? I do not know what to do.`,
  `After ${i} days we still did not know when the next train would come.`,
][i % 4]);

/** What the server has to answer, by target. @type {Record<string, string[]>} */
const expected = {};
for (const targetLanguage of ['de', 'fr']) {
  const translator = await Translator.create({
    sourceLanguage: 'en', targetLanguage, models: fileURLToPath(new URL('models/index.json', root)),
  });
  expected[targetLanguage] = await translator.translate(TEXTS);
  translator.destroy();
}

const cli = fileURLToPath(new URL('js/cli.js', root));
const server = spawn(process.execPath, [cli, 'serve', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
const [said] = await once(server.stdout, 'data');
const url = /http:\/\/\S+\//.exec(String(said))?.[0];

/** Bytes that the server holds. */
const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) * 1024;

// it keeps answers, for a millisecond at least
const client = process.argv[4] === 'client' && new Translate({ engine: 'libre', url: `${url}translate`, cache: 1 });

let refused = 0;
/** Waits before a request is sent again. @param {number} seconds */
async function waitFor(seconds) {
  refused++;
  await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
}

/**
 * What the server answers.
 *
 * @param {string} q
 * @param {string} source
 * @param {string} target
 * @param {number} [left]  tries after this one
 * @returns {Promise<any>}
 */
async function ask(q, source, target, left = TRIES - 1) {
  if (client) {
    try {
      return { translatedText: await client(q, { from: 'en', to: target }), status: 200 };
    } catch (error) {
      // the client tells no more than the message
      if (!/try again later$|^not done in /.test(error.message)) throw error;
      if (left === 0) throw new Error(`refused ${TRIES} times: ${error.message}`, { cause: error });
      await waitFor(1);
      return ask(q, source, target, left - 1);
    }
  }
  const response = await fetch(`${url}translate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ q, source, target }),
  });
  const answer = { status: response.status, ...(await response.json()) };
  if (response.status !== 503) return answer;
  if (left === 0) return { ...answer, error: `refused ${TRIES} times: ${answer.error}` };
  await waitFor(Number(response.headers.get('retry-after')));
  return ask(q, source, target, left - 1);
}

/** @type {number[]} */
const [times, samples] = [[], []];
/** @type {string[]} */
const wrong = [];
let [next, done] = [0, 0];
const start = performance.now();
await Promise.all(Array.from({ length: atOnce }, async () => {
  while (next < requests) {
    const i = next++;
    const [q, target] = [TEXTS[(i * 7) % TEXTS.length], i % 5 === 0 ? 'fr' : 'de'];
    const before = performance.now();
    try {
      const { translatedText, error, status } = await ask(q, i % 3 === 0 ? 'auto' : 'en', target);
      if (translatedText !== expected[target][(i * 7) % TEXTS.length]) {
        wrong.push(`${status}: ${q}: ${translatedText ?? error}`);
      }
    } catch (error) {
      wrong.push(`${q}: ${error}`);
    }
    times.push(performance.now() - before);
    if (++done % Math.ceil(requests / SAMPLES) === 0) samples.push(memory());
  }
}));
const seconds = (performance.now() - start) / 1000;
server.kill('SIGTERM');
const [status] = await once(server, 'exit');

times.sort((a, b) => a - b);
const at = (/** @type {number} */ part) => times[Math.floor((times.length - 1) * part)].toFixed(0);
const mean = (/** @type {number[]} */ list) => list.reduce((sum, x) => sum + x, 0) / list.length;
const tenth = Math.floor(samples.length / 10);
const [early, late] = [mean(samples.slice(2 * tenth, 3 * tenth)), mean(samples.slice(-tenth))];
const mb = (/** @type {number} */ bytes) => (bytes / 1e6).toFixed(0);
console.log(`${machine()}\n`);
console.log(table(
  ['requests', 'at once', 'lost or wrong', 'refusals', 'seconds', 'a second', 'ms: median', '95 %', 'most',
    'MB: third tenth', 'last tenth', 'most'],
  [[requests, atOnce, wrong.length, refused, brief(seconds), brief(requests / seconds), at(0.5), at(0.95), at(1),
    mb(early), mb(late), mb(Math.max(...samples))]], 0));
for (const line of wrong.slice(0, 10)) console.error(line);
if (status !== 0) console.error(`the server ended with ${status}`);
if (late > early * GROWTH) console.error('memory grows');
if (wrong.length > 0 || status !== 0 || late > early * GROWTH) process.exitCode = 1;
