"""How a tokenizer's decoder makes text of one piece, step by step as the library `tokenizers` takes them."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from ....data.errors import ConstraintError

__all__ = ["HINT", "TokenDecoder"]

Step: TypeAlias = Callable[[str, bool], str]  # of a piece, and whether the text begins with it

_BYTE_PIECE = re.compile(r"<0x[0-9A-Fa-f]{2}>")
HINT = "byte-level BPE, SentencePiece and WordPiece are known; use the model's fast tokenizer"
_CLEANUP = (
    *((f" {mark}", mark) for mark in (".", "?", "!", ",")),
    *((" ' ", "'"), (" n't", "n't"), (" 'm", "'m"), (" do not", " don't")),
    *((" 's", "'s"), (" 've", "'ve"), (" 're", "'re")),
)
"""What a WordPiece decoder with ``cleanup`` mends in each piece, BERT's for one, whatever the caller asks for: before
«.» it writes no space. The cleanup of transformers, which looks at the whole text, is another one, and off here."""


class TokenDecoder:
    """The steps of a decoder: on each piece, from pieces to bytes, and on the whole text.

    Args:
        told: the decoder as the library writes it as JSON; None where there is none.

    Attributes:
        strips: the space that a text begins with is dropped.
        looks_at_first: a piece may spell otherwise where it is a text's first.

    Raises:
        ConstraintError: a step is not known.
    """

    def __init__(self, told: Any) -> None:
        self.steps: list[Step] = []
        self.byte_level = self.byte_fallback = self.whole = False
        self.strips = self.looks_at_first = False
        if told is None:  # pieces are then joined by spaces
            self._add_first(lambda piece, first: piece if first else f" {piece}")
        else:
            self._add(told)

    def _add(self, told: Any) -> None:
        by_piece = not (self.whole or self.byte_fallback)
        match told:
            case {"type": "Sequence", "decoders": parts}:
                for part in parts:
                    self._add(part)
            case {"type": "Fuse"}:
                self.whole = True
            case {"type": "ByteLevel"} if by_piece:
                self.byte_level = self.whole = True
            case {"type": "ByteFallback"} if by_piece:
                self.byte_fallback = True
            case {"type": "Strip", "content": " ", "start": 1, "stop": 0} if self.whole and not self.strips:
                self.strips = True
            case {"type": "Replace", "pattern": {"String": old}, "content": new} if by_piece:
                self.steps.append(lambda piece, _: piece.replace(old, new))
            case {"type": "Metaspace", "replacement": mark, "prepend_scheme": "never"} if by_piece:
                self.steps.append(lambda piece, _: piece.replace(mark, " "))
            case {"type": "Metaspace", "replacement": mark, "prepend_scheme": "always" | "first"} if by_piece:
                self._add_first(lambda piece, first: piece.replace(mark, "" if first else " "))
            case {"type": "WordPiece", "prefix": prefix, "cleanup": cleanup} if by_piece:
                self._add_first(functools.partial(_word_piece, prefix, _CLEANUP if cleanup else ()))
            case _:
                raise ConstraintError(f"what the tokenizer's decoder does is not known: {json.dumps(told)}", hint=HINT)

    def _add_first(self, step: Step) -> None:
        self.steps.append(step)
        self.strips = self.looks_at_first = True

    def spell(self, piece: str, *, first: bool) -> bytes:
        """Return what a piece spells, as a text's first or behind others."""
        for step in self.steps:
            piece = step(piece, first)
        if self.byte_level:
            return _byte_level(piece)
        return bytes.fromhex(piece[3:5]) if self.is_byte(piece) else _own(piece)

    def is_byte(self, piece: str) -> bool:
        """Say whether a piece stands for one byte: ``<0x0A>``."""
        return self.byte_fallback and _BYTE_PIECE.fullmatch(piece) is not None


def _word_piece(prefix: str, cleanup: Iterable[tuple[str, str]], piece: str, first: bool) -> str:
    if not first:
        piece = piece.removeprefix(prefix) if piece.startswith(prefix) else f" {piece}"
    for old, new in cleanup:
        piece = piece.replace(old, new)
    return piece


_UNPRINTED = [byte for byte in range(0x100) if not (0x21 <= byte <= 0x7E or 0xA1 <= byte <= 0xAC or byte >= 0xAE)]
_BYTE_OF = dict.fromkeys(_UNPRINTED, 0xFFFF) | {0x100 + n: byte for n, byte in enumerate(_UNPRINTED)}
"""GPT-2's letters for bytes that are no letters; those bytes themselves stand for nothing."""


def _byte_level(piece: str) -> bytes:
    try:
        return piece.translate(_BYTE_OF).encode("latin-1")
    except UnicodeEncodeError:  # an added token: with one letter that is no byte all of it stands for itself
        return _own(piece)


def _own(piece: str) -> bytes:
    return piece.encode(errors="ignore")  # half a surrogate pair, as in CANINE's vocabulary, spells nothing
