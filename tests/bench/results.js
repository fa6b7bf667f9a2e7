// results.js - the result of a benchmark as a file of results/, of which the page of benchmarks is made; used by
// index.js and firefox.js.
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname } from 'node:path';
import { brief, machine } from './table.js';

/**
 * What is measured of a case: milliseconds of each engine.
 *
 * @typedef {{ label: string, engines: Record<string, number> }} Measured
 */

/**
 * One row for each case, one column for each engine: milliseconds, and the speed-up over the engine `base`.
 *
 * @param {Measured[]} measured
 * @param {string} base
 */
export function tableOf(measured, base) {
  const engines = [...new Set(measured.flatMap((each) => Object.keys(each.engines)))];
  const cell = (/** @type {Record<string, number>} */ ms, /** @type {string} */ engine) => {
    if (ms[engine] === undefined) return '';
    if (engine === base || ms[base] === undefined) return brief(ms[engine]);
    return `${brief(ms[engine])} (${(ms[base] / ms[engine]).toFixed(1)}\u00d7)`;
  };
  return {
    columns: ['case', ...engines],
    rows: measured.map(({ label, engines: ms }) => [label, ...engines.map((engine) => cell(ms, engine))]),
  };
}

/**
 * The command of this run without --results.
 *
 * @param {string} program  of this folder
 * @param {string[]} args
 */
export const commandOf = (program, args) =>
  ['node', `tests/bench/${program}`, ...args.filter((arg, i) => arg !== '--results' && args[i - 1] !== '--results')]
    .map((arg) => (/\s/.test(arg) ? JSON.stringify(arg) : arg)).join(' ');

/**
 * @param {string} file
 * @param {{ title: string, text: string, command: string, base: string, measured: Measured[] }} result
 */
export function writeResult(file, { title, text, command, base, measured }) {
  const host = machine().split(', ').slice(1).join(', ');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({
    title,
    text,
    command,
    date: new Date().toISOString().slice(0, 10),
    machine: `${host}, load average ${loadavg()[2].toFixed(1)}`, // of 15 minutes
    ...tableOf(measured, base),
  }, null, 2)}\n`);
}
