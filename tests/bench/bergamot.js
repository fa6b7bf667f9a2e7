// bergamot.js - Bergamot, the engine of Firefox's translations, as npm has it in wasm: starts it with the settings of
// Firefox. Used by bergamot-node.js, and by firefox-page.js.
//
// The module wants its int8 kernels from Firefox. Elsewhere it uses its own, which its exports name Fallback.

const KERNELS = {
  int8_prepare_a: 'int8PrepareAFallback',
  int8_prepare_b: 'int8PrepareBFallback',
  int8_prepare_b_from_transposed: 'int8PrepareBFromTransposedFallback',
  int8_prepare_b_from_quantized_transposed: 'int8PrepareBFromQuantizedTransposedFallback',
  int8_prepare_bias: 'int8PrepareBiasFallback',
  int8_multiply_and_add_bias: 'int8MultiplyAndAddBiasFallback',
  int8_select_columns_of_b: 'int8SelectColumnsOfBFallback',
};

/** Marian's settings, those of Firefox's worker: greedy search, one thread. */
const SETTINGS = {
  'beam-size': 1, normalize: '1.0', 'word-penalty': 0, 'max-length-break': 128, 'mini-batch-words': 1024,
  workspace: 128, 'max-length-factor': '2.0', 'skip-cost': true, 'cpu-threads': 0, quiet: true,
  'quiet-translation': true, 'gemm-precision': 'int8shiftAlphaAll', alignment: 'soft',
};

/**
 * The module; its script takes its options from a global.
 *
 * @param {BufferSource} wasm
 * @param {() => void} evaluate  runs the script, as one that is no module
 */
function start(wasm, evaluate) {
  return new Promise((resolve, reject) => {
    const module = {
      print() {},
      printErr: (/** @type {string} */ text) => text.trim() && !text.includes('LOG(INFO)')
        && console.error(`bergamot: ${text}`),
      onRuntimeInitialized: () => resolve(module),
      onAbort: (/** @type {unknown} */ why) => reject(new Error(`Bergamot aborted: ${why}`)),
      instantiateWasm(imports, accept) {
        const kernels = Object.entries(KERNELS).map(([name, own]) => [name, (...args) => module.asm[own](...args)]);
        WebAssembly.instantiate(wasm, { ...imports, wasm_gemm: Object.fromEntries(kernels) })
          .then(({ instance }) => accept(instance), reject);
        return {};
      },
    };
    globalThis.Module = module;
    evaluate();
  });
}

/** @typedef {(texts: string[]) => string[]} Translate  in one call */

/**
 * The script keeps its state in globals, so that there is one module for all.
 *
 * @param {{ model: Uint8Array, vocabularies: Uint8Array[], shortlist?: Uint8Array }} files
 * @param {BufferSource} wasm
 * @param {() => void} evaluate
 * @returns {Promise<(more?: Record<string, number>) => Translate>}  loads the model, with more settings
 */
export async function startBergamot({ model, vocabularies, shortlist }, wasm, evaluate) {
  const module = await start(wasm, evaluate);
  const aligned = (/** @type {Uint8Array} */ bytes, /** @type {number} */ alignment) => {
    const memory = new module.AlignedMemory(bytes.length, alignment);
    memory.getByteArrayView().set(bytes);
    return memory;
  };
  const service = new module.BlockingService({ cacheSize: 0 });
  return (more) => {
    const list = new module.AlignedMemoryList();
    for (const bytes of vocabularies) list.push_back(aligned(bytes, 64));
    const settings = Object.entries({ ...SETTINGS, ...more }).map(([name, value]) => `${name}: ${value}\n`).join('');
    const loaded = new module.TranslationModel(settings, aligned(model, 256),
      aligned(shortlist ?? new Uint8Array(), 64), list, null);
    return (texts) => {
      const [input, options] = [new module.VectorString(), new module.VectorResponseOptions()];
      for (const text of texts) {
        input.push_back(text);
        options.push_back({ qualityScores: false, alignment: false, html: false });
      }
      const responses = service.translate(loaded, input, options);
      const translations = texts.map((_, i) => responses.get(i).getTranslatedText());
      for (const each of [input, options, responses]) each.delete();
      return translations;
    };
  };
}
