"""What becomes of a query between the decoder and the answer: its joins are rewritten, then its names.

Everything that runs has been under the constraint: where a rewriting of joins changes words, the constraint is asked
once more, and where it does not accept them the query stays as the network wrote it.

In a derived table an output that is a column gets the column's name, where it is the only one of that name:

SELECT t1.c1, t1.c2 FROM (SELECT Album.Title AS c1, COUNT(*) AS c2 FROM …) AS t1
SELECT t1.Title, t1.c2 FROM (SELECT Album.Title, COUNT(*) AS c2 FROM …) AS t1

Queries that nobody means are left out: they show what the question has given, sort the one row that they have, or join
at random. «what states border Indiana» is not Indiana; SUM(price) … ORDER BY price LIMIT 3 adds up all prices, not
three of them; the key of a festival is none of a museum.
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
from ..normal_form.keys import KeyedColumns
from ..normal_form.rewriting import JoinRewriter
from ..normal_form.top_k_per_group import with_row_numbers

__all__ = ["as_people_write", "is_degenerate", "with_joins_rewritten"]


def column_names(query: exp.Query) -> exp.Query:
    """Rename the outputs of the derived tables of a query in normal form, in place; return the query."""
    derived = [one for one in query.find_all(exp.Subquery) if one.alias]
    tables = Counter(one.alias for one in derived)
    for one in derived:
        named = {output.alias: output for output in one.selects if _names_column(output)}
        times = Counter(output.this.name.lower() for output in named.values())
        own = {name: output for name, output in named.items() if times[output.this.name.lower()] == 1}
        if tables[one.alias] > 1 or not own:
            continue
        for column in [column for column in query.find_all(exp.Column) if column.table == one.alias]:
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
    """Return a query with its joins rewritten, itself where the constraint does not accept that.

    Args:
        query: in normal form.
        joins: of the same database.
        constraint: that the query was written under.
        available: the words of the vocabulary that the question may use, shape (vocabulary,), bool.
    """
    new = joins.of(query)
    return new if new is query or _accepts(constraint, new, available) else query


def as_people_write(query: Query, schema: Schema) -> Query:
    """Return a query in normal form as engines and people have it: without PER, its derived tables' columns by name."""
    if " PER " not in query.slotted and " AS " not in query.slotted:
        return query
    return query.rewritten((column_names, lambda tree: with_row_numbers(tree, schema)))


def _accepts(constraint: Constraint, query: Query, available: Mask | None) -> bool:
    """Say whether a constraint accepts a query, though its vocabulary may lack some of the query's words."""
    grammar, known = constraint.grammar, constraint.vocabulary.words
    values = {value.slot: value.mention.sql for value in query.values}
    lacking = {(t.text, t.terminal) for t in grammar.tokenize(query.slotted)} - {(w.text, w.terminal) for w in known}
    if not lacking:  # what the constraint has worked out for the question's words serves again
        again = available is not None and constraint.admits(query.slotted, values, available)
        return again or constraint.admits(query.slotted, values)
    built = Vocabulary.build(grammar, [query.slotted]).words
    words = [word for word in built if (word.text, word.terminal) in lacking]
    return constraint.over(Vocabulary(grammar, (*known, *words))).admits(query.slotted, values)


def is_degenerate(query: Query, keyed: KeyedColumns | None = None) -> bool:
    """Does a query show what was given, sort its one row, or join columns of different keys?

    Of 16,990 gold queries of Spider, BIRD and CHASE five do the first, and are mistaken, eight the
    second: six are mistaken, and two had no need to. For the third see `KeyedColumns`.

    Args:
        query: in normal form.
        keyed: the columns of the database's keys.

    >>> is_degenerate(Query("SELECT a.x FROM a JOIN b ON a.x = b.y WHERE b.y = 'v'", "sqlite"))
    True
    """
    sql = query.slotted
    checks: list[Callable[[exp.Expr], bool]] = []  # most queries are told by their words, without being parsed
    if keyed is not None and (" ON " in sql or " IN (SELECT " in sql):
        checks.append(keyed.lead_astray)
    if _may_show_given(sql):
        checks.append(_shows_given)
    if " ORDER BY " in sql:
        checks.append(_sorts_one_row)
    tree = query.slotted_tree if checks else None
    return tree is not None and any(check(tree) for check in checks)


def _sorts_one_row(query: exp.Expr) -> bool:
    """Is there a SELECT of aggregates without groups that is sorted?"""
    return any(
        one.args.get("order") and not one.args.get("group") and all(map(_aggregates, one.expressions))
        for one in query.find_all(exp.Select)
    )


def _aggregates(shown: exp.Expr) -> bool:
    return shown.find(exp.AggFunc) is not None and shown.find(exp.Window, exp.Query) is None


def _may_show_given(sql: str) -> bool:
    """Does what is shown last stand beside an equals sign?"""
    shown, _, rest = sql.partition(" FROM ")
    last = shown.split(" ")[-1]
    return f"{last} = " in rest or f" = {last}" in rest


def _shows_given(query: exp.Expr) -> bool:
    """Is each output a column of which one value is asked, or one that a join makes equal to such a column?"""
    if not isinstance(query, exp.Select) or not all(map(is_column, query.expressions)):
        return False
    where = query.args.get("where")
    joins = [join for join in query.args.get("joins") or () if not join.side]  # LEFT JOIN has rows that ON denies
    asked = [*conjuncts(where.this if where else None), *(c for join in joins for c in conjuncts(join.args.get("on")))]
    equal = [(one.this, one.expression) for one in asked if isinstance(one, exp.EQ)]
    given = {one for one, other in equal if is_column(one) and other.find(exp.Column, exp.Query) is None}
    links = [{one, other} for one, other in equal if is_column(one) and is_column(other)]
    while more := {column for link in links if link & given for column in link} - given:
        given |= more
    return all(output in given for output in query.expressions)
