"""Keys that a schema does not declare but that queries on it join by.

    SELECT … FROM FLIGHT AS f, CITY AS c WHERE f.FROM_CITY = c.CITY_CODE      FLIGHT.FROM_CITY -> CITY.CITY_CODE

For a reader of schemas, as `likely_keys` are: what is promised of a query never rests on them. Of a domain that is
trained on, only the queries of the training part may tell keys.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from sqlglot import exp

from ..parsing import PARSE_ERRORS, read_tree
from ..schema.likely_keys import with_likely_keys
from ..schema.schema import ForeignKey, Schema, Table
from ..sql.query import readable
from ..sql.sources import Stored
from .sql_text import names_of, tidy

__all__ = ["with_keys_in_queries"]

Side = tuple[str, tuple[str, ...]]
"""A table and some of its columns."""

Join = tuple[Side, Side]
"""Two sides whose columns are equal, one by one; the side whose name comes first stands first."""

_Owned = tuple[exp.Table, str, str]
"""A use of a table, the table and a column of it."""


def with_keys_in_queries(schema: Schema, queries: Iterable[str], *, dialect: str) -> Schema:
    """Return the schema with the foreign keys by which queries join, the most frequent first, behind the declared.

    Args:
        schema: as declared; its keys all stay.
        queries: slotted, or filled, of which more are different; one that does not parse tells nothing.
        dialect: of the queries.
    """
    reader = _JoinReader(schema, dialect)
    joins: Counter[Join] = Counter()
    for sql, count in Counter(queries).items():
        for join in reader.joins(sql):
            joins[join] += count
    direction = _Direction(with_likely_keys(schema), joins)
    declared = set(_declared(schema))
    found: dict[str, list[ForeignKey]] = {}
    for join, _ in joins.most_common():
        if join not in declared:
            (table, columns), (target, referred) = direction.of(join)
            found.setdefault(table, []).append(ForeignKey(columns, target, referred))
    tables = (replace(t, foreign_keys=(*t.foreign_keys, *found.get(t.name, ()))) for t in schema.tables)
    return replace(schema, tables=tuple(tables))


class _JoinReader:
    """Finds the joins of queries, and spells them as the schema does."""

    def __init__(self, schema: Schema, dialect: str) -> None:
        self._dialect = dialect
        self._names = names_of(schema)
        self._stored = Stored(schema)

    def joins(self, sql: str) -> Iterator[Join]:
        """Yield the join of each two sources that equalities of columns link."""
        text = tidy(sql, dialect=self._dialect, names=self._names)
        try:
            tree = read_tree(readable(text, self._dialect), self._dialect)
        except PARSE_ERRORS:
            return
        linked: dict[tuple[int, ...], list[tuple[_Owned, _Owned]]] = {}
        for equality in tree.find_all(exp.EQ):
            sides = self._stored.of(equality.this)[:1], self._stored.of(equality.expression)[:1]
            for one, other in (pair for pair in zip(*sides, strict=False) if pair[0][0] is not pair[1][0]):
                pair = sorted((one, other), key=lambda owned: id(owned[0]))
                linked.setdefault(tuple(id(source) for source, _, _ in pair), []).append((pair[0], pair[1]))
        for equal in linked.values():
            mine, theirs = equal[0][0][1], equal[0][1][1]
            columns = {(one[2], other[2]) for one, other in equal if mine != theirs or one[2] != other[2]}
            if columns and all(len(set(side)) == len(columns) for side in zip(*columns, strict=True)):
                yield _join(mine, theirs, columns)


def _join(one: str, other: str, columns: Iterable[tuple[str, str]]) -> Join:
    """Return the join of two tables by pairs of their columns."""
    there = sorted(columns)
    back = sorted((b, a) for a, b in there)
    return min(_sides(one, other, there), _sides(other, one, back))


def _sides(one: str, other: str, columns: Collection[tuple[str, str]]) -> Join:
    return (one, tuple(a for a, _ in columns)), (other, tuple(b for _, b in columns))


def _declared(schema: Schema) -> Iterator[Join]:
    """Yield the foreign keys of a schema as joins; those that lead nowhere are left out."""
    tables = {table.name.lower(): table for table in schema.tables}
    for table in schema.tables:
        for key in table.foreign_keys:
            target = tables.get(key.table.lower())
            referred = key.references or (target.primary_key if target else ())
            if target and len(key.columns) == len(referred):
                mine = (_spelled(table, name) for name in key.columns)
                theirs = (_spelled(target, name) for name in referred)
                yield _join(table.name, target.name, zip(mine, theirs, strict=True))


def _spelled(table: Table, column: str) -> str:
    return next((c.name for c in table.columns if c.name.lower() == column.lower()), column)


class _Direction:
    """Tells which side of a join refers to the other.

    The other is a key, or it is joined with more columns than the one, or its table with fewer tables: from the middle
    of a schema keys run outwards.
    """

    def __init__(self, keyed: Schema, joins: Collection[Join]) -> None:
        keys = {t.name: (t.primary_key, *((column,) for column in t.unique)) for t in keyed.tables}
        self._keys = {name: [_folded(key) for key in its if key] for name, its in keys.items()}
        self._partners: Counter[Side] = Counter()
        tables: dict[str, set[str]] = {}
        for one, other in joins:
            self._partners.update((one, other))
            tables.setdefault(one[0], set()).add(other[0])
            tables.setdefault(other[0], set()).add(one[0])
        self._tables = {table: len(others) for table, others in tables.items()}

    def of(self, join: Join) -> tuple[Side, Side]:
        """Return the side that refers, and the one that it refers to."""
        one, other = join
        return (one, other) if self._rank(other) >= self._rank(one) else (other, one)

    def _rank(self, side: Side) -> tuple[bool, int, int]:
        table, columns = side
        has_key = any(key <= _folded(columns) for key in self._keys[table])
        return has_key, self._partners[side], -self._tables[table]


def _folded(columns: Iterable[str]) -> set[str]:
    return {column.lower() for column in columns}
