// make.js - from a corpus to a model directory: tokenizer, training in rounds, mean of the last snapshots, int8,
// scores, heed.json. What `make model` runs.
//
// Everything under way is in --work and nothing is done twice: started again, it goes on. A round leaves a model that
// can be used, in WORK/round; the one with the best BLEU on the held-out pairs is kept in OUT.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { convert } from '../../../js/convert/convert.js';
import { Transformer } from '../../../js/index.js';
import { bleu, chrf } from '../../../tests/score/score.js';
import { readCorpus, trainingLines } from './corpus.js';

const HELP = `usage: node src/train/model/make.js --pair en-de --data DIR [options]
  DIR has en-de.train.tsv.gz and en-de.dev.tsv.gz; for de-en the same files serve, turned round
  --out DIR          the model directory (WORK/model)       --work DIR         (build/models/PAIR)
  --minutes N        of training in all (150)               --round N          minutes between scores (15)
  --patience N       stop after so many rounds without a better score (4)
  --vocabulary N     pieces (8000)                          --threads N        (all processors)
  --set KEY=NUMBER   of config.json, any number of times    --seed N           (1)
  -- OPTIONS         for heed-train
`;

/** What is said of a corpus, by its label. @type {Record<string, Record<string, string>>} */
const SOURCES = {
  tatoeba: {
    name: 'Tatoeba, as distributed by manythings.org/anki',
    license: 'CC-BY-2.0-FR',
    attribution: 'tatoeba.org and www.manythings.org/anki',
  },
  'mlqe-pe': { name: 'MLQE-PE en-de, post-edited', license: 'CC0-1.0' },
};

/** @param {string} message @returns {never} */
function fail(message) {
  console.error(`make model: ${message}`);
  process.exit(1);
}

/** @param {string} program @param {string[]} list */
function run(program, list) {
  const { status, error } = spawnSync(program, list, { stdio: 'inherit' });
  if (error) fail(`${program}: ${error.message}`);
  if (status !== 0) fail(`${program} ended with ${status}`);
}

/**
 * heed-train's defaults, and what config.json says beside.
 *
 * @param {number} vocabulary
 * @param {Record<string, number>} set
 */
function makeConfig(vocabulary, set) {
  return {
    architectures: ['MarianMTModel'],
    model_type: 'marian',
    d_model: 256,
    encoder_layers: 3,
    decoder_layers: 3,
    encoder_attention_heads: 4,
    decoder_attention_heads: 4,
    encoder_ffn_dim: 1024,
    decoder_ffn_dim: 1024,
    activation_function: 'relu',
    static_position_embeddings: true,
    normalize_before: false,
    normalize_embedding: false,
    add_final_layer_norm: false,
    scale_embedding: true,
    share_encoder_decoder_embeddings: true,
    tie_word_embeddings: true,
    is_encoder_decoder: true,
    use_cache: true,
    vocab_size: vocabulary,
    decoder_vocab_size: vocabulary,
    max_position_embeddings: 512,
    pad_token_id: 0,
    unk_token_id: 1,
    eos_token_id: 2,
    bos_token_id: 2,
    decoder_start_token_id: 0,
    forced_eos_token_id: null,
    dropout: 0.1,
    attention_dropout: 0.0,
    activation_dropout: 0.0,
    ...set,
  };
}

/** @param {Transformer} model @param {import('./corpus.js').Pair[]} pairs */
function translate(model, pairs) {
  const sources = pairs.map(({ source }) => model.tokenizer.encode(source).ids);
  return model
    .generate(sources, { beams: 1, maxTokens: 128, batchSize: 32 })
    .map(([best]) => model.tokenizer.decode(best.ids));
}

async function main() {
  const split = process.argv.indexOf('--');
  const [own, forTrainer] =
    split < 0 ? [process.argv.slice(2), []] : [process.argv.slice(2, split), process.argv.slice(split + 1)];
  const { values } = parseArgs({
    args: own,
    options: {
      pair: { type: 'string' },
      data: { type: 'string' },
      out: { type: 'string' },
      work: { type: 'string' },
      minutes: { type: 'string', default: '150' },
      round: { type: 'string', default: '15' },
      patience: { type: 'string', default: '4' },
      vocabulary: { type: 'string', default: '8000' },
      threads: { type: 'string' },
      set: { type: 'string', multiple: true, default: [] },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean' },
    },
  });
  if (values.help || !values.pair || !values.data) {
    console.error(HELP);
    process.exit(values.help ? 0 : 2);
  }
  const [source, target] = values.pair.split('-');
  const { data, pair } = values;
  const work = values.work ?? join('build/models', pair);
  const out = values.out ?? join(work, 'model');
  const file = (/** @type {string} */ part, /** @type {string} */ name) => join(data, `${name}.${part}.tsv.gz`);
  const swap = !existsSync(file('train', pair));
  const corpus = swap ? `${target}-${source}` : pair;
  if (!existsSync(file('train', corpus))) fail(`${file('train', pair)} is missing, and so is ${file('train', corpus)}`);
  mkdirSync(work, { recursive: true });

  const train = readCorpus(file('train', corpus), swap);
  const dev = readCorpus(file('dev', corpus), swap);
  const [lines, held, spm] = [join(work, 'train.tsv'), join(work, 'dev.tsv'), join(work, 'spm.model')];
  if (!existsSync(lines)) {
    writeFileSync(held, dev.map((p) => `${p.source}\t${p.target}\n`).join(''));
    writeFileSync(
      lines,
      trainingLines(train, Number(values.seed))
        .map((line) => `${line}\n`)
        .join(''),
    );
  }
  if (!existsSync(spm)) {
    const text = join(work, 'spm.txt');
    writeFileSync(text, train.map((p) => `${p.source}\n${p.target}\n`).join(''));
    // unknown characters are spelled in bytes: what the vocabulary lacks can still be copied
    run('spm_train', [
      `--input=${text}`,
      `--model_prefix=${join(work, 'spm')}`,
      `--vocab_size=${values.vocabulary}`,
      '--model_type=unigram',
      '--character_coverage=0.9999',
      '--byte_fallback=true',
      '--pad_id=0',
      '--unk_id=1',
      '--eos_id=2',
      '--bos_id=-1',
      '--pad_piece=<pad>',
      '--num_threads=1',
      '--minloglevel=1',
    ]);
    rmSync(text);
  }

  const set = Object.fromEntries(
    values.set.map((text) => {
      const [key, value] = text.split('=');
      return [key, Number(value)];
    }),
  );
  const pieces = readFileSync(join(work, 'spm.vocab'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t')[0]);
  const dropout = forTrainer.indexOf('--dropout');
  const config = makeConfig(pieces.length,
    { ...(dropout < 0 ? {} : { dropout: Number(forTrainer[dropout + 1]) }), ...set });
  const json = (/** @type {unknown} */ value) => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
  const small = {
    'config.json': json(config),
    'generation_config.json': json({
      bad_words_ids: [[config.pad_token_id]],
      decoder_start_token_id: config.decoder_start_token_id,
      eos_token_id: config.eos_token_id,
      pad_token_id: config.pad_token_id,
      max_length: config.max_position_embeddings,
      num_beams: 1,
    }),
    'source.spm': readFileSync(spm),
    'target.spm': readFileSync(spm),
    'vocab.json': Buffer.from(JSON.stringify(Object.fromEntries(pieces.map((piece, id) => [piece, id])))),
  };
  const options = [
    '--train',
    lines,
    '--dev',
    held,
    '--spm',
    spm,
    '--out',
    join(work, 'run'),
    '--seed',
    values.seed,
    ...(values.threads ? ['--threads', values.threads] : []),
    ...values.set.flatMap((text) => ['--config', text]),
    ...forTrainer,
  ];

  /** The model of what training has so far, in WORK/round, and its scores. */
  async function finish() {
    const [float, round] = [join(work, 'float'), join(work, 'round')];
    const log = readFileSync(join(work, 'run/log.tsv'), 'utf8').trim().split('\n').at(-1)?.split('\t') ?? [];
    const labels = [...new Set(train.map(({ label }) => label))];
    const manifest = {
      format: 1,
      name: pair,
      source,
      target,
      parameters: 0,
      dtype: 'float32',
      license: 'CC-BY-2.0-FR',
      data: labels.map((label) => ({
        ...(SOURCES[label] ?? { name: label }),
        pairs: train.filter((p) => p.label === label).length,
      })),
      training: {
        with: 'heed-train',
        minutes: Math.round(Number(log[4]) / 60),
        steps: Number(log[1]),
        epochs: Number(log[2]) + 1,
        tokens: Number(log[3]),
        seed: Number(values.seed),
        options: [...values.set, ...forTrainer],
      },
      scores: {},
    };
    mkdirSync(float, { recursive: true });
    for (const [name, bytes] of Object.entries({ ...small, 'heed.json': json(manifest) }))
      writeFileSync(join(float, name), bytes);
    cpSync(join(work, 'run/model.safetensors'), join(float, 'model.safetensors'));
    rmSync(round, { recursive: true, force: true });
    await convert(float, round, { dtype: 'int8' });

    const model = await Transformer.load(round);
    const translations = translate(model, dev);
    const references = dev.map((p) => p.target);
    const figures = { bleu: bleu(translations, references).score, chrf2: chrf(translations, references).score };
    const written = JSON.parse(readFileSync(join(round, 'heed.json'), 'utf8'));
    written.parameters = model.info.parameters;
    const rounded = (/** @type {number} */ n) => Math.round(n * 10) / 10;
    written.scores = {
      [`${corpus}.dev`]: {
        sentences: dev.length,
        beams: 1,
        bleu: rounded(figures.bleu),
        chrf2: rounded(figures.chrf2),
      },
    };
    model.dispose();
    writeFileSync(join(round, 'heed.json'), json(written));
    writeFileSync(join(work, 'dev.hyp'), translations.map((line) => `${line}\n`).join(''));
    return figures;
  }

  const scores = join(work, 'scores.tsv');
  if (!existsSync(scores)) writeFileSync(scores, 'minutes\tbleu\tchrf2\n');
  const past = readFileSync(scores, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t').map(Number));
  const [total, length] = [Number(values.minutes), Number(values.round)];
  while (past.length === 0 || (past.at(-1)?.[0] ?? 0) < total) {
    const minutes = Math.min(total, (past.at(-1)?.[0] ?? 0) + length);
    run('build/heed-train', [...options, '--minutes', String(minutes)]);
    const figures = await finish();
    const best = Math.max(-1, ...past.map(([, score]) => score));
    past.push([minutes, figures.bleu, figures.chrf2]);
    writeFileSync(scores, `minutes\tbleu\tchrf2\n${past.map((row) => `${row.join('\t')}\n`).join('')}`);
    console.log(
      `${minutes} minutes: BLEU ${figures.bleu.toFixed(1)}, chrF2 ${figures.chrf2.toFixed(1)} on ${dev.length} pairs`,
    );
    if (figures.bleu > best) cpSync(join(work, 'round'), out, { recursive: true });
    const since = past.length - 1 - past.findIndex(([, score]) => score === Math.max(...past.map(([, s]) => s)));
    if (since >= Number(values.patience)) break;
  }
  console.log(`${out}: BLEU ${Math.max(...past.map(([, score]) => score)).toFixed(1)}`);
}

await main();
