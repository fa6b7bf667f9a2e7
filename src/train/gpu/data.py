"""data.py - batches for train.py: lines of several files by their shares, encoded again each time.

A line is `>>de<< source<TAB>target`, as src/train/model/prepare.js writes it; its last column may be the word links of
heed-align, `0-0 1-2`. Pairs are drawn, joined, altered and cut as by heed-train (../native/batches.h), with other
random numbers. Worker processes make the batches. Pairs of similar length are put together, since batches are padded.
"""
import random
import re
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import sentencepiece
import torch
from torch.utils.data import IterableDataset

from noise import harvest, noise, replace

TOKEN = re.compile('(>>[^ <]+<<) ?')
LINKS = re.compile('[0-9]{1,7}-[0-9]{1,7}( [0-9]{1,7}-[0-9]{1,7})*')
# as src/train/native/words.c: runs of letters and digits, any other character alone
LETTERS = '0-9A-Za-z\u00aa\u00b5\u00ba\u00c0-\u1fff\u2070-\u209f\u20d0-\U0010ffff'
WORD = re.compile(f'[{LETTERS}]+|[^\\s\x00-\x20\x7f-\xa0{LETTERS}]')
BYTE = re.compile('<0x([0-9A-F]{2})>')
POOL = 32768  # pairs that are sorted by length together
WINDOW = 128  # pairs that are sorted by language, so that neighbours can be joined


def sides(line):
    """(language token or '', source, target) of a line; None if it has no two sides."""
    source, tab, rest = line.partition('\t')
    token = TOKEN.match(source)
    text, target = source[token.end():] if token else source, rest.partition('\t')[0]
    if not tab or not text.strip(' \r') or not target.strip(' \r'):
        return None
    return token.group(1) if token else '', text, target


def parse(line):
    """The same and the links [(i, j)] of the last column, if it has any; the line has two sides."""
    columns = line.rstrip('\r').split('\t')
    last = columns[-1] if len(columns) > 2 and LINKS.fullmatch(columns[-1]) else ''
    return *sides(line), [tuple(map(int, link.split('-'))) for link in last.split()]


def read_lines(path):
    """The lines that have two sides."""
    with open(path, encoding='utf-8', newline='\n') as file:
        lines = [line for line in file.read().split('\n') if sides(line)]
    if not lines:
        raise SystemExit(f'{path}: found no sentence pair, expected lines of source TAB target')
    return lines


def harvest_file(path):
    """{language token: {name: None}} of one file."""
    names = {}
    for line in read_lines(path):
        harvest(names, *sides(line))
    return names


def harvest_names(paths, workers):
    """{language token: (names, the same as a set)} that sources and targets share."""
    if workers:
        with ProcessPoolExecutor(min(workers, len(paths))) as pool:
            files = list(pool.map(harvest_file, paths))
    else:
        files = map(harvest_file, paths)
    names = {}
    for of_file in files:
        for language, found in of_file.items():
            names.setdefault(language, {}).update(found)
    return {language: (list(found), set(found)) for language, found in names.items()}


class Encoder:
    """Texts to ids as heed-train's: pieces, </s>, and the words of each id for links."""

    def __init__(self, path, eos):
        self.spm, self.eos = sentencepiece.SentencePieceProcessor(model_file=path), eos

    def token(self, language):
        """The id of a language token, as a list."""
        if not language:
            return []
        if (found := self.spm.piece_to_id(language)) == self.spm.unk_id():
            raise ValueError(f'{language}: this token is not in the vocabulary')
        return [found]

    def encode(self, language, text, alpha):
        """Ids, and for each the words [first, end) that it has characters of: none for a space or for a byte that goes
        on with a character. No words at all if the text is not as the vocabulary normalises it, so that the pieces
        without their spaces are another text."""
        ids = self.token(language)
        words, of_character, at = [(0, 0)] * len(ids), [], 0
        for i, match in enumerate(WORD.finditer(text)):
            of_character += [i] * len(match.group())
        sampling = {'enable_sampling': True, 'alpha': alpha, 'nbest_size': -1} if alpha else {}
        for piece in self.spm.encode(text, out_type=str, **sampling):
            ids.append(self.spm.piece_to_id(piece))
            byte = BYTE.fullmatch(piece)
            size = not 0x80 <= int(byte.group(1), 16) < 0xc0 if byte else len(piece.replace('\u2581', ''))
            inside = of_character[at:at + size]
            words.append((inside[0], inside[-1] + 1) if inside else (0, 0))
            at += size
        return ids + [self.eos], words + [(0, 0)] if at == len(of_character) else None

    def pair(self, pair, alphas=(0, 0)):
        """Source ids, target ids, and [(t, s, weight)]: target tokens and the source tokens that translate them, with
        equal weights. As in heed-train, all tokens from a word's first to its last are its own, and </s> of a pair with
        links translates </s>."""
        language, source, target, links = pair
        s, from_words = self.encode(language, source, alphas[0])
        t, to_words = self.encode('', target, alphas[1])
        if not links or from_words is None or to_words is None:
            return s, t, []
        tokens, found = {}, []
        for n, (first, end) in enumerate(from_words):
            for word in range(first, end):
                tokens[word] = range(tokens[word].start if word in tokens else n, n + 1)
        for k, (first, end) in enumerate(to_words):
            places = {n for i, j in links if first <= j < end for n in tokens.get(i, ())}
            found += [(k, n, 1 / len(places)) for n in sorted(places)]
        return s, t, [*found, (len(t) - 1, len(s) - 1, 1.0)]

    def fits(self, pair, ids, longest):
        """Are both sides of at most `longest` ids, and is there a text in each?"""
        return max(map(len, ids[:2])) <= longest and len(ids[0]) > 1 + bool(pair[0]) and len(ids[1]) > 1


def joined(pair, other):
    """Two neighbours as one pair."""
    language, source, target, links = pair
    by_source, by_target = len(WORD.findall(source)), len(WORD.findall(target))
    more = [(i + by_source, j + by_target) for i, j in other[3]]
    return language, f'{source} {other[1]}', f'{target} {other[2]}', links + more


class Reader:
    """The pairs of a file, epoch after epoch; peek() is None at the end of one."""

    def __init__(self, path, numbers):
        self.lines, self.numbers, self.order = np.array(read_lines(path), dtype=object), numbers, []
        self.languages = [token.group(1) if (token := TOKEN.match(line)) else '' for line in self.lines]

    def peek(self):
        return parse(self.lines[self.order[-1]]) if self.order else None

    def next(self):
        if not self.order:
            order = [int(i) for i in self.numbers.permutation(len(self.lines))]
            if len(set(self.languages)) > 1:
                windows = (order[at:at + WINDOW] for at in range(0, len(order), WINDOW))
                order = [i for window in windows for i in sorted(window, key=lambda i: (self.languages[i], i))]
            self.order = order[::-1]
        pair = self.peek()
        self.order.pop()
        return pair


class Pairs(IterableDataset):
    """Endless padded batches of about `tokens` target tokens: source [B, S], target [B, T], links [N, 3] (pair, target
    token, source token) and their weights [N]. options: those of train.py, and names, eos and pad."""

    def __init__(self, files, spm_path, options):
        self.files, self.spm_path, self.o = files, spm_path, options

    def join(self, encoder, reader, pair, wanted):
        """The pair and up to wanted - 1 neighbours of its language, while they fit."""
        sizes = [len(ids) - 1 for ids in encoder.pair(pair)[:2]]
        for _ in range(1, wanted):
            other = reader.peek()
            if other is None or other[0] != pair[0]:
                break
            more = [len(ids) - 1 for ids in encoder.pair(other)[:2]]
            sizes = [sizes[0] + more[0] - bool(pair[0]), sizes[1] + more[1]]
            if max(sizes) >= self.o['longest']:
                break
            pair = joined(pair, reader.next())
        return pair

    def altered(self, pair, rng):
        language, source, target, links = pair
        if self.o['replace']:
            names = self.o['names'].get(language, self.o['names'].get(None, ([], set())))
            source, target = replace(source, target, names, self.o['replace'], self.o['invent'], rng)
        return language, *noise(source, target, self.o['noise'], rng), links

    def pairs(self, seed):
        o, rng, numbers = self.o, random.Random(seed), np.random.RandomState(seed)
        encoder = Encoder(self.spm_path, o['eos'])
        sentencepiece.set_random_generator_seed(seed)
        readers = [Reader(path, numbers) for path, _ in self.files]
        drawn = np.zeros(len(readers))
        shares = np.array([share for _, share in self.files])
        in_vain = 0
        while True:
            at = int(np.argmin(drawn / shares))  # the file furthest behind its share
            pair = readers[at].next()
            if rng.random() < o['join']:
                pair = self.join(encoder, readers[at], pair, rng.randrange(2, 6))
            ids = encoder.pair(self.altered(pair, rng), o['alphas'])
            if not encoder.fits(pair, ids, o['longest']):  # a pair that has become too long is used unaltered
                ids = encoder.pair(pair)
            if not encoder.fits(pair, ids, o['longest']):
                if (in_vain := in_vain + 1) > 2 * len(readers[at].lines):
                    raise ValueError(f'{self.files[at][0]}: no pair of at most --longest {o["longest"]} ids a side')
                continue
            in_vain = 0
            drawn[at] += len(ids[1])
            yield ids

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
                    batch, widest = [], max(len(pair[0]), len(pair[1]))
                batch.append(pair)
            batches.append(batch)
            rng.shuffle(batches)
            yield from (pad(batch, self.o['pad']) for batch in batches)


def pad(pairs, value):
    """See Pairs; ids are int32. Fast attention with a mask needs a source width that is a multiple of 8."""
    out = []
    for side, step in zip(list(zip(*pairs))[:2], (8, 1)):
        width = -(-max(map(len, side)) // step) * step
        out.append(torch.tensor([ids + [value] * (width - len(ids)) for ids in side], dtype=torch.int32))
    links = [(i, *link) for i, pair in enumerate(pairs) for link in pair[2]]
    places = torch.tensor([link[:3] for link in links], dtype=torch.int32).reshape(-1, 3)
    return *out, places, torch.tensor([link[3] for link in links])
