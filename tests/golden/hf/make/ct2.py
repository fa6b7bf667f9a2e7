"""
CTranslate2 as a second witness for opus: target prefix, length penalty, n-best.

    python ct2.py          writes ../ctranslate2.jsonl.gz
"""

import tempfile
from pathlib import Path

import ctranslate2
from ctranslate2.converters import TransformersConverter

from common import GOLDEN, write_lines
from marian_cases import Golden


def main():
    golden = Golden('opus')
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / 'ct2'
        TransformersConverter(str(golden.directory)).convert(str(out))
        translator = ctranslate2.Translator(
            str(out), device='cpu', inter_threads=1, intra_threads=1, compute_type='float32'
        )
        write_lines(GOLDEN / 'ctranslate2.jsonl.gz', cases(golden, translator))


def run(golden, translator, line, prefix=None, **options):
    tokens = golden.tokenizer.convert_ids_to_tokens(golden.sources[line])
    result = translator.translate_batch(
        [tokens],
        target_prefix=[prefix] if prefix else None,
        return_scores=True,
        return_logits_vocab=False,
        max_decoding_length=47,
        **options,
    )[0]
    table = golden.tokenizer.encoder
    return [
        {'ids': [table.get(t, 1) for t in hypothesis], 'score': score}
        for hypothesis, score in zip(result.hypotheses, result.scores)
    ]


def cases(golden, translator):
    """Each with transformers' result for the settings that say the same."""
    for line in range(len(golden.lines)):
        nbest = golden.generate([golden.sources[line]], num_beams=4, num_return_sequences=4)[0]
        other = next((h['ids'][1:] for h in nbest[1:] if h['ids'][1] != nbest[0]['ids'][1]), nbest[1]['ids'][1:])
        settings = [('greedy', 0, {'beam_size': 1}, {'num_beams': 1})]
        for penalty in (0, 1, 2):
            settings.append(
                (
                    f'beams-4-length-penalty-{penalty}',
                    0,
                    {'beam_size': 4, 'num_hypotheses': 4, 'length_penalty': penalty},
                    {'num_beams': 4, 'num_return_sequences': 4, 'length_penalty': float(penalty)},
                )
            )
        for n in (1, 2, 3):
            if len(other) <= n:
                continue
            settings.append((f'prefix-{n}-greedy', n, {'beam_size': 1}, {'num_beams': 1}))
            for penalty in (0, 1):
                settings.append(
                    (
                        f'prefix-{n}-beams-4-length-penalty-{penalty}',
                        n,
                        {'beam_size': 4, 'num_hypotheses': 4, 'length_penalty': penalty},
                        {'num_beams': 4, 'num_return_sequences': 4, 'length_penalty': float(penalty)},
                    )
                )
        settings.append(
            ('min-length-10', 0, {'beam_size': 4, 'min_decoding_length': 10}, {'num_beams': 4, 'min_new_tokens': 10})
        )
        settings.append(
            (
                'no-repeat-2',
                0,
                {'beam_size': 4, 'no_repeat_ngram_size': 2},
                {'num_beams': 4, 'no_repeat_ngram_size': 2},
            )
        )
        settings.append(
            (
                'repetition-1.5',
                0,
                {'beam_size': 1, 'repetition_penalty': 1.5},
                {'num_beams': 1, 'repetition_penalty': 1.5},
            )
        )
        settings.append(
            (
                'disable-unk',
                0,
                {'beam_size': 4, 'disable_unk': True},
                {'num_beams': 4, 'bad_words_ids': [[golden.pad], [1]]},
            )
        )
        for case, n, ours, theirs in settings:
            prefix = golden.tokenizer.convert_ids_to_tokens(other[:n]) if n else None
            if n:
                theirs = {**theirs, 'decoder_input_ids': [golden.start] + other[:n]}
            ct2 = run(golden, translator, line, prefix, **ours)
            hf = golden.generate([golden.sources[line]], **theirs)[0]
            record = {
                'case': case,
                'line': line,
                'ctranslate2': {'settings': ours, 'target_prefix': other[:n] if n else [], 'outputs': ct2},
                'transformers': {
                    'settings': theirs,
                    'outputs': [{k: o[k] for k in ('ids', 'score') if k in o} for o in hf],
                },
            }
            record['same_ids'] = [strip(o['ids']) for o in ct2] == [strip(o['ids'][1:]) for o in hf]
            if not record['same_ids']:  # does transformers agree if it stops as soon as there are enough?
                early = golden.generate([golden.sources[line]], early_stopping=True, **theirs)[0]
                record['same_ids_early_stopping'] = [strip(o['ids']) for o in ct2] == [
                    strip(o['ids'][1:]) for o in early
                ]
            yield record


def strip(ids):
    """Without </s>: CTranslate2 does not return it."""
    return ids[:-1] if ids and ids[-1] == 0 else ids


if __name__ == '__main__':
    main()
