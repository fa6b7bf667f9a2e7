"""What PyTorch computes when the golden models learn: gradients by tensor name, and ten steps of Adam. Used by hand.

    /usr/bin/python3 tests/golden/train.py        (after models.py, whose models it reads)

For each model of MODELS it writes, into tests/golden/train/,

    <model>.json          batches of pairs, options, the loss and the norm of the gradient of each of ten steps
    <model>.safetensors   the gradient of the first batch's loss by every trained tensor, F32

The loss is cross entropy with label smoothing, per target token. All is in 64-bit floats; see marian.py.
"""
import json
import os

import numpy as np
import torch
import torch.nn.functional as F

import tensorfile
from marian import Marian

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = ('postnorm-relu-shared', 'prenorm-gelu-separate-stored', 'swish-odd')
OPTIONS = {'learningRate': 0.004, 'warmupSteps': 4, 'schedule': 'inverse-sqrt', 'labelSmoothing': 0.1, 'clipNorm': 1.0}
STEPS = 10


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


def loss_of(config, tensors, batch):
    """Mean over the batch's target tokens."""
    model, total, tokens = Marian(config, tensors), 0.0, 0
    for pair in batch:
        logits = model.forward(pair['source'], pair['target'])['logits']
        target = torch.tensor(pair['target'])
        total = total + F.cross_entropy(logits, target, reduction='sum', label_smoothing=OPTIONS['labelSmoothing'])
        tokens += len(target)
    return total / tokens


def rate(step):
    return OPTIONS['learningRate'] * min(step / OPTIONS['warmupSteps'], (OPTIONS['warmupSteps'] / step) ** 0.5)


def make(name):
    folder = os.path.join(HERE, name)
    with open(os.path.join(folder, 'config.json'), encoding='utf-8') as file:
        config = json.load(file)
    tensors = read(os.path.join(folder, 'model.safetensors'))
    # a constant of the model, as Hugging Face has it
    trained = {key: value.requires_grad_() for key, value in tensors.items() if key != 'final_logits_bias'}
    data = batches(config, np.random.RandomState(len(name)))

    loss_of(config, tensors, data[0]).backward()
    gradients = {key: ('F32', value.grad.numpy().astype(np.float32)) for key, value in trained.items()}

    adam = torch.optim.Adam(trained.values(), betas=(0.9, 0.98), eps=1e-9)
    losses, norms = [], []
    for step in range(1, STEPS + 1):
        for group in adam.param_groups:
            group['lr'] = rate(step)
        adam.zero_grad()
        loss = loss_of(config, tensors, data[(step - 1) % len(data)])
        loss.backward()
        norms.append(torch.nn.utils.clip_grad_norm_(trained.values(), OPTIONS['clipNorm']).item())
        losses.append(loss.item())
        adam.step()

    folder = os.path.join(HERE, 'train')
    os.makedirs(folder, exist_ok=True)
    tensorfile.write(os.path.join(folder, f'{name}.safetensors'), gradients)
    with open(os.path.join(folder, f'{name}.json'), 'w', encoding='utf-8', newline='\n') as file:
        file.write(json.dumps({'options': OPTIONS, 'batches': data, 'losses': [round(x, 10) for x in losses],
                               'gradientNorms': [round(x, 8) for x in norms]}) + '\n')
    print(f'{name}: {len(gradients)} gradients, losses {losses[0]:.4f} ... {losses[-1]:.4f}')


if __name__ == '__main__':
    torch.set_num_threads(1)
    for model in MODELS:
        make(model)
