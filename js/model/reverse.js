// reverse.js - of hypotheses that are about as good as the best, the one comes first from which the source is most
// probable: a model that translates both ways says that too. Loaded by engine/here.js for models whose heed.json has
// `reverse`.
//
// Yee, Dauphin, Auli 2019, "Simple and Effective Noisy Channel Modeling for Neural Machine Translation".

import { E_JSON } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { mismatch } from '../base/json.js';
import { checkPair } from './languages.js';
import { chooseWay } from './pairs.js';

/** @typedef {import('./model.js').Generated} Generated */
/**
 * Puts hypotheses in order.
 *
 * @typedef {object} Judge
 * @property {number} compares  how many of the best
 * @property {(source: Int32Array, found: Generated[]) => Generated[]} order  takes them best first
 */

/** How many of the best are compared. */
const COMPARED = 3;
/** By how much the score of one of them may be below the best. Few that are further below come first. */
const CLOSE = 0.15;
/** Most ids of a source, without the target's token. The time grows with its length, and what is gained falls. */
const LONGEST = 24;

/** @param {import('./model.js').Model} model @param {string} source @param {string} target */
function wayBack(model, source, target) {
  try {
    checkPair(target, source)(model.manifest);
    return chooseWay(model, target, source);
  } catch (error) {
    if (/** @type {Error} */ (error).name === 'NotSupportedError') return undefined;
    throw error;
  }
}

/**
 * The judge of a model's translations of a pair.
 *
 * @param {import('./model.js').Model} model
 * @param {string} source  canonical tags
 * @param {string} target
 * @returns {Judge | undefined}  undefined: the model does not translate back, or a source has other ids than a target
 */
export function judgeOf(model, source, target) {
  const { config, manifest, tokenizer } = model;
  const { reverse: weight } = manifest;
  if (!(typeof weight === 'number' && weight > 0 && weight < Infinity)) {
    throw new HeedError(E_JSON, mismatch('heed.json: reverse', weight, 'a number above 0'));
  }
  const way = tokenizer.isShared ? wayBack(model, source, target) : undefined;
  // a source is the token of the language that it becomes, and what the target would be
  const [token, end, ...others] = way?.encode('').ids ?? [];
  if (!way || way.settings || end !== config.eos_token_id || others.length > 0) return undefined;
  const { core, pass } = model.internals();

  /** The mean log-probability of a source's ids. @param {Int32Array} ids @param {Int32Array} source */
  const logProb = (ids, source) => {
    const from = Int32Array.of(token, ...ids);
    const session = pass(from.length, source.length);
    core.forward(session, from, source);
    const logProbs = Array.from(core.logProbs(session, source.length));
    return logProbs.reduce((sum, each) => sum + each) / source.length;
  };

  return {
    compares: COMPARED,
    order(ids, found) {
      const source = ids.subarray(1); // without the token of the target
      const close = found.slice(0, COMPARED)
        .filter(({ score, finished }) => finished && score > found[0].score - CLOSE);
      if (source.length > LONGEST || close.length < 2 || close[0] !== found[0]) return found;
      const probable = close.map((each) => logProb(each.ids, source));
      // the first keeps its score, so that those further below stay below
      close.forEach((each, i) => { each.score += weight * (probable[i] - probable[0]); });
      return found.sort((a, b) => b.score - a.score);
    },
  };
}
