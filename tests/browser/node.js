// node.js - the survey in the Node that runs this file, as one line of JSON; started by engines.test.js.
import { survey } from './fingerprint.js';

console.log(JSON.stringify(await survey()));
