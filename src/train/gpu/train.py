"""train.py - the counterpart of heed-train for a GPU: the same corpus, vocabulary, model and loss.

    python3 src/train/gpu/train.py --spm spm.model --train everyday.tsv:4 --train docs.tsv:2 --dev en-de=dev.tsv \
        --out run --minutes 25

Needs PyTorch, sentencepiece and safetensors. Writes to the directory: model.safetensors (the exponential mean of the
weights, F16 or F32), checkpoint.pt (a later run continues from it, with other random numbers), log.tsv. The loss of
heed-train is the reference: `--exact` computes in float32 without noise, sampling or dropout, on the lines of one file
as one batch.
"""
import argparse
import json
import math
import os
import time

import sentencepiece
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

from data import Pairs, encode, pad
from model import Marian


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    add = parser.add_argument
    add('--train', action='append', default=[], metavar='FILE[:SHARE]')
    add('--dev', action='append', default=[], metavar='NAME=FILE')
    add('--spm', required=True)
    add('--out', required=True)
    add('--config', action='append', default=[], metavar='KEY=NUMBER', help='of config.json')
    add('--init', help='model.safetensors to start from')
    add('--minutes', type=float, default=25)
    add('--steps', type=int, default=10 ** 9)
    add('--total', type=int, default=40000, help='steps of the schedule')
    add('--batch', type=int, default=32768, help='target tokens per step, including padding')
    add('--longest', type=int, default=192)
    add('--rate', type=float, default=2e-3)
    add('--warmup', type=int, default=2000)
    add('--schedule', choices=('inverse-sqrt', 'linear'), default='linear', help='linear: down to 0 at the end')
    add('--dropout', type=float, default=0.1)
    add('--attention-dropout', type=float, default=0.0)
    add('--smoothing', type=float, default=0.1)
    add('--clip', type=float, default=1.0)
    add('--ema', type=float, default=0.9995)
    add('--alpha', type=float, default=0.2, help='temperature of subword sampling')
    add('--sampled', type=float, default=0.5, help='share of the pairs whose subwords are sampled')
    add('--join', type=float, default=0.1)
    add('--guided', type=float, default=0.0, help='weight of the loss of alignment; files need a column of links')
    add('--head', type=int, default=0, help='head of the last decoder layer that learns the alignment')
    add('--noise', default='capitals=0.01,small=0.03,title=0.01,stops=0.04,typos=0.03')
    add('--workers', type=int, default=14)
    add('--report', type=int, default=100)
    add('--evaluate', type=int, default=2000)
    add('--seed', type=int, default=1)
    add('--f16', action='store_true', help='model.safetensors in F16')
    add('--exact', action='store_true')
    return parser.parse_args()


def make_config(options, vocabulary):
    config = {
        'd_model': 256, 'encoder_layers': 4, 'decoder_layers': 2, 'encoder_attention_heads': 8,
        'decoder_attention_heads': 8, 'encoder_ffn_dim': 1024, 'decoder_ffn_dim': 1024,
        'activation_function': 'relu', 'vocab_size': vocabulary, 'max_position_embeddings': 512, 'pad_token_id': 0,
        'eos_token_id': 2, 'decoder_start_token_id': 0, 'dropout': options.dropout,
        'attention_dropout': options.attention_dropout,
    }
    for text in options.config:
        key, value = text.split('=')
        if key not in config:
            raise SystemExit(f'--config {key}: unknown key; known:  {", ".join(config)}')
        config[key] = value if key == 'activation_function' else int(value)
    return config


def rate(options, step):
    if step < options.warmup:
        return options.rate * step / options.warmup
    if options.schedule == 'inverse-sqrt':
        return options.rate * math.sqrt(options.warmup / step)
    return options.rate * max(0.0, (options.total - step) / (options.total - options.warmup))


def loss_of(model, batch, smoothing, head=None):
    """Sum over target tokens, their number, and the sum of the loss of alignment of `head`."""
    source, target, places, weights = batch
    pad_id = model.config['pad_token_id']
    logits, log_probs = model(source, target, head)
    # heed-train computes the softmax in float32 too
    loss = F.cross_entropy(logits.float().flatten(0, 1), target.flatten(), ignore_index=pad_id, reduction='sum',
                           label_smoothing=smoothing)
    guided = -(log_probs[tuple(places.T)] * weights).sum() if head is not None else torch.zeros_like(loss)
    return loss, (target != pad_id).sum(), guided


def read_pairs(path, spm, eos, longest):
    pairs = []
    with open(path, encoding='utf-8') as file:
        for line in file.read().split('\n'):
            if '\t' in line:
                source, target = (encode(spm, text, 0, eos) for text in line.split('\t')[:2])
                if max(len(source), len(target)) <= longest:
                    pairs.append((source, target))
    return pairs


def on(device, batch):
    """Ids and places as int64, on the device."""
    *whole, weights = (part.to(device, non_blocking=True) for part in batch)
    return *(part.long() for part in whole), weights


@torch.no_grad()
def evaluate(model, pairs, device, autocast):
    model.eval()
    total, tokens = 0.0, 0
    pairs = sorted(pairs, key=lambda pair: len(pair[1]))
    for at in range(0, len(pairs), 256):
        batch = on(device, pad(pairs[at:at + 256], 0))
        with autocast():
            loss, n, _ = loss_of(model, batch, 0.0)
        total, tokens = total + loss.item(), tokens + n.item()
    model.train()
    return total / tokens


def save(path, weights, dtype):
    """Adds the bias of the logits, which MarianMT has; it is not trained."""
    bias = torch.zeros(1, len(weights['model.shared.weight']))
    weights = {**weights, 'final_logits_bias': bias}
    save_file({name: value.to(dtype).cpu().contiguous() for name, value in weights.items()}, path)


def main():
    o = arguments()
    torch.manual_seed(o.seed)
    torch.backends.cuda.matmul.allow_tf32 = not o.exact
    device = 'cuda' if torch.cuda.is_available() else 'cpu'
    spm = sentencepiece.SentencePieceProcessor(model_file=o.spm)
    if o.exact:
        o.dropout = o.attention_dropout = o.ema = 0.0
    config = make_config(o, spm.get_piece_size())
    os.makedirs(o.out, exist_ok=True)
    with open(os.path.join(o.out, 'config.json'), 'w', encoding='utf-8') as file:
        json.dump(config, file, indent=2)

    model = Marian(config).to(device).train()
    if o.init:
        model.load_state_dict({k: v.float() for k, v in load_file(o.init).items() if k != 'final_logits_bias'})
    adam = torch.optim.Adam(model.parameters(), lr=0.0, betas=(0.9, 0.98), eps=1e-9,
                            **({'fused': True} if device == 'cuda' else {}))
    mean = {name: value.detach().clone() for name, value in model.named_parameters()}
    step = 0
    checkpoint = os.path.join(o.out, 'checkpoint.pt')
    if os.path.exists(checkpoint):
        state = torch.load(checkpoint, map_location=device)
        model.load_state_dict(state['model'])
        adam.load_state_dict(state['adam'])
        mean, step = state['mean'], state['step']

    def autocast():
        return torch.autocast(device, torch.bfloat16, enabled=not o.exact and device == 'cuda')

    files = [(path, float(share or 1)) for path, _, share in (text.partition(':') for text in o.train)]
    if o.exact:
        whole = pad(read_pairs(files[0][0], spm, config['eos_token_id'], o.longest), config['pad_token_id'])
        batches = iter(lambda: whole, None)
    else:
        batches = iter(torch.utils.data.DataLoader(
            Pairs(files, o.spm, {
                'tokens': o.batch, 'longest': o.longest, 'join': o.join, 'alpha': o.alpha, 'sampled': o.sampled,
                'noise': {k: float(v) for k, v in (item.split('=') for item in o.noise.split(','))},
                'eos': config['eos_token_id'], 'pad': config['pad_token_id'], 'seed': o.seed + step,
            }), batch_size=None, num_workers=o.workers, prefetch_factor=8 if o.workers else None,
            pin_memory=device == 'cuda'))
    dev = {name: read_pairs(path, spm, config['eos_token_id'], o.longest)
           for name, path in (text.split('=') for text in o.dev)}
    log = open(os.path.join(o.out, 'log.tsv'), 'a', encoding='utf-8')
    started = since = time.time()
    sums = torch.zeros(3, device=device)
    seen = 0

    def finish():
        state = {'model': model.state_dict(), 'adam': adam.state_dict(), 'mean': mean, 'step': step}
        torch.save(state, f'{checkpoint}.part')  # if the run is killed here, the previous checkpoint remains
        os.replace(f'{checkpoint}.part', checkpoint)
        save(os.path.join(o.out, 'model.safetensors'), mean, torch.float16 if o.f16 else torch.float32)

    while step < min(o.steps, o.total) and time.time() - started < 60 * o.minutes:
        step += 1
        for group in adam.param_groups:
            group['lr'] = rate(o, step)
        batch = on(device, next(batches))
        with autocast():
            loss, tokens, guided = loss_of(model, batch, o.smoothing, o.head if o.guided else None)
        ((loss + o.guided * guided) / tokens).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), o.clip)
        adam.step()
        adam.zero_grad(set_to_none=True)
        decay = min(o.ema, (1 + step) / (10 + step)) if o.ema else 0.0
        with torch.no_grad():
            torch._foreach_lerp_(list(mean.values()), [p.detach() for p in model.parameters()], 1 - decay)
        sums += torch.stack([loss.detach(), tokens.float(), guided.detach()])
        if step % o.report == 0 or o.exact:
            total, n, aligned = sums.tolist()
            sums.zero_()
            seen += n
            now = time.time()
            print(f'step {step}: loss {total / n:.6f}, alignment {aligned / n:.4f}, '
                  f'{n / (now - since):.0f} tokens/s, rate {rate(o, step):.2e}', flush=True)
            print('train', step, seen, f'{now - started:.0f}', total / n, aligned / n, sep='\t', file=log, flush=True)
            since = now
        if dev and step % o.evaluate == 0:
            own = {name: value.detach().clone() for name, value in model.named_parameters()}
            with torch.no_grad():
                torch._foreach_copy_(list(model.parameters()), list(mean.values()))
                for name, pairs in dev.items():
                    value = evaluate(model, pairs, device, autocast)
                    print(f'  {name}: perplexity {math.exp(value):.2f}', flush=True)
                    print(name, step, seen, f'{time.time() - started:.0f}', value, sep='\t', file=log, flush=True)
                torch._foreach_copy_(list(model.parameters()), list(own.values()))
            finish()
            since = time.time()
    finish()
    log.close()


if __name__ == '__main__':
    main()
