"""train.py - the counterpart of heed-train for a GPU: the same corpus, vocabulary, model, loss and options.

    python3 src/train/gpu/train.py --spm spm.model --train everyday.tsv:4 --train docs.tsv:2 --dev en-de=dev.tsv \\
        --config normalize_before=1 --config add_final_layer_norm=1 --out run --minutes 25

Needs PyTorch, sentencepiece and safetensors; computes in bf16 on a GPU. Writes to the directory: config.json,
model.safetensors (the exponential mean of the weights, F32 or F16), checkpoint.pt (a later run continues from it, with
other random numbers), log.tsv. Options that only heed-train has are refused: --sampled-softmax, since a GPU computes
the whole softmax, --swap, --part, --threads, --gemm, --keep, --save-minutes and --list. So are other keys of --config.

The loss of heed-train is the reference: with --exact the lines of one file are one batch, unaltered and in float32,
without dropout and mean. Then losses equal those of `heed-train --join 0 --gemm plain --dropout 0` whose --batch has
the target tokens of the file, and both start from one --init. tests/train-gpu.test.js compares ten.
"""
import argparse
import json
import math
import os
import time

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

from data import Encoder, Pairs, harvest_names, pad, parse, read_lines
from model import ACTIVATIONS, Marian
from muon import Muon
from noise import KINDS, read_kinds


def share(low, high):
    """A number of argparse from low to high."""
    def read(text):
        value = float(text)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f'found {text}, expected a number from {low} to {high}')
        return value
    return read


def kinds(text):
    try:
        return read_kinds(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(error) from error


def arguments(words=None):
    """words: those of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0], allow_abbrev=False, fromfile_prefix_chars='@')
    add = parser.add_argument
    add('--train', action='append', default=[], metavar='FILE[:SHARE]')
    add('--dev', action='append', default=[], metavar='NAME=FILE')
    add('--spm', required=True)
    add('--out', required=True)
    add('--config', action='append', default=[], metavar='KEY=NUMBER', help='of config.json')
    add('--init', help='model.safetensors to start from, in floats or int8')
    add('--minutes', type=float, default=25, help='of training in this run; reading the corpora comes before')
    add('--steps', type=int, default=10 ** 9, help='of all runs')
    add('--batch', type=int, default=32768, help='target tokens per batch, including padding')
    add('--accumulate', type=int, default=1, help='batches per step; a batch has pairs of similar length')
    add('--longest', type=int, default=192)
    add('--optimizer', choices=('adam', 'muon'), default='adam', help='muon: for the matrices of projections')
    add('--rate', type=float, default=2e-3)
    add('--warmup', type=int, default=2000)
    add('--schedule', choices=('inverse-sqrt', 'constant', 'cosine'), default='cosine')
    add('--total', type=int, default=40000,
        help='steps of the cosine schedule, which ends then; 0: it ends with the --minutes of each run')
    add('--dropout', type=share(0, 1), default=0.1)
    add('--attention-dropout', type=share(0, 1), default=0.0)
    add('--smoothing', type=share(0, 1), default=0.1)
    add('--clip', type=float, default=1.0, help='0: no clipping')
    add('--ema', type=share(0, 0.9999999), default=0.9995)
    add('--sample-source', type=share(0, 100), default=0.0, metavar='A', help='as heed-train')
    add('--sample-target', type=share(0, 100), default=0.0, metavar='A')
    add('--join', type=share(0, 1), default=0.1)
    add('--guided', type=float, default=0.0, help='weight of the loss of alignment; files need a column of links')
    add('--guided-head', type=int, default=0, help='head of the last decoder layer that learns the alignment')
    add('--noise', type=kinds, default='', metavar='KIND=P,...', help=f'kinds: {", ".join(KINDS)}')
    add('--replace', type=share(0, 1), default=0.0, help='probability of another name or number on both sides')
    add('--names', metavar='FILE', help='names to insert, one per line; default: those that both sides of a pair have')
    add('--invent', type=share(0, 1), default=0.0, help='probability that a name to insert is made of two')
    add('--sampled-softmax', help=argparse.SUPPRESS)
    add('--workers', type=int, default=14)
    add('--report', type=int, default=100)
    add('--evaluate', type=int, default=2000, help='steps between evaluations, which write a checkpoint')
    add('--seed', type=int, default=1)
    add('--f16', action='store_true', help='model.safetensors in F16')
    add('--exact', action='store_true', help='to be compared with heed-train')
    options = parser.parse_args(words)
    if options.sampled_softmax is not None:
        parser.error('--sampled-softmax: a GPU computes the softmax over all words; leave it out')
    if not options.train or options.exact and len(options.train) > 1:
        parser.error(f'--train: found {len(options.train)} files, expected {"one" if options.exact else "one or more"}')
    if options.schedule == 'cosine' and options.total and options.total <= options.warmup:
        parser.error(f'--total {options.total}: expected more steps than --warmup {options.warmup}, or 0')
    if not options.minutes > 0:
        parser.error(f'--minutes {options.minutes}: expected more than 0')
    if options.accumulate < 1:
        parser.error(f'--accumulate {options.accumulate}: expected 1 or more')
    if not options.replace and (options.names or options.invent):
        parser.error('--names and --invent: unused without --replace; add --replace or drop them')
    return options


def make_config(options, vocabulary):
    """heed-train's defaults, with --config."""
    config = {
        'd_model': 256, 'encoder_layers': 3, 'decoder_layers': 3, 'encoder_attention_heads': 4,
        'decoder_attention_heads': 4, 'encoder_ffn_dim': 1024, 'decoder_ffn_dim': 1024,
        'activation_function': 'relu', 'normalize_before': False, 'add_final_layer_norm': False,
        'vocab_size': vocabulary, 'max_position_embeddings': 512, 'pad_token_id': 0, 'eos_token_id': 2,
        'decoder_start_token_id': 0, 'dropout': options.dropout, 'attention_dropout': options.attention_dropout,
    }
    for text in options.config:
        key, _, value = text.partition('=')
        if key not in config:
            raise SystemExit(f'--config {key}: unsupported here; supported: {", ".join(config)}')
        if not value.isdecimal():
            raise SystemExit(f"--config {key}: found '{value}', expected a number")
        if key == 'activation_function':
            names = list(ACTIVATIONS)
            if int(value) >= len(names):
                raise SystemExit(f'--config {key}: found {value}, expected a number from 0 to {len(names) - 1}')
            config[key] = names[int(value)]
        else:
            config[key] = type(config[key])(int(value))
    if not 0 <= options.guided_head < config['decoder_attention_heads']:
        raise SystemExit(f'--guided-head {options.guided_head}: not a head of the decoder')
    return config


def rate(options, step, spent):
    """learning_rate() of ../adam.c. spent: the part of the time after the warm-up that has passed."""
    peak, warmup, total = options.rate, options.warmup, options.total
    if step < warmup:
        return peak * step / warmup
    if options.schedule == 'constant':
        return peak
    if options.schedule == 'inverse-sqrt':
        return peak * math.sqrt(warmup / step) if warmup else peak / math.sqrt(step)
    done = (step - warmup) / (total - warmup) if total else spent
    return 0.0 if done >= 1 else peak * 0.5 * (1 + math.cos(math.pi * done))


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


def backward(model, batches, o, autocast):
    """Adds the gradient of the mean loss of a step's batches. Returns sums over them: losses, target tokens, losses of
    alignment, tokens with links."""
    device, padding = next(model.parameters()).device, model.config['pad_token_id']
    sums = torch.zeros(4, device=device)
    tokens = sum(int((batch[1] != padding).sum()) for batch in batches)
    for batch in batches:
        batch = on(device, batch)
        with autocast():
            loss, n, guided = loss_of(model, batch, o.smoothing, o.guided_head if o.guided else None)
        ((loss + o.guided * guided) / tokens).backward()
        # the weights of a linked token's links are 1 together
        sums += torch.stack([loss.detach(), n.float(), guided.detach(), batch[3].sum()])
    return sums


def read_pairs(path, encoder, longest):
    """The pairs of a file as ids, without those that are too long or empty."""
    pairs = map(parse, read_lines(path))
    ids = [(pair, encoder.pair(pair)) for pair in pairs]
    return [both for pair, both in ids if encoder.fits(pair, both, longest)]


def read_names(o, files):
    """Names by language token; those of --names are for all languages, None."""
    if not o.names:
        return harvest_names([path for path, _ in files], o.workers) if o.replace else {}
    with open(o.names, encoding='utf-8') as file:
        names = list(dict.fromkeys(file.read().split()))
    if len(names) < 2:
        raise SystemExit(f'{o.names}: found {len(names)} names, expected 2 or more')
    return {None: (names, set(names))}


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
        batch = on(device, pad(pairs[at:at + 256], model.config['pad_token_id']))
        with autocast():
            loss, n, _ = loss_of(model, batch, 0.0)
        total, tokens = total + loss.item(), tokens + n.item()
    model.train()
    return total / tokens


def read_weights(path):
    """Floats by name. A row of an int8 matrix has a scale."""
    stored = load_file(path)
    scales = {name: stored.pop(f'{name}.scale')[:, None] for name in list(stored) if f'{name}.scale' in stored}
    return {name: value * scales[name] if name in scales else value.float()
            for name, value in stored.items() if name != 'final_logits_bias'}


def save(path, weights, dtype):
    """Adds the bias of the logits, which MarianMT has; it is not trained."""
    bias = torch.zeros(1, len(weights['model.shared.weight']))
    weights = {**weights, 'final_logits_bias': bias}
    save_file({name: value.to(dtype).cpu().contiguous() for name, value in weights.items()}, path)


def make_optimizers(model, options, device):
    """Adam, and with --optimizer muon a Muon beside it that learns the matrices of layers, as ../muon.h says."""
    matrices = [value for name, value in model.named_parameters() if '.layers.' in name and value.dim() == 2]
    if options.optimizer == 'adam':
        matrices = []
    taken = set(map(id, matrices))
    adam = torch.optim.Adam([value for value in model.parameters() if id(value) not in taken], lr=0.0,
                            betas=(0.9, 0.98), eps=1e-9, **({'fused': True} if device == 'cuda' else {}))
    if not matrices:
        return [adam]
    return [adam, Muon(matrices, 0.95, torch.float32 if options.exact else torch.bfloat16)]


def main():
    o = arguments()
    torch.manual_seed(o.seed)
    torch.backends.cuda.matmul.allow_tf32 = not o.exact
    device = 'cuda' if torch.cuda.is_available() else 'cpu'
    if o.exact:
        o.dropout = o.attention_dropout = o.ema = 0.0
    encoder = Encoder(o.spm, None)
    config = make_config(o, encoder.spm.get_piece_size())
    encoder.eos, padding = config['eos_token_id'], config['pad_token_id']
    if not encoder.spm.is_control(padding):
        raise SystemExit(f'{o.spm}: piece {padding} stands for text, expected one for padding; see pad_token_id')
    os.makedirs(o.out, exist_ok=True)
    with open(os.path.join(o.out, 'config.json'), 'w', encoding='utf-8') as file:
        json.dump(config, file, indent=2)

    model = Marian(config).to(device).train()
    if o.init:
        model.load_state_dict(read_weights(o.init))
    optimizers = make_optimizers(model, o, device)
    mean = {name: value.detach().clone() for name, value in model.named_parameters()}
    step = 0
    checkpoint = os.path.join(o.out, 'checkpoint.pt')
    if os.path.exists(checkpoint):
        state = torch.load(checkpoint, map_location=device)
        model.load_state_dict(state['model'])
        for optimizer, saved in zip(optimizers, state['optimizers'], strict=True):
            optimizer.load_state_dict(saved)
        mean, step = state['mean'], state['step']

    def autocast():
        return torch.autocast(device, torch.bfloat16, enabled=not o.exact and device == 'cuda')

    files = [(path, float(share or 1)) for path, _, share in (text.partition(':') for text in o.train)]
    if o.exact:
        whole = pad(read_pairs(files[0][0], encoder, o.longest), padding)
        batches = iter(lambda: whole, None)
    else:
        batches = iter(torch.utils.data.DataLoader(
            Pairs(files, o.spm, {
                **{key: getattr(o, key) for key in ('longest', 'join', 'noise', 'replace', 'invent')},
                'tokens': o.batch, 'alphas': (o.sample_source, o.sample_target), 'names': read_names(o, files),
                'eos': encoder.eos, 'pad': padding, 'seed': o.seed + step,
            }), batch_size=None, num_workers=o.workers, prefetch_factor=8 if o.workers else None,
            pin_memory=device == 'cuda'))
    dev = {name: read_pairs(path, encoder, o.longest) for name, path in (text.split('=') for text in o.dev)}
    log = open(os.path.join(o.out, 'log.tsv'), 'a', encoding='utf-8')
    started = since = time.time()
    sums = torch.zeros(4, device=device)
    seen = 0

    def finish():
        own = {name: value.detach().clone() for name, value in model.named_parameters()}
        with torch.no_grad():
            torch._foreach_copy_(list(model.parameters()), list(mean.values()))
            for name, pairs in dev.items():
                value = evaluate(model, pairs, device, autocast)
                print(f'  {name}: perplexity {math.exp(value):.2f}', flush=True)
                print(name, step, seen, f'{time.time() - started:.0f}', value, sep='\t', file=log, flush=True)
            torch._foreach_copy_(list(model.parameters()), list(own.values()))
        state = {'model': model.state_dict(), 'optimizers': [optimizer.state_dict() for optimizer in optimizers],
                 'mean': mean, 'step': step}
        torch.save(state, f'{checkpoint}.part')  # if the run is killed here, the previous checkpoint remains
        os.replace(f'{checkpoint}.part', checkpoint)
        save(os.path.join(o.out, 'model.safetensors'), mean, torch.float16 if o.f16 else torch.float32)

    last = min(o.steps, o.total or o.steps) if o.schedule == 'cosine' else o.steps
    warmed = 0.0  # when the warm-up ended
    finished = None  # the step of which all is evaluated and written
    while step < last and (passed := (time.time() - started) / (60 * o.minutes)) < 1:
        step += 1
        if step <= o.warmup:
            warmed = passed
        lr = rate(o, step, (passed - warmed) / (1 - warmed))
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group['lr'] = lr
        sums += backward(model, [next(batches) for _ in range(o.accumulate)], o, autocast)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), o.clip or math.inf)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        decay = min(o.ema, (1 + step) / (10 + step)) if o.ema else 0.0
        with torch.no_grad():
            torch._foreach_lerp_(list(mean.values()), [p.detach() for p in model.parameters()], 1 - decay)
        if step % o.report == 0 or o.exact:
            total, n, aligned, linked = sums.tolist()
            sums.zero_()
            seen += n
            now = time.time()
            alignment = aligned / linked if linked else 0.0
            print(f'step {step}: loss {total / n:.6f}, {n / (now - since):.0f} tokens/s, norm {norm.item():.4f}, '
                  f'rate {lr:.3g}, alignment {alignment:.4f}', flush=True)
            print('train', step, seen, f'{now - started:.0f}', total / n, alignment, sep='\t', file=log, flush=True)
            since = now
        if step % o.evaluate == 0:
            finish()
            finished, since = step, time.time()
    if finished != step:
        finish()
    log.close()


if __name__ == '__main__':
    main()
