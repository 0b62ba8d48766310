"""The scopes of a query's SELECTs: each FROM as a list of sources with their joins.

`rebuild` writes FROM in one order, each ON with the equalities that link its table to earlier ones.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from ...data.errors import QueryError
from ...data.schema.schema import Table
from ...data.sql.sources import conjuncts, is_column


@dataclass(eq=False)
class QuerySource:
    """A table or derived table of one FROM.

    Attributes:
        key: its placeholder in the tree until it has a name; no name in SQL looks like it.
        called: the key of its name in the query (`Quoting.key`).
        node: its node in the tree.
        table: the table, None for a derived table.
        shows: its columns by the keys of their names, in order.
        name: its name in the normal form.
    """

    key: str
    called: str
    node: exp.Expr
    table: Table | None
    shows: dict[str, str]
    name: str = ""


@dataclass(eq=False)
class Joined:
    """A source with its join to the earlier ones."""

    source: QuerySource
    join: exp.Join | None = None
    left: bool = False
    equal: list[exp.Expr] = field(default_factory=list[exp.Expr])

    def conditions(self) -> list[exp.Expr]:
        """Return the conditions of its ON, the equalities of USING first."""
        on = self.join.args.get("on") if self.join is not None else None
        return [*self.equal, *conjuncts(on)]


@dataclass(eq=False)
class QueryScope:
    """One SELECT.

    Attributes:
        columns: its original columns and stars, without those of inner SELECTs.
        merged: the keys of columns that USING merges.
        named: the key of each output's name, empty without a name.
        aliases: the positions of outputs by the keys of their aliases.
    """

    select: exp.Select
    joined: list[Joined] = field(default_factory=list[Joined])
    columns: list[exp.Column] = field(default_factory=list[exp.Column])
    merged: set[str] = field(default_factory=set[str])
    named: list[str] = field(default_factory=list[str])
    aliases: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def sources(self) -> list[QuerySource]:
        """Return its sources in order."""
        return [joined.source for joined in self.joined]

    @property
    def outputs(self) -> list[exp.Expr]:
        """Return its outputs without aliases."""
        return [output.unalias() for output in self.select.expressions]

    def showing(self, column: str, owners: Sequence[QuerySource]) -> list[QuerySource]:
        """Return those of some sources that have a column, given its key.

        Raises:
            QueryError: several have it, and USING does not merge them.
        """
        found = [s for s in owners if column in s.shows]
        if len(found) > 1 and column not in self.merged:
            raise QueryError(f"column {column!r} is in {len(found)} sources", hint="say of which table it is")
        return found


def own_keys(node: exp.Expr) -> Iterator[str]:
    """Yield the keys of the sources of the columns and stars in a tree."""
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
    """A reference of one use of a table to another, given by the keys of their sources.

    Attributes:
        number: the number of the foreign key among those of the table, from 0.
    """

    low: str
    high: str
    number: int


def self_links(conditions: Iterable[exp.Expr], sources: Mapping[str, QuerySource]) -> Iterator[SelfLink]:
    """Yield the references between uses of the same table that equalities of columns express.

    Args:
        sources: the sources to consider, by their keys.
    """
    for one, other in filter(None, map(linked, conditions)):
        table, same = (sources[side.table].table if side.table in sources else None for side in (one, other))
        for low, high in ((one, other), (other, one)):
            number = _key(table, low.name, high.name) if table is not None and table is same else None
            if number is not None:
                yield SelfLink(low.table, high.table, number)


def referred_by(links: Iterable[SelfLink]) -> dict[str, int]:
    """Return the number of the first foreign key that refers to each source, by the key of the source."""
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
    """Rebuild FROM and WHERE of one SELECT, with inner joins in one order.

    The ON of an inner join has the equalities that link its table to earlier ones, or else the comparisons with these;
    a LEFT JOIN keeps its position and its ON.

    Args:
        ranks: the position of each table in the schema.
    """
    if not scope.joined:
        return
    select, where = scope.select, scope.select.args.get("where")
    own = (condition for one in scope.joined if not one.left for condition in one.conditions())
    rest = _distinct([*own, *conjuncts(where)])
    outer = any(one.left for one in scope.joined)
    order = scope.joined if outer else [Joined(one) for one in _ordered(scope, rest, ranks)]
    joined = [Joined(order[0].source)]
    for place, one in enumerate(order[1:], 1):
        earlier = [before.source for before in order[:place]]
        conditions = _distinct(one.conditions()) if one.left else rest
        links = [c for c in conditions if _links(c, one.source, earlier)]
        taken = conditions if one.left else links or [c for c in rest if _compares(c, one.source, earlier)]
        rest = rest if one.left else [c for c in rest if c not in taken]
        turned = sorted((_turned(link, one.source) for link in links), key=lambda c: _rank(c, one.source, earlier))
        on = _distinct([*turned, *(c for c in taken if c not in links)])
        join = exp.Join(this=one.source.node, side="LEFT" if one.left else None)
        if on or one.left:
            join.set("on", exp.and_(*on, copy=False) if on else exp.true())
        else:
            join.set("kind", "CROSS")
        joined.append(Joined(one.source, join, one.left))
    scope.joined = joined
    select.set("where", exp.Where(this=exp.and_(*rest, copy=False)) if rest else None)
    select.set("from_", exp.From(this=joined[0].source.node))
    select.set("joins", [one.join for one in joined[1:]])


def _turned(link: exp.Expr, source: QuerySource) -> exp.EQ:
    """Return an equality with the earlier table's column first."""
    one, other = link.args["this"], link.args["expression"]
    if one.table == source.key:
        one, other = other, one
    return exp.EQ(this=one.copy(), expression=other.copy())


def _rank(link: exp.EQ, source: QuerySource, earlier: Sequence[QuerySource]) -> tuple[int, int, int]:
    """Return the sort key of an equality: the earlier source, its column, the column of the new source."""
    place, other = next((place, one) for place, one in enumerate(earlier) if one.key == link.this.table)
    theirs, mine = list(other.shows.values()), list(source.shows.values())
    return place, theirs.index(link.this.name), mine.index(link.expression.name)


def _links(condition: exp.Expr, source: QuerySource, earlier: Sequence[QuerySource]) -> bool:
    """Say whether an equality links a source to an earlier one."""
    keys = {side.table for side in linked(condition) or ()}
    return source.key in keys and any(one.key in keys for one in earlier)


def _compares(condition: exp.Expr, source: QuerySource, earlier: Sequence[QuerySource]) -> bool:
    """Say whether a condition compares this source with earlier ones and reads no others."""
    keys = set(own_keys(condition)) if not condition.find(exp.Query) else set[str]()
    return source.key in keys and len(keys) > 1 and keys <= {source.key, *(one.key for one in earlier)}


def _ordered(scope: QueryScope, conditions: Sequence[exp.Expr], ranks: dict[str, int]) -> list[QuerySource]:
    """Return the sources in the order of the normal form, or in the original order if there is a star."""
    if any(isinstance(output, exp.Star) for output in scope.select.expressions):
        return scope.sources
    sources = {source.key: source for source in scope.sources}
    pairs = [{side.table for side in link} for c in conditions if (link := linked(c))]
    links = list(self_links(conditions, sources))
    above, numbers = _above(links), referred_by(links)

    def rank(source: QuerySource) -> tuple[int, int, int]:
        table = ranks[source.table.name] if source.table else len(ranks)
        return table, len(above.get(source.key, ())), numbers.get(source.key, 0)

    # stable: uses of one table keep their order, but a referred use comes after the use that refers to it
    waiting = sorted(scope.sources, key=rank)
    named = (key for output in scope.select.expressions for key in own_keys(output) if key in sources)
    key = next(named, None)
    lower = above.get(key, ()) if key is not None else ()
    first = next((source for source in waiting if source.key in lower), sources[key] if key else waiting[0])
    order = [first]
    waiting.remove(first)
    while waiting:
        there = {source.key for source in order}
        near = {key for pair in pairs if pair <= sources.keys() and there & pair for key in pair}
        order.append(next((source for source in waiting if source.key in near), waiting[0]))
        waiting.remove(order[-1])
    return order


def _above(links: Sequence[SelfLink]) -> dict[str, set[str]]:
    """Return for each referred use the uses of the same table that refer to it, directly or through others."""
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


def _distinct(conditions: Iterable[exp.Expr]) -> list[exp.Expr]:
    return list(dict.fromkeys(conditions))
