// page-engines.test.js - the built page in Firefox and WebKit: the same text and attention as in Node, its rooms, files
// it exports, and its work without a network. Chromium is page.test.js's business.
import test from 'node:test';
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';
import { needBrowser, reportOf } from './browser/hosts.js';
import { PLACES, TEXT, expected } from './browser/expected.js';
import { serveSite } from './browser/site.js';

const FILES = {
  '/drive/drive.html': 'text/html',
  '/drive/drive.js': 'text/javascript',
  '/drive/probe.js': 'text/javascript',
};

/** What drive.js saw in a browser. @param {'firefox' | 'webkit'} kind */
async function drive(kind) {
  /** @type {(report: any) => void} */
  let settle;
  const report = new Promise((resolve) => (settle = resolve));
  const site = await serveSite({
    async extra(request, response) {
      const { url } = request;
      if (FILES[url]) {
        response.writeHead(200, { 'content-type': FILES[url] });
        createReadStream(fileURLToPath(new URL(`browser/${url.split('/').at(-1)}`, import.meta.url))).pipe(response);
      } else if (url === '/drive/wanted') response.end(JSON.stringify({ text: TEXT, places: PLACES }));
      else if (url === '/drive/cut') {
        response.on('finish', () => site.cut()).end();
      } else if (url === '/drive/report') {
        settle(JSON.parse(await text(request)));
        response.end();
      } else return false;
      return true;
    },
  });
  const found = await reportOf({ url: site.url, report, close: site.close },
    { kind, url: new URL('/drive/drive.html', site.url).href });
  return { ...found, missing: site.missing };
}

for (const kind of /** @type {const} */ (['firefox', 'webkit'])) {
  test(`${kind}: text, attention, rooms and views, exports, without a network`, async (t) => {
    if (!needBrowser(kind, t)) return;
    const want = await expected();
    const found = await drive(kind);
    t.diagnostic(found.userAgent);
    assert.equal(found.error, undefined);
    assert.equal(found.target, want.text);
    assert.equal(found.hash, want.heard.hash);
    assert.deepEqual(found.exported, { png: 'blob', svg: 'blob', csv: 'blob', json: 'blob' });
    if (!found.hasWorkers) t.diagnostic(`${kind} has no service workers here: nothing without a network`);
    else assert.match(found.offline, /Haus/);
    assert.deepEqual([found.troubles, found.missing], [[], []]);
  });
}
