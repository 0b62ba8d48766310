"""Queries as people write them, from templates: joins, groups, shares, subqueries, names used twice over.

Most of them run on their engine. They know what stands in scope, and not what each engine makes of it: an output
called as a column, a key named twice, a subquery among the items of a group.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from querent.data.schema import Column, Schema, Table

__all__ = ["SCHEMA", "Writer"]

_T = TypeVar("_T")

KINDS = {"INTEGER": "int", "VARCHAR(20)": "text", "DATE": "day"}
_TABLES = {
    "t": {"a": "int", "b": "int", "count": "int", "name": "text", "day": "day"},
    "s": {"x": "int", "y": "int", "b": "int", "name": "text"},
    "r": {"y": "int", "max": "int", "z": "int", "date": "day"},
}
SCHEMA = Schema(
    tuple(
        Table(name, tuple(Column(c, next(t for t, k in KINDS.items() if k == kind)) for c, kind in columns.items()))
        for name, columns in _TABLES.items()
    )
)
"""Three tables that share names with one another, and with functions."""

_ALIASES = ("d", "e", "f", "g", "t", "s", "r", "a", "b", "y")
_LABELS = ("m", "n", "a", "b", "y", "name", "count", "max", "date")
_CASTS = {
    "sqlite": {"int": "INTEGER", "text": "TEXT"},
    "mysql": {"int": "SIGNED", "text": "CHAR", "day": "DATE"},
    "postgres": {"int": "BIGINT", "text": "TEXT", "day": "DATE"},
}


@dataclass(frozen=True)
class Term:
    """An expression and its kind."""

    sql: str
    kind: str


@dataclass
class Source:
    """One source of a FROM."""

    name: str
    columns: dict[str, str]
    sql: str


@dataclass
class Writer:
    """Writes queries of one dialect.

    Attributes:
        rng: the draws.
        dialect: sqlite, mysql or postgres.
        depth: how deep subqueries may stand within one another.
    """

    rng: random.Random
    dialect: str
    depth: int = 2

    def query(self) -> str:
        """Return one query."""
        return self._compound(self.depth, None, ())

    # ---- queries

    def _compound(self, depth: int, kinds: Sequence[str] | None, names: Sequence[str]) -> str:
        """Return a query, or two and a set operator; ``names`` for its columns, if any are asked for."""
        if not self._chance(0.12):
            return self._select(depth, kinds, names, None)
        kinds = kinds or self._kinds()
        operands = [
            self._select(depth, kinds, names, None, ended=False),
            self._select(depth, kinds, (), None, ended=False),
        ]
        sql = f" {self._one('UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT')} ".join(operands)
        return f"{sql} ORDER BY {self._one(*_LABELS)}" if self.dialect != "sqlite" and self._chance(0.3) else sql

    def _subquery(self, depth: int, kinds: Sequence[str] | None, around: Sequence[Term], **how: bool) -> str:
        return f"({self._select(depth - 1, kinds, (), around, **how)})"

    def _select(
        self,
        depth: int,
        kinds: Sequence[str] | None,
        names: Sequence[str],
        around: Sequence[Term] | None,
        *,
        ended: bool = True,
        single: bool = False,
    ) -> str:
        """Return one SELECT; ``around`` are terms of the query around it, ``single`` where it may have one row only."""
        sources, joins, own = self._from(depth)
        seen = [*own, *(around or ())]
        where = f" WHERE {self._condition(depth, seen if self._chance(0.7) else own)}" if self._chance(0.5) else ""
        kinds = kinds or self._kinds()
        body = f" FROM {joins}{where}"
        if single and self._chance(0.6):
            return f"SELECT {self._items([self._aggregate(0, own, k) for k in kinds], names)[0]}{body}"
        if single or self._chance(0.5):
            return self._plain(depth, kinds, names, own, body, single=single, ended=ended)
        if ended and not names and around is None and self._chance(0.08):
            star = self._one("*", f"{sources[0].name}.*", f"{sources[-1].name}.*")
            return f"SELECT {star}{body}"
        return self._grouped(depth, kinds, names, own, body, ended=ended)

    def _plain(
        self,
        depth: int,
        kinds: Sequence[str],
        names: Sequence[str],
        own: Sequence[Term],
        body: str,
        *,
        single: bool,
        ended: bool,
    ) -> str:
        terms = [self._term(depth, own, kind) for kind in kinds]
        distinct = "DISTINCT " if self._chance(0.15) else ""
        items, labels = self._items(terms, names)
        sql = f"SELECT {distinct}{items}{body}"
        if ended and self._chance(0.4):
            sorts = [t.sql for t in terms] if distinct else [self._one(*own).sql, self._term(depth, own, "int").sql]
            sql += f" ORDER BY {self._one(*sorts, *labels)}{self._one('', ' DESC')}"
        return f"{sql} LIMIT 1" if single or (ended and self._chance(0.1)) else sql

    def _grouped(
        self, depth: int, kinds: Sequence[str], names: Sequence[str], own: Sequence[Term], body: str, *, ended: bool
    ) -> str:
        keys = self.rng.sample(list(own), self._one(0, 1, 1, 2))
        terms = [self._grouped_term(depth, own, keys, kind) for kind in kinds]
        items, labels = self._items(terms, names)
        sql = f"SELECT {items}{body}"
        if not keys:
            return sql
        named = [k.sql for k in keys] + (labels[:1] if self._chance(0.15) else [])
        sql += f" GROUP BY {', '.join(named)}"
        if self._chance(0.35):
            having = Term(f"{self._aggregate(depth, own, 'int').sql} > 0", "bool").sql
            sql += f" HAVING {self._one(having, self._condition(depth, keys))}"
        if ended and self._chance(0.4):
            sorts = [self._aggregate(0, own, "int").sql, self._one(*keys).sql, self._term(depth, keys, "int").sql]
            sql += f" ORDER BY {self._one(*sorts, *labels)}"
        return sql

    def _grouped_term(self, depth: int, own: Sequence[Term], keys: Sequence[Term], kind: str) -> Term:
        able = [k for k in keys if k.kind == kind]
        return self._term(depth, able, kind) if able and self._chance(0.6) else self._aggregate(depth, own, kind)

    def _items(self, terms: Sequence[Term], names: Sequence[str]) -> tuple[str, list[str]]:
        """Return a select list and its labels: the names that are asked for, otherwise some now and then."""
        given = list(names) or [self._one(*_LABELS) if self._chance(0.25) else "" for _ in terms]
        items = [f"{term.sql} AS {name}" if name else term.sql for term, name in zip(terms, given, strict=True)]
        return ", ".join(items), [name for name in given if name]

    # ---- sources

    def _from(self, depth: int) -> tuple[list[Source], str, list[Term]]:
        """Return the sources, how they are joined, and their columns as terms, with owner and bare."""
        sources: list[Source] = []
        for _ in range(self._one(1, 1, 2, 2, 3)):
            source = self._source(depth)
            sources += [source] * all(source.name != other.name for other in sources)
        sql, merged = sources[0].sql, set[str]()
        for place, source in enumerate(sources[1:], start=1):
            sql += self._joined(sources[:place], source, merged)
        owned = [Term(f"{s.name}.{c}", kind) for s in sources for c, kind in s.columns.items()]
        names = [c for s in sources for c in s.columns]
        bare = {c: kind for s in sources for c, kind in s.columns.items() if names.count(c) == 1 + (c in merged)}
        return sources, sql, [*owned, *(Term(c, kind) for c, kind in bare.items())]

    def _source(self, depth: int) -> Source:
        if depth > 0 and self._chance(0.4):
            kinds, name = self._kinds()[:2], self._one(*_ALIASES)
            names = self.rng.sample(_LABELS, len(kinds))
            sql = self._compound(depth - 1, kinds, names)
            return Source(name, dict(zip(names, kinds, strict=True)), f"({sql}) AS {name}")
        table = self._one(*_TABLES)
        alias = "" if self._chance(0.6) else self._one(*_ALIASES)
        return Source(alias or table, _TABLES[table], f"{table} AS {alias}" if alias else table)

    def _joined(self, before: Sequence[Source], source: Source, merged: set[str]) -> str:
        """Return how one more source is joined; a comma would hide those before it from ON, so ON sees two."""
        names = [c for other in before for c in other.columns]
        common = {c for c in source.columns if c in names}
        pair = [Term(f"{s.name}.{c}", kind) for s in (before[-1], source) for c, kind in s.columns.items()]
        condition = self._condition(0, pair)
        ways = [", ", f" JOIN {source.sql} ON {condition}", f" LEFT JOIN {source.sql} ON {condition}"]
        if len(before) == 1 and common and all(before[0].columns[c] == source.columns[c] for c in common):
            if self._chance(0.4):
                merged |= common
                return f" NATURAL JOIN {source.sql}"
            if self._chance(0.4):
                column = self._one(*sorted(common))
                merged.add(column)
                return f" JOIN {source.sql} USING ({column})"
        how = self._one(*ways)
        return how + source.sql * (how == ", ")

    # ---- expressions

    def _condition(self, depth: int, terms: Sequence[Term]) -> str:
        """Return a condition on terms."""
        one = self._one(*terms)
        same = [t for t in terms if t.kind == one.kind]
        constant = {"int": "2", "text": "'x'", "day": "'2024-03-01'"}[one.kind]
        ways = [
            f"{one.sql} {self._one('=', '<', '<>')} {self._one(constant, self._one(*same).sql)}",
            f"{one.sql} IS NOT NULL",
        ]
        if depth > 0:
            ways += [
                f"EXISTS {self._subquery(depth, None, terms)}",
                f"{one.sql} {self._one('', 'NOT ')}IN {self._subquery(depth, [one.kind], terms, ended=False)}",
                f"{one.sql} > {self._subquery(depth, [one.kind], terms, single=True)}",
            ]
        found = self._one(*ways)
        return f"{found} {self._one('AND', 'OR')} {self._condition(0, terms)}" if self._chance(0.2) else found

    def _term(self, depth: int, terms: Sequence[Term], kind: str) -> Term:
        """Return an expression of a kind, made of terms."""
        able = [t for t in terms if t.kind == kind]
        if not able:
            return Term({"int": "1", "text": "'x'", "day": "CURRENT_DATE"}[kind], kind)
        sql = self._one(*able).sql
        ways = [sql] * 5 + [f"COALESCE({sql}, {self._one(*able).sql})", f"({sql})"]
        ways.append(f"CASE WHEN {self._condition(0, terms)} THEN {self._one(*able).sql} ELSE {sql} END")
        if kind in _CASTS[self.dialect]:
            ways.append(f"CAST({sql} AS {_CASTS[self.dialect][kind]})")
        if kind == "int":
            ways += [f"{sql} + 1", f"ABS({sql})"]
        if kind == "text":
            ways += [f"UPPER({sql})"]
        if depth > 0:
            ways += [self._subquery(depth, [kind], terms, single=True)] * 2
        return Term(self._one(*ways), kind)

    def _aggregate(self, depth: int, terms: Sequence[Term], kind: str) -> Term:
        """Return an aggregate of a kind."""
        if kind == "int" and self._chance(0.5):
            return Term(self._one("COUNT(*)", f"COUNT(DISTINCT {self._one(*terms).sql})"), kind)
        return Term(f"{self._one('MAX', 'MIN')}({self._term(depth, terms, kind).sql})", kind)

    def _kinds(self) -> list[str]:
        return [self._one("int", "int", "text", "day") for _ in range(self._one(1, 2, 3))]

    def _chance(self, share: float) -> bool:
        return self.rng.random() < share

    def _one(self, *several: _T) -> _T:
        return self.rng.choice(several)
