"""The fewest sources that a FROM still needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

from ..types.abstract_values import NEVER
from .names import RequiredSource
from .select_scope import SelectScope

__all__ = ["NEVER", "Catalogue", "FromCost", "in_two_ways", "with_need"]


@dataclass(frozen=True)
class Catalogue:
    """The tables that can be written.

    Attributes:
        columns: names in lower case, by table in lower case.
        names: the name that a table has without an alias, by table.
        aliases: those that can be written; in lower case where the case of a source's name does not matter.
        labels: the same as names of output columns, in lower case and without quotes.
        providers: what a column written by its own name can ask of FROM, by column.
        links: the tables that each table can be joined to, as `links` gives them; None if any can.
        partial: of the tables that may not be read whole, the columns that may be read.
    """

    columns: Mapping[str, frozenset[str]]
    names: Mapping[str, str]
    aliases: frozenset[str]
    labels: frozenset[str]
    providers: Mapping[str, tuple[RequiredSource, ...]]
    links: Mapping[str, frozenset[str]] | None = None
    partial: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])

    @property
    def starred(self) -> Catalogue:
        """Return the catalogue of ``SELECT *``, in which no table can be written that may not be read whole."""
        return replace(self, names={t: name for t, name in self.names.items() if t not in self.partial}, partial={})

    def linked(self, table: str, select: SelectScope) -> bool:
        """Say whether a table may join what stands in FROM or is asked of it."""
        if self.links is None or not (select.sources or select.needs):
            return True
        around = {s.table for s in select.sources}.union(*(n.tables for n in select.needs))
        return not around.isdisjoint(self.links.get(table, ()))

    def together(self, tables: Sequence[str]) -> bool:
        """Say whether keys lead from each of some sources to each other, ``""`` a derived table, which has none."""
        if self.links is None or len(tables) < 2:
            return True
        return "" not in tables and self._reached(tables[0]).issuperset(tables)

    def _reached(self, table: str) -> frozenset[str]:
        """Return the tables that keys lead to from one, itself only if they lead back to it."""
        if table not in self._reach:
            found, new = set[str](), set((self.links or {}).get(table, ()))
            while new:
                found |= new
                new = set[str]().union(*((self.links or {}).get(one, ()) for one in new)) - found
            self._reach[table] = frozenset(found)
        return self._reach[table]

    @cached_property
    def _reach(self) -> dict[str, frozenset[str]]:
        return {}


def with_need(needs: frozenset[RequiredSource], need: RequiredSource) -> frozenset[RequiredSource] | None:
    """Return needs with one more; two of one name become one, None if no source can be both."""
    same = next((n for n in needs if n.name == need.name and need.name), None)
    if same is None:
        return needs | {need}
    both = RequiredSource(need.name, same.tables & need.tables, same.columns | need.columns)
    alike = bool(same.tables) == bool(need.tables) == bool(both.tables)
    return needs - {same} | {both} if alike else None


def in_two_ways(needs: frozenset[RequiredSource], need: RequiredSource) -> bool:
    """Say whether one of some needs has the name of another, but for upper and lower case."""
    return any(n.name != need.name and n.name.lower() == need.name.lower() for n in needs)


@dataclass
class FromCost:
    """Counts words of sources, each with the comma before it, and remembers what it counted.

    Not ``strict``, it lets a bare column be shown twice. A FROM has ``most`` sources at most, of ``tables`` that are
    joined at most; a derived table has ``merged`` of them at most, and counts as so many. ``bare_joins`` where the
    grammar lets JOIN come without ON.
    """

    catalogue: Catalogue
    strict: bool = True
    most: int = NEVER
    tables: int = NEVER
    merged: int = 1
    bare_joins: bool = False
    memo: dict[object, int] = field(default_factory=dict[object, int])

    @cached_property
    def _starred(self) -> FromCost:
        return replace(self, catalogue=self.catalogue.starred, memo={})

    def least(self, select: SelectScope, *, atleast: int = 0) -> int:
        """Return the fewest words of the sources that ``select`` still needs, ``atleast`` so many sources."""
        if self.catalogue.partial and "*" in select.star:
            return self._starred.least(select, atleast=atleast)
        key = (select.needs, select.sources, select.bare, select.merged, select.derived, atleast)
        found = self.memo.get(key)
        if found is None:
            found = self.memo[key] = self._least(select, atleast)
        opening = select.pending == "source" or select.clause == "items" or not select.sources
        return found - self._joining if opening and 0 < found < NEVER else found

    def condition(self, select: SelectScope) -> int:
        """Return the words of the ON that keys want and the grammar does not, ``FROM t JOIN s``."""
        open_ = select.join == "join" and select.clause == "from"
        return 2 if open_ and self.bare_joins and self.catalogue.links is not None else 0

    @cached_property
    def _joining(self) -> int:
        """Return the words beyond a comma that a further source costs: ``JOIN t ON TRUE`` where no comma may come."""
        return 0 if self.catalogue.links is None else 2

    def _least(self, select: SelectScope, atleast: int) -> int:
        named = [need for need in select.needs if need.name]
        bare = [need for need in select.needs if not need.name]
        taken = {source.name.lower() for source in select.sources} | {need.name.lower() for need in named}
        tables = [need for need in named if need.tables]
        derived = [need for need in named if not need.tables]
        base = sum(self.derived(need) + self._joining for need in derived)
        free = self._free(select, named)
        if base >= NEVER or free < 0:
            return NEVER
        best = NEVER
        for chosen in product(*(sorted(self._able(need)) for need in tables)):
            cost = base + sum(
                2 + self._joining + (self.catalogue.names.get(table) != need.name)
                for need, table in zip(tables, chosen, strict=True)
            )
            tables_now = (*(s.table for s in select.sources), *chosen, *("" for _ in derived))
            if not self.catalogue.together(tables_now):
                continue
            shown = [s.shows(self.catalogue.columns) for s in select.sources]
            shown += [tuple(self.catalogue.columns[t]) for t in chosen] + [tuple(need.columns) for need in derived]
            if any(self._confused(t, bare) for t in chosen) or any(
                need.columns & n.columns for need in derived for n in bare
            ):
                continue
            more = max(0, atleast - len(named))
            best = min(best, self._cover(select, bare, shown, tables_now, taken=taken, cost=cost, free=free, more=more))
        return best

    def _free(self, select: SelectScope, named: Sequence[RequiredSource]) -> int:
        """Return how many tables more a FROM may have, beside those that needs name; negative if none."""
        count = len(select.sources) + len(named)
        derived = sum(not s.table for s in select.sources) + sum(not n.tables for n in named)
        joined = count + derived * (self.merged - 1)
        inner = select.derived and self.merged > 1
        return min(self.most - count, (self.merged if inner else self.tables) - joined)

    def _able(self, need: RequiredSource) -> frozenset[str]:
        """Return the tables that can be written under the name of a need."""
        names = self.catalogue.names
        if need.name in self.catalogue.aliases:
            return need.tables & names.keys()
        return frozenset(table for table in need.tables if names.get(table) == need.name)

    def derived(self, need: RequiredSource) -> int:
        """Return the words of a derived table, with the comma before it: ``, ( SELECT 1 a , c FROM t ) d``."""
        if need.name not in self.catalogue.aliases:
            return NEVER
        if not need.columns:
            return 7  # with a name that PostgreSQL may ask for
        aliases = need.columns & self.catalogue.labels
        own = need.columns - aliases
        return 4 + 3 * len(aliases) + 2 * len(own) + self.providing(own)

    def providing(self, columns: frozenset[str], select: SelectScope | None = None) -> int:
        """Return the words of a FROM for columns that are written by their own names, beyond what ``select`` needs."""
        select = select or SelectScope("items", derived=True)
        if not columns:
            return 0
        least = NEVER
        for column in sorted(columns):  # the next takes what is cheapest after those before
            asked = (n for n in self.catalogue.providers.get(column, ()) if not in_two_ways(select.needs, n))
            ways = [with_need(select.needs, need) for need in asked]
            able = [select._replace(needs=needs) for needs in ways if needs is not None]
            if not able:
                return NEVER
            select = min(able, key=lambda after: self.least(after, atleast=1))
            least = self.least(select, atleast=1)
        return least

    def _cover(
        self,
        select: SelectScope,
        bare: list[RequiredSource],
        shown: list[tuple[str, ...]],
        tables: tuple[str, ...],
        *,
        taken: set[str],
        cost: int,
        free: int,
        more: int,
    ) -> int:
        """Return the cost with as many more tables as it takes to show each bare column once, ``more`` at least."""
        wanted = select.bare | {column for need in bare for column in need.columns}
        times = {column: sum(s.count(column) for s in shown) - (column in select.merged) for column in wanted}
        if any(n > 1 for n in times.values()) and self.strict:
            return NEVER
        missing = [need for need in bare if all(times[column] == 0 for column in need.columns)]
        if not missing:
            if more <= 0:
                return cost
            if free < more:
                return NEVER
            joined = (t for t in self._harmless(wanted) if self.catalogue.linked(t, select))
            able = (t for t in joined if self.catalogue.together((*tables, t)))
            words = min((self._words(t, taken)[0] for t in able), default=NEVER)
            return cost + words if words < NEVER else NEVER
        best = NEVER
        for table in missing[0].tables if free > 0 else ():
            if self._confused(table, bare) or not self.catalogue.together((*tables, table)):
                continue
            if any(times[column] for column in self.catalogue.columns[table] & wanted):
                continue
            words, name = self._words(table, taken)
            if words < NEVER:
                taken_now = taken | {name}
                rest = [*shown, tuple(self.catalogue.columns[table])]
                now = (*tables, table)
                cover = self._cover(
                    select, bare, rest, now, taken=taken_now, cost=cost + words, free=free - 1, more=more - 1
                )
                best = min(best, cover)
        return best

    def _confused(self, table: str, bare: list[RequiredSource]) -> bool:
        """Say whether a table shows a bare column that is not the one that is asked for."""
        return self.strict and any(table not in n.tables and n.columns & self.catalogue.columns[table] for n in bare)

    def _harmless(self, wanted: frozenset[str] | set[str]) -> Iterator[str]:
        """Yield the tables that show no wanted column."""
        return (table for table, columns in self.catalogue.columns.items() if not columns & wanted)

    def _words(self, table: str, taken: set[str]) -> tuple[int, str]:
        """Return the words of one more source, and its name: a comma, the table, an alias if its own name is taken."""
        own = self.catalogue.names.get(table, "").lower()
        if own and own not in taken:
            return 2 + self._joining, own
        free = {alias.lower() for alias in self.catalogue.aliases} - taken if own else set[str]()
        # one that is a table's own name would take it from that table
        names = {name.lower() for name in self.catalogue.names.values()}
        return (3 + self._joining, min(free, key=lambda alias: (alias in names, alias))) if free else (NEVER, "")
