"""Small tokenizers of each kind, trained on a few lines."""

import json
from collections.abc import Sequence

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

SPECIAL = ["<unk>", "<s>", "</s>"]
LINES = [
    "SELECT name, COUNT(*) FROM customer WHERE total_amount >= 19.99 GROUP BY name",
    "select the customer's total amount, don't order; it isn't there. Is it? No!",
    "  indented    with  spaces\tand tabs\n\nand lines",
    "Größe, naïve café, Ελλάδα, привет мир",
    "一共有多少名歌手？来自法国的歌手平均年龄是多少？",
    "城市 人口 面积",
    "😀 😃 👨‍👩‍👧 🇫🇷",
    "WHERE city = '北京' OR x = 'it''s'",
]
LETTERS = sorted({*"▁", *(letter for line in LINES for letter in line if " " < letter < "\x7f")})


def trained(tokenizer: Tokenizer, trainer: trainers.Trainer, lines: Sequence[str] = LINES) -> Tokenizer:
    tokenizer.train_from_iterator([*lines] * 3, trainer)
    return tokenizer


def byte_level(
    lines: Sequence[str] = LINES, special: Sequence[str] = SPECIAL, size: int = 400, *, split: bool = True
) -> Tokenizer:
    """GPT-2, Llama 3, Qwen, SmolLM2; without a split before it is trained its tokens span words."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=split)
    tokenizer.decoder = decoders.ByteLevel()
    letters = pre_tokenizers.ByteLevel.alphabet()
    options = {"vocab_size": size, "special_tokens": [*special], "initial_alphabet": letters, "show_progress": False}
    return trained(tokenizer, trainers.BpeTrainer(**options), lines)


def byte_fallback(*, strip: bool) -> Tokenizer:
    """Llama 2 and Mistral; Gemma, without the Strip. Letters that are rare have pieces for bytes alone."""
    learner = Tokenizer(models.BPE(unk_token="<unk>"))
    learner.normalizer = normalizers.Replace(" ", "▁")
    trainer = trainers.BpeTrainer(
        vocab_size=260,
        special_tokens=SPECIAL,
        initial_alphabet=LETTERS,
        limit_alphabet=len(LETTERS),
        show_progress=False,
    )
    learnt = json.loads(trained(learner, trainer).to_str())["model"]
    pieces = [*SPECIAL, *(f"<0x{byte:02X}>" for byte in range(256))]
    pieces += [piece for piece in sorted(learnt["vocab"], key=learnt["vocab"].get) if piece not in SPECIAL]
    pieces += ["▁▁", "▁▁▁▁"]
    model = models.BPE(
        {piece: i for i, piece in enumerate(pieces)},
        [tuple(pair) for pair in learnt["merges"]],
        unk_token="<unk>",
        byte_fallback=True,
        fuse_unk=True,
    )
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    tokenizer.decoder = decoders.Sequence([*steps, decoders.Strip(" ", 1, 0)] if strip else steps)
    tokenizer.add_special_tokens(SPECIAL)
    return tokenizer


def unigram(scheme: str) -> Tokenizer:
    """T5, XLM-R: no piece for what was not seen."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme, split=False)
    tokenizer.decoder = decoders.Metaspace(prepend_scheme=scheme)
    trainer = trainers.UnigramTrainer(vocab_size=300, special_tokens=SPECIAL, unk_token="<unk>", show_progress=False)
    return trained(tokenizer, trainer)


KINDS = {
    "byte-level": byte_level,
    "byte-level in a sequence": lambda: decoded_by(byte_level(), decoders.Sequence([decoders.ByteLevel()])),
    "byte fallback": lambda: byte_fallback(strip=True),
    "byte fallback, no strip": lambda: byte_fallback(strip=False),
    "Metaspace and byte fallback": lambda: decoded_by(
        byte_fallback(strip=False), decoders.Sequence([decoders.Metaspace(), decoders.ByteFallback(), decoders.Fuse()])
    ),
    "Unigram, always": lambda: unigram("always"),
    "Unigram, first": lambda: unigram("first"),
    "Unigram, never": lambda: unigram("never"),
}
"""All that are known, each with pieces for single bytes or without."""


def decoded_by(tokenizer: Tokenizer, decoder: decoders.Decoder) -> Tokenizer:
    tokenizer.decoder = decoder
    return tokenizer
