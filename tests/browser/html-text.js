// html-text.js - HTML that tests translate in Node and in pages. Used by html.test.js and html-page.js.

export const HTML = '<h1>The <em>old</em> house</h1>\n<p title="Good morning.">My <a href="/d">dog</a> and your ' +
  '<b>cat</b> are in the garden. The <code>ls -l</code> command is good.</p>';
