"""What the SELECTs of one query read from: each FROM as a list of sources with their joins.

FROM is rebuilt in one order, each ON with the equalities that link its table to those before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from ...data.errors import QueryError
from ...data.schema.schema import Table
from ...data.sql.sources import conjuncts, is_column

__all__ = ["Joined", "QueryScope", "QuerySource", "linked", "own_keys", "rebuild", "referred_by", "self_links"]


@dataclass(eq=False)
class QuerySource:
    """A table or derived table of one FROM.

    Attributes:
        key: stands in the tree for its name until names are given; no name in SQL looks so.
        called: the key of the name that the query gave it (`Quoting.key`).
        node: where it is written.
        table: None for a derived table.
        shows: its columns by the keys of their names, in order.
        name: what the normal form calls it.
    """

    key: str
    called: str
    node: exp.Expr
    table: Table | None
    shows: dict[str, str]
    name: str = ""


@dataclass(eq=False)
class Joined:
    """One source with how it is joined to those before it."""

    source: QuerySource
    join: exp.Join | None = None
    left: bool = False
    equal: list[exp.Expr] = field(default_factory=list[exp.Expr])

    def conditions(self) -> list[exp.Expr]:
        """Return what its ON asks for, the equalities of USING first."""
        on = self.join.args.get("on") if self.join is not None else None
        return [*self.equal, *conjuncts(on)]


@dataclass(eq=False)
class QueryScope:
    """One SELECT.

    Attributes:
        columns: its columns and stars, without those of SELECTs in it, as they stood before anything was changed.
        merged: columns that USING made one, by key.
        named: the key of each output's name, empty where it has none.
        aliases: the places of outputs by the keys of their aliases.
    """

    select: exp.Select
    joined: list[Joined] = field(default_factory=list[Joined])
    columns: list[exp.Column] = field(default_factory=list[exp.Column])
    merged: set[str] = field(default_factory=set[str])
    named: list[str] = field(default_factory=list[str])
    aliases: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def sources(self) -> list[QuerySource]:
        """Return its sources in the order in which they stand."""
        return [joined.source for joined in self.joined]

    @property
    def outputs(self) -> list[exp.Expr]:
        """Return its outputs without the names that a derived table gives them."""
        return [output.unalias() for output in self.select.expressions]

    def showing(self, column: str, owners: Sequence[QuerySource]) -> list[QuerySource]:
        """Return those of some sources that show a column, which is given by its key.

        Raises:
            QueryError: more than one does, and nothing made the columns one.
        """
        found = [s for s in owners if column in s.shows]
        if len(found) > 1 and column not in self.merged:
            raise QueryError(f"column {column!r} is in {len(found)} sources", hint="say of which table it is")
        return found


def own_keys(node: exp.Expr) -> Iterator[str]:
    """Yield the keys of the sources whose columns or stars stand in a tree."""
    for column in node.find_all(exp.Column, bfs=False):
        if column.table:
            yield column.table


def linked(condition: exp.Expr) -> tuple[exp.Column, exp.Column] | None:
    """Return the columns of two sources that an equality links, None for any other condition."""
    if not isinstance(condition, exp.EQ):
        return None
    one, other = condition.this, condition.expression
    if not (isinstance(one, exp.Column) and isinstance(other, exp.Column) and is_column(one) and is_column(other)):
        return None
    return (one, other) if one.table != other.table else None


@dataclass(frozen=True)
class SelfLink:
    """One use of a table refers to another: both by the keys of their sources.

    Attributes:
        number: which of the table's keys it is, from 0.
    """

    low: str
    high: str
    number: int


def self_links(conditions: Iterable[exp.Expr], sources: Mapping[str, QuerySource]) -> Iterator[SelfLink]:
    """Yield the links that equalities of columns say between uses of the same table.

    Args:
        sources: that count, by their keys.
    """
    for one, other in filter(None, map(linked, conditions)):
        table, same = (sources[side.table].table if side.table in sources else None for side in (one, other))
        for low, high in ((one, other), (other, one)):
            number = _key(table, low.name, high.name) if table is not None and table is same else None
            if number is not None:
                yield SelfLink(low.table, high.table, number)


def referred_by(links: Iterable[SelfLink]) -> dict[str, int]:
    """Return by what is referred to the first of the keys that say so."""
    found: dict[str, int] = {}
    for link in links:
        found[link.high] = min(link.number, found.get(link.high, link.number))
    return found


def _key(table: Table, column: str, other: str) -> int | None:
    """Return the number of the key by which a column refers to another, None if there is none."""
    for number, key in enumerate(table.self_keys):
        references = key.references or table.primary_key
        if references and (key.columns[0].lower(), references[0].lower()) == (column.lower(), other.lower()):
            return number
    return None


def rebuild(scope: QueryScope, ranks: dict[str, int]) -> None:
    """Write FROM and WHERE of one SELECT anew; ``ranks`` says where tables stand in the schema."""
    if not scope.joined:
        return
    select = scope.select
    where = select.args.get("where")
    if any(joined.left for joined in scope.joined):
        rest = _outer(scope, conjuncts(where.this if where else None))
    else:
        conditions = [c for joined in scope.joined for c in joined.conditions()]
        rest = _inner(scope, conditions + conjuncts(where.this if where else None), ranks)
    select.set("where", exp.Where(this=exp.and_(*rest, copy=False)) if rest else None)
    select.set("from_", exp.From(this=scope.joined[0].source.node))
    select.set("joins", [joined.join for joined in scope.joined[1:]])


def _inner(scope: QueryScope, conditions: Sequence[exp.Expr], ranks: dict[str, int]) -> list[exp.Expr]:
    """Order the sources, give each join its conditions, and return those that are left."""
    rest = _distinct(conditions)
    own = {source.key for source in scope.sources}
    equal = [c for c in rest if (link := linked(c)) and own.issuperset(side.table for side in link)]
    shows_all = any(isinstance(output, exp.Star) for output in scope.select.expressions)
    order = scope.sources if shows_all else _ordered(scope, equal, ranks)
    joined = [Joined(order[0])]
    for place, source in enumerate(order[1:], 1):
        earlier = order[:place]
        mine = _own(rest, source, earlier)
        rest = [c for c in rest if c not in mine]
        joined.append(Joined(source, _join(source, earlier, mine)))
    scope.joined = joined
    return rest


def _outer(scope: QueryScope, where: list[exp.Expr]) -> list[exp.Expr]:
    """Keep the order and the ONs of LEFT JOINs, and return what WHERE keeps."""
    rest: list[exp.Expr] = []
    joined = [Joined(scope.joined[0].source)]
    for place, one in enumerate(scope.joined[1:], 1):
        earlier = scope.sources[:place]
        conditions = _distinct(one.conditions())
        mine = conditions
        if not one.left:
            mine = _own(_distinct([*conditions, *where]), one.source, earlier)
            rest += [c for c in conditions if c not in mine]
            where = [c for c in where if c not in mine]
        join = _join(one.source, earlier, mine, side="LEFT" if one.left else None)
        joined.append(Joined(one.source, join, one.left))
    scope.joined = joined
    return _distinct(rest + where)


def _own(conditions: Sequence[exp.Expr], source: QuerySource, earlier: Sequence[QuerySource]) -> list[exp.Expr]:
    """Return what ON has of some conditions: the equalities that link a source to earlier ones, else comparisons."""
    links = [c for c in conditions if _links(c, source, earlier)]
    return links or [c for c in conditions if _compares(c, source, earlier)]


def _join(
    source: QuerySource, earlier: Sequence[QuerySource], conditions: list[exp.Expr], side: str | None = None
) -> exp.Join:
    if not conditions:
        return exp.Join(this=source.node, **({"side": side, "on": exp.true()} if side else {"kind": "CROSS"}))
    links = [c for c in conditions if _links(c, source, earlier)]
    others = [c for c in conditions if c not in links]
    turned = sorted((_turned(link, source) for link in links), key=lambda link: _rank(link, source, earlier))
    return exp.Join(this=source.node, side=side, on=exp.and_(*_distinct([*turned, *others]), copy=False))


def _turned(link: exp.Expr, source: QuerySource) -> exp.EQ:
    """Return an equality with the earlier table's column first."""
    one, other = link.args["this"], link.args["expression"]
    if one.table == source.key:
        one, other = other, one
    return exp.EQ(this=one.copy(), expression=other.copy())


def _rank(link: exp.EQ, source: QuerySource, earlier: Sequence[QuerySource]) -> tuple[int, int, int]:
    """Return what equalities are ordered by: the earlier source, its column, the column of the new one."""
    place, other = next((place, one) for place, one in enumerate(earlier) if one.key == link.this.table)
    return place, _column_rank(link.this, other), _column_rank(link.expression, source)


def _column_rank(column: exp.Column, source: QuerySource) -> int:
    return list(source.shows.values()).index(column.name)


def _links(condition: exp.Expr, source: QuerySource, earlier: Sequence[QuerySource]) -> bool:
    """Say whether an equality links a source to an earlier one."""
    keys = {side.table for side in linked(condition) or ()}
    return source.key in keys and any(one.key in keys for one in earlier)


def _compares(condition: exp.Expr, source: QuerySource, earlier: Sequence[QuerySource]) -> bool:
    """Say whether a condition is about this source and earlier ones, and about nothing else."""
    if condition.find(exp.Query):
        return False
    keys = set(own_keys(condition))
    known = {one.key for one in earlier} | {source.key}
    return source.key in keys and len(keys) > 1 and keys <= known


def _ordered(scope: QueryScope, equal: list[exp.Expr], ranks: dict[str, int]) -> list[QuerySource]:
    links = list(self_links(equal, {source.key: source for source in scope.sources}))
    above, numbers = _above(links), referred_by(links)

    def rank(source: QuerySource) -> tuple[int, int, int]:
        table = ranks[source.table.name] if source.table else len(ranks)
        return table, len(above.get(source.key, ())), numbers.get(source.key, 0)

    # stable: uses of one table keep their order, but what a row of it refers to comes behind the row, key by key
    waiting = sorted(scope.sources, key=rank)
    first = _first_named(scope)
    if first is not None and first.key in above:
        first = next(source for source in waiting if source.key in above[first.key])
    order = [first or waiting[0]]
    waiting.remove(order[0])
    pairs = [{c.this.table, c.expression.table} for c in equal]
    while waiting:
        there = {source.key for source in order}
        near = {key for pair in pairs if there & pair for key in pair}
        order.append(next((source for source in waiting if source.key in near), waiting[0]))
        waiting.remove(order[-1])
    return order


def _above(links: Sequence[SelfLink]) -> dict[str, set[str]]:
    """Return, by what is referred to, the uses of the same table whose rows refer to it, themselves or by others."""
    lows: dict[str, set[str]] = {}
    for link in links:
        lows.setdefault(link.high, set()).add(link.low)
    found: dict[str, set[str]] = {}
    for high, first in lows.items():
        waiting, seen = first, {high}
        while waiting:
            seen |= waiting
            waiting = {low for one in waiting for low in lows.get(one, ())} - seen
        found[high] = seen - {high}
    return found


def _first_named(scope: QueryScope) -> QuerySource | None:
    """Return the source of the first column that the select list names."""
    own = {source.key: source for source in scope.sources}
    keys = (key for output in scope.select.expressions for key in own_keys(output))
    return next((own[key] for key in keys if key in own), None)


def _distinct(conditions: Sequence[exp.Expr]) -> list[exp.Expr]:
    return list(dict.fromkeys(conditions))
