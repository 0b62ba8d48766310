"""Rewrites queries so that their joins count each row once: aggregates over a fan-out, NULL in NOT IN.

WHERE artist.id NOT IN                      WHERE artist.id NOT IN
  (SELECT song.artist_id FROM song)           (SELECT song.artist_id FROM song WHERE song.artist_id IS NOT NULL)

SELECT AVG(hotel.stars) FROM hotel          SELECT AVG(hotel.stars) FROM hotel
JOIN review ON hotel.id = review.hotel_id   WHERE hotel.id IN
WHERE review.score > 8                        (SELECT review.hotel_id FROM review WHERE review.score > 8)

A SUM, AVG or COUNT of a column takes rows of the column's table. COUNT(*) takes the rows of the join, but where a table
is joined that rows refer to and nothing is read from it: then it is there to be counted («how many hotels have a score
above 8»), since the query would be the same without it.

The rules go by keys and data, not by the words of a question. A query stays as it is where its joins repeat no row and
no cell is missing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from ...data.errors import QueryError
from ...data.schema.schema import Schema, Table
from ...data.sql.query import Query
from ...data.sql.sources import conjuncts, is_column
from ...grammar import Grammar
from ...meaning.profile import DatabaseProfile
from .binding import Binder
from .joins import Joined, QueryScope, QuerySource, linked, own_keys, rebuild
from .shorthand import links
from .writing import NormalForm

__all__ = ["JoinRewriter"]


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


@dataclass(frozen=True)
class JoinStep:
    """From one source of a tree to its neighbour: pairs of columns that are equal, as their equalities say."""

    source: QuerySource
    other: QuerySource
    pairs: tuple[tuple[str, str], ...]


class JoinTree:
    """The sources of a SELECT, joined by equalities of columns alone and in no circle.

    FROM customer JOIN orders ON customer.id = orders.customer_id JOIN city ON customer.city_id = city.id

    orders ── customer ── city     from customer to city and from orders to customer one row is met, never more

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
        whole = tree.reached(next(iter(tree.sources)), lambda _: True) == set(tree.sources)
        return tree if whole and edges == len(tree.sources) - 1 else None

    def reached(self, key: str, goes: Callable[[JoinStep], bool]) -> set[str]:
        """Return the sources that are reached from one along some of the steps, itself included."""
        found, waiting = {key}, [key]
        while waiting:
            more = [step.other.key for step in self.steps[waiting.pop()] if step.other.key not in found and goes(step)]
            found.update(more)
            waiting += more
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

    def is_referred(self, step: JoinStep) -> bool:
        """Is a step along a foreign key of the source at its end, and nothing else?"""
        theirs, mine = zip(*step.pairs, strict=True)
        return self.counts.refers(table_of(step.other), mine, table_of(step.source), theirs)

    def repeats(self, key: str, among: Collection[str]) -> bool:
        """May a row of a source be there more than once, where it is joined with others that hang together?"""
        return self.reached(key, lambda step: step.other.key in among and self.one(step)) != set(among)

    def read(self) -> set[str]:
        """Return the sources whose columns stand in outputs, groups, HAVING and the order, outside of ON and WHERE."""
        select = self.scope.select
        parts = (*select.expressions, *(select.args.get(clause) for clause in ("group", "having", "order")))
        return {key for part in parts if part is not None for key in reads(part, self.sources)}

    def names_row(self, nodes: Iterable[exp.Expr], thing: str) -> bool:
        """Is a column of a source that tells its rows apart among some nodes, or equal to one of them?"""
        named = [node for node in nodes if isinstance(node, exp.Column)]
        sides = [pair for link in self.links for pair in ((link.this, link.expression), (link.expression, link.this))]
        every = [*named, *(other for one, other in sides if one in named)]
        own = {column.name for column in every if column.table == thing}
        return any(self.counts.names_row(table_of(self.sources[thing]), name) for name in own)

    def conditions_name(self, thing: str) -> bool:
        """Does a condition say which row of a source it is?"""
        equal = [(one.this, one.expression) for one in self.conditions if isinstance(one, exp.EQ)]
        return any(self.names_row(sides, thing) for sides in equal)


def reads(node: exp.Expr, sources: Collection[str]) -> set[str]:
    """Return those of some sources whose columns stand in a tree."""
    return {key for key in own_keys(node) if key in sources}


def table_of(source: QuerySource) -> str:
    """Return the table that a source of a tree is a use of."""
    assert source.table is not None
    return source.table.name


def _counting(select: exp.Select) -> Iterator[exp.Expr]:
    """Yield the aggregates of a SELECT, not those of SELECTs in it, to which it matters how often a row is there."""
    for part in (*select.expressions, select.args.get("having"), select.args.get("order")):
        for node in part.walk(prune=lambda inner: isinstance(inner, exp.Query)) if part is not None else ():
            aggregate = isinstance(node, exp.AggFunc) and not isinstance(node, exp.Min | exp.Max)
            if aggregate and not isinstance(node.this, exp.Distinct):
                yield node


def cut(tree: JoinTree, kept: Collection[str], binder: Binder) -> None:
    """Move the sources that are not kept into subqueries; no output, group or order may read from them."""
    rest, moved = [*tree.links, *tree.conditions], list[exp.Expr]()
    for step in [step for key in kept for step in tree.steps[key] if step.other.key not in kept]:
        inside = tree.reached(step.other.key, lambda other, back=step.source: other.other is not back)
        about = [condition for condition in rest if reads(condition, inside)]
        rest = [condition for condition in rest if condition not in about]
        moved.append(_asked(tree, step, inside, about, binder))
    _rebuild(tree.scope, [j for j in tree.scope.joined if j.source.key in kept], [*rest, *moved], binder)


def _asked(
    tree: JoinTree, step: JoinStep, inside: Collection[str], conditions: list[exp.Expr], binder: Binder
) -> exp.Expr:
    """Return the condition that a row of the step's source finds others: those that stand inside, so conditioned."""
    scope, select = tree.scope, exp.Select()
    inner = QueryScope(select)
    binder.scopes.insert(binder.scopes.index(scope) + 1, inner)
    joined = [one for one in scope.joined if one.source.key in inside]
    own = [condition for condition in conditions if reads(condition, tree.sources) <= set(inside)]
    if len(conditions) > len(own) + 1:  # more than the one equality leads out
        select.set("expressions", [exp.Star()])
        _rebuild(inner, joined, conditions, binder)
        return exp.Exists(this=select)
    mine, theirs = step.pairs[0]
    select.set("expressions", [exp.column(theirs, table=step.other.key)])
    _rebuild(inner, joined, own, binder)
    return exp.In(this=exp.column(mine, table=step.source.key), query=exp.Subquery(this=select))


def _rebuild(scope: QueryScope, joined: list[Joined], conditions: list[exp.Expr], binder: Binder) -> None:
    scope.joined = [Joined(one.source) for one in joined]
    scope.select.set("where", exp.Where(this=exp.and_(*conditions, copy=False)) if conditions else None)
    rebuild(scope, binder.ranks)


def remove_fan_out(tree: JoinTree, binder: Binder) -> bool:
    """Take each row once where an aggregate takes it as often as a join repeats it; say whether anything changed."""
    select = tree.scope.select
    if select.args.get("distinct") or any(one.is_star and not isinstance(one, exp.Count) for one in select.expressions):
        return False
    counting = list(_counting(select))
    things = _counted(tree, counting)
    if not any(tree.repeats(thing, tree.sources) for thing in things):
        return False
    needed = tree.spanned(tree.read() | things)
    kept = needed.union(*(tree.reached(key, tree.one) for key in needed))
    again = {thing for thing in things if tree.repeats(thing, kept)}
    if again and not _count_keys(tree, again, counting):
        return False
    if kept != set(tree.sources):
        cut(tree, kept, binder)
    return bool(again) or kept != set(tree.sources)


def _counted(tree: JoinTree, counting: Sequence[exp.Expr]) -> set[str]:
    """Return the sources whose rows some aggregates take, none if that cannot be told."""
    things = {key for one in counting for key in reads(one, tree.sources)}
    if any(not reads(one, tree.sources) for one in counting):
        only = all(isinstance(one, exp.Count) and isinstance(one.this, exp.Star) for one in counting)
        bare = _bare(tree) if only else []  # of one row nobody asks how many it is
        things = set(bare) if len(bare) == 1 and not tree.conditions_name(bare[0]) else set()
    elif not all(_of_rows(tree, one) for one in counting):
        return set()
    group = tree.scope.select.args.get("group")  # with a group for each row none of them is counted
    keys = group.expressions if group is not None else ()
    return things if not any(tree.names_row(keys, thing) for thing in things) else set()


def _of_rows(tree: JoinTree, aggregate: exp.Expr) -> bool:
    """Does an aggregate of columns take the rows of their table?

    A count does where it is of their key, and no condition says which row it is: how often that is met is counted then.
    A sum of cases counts what the cases are told apart by, which may be anything.
    """
    if not isinstance(aggregate, exp.Count):
        return aggregate.find(exp.Case, exp.If) is None
    column = aggregate.this
    if not isinstance(column, exp.Column):
        return False
    return tree.counts.one(table_of(tree.sources[column.table]), [column.name]) and not tree.conditions_name(
        column.table
    )


def _bare(tree: JoinTree) -> list[str]:
    """Return the ends of a tree that rows refer to and nothing is read from."""
    read = tree.read().union(*(reads(condition, tree.sources) for condition in tree.conditions))
    ends = [(key, steps[0]) for key, steps in tree.steps.items() if len(steps) == 1 and key not in read]
    return [key for key, step in ends if tree.is_referred(step) and not tree.one(step)]


def _count_keys(tree: JoinTree, things: Collection[str], counting: Sequence[exp.Expr]) -> bool:
    """Count keys, each but once, in place of the rows of some sources; say whether that can be written."""
    keys = {thing: tree.counts.row_key(table_of(tree.sources[thing])) or "" for thing in things}
    if "" in keys.values() or not all(_counts_rows(tree, one) for one in counting):
        return False
    for one in counting:
        thing = one.this.table if isinstance(one.this, exp.Column) else next(iter(keys))
        if thing in keys:
            one.set("this", exp.Distinct(expressions=[exp.column(keys[thing], table=thing)]))
    return True


def _counts_rows(tree: JoinTree, aggregate: exp.Expr) -> bool:
    """Is it a count that leaves no row out?"""
    column = aggregate.this
    if not isinstance(aggregate, exp.Count) or not isinstance(column, exp.Column):
        return isinstance(aggregate, exp.Count) and isinstance(column, exp.Star)
    return not tree.counts.nullable(table_of(tree.sources[column.table]), column.name)


def null_safe_not_in(scope: QueryScope, sources: Mapping[str, QuerySource], counts: RowCounts) -> bool:
    """Leave rows without a cell out of a SELECT that NOT IN looks at; say whether anything was changed."""
    select = scope.select
    output = select.expressions[0] if len(select.expressions) == 1 else None
    denied = isinstance(within := _around(select), exp.In) and isinstance(_around(within), exp.Not)
    if not denied or not isinstance(output, exp.Column) or not is_column(output):
        return False
    source = sources[output.table]
    outer = any(joined.left for joined in scope.joined)
    if source.table is None or any(select.args.get(clause) for clause in ("limit", "offset")):
        return False
    where = select.args.get("where")
    conditions = conjuncts(where.this if where else None)
    present = exp.Not(this=exp.Is(this=output.copy(), expression=exp.Null()))
    if present in conditions or not (outer or counts.nullable(source.table.name, output.name)):
        return False
    select.set("where", exp.Where(this=exp.and_(*conditions, present, copy=False)))
    return True


def _around(node: exp.Expr) -> exp.Expr | None:
    """Return what a node stands in, brackets aside."""
    around = node.parent
    while isinstance(around, exp.Subquery | exp.Paren):
        around = around.parent
    return around


class JoinRewriter:
    """Rewrites the joins of queries on one database.

    Args:
        grammar: of the queries.
        profile: what the database holds; None if nobody has looked.
    """

    def __init__(self, grammar: Grammar, profile: DatabaseProfile | None = None) -> None:
        self._normal = NormalForm(grammar)
        self._counts = RowCounts(grammar.schema, profile)

    def of(self, query: Query) -> Query:
        """Return a query in normal form with its joins rewritten, itself where no rule applies."""
        if not any(word in query.slotted for word in ("JOIN", "NOT IN")):
            return query
        try:
            return self._normal.rewritten(query, self._rewritten)
        except QueryError:  # the normal form cannot say what the rules have made
            return query

    def _rewritten(self, binder: Binder) -> bool:
        """Rewrite all SELECTs; say whether anything was changed."""
        changed = False
        for scope in list(binder.scopes):
            changed |= null_safe_not_in(scope, binder.sources, self._counts)
            tree = JoinTree.of(scope, self._counts)
            while tree is not None and remove_fan_out(tree, binder):
                tree, changed = JoinTree.of(scope, self._counts), True
        return changed
