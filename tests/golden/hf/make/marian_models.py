"""
Three small MarianMT directories in the layout of OPUS-MT, taught for a minute or two on data/phrases.

    python marian_models.py opus | untied | multi
"""

import json
import sys

import torch
from safetensors.torch import save_file
from transformers import MarianConfig, MarianMTModel

from common import GOLDEN, LANGUAGES, corpus, seed, train, train_spm, without_charsmap, write_json

CODES = {'en': '>>eng<<', 'de': '>>deu<<', 'fr': '>>fra<<', 'es': '>>spa<<'}


def vocabulary(path, pieces):
    table = {piece: i for i, piece in enumerate(pieces)}
    write_json(path, table)
    return table


def joint_pieces(*models, extra=()):
    """</s>, <unk>, then every piece of the models once, then the extra ones, then <pad>: as OPUS-MT has it."""
    pieces = ['</s>', '<unk>']
    for model in models:
        for i in range(model.GetPieceSize()):
            piece = model.IdToPiece(i)
            if piece not in ('<unk>', '<s>', '</s>') and piece not in pieces:
                pieces.append(piece)
    return pieces + list(extra) + ['<pad>']


def encoder(model, table):
    return lambda text: [table.get(piece, 1) for piece in model.encode(text, out_type=str)] + [0]


def hub_config(vocabulary_size, target_size, **changes):
    """config.json as the hub has it (transformers 4.2x wrote these; generation settings are in both files there)."""
    pad = target_size - 1
    config = {
        'activation_dropout': 0.0,
        'activation_function': 'swish',
        'add_bias_logits': False,
        'add_final_layer_norm': False,
        'architectures': ['MarianMTModel'],
        'attention_dropout': 0.0,
        'bad_words_ids': [[pad]],
        'bos_token_id': 0,
        'classifier_dropout': 0.0,
        'd_model': 64,
        'decoder_attention_heads': 4,
        'decoder_ffn_dim': 128,
        'decoder_layerdrop': 0.0,
        'decoder_layers': 2,
        'decoder_start_token_id': pad,
        'decoder_vocab_size': target_size,
        'dropout': 0.1,
        'encoder_attention_heads': 4,
        'encoder_ffn_dim': 128,
        'encoder_layerdrop': 0.0,
        'encoder_layers': 2,
        'eos_token_id': 0,
        'forced_eos_token_id': 0,
        'init_std': 0.02,
        'is_encoder_decoder': True,
        'max_length': 64,
        'max_position_embeddings': 128,
        'model_type': 'marian',
        'normalize_before': False,
        'normalize_embedding': False,
        'num_beams': 4,
        'num_hidden_layers': 2,
        'pad_token_id': pad,
        'scale_embedding': True,
        'share_encoder_decoder_embeddings': True,
        'static_position_embeddings': True,
        'torch_dtype': 'float32',
        'transformers_version': '4.22.0.dev0',
        'use_cache': True,
        'vocab_size': vocabulary_size,
    }
    return {**config, **changes}


def generation_config(config, **changes):
    keys = [
        'bad_words_ids',
        'bos_token_id',
        'decoder_start_token_id',
        'eos_token_id',
        'forced_eos_token_id',
        'max_length',
        'num_beams',
        'pad_token_id',
    ]
    values = {key: config[key] for key in keys}
    values['renormalize_logits'] = True
    values['transformers_version'] = '4.32.0.dev0'
    return {**values, **changes}


def build(config):
    """The model of a hub config; generation settings are read from generation_config.json, never from here."""
    keys = ['bad_words_ids', 'max_length', 'num_beams', 'forced_eos_token_id', 'torch_dtype', 'transformers_version']
    return MarianMTModel(MarianConfig(**{k: v for k, v in config.items() if k not in keys}))


def finish(model, directory, config, generation, source_language, target_language, bias, separate=False, kind='bin'):
    with torch.no_grad():
        model.final_logits_bias[0, : len(bias)] = bias.detach()
        state = {name: tensor.detach().clone() for name, tensor in model.state_dict().items()}
    write_json(directory / 'config.json', config)
    write_json(directory / 'generation_config.json', generation)
    (directory / 'tokenizer_config.json').write_text(
        json.dumps(
            {
                'source_lang': source_language,
                'target_lang': target_language,
                'unk_token': '<unk>',
                'eos_token': '</s>',
                'pad_token': '<pad>',
                'model_max_length': 512,
                'sp_model_kwargs': {},
                'separate_vocabs': separate,
                'special_tokens_map_file': None,
                'tokenizer_class': 'MarianTokenizer',
            }
        ),
        encoding='utf-8',
    )
    if kind == 'bin':  # names and shared storage as in the checkpoints of the hub
        tied = model.state_dict()
        torch.save(tied, directory / 'pytorch_model.bin')
    else:
        if not separate:  # tied names once, as transformers writes them
            for name in ['model.encoder.embed_tokens.weight', 'model.decoder.embed_tokens.weight', 'lm_head.weight']:
                state.pop(name, None)
        for name in [n for n in state if 'embed_positions' in n]:
            state.pop(name)
        state = {n: t.contiguous().to(getattr(torch, config['torch_dtype'])) for n, t in state.items()}
        save_file(state, directory / 'model.safetensors', {'format': 'pt'})
    print(directory.name, sum(t.numel() for t in model.parameters()), 'parameters')


def zero_pad(model, rows):
    with torch.no_grad():
        for table in rows:
            table[-1] = 0


def opus():
    """en-de, joint vocabulary, swish; the row of <pad> is zero, as in every checkpoint converted from Marian."""
    seed(11)
    directory = GOLDEN / 'opus'
    rows = corpus()
    source = train_spm(directory / 'source.spm', [r[0] for r in rows], 260)
    target = train_spm(directory / 'target.spm', [r[1] for r in rows], 300)
    without_charsmap(directory / 'target.spm')
    table = vocabulary(directory / 'vocab.json', joint_pieces(source, target))
    config = hub_config(len(table), len(table), max_length=48, num_beams=4)
    model = build(config)
    bias = torch.nn.Parameter(torch.zeros(len(table) - 1))
    pairs = [(encoder(source, table)(r[0]), encoder(target, table)(r[1])) for r in rows]
    run(model, pairs, config, bias, 2600)
    zero_pad(model, [model.model.shared.weight])
    finish(model, directory, config, generation_config(config), 'en', 'de', bias, kind='bin')


def run(model, pairs, config, bias, steps, **options):
    pairs = [(s, t) for s, t in pairs if len(s) <= 60 and len(t) <= 60]
    print(len(pairs), 'pairs', file=sys.stderr)
    train(
        WithBias(model, bias),
        pairs,
        steps,
        start=config['decoder_start_token_id'],
        pad=config['pad_token_id'],
        columns=config['decoder_vocab_size'] - 1,
        **options,
    )


class WithBias(torch.nn.Module):
    """final_logits_bias is a buffer in transformers; here it learns."""

    def __init__(self, model, bias):
        super().__init__()
        self.model, self.bias = model, bias

    def forward(self, **inputs):
        out = self.model(**inputs)
        out.logits = out.logits + torch.nn.functional.pad(self.bias, (0, 1))
        return out


def untied():
    """en-fr, two vocabularies, three tables of their own, relu, 6 heads of 8, 3 encoder and 2 decoder layers, BPE."""
    seed(12)
    directory = GOLDEN / 'untied'
    rows = corpus()
    source = train_spm(directory / 'source.spm', [r[0] for r in rows], 300, 'bpe', 'identity')
    target = train_spm(directory / 'target.spm', [r[2] for r in rows], 380, 'bpe', 'identity')
    # <pad> has the same id on both sides: the configuration has one pad_token_id
    size = 400
    tables = []
    for name, model in [('vocab.json', source), ('target_vocab.json', target)]:
        pieces = joint_pieces(model)[:-1]
        pieces += [f'<unused{i}>' for i in range(size - 1 - len(pieces))] + ['<pad>']
        tables.append(vocabulary(directory / name, pieces))
    config = hub_config(
        size,
        size,
        activation_function='relu',
        d_model=48,
        encoder_attention_heads=6,
        decoder_attention_heads=6,
        encoder_layers=3,
        decoder_layers=2,
        encoder_ffn_dim=96,
        decoder_ffn_dim=80,
        num_hidden_layers=3,
        share_encoder_decoder_embeddings=False,
        tie_word_embeddings=False,
        max_length=40,
        num_beams=6,
    )
    model = build(config)
    bias = torch.nn.Parameter(torch.zeros(size - 1))
    pairs = [(encoder(source, tables[0])(r[0]), encoder(target, tables[1])(r[2])) for r in rows]
    run(model, pairs, config, bias, 2600)
    zero_pad(
        model,
        [model.model.encoder.embed_tokens.weight, model.model.decoder.embed_tokens.weight, model.lm_head.weight],
    )
    finish(model, directory, config, generation_config(config), 'en', 'fr', bias, separate=True, kind='safetensors')


def multi():
    """en, de, fr, es to each other: >>deu<< and the others are pieces of vocab.json; gelu, F16 in the file."""
    seed(13)
    directory = GOLDEN / 'multi'
    rows = corpus()
    text = [cell for row in rows for cell in row]
    source = train_spm(directory / 'source.spm', text, 420)
    without_charsmap(directory / 'source.spm')
    target = train_spm(directory / 'target.spm', text, 400, rule='identity')
    pieces = joint_pieces(source, target)
    for at, code in zip([60, 120, 180, 240], CODES.values()):
        pieces.insert(at, code)
    table = vocabulary(directory / 'vocab.json', pieces)
    config = hub_config(
        len(table), len(table), activation_function='gelu', max_length=48, num_beams=6, torch_dtype='float16'
    )
    model = build(config)
    bias = torch.nn.Parameter(torch.zeros(len(table) - 1))
    pairs = []
    for n, row in enumerate(rows):
        for k in range(4):
            to = (k + 1 + n % 3) % 4
            ids = [table[CODES[LANGUAGES[to]]]] + encoder(source, table)(row[k])
            pairs.append((ids, encoder(target, table)(row[to])))
    run(model, pairs, config, bias, 3600)
    zero_pad(model, [model.model.shared.weight])
    generation = generation_config(config)
    del generation['renormalize_logits']  # older files lack it, and say that they were copied from config.json
    generation = {'_from_model_config': True, **generation}
    finish(model, directory, config, generation, 'mul', 'mul', bias, kind='safetensors')


if __name__ == '__main__':
    {'opus': opus, 'untied': untied, 'multi': multi}[sys.argv[1]]()
