"""Post-processing of a decoded query: its joins are rewritten, then the columns of its derived tables renamed.

Every query that runs has passed the constraint: where a rewriting of joins changes words, the constraint checks the
query again, and a query that it does not accept stays as the network wrote it.

An output of a derived table that is a column gets the column's name, where no other output has that name:

SELECT t1.c1, t1.c2 FROM (SELECT Album.Title AS c1, COUNT(*) AS c2 FROM …) AS t1
SELECT t1.Title, t1.c2 FROM (SELECT Album.Title, COUNT(*) AS c2 FROM …) AS t1
"""

from __future__ import annotations

from collections import Counter

from sqlglot import exp

from ...data.schema.schema import Schema
from ...data.sql.query import Query
from ...data.sql.scopes import is_column
from ...grammar import Constraint, Vocabulary
from ...grammar.decoding.state import Mask
from ..normal_form.rewriting import JoinRewriter
from ..normal_form.top_k_per_group import with_row_numbers

__all__ = ["to_plain_sql", "with_joins_rewritten"]


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
