// worker.js - the survey of int8, the default arithmetic, in a module worker; started by page.js.
import { BUILDS, survey } from './fingerprint.js';

try {
  postMessage(await survey(BUILDS.filter(({ dtype }) => dtype === 'int8')));
} catch (error) {
  postMessage({ error: `${error.name}: ${error.message}` });
}
