// host.js - splits texts into sentences, and translates them with an engine. Used by translator.js, which lends it to
// html.js, glossary.js and pivot.js.
//
//   texts     -> what passes through (passing.js) -> text/split.js: sentences with ids
//   sentences -> glossary.js for those with terms or kept parts, else the engine -> text/last-marks.js

import { checkGenerate } from '../model/options.js';
import { mayKeep, split } from '../text/split.js';

/** @typedef {import('../text/split.js').Sentence} Sentence */
/** @typedef {import('../text/keep.js').Span} Span */
/** @typedef {import('./options.js').Options} Options */
/** @typedef {import('./glossary.js').Result} Result */
/** @typedef {ReturnType<typeof createHost>} Host */

/** Control characters, which many vocabularies lack: the model would see a word. They are read as spaces. */
const CONTROL = /(?!\s)\p{Cc}/gu;
/** Every text with a run of marks has this, see text/last-marks.js. */
const MAY_RUN = /[!?.]\s*[!?.]|\u2026/;

/**
 * @param {import('../engine/engine.js').Engine} engine
 * @param {string} sourceLanguage  a canonical tag
 * @param {string} targetLanguage
 * @param {(signal: AbortSignal | undefined) => void} check  throws if the call of the signal is aborted
 */
export function createHost(engine, sourceLanguage, targetLanguage, check) {
  if (!Intl.Segmenter) throw new TypeError('no Intl.Segmenter');
  /** @type {Intl.Segmenter | undefined} */
  let made;
  const segmenter = { segment: (/** @type {string} */ text) =>
    (made ??= new Intl.Segmenter(sourceLanguage, { granularity: 'sentence' })).segment(text) };
  /** Whether the vocabulary has a character, see text/unknown.js. @type {Map<string, boolean>} */
  const known = new Map();

  /** See generate() below. @type {Host['generate']} */
  async function search(sentences, { glossary, keep: _, beamTree, cutRunaways = true, ...rest }, onStep) {
    const options = { scores: onStep === null, ...rest, cutRunaways, validUtf8: true };
    if (glossary || sentences.some(({ kept, isKept }) => kept || isKept)) {
      const { generateWith } = await import('./glossary.js');
      return generateWith({ ...host, generate: search }, sentences, glossary ?? [],
        { ...options, beamTree: beamTree && !glossary }, onStep);
    }
    const checked = checkGenerate(options, engine.defaults, engine.config);
    const ids = sentences.map((sentence) => sentence.ids);
    return engine.generate(ids, checked, { signal: options.signal, onStep: onStep ?? undefined, beamTree });
  }

  const host = {
    engine,
    sourceLanguage,
    targetLanguage,

    /** Texts of the source. @param {string[]} texts */
    encode: (texts) => engine.encode(texts.map((text) => text.replace(CONTROL, ' '))),

    /**
     * The parts of each text. Line breaks inside glossary terms are moved.
     *
     * @param {string[]} inputs
     * @param {Options} options
     * @param {Span[][]} [spans]  of each text, what passes through besides
     * @returns {Promise<Sentence[][]>}
     */
    async split(inputs, { signal, glossary, keep = true }, spans) {
      let endLead;
      if (glossary) {
        const { leadEnder, moveBreaks } = await import('./glossary.js');
        const move = (/** @type {string} */ text) => moveBreaks(text, glossary, sourceLanguage);
        inputs = inputs.map((text) => (typeof text === 'string' ? move(text) : text));
        endLead = leadEnder(glossary);
      }
      const encode = async (/** @type {string[]} */ texts) => {
        const encoded = await host.encode(texts);
        check(signal);
        return encoded;
      };
      const { max_position_embeddings: positions, positions: family, unk_token_id } =
        /** @type {Record<string, any>} */ (engine.config);
      // Marian never writes <unk>
      const unk = family === 'marian' ? unk_token_id : undefined;
      const passing = spans || (keep && (unk !== undefined || inputs.some(mayKeep)))
        ? await (await import('./passing.js')).findPassing(inputs,
          { encode, language: sourceLanguage, keep, glossary, spans, unk, known })
        : { encode };
      return split(inputs, { ...passing, segmenter, language: sourceLanguage, positions, glossary, endLead });
    },

    /**
     * The hypotheses of each sentence, best first.
     *
     * @param {Sentence[]} sentences
     * @param {Options & { beamTree?: boolean }} options  beamTree: without a glossary
     * @param {((text: string) => void) | null} [onStep]  gets the text so far, for a single sentence; null: compute
     *   scores, and report what a glossary cannot do instead of throwing
     * @returns {Promise<Result[][]>}
     */
    async generate(sentences, options, onStep) {
      const results = await search(sentences, options, onStep);
      if (!sentences.some(({ text }) => MAY_RUN.test(text))) return results;
      const { withRun } = await import('../text/last-marks.js');
      return results.map((hypotheses, i) => withRun(sentences[i], hypotheses));
    },
  };
  return host;
}
