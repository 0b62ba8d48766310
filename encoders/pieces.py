"""The tokenizer of E5, which is that of XLM-RoBERTa, and the pieces of it that Chinese and English need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import sentencepiece
import sentencepiece.sentencepiece_model_pb2 as protocol
from tokenizers import AddedToken, Regex, Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import Unigram

__all__ = ["SPECIAL", "kept_pieces", "piece_tokenizer"]

SPECIAL = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>", "mask_token": "<mask>"}
"""Names of the pieces that no text has, as transformers calls them."""

_SPACE = "▁"
# blocks of Chinese characters, with those of old and rare ones
_CHINESE = (range(0x3400, 0x4DC0), range(0x4E00, 0xA000), range(0xF900, 0xFB00), range(0x20000, 0x33480))


def kept_pieces(pieces: Sequence[str]) -> list[int]:
    """Return the ids, in order, of the pieces that texts in Chinese and English need.

    A piece can stand in a text only if the text has all its characters. So a text whose letters, in normal form, are
    Chinese characters and ASCII is cut into the same pieces as before; any other has at least its single characters.
    """
    return [i for i, piece in enumerate(pieces) if len(piece) == 1 or all(map(_needed, piece))]


def _needed(character: str) -> bool:
    point = ord(character)
    return point < 128 or not character.isalpha() or any(point in block for block in _CHINESE)


def piece_tokenizer(pieces: Sequence[tuple[str, float]]) -> Tokenizer:
    """Build XLM-RoBERTa's tokenizer of ``pieces`` and their scores; the place of a piece is its id."""
    ids = {piece: i for i, (piece, _) in enumerate(pieces)}
    inner = Tokenizer(Unigram(list(pieces), unk_id=ids["<unk>"], byte_fallback=False))
    spaces = normalizers.Replace(Regex(" {2,}"), " ")
    inner.normalizer = cast(Any, normalizers.Sequence([normalizers.Precompiled(_normal_form()), spaces]))
    spaced = pre_tokenizers.Metaspace(_SPACE, "always")
    inner.pre_tokenizer = cast(Any, pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), spaced]))
    ends = [(token, ids[token]) for token in ("<s>", "</s>")]
    single, pair = "<s> $A </s>", "<s> $A </s> </s> $B </s>"
    inner.post_processor = cast(Any, processors.TemplateProcessing(single=single, pair=pair, special_tokens=ends))
    inner.decoder = cast(Any, decoders.Metaspace(_SPACE, "always"))
    inner.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in SPECIAL.values()])
    return inner


def _normal_form() -> bytes:
    """Return sentencepiece's normal form of this name, which XLM-RoBERTa was trained with, as it compiles it."""
    normalizer: Any = sentencepiece.SentencePieceNormalizer(rule_name="nmt_nfkc")
    spec: Any = cast(Any, protocol).NormalizerSpec()
    spec.ParseFromString(normalizer.serialized_normalizer_spec())
    return spec.precompiled_charsmap
