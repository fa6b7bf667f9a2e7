// abbreviations.js - joins what Intl.Segmenter divides inside of a sentence: behind abbreviations of English, German,
// French and Spanish, behind German ordinals, and behind quotations. Loaded by split.js for texts of more than one
// sentence.

/** Abbreviations of many languages before a name, a number or a noun, and initials of names, but not "I". */
const COMMON = 'Dr|Prof|St|cf|vs|(?<=\\bet )al|[Ee]\\.g|[Ii]\\.e|(?!I)\\p{L}';

/**
 * More of each language. A language without a list has only the common ones, because words of these lists end sentences
 * elsewhere. A text whose language is unknown has all.
 *
 * @type {Record<string, string>}
 */
const OWN = {
  // "Serial No.", but not "I said No."
  en: 'M[rst]|Mrs|[SJ]r|Messrs|a\\.k\\.a|Rev|Gen|Col|Capt|Maj|Lt|Sgt|Gov|Sen|Rep|Ft|(?<=\\p{Lu}\\p{L}* )No',
  // "i.d.R." and "o.g.", but not what ends a list
  de: 'Dipl|Ing|Hrn?|Fr|Fa|Nr|bzw|[Bb]zgl|[Cc]a|[Ee]inschl|[Ee]vtl|geb|[Gg]em|[Gg]gf|[Ii]nkl|[Ii]nsb|[Ll]t|med|' +
    '[Ss]og|[Vv]gl|[Zz]zgl|Z\\.B|D\\.h|(?!(?:s\\.[ou]|[ou]\\.\u00e4|u\\.v\\.m)\\.)\\p{Ll}(?:\\.\\p{L}){1,3}',
  fr: 'MM|M(?:me|lle)s?|Mgr|Pr|Ste|[Bb]d|[Aa]v|ex',
  es: '(?:Sr|Srt|St|Dr|D\u00f1)a|Sr|Sres|Sto|Gral|Ing|Lic|EE|ej|[Aa]v(?:da)?',
};

/** @type {Map<string, RegExp>} */
const made = new Map();

/** The abbreviations of a language at the end of a text. @param {string} own  its code, or '' */
function goesOnIn(own) {
  const list = own ? OWN[own] ?? '(?!)' : Object.values(OWN).join('|');
  const pattern = made.get(list) ?? new RegExp(`(?:^|[^\\p{L}.])(?:${COMMON}|${list})\\.\\s*$`, 'u');
  made.set(list, pattern);
  return pattern;
}

/**
 * Abbreviations before a number, which are words elsewhere, of all languages: "no. 5", also one in Roman letters; and
 * "& Co." before "KG".
 */
const NUMBERED = new RegExp(`(?:^|[^\\p{L}.])(?:${[
  '[Nn][or]|[Ii]ncl|[Aa]rts?|[Ff]igs?|[Vv]ol|[Cc]h?ap|pp|Jan|Feb|Mar|Apr|Ju[nl]|Aug|Sept?|O[ck]t|Nov|De[cz]|Co',
  'app?rox|env|[UV]ds?',
  'Abb|Abs|Anm|Az|gest|Kap|Tab|max|mind?|[Tt][e\u00e9]l|\\p{L}*[Ss]tr|[Rr]\u00e9f|[Nn]\u00fams?|[Pp]\u00e1gs?',
  // days and months; at the beginning, as in forms
  'M[io]|D[io]|Fr|S[ao]|Mon|Tues?|Wed|Thu(?:rs)?|Fri|Sat|Sun|lun|jeu|ven|sam|dim|janv|f\u00e9vr|juil|d\u00e9c|dic|ene',
  '(?<!\\p{L}\\s)M(?:ax|ind?)',
].join('|')})\\.\\s*$`, 'u');
const NUMBER = /^(?:\d|KG|(?!I\s)[IVXL]+(?!\p{L}))/u;

/** A number that may be a German ordinal, "12.", and what may follow one: a month, another one, some nouns. */
const ORDINAL = /(?:^|[^\p{L}\p{N}.,:])\d{1,3}\.\s*$/u;
const COUNTED = new RegExp(
  '^(?:\\d{1,2}\\.|(?:Jan|Feb|Apr|Ju[nl]|Aug|Sept?|Okt|Nov|Dez)\\.|(?:Januar|J\u00e4nner|Februar|M\u00e4rz|April|Mai|' +
    'Ju[nl]i|August|September|Oktober|November|Dezember|(?:Lebens)?[Jj]ahr(?:hundert|tausend)?|Geburtstag|Weltkrieg|' +
    'Klasse|Stock|Etage|Platz|Mal|Tag|Woche|Monat|Kapitel|Teil|Runde|Minute|Advent)(?:e?s)?(?!\\p{L}))', 'u',
);
/** A number behind an article or "mein" is an ordinal; not that of "Montag, dem 12." */
const DEFINITE = new RegExp('(?:^|\\s)(?:d(?:ie|as|e[rs]|(?<!,\\s*d)e[mn])|im|zu[mr]|jede[rsn]?|' +
  '(?:[dkms]?ein|ihr|unser)(?:e[mnrs]?)?) \\d{1,3}\\.\\s*$', 'i');

/**
 * The same with a Roman number, as of kings, centuries and chapters, and words that begin the next sentence. Another
 * word with a capital may be a noun of the same sentence: to divide one is worse than to leave two together.
 */
const ROMAN = /(?:^|[^\p{L}.])[IVXL]{1,6}\.\s*$/u;
const BEGIN = new RegExp('^(?:A(?:ber|ls|m|n|u(?:ch|[fs]))|B(?:eim?|is)|D(?:a(?:bei|her|mals|nach|nn|s)?|e[mnrs]|' +
  'ie(?:se[mnrs]?)?|och|ort)|E(?:r|s|ine?[mnrs]?)|F\u00fcr|H(?:eute|ier)|I(?:ch|hre?[mnrs]?|[mn])|' +
  'J(?:a|ede[rs]?|etzt)|Keine?r?|M(?:an|it)|N(?:ach(?:dem)?|ein|icht|och|u[nr])|Ob(?:wohl)?|' +
  'S(?:chon|eine?[mnrs]?|eit|ie|o|p\u00e4ter)|U(?:m|nd|nter)|V(?:iele|o[nr])|W(?:ar|as|eil|enn|er|ie|ir|o)|' +
  'Zu[mr]?)(?!\\p{L})', 'u');

/**
 * Abbreviations of English that stand before a name or end a sentence, and words that begin the next one. Other words
 * with a capital count as names, as in "the U.S. Army".
 */
const OPEN = /(?:^|[^\p{L}.])(?:U\.[SKN]|E\.U|Inc|Corp|Ltd)\.\s*$/u;
const START = new RegExp('^(?:A(?:fter|l(?:l|so|though)|nd?|nother|re|[st])?|Be(?:cause|fore)|Both|But|By|Can|Could|' +
  'D(?:id|o(?:es)?n?)|Each|Even|Every(?:one)?|First|F(?:or|rom)|Ha[sd]|Have|He(?:re)?|Her|His|How(?:ever)?|' +
  'I[fnst]?|Instead|Its|La(?:st|ter)|Let|Many|May|M(?:rs?|s)|Most|My|Never|No[tw]?|On(?:e|ly)?|Other|Our|' +
  'People|Perhaps|Please|S(?:he|hould|ince|o|ome|till|uch)|Th(?:at|e|eir|e[ny]|ere|[eo]se|is|us)|To(?:day|morrow)?|' +
  'Two|Until|W(?:as|e|ere|hat|hen|here|hich|hile|ho|hy|ill|ith|ould)|Yes(?:terday)?|Your?)(?!\\p{L})', 'u');
/** A time of day in English, and what may follow one in the same sentence. */
const HALF_DAY = /\d\s?[ap]\.m\.\s*$/i;
const DAY = new RegExp('^(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:Janu|Febru)ary|March|April|May|June|July|' +
  'August|(?:Septem|Octo|Novem|Decem)ber|Eastern|Central|Mountain|Pacific|[ECMP][SD]?T|GMT|UTC)(?!\\p{L})', 'u');

/** The end of a quotation, or of what is in brackets: before small letters it is inside of the sentence. */
const QUOTED = /[!?\u2026]\s*["'\u2018\u2019\u201c\u201d\xab\xbb\u2039\u203a)\]]+[,;:]?\s*$/;
/** A closing mark behind a space, as French has it, with what ends the sentence. */
const CLOSING = /^[\xbb\u203a][.,;:!?)]*(?:\s+|$)/;

/** Characters that tell how a sentence ends: an abbreviation, or an ordinal with its article. */
const LONGEST = 24;

/**
 * Yields the sentences of a line.
 *
 * @param {Iterable<string>} segments  of Intl.Segmenter
 * @param {string} [language]  of the line, a tag; without one, the rules of all languages
 * @returns {Generator<string, void, void>}
 */
export function* joinSentences(segments, language = '') {
  const own = language.split('-')[0];
  const abbreviations = goesOnIn(own);
  const hasOrdinals = own === 'de' || own === '';
  const isEnglish = own === 'en' || own === '';
  /** Whether a sentence goes on. @param {string} end  of what comes before @param {string} next */
  const goesOn = (end, next) => abbreviations.test(end) || (NUMBERED.test(end) && NUMBER.test(next)) ||
    (hasOrdinals && ORDINAL.test(end) && (COUNTED.test(next) || (DEFINITE.test(end) && !BEGIN.test(next)))) ||
    (own === 'de' && ROMAN.test(end) && /^\p{Lu}/u.test(next) && !BEGIN.test(next)) ||
    (isEnglish && OPEN.test(end) && /^\p{Lu}/u.test(next) && !START.test(next)) ||
    (isEnglish && HALF_DAY.test(end) && DAY.test(next)) ||
    (QUOTED.test(end) && /^\p{Ll}/u.test(next));
  let [sentence, end] = ['', ''];
  for (const segment of segments) {
    const closing = (sentence && CLOSING.exec(segment)?.[0]) || '';
    const next = segment.slice(closing.length);
    sentence += closing;
    end += closing;
    if (sentence && !goesOn(end, next)) {
      yield sentence;
      [sentence, end] = ['', ''];
    }
    sentence += next;
    end = (end + next).slice(-LONGEST);
  }
  yield sentence;
}
