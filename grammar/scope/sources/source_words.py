"""What stands for one source of a FROM: which tables may pay a need, in how many words, under which name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from ...types.abstract_values import NEVER
from ..names import CommonTable, RequiredSource, Source
from .catalogue import Catalogue
from .key_joins import KeyJoins, Node

__all__ = ["SourceWords"]


@dataclass(kw_only=True)
class SourceWords:
    """Tables, and queries of WITH among them, as one source more of a FROM.

    Attributes:
        catalogue: what can be written; queries of WITH stand in it by their keys.
        strict: whether no bare column may be shown twice.
        merged: how many tables a derived table has at most, and counts as.
        keys: along which sources join, if along no other columns.
        common: the queries of WITH, by their keys.
    """

    catalogue: Catalogue
    strict: bool = True
    merged: int = 1
    keys: KeyJoins | None = None
    common: Mapping[str, CommonTable] = field(default_factory=dict[str, CommonTable])

    def counted(self, sources: Iterable[Source]) -> int:
        """Return how many tables some sources count as, where engines join no more than some."""
        return sum(1 if source.table else source.size or self.merged for source in sources)

    def ways(self, need: RequiredSource) -> list[str]:
        """Return the tables that may be what a need names, empty for a derived table."""
        if need.tables:
            return sorted(self._able(need))
        spoken = need.name in self.catalogue.aliases - self.catalogue.derived
        shown = (t for t in self.common.values() if spoken or t.name == need.name)
        return [*(t.key for t in shown if all(map(t.value, need.columns))), ""]

    def _able(self, need: RequiredSource) -> frozenset[str]:
        """Return the tables that can be written under the name of a need."""
        names = self.catalogue.names
        if need.name in self.catalogue.aliases - self.catalogue.derived:
            return need.tables & names.keys()
        return frozenset(table for table in need.tables if names.get(table) == need.name)

    def linked(self, table: str) -> str:
        """Return a table as keys know it."""
        return "" if table in self.common else table

    def weight(self, table: str) -> int:
        """Return how many tables a source counts as where engines join no more than some."""
        common = self.common.get(table)
        return 1 if table and common is None else (common.size if common else 0) or self.merged

    def confused(self, table: str, bare: Sequence[RequiredSource]) -> bool:
        """Say whether a table shows a bare column that is not the one that is asked for."""
        return self.strict and any(table not in n.tables and n.columns & self.catalogue.columns[table] for n in bare)

    def harmless(self, wanted: Set[str]) -> Iterator[str]:
        """Yield the tables that show no wanted column."""
        return (table for table, columns in self.catalogue.columns.items() if not columns & wanted)

    def words(self, table: str, taken: Set[str], placed: Sequence[Node] | None = None) -> tuple[int, str]:
        """Return the words of one more source, and its name: a comma, the table, an alias if its own name is taken.

        Where keys join, it is a name under which the table's keys can be written, to one of those ``placed``.
        """
        catalogue, own = self.catalogue, self.catalogue.names.get(table, "")
        if not own:
            return NEVER, ""
        if not catalogue.clashes(own, taken) and self._spoken(own, table, taken, placed):
            return 2, own
        alias = next(
            (one for one in catalogue.free(taken, derived=False) if self._spoken(one, table, taken, placed)), None
        )
        return (NEVER, "") if alias is None else (3, alias)

    def _spoken(self, name: str, table: str, taken: Set[str], placed: Sequence[Node] | None) -> bool:
        return self.keys is None or not taken or self.keys.speaks(name, table, placed)
