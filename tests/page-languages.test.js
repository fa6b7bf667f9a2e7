// page-languages.test.js - the languages of the page: each has all texts, of the same kind as the English ones.
import test from 'node:test';
import assert from 'node:assert/strict';
import { about } from '../web/about/strings.js';
import { learn } from '../web/learn/strings.js';
import { see } from '../web/see/strings.js';
import { LANGUAGES, strings } from '../web/strings.js';
import { translate } from '../web/translate/strings.js';

const ENGLISH = { shell: strings.shell, translate, see, learn, about };

/** Numbers and words to call the texts with: no text depends on their kind. */
const GIVEN = ['2', '3', '5', '7'];

/** What a text is, and what it says if it is a function. @param {unknown} text @param {string} path */
function said(text, path) {
  if (typeof text !== 'function') return text;
  const list = /pieces|several|missing|wrong|lost/.test(path) ? [['a', 'b'], ['c', 'd']] : GIVEN;
  if (/shape$/.test(path)) return text([2, 3]);
  if (/score$/.test(path)) return text({ bleu: 2, chrf2: 3 });
  if (/pieces$/.test(path)) return text('a', ['b', 'c']);
  return text(...list);
}

/** Compares kinds, keys and lengths. @param {any} found @param {any} wanted @param {string} path */
function compare(found, wanted, path) {
  assert.equal(typeof found, typeof wanted, `${path}: a ${typeof wanted}`);
  assert.equal(Array.isArray(found), Array.isArray(wanted), path);
  if (typeof wanted === 'object') {
    assert.deepEqual(Object.keys(found).sort(), Object.keys(wanted).sort(), path);
    for (const key of Object.keys(wanted)) compare(found[key], wanted[key], `${path}.${key}`);
    return;
  }
  if (typeof wanted === 'function') assert.equal(found.length, wanted.length, `${path}: its arguments`);
  const [text, english] = [said(found, path), said(wanted, path)];
  assert.equal(typeof text, typeof english, path);
  assert.equal(text === '', english === '', `${path}: empty as in English`);
  assert.equal(String(text).includes('undefined'), false, path);
  // numbers and words that are given are said
  const given = (/** @type {unknown} */ value) => [...String(value).matchAll(/[2357]/g)].map(String).sort();
  if (typeof wanted === 'function') assert.deepEqual(given(text), given(english), `${path}: what is given`);
}

for (const language of Object.keys(LANGUAGES).filter((tag) => tag !== 'en')) {
  test(`${LANGUAGES[/** @type {keyof typeof LANGUAGES} */ (language)]}: every text of the page`, async () => {
    const other = await import(`../web/strings/${language}.js`);
    compare({ ...other }, ENGLISH, language);
    // a text in English is a text that was forgotten: most differ
    const flat = (/** @type {any} */ texts) => /** @type {string[]} */ (typeof texts === 'object'
      ? Object.values(texts).flatMap(flat) : [texts]);
    const [own, english] = [flat({ ...other }), flat(ENGLISH)]
      .map((list) => list.filter((text) => typeof text === 'string' && / /.test(text)));
    const same = own.filter((text) => english.includes(text));
    assert.ok(same.length < 15, `as in English: ${same.join('; ')}`);
    // as in the numbers that the page computes, which local() of web/lib/words.js writes
    assert.equal((0.5).toLocaleString(language), '0,5');
    const pointed = own.filter((text) => /(?<![\w.-])\d+\.\d/.test(text) && !text.includes('import {'));
    assert.deepEqual(pointed, []);
  });
}
