// documents.js - writes or compares golden/documents/upper.*: the samples with each word in capitals.
//
//     node tests/golden/documents.js [--write]
import { writeFileSync } from 'node:fs';
import { SAMPLES, translateDocument } from '../mutate/documents.js';

for (const [format, text] of Object.entries(SAMPLES)) {
  const { output, problems } = await translateDocument(format, text, 'upper');
  for (const problem of problems) console.log(`sample.${format}:${problem}`);
  if (process.argv.includes('--write')) writeFileSync(new URL(`documents/upper.${format}`, import.meta.url), output);
  else console.log(output);
}
