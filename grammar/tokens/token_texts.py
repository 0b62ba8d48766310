"""What each token of a tokenizer adds to the text, in bytes, as the library `tokenizers` decodes it.

The text is that of ``decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)``. How pieces become
text is read from the tokenizer's own decoder; a step of it that is not known is an error. Before use the result is
compared with ``decode``: each token once, some at a text's beginning.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ...data.errors import ConstraintError
from .boundaries import MAX_NAME
from .inner_tokens import MadeUp
from .spelling.trie import TokenTrie

Step: TypeAlias = Callable[[str, bool], str]  # of a piece, and whether the text begins with it

_BYTE_PIECE = re.compile(r"<0x[0-9A-Fa-f]{2}>")
_HINT = "byte-level BPE and SentencePiece are known; use the model's fast tokenizer"


class TokenDecoder:
    """The steps of a decoder: on each piece, from pieces to bytes, and on the whole text.

    Args:
        spec: the decoder as the library writes it as JSON.

    Attributes:
        strips: the space that a text begins with is dropped.
        looks_at_first: a piece may spell otherwise where it is a text's first.

    Raises:
        ConstraintError: a step is not known.
    """

    def __init__(self, spec: Any) -> None:
        self.steps: list[Step] = []
        self.byte_level = self.byte_fallback = self.whole = False
        self.strips = self.looks_at_first = False
        self._add(spec)

    def _add(self, spec: Any) -> None:
        by_piece = not (self.whole or self.byte_fallback)
        match spec:
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
                self.steps.append(lambda piece, first: piece.replace(mark, "" if first else " "))
                self.strips = self.looks_at_first = True
            case _:
                raise ConstraintError(f"what the tokenizer's decoder does is not known: {json.dumps(spec)}", hint=_HINT)

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


Bytes: TypeAlias = bytes  # in the class below ``bytes`` is a field

_NAME = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{,%d}" % (MAX_NAME - 1))
_ROW = 64  # tokens decoded at a time
_FIRST = 512  # tokens decoded as a text's first
_SPLITS = 1 << 16  # texts whose split is kept


@dataclass(frozen=True)
class TokenSpellings:
    """What the tokens of one model spell.

    Attributes:
        bytes: what each token adds to the text; None where it adds nothing or cannot be used: special tokens, those
            that end, numbers that the tokenizer does not have.
        eos: tokens that end an output.
        strips_first_space: the space that a text's first token begins with is dropped.
        first: tokens that begin a text otherwise than these two say, and what they spell there: Metaspace's pieces of
            several spaces.
    """

    bytes: tuple[Bytes | None, ...]
    eos: tuple[int, ...]
    strips_first_space: bool = False
    first: Mapping[int, Bytes] = field(default_factory=dict[int, Bytes], hash=False)

    @classmethod
    def of_tokenizer(cls, tokenizer: Any, *, size: int | None = None, eos: Iterable[int] = ()) -> TokenSpellings:
        """Read what a tokenizer's tokens spell.

        Args:
            tokenizer: a fast one of transformers, or a `tokenizers.Tokenizer`.
            size: width of the logits; more than the tokenizer's own where the vocabulary is padded.
            eos: tokens that end an output beside the tokenizer's own; they spell nothing.

        Raises:
            ConstraintError: the tokenizer's decoder is not known, or ``decode`` gives another text for some token.
        """
        source = _TokenizerSource.read(tokenizer, size)
        own: Any = getattr(tokenizer, "eos_token_id", None)
        ends: set[int] = {*eos, *([] if own is None else [own] if isinstance(own, int) else own)}
        if wrong := sorted(token for token in ends if not 0 <= token < source.size):
            problem = f"token {wrong[0]} cannot end an output: there are {source.size} tokens"
            raise ConstraintError(problem, hint="give the width of the logits as size")
        spelled, first = source.spelled(ends)
        made = cls(spelled, tuple(sorted(ends)), source.decoder.strips, first)
        source.compare(made)
        return made

    @property
    def size(self) -> int:
        """Width of the logits."""
        return len(self.bytes)

    def spelled(self, token: int, *, first: bool = False) -> Bytes | None:
        """Return what a token adds to the text, behind others or as the first that adds something."""
        text = self.bytes[token]
        if text is None or not first:
            return text
        return self.first.get(token, text.removeprefix(b" ") if self.strips_first_space else text)

    def text(self, tokens: Iterable[int]) -> Bytes:
        """Return the text of tokens; those that add nothing are passed over."""
        known = [token for token in tokens if self.bytes[token] is not None]
        return b"".join(self.spelled(token, first=not i) or b"" for i, token in enumerate(known))

    @functools.cached_property
    def longest_name(self) -> int:
        """The most tokens that a name takes by itself which stands in one token: « Xavier» is «X» and «avier»."""
        alone = set(self.bytes)
        names = {name for text in alone if text for name in _NAME.findall(text)} - alone
        return max((len(found) for name in names if (found := self.trie.fewest(name))), default=1)

    @functools.cached_property
    def trie(self) -> TokenTrie:
        """The trie of ``bytes``."""
        return TokenTrie.build(self.bytes)

    @functools.cached_property
    def made_up(self) -> MadeUp:
        """The tokens within texts and names that a query makes up."""
        return MadeUp(self.trie)

    @functools.cached_property
    def split(self) -> Callable[[Bytes], tuple[int, ...] | None]:
        """The fewest tokens that spell a text behind another one, None if none do; kept for the next time."""
        return functools.lru_cache(_SPLITS)(self.trie.fewest)


@dataclass(frozen=True)
class _TokenizerSource:
    """What is taken from a tokenizer: its pieces but those that decode() skips, its decoder, and decode() itself."""

    size: int
    pieces: Mapping[int, str]
    decoder: TokenDecoder
    decode: Callable[[Sequence[int]], str]

    @classmethod
    def read(cls, tokenizer: Any, size: int | None) -> _TokenizerSource:
        """Read a tokenizer, with as many tokens as the logits have.

        Raises:
            ConstraintError: it is none that is known, or its decoder is not.
        """
        backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
        if not hasattr(backend, "id_to_token"):
            raise ConstraintError(f"{type(tokenizer).__name__} is no tokenizer that is known", hint=_HINT)
        try:  # pickle reads the decoder's JSON, without the vocabulary's beside it
            spec = json.loads(backend.decoder.__getstate__())
        except Exception as error:  # the library raises nothing narrower for one that is written in Python
            raise ConstraintError(f"the tokenizer's decoder cannot be read: {error}", hint=_HINT) from error
        decoder = TokenDecoder(spec)
        own = {} if backend is tokenizer else {"clean_up_tokenization_spaces": False}
        decode = functools.partial(tokenizer.decode, skip_special_tokens=True, **own)
        width = max(backend.get_vocab().values(), default=-1) + 1 if size is None else size
        known = ((token, backend.id_to_token(token)) for token in range(width))
        pieces: dict[int, str] = {token: piece for token, piece in known if piece is not None}
        # what special tokens are marked as does not tell: Phi-3 takes the mark from «</s>», in vain
        around = next(([token] for token, piece in pieces.items() if piece.isascii() and piece.isalnum()), [])
        nothing = decode([*around, *around])
        skipped = {t for t in backend.get_added_tokens_decoder() if decode([*around, t, *around]) == nothing}
        return cls(width, {token: piece for token, piece in pieces.items() if token not in skipped}, decoder, decode)

    def spelled(self, ends: Collection[int]) -> tuple[tuple[bytes | None, ...], dict[int, bytes]]:
        """Return what each token spells behind others, and what some spell as a text's first; nothing of ``ends``."""
        spelled: list[bytes | None] = [None] * self.size
        first: dict[int, bytes] = {}
        for token, piece in self.pieces.items():
            text = self.decoder.spell(piece, first=False)
            if text and token < self.size and token not in ends:
                spelled[token] = text
                begins = self.decoder.spell(piece, first=True)
                if self.decoder.looks_at_first and begins != text.removeprefix(b" "):
                    first[token] = begins
        return tuple(spelled), first

    def compare(self, made: TokenSpellings) -> None:
        """Compare all tokens with what ``decode`` gives once, in rows, and some as a text's first.

        Raises:
            ConstraintError: they differ.
        """
        usable = [token for token, text in enumerate(made.bytes) if text is not None]
        # decoders differ in what they make of several single bytes that spell no letter: these come one by one
        single = {made.bytes[token]: token for token in usable if self.decoder.is_byte(self.pieces[token])}
        several = [token for token in usable if not self.decoder.is_byte(self.pieces[token])]
        rows = [several[i : i + _ROW] for i in range(0, len(several), _ROW)]
        for some in (several, list(made.first)):
            rows.extend([token] for token in some[:: len(some) // _FIRST + 1])
        rows.extend([token] for token in single.values())
        if len(single) == 0x100:
            rows.append([single[bytes([byte])] for byte in "é你😀".encode()])
        for row in rows:
            if made.text(row).decode(errors="replace") != self.decode(row):
                prefixes = (row[:n] for n in range(1, len(row) + 1))
                begun = next(p for p in prefixes if made.text(p).decode(errors="replace") != self.decode(p))
                spelled = made.spelled(begun[-1], first=len(begun) == 1)
                problem = f"token {begun[-1]}, {self.pieces[begun[-1]]!r}, spells {spelled!r} by the tokenizer's "
                problem += f"decoder, but decode() ends in {self.decode(begun)[-20:]!r}"
                raise ConstraintError(problem, hint=_HINT)
