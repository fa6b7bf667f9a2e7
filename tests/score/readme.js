// readme.js - what models/README.md says, from the models themselves: their manifests, what they make of the sentences
// of samples.json and of letter.tsv, and the outputs that are kept. Used by models.test.js, which compares; run by
// itself, it writes the file.
//
//     node tests/score/readme.js
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Translator } from '../../js/index.js';
import { KEPT } from './copy.js';
import { LANGUAGES, listDirections, readTable, weightsOf } from './directions.js';

const models = new URL('../../models/', import.meta.url);
const json = (/** @type {URL} */ url) => JSON.parse(readFileSync(url, 'utf8'));
/** The same for every model, written before any of them, in nobody's training data. */
const samples = json(new URL('samples.json', import.meta.url));
const [, ...letter] = readTable(fileURLToPath(new URL('letter.tsv', import.meta.url)));
const names = new Intl.DisplayNames('en', { type: 'language' });
const number = (/** @type {number} */ n) => n.toLocaleString('en');

/** Every shipped model: where it is, and what its files say. */
export const shipped = [...new Set(json(new URL('index.json', models)).models.map((/** @type {any} */ m) => m.path))]
  .map((path) => {
    const url = new URL(path, models);
    const [manifest, config] = ['heed.json', 'config.json'].map((name) => json(new URL(name, url)));
    return { url, path: path.replace(/\/$/, ''), manifest, config };
  });

const HEAD = `# The shipped model

\`de-en-es-fr\` is one model for English, German, French and Spanish in all twelve directions. Its directory has the
layout that Hugging Face uses for Pegasus and MarianMT, plus \`heed.json\`, a manifest with pairs of languages, licence,
corpora, time and tokens of training, scores, and size and sha256 of every file. \`index.json\` lists the directory of
each pair: \`Translator.create({ sourceLanguage, targetLanguage, models: 'models/index.json' })\` looks there, and so
does the command line. The other directories have no model: their \`heed.json\` names this one.

A source begins with the token of its target language, \`>>de<<\`, as in OPUS-MT's models of many languages; Translator
adds it. One vocabulary of unigram pieces is shared by all languages and by the output. Positions are sinusoids, sin
half | cos half. Weights are int8 rows with F32 scales.

\`lexicon.bin\` has translations of words that were rare in training, from English and to English; between the others
English stands in the middle. Translator makes them more probable where the head that aligns reads such a word.
\`ngrams.bin\` says which pieces of a language follow each other; of several hypotheses it puts first what people write.
\`lexicon: false\` and \`ngrams: false\` go without. "The lexicon" and "N-grams" below say what these gain.
`;

/** The share of the phrases that are right, as phrases.js has written its outputs. @param {string} direction */
function rightOf(direction) {
  const [, ...rows] = readTable(fileURLToPath(new URL(`outputs/${direction}.tsv`, import.meta.url)));
  return `${Math.round((100 * rows.filter(([isRight]) => isRight === 'yes').length) / rows.length)} %`;
}

const [toGerman, toFrench, toSpanish, fromGerman, fromFrench, fromSpanish] =
  ['en-de', 'en-fr', 'en-es', 'de-en', 'fr-en', 'es-en'].map(rightOf);

const SCORES = `
BLEU and chrF2 as sacreBLEU defines them (13a), on held-out sentences of the same sources: with the model's own search,
three beams, its lexicon, its n-grams and reranking, in int8 as shipped, each line as one sentence. \`make score\`
measures them again. There is one reference per sentence, and sentences are short: the figures compare models with each
other, not with other tables. Sets that begin with \`docs\` are documentation, web pages and law. "By way of English" is
the same model in two steps.

The six models of one direction each that it replaces have, with greedy search, 36.0, 44.3, 44.0 BLEU from English to
German, French and Spanish, and 44.1, 55.7, 53.7 to English; chrF2 56.3, 62.9, 63.5 and 60.6, 69.1, 67.7; on
documentation 6.7 to 8.2 BLEU. They have read the everyday sentences ten times and more, and this one about ten times.

Search has three beams by default, in the page, on the command line and in the API, as \`generation_config.json\` says. On
the first 700 sentences of six sets (en-fr, en-es, es-en, fr-en, de-fr, docs-en-de), 2, 3 and 4 beams gained 1.2, 1.7
and 1.8 BLEU and took 1.6, 2.0 and 2.6 times the time of the processor. \`beams: 1\` is greedy search, whose streams come
word by word.

Beside that of English to German, with three beams instead of greedy search, the median of five processes in turns, in
time of the processor on two cores of an AMD EPYC of 2024: 295 ms to load instead of 171, 594 words a second instead of
2,143 line by line, and 652 instead of 3,303 in one call; 99.7 MB of memory instead of 58.7. Without reranking it is 792
and 939 words a second, and 79.8 MB. With the weights before, n-grams took 7 and 6 % of these speeds, 88 ms and 5.6 MB:

    git archive 3a93dce models/en-de | tar -x -C build
    node tests/bench/directories.js build/models/en-de models/de-en-es-fr --rounds 5 \\
      --lines ../shared/data/en-de.dev.tsv.gz

Of 300 phrases (\`tests/score/phrases.tsv\`), ${toGerman} are right from English to German, ${toFrench} to French and
${toSpanish} to Spanish, ${fromGerman} from German, ${fromFrench} from French and ${fromSpanish} from Spanish: as one of
the answers that were written down before. None of them is in a corpus, but many sentences of this kind are
(\`src/train/model/sentences/\`): 124 of the 300 share three quarters of their English words, articles and pronouns
aside, with a line there. Of these 81.0 % are right, on average of the six directions, and of the others 77.7 %; with
weights that had read no such line, without n-grams, 57.4 % and 57.2 %. The phrases have also chosen the weights of the
lexicon, of the n-grams and of reranking, and what the shipped weights are a mean of. The words and phrases that people
type first, such as "How are you?", are in the corpora (\`src/train/model/first.tsv\`), as a model that people use
should know them.
`;

const LEXICON = `
### The lexicon

\`lexicon.bin\` has 129,442 pairs. Of these, 107,800 are of words that heed-align linked alone, at least twice, in the
corpora of training: words that have such links fifty times at most, with the translations that have a share of 30 % or
more in all of their forms, such as "agrio" and "agria". A form with a tenth of the links may have been linked once.
9,600 are of several words that are linked to each other in three everyday sentences or more, such as "town hall", and
12,000 are nouns of the dictionary with their articles, which tell the gender. In each step 35 % of the probability that
the aligning head gives to such a word goes to how the lexicon translates it, 58 % where such a translation has begun;
the model has the rest (after Arthur, Neubig and Nakamura 2016). Where several forms can go on, the lexicon adds
nothing, and the model chooses. A word with a capital inside a sentence may be a name, and is left to the model.

The first lexicons were measured on the first 300 sentences of eight sets (en-de, de-en, en-fr, es-en, de-fr, fr-es,
docs-en-de, docs-es-en), and on the phrases of six directions, with the weights that were shipped first:

| lexicon | BLEU, chrF2 of the sets | phrases |
|---|---|---|
| none | 42.5, 62.8 | 46.4 % |
| with a weight of 0.3 | 43.1, 63.7 | 51.6 % |
| 0.4 | 43.2, 63.9 | 52.9 % |
| 0.5 | 43.2, 64.1 | 53.0 % |
| 0.65 | 43.1, 64.1 | 52.8 % |
| 0.5, words with 300 links at most | 43.1, 64.2 | 51.3 % |
| 0.5, of all documentation: 115,073 pairs, 3.2 MB | 43.1, 63.9 | 53.0 % |
| **0.5, and 0.75 where a translation has begun; no names** | 43.4, 64.3 | 53.0 % |

Several words and articles came later; they were measured on the first 250 sentences of eleven sets (these eight, en-es,
fr-en, es-de):

| lexicon | BLEU, chrF2 of the sets | phrases |
|---|---|---|
| single words | 44.0, 64.2 | 53.2 % |
| and several words | 44.0, 64.2 | 53.8 % |
| and articles | 44.0, 64.3 | 54.3 % |
| without several words beside which a word has no link | 44.0, 64.2 | 53.9 % |
| **with both articles of a noun, and no word after one that it cannot follow** | 44.0, 64.2 | 54.1 % |

The last two rows do without pairs such as "able to remember" and "incapable de me rappeler", whose "not" had no link.
The next rows have the weights of the run of 57.5 M tokens, the three after them those of the run after it, and the last
three 0.85 of the last run and 0.15 of what was shipped before:

| lexicon | BLEU, chrF2 of the sets | phrases |
|---|---|---|
| as in the last row above | 45.0, 64.8 | 57.3 % |
| with all forms of a word, and the links of \`sentences/\` | | 57.9 % |
| and the model chooses where several forms can go on | 45.0, 64.8 | 58.2 % |
| weights from near the end of the last run | 45.1, 64.8 | 72.3 % |
| with a weight of 0.35 | 45.2, 64.7 | 73.0 % |
| with a weight of 0.25 | 45.2, 64.6 | 73.1 % |
| as in the last row but one | 45.9, 65.3 | 73.7 % |
| **with the links of all lines of \`sentences/\`, and words with 50 links at most** | 45.8, 65.1 | 73.8 % |
| with a weight of 0.25 | 45.7, 65.0 | 73.5 % |

Words with 100 links would have made the directory larger than 16 MB, when its lines were not packed.

With the weights shipped first and no lexicon, BLEU of the sets in the order above was 36.9, 45.1, 45.3, 45.9, 37.9,
39.1, 56.2, 39.6, 42.8, 54.9, 37.7, 42.2, and on documentation 32.4, 38.5, 44.1, 38.8, 40.2, 43.2 (\`tests/score/dev.js
--no-lexicon\`). The model was too small, and its training too short, for rare words: of the English phrases with a word
that occurs less than 30 times in everyday sentences and phrases, it had 17 of 73 right in German, of the others 107 of
227. \`node src/train/model/lexicon.js --work WORK --out lexicon.tsv\` makes the lines; \`make model\` does it too, and
packs them.
`;

const NGRAMS = `
### N-grams

\`ngrams.bin\` has 1.72 million n-grams of two to four pieces, 430,000 of each language, from 397,000 English, 317,000
German, 303,000 French and 263,000 Spanish texts of training, of which 40,000 each are documentation. They are those
without which these texts would be least probable. None has a digit: with digits, up to 2 % fewer of the numbers were
right in Spanish. A hypothesis is ranked by its log-probability and 0.15 of the sum of what its n-grams gain, each
against the probability of the piece alone, so that rare words and names do not count as bad. The model has read these
texts too, but only a few times, and it is small. Of the 300 phrases 99 were wrong in German, and for 63 of these a right
answer was at most 1 below in log-probability.

Measured on the first 250 sentences of ten sets (en-de, en-fr, en-es, de-en, fr-en, es-en, de-fr, es-de, docs-en-de,
docs-fr-en), and on the phrases of six directions, before the n-grams with digits were left out:

| n-grams | BLEU, chrF2 of the sets | phrases |
|---|---|---|
| none | 45.5, 65.0 | 73.2 % |
| with a weight of 0.08 | 46.2, 65.1 | 75.2 % |
| 0.12 | 46.2, 65.1 | 75.6 % |
| 0.16 | 45.9, 64.9 | 75.2 % |
| 0.2 | 45.7, 64.8 | 75.0 % |

With the weights of now, and three hypotheses reranked, 0.12 had 46.8, 65.7 and 78.7 %, and 0.15, which is the default,
47.0, 65.8 and 78.9 %.

Without documentation among the texts, phrases had 76.3 %, but documentation lost 0.9 BLEU from English to German on 400
lines, and gained 1.0 with 60,000 texts of it. A million n-grams of a language, which would take 7 MB, had 78.1 % on four
of the directions, where 420,000 had 76.8 %. If gains are rounded to 1, the same bytes have room for 420,000 n-grams, and
phrases had 76.3 %; if they are rounded to 0.5, for 380,000, with 75.5 %. With 250,000 phrases had 75.1 %, or 74.3 % if
gains only change how the probabilities of a step are shared. With four beams instead of three they have 76.0 %.

N-grams of classes say more than those of pieces, but do not fit. Of the eight best hypotheses into German, those of up
to six of 256 classes, as exchange makes them (Martin, Liermann, Ney 1998, "Algorithms for bigram and trigram word
clustering"), chose a right one for 74.3 % of the phrases if all were kept, 8 million; the shipped n-grams of pieces
chose it for 70.0 %. As many as fit into the same bytes, 540,000, had 72.5 %, and into English, French and Spanish 0.4 %
more than pieces on average. With reranking both were equal. \`node src/train/model/ngrams.js --work WORK --out
ngrams.bin\` makes the file; \`make model\` does it too.

### Reranking

The model translates both ways, so it also says how probable the source is as a translation of each hypothesis (Yee,
Dauphin, Auli 2019, "Simple and Effective Noisy Channel Modeling for Neural Machine Translation"). \`"reverse": 0.3\` in
\`heed.json\` lets a \`Translator\` compare the best two so, unless the score of the second is 0.08 or more below the
first, for sources of up to 32 tokens. On the ten sets above and the phrases:

| reranked | BLEU, chrF2 of the sets | phrases |
|---|---|---|
| nothing | 46.9, 65.6 | 77.8 % |
| **two hypotheses, up to 32 tokens, at most 0.08 apart** | 47.0, 65.8 | 79.1 % |
| three, up to 24 tokens, at most 0.15 apart | 47.0, 65.8 | 78.9 % |

The last line took more time for it: 455 words a second instead of 729 line by line, where it is 594 of 792 now. With a
slightly other mean of weights, 0.2, 0.3 and 0.45 had 46.8, 46.7 and 46.6 BLEU there, 65.7 chrF2 each, and 78.8, 78.7
and 78.8 % of the phrases. Comparing eight hypotheses instead of three gained nothing. Reranking also by translations
into the two other languages gained another 0.9 % of the phrases, for about three times the passes, so it is not done.
`;

const CONFIDENCE = `
ECE is the expected calibration error of \`confidence\`, in ten bins: its mean distance from the share of words that the
reference has. The numbers in \`heed.json\` were fitted to every second sentence of the sets and measured on the others.
The ECE of p, the product of the probabilities of a word's tokens, is the error without calibration. Both are of the
probabilities of the model with its lexicon, for translations that its n-grams and reranking have helped to choose.
\`node src/train/model/calibrate.js --data ../shared/data\` measures it again.
`;

const TRAINING = `
## Training

\`heed-train\` trained it from random weights, with products in bf16. The first three runs used two cores of an AMD EPYC,
the next four two of an Intel Xeon with AMX, those after them the EPYC again, and the last five a newer EPYC. Each run
began with the weights of the run before, and the last five with those shipped before them:

| target tokens | rate | softmax over | dropout | everyday sentences, phrases, words |
|---|---|---|---|---|
| 21.4 M | 0.002 and falling, after 1,000 steps of warm-up | all words | 0.05 | 68 % of the tokens |
| 24.1 M | 0.0009 to 0.0006 | 2,560 words | 0 | 80 % |
| 23.9 M | 0.0007 to 0, half a cosine | 2,560 words | 0 | 75 % |
| 18.5 M | 0.001 to 0.00003, most of half a cosine | 2,560 words | 0 | 75 % |
| 8.9 M | 0.00067 to 0.00039 | 2,560 words | 0 | 75 % |
| 4.9 M | 0.0007 to 0.00055 | 2,560 words | 0 | 72 %, and 3 % with times of day |
| 11.1 M | 0.0006 to 0, half a cosine | 2,560 words | 0 | 74 %, then 71 % and 8 % with times of day |
| 13.2 M | 0.0006, then 0.0003, to 0 | 2,560 words | 0 | 82 %, a quarter of them made by the model |
| 11.3 M | 0.0008 to 0, half a cosine | 2,560 words | 0 | 74 %, a tenth of them made by the model |
| 9.9 M | 0.0007 to 0.00027 | 2,560 words | 0 | 74 %, and 3 % with times of day |
| 21.4 M | 0.0007 to 0, half a cosine | 2,560 words | 0 | 61 %, 5 % with times of day, 3 % with dates; documentation 23 % |
| 17.7 M | 0.0007 to 0, half a cosine | 2,560 words | 0 | 57 %, 5 % with times of day, 3 % with dates, 6 % with invented names; documentation 21 % |
| 10.1 M | 0.0007 to 0, half a cosine | 2,560 words | 0 | 52 %, 4 % with times of day, 3 % with dates, 5 % with invented names, 10 % with rare nouns; documentation 19 % |
| 24.6 M | 0.0008 to 0, half a cosine | 2,560 words | 0 | 62 % (sentences 37 %, phrases 17 %, words 8 %); 3 % with times of day, 2 % with dates, 4 % with invented names; documentation 17 % |
| 57.5 M | 0.001 to 0, half a cosine, with Muon | 2,560 words | 0 | the same |
| 60.8 M | 0.001 to 0, half a cosine, with Muon | 2,560 words | 0 | at the end 72 % (sentences 25 %, \`sentences/\` 30 %, phrases 12 %, words 5 %); 2 % with times of day, 1 % with dates, 3 % with invented names; documentation 12 % |
| 44.1 M | 0.001 to 0, half a cosine, with Muon | 2,560 words | 0 | 74 % (sentences 24 %, \`sentences/\` 32 %, phrases 11 %, words 7 %); 2 % with times of day, 1 % with dates, 5 % with invented names; documentation 11 % |
| 51.9 M | 0.001 to 0, half a cosine, with Muon | 2,560 words | 0 | 74 % (sentences 24 %, \`sentences/\` 32 %, phrases 11 %, words 6 %); 2 % with times of day, 1 % with dates, 6 % with invented names; documentation 13 % |

Before the run of 13.2 M tokens and the one after it, the model of the run before made the sources of about 90,000 pairs
without English; before the first of them also, with four beams, 90,700 targets of pairs with English (sequence-level
interpolation, Kim and Rush 2016). Before the run of 24.6 M it made the sources of 72,000 pairs. The commands of these,
and of the last run, whose shares \`recipe.js\` has:

    node src/train/model/pivot.js --data ../shared/data --model DIR --out WORK --count 16000 --seed 7
    node src/train/model/distil.js --data ../shared/data --model DIR --out WORK --count 16000 --docs 3000
    make model MODEL='--start DIR -- --batch 8192 --rate 0.001 --warmup 100 --schedule cosine --total 6300 --replace 0.5 \\
      --invent 0.6 --optimizer muon'

DIR has the weights shipped before; \`make model\` alone begins anew. The shipped weights are 0.85 of the end of the
last run and 0.15 of what was shipped before it. Those were 0.95 of the end of the run of 44.1 M tokens and 0.05 of 0.85
of the end of the run of 60.8 M tokens and 0.15 of what was shipped before that, which was 0.85 of the end of the run of
57.5 M tokens and 0.15 of a mean: half of the run of 24.6 M tokens, and half of a mean of the ends of three runs, 0.6 of
that of 17.7 M tokens, which is a mean itself, 0.25 of that of 10.1 M, and 0.15 of that of 21.4 M. Invented names are
made of the words that a model translates. When they came, 90 to 91 % of the names in the 500 sentences came from German
into the others, without \`keep\`; before it was 85 to 88 %. What was measured on the way:

- Sentences that people say, written for training in all four languages (\`src/train/model/sentences/\`), taught more than
  anything else here. The run of 60.8 M tokens had none in its first 1,500 steps. Then they came as they were written,
  6,000 lines at first and 55,581 at the end, with 21 to 30 % of the tokens. In 48 M tokens the share of the phrases
  that are right rose from 58.2 to 72.8 %; the mean negative log-probability of eight sets was 1.192 instead of 1.188.
  Shipped were 0.85 of that run: 71.9 % and 1.180. The names became fewer, 91 % instead of 92 % from German into
  Spanish, because fewer tokens had names. "Berthe Lindemans" in the letter below
  came out wrong in five directions.
- The last run read all 100,344 lines. The mean negative log-probability of the eight sets fell from 1.169 to 1.151 at
  its end, and with 0.15 of the weights before to 1.145. Of the phrases 77.8 and 78.1 % are right then, with n-grams and
  without reranking, where it was 75.7 %; with 0.05 of the weights before, 78.4 %. In the means of the 18 sets that is,
  with reranking, 45.8 BLEU and 65.6 chrF2 instead of 45.2 and 65.2.
- The run of 44.1 M tokens began with 66,696 such lines; 14,800 more came after 1,400 steps, and 7,100 of prose after
  3,780. At its end 73.4 % of the phrases are right, and the eight sets have 1.172. With 0.15 of the weights before,
  these are 73.8 % and 1.165, but only 89 % of the names come from German into French; with 0.05, as was shipped, 73.2
  %, 1.169 and 90 %. On the first 250 sentences of eleven sets that is 0.6 BLEU more than before. What got worse: BLEU
  by 1.2 from French to German, 0.7 from German to Spanish, 0.4 from French to English, and of documentation 0.5 between
  English and German and 0.6 into Spanish. "Berthe Lindemans" is right only into English. "Buy bread" is "Kugelbrot",
  and was "Gutes Brot": short imperatives without an article are rare in what it has read. \`notes.tsv\` has such lines,
  and came later.
- This model still learns from everything that it reads. Before the last run the mean negative log-probability of a
  token from English to German was 1.13 on lines of \`sentences/\` that it had read, and 1.00 on 563 lines of
  \`vocabulary.tsv\` that it had not; on everyday sentences it was 1.11 and 1.31. So it is short of training, or too
  small, rather than short of lines.
- The targets of the beams did not make greedy search better: at its end the run of 13.2 M tokens was 0.1 BLEU below the
  model before on the pairs with English, and 0.8 above on those without, on the same sentences. Numbers and names
  gained 1 to 5 points.
- Nouns of sentences replaced by rare ones of the dictionary, of the same gender and number in all languages, did not
  teach the model rare nouns, so \`prepare.js\` does not do it. At the end of the run of 10.1 M tokens, a tenth of them in
  such sentences, 37 % of the phrases were right from English to German instead of 41 %, and BLEU was 0.8 to 1.1 lower
  on the first 300 sentences of three sets without English and of three of documentation. In a mean with the weights
  before, nothing of that is left.
- With more phrases and words, the run of 24.6 M tokens had 47.3 % of the phrases right at its end, on average of the
  six directions, instead of 45.6 %, and 0.8 BLEU less on the first 300 everyday sentences of the pairs with English.
  The mean of both has 46.4 % and, on all of these sentences, 0.2 BLEU more than before; without English 0.1 less; on
  documentation 0.4 more from English, and 1.0 less to it.
- A run that begins with weights that were shipped and ends soon makes them worse: after 10 M target tokens, with Adam
  at a rate of 0.0008 to 0, the mean negative log-probability of eight sets rose from 1.229 to 1.276, and the phrases
  fell to 44.9 %. A mean of both gains nothing. At a rate of 0.00005 it still was 1.234 after 1.2 M tokens. The run of
  57.5 M tokens from the same weights with Muon fell to 1.193, and its mean with them has 1.188. On the first 250
  sentences of eleven sets that is 1.0 BLEU more (44.0 to 45.0), and of the phrases 57.3 % are right instead of 54.1 %.
- Muon instead of Adam for the matrices of projections (\`--optimizer muon\`): on the same batches the loss was 0.025
  lower from the 200th to the 600th step, and then that of eighteen sets 0.007 on average. A step takes 15 % longer with
  4,096 tokens. The last four runs were with Muon, the others with Adam.
- A shortlist of 40 candidates for each piece and language, with the 1,500 most frequent words of each, takes 15 to 24 %
  less time at the same BLEU (-0.25 to +0.10 on four sets). It would be a file of 3.1 MB beside 11.3, so none is
  shipped. With 200 frequent words it takes 23 to 41 % less time, and 0.1 to 0.7 BLEU are lost on three of the four.

- One model learns faster than six. Its perplexity on everyday sentences of the pairs with English was 7.4 after 8.3 M
  target tokens for all twelve directions. Six models of one direction each had 23 to 34 after 15 M tokens each.
- Norms before the sublayers allow twice the rate with a third of the warm-up. After 4.1 M tokens the perplexity was
  13.1. With norms after the sublayers it was 41.5.
- The softmax over the words of a batch and others drawn at random makes training 1.46 times as fast, 4,350 tokens a
  second instead of 2,980, and the perplexity falls along the same curve.
- With AMX, in batches of 4,096 tokens, it is 7,790 tokens a second on two cores with nothing beside it; on two cores of
  an EPYC of 2024, whose products in bf16 have 512 bits, 11,000.

What single options gain, on one pair: models from English to German, trained for fifteen minutes of both cores of the
EPYC, which is half an hour of processor and 3.9 M target tokens, with greedy search in int8. Speeds of the same options
differ by as much as these between two runs, so all trials have the same number of steps:

| option | tokens a second | BLEU, chrF2 | documentation | numbers | names |
|---|---|---|---|---|---|
| plain | 4,389 | 22.9, 44.9 | 13.2, 41.1 | 77.5 % | 65.0 % |
| guided alignment | 4,475 | 24.2, 46.4 | 15.5, 44.0 | 84.2 % | 65.0 % |
| names and numbers replaced | 4,730 | 22.4, 45.2 | 13.9, 41.4 | 84.8 % | 58.3 % |
| noise on the source | 4,681 | 22.8, 45.3 | 13.4, 42.4 | 80.1 % | 56.4 % |
| subword sampling of both sides | 4,499 | 8.0, 25.9 | 3.0, 21.3 | 39.2 % | 0.0 % |
| mean of the weights | 4,664 | 24.7, 47.3 | 15.2, 43.9 | 87.1 % | 66.9 % |
| another seed | 4,571 | 22.9, 45.4 | 13.1, 41.2 | 71.9 % | 62.0 % |
| neighbours joined | 4,521 | 22.2, 44.6 | 12.7, 40.7 | 73.7 % | 46.6 % |
| dropout of attention 0.1 | 4,890 | 23.1, 45.3 | 13.6, 41.6 | 78.4 % | 68.7 % |
| corpora by their size | 4,587 | 19.2, 42.1 | 17.0, 46.2 | 69.3 % | 40.5 % |

    node src/train/model/trials.js --data ../shared/data --only plain --only 'guided alignment' ...

One other seed changed BLEU by 0.1, numbers by six points and names by three, so smaller differences may be chance.
Guided alignment and the mean of the weights gain most, and \`make model\` uses both. Replaced names and numbers gain
numbers. Noise gains nothing here: it teaches what these sets do not ask, such as curly quotes. Dropout of attention
gains 0.4 BLEU of documentation and four points of names, which may be chance. Subword sampling, p ~ exp(0.2 score), is
far too random for a short training, and \`make model\` does without. Joining a tenth of the neighbours costs names; the
shipped weights were trained so. heed divides texts into sentences, so \`make model\` joins them with probability 0.02
now, which was not measured. With corpora by their size more than half of the text is documentation, which gains 3.8
BLEU; everyday sentences lose as much, and names lose 24 points.
`;

const licences = [...new Set(shipped.map(({ manifest }) => manifest.license))].join(', ');

const ON_A_GPU = `
### On a GPU

\`src/train/gpu\` trains the same model in PyTorch, with the same corpora and shares; \`recipe.js\` has the options that
differ. With \`--exact\` its losses are those of heed-train. The shipped weights were not trained so. For a machine
without a network, \`--pack\` writes one file of 59 MB with all that \`train.py\` reads. The last two commands are for that
machine, which has \`src/train/gpu\` and a Python with torch, numpy, sentencepiece and safetensors; PYTHON names such a
one here:

    node src/train/model/make.js --data ../shared/data --start models/de-en-es-fr --pack run.pack
    python3 src/train/gpu/pack.py --unpack run.pack work
    python3 src/train/gpu/train.py @work/options --out work/run --minutes 8

The rate falls to 0 by the end of \`--minutes\` (\`--total 0\`). One core of the EPYC prepares 120,000 target tokens a
second. A GPU needs about ten such cores.
`;

const LICENCE = `
## Data and licence

The weights and the vocabulary have the strictest licences of their data, ${licences}:
name the attributions when you pass them on. The MIT licence of the code does not cover the model directory.
`;

/** @param {string[]} cells */
const row = (cells) => `| ${cells.join(' | ')} |\n`;

/** A table. @param {string[]} head @param {string[][]} rows */
const table = (head, rows) => `${row(head)}|${'---|'.repeat(head.length)}\n${rows.map(row).join('')}`;

/** @param {{ bleu: number, chrf2: number }} figures */
const show = ({ bleu, chrf2 }) => `${bleu.toFixed(1)}, ${chrf2.toFixed(1)}`;

function modelTable() {
  return table(['model', 'weights', 'shape', 'training', 'ECE (of p)'], shipped.map(({ path, manifest, config: c }) => {
    const { minutes, epochs, tokens, machine } = manifest.training;
    const [ece, uncalibrated] = [manifest.confidence.ece, manifest.confidence.uncalibrated].map((x) =>
      (100 * x).toFixed(1));
    return [
      path, `${(manifest.files['model.safetensors'].size / 1e6).toFixed(1)} MB`,
      `${c.encoder_layers} + ${c.decoder_layers} layers, d_model ${c.d_model}, ` +
        `feed-forward ${number(c.encoder_ffn_dim)}, ${c.encoder_attention_heads} heads, ` +
        `${c.normalize_before ? 'pre' : 'post'}-norm, ${c.activation_function}, ${number(c.vocab_size)} pieces`,
      `${minutes} min, ${epochs ? `${epochs} epochs, ` : ''}${(tokens / 1e6).toFixed(1)} M target tokens` +
        (machine ? `, ${machine}` : ''),
      `${ece} % (${uncalibrated} %)`,
    ];
  }));
}

function scoreTable() {
  const sets = shipped.flatMap(({ path, manifest }) =>
    Object.entries(manifest.scores).map(([set, s]) => ({ path, set, s })));
  const hasPivot = sets.some(({ s }) => s.pivot);
  return table(['model', 'set', 'sentences', 'BLEU, chrF2', ...(hasPivot ? ['by way of English'] : [])],
    sets.map(({ path, set, s }) =>
      [path, set, number(s.sentences), show(s), ...(hasPivot ? [s.pivot ? show(s.pivot) : ''] : [])]));
}

/** What copy.js --write has kept of each direction: nothing, if there is no such file. */
function copyText() {
  if (!existsSync(KEPT.path)) return '';
  const [, ...rows] = readTable(KEPT.path);
  const cells = shipped.flatMap(({ path, manifest }) => listDirections(manifest).map((direction) => {
    const weights = weightsOf(fileURLToPath(new URL('index.json', models)), direction);
    return [path, direction, ...['off', 'on'].flatMap((keep) => {
      const row = rows.find((each) => each[0] === direction && each[1] === keep && each[2] === weights);
      if (!row) {
        throw new Error(`${KEPT.path}: expected ${direction} with keep ${keep} and the weights ${weights}: ` +
          `run node tests/score/copy.js --keep ${keep} --write`);
      }
      const [, , , numbers, , ...kept] = row;
      return [numbers, ...kept].map((percent) => `${percent} %`);
    })];
  }));
  const kinds = ['numbers', 'names', 'addresses, codes'];
  return `
Of 500 sentences (\`tests/score/copy\`), the numbers that are as in the reference, and the names, addresses and codes
that are kept, without \`keep\` and with it:

${table(['model', 'direction', ...kinds, ...kinds.map((kind) => `${kind}, with \`keep\``)], cells)}`;
}

const dataTable = () => table(['model', 'corpus', 'pairs', 'licence'], shipped.flatMap(({ path, manifest }) =>
  manifest.data.map((/** @type {any} */ { name, pairs, license, attribution }) =>
    [path, name, pairs ? number(pairs) : '', license + (attribution ? `, attribution: ${attribution}` : '')])));

/**
 * A direction of a model: what it makes of the samples and of the letter.
 *
 * @param {URL} url  of the model
 * @param {string} direction
 */
async function showDirection(url, direction) {
  const [source, target] = direction.split('-');
  const translator = await Translator.create({ sourceLanguage: source, targetLanguage: target, model: url });
  const translated = async (/** @type {string[]} */ texts) => {
    const translations = await translator.translate(texts);
    return table([from, to], texts.map((text, i) => [text, translations[i]]));
  };
  const [from, to] = [source, target].map((tag) => names.of(tag) ?? tag);
  const text = `\n### ${from} to ${to}\n\n${await translated(samples[source])}\nThe letter:\n\n` +
    `${await translated(letter.map((line) => line[LANGUAGES.indexOf(source)]))}`;
  translator.destroy();
  return text;
}

/** The whole file. @returns {Promise<string>} */
export async function makeReadme() {
  const copied = copyText();
  const tables = [];
  for (const { url, manifest } of shipped)
    for (const direction of listDirections(manifest)) tables.push(await showDirection(url, direction));
  return `${HEAD}
## Models

${modelTable()}${CONFIDENCE}
## Scores

${scoreTable()}${SCORES}${copied}${LEXICON}${NGRAMS}
## Samples

Translations of the same twenty sentences and of a business letter in each direction. The texts were written for this
page before the model was trained; none was left out.
${tables.join('')}${TRAINING}${ON_A_GPU}${LICENCE}
${dataTable()}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('README.md', models), await makeReadme());
}
