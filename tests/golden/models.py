"""Makes the golden models: small random MarianMT directories with what PyTorch computes from them. Used by hand.

    /usr/bin/python3 tests/golden/models.py        (Debian: python3-torch, python3-numpy)

Each directory is a model (config.json, generation_config.json, model.safetensors; no tokenizer) and

    expected.json         cases: source, target, disabled heads, and what each tensor of theirs is called;
                          searches: source, options, hypotheses
    expected.safetensors  output [S,D], logits [T,V], log_probs [T], encoder [Le,H,S,S], decoder [Ld,H,T,T],
                          cross [Ld,H,T,S] of each case, F32
    inspect.safetensors   of two models: every tensor of the pass of the second case, by its name, F32

The same bytes come out on every run. No search hangs on two numbers nearer than MARGIN to each other: an engine with
32-bit arithmetic must not be able to come out on the other side.
"""
import json
import math
import os

import numpy as np
import torch

import tensorfile
from marian import Marian
from search import search

HERE = os.path.dirname(os.path.abspath(__file__))
MARGIN = 1e-3  # a hundred times what 32-bit arithmetic is off by here (printed as "f32 is off by")

BASE = {
    'architectures': ['MarianMTModel'], 'model_type': 'marian', 'is_encoder_decoder': True, 'use_cache': True,
    'd_model': 32, 'encoder_layers': 2, 'decoder_layers': 2, 'encoder_attention_heads': 4,
    'decoder_attention_heads': 4, 'encoder_ffn_dim': 48, 'decoder_ffn_dim': 48, 'activation_function': 'relu',
    'normalize_before': False, 'normalize_embedding': False, 'add_final_layer_norm': False, 'scale_embedding': True,
    'static_position_embeddings': True, 'share_encoder_decoder_embeddings': True, 'tie_word_embeddings': True,
    'vocab_size': 67, 'decoder_vocab_size': 67, 'max_position_embeddings': 48, 'pad_token_id': 66, 'eos_token_id': 0,
    'decoder_start_token_id': 66, 'forced_eos_token_id': None,
}
PAD_FIRST = {'pad_token_id': 0, 'unk_token_id': 1, 'eos_token_id': 2, 'decoder_start_token_id': 0}

# name -> what differs from BASE, the seed, the file's element type, and
#   bias      final_logits_bias is there          positions   position tables are stored
#   aliases   the file also has the tied copies that checkpoints carry
#   inspect   see above
#   eos       added to the mean logit of </s>: sets how long outputs get
MODELS = {
    'postnorm-relu-shared': dict(seed=118, eos=3.0, dtype='F32', bias=True, config={}),
    'prenorm-gelu-separate-stored': dict(seed=6, eos=3.0, dtype='F32', positions=True, inspect=True, generation={
        'num_beams': 3, 'max_length': 13, 'length_penalty': 0.8}, config={
        **PAD_FIRST, 'd_model': 20, 'encoder_attention_heads': 2, 'decoder_attention_heads': 2,
        'encoder_ffn_dim': 40, 'decoder_ffn_dim': 40, 'activation_function': 'gelu', 'normalize_before': True,
        'normalize_embedding': True, 'add_final_layer_norm': True, 'static_position_embeddings': False,
        'share_encoder_decoder_embeddings': False, 'tie_word_embeddings': False, 'vocab_size': 59,
        'decoder_vocab_size': 71}),
    'swish-odd': dict(seed=6, eos=2.5, dtype='F32', inspect=True, config={
        **PAD_FIRST, 'd_model': 24, 'encoder_layers': 3, 'decoder_layers': 1, 'encoder_attention_heads': 3,
        'decoder_attention_heads': 6, 'encoder_ffn_dim': 37, 'decoder_ffn_dim': 45, 'activation_function': 'swish',
        'vocab_size': 53, 'decoder_vocab_size': 53}),
    'silu-f16': dict(seed=66, eos=5.0, dtype='F16', bias=True, aliases=True, config={
        **PAD_FIRST, 'd_model': 16, 'encoder_attention_heads': 2, 'decoder_attention_heads': 2,
        'encoder_ffn_dim': 24, 'decoder_ffn_dim': 24, 'encoder_layers': 1, 'activation_function': 'silu',
        'normalize_embedding': True, 'vocab_size': 41, 'decoder_vocab_size': 41}),
    'bf16': dict(seed=5, eos=3.0, dtype='BF16', config={
        **PAD_FIRST, 'd_model': 16, 'encoder_attention_heads': 4, 'decoder_attention_heads': 4,
        'encoder_ffn_dim': 24, 'decoder_ffn_dim': 24, 'normalize_before': True, 'add_final_layer_norm': True,
        'scale_embedding': False, 'share_encoder_decoder_embeddings': False, 'vocab_size': 43,
        'decoder_vocab_size': 39}),
    'ssru': dict(seed=1, eos=3.0, dtype='F32', bias=True, inspect=True, config={
        'decoder_cell': 'ssru', 'positions': 'marian', 'layer_norm_eps': 1e-6}),
    'ssru-prenorm': dict(seed=1, eos=3.0, dtype='F32', config={
        **PAD_FIRST, 'd_model': 20, 'encoder_attention_heads': 2, 'decoder_attention_heads': 5,
        'encoder_ffn_dim': 24, 'decoder_ffn_dim': 24, 'decoder_layers': 3, 'encoder_layers': 1,
        'activation_function': 'swish', 'normalize_before': True, 'add_final_layer_norm': True,
        'share_encoder_decoder_embeddings': False, 'vocab_size': 43, 'decoder_vocab_size': 39,
        'decoder_cell': 'ssru'}),
    'int8': dict(seed=13, eos=5.0, dtype='I8', config={**PAD_FIRST}),
}


def make_weights(config, spec):
    """name -> float32 array, random; scores of about 3 make attention sharp, logits of about 3 make choices clear."""
    rng, out = np.random.RandomState(spec['seed']), {}
    d = config['d_model']

    def matrix(name, rows, cols, deviation):
        out[name] = (rng.standard_normal((rows, cols)) * deviation).astype(np.float32)

    def linear(name, rows, cols, gain=1.0):
        matrix(name + '.weight', rows, cols, gain / cols ** 0.5)
        out[name + '.bias'] = (rng.standard_normal(rows) * 0.2).astype(np.float32)

    def norm(name):
        out[name + '.weight'] = (1 + rng.standard_normal(d) * 0.2).astype(np.float32)
        out[name + '.bias'] = (rng.standard_normal(d) * 0.2).astype(np.float32)

    def last_norm(name):
        """Large, for clear choices; of both signs, or a tied output would see its input and repeat it for ever."""
        scale = 1.0 if config['scale_embedding'] else d ** -0.5  # x's, when the output's rows are of size 1 an element
        out[name + '.weight'] = (rng.standard_normal(d) * 3 * scale).astype(np.float32)
        out[name + '.bias'] = (rng.standard_normal(d) * scale).astype(np.float32)

    def attention(name):
        for part, gain in (('q', 1.8), ('k', 1.8), ('v', 1.2), ('out', 1.2)):
            linear(f'{name}.{part}_proj', d, d, gain)

    vocab = {'encoder': config['vocab_size'], 'decoder': config['decoder_vocab_size']}
    deviation = d ** -0.5 if config['scale_embedding'] else 1.0
    if config['share_encoder_decoder_embeddings']:
        matrix('model.shared.weight', vocab['encoder'], d, deviation)
    for stack in ('encoder', 'decoder'):
        layers, width = config[f'{stack}_layers'], config[f'{stack}_ffn_dim']
        if not config['share_encoder_decoder_embeddings']:
            matrix(f'model.{stack}.embed_tokens.weight', vocab[stack], d, deviation)
        if spec.get('positions'):
            matrix(f'model.{stack}.embed_positions.weight', config['max_position_embeddings'], d, 0.7)
        if config['normalize_embedding']:
            norm(f'model.{stack}.layernorm_embedding')
        for layer in range(layers):
            name = f'model.{stack}.layers.{layer}'
            last = layer == layers - 1 and stack == 'decoder' and not config['add_final_layer_norm']
            norm_after = last_norm if last else norm
            if stack == 'decoder' and config.get('decoder_cell') == 'ssru':
                matrix(name + '.ssru.candidate.weight', d, d, 1.2 / d ** 0.5)
                linear(name + '.ssru.forget', d, d, 1.8)
                norm(name + '.ssru_layer_norm')
            else:
                attention(name + '.self_attn')
                norm(name + '.self_attn_layer_norm')
            if stack == 'decoder':
                attention(name + '.encoder_attn')
                norm(name + '.encoder_attn_layer_norm')
            linear(name + '.fc1', width, d)
            linear(name + '.fc2', d, width)
            norm_after(name + '.final_layer_norm')
        if config['add_final_layer_norm']:
            (last_norm if stack == 'decoder' else norm)(f'model.{stack}.layer_norm')
    if not config['tie_word_embeddings']:
        matrix('lm_head.weight', vocab['decoder'], d, d ** -0.5)
    if spec.get('bias'):
        out['final_logits_bias'] = (rng.standard_normal((1, vocab['decoder'])) * 0.5).astype(np.float32)
    if spec.get('aliases'):
        for alias in ('model.encoder.embed_tokens.weight', 'model.decoder.embed_tokens.weight', 'lm_head.weight'):
            out[alias] = out['model.shared.weight']
    # </s>: along the last norm's bias, a constant of every row, so that most outputs end after some tokens
    bias = out['model.decoder.layer_norm.bias' if config['add_final_layer_norm'] else f'{name}.final_layer_norm.bias']
    output = 'lm_head.weight' if not config['tie_word_embeddings'] else (
        'model.shared.weight' if config['share_encoder_decoder_embeddings'] else 'model.decoder.embed_tokens.weight')
    out[output][config['eos_token_id']] += spec['eos'] * bias / math.fsum(bias.astype(np.float64) ** 2)
    return out


def store(weights, dtype):
    """What goes into the file (name -> (dtype, array)), and the float32 values that a reader gets from it."""
    stored, values = {}, {}
    for name, array in weights.items():
        is_vector = array.ndim == 1 or name == 'final_logits_bias'
        if dtype == 'F16':
            stored[name] = ('F16', array.astype(np.float16))
            values[name] = stored[name][1].astype(np.float32)
        elif dtype == 'BF16':
            stored[name] = ('BF16', tensorfile.to_bf16(array))
            values[name] = tensorfile.from_bf16(stored[name][1])
        elif dtype == 'I8' and not is_vector:
            scale = (np.abs(array).max(axis=1) / 127).astype(np.float32)
            whole = np.clip(np.rint(array / scale[:, None]), -127, 127).astype(np.int8)
            stored[name], stored[name + '.scale'] = ('I8', whole), ('F32', scale)
            values[name] = whole.astype(np.float32) * scale[:, None]
        else:
            stored[name] = ('F32', array)
            values[name] = array
    return stored, values


def sentence(rng, vocab, config, length):
    """Random ids that end with </s> and hold no other special one."""
    special = {config['pad_token_id'], config['eos_token_id'], config['decoder_start_token_id']}
    ordinary = [i for i in range(vocab) if i not in special]
    return [int(rng.choice(ordinary)) for _ in range(length - 1)] + [config['eos_token_id']]


def forward_cases(config, rng):
    """Lengths from 1 up, equal and unequal on both sides; the last one with heads switched off in every stack."""
    sentences = [[sentence(rng, config[f'{side}vocab_size'], config, n) for side, n in (('', s), ('decoder_', t))]
                 for s, t in ((1, 1), (2, 5), (7, 3), (11, 13), (9, 8))]
    cases = [{'source': source, 'target': target, 'disabledHeads': []} for source, target in sentences]
    cases[-1]['disabledHeads'] = heads_off(config)
    return cases


def heads_off(config):
    """The first head of every stack's first layer and the last of its last: what later layers see changes."""
    return [{'stack': stack, 'layer': layer, 'head': head}
            for stack, side in (('encoder', 'encoder'), ('decoder', 'decoder'), ('cross', 'decoder'))
            if stack != 'decoder' or config.get('decoder_cell') != 'ssru'
            for layer, head in sorted({(0, 0), (config[f'{side}_layers'] - 1, config[f'{side}_attention_heads'] - 1)})]


def search_cases(config, generation, model, rng):
    """The searches with their outcome. A source is drawn again until its outcome is clear, and other than without the
    option that the case is about: a case that would come out the same with the option ignored shows nothing."""
    eos, pad = config['eos_token_id'], config['pad_token_id']
    prefix = sentence(rng, config['decoder_vocab_size'], config, 4)[:-1]
    out = []

    def ids(hypotheses):
        return [h['ids'] for h in hypotheses]

    def add(name, length=8, without=None, bad_words=None, disabled=(), clear=lambda hypotheses: True, **options):
        asked = options or from_generation_config(generation)
        for _ in range(1 if length == 1 else 200):
            source = sentence(rng, config['vocab_size'], config, length)
            greedy = search(model, source, eos, [[pad]], maxTokens=16)[0][0]['ids']
            if bad_words and len(greedy) < 4:
                continue
            bad = [[pad]] + (bad_words(greedy) if bad_words else [])
            hypotheses, margin = search(model, source, eos, bad, disabled, **asked)
            if margin < MARGIN or not clear(hypotheses):
                continue
            if without and ids(search(model, source, eos, [[pad]], **{**asked, **without})[0]) == ids(hypotheses):
                continue
            out.append({'name': name, 'source': source, 'options': options, 'badWords': bad,
                        'disabledHeads': list(disabled), 'margin': float(f'{margin:.2g}'), 'hypotheses': hypotheses})
            return
        raise SystemExit(f'{name}: no clear case found')

    def ends(hypotheses):
        return all(h['finished'] for h in hypotheses)

    for length in (1, 2, 3, 5, 8, 13, 20):
        add(f'greedy, source of {length}', length, beams=1, maxTokens=16)
        add(f'4 beams, source of {length}', length, beams=4, lengthPenalty=1.0, maxTokens=16 if length > 1 else 4)
    beams = {'beams': 4, 'lengthPenalty': 1.0, 'maxTokens': 16}
    add('greedy, finished', clear=lambda h: ends(h) and len(h[0]['ids']) > 5, beams=1, maxTokens=16)
    add('4 beams are not greedy', clear=ends, without={'beams': 1}, **beams)
    add('4 beams, length penalty 0.6', without={'lengthPenalty': 1.3}, **{**beams, 'lengthPenalty': 0.6})
    add('4 beams, length penalty 1.3, n-best 4', without={'lengthPenalty': 0.6}, nBest=4,
        **{**beams, 'lengthPenalty': 1.3})
    add('4 beams, length penalty 0', without={'lengthPenalty': 1.0}, **{**beams, 'lengthPenalty': 0.0})
    add('4 beams, n-best 4, finished', clear=ends, nBest=4, **beams)
    add('2 beams, n-best 2', 5, clear=ends, beams=2, lengthPenalty=1.0, nBest=2, maxTokens=20)
    add('greedy, cut short', clear=lambda h: not ends(h), beams=1, maxTokens=2)
    add('4 beams, cut short, n-best 4', clear=lambda h: not ends(h), nBest=4, **{**beams, 'maxTokens': 3})
    add('one token', **{**beams, 'maxTokens': 1})
    add('greedy, min tokens', without={'minTokens': 0}, beams=1, maxTokens=16, minTokens=12)
    add('4 beams, min tokens, n-best 3', clear=ends, without={'minTokens': 0}, minTokens=7, nBest=3, **beams)
    for n in (1, 2, 3):
        add(f'greedy, no repeated {n}-gram', without={'noRepeatNgram': 0}, beams=1, maxTokens=16, minTokens=14,
            noRepeatNgram=n)
    add('4 beams, no repeated 2-gram', without={'noRepeatNgram': 0}, minTokens=9, noRepeatNgram=2, **beams)
    add('greedy, prefix', beams=1, maxTokens=12, prefix=prefix)
    add('4 beams, prefix, n-best 2', clear=ends, nBest=2, prefix=prefix, **beams)
    add('4 beams, prefix, no repeated 2-gram, min tokens', without={'noRepeatNgram': 0}, minTokens=5, noRepeatNgram=2,
        prefix=prefix + prefix[:1], **{**beams, 'maxTokens': 12})
    add('greedy, a bad word', without={}, bad_words=lambda g: [g[:1]], beams=1, maxTokens=16)
    add('greedy, a bad sequence', without={}, bad_words=lambda g: [g[:2]], beams=1, maxTokens=16)
    add('4 beams, bad sequences', without={}, bad_words=lambda g: [g[:3], g[1:3]], **beams)
    add('4 beams, heads switched off', without={}, disabled=heads_off(config), **beams)
    add('4 beams, n-best 4, </s> of low rank', without={'ranks': 2}, nBest=4, **{**beams, 'lengthPenalty': 0.0})
    if 'max_length' in generation:
        add('defaults of generation_config.json')
    return out


def from_generation_config(generation):
    """The options that a search gets when its caller states none; max_length counts the start token."""
    return {'beams': generation['num_beams'], 'lengthPenalty': generation['length_penalty'],
            'maxTokens': generation['max_length'] - 1}


def dump(path, value):
    with open(path, 'w', encoding='utf-8', newline='\n') as file:
        file.write(json.dumps(value, indent=1) + '\n')


def one_line_each(value):
    """JSON with a line for each entry of the lists in an object: small, and it can be read."""
    parts = []
    for key, entry in value.items():
        if isinstance(entry, list):
            rows = ',\n'.join('  ' + json.dumps(e) for e in entry)
            parts.append(f' {json.dumps(key)}: [\n{rows}\n ]')
        else:
            parts.append(f' {json.dumps(key)}: {json.dumps(entry)}')
    return '{\n' + ',\n'.join(parts) + '\n}\n'


def make(name, spec):
    folder = os.path.join(HERE, name)
    os.makedirs(folder, exist_ok=True)
    config = {**BASE, **spec['config']}
    eos, pad = config['eos_token_id'], config['pad_token_id']
    generation = {'bad_words_ids': [[pad]], 'decoder_start_token_id': config['decoder_start_token_id'],
                  'eos_token_id': eos, 'pad_token_id': pad, **spec.get('generation', {})}
    stored, values = store(make_weights(config, spec), spec['dtype'])
    tensorfile.write(os.path.join(folder, 'model.safetensors'), stored)
    dump(os.path.join(folder, 'config.json'), config)
    dump(os.path.join(folder, 'generation_config.json'), generation)

    model = Marian(config, {k: torch.from_numpy(v).double() for k, v in values.items()})
    rng = np.random.RandomState(spec['seed'] + 1000)
    tensors, off, cases = {}, {}, forward_cases(config, rng)
    for i, case in enumerate(cases):
        result = model.forward(case['source'], case['target'], case['disabledHeads'])
        case['tensors'] = {key: f'{i}.{key}' for key in result}
        for key, value in result.items():
            tensors[f'{i}.{key}'] = ('F32', value.numpy().astype(np.float32))
        for key, error in single_precision(config, values, case, result).items():
            off[key] = max(off.get(key, 0), error)

    if spec.get('inspect'):
        model.forward(cases[1]['source'], cases[1]['target'])
        tensorfile.write(os.path.join(folder, 'inspect.safetensors'),
                         {key: ('F32', value.numpy().astype(np.float32)) for key, value in model.notes.items()})
    searches = search_cases(config, generation, model, rng)
    least = min(s['margin'] for s in searches)
    tensorfile.write(os.path.join(folder, 'expected.safetensors'), tensors)
    with open(os.path.join(folder, 'expected.json'), 'w', encoding='utf-8', newline='\n') as file:
        file.write(one_line_each({'cases': cases, 'searches': searches}))
    print(f'{name}: {sum(v.size for v in values.values())} numbers, {len(searches)} searches decided by {least:.1e} '
          'or more, f32 is off by ' + ', '.join(f'{k} {v:.0e}' for k, v in off.items()))


def single_precision(config, values, case, exact):
    """How far the same model in 32-bit floats is from the 64-bit one: the tolerances of the tests come from here."""
    model = Marian(config, {k: torch.from_numpy(v) for k, v in values.items()})
    model.positions = {k: v.float() for k, v in model.positions.items()}
    result = model.forward(case['source'], case['target'], case['disabledHeads'])
    return {key: (result[key].double() - exact[key]).abs().max().item() for key in exact if exact[key].numel()}


if __name__ == '__main__':
    torch.set_num_threads(1)  # one order of summation
    torch.set_grad_enabled(False)
    for name, spec in MODELS.items():
        make(name, spec)
