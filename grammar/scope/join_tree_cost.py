"""The fewest words of sources that a FROM still needs, and how many columns its stars may come to show.

A star shows every column of the sources, and one in a derived table makes the star around it wider, so that a few
words can show more columns than the engine takes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import product
from typing import NamedTuple

from ..stack.time_limit import check_time
from ..types.abstract_values import NEVER
from .key_joins import Node, SourceWords
from .names import STARRED, START, Catalogue, CommonTable, OpenReference, with_need
from .select_scope import SelectScope

_SPARE = 3
"""The sources that an item behind a star is sure to find room for."""


@dataclass
class Widths:
    """Counts columns against ``most``, those that one select list may show; 0 if any number."""

    catalogue: Catalogue
    most: int
    _widest_table: int = field(init=False)

    def __post_init__(self) -> None:
        self._widest_table = max(map(len, self.catalogue.columns.values()), default=1)

    def _widest(self, select: SelectScope) -> int:
        return max(self._widest_table, *(len(table.columns) for table in select.common), 0)

    def fits(self, select: SelectScope) -> bool:
        """Say whether what is written, the sources that FROM still needs and an item that must come fit in the room.

        A missing source counts as the widest table, so that the cheapest way on stays open. A pending source is judged
        once it has its name, when it is known which references it resolves.
        """
        if not self.most or select.compound or select.pending in {"table", "name", "derived"}:
            return True
        if select.clause not in {"items", "from", "on", "using"}:
            return True
        more = select.clause == "items" and _starting(select)
        if not select.star and not more:
            return _items(select) <= self._room(select)
        each, widest = select.star.count("*") + more, self._widest(select)
        coming = self._needed(select, select.needs, each) + each * len(select.required) * widest
        if select.pending in {"open", "inner"} and select.promised is None:
            coming += each * widest
        elif select.pending == "source" or not select.sources:
            coming = max(coming, each * widest)
        spare = _SPARE * widest if more and select.star else 0
        return _items(select) + self._written(select, each) + coming + each * spare <= self._room(select)

    def inner(self, select: SelectScope) -> int:
        """Return the columns that there is room for in a derived table of ``select``, 0 for as many as anywhere."""
        promised, each = select.promised, select.star.count("*")
        times = each + (select.star.count(promised.name) if promised else 0)
        if not self.most or not times:
            return 0
        coming = self._needed(select, select.needs - {promised} if promised else select.needs, each)
        return max(1, (self._room(select) - _items(select) - self._written(select, each) - coming) // times)

    def _room(self, select: SelectScope) -> int:
        return select.room or self.most

    def _written(self, select: SelectScope, each: int) -> int:
        """Return the columns that stars show of the sources, ``each`` of them so many times without its name."""
        listed = self.catalogue.columns
        return sum((each + select.star.count(source.name)) * len(source.shows(listed)) for source in select.sources)

    def _needed(self, select: SelectScope, needs: frozenset[OpenReference], each: int) -> int:
        """Return the most columns that stars show of the sources that references need, derived tables' included."""
        bare, widest = [n for n in needs if not n.name], self._widest(select)
        coming = each * min(len(bare), len(frozenset[str]().union(*(n.tables for n in bare)))) * widest
        for need in needs:
            if need.name:
                width = widest if need.tables else max(1, len(need.columns)) * (widest + 1)
                coming += (each + select.star.count(need.name)) * width
        return coming


def _items(select: SelectScope) -> int:
    """Return the columns that are no stars, with those that must come."""
    return (
        len(select.outputs) + len(select.required) + (select.clause == "items" and select.term not in (START, STARRED))
    )


def _starting(select: SelectScope) -> bool:
    """Say whether the next item may have to be a star: no column is required, and none stands there to be repeated."""
    return select.term == START and not select.required and (select.derived or not select.outputs)


class _Cover(NamedTuple):
    """The search for further tables that show a SELECT's bare columns in fewer words than the ``best`` known."""

    select: SelectScope
    bare: Sequence[OpenReference]
    coming: tuple[Node, ...]
    best: int


def _apart(needs: Iterable[OpenReference]) -> int:
    """Return a lower bound of how many tables some references need: those of which no two share a table."""
    count, seen = 0, set[str]()
    for need in needs:
        if seen.isdisjoint(need.tables):
            count += 1
        seen |= need.tables
    return count


@dataclass(kw_only=True)
class JoinTreeCost(SourceWords):
    """Counts the words of the sources that resolve all open references, each with the comma before it.

    Where ``keys`` are given it counts the least tree of joins: keys must lead from each source to each other, by way of
    further tables, and each join has its ON.

    Attributes:
        most: how many sources a FROM has at most.
        tables: how many of them are joined at most.
        bare_joins: whether the grammar lets JOIN come without ON.
        memo: what was counted.
    """

    most: int = NEVER
    tables: int = NEVER
    bare_joins: bool = False
    memo: dict[object, int] = field(default_factory=dict[object, int])
    _beside: dict[tuple[CommonTable, ...], JoinTreeCost] = field(default_factory=dict, init=False)
    _narrower: dict[frozenset[str], JoinTreeCost] = field(default_factory=dict, init=False)

    def _over(self, catalogue: Catalogue) -> JoinTreeCost:
        keys = self.keys and replace(self.keys, catalogue=catalogue)
        return replace(self, catalogue=catalogue, keys=keys, memo={})

    def least(self, select: SelectScope, *, atleast: int = 0) -> int:
        """Return the fewest words of the sources that ``select`` still needs, ``atleast`` so many sources."""
        starred = self.catalogue.partial.keys() if "*" in select.star else frozenset[str]()
        barred = starred | (self.catalogue.aggregated if select.held else frozenset())
        costs = self._without(frozenset(barred)) if barred else self
        costs = costs._with(select.common) if select.common else costs
        key = (select.needs, select.sources, select.bare, select.merged, select.derived, atleast)
        found = costs.memo.get(key)
        if found is None:
            found = costs.memo[key] = costs._least(select, atleast)
        return found

    def _without(self, tables: frozenset[str]) -> JoinTreeCost:
        """Return the costs where FROM may name all tables but some: those that a star or an aggregate bars."""
        found = self._narrower.get(tables)
        if found is None:
            names = {table: name for table, name in self.catalogue.names.items() if table not in tables}
            found = self._narrower[tables] = self._over(replace(self.catalogue, names=names))
        return found

    def _with(self, common: tuple[CommonTable, ...]) -> JoinTreeCost:
        """Return the costs where FROM may name some queries of WITH; those that show a name twice are left out."""
        found = self._beside.get(common)
        if found is None:
            usable = {t.key: t for t in common if len({name for name, _ in t.columns if name}) == len(t.columns)}
            columns = {key: frozenset(name for name, _ in t.columns) for key, t in usable.items()}
            names = {key: t.name for key, t in usable.items()}
            own = self.catalogue
            catalogue = replace(own, columns={**own.columns, **columns}, names={**own.names, **names})
            found = self._beside[common] = replace(self._over(catalogue), common=usable)
        return found

    def condition(self, select: SelectScope) -> int:
        """Return the words that ON takes beyond what the grammar counts, where keys want one: ``FROM t JOIN s |``."""
        return 0 if self.keys is None else self.keys.condition(select, self.bare_joins)

    def _least(self, select: SelectScope, atleast: int) -> int:
        named = [need for need in select.needs if need.name]
        bare = [need for need in select.needs if not need.name]
        taken = {source.name for source in select.sources} | {need.name for need in named}
        best = NEVER
        for chosen in product(*(self.ways(need) for need in named)):
            pairs = list(zip(named, chosen, strict=True))
            tables, derived = [t for t in chosen if t], [need for need, table in pairs if not table]
            free = self._free(select, chosen)
            cost = sum(self._words_of(need, table) for need, table in pairs)
            if cost >= NEVER or free < 0:
                continue
            coming = tuple((need.name, self.linked(table)) for need, table in pairs)
            listed = [s.shows(self.catalogue.columns) for s in select.sources]
            listed += [tuple(self.catalogue.columns[t]) for t in tables] + [tuple(need.columns) for need in derived]
            if any(self.conflicts(t, bare) for t in tables) or any(
                need.columns & n.columns for need in derived for n in bare
            ):
                continue
            times = self._times(select, bare, listed)
            more = max(0, atleast - len(named))
            below = _Cover(select, bare, coming, best)
            best = min(best, self._cover(below, times, taken=taken, cost=cost, free=free, more=more))
        return best

    def _linking(self, select: SelectScope, coming: Sequence[Node], wanted: Set[str], free: int) -> int:
        """Return the words that join all sources along keys, with the tables that this takes, ``free`` at most."""
        if self.keys is None:
            return 0
        placed = [(s.name, s.table) for s in select.sources]
        barred = frozenset(t for t, columns in self.catalogue.columns.items() if columns & wanted)
        words = self.keys.words(placed, coming, barred if self.strict else frozenset())
        joined = len(coming) - (not placed)
        return words if words < NEVER and self.keys.bridges(words, joined) <= free else NEVER

    def _words_of(self, need: OpenReference, table: str) -> int:
        """Return the words of the source that a reference names, with the comma before it."""
        return 2 + (self.catalogue.names.get(table) != need.name) if table else self.derived(need)

    def _free(self, select: SelectScope, named: Sequence[str]) -> int:
        """Return how many tables more a FROM may have beside those that references name; negative if none.

        Args:
            named: the tables that they name, empty for derived ones.
        """
        count = len(select.sources) + len(named)
        joined = self.counted(select.sources) + sum(map(self.weight, named))
        inner = select.derived and self.merged > 1
        return min(self.most - count, (self.merged if inner else self.tables) - joined)

    def derived(self, need: OpenReference) -> int:
        """Return the words of a derived table, with the comma before it: ``, ( SELECT 1 a , c FROM t ) d``."""
        if need.name not in self.catalogue.aliases:
            return NEVER
        if not need.columns:
            return 7  # with a name that PostgreSQL may require
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
            able_needs = (
                n for n in self.catalogue.providers.get(column, ()) if not self.catalogue.in_two_ways(select.needs, n)
            )
            ways = [with_need(select.needs, need) for need in able_needs]
            able = [select._replace(needs=needs) for needs in ways if needs is not None]
            if not able:
                return NEVER
            select = min(able, key=lambda after: self.least(after, atleast=1))
            least = self.least(select, atleast=1)
        return least

    @staticmethod
    def _times(select: SelectScope, bare: Sequence[OpenReference], listed: Sequence[tuple[str, ...]]) -> dict[str, int]:
        """Return how many sources have each bare column."""
        wanted = select.bare.union(*(need.columns for need in bare))
        if not wanted:
            return {}
        counted = Counter(column for columns in listed for column in columns if column in wanted)
        return {column: counted[column] - (column in select.merged) for column in wanted}

    def _cover(self, of: _Cover, times: dict[str, int], *, taken: set[str], cost: int, free: int, more: int) -> int:
        """Return the cost with the fewest further tables that show each bare column once, ``more`` tables at least.

        Branch and bound: what cannot be less than the best that is known is not followed to its end.
        """
        check_time()
        if any(n > 1 for n in times.values()) and self.strict:
            return NEVER
        missing = [need for need in of.bare if all(times[column] == 0 for column in need.columns)]
        if not missing:
            if free < more:
                return NEVER
            if more <= 0:
                return min(cost + self._linking(of.select, of.coming, times.keys(), free), NEVER)
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
            if self.conflicts(table, of.bare) or any(times[column] for column in columns & times.keys()):
                continue
            words, name = self.words(table, taken)
            if words < NEVER:
                now = times | dict.fromkeys(columns & times.keys(), 1)
                below = _Cover(of.select, of.bare, (*of.coming, (name, self.linked(table))), best)
                room = free - self.weight(table)
                if room < 0:
                    continue
                best = min(
                    best, self._cover(below, now, taken=taken | {name}, cost=cost + words, free=room, more=more - 1)
                )
        return best if best < of.best else NEVER

    def _edges(self, of: _Cover, more: int) -> int:
        """Return the words that it takes at least to join all sources, and so many ``more``."""
        joined = len(of.coming) + more - (not of.select.sources)
        return self.keys.pair * joined if self.keys else 0

    def _one_more(self, of: _Cover, wanted: Set[str], taken: Set[str]) -> int:
        """Return the words of a source that no reference needs, where FROM needs no other."""
        placed = [(s.name, s.table) for s in of.select.sources]
        if self.keys is None or not placed:
            return min((self.words(table, taken)[0] for table in self.harmless(wanted)), default=NEVER)
        best = NEVER
        for table in self.keys.near(placed).intersection(self.harmless(wanted)):
            words, name = self.words(table, taken, placed)
            if words < NEVER:
                best = min(best, words + min(self.keys.direct((name, table), other) for other in placed))
        return best
