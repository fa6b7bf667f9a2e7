// output.js - standard output, at the pace of its reader. Used by cli.js and the commands.

/** Resolves when the text is on its way, so that a slow reader slows the work down. @param {string} text */
export function write(text) {
  if (process.stdout.write(text)) return undefined;
  return new Promise((resolve) => void process.stdout.once('drain', resolve));
}
