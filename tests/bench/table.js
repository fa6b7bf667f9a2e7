// table.js - plain tables, the line that says where they were measured, and children; used by all programs here.
import { execFile } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Rows of cells under a heading, columns as wide as they must be; numbers (and cells after the first `left`) to the right. */
export function table(heading, rows, left = 1) {
  const all = [heading, ...rows].map((row) => row.map(String));
  const widths = heading.map((_, c) => Math.max(...all.map((row) => row[c].length)));
  const line = (row) => row.map((cell, c) => (c < left ? cell.padEnd(widths[c]) : cell.padStart(widths[c]))).join('  ').trimEnd();
  return [line(all[0]), widths.map((w) => '-'.repeat(w)).join('  '), ...all.slice(1).map(line)].join('\n');
}

/** A number with three digits that count. */
export const brief = (value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
export const megabytes = (bytes) => (bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 1);

export const machine = () =>
  `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus()[0].model.trim()} (${cpus().length} cores), ${process.platform} ${process.arch}`;

const run = promisify(execFile);

/** The object that a program of this folder prints; `node`: the Node that runs it. */
export async function child(program, args, node = process.execPath) {
  const { stdout } = await run(node, [fileURLToPath(new URL(program, import.meta.url)), ...args.map(String)], { maxBuffer: 1 << 26 });
  return JSON.parse(stdout.trim().split('\n').at(-1));
}
