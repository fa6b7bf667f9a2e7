"""data.py - batches for train.py: lines of several files by their shares, encoded again each time.

A line is `>>de<< source<TAB>target`, with an optional column of word alignments, `0-0 1-2`, as
src/train/model/prepare.js and heed-align write it. Subwords are sampled and the source gets noise, so no two epochs
are the same. Worker processes make the batches. Pairs of similar length are put together, since batches are padded.
"""
import random
import re

import numpy as np
import sentencepiece
import torch
from torch.utils.data import IterableDataset

TOKEN = re.compile(r'^(>>\S+<<) ?')
# as src/train/native/words.c: runs of letters and digits, any other character alone
LETTERS = '0-9A-Za-z\u00aa\u00b5\u00ba\u00c0-\u1fff\u2070-\u209f\u20d0-\U0010ffff'
WORD = re.compile(f'[{LETTERS}]+|[^\\s\x00-\x20\x7f-\xa0{LETTERS}]')
BYTE = re.compile('<0x[0-9A-F]{2}>$')
POOL = 16384  # pairs that are sorted by length together


def split_token(spm, text):
    """The id of the language token, as a list, and the text after it."""
    match = TOKEN.match(text)
    if not match:
        return [], text
    token = spm.piece_to_id(match.group(1))
    if token == spm.unk_id():
        raise ValueError(f'{match.group(1)}: this token is not in the vocabulary')
    return [token], text[match.end():]


def sampling(alpha):
    return {'enable_sampling': True, 'alpha': alpha, 'nbest_size': -1} if alpha else {}


def encode(spm, text, alpha, eos):
    """Ids, after the language token and before </s>."""
    ids, text = split_token(spm, text)
    return ids + spm.encode(text, **sampling(alpha)) + [eos]


def encode_words(spm, text, alpha, eos):
    """The same, and for each id the number of its word, or -1 if it has none. The corpora are normalised as the
    vocabulary does it, so pieces without their spaces are the text; if they are not, no id gets a word."""
    ids, text = split_token(spm, text)
    words = [-1] * len(ids)
    of_byte = []
    for i, match in enumerate(WORD.finditer(text)):
        of_byte += [i] * len(match.group().encode())
    at = 0
    for piece in spm.encode(text, out_type=str, **sampling(alpha)):
        ids.append(spm.piece_to_id(piece))
        size = 1 if BYTE.match(piece) else len(piece.replace('\u2581', '').encode())
        words.append(of_byte[at] if size and at < len(of_byte) else -1)
        at += size
    return ids + [eos], (words if at == len(of_byte) else [-1] * len(words)) + [-1]


def links_of(column, source_words, target_words):
    """[(t, s, weight)]: target tokens and the source tokens that translate them, with equal weights."""
    sources = {}
    for s, word in enumerate(source_words):
        sources.setdefault(word, []).append(s)
    of_target = {}
    for link in column.split():
        i, j = map(int, link.split('-'))
        of_target.setdefault(j, []).extend(sources.get(i, []))
    out = []
    for t, word in enumerate(target_words):
        found = of_target.get(word, []) if word >= 0 else []
        out += [(t, s, 1 / len(found)) for s in found]
    return out


def typo(word, rng):
    at = rng.randrange(len(word) - 1)
    kind = rng.randrange(3)
    if kind == 0:
        return word[:at] + word[at + 1] + word[at] + word[at + 2:]
    return word[:at] + word[at + 1:] if kind == 1 else word[:at] + word[at] + word[at:]


def noise(source, target, rng, p):
    """Text as people type it: capitals, small letters, no full stop, typos; `p`: the probability of each by name."""
    match = TOKEN.match(source)
    head, text = (source[:match.end()], source[match.end():]) if match else ('', source)
    roll = rng.random()
    if roll < p['capitals']:
        text, target = text.upper(), target.upper()
    elif roll < p['capitals'] + p['small']:
        text = text.lower()
    elif roll < p['capitals'] + p['small'] + p['title']:
        text = ' '.join(word[:1].upper() + word[1:] for word in text.split(' '))
    if rng.random() < p['stops'] and text[-1:] == '.' and target[-1:] == '.' and text[-2:] != '..':
        text = text[:-1]
        if rng.random() < 0.5:
            target = target[:-1]
    if rng.random() < p['typos']:
        words = text.split(' ')
        at = rng.randrange(len(words))
        if len(words[at]) > 3 and words[at].isalpha():
            words[at] = typo(words[at], rng)
        text = ' '.join(words)
    return head + text, target


def count_words(text):
    return len(WORD.findall(TOKEN.sub('', text)))


def joined(pair, columns):
    """Two neighbours as one pair if they have the same target language; else the first."""
    source, target, links = pair
    token, other = TOKEN.match(source), TOKEN.match(columns[0])
    if bool(token) != bool(other) or (token and token.group(1) != other.group(1)) or bool(links) != (len(columns) > 2):
        return pair
    if links:
        by_source, by_target = count_words(source), count_words(target)
        shifted = (map(int, link.split('-')) for link in columns[2].split())
        links = [' '.join([links[0], *(f'{i + by_source}-{j + by_target}' for i, j in shifted)])]
    return f'{source} {TOKEN.sub("", columns[0])}', f'{target} {columns[1]}', links


class Pairs(IterableDataset):
    """Endless padded batches of about `tokens` target tokens: source [B, S], target [B, T], links [N, 3] (pair, target
    token, source token) and their weights [N]."""

    def __init__(self, files, spm_path, options):
        self.files, self.spm_path, self.o = files, spm_path, options

    def lines(self, path, rng):
        with open(path, encoding='utf-8') as file:
            lines = file.read().split('\n')
        lines = np.array([line for line in lines if line], dtype=object)
        while True:
            for i in rng.permutation(len(lines)):
                yield lines[i]

    def pairs(self, seed):
        o, rng, numbers = self.o, random.Random(seed), np.random.RandomState(seed)
        spm = sentencepiece.SentencePieceProcessor(model_file=self.spm_path)
        sentencepiece.set_random_generator_seed(seed)
        readers = [self.lines(path, numbers) for path, _ in self.files]
        drawn = np.zeros(len(readers))
        shares = np.array([share for _, share in self.files])
        while True:
            at = int(np.argmin(drawn / shares))  # the file furthest behind its share
            source, target, *links = next(readers[at]).split('\t')
            for _ in range(rng.choice((1, 2, 3)) if rng.random() < o['join'] else 0):
                source, target, links = joined((source, target, links), next(readers[at]).split('\t'))
            source, target = noise(source, target, rng, o['noise'])
            alpha = o['alpha'] if rng.random() < o['sampled'] else 0
            if links:
                (s, from_words), (t, to_words) = (encode_words(spm, text, alpha, o['eos']) for text in (source, target))
                found = links_of(links[0], from_words, to_words)
            else:
                s, t, found = encode(spm, source, alpha, o['eos']), encode(spm, target, alpha, o['eos']), []
            if len(s) <= o['longest'] and len(t) <= o['longest']:
                drawn[at] += len(t)
                yield s, t, found

    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        seed = self.o['seed'] * 1000 + (info.id if info else 0)
        pairs, rng = self.pairs(seed), random.Random(seed)
        while True:
            pool = sorted((next(pairs) for _ in range(POOL)), key=lambda pair: (len(pair[1]), len(pair[0])))
            batches, batch, widest = [], [], 0
            for pair in pool:
                widest = max(widest, len(pair[0]), len(pair[1]))
                if batch and widest * (len(batch) + 1) > self.o['tokens']:
                    batches.append(batch)
                    batch, widest = [], max(map(len, pair))
                batch.append(pair)
            batches.append(batch)
            rng.shuffle(batches)
            yield from (pad(batch, self.o['pad']) for batch in batches)


def pad(pairs, value):
    """See Pairs; ids are int32, widths rounded up to 8."""
    out = []
    for side in list(zip(*pairs))[:2]:
        width = -(-max(map(len, side)) // 8) * 8
        out.append(torch.tensor([ids + [value] * (width - len(ids)) for ids in side], dtype=torch.int32))
    links = [(i, t, s, weight) for i, pair in enumerate(pairs) for t, s, weight in (*pair[2:], [])[0]]
    places = torch.tensor([link[:3] for link in links], dtype=torch.int32).reshape(-1, 3)
    return *out, places, torch.tensor([link[3] for link in links])
