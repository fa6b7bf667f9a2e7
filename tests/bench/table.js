// table.js - plain tables, the line that says where they were measured, and children; used by all programs here.
import { execFile } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Rows of cells under a heading, columns as wide as they must be; those after the first `left` stand to the right. */
export function table(heading, rows, left = 1) {
  const all = [heading, ...rows].map((row) => row.map(String));
  const widths = heading.map((_, c) => Math.max(...all.map((row) => row[c].length)));
  const pad = (cell, c) => (c < left ? cell.padEnd(widths[c]) : cell.padStart(widths[c]));
  const line = (row) => row.map(pad).join('  ').trimEnd();
  return [line(all[0]), widths.map((w) => '-'.repeat(w)).join('  '), ...all.slice(1).map(line)].join('\n');
}

/** A number with three digits that count. */
export const brief = (value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
export const megabytes = (bytes) => (bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 1);

export function machine() {
  const date = new Date().toISOString().slice(0, 16).replace('T', ' ');
  const cores = cpus();
  const host = `${cores[0].model.trim()} (${cores.length} cores), ${process.platform} ${process.arch}`;
  return `${date} UTC, ${host}, Node ${process.versions.node}`;
}

const run = promisify(execFile);

/** The object that a program of this folder prints; `node`: the Node that runs it. */
export async function child(program, args, node = process.execPath) {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const { stdout } = await run(node, [path, ...args.map(String)]);
  return JSON.parse(stdout.trim().split('\n').at(-1));
}
