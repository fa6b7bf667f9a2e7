"""
More tokens of the tokenizers in ../families, by transformers 4.57 and SentencePiece, and of some that have no model there.

    python tokens.py            writes ../families/*/more.jsonl.gz, and the folders madlad, mbart25, nllb-legacy and wmt21

tokenizer-5.json is what save_pretrained() of transformers 5.23 writes of a folder.
"""

import random
import shutil

from common import HERE, corpus, train_spm, write_lines
from transformers import (
    ByT5Tokenizer,
    M2M100Tokenizer,
    MBart50Tokenizer,
    MBartTokenizer,
    NllbTokenizer,
    T5Tokenizer,
)

FAMILIES = HERE.parent / 'families'
CLASSES = {
    'm2m100': (M2M100Tokenizer, ['de', 'fr']),
    'nllb': (NllbTokenizer, ['deu_Latn', 'zho_Hant']),
    'mbart50': (MBart50Tokenizer, ['de_DE', 'gl_ES']),
    't5': (T5Tokenizer, None),
    't5-v1.1': (T5Tokenizer, None),
    'mt5': (T5Tokenizer, None),
    'byt5': (ByT5Tokenizer, None),
}
TYPED = ['</s> typed', 'a <unk> b', '<pad>', '<s>x', '__de__ y', 'deu_Latn z', 'de_DE', '<2de> text', '<extra_id_0>']
SCRIPTS = 'aäñßçœ éÉ¿¡«»„“—…12½①０日本語中文한국어हिन्दी ไทยעבריתعربيΩжЯ😀👩‍👩‍👧\u200b\u00a0\u3000ﬁ²€$%&<>/\\|_▁\t'


def texts():
    """Lines of the corpus, and random strings of many scripts."""
    random_state = random.Random(7)
    lines = [cell for row in random_state.sample(corpus(), 25) for cell in row]
    strings = [''.join(random_state.choice(SCRIPTS) for _ in range(random_state.randint(1, 24))) for _ in range(60)]
    return lines + strings


def as_text(name, tokenizer, text):
    """Ids of a text in which special tokens are text, by SentencePiece itself."""
    if name == 'byt5':
        return [byte + 3 for byte in text.encode()]
    model = tokenizer.sp_model
    if name == 'm2m100':
        return [tokenizer.encoder.get(piece, 3) for piece in model.EncodeAsPieces(text)]
    ids = model.EncodeAsIds(text)
    return [3 if i == 0 else i + 1 for i in ids] if name in ('nllb', 'mbart50', 'mbart25') else ids


def records(name, tokenizer, codes):
    eos = tokenizer.eos_token_id
    for text in texts():
        if codes:
            tokenizer.src_lang = codes[0]
            yield {'text': text, 'language': codes[0], 'ids': tokenizer(text).input_ids}
        else:
            yield {'text': text, 'ids': tokenizer(text).input_ids}
    for text in TYPED:
        yield {'text': text, 'body': as_text(name, tokenizer, text) + [eos]}
    if codes:
        tokenizer.src_lang = codes[1]
        yield {'text': 'Good morning!', 'language': codes[1], 'ids': tokenizer('Good morning!').input_ids}


def others():
    """Tokenizers of models that are not in ../families."""
    rows = [cell for row in corpus() for cell in row]
    place = FAMILIES / 'madlad'
    place.mkdir(exist_ok=True)
    symbols = ['<2de>', '<2fr>', '<2pt_BR>', '<2zh_Latn>']
    model = train_spm(place / 'spiece.model', rows, 600, 'unigram', 'identity', byte_fallback=True, unk_id=0, bos_id=1,
                      eos_id=2, pad_id=-1, user_defined_symbols=symbols)
    lines = []
    for symbol in symbols:
        code = symbol[2:-1]
        for text in ['Hello.', 'Where is the station?', '日本', ' two  blanks ']:
            lines.append({'text': text, 'language': code, 'ids': model.EncodeAsIds(f'{symbol} {text.strip()}') + [2]})
    write_lines(place / 'more.jsonl.gz', lines)

    for name, kind, source, options, codes in [
        ('mbart25', MBartTokenizer, 'mbart50', {}, ['de_DE', 'ro_RO']),
        ('nllb-legacy', NllbTokenizer, 'nllb', {'legacy_behaviour': True}, ['deu_Latn', 'fra_Latn']),
        ('wmt21', M2M100Tokenizer, 'm2m100', {'language_codes': 'wmt21'}, ['de', 'is']),
    ]:
        place = FAMILIES / name
        place.mkdir(exist_ok=True)
        spm = str(FAMILIES / source / 'sentencepiece.bpe.model')
        vocab = [str(FAMILIES / source / 'vocab.json')] if name == 'wmt21' else []
        if name == 'wmt21':
            options['additional_special_tokens'] = [f'__{c}__' for c in ['en', 'ha', 'is', 'ja', 'cs', 'ru', 'zh', 'de']]
        tokenizer = kind(*vocab, spm, **options)
        tokenizer.save_pretrained(place)
        for file in place.glob('s*'):  # the SentencePiece model is that of the other folder
            file.unlink()
        shutil.rmtree(place / '.cache', ignore_errors=True)
        lines = []
        for code in codes:
            tokenizer.src_lang = code
            lines += [{'text': text, 'language': code, 'ids': tokenizer(text).input_ids} for text in ['Hello.', 'Guten Tag']]
        (place / 'vocab.json').unlink(missing_ok=True)
        write_lines(place / 'more.jsonl.gz', lines)
        print(name, len(tokenizer))


if __name__ == '__main__':
    for name, (kind, codes) in CLASSES.items():
        tokenizer = kind.from_pretrained(FAMILIES / name)
        write_lines(FAMILIES / name / 'more.jsonl.gz', records(name, tokenizer, codes))
    others()
