"""What stands in a query by name: columns, sources and outputs, open references, tables and their keys.

In the examples ``|`` is how far the query is written.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import NamedTuple

from ...data.schema.schema import Schema
from ..types.abstract_values import AbstractValue

Column = tuple[str, str]
"""A column as it was written: its owner, empty if it stands bare, and its name, both in lower case."""

START: Column = ("", "")
OTHER: Column = ("", "?")
ALIASED: Column = ("", "!")
STARRED: Column = ("", "*")
"""Of `SelectScope.term`: ``SELECT |``, nothing of it is written yet; ``SELECT a + |``, it is more than a column's name;
``ORDER BY n|``, an output's name; ``SELECT *|``, a star."""

UNLIKE = (-1,)
"""Of `SelectScope.words`: in GROUP BY the same words would be something else (`Quirks.reworked`)."""


@dataclass(frozen=True)
class Name:
    """What the scope must know of a word.

    Attributes:
        owner: what stands before the point, or an alias, as sources are distinguished; ``t.a``: t, ``AS n``: n.
        name: of the column, table or alias, in lower case; ``t.a``: a.
        tables: those that the word may mean, or be of; ``t.a``: all that may be called t and have a column a.
        column: whether it is a column; ``a`` is, ``t`` and ``t.*`` are not.
    """

    owner: str = ""
    name: str = ""
    tables: frozenset[str] = frozenset()
    column: bool = False


class Source(NamedTuple):
    """One source of a FROM.

    Attributes:
        name: the name that its columns are called by; in lower case where its case does not matter.
            ``FROM city AS c``: c; ``FROM city``: city; ``FROM (SELECT 1 AS n)``: empty.
        table: the table, in lower case; ``FROM city AS c``: city; empty for a derived table.
        columns: of a derived table: names in lower case, and values; ``FROM (SELECT 1 AS n) AS d``: n, an integer.
        group: which part between the commas of FROM it stands in; ``FROM a, b JOIN c``: 0, 1 and 1.
        common: the key of the query of WITH that it is; ``WITH n AS (SELECT 1) SELECT 2 FROM n AS d``: that of n.
        size: the tables that such a one counts as where engines join no more than some; else 0.
    """

    name: str
    table: str
    columns: tuple[tuple[str, AbstractValue], ...] = ()
    group: int = 0
    common: str = ""
    size: int = 0

    def shows(self, tables: Mapping[str, Collection[str]]) -> tuple[str, ...]:
        """Return the columns that it shows, given those of the tables; a derived table may show a name twice."""
        return tuple(tables[self.table]) if self.table else tuple(name for name, _ in self.columns)


class CommonTable(NamedTuple):
    """One query of WITH, which a FROM behind it may name as it names a table: ``WITH n AS (SELECT 1 AS a) |``: n.

    Attributes:
        name: as a source that has no other name.
        columns: names, in lower case, and values; a.
        made_of: of its FROM, see `SelectScope`.
        size: the tables that it counts as.
    """

    name: str
    columns: tuple[tuple[str, AbstractValue], ...]
    made_of: str = ""
    size: int = 0

    @property
    def key(self) -> str:
        """Return what stands for it among tables; no table is called so."""
        return f"\0{self.name}"

    @property
    def source(self) -> Source:
        """Return it as it stands in a FROM under its own name."""
        return Source(self.name, "", self.columns, common=self.key, size=self.size)

    def value(self, column: str) -> AbstractValue | None:
        """Return what a column holds, None if it does not show it once."""
        found = [value for name, value in self.columns if name == column]
        return found[0] if len(found) == 1 else None


class OpenReference(NamedTuple):
    """A reference to a source that FROM does not contain yet, made by columns that stand before it.

    Attributes:
        name: the source's name, empty for a bare column; ``SELECT t.a|``: t, ``SELECT a|``: empty.
        tables: the tables that would resolve it, queries of WITH by their keys; empty if only a derived table would.
            ``SELECT t.a|``: the tables with a column a that may be called t.
        columns: those of a derived table, or the bare column; ``SELECT d.n, d.m|``: n and m, ``SELECT a|``: a.
    """

    name: str
    tables: frozenset[str]
    columns: frozenset[str] = frozenset()


def with_need(needs: frozenset[OpenReference], need: OpenReference) -> frozenset[OpenReference] | None:
    """Return open references with one more; two to one name become one; None if no source can resolve both."""
    same = next((n for n in needs if n.name == need.name and need.name), None)
    if same is None:
        return needs | {need}
    both = OpenReference(need.name, same.tables & need.tables, same.columns | need.columns)
    alike = bool(same.tables) == bool(need.tables) == bool(both.tables)
    return needs - {same} | {both} if alike else None


class Output(NamedTuple):
    """One column of a select list.

    Attributes:
        name: what it is called by, in lower case, empty if nothing; ``t.a``: a, ``a + 1 AS n``: n, ``a + 1``: empty.
        value: what it holds; ``a + 1``: a number.
        column: the column that it is and nothing more, by source (or empty) and name; ``t.a AS n``: (t, a).
        titles: without a name, what the engine may call it by; ``CAST(a AS TEXT)``: a or text, on PostgreSQL.
    """

    name: str
    value: AbstractValue
    column: Column | None = None
    titles: frozenset[str] = frozenset()

    def may_be(self, name: str) -> bool:
        """Say whether it is called by a name, or may be."""
        return name == self.name or name in self.titles


class Listed(NamedTuple):
    """What a number in GROUP BY or ORDER BY stands for, one for each item of a select list.

    Attributes:
        column: that it is and nothing more; ``t.a AS n``: (t, a).
        aggregate: whether it holds an aggregate or a window function.
    """

    column: Column | None
    aggregate: bool


class SelectItem(NamedTuple):
    """An item of a select list with columns outside of aggregates, which GROUP BY may name as a whole.

    Attributes:
        columns: these columns; ``SELECT a + b AS n, MAX(c)|``: a and b.
        words: the numbers of its words; those of ``a + b``.
        alias: the name that it is given, empty if none; n, so that ``GROUP BY n`` names it.
        place: where it stands in the select list, from 1, where ``GROUP BY 1`` may name it; else 0.
    """

    columns: frozenset[Column]
    words: tuple[int, ...]
    alias: str
    place: int = 0


_TEXT = re.compile(
    r"""
    [-+\d].*                                                         # 1, or + 1
    | .*[^\w\s.].*                                                   # count(*), or 'x'
    | null | true | false | current_\w+ | localtime\w*
    | (?:not|case|interval)\s.*
    | .*\s(?:and|between|div|glob|in|is|like|mod|or|regexp|rlike|xor)\s.*
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)


@cache
def is_text(name: str) -> bool:
    """Say whether an expression may be written as a name is; an identifier of one word or several is none."""
    return _TEXT.fullmatch(name) is not None


@dataclass(frozen=True)
class Catalogue:
    """The tables that can be written.

    Attributes:
        columns: by table, both by their keys (`NameKeys.key`).
        names: the name that a table has without an alias, by table.
        aliases: those that can be written; in lower case where the case of a source's name does not matter.
        labels: the same as names of output columns, by their keys and without quotes.
        derived: the aliases that name derived tables alone.
        providers: the references that a column written by its own name can make, by column.
        partial: of the tables that may not be read whole, the columns that may be read.
        aggregated: the views that hold aggregates.
        within: the own name of each table that is written with its namespace; ``orders`` of ``"Sales".orders``.
        key: what makes names of sources one that the engine may take for one.
    """

    columns: Mapping[str, frozenset[str]]
    names: Mapping[str, str]
    aliases: frozenset[str]
    labels: frozenset[str]
    providers: Mapping[str, tuple[OpenReference, ...]]
    partial: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    aggregated: frozenset[str] = frozenset()
    within: Mapping[str, str] = field(default_factory=dict[str, str])
    key: Callable[[str], str] = str.lower
    derived: frozenset[str] = frozenset()

    def clashes(self, name: str, others: Iterable[str]) -> bool:
        """Say whether a FROM cannot have a source of a name beside others.

        To the engine ``"Sales".orders`` is called ``orders``, too, but it is another source than ``"Shop".orders``.
        """
        key, taken = self.key(name), set(map(self.key, others))
        if not self._own_names:
            return key in taken
        return key in taken or self._own(name) in taken or key in {self._own(one) for one in taken}

    def free(self, taken: Iterable[str], *, derived: bool) -> Iterator[str]:
        """Yield the aliases that clash with no source of these names, those that are no table's name first.

        Args:
            derived: whether a derived table is to have it; else a table.
        """
        names = set(taken)
        some = self._in_order if derived else [one for one in self._in_order if one not in self.derived]
        return (alias for alias in some if not self.clashes(alias, names))

    @cached_property
    def _in_order(self) -> list[str]:
        # one that is a table's own name would take it from that table
        return sorted(self.aliases, key=lambda alias: (self.key(alias) in self._tables, alias))

    @cached_property
    def _tables(self) -> set[str]:
        return set(map(self.key, self.names.values()))

    def is_table(self, name: str) -> bool:
        """Say whether a table is called so, with its namespace or without."""
        return self.key(name) in self._tables or self.key(name) in map(self.key, self.within.values())

    def _own(self, name: str) -> str | None:
        return self._own_names.get(self.key(name))

    @cached_property
    def _own_names(self) -> dict[str, str]:
        return {self.key(self.names[table]): own for table, own in self.within.items() if table in self.names}

    def in_two_ways(self, needs: Iterable[OpenReference], need: OpenReference) -> bool:
        """Say whether one of some needs has another name than this one that the engine may take for the same."""
        return bool(need.name) and self.clashes(need.name, (n.name for n in needs if n.name not in {"", need.name}))


Columns = tuple[str, ...]


class Key(NamedTuple):
    """The columns of a table that foreign keys refer to."""

    table: str
    columns: Columns


Keys = Mapping[str, Mapping[Key, frozenset[Columns]]]
"""For each table the keys that it has a part in, with its columns that equal the key's: its own, or what refers to it.

Of ``city.state_id``, which refers to ``state.id``: city: (state, id): state_id; state: (state, id): id.
"""


def key_columns(
    schema: Schema, called: Callable[[str], str], comparable: Callable[[tuple[str, str], tuple[str, str]], bool]
) -> Keys:
    """Return the keys of a schema's tables, by what ``called`` makes of names.

    Left out are those whose columns are not ``comparable`` with what they refer to, each given by table and column.
    """
    found: dict[str, dict[Key, set[Columns]]] = defaultdict(lambda: defaultdict(set))
    for table in schema.tables:
        own = called(table.name)
        for foreign in table.foreign_keys:
            key = Key(called(foreign.table), tuple(map(called, foreign.references)))
            columns = tuple(map(called, foreign.columns))
            pairs = zip(columns, key.columns, strict=False)
            if len(columns) == len(key.columns) and all(comparable((own, a), (key.table, b)) for a, b in pairs):
                found[own][key].add(columns)
                found[key.table][key].add(key.columns)
    return {table: {key: frozenset(columns) for key, columns in keys.items()} for table, keys in found.items()}
