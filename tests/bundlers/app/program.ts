// program.ts - every entry of the package, in strict TypeScript. Compiled by bundlers.test.js, never run.
import { HeedError, loadOps, Tokenizer, Transformer, Translator } from 'heed';
import { loadOps as ops } from 'heed/ops';
import { Trainer } from 'heed/train';

export async function translate(texts: string[]): Promise<string[]> {
  using translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: './en-de' });
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
