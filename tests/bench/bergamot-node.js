// bergamot-node.js - Bergamot in this Node: with files, for firefox-engine.js, and as an engine on a model of models.js,
// with the interface of engines.js, for node.js.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { startBergamot } from './bergamot.js';
import { idsOf, textOf, VOCABULARY, WEIGHTS } from './bergamot-model.js';

/** @param {Parameters<typeof startBergamot>[0]} files */
export async function startInNode(files) {
  const require = createRequire(import.meta.url);
  const filename = require.resolve('@browsermt/bergamot-translator/worker/bergamot-translator-worker.js');
  Object.assign(globalThis, { require, __dirname: dirname(filename), __filename: filename });
  const [wasm, script] = await Promise.all([readFile(filename.replace(/js$/, 'wasm')), readFile(filename, 'utf8')]);
  return startBergamot(files, wasm, () => runInThisContext(script, { filename }));
}

/** @param {string} folder  of the model @param {string} dtype */
export async function bergamot(folder, dtype) {
  if (dtype !== 'int8') {
    throw Object.assign(new Error(`Bergamot has no model in ${dtype} here`), { name: 'NotSupportedError' });
  }
  const [model, vocabulary] = await Promise.all([WEIGHTS, VOCABULARY].map((name) => readFile(join(folder, name))));
  const load = await startInNode({ model, vocabularies: [vocabulary] });
  /** By the tokens of a translation for each of its source, which is a setting of the model. */
  const loaded = new Map();
  const { version } = createRequire(import.meta.url)('@browsermt/bergamot-translator/package.json');
  return {
    name: `Bergamot ${version}`,
    /** @param {Int32Array[]} sources @param {number} length */
    translate(sources, length) {
      const factor = length / sources[0].length;
      // a longer source would be cut
      if (!loaded.has(factor)) loaded.set(factor, load({ 'max-length-factor': factor, 'max-length-break': 512 }));
      return loaded.get(factor)(sources.map(textOf)).map((/** @type {string} */ text) => {
        const ids = idsOf(text);
        if (ids.length !== length) throw new Error(`Bergamot: found ${ids.length} tokens, expected ${length}`);
        return ids;
      });
    },
    dispose: () => loaded.clear(),
  };
}
