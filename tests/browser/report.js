// report.js - sends what a page found to the server that it came from; of a page with several parts, which <html
// data-parts> names, when the last has come. Used by html-page.js, dom.js and element-page.js.

/** @type {Record<string, any>} */
const found = {};

/** @param {string} part @param {any} report */
export async function send(part, report) {
  found[part] = report;
  const { parts } = document.documentElement.dataset;
  if (parts?.split(' ').some((name) => !(name in found))) return;
  await fetch('report', { method: 'POST', body: JSON.stringify(parts ? found : report) });
}
