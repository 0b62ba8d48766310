"""What each token of a tokenizer adds to the text, in bytes, as the library `tokenizers` decodes it.

The text is that of ``decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)``. How pieces become
text is read from the tokenizer's own decoder, step by step as the library `tokenizers` takes them; a step that is
not known is an error. Before use it is held against what ``decode`` says: each token once, some at a text's beginning.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ...data.errors import ConstraintError
from .boundaries import MAX_NAME
from .spelling.trie import TokenTrie
from .within import MadeUp

__all__ = ["TokenSpellings"]

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


Bytes: TypeAlias = bytes  # in the class below ``bytes`` is a field

_FORMAT = 1  # of the digest
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
        first: tokens that begin a text otherwise than these two say, and what they spell there: «##ing» of WordPiece,
            Metaspace's pieces of several spaces.
        cache: folder where the trie is kept between processes; None keeps it in memory.
    """

    bytes: tuple[Bytes | None, ...]
    eos: tuple[int, ...]
    strips_first_space: bool = False
    first: Mapping[int, Bytes] = field(default_factory=dict[int, Bytes], hash=False)
    cache: Path | None = field(default=None, compare=False)

    @classmethod
    def of_tokenizer(
        cls, tokenizer: Any, *, size: int | None = None, eos: Iterable[int] = (), cache: Path | None = None
    ) -> TokenSpellings:
        """Read what a tokenizer's tokens spell.

        Args:
            tokenizer: one of transformers, fast or slow, or a `tokenizers.Tokenizer`. Some slow ones drop all white
                space at both ends of a text: there it is not compared.
            size: width of the logits; more than the tokenizer's own where the vocabulary is padded.
            eos: tokens that end an output beside the tokenizer's own; they spell nothing.
            cache: folder to keep the trie in.

        Raises:
            ConstraintError: the tokenizer's decoder is not known, or ``decode`` says otherwise for some token.
        """
        backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
        source = _fast(tokenizer, backend, size) if hasattr(backend, "id_to_token") else _slow(tokenizer, size)
        own: Any = getattr(tokenizer, "eos_token_id", None)
        ends: set[int] = {*eos, *([] if own is None else [own] if isinstance(own, int) else own)}
        if wrong := sorted(token for token in ends if not 0 <= token < source.size):
            problem = f"token {wrong[0]} cannot end an output: there are {source.size} tokens"
            raise ConstraintError(problem, hint="give the width of the logits as size")
        errors: list[ConstraintError] = []
        for decoder in source.decoders:
            spelled, first = _spell(source, decoder, ends)
            made = cls(spelled, tuple(sorted(ends)), decoder.strips, first, cache)
            try:
                _prove(made, source, decoder)
            except ConstraintError as error:
                errors.append(error)
            else:
                return made
        raise errors[0] if errors else ConstraintError("nothing tells how the tokenizer's pieces spell", hint=HINT)

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
    def digest(self) -> str:
        """SHA-256 of what the tokens spell and of which of them end."""
        told = [_FORMAT, self.eos, self.strips_first_space, [(k, v.hex()) for k, v in sorted(self.first.items())]]
        found = hashlib.sha256(json.dumps(told).encode())
        found.update(np.array([-1 if text is None else len(text) for text in self.bytes], "<i4").tobytes())
        found.update(b"".join(text for text in self.bytes if text))
        return found.hexdigest()

    @functools.cached_property
    def trie(self) -> TokenTrie:
        """The trie of ``bytes``."""
        if self.cache is None:
            return TokenTrie.build(self.bytes)
        return TokenTrie.kept(self.bytes, self.digest, self.cache)

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
    """What is taken from a tokenizer: its pieces but those that decode() skips, and decoders one of which is right."""

    size: int
    pieces: Mapping[int, str]
    decoders: Sequence[TokenDecoder]
    decode: Callable[[Sequence[int]], str]
    trims: bool = False  # no white space at the ends of its texts


def _fast(tokenizer: Any, backend: Any, size: int | None) -> _TokenizerSource:
    try:  # what pickle asks for is the decoder's JSON, without the vocabulary's beside it
        told = None if backend.decoder is None else json.loads(backend.decoder.__getstate__())
    except Exception as error:  # the library raises nothing narrower for one that is written in Python
        raise ConstraintError(f"the tokenizer's decoder cannot be read: {error}", hint=HINT) from error
    decoder = TokenDecoder(told)
    own = {} if backend is tokenizer else {"clean_up_tokenization_spaces": False}
    decode = functools.partial(tokenizer.decode, skip_special_tokens=True, **own)
    width = max(backend.get_vocab().values(), default=-1) + 1 if size is None else size
    told_pieces = ((token, backend.id_to_token(token)) for token in range(width))
    pieces: dict[int, str] = {token: piece for token, piece in told_pieces if piece is not None}
    return _TokenizerSource(
        width, _without_skipped(pieces, backend.get_added_tokens_decoder(), decode), [decoder], decode
    )


def _slow(tokenizer: Any, size: int | None) -> _TokenizerSource:
    try:
        decode = functools.partial(tokenizer.decode, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        tokens = sorted(set(tokenizer.get_vocab().values()))
        pieces: dict[int, str] = dict(zip(tokens, tokenizer.convert_ids_to_tokens(tokens), strict=True))
        control = [token for token, piece in pieces.items() if piece.startswith("<") and piece.endswith(">")]
        may_be = {*control, *tokenizer.added_tokens_decoder, *tokenizer.all_special_ids}
    except AttributeError as error:
        raise ConstraintError(f"{type(tokenizer).__name__} is no tokenizer that is known", hint=HINT) from error
    known = _without_skipped(pieces, may_be, decode)
    decoders = [TokenDecoder(told) for told in _likely(known.values())]
    return _TokenizerSource(max(tokens, default=-1) + 1 if size is None else size, known, decoders, decode, trims=True)


def _without_skipped(
    pieces: Mapping[int, str], may_be: Iterable[int], decode: Callable[[Sequence[int]], str]
) -> Mapping[int, str]:
    """Leave out special tokens. What they are marked as does not tell: Phi-3 takes the mark from «</s>», in vain."""
    around = next(([token] for token, piece in pieces.items() if piece.isascii() and piece.isalnum()), [])
    nothing = decode([*around, *around])
    skipped = {token for token in may_be if decode([*around, token, *around]) == nothing}
    return {token: piece for token, piece in pieces.items() if token not in skipped}


def _likely(pieces: Iterable[str]) -> Iterator[Any]:
    """Yield the decoders that pieces look like."""
    begins = {begin for piece in pieces for begin in (piece[:1], piece[:2])}
    if "Ġ" in begins:
        yield {"type": "ByteLevel"}
    if "▁" in begins:
        spaces = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
        fuse = [{"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]
        yield {"type": "Sequence", "decoders": [spaces, {"type": "ByteFallback"}, *fuse]}
        yield {"type": "Sequence", "decoders": [spaces, *fuse]}
    if "##" in begins:
        yield {"type": "WordPiece", "prefix": "##", "cleanup": False}


def _spell(
    source: _TokenizerSource, decoder: TokenDecoder, ends: set[int]
) -> tuple[tuple[bytes | None, ...], dict[int, bytes]]:
    spelled: list[bytes | None] = [None] * source.size
    first: dict[int, bytes] = {}
    for token, piece in source.pieces.items():
        text = decoder.spell(piece, first=False)
        if text and token < source.size and token not in ends:
            spelled[token] = text
            if decoder.looks_at_first and (begins := decoder.spell(piece, first=True)) != text.removeprefix(b" "):
                first[token] = begins
    return tuple(spelled), first


def _prove(made: TokenSpellings, source: _TokenizerSource, decoder: TokenDecoder) -> None:
    """Hold all tokens against ``decode`` once, in rows, and some as a text's first.

    Raises:
        ConstraintError: they differ.
    """
    usable = [token for token, text in enumerate(made.bytes) if text is not None]
    # how a row of single bytes is shown that spell no letter differs between decoders: they come one by one
    single = {made.bytes[token]: token for token in usable if decoder.is_byte(source.pieces[token])}
    several = [token for token in usable if not decoder.is_byte(source.pieces[token])]
    rows = [several[i : i + _ROW] for i in range(0, len(several), _ROW)]
    for some in (several, list(made.first)):
        rows.extend([token] for token in some[:: len(some) // _FIRST + 1])
    rows.extend([token] for token in single.values())
    if len(single) == 0x100:
        rows.append([single[bytes([byte])] for byte in "é你😀".encode()])

    def differ(row: Sequence[int]) -> bool:
        ours, theirs = made.text(row).decode(errors="replace"), source.decode(row)
        return ours.strip() != theirs.strip() if source.trims else ours != theirs

    for row in rows:
        if differ(row):
            n = next(n for n in range(1, len(row) + 1) if differ(row[:n]))
            token, said = row[n - 1], source.decode(row[:n])
            problem = f"token {token}, {source.pieces[token]!r}, spells {made.spelled(token, first=n == 1)!r} by the "
            raise ConstraintError(f"{problem}tokenizer's decoder, but decode() ends in {said[-20:]!r}", hint=HINT)
