// everywhere.js - the hashes of the composed texts' translations, of all and of every second, which must be the same
// everywhere, by the Node that runs it: on the console as one line of JSON, or with --write as everywhere.json. Used by everywhere.test.js.
//
//   node tests/golden/everywhere.js --write     when the fixture is another, or the texts are
import { writeFile } from 'node:fs/promises';
import { everywhere, survey } from '../browser/everywhere.js';
import { FIXTURE_PATH } from '../browser/fixture.js';

if (process.argv[2] === '--write') {
  const hashes = async (every) => {
    const { texts, targets, scores } = await everywhere({ way: 'batch', every });
    return { texts, targets, scores };
  };
  const file = new URL('everywhere.json', import.meta.url);
  await writeFile(file, `${JSON.stringify({ model: FIXTURE_PATH, 1: await hashes(1), 2: await hashes(2) }, null, 2)}\n`);
} else {
  console.log(JSON.stringify(await survey()));
}
