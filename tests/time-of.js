// time-of.js - how much of the processor something takes. A test whose limit stands between what grows with the length
// of a text and what grows with its square compares that: the time by the clock grows with all that runs beside it.

/** Milliseconds of a processor. @param {() => unknown} work */
export async function timeOf(work) {
  const start = process.cpuUsage();
  await work();
  return process.cpuUsage(start).user / 1000;
}
