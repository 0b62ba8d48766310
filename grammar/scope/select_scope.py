"""What is known of the names of a query while it is written: one `SelectScope` for each SELECT that stands open."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from ..types.abstract_values import AbstractValue

__all__ = [
    "ALIASED",
    "OTHER",
    "STARRED",
    "START",
    "UNLIKE",
    "Column",
    "Item",
    "Output",
    "RequiredSource",
    "Scope",
    "SelectScope",
    "Source",
]

Column = tuple[str, str]
"""A column as it was written: its owner, empty if it stands bare, and its name, both in lower case."""

START: Column = ("", "")
OTHER: Column = ("", "?")
ALIASED: Column = ("", "!")
STARRED: Column = ("", "*")
"""Of `SelectScope.term`: nothing of it is written yet; it is more than one column's name; an output's name; a star."""


UNLIKE = (-1,)
"""Of `SelectScope.words`: in GROUP BY the same words would be something else."""


class Source(NamedTuple):
    """One source of a FROM.

    Attributes:
        name: the name that its columns are called by; in lower case where its case does not matter.
        table: the table, in lower case; empty for a derived table.
        columns: of a derived table: names in lower case, and values.
        group: which part between the commas of FROM it stands in.
    """

    name: str
    table: str
    columns: tuple[tuple[str, AbstractValue], ...] = ()
    group: int = 0

    def shows(self, tables: Mapping[str, Collection[str]]) -> tuple[str, ...]:
        """Return the columns that it shows, given those of the tables; a derived table may show a name twice."""
        return tuple(tables[self.table]) if self.table else tuple(name for name, _ in self.columns)


class RequiredSource(NamedTuple):
    """What columns written before FROM ask of it.

    Attributes:
        name: of the source; empty for a bare column.
        tables: those that have what is asked for; empty if it must be a derived table.
        columns: of a derived table, or the bare column.
    """

    name: str
    tables: frozenset[str]
    columns: frozenset[str] = frozenset()


class Output(NamedTuple):
    """One column of a select list.

    Attributes:
        name: what it is called by, in lower case; empty if nothing.
        value: what it holds.
        column: the column that it is and nothing more: (source or empty, name).
        titles: without a name: what the engine may call it by.
    """

    name: str
    value: AbstractValue
    column: Column | None = None
    titles: frozenset[str] = frozenset()

    def may_be(self, name: str) -> bool:
        """Say whether it is called by a name, or may be."""
        return name == self.name or name in self.titles


class Item(NamedTuple):
    """An item of a select list with columns outside of aggregates, which GROUP BY may name as a whole.

    Attributes:
        columns: these columns.
        words: the numbers of its words.
        alias: the name that it is given, empty if none.
    """

    columns: frozenset[Column]
    words: tuple[int, ...]
    alias: str


class SelectScope(NamedTuple):
    """One SELECT.

    Attributes:
        clause: start, items, from, on, using, closed, where, group, having, order, limit, done, or set
            (a set operator was written and the next SELECT takes this one's place).
        derived: whether it is a derived table, which sees nothing of the queries around it.
        enclosed: whether it stands in an aggregate of the query around it.
        room: of a derived table that a star shows: the columns that it may show; 0 for as many as any.
        asked: the columns that the query around it takes from it, and that it does not show yet.
        barred: bare columns of the query around a derived table, which no other column of it may be called.
        named: whether each column must be given a name: the engine's own could be one that the query around takes.
        needs: what FROM owes.
        sources: of FROM, as far as it is written.
        pending: in FROM: a source must come (``source``); a table was written (``table``) and after AS must be
            given a name (``name``); a bracket was opened for a derived table (``open``), which is being written
            (``inner``) or was (``derived``). Among items: after AS must be given a name (``name``).
        written: the table or the derived table that is pending.
        promised: the need that the derived table being written is for.
        bare: bare columns that this level's sources show, so that no other source may show them too.
        merged: columns that USING or NATURAL made one of two; they are bare columns, too.
        using: the columns that USING names so far.
        join: what kind of join is being written.
        outputs: of the select list; those of the first SELECT after a set operator.
        own: of a SELECT behind a set operator the names and columns of its own, where MySQL may take them for a column.
        term: the item, key or ORDER BY term being written: the column, or `START` and its like.
        alias: the name given to the item being written.
        titles: the names that the words of the item being written may give it.
        star: the stars of the select list in their order: ``*``, or the names of sources.
        compound: whether it is an operand of a set operator, or their whole.
        united: whether INTERSECT may not follow: a set operator of lower rank stands before.
        same: the table that a star must be of, after a set operator that follows one; empty for any; None for no star.
        nested: how many brackets around operands behind set operators stand open.
        distinct: whether it is SELECT DISTINCT.
        aggregated: whether an aggregate was written outside of subqueries.
        plain: columns written outside of aggregates where grouping binds: (source or empty, column).
        correlated: those that subqueries among the items name, as far as a derived table may show them.
        within: those of the item being written.
        words: of the item or key being written, where grouping binds; None if they could mean something else elsewhere.
        items: items that GROUP BY has not named so far.
        alone: those of `plain` that GROUP BY can only name by themselves.
        keys: columns that GROUP BY names.
        grouped: whether GROUP BY was written.
    """

    clause: str = "start"
    derived: bool = False
    enclosed: bool = False
    room: int = 0
    asked: frozenset[str] = frozenset()
    barred: frozenset[str] = frozenset()
    named: bool = False
    needs: frozenset[RequiredSource] = frozenset()
    sources: tuple[Source, ...] = ()
    pending: str = ""
    written: Source | None = None
    promised: RequiredSource | None = None
    bare: frozenset[str] = frozenset()
    merged: frozenset[str] = frozenset()
    using: frozenset[str] = frozenset()
    join: str = ""
    outputs: tuple[Output, ...] = ()
    own: tuple[tuple[str, Column | None], ...] = ()
    term: Column = OTHER
    alias: str = ""
    titles: frozenset[str] = frozenset()
    star: tuple[str, ...] = ()
    compound: bool = False
    united: bool = False
    same: str | None = None
    nested: int = 0
    distinct: bool = False
    aggregated: bool = False
    plain: frozenset[Column] = frozenset()
    correlated: frozenset[Column] = frozenset()
    within: frozenset[Column] = frozenset()
    words: tuple[int, ...] | None = None
    items: tuple[Item, ...] = ()
    alone: frozenset[Column] = frozenset()
    keys: frozenset[Column] = frozenset()
    grouped: bool = False

    @property
    def bares(self) -> frozenset[str]:
        """Return the bare columns that were written so far."""
        return self.bare.union(*(n.columns for n in self.needs if not n.name))

    @property
    def bare_plain(self) -> frozenset[str]:
        """Return the bare columns that were written outside of aggregates where grouping binds."""
        return frozenset(name for owner, name in self.plain if not owner)

    @property
    def column(self) -> Column | None:
        """Return the column that the term being written is and nothing more, so far."""
        return None if self.term in (START, OTHER, ALIASED, STARRED) else self.term


class Scope:
    """The innermost level and those around it; equal scopes of one `Transitions` are one object.

    Attributes:
        select: the innermost.
        outer: the levels around it.
        cost: the words that all levels still owe beyond what the grammar asks for.
    """

    __slots__ = ("cost", "costs", "inner", "outer", "select")

    def __init__(self, select: SelectScope, outer: Scope | None, cost: int) -> None:
        self.select = select
        self.outer = outer
        self.cost = cost
        self.inner: dict[SelectScope, Scope] = {}
        self.costs: dict[object, Any] = {}
