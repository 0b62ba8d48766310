"""The tables that can be written, under which names, and the columns by which they refer to each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from ...data.schema.schema import Schema
from .names import OpenReference

__all__ = ["Catalogue", "Columns", "Key", "Keys", "key_columns"]


@dataclass(frozen=True)
class Catalogue:
    """The tables that can be written.

    Attributes:
        columns: by table, both by their keys (`NameKeys.key`).
        names: the name that a table has without an alias, by table.
        aliases: those that can be written; in lower case where the case of a source's name does not matter.
        labels: the same as names of output columns, by their keys and without quotes.
        derived: the aliases that name derived tables alone.
        providers: what a column written by its own name can ask of FROM, by column.
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

        To the engine ``"Sales".orders`` is called ``orders``, too, but ``"Shop".orders`` beside it is told from it.
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

    @property
    def starred(self) -> Catalogue:
        """Return the catalogue of ``SELECT *``, in which no table can be written that may not be read whole."""
        return replace(self._without(self.partial), partial={})

    @property
    def held(self) -> Catalogue:
        """Return the catalogue within an aggregate, in which no view can be written that holds aggregates."""
        return replace(self._without(self.aggregated), aggregated=frozenset())

    def _without(self, tables: Collection[str]) -> Catalogue:
        return replace(self, names={t: name for t, name in self.names.items() if t not in tables})


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
