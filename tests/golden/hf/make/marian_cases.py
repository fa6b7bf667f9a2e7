"""
cases.jsonl.gz, lines.jsonl.gz, tokenizer.jsonl.gz and golden.safetensors of one Marian directory, by transformers itself.

    python marian_cases.py opus|untied|multi [OUT] [quick]

OUT: another folder, to compare versions of transformers; quick: all but cases.jsonl.gz
"""

import sys
from pathlib import Path

import torch
import transformers
from safetensors.torch import save_file
from transformers import LogitsProcessorList, MarianMTModel, MarianTokenizer

from common import GOLDEN, Noise, write_lines

LINES = {
    'opus': [
        'Hello.',
        'Where is the station?',
        'The kitchen is small.',
        'Save changes',
        'I would like to book a table for two, please.',
        'She has never been to Spain.',
        'Could we have some more bread and a jug of tap water?',
        'Good morning! How are you today?',
        'We have been waiting for the bus since half past eight, but it has not come yet.',
        'If it rains tomorrow, we will stay at home.',
        'Please send me the invoice by Friday.',
        'Xylophone 42 % qwz?',
    ],
    'multi': [
        '>>deu<< Where is the station?',
        '>>fra<< Where is the station?',
        '>>spa<< Where is the station?',
        '>>eng<< Wo ist der Bahnhof?',
        '>>fra<< Wo ist der Bahnhof?',
        '>>deu<< Je voudrais un café, s\'il vous plaît.',
        '>>eng<< La casa es muy vieja.',
        '>>spa<< She has never been to Spain.',
        '>>deu<< Save changes',
        '>>fra<< If it rains tomorrow, we will stay at home.',
        '>>eng<< Bonjour !',
        '>>spa<< Guten Morgen! Wie geht es dir?',
    ],
}
LINES['untied'] = LINES['opus']

EDGES = [
    '',
    ' ',
    '   ',
    '\t',
    '\n',
    '.',
    '▁',
    '▁▁',
    'a',
    'A',
    ' a',
    'a ',
    '  a  b  ',
    'Hello  world',
    'Hello\tworld',
    'Hello\nworld',
    'Hello\u00a0world',
    '\u00a0Hello',
    'Hello\u3000world',
    'Hello\u2009world',
    'Hello\u200bworld',
    'Hello\u00adworld',
    '\ufeffHello',
    'e\u0301t\u00e9',
    '\u00e9t\u00e9',
    'A\u0308pfel',
    'Äpfel',
    'ﬁnd',
    'Ｈｅｌｌｏ',
    '①②③',
    'x²',
    '½',
    '10 €',
    '‘quoted’ “text”',
    'don\'t',
    'don’t',
    '…',
    'a…b',
    'http://example.org/?q=1&r=2',
    'name@example.org',
    '3.14',
    '1,234,567',
    'ß',
    'STRASSE',
    'İstanbul',
    'emoji 😀',
    '😀',
    '👩‍👩‍👧',
    '🇩🇪',
    '❤️',
    '日本語',
    'Привет',
    'שלום',
    'مرحبا',
    'हिन्दी',
    '\u0301',
    'a\u0000b',
    'a\x07b',
    '\U0001d400bc',
    '</s>',
    'Hello</s>',
    'Hello </s> world',
    '<unk>',
    'a<unk>b',
    '<pad>',
    '<s>',
    '<S>',
    '</S>',
    '>>deu<<',
    '>>deu<< Hello',
    '>>deu<<Hello',
    'Hello >>deu<<',
    '>>xxx<< Hello',
    '>>deu Hello',
    '>><<',
    '>>deu<< >>fra<< Hello',
    ' >>deu<< Hello',
    '>>DEU<< Hello',
    'a' * 60,
    'Supercalifragilisticexpialidocious',
    'the the the the',
    'ÀÉÎÕÜ',
    'ĲSSELMEER',
    'ŉ',
    'Ω',
    'Å',
]


class Golden:
    def __init__(self, name):
        self.name, self.directory = name, GOLDEN / name
        # a model loaded in float16 has positions in float16 too: say what is wanted
        wanted = {'torch_dtype' if transformers.__version__ < '4.56' else 'dtype': torch.float32}
        self.model = MarianMTModel.from_pretrained(self.directory, attn_implementation='eager', **wanted).eval()
        self.tokenizer = MarianTokenizer.from_pretrained(self.directory)
        self.lines = LINES[name]
        self.sources = [self.tokenizer(line).input_ids for line in self.lines]
        config = self.model.generation_config
        self.pad, self.start, self.eos = config.pad_token_id, config.decoder_start_token_id, config.eos_token_id

    def generate(self, batch, noise=False, **settings):
        """generate() as a user calls it; one list of hypotheses for each source."""
        inputs = self.tokenizer.pad({'input_ids': batch}, return_tensors='pt')
        settings = dict(settings)
        if 'decoder_input_ids' in settings:
            settings['decoder_input_ids'] = torch.tensor([settings['decoder_input_ids']] * len(batch))
        if noise:
            settings['logits_processor'] = LogitsProcessorList([Noise()])
            # noise comes last here; renormalising would hide it in the scores but not in the order
        with torch.no_grad():
            out = self.model.generate(
                input_ids=inputs['input_ids'],
                attention_mask=inputs['attention_mask'],
                return_dict_in_generate=True,
                output_scores=True,
                **settings,
            )
        many = settings.get('num_return_sequences', 1)
        beams = getattr(out, 'beam_indices', None)
        eos = settings.get('eos_token_id', self.eos)
        eos = eos if isinstance(eos, list) else [eos]
        prompt = out.sequences.shape[1] - (beams.shape[1] if beams is not None else len(out.scores))
        steps = self.model.compute_transition_scores(out.sequences, out.scores, beams, normalize_logits=beams is None)
        results = []
        for r, row in enumerate(out.sequences.tolist()):
            if beams is not None:
                length = int((beams[r] >= 0).sum())
            else:
                ends = [i for i in range(prompt, len(row)) if row[i] in eos]
                length = (ends[0] + 1 if ends else len(row)) - prompt
            ids = row[: prompt + length]
            result = {'ids': ids}
            if beams is not None:
                result['score'] = float(out.sequences_scores[r])
            if r % many == 0:
                result['text'] = self.tokenizer.decode(ids, skip_special_tokens=True)
                result['steps'] = [float(f'{x:.6g}') for x in steps[r, :length].tolist()]
            results.append(result)
        return [results[i : i + many] for i in range(0, len(results), many)]

    def record(self, case, line, settings, unsupported=False, check=True):
        source = self.sources[line]
        record = {'case': case, 'line': line, 'settings': settings}
        if unsupported:
            record['unsupported'] = True
        try:
            record['outputs'] = self.generate([source], **settings)[0]
        except Exception as error:
            record['error'] = f'{type(error).__name__}: {error}'.split('\n')[0].split(', since')[0][:160]
            return record
        if check:
            again = self.generate([source], noise=True, **settings)[0]
            if [o['ids'] for o in again] != [o['ids'] for o in record['outputs']]:
                record['fragile'] = True
        return record


def settings_of(golden, line, full):
    """(case, settings) in the names of transformers; some need ids that this line would produce."""
    greedy = golden.generate([golden.sources[line]], num_beams=1)[0][0]['ids'][1:]
    best = golden.generate([golden.sources[line]], num_beams=4, num_return_sequences=4)[0]
    other = next((h['ids'][1:] for h in best[1:] if h['ids'][1] != best[0]['ids'][1]), best[1]['ids'][1:])
    pad, start, eos = golden.pad, golden.start, golden.eos
    word = golden.tokenizer.convert_tokens_to_ids
    first, second = greedy[0], greedy[min(1, len(greedy) - 2)] if len(greedy) > 1 else greedy[0]
    table = golden.tokenizer.target_encoder if golden.tokenizer.separate_vocabs else golden.tokenizer.encoder
    dot = table['.']
    prefix = lambda n: [start] + other[:n]
    yield 'greedy', {'num_beams': 1}
    for beams in (2, 4, 6):
        yield f'beams-{beams}', {'num_beams': beams}
    yield 'n-best-4', {'num_beams': 4, 'num_return_sequences': 4}
    yield 'n-best-3-of-6', {'num_beams': 6, 'num_return_sequences': 3}
    for penalty in (0.0, 0.6, 2.0, -1.0):
        yield f'length-penalty-{penalty:g}', {'num_beams': 4, 'num_return_sequences': 4, 'length_penalty': penalty}
    for early in (True, 'never'):
        yield f'early-{early}'.lower(), {'num_beams': 4, 'num_return_sequences': 4, 'early_stopping': early}
    yield 'plain-greedy', {'num_beams': 1, 'renormalize_logits': False}
    yield 'plain-beams', {'num_beams': 4, 'num_return_sequences': 4, 'renormalize_logits': False}
    yield 'renormalize-beams', {'num_beams': 4, 'num_return_sequences': 4, 'renormalize_logits': True}
    for n in (1, 2, 3):
        if len(other) > n:
            yield f'prefix-{n}-greedy', {'num_beams': 1, 'decoder_input_ids': prefix(n)}
            yield f'prefix-{n}-beams', {'num_beams': 4, 'num_return_sequences': 4, 'decoder_input_ids': prefix(n)}
    yield 'max-length-6', {'num_beams': 1, 'max_length': 6}
    yield 'max-length-6-beams', {'num_beams': 4, 'num_return_sequences': 4, 'max_length': 6}
    yield 'no-repeat-2', {'num_beams': 4, 'no_repeat_ngram_size': 2}
    yield 'bad-word', {'num_beams': 4, 'num_return_sequences': 2, 'bad_words_ids': [[pad], [first]]}
    if not full:
        return
    for early in (True, 'never'):
        for penalty in (0.0, 2.0, -1.0):
            yield f'early-{early}-length-penalty-{penalty:g}'.lower(), {
                'num_beams': 4,
                'num_return_sequences': 4,
                'early_stopping': early,
                'length_penalty': penalty,
            }
    yield 'early-true-beams-2', {'num_beams': 2, 'num_return_sequences': 2, 'early_stopping': True}
    yield 'max-new-tokens-5', {'num_beams': 1, 'max_new_tokens': 5}
    yield 'max-new-tokens-5-beams', {'num_beams': 4, 'num_return_sequences': 4, 'max_new_tokens': 5}
    yield 'max-length-6-no-forced-eos', {'num_beams': 1, 'max_length': 6, 'forced_eos_token_id': None}
    yield 'max-length-6-no-forced-eos-beams', {
        'num_beams': 4,
        'num_return_sequences': 4,
        'max_length': 6,
        'forced_eos_token_id': None,
    }
    yield 'max-length-6-never', {
        'num_beams': 4,
        'num_return_sequences': 4,
        'max_length': 6,
        'early_stopping': 'never',
    }
    yield 'max-length-2-beams', {'num_beams': 4, 'num_return_sequences': 1, 'max_length': 2}
    for name, beams in (('', 1), ('-beams', 4)):
        more = {} if beams == 1 else {'num_return_sequences': 2}
        yield f'min-length-12{name}', {'num_beams': beams, 'min_length': 12, **more}
        yield f'min-new-tokens-12{name}', {'num_beams': beams, 'min_new_tokens': 12, **more}
        yield f'repetition-1.5{name}', {'num_beams': beams, 'repetition_penalty': 1.5, **more}
        yield f'repetition-0.8{name}', {'num_beams': beams, 'repetition_penalty': 0.8, 'max_length': 20, **more}
        yield f'no-repeat-1{name}', {'num_beams': beams, 'no_repeat_ngram_size': 1, **more}
        yield f'no-repeat-3{name}', {'num_beams': beams, 'no_repeat_ngram_size': 3, **more}
        yield f'suppress{name}', {'num_beams': beams, 'suppress_tokens': [pad, first, second], **more}
        yield f'begin-suppress{name}', {'num_beams': beams, 'begin_suppress_tokens': [first, other[0]], **more}
        yield f'bad-words-two{name}', {'num_beams': beams, 'bad_words_ids': [[pad], greedy[:2]], **more}
        yield f'bad-words-three{name}', {'num_beams': beams, 'bad_words_ids': [[pad], greedy[:3], [dot]], **more}
        yield f'bad-words-eos{name}', {'num_beams': beams, 'bad_words_ids': [[pad], [eos]], **more}
        yield f'bad-words-eos-only{name}', {'num_beams': beams, 'bad_words_ids': [[eos]], 'max_length': 20, **more}
        yield f'bad-words-end{name}', {
            'num_beams': beams,
            'bad_words_ids': [[pad], [dot, eos]],
            'max_length': 20,
            **more,
        }
        yield f'forced-bos{name}', {'num_beams': beams, 'forced_bos_token_id': other[0], **more}
        yield f'forced-bos-begin-suppress{name}', {
            'num_beams': beams,
            'forced_bos_token_id': other[0],
            'begin_suppress_tokens': [other[min(1, len(other) - 1)]],
            **more,
        }
        yield f'forced-eos-dot{name}', {'num_beams': beams, 'forced_eos_token_id': dot, 'max_length': 6, **more}
        yield f'forced-eos-list{name}', {
            'num_beams': beams,
            'forced_eos_token_id': [eos, dot],
            'max_length': 6,
            **more,
        }
        yield f'eos-list{name}', {'num_beams': beams, 'eos_token_id': [eos, dot], **more}
        yield f'eos-list-min{name}', {'num_beams': beams, 'eos_token_id': [eos, dot], 'min_new_tokens': 9, **more}
        if len(other) > 2:
            p = prefix(2)
            yield f'prefix-2-max-length-8{name}', {
                'num_beams': beams,
                'decoder_input_ids': p,
                'max_length': 8,
                **more,
            }
            yield f'prefix-2-max-new-tokens-5{name}', {
                'num_beams': beams,
                'decoder_input_ids': p,
                'max_new_tokens': 5,
                **more,
            }
            yield f'prefix-2-min-length-10{name}', {
                'num_beams': beams,
                'decoder_input_ids': p,
                'min_length': 10,
                **more,
            }
            yield f'prefix-2-min-new-tokens-10{name}', {
                'num_beams': beams,
                'decoder_input_ids': p,
                'min_new_tokens': 10,
                **more,
            }
            yield f'prefix-2-repetition{name}', {
                'num_beams': beams,
                'decoder_input_ids': p,
                'repetition_penalty': 1.5,
                **more,
            }
            yield f'prefix-2-no-repeat{name}', {
                'num_beams': beams,
                'decoder_input_ids': p,
                'no_repeat_ngram_size': 1,
                **more,
            }
            yield f'prefix-2-begin-suppress{name}', {
                'num_beams': beams,
                'decoder_input_ids': p,
                'begin_suppress_tokens': [other[2]],
                **more,
            }
            yield f'prefix-2-forced-bos{name}', {
                'num_beams': beams,
                'decoder_input_ids': p,
                'forced_bos_token_id': first,
                **more,
            }
            yield f'prefix-without-start{name}', {'num_beams': beams, 'decoder_input_ids': p[1:], **more}
    if len(other) > 2:
        for penalty in (0.0, 2.0, -1.0):
            yield f'prefix-2-length-penalty-{penalty:g}', {
                'num_beams': 4,
                'num_return_sequences': 4,
                'decoder_input_ids': prefix(2),
                'length_penalty': penalty,
            }
        yield 'prefix-2-never', {
            'num_beams': 4,
            'num_return_sequences': 4,
            'decoder_input_ids': prefix(2),
            'early_stopping': 'never',
        }
        yield 'prefix-2-early-true', {
            'num_beams': 4,
            'num_return_sequences': 4,
            'decoder_input_ids': prefix(2),
            'early_stopping': True,
        }


def unsupported_of(golden, line):
    greedy = golden.generate([golden.sources[line]], num_beams=1)[0][0]['ids'][1:]
    yield 'encoder-no-repeat', {'num_beams': 1, 'encoder_no_repeat_ngram_size': 2}
    yield 'encoder-repetition', {'num_beams': 1, 'encoder_repetition_penalty': 1.5}
    yield 'exponential-decay', {'num_beams': 1, 'exponential_decay_length_penalty': (4, 1.5)}
    yield 'sequence-bias', {'num_beams': 4, 'sequence_bias': [[[greedy[0]], -2.5]]}
    yield 'beam-groups', {'num_beams': 4, 'num_beam_groups': 2, 'diversity_penalty': 0.5}
    yield 'force-words', {'num_beams': 4, 'force_words_ids': [[greedy[0]]]}
    yield 'contrastive', {'num_beams': 1, 'penalty_alpha': 0.6, 'top_k': 4}
    yield 'temperature-without-sampling', {'num_beams': 1, 'temperature': 0.5, 'top_k': 5, 'top_p': 0.9}


def cases(golden):
    full = golden.name == 'opus'
    for line in range(len(golden.lines)):
        for case, settings in settings_of(golden, line, full):
            yield golden.record(case, line, settings)
        if full and line in (1, 4):
            for case, settings in unsupported_of(golden, line):
                yield golden.record(case, line, settings, unsupported=True, check=False)
    for case, settings in [
        ('batch-greedy', {'num_beams': 1}),
        ('batch-beams', {'num_beams': 4, 'num_return_sequences': 2}),
        ('batch-early-true', {'num_beams': 4, 'num_return_sequences': 2, 'early_stopping': True}),
        ('batch-max-length-6', {'num_beams': 4, 'num_return_sequences': 2, 'max_length': 6}),
    ]:
        together = golden.generate(golden.sources, **settings)
        for line, outputs in enumerate(together):
            alone = golden.generate([golden.sources[line]], **settings)[0]
            record = {'case': case, 'line': line, 'settings': settings, 'outputs': outputs}
            record['same'] = [o['ids'] for o in outputs] == [o['ids'] for o in alone]
            if not record['same']:
                record['alone'] = alone
            yield record


def tensors(golden):
    """Encoder output of every line as checksums; everything of a teacher-forced pass for three lines."""
    model, out, checks = golden.model, {}, []
    for line, source in enumerate(golden.sources):
        with torch.no_grad():
            hidden = model.model.encoder(torch.tensor([source])).last_hidden_state[0]
        checks.append(
            {
                'line': line,
                'text': golden.lines[line],
                'source': source,
                'sum': float(hidden.double().sum()),
                'abs_sum': float(hidden.double().abs().sum()),
                'first': hidden[0, :4].tolist(),
                'last': hidden[-1, -4:].tolist(),
            }
        )
        if line in (0, 1, 4):
            target = golden.generate([source], num_beams=1)[0][0]['ids'][1:]
            with torch.no_grad():
                forced = model(
                    input_ids=torch.tensor([source]),
                    decoder_input_ids=torch.tensor([[golden.start] + target[:-1]]),
                    output_attentions=True,
                    use_cache=False,
                )
            name = f'line{line}'
            out[f'{name}.source'] = torch.tensor(source, dtype=torch.int32)
            out[f'{name}.target'] = torch.tensor(target, dtype=torch.int32)
            out[f'{name}.encoder_last_hidden_state'] = forced.encoder_last_hidden_state[0]
            out[f'{name}.logits'] = forced.logits[0]
            for key in ('encoder_attentions', 'decoder_attentions', 'cross_attentions'):
                out[f'{name}.{key}'] = torch.stack([layer[0] for layer in getattr(forced, key)])
    return {k: v.contiguous() for k, v in out.items()}, checks


def tokens(golden):
    tokenizer = golden.tokenizer
    for text in EDGES:
        record = {'text': text, 'ids': tokenizer(text).input_ids, 'target_ids': tokenizer(text_target=text).input_ids}
        record['decoded'] = tokenizer.decode(record['target_ids'], skip_special_tokens=True)
        # the same text if nothing that a user types is a control token
        pieces = tokenizer.spm_source.encode(text, out_type=str)
        control = {'</s>', '<unk>', '<pad>', '<s>'}
        as_text = [tokenizer.encoder.get(p, 1) if p not in control else 1 for p in pieces] + [golden.eos]
        if as_text != record['ids']:
            record['ids_as_text'] = as_text
        yield record


def main():
    golden = Golden(sys.argv[1])
    other = [a for a in sys.argv[2:] if a != 'quick']
    out = Path(other[0]) if other else golden.directory
    out.mkdir(parents=True, exist_ok=True)
    if other:
        record = golden.record
        golden.record = lambda *a, **k: record(*a, **{**k, 'check': False})
    if 'quick' not in sys.argv:
        write_lines(out / 'cases.jsonl.gz', cases(golden))
    write_lines(out / 'tokenizer.jsonl.gz', tokens(golden))
    values, checks = tensors(golden)
    save_file(values, out / 'golden.safetensors')
    write_lines(out / 'lines.jsonl.gz', checks)
    print(golden.name, 'by transformers', transformers.__version__)


if __name__ == '__main__':
    main()
