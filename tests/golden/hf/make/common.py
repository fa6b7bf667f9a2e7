"""Parts that all generators share: the corpus, SentencePiece training, a short training loop, JSON lines."""

import gzip
import json
import os
import random
import sys
from pathlib import Path

os.environ.setdefault('HF_HUB_OFFLINE', '1')
os.environ.setdefault('TRANSFORMERS_VERBOSITY', 'error')

import numpy as np
import sentencepiece as spm
import torch
from transformers import LogitsProcessor

torch.set_num_threads(1)

NOISE = 2e-5  # a result that changes when every logit moves by less than this is marked fragile

HERE = Path(__file__).resolve().parent
GOLDEN = HERE.parent
PHRASES = HERE.parents[4] / 'shared' / 'data' / 'phrases'  # beside the repository
LANGUAGES = ['en', 'de', 'fr', 'es']


def corpus():
    """The four columns of data/phrases (CC0), short and middle-long lines only."""
    rows = []
    for name in ['daily', 'talk', 'web', 'grammar', 'business', 'news']:
        for line in (PHRASES / f'{name}.tsv').read_text(encoding='utf-8').splitlines():
            row = line.split('\t')
            if len(row) == 4 and all(1 <= len(cell) <= 90 for cell in row):
                rows.append(row)
    return rows


def train_spm(path, lines, size, kind='unigram', rule='nmt_nfkc', **options):
    """A SentencePiece model; the same lines give the same bytes."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, 'wb') as out:
        spm.SentencePieceTrainer.train(
            sentence_iterator=iter(lines),
            model_writer=out,
            vocab_size=size,
            model_type=kind,
            normalization_rule_name=rule,
            num_threads=1,
            shuffle_input_sentence=False,
            minloglevel=2,
            **options,
        )
    model = spm.SentencePieceProcessor()
    model.Load(str(path))
    return model


def spm_proto(data):
    from sentencepiece import sentencepiece_model_pb2 as proto  # needs protobuf

    model = proto.ModelProto()
    model.ParseFromString(data)
    return model


def without_charsmap(path):
    """The same pieces, nothing normalised: a quarter of a megabyte less."""
    model = spm_proto(Path(path).read_bytes())
    model.normalizer_spec.name = 'identity'
    model.normalizer_spec.precompiled_charsmap = b''
    Path(path).write_bytes(model.SerializeToString())


# a few rules of nmt_nfkc, so that a charsmap is there and small
RULES = {
    '\u00a0': ' ',
    '\u3000': ' ',
    '\u2009': ' ',
    '\t': ' ',
    '\n': ' ',
    '\u200b': '',
    '\ufb01': 'fi',
    '\u00bd': '1\u20442',
    '\uff28': 'H',
    'e\u0301': '\u00e9',
    '\u2026': '...',
    '\u00b2': '2',
}


def with_small_charsmap(path):
    """The same pieces, normalised by RULES."""
    import io
    import tempfile

    code = lambda text: ' '.join(f'{ord(c):X}' for c in text)
    with tempfile.NamedTemporaryFile('w', suffix='.tsv') as rules:
        rules.write(''.join(f'{code(a)}\t{code(b)}\n' for a, b in RULES.items()))
        rules.flush()
        out = io.BytesIO()
        spm.SentencePieceTrainer.train(
            sentence_iterator=iter(['a b c d e f'] * 9),
            model_writer=out,
            vocab_size=11,
            normalization_rule_tsv=rules.name,
            minloglevel=2,
        )
    model = spm_proto(Path(path).read_bytes())
    model.normalizer_spec.name = 'user_defined'
    model.normalizer_spec.precompiled_charsmap = spm_proto(out.getvalue()).normalizer_spec.precompiled_charsmap
    Path(path).write_bytes(model.SerializeToString())


def seed(value):
    random.seed(value)
    np.random.seed(value)
    torch.manual_seed(value)


def train(
    model, pairs, steps, *, start, pad, columns=None, bias=None, batch=48, rate=3e-3, smoothing=0.1, prefix=None
):
    """
    Teach `model` pairs of (source ids, target ids), both with their end token.  `columns` cuts the logits (Marian's
    <pad> is no target), `bias` is added to them and learnt, `prefix` says which target tokens come before the loss begins.
    """
    model.train()
    parameters = [p for p in model.parameters() if p.requires_grad] + ([bias] if bias is not None else [])
    optimiser = torch.optim.Adam(parameters, lr=rate, betas=(0.9, 0.98), eps=1e-9)
    random_state = random.Random(1)
    queue, total, done = [], 0.0, 0
    for step in range(steps):
        if not queue:
            order = list(range(len(pairs)))
            random_state.shuffle(order)
            chunks = []
            for at in range(0, len(order), batch * 20):
                part = sorted(order[at : at + batch * 20], key=lambda i: len(pairs[i][0]) + len(pairs[i][1]))
                chunks += [part[k : k + batch] for k in range(0, len(part), batch)]
            random_state.shuffle(chunks)
            queue = chunks
        rows = [pairs[i] for i in queue.pop()]
        width, height = max(len(s) for s, _ in rows), max(len(t) for _, t in rows)
        source = torch.full((len(rows), width), pad)
        mask = torch.zeros((len(rows), width), dtype=torch.long)
        target = torch.full((len(rows), height), -100)
        inputs = torch.full((len(rows), height), pad)
        for r, (s, t) in enumerate(rows):
            source[r, : len(s)] = torch.tensor(s)
            mask[r, : len(s)] = 1
            target[r, : len(t)] = torch.tensor(t)
            inputs[r, : len(t)] = torch.tensor([start] + t[:-1])
        warm = min((step + 1) / 200, 1.0) * min(1.0, 2 * (1 - step / steps) + 0.02)
        for group in optimiser.param_groups:
            group['lr'] = rate * warm
        logits = model(input_ids=source, attention_mask=mask, decoder_input_ids=inputs, use_cache=False).logits
        if bias is not None:
            logits = logits + bias
        if columns is not None:
            logits = logits[..., :columns]
        loss = torch.nn.functional.cross_entropy(
            logits.reshape(-1, logits.shape[-1]), target.reshape(-1), ignore_index=-100, label_smoothing=smoothing
        )
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        total, done = total + loss.item(), done + 1
        if (step + 1) % 250 == 0:
            print(f'  step {step + 1}: loss {total / done:.3f}', file=sys.stderr, flush=True)
            total, done = 0.0, 0
    model.eval()


def dump(value):
    """Compact JSON; floats with as many digits as a float32 has."""

    def plain(x):
        if isinstance(x, torch.Tensor):
            x = x.tolist()
        if isinstance(x, (np.floating, float)):
            x = float(x)
            return x if x != x or x in (float('inf'), float('-inf')) else float(f'{x:.7g}')
        if isinstance(x, np.integer):
            return int(x)
        if isinstance(x, dict):
            return {k: plain(v) for k, v in x.items()}
        if isinstance(x, (list, tuple)):
            return [plain(v) for v in x]
        return x

    return json.dumps(plain(value), ensure_ascii=False, separators=(',', ':'))


def write_json(path, value, indent=2):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(json.dumps(value, ensure_ascii=False, indent=indent) + '\n', encoding='utf-8')


def write_lines(path, values):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    text = ''.join(dump(value) + '\n' for value in values)
    Path(path).write_bytes(gzip.compress(text.encode(), mtime=0))


class Noise(LogitsProcessor):
    def __init__(self):
        self.random = torch.Generator().manual_seed(5)

    def __call__(self, ids, scores):
        return scores + NOISE * (2 * torch.rand(scores.shape, generator=self.random) - 1)
