"""The inner joins of one SELECT as a tree of sources, and which of them repeat the rows of which, by keys and data.

FROM customer JOIN orders ON customer.id = orders.customer_id JOIN city ON customer.city_id = city.id

orders ── customer ── city     from customer to city and from orders to customer one row is met, never more
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from sqlglot import exp

from ....data.schema.schema import Schema, Table
from ....data.sql.sources import conjuncts
from ....meaning.profile import DatabaseProfile
from ..joins import QueryScope, QuerySource, linked, own_keys
from ..keys import links

__all__ = ["JoinStep", "JoinTree", "RowCounts", "is_counted", "own_nodes", "reads", "table_of"]


class RowCounts:
    """The keys of a schema, with what a profile has found of them.

    Args:
        schema: its foreign keys may be guesses; primary keys and unique columns are declared.
        profile: None if nobody has looked at the data. Then a column that refers may be NULL unless it is of the
            primary key, and some rows are referred to by none.
    """

    def __init__(self, schema: Schema, profile: DatabaseProfile | None = None) -> None:
        self._profile = profile
        self._tables = {table.name: table for table in schema.tables}
        found = profile.keys if profile is not None else ()
        keys = [(key.table, key.other, frozenset(zip(key.columns, key.references, strict=True))) for key in found]
        keys += [(one, other, frozenset(key.columns)) for one, other, key in links(schema) if key.earlier_refers]
        self._keys = set(keys)
        self._referred = {(other, frozenset(theirs for _, theirs in pairs)) for _, other, pairs in keys}
        self._met_once = [(key.table, set(key.columns)) for key in found if not key.many]

    def one(self, table: str, columns: Collection[str]) -> bool:
        """Have no two rows of a table the same cells in these columns?"""
        declared, some = self._tables[table], frozenset(columns)
        if declared.primary_key and _names(declared, declared.primary_key) <= some:
            return True
        if some.intersection(declared.unique) or any(key == table and names <= some for key, names in self._met_once):
            return True
        profiles = [self._profile.column(table, name) for name in some] if self._profile else []
        looked = [profile.unique for profile in profiles if profile is not None]
        return (table, some) in self._referred and (len(some) > 1 or not looked or looked[0])

    def refers(self, table: str, columns: tuple[str, ...], other: str, references: tuple[str, ...]) -> bool:
        """Are these the columns of a foreign key?"""
        return (table, other, frozenset(zip(columns, references, strict=True))) in self._keys

    def nullable(self, table: str, column: str) -> bool:
        """May a column hold NULL?"""
        told = self._tables[table]
        if column in _names(told, told.primary_key):
            return False
        profile = self._profile.column(table, column) if self._profile is not None else None
        return profile is None or profile.nulls > 0

    def row_key(self, table: str) -> str | None:
        """Return a column that tells the rows of a table apart and is never NULL, None if there is none.

        Of columns that are declared to be nothing only keys count: others may be unique by chance.
        """
        told = self._tables[table]
        if len(told.primary_key) == 1:
            return told.column(told.primary_key[0]).name
        for column in told.columns:
            profile = self._profile.column(table, column.name) if self._profile is not None else None
            key = column.name in told.unique or (profile is not None and profile.kind == "key" and profile.unique)
            if key and not self.nullable(table, column.name):
                return column.name
        return None

    def names_row(self, table: str, column: str) -> bool:
        """Does a column tell the rows of a table apart, as a key or a name does?"""
        profile = self._profile.column(table, column) if self._profile is not None else None
        named = profile is not None and profile.kind == "name"
        return self.one(table, (column,)) or named


def _names(table: Table, columns: Collection[str]) -> set[str]:
    """Return columns as the schema spells them."""
    found = (table.by_name.get(name) for name in columns)
    return {column.name for column in found if column is not None}


_INDIFFERENT = (exp.Min, exp.Max)
"""Aggregates that repeated rows do not change."""


@dataclass(frozen=True)
class JoinStep:
    """From one source of a tree to its neighbour: pairs of columns that are equal, as their equalities say."""

    source: QuerySource
    other: QuerySource
    pairs: tuple[tuple[str, str], ...]


class JoinTree:
    """The sources of a SELECT, joined by equalities of columns alone and in no circle.

    Attributes:
        scope: of the SELECT.
        sources: by their keys.
        steps: from each source, by its key, to its neighbours.
        links: the equalities between sources.
        conditions: what else ON and WHERE ask for.
    """

    def __init__(self, scope: QueryScope, counts: RowCounts) -> None:
        self.scope = scope
        self.counts = counts
        self.sources = {source.key: source for source in scope.sources}
        self.links: list[exp.Expr] = []
        self.conditions: list[exp.Expr] = []
        self.steps: dict[str, list[JoinStep]] = {key: [] for key in self.sources}
        pairs: defaultdict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
        where = scope.select.args.get("where")
        every = [c for joined in scope.joined for c in joined.conditions()]
        for condition in [*every, *conjuncts(where.this if where else None)]:
            one, other = linked(condition) or (None, None)
            if one is None or other is None or not {one.table, other.table} <= self.sources.keys():
                self.conditions.append(condition)
                continue
            self.links.append(condition)
            pairs[one.table, other.table].append((one.name, other.name))
            pairs[other.table, one.table].append((other.name, one.name))
        for (one, other), columns in pairs.items():
            step = JoinStep(self.sources[one], self.sources[other], tuple(sorted(columns)))
            self.steps[one].append(step)

    @classmethod
    def of(cls, scope: QueryScope, counts: RowCounts) -> JoinTree | None:
        """Return the tree of a SELECT; None if it has an outer join, a derived table, a circle or a product."""
        plain = all(not joined.left and joined.source.table is not None for joined in scope.joined)
        if len(scope.joined) < 2 or not plain:
            return None
        tree = cls(scope, counts)
        edges = sum(map(len, tree.steps.values())) // 2
        whole = tree.beyond(next(iter(tree.sources)), None) == set(tree.sources)
        return tree if whole and edges == len(tree.sources) - 1 else None

    def beyond(self, key: str, without: str | None) -> set[str]:
        """Return the sources that are reached from one without passing another, itself included."""
        found, waiting = {key}, [key]
        while waiting:
            for step in self.steps[waiting.pop()]:
                if step.other.key not in found and step.other.key != without:
                    found.add(step.other.key)
                    waiting.append(step.other.key)
        return found

    def spanned(self, keys: Collection[str]) -> set[str]:
        """Return some sources with those that lie between them."""
        kept = set(self.sources)
        while ends := [k for k in kept if k not in keys and sum(s.other.key in kept for s in self.steps[k]) < 2]:
            kept -= set(ends)
        return kept

    def one(self, step: JoinStep) -> bool:
        """Is at most one row met along a step?"""
        return self.counts.one(table_of(step.other), [theirs for _, theirs in step.pairs])

    def refers(self, step: JoinStep) -> bool:
        """Is a step along a foreign key, and nothing else?"""
        mine, theirs = zip(*step.pairs, strict=True)
        return self.counts.refers(table_of(step.source), mine, table_of(step.other), theirs)

    def always(self, step: JoinStep) -> bool:
        """Does each row refer along a step?"""
        table = table_of(step.source)
        return self.refers(step) and not any(self.counts.nullable(table, column) for column, _ in step.pairs)

    def back(self, step: JoinStep) -> JoinStep:
        """Return the step the other way."""
        return next(other for other in self.steps[step.other.key] if other.other is step.source)

    def repeats(self, key: str, among: Collection[str]) -> bool:
        """May a row of a source be there more than once, where it is joined with others?"""
        waiting, seen = [key], {key}
        while waiting:
            for step in self.steps[waiting.pop()]:
                if step.other.key in among and step.other.key not in seen:
                    if not self.one(step):
                        return True
                    seen.add(step.other.key)
                    waiting.append(step.other.key)
        return False

    def read(self) -> set[str]:
        """Return the sources whose columns stand in outputs, groups and the order, outside of ON and WHERE."""
        return {key for part in self.parts() for key in reads(part, self.sources)}

    def parts(self) -> list[exp.Expr]:
        """Return outputs, groups, HAVING and the order."""
        select = self.scope.select
        parts = (*select.expressions, *(select.args.get(clause) for clause in ("group", "having", "order")))
        return [part for part in parts if part is not None]

    def same(self, column: exp.Column) -> list[exp.Column]:
        """Return the columns of other sources that joins make equal to one."""
        sides = ((link.this, link.expression) for link in self.links)
        return [other if one == column else one for one, other in sides if column in (one, other)]

    def conditioned(self, key: str) -> bool:
        """Does a condition, other than the equalities of joins, read from a source?"""
        return any(key in own_keys(condition) for condition in self.conditions)

    @property
    def shows_all(self) -> bool:
        """Is one of the outputs a star?"""
        outputs = self.scope.select.expressions
        return any(output.is_star and not isinstance(output, exp.Count) for output in outputs)


def reads(node: exp.Expr, sources: Collection[str]) -> set[str]:
    """Return those of some sources whose columns stand in a tree."""
    return {key for key in own_keys(node) if key in sources}


def own_nodes(select: exp.Select, *kinds: type[exp.Expr]) -> Iterator[exp.Expr]:
    """Yield nodes of some kinds in outputs, HAVING and ORDER BY of a SELECT, not those of SELECTs in it."""
    for part in (*select.expressions, select.args.get("having"), select.args.get("order")):
        if part is not None:
            for node in part.walk(prune=lambda inner: isinstance(inner, exp.Query)):
                if isinstance(node, kinds):
                    yield node


def is_counted(aggregate: exp.Expr) -> bool:
    """Does it matter to an aggregate how often a row is there?"""
    return not isinstance(aggregate, _INDIFFERENT) and not isinstance(aggregate.this, exp.Distinct)


def table_of(source: QuerySource) -> str:
    """Return the table that a source of a tree is a use of."""
    assert source.table is not None
    return source.table.name
