// trace.js - the tasks of a page's main thread in processor time, which other programs on the machine do not lengthen;
// from Chromium's own trace. Used by page.js, dom.js and typing.js.

/**
 * @typedef {{ at: number, time: number, what: string }} Task  at: in microseconds; time: milliseconds of the processor;
 *   what: what most of it was, as far as the trace tells
 */

/**
 * Records from now on.
 *
 * @param {any} page  of playwright
 * @returns {Promise<(first: string) => Promise<{ tasks: Task[], marks: Map<string, number> }>>}  ends that; first: a
 *   performance.mark() of the page, which tells its thread from those of the browser's own pages. marks: times, by name
 */
export async function startTrace(page) {
  const session = await page.context().newCDPSession(page);
  const events = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'blink.user_timing', 'devtools.timeline'] },
  });
  return async (first) => {
    const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
    await session.send('Tracing.end');
    await complete;
    const { pid, tid } = events.find(({ name }) => name === first);
    const own = events.filter((event) => event.pid === pid && event.tid === tid).sort((a, b) => a.ts - b.ts);
    const marks = new Map(own.flatMap(({ cat, name, ts }) => (/user_timing/.test(cat) ? [[name, ts]] : [])));
    /** @type {Task[]} */
    const tasks = [];
    let [end, longest] = [0, 0];
    for (const { cat, name, ts, dur = 0, tdur = 0 } of own) {
      if (/RunTask$/.test(name)) {
        tasks.push({ at: ts, time: tdur / 1000, what: '' });
        [end, longest] = [ts + dur, 0];
      } else if (/devtools\.timeline/.test(cat) && ts + dur <= end && tdur > longest) {
        longest = tdur;
        const task = tasks[tasks.length - 1];
        task.what = 2 * tdur > 1000 * task.time ? name : 'scripts';
      }
    }
    if (tasks.length === 0) throw new Error('the trace has no tasks of the page');
    return { tasks, marks };
  };
}
