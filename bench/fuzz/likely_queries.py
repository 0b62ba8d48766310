"""Queries as people write them, from templates: joins, groups, shares, subqueries, names used twice over.

Most of them run on their engine. They know what stands in scope, and not what each engine makes of it: an output
called as a column, a key named twice, a subquery among the items of a group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from likely_terms import Term, Terms

from querent.data.schema.schema import Column, Schema, Table

__all__ = ["SCHEMA", "Writer"]

_TYPES = {"int": "INTEGER", "part": "DOUBLE PRECISION", "text": "VARCHAR(20)", "day": "DATE"}
_TABLES = {
    "t": {"a": "int", "b": "int", "count": "int", "name": "text", "day": "day"},
    "s": {"x": "int", "y": "int", "b": "int", "part": "part", "name": "text"},
    "r": {"y": "int", "max": "int", "z": "int", "date": "day"},
}
SCHEMA = Schema(
    tuple(
        Table(name, tuple(Column(c, _TYPES[kind]) for c, kind in columns.items())) for name, columns in _TABLES.items()
    )
)
"""Three tables that share names with one another, and with functions."""

_ALIASES = ("d", "e", "f", "g", "t", "s", "r", "a", "b", "y")
_LABELS = ("m", "n", "a", "b", "y", "name", "count", "max", "date")


@dataclass
class Source:
    """One source of a FROM."""

    name: str
    columns: dict[str, str]
    sql: str


class Writer(Terms):
    """Writes queries of one dialect."""

    def query(self) -> str:
        """Return one query."""
        return self._compound(self.one(0, 1, 1, 2), None, ())

    # ---- queries

    def _compound(self, depth: int, kinds: Sequence[str] | None, names: Sequence[str]) -> str:
        """Return a query, or two and a set operator; ``names`` for its columns, if any are asked for."""
        if not self.chance(0.12):
            return self._select(depth, kinds, names, None)
        kinds = kinds or self._kinds()
        sql = self._operand(depth, kinds, names)
        for _ in range(self.one(1, 1, 1, 2, 3)):
            sql += f" {self.one('UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT')} {self._operand(depth, kinds, ())}"
        sql += f" ORDER BY {self.one(*_LABELS, '1', *names, *names)}" * self.chance(0.3)
        return sql + " LIMIT 2 OFFSET 1" * self.chance(0.1)

    def _operand(self, depth: int, kinds: Sequence[str], names: Sequence[str]) -> str:
        if self.dialect != "sqlite" and self.chance(0.2):
            return f"({self._select(depth, kinds, names, None)})"
        return self._select(depth, kinds, names, None, ended=False)

    def subquery(self, depth: int, kinds: Sequence[str] | None, around: Sequence[Term], **how: bool) -> str:
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
        sources, joins, own = self._from(depth, around or ())
        seen = [*own, *(around or ())]
        where = f" WHERE {self.condition(depth, seen if self.chance(0.7) else own)}" if self.chance(0.5) else ""
        kinds = kinds or self._kinds()
        body = f" FROM {joins}{where}"
        if single and self.chance(0.6):
            counted = seen if self.chance(0.2) else own
            return f"SELECT {self._items([self.aggregate(0, counted, k) for k in kinds], names)[0]}{body}"
        if single or self.chance(0.5):
            return self._plain(depth, kinds, names, own, body, single=single, ended=ended)
        if ended and not names and around is None and self.chance(0.08):
            star = self.one("*", f"{sources[0].name}.*", f"{sources[-1].name}.*")
            return f"SELECT {star}{f', {self.term(depth, own, kinds[0]).sql}' * self.chance(0.4)}{body}"
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
        terms = [self.term(depth, own, kind) for kind in kinds]
        distinct = "DISTINCT " if self.chance(0.15) else ""
        items, labels = self._items(terms, names)
        sql = f"SELECT {distinct}{items}{body}"
        if ended and self.chance(0.4):
            sorts = [t.sql for t in terms] if distinct else [self.one(*own).sql, self.term(depth, own, "int").sql]
            sorts += [f"{label} + 1" for label in labels[:1]]
            sql += f" ORDER BY {self.one(*sorts, *labels, '1')}{self.one('', ' DESC')}"
        return f"{sql} LIMIT 1" if single or (ended and self.chance(0.1)) else sql

    def _grouped(
        self, depth: int, kinds: Sequence[str], names: Sequence[str], own: Sequence[Term], body: str, *, ended: bool
    ) -> str:
        keys = self.rng.sample(list(own), self.one(0, 1, 1, 2))
        keys = [self.term(0, own, k.kind) if self.chance(0.15) else k for k in keys]
        terms = [self._grouped_term(depth, own, keys, kind) for kind in kinds]
        items, labels = self._items(terms, names)
        sql = f"SELECT {'DISTINCT ' * self.chance(0.05)}{items}{body}"
        if not keys:
            return sql
        named = [k.sql for k in keys] + (labels[:1] if self.chance(0.15) else [])
        sql += f" GROUP BY {', '.join(named)}"
        if self.chance(0.35):
            having = f"{self.aggregate(depth, own, 'int').sql} > 0"
            called = [Term(label, "int") for label in labels] or keys
            sql += f" HAVING {self.one(having, self.condition(depth, keys), self.condition(0, called))}"
        if ended and self.chance(0.4):
            sorts = [self.aggregate(depth, own, "int").sql, self.one(*keys).sql, self.term(depth, keys, "int").sql]
            sorts += [f"{label} + 1" for label in labels[:1]]
            sql += f" ORDER BY {self.one(*sorts, *labels)}"
        return sql

    def _grouped_term(self, depth: int, own: Sequence[Term], keys: Sequence[Term], kind: str) -> Term:
        able = [k for k in keys if k.kind == kind]
        return self.term(depth, able, kind) if able and self.chance(0.6) else self.aggregate(depth, own, kind)

    def _items(self, terms: Sequence[Term], names: Sequence[str]) -> tuple[str, list[str]]:
        """Return a select list and its labels: the names that are asked for, otherwise some now and then."""
        given = list(names) or [self.one(*_LABELS) if self.chance(0.25) else "" for _ in terms]
        items = [f"{term.sql} AS {name}" if name else term.sql for term, name in zip(terms, given, strict=True)]
        return ", ".join(items), [name for name in given if name]

    # ---- sources

    def _from(self, depth: int, around: Sequence[Term]) -> tuple[list[Source], str, list[Term]]:
        """Return the sources, how they are joined, and their columns as terms, with owner and bare."""
        sources: list[Source] = []
        for _ in range(self.one(1, 1, 2, 2, 3)):
            source = self._source(depth)
            sources += [source] * all(source.name != other.name for other in sources)
        sql, merged = sources[0].sql, Counter[str]()
        for place, source in enumerate(sources[1:], start=1):
            sql += self._joined(depth, sources[:place], source, merged, around)
        owned = [Term(f"{s.name}.{c}", kind) for s in sources for c, kind in s.columns.items()]
        names = [c for s in sources for c in s.columns]
        bare = {c: kind for s in sources for c, kind in s.columns.items() if names.count(c) == 1 + merged[c]}
        return sources, sql, [*owned, *(Term(c, kind) for c, kind in bare.items())]

    def _source(self, depth: int) -> Source:
        if depth > 0 and self.chance(0.4):
            if self.chance(0.15):
                return self._starred()
            kinds, name = self._kinds()[:2], self.one(*_ALIASES)
            names = self.rng.sample(_LABELS, len(kinds))
            sql = self._compound(depth - 1, kinds, names)
            return Source(name, dict(zip(names, kinds, strict=True)), f"({sql}) AS {name}")
        table = self.one(*_TABLES)
        alias = "" if self.chance(0.6) else self.one(*_ALIASES)
        return Source(alias or table, _TABLES[table], f"{table} AS {alias}" if alias else table)

    def _starred(self) -> Source:
        """Return a derived table that shows all columns of its sources."""
        sources, sql, _ = self._from(0, ())
        name = self.one(*_ALIASES)
        return Source(
            name, {c: kind for s in sources for c, kind in s.columns.items()}, f"(SELECT * FROM {sql}) AS {name}"
        )

    def _joined(
        self, depth: int, before: Sequence[Source], source: Source, merged: Counter[str], around: Sequence[Term]
    ) -> str:
        """Return how one more source is joined; a comma would hide those before it from ON, so ON sees two."""
        names = Counter(c for other in before for c in other.columns)
        common = [c for c in source.columns if names[c] and names[c] == 1 + merged[c]]
        if common and self.chance(0.35):
            side = self.one("", "", "LEFT ", "RIGHT ")
            if self.chance(0.5):
                merged.update(c for c in source.columns if c in names)
                return f" NATURAL {side}JOIN {source.sql}"
            column = self.one(*common)
            merged[column] += 1
            return f" {side}JOIN {source.sql} USING ({column})"
        pair = [Term(f"{s.name}.{c}", kind) for s in (before[-1], source) for c, kind in s.columns.items()]
        condition = self.condition(depth if self.chance(0.2) else 0, [*pair, *around] if self.chance(0.1) else pair)
        side = self.one("", "LEFT ", "RIGHT ", "FULL " if self.dialect != "mysql" else "")
        ways = [", ", f" {side}JOIN {source.sql} ON {condition}", f" CROSS JOIN {source.sql}"]
        how = self.one(ways[0], ways[1], ways[1], ways[1], ways[2])
        return how + source.sql * (how == ", ")

    def _kinds(self) -> list[str]:
        return [self.one("int", "int", "text", "day", "part") for _ in range(self.one(1, 2, 3))]
