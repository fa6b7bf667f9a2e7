// keep.test.js - text/keep.js finds the text that is not translated: what it takes and leaves, in linear time, and
// never half a character. keep-translate.test.js tests translations.
import test from 'node:test';
import assert from 'node:assert/strict';
import { findKept, hideStops } from '../js/text/keep.js';
import { splitSentences } from '../js/text/sentences.js';
import { reportKept } from '../js/text/terms.js';
import { readCases } from './score/copy.js';
import { timeOf } from './time-of.js';

/** @param {string} text @param {string} [language] */
const kept = (text, language) => findKept(text, language).map(({ start, end }) => text.slice(start, end));

/**
 * Each text with what is kept of it.
 *
 * @param {string} language
 * @param {[string, ...string[]][]} cases
 */
function check(language, cases) {
  for (const [text, ...expected] of cases) {
    assert.deepEqual(kept(text, language), expected, text);
  }
}

test('addresses', () => check('en', [
  ['See https://example.org/a?b=c&d#e, then (http://x.org/y_(z)).', 'https://example.org/a?b=c&d#e',
    'http://x.org/y_(z)'],
  ['Is it at www.example.com? Or ftp://a.b/c!', 'www.example.com', 'ftp://a.b/c'],
  ['<https://example.org/x> and mailto:me@example.org.', 'https://example.org/x', 'mailto:me@example.org'],
  ['Go to birdsong.app or radio-polaris.fm/live or my-roof.co.uk.', 'birdsong.app', 'radio-polaris.fm/live',
    'my-roof.co.uk'],
  ['Write to anna_lena99@example.org, support+eu@skyhatch.io.', 'anna_lena99@example.org', 'support+eu@skyhatch.io'],
  ['At localhost:8080/x and https://de.wikipedia.org/wiki/K\u00f6ln now', 'localhost:8080/x',
    'https://de.wikipedia.org/wiki/K\u00f6ln'],
  ['It is over.The end. He left at 5 p.m. e.g. here, i.e. there.'],
]));

test('code, files and paths', () => check('en', [
  ['Run `npm i. Foo` now, or ``a`b``.', '`npm i. Foo`', '``a`b``'],
  ["Don`t and won`t are words, ` too."],
  ['Open config.json, Node.js, src/main.c and /usr/local/bin.', 'config.json', 'Node.js', 'src/main.c',
    '/usr/local/bin'],
  ['In ~/notes, ./run.sh, C:\\Users\\me or .gitignore', '~/notes', './run.sh', 'C:\\Users\\me', '.gitignore'],
  ['He and/or she, 24/7, km/h, yes/no/maybe'],
  ['my_name, camelCase, PascalCase, std::vector and foo() or bar(x)', 'my_name', 'camelCase', 'PascalCase',
    'std::vector', 'foo()'],
  ['Your book(s), hELLO, THE END, a_ and _so_, _the end of it._'],
  ['_Visit example.org._ or _see node.js._ _example.org._ _It ended.The._', 'example.org', 'node.js',
    '_example.org'],
  ['Use --dry-run --max=3 in C++ or C#.', '--dry-run --max=3', 'C++', 'C#'],
  ['He said -- well -- nothing, twenty-one.'],
  ['Call obj.doIt(x) and a.b_c now', 'obj.doIt(x)', 'a.b_c'],
]));

test('a fenced block is kept line by line, an open fence is none', () => {
  assert.deepEqual(kept('Look:\n```js\nlet a = "one. Two";\n```\nThe end.'),
    ['```js', 'let a = "one. Two";', '```']);
  assert.deepEqual(kept('Look:\n```\nnot closed'), []);
  const many = 200_000; // more than a function can have arguments
  assert.equal(kept(`\`\`\`\n${'a\n'.repeat(many)}\`\`\``).length, many + 2);
});

test('markup and placeholders', () => check('en', [
  ['Click <b>here</b> or <a href="x. y">there</a><br/>', '<b>', '</b>', '<a href="x. y">', '</a><br/>'],
  ['a < b and c > d &amp; e <!-- no -->', '&amp;', '<!-- no -->'],
  ['Hello {name}, {{ first. last }}, ${x}, #{y}, {0} and {}.', '{name}', '{{ first. last }}', '${x}', '#{y}', '{0}',
    '{}'],
  ['%s, %1$d, %.2f, %(n)s, %{m}, %@ and %PATH%, $HOME', '%s', '%1$d', '%.2f', '%(n)s', '%{m}', '%@', '%PATH%',
    '$HOME'],
  ['100 %d or 5% so, $5, a {set of things}'],
  ['Dear [NAME], see [12] and [this].', '[NAME]', '[12]'],
  ['[12/05/24, 6:30:12 PM] Tom: see [1, 3-5], [2024-05-12 10:00] and [5 dogs] [,]',
    '[12/05/24, 6:30:12 PM]', '[1, 3-5]', '[2024-05-12 10:00]'],
]));

test('codes and long numbers, not quantities, dates and times', () => {
  check('en', [
    ['KX-2048-B, AB-1234, SUMMER25, C4H10, 5B, TX-900i', 'KX-2048-B', 'AB-1234', 'SUMMER25', 'C4H10', '5B',
      'TX-900i'],
    ['PO/5531/27, LH 2274, B-MW 3307, v4.11.2, 1.2.3, 192.168.4.20', 'PO/5531/27', 'LH 2274', 'B-MW 3307', 'v4.11.2',
      '1.2.3', '192.168.4.20'],
    ['DE89 3704 0044 0532 0130 00 and 978-3-16-148410-0', 'DE89 3704 0044 0532 0130 00', '978-3-16-148410-0'],
    ['2001:db8::42, 00:1A:2B:3C:4D:5E, 550e8400-e29b-41d4-a716-446655440000', '2001:db8::42', '00:1A:2B:3C:4D:5E',
      '550e8400-e29b-41d4-a716-446655440000'],
    ['+49 30 5550 1734, 0800 118 402, (212) 555-0187, 1-800-555-0133', '+49 30 5550 1734', '0800 118 402',
      '(212) 555-0187', '1-800-555-0133'],
    ['90210, 1984, 0413 and 007', '90210', '1984', '0413', '007'],
    ['1,234.56, 48,250, 3.5, 12, 300, 1.234.567, -4, 10-15, 24/7, 3/4, 05 of 10'],
    ['4:30 pm, 16:30, 10:30:15, 9 am, 15/04/2027, 3.5.26, 01.05.2027, 12-24-2025'],
    ['00:00:01,000 --> 00:01:02,500, 00:03.250, 10:30,5', '00:00:01,000', '00:01:02,500',
      '00:03.250'],
    ['1st, 22nd, 1990s, 5kg, 10am, 4PM, 20-minute, 3-D'],
    ['#SlowSunday, #415, #FF8800 by @lena_bakes', '#SlowSunday', '#415', '#FF8800', '@lena_bakes'],
  ]);
  check('fr', [["48 250 visiteurs \u00e0 16h30, 1 234,56 \u20ac, 13 h 05, 01 99 00 48 26", '01 99 00 48 26'],
    ['Le 900 373 115']]);
  check('de', [['30 000 Euro am 3.5.2026, die 90er, z.B. Mitarbeiter(innen) und StudentInnen'],
    ['Der Notruf 116 117', '116 117']]);
});

test('emoji are whole, and words of other scripts', () => {
  const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';
  check('en', [
    [`Yes ${family}! \u{1f44d}\u{1f3fd} \u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7} 1\ufe0f\u20e3 \u2764\ufe0f`, family,
      '\u{1f44d}\u{1f3fd} \u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7} 1\ufe0f\u20e3 \u2764\ufe0f'],
    ['Fine :-) and ;) but no: (really)', ':-)', ';)'],
    ['\ue001 Home, \uf015 \u{f0001}', '\ue001', '\uf015 \u{f0001}'],
    ['20 \u00b0C, 5 \u20ac, 2 + 2 = 4, 50 %, A & B'],
    ['He said \u043f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440 and \u4f60\u597d\u3002',
      '\u043f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440', '\u4f60\u597d'],
    ['\u03b2-carotene, 5 \u03bcm, na\u00efve \u0153uvre \u1e9e', '\u03b2', '\u03bcm'],
  ]);
  check('ru', [['\u041f\u0440\u0438\u0432\u0435\u0442 from Tom', 'from Tom']]);
  check('ja', [['\u65e5\u672c\u306e\u30a2\u30cb\u30e1 on DVD', 'on DVD']]);
  check('sr', [['Dobar dan \u0434\u043e\u0431\u0430\u0440']]);
  check('zxx', [['\u043f\u0440\u0438\u0432\u0435\u0442']]);
});

test('numbers in digits of other scripts, not in those that the language has', () => {
  const [arabic, persian, hindi] = ['\u0663\u0664\u0665', '\u06f3\u06f4', '\u0967\u0968'];
  check('en', [
    [`Call me at ${arabic}.`, arabic],
    [`${hindi}, or \u0661\u066b\u0665 of ${persian}`, hindi, '\u0661\u066b\u0665', persian],
    [`It is \uff11\uff12, or 12.`],
  ]);
  check('ru', [[`\u0438 ${arabic} 12`, arabic]]);
  check('fa', [[`${arabic} ${persian}, ${hindi} 12`, hindi]]);
  check('hi', [[`${hindi} - ${arabic}`, arabic]]);
  check('zxx', [[arabic]]);
});

test('signs that are alike in all languages, with their word or number', () => {
  check('en', [
    ['\u00a9 2024 Foo, Foo-Bar\u00ae and Baz\u2122', '\u00a9 2024', 'Foo-Bar\u00ae', 'Baz\u2122'],
    ['\u00a7 3, \u00a7\u00a7 12 and \u00b6 7, \u00a7 1.5', '\u00a7 3', '\u00a7\u00a7 12', '\u00b6 7', '\u00a7'],
    ['1\u00bd hours, \u00be of it, 2 \u2153', '1\u00bd', '\u00be', '2 \u2153'],
    ['\u00b115 mm, \u00b10.5 %, \u00b1 2, a \u2264 b, big\u2020', '\u00b115', '\u00b1', '\u00b1', '\u2264', '\u2020'],
    ['\u00b11,000 people, \u00b15, and', '\u00b1', '\u00b15'],
    ['5 \u00b5m or 3 \u00b5g/l, 5 \u00b5m\u00b2 and 2 \u00b5g/m\u00b3', '\u00b5m', '\u00b5g/l', '\u00b5m\u00b2',
      '\u00b5g/m\u00b3'],
    ['One | two \u2022 three \u00b7 four', '|', '\u2022', '\u00b7'],
    ['It is.\u00b9\u00b2 "A cat"\u2074 has 3 m\u00b2, a dog\u00b9 and mc\u00b2.', '\u00b9\u00b2', '\u2074', 'm\u00b2',
      'mc\u00b2'],
  ]);
  check('ca', [['una novel\u00b7la']]);
});

test('what divides a line ends a sentence, unless it stands inside of something', () => {
  const hidden = (/** @type {string} */ text) => hideStops(text, findKept(text)).replaceAll('\u2029', '/');
  assert.equal(hidden('Home | My account \u2022 a \u00b7 b \u00a6 c'), 'Home / My account / a / b / c');
  assert.equal(hidden('| a|b novel\u00b7la |'), '/ a|b novel\u00b7la /');
  const code = 'Use `cat x | grep y` or {{ name | upper }} to filter.';
  assert.doesNotMatch(hidden(code), /[|/]/, 'within code');
  assert.equal(hidden('Name\tAge\n==== A ===='), 'Name/Age\n//// A ////');
  assert.equal(hidden('One ..... 5, x... -- ***** x####'), 'One ///// 5, x... -- ***** x####');
  assert.doesNotMatch(hidden('The code `a ---- b\tc` and ((((x_y)))) are one.'), /\//);
  assert.equal(hidden('3 \u00b7 4 is 12'), '3 \u00b7 4 is 12', 'a product');
  assert.deepEqual(kept('See \u00a7 651a BGB.'), ['\u00a7 651a']);
});

test('the cases of tests/score/copy: all addresses and codes but two kinds, nothing of the rest but these', () => {
  /** @type {string[]} */
  const [lost, more] = [[], []];
  for (const { kind, sentences, names } of readCases()) {
    const isName = ['person', 'place', 'company'].includes(kind);
    for (const [language, text] of Object.entries(sentences)) {
      const found = kept(text, language);
      if (!isName) lost.push(...names.filter((name) => !found.some((span) => span.includes(name))));
      more.push(...found.filter((span) => isName || !names.some((name) => name === span)));
    }
  }
  // an emergency number of three digits; two telephone numbers that are quantities in French
  assert.deepEqual([...new Set(lost)].sort(), ['112', '116 117', '900 373 115']);
  assert.deepEqual([...new Set(more.filter((span) => !/^\d{4}$/.test(span)))].sort(), ['2026-11-05', 'hPa']);
});

test('a term of a glossary wins, and what it does not touch is found', () => {
  const text = 'AB-1234 and CD-5678';
  assert.deepEqual(findKept(text, 'en', [{ start: 3, end: 7 }]), [{ start: 12, end: 19 }]);
});

test('sentences do not end within what is kept', () => {
  const text = 'See https://x.org/a?b!c. Is it `a. B`? Yes\u203c No';
  const hidden = hideStops(text, findKept(text));
  assert.equal(hidden.length, text.length);
  assert.deepEqual([...hidden.matchAll(/[.!?\u203c]/g)].map(({ index }) => index),
    [text.indexOf('. Is'), text.indexOf('? Yes'), text.indexOf('\u203c')]);
});

test('a sentence before what is kept takes nothing of it', () => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
  const sentences = (/** @type {string} */ text, /** @type {string} */ span) => {
    const start = text.indexOf(span);
    const hidden = hideStops(text, [{ start, end: start + span.length }]);
    let at = 0;
    return Array.from(splitSentences(hidden, segmenter), ({ text: { length }, after }) => {
      const own = text.slice(at, at + length);
      at += length + after.length;
      return own;
    });
  };
  assert.deepEqual(sentences('A city.[1] It is', '[1]'), ['A city.', '[1] It is']);
  assert.deepEqual(sentences('\u4e00\u3002" a x', '" a x'), ['\u4e00\u3002', '" a x']);
  assert.deepEqual(sentences('One cat!\u0301) B c.D is', '\u0301) B c.D'), ['One cat!', '\u0301) B c.D is']);
  assert.deepEqual(sentences('A b\u2028c is', 'b\u2028c'), ['A b\u2028c is']);
});

test('spans are in order, apart, on one line, and hold whole characters', () => {
  const alphabet = ['a', 'B', '7', '_', '-', '.', '/', ':', '@', '#', '%', '{', '}', '<', '>', '`', '(', ')', '+',
    ' ', '\n', '\v', '\u2028',
    '\u0301', '\u200d', '\ufe0f', '\u{1f468}', '\u{1f3fd}', '\u{1f1e9}', '\u20e3', '\u0436', '\u4e2d', '\ud83d',
    '\ude00',
    '\u0600', '\u{e0067}', '\u0915', '\u094d', '\u1100', '\u1161', 's', 'www.', 'https://', '\u00a9', '\r\n'];
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
  let seed = 1;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  let spans = 0;
  for (let round = 0; round < 4000; round++) {
    let text = '';
    for (let i = 0; i < 24; i++) text += alphabet[Math.floor(random() * alphabet.length)];
    const edges = new Set([...graphemes.segment(text)].map(({ index }) => index).concat(text.length));
    let last = -1;
    for (const { start, end } of findKept(text, ['en', 'ru', 'ja'][round % 3])) {
      spans++;
      assert.ok(start > last && end > start, `${JSON.stringify(text)}: ${start}-${end} after ${last}`);
      assert.ok(edges.has(start) && edges.has(end), `${JSON.stringify(text)}: ${start}-${end} cuts a character`);
      assert.doesNotMatch(text.slice(start, end), /[\r\n\v\u2028]/);
      last = end;
    }
  }
  assert.ok(spans > 4000, `${spans} spans`);
});

// a way that takes time with the square of the length takes minutes
test('a hundred thousand characters of any kind take less than a second', { timeout: 120_000 }, async () => {
  for (const unit of ['a', 'a.', 'a@', '@', 'a_', 'aB', '/', '/a', '<', '<a ', '<!--', '{', '{{', '%', '`', '``a',
    '``a ', '1', '1-',
    '1 ', '(1', '+1', ':', 'a:', '0:', '.', '-', '--a', '\u{1f468}\u200d', '\u{1f1e9}', '\u4e2d', '\u4e2da', '&',
    '&a',
    'A1', 'A-1', 'A1 ', 'http://', 'www.', 'a.b/', '[A', '#', '$', '~/', '\\', 'C:\\', '```\n', 'a\n', '\u0301', 'a(',
    'a()', 'DE89 3704 ', ':)', '(', ' ', 'x@y.', '::', 'a->', '\u200d', '\u0600', '\u0663', '\u0663.', 'x.org/?',
    '%(', '${']) {
    const text = unit.repeat(Math.ceil(1e5 / unit.length));
    for (const whole of [text, `${text}!`, `x ${text} y`, `a/${text}x`, `/a${text}x`]) {
      const ms = await timeOf(() => hideStops(whole, findKept(whole, 'en')));
      assert.ok(ms < 1000, `${JSON.stringify(unit)}: ${ms.toFixed(0)} ms`);
    }
  }
  const spaces = `\`x${' '.repeat(1e5)}y\``;
  const ms = await timeOf(() => hideStops(spaces, findKept(spaces, 'en')));
  assert.ok(ms < 1000, `white space in a span: ${ms.toFixed(0)} ms`);
});

test('spans of a translation are counted whole, the longest first', () => {
  const found = (/** @type {string[]} */ ...spans) =>
    spans.map((term) => ({ term, translation: term, start: 0, end: term.length, isKept: true }));
  const text = 'rosa@x.org, x.org {{n}} 12345';
  assert.deepEqual(reportKept(text, found('x.org', 'rosa@x.org',
    '{{n}}')).matches.map(({ targetStart }) => targetStart),
    [12, 0, 18]);
  assert.ok(reportKept(text, found('x.org', 'rosa@x.org')).isExact);
  assert.ok(!reportKept(text, found('x.org', 'x.org', 'x.org')).isWhole);
  assert.ok(!reportKept(text, found('2345')).isWhole, 'part of a number');
  assert.ok(!reportKept('a b a', found('a')).isExact);
  assert.ok(reportKept('a b a', found('a')).isWhole);
  assert.ok(!reportKept('a \u{1f44f}\u{1f44f}\u{1f44f}', found('\u{1f44f}\u{1f44f}')).isWhole, 'part of a row');
  assert.ok(reportKept('a \u{1f44f}\u{1f44f} b', found('\u{1f44f}\u{1f44f}')).isExact);
  // a star, a heart with its variation, hands with a colour of skin, flags, a family
  for (const picture of ['\u2605', '\u2764\ufe0f', '\u{1f44f}\u{1f3fd}', '\u{1f1e9}\u{1f1ea}',
    '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}']) {
    for (const more of [' b', '']) {
      assert.ok(!reportKept(`a ${picture.repeat(4)}${more}`, found(picture.repeat(3))).isWhole, picture);
      assert.ok(reportKept(`a ${picture.repeat(3)}${more}`, found(picture.repeat(3))).isExact, picture);
    }
  }
});
