"""The tables that can be written, and under which names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from ..names import RequiredSource

__all__ = ["Catalogue"]


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
    providers: Mapping[str, tuple[RequiredSource, ...]]
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

    def in_two_ways(self, needs: Iterable[RequiredSource], need: RequiredSource) -> bool:
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
