// layout.js - finds a model of Marian's among the files of a directory, by their names; used by formats/ and lookup.js,
// and by the page.
//
//     model.ende.intgemm.alphas.bin, vocab.ende.spm or srcvocab.ende.spm and trgvocab.ende.spm    Firefox
//     lex.50.50.ende.s2t.bin                                                                      its shortlist
//     *.npz, source.spm, target.spm                                                               OPUS
//
// Any of them may be packed: .gz, .zst.

import { E_FILE } from '../base/constants.js';
import { HeedError } from '../base/errors.js';

const PACKED = /\.(gz|zst)$/;
/** File name patterns of the two vocabularies of a Firefox model. */
const SIDES = ['srcvocab.*.spm', 'trgvocab.*.spm'];

/** The name of a file once it is unpacked. @param {string} name */
export const plainName = (name) => name.replace(PACKED, '');

/**
 * @typedef {object} Layout
 * @property {string} weights
 * @property {[source: string, target: string] | undefined} vocabularies  undefined: at least one is missing
 * @property {string[]} missing  names or patterns of vocabularies that are missing
 * @property {boolean} hasPieceIds  the ids of tokens are those of the pieces, so that there is no vocab.json
 * @property {string | undefined} shortlist
 * @property {{ source?: string, target?: string }} languages  that the name of the weights tells
 */

/**
 * The languages in `model.ende.intgemm.bin`: two codes of two letters, or `en` and any tag. A word that no vocabulary
 * or shortlist has in its name too, such as `base`, is none.
 *
 * @param {string} weights
 * @param {string[]} names  of all files
 */
function languagesOf(weights, names) {
  const [, pair = ''] = /^model\.([a-z-]{4,20})\./i.exec(weights) ?? [];
  const [, source, target] = /^(..)(..)$/.exec(pair) ?? /^(en)(.{3,})$/.exec(pair) ?? /^(.{3,})(en)$/.exec(pair) ?? [];
  const turned = `${target}${source}`;
  const isPair = names.some((name) => name !== weights && /\.(spm|bin)(\.(gz|zst))?$/.test(name)
    && name.split('.').some((part) => part === pair || part === turned));
  return source !== undefined && isPair ? { source, target } : {};
}

/**
 * @param {string[]} names  of the files in a directory
 * @returns {Layout | null}  null: no weights. HEED_E_FILE: several models, or vocabularies
 */
export function findLayout(names) {
  // of a file and its packed copies, the file
  const longestFirst = [...names].sort((a, b) => b.length - a.length);
  const found = [...new Map(longestFirst.map((name) => [plainName(name), name]))];
  const matching = (/** @type {RegExp} */ pattern) => found.filter(([name]) => pattern.test(name)).sort();
  /** The only one of some names. @param {RegExp} pattern @param {string} what */
  const only = (pattern, what) => {
    const all = matching(pattern).map(([, name]) => name);
    if (all.length > 1) throw new HeedError(E_FILE, `${all.join(', ')}: found several ${what}, expected one`);
    return all[0];
  };
  const bin = only(/^model.*\.bin$|\.intgemm[^/]*\.bin$/, 'models');
  const [npz] = [...matching(/^model\.npz$/), ...matching(/\.npz$/)];
  const weights = bin ?? npz?.[1];
  if (weights === undefined) return null;
  const joint = only(/^vocab(\..*)?\.spm$/, 'vocabularies');
  const [source, target] = ['src', 'trg'].map((side) => only(RegExp(`^${side}vocab(\\..*)?\\.spm$`), 'vocabularies'));
  if (joint && (source || target)) {
    const both = `${joint}, ${source ?? target}`;
    throw new HeedError(E_FILE, `${both}: found several vocabularies, expected one, or one of each side`);
  }
  const hasPieceIds = [joint, source, target].some(Boolean);
  const pair = hasPieceIds ? [joint ?? source, joint ?? target] : ['source.spm', 'target.spm'];
  const expected = hasPieceIds ? SIDES : pair;
  const missingNames = expected.filter((_, i) => !names.includes(pair[i]));
  const missing = bin && missingNames.length === 2 ? [`vocab.*.spm, or ${SIDES.join(' and ')}`] : missingNames;
  return {
    weights,
    vocabularies: missing.length === 0 ? /** @type {[string, string]} */ (pair) : undefined,
    missing,
    hasPieceIds,
    shortlist: only(/^lex\..*\.bin$/, 'shortlists'),
    languages: languagesOf(weights, names),
  };
}
