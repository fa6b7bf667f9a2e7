"""Makes tests/golden/text: small SentencePiece models and what SentencePiece itself does with hostile text.

Run from the repository's root with the Python that has sentencepiece 0.1.97:

    python3 tests/golden/text.py            everything anew
    python3 tests/golden/text.py --hashes   hashes.txt alone

    *.spm        models of every kind, trained on words that this script makes up, a few edited afterwards
    cases.json   per model: text, ids, UTF-16 offsets, decoded text; read by tests/text.test.js
    hashes.txt   model, set of lines (text_lines.py), number of lines, CRC-32 of all results; read by
                 tests/c/test_text.c and tests/text.test.js; the set "dev" needs ../shared/data
"""
import glob
import io
import json
import os
import struct
import sys
import zlib

import sentencepiece

import text_lines
from text_oracle import SentencePiece, corpora, read_fields

HERE = 'tests/golden/text'

SYLLABLES = ['ba', 'der', 'hau', 'lich', 'mon', 'ne', 'qui', 'ro', 'sch', 'té', 'ün', 'wa', 'zen', 'ça', 'ing', 'the']
OTHERS = ['Ελλά', 'мир', 'そら', '漢字', 'नमः', 'שלום', 'é', 'ﬁ', '①', 'Ａ', '½', '😀', '12', '007', '3.14', '-', "'s"]


def sentences():
    """2,000 lines of made-up words with a few of other scripts."""
    random = text_lines.Sequence(19650218)
    for _ in range(2000):
        words = []
        for _ in range(3 + random.below(10)):
            word = ''.join(SYLLABLES[min(random.below(16), random.below(16))] for _ in range(1 + random.below(3)))
            if random.below(8) == 0:
                word = word.capitalize()
            if random.below(12) == 0:
                word = OTHERS[random.below(len(OTHERS))]
            words.append(word)
        yield ' '.join(words) + '.!?,'[random.below(4)]


# Rules of our own: one to one, many to one, one to many, to nothing, to spaces, prefixes of one another.
RULES = [
    ('Ａ', 'A'), ('é', 'e\u0301'), ('e\u0301\u0302', 'E'), ('e\u0301', 'é'), ('ﬁ', 'fi'), ('½', '1 2'), ('…', '...'),
    ('\u200d', ''), ('\ufeff', ''), ('\u00ad', ''), ('\t', ' '), ('\n', ' '), ('\u3000', ' '),
    ('ab', 'ba'), ('abc', ' x '),
    ('\ufdfa', 'صلى الله'), ('\U0001F600', ':-)'), ('①②③', '6'), ('①', '1'), ('\u0007', '  '),
]
# What denormalising does: visible, of any length, one to nothing.
UNDO = [('é', 'E'), ('ba', 'BABABABABABA'), ('.', ''), (' ', '_')]


def tsv(rules):
    path = os.path.join(HERE, 'rules.tmp')
    with open(path, 'w') as file:
        for source, target in rules:
            codes = [' '.join(f'{ord(c):X}' for c in s) for s in (source, target)]
            file.write('\t'.join(codes) + '\n')
    return path


def train(**options):
    model = io.BytesIO()
    rules = tsv(options.pop('rules')) if 'rules' in options else None
    undo = options.pop('undo', None)
    if rules:
        options['normalization_rule_tsv'] = rules
    else:
        options.setdefault('normalization_rule_name', 'identity')
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=sentences(), model_writer=model, num_threads=1, minloglevel=2, character_coverage=0.999,
        **options)
    data = model.getvalue()
    if rules:
        os.remove(rules)
    return with_undo(data, undo) if undo else data


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def field(number, value):
    """A protobuf field: int -> varint, float -> 32 bits, bytes -> as they are."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack('<f', value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def edited(data, piece=None, normalizer=b'', trainer=b'', more=b''):
    """A model with each piece's (text, type) -> type changed, and fields put behind those of its specs."""
    fields = read_fields(data)
    out = b''
    for encoded in fields[1]:
        f = read_fields(encoded)
        kind = f.get(3, [1])[0]
        if piece:
            kind = piece(f[1][0].decode(), kind)
        out += field(1, field(1, f[1][0]) + field(2, struct.unpack('<f', f[2][0])[0]) + field(3, kind))
    return out + field(2, fields[2][0] + trainer) + field(3, fields[3][0] + normalizer) + more


def with_undo(data, undo):
    """A denormalizer: the charsmap that these rules compile to, in the place of the denormalizer's."""
    charsmap = read_fields(read_fields(train(vocab_size=200, rules=undo))[3][0])[2][0]
    spec = field(1, b'undo') + field(2, charsmap) + field(3, 0) + field(4, 0) + field(5, 0)
    return edited(data, more=field(5, spec))


def some_unused(text, kind):
    """Single letters keep what can be reached reachable; of the longer pieces every third goes."""
    return 5 if kind == 1 and (len(text) in (2, 3, 5) and sum(text.encode()) % 3 == 0 or text == 'q') else kind


# Of `letters`: ties everywhere, numbers that round in float, user-defined pieces that overlap, d unknown alone.
TIES = [('<unk>', 0.0, 2), ('<s>', 0.0, 3), ('</s>', 0.0, 3), ('\u2581', -1.0, 1), ('a', -1.0, 1), ('b', -1.5, 1),
        ('c', -0.3, 1), ('aa', -2.0, 1), ('ab', -2.5, 1), ('ba', -2.5, 1), ('aab', -3.5, 1), ('bb', -3.0, 1), ('ad', -11.9, 1),
        ('bd', -13.1, 1), ('aaa', -3.0, 1), ('abab', -5.0, 5), ('cc', -0.6, 1), ('ccc', -0.9, 1), ('cca', -1.6, 1), ('acc', -1.6, 1)]
CLASHES = [('bab', 0.0, 4), ('cab', 0.0, 4), ('abc', 0.0, 4), ('ca', 0.0, 4), ('\u2581a', 0.0, 4)]
MERGES = [('<unk>', 0.0, 2), ('\u2581', -9.0, 1), ('a', -9.0, 1), ('b', -9.0, 1), ('c', -9.0, 1),
          ('aa', -1.0, 1), ('ab', -1.0, 1), ('ba', -1.0, 5), ('bb', -2.0, 5), ('aaa', -1.0, 5), ('aab', -2.0, 1), ('baa', -1.0, 5), ('abab', 0.0, 5),
          ('ababa', 0.0, 1), ('aaaa', 0.0, 5), ('cc', -1.0, 5), ('ccc', -1.0, 1), ('\u2581a', -1.0, 1), ('a\u2581', -1.0, 1)]


def by_hand(pieces, kind):
    """A model of (text, score, type)."""
    out = b''.join(field(1, field(1, text.encode()) + field(2, score) + field(3, type)) for text, score, type in pieces)
    return out + field(2, field(3, kind)) + field(3, field(1, b'identity'))


SYMBOLS = ['<mask>', 'the', 'é', 'ba ba', '<mask>>', '\u2581ro']


def models():
    yield 'unigram', train(vocab_size=300, rules=RULES)
    yield 'unigram-bytes', train(vocab_size=480, byte_fallback=True, user_defined_symbols=SYMBOLS)
    yield 'unigram-suffix', train(vocab_size=250, rules=RULES, treat_whitespace_as_suffix=True, unk_surface='<?>')
    yield 'unigram-plain', train(vocab_size=250, add_dummy_prefix=False, remove_extra_whitespaces=False)
    yield 'unigram-spaces', train(vocab_size=250, remove_extra_whitespaces=False, rules=RULES)
    yield 'unigram-unused', edited(train(vocab_size=400), piece=some_unused)
    yield 'unigram-language', train(vocab_size=250, user_defined_symbols=['>>fra<<', '>>deu<<', '>>'],
                                    control_symbols=['>>eng<<'])
    yield 'unigram-ties', by_hand(TIES, 1)
    yield 'unigram-clashes', by_hand(TIES + CLASHES, 1)
    yield 'bpe-ties', by_hand(MERGES, 2)
    yield 'unigram-raw', edited(train(vocab_size=250), normalizer=field(5, 0))
    yield 'unigram-undo', train(vocab_size=250, undo=UNDO)
    yield 'bpe', train(vocab_size=300, model_type='bpe', rules=RULES)
    yield 'bpe-bytes', train(vocab_size=500, model_type='bpe', byte_fallback=True, user_defined_symbols=SYMBOLS)
    yield 'bpe-unused', edited(train(vocab_size=400, model_type='bpe'), piece=some_unused)
    yield 'bpe-plain', train(vocab_size=250, model_type='bpe', add_dummy_prefix=False, remove_extra_whitespaces=False,
                             allow_whitespace_only_pieces=True)


# Strings that have broken tokenizers, or might.
CASES = [
    '', ' ', '   ', '\t', '\n', '\u3000', '\0', 'a\0b', 'the', ' the  the ', 'Hello, wörld!', 'thethethe', 'THE',
    '\u2581', '\u2581\u2581the\u2581', 'the\u2581ba', 'a' * 100, '\u0301', 'e\u0301', 'e\u0301\u0302',
    'a' + '\u0301' * 50,
    'ﬁn', '½ ½', 'abab', 'abcabc', 'abc abc ', '①②③①②', '\ufdfa', 'é', 'éé', '😀', '😀😀 😀', '\U0010FFFF', '\uFFFD',
    '\uFFFD\uFFFDthe', '\uFEFFthe', 'the\uFEFF', '\u202Ethe\u202C', 'א\u05B0ב', '漢字かな', '한국어', '\u1112\u1161\u11AB',
    '\U0001F469\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466', '\U0001F1E9\U0001F1EA', '👍🏽', '<unk>', '<s>', '</s>',
    '</s></s>', '>>fra<<', '>>fra<< the', '>>eng<< the', '>><<', '>>fra', '<mask>', '<mask>>', 'a<mask>b', '<0x41>',
    '<0x00>',
    'ba ba', 'ba  ba', 'ba ba ba', 'ro', ' ro', 'the\u2581ro', '⁇', ' ⁇ ', 'the\r\nba', '\u0007', 'x\u0007', '\u200d',
    '\u200d\u200d', 'the \u200d ', '\u00ad', 'q', 'qui', 'quibader', '€', '\u0378', '\uE000', '\uFFFE', '\uFFFF',
    '0', '007',
]


def first(n, lines):
    return [line for line, _ in zip(lines, range(n))]


def crc_of(original, lines):
    crc = count = 0
    pieces = {}
    for line in lines:
        ids, offsets, _ = original.encode(line)
        for i in ids:
            if i not in pieces:
                pieces[i] = original.id_to_piece(i)
        decoded = original.decode([pieces[i] for i in ids])
        record = struct.pack(f'<i{len(ids)}i{len(offsets)}ii', len(ids), *ids, *offsets, len(decoded)) + decoded
        crc = zlib.crc32(record, crc)
        count += 1
    return count, crc


def write_hashes():
    shipped = ['models/de-en-es-fr/source.spm']
    small = sorted(glob.glob(f'{HERE}/*.spm'))
    foreign = sorted(glob.glob('../shared/tokenizers/*/*.spm'))
    dev = list(corpora())
    with open(f'{HERE}/hashes.txt', 'w') as file:
        for path in shipped + small + foreign:
            original = SentencePiece(path)
            for name, make in text_lines.SETS.items():
                if name != 'points' or path in shipped:
                    file.write('%s %s %d %08x\n' % (path, name, *crc_of(original, make())))
            if dev and path not in small:
                file.write('%s dev %d %08x\n' % (path, *crc_of(original, dev)))


def main():
    if '--hashes' not in sys.argv:
        os.makedirs(HERE, exist_ok=True)
        golden = {}
        for name, data in models():
            path = f'{HERE}/{name}.spm'
            with open(path, 'wb') as file:
                file.write(data)
            original = SentencePiece(path)
            golden[name] = []
            hostile = [line.decode() for line in [*first(16, text_lines.mixed()), *first(16, text_lines.letters())]]
            for text in CASES + hostile + first(8, sentences()):
                ids, offsets, _ = original.encode(text.encode())
                decoded = original.decode([original.id_to_piece(i) for i in ids]).decode()
                golden[name].append({'text': text, 'ids': ids, 'offsets': offsets, 'decoded': decoded})
        with open(f'{HERE}/cases.json', 'w') as file:
            rows = [f'"{name}": [\n' + ',\n'.join(map(json.dumps, cases)) + '\n]' for name, cases in golden.items()]
            file.write('{' + ',\n'.join(rows) + '}\n')
    write_hashes()


if __name__ == '__main__':
    main()
