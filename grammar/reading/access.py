"""What a role may read of a database: `Access`, and the part of a schema that it leaves."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self, TypeVar

from ...data.errors import InputError, did_you_mean
from ...data.schema.schema import ByName, Column, Schema, Table

_Named = TypeVar("_Named", Column, Table)

_HINT = 'tables that may be read whole: [tables] whole = ["state"]; some columns of others: [columns] city = ["name"]'


@dataclass(frozen=True)
class Access:
    """What a role may read: a list of what is allowed. What is named nowhere comes in no query, whatever the logits.

    A table of ``tables`` may be read whole, with columns that it gets some day. Of a table of ``columns`` only these
    may be read, whether or not ``tables`` names it, too; a star, which names no columns, takes no such table. To
    count its rows is to read it: any column that may be read allows ``COUNT(*)``. A view is a table like others, and
    shows all that it computes. The case of names matters only where two differ in it alone. A table that the search
    path does not find has its schema before it: ``Sales.orders``.

    >>> access = Access(tables=("state",), columns={"city": ("name", "people")})

    As a file, for `read` and ``querent ask --access``::

        [tables]
        whole = ["state"]

        [columns]
        city = ["name", "people"]

    On PostgreSQL a line ``role = "clerk"`` above these names a role of the server: all that is read of the database is
    read under ``SET ROLE clerk``, so that the server itself holds queries to what that role may read, row by row too.

    Attributes:
        tables: those that may be read whole.
        columns: of other tables, by name, the columns that may be read.
        role: of PostgreSQL; empty for the user of the connection.
    """

    tables: tuple[str, ...] = ()
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]], hash=False)
    role: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tables", tuple(_listed(self.tables, "tables")))
        columns = {table: tuple(_listed(names, table)) for table, names in dict(self.columns).items()}
        object.__setattr__(self, "columns", columns)
        if empty := next((table for table, names in columns.items() if not names), None):
            raise InputError("no column may be read", field=empty, hint="leave the table out, or name a column")
        if not self.tables and not columns:
            raise InputError("nothing may be read", field="access", hint=_HINT)
        if [*_listed((self.role,), "role")] == ["none"]:  # SET ROLE none takes a role away
            raise InputError("'none' is no role of a server", field="role", hint='role = "clerk"')

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a TOML file; the class's docstring shows one.

        Raises:
            InputError: it cannot be read, or holds something else.
        """
        try:
            data = tomllib.loads(Path(path).read_text("utf-8"))
        except RecursionError as error:
            raise InputError("cannot be read: it is nested too deep", file=path, hint=_HINT) from error
        except (OSError, ValueError) as error:  # what tomllib and decoding raise
            raise InputError(f"cannot be read: {error}", file=path, hint=_HINT) from error
        for section, known in ((data, ("role", "tables", "columns")), (_section(data, "tables", path), ("whole",))):
            if unknown := next((name for name in section if name not in known), None):
                problem, field = f"unknown entry {unknown!r}", "tables" if known == ("whole",) else None
                raise InputError(problem, file=path, field=field, hint=did_you_mean(unknown, known) or _HINT)
        try:
            whole = _section(data, "tables", path).get("whole", ())
            return cls(whole, _section(data, "columns", path), data.get("role", ""))
        except InputError as error:
            raise InputError(error.problem, file=path, field=error.field, hint=error.hint) from error

    def narrowed(self, schema: Schema) -> Schema:
        """Return the tables and columns of a schema that may be read, with the keys that are made of them, and no more.

        Raises:
            InputError: the schema has no such table or column, or several that differ in case alone.
        """
        return replace(schema.part(self._readable(schema)), left_out=())

    def only(self, tables: Iterable[str], schema: Schema) -> Access:
        """Return what may be read of some of a schema's tables, as it spells them.

        Raises:
            InputError: as from `narrowed`; or nothing of these tables may be read.
        """
        readable, partial = self._readable(schema), self.partial(schema)
        chosen = [name for name in tables if name in readable]
        columns = {name: tuple(sorted(partial[name])) for name in chosen if name in partial}
        return Access(tuple(name for name in chosen if name not in partial), columns, self.role)

    def unlinked(self, schema: Schema) -> Schema:
        """Return the whole schema without the foreign keys that no query may join on."""
        keys = {table.name: table.foreign_keys for table in self.narrowed(schema).tables}
        return replace(schema, tables=tuple(replace(t, foreign_keys=keys.get(t.name, ())) for t in schema.tables))

    def partial(self, schema: Schema) -> Mapping[str, frozenset[str]]:
        """Return the columns that may be read of each table that may not be read whole.

        A table of ``columns`` is one of them though all its columns be named: the database may have others.
        """
        listed = {_named(name, schema.by_name, "no table").name for name in self.columns}
        return {table: columns for table, columns in self._readable(schema).items() if table in listed}

    def _readable(self, schema: Schema) -> dict[str, frozenset[str]]:
        """Return the columns that may be read, by table."""
        found: dict[str, frozenset[str]] = {}
        for name in self.tables:
            table = _named(name, schema.by_name, "no table")
            found[table.name] = frozenset(column.name for column in table.columns)
        for name, columns in self.columns.items():
            table = _named(name, schema.by_name, "no table")
            unknown = f"table {table.name!r} has no column"
            found[table.name] = frozenset(_named(column, table.by_name, unknown).name for column in columns)
        return found


def _listed(names: Any, where: str) -> Iterator[str]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InputError(f"{names!r} is no list of names", field=where, hint=_HINT)
    for name in dict.fromkeys(names):
        if not isinstance(name, str):
            raise InputError(f"{name!r} is no name", field=where, hint=_HINT)
        yield name


def _section(data: Mapping[str, Any], name: str, path: str | Path) -> Mapping[str, Any]:
    found = data.get(name, {})
    if not isinstance(found, dict):
        raise InputError(f"{name} is no section", file=path, hint=_HINT)
    return found


def _named(name: str, among: ByName[_Named], unknown: str) -> _Named:
    """Return the table or column of a name: the one written so, else the only one that differs in case alone."""
    alike, found = among.alike(name), among.get(name)
    if found is None:
        hint = did_you_mean(name, among.names)
        raise InputError(f"{unknown} {name!r}", field="access", hint=hint)
    if found.name != name and len(alike) > 1:
        hint = f"write {' or '.join(one.name for one in alike)}"
        raise InputError(f"{name!r} may be {len(alike)} names that differ in case", field="access", hint=hint)
    return found


def check_apart(names: Iterable[str], key: Callable[[str], str]) -> None:
    """Refuse names of a schema that a dialect does not tell apart: one of them allowed would let in the other.

    Raises:
        InputError: several have one ``key``.
    """
    name, times = Counter(map(key, names)).most_common(1)[0]
    if times > 1:
        raise InputError(f"several tables or columns are called {name!r} but for case", field="access")
