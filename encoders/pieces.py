"""Tokenizers of word pieces: that of E5 by sentencepiece, and those of a file ``tokenizer.json``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import sentencepiece

from ..data.packages import needs

if TYPE_CHECKING:
    import tokenizers


SENTENCEPIECE = "pieces.model"
"""The file of the sentencepiece model beside the weights; XLM-RoBERTa's own has another name and numbering."""

BEGIN, END, PADDING, UNKNOWN = "<s>", "</s>", "<pad>", "<unk>"
_CONTROL = (BEGIN, END, PADDING, "<mask>")

Cut = tuple[Sequence[int], Sequence[tuple[int, int]]]
"""Ids of a text's pieces, special ones included, and where each begins and ends in it."""

# blocks of Chinese characters, with those of old and rare ones
_CHINESE = (range(0x3400, 0x4DC0), range(0x4E00, 0xA000), range(0xF900, 0xFB00), range(0x20000, 0x33480))


class PieceTokenizer(Protocol):
    """Cuts texts into pieces."""

    def cut(self, text: str, most: int) -> Cut:
        """Return the first ``most`` pieces of a text, special ones included."""
        ...


class SentencePieces:
    """The tokenizer of a sentencepiece model that puts `BEGIN` and `END` around a text.

    Args:
        model: as `piece_model` makes it.
    """

    def __init__(self, model: bytes) -> None:
        self.processor = sentencepiece.SentencePieceProcessor(model_proto=model)
        self._ends = [int(self.processor.piece_to_id(mark)) for mark in (BEGIN, END)]

    @classmethod
    def from_file(cls, file: Path) -> SentencePieces:
        """Read a model."""
        return cls(file.read_bytes())

    def cut(self, text: str, most: int) -> Cut:
        """Return the pieces of a text, see `PieceTokenizer`.

        The blank before a word belongs to no piece; a piece of a blank alone gets the place of the letter behind.
        """
        text = text.encode("utf-8", "replace").decode("utf-8")  # the library refuses half a surrogate pair
        read: Any = self.processor.encode(text, return_type="offset_mapping")
        inner = max(0, most - len(self._ends))
        places: list[tuple[int, int]] = []
        for begin, end in read["offsets"][:inner]:
            first = end - len(text[begin:end].lstrip())
            places.append((first, max(end, first + 1)))
        return [self._ends[0], *read["ids"][:inner], self._ends[1]], [(0, 0), *places, (0, 0)]


def kept_pieces(pieces: Sequence[str]) -> list[int]:
    """Return the ids, in order, of the pieces that texts in Chinese and English need.

    A piece can stand in a text only if the text has all its characters. So a text whose letters, in normal form, are
    Chinese characters and ASCII is cut into the same pieces as before; any other has at least its single characters.
    """
    needed = set(filter(_needed, set[str]().union(*pieces)))
    return [i for i, piece in enumerate(pieces) if len(piece) == 1 or needed.issuperset(piece)]


def _needed(character: str) -> bool:
    point = ord(character)
    return point < 128 or not character.isalpha() or any(point in block for block in _CHINESE)


def piece_model(pieces: Sequence[tuple[str, float]]) -> bytes:
    """Return the sentencepiece model of ``pieces`` and their scores; the place of a piece is its id.

    Texts are brought to the normal form that XLM-RoBERTa was trained with, as the library compiles it by its name.
    """
    pb = _protocol()
    model, kinds = pb.ModelProto(), pb.ModelProto.SentencePiece
    normalizer: Any = sentencepiece.SentencePieceNormalizer(rule_name="nmt_nfkc")
    model.normalizer_spec.ParseFromString(normalizer.serialized_normalizer_spec())
    for name in ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"):
        setattr(model.normalizer_spec, name, True)
    model.trainer_spec.model_type = pb.TrainerSpec.UNIGRAM
    for place, (piece, score) in enumerate(pieces):
        kind = kinds.UNKNOWN if piece == UNKNOWN else kinds.CONTROL if piece in _CONTROL else kinds.NORMAL
        model.pieces.add(piece=piece, score=score, type=kind)
        for name, mark in (("bos", BEGIN), ("eos", END), ("pad", PADDING), ("unk", UNKNOWN)):
            if piece == mark:
                setattr(model.trainer_spec, f"{name}_id", place)
    return bytes(model.SerializeToString())


def _protocol() -> Any:
    import sentencepiece.sentencepiece_model_pb2 as protocol  # slow, and not needed to cut texts

    return protocol


SPECIAL = {"bos_token": BEGIN, "pad_token": PADDING, "eos_token": END, "unk_token": UNKNOWN, "mask_token": "<mask>"}
"""Names of the pieces of E5 that no text has, as transformers calls them."""


class TokenizerFile:
    """A tokenizer of the library; see `PieceTokenizer`."""

    def __init__(self, inner: tokenizers.Tokenizer) -> None:
        self.inner = inner
        inner.no_padding()

    @classmethod
    def from_file(cls, file: Path) -> TokenizerFile:
        """Read a tokenizer.

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
