"""Training speed of heed-train and of the same model in PyTorch, in one run. Used by hand.

    make build/heed-train && /usr/bin/python3 tests/bench/train.py [seconds of each] [threads]

d 256, ffn 1024, 3 + 3 layers, 4 heads, 8,000 pieces, tied, post-norm, ReLU, dropout 0.1, label smoothing 0.1, Adam,
about 4,096 target tokens a step, on the pairs of ../shared/data/en-de. PyTorch gets nn.Transformer's layers, batches of
pairs of like length (it has to pad), and one thread for each of heed-train's; the better of its f32 and bf16 is what
counts. The engines take turns, so that a busy machine is busy for all of them; the median of the turns is given.
"""
import gzip
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
DATA = os.path.join(ROOT, '..', 'shared', 'data', 'en-de.train.tsv.gz')
SPM = os.path.join(ROOT, 'models', 'de-en-es-fr', 'source.spm')
PAIRS, TOKENS, TURNS = 30000, 4096, 3


def torch_speed(threads, dtype, seconds):
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
    import sentencepiece
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    spm = sentencepiece.SentencePieceProcessor(model_file=SPM)
    pairs = []
    with gzip.open(DATA, 'rt', encoding='utf-8') as file:
        for _, line in zip(range(PAIRS), file):
            source, target = line.rstrip('\n').split('\t')[:2]
            pairs.append((spm.encode(source) + [2], spm.encode(target) + [2]))
    pairs.sort(key=lambda p: (len(p[1]), len(p[0])))
    batches, batch, longest = [], [], 0
    for pair in pairs:
        longest = max(longest, len(pair[1]))
        if batch and longest * (len(batch) + 1) > TOKENS:
            batches.append(batch)
            batch, longest = [], len(pair[1])
        batch.append(pair)
    order = torch.randperm(len(batches))

    def pad(rows):
        width = max(map(len, rows))
        return torch.tensor([row + [0] * (width - len(row)) for row in rows])

    class Model(nn.Module):
        def __init__(self, d=256):
            super().__init__()
            self.embedding = nn.Embedding(8000, d)
            nn.init.normal_(self.embedding.weight, std=d ** -0.5)
            args = dict(d_model=d, nhead=4, dim_feedforward=1024, dropout=0.1, batch_first=True)
            self.encoder = nn.ModuleList(nn.TransformerEncoderLayer(**args) for _ in range(3))
            self.decoder = nn.ModuleList(nn.TransformerDecoderLayer(**args) for _ in range(3))
            angles = torch.arange(512)[:, None] / 10000 ** (torch.arange(d // 2)[None] * 2 / d)
            self.register_buffer('positions', torch.cat([angles.sin(), angles.cos()], 1))

        def embed(self, ids):
            return F.dropout(self.embedding(ids) * 16 + self.positions[:ids.shape[1]], 0.1)

        def forward(self, source, target):
            hidden, causal = source == 0, torch.ones(target.shape[1], target.shape[1]).triu(1).bool()
            x = self.embed(source)
            for layer in self.encoder:
                x = layer(x, src_key_padding_mask=hidden)
            y = self.embed(target)
            for layer in self.decoder:
                y = layer(y, x, tgt_mask=causal, memory_key_padding_mask=hidden)
            return y

    model = Model()
    adam = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9)
    started, tokens, steps = None, 0, 0
    while True:
        if steps == 2:  # the first two warm up
            started, tokens = time.time(), 0
        batch = batches[order[steps % len(batches)]]
        source, target = pad([s for s, _ in batch]), pad([t for _, t in batch])
        inputs = torch.cat([torch.zeros(len(batch), 1, dtype=torch.long), target[:, :-1]], 1)
        real = target != 0
        adam.zero_grad()
        with torch.autocast('cpu', dtype=torch.bfloat16, enabled=dtype == 'bf16'):
            logits = model(source, inputs)[real] @ model.embedding.weight.T
        loss = F.cross_entropy(logits.float(), target[real], label_smoothing=0.1)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
        tokens += int(real.sum())
        steps += 1
        if started and time.time() - started > seconds:
            return tokens / (time.time() - started)


def heed_speed(threads, product, seconds, folder, corpus):
    command = [os.path.join(ROOT, 'build', 'heed-train'), '--train', corpus, '--spm', SPM, '--out', folder, '--threads',
               str(threads), '--gemm', product, '--minutes', str(seconds / 60), '--report', '2', '--batch', str(TOKENS),
               '--join', '0']
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    speeds = [float(n) for n in re.findall(r'([\d.]+) tokens/s', output)]
    return statistics.median(speeds), int(re.search(r'peak memory (\d+) MB', output).group(1))


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else os.cpu_count()
    if not os.path.exists(DATA):
        sys.exit('tests/bench/train.py: skipped: ../shared/data is missing')
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        corpus, out = os.path.join(folder, 'train.tsv'), os.path.join(folder, 'out')
        with gzip.open(DATA, 'rb') as file, open(corpus, 'wb') as copy:
            copy.writelines(line for _, line in zip(range(PAIRS), file))
        os.mkdir(out)
        for _ in range(TURNS):
            for product in ('f32', 'auto'):
                found.setdefault(f'heed-train {product}', []).append(heed_speed(threads, product, seconds, out, corpus))
            for dtype in ('f32', 'bf16'):
                inner = [sys.executable, __file__, '--torch', str(threads), dtype, str(seconds)]
                result = json.loads(subprocess.run(inner, check=True, capture_output=True, text=True).stdout)
                found.setdefault(f'PyTorch {dtype}', []).append(tuple(result))
    medians = {name: [statistics.median(column) for column in zip(*turns)] for name, turns in found.items()}
    best = max(speed for name, (speed, _) in medians.items() if name.startswith('PyTorch'))
    print(f'{threads} threads, medians of {TURNS} turns of {seconds:.0f} s; 1.00 is the better of PyTorch')
    for name, (speed, memory) in medians.items():
        print(f'{name:16} {speed:7.0f} target tokens/s  {speed / best:5.2f}  peak {memory:5.0f} MB')


if __name__ == '__main__':
    if sys.argv[1:2] == ['--torch']:
        import resource
        rate = torch_speed(int(sys.argv[2]), sys.argv[3], float(sys.argv[4]))
        print(json.dumps([rate, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
    else:
        main()
