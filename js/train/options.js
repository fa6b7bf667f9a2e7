// options.js - the options of a Trainer and the links of its pairs, checked and packed for the core. Used by train.js.

import { badRange, badType, checkInteger } from '../base/check.js';
import { MAX_LENGTH, OPTIMIZERS, SCHEDULES, SCHEDULE_COSINE, SCHEDULE_INVERSE_SQRT } from '../base/constants.js';

/**
 * @typedef {object} Pair  ids; both sides end with `</s>`
 * @property {ArrayLike<number>} source
 * @property {ArrayLike<number>} target
 * @property {ArrayLike<ArrayLike<number>>} [links]  [source token, target token] pairs that translate each other, for
 *   `guided`
 */
/** @typedef {{ readonly shape: readonly number[], readonly data: Float32Array }} Tensor  a dense row-major array */

/**
 * @typedef {object} TrainOptions
 * @property {number} [learningRate]  the maximal rate. Default for a new model: with 'inverse-sqrt' that of the paper,
 *   (d_model warmupSteps)^-0.5, else 0.001. Default for a loaded model: 0.0001
 * @property {number} [warmupSteps]  steps over which the rate rises from 0. Default: 4000 for a new model, else 0
 * @property {'inverse-sqrt' | 'constant' | 'cosine'} [schedule]  after the warm-up. Default: 'inverse-sqrt' for a new
 *   model, 'constant' for a loaded one
 * @property {number} [totalSteps]  step at which 'cosine' reaches 0; default 10,000
 * @property {number} [labelSmoothing]  default 0.1
 * @property {number} [dropout]  default 0.1
 * @property {number} [attentionDropout]  dropout of attention weights; default 0
 * @property {number} [guided]  weight of guided alignment: how much a head of the last decoder layer is told by the
 *   pairs' links where to look. Default 0
 * @property {number} [guidedHead]  the head to guide; default 0
 * @property {number} [sampledSoftmax]  words of the loss: the targets, and others drawn to stand for the rest of the
 *   vocabulary. Faster where that is large. Default 0: all words
 * @property {'adam' | 'muon'} [optimizer]  'muon': Muon learns the matrices of projections, Adam the rest, at one rate;
 *   see src/train/muon.h. A step takes longer and teaches more. Default 'adam'
 * @property {number} [clipNorm]  maximal norm of the gradient; 0: no limit; default 1
 * @property {number} [seed]  of dropout; default 1
 * @property {number} [maxTokens]  length of the longest sentence; larger batches are computed in parts of this size.
 *   Default 512
 * @property {string | URL | BufferSource | WebAssembly.Module} [wasm]  the source of heed-train.wasm
 */

/** The names of all options. */
export const TRAIN =
  'learningRate warmupSteps schedule totalSteps labelSmoothing dropout attentionDropout ' +
  'guided guidedHead sampledSoftmax optimizer clipNorm seed maxTokens wasm';

/** @param {string} name @param {unknown} value @param {number} least @param {number} below @returns {number} */
function checkNumber(name, value, least, below) {
  if (typeof value !== 'number') badType(name, value, 'a number');
  return value >= least && value < below ? value : badRange(name, value, `a number from ${least} to below ${below}`);
}

/**
 * heed_train_options: sixteen fields of four bytes.
 *
 * @param {TrainOptions} options
 * @param {{ fresh: boolean, modelSeed: number, learnsPositions: boolean }} model
 */
export function packOptions(options, { fresh, modelSeed, learnsPositions }) {
  const {
    schedule = fresh ? 'inverse-sqrt' : 'constant',
    warmupSteps = fresh ? 4000 : 0,
    totalSteps = 10_000,
    labelSmoothing = 0.1,
    dropout = 0.1,
    attentionDropout = 0,
    guided = 0,
    guidedHead = 0,
    sampledSoftmax = 0,
    optimizer = 'adam',
    clipNorm = 1,
    seed = 1,
    maxTokens = 512,
  } = options;
  const code = SCHEDULES.indexOf(schedule);
  if (code < 0) badType('schedule', schedule, "'inverse-sqrt', 'constant' or 'cosine'");
  if (!OPTIMIZERS.includes(optimizer)) badType('optimizer', optimizer, "'adam' or 'muon'");
  checkInteger('warmupSteps', warmupSteps, 0);
  // 0 asks the core for the paper's rate
  const learningRate = options.learningRate ?? (!fresh ? 1e-4 : code === SCHEDULE_INVERSE_SQRT ? 0 : 1e-3);
  if (options.learningRate !== undefined) {
    checkNumber('learningRate', learningRate, 0, 1e6);
    if (learningRate === 0) badRange('learningRate', 0, 'more');
  }
  checkInteger('totalSteps', totalSteps, code === SCHEDULE_COSINE ? warmupSteps + 1 : 0);
  const view = new DataView(new ArrayBuffer(64));
  [
    learningRate,
    checkNumber('labelSmoothing', labelSmoothing, 0, 1),
    checkNumber('dropout', dropout, 0, 1),
    checkNumber('clipNorm', clipNorm, 0, 1e30),
  ].forEach((value, i) => view.setFloat32(4 * i, value, true));
  [
    code,
    warmupSteps,
    totalSteps,
    checkInteger('seed', seed, 0),
    modelSeed,
    Number(learnsPositions),
    checkInteger('maxTokens', maxTokens, 1, MAX_LENGTH),
  ].forEach((value, i) => view.setInt32(16 + 4 * i, value, true));
  view.setFloat32(44, checkNumber('attentionDropout', attentionDropout, 0, 1), true);
  view.setFloat32(48, checkNumber('guided', guided, 0, 1e6), true);
  view.setInt32(52, checkInteger('guidedHead', guidedHead, 0), true);
  view.setInt32(56, checkInteger('sampledSoftmax', sampledSoftmax, 0), true);
  view.setInt32(60, OPTIMIZERS.indexOf(optimizer), true);
  return { bytes: new Uint8Array(view.buffer), maxTokens };
}

/**
 * The links of all pairs in the form of heed_trainer_step_guided(): (target, source), sorted by target. Undefined if no
 * pair has links.
 *
 * @param {Pair[]} pairs
 */
export function packLinks(pairs) {
  if (pairs.every(({ links }) => links === undefined)) return undefined;
  const sorted = pairs.map(({ source, target, links = [] }, i) => {
    if (typeof links !== 'object' || links === null)
      badType(`pairs[${i}].links`, links, 'an array of [source, target]');
    return Array.from(links, (link, k) => {
      const name = `pairs[${i}].links[${k}]`;
      if (typeof link !== 'object' || link?.length !== 2) badType(name, link, '[source token, target token]');
      return [
        checkInteger(`${name}[1]`, link[1], 0, target.length - 1),
        checkInteger(`${name}[0]`, link[0], 0, source.length - 1),
      ];
    }).sort(([a], [b]) => a - b);
  });
  return { links: Int32Array.from(sorted.flat(2)), counts: Int32Array.from(sorted, ({ length }) => length) };
}
