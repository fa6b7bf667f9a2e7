// A text field and its translation.
import { createElement as h, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { useTranslation } from './use-translation.js';

function App() {
  const [text, setText] = useState('The house at the end of the street is very old.');
  const { translation, progress, error } = useTranslation(text, {
    sourceLanguage: 'en', targetLanguage: 'de', model: new URL('de-en-es-fr/', document.baseURI),
  });
  return h('main', {},
    h('textarea', { 'aria-label': 'English', value: text, onChange: (event) => setText(event.target.value) }),
    progress < 1 && !translation && h('progress', { value: progress, 'aria-label': 'The model' }),
    error && h('p', { role: 'alert' }, error.message),
    h('p', { id: 'target', lang: 'de' }, translation || '…'));
}

createRoot(document.querySelector('#app')).render(h(App));
