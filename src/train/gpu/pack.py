"""pack.py - what train.py reads as one small file, for a machine without a network.

    python3 src/train/gpu/pack.py run.pack OPTIONS OF train.py    packs the files that the options name
    python3 src/train/gpu/pack.py --unpack run.pack work          on the other machine
    python3 src/train/gpu/train.py @work/options --out work/run --minutes 8

Corpora of several directions have a sentence many times. Here a pair and its reverse are one record, and the records of
a sentence are neighbours: a tenth of the bytes is enough. What is unpacked has the lines in another order, without
those that train.py leaves out and without columns between the target and the links.
"""
import io
import os
import sys
import tarfile

from data import LINKS, sides
from train import arguments

FILES = ('--train', '--dev', '--spm', '--init', '--names')


def turned(links):
    """Links of the reverse pair."""
    return ' '.join('-'.join(link.split('-')[::-1]) for link in links.split())


def read_records(paths):
    """[corpus, language, source, target, links, language of the reverse, its links or None: the same, turned]."""
    grouped, groups = [], {}
    for corpus, path in enumerate(paths):
        pairs = {}
        with open(path, encoding='utf-8', newline='\n') as file:
            lines = file.read().split('\n')
        for line in lines:
            if not (found := sides(line)):
                continue
            language, source, target = found
            last = line.rstrip('\r').split('\t')[2:][-1:]
            links = last[0] if last and LINKS.fullmatch(last[0]) else ''
            reverse = pairs.get((target, source))
            if reverse and reverse[5] is None:
                reverse[5:] = language, None if turned(reverse[4]) == links else links
                continue
            group = groups.setdefault(source, groups.get(target, len(groups)))
            groups.setdefault(target, group)
            record = pairs[source, target] = [corpus, language, source, target, links, None, None]
            grouped.append((group, record))
        if not pairs:
            raise SystemExit(f'{path}: found no sentence pair, expected lines of source TAB target')
    return [record for _, record in sorted(grouped, key=lambda pair: pair[0])]


def named(flag, value):
    """What is before a file in an option: NAME= of a development set."""
    name, equals, file = value.partition('=') if flag == '--dev' else ('', '', value)
    return name + equals, file


def nobody(member):
    """A member of a tar without a time or an owner: the same files make the same pack."""
    member.mtime = member.uid = member.gid = 0
    member.uname = member.gname = ''
    return member


def pack(path, options):
    """Corpora become the members text and links, a line for each record; other files are members as they are."""
    corpora, members, rewritten = [], {}, []
    options = [word for option in options for word in (option.split('=', 1) if option.startswith('--') else [option])]
    arguments([*options, '--out', 'run'])  # what train.py would refuse later is refused here
    for flag, value in zip([''] + options, options):
        if flag == '--train':
            file, _, share = value.partition(':')
            value = f'{len(corpora)}.tsv:{share or 1}'
            corpora.append(file)
        elif flag in FILES:
            name, file = named(flag, value)
            members[f'{len(members)}.{flag[2:]}'] = file
            value = f'{name}{len(members) - 1}.{flag[2:]}'
        rewritten.append(value)
    records = read_records(corpora)
    text = '\n'.join('\t'.join((str(corpus), language, a, b) + (() if reverse is None else (reverse,)))
                     for corpus, language, a, b, _, reverse, _ in records)
    links = '\n'.join(own if other is None else f'{own}\t{other}' for *_, own, _, other in records)
    with tarfile.open(path, 'w:xz', preset=9, dereference=True) as tar:
        for name, content in (('options', '\n'.join(rewritten)), ('text', text), ('links', links)):
            member = tarfile.TarInfo(name)
            member.size = len(content := content.encode())
            tar.addfile(member, io.BytesIO(content))
        for name, file in members.items():
            tar.add(file, name, filter=nobody)
    print(f'{path}: {len(records)} records, {os.path.getsize(path)} bytes')


def unpack(path, folder):
    os.makedirs(folder, exist_ok=True)
    with tarfile.open(path) as tar:
        tar.extractall(folder, filter='data')

    def read(name):
        with open(os.path.join(folder, name), encoding='utf-8', newline='\n') as file:
            return file.read().split('\n')
    corpora = {}
    for record, links in zip(read('text'), read('links'), strict=True):
        corpus, language, a, b, *reverse = record.split('\t')
        own, tab, other = links.partition('\t')
        rows = [(language, a, b, own)] + [(token, b, a, other if tab else turned(own)) for token in reverse]
        for token, source, target, its in rows:
            line = f'{token} {source}\t{target}' if token else f'{source}\t{target}'
            corpora.setdefault(corpus, []).append(f'{line}\t{its}' if its else line)
    for corpus, lines in corpora.items():
        with open(os.path.join(folder, f'{corpus}.tsv'), 'w', encoding='utf-8', newline='\n') as file:
            file.write('\n'.join(lines) + '\n')
    options = read('options')
    for at in range(1, len(options)):
        if options[at - 1] in FILES:
            name, file = named(options[at - 1], options[at])
            options[at] = name + os.path.join(folder, file)
    with open(os.path.join(folder, 'options'), 'w', encoding='utf-8') as file:
        file.write('\n'.join(options) + '\n')


if __name__ == '__main__':
    if len(sys.argv) == 4 and sys.argv[1] == '--unpack':
        unpack(*sys.argv[2:])
    elif len(sys.argv) > 2 and not sys.argv[1].startswith('-'):
        pack(sys.argv[1], sys.argv[2:])
    else:
        raise SystemExit(__doc__)
