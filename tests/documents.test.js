// documents.test.js - files of known formats: what of them is translated, and that all else stays byte for byte; by
// stubs that write each word in capitals. golden/documents has a file of each format, and mutate/documents.js changes
// them at random.
import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { marked } from 'marked';
import { E_STATE } from '../js/base/constants.js';
import { HeedError } from '../js/base/errors.js';
import { divide } from '../js/documents/divide.js';
import { FORMATS, formatOf, readDocument, translateUnits } from '../js/documents/documents.js';
import { findStrings } from '../js/documents/json.js';
import { Memory } from '../js/documents/memory.js';
import { DocumentError } from '../js/documents/unit.js';
import { fakeTranslator, run, SAMPLES, STRUCTURES, translateDocument } from './mutate/documents.js';
import { CASES, makeInput as makeHtml } from './mutate/html.js';
import { Random } from './mutate/model.js';
import { translateBy } from './mutate/stubs.js';
import { timeOf } from './time-of.js';

/** Random files: a minute on a busy machine. */
const RUNS = 600;

const upperOf = async (/** @type {string} */ format, /** @type {string} */ text, options = {}) =>
  (await translateDocument(format, text, 'upper', options)).output;

for (const [format, text] of Object.entries(SAMPLES)) {
  test(`${format}: the sample in capitals, with the same structure`, async () => {
    const wanted = readFileSync(new URL(`golden/documents/upper.${format}`, import.meta.url), 'utf8');
    const { output, problems } = await translateDocument(format, text, 'upper');
    assert.deepEqual(problems, []);
    assert.equal(output, wanted);
    assert.deepEqual(STRUCTURES[format](output), STRUCTURES[format](text));
  });

  test(`${format}: what does not change comes back byte for byte, with any line ends`, async () => {
    // formats with room for translations change unless all are there
    const { isBilingual } = FORMATS[format];
    const [whole, options] = isBilingual ? [await upperOf(format, text), { target: 'de' }] : [text, { target: 'en' }];
    assert.equal((await translateDocument(format, whole, 'identity', options)).output, whole);
    const windows = `\ufeff${text.replaceAll('\n', '\r\n')}`;
    const wholeWindows = `\ufeff${whole.replaceAll('\n', '\r\n')}`;
    assert.equal((await translateDocument(format, wholeWindows, 'identity', options)).output, wholeWindows);
    assert.equal(await upperOf(format, windows), `\ufeff${(await upperOf(format, text)).replaceAll('\n', '\r\n')}`);
  });
}

test('formats by the names of files', () => {
  assert.equal(formatOf('a/b.c/README.md'), 'md');
  assert.equal(formatOf('x.JSON'), 'json');
  for (const name of ['md', '.md', 'a.md/b', 'Is it small?', 'a.mdx']) assert.equal(formatOf(name), undefined, name);
  assert.equal(new Set(Object.values(FORMATS).flatMap(({ endings }) => endings)).size,
    Object.values(FORMATS).flatMap(({ endings }) => endings).length);
});

test(`${RUNS} random files: no exception but with a line, no other structure`, async (t) => {
  const { counts, slowest, failures } = await run({ runs: RUNS, seed: 5 });
  t.diagnostic(`${JSON.stringify(counts)}, slowest ${slowest.toFixed(0)} ms`);
  assert.deepEqual(failures, []);
});

// ---------------------------------------------------------------- JSON

test('JSON is read and refused as JSON.parse does it, with the line', () => {
  const strings = (/** @type {any} */ value, /** @type {string[]} */ found = []) => {
    if (typeof value === 'string') found.push(value);
    else if (value && typeof value === 'object') for (const each of Object.values(value)) strings(each, found);
    return found;
  };
  const pieces = ['{', '}', '[', ']', ',', ':', '"a"', '"b\\n"', '1', '-', '0', '.5', 'e9', 'true', 'nul', 'null', ' ',
    '\n', '"', '\\u00e9', '\t', '\u00a0', '// x'];
  const random = new Random(3);
  let right = 0;
  for (let i = 0; i < 20_000; i++) {
    let text = i % 2 ? '{"a": [1, "x", {"b": "y"}], "c": "z"}' : '';
    for (let left = 1 + random.below(4); left > 0; left--) {
      const at = random.below(text.length + 1);
      text = text.slice(0, at) + random.pick(pieces) + text.slice(at + random.below(3));
    }
    let wanted;
    try {
      wanted = strings(JSON.parse(text)).sort();
    } catch {
      assert.throws(() => findStrings(text), DocumentError, text);
      continue;
    }
    right++;
    // JSON.parse keeps the last of two equal keys
    const found = findStrings(text).map(({ start, end }) => JSON.parse(text.slice(start, end))).sort();
    if (found.length === wanted.length) assert.deepEqual(found, wanted, text);
    else assert.ok(found.length > wanted.length, text);
  }
  assert.ok(right > 500, `${right}`);
  assert.throws(() => findStrings('{\n "a": 1,\n}'), { line: 3, message: "found '}', expected a key in quotes" });
  assert.throws(() => findStrings('{"a": "x'), { line: 1, message: /found '"x', expected a value/ });
  assert.throws(() => findStrings('[1\n'), { line: 2, message: 'found the end of the file, expected a comma or ]' });
  assert.equal(findStrings('['.repeat(200_000) + '"a"' + ']'.repeat(200_000)).length, 1);
});

test('JSON: the values of some keys', async () => {
  const text = '{"title":"a","menu":{"title":"b","x":{"title":"c","id":"d"}},"tags":["e",["f"]]}';
  const upper = async (/** @type {string} */ keys) =>
    Object.values(await upperOf('json', text, { keys: keys.split(',') })).join('').match(/[A-Z]/g)?.join('');
  assert.equal(await upper('title'), 'ABC');
  assert.equal(await upper('menu.title,tags'), 'BEF');
  assert.equal(await upper('menu.*.title'), 'C');
  assert.equal(await upper('nowhere'), undefined);
});

test('texts of programs: signs, dates and columns', async () => {
  const texts = async (/** @type {string} */ text) =>
    (await readDocument('json', JSON.stringify(text), { source: 'en', target: 'de' })).units.map((unit) => unit.text);
  const cases = {
    'It costs $$5.50 or $a, $$.': 'It costs <code id=1>$$5.50</code> or $a, <code id=3>$$</code>.',
    'Write -o FILE [-x], well -ed, e-m': 'Write <code id=1>-o</code> FILE [<code id=3>-x</code>], well -ed, e-m',
    'Due on %Y-%m-%d at %H:%M.': 'Due on <code id=1>%Y-%m-%d</code> at <code id=3>%H:%M</code>.',
    'Since %d. %B %Y, 5% Sure': 'Since <code id=1>%d. %B %Y</code>, 5% Sure',
    'At %s, %H:%M%%': 'At <code id=1>%s</code>, <code id=3>%H:%M</code><code id=4>%%</code>',
    'Log %Y_%m_%d, %H%M%S': 'Log <code id=1>%Y_%m_%d, %H%M%S</code>',
    'Set %M2_HOME%, %I18N%, %H_NAME%x and %B%': 'Set <code id=1>%M2_HOME%</code>, <code id=3>%I18N%</code>, ' +
      '<code id=5>%H_NAME%</code>x and <code id=7>%B%</code>',
    'Hi $$USER$$, $A$$B$ $$c$': 'Hi <code id=1>$$USER$$</code>, <code id=3>$A$</code><code id=4>$B$</code> ' +
      '$<code id=6>$c$</code>',
    'A file(-s) of (-o) or [-x|-y]': 'A file(-s) of (<code id=1>-o</code>) or [<code id=3>-x</code>|' +
      '<code id=5>-y</code>]',
    '  Good, --help    show \t\tit': '  Good, --help<hr id=1>show<hr id=3>it',
    'h   a   dog %s\nl   c': 'h<hr id=1>a   dog <code id=3>%s</code>\nl<hr id=5>c',
    'a   dog %s': 'a   dog <code id=1>%s</code>',
  };
  for (const [text, wanted] of Object.entries(cases)) assert.deepEqual(await texts(text), [`<pre>${wanted}</pre>`]);
  assert.deepEqual(await texts('All (%(a)50%% now)'), ['<pre>All (%(a)50<code id=1>%%</code> now)</pre>']);
  // a date has no number of an argument
  assert.equal(await upperOf('json', '["%s on %Y"]'), '["%s ON %Y"]');
  assert.equal((await translateDocument('json', '["at %Y is %s"]', 'reverse')).output, '["%s IS %Y AT"]');
  assert.equal((await translateDocument('json', '["%d at %s, %H:%M"]', 'reverse')).output, '["%H:%M %2$s, AT %1$d"]');
  // what may be an argument in a date keeps its place among others
  const mixed = await translateDocument('json', '["%s of %d %b"]', 'reverse');
  assert.equal(mixed.output, '["%s of %d %b"]');
  assert.match(mixed.problems.join(), /^1: the translation has other placeholders/);
  for (const part of ['%d ', '%d %Y', '%H_', '\t', ' ', 'a \t', 'a   ', '\na   b', '$$', '$a']) {
    const time = await timeOf(() => texts(`a${part.repeat(60_000)}`));
    assert.ok(time < 2000, `${JSON.stringify(part)}: ${time} ms`);
  }
});

test('JSON: escapes as in the file, and messages that are none', async () => {
  assert.equal(await upperOf('json', '["\\u00e9t\\u00e9"]'), '["\\u00c9T\\u00c9"]');
  assert.equal(await upperOf('json', '["\u00e9t\u00e9"]'), '["\u00c9T\u00c9"]');
  await assert.rejects(upperOf('json', '[\n"{n, plural, one {x}"]'), { line: 2, message: /not an ICU message/ });
  // tabs divide columns, in any line
  assert.equal(await upperOf('json', '["a dog\\tone %s \\t%d\\nb\\t"]'), '["A DOG\\tONE %s \\t%d\\nB\\t"]');
  assert.equal(await upperOf('json', '["{n, plural, other {# dogs\\tone}}"]'), '["{n, plural, other {# DOGS\\tONE}}"]');
  // a plural inside of another keeps its own number
  assert.equal(await upperOf('json', '["{a, plural, other {# x {b, plural, other {# y}} z}}"]'),
    '["{a, plural, other {# X {b, plural, other {# Y}} Z}}"]');
});

test('placeholders that a model invents are not written', async () => {
  const document = await readDocument('json', '["Hello {name}"]', { source: 'en', target: 'de' });
  const tell = (/** @type {number} */ line, /** @type {string} */ what) => void told.push(`${line}: ${what}`);
  /** @type {string[]} */
  const told = [];
  assert.equal(document.write(['<pre>{x} <code id=1>{name}</code></pre>'], tell), '["Hello {name}"]');
  assert.match(told.join(), /^1: the translation has other placeholders/);
  assert.equal(document.write(['<pre><code id=1>{name}</code> hallo</pre>'], tell), '["{name} hallo"]');
});

// ---------------------------------------------------------------- Markdown

/** The HTML of Markdown, by another parser, without its texts. @param {string} text */
const htmlOf = (text) => [...String(marked.parse(text.replace(/^---\n[^]*?\n---\n/, ''), { async: false }))
  .replace(/ (?:alt|title)="[^"]*"/g, '').matchAll(/<pre>[^]*?<\/pre>|<[^>]+>/g)].map(([tag]) => tag);

test('Markdown: marked reads the same elements, of the documents of heed too', async () => {
  const own = ['../README.md', '../CHANGELOG.md', '../SECURITY.md', '../js/README.md', 'README.md']
    .map((name) => readFileSync(new URL(name, import.meta.url), 'utf8'));
  for (const text of [SAMPLES.md, ...own]) {
    const { output, problems } = await translateDocument('md', text, 'upper');
    assert.deepEqual(problems, []);
    assert.notEqual(output, text);
    // bare addresses and the names of references are as they were
    assert.deepEqual(htmlOf(output), htmlOf(text).map((tag) => tag));
    assert.equal((await translateDocument('md', text, 'identity')).output, text);
  }
});

test('Markdown: many spaces take no quadratic time', async () => {
  const spaces = ' '.repeat(40_000);
  for (const text of [`# a${spaces}b {#id}`, `a${spaces}b`, `a${spaces}\nb`]) {
    const time = await timeOf(() => upperOf('md', text));
    assert.ok(time < 1000, `${text.replace(spaces, '...')}: ${time} ms`);
  }
  assert.equal(await upperOf('md', '# a ##  # {#id}'), '# A ##  # {#id}');
  assert.equal(await upperOf('md', 'a\nb  \nc\\\nd'), 'A\nB  \nC\\\nD');
});

test('Markdown: text that would be a mark is escaped', async () => {
  const cases = [['a_b \\* c', 'A_B * C'], ['a\\*b', 'A\\*B'], ['x \\[y](z)', 'X [Y\\](Z)'], ['a \\<b>', 'A \\<B>'],
    ['\\# no', '\\# NO'], ['1\\. no', '1\\. NO'], ['\\{% x %} y', '\\{% X %} Y'], ['a \\{{< b >}}', 'A \\{{< B >}}'],
    ['\\[!NOTE] x', '\\[!NOTE] X'], ['[!NOTE] x', '[!NOTE] X'], ['a \\$\\$ b', 'A \\$\\$ B'], ['a $$ b', 'A $$ B'],
    ['[![a](b)](c) Text', '[![A](b)](c) TEXT'], ['# [!x](c) text', '# [!X](c) TEXT'], ['{% of', '{% OF'],
    ['{% include a.html %} Read', '{% include a.html %} READ'], ['*a*{:.x} b', '*A*{:.x} B'],
    ['$$PATH_X is', '\\$\\$PATH_X IS'], ['- \\[x] y', '- \\[x] Y'], ['AT&amp;T &amp;amp; x', 'AT&T \\&AMP; X'],
    ['\\- x', '\\- X']];
  for (const [text, wanted] of cases) {
    const { output, problems } = await translateDocument('md', text, 'upper');
    assert.deepEqual([output, problems], [wanted, []], text);
    assert.deepEqual(htmlOf(output), htmlOf(text), text);
  }
});

test('Markdown: definitions and headings in several lines of a quotation keep their marks', async () => {
  const text = '> :  \n> text of *one*\n';
  assert.equal((await translateDocument('md', text, 'identity')).output, text);
  assert.equal(await upperOf('md', text), text.replace('text of *one*', 'TEXT OF *ONE*'));
  assert.equal((await translateDocument('md', '> A heading\n> ---\n> text\n', 'reverse')).output,
    '> HEADING A\n> ---\n> TEXT\n');
  for (const heading of ['> Two *lines\n> of* text\n> ===\n', '- > > Two *lines\n  > > of* text\n  > > ---\n']) {
    assert.equal((await translateDocument('md', heading, 'identity')).output, heading);
    const { output, problems } = await translateDocument('md', heading, 'reverse');
    const wanted = heading.replace('Two *lines', 'TEXT *OF').replace('of* text', 'LINES* TWO');
    assert.deepEqual([output, problems], [wanted, []]);
  }
});

test('Markdown: what Liquid, Hugo, Pandoc and kramdown write stays, also in addresses', async () => {
  const cases = {
    '{{ site.title }} is by {{{ page.by }}}.': '{{{ page.by }}}. BY IS {{ site.title }}',
    '# A dog {#my-id}': '# DOG A {#my-id}',
    '## A dog {-}': '## DOG A {-}',
    '# A dog # {#my-id}': '# DOG A # {#my-id}',
    '## A dog ##\t{.a} {-}': '## DOG A ##\t{.a} {-}',
    'A dog {#a .b}\n===': 'DOG A {#a .b}\n===',
    'A dog\n~ one\n~ two': 'DOG A\n~ ONE\n~ TWO',
    "import A, { B } from 'a';\nimport \"b\"\nA dog": "import A, { B } from 'a';\nimport \"b\"\nDOG A",
    'import a dog from here': 'HERE FROM DOG A IMPORT',
    'A [dog]{.a} and `x`{.b}, [here](x){#c d=e} {.5}': '{.5} [HERE](x){#c d=e} `x`{.b}, AND [DOG]{.a} A',
    'See [here]({{ site.a_b }}/c_d "A dog") and': 'AND [HERE]({{ site.a_b }}/c_d "DOG A") SEE',
    '[one]({% link a_b.md %}) dog': 'DOG [ONE]({% link a_b.md %})',
    '![A dog]({{< ref "a b" >}})': '![DOG A]({{< ref "a b" >}})',
    '[a]: {{ "/x" | url }} "A dog"\n\n![one][a]': '[a]: {{ "/x" | url }} "DOG A"\n\n![ONE][a]',
    '| a {{ b | c }} | d |\n|-|-|\n| {{ e }} f | g |': '| {{ b | c }} A | D |\n|-|-|\n| F {{ e }} | G |',
  };
  for (const [text, wanted] of Object.entries(cases)) {
    assert.equal((await translateDocument('md', text, 'identity')).output, text);
    const { output, problems } = await translateDocument('md', text, 'reverse');
    assert.deepEqual([output, problems], [wanted, []]);
  }
});

test('Markdown: an image or link whose text names its address keeps the name, also beside another text', async () => {
  for (const mark of ['', '!']) {
    const text = `See ${mark}[dog] and ${mark}[cat][].\n\n[dog]: d.png\n[cat]: c.png\n`;
    assert.equal((await translateDocument('md', text, 'identity')).output, text);
    assert.equal((await translateDocument('md', text, 'upper')).output,
      `SEE ${mark}[DOG][dog] AND ${mark}[CAT][cat].\n\n[dog]: d.png\n[cat]: c.png\n`);
  }
});

test('Markdown: a translation whose marks would be read in another way is told', async () => {
  const document = await readDocument('md', 'A\n\nsome **bold** text\n', { source: 'en', target: 'de' });
  /** @type {string[]} */
  const told = [];
  const write = (/** @type {string} */ html) =>
    document.write(['A', html], (line, problem) => void told.push(`${line}: ${problem}`));
  assert.equal(write('x<b id=1> y </b>z'), 'A\n\nsome **bold** text\n');
  assert.match(told.join(), /^3: the marks do not fit/);
  assert.equal(write('x <b id=1>y</b> z'), 'A\n\nx **y** z\n');
  // a box that the source does not begin; HTML that would be a part of a text
  for (const [text, translation] of [['> [!a b] dog\n', '[!a] Hund'], ['<x>\na <b>dog</b>\n', '<x><b>Hund</b>']]) {
    const { write: writeOther } = await readDocument('md', text, { source: 'en', target: 'de' });
    assert.equal(writeOther([translation], (line, problem) => told.push(`${line}: ${problem}`)), text);
    assert.match(String(told.pop()), /^1: the marks do not fit/);
  }
});

test('Markdown: formulas, commands, emoji and marks of boxes stay; the text around them is translated', async () => {
  const texts = async (/** @type {string} */ text) =>
    (await readDocument('md', text, { source: 'en', target: 'de' })).units.map((unit) => unit.text);
  assert.deepEqual(await texts('> [!NOTE]\n> Some text\n> goes on\n\n[!NOTE]\n'), ['Some text goes on', '[!NOTE]']);
  assert.deepEqual(await texts(':::tip Its title {.x}\nText\n:::\n\n:::note[A *name*]\n::::\n'),
    ['Its title', 'Text', 'A <b id=1>name</b>']);
  assert.deepEqual(await texts('One\n$$\na\n\nb\n- $$\ntwo\n\n$$ a_b $$\nthree\n\n> $$\n> c\n> $$\n\nfour'),
    ['One', 'two', 'three', 'four']);
  // an end that is missing, or in another list or quotation
  assert.deepEqual(await texts('One\n\n$$\ntwo\n\nthree'), ['One', '$$ two', 'three']);
  assert.deepEqual(await texts('> $$\n> two\n\nthree\n$$'), ['$$ two', 'three $$']);
  assert.deepEqual(await texts('- $$\n\n  two\n\nthree\n$$'), ['two', 'three $$']);
  assert.deepEqual(await texts('See\n$$PATH_X is a\nvariable\n\nof $$\n\n$$P_Y is, too\n\nfour'),
    ['See $$PATH_X is a variable', 'of $$', '$$P_Y is, too', 'four']);
  // what follows the end
  for (const after of [' {#eq-emc}', '.', ',', ', ']) assert.deepEqual(await texts(`$$\na\n$$${after}\ntwo`), ['two']);
  assert.deepEqual(await texts('$$\na_b\n$$, where *x* is\ntwo\n\n$$ E = mc^2 $$ {#eq}\n'),
    [', where <b id=1>x</b> is', 'two']);
  assert.deepEqual(await texts('The energy $$ E = mc^2 $$ is large, $$ is my_pid and $$.'),
    ['The energy <code id=1>$$ E = mc^2 $$</code> is large, $$ is my_pid and $$.']);
  assert.deepEqual(await texts('Pay $5 or $6, US$ 7 or $ 8 $, and $$ is a shell'),
    ['Pay $5 or $6, US$ 7 or $ 8 $, and $$ is a shell']);
  assert.deepEqual(await texts('Let $x$ be $5 \\cdot y$.'),
    ['Let <code id=1>$x$</code> be <code id=3>$5 \\cdot y$</code>.']);
  assert.deepEqual(await texts('Yes :+1: at 10:30: or a:b: c :d'),
    ['Yes <code id=1>:+1:</code> at 10:30: or a:b: c :d']);
  assert.deepEqual(await texts('If a==b or c==d, then ==this== is x == y.'),
    ['If a==b or c==d, then <b id=1>this</b> is x == y.']);
  assert.deepEqual(await texts('A term\n: is this\n: and that'), ['A term', 'is this', 'and that']);
  assert.deepEqual(await texts('One\n{% if x %}\ntwo\n{: .x }\n'), ['One', 'two']);
  assert.deepEqual(await texts('{{< hint info >}}Read this.{{< /hint >}}\n\n{% a %}{% b %}\n\n# Title {: #id}\n\n'
    + '{:.x} {% if x %}Text{% endif %}\n\nSee {{< icon "star" >}} or {% a %}, not {:ok, value}.'),
  ['Read this.', 'Title', 'Text',
    'See <code id=1>{{&lt; icon "star" &gt;}}</code> or <code id=3>{% a %}</code>, not {:ok, value}.']);
  assert.deepEqual(await texts('> {% include x.html\n> title="Its title" %} and\n> text'),
    ['and text']);
  assert.deepEqual(await texts('[a]: https://example.org "Its title"\n[b]: x'), ['Its title']);
  const time = await timeOf(async () => {
    for (const part of ['$a ', '$$', ':a', '==a ', ':::\n', '> [!A]\n', '$$\n', '$\\', ': a\n', '$$a=b\n', '> $$a=b\n',
      '- $$\n\n', '{% ', '{{< ', '{: .']) {
      await texts(part.repeat(20_000));
    }
  });
  assert.ok(time < 30_000, `${time} ms`);
});

test('a term that cannot be placed is told of its units alone', async () => {
  const translator = fakeTranslator('upper');
  const refuse = (/** @type {any} */ texts) => {
    if (String(texts).includes('term')) throw new HeedError(E_STATE, "glossary: 'term' did not come out as 'X' once");
  };
  const spy = {
    translate: async (/** @type {string[]} */ texts) => (refuse(texts), translator.translate(texts)),
    translateHtml: async (/** @type {string} */ html) => (refuse(html), translator.translateHtml(html)),
  };
  const text = 'msgid ""\nmsgstr "Language: de\\n"\n' +
    ['a', 'a term', '%s term'].map((id) => `\n#, fuzzy\nmsgid "${id}"\nmsgstr "x"\n`).join('');
  const { units, write } = await readDocument('po', text, { source: 'en', target: 'de' });
  const memory = new Memory('', 'en', 'de');
  const output = write(await translateUnits(units, /** @type {any} */ (spy), { memory }), () => {});
  assert.deepEqual(units.map(({ line, problem }) => problem && line), [undefined, 9, 13]);
  assert.equal(output, text.replace('#, fuzzy\nmsgid "a"\nmsgstr "x"', 'msgid "a"\nmsgstr "A"'));
  assert.equal(memory.text.split('\n').length, 2);
  const broken = { ...spy, translate: async () => Promise.reject(new Error('lost')) };
  await assert.rejects(translateUnits(units, /** @type {any} */ (broken)), { message: 'lost' });
});

test('Markdown: HTML between the marks of a quotation stays', async () => {
  const text = '> <div>\n> Hello\n> </div>\n\n> <p>one</p>\n';
  const { output, problems } = await translateDocument('md', text, 'upper');
  assert.equal(output, text.replace('one', 'ONE'));
  assert.match(problems.join(), /^1: HTML in several lines of a quotation is not translated$/);
});

// ---------------------------------------------------------------- HTML

test('HTML: block by block it is what translateHtml() makes of the whole', async () => {
  const inputs = [...CASES, ...Array.from({ length: 150 }, (_, i) => makeHtml(5, i))];
  let divided = 0;
  for (const html of inputs) {
    for (const stub of ['upper', 'reverse']) {
      const { output, units } = await translateDocument('html', html, stub);
      assert.equal(output, translateBy(html, stub).output, html);
      divided += Number(units.length > 1);
    }
  }
  assert.ok(divided > 100, `${divided}`);
});

test('HTML: of a page that changes a little, little is translated', async () => {
  const read = (/** @type {string} */ text) => readDocument('html', text, { source: 'en', target: 'de' });
  const memory = new Memory('', 'en', 'de');
  await translateUnits((await read(SAMPLES.html)).units, fakeTranslator('upper'), { memory });
  const { units } = await read(SAMPLES.html.replace('not&nbsp;far', 'new'));
  const missing = units.filter((unit) => memory.get(unit) === undefined);
  assert.equal(units.length, 10);
  assert.deepEqual(missing.map(({ line }) => line), [6]);
});

// ---------------------------------------------------------------- gettext

const hasGettext = spawnSync('msgfmt', ['--version']).status === 0;

test('gettext: msgfmt accepts the result, in languages with one to six forms', {
  skip: !hasGettext && 'msgfmt is missing',
}, async () => {
  for (const target of ['de', 'fr', 'ja', 'pl', 'ru', 'sl', 'ar', 'pt-BR']) {
    // no translation of other forms
    const text = SAMPLES.po.replace('"%d Nachricht in {box}"', '""');
    for (const stub of ['upper', 'reverse', 'half']) {
      const { output } = await translateDocument('po', text, stub, { target });
      const { status, stderr } = spawnSync('msgfmt', ['--check-format', '--check-header', '-o', '/dev/null', '-'],
        { input: output, encoding: 'utf8' });
      assert.equal(status, 0, `${target}, ${stub}: ${stderr}${output}`);
      assert.doesNotMatch(stderr, /Plural|Language'|untranslated|fuzzy/);
      // nothing is left to do
      assert.deepEqual((await translateDocument('po', output, 'upper', { target })).units, []);
    }
  }
});

test('gettext: forms of plurals as the file and the language have them', async () => {
  const file = (/** @type {string} */ forms, /** @type {string} */ singular) =>
    `msgid ""\nmsgstr ""\n"Language: x\\n"\n`
    .replace('x', forms ? 'ru' : '') + (forms && `"Plural-Forms: ${forms}\\n"\n`) +
    `\nmsgid "${singular}"\nmsgid_plural "%d files"\nmsgstr[0] ""\nmsgstr[1] ""\n`;
  const translated = async (/** @type {string} */ text, target = 'ru') => [...(await upperOf('po', text, { target }))
    .matchAll(/^msgstr\[\d\] "(.*)"$/gm)].map(([, each]) => each).join();
  assert.equal(await translated(file('', 'one file')), '%d FILES,%d FILES,%d FILES');
  assert.equal(await translated(file('', '%d file')), '%d FILE,%d FILES,%d FILES');
  assert.equal(await translated(file('', '%d file'), 'ja'), '%d FILES');
  assert.equal(await translated(file('nplurals=2; plural=n!=1;', 'one file').replace('[0]', '[00]')),
    'ONE FILE,%d FILES');
  assert.equal(await translated(file('nplurals=2; plural=n!=1;', 'one file')), 'ONE FILE,%d FILES');
  assert.equal(await translated(file('nplurals=2; plural=(n%10==1 ? 0 : 1);', 'one file')), '%d FILES,%d FILES');
  for (const [forms, wanted] of /** @type {[string, RegExp][]} */ ([
    ['nplurals=2; plural=n+1;', /1 has the form 2, expected one below nplurals=2/],
    ['nplurals=2; plural=n>;', /found 'its end', expected a number or n/],
    ['nplurals=2; plural=n/0;', /0 has the form NaN/],
    ['nplurals=x', /found 'nplurals=x', expected nplurals=N/],
    [`nplurals=2; plural=${'('.repeat(1000)}`, /nested too deep/],
    [`nplurals=2; plural=${'!'.repeat(100_000)}n`, /nested too deep/],
    ['nplurals=2; plural=n;alert(1)', /found 'nplurals/],
  ])) await assert.rejects(translated(file(forms, 'a')), { message: wanted }, forms);
});

test('gettext: the mark of a key goes to a word of the translation', async () => {
  const file = (/** @type {string[]} */ ...ids) => ids.map((id) => `msgid "${id}"\nmsgstr ""\n`).join('\n');
  const translated = async (/** @type {string} */ target, /** @type {string[]} */ ...ids) => {
    const { output, units } = await translateDocument('po', file(...ids), 'reverse', { target });
    assert.ok(units.every(({ text }) => !/[&_~](?!amp)/.test(text.replace(/<.*?>/g, ''))));
    return [...output.matchAll(/^msgid "(.+)"\nmsgstr "(.*)"$/gm)].map(([, , each]) => each);
  };
  const ids = ['&File', 'E&xit', 'Save &as...', '&Delete %(x)s', '_Open <b>a b</b>', '~View'];
  assert.deepEqual(await translated('de', ...ids),
    ['&FILE', '&EXIT', '&AS... SAVE', '%(x)s &DELETE', '<b>B A</b> _OPEN', '~VIEW']);
  // none of them has a mark
  const others = ['R&D', 'Q&A', 'file_name', 'x &amp; y', 'a & b', 'See a?b=c&d', '_a _b', '~/x', 'cats&dogs', 'E&xit',
    'The _uid field is missing.', 'Mention ~user', 'Opens in _blank target', '_id', '&nbsp text', 'Save _as'];
  assert.deepEqual((await readDocument('po', file(...others), { source: 'en', target: 'fr' })).units
    .map(({ text }) => text.replace(/<.*?>/g, '')), others);
  // with a text that surely has the mark
  assert.deepEqual(await translated('de', '_Open', 'Save _as', '_id'), ['_OPEN', '_AS SAVE', '_ID']);
  // signs of the translation that are no mark
  const text = file('&Search and replace', '_Search in %(file_name)s', '&A b');
  const { write: writeSigns } = await readDocument('po', text, { source: 'en', target: 'de' });
  const signs = writeSigns(['Suchen & ersetzen', '<pre>In <code id=1>%(file_name)s</code> suchen</pre>', 'C &D'],
    () => {});
  assert.deepEqual([...signs.matchAll(/^msgstr "(.+)"$/gm)].map(([, each]) => each),
    ['&Suchen && ersetzen', 'In %(file_name)s _suchen', 'C &D']);
  // the key is on no letter of the translation
  const { units, write } = await readDocument('po', file('_Save as...', '_Copy'), { source: 'en', target: 'ja' });
  assert.deepEqual(units.map(({ text }) => text), ['Save as...', 'Copy']);
  const japanese = write(['\u4fdd\u5b58...', '1 2'], () => {});
  assert.match(japanese, /msgstr "\u4fdd\u5b58\(_S\)\.\.\."\n[^]*msgstr "1 2"/);
  // what does not change keeps its mark where it was
  assert.match((await translateDocument('po', file('Save _as'), 'identity')).output, /msgstr "Save _as"/);
});

test('gettext: wrong files are refused with their line', async () => {
  const wrong = (/** @type {string} */ text, /** @type {number} */ line, /** @type {RegExp} */ message) =>
    assert.rejects(upperOf('po', text), { line, message });
  await wrong('msgid "a"\n\n', 2, /found the end of an entry after msgid, expected msgstr/);
  await wrong('msgid "a"\nmsgstr "b"\nmsgstr "c"\n', 3, /found msgstr after msgstr/);
  await wrong('msgid "a"\nmsgid_plural "b"\nmsgstr ""\n', 3, /found msgstr after msgid_plural/);
  await wrong('msgid "a\nmsgstr ""\n', 1, /found 'msgid "a', expected a comment/);
  await wrong('"a"\n', 1, /found a string, expected msgid/);
  await wrong('msgid ""\nmsgstr "Language: fr\\n"\nmsgid "a"\nmsgstr ""', 2, /Language: found fr, expected de/);
  await wrong('msgid ""\nmsgstr "Content-Type: text/plain; charset=ISO-8859-1\\n"', 2, /expected UTF-8/);
});

test('gettext: placeholders in another order get numbers, where there are some', async () => {
  const entry = (/** @type {string} */ flag) => `#, ${flag}-format\nmsgid "%d of %s"\nmsgstr ""\n`;
  const reversed = (/** @type {string} */ flag) => translateDocument('po', entry(flag), 'reverse');
  assert.match((await reversed('c')).output, /msgstr "%2\$s OF %1\$d"/);
  const { output, problems } = await reversed('python');
  assert.ok(output.endsWith(entry('python'))); // the next run tries again
  assert.match(problems.join(), /another order/);
  const fuzzy = `msgid ""\nmsgstr "Language: de\\n"\n\n#, fuzzy, python-format\n#| msgid "%d from %s"\n` +
    'msgid "%d of %s"\nmsgstr "%d aus %s"\n';
  assert.equal((await translateDocument('po', fuzzy, 'reverse')).output, fuzzy);
});

// ---------------------------------------------------------------- subtitles

/** @param {string[]} texts  of cues */
const srt = (...texts) => texts.map((text, i) =>
  `${i + 1}\n00:00:0${i},000 --> 00:00:0${i + 1},000\n${text}\n`).join('\n');

test('subtitles: a sentence over several cues is translated at once, and divided again', async () => {
  const read = async (/** @type {string} */ text, target = 'de') => readDocument('srt', text, { source: 'en', target });
  const two = await read(srt('<i>The old house was</i>', '<i>not far from here.</i>', 'Next one.'));
  assert.deepEqual(two.units.map(({ text }) => text), ['The old house was not far from here.', 'Next one.']);
  const write = (/** @type {any} */ document, /** @type {string[]} */ ...texts) =>
    [...document.write(texts).matchAll(/-->.*\n([^]*?)\n(?:\n|$)/g)].map(([, cue]) => cue);
  assert.deepEqual(write(two, 'Das alte Haus war, nicht weit von hier.', 'X.'),
    ['<i>Das alte Haus war,</i>', '<i>nicht weit von hier.</i>', 'X.']);
  // too few words, and none between which are spaces
  assert.deepEqual(write(two, 'Haus', 'X.'), ['<i>Haus</i>', '<i>\u2026</i>', 'X.']);
  const japanese = await read(srt('The old house was', 'not far from here.'), 'ja');
  const house = '\u53e4\u3044\u5bb6\u306f\u3053\u3053\u304b\u3089\u9060\u304f\u306a\u304b\u3063\u305f\u3002';
  const cues = write(japanese, house);
  assert.equal(cues.join(''), house);
  assert.ok(cues.every((cue) => cue.length > 4));
  // a pair that is open where a cue ends
  const marked = await read(srt('We saw <b>the old', 'house</b> of him.'));
  assert.deepEqual(marked.units.map(({ text }) => text), ['We saw <b id=1>the old house</b> of him.']);
  assert.deepEqual(write(marked, 'Wir sahen <b id=1>das alte Haus</b> dort.'),
    ['Wir sahen <b>das</b>', '<b>alte Haus</b> dort.']);
  const inner = await read(srt('We saw the', 'very <b>old white house</b> of him.'));
  assert.deepEqual(write(inner, 'Wir sahen <b id=3>das alte weisse Haus</b> von ihm.'),
    ['Wir sahen', '<b>das alte weisse Haus</b> von ihm.']);
  assert.deepEqual(write(inner, '<b id=3>Das alte weisse Haus</b> von ihm sahen wir.'),
    ['<b>Das alte</b>', '<b>weisse Haus</b> von ihm sahen wir.']);
  const apart = [['It ends.', 'then'], ['\u266a a song', 'goes on'], ['He said', '[music]'], ['A b', '- C d']];
  for (const [one, other] of apart) {
    assert.equal((await read(srt(one, other))).units.length, 2, one);
  }
});

test('subtitles: the dash of a speaker stays before a tag, and no pair of tags is divided', async () => {
  const text = srt('- <b>Yes</b>, it is.\n- <i>No</i>.', '<i><b>Where</b> are you?</i>', '- <i>Here.</i>');
  const { units, write } = await readDocument('srt', text, { source: 'en', target: 'de' });
  assert.deepEqual(units.map((unit) => unit.text),
    ['<b id=0>Yes</b>, it is.', '<b id=0>No</b>.', '<b id=0>Where</b> are you?', 'Here.']);
  // a tag before the dash, whose end is in the text: the dash stays at the beginning of the line
  const marked = await readDocument('srt', srt('{\\an8}<i>- No</i>, it is.'), { source: 'en', target: 'de' });
  assert.deepEqual(marked.units.map((unit) => unit.text), ['<b id=0>No</b>, it is.']);
  assert.equal(marked.write(['Es ist <b id=0>nein</b>.'], () => {}), srt('{\\an8}- Es ist <i>nein</i>.'));
  assert.equal((await translateDocument('srt', srt('<i>- No</i>, it is.'), 'identity')).output,
    srt('<i>- No</i>, it is.'));
  assert.equal(write(['Es <b id=0>ist</b> so.', '<b id=0>Nein</b>.', 'Wo <b id=0>bist</b> du?', 'Hier.'], () => {}),
    srt('- Es <b>ist</b> so.\n- <i>Nein</i>.', '<i>Wo <b>bist</b> du?</i>', '- <i>Hier.</i>'));
});

test('subtitles: lines of a song are alone, and what WebVTT says to be of another language stays', async () => {
  const song = srt('\u266a One dog \u266a\n<i>\u266b and cats \u266b</i>');
  assert.equal((await translateDocument('srt', song, 'reverse')).output,
    srt('\u266a DOG ONE \u266a\n<i>\u266b CATS AND \u266b</i>'));
  const named = srt('[door opens]\nHe is\nhere', 'ANNA: One dog\nDR. LEE: Two\ncats', '<i>(a laugh)</i>\n[sighs]');
  assert.equal((await translateDocument('srt', named, 'upper')).output,
    srt('[DOOR OPENS]\nHE IS HERE', 'ANNA: ONE DOG\nDR. LEE: TWO CATS', '<i>(A LAUGH)</i>\n[SIGHS]'));
  for (const [texts, units] of /** @type {[string[], number][]} */ ([
    [['WE MEET\nAT 10:30 SHARP', 'and go'], 1], [['WE ALL KNOW THAT\nHE SAID THIS NOW: NO', 'and go'], 1],
    [['YOU ASK\nI SAID: NO'], 1], [['I go\n{\\an8}ANNA: and stay'], 2], [['I go\n<b>ANNA:</b> and stay'], 2],
    [['I go\n{\\an8}[a laugh]'], 2],
  ])) {
    const found = await readDocument('srt', srt(...texts), { source: 'en', target: 'de' });
    assert.equal(found.units.length, units, texts[0]);
  }
  const vtt = (/** @type {string[]} */ ...texts) => `WEBVTT\n\n${texts.map((text, i) =>
    `00:0${i}.000 --> 00:0${i}.500\n${text}\n`).join('\n')}`;
  const text = vtt('<lang fr>Un a\nb</lang> is <lang en-US>one</lang> dog', 'and <lang fr>c d</lang>',
    '<lang fr>Un</lang>');
  assert.equal((await translateDocument('vtt', text, 'identity')).output, text);
  assert.equal((await translateDocument('vtt', text, 'upper')).output,
    vtt('<lang fr>Un a\nb</lang> IS <lang en-US>ONE</lang> DOG', 'AND <lang fr>c d</lang>', '<lang fr>Un</lang>'));
  // behind a dash, and beside signs alone
  const alone = vtt('- <lang fr>Un</lang>', '- <lang fr>Un b</lang> !', 'no one');
  assert.equal((await translateDocument('vtt', alone, 'reverse')).output, alone.replace('no one', 'ONE NO'));
  // none is divided
  assert.equal((await translateDocument('vtt', text, 'reverse')).output,
    vtt('<lang fr>c d</lang> AND DOG <lang en-US>ONE</lang> IS', '<lang fr>Un a\nb</lang>', '<lang fr>Un</lang>'));
});

test('subtitles: what another voice says is apart, and times inside only grow', async () => {
  const cues = (/** @type {string[]} */ ...texts) => `WEBVTT\n\n${texts.map((text, i) =>
    `00:0${i}.000 --> 00:0${i}.900\n${text}\n`).join('\n')}`;
  const text = cues('<v Al>This one', '<v Al>goes on</v>', '<v.x Bo>but not\n<v Al>that one', 'goes on, too');
  const { units } = await readDocument('vtt', text, { source: 'en', target: 'de' });
  assert.deepEqual(units.map((unit) => unit.text), ['This one goes on', 'but not', 'that one goes on, too']);
  assert.equal((await translateDocument('vtt', cues('One <00:00.100>dog <00:00.200><c>is</c> here'), 'reverse')).output,
    cues('HERE <00:00.100><c>IS</c> <00:00.200>DOG ONE'));
});

test('subtitles: lines of spaces are in a cue of WebVTT, and end one of SubRip', async () => {
  const cue = (/** @type {string} */ text) => `WEBVTT\n\n00:00.000 --> 00:01.000\n${text}\n`;
  assert.equal(await upperOf('vtt', cue(' \none <00:00.500><c>dog</c>\n ')), cue(' \nONE <00:00.500><c>DOG</c>\n '));
  assert.equal(await upperOf('vtt', cue(' ')), cue(' '));
  // they end one before a time, and before its identifier
  const next = '00:02.000 --> 00:03.000\ntwo\n';
  for (const start of ['\n\t\n2\n', ' \n', ' \n \n \n2\n', ' \n\n2\n']) {
    const file = `${cue('one').replace('\n\n', '\n \n')}${start}${next}\n \n\n`;
    assert.equal(await upperOf('vtt', file), file.replace('one', 'ONE').replace('two', 'TWO'));
    const { units } = await readDocument('vtt', file, { source: 'en', target: 'de' });
    assert.deepEqual(units.map(({ text }) => text), ['one two']);
  }
  assert.equal(await upperOf('vtt', `WEBVTT\n\nNOTE a\n \nb\n \n2\n${next}`),
    `WEBVTT\n\nNOTE a\n \nb\n \n2\n${next.replace('two', 'TWO')}`);
  const two = srt('One.', 'Two.').replace('\n\n', '\n \n');
  assert.equal(await upperOf('srt', two), two.replace('One', 'ONE').replace('Two', 'TWO'));
});

test('a word that a cut meets stays whole, and no part after it is empty', () => {
  const [text, word, more] = [['text', 'X '], ['word', 'a b c d e f'], ['text', ' y']].map(([kind, own]) =>
    ({ kind: /** @type {any} */ (kind), text: own, source: own }));
  assert.deepEqual(divide([text, word], [5]), [[text, word]]);
  assert.deepEqual(divide([text, word, more], [5, 8]), [[text, word], [more]]);
  const [open, close] = [['open', '<i>'], ['close', '</i>']].map(([kind, source]) =>
    ({ kind: /** @type {any} */ (kind), text: '', source }));
  assert.deepEqual(divide([text, open, word, close, more], [5]), [[text, open, word, close], [more]]);
});

test('subtitles: long translations in lines, and marks that would end a cue', async () => {
  const document = await readDocument('srt', srt('Short.'), { source: 'en', target: 'de' });
  const text = `${'Wort '.repeat(14)}Ende --> hier.`;
  const output = document.write([text], () => {});
  assert.match(output, /\n(Wort ?){7,9}\n(Wort ?){5,7}Ende \u2192 hier\.\n$/);
  assert.equal((output.match(/-->/g) ?? []).length, 1);
  assert.ok(await timeOf(() => document.write(['Wort '.repeat(200_000)], () => {})) < 10_000);
});

test('subtitles: wrong files are refused with their line', async () => {
  const wrong = (/** @type {string} */ format, /** @type {string} */ text, /** @type {number} */ line) =>
    assert.rejects(upperOf(format, text), { line, message: /^found .*, expected/ }, text);
  await wrong('srt', '1\n00:00:01 --> 00:00:02\na\n', 2);
  await wrong('srt', `${srt('a')}\nno cue\n`, 5);
  await wrong('srt', srt('a\n00:00:01,000 --> 00:00:02,000'), 4);
  await wrong('vtt', 'X\n', 1);
  await wrong('vtt', 'WEBVTT\n00:01.000 --> 00:02.000\na\n', 2);
  await wrong('vtt', 'WEBVTT\n\n00:01,000 --> 00:02,000\na\n', 4);
  assert.equal(await upperOf('vtt', 'WEBVTT'), 'WEBVTT');
});

// ---------------------------------------------------------------- XLIFF

const hasPython = spawnSync('python3', ['--version']).status === 0;

test("XLIFF: Python's parser reads the result, with the same elements in sources and targets", {
  skip: !hasPython && 'python3 is missing',
}, async () => {
  const script = `
import sys, xml.etree.ElementTree as tree
root = tree.fromstring(sys.stdin.buffer.read())
name = lambda element: element.tag.split('}')[1]
for unit in root.iter():
    own = {name(child): child for child in unit}
    if 'source' in own and 'target' in own and name(unit) != 'alt-trans':
        source = own.get('seg-source', own['source'])
        inside = lambda e: sorted((name(c), sorted(c.attrib.items())) for c in e.iter() if c is not e)
        print(inside(source) == inside(own['target']), ' '.join(''.join(own['target'].itertext()).split()))
`;
  for (const stub of ['upper', 'reverse', 'half', 'none']) {
    const { output } = await translateDocument('xliff', SAMPLES.xliff, stub);
    const { status, stdout, stderr } = spawnSync('python3', ['-c', script],
      { input: output, encoding: 'utf8', env: { ...process.env, PYTHONIOENCODING: 'utf8' } });
    assert.equal(status, 0, stderr + output);
    // that which was translated has none
    assert.deepEqual(stdout.split('\n').filter((line) => line.startsWith('False')), [], output);
    if (stub === 'upper') assert.match(stdout, /^True GOOD OLD MORNING & !$/m);
  }
});

test('XLIFF 2, prefixes, states and languages', async () => {
  const file = (/** @type {string} */ segment, more = '') => `<x:xliff xmlns:x="urn:oasis:names:tc:xliff:document:2.0"
 version="2.0" srcLang="en-US"${more}><x:file id="f"><x:unit id="1">${segment}</x:unit></x:file></x:xliff>`;
  const source = '<x:source>See <x:pc id="1">the <x:ph id="2" disp="{n}"/> dogs</x:pc>.</x:source>';
  const target = '<x:target>SEE <x:pc id="1">THE <x:ph id="2" disp="{n}"/> DOGS</x:pc>.</x:target>';
  assert.equal(await upperOf('xliff', file(`<x:segment>\n  ${source}\n</x:segment>`)),
    file(`<x:segment>\n  ${source}\n  ${target}\n</x:segment>`, ' trgLang="de"'));
  const old = '<x:target>Alt</x:target>';
  const whole = file(`<x:segment>${source}${old}</x:segment>`, ' trgLang="de-AT"');
  assert.equal(await upperOf('xliff', whole), whole);
  assert.equal(await upperOf('xliff', file(`<x:segment state="initial">${source}${old}</x:segment>`, ' trgLang="de"')),
    file(`<x:segment state="translated">${source}${target}</x:segment>`, ' trgLang="de"'));
  const wrong = (/** @type {string} */ text, /** @type {number} */ line, /** @type {RegExp} */ message) =>
    assert.rejects(upperOf('xliff', text), { line, message });
  await wrong(file(source, ' trgLang="fr"'), 1, /trgLang: found fr, expected de/);
  await wrong(file('<x:segment>'), 2, /not XML: .*tag/);
  await wrong('<a>\n&b;</a>', 2, /not XML: undefined entity/);
  await wrong('<tmx version="1.4"/>', 1, /found <tmx version="1.4">, expected <xliff>/);
  await wrong(file('<x:segment>\n</x:segment>'), 2, /found segment without source/);
  assert.ok(await timeOf(() => assert.rejects(upperOf('xliff', '<a>'.repeat(200_000)), DocumentError)) < 20_000);
});

test('XLIFF: a value of Angular is a word', async () => {
  const text = '<xliff version="1.2"><file source-language="en" target-language="de"><body><trans-unit id="1"><source>'
    + 'One <x id="INTERPOLATION_1"/> of <x id="START_TAG_B"/>x</source></trans-unit><trans-unit id="2"><source>'
    + '{n, plural, other {<x id="INTERPOLATION"/> days}}</source></trans-unit></body></file></xliff>';
  for (const own of [text, text.replaceAll('"', "'")]) {
    const { units } = await readDocument('xliff', own, { source: 'en', target: 'de' });
    assert.deepEqual(units.map((unit) => unit.text), ['One <code id=1>{0}</code> of <img id=3>x',
      '<pre><code id=0>{0}</code> days</pre>']);
  }
});

test('XLIFF: braces in attributes are none of a message', async () => {
  const file = (/** @type {string} */ source, /** @type {string} */ target) =>
    '<xliff version="1.2"><file source-language="en" target-language="de"><body><trans-unit id="1">'
    + `<source>${source}</source>${target}</trans-unit></body></file></xliff>`;
  for (const source of [
    '{n, plural, =0 {none} other {<x id="INTERPOLATION" equiv-text="{{n}} # it\'s >"/> days}}',
    'One <x id="ICU" equiv-text="{n, plural, =0 {...} other {...}}"/>',
  ]) {
    const { output, problems, units } = await translateDocument('xliff', file(source, ''), 'upper');
    assert.ok(units.every(({ text }) => !text.includes('...')));
    const wanted = source.replace('none', 'NONE').replace('days', 'DAYS').replace('One', 'ONE');
    assert.deepEqual([output, problems], [file(source, `<target>${wanted}</target>`), []]);
  }
});

test('XLIFF: placeholders of a text are checked, and a unit whose translation does not fit stays', async () => {
  const file = (/** @type {string} */ unit) => '<xliff version="1.2"><file source-language="en" target-language="de">'
    + `<body><trans-unit id="1">${unit}</trans-unit></body></file></xliff>`;
  const other = (/** @type {string} */ segment) => '<xliff version="2.0" srcLang="en" trgLang="de"><file id="f">'
    + `<unit id="1"><segment${segment}</segment></unit></file></xliff>`;
  const ordered = await translateDocument('xliff', file('<source>%d of <x id="1"/> %s</source>'), 'reverse');
  assert.deepEqual(ordered.problems, []);
  assert.match(ordered.output, /<target>.*%2\$s OF %1\$d<\/target>/);
  const icu = '{n, plural, one {# file} other {# files}}';
  for (const text of [
    file('<source>Hello {name} &lt;b></source>'), file(`<source>${icu}</source>`),
    file('<source>Hello {name}</source><target state="new">Hello</target>'),
    other(' state="initial"><source>Hello {name}</source>'),
    other(` state="initial"><source>${icu}</source><target>${icu}</target>`),
  ]) {
    const { units, write } = await readDocument('xliff', text, { source: 'en', target: 'de' });
    /** @type {string[]} */
    const told = [];
    // one is invented, or the number of the plural is lost
    const wrong = units.map((unit) => unit.text.replace('Hello', 'Hallo %s').replace(/<code[^>]*>\{0\}<\/code>/, ''));
    const output = write(wrong, (line, problem) => told.push(`${line}: ${problem}`));
    assert.equal(output, text);
    assert.match(told.join(), /^1: the translation has other placeholders[^:]*$/); // once
    assert.notEqual(write(units.map((unit) => unit.text.replace(/Hello|file/, 'x')), () => {}), text);
  }
});

// ---------------------------------------------------------------- text

test('text: lines of a broken paragraph are one text, others are alone', async () => {
  const texts = async (/** @type {string} */ text) =>
    (await readDocument('txt', text, { source: 'en', target: 'de' })).units.map((unit) => unit.text);
  assert.deepEqual(await texts('One house\nis small.\nTwo\n\n3.14\n- a\n- b\n'),
    ['One house is small.', 'Two', 'a', 'b']);
  const broken = 'This sentence goes on in the second line of a\nText that was broken at the width of\n' +
    'its longest line. Short.\nEnd';
  assert.deepEqual(await texts(broken), [broken.split('\n').slice(0, 3).join(' '), 'End']);
  // quotations, and letters in lists
  const quoted = '> This sentence goes on in the next line of\n> the quotation.\n>> But not\n> this. a) one\n(b) two';
  assert.deepEqual(await texts(quoted), ['This sentence goes on in the next line of the quotation.', 'But not',
    'this. a) one', 'two']);
  assert.equal(await upperOf('txt', quoted), quoted.toUpperCase().replace('(B)', '(b)'));
  // lines of signs
  assert.deepEqual(await texts('One\n=====\nis small\n* * *\nand two'), ['One', 'is small', 'and two']);
  // headings and boxes to tick are alone; a comment has its mark on each line
  const [long, more] = ['A line that is as long as those of a paragraph', 'Text that follows is as long as the others'];
  assert.deepEqual(await texts(`## ${long}\n${more}`), [long, more]);
  assert.deepEqual(await texts(`[ ] ${long}\n[x] ${more}`), [long, more]);
  for (const mark of ['//', '#', '  ///']) {
    const comment = `${mark} This comment is of one sentence that goes on\n${mark} In its second line. \n${mark} End`;
    assert.deepEqual(await texts(comment), ['This comment is of one sentence that goes on In its second line.', 'End']);
    assert.equal(await upperOf('txt', comment), comment.toUpperCase());
  }
  // columns
  assert.deepEqual(await texts('One house\tand 3 \t\tdogs\n5\t6'), ['One house', 'and 3', 'dogs']);
  assert.equal(await upperOf('txt', '-a, --all     Show all\n\tone \t two\t\nthree'),
    '-A, --ALL     SHOW ALL\n\tONE \t TWO\t\nTHREE');
  assert.deepEqual(await texts('-a, --all    Show all'), ['-a, --all', 'Show all']);
  // three spaces are a column if those of another line end there, too
  assert.deepEqual(await texts('One   small  house   is\nTwo   big   dogs'),
    ['One', 'small  house   is', 'Two', 'big   dogs']);
  assert.deepEqual(await texts('The   quick brown   fox jumps over\nthe lazy   dog.'),
    ['The   quick brown   fox jumps over the lazy   dog.']);
});

// ---------------------------------------------------------------- memory

test('a memory has what was translated, and only what is new is asked for', async () => {
  const read = (/** @type {string} */ text) => readDocument('json', text, { source: 'en', target: 'de' });
  const translator = fakeTranslator('upper');
  /** @type {string[]} */
  const asked = [];
  const spy = {
    translate: (/** @type {string[]} */ texts) => (asked.push(...texts), translator.translate(texts)),
    translateHtml: (/** @type {string} */ html) => (asked.push(html), translator.translateHtml(html)),
  };
  const memory = new Memory('', 'en', 'de');
  const first = await read('["one", "two {x}", "one"]');
  const wanted = await translateUnits(first.units, /** @type {any} */ (spy), { memory });
  assert.deepEqual(asked.splice(0), ['one', '<pre>two <code id=1>{x}</code></pre>']);
  const again = new Memory(memory.text, 'en', 'de');
  const second = await read('["two {x}", "three", "one"]');
  assert.deepEqual(await translateUnits(second.units, /** @type {any} */ (spy), { memory: again }),
    [wanted[1], 'THREE', wanted[0]]);
  assert.deepEqual(asked.splice(0), ['three']);
  assert.equal(new Memory(again.text, 'en', 'fr').get(first.units[0]), undefined);
  // by hand: the last line holds; one that lost a tag does not
  const line = (/** @type {string} */ source, /** @type {string} */ target) =>
    `${JSON.stringify({ from: 'en', to: 'de', source, target })}\n`;
  const edited = new Memory(again.text + line('one', 'Eins') + line(first.units[1].text, 'zwei {x}'), 'en', 'de');
  assert.equal(edited.get(first.units[0]), 'Eins');
  assert.equal(edited.get(first.units[1]), undefined);
  assert.throws(() => new Memory(`${line('a', 'b')}{`, 'en', 'de'), { line: 2, message: /not JSON/ });
  assert.throws(() => new Memory('{"from":"en","to":"de","source":1}', 'en', 'de'),
    { line: 1, message: 'source: found 1, expected a text' });
});
