"""Compares src/text with SentencePiece itself: ids, UTF-16 offsets and decoded text of every line.

Run from the repository's root with the Python that has sentencepiece 0.1.97:

    python3 tests/golden/text_oracle.py [MODEL.spm ...]     default: those of MODELS below

Lines: the hostile ones of text_lines.py and, where ../shared is there, both sides of its dev corpora.
Compiles the C sources with $CC (default: cc) and calls them through ctypes.  Prints a line per model and exits with 1
if any line differs.  text.py uses the classes here to write the golden files.
"""
import ctypes
import glob
import gzip
import os
import re
import subprocess
import sys
import tempfile

import sentencepiece

import text_lines

SOURCES = glob.glob('src/base/*.c') + glob.glob('src/text/*.c')
MODELS = ['models/*/source.spm', 'tests/golden/text/*.spm', '../shared/tokenizers/*/*.spm']
SPACE = '\u2581'.encode()


def utf16_positions(text):
    """For each byte position the UTF-16 units before its character; invalid bytes count one."""
    positions = []
    units = 0
    for character in text.decode('utf-8', 'surrogateescape'):
        code = ord(character)
        size = 1 if 0xDC80 <= code <= 0xDCFF else len(character.encode())
        positions += [units] * size
        units += 2 if code > 0xFFFF else 1
    return positions + [units]


def read_fields(data):
    """Fields of a protobuf message: number -> list of values."""
    fields = {}
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            value = varint()
        elif tag & 7 == 2:
            size = varint()
            value = data[at:at + size]
            at += size
        else:
            assert tag & 7 == 5
            value = data[at:at + 4]
            at += 4
        fields.setdefault(tag >> 3, []).append(value)
    return fields


def with_language_tokens_as_control(data):
    """The model with each piece >>xxx<< that text could become turned into a control piece, as we treat it."""

    def control(match):
        return match.group(1) + b'\x18\x03'

    # of a piece: its text, its score, and its type 4 (user-defined)
    return re.sub(rb'(\x0a.>>[^<>]+<<\x15....)\x18\x04', control, data, flags=re.DOTALL)


class SentencePiece:
    """The original, with results in our form: (ids, offsets, pieces)."""

    def __init__(self, path):
        with open(path, 'rb') as file:
            data = with_language_tokens_as_control(file.read())
        self.processor = sentencepiece.SentencePieceProcessor(model_proto=data)
        self.unk = self.processor.unk_id()

    def encode(self, text):
        fields = read_fields(self.processor.encode(text, out_type='serialized_proto'))
        positions = utf16_positions(text)
        ids, offsets, pieces = [], [], []
        for data in fields.get(2, []):
            piece = read_fields(data)  # 1 piece, 2 id, 3 surface, 4 begin, 5 end
            ids.append(piece[2][0])
            offsets += [positions[piece.get(4, [0])[0]], positions[piece.get(5, [0])[0]]]
            pieces.append(piece[1][0])
        return ids, offsets, pieces

    def decode(self, pieces):
        # the method behind the public one takes bytes, which need not be valid UTF-8
        return read_fields(self.processor._DecodePiecesAsSerializedProto(pieces)).get(1, [b''])[0]

    def id_to_piece(self, i):
        return self.processor.id_to_piece(i).encode()


class Encoding(ctypes.Structure):
    _fields_ = [('n', ctypes.c_int32), ('ids', ctypes.POINTER(ctypes.c_int32)),
                ('offsets', ctypes.POINTER(ctypes.c_int32)), ('spans', ctypes.POINTER(ctypes.c_int32)),
                ('normalized', ctypes.POINTER(ctypes.c_char))]


class Report(ctypes.Structure):
    _fields_ = [('name', ctypes.c_char_p), ('rule', ctypes.c_char_p), ('found', ctypes.c_int32)]


class Heed:
    """Our tokenizer, through ctypes."""

    library = None

    @classmethod
    def build(cls, directory):
        path = os.path.join(directory, 'heed_text.so')
        subprocess.run([os.environ.get('CC', 'cc'), '-std=c11', '-O2', '-ffp-contract=off', '-fPIC', '-shared', '-Isrc',
                        '-o', path, *SOURCES, '-lm'], check=True)
        cls.library = ctypes.CDLL(path)
        cls.library.heed_tokenizer_encode.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t,
                                                      ctypes.c_void_p]
        cls.library.heed_tokenizer_decode.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int,
                                                      ctypes.c_void_p, ctypes.c_void_p]
        cls.library.heed_tokenizer_free.argtypes = [ctypes.c_void_p]

    def __init__(self, path):
        with open(path, 'rb') as file:
            data = file.read()
        self.handle = ctypes.c_void_p()
        report = Report()
        status = self.library.heed_tokenizer_create(data, ctypes.c_size_t(len(data)), ctypes.byref(self.handle),
                                                    ctypes.byref(report))
        if status:
            raise ValueError(f'{path}: status {status}, {report.name}: {report.rule}, found {report.found}')

    def __del__(self):
        self.library.heed_tokenizer_free(self.handle)

    def encode(self, text):
        result = Encoding()
        status = self.library.heed_tokenizer_encode(self.handle, text, len(text), ctypes.byref(result))
        assert status == 0, status
        n = result.n
        spans = result.spans[:2 * n]
        normalized = result.normalized[:spans[-1]] if n else b''
        pieces = [normalized[spans[2 * i]:spans[2 * i + 1]] for i in range(n)]
        return result.ids[:n], result.offsets[:2 * n], pieces

    def decode(self, pieces):
        lengths = (ctypes.c_int32 * len(pieces))(*map(len, pieces))
        text, n = ctypes.POINTER(ctypes.c_char)(), ctypes.c_size_t()
        status = self.library.heed_tokenizer_decode(self.handle, b''.join(pieces), lengths, len(pieces),
                                                    ctypes.byref(text), ctypes.byref(n))
        assert status == 0, status
        return text[:n.value]


def corpora():
    """Both sides of the dev corpora of ../shared; nothing where it is missing."""
    for path in sorted(glob.glob('../shared/data/*.dev.tsv.gz')):
        with gzip.open(path, 'rb') as file:
            for line in file.read().split(b'\n'):
                yield from line.split(b'\t')


def compare(original, ours, text):
    """None, or what differs."""
    ids, offsets, pieces = original.encode(text)
    got_ids, got_offsets, got_pieces = ours.encode(text)
    if got_ids != ids:
        return 'ids', ids, got_ids
    if got_offsets != offsets:
        return 'offsets', offsets, got_offsets
    # a byte piece has its byte as text with us, its name with SentencePiece
    if b''.join(got_pieces) == b''.join(pieces) and got_pieces != pieces:
        return 'pieces', pieces, got_pieces
    by_id = [original.id_to_piece(i) for i in ids]
    decoded, got = original.decode(by_id), ours.decode(by_id)
    if got != decoded:
        return 'decoded ids', decoded, got
    # strings that are no pieces: U+2581 is a space in them for us, SentencePiece leaves them alone
    if not any(i == original.unk and SPACE in piece for i, piece in zip(ids, pieces)):
        decoded, got = original.decode(pieces), ours.decode(pieces)
        if got != decoded:
            return 'decoded pieces', decoded, got
    return None


def main(models):
    if not models:
        models = [path for pattern in MODELS for path in sorted(glob.glob(pattern))]
    failed = False
    with tempfile.TemporaryDirectory() as directory:
        Heed.build(directory)
        lines = [line for make in text_lines.SETS.values() for line in make()] + list(corpora())
        for path in models:
            original, ours = SentencePiece(path), Heed(path)
            pieces = different = 0
            for line in lines:
                difference = compare(original, ours, line)
                if difference:
                    different += 1
                    if different <= 5:
                        what, theirs, got = difference
                        print(f'{path}: {line!r}: {what}\n  SentencePiece {theirs}\n  heed {got}')
            print(f'{path}: {len(lines)} lines, {different} differ', flush=True)
            failed |= different > 0
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
