"""Aliases written one way: what a query calls its tables says nothing, so a parser should not have to learn it.

    lake AS a JOIN state AS s ON a.s = s.s           lake JOIN state ON lake.s = state.s
    lake AS a JOIN lake AS b ON a.x < b.x            lake AS lake1 JOIN lake AS lake2 ON lake1.x < lake2.x
    MAX(d.n) FROM (SELECT COUNT(*) AS n …) AS d      MAX(derived1.value1) FROM (SELECT COUNT(*) AS value1 …) AS derived1

A table that is used once needs no alias and has none; derived tables and computed columns are numbered in the order in
which they are written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from sqlglot import exp

from ..errors import QueryError
from ..schema.schema import Schema
from .parsing import PARSE_ERRORS, parse, read_tree, told_error
from .slotted import readable, written
from .sources import source_of

__all__ = ["canonicalise_aliases", "names_given", "with_canonical_aliases"]


def names_given(queries: Iterable[str], dialect: str, *, most: int = 24) -> tuple[str, ...]:
    """Return what queries call their tables, the most frequent names first; a query that does not parse has none."""
    counts: Counter[str] = Counter()
    for sql in dict.fromkeys(queries):
        tree = parse(readable(sql, dialect), dialect)
        counts.update(alias.name for alias in (tree.find_all(exp.TableAlias) if tree else ()) if alias.name)
    return tuple(name for name, _ in counts.most_common(most))


def with_canonical_aliases(sql: str, *, dialect: str, schema: Schema) -> str:
    """Return a query, slotted or filled, with its aliases in one form.

    Raises:
        QueryError: it does not parse.
    """
    try:
        tree = read_tree(readable(sql, dialect), dialect)
    except PARSE_ERRORS as error:
        raise QueryError(f"not {dialect}: {told_error(error)}") from error
    return written(canonicalise_aliases(tree, schema), dialect)


def canonicalise_aliases(tree: exp.Expr, schema: Schema) -> exp.Expr:
    """Put a tree's aliases in one form, in place; return the tree."""
    _rename_tables(tree)
    _rename_columns(tree, {column.name.lower() for _, column in schema.columns()})
    return tree


def _rename_tables(tree: exp.Expr) -> None:
    """Give every source its name; the columns it owns are looked up before anything is renamed."""
    uses = Counter(table.name.lower() for table in tree.find_all(exp.Table))
    owned = [(column, owner) for column in tree.find_all(exp.Column, bfs=False) if (owner := source_of(column))]
    counts: Counter[str] = Counter()
    names: dict[int, str] = {}
    for source in _in_order(tree):
        if isinstance(source, exp.Table) and (not source.alias or uses[source.name.lower()] == 1):
            names[id(source)] = source.name
            source.set("alias", None)
            continue
        base = source.name if isinstance(source, exp.Table) else "derived"
        counts[base] += 1
        names[id(source)] = f"{base}{counts[base]}"
        source.set("alias", exp.TableAlias(this=exp.to_identifier(names[id(source)])))
    for column, owner in owned:
        column.set("table", exp.to_identifier(names[id(owner)]))


def _in_order(tree: exp.Expr) -> Iterator[Any]:
    """Yield tables and derived tables in the order in which they are written, an outer one before those inside it."""
    for node in tree.walk(bfs=False):
        if isinstance(node, exp.Table) or (
            isinstance(node, exp.Subquery) and isinstance(node.parent, exp.From | exp.Join)
        ):
            yield node


def _rename_columns(tree: exp.Expr, known: set[str]) -> None:
    """Number the names of computed columns; a name that a schema's column has stays."""
    names: dict[str, str] = {}
    for alias in tree.find_all(exp.Alias, bfs=False):
        name = alias.alias.lower()
        if name in known:
            continue
        names.setdefault(name, f"value{len(names) + 1}")
        alias.set("alias", exp.to_identifier(names[name]))
    for column in tree.find_all(exp.Column):
        if column.name.lower() in names:
            column.set("this", exp.to_identifier(names[column.name.lower()]))
