"""The catalogue of a server: tables, functions and rights, by the queries of ``postgres.toml`` and ``mysql.toml``."""

from __future__ import annotations

import re
import tomllib
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from typing import Any, TypeAlias, TypeVar

Ask: TypeAlias = Callable[[str], Sequence[Sequence[Any]]]
"""Runs a query of this package and returns its rows."""


@cache
def catalogue(dialect: str) -> dict[str, Any]:
    """Return the queries and the lists of functions for a server, by their names.

    Args:
        dialect: postgres or mysql, which is MariaDB's as well.
    """
    text = (resources.files(__package__ or __name__) / f"{dialect}.toml").read_text("utf-8")
    return {name: entry.strip() if isinstance(entry, str) else entry for name, entry in tomllib.loads(text).items()}


_Read = TypeVar("_Read")
_Key = TypeVar("_Key")
_One = TypeVar("_One")


@dataclass
class LeftOut:
    """Collects the things that cannot be read, each with the reason, for `Schema.left_out`.

    Attributes:
        describe: returns what is wrong in one line.
    """

    describe: Callable[[Exception], str] = str
    reasons: list[str] = field(default_factory=list[str])

    def attempt(self, what: str, instead: _Read, read: Callable[..., _Read], *given: object) -> _Read:
        """Return what a read gives; where it raises anything, note it as the reason and return ``instead``."""
        try:
            return read(*given)
        except Exception as error:  # drivers and dialects raise what they like at what they do not know
            self.reasons.append(f"{what}: {self.describe(error) or type(error).__name__}")
            return instead

    def attempt_all(
        self, what: Mapping[_One, str], read: Callable[[list[_One]], Mapping[_Key, _Read]]
    ) -> dict[_Key, _Read]:
        """Return what one read gives of several things; where it raises anything, what a read of each gives.

        Args:
            what: the things, each with what it is called in a reason.
        """
        try:
            return {**read([*what])} if what else {}
        except Exception:  # the single reads name the culprit
            return {key: got for one, name in what.items() for key, got in self.attempt(name, {}, read, [one]).items()}


@dataclass(frozen=True)
class TablePlace:
    """A table or view in the catalogue of a server.

    Attributes:
        namespace: the schema that it is in.
        own_name: its name there.
        is_view: whether a query makes its rows.
        visible: whether the search path finds it by its own name.
        readable: whether the user may read some column of it, according to the catalogue.
        part: whether all its rows and columns are its parent's: a partition, or a child without columns of its own.
        parent: whether it includes its children's rows, for which its keys do not hold.
        comment: its comment.
        name, qualified: as of `Table`.
    """

    namespace: str
    own_name: str
    is_view: bool
    visible: bool
    readable: bool
    part: bool
    parent: bool
    comment: str = ""
    name: str = ""
    qualified: bool = True


def relations_of(ask: Ask, dialect: str) -> list[TablePlace]:
    """Return all tables and views of a database, of PostgreSQL all but the server's own.

    Args:
        ask: runs a query of ours and returns its rows.
        dialect: postgres or mysql.
    """
    return [TablePlace(*row) for row in ask(catalogue(dialect)["relations"])]


def places_of(relations: Sequence[TablePlace], left_out: LeftOut) -> list[TablePlace]:
    """Return the readable tables that are no parts of others, with their names; those on the search path come first.

    A table is left out if its name, with a dot in it, equals the qualified name of another.
    """
    there = [one for one in relations if one.readable and not one.part]
    times = Counter(one.own_name for one in there)
    made = [
        replace(one, name=one.own_name, qualified=times[one.own_name] > 1) if one.visible
        else replace(one, name=f"{one.namespace}.{one.own_name}")
        for one in sorted(there, key=lambda one: not one.visible)
    ]  # fmt: skip
    places = {place.name: place for place in reversed(made)}
    left_out.reasons += [f"{place.name}: another table is called so" for place in made if places[place.name] != place]
    return [place for place in made if places[place.name] == place]


_MYSQL_OWN = ("mysql", "information_schema", "performance_schema", "sys")


@dataclass(frozen=True)
class Readable:
    """The names that a query may use.

    Attributes:
        tables: tables and views as (schema, name), and as ("", name) if they are on the search path.
        functions: names in lower case.
        shadowed: those of them that must be called by their full name, since people have defined others of that name.
        types: the types of a cast, beside those of SQL, written as in `tables`.
        calls: names that call a function if they are the column of a table which is the result of a function;
            ``SELECT x.pg_read_file FROM lower('/etc/passwd') AS x`` reads a file.
        row_calls: names that call a function as the column of any table.
        operators: operators that people have defined.
        folds: whether table names are case-insensitive.
    """

    tables: frozenset[tuple[str, str]]
    functions: frozenset[str]
    shadowed: frozenset[str] = frozenset()
    types: frozenset[tuple[str, str]] = frozenset()
    calls: frozenset[str] = frozenset()
    row_calls: frozenset[str] = frozenset()
    operators: frozenset[str] = frozenset()
    folds: bool = False


def readable_on(ask: Ask, dialect: str, *, tables: Iterable[str] | None, functions: Iterable[str]) -> Readable:
    """Return the names that a query may use on a server.

    Args:
        ask: runs a query of ours and returns its rows.
        dialect: postgres or mysql.
        tables: the tables of the schema, each as ``name`` or ``schema.name``, in any case if no table of the server
            matches exactly; None for those on the search path. The server's own tables are never among them.
        functions: the functions of the schema, beside the server's own.
    """
    wanted = None if tables is None else frozenset(tables)
    defined = frozenset(name.lower() for name in functions)
    queries = catalogue(dialect)
    reads, refuses = frozenset[str](queries["reads"]), frozenset[str](queries["refuses"])
    there = [one for one in relations_of(ask, dialect) if one.namespace not in _MYSQL_OWN or dialect != "mysql"]
    found = _named([(one.namespace, one.own_name, one.visible) for one in there], wanted)
    if dialect == "mysql":
        folds = bool(ask("SELECT @@lower_case_table_names")[0][0])
        if folds:
            found = frozenset((schema.lower(), name.lower()) for schema, name in found)
        return Readable(found, reads | defined, folds=folds)
    functions_there = ask(queries["functions"])
    own = frozenset(name for name, immutable, *_ in functions_there if immutable and not name.startswith("pg_"))
    known = (own - refuses) | reads
    columns = {name for (name,) in ask(queries["columns"])}
    return Readable(
        found,
        known | defined,
        shadowed=frozenset(name for name, _, added, *_ in functions_there if added and name in known) - defined,
        types=_named(ask(queries["types"]), None),
        calls=frozenset(name for name, *_, takes in functions_there if takes and name not in known),
        row_calls=frozenset(name for name, _, _, row, _ in functions_there if row and name not in columns),
        operators=frozenset(name for (name,) in ask(queries["operators"])),
    )


def _named(rows: Iterable[Sequence[Any]], wanted: Collection[str] | None) -> frozenset[tuple[str, str]]:
    """Return the wanted ones of rows (schema, name, visible), in the form of `Readable.tables`."""
    there = [*rows]
    letters = {form for schema, name, _ in there for form in (name, f"{schema}.{name}")}
    any_case = {form.casefold() for form in wanted or () if form not in letters}
    found: set[tuple[str, str]] = set()
    for schema, name, visible in there:
        forms = (*((name,) if visible else ()), f"{schema}.{name}")
        is_wanted = visible if wanted is None else any(f in wanted or f.casefold() in any_case for f in forms)
        if is_wanted:
            found |= {(schema, name), ("", name)} if visible else {(schema, name)}
    return frozenset(found)


_GRAVE = {"rolsuper", "pg_read_server_files", "pg_write_server_files", "pg_execute_server_program", "FILE", "SUPER"}
"""Rights that are too dangerous to rely on refused queries alone."""

_MYSQL_READS = {"SELECT", "USAGE", "SHOW VIEW", "SHOW DATABASES", "PROCESS"}
_MYSQL_GRANT = re.compile(r"GRANT (.+?) ON (\S+) TO ")
_PLACES = re.compile(r" ?\([^)]*\)")  # the columns that a grant is for


@dataclass(frozen=True)
class Rights:
    """The rights of a user.

    Attributes:
        user: its name on the server.
        beside: its rights other than reading, a phrase each.
        grave: those of `beside` that reach the server's files, its programs or everything.
        grant: the statements that create a user with the right to read alone.
    """

    user: str
    beside: tuple[str, ...]
    grave: tuple[str, ...]
    grant: str

    @classmethod
    def unknown(cls, problem: str) -> Rights:
        """Return the rights of a user if the server does not list them."""
        unlisted = (f"do what the server does not list ({problem})",)
        return cls("the user", unlisted, unlisted, "ask whoever runs the server")

    def warn(self, name: str) -> None:
        """Warn, once in a process, of the grave rights of a user on a database of that name."""
        if self.grave and (name, self.user) not in _WARNED:
            _WARNED.add((name, self.user))
            problem = f"{name}: {self.user} may {', '.join(self.grave)}; only queries are sent that read, but safer is"
            warnings.warn(f"{problem} a user who may nothing else: {self.grant}", stacklevel=4)


_WARNED: set[tuple[str, str]] = set()


def rights_of(ask: Ask, dialect: str) -> Rights:
    """Return the rights of the user of a server.

    Args:
        ask: runs a query of ours and returns its rows.
        dialect: postgres or mysql.
    """
    return _postgres_rights(ask) if dialect == "postgres" else _mysql_rights(ask)


def _postgres_rights(ask: Ask) -> Rights:
    phrases: dict[str, str] = catalogue("postgres")["powers"]
    user, database, schema, *powers, makes, writes = ask(catalogue("postgres")["rights"])[0]
    held = [name for name, holds in zip(phrases, powers, strict=True) if holds]
    if "rolsuper" in held:
        held = ["rolsuper"]  # who may do anything is a member of every group
    beside = [phrases[name] for name in held]
    beside += ["make tables"] * bool(makes) + ["change rows"] * bool(writes)
    grant = (
        f"CREATE ROLE reader LOGIN PASSWORD '…'; GRANT CONNECT ON DATABASE {database} TO reader; "
        f"GRANT USAGE ON SCHEMA {schema or 'public'} TO reader; "
        f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema or 'public'} TO reader"
    )
    return Rights(str(user), tuple(beside), tuple(phrases[name] for name in held if name in _GRAVE), grant)


def _mysql_rights(ask: Ask) -> Rights:
    user, database = ask("SELECT CURRENT_USER(), DATABASE()")[0]
    beside: dict[str, None] = {}
    for line, *_ in ask("SHOW GRANTS"):
        if (found := _MYSQL_GRANT.match(str(line))) is None:
            continue
        everywhere = found[2] == "*.*"
        for name in _PLACES.sub("", found[1]).split(", "):
            if name == "ALL PRIVILEGES" and everywhere:
                beside["do anything, by ALL PRIVILEGES"] = None
            elif name not in _MYSQL_READS:
                beside[f"use {name} on {'everything' if everywhere else found[2]}"] = None
    grave = tuple(name for name in beside if name.startswith("do ") or name.split()[1] in _GRAVE)
    grant = f"CREATE USER reader IDENTIFIED BY '…'; GRANT SELECT ON `{database or '…'}`.* TO reader"
    return Rights(str(user), tuple(beside), grave, grant)
