"""Which sources foreign keys join, in how many words, and what one further source of a FROM costs."""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property

from ..types.abstract_values import NEVER
from .names import Catalogue, Columns, CommonTable, Key, Keys, OpenReference, Source
from .select_scope import Equation, KeyCondition, SelectScope

Node = tuple[str, str]
"""A source that stands in FROM or must come: its name and its table, empty for a derived table."""

_Parts = Mapping[Key, frozenset[Columns]]

_ON = 2
"""Words of ON that the grammar counts where it wants one: ``ON TRUE``."""

BRIDGE = 2
"""Words of a table that only links others, its ON apart: ``JOIN t``."""


@dataclass(frozen=True)
class KeyJoins:
    """The keys of a schema, as far as their columns can be written.

    Attributes:
        catalogue: tables, names and aliases.
        keys: the columns of each table that keys make equal to others'.
        owned: the columns that can be written with each owner's name, each with the tables that it may be of.
        pair: the words that ``AND a = b`` counts as; more than it has, where a column alone is no condition.
    """

    catalogue: Catalogue
    keys: Keys
    owned: Mapping[str, frozenset[tuple[str, frozenset[str]]]]
    pair: int
    _clashes: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]], init=False)
    _known: dict[Node, _Parts] = field(default_factory=dict[Node, _Parts], init=False)
    _ways: dict[tuple[Node, frozenset[str]], dict[str, int]] = field(default_factory=dict, init=False)

    def equations(self, source: Source, others: Iterable[Source]) -> frozenset[Equation]:
        """Return what ON may say first of a source that joins others."""
        new = (source.name, source.table)
        return frozenset(
            tuple(frozenset({(source.name, a), (other.name, b)}) for a, b in zip(one, two, strict=True))
            for other in others
            for one, two in self._shared(new, (other.name, other.table))
        )

    def shared(self, source: Source, others: Iterable[Source]) -> frozenset[str]:
        """Return what USING may say of a source that joins others: keys of one column that is called alike."""
        own = self.keys.get(source.table, {})
        return frozenset(
            columns[0]
            for other in others
            for key, several in own.items()
            for columns in several & self.keys.get(other.table, {}).get(key, frozenset())
            if len(columns) == 1 and _equal(key, (source.table, columns), (other.table, columns))
        )

    def linked(self, table: str, others: Iterable[Source]) -> bool:
        """Say whether a key leads from a table to one of some sources, whatever it is called."""
        own = self.keys.get(table, {})
        return any(any(_equated(table, own, o.table, self.keys.get(o.table, {}))) for o in others)

    def condition(self, select: SelectScope, bare_joins: bool) -> int:
        """Return the words that ON takes beyond what the grammar counts: ``FROM t JOIN s |``.

        Before the source, ``FROM t JOIN |``, they count as the source's, and the grammar's count for nothing.
        """
        if select.condition is not None:
            return select.condition.words(self.pair)
        if select.join != "join" or select.clause != "from":
            return 0
        if select.pending == "source":
            return 0 if bare_joins else -_ON
        *others, last = select.sources
        return KeyCondition(equations=self.equations(last, others)).words(self.pair) + _ON * bare_joins

    def words(self, placed: Sequence[Node], coming: Sequence[Node], barred: frozenset[str]) -> int:
        """Return the words that join all of some sources, beyond their own and a comma for each; `NEVER` if none do.

        Those that are ``placed`` stand joined. It is the least tree over all, each of whose branches is a chain of
        tables that link two; two branches may share a table, so that it may take fewer words. With each table of a
        branch that is written it gets less by the words that this takes, or by more. Tables that are ``barred`` link
        no others.
        """
        if len(placed) + len(coming) < 2:
            return 0
        if any(not table for _, table in (*placed, *coming)):
            return NEVER
        blocked = barred.union(*(self._clashing(name) - {table} for name, table in (*placed, *coming)))
        start = placed or coming[:1]
        left = {node: min(self._apart(other, node, blocked) for other in start) for node in coming if node not in start}
        total = 0
        while left:
            node = min(left, key=lambda one: (left[one], one))
            total += left.pop(node)
            if total >= NEVER:
                return NEVER
            left = {other: min(cost, self._apart(node, other, blocked)) for other, cost in left.items()}
        return total

    def bridges(self, words: int, joined: int) -> int:
        """Return how many tables those `words` may hold that only link others, where so many sources are joined."""
        return (words - self.pair * joined) // (self.pair + BRIDGE)

    def joinable_as(self, node: Node, others: Sequence[Node] | None) -> bool:
        """Say whether some key can join a table under a name, to one of ``others`` if they are given."""
        return bool(self._written(node)) if others is None else any(self.direct(node, o) < NEVER for o in others)

    def near(self, nodes: Iterable[Node]) -> set[str]:
        """Return the tables that have part in a key of some sources."""
        return {table for _, of in nodes for key in self.keys.get(of, {}) for table in self._holders.get(key, ())}

    def direct(self, one: Node, other: Node) -> int:
        """Return the words of the ON that joins two sources, `NEVER` if no key does."""
        return min((self.pair * len(columns) for columns, _ in self._shared(one, other)), default=NEVER)

    def _shared(self, one: Node, other: Node) -> Iterator[tuple[Columns, Columns]]:
        """Yield the columns of two sources that keys make equal, those of one and those of the other."""
        return _equated(one[1], self._written(one), other[1], self._written(other))

    def _written(self, node: Node) -> Mapping[Key, frozenset[Columns]]:
        """Return the keys of a source whose columns can be written with its name."""
        known = self._known.get(node)
        if known is None:
            name, table = node
            able = {column for column, tables in self.owned.get(name, ()) if table in tables}
            kept = {k: frozenset(c for c in cs if able.issuperset(c)) for k, cs in self.keys.get(table, {}).items()}
            known = self._known[node] = {key: columns for key, columns in kept.items() if columns}
        return known

    def _apart(self, one: Node, other: Node, blocked: frozenset[str]) -> int:
        """Return the words that join two sources, with the tables between them."""
        least = self.direct(one, other)
        if least <= 2 * self.pair + BRIDGE:  # no way round is shorter
            return least
        through = self._reached(one, blocked)
        for table in self.near([other]) & through.keys():
            least = min(least, through[table] + self.direct((self._between[table], table), other))
        return least

    def _reached(self, node: Node, blocked: frozenset[str]) -> Mapping[str, int]:
        """Return the tables that can be joined to a source under their own names, by way of others, with the words."""
        found = self._ways.get((node, blocked))
        if found is not None:
            return found
        found = self._ways[node, blocked] = {}
        todo, seen = [(0, node)], set[tuple[Key, Columns]]()
        while todo:
            cost, at = heapq.heappop(todo)
            if at != node and found[at[1]] < cost:
                continue
            for key, several in self._written(at).items():
                new = {columns for columns in several if (key, columns if at[1] == key.table else ()) not in seen}
                seen |= {(key, columns if at[1] == key.table else ()) for columns in several}
                for table in self._holders[key] if new else ():
                    if table in blocked or table not in self._between:
                        continue
                    after = cost + BRIDGE + self.direct(at, (self._between[table], table))
                    if after < min(found.get(table, NEVER), NEVER):
                        found[table] = after
                        heapq.heappush(todo, (after, (self._between[table], table)))
        return found

    def _clashing(self, name: str) -> frozenset[str]:
        """Return the tables that cannot stand under their own name beside a source of this one."""
        found = self._clashes.get(name)
        if found is None:
            clashes = (table for table, own in self._between.items() if self.catalogue.clashes(own, [name]))
            found = self._clashes[name] = frozenset(clashes)
        return found

    @cached_property
    def _between(self) -> Mapping[str, str]:
        """The tables that may link others, with their own names: not those whose names differ by their schema alone."""
        names, key = self.catalogue.names, self.catalogue.key
        several = Counter(key(self.catalogue.within.get(table, name)) for table, name in names.items())
        return {t: name for t, name in names.items() if several[key(self.catalogue.within.get(t, name))] == 1}

    @cached_property
    def _holders(self) -> Mapping[Key, list[str]]:
        found: dict[Key, list[str]] = {}
        for table, keys in self.keys.items():
            for key in keys:
                found.setdefault(key, []).append(table)
        return found


def _equal(key: Key, one: tuple[str, Columns], other: tuple[str, Columns]) -> bool:
    """Say whether a key makes columns of two sources equal: not those that it refers to, of both."""
    return not one == other == key


def _equated(table: str, keys: _Parts, other: str, others: _Parts) -> Iterator[tuple[Columns, Columns]]:
    """Yield the columns of two tables that keys in which both have a part make equal."""
    for key, several in keys.items():
        for first in several:
            for second in others.get(key, ()):
                if _equal(key, (table, first), (other, second)):
                    yield first, second


@dataclass(kw_only=True)
class SourceWords:
    """Tables, and queries of WITH among them, as one source more of a FROM.

    Attributes:
        catalogue: what can be written; queries of WITH stand in it by their keys.
        strict: whether no two sources may have a bare column.
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

    def ways(self, need: OpenReference) -> list[str]:
        """Return the tables that may be what a need names, empty for a derived table."""
        if need.tables:
            return sorted(self._able(need))
        aliased = need.name in self.catalogue.aliases - self.catalogue.derived
        able = (t for t in self.common.values() if aliased or t.name == need.name)
        return [*(t.key for t in able if all(map(t.value, need.columns))), ""]

    def _able(self, need: OpenReference) -> frozenset[str]:
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

    def conflicts(self, table: str, bare: Sequence[OpenReference]) -> bool:
        """Say whether a table shows a bare column that is not the one referred to."""
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
        if not catalogue.clashes(own, taken) and self._usable(own, table, taken, placed):
            return 2, own
        alias = next(
            (one for one in catalogue.free(taken, derived=False) if self._usable(one, table, taken, placed)), None
        )
        return (NEVER, "") if alias is None else (3, alias)

    def _usable(self, name: str, table: str, taken: Set[str], placed: Sequence[Node] | None) -> bool:
        return self.keys is None or not taken or self.keys.joinable_as((name, table), placed)
