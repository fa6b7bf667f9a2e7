// benchmarks.js - the page of benchmarks, made of the files in tests/bench/results. Each has the result of one run:
//
//   { "title", "text", "command", "date", "machine", "columns": [...], "rows": [[...], ...] }

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const HEAD = `---
title: Benchmarks
---

# Benchmarks

Each table is one run of its command on one machine, with what it is compared with. Times are medians. Run it on yours:
they differ more between machines than you may expect.
`;

/** A cell of a table in Markdown. @param {unknown} text */
const cell = (text) => String(text).replaceAll('|', '\\|');

/** @param {string} folder  of results @returns {Promise<string>} Markdown */
export async function benchmarksPage(folder) {
  const parts = [HEAD];
  for (const name of (await readdir(folder)).sort()) {
    const result = JSON.parse(await readFile(join(folder, name), 'utf8'));
    const { title, text, command, date, machine, columns, rows } = result;
    for (const row of rows) {
      if (row.length === columns.length) continue;
      throw new Error(`${name}: found ${row.length} cells, expected ${columns.length}`);
    }
    const sides = ['---', ...columns.slice(1).fill('---:')];
    const lines = [columns, sides, ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`);
    parts.push(`## ${title}`, text, lines.join('\n'), `\`${command}\`, ${date}, ${machine}.`);
  }
  return `${parts.join('\n\n')}\n`;
}
