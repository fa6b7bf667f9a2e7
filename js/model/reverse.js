// reverse.js - reranks the best hypotheses of a model that translates both ways: those are preferred that make the
// source more probable. Loaded by engine/here.js for models whose heed.json has `reverse`.
//
// Yee, Dauphin, Auli 2019, "Simple and Effective Noisy Channel Modeling for Neural Machine Translation".

import { E_JSON } from '../base/constants.js';
import { HeedError } from '../base/errors.js';
import { mismatch } from '../base/json.js';
import { checkPair } from './languages.js';
import { chooseWay } from './pairs.js';

/**
 * Sorts the hypotheses of a source, all that the search has, best first. It pauses after each pass, because a step of a
 * batch has to be short.
 *
 * @typedef {(source: Int32Array, found: import('./model.js').Generated[]) => Iterator<void>} Rerank
 */

/** How many of the best are compared. */
const COMPARED = 2;
/** By how much the score of the second may be below the best. One that is further below seldom wins. */
const CLOSE = 0.08;
/** Most ids of a source, without the token of the target. Longer sources take more time and gain less. */
const LONGEST = 32;

/**
 * The token of the target that a source begins with, if it has one and `</s>` around it.
 *
 * @param {import('./pairs.js').Way} way
 * @param {unknown} eos
 */
function tokenOf({ encode, settings }, eos) {
  const [token, end, ...others] = encode('').ids;
  return settings === undefined && end === eos && others.length === 0 ? token : undefined;
}

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
 * What reranks a model's translations of a pair.
 *
 * @param {import('./model.js').Model} model
 * @param {import('./pairs.js').Way} way  of the pair
 * @param {string} source  canonical tags
 * @param {string} target
 * @returns {Rerank | undefined}  undefined: `reverse` is 0, the model does not translate back, or its sources are not
 *   the token of a language before what could be a target. HEED_E_JSON: `reverse` is no weight
 */
export function rerankOf(model, way, source, target) {
  const { config, manifest, tokenizer } = model;
  const { reverse: weight } = manifest;
  if (!(typeof weight === 'number' && weight >= 0 && weight < Infinity)) {
    throw new HeedError(E_JSON, mismatch('heed.json: reverse', weight, 'a number of 0 or more'));
  }
  const { eos_token_id: eos, vocab_size: size, decoder_vocab_size: targetSize } = config;
  const back = weight > 0 && tokenizer.isShared && size === targetSize ? wayBack(model, source, target) : undefined;
  const token = back && tokenOf(back, eos);
  if (token === undefined || tokenOf(way, eos) === undefined) return undefined;
  const longest = Number(config.max_position_embeddings);
  const room = Math.min(2 * LONGEST, longest);
  const { core, pass } = model.internals();

  /** The mean log-probability of a source's ids. @param {Int32Array} ids  of a hypothesis @param {Int32Array} to */
  const logProb = (ids, to) => {
    const from = Int32Array.of(token, ...ids);
    // always the same room, so that the memory does not grow in small steps
    const session = pass(room, Math.min(LONGEST, longest));
    core.forward(session, from, to);
    return Array.from(core.logProbs(session, to.length)).reduce((sum, each) => sum + each) / to.length;
  };

  return function* rerank(ids, found) {
    const to = ids.subarray(1);
    // one that ends with another id, as the caller may ask, is no source; nor is one without room for the token
    const close = found.slice(0, COMPARED).filter(({ ids: own, score, finished }) =>
      finished && own[own.length - 1] === eos && own.length < room && score > found[0].score - CLOSE);
    if (to.length > LONGEST || close.length < 2 || close[0] !== found[0]) return;
    /** @type {number[]} */
    const probable = [];
    for (const each of close) {
      probable.push(logProb(each.ids, to));
      yield;
    }
    // activations may overflow on the way back alone
    if (!probable.every(Number.isFinite)) return;
    // the first keeps its score, so that no hypothesis that is not compared overtakes it
    close.forEach((each, i) => { each.score += weight * (probable[i] - probable[0]); });
    found.sort((a, b) => b.score - a.score);
  };
}
