// Draws the cross attention of a translation: the mean of the heads of the last layer.
import { Translator } from '../../../js/index.js'; // 'heed'

const model = new URL('../../../models/de-en-es-fr/', import.meta.url);
const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model });
const [sentence] = await translator.translateDetailed(document.querySelector('#source').textContent, {
  attention: true,
});

const { shape: [layers, heads, targets, sources], data } = sentence.attention.cross;
const weightOf = (target, source) => {
  let sum = 0;
  for (let head = 0; head < heads; head++) {
    sum += data[(((layers - 1) * heads + head) * targets + target) * sources + source];
  }
  return sum / heads;
};

const table = document.querySelector('table');
const header = table.insertRow();
header.append(...['', ...sentence.sourceTokens.map(({ piece }) => piece)].map((text) =>
  Object.assign(document.createElement('th'), { textContent: text })));
sentence.targetTokens.forEach(({ piece }, target) => {
  const row = table.insertRow();
  row.append(Object.assign(document.createElement('th'), { textContent: piece }));
  for (let source = 0; source < sources; source++) {
    const weight = weightOf(target, source);
    const cell = row.insertCell();
    cell.textContent = String(Math.round(100 * weight));
    cell.style.backgroundColor = `rgb(37 99 235 / ${weight})`;
  }
});
document.querySelector('#target').textContent = sentence.target;
