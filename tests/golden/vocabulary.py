"""Makes golden/text/vocabulary.txt: ids of real lines by SentencePiece and vocab.json of real models. Used by hand.

    /usr/bin/python3 tests/golden/vocabulary.py        needs ../shared (its tokenizers and dev corpora)

A line of the file: model, side, number of the group, start of the SHA-256 of the ids of its 100 lines, as int32 with </s> at the end of
each line. A piece that vocab.json lacks is <unk>. Read by tokenizer.test.js.
"""
import glob
import hashlib
import json
import os
import struct

from text_oracle import SentencePiece, corpora

HERE = os.path.dirname(os.path.abspath(__file__))
LINES = 10000


def main():
    lines = [line for line, _ in zip(corpora(), range(LINES))]
    assert len(lines) == LINES
    with open(f'{HERE}/text/vocabulary.txt', 'w') as file:
        for folder in sorted(glob.glob('../shared/tokenizers/*/')):
            with open(f'{folder}vocab.json') as vocabulary:
                vocab = json.load(vocabulary)
            with open(f'{folder}config.json') as config:
                eos = json.load(config)['eos_token_id']
            for side in ('source', 'target'):
                original = SentencePiece(f'{folder}{side}.spm')
                unknown = 0
                for begin in range(0, LINES, 100):
                    digest = hashlib.sha256()
                    for line in lines[begin:begin + 100]:
                        pieces = [piece.decode() for piece in original.encode(line)[2]]
                        ids = [vocab.get(piece, vocab['<unk>']) for piece in pieces] + [eos]
                        unknown += ids.count(vocab['<unk>'])
                        digest.update(struct.pack(f'<{len(ids)}i', *ids))
                    file.write(f'{os.path.basename(folder[:-1])} {side} {begin // 100} {digest.hexdigest()[:8]}\n')
                print(f'{folder}{side}.spm: {LINES} lines, {unknown} pieces are <unk>')


if __name__ == '__main__':
    main()
