// abbreviations.js - joins what Intl.Segmenter divides inside of a sentence: behind abbreviations of English, German,
// French and Spanish, behind German ordinals, and behind quotations. Loaded by split.js for texts of more than one
// sentence.

/** A pattern for some abbreviations at the end of a text. @param {string} list  of them, as a pattern */
const atEnd = (list) => new RegExp(`(?:^|[^\\p{L}.])(?:${list})\\.\\s*$`, 'u');

/** Abbreviations of many languages before a name, a number or a noun, and initials of names, but not "I". */
const COMMON = 'Dr|Prof|St|cf|vs|(?<=\\bet )al|[Ee]\\.g|[Ii]\\.e|(?!I)\\p{L}';

/**
 * More of each language. A language without a list has only the common ones, because words of these lists end sentences
 * elsewhere. A text whose language is unknown has all of these and of OWN_NUMBERED.
 *
 * @type {Record<string, string>}
 */
const OWN = {
  en: 'M[rst]|Mrs|Messrs|a\\.k\\.a|Rev|Gen|Col|Capt|Maj|Lt|Sgt|Gov|Sen|Rep|Ft',
  de: 'Dipl|Hrn?|Fr|Fa|Nr|bzw|[Bb]zgl|[Cc]a|[Ee]inschl|[Ee]vtl|geb|[Gg]em|[Gg]gf|[Ii]nkl|[Ii]nsb|[Ll]t|med|' +
    '[Vv]gl|[Zz]zgl|[Zz]\\.B|[Dd]\\.h|sog',
  fr: 'MM|M(?:me|lle)s?|Mgr|Pr|Ste|[Bb]d|[Aa]v|p\\.ex|(?<=\\b(?:p\\.|par) |\\()ex',
  es: '(?:Sr|Srt|St|Dr|D\u00f1)a|Sr|Sres|Sto|Gral|Ing|Lic|EE|ej|[Aa]v(?:da)?',
};

/** Those before a number, which are words elsewhere: "no. 5". "Max." must begin the line, because Max is a name too. */
const NUMBERED = '[Nn]r|[Ii]ncl|Arts?|[Ff]igs?|Vol|Chap|pp|Jan|Feb|Apr|Ju[nl]|Aug|Sept?|Okt|Nov|Dez|Oct|Dec|' +
  '[Tt][e\u00e9]l|app?rox|(?<!\\p{L}\\s)M(?:ax|in)|m(?:ax|in)|[Nn]\u00fams?|[Pp]\u00e1gs?';
/**
 * More of each language, without words of the language. Days and months are among them; "& Co." stands before "KG".
 *
 * @type {Record<string, string>}
 */
const OWN_NUMBERED = {
  en: '[Nn]o|vol|Mar|Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|arts?',
  de: 'Abb|Abs|Anm|Az|gest|Kap|Tab|[Mm]ind|\\p{L}*[Ss]tr|M[io]|D[io]|S[ao]|Co',
  fr: 'arts?|chap|[Rr]\u00e9f|lun|ven|sam|dim|env|janv|f\u00e9vr|juil|d\u00e9c',
  es: 'arts?|[Cc]ap|vol|dic|ene',
};
const NUMBER = /^(?:\d|KG)/;
/** Those before a Roman number as well, and such a number: not "I" or "L\u2019". */
const CHAPTER = /(?:vol|ch?ap|art|kap|abb|tab)\.\s*$/i;
const ROMAN_NUMBER = /^(?!I[\s'\u2019])[IVXL]+(?![\p{L}'\u2019])/u;

/** @type {Map<string, RegExp>} */
const made = new Map();

/**
 * The abbreviations of a language at the end of a text.
 *
 * @param {string} common
 * @param {Record<string, string>} lists
 * @param {string} own  code of the language, or ''
 */
function endsIn(common, lists, own) {
  const list = `${common}|${own ? lists[own] ?? common : Object.values(lists).join('|')}`;
  const pattern = made.get(list) ?? atEnd(list);
  made.set(list, pattern);
  return pattern;
}

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
/** The same with a Roman number, as of kings, centuries and chapters. */
const ROMAN = atEnd('[IVXL]{1,6}');

/**
 * Abbreviations that stand before a noun or a name, or end a sentence: German ones of letters, such as "i.d.R.", but
 * not those that end a list or a remark; English ones, but not "I said No."
 *
 * @type {Record<string, RegExp>}
 */
const OPEN = {
  de: atEnd('Ing|Sog|(?!(?:s\\.[ou]|[ou]\\.\u00e4|u\\.(?:v\\.[am]|s\\.w|a\\.m)|o\\.k)\\.)\\p{Ll}(?:\\.\\p{L}){1,3}'),
  en: atEnd('U\\.[SKN]|E\\.U|Inc|Corp|Ltd|[SJ]r|(?<=\\p{Lu}\\p{L}* )No'),
};
/**
 * Words that begin the next sentence. Another word with a capital may be a noun or a name of the same one, as in "the
 * U.S. Army": to divide a sentence is worse than to leave two together.
 *
 * @type {Record<string, RegExp>}
 */
const BEGIN = {
  de: new RegExp('^(?:(?:All|Dies|Jed|Viel|Welch|(?:[DKMS]e|E)in|Ihr|Unser)(?:e[mnrs]?)?|A(?:ber|ls|m|n|' +
    'u(?:ch|[fs]|\u00dferdem))|B(?:eim?|is|itte)|D(?:a(?:bei|her|mals|mit|nach|nn|s|zu)?|e(?:[mnrs]|shalb)|ie|och|' +
    'ort)|E[rs]|F\u00fcr|H(?:eute|ier)|I(?:ch|[mn])|J(?:a|etzt)|M(?:an|it)|N(?:ach(?:dem)?|ein|icht|och|u[nr])|' +
    'Ob(?:wohl)?|S(?:chon|eit|ie|o|p\u00e4ter)|Trotzdem|U(?:m|nd|nter)|Vo[nr]|' +
    'W(?:\u00e4hrend|ar|as|eil|enn|er|ie|ir|o)|Zu[mr]?)(?![\\p{L}\\p{N}-])', 'u'),
  en: new RegExp('^(?:A(?:fter|l(?:l|so|though)|nd?|nother|re|[st])?|Be(?:cause|fore)|Both|But|By|Can|Could|' +
    'D(?:id|o(?:es)?n?)|Each|Even|Every(?:one)?|First|F(?:or|rom)|Ha[sd]|Have|He(?:re)?|Her|His|How(?:ever)?|' +
    'I[fnst]?|Instead|Its|La(?:st|ter)|Let|Many|May|M(?:rs?|s)|Most|My|Never|No[tw]?|On(?:e|ly)?|Other|Our|' +
    'People|Perhaps|Please|S(?:he|hould|ince|o|ome|till|uch)|Th(?:at|e|eir|e[ny]|ere|[eo]se|is|us)|To(?:day|morrow)?|' +
    'Two|Until|W(?:as|e|ere|hat|hen|here|hich|hile|ho|hy|ill|ith|ould)|Yes(?:terday)?|Your?)(?![\\p{L}\\p{N}-])', 'u'),
};
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
 * @param {string} [language]  of the line, a tag; without one, the abbreviations and the rules of English count, and
 *   German ordinals
 * @returns {Generator<string, void, void>}
 */
export function* joinSentences(segments, language = '') {
  const own = language.split('-')[0];
  const abbreviations = endsIn(COMMON, OWN, own);
  const numbered = endsIn(NUMBERED, OWN_NUMBERED, own);
  const isGerman = own === 'de';
  const isUnknown = own === '';
  /** Whether a sentence goes on. @param {string} end  of what comes before @param {string} next */
  const goesOn = (end, next) => abbreviations.test(end) ||
    (numbered.test(end) && (NUMBER.test(next) || (CHAPTER.test(end) && ROMAN_NUMBER.test(next)))) ||
    ((isGerman || isUnknown) && ORDINAL.test(end) &&
      (COUNTED.test(next) || (DEFINITE.test(end) && !BEGIN.de.test(next)))) ||
    (isGerman && (OPEN.de.test(end) || (ROMAN.test(end) && /^\p{Lu}/u.test(next))) && !BEGIN.de.test(next)) ||
    ((own === 'en' || isUnknown) && ((OPEN.en.test(end) && /^\p{Lu}/u.test(next) && !BEGIN.en.test(next)) ||
      (HALF_DAY.test(end) && DAY.test(next)))) ||
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
