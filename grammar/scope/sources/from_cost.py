"""The fewest sources that a FROM still needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import NamedTuple

from ...time_limit import check_time
from ...types.abstract_values import NEVER
from ..names import CommonTable, RequiredSource, Source, with_need
from ..select_scope import SelectScope
from .catalogue import Catalogue
from .key_joins import KeyJoins, Node

__all__ = ["NEVER", "FromCost"]


class _Cover(NamedTuple):
    """What more tables are sought for: a SELECT's bare columns, in fewer words than the ``best`` that are known."""

    select: SelectScope
    bare: Sequence[RequiredSource]
    owed: tuple[Node, ...]
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
    grammar lets JOIN come without ON. Where ``keys`` are given, they must lead from each source to each other, by way
    of further tables, and a source that joins others says so in ON. ``common`` are the queries of WITH that stand among
    the catalogue's tables, by their keys.
    """

    catalogue: Catalogue
    strict: bool = True
    most: int = NEVER
    tables: int = NEVER
    merged: int = 1
    bare_joins: bool = False
    keys: KeyJoins | None = None
    common: Mapping[str, CommonTable] = field(default_factory=dict[str, CommonTable])
    memo: dict[object, int] = field(default_factory=dict[object, int])
    _beside: dict[tuple[CommonTable, ...], FromCost] = field(default_factory=dict, init=False)

    @cached_property
    def _starred(self) -> FromCost:
        return self._over(self.catalogue.starred)

    @cached_property
    def _held(self) -> FromCost:
        return self._over(self.catalogue.held)

    def _over(self, catalogue: Catalogue) -> FromCost:
        keys = self.keys and replace(self.keys, catalogue=catalogue)
        return replace(self, catalogue=catalogue, keys=keys, memo={})

    def least(self, select: SelectScope, *, atleast: int = 0) -> int:
        """Return the fewest words of the sources that ``select`` still needs, ``atleast`` so many sources."""
        if self.catalogue.partial and "*" in select.star:
            return self._starred.least(select, atleast=atleast)
        if self.catalogue.aggregated and select.held:
            return self._held.least(select, atleast=atleast)
        costs = self._with(select.common) if select.common else self
        key = (select.needs, select.sources, select.bare, select.merged, select.derived, atleast)
        found = costs.memo.get(key)
        if found is None:
            found = costs.memo[key] = costs._least(select, atleast)
        return found

    def _with(self, common: tuple[CommonTable, ...]) -> FromCost:
        """Return the same where FROM may name some queries of WITH; those that show a name twice count for nothing."""
        found = self._beside.get(common)
        if found is None:
            told = {t.key: t for t in common if len({name for name, _ in t.columns if name}) == len(t.columns)}
            columns = {key: frozenset(name for name, _ in t.columns) for key, t in told.items()}
            names = {key: t.name for key, t in told.items()}
            own = self.catalogue
            catalogue = replace(own, columns={**own.columns, **columns}, names={**own.names, **names})
            found = self._beside[common] = replace(self._over(catalogue), common=told)
        return found

    def counted(self, sources: Iterable[Source]) -> int:
        """Return how many tables some sources count as, where engines join no more than some."""
        return sum(1 if source.table else source.size or self.merged for source in sources)

    def condition(self, select: SelectScope) -> int:
        """Return the words that ON takes beyond what the grammar counts, where keys want one: ``FROM t JOIN s |``."""
        return 0 if self.keys is None else self.keys.condition(select, self.bare_joins)

    def _least(self, select: SelectScope, atleast: int) -> int:
        named = [need for need in select.needs if need.name]
        bare = [need for need in select.needs if not need.name]
        taken = {source.name for source in select.sources} | {need.name for need in named}
        best = NEVER
        for chosen in product(*(self._ways(need) for need in named)):
            pairs = list(zip(named, chosen, strict=True))
            tables, derived = [t for t in chosen if t], [need for need, table in pairs if not table]
            free = self._free(select, chosen)
            cost = sum(self._paid(need, table) for need, table in pairs)
            if cost >= NEVER or free < 0:
                continue
            owed = tuple((need.name, self._linked(table)) for need, table in pairs)
            shown = [s.shows(self.catalogue.columns) for s in select.sources]
            shown += [tuple(self.catalogue.columns[t]) for t in tables] + [tuple(need.columns) for need in derived]
            if any(self._confused(t, bare) for t in tables) or any(
                need.columns & n.columns for need in derived for n in bare
            ):
                continue
            times = self._times(select, bare, shown)
            more = max(0, atleast - len(named))
            below = _Cover(select, bare, owed, best)
            best = min(best, self._cover(below, times, taken=taken, cost=cost, free=free, more=more))
        return best

    def _linking(self, select: SelectScope, owed: Sequence[Node], wanted: Set[str], free: int) -> int:
        """Return the words that join all sources along keys, with the tables that this takes, ``free`` at most."""
        if self.keys is None:
            return 0
        placed = [(s.name, s.table) for s in select.sources]
        barred = frozenset(t for t, columns in self.catalogue.columns.items() if columns & wanted)
        words = self.keys.words(placed, owed, barred if self.strict else frozenset())
        joined = len(owed) - (not placed)
        return words if words < NEVER and self.keys.bridges(words, joined) <= free else NEVER

    def _ways(self, need: RequiredSource) -> list[str]:
        """Return the tables that may be what a need names, empty for a derived table."""
        if need.tables:
            return sorted(self._able(need))
        spoken = need.name in self.catalogue.aliases - self.catalogue.derived
        shown = (t for t in self.common.values() if spoken or t.name == need.name)
        return [*(t.key for t in shown if all(map(t.value, need.columns))), ""]

    def _paid(self, need: RequiredSource, table: str) -> int:
        """Return the words of what a need names, with the comma before it."""
        return 2 + (self.catalogue.names.get(table) != need.name) if table else self.derived(need)

    def _linked(self, table: str) -> str:
        """Return a table as keys know it."""
        return "" if table in self.common else table

    def _weight(self, table: str) -> int:
        """Return how many tables a source counts as where engines join no more than some."""
        common = self.common.get(table)
        return 1 if table and common is None else (common.size if common else 0) or self.merged

    def _free(self, select: SelectScope, named: Sequence[str]) -> int:
        """Return how many tables more a FROM may have beside those that needs name; negative if none.

        Args:
            named: the tables that they name, empty for derived ones.
        """
        count = len(select.sources) + len(named)
        joined = self.counted(select.sources) + sum(map(self._weight, named))
        inner = select.derived and self.merged > 1
        return min(self.most - count, (self.merged if inner else self.tables) - joined)

    def _able(self, need: RequiredSource) -> frozenset[str]:
        """Return the tables that can be written under the name of a need."""
        names = self.catalogue.names
        if need.name in self.catalogue.aliases - self.catalogue.derived:
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
            if free < more:
                return NEVER
            if more <= 0:
                return min(cost + self._linking(of.select, of.owed, times.keys(), free), NEVER)
            return min(cost + self._one_more(of, times.keys(), taken), NEVER)
        apart = _apart(missing)
        if apart > free:
            return NEVER
        best = of.best
        scarcest = min(missing, key=lambda need: (len(need.tables), sorted(need.columns)))
        for table in sorted(scarcest.tables & self.catalogue.columns.keys()):
            if cost + 2 * apart + self._edges(of, apart) >= best:
                break
            columns = self.catalogue.columns[table]
            if self._confused(table, of.bare) or any(times[column] for column in columns & times.keys()):
                continue
            words, name = self._words(table, taken)
            if words < NEVER:
                now = times | dict.fromkeys(columns & times.keys(), 1)
                below = _Cover(of.select, of.bare, (*of.owed, (name, self._linked(table))), best)
                room = free - self._weight(table)
                if room < 0:
                    continue
                best = min(
                    best,
                    self._cover(below, now, taken=taken | {name}, cost=cost + words, free=room, more=more - 1),
                )
        return best if best < of.best else NEVER

    def _edges(self, of: _Cover, more: int) -> int:
        """Return the words that it takes at least to join all sources, and so many ``more``."""
        joined = len(of.owed) + more - (not of.select.sources)
        return self.keys.pair * joined if self.keys else 0

    def _one_more(self, of: _Cover, wanted: Set[str], taken: Set[str]) -> int:
        """Return the words of a source that nothing asks for, of a FROM that owes no other."""
        placed = [(s.name, s.table) for s in of.select.sources]
        if self.keys is None or not placed:
            return min((self._words(table, taken)[0] for table in self._harmless(wanted)), default=NEVER)
        best = NEVER
        for table in self.keys.near(placed).intersection(self._harmless(wanted)):
            words, name = self._words(table, taken, placed)
            if words < NEVER:
                best = min(best, words + min(self.keys.direct((name, table), other) for other in placed))
        return best

    def _confused(self, table: str, bare: Sequence[RequiredSource]) -> bool:
        """Say whether a table shows a bare column that is not the one that is asked for."""
        return self.strict and any(table not in n.tables and n.columns & self.catalogue.columns[table] for n in bare)

    def _harmless(self, wanted: Set[str]) -> Iterator[str]:
        """Yield the tables that show no wanted column."""
        return (table for table, columns in self.catalogue.columns.items() if not columns & wanted)

    def _words(self, table: str, taken: Set[str], placed: Sequence[Node] | None = None) -> tuple[int, str]:
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
