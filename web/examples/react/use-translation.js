// A hook: the translation of a text that changes. The translation before stays until the next one is there.
import { useEffect, useState } from 'react';
import { Translator } from 'heed';

/**
 * @param {string} text
 * @param {{ sourceLanguage: string, targetLanguage: string, model: string | URL }} options
 * @returns {{ translation: string, progress: number, error?: Error }}  `progress` of the download, 0 to 1
 */
export function useTranslation(text, { sourceLanguage, targetLanguage, model }) {
  const [translator, setTranslator] = useState();
  const [state, setState] = useState({ translation: '', progress: 0 });
  const add = (change) => setState((before) => ({ ...before, ...change }));
  const place = String(model);

  useEffect(() => {
    const controller = new AbortController(); // also destroys the translator
    const fail = (error) => controller.signal.aborted || add({ error });
    Translator.create({
      sourceLanguage, targetLanguage, model: place, signal: controller.signal,
      monitor: (m) => m.addEventListener('downloadprogress', ({ loaded }) => add({ progress: loaded })),
    }).then(setTranslator, fail);
    return () => {
      setTranslator(undefined);
      controller.abort();
    };
  }, [sourceLanguage, targetLanguage, place]);

  useEffect(() => {
    if (!translator) return undefined;
    const controller = new AbortController();
    translator.translate(text, { signal: controller.signal }).then(
      (translation) => add({ translation, error: undefined }),
      (error) => controller.signal.aborted || add({ error }),
    );
    return () => controller.abort();
  }, [translator, text]);

  return state;
}
