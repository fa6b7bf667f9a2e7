"""Lines that are hostile to a tokenizer, made by counting and by one pseudo-random sequence; used by text.py and
text_oracle.py.  tests/c/text_lines.h and tests/text.test.js make the same lines: change all three or none."""

# Ranges of code points, one of which each random character is taken from.
POOLS = [
    (0x20, 0x7E), (0x61, 0x7A), (0x00, 0x1F), (0xA0, 0x17F), (0x300, 0x36F), (0x370, 0x5FF), (0x600, 0x6FF),
    (0x900, 0x97F), (0xE00, 0xE7F), (0x1100, 0x11FF), (0x2000, 0x206F), (0x2580, 0x259F), (0x3040, 0x30FF),
    (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xFE00, 0xFEFF), (0xFF00, 0xFFFF), (0x1F300, 0x1FAFF),
]
# Strings that are put in whole.
STRINGS = [
    ' ', '  ', '\u2581', '\r\n', '\0', '\uFEFF', '\uFFFD', '</s>', '<unk>', '>>fra<<', '<0x41>',
    '\U0001F469\u200D\U0001F469\u200D\U0001F467', '\U0001F1E9\U0001F1EA', 'e\u0301', '\u202E', 'the ',
    'ba', 'der', 'hau', 'lich', 'qui', 'ro', 'sch', 'zen', 'ing', '\u00FCn', '<mask>', 'The house is ', 'ba ba',
    'nationally',
]


class Sequence:
    """xorshift32: the same numbers in every language."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        x = self.state
        x ^= (x << 13) & 0xFFFFFFFF
        x ^= x >> 17
        x ^= (x << 5) & 0xFFFFFFFF
        self.state = x
        return x % n


def points():
    """Every code point of the first plane, alone and between letters; surrogates as TextEncoder sends them."""
    for code in range(0x10000):
        character = '\uFFFD' if 0xD800 <= code <= 0xDFFF else chr(code)
        yield character.encode()
        yield f'a{character}b {character}'.encode()


def mixed():
    """4,096 lines of up to 24 characters or strings."""
    random = Sequence(2463534242)
    for _ in range(4096):
        line = ''
        for _ in range(1 + random.below(24)):
            kind = random.below(2 * len(POOLS))
            if kind < len(POOLS):
                low, high = POOLS[kind]
                line += chr(low + random.below(high - low + 1))
            else:
                line += STRINGS[random.below(len(STRINGS))]
        yield line.encode()


def broken():
    """2,048 lines of up to 16 bytes that are seldom valid UTF-8."""
    random = Sequence(88675123)
    leads = [0x20, 0x61, 0x80, 0xBF, 0xC0, 0xC3, 0xE0, 0xE2, 0xED, 0xEF, 0xF0, 0xF4, 0xF8, 0xFF]
    for _ in range(2048):
        line = bytearray()
        for _ in range(1 + random.below(16)):
            line.append(leads[random.below(len(leads))] if random.below(2) else random.below(256))
        yield bytes(line)


def letters():
    """2,048 lines of up to 32 letters from few: many ways to cut them cost the same."""
    random = Sequence(521288629)
    for _ in range(2048):
        yield ''.join('aaabbcd '[random.below(8)] for _ in range(1 + random.below(32))).encode()


SETS = {'points': points, 'mixed': mixed, 'broken': broken, 'letters': letters}
