// page-examples.test.js - the page begins with sentences, and offers some, that the shipped model translates right: in
// every direction it says what a person wrote down as right in page-examples.json.
import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Translator } from '../js/index.js';
import { EXAMPLES, FIRST } from '../web/translate/examples.js';
import { SHIPPED } from './model-files.js';

/** Right translations: source language, sentence, target language. @type {Record<string, Record<string, any>>} */
const RIGHT = JSON.parse(readFileSync(new URL('page-examples.json', import.meta.url), 'utf8'));

test('the first sentence is one of those that are offered', () => {
  assert.deepEqual(Object.keys(FIRST), Object.keys(EXAMPLES));
  for (const [language, first] of Object.entries(FIRST)) assert.ok(EXAMPLES[language].includes(first));
});

for (const [sourceLanguage, sentences] of Object.entries(EXAMPLES)) {
  for (const targetLanguage of Object.keys(EXAMPLES).filter((other) => other !== sourceLanguage)) {
    test(`${sourceLanguage} to ${targetLanguage}`, async () => {
      const translator = await Translator.create({ sourceLanguage, targetLanguage, model: SHIPPED });
      const outputs = await translator.translate(sentences);
      translator.destroy();
      assert.deepEqual(sentences.flatMap((sentence, i) =>
        (RIGHT[sourceLanguage][sentence][targetLanguage].includes(outputs[i]) ? [] : [[sentence, outputs[i]]])), []);
    });
  }
}
