"""Queries whose joins count each row once: aggregates over a fan-out, NULL in NOT IN, columns that a join repeats.

WHERE artist.id NOT IN                      WHERE artist.id NOT IN
  (SELECT song.artist_id FROM song)           (SELECT song.artist_id FROM song WHERE song.artist_id IS NOT NULL)

SELECT state.capital FROM state              SELECT state.capital FROM state
JOIN city ON state.name = city.state         WHERE state.name = 'texas'
WHERE city.state = 'texas'

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

from collections.abc import Collection, Iterable, Mapping, Sequence

from sqlglot import exp

from ....data.errors import QueryError
from ....data.sql.query import Query
from ....data.sql.sources import conjuncts, is_column
from ....grammar import Grammar
from ....meaning.profile import DatabaseProfile
from ..binding import Binder
from ..joins import Joined, QueryScope, QuerySource, rebuild
from ..writing import NormalForm
from .join_tree import JoinStep, JoinTree, RowCounts, is_counted, own_nodes, reads, table_of

__all__ = ["JoinRewriter"]


def widened(tree: JoinTree, needed: Collection[str]) -> set[str]:
    """Return some sources of a tree with what lies between them, and all that repeats none of their rows."""
    kept = tree.spanned(needed)
    while more := {step.other.key for key in kept for step in tree.steps[key] if tree.one(step)} - kept:
        kept |= more
    return kept


def cut(tree: JoinTree, kept: Collection[str], binder: Binder) -> None:
    """Move the sources that are not kept into subqueries; no output, group or order may read from them."""
    rest, moved = [*tree.links, *tree.conditions], list[exp.Expr]()
    for step in [step for key in kept for step in tree.steps[key] if step.other.key not in kept]:
        inside = tree.beyond(step.other.key, step.source.key)
        about = [condition for condition in rest if reads(condition, inside)]
        rest = [condition for condition in rest if condition not in about]
        moved.append(_asked(tree, step, inside, about, binder))
    _rebuild(tree.scope, [j for j in tree.scope.joined if j.source.key in kept], [*rest, *moved], binder)


def left_out(tree: JoinTree, gone: Collection[str], binder: Binder) -> None:
    """Leave sources out, with the equalities that join them; nothing else may read from them."""
    rest = [c for c in (*tree.links, *tree.conditions) if not reads(c, gone)]
    _rebuild(tree.scope, [j for j in tree.scope.joined if j.source.key not in gone], rest, binder)


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
    if tree.shows_all or tree.scope.select.args.get("distinct"):
        return False
    counting = [one for one in own_nodes(tree.scope.select, exp.AggFunc) if is_counted(one)]
    things = _counted(tree, counting)
    if not any(tree.repeats(thing, tree.sources) for thing in things):
        return False
    kept = widened(tree, tree.read() | things)
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
        bare = _bare(tree) if only else []
        told = any(_tells_row(tree, condition, thing) for thing in bare for condition in tree.conditions)
        things = set(bare) if len(bare) == 1 and not told else set()  # of one row nobody asks how many it is
    elif not all(_of_rows(tree, one) for one in counting):
        return set()
    return things if not any(_grouped_by(tree, thing) for thing in things) else set()


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
    table = table_of(tree.sources[column.table])
    return tree.counts.one(table, [column.name]) and not any(_tells_row(tree, c, column.table) for c in tree.conditions)


def _tells_row(tree: JoinTree, condition: exp.Expr, thing: str) -> bool:
    """Does a condition say which row of a source it is?"""
    return _names_row(tree, (condition.this, condition.expression) if isinstance(condition, exp.EQ) else (), thing)


def _names_row(tree: JoinTree, nodes: Iterable[exp.Expr], thing: str) -> bool:
    """Is a column of a source that tells its rows apart among some nodes, or equal to one of them?"""
    named = [node for node in nodes if isinstance(node, exp.Column)]
    own = [column for node in named for column in (node, *tree.same(node)) if column.table == thing]
    return any(tree.counts.names_row(table_of(tree.sources[thing]), column.name) for column in own)


def _bare(tree: JoinTree) -> list[str]:
    """Return the ends of a tree that rows refer to and nothing is read from."""
    read = tree.read() | {key for key in tree.sources if tree.conditioned(key)}
    ends = [(key, steps[0]) for key, steps in tree.steps.items() if len(steps) == 1 and key not in read]
    return [key for key, step in ends if tree.refers(tree.back(step)) and not tree.one(step)]


def _grouped_by(tree: JoinTree, thing: str) -> bool:
    """Is there a group for each row of a source, so that none of them is counted?"""
    group = tree.scope.select.args.get("group")
    return _names_row(tree, group.expressions if group is not None else (), thing)


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
    if not _denied(select) or not isinstance(output, exp.Column) or not is_column(output):
        return False
    source = sources[output.table]
    where = select.args.get("where")
    conditions = conjuncts(where.this if where else None)
    outer = any(joined.left for joined in scope.joined)
    if source.table is None or any(select.args.get(clause) for clause in ("limit", "offset")):
        return False
    told = _excludes_null(output, [*conditions, *(c for joined in scope.joined for c in joined.conditions())])
    if not outer and (told or not counts.nullable(source.table.name, output.name)):
        return False
    present = exp.Not(this=exp.Is(this=output.copy(), expression=exp.Null()))
    select.set("where", exp.Where(this=exp.and_(*conditions, present, copy=False)))
    return True


def _denied(select: exp.Select) -> bool:
    """Is this the query of a NOT IN?"""
    around = select.parent
    while isinstance(around, exp.Subquery | exp.Paren):
        around = around.parent
    if not isinstance(around, exp.In):
        return False
    above = around.parent
    while isinstance(above, exp.Paren):
        above = above.parent
    return isinstance(above, exp.Not)


def _excludes_null(column: exp.Column, conditions: list[exp.Expr]) -> bool:
    """Does one of some conditions hold of no row where the column is NULL?"""
    comparing = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Like)
    for condition in conditions:
        if isinstance(condition, comparing) and column in (condition.this.unnest(), condition.expression.unnest()):
            return True
        if isinstance(condition, exp.In | exp.Between) and condition.this.unnest() == column:
            return True
        is_null = condition.this if isinstance(condition, exp.Not) else None
        if isinstance(is_null, exp.Is) and is_null.this.unnest() == column:
            return True
    return False


_VALUES = (exp.EQ, exp.In, exp.Like)
"""Comparisons that ask for a value."""

_ORDERED = (exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)


def to_own_columns(tree: JoinTree, binder: Binder) -> bool:
    """Leave out a source of which conditions read what it is joined by, and nothing else; say whether there was one."""
    if tree.shows_all:
        return False
    read = tree.read()
    end = next((key for key in tree.sources if key not in read and _same_elsewhere(tree, key)), None)
    if end is None:
        return False
    for condition in tree.conditions:
        for column in [column for column in condition.find_all(exp.Column) if column.table == end]:
            column.replace(tree.same(column)[0].copy())
    left_out(tree, {end}, binder)
    return True


def _same_elsewhere(tree: JoinTree, key: str) -> bool:
    """Is a source at the end of one join whose columns stand in a condition, and would no other rows come without it?

    Where it repeats what it is joined with, and nothing is counted, it asks for no more than to be there; who asks for
    a value of the column does not ask for that. Where it does not, who refers to nothing must not come in its place.
    """
    if len(tree.steps[key]) != 1:
        return False
    back = tree.back(tree.steps[key][0])
    joining = {name for _, name in back.pairs}
    asked = [condition for condition in tree.conditions if reads(condition, [key])]
    columns = {column.name for one in asked for column in one.find_all(exp.Column) if column.table == key}
    if not columns or not columns <= joining:
        return False
    if not tree.one(back):
        return all(_asks_values(one, key) for one in asked) and not _counts(tree)
    told = {name for one in asked for name in _never_null(one, key)}
    return tree.refers(back) and (tree.always(back) or told == joining)


def _asks_values(condition: exp.Expr, key: str) -> bool:
    """Does a condition ask for values of a source's columns, and for nothing else: constants, or one that it looks for?

    Who asks for those among other rows asks to be there, as there.
    """
    inner = condition.unnest()
    if isinstance(inner, exp.Or):
        return all(_asks_values(one, key) for one in inner.flatten())
    if not isinstance(inner, _VALUES) or inner.args.get("query") is not None:
        return False
    here = [node for node in inner.walk(prune=lambda node: isinstance(node, exp.Query)) if isinstance(node, exp.Column)]
    return len(here) == 1 and is_column(inner.this) and inner.this.table == key


def _never_null(condition: exp.Expr, key: str) -> set[str]:
    """Return the columns of a source that a condition compares, so that it holds of no row where they are NULL."""
    inner = condition.unnest()
    if isinstance(inner, exp.Or):
        return set[str].intersection(*(_never_null(one, key) for one in inner.flatten()))
    if isinstance(inner, exp.Not):
        inner = inner.this.unnest()
        if inner.find(exp.Query):  # NULL is not in what is empty
            return set()
    compared = isinstance(inner, (*_VALUES, *_ORDERED)) and is_column(inner.this) and inner.this.table == key
    return {inner.this.name} if compared else set()


def _counts(tree: JoinTree) -> bool:
    """Does it matter how often a row is there, other than that it is listed as often?"""
    select = tree.scope.select
    return bool(select.args.get("group")) or any(is_counted(one) for one in own_nodes(select, exp.AggFunc))


RULES = (remove_fan_out, to_own_columns)
"""What is done to the inner joins of one SELECT, in this order, each as often as it changes something."""


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
            changed |= self._joins(scope, binder)
        return changed

    def _joins(self, scope: QueryScope, binder: Binder) -> bool:
        tree, changed = JoinTree.of(scope, self._counts), False
        for rule in RULES:
            while tree is not None and rule(tree, binder):
                tree, changed = JoinTree.of(scope, self._counts), True
        return changed
