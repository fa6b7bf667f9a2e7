// program.ts - every entry of the package, in strict TypeScript. Compiled by bundlers.test.js, never run.
import { HeedError, loadOps, Tokenizer, Transformer, Translator } from 'heed';
import { loadOps as ops } from 'heed/ops';
import { Trainer } from 'heed/train';
// every type of the public contract
import type {
  AttentionMaps, GenerateOptions, Generated, Ids, LoadOptions, Matrix, ModelSource, Ops, Tensor,
  Trainer as TrainerType, TranslatedSentence, TranslateOptions,
} from 'heed';

export async function translate(texts: string[]): Promise<string[]> {
  using translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: './de-en-es-fr' });
  const one: string = await translator.translate('one');
  const [sentence] = await translator.translateDetailed(one, { attention: true, beams: 4, nBest: 2 });
  const weights: Float32Array | undefined = sentence.attention?.cross.data;
  for await (const piece of translator.translateStreaming(one)) console.log(piece.length, weights?.length);
  // @ts-expect-error: beams is a number
  await translator.translate('one', { beams: 'four' });
  return translator.translate(texts);
}

export async function learn(model: Transformer): Promise<Uint8Array> {
  const tokenizer: Tokenizer = model.tokenizer;
  const { ids } = tokenizer.encode('one');
  const trainer = await Trainer.create(model, { learningRate: 1e-4 });
  const { loss }: { loss: number } = trainer.step([{ source: ids, target: ids }]);
  if (!Number.isFinite(loss)) throw new HeedError(30, 'diverged');
  const { softmax } = await (Math.random() < 0.5 ? loadOps() : ops());
  softmax({ rows: 1, cols: 2, data: new Float32Array(2) });
  return trainer.save();
}

/** What an array, a text, and either of them gives. */
export async function translateAll(translator: Translator, either: string | string[]): Promise<void> {
  const some: readonly string[] = ['one', 'two'];
  const options: TranslateOptions = { glossary: new Map([['one', 'eins']]), beams: 2 };
  const fixed: TranslateOptions = { glossary: Object.freeze({ one: 'eins' }) };
  const texts: string[] = await translator.translate(some, options);
  const tuple: string[] = await translator.translate(['one', 'two'] as const, fixed);
  const result: string | string[] = await translator.translate(either);
  // @ts-expect-error: a text gives a text
  const wrong: string[] = await translator.translate('one');
  // @ts-expect-error: there is no such option
  await translator.translate('one', { beam: 2 });
  const [sentence]: TranslatedSentence[] = await translator.translateDetailed('one');
  console.log(texts, tuple, result, wrong, sentence);
}

export async function typed(source: ModelSource, load: LoadOptions, generate: GenerateOptions): Promise<TrainerType> {
  const model = await Transformer.load(source, load);
  const ids: Ids = [5, 6, 0];
  const [[best]]: Generated[][] = model.generate([ids], generate);
  const maps: AttentionMaps = model.attention(ids, best.ids);
  const tensor: Tensor = maps.cross;
  const matrix: Matrix = { rows: 1, cols: tensor.data.length, data: tensor.data };
  const parts: Ops = await ops();
  parts.softmax(matrix);
  return Trainer.create(model);
}
