// dom.test.js - 'heed/dom' in Chromium: small pages with stubs for a model, of which each case of browser/dom-cases.js
// reports what is wrong.
import test from 'node:test';
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { reportOf } from './browser/hosts.js';
import { serve } from './browser/server.js';

const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
/** Pages load no bare names, so they get the built package. */
const folders = { 'js/': path('../build/js/'), 'tests/mutate/stubs.js': path('mutate/stubs.js') };

const report = await reportOf(await serve({ folders, page: 'tests/browser/dom.html' }));
for (const [name, wrong] of Object.entries(report)) test(name, () => assert.equal(wrong, ''));

test('there are reports', () => assert.ok(Object.keys(report).length > 40));
