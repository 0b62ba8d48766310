"""A schema as DDL that a person reads and mends; and two schemas of one database made one."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from ..values.slots import quoted
from .schema import ForeignKey, Schema, Table, enumeration_name, labels_of


def merged(stored: Schema, described: Schema) -> Schema:
    """Return the tables of ``stored`` with the descriptions of ``described`` and the foreign keys of both.

    Tables and columns that only ``described`` has are left out, since no query on the database could name them, and
    so are keys that lead to such. A primary key of ``described`` counts where ``stored`` declares none.
    """
    tables = (
        _merged_table(stored, table, described.by_name.get(table.name) or Table(table.name, ()))
        for table in stored.tables
    )
    return Schema(tuple(tables), described.name or stored.name)


def _merged_table(stored: Schema, table: Table, described: Table) -> Table:
    descriptions = {column.name.lower(): column.description for column in described.columns}
    columns = (replace(c, description=descriptions.get(c.name.lower()) or c.description) for c in table.columns)
    return replace(
        table,
        columns=tuple(columns),
        primary_key=table.primary_key or table.spelled(described.primary_key) or (),
        foreign_keys=tuple(_foreign_keys(stored, table, described)),
        description=described.description or table.description,
    )


def _foreign_keys(stored: Schema, table: Table, described: Table) -> Iterator[ForeignKey]:
    seen: set[tuple[str, str, str]] = set()  # column, table and column of the links so far
    for key in (*table.foreign_keys, *described.foreign_keys):
        found = stored.resolved(table, key)
        if found is None:
            continue
        links = {(a, found.table, b) for a, b in zip(found.columns, found.references, strict=True)}
        itself = found.table == table.name and found.columns == found.references
        if not links <= seen and not itself:
            seen |= links
            yield found


Quote = Callable[[str], str]


def to_ddl(schema: Schema, quote: Quote) -> str:
    """Return CREATE TABLE statements with keys, descriptions as comments behind the columns.

    Enumerations that have names are created first. Types stand as the source wrote them; `ddl.from_ddl` reads the same
    tables from it.

    Args:
        quote: writes a name as the dialect wants it.
    """
    named = dict.fromkeys(column.type for _, column in schema.columns() if enumeration_name(column.type))
    types = [
        f"CREATE TYPE {enumeration_name(kind)} AS ENUM ({', '.join(map(quoted, labels_of(kind)))});\n" for kind in named
    ]
    return "\n".join([*types, *(_table(table, schema, quote) for table in schema.tables)])


def _table(table: Table, schema: Schema, quote: Quote) -> str:
    columns = [
        (
            f"    {quote(c.name)} {enumeration_name(c.type) or c.type or 'text'}",
            f" -- {_line(c.description)}" if c.description else "",
        )
        for c in table.columns
    ]
    keys: list[str] = []
    if table.primary_key:
        keys.append(f"    PRIMARY KEY ({_names(table.primary_key, quote)})")
    keys += [f"    UNIQUE ({quote(column)})" for column in table.unique]
    for key in table.foreign_keys:
        other = schema.by_name.get(key.table)
        target = quote(key.table) if other is None else _whole(other, quote)
        target += f" ({_names(key.references, quote)})" if key.references else ""
        keys.append(f"    FOREIGN KEY ({_names(key.columns, quote)}) REFERENCES {target}")
    rows = [*columns, *((key, "") for key in keys)]
    lines = [f"{text}{',' if i < len(rows) - 1 else ''}{comment}" for i, (text, comment) in enumerate(rows)]
    head = [f"-- {_line(table.description)}"] if table.description else []
    return "\n".join([*head, f"CREATE TABLE {_whole(table, quote)} (", *lines, ");", ""])


def _whole(table: Table, quote: Quote) -> str:
    return ".".join(map(quote, table.path))


def _names(names: tuple[str, ...], quote: Quote) -> str:
    return ", ".join(quote(name) for name in names)


def _line(text: str) -> str:
    return " ".join(text.split())
