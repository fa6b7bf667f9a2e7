// watched.js - pages of examples that tell the server what they show; used by examples.test.js and docs.test.js.
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const WATCH = fileURLToPath(new URL('watch.js', import.meta.url));

/** Makes the page of a folder, index.html, report as watch.js does. @param {string} folder */
export async function watchPage(folder) {
  await cp(WATCH, join(folder, 'watch.js'));
  const page = join(folder, 'index.html');
  const html = await readFile(page, 'utf8');
  await writeFile(page, html.replace('<script', '<script type="module" src="./watch.js"></script>\n<script'));
}
