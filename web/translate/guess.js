// guess.js - asks a worker in which language a text is. Used by translate.js when one first rests from typing.

/** @typedef {{ detectedLanguage: string, confidence: number }} Guess */

/** @type {Worker | undefined} */
let worker;
/** @type {Map<number, { resolve: (guess: Guess) => void, reject: (error: Error) => void }>} */
const asked = new Map();
let last = 0;

function start() {
  const made = new Worker(new URL('./guess-worker.js', import.meta.url), { type: 'module' });
  made.addEventListener('message', ({ data: { id, found, message } }) => {
    if (found) asked.get(id)?.resolve(found);
    else asked.get(id)?.reject(new Error(message));
    asked.delete(id);
  });
  made.addEventListener('error', ({ message }) => {
    worker = undefined; // the next text asks a new one
    for (const { reject } of asked.values()) reject(new Error(message));
    asked.clear();
  });
  return made;
}

/** @param {string} text @returns {Promise<Guess>}  rejects if the detector cannot be loaded */
export const languageOf = (text) => new Promise((resolve, reject) => {
  worker ??= start();
  asked.set(++last, { resolve, reject });
  worker.postMessage({ id: last, text });
});
