// elements.js - what the elements and attributes of HTML mean for a translation. Used by markup.js, blocks.js and dom/.

/** @param {string} names */
const setOf = (names) => new Set(names.split(' '));

/** They have no content and no end tag. */
export const VOID = setOf('area base basefont bgsound br col embed frame hr img input keygen link meta param source ' +
  'track wbr');

/** They are part of a sentence. */
export const INLINE = setOf('a abbr acronym b bdi bdo big cite data del dfn em font i ins mark nobr q rb ruby s slot ' +
  'small span strike strong sub sup time tt u');
/** The same in SVG. */
export const SVG_INLINE = setOf('a textpath tspan');

/** They end a sentence, before and after. */
export const BLOCK = setOf('address article aside blockquote body caption center col colgroup dd details dialog dir ' +
  'div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html ' +
  'legend li listing main marquee menu nav ol optgroup option p plaintext pre search section summary table tbody td ' +
  'tfoot th thead title tr ul xmp');

/** They stand in a sentence like an image, and have texts of their own. */
export const ATOM = setOf('audio button canvas datalist label map meter object output picture progress select svg ' +
  'video');

/** Their content is not for translation. */
export const OPAQUE = setOf('applet code iframe kbd math noembed noframes noscript plaintext rp rt rtc samp script ' +
  'style template textarea var xmp');

/** Of these, the content is a word of the sentence, which must come out as it is. */
export const WORDS = setOf('code kbd math samp var');

/** Between two words they divide like a space. */
export const SPACED = setOf('audio br button canvas embed iframe input label meter object output progress select ' +
  'textarea video');

/** White space is text in them. */
export const PREFORMATTED = setOf('listing plaintext pre textarea xmp');

/** A class of icons whose names are spelled as text. */
export const ICONS = /(?:^|\s)(?:material-(?:icons|symbols)[\w-]*)(?:\s|$)/;

/** Attributes that people read, of any element. */
const EVERYWHERE = setOf('title aria-label aria-description aria-placeholder aria-roledescription aria-valuetext ' +
  'aria-braillelabel aria-brailleroledescription aria-colindextext aria-rowindextext');
/** And of some, as the HTML standard has them. @type {Record<string, Set<string>>} */
const SOMEWHERE = {
  abbr: setOf('th'),
  alt: setOf('area img input image'),
  download: setOf('a area'),
  label: setOf('optgroup option track'),
  placeholder: setOf('input textarea'),
};
/** Their `title` is a name for programs. */
const UNTITLED = setOf('link style');
/** What the `content` of a meta element is, by its name or property. */
const META = /^(?:description|keywords|(?:og|twitter):(?:title|description|image:alt))$/i;
const BUTTON = /^(?:button|reset)$/i;

/** The names of all attributes that people may read. */
export const READ = [...EVERYWHERE, ...Object.keys(SOMEWHERE), 'content', 'value'];

/**
 * Whether an attribute is for people to read.
 *
 * @param {string} element  its name
 * @param {string} name
 * @param {(name: string) => string | undefined} get  another attribute of the element
 */
export function isRead(element, name, get) {
  if (EVERYWHERE.has(name)) return !UNTITLED.has(element);
  if (name === 'content') return element === 'meta' && META.test((get('name') ?? get('property') ?? '').trim());
  if (name === 'value') return element === 'input' && BUTTON.test((get('type') ?? '').trim());
  return Object.hasOwn(SOMEWHERE, name) && SOMEWHERE[name].has(element);
}

/**
 * What holds of an element and, unless one inside says something else, of all inside.
 *
 * @typedef {{ isFixed: boolean, isOther: boolean, isEdited: boolean, isPreformatted: boolean }} State
 *   isFixed: translate="no"; isOther: in another language; isEdited: a text that the user writes
 */

/** What holds outside of all elements. @type {State} */
export const NO_STATE = { isFixed: false, isOther: false, isEdited: false, isPreformatted: false };

/**
 * @param {{ name: string, space: string }} element  name: in lower case; space: 'html', 'svg' or 'math'
 * @param {(name: string) => string | null | undefined} get  an attribute of the element
 * @param {State} around
 * @param {(language: string) => boolean} isOther
 * @returns {State}
 */
export function stateOf({ name, space }, get, around, isOther) {
  const translate = get('translate')?.toLowerCase();
  const classes = get('class') ?? '';
  const lang = get('lang') || get('xml:lang');
  const editable = get('contenteditable')?.toLowerCase();
  // the caller knows the language of the document better than many a document
  const isRoot = name === 'html' || name === 'body';
  return {
    isFixed: translate === 'no' || (translate === '' || translate === 'yes' ? false
      : around.isFixed || /(?:^|\s)notranslate(?:\s|$)/.test(classes) || ICONS.test(classes)),
    isOther: typeof lang !== 'string' || isRoot ? around.isOther : isOther(lang),
    isEdited: editable === 'false' ? false : editable === undefined ? around.isEdited : editable !== 'inherit',
    isPreformatted: around.isPreformatted || (space === 'html' && PREFORMATTED.has(name)),
  };
}

/** Whether the text of an element stays as it is. @param {State} state */
export const isKept = ({ isFixed, isOther, isEdited }) => isFixed || isOther || isEdited;

/** In which state the tokenizer reads the content of an element. @type {Record<string, string>} */
export const STATES = {
  title: 'RCDATA', textarea: 'RCDATA', script: 'SCRIPT_DATA', plaintext: 'PLAINTEXT', style: 'RAWTEXT',
  xmp: 'RAWTEXT', iframe: 'RAWTEXT', noembed: 'RAWTEXT', noframes: 'RAWTEXT', noscript: 'RAWTEXT',
};

/** Start tags that end an open paragraph. */
export const ENDS_P = setOf('address article aside blockquote center dd details dialog dir div dl dt fieldset ' +
  'figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p plaintext pre ' +
  'search section summary table ul xmp');

const [CELL, ROW, PART] = ['td th', 'td th tr', 'td th tr tbody thead tfoot caption colgroup'];
/** Start tags that end other open elements, up to an element that holds them. @type {Record<string, Set<string>[]>} */
export const ENDS = Object.fromEntries(Object.entries({
  li: ['li', 'ol ul menu'], dd: ['dd dt', 'dl'], dt: ['dd dt', 'dl'], body: ['head', 'html body'],
  td: [CELL, 'table tr'], th: [CELL, 'table tr'], tr: [ROW, 'table'], caption: [PART, 'table'],
  tbody: [PART, 'table'], thead: [PART, 'table'], tfoot: [PART, 'table'], colgroup: [PART, 'table'],
  option: ['option', 'select datalist optgroup'], optgroup: ['option optgroup', 'select datalist'],
  rb: ['rb rt rp rtc', 'ruby'], rt: ['rb rt rp', 'ruby rtc'], rp: ['rb rt rp', 'ruby rtc'],
  rtc: ['rb rt rp rtc', 'ruby'],
}).map(([name, sets]) => [name, sets.map(setOf)]));

/** No end tag inside them ends an element outside, but those of table parts. */
export const WALLS = setOf('applet button caption marquee object select table td template th foreignobject svg math');
/** End tags that end a cell first. */
export const ENDS_CELL = setOf('table tbody tfoot thead tr');

/** Elements of SVG and MathML whose content is HTML. */
export const HTML_INSIDE = setOf('svg:foreignobject svg:desc svg:title math:mi math:mo math:mn math:ms math:mtext ' +
  'math:annotation-xml');
/** Start tags that end SVG and MathML. */
export const BREAKOUT = setOf('b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr ' +
  'i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var');
