// element.js - the element <heed-translate>, for pages that load it by one script tag, from any origin. Public as
// 'heed/element'.
//
//     <script type="module" src="https://…/heed/build/js/element.js"></script>
//     <heed-translate from="en" to="de" model="/models/de-en-es-fr/" target="#article"></heed-translate>

import { HeedTranslate } from './dom/element.js';

if (globalThis.customElements && !customElements.get('heed-translate')) {
  customElements.define('heed-translate', HeedTranslate);
}

export { HeedTranslate };
