"""noise.py - alters pairs as heed-train does: noise as people type it, and other names and numbers on both sides.

The rules are in ../native/noise.h, ../native/replace.h and ../native/letters.h; the random numbers differ. Texts are
without the language token. Depends on nothing, so that tests need no PyTorch. Used by data.py and train.py.
"""
import re

KINDS = ('typos', 'stops', 'quotes', 'capitals', 'small', 'title')

# letters.h: U+0041-U+017F; of a letter without exactly one other case in that range, neither form changes
ALL = ''.join(c for c in map(chr, (*range(0x41, 0x5b), *range(0x61, 0x7b), *range(0xc0, 0x180))) if c not in '×÷')
TO_CAPITAL = {ord(c): c.upper() for c in ALL if len(c.upper()) == 1 and c not in 'ıſ' and c.upper() in ALL}
TO_SMALL = {ord(c): c.lower() for c in ALL if len(c.lower()) == 1}
CAPITALS = ''.join(c for c in ALL if TO_SMALL.get(ord(c), c) != c)
SMALL = ''.join(c for c in ALL if c not in CAPITALS)

# a word of prose: a core that begins and ends with letters, punctuation around it; what is past ASCII is no code
MARKS, OTHERS = r'''.,;:!?()"'-''', '\x80-\xbf×÷\u0180-\U0010ffff'
AROUND = f'[{re.escape(MARKS)}{OTHERS}]*'
PLAIN = re.compile(f"({AROUND})([{ALL}](?:[{ALL}{OTHERS}'-]*[{ALL}])?)({AROUND})")
TOKEN = re.compile('[^ ]+')
STOP = re.compile(r' *[.!] *$')
OPENING, CLOSING = str.maketrans('"\'', '“‘'), str.maketrans('"\'', '”’')
NEIGHBOURS = dict(zip('abcdefghijklmnopqrstuvwxyz', (
    'sq vn xv sf wr dg fh gj uo hk jl k n bm ip o wa et ad ry yi cb qe zc tu xs').split()))


def change_words(text, change):
    """Each word of prose becomes change(before, core, after)."""
    def changed(token):
        parts = PLAIN.fullmatch(token.group())
        return change(*parts.groups()) if parts else token.group()
    return TOKEN.sub(changed, text)


def change_case(text, table, first_only=False):
    if first_only:
        return change_words(text, lambda before, core, after: before + core[0].translate(table) + core[1:] + after)
    return change_words(text, lambda before, core, after: before + core.translate(table) + after)


def without_stop(text):
    """None if there is no full stop to remove; "?!", "..." and "etc.)." are more than one."""
    found = STOP.search(text)
    rest = text[:found.start()] if found else ''
    return rest if rest and rest[-1] not in '.!?)"\'' else None


def typo(word, rng):
    n = len(word)
    if not 4 <= n <= 64 or any(c not in ALL for c in word):
        return word
    at, kind = rng.randrange(1, n), rng.randrange(4)
    if kind == 0:
        at = min(at, n - 2)
        return word[:at] + word[at + 1] + word[at] + word[at + 2:]
    if kind == 1:
        return word[:at] + word[at + 1:]
    if kind == 2 or not word[at].isascii():
        return word[:at + 1] + word[at:] if kind == 2 else word
    key = rng.choice(NEIGHBOURS[word[at].lower()])
    return word[:at] + (key.upper() if word[at] in CAPITALS else key) + word[at + 1:]


def read_kinds(text):
    """{'typos': 0.01, ...} of "typos=0.01,stops=0.03"; a ValueError for what heed-train refuses."""
    kinds = dict.fromkeys(KINDS, 0.0)
    for item in filter(None, text.split(',')):
        kind, _, value = item.partition('=')
        if kind not in KINDS or not value:
            raise ValueError(f"found '{item}', expected {', '.join(f'{kind}=P' for kind in KINDS)}")
        try:
            kinds[kind] = float(value)
        except ValueError:
            kinds[kind] = -1
        if not 0 <= kinds[kind] <= 1:
            raise ValueError(f"found '{item}', expected a number from 0 to 1")
    if sum(kinds[kind] for kind in ('capitals', 'small', 'title')) > 1:
        raise ValueError('capitals, small and title together are more than 1')
    return kinds


def noise(source, target, kinds, rng):
    which = rng.random()
    if which < kinds['capitals']:
        source, target = change_case(source, TO_CAPITAL), change_case(target, TO_CAPITAL)
    elif which < kinds['capitals'] + kinds['small']:
        source = change_case(source, TO_SMALL)
    elif which < kinds['capitals'] + kinds['small'] + kinds['title']:
        source = change_case(source, TO_CAPITAL, first_only=True)
    if rng.random() < kinds['stops']:
        both = without_stop(source), without_stop(target)
        if None not in both:
            source, target = both
    if rng.random() < kinds['quotes']:
        source = change_words(source, lambda before, core, after:
                              before.translate(OPENING) + core.translate(CLOSING) + after.translate(CLOSING))
    if kinds['typos']:
        source = change_words(source, lambda before, core, after: before + (
            typo(core, rng) if rng.random() < kinds['typos'] and core not in target else core) + after)
    return source, target


# ------------------------------------------------------------------------------------ names and numbers

NAME = re.compile(f'(?<![^ ])[{CAPITALS}][{SMALL}]{{2,}}(?![{ALL}])')
# what is past ASCII is a letter, but for signs: quotes, dashes, currencies
LETTER = 'A-Za-z\u00c0-\u1fff\u3000-\U0010ffff'
INSIDE = re.compile(f'[,0-9{LETTER}] ')
ENDS_WELL = re.compile(f"$|[ ']|[.,;:!?)\"](?![{LETTER}])")
DIGITS = re.compile('[0-9]+')
NEAR = re.compile(f'[:{LETTER}]')


def find_number(text, digits):
    """The start of the only run of these digits, without a letter or a colon beside it; or -1."""
    runs = [found.span() for found in DIGITS.finditer(text) if found.group() == digits]
    if len(runs) != 1:
        return -1
    start, end = runs[0]
    return -1 if NEAR.match(text[start - 1:start]) or NEAR.match(text[end:end + 1]) else start


def other_number(digits, rng):
    if len(digits) == 1:
        return str(rng.randrange(2, 10))
    if len(digits) == 4 and digits[:2] in ('18', '19', '20'):
        return f'{digits[:2]}{rng.randrange(100):02}'
    first = '0' if digits[0] == '0' else str(rng.randrange(1, 10))
    return first + ''.join(str(rng.randrange(10)) for _ in digits[1:])


def replace_numbers(source, target, p, rng):
    for start, end in [found.span() for found in DIGITS.finditer(source)]:
        digits = source[start:end]
        if rng.random() >= p or digits in ('0', '1'):
            continue
        there = find_number(target, digits)
        if there >= 0 and find_number(source, digits) == start:
            other = other_number(digits, rng)
            source = source[:start] + other + source[end:]
            target = target[:there] + other + target[there + end - start:]
    return source, target


def next_name(source, target, known, at):
    """The next name from `at` on that both sides have, and its two places; or None. A word that is not clearly inside a
    sentence on both sides must be known."""
    for found in NAME.finditer(source, at):
        name, i, there = found.group(), found.start(), target.find(found.group())
        if there < 0 or target.find(name, there + 1) >= 0 or source.find(name) != i or source.find(name, i + 1) >= 0:
            continue
        if not ENDS_WELL.match(source, found.end()) or not ENDS_WELL.match(target, there + len(name)):
            continue
        if there > 0 and target[there - 1] != ' ':
            continue
        if name in known or INSIDE.fullmatch(source[i - 2:i]) and INSIDE.fullmatch(target[there - 2:there]):
            return name, i, there
    return None


def harvest(names, language, source, target):
    """Adds to names {language: {name: None}} those that the sides share."""
    at = 0
    while found := next_name(source, target, (), at):
        names.setdefault(language, {})[found[0]] = None
        at = found[1] + len(found[0])


def replace(source, target, names, p, invent, rng):
    """names: (list, set) of the target's language. With probability `invent` a new name is made of two."""
    source, target = replace_numbers(source, target, p, rng)
    every, known = names
    at = 0
    while len(every) > 1 and (found := next_name(source, target, known, at)):
        old, i, there = found
        at = i + len(old)
        if rng.random() >= p:
            continue
        new = rng.choice(every)
        if rng.random() < invent:  # two letters or more of one name, one or more of the other
            tail = rng.choice(every)
            new = new[:2 + int(rng.random() * (len(new) - 2))] + tail[1 + int(rng.random() * (len(tail) - 1)):]
        source = source[:i] + new + source[at:]
        target = target[:there] + new + target[there + len(old):]
        at = i + len(new)
    return source, target
