// serve-many.test.js - many requests to heed serve, 100 at a time: bench/serve.js fails if an answer is lost or wrong,
// or if memory grows. `make test-long` sends 10,000 with a client from npm.
import test from 'node:test';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const skip = process.platform !== 'linux' && 'only Linux tells the memory of a process';

const requests = process.env.REQUESTS ?? '400';

test(`${requests} requests, 100 at a time: none is lost, and memory stays`, { skip }, async (t) => {
  const program = fileURLToPath(new URL('bench/serve.js', import.meta.url));
  const { stdout } = await run(process.execPath, [program, requests, '100']);
  for (const line of stdout.trim().split('\n')) t.diagnostic(line);
});
