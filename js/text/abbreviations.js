// abbreviations.js - joins what Intl.Segmenter divides inside of a sentence: behind abbreviations and ordinals of
// English, German, French and Spanish, and behind quotations. Loaded by split.js for texts of more than one sentence.

/** Abbreviations before a name, a number or a noun, and initials of names; "Serial No.", but not "No." alone. */
const GOES_ON = new RegExp(`(?:^|[^\\p{L}.])(?:${[
  'M[rst]|Mrs|[DSJ]r|Prof|Messrs|St|Rev|Gen|Col|Capt|Maj|Lt|Sgt|Gov|Sen|Rep|Ft|approx|al|vs|cf',
  'Hrn?|Fr|Fa|Nr|bzw|[Bb]zgl|[Cc]a|einschl|evtl|geb|[Gg]em|ggf|[Ii]nkl|insb|lt|med|sog|vgl|zzgl',
  '[zZ]\\.B|[dD]\\.h|u\\.a|[Ee]\\.g|[Ii]\\.e',
  'MM|M(?:me|lle)s?|Mgr|Pr|[Bb]d|env|ex',
  '(?:S|Sr|Srt|St|Dr|D\u00f1)a|Sres|Sto|[UV]ds?|Gral|Ing|Lic|EE|ej|aprox|[Aa]v(?:da)?',
  '(?<=[\\p{L}\\p{N}] )No|(?!I)\\p{L}',
].join('|')})\\.\\s*$`, 'u');

/** Abbreviations before a number, which are words elsewhere: "no. 5"; and "& Co." before "KG". */
const NUMBERED = new RegExp(`(?:^|[^\\p{L}.])(?:${[
  '[Nn]o|[Aa]rts?|[Ff]igs?|[Vv]ol|[Cc]hap|pp|Jan|Feb|Mar|Apr|Ju[nl]|Aug|Sept?|O[ck]t|Nov|De[cz]|Co',
  'Abb|Abs|Anm|Az|gest|Kap|Tab|max|mind?|[Tt][e\u00e9]l|\\p{L}*[Ss]tr|[Rr]\u00e9f|[Nn]\u00fams?|[Pp]\u00e1gs?',
].join('|')})\\.\\s*$`, 'u');
const NUMBER = /^(?:\d|KG)/;

/** A number that may be a German ordinal, "12.", and what may follow one: a month, another one, some nouns. */
const ORDINAL = /(?:^|[^\p{L}\p{N}.,:])\d{1,3}\.\s*$/u;
const COUNTED = new RegExp(
  '^(?:(?:Jan(?:uar)?|J\u00e4nner|Feb(?:ruar)?|M\u00e4rz|Apr(?:il)?|Mai|Ju[nl]i|Aug(?:ust)?|Sept?(?:ember)?|' +
    'Okt(?:ober)?|Nov(?:ember)?|Dez(?:ember)?)(?!\\p{L})|\\d{1,2}\\.|Jahr|Lebensjahr|Geburtstag|Weltkrieg|Klasse|' +
    'Stock|Etage|Platz|Mal|Tag|Woche|Monat|Kapitel|Teil|Runde|Minute|Advent)', 'u',
);
/** Behind an article it is one. */
const DEFINITE = /(?:^|\s)(?:d(?:ie|as|e[rnms])|im|zu[mr]|jede[rsn]?) \d{1,3}\.\s*$/i;

/** The end of a quotation, or of what is in brackets: before small letters it is inside of the sentence. */
const QUOTED = /[!?\u2026]\s*["'\u2018\u2019\u201c\u201d\xab\xbb\u2039\u203a)\]]+[,;:]?\s*$/;
/** A closing mark behind a space, as French has it, with what ends the sentence. */
const CLOSING = /^[\xbb\u203a][.,;:!?)]*(?:\s+|$)/;

/** Characters that tell how a sentence ends: an abbreviation, or an ordinal with its article. */
const LONGEST = 24;

/** Whether a sentence goes on. @param {string} end  of what comes before @param {string} next */
const goesOn = (end, next) => GOES_ON.test(end) || (NUMBERED.test(end) && NUMBER.test(next)) ||
  (ORDINAL.test(end) && (COUNTED.test(next) || DEFINITE.test(end))) || (QUOTED.test(end) && /^\p{Ll}/u.test(next));

/**
 * Yields the sentences of a line.
 *
 * @type {import('./sentences.js').Join}
 */
export function* joinSentences(segments) {
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
