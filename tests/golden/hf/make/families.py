"""
Small M2M-100, NLLB, mBART-50, T5, T5 v1.1, mT5 and ByT5 directories and what transformers does with them.

    python families.py NAME            with transformers 4.57: it still has the tokenisers over SentencePiece and unties T5
    python families.py NAME OUT        only the golden files, into another folder, to compare versions (.. = in place)
"""

import shutil
import sys
from pathlib import Path

import torch
import transformers
from safetensors.torch import save_file
from transformers import (
    ByT5Tokenizer, LogitsProcessorList, M2M100Config, M2M100ForConditionalGeneration, M2M100Tokenizer, MBart50Tokenizer, MBartConfig,
    MBartForConditionalGeneration, MT5Config, MT5ForConditionalGeneration, NllbTokenizer, T5Config,
    T5ForConditionalGeneration, T5Tokenizer)

from transformers.models.m2m_100.tokenization_m2m_100 import FAIRSEQ_LANGUAGE_CODES

from common import GOLDEN, Noise, corpus, seed, train, train_spm, with_small_charsmap, write_json, write_lines

FAMILIES = GOLDEN / 'families'
TEXTS = [
    'Hello.', 'Where is the station?', 'The kitchen is small.', 'She has never been to Spain.',
    'We have been waiting for the bus since half past eight, but it has not come yet.', 'Save changes',
    'I would like to book a table for two, please.', 'Good morning! How are you today?',
    'If it rains tomorrow, we will stay at home.', 'Xylophone 42 % qwz?',
]
EDGES = ['', ' ', '  two  blanks  ', 'a\u00a0b', 'e\u0301t\u00e9', 'ﬁnd ½', '日本語', '😀 ok', 'tab\tand\nline', '</s> typed', '<unk>', '▁x']
M2M_CODES = {'en': 'en', 'de': 'de', 'fr': 'fr', 'es': 'es'}
NLLB_CODES = {'en': 'eng_Latn', 'de': 'deu_Latn', 'fr': 'fra_Latn', 'es': 'spa_Latn'}
MBART_CODES = {'en': 'en_XX', 'de': 'de_DE', 'fr': 'fr_XX', 'es': 'es_XX'}
TASKS = {'de': 'translate English to German: ', 'fr': 'translate English to French: ', 'es': 'translate English to Spanish: '}


def lines(rows):
    return [cell for row in rows for cell in row]


# ---------------------------------------------------------------- directories

def m2m(directory, rows):
    """M2M-100: ids from vocab.json by piece, then 100 language tokens, then 8 made-up words."""
    model = train_spm(directory / 'sentencepiece.bpe.model', lines(rows), 400, 'bpe', 'identity')
    pieces = sorted((model.IdToPiece(i) for i in range(3, model.GetPieceSize())), key=lambda p: (len(p), p))
    write_json(directory / 'vocab.json', {p: i for i, p in enumerate(['<s>', '<pad>', '</s>', '<unk>'] + pieces)})
    # transformers means to add the language tokens as special ones and does not; the files of the hub name them
    tokenizer = M2M100Tokenizer(str(directory / 'vocab.json'), str(directory / 'sentencepiece.bpe.model'),
                                additional_special_tokens=[f'__{code}__' for code in FAIRSEQ_LANGUAGE_CODES['m2m100']])
    config = M2M100Config(vocab_size=len(pieces) + 4 + 100 + 8, d_model=48, encoder_layers=3, decoder_layers=2,
                          encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=96, decoder_ffn_dim=80,
                          max_position_embeddings=128, encoder_layerdrop=0.0, decoder_layerdrop=0.0)
    net = M2M100ForConditionalGeneration(config)
    net.generation_config.max_length = 60
    net.generation_config.num_beams = 5
    net.generation_config.early_stopping = True
    return net, tokenizer, M2M_CODES


def nllb(directory, rows):
    """NLLB: id = SentencePiece id + 1, languages behind the pieces, <mask> last, two spare rows."""
    train_spm(directory / 'sentencepiece.bpe.model', lines(rows), 400, 'bpe', 'identity')
    tokenizer = NllbTokenizer(str(directory / 'sentencepiece.bpe.model'))
    config = M2M100Config(vocab_size=len(tokenizer) + 2, d_model=32, encoder_layers=2, decoder_layers=2,
                          encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64,
                          max_position_embeddings=128, encoder_layerdrop=0.0, decoder_layerdrop=0.0)
    net = M2M100ForConditionalGeneration(config)
    net.generation_config.max_length = 60
    return net, tokenizer, NLLB_CODES


def mbart50(directory, rows):
    """mBART-50: as NLLB with 52 languages; learned positions, normalised embeddings, gelu, a logit bias."""
    train_spm(directory / 'sentencepiece.bpe.model', lines(rows), 400, 'unigram', 'identity')
    tokenizer = MBart50Tokenizer(str(directory / 'sentencepiece.bpe.model'))
    config = MBartConfig(vocab_size=len(tokenizer), d_model=32, encoder_layers=2, decoder_layers=2,
                         encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64,
                         max_position_embeddings=128, scale_embedding=True, decoder_start_token_id=2, forced_eos_token_id=2)
    net = MBartForConditionalGeneration(config)
    net.generation_config.max_length = 60
    net.generation_config.num_beams = 5
    net.generation_config.early_stopping = True
    net.generation_config.forced_eos_token_id = 2
    return net, tokenizer, MBART_CODES


T5_IDS = {'pad_id': 0, 'eos_id': 1, 'unk_id': 2, 'bos_id': -1, 'pad_piece': '<pad>'}


def t5(directory, rows):
    """T5 v1.0: tied and scaled, relu, heads * d_kv is not d_model, three decoder layers to two encoder layers."""
    train_spm(directory / 'spiece.model', lines(rows) + list(TASKS.values()) * 50, 400, 'unigram', 'nmt_nfkc', **T5_IDS)
    with_small_charsmap(directory / 'spiece.model')
    tokenizer = T5Tokenizer(str(directory / 'spiece.model'), extra_ids=100, legacy=True)
    config = T5Config(vocab_size=512, d_model=48, d_kv=16, d_ff=96, num_layers=2, num_decoder_layers=3, num_heads=4,
                      decoder_start_token_id=0, feed_forward_proj='relu', tie_word_embeddings=True,
                      task_specific_params={f'translation_en_to_{k}': {'early_stopping': True, 'max_length': 300, 'num_beams': 4,
                                                                       'prefix': v} for k, v in TASKS.items()})
    net = T5ForConditionalGeneration(config)
    net.generation_config.max_length = 60
    return net, tokenizer, None


def t5v11(directory, rows):
    """T5 v1.1: a head of its own and no scaling, gated gelu."""
    train_spm(directory / 'spiece.model', lines(rows) + list(TASKS.values()) * 50, 400, 'unigram', 'identity', **T5_IDS)
    tokenizer = T5Tokenizer(str(directory / 'spiece.model'), extra_ids=100, legacy=True)
    config = T5Config(vocab_size=512, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, decoder_start_token_id=0,
                      feed_forward_proj='gated-gelu', tie_word_embeddings=False)
    net = T5ForConditionalGeneration(config)
    net.generation_config.max_length = 60
    return net, tokenizer, None


def mt5(directory, rows):
    """mT5: byte pieces for what the vocabulary lacks; no sentinels; heads * d_kv is less than d_model."""
    train_spm(directory / 'spiece.model', lines(rows) + list(TASKS.values()) * 50, 560, 'unigram', 'identity',
              byte_fallback=True, **T5_IDS)
    tokenizer = T5Tokenizer(str(directory / 'spiece.model'), extra_ids=0, legacy=True)
    config = MT5Config(vocab_size=576, d_model=32, d_kv=4, d_ff=64, num_layers=2, num_heads=6, decoder_start_token_id=0,
                       feed_forward_proj='gated-gelu', tie_word_embeddings=False, tokenizer_class='T5Tokenizer')
    net = MT5ForConditionalGeneration(config)
    net.generation_config.max_length = 60
    return net, tokenizer, None


def byt5(directory, rows):
    """ByT5: ids are UTF-8 bytes + 3; three encoder layers to one decoder layer."""
    tokenizer = ByT5Tokenizer()
    config = T5Config(vocab_size=384, d_model=32, d_kv=8, d_ff=64, num_layers=3, num_decoder_layers=1, num_heads=4,
                      decoder_start_token_id=0, feed_forward_proj='gated-gelu', tie_word_embeddings=False)
    net = T5ForConditionalGeneration(config)
    net.generation_config.max_length = 120
    return net, tokenizer, None


MAKERS = {'m2m100': m2m, 'nllb': nllb, 'mbart50': mbart50, 't5': t5, 't5-v1.1': t5v11, 'mt5': mt5, 'byt5': byt5}
SEEDS = {name: 21 + i for i, name in enumerate(MAKERS)}
STEPS = {'m2m100': 1500, 'nllb': 700, 'mbart50': 800, 't5': 1200, 't5-v1.1': 800, 'mt5': 800, 'byt5': 500}


def pairs_of(tokenizer, codes, rows):
    """Training pairs; the target of a many-to-many model begins with its language."""
    pairs = []
    names = ['en', 'de', 'fr', 'es']
    for n, row in enumerate(rows):
        if codes:
            for k in range(4):
                to = (k + 1 + n % 3) % 4
                tokenizer.src_lang = codes[names[k]]
                tokenizer.tgt_lang = codes[names[to]]
                pairs.append((tokenizer(row[k]).input_ids, tokenizer(text_target=row[to]).input_ids))
        else:
            to = n % 3 + 1
            pairs.append((tokenizer(TASKS[names[to]] + row[0]).input_ids, tokenizer(row[to]).input_ids))
    return [(s, t) for s, t in pairs if len(s) <= 120 and len(t) <= 120]


def make(name):
    directory = FAMILIES / name
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    seed(SEEDS[name])
    rows = [r for r in corpus() if max(map(len, r)) <= 50]
    if name == 'byt5':
        rows = [r for r in rows if max(map(len, r)) <= 24]
    model, tokenizer, codes = MAKERS[name](directory, rows)
    config = model.config
    train(model, pairs_of(tokenizer, codes, rows), STEPS[name], start=config.decoder_start_token_id, pad=config.pad_token_id,
          batch=32, rate=4e-3)
    with torch.no_grad():
        if hasattr(model, 'final_logits_bias'):  # zero in the real files; here it says something
            model.final_logits_bias.normal_(0, 0.3)
        if codes:
            model.model.shared.weight[config.pad_token_id] = 0
    if name == 'm2m100':
        model.save_pretrained(directory, max_shard_size='320KB')
    else:
        model.save_pretrained(directory, safe_serialization=name != 't5')
    if codes:
        tokenizer.src_lang = codes['en']
    tokenizer.save_pretrained(directory)
    if name in ('nllb', 't5'):  # what the hub has beside the SentencePiece model
        from transformers.convert_slow_tokenizer import convert_slow_tokenizer
        convert_slow_tokenizer(tokenizer).save(str(directory / 'tokenizer.json'), pretty=False)
    print(name, sum(p.numel() for p in model.parameters()), 'parameters', file=sys.stderr)


# ---------------------------------------------------------------- golden files

def load(name):
    directory = FAMILIES / name
    model = (M2M100ForConditionalGeneration if name in ('m2m100', 'nllb') else MBartForConditionalGeneration if name == 'mbart50'
             else MT5ForConditionalGeneration if name == 'mt5' else T5ForConditionalGeneration)
    model = model.from_pretrained(directory, attn_implementation='eager').eval()
    tokenizer = {'m2m100': M2M100Tokenizer, 'nllb': NllbTokenizer, 'mbart50': MBart50Tokenizer,
                 'byt5': ByT5Tokenizer}.get(name, T5Tokenizer).from_pretrained(directory)
    codes = {'m2m100': M2M_CODES, 'nllb': NLLB_CODES, 'mbart50': MBART_CODES}.get(name)
    return model, tokenizer, codes


def language_id(tokenizer, code):
    return tokenizer.get_lang_id(code) if hasattr(tokenizer, 'get_lang_id') else tokenizer.convert_tokens_to_ids(code)


def tokens(name, tokenizer, codes):
    for text in TEXTS + EDGES:
        record = {'text': text}
        if codes:
            for k in ('en', 'de'):
                tokenizer.src_lang = codes[k]
                record[codes[k]] = tokenizer(text).input_ids
            tokenizer.src_lang, tokenizer.tgt_lang = codes['en'], codes['fr']
            record['as_target'] = {codes['fr']: tokenizer(text_target=text).input_ids}
            ids = record[codes['en']]
        else:
            ids = record['ids'] = tokenizer(text).input_ids
            record['with_task'] = tokenizer(TASKS['de'] + text).input_ids
        record['decoded'] = tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        yield record


def sources_of(tokenizer, codes):
    """(text, source ids, language to force): targets in turns."""
    for n, text in enumerate(TEXTS):
        to = ['de', 'fr', 'es'][n % 3]
        if codes:
            tokenizer.src_lang = codes['en']
            yield text, tokenizer(text).input_ids, codes[to], language_id(tokenizer, codes[to])
        else:
            yield TASKS[to] + text, tokenizer(TASKS[to] + text).input_ids, None, None


def generate(model, source, noise=False, **settings):
    if noise:
        settings['logits_processor'] = LogitsProcessorList([Noise()])
    if getattr(model.config, 'num_decoder_layers', 0) > getattr(model.config, 'num_layers', 0):
        settings['use_cache'] = False  # transformers makes a cache of as many layers as the encoder has, and fails
    with torch.no_grad():
        out = model.generate(input_ids=torch.tensor([source]), return_dict_in_generate=True, output_scores=True, **settings)
    eos = model.generation_config.eos_token_id
    results = []
    for r, row in enumerate(out.sequences.tolist()):
        if getattr(out, 'beam_indices', None) is not None:
            length = int((out.beam_indices[r] >= 0).sum())
        else:
            ends = [i for i in range(1, len(row)) if row[i] == eos]
            length = (ends[0] if ends else len(row) - 1)
        result = {'ids': row[:1 + length]}
        if getattr(out, 'sequences_scores', None) is not None:
            result['score'] = float(out.sequences_scores[r])
        results.append(result)
    return results


def cases(model, tokenizer, codes):
    for line, (text, source, code, token) in enumerate(sources_of(tokenizer, codes)):
        forced = {'forced_bos_token_id': token} if codes else {}
        listed = [('greedy', {'num_beams': 1}), ('beams-4', {'num_beams': 4, 'num_return_sequences': 4, 'early_stopping': False}),
                  ('defaults', {})]
        if line < 4:
            listed += [('beams-4-length-penalty-2', {'num_beams': 4, 'length_penalty': 2.0, 'early_stopping': False}),
                       ('repetition-1.5', {'num_beams': 1, 'repetition_penalty': 1.5}),
                       ('no-repeat-2', {'num_beams': 4, 'no_repeat_ngram_size': 2, 'early_stopping': False}),
                       ('max-new-tokens-5', {'num_beams': 4, 'max_new_tokens': 5, 'early_stopping': False}),
                       ('begin-suppress', {'num_beams': 1, 'begin_suppress_tokens': [5, 6, 7, 8, 9, 10]})]
            if codes:
                listed += [('language-as-prefix', {'num_beams': 4, 'early_stopping': False, 'num_return_sequences': 4,
                                                   'decoder_input_ids': [model.config.decoder_start_token_id, token]}),
                           ('no-language', {'num_beams': 1, 'forced_bos_token_id': None})]
        for case, settings in listed:
            given = {**({} if 'decoder_input_ids' in settings else forced), **settings}
            call = dict(given)
            if 'decoder_input_ids' in call:
                call['decoder_input_ids'] = torch.tensor([call['decoder_input_ids']])
            outputs = generate(model, source, **call)
            for output in outputs:
                output['text'] = tokenizer.decode(output['ids'], skip_special_tokens=True, clean_up_tokenization_spaces=False)
            record = {'case': case, 'line': line, 'text': text, 'source': source, 'settings': given, 'outputs': outputs}
            if code:
                record['language'] = code
            if [o['ids'] for o in generate(model, source, noise=True, **call)] != [o['ids'] for o in outputs]:
                record['fragile'] = True
            yield record


def tensors(model, tokenizer, codes, name):
    out, checks = {}, []
    is_t5 = hasattr(model, 'encoder') and hasattr(model.encoder, 'block')
    encoder = model.get_encoder()
    for line, (text, source, code, token) in enumerate(sources_of(tokenizer, codes)):
        with torch.no_grad():
            hidden = encoder(torch.tensor([source])).last_hidden_state[0]
        checks.append({'line': line, 'source': source, 'sum': float(hidden.double().sum()),
                       'abs_sum': float(hidden.double().abs().sum()), 'first': hidden[0, :4].tolist()})
        if line not in {'t5': (0, 1, 6), 'byt5': (0,)}.get(name, (0, 1)):
            continue
        settings = {'forced_bos_token_id': token} if codes else {}
        target = generate(model, source, num_beams=1, **settings)[0]['ids'][1:][:20]
        with torch.no_grad():
            forced = model(input_ids=torch.tensor([source]), use_cache=False, output_attentions=True,
                           decoder_input_ids=torch.tensor([[model.config.decoder_start_token_id] + target[:-1]]))
        key = f'line{line}'
        out[f'{key}.source'] = torch.tensor(source, dtype=torch.int32)
        out[f'{key}.target'] = torch.tensor(target, dtype=torch.int32)
        out[f'{key}.encoder_last_hidden_state'] = forced.encoder_last_hidden_state[0]
        out[f'{key}.logits'] = forced.logits[0]
        for part in ('encoder_attentions', 'decoder_attentions', 'cross_attentions'):
            out[f'{key}.{part}'] = torch.stack([layer[0] for layer in getattr(forced, part)])
    if name in ('t5', 'm2m100'):  # beyond max_distance, and beyond max_position_embeddings
        parts = [source for _, source, _, _ in sources_of(tokenizer, codes)]
        ids = parts[0][:1] + [i for part in parts * 3 for i in part[1:-1]][:148] + [model.config.eos_token_id]
        with torch.no_grad():
            out['long.source'] = torch.tensor(ids, dtype=torch.int32)
            out['long.encoder_last_hidden_state'] = encoder(torch.tensor([ids])).last_hidden_state[0]
    if is_t5:
        for side, stack in (('encoder', model.encoder), ('decoder', model.decoder)):
            attention = stack.block[0].layer[0].SelfAttention
            with torch.no_grad():
                out[f'position_bias.{side}'] = attention.compute_bias(24, 24)[0]
    return {k: v.detach().contiguous() for k, v in out.items()}, checks


def buckets():
    """relative_position_bucket of transformers, key minus query from -600 to 600."""
    from transformers.models.t5.modeling_t5 import T5Attention
    positions = torch.arange(-600, 601)
    table = {}
    for count, longest in ((32, 128), (32, 64), (16, 128), (64, 256), (32, 20)):
        for both in (True, False):
            values = T5Attention._relative_position_bucket(positions, both, count, longest)
            table[f'{count},{longest},{"encoder" if both else "decoder"}'] = values.tolist()
    return table


def main():
    name = sys.argv[1]
    if len(sys.argv) == 2:
        make(name)
    out = Path(sys.argv[2]) / name if len(sys.argv) > 2 and sys.argv[2] != '..' else FAMILIES / name
    out.mkdir(parents=True, exist_ok=True)
    model, tokenizer, codes = load(name)
    write_lines(out / 'tokenizer.jsonl.gz', tokens(name, tokenizer, codes))
    write_lines(out / 'cases.jsonl.gz', cases(model, tokenizer, codes))
    values, checks = tensors(model, tokenizer, codes, name)
    save_file(values, out / 'golden.safetensors')
    write_lines(out / 'lines.jsonl.gz', checks)
    if name == 't5':
        record = {'positions': [-600, 600], 'of': 'num_buckets,max_distance,side', **buckets()}
        write_lines(out / 'buckets.json.gz', [record])
    print(name, 'by transformers', transformers.__version__)


if __name__ == '__main__':
    main()
