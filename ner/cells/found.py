"""One value that a question names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from ...data.schema.schema import Schema
from ..spans.periods import TimeSpan

Kind: TypeAlias = Literal["cell", "number", "time", "quoted", "text"]
How: TypeAlias = Literal["exact", "folded", "stem", "meaning", "typo", "part", "literal", "constant", "earlier"]


@dataclass(frozen=True)
class FoundValue:
    """A value that is mentioned at ``question[start:end]``.

    Attributes:
        start: first character in the question.
        end: one past the last character.
        text: the value as the question has it.
        value: as SQL stores it (cells, blanks included) or writes it (numbers, times), without quotes.
        kind: a cell of the database, a number, a time, a quoted string, or a capitalised run that no cell matches.
        how: exact: the very same text; folded: but for case, accents, punctuation and blanks; stem: plural or
            singular of it; meaning: another word for it («French»); typo: one letter differs; part: whole words of
            a longer cell; literal: read from the question alone; constant: not in the question (`start` and
            `end` are 0), but in queries on this database; earlier: neither, but in the query before.
        columns: (table, column) of every column that holds the cell, as the schema spells them.
        score: 0 to 1.
        span: its period, if it is a time.
        yes: of a flag that the question names, whether it is to be set; None of all others.
        ordinal: of a number, whether it is an ordinal, «third».
    """

    start: int
    end: int
    text: str
    value: str
    kind: Kind
    how: How
    columns: tuple[tuple[str, str], ...]
    score: float
    span: TimeSpan | None = None
    yes: bool | None = None
    ordinal: bool = False

    def within(self, schema: Schema) -> FoundValue | None:
        """Return the value as columns of a schema hold it; None if none do."""
        known = {(table.name.lower(), column.name.lower()) for table, column in schema.columns()}
        kept = tuple(place for place in self.columns if (place[0].lower(), place[1].lower()) in known)
        return replace(self, columns=kept) if kept else None
