// dom-cases.js - small pages for translatePage(), each with what must hold; run by dom.js in a page. The numbers are
// those of the cases in HTML.md.
import { translatePage } from '../../js/dom.js';
import { check, equal, nodesOf, pause, until } from './dom.js';
import { Stub } from './stub.js';

/** HEED_E_STATE, see src/base/status.h. */
const E_STATE = 5;

/** What the answers of a stub wait for, and what lets them go. @returns {{ delay: Promise<void>, go: () => void }} */
function gate() {
  let go = () => {};
  const delay = new Promise((resolve) => (go = resolve));
  return { delay, go };
}

/** The case, the page, in capitals, and with the words of each sentence in reverse. */
const PAGES = [
  [51, '<div>text</div>', '<div>TEXT</div>'],
  [52, 'text', 'TEXT'],
  [53, '<p></p><div> <b> </b></div>', '<p></p><div> <b> </b></div>'],
  [55, '<ul><li><a href="/a">The house</a></li><li><a href="/b">A dog</a></li></ul>',
    '<ul><li><a href="/a">THE HOUSE</a></li><li><a href="/b">A DOG</a></li></ul>'],
  [56, '<p lang="fr">deux <b>trois</b> <i lang="en">one</i></p>',
    '<p lang="fr">deux <b>trois</b> <i lang="de">ONE</i></p>'],
  [57, '<p translate="no">a <b translate="yes">one</b></p><p class="x notranslate">b</p><p contenteditable="">c</p>' +
    '<p contenteditable="false">two</p>',
  '<p translate="no">a <b translate="yes">ONE</b></p><p class="x notranslate">b</p>' +
    '<p contenteditable="">c</p><p contenteditable="false">TWO</p>'],
  [58, '<code>ls</code><textarea>a dog</textarea>', '<code>ls</code><textarea>a dog</textarea>'],
  [59, '<div>One <!-- a dog -->house</div>', '<div>ONE <!-- a dog -->HOUSE</div>'],
  [60, '<div>A dog</div><div>A <span>small <b>house</b></span></div>',
    '<div>A DOG</div><div>A <span>SMALL <b>HOUSE</b></span></div>',
    '<div>DOG A</div><div><span><b>HOUSE</b> SMALL</span> A</div>'],
  [61, 'One dog <span>is here</span> <span class="block">two dogs</span>',
    'ONE DOG <span>IS HERE</span> <span class="block">TWO DOGS</span>',
    '<span>HERE IS</span> DOG ONE <span class="block">DOGS TWO</span>'],
  [62, '<div><span>one</span> <span>two</span> <span>three</span></div>',
    '<div><span>ONE</span> <span>TWO</span> <span>THREE</span></div>',
    '<div><span>THREE</span> <span>TWO</span> <span>ONE</span></div>'],
  [63, '<div><div>a dog</div><div>two</div><div>a house</div></div>',
    '<div><div>A DOG</div><div>TWO</div><div>A HOUSE</div></div>',
    '<div><div>DOG A</div><div>TWO</div><div>HOUSE A</div></div>'],
  [64, 'A dog <b>is</b> here <div>One house</div> there', 'A DOG <b>IS</b> HERE <div>ONE HOUSE</div> THERE',
    'HERE <b>IS</b> DOG A <div>HOUSE ONE</div> THERE'],
  [65, '<p>A dog <style>a { }</style>is here</p>', '<p>A DOG <style>a { }</style>IS HERE</p>'],
  [66, '<span>A dog</span> <div hidden>One house</div><span>is here</span>',
    '<span>A DOG</span> <div hidden="">ONE HOUSE</div><span>IS HERE</span>'],
  [67, '<pre>One house.\n\n  Two <b>houses</b>.</pre><p class="pre">a\nb</p>',
    '<pre>ONE HOUSE.\n\n  TWO <b>HOUSES</b>.</pre><p class="pre">A\nB</p>'],
  [71, '<svg><style>a{}</style><text>The house</text><path d="M0 0"></path><foreignObject><div>A dog</div>' +
    '</foreignObject></svg>', '<svg><style>a{}</style><text>THE HOUSE</text><path d="M0 0"></path><foreignObject>' +
    '<div>A DOG</div></foreignObject></svg>'],
  [72, '<table><tbody><tr><th abbr="The house">House</th><td>A <b>dog</b></td></tr></tbody></table>',
    '<table><tbody><tr><th abbr="THE HOUSE">HOUSE</th><td>A <b>DOG</b></td></tr></tbody></table>'],
  [74, '<img alt="A dog"><input type="button" value="Go"><input type="submit" value="Go">' +
    '<input value="Go" placeholder="Name"><div value="x" placeholder="y" aria-label="A dog">z</div>',
  '<img alt="A DOG"><input type="button" value="GO"><input type="submit" value="Go">' +
    '<input value="Go" placeholder="NAME"><div value="x" placeholder="y" aria-label="A DOG">Z</div>'],
  [75, '<textarea placeholder="Your name" title="one">a dog</textarea><textarea translate="no" title="one"></textarea>',
    '<textarea placeholder="YOUR NAME" title="ONE">a dog</textarea><textarea translate="no" title="one"></textarea>'],
  [76, '<div class="a notranslate"><img alt="A dog"></div>', '<div class="a notranslate"><img alt="A dog"></div>'],
  [37, '<p>The <code>ls</code> command and <button>the <b>small</b> dog</button> here</p>',
    '<p>THE <code>ls</code> COMMAND AND <button>THE <b>SMALL</b> DOG</button> HERE</p>'],
];

/** @type {Record<string, (tools: any) => Promise<void>>} */
export const CASES = {};

for (const [number, html, upper, reverse] of PAGES) {
  for (const [stub, expected] of [['upper', upper], ['reverse', reverse], ['identity', html]]) {
    if (expected === undefined) continue;
    CASES[`case ${number}, ${stub}: ${html}`] = async ({ host, translate }) => {
      host.innerHTML = html;
      const source = host.innerHTML;
      const { translation } = await translate(html, stub);
      const own = stub === 'identity' ? source.replace('lang="en"', 'lang="de"') : expected;
      equal(host.innerHTML, own);
      translation.restore();
      equal(host.innerHTML, source, 'restored:');
    };
  }
}

Object.assign(CASES, {
  'cases 68 and 80: nodes stay the same objects, in another order and restored': async ({ host, translate }) => {
    host.innerHTML = '<p>I <b>like</b> small <i><u>black</u> dogs</i> <a href="#">today</a></p>';
    const nodes = nodesOf(host);
    const html = host.innerHTML;
    const translation = translatePage(host, { translator: new Stub('reverse') });
    await translation.done;
    equal(host.innerHTML, '<p><a href="#">TODAY</a> <i>DOGS <u>BLACK</u></i> SMALL <b>LIKE</b> I</p>');
    check(nodes.every((node) => host.contains(node)), 'a node is gone');
    equal(nodesOf(host).length, nodes.length, 'nodes:');
    translation.restore();
    equal(host.innerHTML, html);
    check(nodesOf(host).every((node, i) => node === nodes[i]), 'other nodes, or another order');
  },

  'case 69: a text node is added only where there are more texts than nodes': async ({ host, translate }) => {
    host.innerHTML = '<p><b>dogs</b> like me</p>';
    const html = host.innerHTML;
    const { translation } = await translate(html, 'reverse');
    equal(host.innerHTML, '<p>ME LIKE <b>DOGS</b></p>');
    equal(host.firstChild.childNodes.length, 2, 'moved, not made:');
    host.firstChild.append(' and you');
    await until(() => host.innerHTML === '<p>YOU AND ME LIKE <b>DOGS</b></p>');
    translation.restore();
    equal(host.innerHTML, '<p><b>dogs</b> like me and you</p>');
  },

  'focus, selection, listeners, state and frames stay': async ({ host }) => {
    host.innerHTML = '<p>I <a href="#">like <b>small</b></a> <button>big dogs</button> a <input value="x"> lot</p>' +
      '<p>Some <i>more</i> words</p>';
    const [link, button, input] = ['a', 'button', 'input'].map((name) => host.querySelector(name));
    let [clicks, blurs] = [0, 0];
    link.addEventListener('click', (event) => (event.preventDefault(), clicks++));
    input.value = 'typed';
    input.focus();
    input.addEventListener('blur', () => blurs++);
    const text = host.lastChild.lastChild;
    getSelection().setBaseAndExtent(text, 0, text, text.length);
    input.focus();
    // WebKit's goes with the focus, some time later
    for (let i = 0; i < 50 && getSelection().anchorNode === text; i++) await pause(10);
    const { anchorNode: anchor } = getSelection();
    const translation = translatePage(host, { translator: new Stub('reverse') });
    await translation.done;
    equal(host.querySelector('p').textContent.match(/\w+$/)[0], 'I');
    link.click();
    equal([clicks, input.value, document.activeElement === input, blurs], [1, 'typed', true, 0]);
    const { anchorNode, anchorOffset, focusNode, focusOffset } = getSelection();
    check(anchorNode === anchor && focusNode === anchor, 'the selection is elsewhere');
    if (anchor === text) equal([anchorOffset, focusOffset], [0, text.length]);
    check(button.isConnected, 'the button is gone');
    translation.restore();
    equal([document.activeElement === input, blurs], [true, 0]);
  },

  'a selection stays in its text': async ({ host, translate }) => {
    const html = '<p>Some <i>more</i> words</p>';
    host.innerHTML = html;
    const text = host.firstChild.lastChild;
    getSelection().setBaseAndExtent(text, 0, text, text.length);
    const translation = translatePage(host, { translator: new Stub('twice') });
    await translation.done;
    for (const is of ['translated', 'restored']) {
      const { anchorNode, anchorOffset, focusNode, focusOffset } = getSelection();
      check(anchorNode === text && focusNode === text, `${is}: the selection is elsewhere`);
      equal([anchorOffset, focusOffset], [0, text.length], is);
      translation.restore();
    }
    equal(host.innerHTML, html);
  },

  'case 70: what is added or changes later is translated once, nothing of ours again': async ({ host, translate }) => {
    const { translation, translator } = await translate('<p>A dog <b>is</b> here</p><ul></ul>');
    const { length } = translator.calls;
    host.lastChild.append(Object.assign(document.createElement('li'), { textContent: 'one cat', title: 'a cat' }));
    await until(() => host.innerHTML.includes('<li title="A CAT">ONE CAT</li>'));
    host.querySelector('b').firstChild.data = 'was';
    await until(() => host.innerHTML.includes('A DOG <b>WAS</b> HERE'));
    host.querySelector('p').setAttribute('aria-label', 'some words');
    await until(() => host.querySelector('p').ariaLabel === 'SOME WORDS');
    await pause(200);
    equal(translator.calls.slice(length).join('').match(/<(?:div|pre)>/g).length, 4, 'texts that were sent:');
    translation.restore();
    equal(host.innerHTML,
      '<p aria-label="some words">A dog <b>was</b> here</p><ul><li title="a cat">one cat</li></ul>');
  },

  'observe: false': async ({ host, translate }) => {
    const { translation, translator } = await translate('<p>A dog</p>', 'upper', { observe: false });
    host.append(Object.assign(document.createElement('p'), { textContent: 'one cat' }));
    host.firstChild.firstChild.data = 'Changed';
    await pause(200);
    equal([host.innerHTML, translator.calls.length], ['<p>Changed</p><p>one cat</p>', 1]);
    translation.restore();
    equal(host.innerHTML, '<p>Changed</p><p>one cat</p>');
  },

  'stop(): no more changes are followed': async ({ host, translate }) => {
    const { translation } = await translate('<p>A dog</p>');
    translation.stop();
    host.append(' one cat');
    await pause(100);
    equal(host.innerHTML, '<p>A DOG</p> one cat');
    await translation.done;
    translation.restore();
    equal(host.innerHTML, '<p>A dog</p> one cat');
  },

  'restore() leaves what the page has changed since': async ({ host, translate }) => {
    const { translation } = await translate('<p>A dog <b>is</b> here</p><p title="one">Two dogs</p>', 'reverse');
    translation.stop();
    host.querySelector('b').textContent = 'war';
    host.lastChild.title = 'uno';
    host.firstChild.append(' noch etwas');
    translation.restore();
    equal(host.innerHTML, '<p>A dog <b>war</b> here noch etwas</p><p title="uno">Two dogs</p>');
  },

  'case 77: an answer for a text that has changed or is gone is not used': async ({ host }) => {
    host.innerHTML = '<p>A dog</p><p>A cat</p>';
    const [first, second] = host.children;
    const { go, delay } = gate();
    const translator = new Stub('upper', { delay });
    const translation = translatePage(host, { translator });
    await until(() => translator.calls.length > 0);
    first.firstChild.data = 'One house';
    second.remove();
    go();
    await translation.done;
    equal([host.innerHTML, second.textContent], ['<p>ONE HOUSE</p>', 'A cat']);
    equal(translation.progress, { translated: 2, total: 2 });
    host.append(second);
    await until(() => second.textContent === 'A CAT');
    translation.stop();
  },

  'case 79: answers with elements doubled, left out, crossed or unknown': async ({ host }) => {
    const html = '<p>I <b>like</b> <i>small</i> dogs</p>';
    const answers = {
      '<div>X <b i="0">Y</b> <b i="0">Z</b> <i i="1">V</i></div>': '<p>X <b>Y</b> Z <i>V</i></p>',
      '<div>X <i i="1">V</i> Z</div>': '<p><b></b>X <i>V</i> Z</p>',
      '<div>X <b i="0">Y <i i="1">V</i></b></div>': '<p>X <b>Y V</b><i></i></p>',
      '<div>X <script i="7">Y</script><b i="0">Y<i i="1"></b></div>': '<p>X Y<b>Y</b><i></i></p>',
    };
    for (const [answer, expected] of Object.entries(answers)) {
      host.innerHTML = html;
      const nodes = nodesOf(host).filter(({ nodeType }) => nodeType === 1);
      const translator = { sourceLanguage: 'en', targetLanguage: 'de', translateHtml: async () => answer };
      const translation = translatePage(host, { translator });
      await translation.done;
      equal(host.innerHTML, expected, answer);
      check(nodes.every((node) => host.contains(node)), `an element is gone: ${answer}`);
      translation.restore();
      equal(host.innerHTML, html, answer);
    }
    const two = async () => '<div>a</div><div>b</div>';
    const translator = { sourceLanguage: 'en', targetLanguage: 'de', translateHtml: two };
    const error = await translatePage(host, { translator }).done.catch((reason) => reason);
    check(/found 2 elements in the translation, expected 1/.test(error.message), error.message);
  },

  'abort: done rejects with the reason, and the page can be restored': async ({ host }) => {
    host.innerHTML = '<p>A dog</p>';
    const stop = new AbortController();
    const { go, delay } = gate();
    const translator = new Stub('upper', { delay });
    const translation = translatePage(host, { translator, signal: stop.signal });
    await until(() => translator.calls.length > 0);
    stop.abort(new Error('enough'));
    equal(await translation.done.catch(({ message }) => message), 'enough');
    go();
    await pause(200);
    equal(host.innerHTML, '<p>A dog</p>');
    translation.restore();
    await translatePage(host, { translator: new Stub() }).done;
    equal(host.innerHTML, '<p>A DOG</p>');
  },

  'an error of the translator rejects done': async ({ host }) => {
    host.innerHTML = '<p>A dog</p>';
    const fail = async () => {
      throw new Error('no model');
    };
    const translator = { sourceLanguage: 'en', targetLanguage: 'de', translateHtml: fail };
    equal(await translatePage(host, { translator }).done.catch(({ message }) => message), 'no model');
  },

  'wrong arguments': async ({ host }) => {
    const translator = new Stub();
    for (const [root, options, expected] of [
      [null, { translator }, 'root'], [host.ownerDocument.createTextNode('a'), { translator }, 'root'],
      [host, {}, 'translator'], [host, { translator, observed: true }, "did you mean 'observe'"],
      [host, { translator, observe: 1 }, 'observe'], [host, { translator, onProgress: 1 }, 'onProgress'],
    ]) {
      let error;
      try {
        translatePage(root, options);
      } catch (caught) {
        error = caught;
      }
      check(error instanceof TypeError && error.message.includes(expected), `${expected}: ${error}`);
    }
  },

  'shadow roots: open ones, those that come later, and translate="no" around them': async ({ host }) => {
    host.innerHTML = '<x-a><i>light words</i></x-a><x-a translate="no"></x-a><div></div>';
    const shadows = [...host.querySelectorAll('x-a')].map((element) => element.attachShadow({ mode: 'open' }));
    for (const shadow of shadows) shadow.innerHTML = '<p>In the <slot></slot> shadow</p>';
    const translation = translatePage(host, { translator: new Stub() });
    await translation.done;
    equal(shadows.map(({ innerHTML }) => innerHTML),
      ['<p>IN THE <slot></slot> SHADOW</p>', '<p>In the <slot></slot> shadow</p>']);
    equal(host.querySelector('i').textContent, 'LIGHT WORDS');
    shadows[0].firstChild.append(' of a tree');
    await until(() => shadows[0].textContent.endsWith('OF A TREE'));
    const late = document.createElement('x-b');
    late.attachShadow({ mode: 'open' }).innerHTML = '<b>late words</b>';
    host.lastChild.append(late);
    await until(() => late.shadowRoot.textContent === 'LATE WORDS');
    translation.restore();
    equal(shadows[0].innerHTML, '<p>In the <slot></slot> shadow of a tree</p>');
    equal(late.shadowRoot.innerHTML, '<b>late words</b>');
    const inner = translatePage(shadows[0], { translator: new Stub() });
    await inner.done;
    equal([shadows[0].innerHTML, host.querySelector('i').textContent],
      ['<p lang="de">IN THE <slot></slot> SHADOW OF A TREE</p>', 'light words']);
    inner.restore();
  },

  'case 54: the document: title, description, lang and dir; right to left': async () => {
    const { documentElement: html, head } = document;
    head.insertAdjacentHTML('beforeend', '<meta name="description" content="some words">');
    const note = document.body.appendChild(document.createElement('div'));
    note.innerHTML = '<p dir="ltr">A dog <code>ls -l</code></p><p lang="en-GB">One cat</p><pre translate="no">ls</pre>';
    const before = html.outerHTML;
    const translation = translatePage(document, { translator: new Stub('upper', { targetLanguage: 'ar' }) });
    await translation.done;
    equal([html.lang, html.dir, document.title, head.lastElementChild.content],
      ['ar', 'rtl', 'PAGES, TRANSLATED', 'SOME WORDS']);
    equal(note.innerHTML, '<p dir="rtl">A DOG <code dir="ltr">ls -l</code></p><p lang="ar">ONE CAT</p>' +
      '<pre translate="no" dir="ltr">ls</pre>');
    equal(getComputedStyle(note).direction, 'rtl');
    translation.restore();
    equal(html.outerHTML, before, 'restored:');
    note.remove();
    head.lastElementChild.remove();
  },

  'case 73: options keep their values, and the same one is selected': async ({ host, translate }) => {
    host.innerHTML = '<select><optgroup label="Small dogs"><option value="1">one</option>' +
      '<option selected>two dogs</option></optgroup></select>';
    const html = host.innerHTML;
    const [select] = host.children;
    let changes = 0;
    select.addEventListener('change', () => changes++);
    const translation = translatePage(host, { translator: new Stub() });
    await translation.done;
    equal([select.value, select.selectedIndex, changes, select.options[1].text, select.firstChild.label],
      ['two dogs', 1, 0, 'TWO DOGS', 'SMALL DOGS']);
    translation.restore();
    equal(host.innerHTML, html);
  },

  'rules that change: translate, lang, notranslate': async ({ host, translate }) => {
    await translate('<div><p>A dog</p><p translate="no">A cat <b>here</b></p></div>');
    const [first, second] = host.querySelectorAll('p');
    second.removeAttribute('translate');
    await until(() => second.innerHTML === 'A CAT <b>HERE</b>');
    first.className = 'notranslate';
    await until(() => first.innerHTML === 'A dog');
    first.className = '';
    await until(() => first.innerHTML === 'A DOG');
    second.setAttribute('lang', 'fr');
    await until(() => second.innerHTML === 'A cat <b>here</b>');
  },

  'rules that change at the root': async ({ host, translate }) => {
    await translate('<p>A dog</p>');
    host.className = 'notranslate';
    await until(() => host.innerHTML === '<p>A dog</p>');
    host.className = 'x';
    await until(() => host.innerHTML === '<p>A DOG</p>');
    host.firstChild.firstChild.data = 'A cat';
    await until(() => host.innerHTML === '<p>A CAT</p>');
  },

  'what a page copies, or writes back, is not translated twice': async ({ host, translate }) => {
    const { translation, translator } = await translate('<p>A small dog</p>', 'twice');
    equal(host.innerHTML, '<p>A zu SMALL zu DOG zu</p>');
    host.append(host.firstChild.cloneNode(true));
    host.innerHTML += '';
    await pause(200);
    equal([host.innerHTML, translator.calls.length], ['<p>A zu SMALL zu DOG zu</p>'.repeat(2), 1]);
    host.firstChild.firstChild.data = 'A small dog';
    await until(() => host.textContent === 'A zu SMALL zu DOG zu'.repeat(2));
    equal(translator.calls.length, 1);
    translation.restore();
    equal(host.innerHTML, '<p>A small dog</p>'.repeat(2));
  },

  'a script that writes again and again gets its way, and costs little': async ({ host, translate }) => {
    const { translator } = await translate('<p>It is one o\'clock</p>');
    for (let i = 0; i < 60; i++) {
      host.firstChild.firstChild.data = `It is ${i} minutes past one`;
      await pause(10);
    }
    await until(() => host.textContent === 'IT IS 59 MINUTES PAST ONE');
    check(translator.calls.length < 15, `${translator.calls.length} calls`);
  },

  'case 78: a page that nobody sees waits': async ({ host }) => {
    let hidden = true;
    const turn = (/** @type {boolean} */ to) => {
      hidden = to;
      document.dispatchEvent(new Event('visibilitychange'));
    };
    const frames = async () => {
      for (let i = 0; i < 10; i++) await new Promise(requestAnimationFrame);
    };
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    const translator = new Stub('upper');
    host.innerHTML = '<p>A dog</p>';
    const translation = translatePage(host, { translator });
    try {
      await until(() => translation.progress.total === 1);
      await frames();
      equal([translator.calls.length, host.textContent], [0, 'A dog']);
      turn(false);
      await translation.done;
      equal(host.textContent, 'A DOG');
      turn(true);
      host.append('one house');
      await until(() => translation.progress.total === 2);
      await frames();
      equal([translator.calls.length, host.textContent], [1, 'A DOGone house']);
      turn(false);
      await until(() => host.textContent === 'A DOGONE HOUSE');
    } finally {
      translation.stop();
      delete document.hidden;
    }
  },

  'what is visible comes first': async ({ host }) => {
    host.innerHTML = `<p>${'The first words. '.repeat(3)}</p>${'<div class="tall">Some words number #</div>'
      .repeat(30).replace(/#/g, () => String(Math.random()))}<p id="last">The last words</p>`;
    host.querySelector('#last').scrollIntoView({ behavior: 'instant' });
    const translator = new Stub('upper', { delay: 5 });
    const progress = [];
    const translation = translatePage(host, { translator, onProgress: (each) => progress.push(each) });
    await translation.done;
    check(translator.calls[0].includes('The last words'), translator.calls[0]);
    const { translated, total } = progress.at(-1);
    equal([translated, total], [32, 32]);
    check(progress.every((each, i) => i === 0 || each.translated >= progress[i - 1].translated), 'progress goes back');
    translation.restore();
    scrollTo(0, 0);
  },

  'the same text is translated once': async ({ host, translate }) => {
    const { translator } = await translate('<p>A dog</p><p>A dog</p><li><p>A dog</p></li>');
    equal([host.textContent, translator.calls], ['A DOGA DOGA DOG', ['<div>A dog</div>']]);
  },

  'the same root again: the first translation is taken back': async ({ host, translate }) => {
    await translate('<p>A small dog</p>', 'reverse');
    const second = translatePage(host, { translator: new Stub('twice') });
    await second.done;
    equal(host.innerHTML, '<p>A zu SMALL zu DOG zu</p>');
    second.restore();
    equal(host.innerHTML, '<p>A small dog</p>');
  },

  'done, if the page drops the only text while it is translated': async ({ host, translate }) => {
    const { go, delay } = gate();
    const translator = new Stub('upper', { delay });
    const done = translate('<p>A dog</p>', translator);
    await until(() => translator.calls.length > 0);
    host.replaceChildren();
    await pause(); // it is told
    go();
    const isDone = await Promise.race([done.then(() => true), pause(20_000)]);
    equal(isDone, true);
  },

  'done, though a script goes on writing': async ({ host, translate }) => {
    let count = 0;
    const timer = setInterval(() => {
      host.lastChild.textContent = `It is ${count++} past one`;
    }, 5);
    const isDone = await Promise.race([translate('<p>A dog</p><p>It is one</p>').then(() => true), pause(20_000)]);
    clearInterval(timer);
    equal([isDone, host.firstChild.textContent], [true, 'A DOG']);
  },

  'without observe, what changes before it is done is translated, too': async ({ host, translate }) => {
    const { go, delay } = gate();
    const translator = new Stub('upper', { delay });
    const done = translate('<p>A dog</p>', translator, { observe: false });
    await until(() => translator.calls.length > 0);
    host.firstChild.append(' is here');
    await pause(); // it is told
    go();
    await done;
    equal(host.textContent, 'A DOG IS HERE');
  },

  'a text of the page that is the translation of another stays when it is taken back': async ({ host, translate }) => {
    const { translation } = await translate('<p>A dog</p><p translate="no">A DOG</p><p>A DOG</p>');
    host.lastChild.title = 'One';
    await until(() => host.lastChild.title === 'ONE');
    translation.restore();
    equal(host.textContent, 'A dogA DOGA DOG');
  },

  'a term that cannot be placed leaves its text alone': async ({ host, translate }) => {
    const translator = new Stub('upper');
    const translateHtml = translator.translateHtml.bind(translator);
    translator.translateHtml = async (html, options) => {
      if (html.includes('cat')) throw Object.assign(new Error('glossary'), { code: E_STATE });
      return translateHtml(html, options);
    };
    await translate('<p>A dog</p><p>A cat</p><p>A house</p>', translator, { glossary: [['cat', 'Katze']] });
    equal(host.textContent, 'A DOGA catA HOUSE');
  },

  'an element that loses the block inside of it is a part of a sentence again': async ({ host, translate }) => {
    const { translation } = await translate('<div>A dog <span>is <p>one house</p></span> here</div>', 'reverse');
    host.querySelector('p').remove();
    await until(() => /^HERE\s+IS\s+DOG\s+A$/.test(host.textContent), () => host.innerHTML);
    translation.restore();
    equal(host.textContent, 'A dog is  here');
  },

  'the page writes a text that is the translation of the text before': async ({ host, translate }) => {
    const { translation } = await translate('<p>H2O 12</p>', 'half');
    const text = host.firstChild.firstChild;
    equal(text.data, 'H2O');
    text.data = 'H2O';
    await pause(100);
    translation.restore();
    equal(text.data, 'H2O');
  },

  'an option without a text has no value of ours': async ({ host, translate }) => {
    await translate('<select><option title="one">two dogs</option></select>');
    const [option] = host.querySelectorAll('option');
    equal([option.getAttribute('value'), option.title], ['two dogs', 'ONE']);
    option.textContent = '';
    await until(() => !option.hasAttribute('value'));
  },

  'what states the language': async ({ host, translate }) => {
    host.innerHTML = '<p>A dog</p><p lang="en">A cat</p><div lang="en"><p>One <b lang="en">house</b></p>' +
      '<p>Two</p></div><div lang="en"></div><p lang="fr">un</p><p lang="en">Three</p>';
    const html = host.outerHTML;
    const changed = [];
    const observer = new MutationObserver((records) => changed.push(...records.map(({ target }) => target)));
    observer.observe(host, { subtree: true, attributes: true });
    const { translation } = await translate(host.innerHTML);
    const stated = () => [...host.querySelectorAll('[lang="de"]')].map(({ textContent }) => textContent).join('|');
    equal([host.lang, stated()], ['de', 'A CAT|ONE HOUSETWO|HOUSE||THREE']);
    // first the block, then what is around all, which does not change the block any more
    const [first, last] = [changed.indexOf(host.firstChild), changed.lastIndexOf(host.firstChild)];
    check(0 <= first && first < changed.indexOf(host) && changed.indexOf(host) < last, `${first}, ${last}`);
    observer.disconnect();
    host.lastChild.lang = 'fr';
    await until(() => host.lastChild.textContent === 'Three');
    host.children[2].append(Object.assign(document.createElement('p'), { textContent: 'Four' }));
    await until(() => host.children[2].textContent.endsWith('FOUR'));
    equal(stated(), 'A CAT|ONE HOUSETWOFOUR|HOUSE|', 'later:');
    host.children[2].lastChild.remove();
    host.lastChild.lang = 'en';
    await until(() => host.lastChild.lang === 'de');
    translation.restore();
    equal(host.outerHTML, html);
  },

  'what is kept states its own language, also around a part that is translated': async ({ host, translate }) => {
    await translate('<div lang="en" translate="no">A dog <p translate="yes">One cat</p></div>');
    const [, part] = host.firstChild.childNodes;
    part.after(Object.assign(document.createElement('p'), { translate: true, textContent: 'Two cats' }));
    await until(() => part.nextSibling.textContent === 'TWO CATS');
    equal(host.innerHTML,
      '<div lang="en" translate="no">A dog <p translate="yes">ONE CAT</p><p translate="yes">TWO CATS</p></div>');
  },

  'what is kept changes nothing of the parts inside that are translated': async ({ host, translate }) => {
    const island = '<main translate="yes"><p>One cat</p></main>';
    await translate(`<div translate="no">A dog ${island}${island.replaceAll('main', 'nav')}</div>`);
    const [, main, nav] = host.firstChild.childNodes;
    equal(main.textContent + nav.textContent, 'ONE CATONE CAT');
    const seen = [];
    const observer = new MutationObserver(() => seen.push(main.textContent));
    observer.observe(main, { subtree: true, characterData: true, childList: true });
    const added = Object.assign(document.createElement('div'), { lang: 'en', textContent: 'Two cats' });
    host.firstChild.append(added,
      Object.assign(document.createElement('i'), { translate: true, textContent: 'Three' }));
    await until(() => host.textContent.endsWith('THREE'), () => host.innerHTML);
    nav.remove();
    added.remove();
    host.firstChild.append(Object.assign(document.createElement('i'), { translate: true, textContent: 'Four' }));
    await until(() => host.textContent.endsWith('FOUR'), () => host.innerHTML);
    observer.disconnect();
    equal(seen.join(), '');
  },

  'what is kept has its texts again where a part that was translated is removed': async ({ host, translate }) => {
    await translate('<p>A dog <i translate="no">one <b translate="yes">two</b> and</i></p>');
    const [, kept] = host.firstChild.childNodes;
    const more = document.createTextNode(' cats here');
    kept.append(more);
    // both texts are in the first node
    await until(() => more.data === '' && kept.lastChild === more, () => host.innerHTML);
    kept.children[0].remove();
    host.firstChild.append(more);
    await until(() => /HERE$/.test(host.textContent), () => host.innerHTML);
    equal(host.innerHTML, '<p>A DOG <i translate="no">one  and</i> CATS HERE</p>');
  },

  'a copy of a text that the page has in two nodes has the words of both': async ({ host, translate }) => {
    const { translation } = await translate('<p>The house </p>');
    host.firstChild.append('is small');
    const [text, more] = host.firstChild.childNodes;
    await until(() => more.data === '');
    equal(text.data, 'THE HOUSE IS SMALL');
    host.append(host.firstChild.cloneNode(true));
    await pause(200);
    equal(host.innerHTML, '<p>THE HOUSE IS SMALL</p><p>THE HOUSE IS SMALL</p>');
    translation.restore();
    equal(host.innerHTML, '<p>The house is small</p><p>The house is small</p>');
  },

  'a change of ours is none of the page: nothing is read again': async ({ host, translate }) => {
    // the second text needs a node of ours, which is removed when there is one word
    const stub = (words) => (words.length > 1 ? [['X', 0], ['DOG', 1], ['Y', 0]] : [['DOG', 0]]);
    const { translation } = await translate('<p>a <b>dog</b></p>', new Stub(stub));
    const [p] = host.children;
    equal(p.innerHTML, 'X <b>DOG</b> Y');
    let reads = 0;
    p.getAttributeNames = () => {
      reads++;
      return Element.prototype.getAttributeNames.call(p);
    };
    p.firstChild.data = '';
    await until(() => p.innerHTML === '<b>DOG</b>', () => p.innerHTML);
    await pause(50);
    equal(reads, 1);
    translation.restore();
    equal(host.innerHTML, '<p><b>dog</b></p>');
  },

  'what a custom element adds while it is moved is translated, and stays': async ({ host, translate }) => {
    let left = 1;
    customElements.define('x-adding', class extends HTMLElement {
      #isKnown = false;
      connectedCallback() {
        if (this.#isKnown && left-- > 0) this.after(' three');
        this.#isKnown = true;
      }
    });
    const { translation } = await translate('<p><x-adding>one</x-adding> <x-adding>two</x-adding></p>', 'reverse');
    await until(() => host.textContent.includes('THREE'), () => host.innerHTML);
    translation.restore();
    check(/^<p><x-adding>one<\/x-adding>(?: three)? <x-adding>two<\/x-adding>(?: three)?<\/p>$/.test(host.innerHTML),
      host.innerHTML);
    equal(host.textContent.length, 'one two three'.length);
  },

  'restore() reads the children of a node a few times, however many nodes of ours it has': async (tools) => {
    const { host, translate } = tools;
    const stub = (words) => (words.length > 1 ? [['X', 0], ['DOG', 1], ['Y', 0]] : [['DOG', 0]]);
    const html = 'a <b>dog</b><hr>'.repeat(50);
    const { translation } = await translate(html, new Stub(stub));
    equal(host.innerHTML, 'X <b>DOG</b> Y<hr>'.repeat(50));
    let reads = 0;
    const { get } = Object.getOwnPropertyDescriptor(Node.prototype, 'childNodes');
    Object.defineProperty(host, 'childNodes', { configurable: true, get: () => (reads++, get.call(host)) });
    translation.restore();
    delete host.childNodes;
    equal(host.innerHTML, html);
    check(reads < 10, `${reads} times`);
  },

  'a root that is in no page is refused': async () => {
    const other = document.implementation.createHTMLDocument('');
    for (const root of [document.createElement('p'), other, other.body]) {
      let found;
      try {
        translatePage(root, { translator: new Stub('upper') });
      } catch (error) {
        found = error;
      }
      check(found instanceof TypeError && found.message.startsWith('root'), `${found}`);
    }
  },
});
