"""Rows put together by what they share: a category of theirs, or the row of another table that they refer to."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from ..facts.facts import TableFacts
from ..facts.joins import Join
from ..facts.verbalisation import Noun
from ..parts.draws import Draw, NothingToDraw
from .shape import columns


@dataclass(frozen=True)
class Groups:
    """Groups of a table's rows.

    Attributes:
        noun: of one group.
        shown: what tells a group from another, as SELECT lists it.
        key: what stands behind GROUP BY.
        join: to the table whose rows the groups are, None of a category.
    """

    rows: TableFacts
    noun: Noun
    shown: str
    key: str
    source: str
    join: Join | None = None

    @property
    def qualified(self) -> bool:
        """Do columns need their table's name?"""
        return self.join is not None

    def query(self, more: str = "", where: str = "") -> str:
        """Return a query of a row each, of those rows alone that a condition chooses."""
        chosen = f" WHERE {where}" if where else ""
        return f"SELECT {self.shown}{more} FROM {self.source}{chosen} GROUP BY {self.key}"


GroupsOf: TypeAlias = Callable[[Draw, TableFacts], Groups]


def by_category(draw: Draw, table: TableFacts) -> Groups:
    """Group a table's rows by a category of theirs."""
    column = draw.category(table)
    return Groups(table, column.noun, column.sql, column.sql, table.sql)


def by_parent(draw: Draw, table: TableFacts) -> Groups:
    """Group a table's rows by the named rows that they refer to."""
    join = draw.join(lambda join: join.child is table and join.many and join.parent.names)
    if join.noun.one == table.noun.one:
        raise NothingToDraw
    names = columns(join.parent.names, True)
    key = names if join.parent.unique_names else join.target.ref(True)
    return Groups(table, join.noun, names, key, join.source, join)
