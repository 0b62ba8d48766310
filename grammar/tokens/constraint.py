"""The constraint on tokens: which of a model's tokens may come next, for its own loop or for transformers' `generate`.

constraint = TokenConstraint(schema, spellings, dialect="sqlite")
state = constraint.start()
while not state.ended:
    logits[~state.allowed()] = -inf
    state = state.advance(choose(logits))
"""

from __future__ import annotations

import gc
from collections.abc import Collection, Generator, Iterable
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from ...data.errors import ConstraintError
from ...data.schema.schema import Schema
from ..decoding.constraint import MAX_BYTES, Constraint
from ..reading.access import Access
from ..reading.grammar import Grammar
from .boundaries import At, TextReading
from .endings import Endings
from .masks import TokenMasks
from .spelling.lexicon import POSITIONS
from .spelling.words import Inventory, name_forms, spell
from .text import SqlText
from .token_texts import TokenSpellings


@contextmanager
def _uncollected() -> Generator[None]:
    """Collect no garbage meanwhile: nearly all that is made is kept, and to look through it takes as long again."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


class TokenConstraint:
    """What a model's tokens may spell: one query on a schema, in a dialect.

    Args:
        schema: the tables and columns.
        spellings: of the model's tokens.
        dialect: ``sqlite``, ``mysql`` or ``postgres``.
        level: what is promised of each query: see `Constraint`.
        budget: the most words of a query.
        tokens: the most tokens of an output, its end among them; any number if None.
        values: the only literals, as they stand in SQL; any number and text if None.
        aliases: names that columns may be called by before FROM declares them, beside T1, a, and tables' initials.
        before: what must stand before the query, such as an opening fence.
        behind: what must stand behind it.
        access: what may be read of the schema, all if None.
        joins: ``keys`` if sources join along foreign keys alone, else ``any``: see `Constraint`.

    Raises:
        InputError: ``access`` names what the schema does not have.
        ConstraintError: the tokens cannot spell a name of the schema, or ``tokens`` are too few for any query.
    """

    @_uncollected()
    def __init__(
        self,
        schema: Schema,
        spellings: TokenSpellings,
        *,
        dialect: str = "sqlite",
        level: str = "runs",
        budget: int = 120,
        tokens: int | None = None,
        values: Collection[str] | None = None,
        aliases: Collection[str] = (),
        before: str = "",
        behind: str = "",
        access: Access | None = None,
        joins: str = "any",
    ) -> None:
        self.spellings = spellings
        self.tokens = tokens
        self.trie = spellings.trie
        grammar = Grammar.for_schema(schema, dialect=dialect, access=access, wide=True, positions=POSITIONS)
        inventory = Inventory(grammar, values=values, aliases=aliases)
        self._check_names(inventory.grammar)
        self.words = Constraint(inventory.vocabulary, budget=budget, level=level, joins=joins)
        spelled = spell(inventory)
        self.text = SqlText(self.words, inventory, spelled, before=before.encode(), behind=behind.encode())
        longest = max(map(len, filter(None, spellings.bytes)))
        self.masks = TokenMasks(self.text, self.trie, spellings.made_up, spellings.size, longest)
        self.endings = Endings(self.text, self.count, spellings.longest_name if tokens is not None else 0)
        self.ends = np.array(spellings.eos, np.intp)

    def _check_names(self, grammar: Grammar) -> None:
        """Raise an error if the tokens cannot spell a name; functions and operators can be done without."""
        write = grammar.quoting.write
        for table in grammar.schema.tables:
            roles = {write(table): f"table {table.name!r}"}
            roles |= {write(c.name): f"column {c.name!r} of table {table.name!r}" for c in table.columns}
            for name, what in roles.items():
                if all(self.count(form.encode()) is None for form in name_forms(name, grammar.dialect)):
                    hint = "leave it out of the schema, or use a model whose tokenizer has its letters"
                    raise ConstraintError(f"the tokenizer cannot spell {what}", hint=hint)

    def count(self, text: bytes) -> int | None:
        """Return the fewest tokens that spell a text, None if none do."""
        found = self.spellings.split(text)
        return None if found is None else len(found)

    def begin(self, mask: NDArray[np.bool_], readings: tuple[TextReading, ...]) -> None:
        """Mend the mask of a text's first token, which may spell otherwise than behind others."""
        space = self.trie.find(b" ") if self.spellings.strips_first_space else None
        if space is not None:
            mask[self.trie.below(space)] = False
            self.masks.walk(mask, space, readings)
        mask[list(self.spellings.first)] = False  # rare, and each can be done without
        if space is not None:
            mask[self.trie.at(space)] = mask.any()  # it spells nothing: «▁» of T5 stands before «SEL» and «ECT»

    def start(self) -> TokenState:
        """Return the state of the empty output.

        Raises:
            ConstraintError: no query has so few tokens.
        """
        if self.words.bytes + self.text.boundaries.bytes > MAX_BYTES:
            for memory in (self.text.boundaries, self.masks, self.endings):
                memory.clear()
            self.words.forget()
        readings = self.text.start()
        least = self.endings.least(readings)
        if self.tokens is not None and least > self.tokens:
            raise ConstraintError(f"no query is sure to end within {self.tokens} tokens", hint=f"allow {least} or more")
        return TokenState(self, readings, self.tokens)


class TokenState:
    """A beginning of an output; never changes, so that searches may share it.

    Attributes:
        readings: what the text may be.
        left: tokens that may still come, the end among them; None for any number.
        ended: whether the end has come.
    """

    __slots__ = ("_constraint", "_first", "_mask", "_text", "ended", "left", "readings")

    def __init__(
        self,
        constraint: TokenConstraint,
        readings: tuple[TextReading, ...],
        left: int | None,
        *,
        text: bytes = b"",
        first: bool = True,
        ended: bool = False,
    ) -> None:
        self._constraint = constraint
        self.readings = readings
        self.left = left
        self.ended = ended
        self._text = text
        self._first = first  # a first token may spell nothing: then the next one is not the first, all the same
        self._mask: NDArray[np.bool_] | None = None

    @property
    def text(self) -> str:
        """Return what the tokens have spelled."""
        return self._text.decode(errors="replace")

    @property
    def complete(self) -> bool:
        """Say whether the output may end here."""
        return self.ended or self._constraint.text.complete(self.readings)

    def allowed(self) -> NDArray[np.bool_]:
        """Return the tokens that may come next, shape (tokens,), bool, read-only; after the end the end alone.

        Raises:
            ConstraintError: none may; with the text so far.
        """
        if self._mask is None:
            mask = self._found()
            if not mask.any():
                raise ConstraintError(f"no token may follow {self.text!r}", hint="this is a defect: please report it")
            mask.flags.writeable = False
            self._mask = mask
        return self._mask

    @_uncollected()
    def _found(self) -> NDArray[np.bool_]:
        constraint = self._constraint
        if self.ended:
            mask = np.zeros(constraint.spellings.size, np.bool_)
            mask[constraint.ends] = True
            return mask
        readings = self.readings
        if self.left is not None:
            left = self.left - 1
            readings = constraint.text.boundaries.capped(
                readings, lambda reading: constraint.endings.words(reading, left)
            )
        mask = constraint.masks.unpacked(constraint.masks.mask(readings))
        if self._first:
            constraint.begin(mask, readings)
        if self.left is not None:
            if not mask.any():
                mask = self._sure(constraint.masks.closing(self.readings), self.left)
            elif any(reading.at in (At.BEFORE, At.BEHIND) for reading in readings):
                mask = self._sure(np.flatnonzero(mask).tolist(), self.left)
        if self.complete:
            mask[constraint.ends] = True
        return mask

    def _sure(self, tokens: Iterable[int], left: int) -> NDArray[np.bool_]:
        """Return those of some tokens behind which the others are enough.

        So they are looked at one by one where fewer are left than the longest words would take, and where a fence may
        be spelled by more tokens than it takes.
        """
        able = np.zeros(self._constraint.spellings.size, np.bool_)
        for token in tokens:
            able[token] = self._constraint.endings.least(self._after(token)) < left
        return able

    def _after(self, token: int) -> tuple[TextReading, ...]:
        readings, spelled = self.readings, self._constraint.spellings.spelled(token, first=self._first)
        for byte in spelled or b"":
            readings = self._constraint.text.step(readings, byte)
        return readings

    def advance(self, token: int) -> TokenState:
        """Return the state after one more token.

        Raises:
            ConstraintError: it may not come here.
        """
        constraint = self._constraint
        if not 0 <= token < constraint.spellings.size or not self.allowed()[token]:
            raise ConstraintError(self.explain(token))
        left = None if self.left is None else self.left - 1
        if token in constraint.spellings.eos:
            return TokenState(constraint, self.readings, left, text=self._text, first=False, ended=True)
        text = self._text + (constraint.spellings.spelled(token, first=self._first) or b"")
        return TokenState(constraint, self._after(token), left, text=text, first=False)

    def explain(self, token: int) -> str:
        """Say in one line why a token may or may not come next."""
        size = self._constraint.spellings.size
        if not 0 <= token < size:
            return f"no token has number {token}"
        spelled = self._constraint.spellings.bytes[token]
        spelling = (
            "the end" if token in self._constraint.spellings.eos else repr((spelled or b"").decode(errors="replace"))
        )
        if self.allowed()[token]:
            return f"{spelling} may come next"
        if spelled is None and token not in self._constraint.spellings.eos:
            return f"token {token} spells nothing"
        return f"{spelling} cannot follow {self.text!r}"
