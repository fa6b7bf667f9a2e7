// about.js - the room About: what heed is, privacy, and the origin, licence and scores of each model.

import { pairName } from '../engine.js';
import { h } from '../lib/dom.js';
import { fixed, languageName, megabytes } from '../lib/words.js';

/** The scores that are shown, by their keys in heed.json. */
const METRICS = { bleu: 'BLEU', chrf2: 'chrF' };

/** @param {HTMLElement} host @param {any} app */
export function mount(host, app) {
  const t = app.strings.about;
  const list = h('div', { class: 'models' }, h('p', { class: 'remark' }, t.models.loading));
  const part = (/** @type {string} */ title, /** @type {unknown[]} */ ...children) =>
    h('section', {}, h('h2', {}, title), children);
  const texts = (/** @type {string[]} */ list) => list.map((text) => h('p', {}, text));
  host.append(h('div', { class: 'about' },
    h('h1', {}, t.heading),
    h('p', { class: 'lead' }, t.lead),
    part(t.privacy.title, texts(t.privacy.text)),
    part(t.how.title, texts(t.how.text)),
    part(t.models.title, list),
    part(t.own.title, h('p', {}, t.own.text),
      h('pre', { tabindex: 0, role: 'region', 'aria-label': t.own.codeLabel }, h('code', {}, t.own.code)),
      // make docs puts them there
      h('p', {}, h('a', { href: 'docs/index.html' }, t.own.docs)))));

  showModels();
  async function showModels() {
    const { engine } = app;
    const pairs = engine.pairs.length ? engine.pairs : await engine.readPairs();
    /** Pairs by their directory. @type {Map<string, import('../engine.js').Pair[]>} */
    const models = new Map();
    for (const pair of pairs) models.set(pair.path, [...models.get(pair.path) ?? [], pair]);
    const cards = await Promise.all([...models.values()].map((its) =>
      describe(engine.directory(pairName(its[0])), its, t.models)));
    list.replaceChildren(...(cards.length ? cards : [h('p', {}, t.models.none)]));
  }
  return { update() {}, unmount: () => host.remove() };
}

/** @param {URL} directory @param {{ source: string, target: string }[]} pairs @param {any} t */
async function describe(directory, pairs, t) {
  const rows = [[t.pair, pairs.map(({ source, target }) => `${languageName(source)} \u2192 ${languageName(target)}`)
    .join(', ')]];
  try {
    const response = await fetch(new URL('heed.json', directory));
    if (!response.ok) throw new Error(`heed.json: HTTP ${response.status}`);
    const { parameters, files = {}, license, data = [], scores = {}, training } = await response.json();
    const bytes = Object.values(files).reduce((sum, /** @type {any} */ { size }) => sum + size, 0);
    if (parameters) rows.push([t.parameters, parameters.toLocaleString(document.documentElement.lang)]);
    if (bytes) rows.push([t.size, megabytes(bytes)]);
    if (license) rows.push([t.license, license]);
    const list = (/** @type {string[]} */ texts) => h('ul', {}, texts.map((text) => h('li', {}, text)));
    rows.push([t.trained, list(data.map((/** @type {any} */ d) =>
      [d.name, d.pairs && t.pairs(d.pairs.toLocaleString(document.documentElement.lang)), d.license, d.attribution].filter(Boolean)
        .join('; ')))]);
    rows.push([t.scores, list(Object.entries(scores).map(([set, score]) => `${set}: ${
      Object.entries(METRICS).filter(([key]) => key in score)
        .map(([key, name]) => `${name} ${fixed(score[key], 1)}`).join(', ')}`))]);
    if (training?.provisional) rows.push([t.state, t.provisional]);
  } catch (error) {
    rows.push([t.state, `${t.failed} ${/** @type {Error} */ (error).message}`]);
  }
  return h('dl', {}, rows.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}
