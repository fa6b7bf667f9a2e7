"""Writes train/numerals.tsv: numbers in words in English, German, French and Spanish, by num2words.

    pip install num2words==0.5.14
    python3 tests/golden/numerals.py
"""

from pathlib import Path

from num2words import num2words

NUMBERS = [*range(131), 199, 200, 201, 271, 280, 300, 500, 571, 700, 900, 999, 1000, 1001, 1016, 1100, 1980, 1999,
           2000, 2021, 5500, 7071, 9999]

lines = [f"{n}\t" + "\t".join(num2words(n, lang=language) for language in ["en", "de", "fr", "es"]) for n in NUMBERS]
(Path(__file__).parent / "train" / "numerals.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
