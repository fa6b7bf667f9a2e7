"""Random weights of the configuration of opus-mt-tc-big-fr-en, and what transformers computes from them. Used by hand.

    python3 tests/golden/hf/make/tc_big.py           makes tests/golden/hf/tc-big: a narrow one, all else as stated
    python3 tests/golden/hf/make/tc_big.py --big     makes build/tc-big: its real shape, and its tokenizer

Both read ../shared/tokenizers/opus-mt-tc-big-fr-en. Weights are stored as float16, as the original's are, and computed
in float32 (transformers 5.23.0, torch 2.13.0). expected.json has the outputs of generate() with their scores, and with
--big the ids of texts by MarianTokenizer; golden.safetensors one teacher-forced pass of each source.
"""
import json
import shutil
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import GenerationConfig, MarianConfig, MarianMTModel, MarianTokenizer

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
STATED = ROOT.parent / 'shared' / 'tokenizers' / 'opus-mt-tc-big-fr-en'
IS_BIG = '--big' in sys.argv
OUT = ROOT / 'build' / 'tc-big' if IS_BIG else HERE.parent / 'tc-big'
TEXTS = ['Où est la gare ?', "Elle n'a jamais été en Espagne.",
         "Nous attendons le bus depuis huit heures et demie, mais il n'est pas encore arrivé."]
# of the sizes, all that fits a small file; the pieces keep their order: </s> in the middle, <pad> last
NARROW = {'d_model': 32, 'encoder_ffn_dim': 48, 'decoder_ffn_dim': 48, 'vocab_size': 100, 'decoder_vocab_size': 100,
          'eos_token_id': 81, 'forced_eos_token_id': 81, 'pad_token_id': 99, 'decoder_start_token_id': 99,
          'bad_words_ids': [[99]]}
SOURCES = [[7, 12, 30, 9, 81], [40, 5, 81], [17, 17, 21, 33, 8, 25, 14, 81]]
# a token that comes again and again tells little
SETTINGS = [{'num_beams': 1, 'no_repeat_ngram_size': 1}, {'no_repeat_ngram_size': 1},
            {'num_return_sequences': 3, 'length_penalty': 0.6, 'no_repeat_ngram_size': 2}]
LONGEST = 12


def stated(name):
    keys = json.loads((STATED / name).read_text(encoding='utf-8'))
    return {**keys, **({key: value for key, value in NARROW.items() if key in keys} if not IS_BIG else {})}


torch.manual_seed(20220309)
config = MarianConfig(**{**stated('config.json'), 'dtype': 'float32'})
config._attn_implementation = 'eager'  # the other ways return no weights
model = MarianMTModel(config).eval()
end, pad = config.eos_token_id, config.pad_token_id
with torch.no_grad():
    for name, parameter in model.named_parameters():
        # as large as lets a token depend on those before it; positions are sinusoids and stay
        size = 3 if 'shared' in name else 0.5 if 'encoder_attn' in name or 'fc' in name else 1
        if 'embed_positions' not in name:
            spread = size / config.d_model ** 0.5 if parameter.dim() == 2 else 0.1
            parameter.add_(torch.randn(parameter.shape) * spread)
    model.model.shared.weight[pad] = 0
    model.final_logits_bias.copy_(torch.randn(1, config.vocab_size) / 10)
    for name, value in model.state_dict().items():
        if 'embed_positions' not in name:
            value.copy_(value.half().float())  # what the file can have
model.generation_config = GenerationConfig(**stated('generation_config.json'))

OUT.mkdir(parents=True, exist_ok=True)
# the original has its configuration as it was, and its weights as PyTorch wrote them
for name in ['config.json', 'generation_config.json']:
    (OUT / name).write_text(json.dumps(stated(name), indent=2) + '\n', encoding='utf-8')
state = {key: value.half() for key, value in model.state_dict().items() if 'embed_positions' not in key}
for side in ['encoder', 'decoder']:
    state[f'model.{side}.embed_tokens.weight'] = state['model.shared.weight']
state['lm_head.weight'] = state['model.shared.weight']
torch.save(state, OUT / 'pytorch_model.bin')

sources, cases, tensors = SOURCES, [], {}
if IS_BIG:
    for name in ['source.spm', 'target.spm', 'vocab.json', 'tokenizer_config.json']:
        shutil.copy(STATED / name, OUT / name)
    tokenizer = MarianTokenizer.from_pretrained(OUT)
    sources = [tokenizer(text).input_ids for text in TEXTS]
for i, source in enumerate(sources):
    ids = torch.tensor([source])
    for settings in SETTINGS:
        found = model.generate(ids, return_dict_in_generate=True, output_scores=True, max_length=LONGEST, **settings)
        scores = getattr(found, 'sequences_scores', None)
        rows = found.sequences.tolist()
        cases.append({
            'source': source, **({'text': TEXTS[i]} if IS_BIG else {}), 'settings': settings, 'outputs': [
                {'ids': row[:row.index(end) + 1] if end in row else row,
                 **({'text': tokenizer.decode(row, skip_special_tokens=True)} if IS_BIG else {}),
                 **({'score': scores[j].item()} if scores is not None else {})} for j, row in enumerate(rows)]})
    target = cases[-1]['outputs'][0]['ids']
    with torch.no_grad():
        out = model(ids, decoder_input_ids=torch.tensor([target[:-1]]), output_attentions=True)
    tensors[f'line{i}.source'] = torch.tensor(source, dtype=torch.int32)
    tensors[f'line{i}.target'] = torch.tensor(target[1:], dtype=torch.int32)
    tensors[f'line{i}.encoder_last_hidden_state'] = out.encoder_last_hidden_state[0].contiguous()
    tensors[f'line{i}.logits'] = out.logits[0].contiguous()
    for kind in ['encoder', 'decoder', 'cross']:
        tensors[f'line{i}.{kind}_attentions'] = torch.cat(getattr(out, f'{kind}_attentions')).contiguous()
save_file(tensors, OUT / 'golden.safetensors')
(OUT / 'expected.json').write_text(json.dumps(cases, ensure_ascii=False) + '\n', encoding='utf-8')
