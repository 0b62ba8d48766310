"""What a script creates beside tables: enumerations, views, parts of tables, virtual tables."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

from .ddl_names import DdlTables, name_of, table_at
from .enumerations import enumeration
from .schema import Column, Table
from .views import with_origins

__all__ = ["ScriptObjects"]

_ATTACHED = re.compile(r"ALTER TABLE .+ ATTACH PARTITION (\S+)", re.IGNORECASE)


class ScriptObjects:
    """Takes the statements of a script that create no table of their own."""

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self._types: dict[str, str] = {}
        self._views: dict[str, str] = {}
        self._left_out: list[str] = []

    def take(self, statement: exp.Expr, tables: DdlTables) -> bool:
        """Say whether a statement is none that creates a table, and do what it says to ``tables``."""
        match statement:
            case exp.Create(kind="TYPE"):
                self._enumerated(statement)
            case exp.Create(kind="TABLE") if statement.find(exp.PartitionedOfProperty) or _adds_nothing(statement):
                pass  # its rows are its parent's
            case exp.Create(kind="TABLE") if statement.find(exp.VirtualProperty):
                self._left_out.append(f"{_called(statement)}: a script does not tell what a virtual table holds")
            case exp.Create(kind="VIEW"):
                self._viewed(statement, tables)
            case exp.Command() if attached := _ATTACHED.match(statement.sql(dialect=self._dialect)):
                tables.drop(_folded(attached[1]))
            case _:
                return False
        return True

    def type_of(self, written: str) -> str:
        """Return a column's type, with its labels if it is an enumeration that the script creates."""
        return self._types.get(_folded(written), written)

    def with_views(self, tables: Sequence[Table]) -> tuple[tuple[Table, ...], tuple[str, ...]]:
        """Return tables and views with what their definitions tell, and what is left out.

        A script tells no type of what a view reckons; MySQL has none that would do for any.
        """
        read = with_origins(tables, self._views, self._dialect)
        untold = {t.name: c.name for t in read for c in t.columns if not c.type and self._dialect == "mysql"}
        left_out = [*self._left_out, *(f"{view}: nothing tells the type of {name}" for view, name in untold.items())]
        return tuple(table for table in read if table.name not in untold), tuple(left_out)

    def _enumerated(self, create: exp.Create) -> None:
        listed = create.expression
        if isinstance(listed, exp.DataType) and listed.this == exp.DType.ENUM:
            name = create.this.sql(dialect=self._dialect)
            self._types[_folded(name)] = enumeration(name, [label.name for label in listed.expressions])

    def _viewed(self, create: exp.Create, tables: DdlTables) -> None:
        """Take a view in, if its columns are listed: by itself, or by its query without a star."""
        name, query = _called(create), create.expression
        listed = create.this.expressions if isinstance(create.this, exp.Schema) else []
        shown = query.selects if isinstance(query, exp.Query) else []
        names = [column.alias_or_name for column in listed or shown]
        if not names or "*" in names or not all(names):
            self._left_out.append(f"{name}: its columns are not listed")
            return
        tables.put(table_at(_where(create), tuple(Column(column, "") for column in names)))
        self._views[name] = query.sql(dialect=self._dialect)


def _called(create: exp.Create) -> str:
    return name_of(_where(create))


def _where(create: exp.Create) -> exp.Expr:
    """Return the name in a statement that creates something of columns."""
    schema = create.this
    return schema.this if isinstance(schema, exp.Schema) else schema


def _adds_nothing(create: exp.Create) -> bool:
    """Say whether a table has its parents' columns alone, as parts have that were made before there were partitions."""
    own = create.this.expressions if isinstance(create.this, exp.Schema) else []
    return create.find(exp.InheritsProperty) is not None and not any(isinstance(d, exp.ColumnDef) for d in own)


def _folded(name: str) -> str:
    """Return a type's name as PostgreSQL knows it: lower case but in quotes, in ``public`` if nothing else is said."""
    parts = re.findall(r'"((?:[^"]|"")*)"|([^."]+)', name)
    return ".".join(quoted or bare.lower() for quoted, bare in parts).removeprefix("public.")
