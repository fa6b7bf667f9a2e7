// output.js - writes standard output at the speed of its reader. Used by cli.js and the commands.

/** Resolves when the text is written, so that a slow reader slows the work down. @param {string} text */
export function write(text) {
  if (process.stdout.write(text)) return undefined;
  return new Promise((resolve) => void process.stdout.once('drain', resolve));
}
