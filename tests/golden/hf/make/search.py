"""
transformers' search in plain steps, checked against cases.jsonl.gz.  A description to read, not a generator.

    python search.py opus|untied|multi
"""

import gzip
import json
import math
import sys

import torch

from common import GOLDEN
from marian_cases import Golden


def process(scores, ids, s, prompt):
    """The logits processors, in their order; `ids` begins with the start token, `prompt` ids are not new."""
    scores = scores.clone()
    now, new = len(ids), len(ids) - prompt
    if s['repetition_penalty'] != 1:
        for i in set(ids):
            scores[i] = scores[i] * s['repetition_penalty'] if scores[i] < 0 else scores[i] / s['repetition_penalty']
    n = s['no_repeat_ngram_size']
    if n and now + 1 >= n:
        head = ids[now - n + 1 :]
        for at in range(now - n + 1):
            if ids[at : at + n - 1] == head:
                scores[ids[at + n - 1]] = -math.inf
    for word in s['bad_words_ids']:
        if word not in [[e] for e in s['eos']] and ids[now - len(word) + 1 :] == word[:-1] and now >= len(word) - 1:
            scores[word[-1]] = -math.inf
    if now < s['min_length'] or new < s['min_new_tokens']:
        scores[s['eos']] = -math.inf
    for at, token in ((1, s['forced_bos_token_id']), (s['max_length'] - 1, s['forced_eos_token_id'])):
        if token is not None and now == at:
            scores[:] = -math.inf
            scores[token] = 0
    scores[s['suppress_tokens']] = -math.inf
    if now == (prompt if prompt > 1 or s['forced_bos_token_id'] is None else 2):
        scores[s['begin_suppress_tokens']] = -math.inf
    return scores.log_softmax(-1) if s['renormalize_logits'] else scores


def search(logits_of, prompt_ids, s):
    """One list of (ids, score), best first."""
    prompt, N, longest, penalty = len(prompt_ids), s['num_beams'], s['max_length'], s['length_penalty']
    if N == 1:
        ids = list(prompt_ids)
        while len(ids) < longest:
            ids.append(int(process(logits_of([ids])[0], ids, s, prompt).argmax()))
            if ids[-1] in s['eos']:
                break
        return [(ids, None)]
    live, kept = [(0.0, list(prompt_ids))], []
    while True:
        candidates = []
        for (total, ids), logits in zip(live, logits_of([ids for _, ids in live])):
            scores = process(logits.log_softmax(-1), ids, s, prompt)
            candidates += [
                (total + scores[i].item(), ids + [i]) for i in scores.topk(min(len(scores), 3 * N)).indices.tolist()
            ]
        candidates.sort(key=lambda c: -c[0])
        candidates = candidates[: N * max(2, 1 + len(s['eos']))]
        n = len(candidates[0][1]) - prompt
        ends = lambda c: c[1][-1] in s['eos'] or len(c[1]) == longest
        for rank, c in enumerate(candidates):
            if ends(c) and rank < N and c[0] > -math.inf:
                kept.append((c[1], c[0] / n**penalty))
        kept = sorted(kept, key=lambda k: -k[1])[:N]
        live = [c for c in candidates if not ends(c)][:N]
        if not live:
            break
        length = longest - prompt if s['early_stopping'] == 'never' and penalty > 0 else n
        if len(kept) == N and (s['early_stopping'] is True or live[0][0] / length**penalty <= kept[-1][1]):
            break
    return kept[: s['num_return_sequences']]


def main():
    golden = Golden(sys.argv[1])
    model, file = golden.model, json.loads((golden.directory / 'generation_config.json').read_text())
    defaults = {
        'num_beams': 1,
        'num_return_sequences': 1,
        'length_penalty': 1.0,
        'early_stopping': False,
        'repetition_penalty': 1.0,
        'no_repeat_ngram_size': 0,
        'bad_words_ids': [],
        'min_length': 0,
        'min_new_tokens': 0,
        'forced_bos_token_id': None,
        'forced_eos_token_id': None,
        'suppress_tokens': [],
        'begin_suppress_tokens': [],
        'renormalize_logits': False,
        **file,
    }
    total = wrong = 0
    for text in gzip.open(golden.directory / 'cases.jsonl.gz', 'rt', encoding='utf-8'):
        record = json.loads(text)
        if record.get('unsupported') or record.get('fragile'):
            continue
        s = {**defaults, **record['settings']}
        s['eos'] = s['eos_token_id'] if isinstance(s['eos_token_id'], list) else [s['eos_token_id']]
        prompt = s.get('decoder_input_ids', [golden.start])
        if prompt[0] != golden.start:
            prompt = [golden.start] + prompt
        if 'max_new_tokens' in record['settings']:
            s['max_length'] = len(prompt) + s['max_new_tokens']
        source = torch.tensor([golden.sources[record['line']]])
        with torch.no_grad():
            hidden = model.model.encoder(source).last_hidden_state

            def logits_of(rows):
                states = model.model.decoder(
                    input_ids=torch.tensor(rows),
                    use_cache=False,
                    encoder_hidden_states=hidden.expand(len(rows), -1, -1),
                ).last_hidden_state
                return model.lm_head(states[:, -1]) + model.final_logits_bias[0]

            found = search(logits_of, prompt, s)
        total += 1
        same = [ids for ids, _ in found] == [o['ids'] for o in record['outputs']]
        near = same and all(
            score is None or abs(score - o['score']) <= 1e-4 * max(1, abs(o['score']))
            for (_, score), o in zip(found, record['outputs'])
        )
        if not near:
            wrong += 1
            print('differs:', record['case'], record['line'], found[:2], record['outputs'][:2])
    print(f'{golden.name}: {total - wrong} of {total} equal')


if __name__ == '__main__':
    main()
