"""Post-processing of a decoded query: its joins are rewritten, then the columns of its derived tables renamed.

Every query that runs has passed the constraint: where a rewriting of joins changes words, the constraint checks the
query again, and a query that it does not accept stays as the network wrote it.

An output of a derived table that is a column gets the column's name, where no other output has that name:

SELECT t1.c1, t1.c2 FROM (SELECT Album.Title AS c1, COUNT(*) AS c2 FROM …) AS t1
SELECT t1.Title, t1.c2 FROM (SELECT Album.Title, COUNT(*) AS c2 FROM …) AS t1

Degenerate queries are meant by nobody and left out: they return a given value, sort a single row, or join unrelated
columns. The answer to «what states border Indiana» is not Indiana; SUM(price) … ORDER BY price LIMIT 3 adds up all
prices, not the first three; and a join must not compare the key of a festival with that of a museum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from sqlglot import exp

from ...data.schema.schema import Schema
from ...data.sql.query import Query
from ...data.sql.sources import conjuncts, is_column
from ...grammar import Constraint, Vocabulary
from ...grammar.decoding.state import Mask
from ..normal_form.join_rewriter import JoinRewriter
from ..normal_form.shorthand import KeyedColumns
from ..normal_form.top_k_per_group import with_row_numbers

__all__ = ["is_degenerate", "to_plain_sql", "with_joins_rewritten"]


def column_names(query: exp.Query) -> exp.Query:
    """Rename the outputs of the derived tables of a query in normal form, in place; return the query."""
    derived = [table for table in query.find_all(exp.Subquery) if table.alias]
    tables = Counter(table.alias for table in derived)
    for table in derived:
        named = {output.alias: output for output in table.selects if _names_column(output)}
        times = Counter(output.this.name.lower() for output in named.values())
        own = {name: output for name, output in named.items() if times[output.this.name.lower()] == 1}
        if tables[table.alias] > 1 or not own:
            continue
        for column in [column for column in query.find_all(exp.Column) if column.table == table.alias]:
            if column.name in own:
                column.set("this", own[column.name].this.this.copy())
        for output in own.values():
            output.replace(output.this)
    return query


def _names_column(output: exp.Expr) -> bool:
    return isinstance(output, exp.Alias) and is_column(output.this)


def with_joins_rewritten(
    query: Query, joins: JoinRewriter, constraint: Constraint, available: Mask | None = None
) -> Query:
    """Return a query with its joins rewritten, or unchanged where the constraint does not accept the result.

    Args:
        query: a query in normal form.
        joins: the rewriter of joins on the same database.
        constraint: the constraint that the query was decoded under.
        available: the words of the vocabulary that the question may use, shape (vocabulary,), bool.
    """
    new = joins.of(query)
    return new if new is query or _accepts(constraint, new, available) else query


def to_plain_sql(query: Query, schema: Schema) -> Query:
    """Return the plain SQL of a query in normal form: without PER, the columns of derived tables by their names."""
    if " PER " not in query.slotted and " AS " not in query.slotted:
        return query
    return query.rewritten((column_names, lambda tree: with_row_numbers(tree, schema)))


def _accepts(constraint: Constraint, query: Query, available: Mask | None) -> bool:
    """Say whether a constraint accepts a query, though its vocabulary may lack some of the query's words."""
    grammar, words = constraint.grammar, constraint.vocabulary.words
    values = {value.slot: value.mention.sql for value in query.values}
    lacking = {(t.text, t.terminal) for t in grammar.tokenize(query.slotted)} - {(w.text, w.terminal) for w in words}
    if not lacking:  # the constraint has cached states for the question's words
        again = available is not None and constraint.admits(query.slotted, values, available)
        return again or constraint.admits(query.slotted, values)
    built = Vocabulary.build(grammar, [query.slotted]).words
    lacking_words = [word for word in built if (word.text, word.terminal) in lacking]
    return constraint.over(Vocabulary(grammar, (*words, *lacking_words))).admits(query.slotted, values)


def is_degenerate(query: Query, keyed: KeyedColumns | None = None) -> bool:
    """Does a query return a given value, sort a single row, or join columns of different keys?

    Among 16,990 gold queries of Spider, BIRD and CHASE, five do the first, all by mistake; eight do the second, six by
    mistake and two without need. `KeyedColumns` describes the third.

    Args:
        query: a query in normal form.
        keyed: the columns of the database's keys.

    >>> is_degenerate(Query("SELECT a.x FROM a JOIN b ON a.x = b.y WHERE b.y = 'v'", "sqlite"))
    True
    """
    sql = query.slotted
    checks: list[Callable[[exp.Expr], bool]] = []  # most queries are decided by their text, without being parsed
    if keyed is not None and (" ON " in sql or " IN (SELECT " in sql):
        checks.append(keyed.lead_astray)
    if _may_show_given(sql):
        checks.append(_shows_given)
    if " ORDER BY " in sql:
        checks.append(_sorts_one_row)
    tree = query.slotted_tree if checks else None
    return tree is not None and any(check(tree) for check in checks)


def _sorts_one_row(query: exp.Expr) -> bool:
    """Does a SELECT of aggregates alone, without GROUP BY, have an ORDER BY?"""
    return any(
        select.args.get("order") and not select.args.get("group") and all(map(_aggregates, select.expressions))
        for select in query.find_all(exp.Select)
    )


def _aggregates(output: exp.Expr) -> bool:
    return output.find(exp.AggFunc) is not None and output.find(exp.Window, exp.Query) is None


def _may_show_given(sql: str) -> bool:
    """Is the last output compared with an equals sign anywhere?"""
    outputs, _, rest = sql.partition(" FROM ")
    last = outputs.split(" ")[-1]
    return f"{last} = " in rest or f" = {last}" in rest


def _shows_given(query: exp.Expr) -> bool:
    """Is each output a column that WHERE fixes to a value, or one that a join makes equal to such a column?"""
    if not isinstance(query, exp.Select) or not all(map(is_column, query.expressions)):
        return False
    where = query.args.get("where")
    joins = [join for join in query.args.get("joins") or () if not join.side]  # LEFT JOIN has rows that ON denies
    terms = [*conjuncts(where.this if where else None), *(c for join in joins for c in conjuncts(join.args.get("on")))]
    equal = [(left.this, left.expression) for left in terms if isinstance(left, exp.EQ)]
    given = {left for left, right in equal if is_column(left) and right.find(exp.Column, exp.Query) is None}
    links = [{left, right} for left, right in equal if is_column(left) and is_column(right)]
    while more := {column for link in links if link & given for column in link} - given:
        given |= more
    return all(output in given for output in query.expressions)
