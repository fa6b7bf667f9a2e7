#!/usr/bin/env node
// cli.js - the command `heed`: translates arguments or lines of standard input; describes and converts models. The
// commands are in cli/.

import { createRequire } from 'node:module';
import { helpText, parse, UsageError } from './cli/commands.js';
import { manageCache } from './cli/cache.js';
import { fetchModel } from './cli/fetch.js';
import { asksForFiles, translateFiles } from './cli/files.js';
import { convertModel, info, trimModel, verifyModel } from './cli/models.js';
import { write } from './cli/output.js';
import { serve } from './cli/serve.js';
import { translate } from './cli/translate.js';

/** @param {string[]} argv */
async function main(argv) {
  const { command, values, operands } = parse(argv);
  const rest = operands.map(({ text }) => text);
  if (values.version) {
    await write(`${createRequire(import.meta.url)('heed/package.json').version}\n`);
  } else if (values.help) await write(helpText());
  else if (command === 'help') {
    if (rest.length > 1) throw new UsageError(`help: expected one command, found ${rest.join(' ')}`);
    await write(helpText(rest[0]));
  } else if (command === 'translate') {
    await (asksForFiles(values, operands) ? translateFiles : translate)(values, operands);
  }
  else if (command === 'info') await info(values, rest);
  else if (command === 'convert') await convertModel(command, rest, values.dtype);
  else if (command === 'quantize') await convertModel(command, rest, 'int8');
  else if (command === 'trim') await trimModel(values, rest);
  else if (command === 'verify') await verifyModel(rest);
  else if (command === 'fetch') await fetchModel(values, rest);
  else if (command === 'cache') await manageCache(values, rest);
  else if (command === 'serve') await serve(values, rest);
  else throw new UsageError(command === undefined ? 'no command' : `unknown command '${command}'`);
}

// the reader may close the pipe early: `heed translate | head -1`
process.stdout.on('error', (error) => {
  if (/** @type {any} */ (error).code === 'EPIPE') process.exit(0);
  process.stderr.write(`heed: ${error.message}\n`);
  process.exit(1);
});

// The reader of standard error may close it. Ignore the error and go on.
process.stderr.on('error', () => {});

try {
  await main(process.argv.slice(2));
} catch (error) {
  const usage = error instanceof UsageError;
  process.stderr.write(
    `heed: ${error instanceof Error ? error.message : error}\n${usage ? "Try 'heed --help'.\n" : ''}`,
  );
  process.exitCode = usage ? 2 : 1;
}
