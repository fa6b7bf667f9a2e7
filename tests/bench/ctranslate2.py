"""
CTranslate2, native, on a model of models.js: started by ctranslate2.js.

    python ctranslate2.py FOLDER int8|f32      FOLDER: config.json and model.safetensors in F32

Prints a line when the model is loaded, and then for each line of JSON, { "sources": [[id]], "length": n }, one with the
ids of the targets. Weights go into CTranslate2's own description of a model, as its converter does it; for int8 it
rounds each row of a matrix itself.
"""

import json
import struct
import sys
import tempfile
from pathlib import Path

# this file must not be found in place of the package
sys.path[:] = [path for path in sys.path if Path(path or '.').resolve() != Path(__file__).resolve().parent]

import ctranslate2  # noqa: E402
import numpy as np  # noqa: E402
from ctranslate2.specs import common_spec, transformer_spec  # noqa: E402


def read(path):
    """The tensors of a safetensors file by name."""
    data = path.read_bytes()
    (length,) = struct.unpack('<Q', data[:8])
    body = memoryview(data)[8 + length :]
    header = json.loads(data[8 : 8 + length])
    return {
        name: np.frombuffer(body[slice(*entry['data_offsets'])], np.float32).reshape(entry['shape'])
        for name, entry in header.items()
    }


def positions(count, width):
    """Sines in the first half of a row, cosines in the second."""
    angles = np.arange(count)[:, None] / 10000 ** (np.arange(width // 2) / (width // 2))
    return np.concatenate([np.sin(angles), np.cos(angles)], 1).astype(np.float32)


def specification(config, tensors):
    layers = config['encoder_layers']
    spec = transformer_spec.TransformerSpec.from_config(
        (layers, layers),
        config['encoder_attention_heads'],
        pre_norm=False,
        activation=common_spec.Activation.RELU,
    )

    def linear(to, *names):
        to.weight = np.concatenate([tensors[f'{name}.weight'] for name in names])
        to.bias = np.concatenate([tensors[f'{name}.bias'] for name in names])

    def norm(to, name):
        to.gamma, to.beta = tensors[f'{name}.weight'], tensors[f'{name}.bias']

    def own(to, name):
        linear(to.linear[0], *(f'{name}.{part}_proj' for part in 'qkv'))
        linear(to.linear[1], f'{name}.out_proj')
        norm(to.layer_norm, f'{name}_layer_norm')

    table = tensors['model.shared.weight']
    for side in ('encoder', 'decoder'):
        to = getattr(spec, side)
        (to.embeddings[0] if side == 'encoder' else to.embeddings).weight = table
        to.scale_embeddings = True
        to.position_encodings.encodings = positions(config['max_position_embeddings'], config['d_model'])
        for i, layer in enumerate(to.layer):
            name = f'model.{side}.layers.{i}'
            own(layer.self_attention, f'{name}.self_attn')
            if side == 'decoder':
                cross = f'{name}.encoder_attn'
                linear(layer.attention.linear[0], f'{cross}.q_proj')
                linear(layer.attention.linear[1], f'{cross}.k_proj', f'{cross}.v_proj')
                linear(layer.attention.linear[2], f'{cross}.out_proj')
                norm(layer.attention.layer_norm, f'{cross}_layer_norm')
            linear(layer.ffn.linear_0, f'{name}.fc1')
            linear(layer.ffn.linear_1, f'{name}.fc2')
            norm(layer.ffn.layer_norm, f'{name}.final_layer_norm')
    spec.decoder.projection.weight = table
    spec.decoder.projection.bias = tensors['final_logits_bias'][0]

    tokens = [str(i) for i in range(config['vocab_size'])]
    spec.register_source_vocabulary(tokens)
    spec.register_target_vocabulary(tokens)
    spec.config.unk_token = '1'
    spec.config.bos_token = spec.config.decoder_start_token = str(config['decoder_start_token_id'])
    spec.config.eos_token = str(config['eos_token_id'])
    spec.config.add_source_eos = spec.config.add_source_bos = False
    return spec


def main(folder, dtype):
    config = json.loads((folder / 'config.json').read_text())
    spec = specification(config, read(folder / 'model.safetensors'))
    with tempfile.TemporaryDirectory() as scratch:
        spec.validate()
        spec.save(scratch)
        translator = ctranslate2.Translator(
            scratch,
            device='cpu',
            compute_type={'f32': 'float32', 'int8': 'int8'}[dtype],
            inter_threads=1,
            intra_threads=1,
        )
    print(json.dumps({'version': ctranslate2.__version__, 'type': translator.compute_type}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        results = translator.translate_batch(
            [[str(i) for i in ids] for ids in asked['sources']],
            beam_size=1,
            max_decoding_length=asked['length'],
            min_decoding_length=asked['length'],
        )
        print(json.dumps([[int(token) for token in result.hypotheses[0]] for result in results]), flush=True)


if __name__ == '__main__':
    main(Path(sys.argv[1]), sys.argv[2])
