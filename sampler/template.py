"""Templates: questions and their queries with slots, one turn after the other."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from sqlglot import exp

_WORD = re.compile(r"[a-z]+|[\u4e00-\u9fff]", re.IGNORECASE)


class Slot(NamedTuple):
    """A slot of a wording: its name in the query, and the form in which it is said, such as ``s`` for many."""

    name: str
    form: str = ""


Wording: TypeAlias = tuple[str | Slot, ...]
"""Texts and slots in turn."""


@dataclass(frozen=True)
class ColumnSlot:
    """The columns that may stand in a slot.

    Attributes:
        table: the slot of their table.
        kind: what they must be, see `kinds.KINDS`.
        after: the slot of a time that theirs never comes before.
        several: whether one of them is many already, as points are; None if that does not matter.
        meaning: what they mean, if the question does not name them: a value of theirs says them.
    """

    table: str
    kind: str
    after: str | None = None
    several: bool | None = None
    meaning: str | None = None


class ValueSlot(NamedTuple):
    """The values that may stand in a slot.

    Attributes:
        column: the slot of their column, empty for a small number.
        kind: ``text`` and ``number`` are cells, ``small`` a number of rows, ``span`` a time around a cell,
            ``recurring`` a part of one, ``contains``, ``starts`` and ``ends`` a piece of a text.
    """

    column: str
    kind: str


@dataclass(frozen=True)
class TemplateTurn:
    """What is asked, and the query that it means; both have slots.

    Attributes:
        wordings: different ones of the same.
        query: names and values are slots; ``t0.key_t1`` is the column of ``t0`` by which rows of ``t1`` are found.
        name: what kind of question it is, or what it changes of the query before.
    """

    wordings: tuple[Wording, ...]
    query: exp.Expr
    name: str = ""


@dataclass(frozen=True)
class Template:
    """A question, or a conversation, with slots.

    Attributes:
        source: the database of a real pair.
        tables: for each slot whether a row of the table must be a person.
        joins: the slots of a child and of its parent, for each join.
        language: of the words that say times.
    """

    source: str
    turns: tuple[TemplateTurn, ...]
    tables: Mapping[str, bool]
    columns: Mapping[str, ColumnSlot] = field(default_factory=dict[str, ColumnSlot])
    values: Mapping[str, ValueSlot] = field(default_factory=dict[str, ValueSlot])
    joins: tuple[tuple[str, str], ...] = ()
    language: str = "en"

    @property
    def wording(self) -> Wording:
        """Return the first question."""
        return self.turns[0].wordings[0]

    @property
    def words(self) -> set[str]:
        """Return the words between the slots."""
        return {word.lower() for text in self.wording if isinstance(text, str) for word in _WORD.findall(text)}

    @property
    def shape(self) -> str:
        """Return the first query as text."""
        return self.turns[0].query.sql("sqlite")


KEY = "key_"
"""What the columns of joins begin with in a template's query."""

AGAIN = ("t7", "t8", "t9")
"""Slots of tables without a name of their own: a derived one, and second uses of t0, of all of its rows and of those
that a key into it refers to."""
