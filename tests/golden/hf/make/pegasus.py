"""Makes tests/golden/hf/pegasus: a small random Pegasus model, and what transformers computes from it. Used by hand.

    python3 tests/golden/hf/make/pegasus.py        (transformers 5.23.0, torch 2.13.0)

config.json and model.safetensors are as save_pretrained() writes them. expected.json has the outputs of generate() with
their scores; golden.safetensors one teacher-forced pass of each source with its first output.
"""
import json
import os

import torch
from safetensors.torch import save_file
from transformers import PegasusConfig, PegasusForConditionalGeneration

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'pegasus')
SOURCES = [[7, 12, 30, 9, 1], [40, 5, 1], [17, 17, 21, 33, 8, 25, 14, 1]]
SETTINGS = [
    {'num_beams': 1, 'no_repeat_ngram_size': 2},
    {'num_beams': 3, 'num_return_sequences': 2, 'length_penalty': 0.8, 'no_repeat_ngram_size': 2},
]
LONGEST = 24

torch.manual_seed(20191218)
config = PegasusConfig(
    vocab_size=43, d_model=16, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=2,
    encoder_ffn_dim=24, decoder_ffn_dim=20, activation_function='relu', scale_embedding=True, max_position_embeddings=32,
    forced_eos_token_id=None)
config._attn_implementation = 'eager'  # the other ways return no weights
model = PegasusForConditionalGeneration(config).eval()
with torch.no_grad():
    for name, parameter in model.named_parameters():
        # weights this large make attention sharp and outputs differ; positions are sinusoids and stay
        if 'embed_positions' not in name:
            parameter.add_(torch.randn(parameter.shape) * (0.6 if 'shared' in name else 0.4 if parameter.dim() == 2 else 0.1))
    model.final_logits_bias.copy_(torch.randn(1, 43))
    model.final_logits_bias[0, config.eos_token_id] += 2.5
model.generation_config.max_length = LONGEST
model.generation_config.forced_eos_token_id = None
model.save_pretrained(OUT)

cases, tensors = [], {}
for i, source in enumerate(SOURCES):
    ids = torch.tensor([source])
    for settings in SETTINGS:
        found = model.generate(ids, return_dict_in_generate=True, output_scores=True, **settings)
        cases.append({
            'source': source, 'settings': settings, 'outputs': [
                {'ids': row[:row.index(config.eos_token_id) + 1] if config.eos_token_id in row else row,
                 **({'score': found.sequences_scores[j].item()} if settings['num_beams'] > 1 else {})}
                for j, row in enumerate(found.sequences.tolist())]})
    target = cases[-2]['outputs'][0]['ids']
    with torch.no_grad():
        out = model(ids, decoder_input_ids=torch.tensor([target[:-1]]), output_attentions=True)
    tensors[f'line{i}.target'] = torch.tensor(target[1:], dtype=torch.int32)
    tensors[f'line{i}.encoder'] = out.encoder_last_hidden_state[0].contiguous()
    tensors[f'line{i}.logits'] = out.logits[0].contiguous()
    tensors[f'line{i}.cross'] = torch.cat(out.cross_attentions).contiguous()
save_file(tensors, os.path.join(OUT, 'golden.safetensors'))
with open(os.path.join(OUT, 'expected.json'), 'w') as file:
    json.dump(cases, file, indent=1)
    file.write('\n')
