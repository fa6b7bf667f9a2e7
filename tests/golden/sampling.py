#!/usr/bin/env python3
"""Writes sampling.json: how often SentencePiece's sampling cuts a text in each way.

    python3 tests/golden/sampling.py          needs sentencepiece 0.2; ../train-data.test.js compares with it
"""
import collections
import json
import pathlib

import sentencepiece

HERE = pathlib.Path(__file__).parent
DRAWS = 20000
CASES = [
    ("unigram.spm", "the sea and the stones", 0.1),
    ("unigram.spm", "the sea and the stones", 0.5),
    ("unigram.spm", "the other a\u4e16\u754c there", 0.02),
    ("unigram-bytes.spm", "there \u2603 and Gr\u00f6\u00dfe", 0.05),
    ("unigram-unused.spm", "the sea and the stones", 0.05),
]


def main():
    sentencepiece.set_random_generator_seed(1)
    cases = []
    for name, text, alpha in CASES:
        spm = sentencepiece.SentencePieceProcessor(model_file=str(HERE / "text" / name))
        counts = collections.Counter()
        for _ in range(DRAWS):
            counts[" ".join(map(str, spm.encode(text, enable_sampling=True, alpha=alpha, nbest_size=-1)))] += 1
        top = dict(sorted(counts.most_common(200)))
        cases.append({"spm": name, "text": text, "alpha": alpha, "draws": DRAWS, "counts": top})
    (HERE / "sampling.json").write_text(json.dumps(cases, indent=1) + "\n")


main()
