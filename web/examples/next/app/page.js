// page.js - a page that Next.js renders on the server: /?text=Hello shows the translation, without a script in the
// page.
import { Translator } from 'heed';

export const dynamic = 'force-dynamic'; // rendered at each request, not once when it is built

/** One for all requests. Its worker keeps the event loop free. The model is that of a package heed-model-*. */
const translator = Translator.create({ sourceLanguage: 'en', targetLanguage: 'de', worker: true });

/** @param {{ searchParams: Promise<{ text?: string }> }} props */
export default async function Page({ searchParams }) {
  const { text = 'Hello' } = await searchParams;
  return <p>{await (await translator).translate(text)}</p>;
}
