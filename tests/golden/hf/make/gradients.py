"""What PyTorch computes when the models of golden/hf/families learn. Used by hand.

    python3 tests/golden/hf/make/gradients.py        (transformers 5.23.0, torch 2.13.0)

Writes families/gradients.json.gz: for each model batches of pairs, options, the loss and the norm of the gradient of
each of ten steps of Adam, and of the first batch's gradient by every tensor its norm and its products with four vectors
of signs, which families-train.test.js makes of the same integers. In 64-bit floats, by transformers' own classes.
"""
import gzip
import json
import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from transformers import AutoModelForSeq2SeqLM

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
from train import OPTIONS, STEPS, batches, rate  # noqa: E402

FAMILIES = HERE.parent / 'families'
NAMES = ['m2m100', 'nllb', 'mbart50', 't5', 't5-v1.1', 'mt5', 'byt5']
VECTORS = 4


def signs(n, vector):
    """-1 and 1, from the finalizer of murmur3."""
    x = np.arange(n, dtype=np.uint32) + np.uint32(vector << 24)
    x = (x ^ x >> np.uint32(16)) * np.uint32(0x85ebca6b)
    x = (x ^ x >> np.uint32(13)) * np.uint32(0xc2b2ae35)
    return 1.0 - 2.0 * ((x ^ x >> np.uint32(16)) & np.uint32(1))


def loss_of(model, batch):
    total, tokens = 0.0, 0
    for pair in batch:
        target = torch.tensor(pair['target'])
        fed = torch.tensor([[model.config.decoder_start_token_id, *pair['target'][:-1]]])
        logits = model(input_ids=torch.tensor([pair['source']]), decoder_input_ids=fed, use_cache=False).logits[0]
        total = total + F.cross_entropy(logits, target, reduction='sum', label_smoothing=OPTIONS['labelSmoothing'])
        tokens += len(target)
    return total / tokens


def make(name):
    model = AutoModelForSeq2SeqLM.from_pretrained(FAMILIES / name, dtype=torch.float64).eval()
    c = model.config
    trained = dict(model.named_parameters())
    size = {'vocab_size': c.vocab_size, 'decoder_vocab_size': c.vocab_size}
    data = batches({**size, 'pad_token_id': c.pad_token_id, 'eos_token_id': c.eos_token_id},
                   np.random.RandomState(len(name)))
    loss_of(model, data[0]).backward()
    gradients = {}
    for key, value in trained.items():
        flat = value.grad.numpy().ravel()
        products = [float(flat @ signs(len(flat), i)) for i in range(VECTORS)]
        gradients[key] = [float(f'{x:.9g}') for x in [np.linalg.norm(flat), *products]]
    adam = torch.optim.Adam(trained.values(), betas=(0.9, 0.98), eps=1e-9)
    losses, norms = [], []
    for step in range(1, STEPS + 1):
        for group in adam.param_groups:
            group['lr'] = rate(step)
        adam.zero_grad()
        loss = loss_of(model, data[(step - 1) % len(data)])
        loss.backward()
        norms.append(round(torch.nn.utils.clip_grad_norm_(trained.values(), OPTIONS['clipNorm']).item(), 8))
        losses.append(round(loss.item(), 10))
        adam.step()
    print(f'{name}: {len(gradients)} gradients, losses {losses[0]:.4f} ... {losses[-1]:.4f}')
    return {'options': OPTIONS, 'batches': data, 'losses': losses, 'gradientNorms': norms, 'gradients': gradients}


torch.set_num_threads(1)
text = json.dumps({name: make(name) for name in NAMES}, separators=(',', ':'))
(FAMILIES / 'gradients.json.gz').write_bytes(gzip.compress(text.encode(), mtime=0))
