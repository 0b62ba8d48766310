"""The fewest sources that a FROM still needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import NamedTuple

from ..time_limit import check_time
from ..types.abstract_values import NEVER
from .names import RequiredSource
from .select_scope import SelectScope

__all__ = ["NEVER", "Catalogue", "FromCost", "with_need"]


@dataclass(frozen=True)
class Catalogue:
    """The tables that can be written.

    Attributes:
        columns: by table, both by their keys (`DialectTypes.key`).
        names: the name that a table has without an alias, by table.
        aliases: those that can be written; in lower case where the case of a source's name does not matter.
        labels: the same as names of output columns, by their keys and without quotes.
        providers: what a column written by its own name can ask of FROM, by column.
        links: the tables that each table can be joined to, as `links` gives them; None if any can.
        partial: of the tables that may not be read whole, the columns that may be read.
        within: the own name of each table that is written with its namespace; ``orders`` of ``"Sales".orders``.
        key: what makes names of sources one that the engine may take for one.
    """

    columns: Mapping[str, frozenset[str]]
    names: Mapping[str, str]
    aliases: frozenset[str]
    labels: frozenset[str]
    providers: Mapping[str, tuple[RequiredSource, ...]]
    links: Mapping[str, frozenset[str]] | None = None
    partial: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    within: Mapping[str, str] = field(default_factory=dict[str, str])
    key: Callable[[str], str] = str.lower

    def clashes(self, name: str, others: Iterable[str]) -> bool:
        """Say whether a FROM cannot have a source of a name beside others.

        To the engine ``"Sales".orders`` is called ``orders``, too, but ``"Shop".orders`` beside it is told from it.
        """
        key, taken = self.key(name), set(map(self.key, others))
        if not self._own_names:
            return key in taken
        return key in taken or self._own(name) in taken or key in {self._own(one) for one in taken}

    def spare(self, taken: Iterable[str]) -> str | None:
        """Return the first alias that clashes with no source of these names, None if all do; no table's if possible."""
        names = set(taken)
        return next((alias for alias in self._in_order if not self.clashes(alias, names)), None)

    @cached_property
    def _in_order(self) -> list[str]:
        tables = set(map(self.key, self.names.values()))
        return sorted(self.aliases, key=lambda alias: (self.key(alias) in tables, alias))

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


class _Cover(NamedTuple):
    """What more tables are sought for: a SELECT's bare columns, in fewer words than the ``best`` that are known."""

    select: SelectScope
    bare: Sequence[RequiredSource]
    tables: tuple[str, ...]
    best: int


def _apart(needs: Iterable[RequiredSource]) -> int:
    """Return how many of some needs no table pays together with another of them; others may be so, too."""
    count, seen = 0, set[str]()
    for need in needs:
        if seen.isdisjoint(need.tables):
            count += 1
        seen |= need.tables
    return count


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
        taken = {source.name for source in select.sources} | {need.name for need in named}
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
            times = self._times(select, bare, shown)
            more = max(0, atleast - len(named))
            below = _Cover(select, bare, tables_now, best)
            best = min(best, self._cover(below, times, taken=taken, cost=cost, free=free, more=more))
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
            asked = (
                n for n in self.catalogue.providers.get(column, ()) if not self.catalogue.in_two_ways(select.needs, n)
            )
            ways = [with_need(select.needs, need) for need in asked]
            able = [select._replace(needs=needs) for needs in ways if needs is not None]
            if not able:
                return NEVER
            select = min(able, key=lambda after: self.least(after, atleast=1))
            least = self.least(select, atleast=1)
        return least

    @staticmethod
    def _times(select: SelectScope, bare: Sequence[RequiredSource], shown: Sequence[tuple[str, ...]]) -> dict[str, int]:
        """Return how often each bare column is shown."""
        wanted = select.bare.union(*(need.columns for need in bare))
        if not wanted:
            return {}
        counted = Counter(column for columns in shown for column in columns if column in wanted)
        return {column: counted[column] - (column in select.merged) for column in wanted}

    def _cover(self, of: _Cover, times: dict[str, int], *, taken: set[str], cost: int, free: int, more: int) -> int:
        """Return the cost with as many more tables as it takes to show each bare column once, ``more`` at least.

        What cannot be less than the least that is known is not followed to its end.
        """
        check_time()
        if any(n > 1 for n in times.values()) and self.strict:
            return NEVER
        missing = [need for need in of.bare if all(times[column] == 0 for column in need.columns)]
        if not missing:
            if more <= 0:
                return cost
            if free < more:
                return NEVER
            able = (t for t in self._harmless(times.keys()) if self.catalogue.linked(t, of.select))
            together = (t for t in able if self.catalogue.together((*of.tables, t)))
            words = min((self._words(t, taken)[0] for t in together), default=NEVER)
            return cost + words if words < NEVER else NEVER
        apart = _apart(missing)
        if apart > free:
            return NEVER
        best = of.best
        for table in sorted(min(missing, key=lambda need: (len(need.tables), sorted(need.columns))).tables):
            if cost + (2 + self._joining) * apart >= best:
                break
            columns = self.catalogue.columns[table]
            if self._confused(table, of.bare) or any(times[column] for column in columns & times.keys()):
                continue
            words, name = self._words(table, taken)
            if words < NEVER and self.catalogue.together((*of.tables, table)):
                now = times | dict.fromkeys(columns & times.keys(), 1)
                below = _Cover(of.select, of.bare, (*of.tables, table), best)
                best = min(
                    best,
                    self._cover(below, now, taken=taken | {name}, cost=cost + words, free=free - 1, more=more - 1),
                )
        return best if best < of.best else NEVER

    def _confused(self, table: str, bare: Sequence[RequiredSource]) -> bool:
        """Say whether a table shows a bare column that is not the one that is asked for."""
        return self.strict and any(table not in n.tables and n.columns & self.catalogue.columns[table] for n in bare)

    def _harmless(self, wanted: Set[str]) -> Iterator[str]:
        """Yield the tables that show no wanted column."""
        return (table for table, columns in self.catalogue.columns.items() if not columns & wanted)

    def _words(self, table: str, taken: set[str]) -> tuple[int, str]:
        """Return the words of one more source, and its name: a comma, the table, an alias if its own name is taken."""
        catalogue = self.catalogue
        own = catalogue.names.get(table, "")
        if own and not catalogue.clashes(own, taken):
            return 2 + self._joining, own
        # one that is a table's own name would take it from that table
        alias = catalogue.spare(taken) if own else None
        return (NEVER, "") if alias is None else (3 + self._joining, alias)
