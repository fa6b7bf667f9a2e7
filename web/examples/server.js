// A server of one page of its own: POST a text to /translate, and the German comes back as it is made. `heed serve` has
// LibreTranslate's interface, queues and limits; this is for those who have a server already.
//
//     node web/examples/server.js [PORT]
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';
import { Translator } from '../../js/index.js'; // 'heed'

const model = new URL('../../models/de-en-es-fr/', import.meta.url);
// One for all requests, in a thread of its own: simultaneous calls share the steps of the decoder.
const translator = await Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', model, worker: true });

const server = createServer(async (request, response) => {
  if (request.method !== 'POST' || request.url !== '/translate') return response.writeHead(404).end();
  const controller = new AbortController();
  response.on('close', () => controller.abort()); // nobody waits for it any more
  try {
    const input = await text(request);
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
    const pieces = translator.translateStreaming(input, { signal: controller.signal });
    await pipeline(Readable.fromWeb(pieces), response);
  } catch (error) {
    if (!controller.signal.aborted) response.destroy(error);
  }
});
server.listen(Number(process.argv[2] ?? 8000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
process.on('SIGTERM', () => server.close(() => translator.destroy()));
