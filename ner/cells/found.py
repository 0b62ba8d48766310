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
    """``question[start:end]`` says ``value``.

    Attributes:
        start: first character in the question.
        end: one past the last character.
        text: the value as the question says it.
        value: as SQL stores it (cells, blanks included) or writes it (numbers, times), without quotes.
        kind: a cell of the database, a number, a time, a quoted string, or a capitalised run that no cell matches.
        how: exact: the very same text; folded: but for case, accents, punctuation and blanks; stem: plural or
            singular of it; meaning: another word for it («French»); typo: one letter differs; part: whole words of
            a longer cell; literal: read from the question alone; constant: said by none of its words (`start` and
            `end` are 0), but queries on this database name it; earlier: neither, but the query before has it.
        columns: (table, column) of every column that holds the cell, as the schema spells them.
        score: 0 to 1.
        span: the period that it says, if it says one.
        yes: of a flag that the question names, whether it is to be set; None of all others.
        ordinal: of a number, does it say which one, «third», and not how many?
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
