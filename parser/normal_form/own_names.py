"""Derived tables as people read them: an output that is a column goes by the column's name, where it is the only one.

SELECT t1.c1, t1.c2 FROM (SELECT Album.Title AS c1, COUNT(*) AS c2 FROM …) AS t1
SELECT t1.Title, t1.c2 FROM (SELECT Album.Title, COUNT(*) AS c2 FROM …) AS t1
"""

from __future__ import annotations

from collections import Counter

from sqlglot import exp

from .sources import is_column

__all__ = ["column_names"]


def column_names(query: exp.Query) -> exp.Query:
    """Rename the outputs of the derived tables of a query in normal form, in place; return the query."""
    derived = [one for one in query.find_all(exp.Subquery) if one.alias]
    tables = Counter(one.alias for one in derived)
    for one in derived:
        named = {output.alias: output for output in _outputs(one) if _names_column(output)}
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


def _outputs(derived: exp.Subquery) -> list[exp.Expr]:
    select = derived.this
    while not isinstance(select, exp.Select):
        select = select.this
    return select.expressions


def _names_column(output: exp.Expr) -> bool:
    return isinstance(output, exp.Alias) and is_column(output.this)
