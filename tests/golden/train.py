"""What PyTorch computes when the golden models learn: gradients by tensor name, and ten steps of Adam, or of Muon. Used
by hand.

    /usr/bin/python3 tests/golden/train.py        (after models.py, whose models it reads)

For each model of MODELS it writes, into tests/golden/train/,

    <model>.json          batches of pairs, options, the loss and the norm of the gradient of each of ten steps
    <model>.safetensors   the gradient of the first batch's loss by every trained tensor, F32

The loss is cross entropy with label smoothing, per target token. All is in 64-bit floats; see marian.py. A model of
GUIDED learns once more, into <model>-guided.*: its pairs have links, which guide a head of the last layer's cross
attention, and weights of attention are dropped, by the very masks that heed draws. A model of MUON learns once more,
into <model>-muon.*: torch.optim.Muon, made to stay in 64 bits, learns its matrices of projections, and Adam the rest.
"""
import json
import os

import numpy as np
import torch
import torch.nn.functional as F

import tensorfile
from marian import Marian

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = ('postnorm-relu-shared', 'prenorm-gelu-separate-stored', 'swish-odd', 'ssru')
OPTIONS = {'learningRate': 0.004, 'warmupSteps': 4, 'schedule': 'inverse-sqrt', 'labelSmoothing': 0.1, 'clipNorm': 1.0}
STEPS = 10
GUIDED = {'swish-odd': {'attentionDropout': 0.25, 'guided': 0.5, 'guidedHead': 4, 'seed': 3}}
MUON = ('postnorm-relu-shared', 'ssru')
BITS = (1 << 64) - 1


def mix(x):
    """splitmix64's finalizer, as src/train/random.h has it."""
    x = (x + 0x9e3779b97f4a7c15) & BITS
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 & BITS
    x = (x ^ x >> 27) * 0x94d049bb133111eb & BITS
    return x ^ x >> 31


def key_of(key, part):
    return mix(key ^ mix(part))


def mask(shape, probability, key):
    """0 or 1 / (1 - probability) for each cell: dropout() of src/train/backward.c."""
    low, high = np.uint32(key & 0xffffffff), np.uint32(key >> 32)
    i = np.arange(int(np.prod(shape)), dtype=np.uint32)
    i = (i ^ low) * np.uint32(0x85ebca6b)
    i = (i ^ i >> np.uint32(15) ^ high) * np.uint32(0xc2b2ae35)
    i = (i ^ i >> np.uint32(13)) * np.uint32(0x27d4eb2f)
    kept = (i ^ i >> np.uint32(16)) >> np.uint32(8) >= int(probability * 2 ** 24)
    return torch.from_numpy(kept.reshape(shape) / (1 - probability))


class Dropping(Marian):
    """Drops weights of attention; `key` is that of a pass, `pair` the sentence's number in it."""

    def __init__(self, config, tensors, probability, key, pair):
        super().__init__(config, tensors)
        self.probability, self.key, self.pair = probability, key, pair

    def drop(self, maps, name):
        _, stack, _, layer, part = name.split('.')
        place = int(layer) * (3 if stack == 'decoder' else 2) + (part == 'encoder_attn')
        key = key_of(key_of(self.key, (stack == 'decoder') << 32 | place + 1), self.pair)
        return torch.stack([m * mask(m.shape, self.probability, key_of(key, h)) for h, m in enumerate(maps)])


def read(path):
    """name -> float64 tensor of a safetensors file of F32."""
    with open(path, 'rb') as file:
        raw = file.read()
    size = int.from_bytes(raw[:8], 'little')
    out = {}
    for name, entry in json.loads(raw[8:8 + size]).items():
        if name == '__metadata__':
            continue
        start, end = entry['data_offsets']
        values = np.frombuffer(raw[8 + size + start:8 + size + end], np.float32)
        out[name] = torch.from_numpy(values.reshape(entry['shape']).copy()).double()
    return out


def batches(config, rng):
    """Three batches of ragged pairs; both sides end with </s>, and one of each batch is no more than that."""
    def ids(vocabulary, n):
        special = {config['pad_token_id'], config['eos_token_id']}
        choice = [i for i in range(vocabulary) if i not in special]
        return [int(i) for i in rng.choice(choice, n - 1)] + [config['eos_token_id']]

    sizes = [[(7, 5), (1, 2), (3, 9)], [(4, 1), (12, 11)], [(2, 2), (6, 7), (5, 3), (9, 10)]]
    return [[{'source': ids(config['vocab_size'], s), 'target': ids(config['decoder_vocab_size'], t)} for s, t in batch]
            for batch in sizes]


def add_links(data, rng):
    """Links [source, target] of about half of the target tokens, some of which have two; the last pair has none."""
    for pair in (pair for batch in data for pair in batch[:-1]):
        S, T = len(pair['source']), len(pair['target'])
        some = rng.choice(T, (T + 1) // 2, replace=False)
        pair['links'] = [[int(s), int(t)] for t in some for s in rng.choice(S, min(S, 1 + t % 2), replace=False)]


def alignment_loss(probs, links):
    """Sum over the linked target tokens of cross entropy against their source tokens, all alike; their number."""
    total, tokens = 0.0, {t for _, t in links}
    for t in tokens:
        sources = [s for s, other in links if other == t]
        total = total - probs[t, sources].log().sum() / len(sources)
    return total, len(tokens)


def loss_of(config, tensors, batch, guided=None, step=0):
    """Mean over the batch's target tokens, and that of alignment over the linked ones."""
    total, tokens, alignment, linked = 0.0, 0, 0.0, 0
    for i, pair in enumerate(batch):
        model = Dropping(config, tensors, guided['attentionDropout'], key_of(key_of(guided['seed'], step), 0), i) \
            if guided else Marian(config, tensors)
        found = model.forward(pair['source'], pair['target'])
        logits = found['logits']
        if guided:
            sums = alignment_loss(found['cross'][-1, guided['guidedHead']], pair.get('links', []))
            alignment, linked = alignment + sums[0], linked + sums[1]
        target = torch.tensor(pair['target'])
        total = total + F.cross_entropy(logits, target, reduction='sum', label_smoothing=OPTIONS['labelSmoothing'])
        tokens += len(target)
    if not guided:
        return total / tokens, total / tokens, 0.0
    return (total + guided['guided'] * alignment) / tokens, total / tokens, (alignment / linked).item()


def rate(step):
    return OPTIONS['learningRate'] * min(step / OPTIONS['warmupSteps'], (OPTIONS['warmupSteps'] / step) ** 0.5)


def is_projection(name, tensors):
    """Whether Muon learns a tensor: all matrices of layers are of projections."""
    return '.layers.' in name and tensors[name].dim() == 2


def make(name, guided=None, muon=False):
    folder = os.path.join(HERE, name)
    with open(os.path.join(folder, 'config.json'), encoding='utf-8') as file:
        config = json.load(file)
    tensors = read(os.path.join(folder, 'model.safetensors'))
    # a constant of the model, as Hugging Face has it
    trained = {key: value.requires_grad_() for key, value in tensors.items() if key != 'final_logits_bias'}
    data = batches(config, np.random.RandomState(len(name)))
    if guided:
        add_links(data, np.random.RandomState(1))

    loss_of(config, tensors, data[0], guided)[0].backward()
    gradients = {key: ('F32', value.grad.numpy().astype(np.float32)) for key, value in trained.items()}

    matrices = [value for key, value in trained.items() if muon and is_projection(key, tensors)]
    others = [value for value in trained.values() if not any(value is matrix for matrix in matrices)]
    optimizers = [torch.optim.Adam(others, betas=(0.9, 0.98), eps=1e-9)]
    if muon:
        optimizers.append(torch.optim.Muon(matrices, weight_decay=0.0, adjust_lr_fn='match_rms_adamw'))
    losses, norms, alignment = [], [], []
    for step in range(1, STEPS + 1):
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group['lr'] = rate(step)
            optimizer.zero_grad()
        whole, loss, aligned = loss_of(config, tensors, data[(step - 1) % len(data)], guided, step - 1)
        whole.backward()
        alignment.append(aligned)
        norms.append(torch.nn.utils.clip_grad_norm_(trained.values(), OPTIONS['clipNorm']).item())
        losses.append(loss.item())
        for optimizer in optimizers:
            optimizer.step()

    folder = os.path.join(HERE, 'train')
    os.makedirs(folder, exist_ok=True)
    name += '-guided' if guided else '-muon' if muon else ''
    more = {'alignmentLosses': [round(x, 10) for x in alignment]} if guided else {}
    if muon:  # the gradients are those of the model without it
        more = {'weights': {key: [round(x, 8) for x in value[0, :4].tolist()] for key, value in trained.items()
                            if is_projection(key, tensors)}}
    else:
        tensorfile.write(os.path.join(folder, f'{name}.safetensors'), gradients)
    with open(os.path.join(folder, f'{name}.json'), 'w', encoding='utf-8', newline='\n') as file:
        options = {**OPTIONS, **(guided or {}), **({'optimizer': 'muon'} if muon else {})}
        file.write(json.dumps({'options': options, 'batches': data,
                               'losses': [round(x, 10) for x in losses],
                               'gradientNorms': [round(x, 8) for x in norms], **more}) + '\n')
    print(f'{name}: {len(gradients)} gradients, losses {losses[0]:.4f} ... {losses[-1]:.4f}')


if __name__ == '__main__':
    torch.set_num_threads(1)
    for model in MODELS:
        make(model)
        if model in GUIDED:
            make(model, GUIDED[model])
    torch.Tensor.bfloat16 = torch.Tensor.double  # Muon would round to 8 bits
    for model in MUON:
        make(model, muon=True)
