"""Makes checkpoints as PyTorch and Marian save them, with what PyTorch computes from them. Used by hand.

    /usr/bin/python3 tests/golden/checkpoints.py          the small ones, in tests/golden/checkpoints
    /usr/bin/python3 tests/golden/checkpoints.py --big    two of real shape, in build/checkpoints: 0.8 GB

Small: one model in every container. Its numbers are multiples of 1/64 below 4, so F16 and BF16 hold them exactly and all
containers say the same to the bit. The last piece is padding, with a row of zeros, as in OPUS-MT's checkpoints; the .npz
lack it, as Marian's do.

    config.json, generation_config.json, model.safetensors, cases.json (source, target, logits [T][V])
    zip.bin          torch.save(): a zip archive; the embeddings under all four names that share a storage
    zip-f16.bin      the same in F16              zip-bf16.bin   the same in BF16
    protocol-4.bin   with pickle_protocol=4       deflated.bin   zip.bin packed again by a zip program, directory first
    legacy.bin       torch.save() before 1.6: a row of pickles
    views.bin        every tensor a view of one storage, in reversed order
    model.npz        numpy.savez() under Marian's names   compressed.npz   numpy.savez_compressed()

Big: opus-mt (d 512, 8 heads, ffn 2048, 6+6, 58,101 pieces, swish, F32) and tc-big (d 1024, 16 heads, ffn 4096, 53,017
pieces, relu, F16), as pytorch_model.bin with config.json, expected.json (source, target) and expected.safetensors (logits).

The bytes of legacy.bin differ in every run: its storages are named by their addresses.
"""
import io
import json
import os
import sys
import zipfile

import numpy as np
import torch

import tensorfile
from marian import Marian
from models import BASE, dump, make_weights, sentence

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

SMALL = {**BASE, 'd_model': 8, 'encoder_layers': 2, 'decoder_layers': 1, 'encoder_attention_heads': 2,
         'decoder_attention_heads': 2, 'encoder_ffn_dim': 12, 'decoder_ffn_dim': 12, 'activation_function': 'swish',
         'vocab_size': 24, 'decoder_vocab_size': 24, 'max_position_embeddings': 16, 'pad_token_id': 23,
         'decoder_start_token_id': 23}
BIG = {
    'opus-mt': ('F32', {**BASE, 'd_model': 512, 'encoder_layers': 6, 'decoder_layers': 6, 'encoder_attention_heads': 8,
                        'decoder_attention_heads': 8, 'encoder_ffn_dim': 2048, 'decoder_ffn_dim': 2048,
                        'activation_function': 'swish', 'vocab_size': 58101, 'decoder_vocab_size': 58101,
                        'max_position_embeddings': 512, 'pad_token_id': 58100, 'decoder_start_token_id': 58100}),
    'tc-big': ('F16', {**BASE, 'd_model': 1024, 'encoder_layers': 6, 'decoder_layers': 6,
                       'encoder_attention_heads': 16, 'decoder_attention_heads': 16, 'encoder_ffn_dim': 4096,
                       'decoder_ffn_dim': 4096, 'activation_function': 'relu', 'vocab_size': 53017,
                       'decoder_vocab_size': 53017, 'max_position_embeddings': 1024, 'pad_token_id': 53016,
                       'eos_token_id': 43311, 'decoder_start_token_id': 53016}),
}
SHARED = ('model.shared.weight', 'model.encoder.embed_tokens.weight', 'model.decoder.embed_tokens.weight',
          'lm_head.weight')


def weights_of(config, seed):
    """name -> float32 array, with padding of zeros: what make_weights gives."""
    weights = make_weights(config, {'seed': seed, 'eos': 2.0, 'bias': True})
    weights['model.shared.weight'][config['pad_token_id']] = 0
    weights['final_logits_bias'][0, config['pad_token_id']] = 0
    return weights


def state_of(weights, dtype=torch.float32):
    """The state_dict of a MarianMTModel: the embeddings four times, in one storage."""
    state = {name: torch.from_numpy(array).to(dtype) for name, array in weights.items()}
    for name in SHARED:
        state[name] = state['model.shared.weight']
    ordered = torch.nn.Module().state_dict()  # an OrderedDict with the attribute _metadata
    ordered.update(sorted(state.items()))
    return ordered


def views_of(state):
    """The same with all tensors in one storage, the last first."""
    names = [name for name in reversed(list(state)) if name not in SHARED[1:]]
    whole = torch.cat([state[name].reshape(-1) for name in names])
    out, begin = type(state)(), 0
    for name in names:
        size = state[name].numel()
        out[name] = whole[begin:begin + size].view(state[name].shape)
        begin += size
    return out


MARIAN = {'self_attn': 'self', 'encoder_attn': 'context'}


def marian_name(name):
    """Marian's name of one of Hugging Face's."""
    if name == 'model.shared.weight':
        return 'Wemb'
    if name == 'final_logits_bias':
        return 'decoder_ff_logit_out_b'
    _, stack, _, layer, part, *rest = name.split('.')
    prefix = f'{stack}_l{int(layer) + 1}'
    letter = {'weight': 'W', 'bias': 'b'}[rest[-1]]
    if part in MARIAN:
        return f'{prefix}_{MARIAN[part]}_{letter}{rest[0][0]}'
    if part in ('fc1', 'fc2'):
        return f'{prefix}_ffn_{letter}{part[2]}'
    of = {'self_attn_layer_norm': 'self_Wo', 'encoder_attn_layer_norm': 'context_Wo', 'final_layer_norm': 'ffn_ffn'}
    return f'{prefix}_{of[part]}_ln_{ {"weight": "scale", "bias": "bias"}[rest[-1]] }'


def marian_arrays(config, weights):
    """As Marian saves them: matrices [in, out], vectors [1, n], no padding, and its settings as characters."""
    settings = f"""bert-train-type-embeddings: true
dec-depth: {config['decoder_layers']}
dim-emb: {config['d_model']}
dim-vocabs:
  - {config['vocab_size'] - 1}
  - {config['vocab_size'] - 1}
enc-depth: {config['encoder_layers']}
tied-embeddings-all: true
transformer-decoder-autoreg: self-attention
transformer-dim-ffn: {config['encoder_ffn_dim']}
transformer-ffn-activation: {config['activation_function']}
transformer-heads: {config['encoder_attention_heads']}
transformer-postprocess: dan
transformer-postprocess-emb: d
transformer-preprocess: ""
type: transformer
version: v1.9.31
"""
    arrays = {}
    for name, array in weights.items():
        if name == 'model.shared.weight':
            array = array[:-1]
        elif name == 'final_logits_bias':
            array = array[:, :-1]
        else:
            array = array.T if array.ndim == 2 else array[None]
        arrays[marian_name(name)] = np.ascontiguousarray(array)
    arrays['special:model.yml'] = np.frombuffer(settings.encode() + b'\0', np.int8)
    return arrays


def packed_again(data):
    """The archive as a zip program writes it: deflated, in the order of the names."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, 'w') as new:
        for name in sorted(old.namelist(), reverse=True):
            new.writestr(zipfile.ZipInfo(name), old.read(name), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def cases_of(config, weights, lengths, seed):
    """What PyTorch computes, in 64 bits."""
    model = Marian(config, {name: torch.from_numpy(array).double() for name, array in weights.items()})
    rng = np.random.RandomState(seed)
    for n_source, n_target in lengths:
        source, target = (sentence(rng, config['vocab_size'], config, n) for n in (n_source, n_target))
        logits = model.forward(source, target)['logits'].numpy().astype(np.float32)
        yield {'source': source, 'target': target}, logits


def write_configs(folder, config):
    os.makedirs(folder, exist_ok=True)
    dump(f'{folder}/config.json', config)
    pad = config['pad_token_id']
    dump(f'{folder}/generation_config.json', {'bad_words_ids': [[pad]], 'eos_token_id': config['eos_token_id'],
                                              'decoder_start_token_id': pad, 'pad_token_id': pad, 'num_beams': 2})


def small():
    folder = f'{HERE}/checkpoints'
    write_configs(folder, SMALL)
    weights = {name: (np.rint(np.clip(array, -3.9, 3.9) * 64) / 64).astype(np.float32)
               for name, array in weights_of(SMALL, 21).items()}
    tensorfile.write(f'{folder}/model.safetensors', {name: ('F32', array) for name, array in weights.items()})
    state = state_of(weights)
    torch.save(state, f'{folder}/zip.bin')
    torch.save(state_of(weights, torch.float16), f'{folder}/zip-f16.bin')
    torch.save(state_of(weights, torch.bfloat16), f'{folder}/zip-bf16.bin')
    torch.save(state, f'{folder}/protocol-4.bin', pickle_protocol=4)
    torch.save(state, f'{folder}/legacy.bin', _use_new_zipfile_serialization=False)
    torch.save(views_of(state), f'{folder}/views.bin')
    with open(f'{folder}/zip.bin', 'rb') as old, open(f'{folder}/deflated.bin', 'wb') as new:
        new.write(packed_again(old.read()))
    arrays = marian_arrays(SMALL, weights)
    np.savez(f'{folder}/model.npz', **arrays)
    np.savez_compressed(f'{folder}/compressed.npz', **arrays)
    cases = []
    for case, logits in cases_of(SMALL, weights, [(1, 1), (5, 4), (9, 12)], 22):
        cases.append({**case, 'logits': [[float(f'{x:.7g}') for x in row] for row in logits.tolist()]})
    with open(f'{folder}/cases.json', 'w', encoding='utf-8', newline='\n') as file:
        file.write(json.dumps({'cases': cases}) + '\n')


def big():
    for name, (dtype, config) in BIG.items():
        folder = f'{ROOT}/build/checkpoints/{name}'
        write_configs(folder, config)
        weights = weights_of(config, 31)
        if dtype == 'F16':
            weights = {key: array.astype(np.float16).astype(np.float32) for key, array in weights.items()}
        torch.save(state_of(weights, {'F32': torch.float32, 'F16': torch.float16}[dtype]),
                   f'{folder}/pytorch_model.bin')
        (case, logits), = cases_of(config, weights, [(12, 9)], 32)
        dump(f'{folder}/expected.json', case)
        tensorfile.write(f'{folder}/expected.safetensors', {'logits': ('F32', logits)})
        print(f'{name}: {sum(array.size for array in weights.values())} numbers')


if __name__ == '__main__':
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    big() if '--big' in sys.argv else small()
