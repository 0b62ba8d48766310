"""Tokenizers that are a file ``tokenizer.json``, as transformers and its hub have them, by the library tokenizers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..data.packages import needs
from .pieces import BEGIN, END, PADDING, SENTENCEPIECE, UNKNOWN, Cut, pieces_of

if TYPE_CHECKING:
    import tokenizers

__all__ = ["SPECIAL", "TokenizerFile", "for_transformers"]

SPECIAL = {"bos_token": BEGIN, "pad_token": PADDING, "eos_token": END, "unk_token": UNKNOWN, "mask_token": "<mask>"}
"""Names of the pieces of E5 that no text has, as transformers calls them."""

_SPACE = "▁"


class TokenizerFile:
    """A tokenizer of the library; see `PieceTokenizer`."""

    def __init__(self, inner: tokenizers.Tokenizer) -> None:
        self.inner = inner
        inner.no_padding()

    @classmethod
    def from_file(cls, file: Path) -> TokenizerFile:
        """Read one.

        Raises:
            InputError: the library is not installed.
        """
        with needs("tokenizers", "train", field="encoder", file=file):
            from tokenizers import Tokenizer
        return cls(Tokenizer.from_file(str(file)))

    def cut(self, text: str, most: int) -> Cut:
        """Return the pieces of a text, see `PieceTokenizer`."""
        self.inner.enable_truncation(most)
        read = self.inner.encode(text)
        return read.ids, read.offsets


def for_transformers(folder: Path) -> Path:
    """Return the folder of an encoder that is cut for by sentencepiece, with a ``tokenizer.json`` that cuts alike."""
    file = folder / "tokenizer.json"
    if not file.exists():
        aside = file.with_suffix(f".{os.getpid()}")
        _alike((folder / SENTENCEPIECE).read_bytes()).save(str(aside))
        aside.replace(file)
    return folder


def _alike(model: bytes) -> tokenizers.Tokenizer:
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, normalizers, pre_tokenizers, processors
    from tokenizers.models import Unigram

    pieces, normal_form = pieces_of(model)
    ids = {piece: i for i, (piece, _) in enumerate(pieces)}
    inner = Tokenizer(Unigram(pieces, unk_id=ids[UNKNOWN], byte_fallback=False))
    spaces = normalizers.Replace(Regex(" {2,}"), " ")
    inner.normalizer = cast(Any, normalizers.Sequence([normalizers.Precompiled(normal_form), spaces]))
    spaced = pre_tokenizers.Metaspace(_SPACE, "always")
    inner.pre_tokenizer = cast(Any, pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), spaced]))
    single, pair = f"{BEGIN} $A {END}", f"{BEGIN} $A {END} {END} $B {END}"
    ends = [(mark, ids[mark]) for mark in (BEGIN, END)]
    inner.post_processor = cast(Any, processors.TemplateProcessing(single=single, pair=pair, special_tokens=ends))
    inner.decoder = cast(Any, decoders.Metaspace(_SPACE, "always"))
    inner.add_special_tokens([AddedToken(mark, normalized=False, special=True) for mark in SPECIAL.values()])
    return inner
