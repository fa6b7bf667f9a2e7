// expected.js - what the page must show and say, by Node; used by page.test.js and page-engines.test.js.
import { createHash } from 'node:crypto';
import { Translator } from '../../js/index.js';
import { FIXTURE } from './fixture.js';

export const TEXT = 'The children are playing in the garden. Where did you leave the keys this morning?';

const VIEWS = {
  translate: [''],
  see: ['heads', 'flow', 'matrix', 'neuron', 'layers', 'alignment', 'occlusion', 'ablation', 'beam'],
  learn: ['embeddings', 'positions', 'self-attention', 'qkv', 'scaled', 'softmax', 'by-hand', 'masking', 'multi-head',
    'cross', 'ffn', 'model', 'objective', 'decoding', 'train'],
  about: [''],
};
/** Every room and view, as permalinks name them. */
export const PLACES = Object.entries(VIEWS).flatMap(([room, views]) =>
  views.map((view) => `${room}/${view}`.replace(/\/$/, '')));

/** The translation of TEXT, its sentences, and the hash of all their attention. */
export async function expected() {
  const translator = await Translator.create({
    sourceLanguage: 'en', targetLanguage: 'de', model: FIXTURE,
  });
  try {
    const sentences = await translator.translateDetailed(TEXT, { beams: 1, attention: true });
    const hash = createHash('sha256');
    for (const { attention: { encoder, decoder, cross } } of sentences) {
      for (const { data } of [encoder, decoder, cross]) {
        hash.update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
      }
    }
    return {
      text: await translator.translate(TEXT, { beams: 1 }),
      heard: { targets: sentences.map(({ target }) => target), hash: hash.digest('hex') },
    };
  } finally {
    translator.destroy();
  }
}
