// elsewhere.js - a worker for a page whose scripts come from another origin, such as a CDN: a page may not start such a
// worker, but one of its own that imports it. Loaded by remote.js if the worker cannot be started.

import { builds } from '../builds.js';

/**
 * @param {any} error  of the first try
 * @returns {Worker}
 */
export function startElsewhere(error) {
  if (error?.name !== 'SecurityError') throw error;
  const script = new Blob([`import ${JSON.stringify(builds.workerAddress())};`], { type: 'text/javascript' });
  // never revoked: the browser reads it at any time, and it has a hundred bytes
  return new Worker(URL.createObjectURL(script), { type: 'module' });
}
