// dom-engines.js - what other pages do alone, one after another, so that a browser starts once; loaded by
// dom-engines.html.
await import('./html-page.js');
await import('./dom.js');
await import('./element-page.js');
