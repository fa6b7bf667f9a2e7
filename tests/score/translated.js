// translated.js - how many texts of a Translator are those of Firefox's engine, and its alignments; used by firefox.js
// and by firefox-real.test.js.
//
// The engine's words and alignments are those of golden/firefox/real. It never keeps what a vocabulary lacks and has no
// beams, so the Translator does neither. Both split texts into sentences by rules of their own.

/** @typedef {import('../../js/index.js').Translator} Translator */

/**
 * One line of an expected.jsonl, as golden/firefox/README.md describes it; `alignment` is only there if the line is one
 * sentence to the engine: of each target token, the source token that has the most weight in the head for alignment.
 *
 * @typedef {{ text: string, reference?: string, exact?: { text: string }, alignment?: number[] }} Answer
 * @typedef {{ source: string, full: Answer, shortlist: Answer }} Line
 */

const OPTIONS = { keep: false, beams: 1 };

/** What sums that do not saturate say. @param {Answer} answer */
const exactText = ({ exact, reference, text }) => exact?.text ?? reference ?? text;

/**
 * Compares the lines with what the engine makes of each alone. The model must have been loaded alike: over all pieces,
 * or with a shortlist.
 *
 * @param {Translator} translator
 * @param {Line[]} lines
 * @param {'full' | 'shortlist'} kind
 */
export async function compareTexts(translator, lines, kind) {
  const texts = await translator.translate(lines.map(({ source }) => source), OPTIONS);
  let [equal, exact, aligned, alignedLines, links, alignedLinks] = [0, 0, 0, 0, 0, 0];
  for (const [i, { source, [kind]: answer }] of lines.entries()) {
    exact += Number(texts[i] === exactText(answer));
    if (texts[i] !== answer.text) continue;
    equal++;
    // where the reference says something else, its alignment is not that of the text
    if (!answer.alignment || answer.reference !== undefined) continue;
    aligned++;
    const parts = await translator.translateDetailed(source, OPTIONS);
    const found = parts.length === 1 ? [...parts[0].alignment] : [];
    const same = answer.alignment.filter((from, t) => found[t] === from).length;
    alignedLines += Number(same === answer.alignment.length && found.length === same);
    links += answer.alignment.length;
    alignedLinks += same;
  }
  return { texts, equal, exact, aligned, alignedLines, links, alignedLinks };
}
