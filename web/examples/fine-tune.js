// Teaches the shipped model some sentences of one's own, in a minute, and writes it as a model directory.
//
//     node web/examples/fine-tune.js [STEPS] [DIRECTORY]
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Transformer, Translator } from '../../js/index.js'; // 'heed'
import { Trainer } from '../../js/train.js'; // 'heed/train'

const PAIRS = [
  ['The widget is out of stock.', 'Das Widget ist vergriffen.'],
  ['Where is my widget?', 'Wo ist mein Widget?'],
  ['She bought two widgets.', 'Sie hat zwei Widgets gekauft.'],
  ['Our widgets are made of steel.', 'Unsere Widgets sind aus Stahl.'],
];
const [, , steps = '30', directory] = process.argv;

const start = new URL('../../models/de-en-es-fr/', import.meta.url);
const model = await Transformer.load(start, { dtype: 'f32' });
const { tokenizer } = model;
const pairs = PAIRS.map(([source, target]) => ({
  source: tokenizer.encode(source, { language: 'de' }).ids,
  target: tokenizer.encode(target, { side: 'target' }).ids,
}));

// A small rate: what the model knows should stay.
const trainer = await Trainer.create(model, { learningRate: 1e-4, warmupSteps: 4, schedule: 'constant' });
for (let step = 1; step <= Number(steps); step++) {
  const { loss } = trainer.step(pairs);
  console.log(`step ${step}: loss ${loss.toFixed(3)}`);
}
// heed.json stays behind, since it describes the weights of before.
const files = { 'model.safetensors': trainer.save() };
for (const name of ['config.json', 'generation_config.json', 'vocab.json', 'source.spm', 'target.spm']) {
  files[name] = await readFile(new URL(name, start));
}
trainer.dispose();
model.dispose();

const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model: files });
console.log(await translator.translate('My widget is very old.'));
translator.destroy();

if (directory) {
  await mkdir(directory, { recursive: true });
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(directory, name), bytes);
}
