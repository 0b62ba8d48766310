"""The tables and derived tables of a query's FROM, and which of them a column is of."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlglot import exp

from ..schema.schema import Schema, Table
from .parsing import PARSE_ERRORS, read_tree

__all__ = ["Stored", "source_of", "sources", "tables_in", "tables_of"]


def sources(select: exp.Select) -> Iterator[exp.Expr]:
    """Yield the tables and derived tables of one SELECT, in order."""
    heads = [select.args.get("from_"), *(select.args.get("joins") or [])]
    for head in heads:
        if head is not None:
            yield head.this
            for joined in head.this.args.get("joins") or []:
                yield joined.this


def tables_of(sql: str, schema: Schema, dialect: str) -> tuple[str, ...]:
    """Return the stored tables that a query reads, as the schema spells them; none of a text that is no query."""
    try:
        return tables_in(read_tree(sql, dialect), schema)
    except PARSE_ERRORS:
        return ()


def tables_in(tree: exp.Expr, schema: Schema) -> tuple[str, ...]:
    """Return the stored tables that a query reads, as the schema spells them, by its syntax tree."""
    found = (_stored([_called(part) for part in one.parts], schema) for one in tree.find_all(exp.Table))
    return tuple(dict.fromkeys(table.name for table in found if table is not None))


def _stored(path: list[str], schema: Schema) -> Table | None:
    """Return the table of a dotted name; its namespace need not be written where the schema does without."""
    found = schema.by_name.get(".".join(path))
    if found is None and len(path) > 1:
        last = schema.by_name.get(path[-1])
        found = last if last is not None and last.namespace.lower() == path[-2].lower() else None
    return found


def source_of(column: exp.Column) -> exp.Expr | None:
    """Return what a dotted column is of, in its own SELECT or in one around it; None if it is nothing's."""
    return next(iter(_owners(column, lambda source: False)), None)


def _owners(column: exp.Column, has: Callable[[exp.Expr], bool]) -> list[exp.Expr]:
    """Return the sources that a column may be of: several of one SELECT if more than one has a bare name."""
    wanted = column.table.lower()
    select = column.find_ancestor(exp.Select)
    while select is not None:
        called = (s for s in sources(select) if (s.alias_or_name.lower() == wanted if wanted else has(s)))
        if found := list(called):
            return found
        select = select.find_ancestor(exp.Select)
    return []


class Stored:
    """Tells which stored columns the names in queries stand for.

    Args:
        schema: of the database; what is found is spelled as it spells it.
    """

    def __init__(self, schema: Schema) -> None:
        self._tables: dict[str, tuple[str, dict[str, str]]] = {}
        for table in schema.tables:
            names = [column.name for column in table.columns]
            # where names differ in case alone, the one that is written so is meant
            found = table.name, {name.lower(): name for name in names} | {name: name for name in names}
            within = [f"{table.namespace}.{table.own_name}"] if table.namespace else []
            for called in (table.name, *within):
                self._tables |= {called.lower(): found, called: found}

    def of(self, column: exp.Expr | None) -> list[tuple[exp.Table, str, str]]:
        """Return the use of a table that a column is of, table and column; several if a bare name may be of each."""
        if not isinstance(column, exp.Column):
            return []
        owners = _owners(column, lambda source: self._spelled(source, column) is not None)
        return [
            (owner, *spelled)
            for owner in owners
            if isinstance(owner, exp.Table) and (spelled := self._spelled(owner, column)) is not None
        ]

    def _spelled(self, source: exp.Expr, column: exp.Column) -> tuple[str, str] | None:
        if not isinstance(source, exp.Table):
            return None
        called = ".".join(_called(part) for part in source.parts)
        table, columns = self._tables.get(called, self._tables.get(called.lower(), ("", {})))
        name = _called(column.this)
        spelled = columns.get(name, columns.get(name.lower()))
        return None if spelled is None else (table, spelled)


def _called(name: exp.Expr) -> str:
    """Return the name that is meant; where it stands without quotes, its case says nothing."""
    return name.name if name.args.get("quoted") else name.name.lower()
