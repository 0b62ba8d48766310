"""Where the tables of a live database are, and what a query that somebody else wrote may name on its server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .catalogue import Ask, catalogue
from .rights import LeftOut

__all__ = ["Readable", "TablePlace", "places_of", "readable_on", "relations_of"]


@dataclass(frozen=True)
class TablePlace:
    """A table or view as a server's catalogue tells of it.

    Attributes:
        namespace: the schema that it is in.
        own_name: its name there.
        is_view: whether a query makes its rows.
        visible: whether its own name alone finds it.
        readable: whether the user may read some column of it, as far as the catalogue tells.
        part: whether its rows are its parents' as well, and it shows nothing more: a partition, or a child in the way
            of inheritance that has no column of its own.
        parent: whether it shows its children's rows, too, for which its keys do not hold.
        comment: what people wrote beside it.
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
    """Return what the user may read and is no part of another, with its name, those first that the search path finds.

    A table whose name has a dot in it that makes it another one's is left out.
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
    """What a query may name.

    Attributes:
        tables: tables and views, each as (schema, name), and as ("", name) where the name alone finds it.
        functions: names in lower case.
        shadowed: those of them that have to be called by their full name, since somebody has added others of that name.
        types: what a value may be cast to beside the types of SQL, as `tables` has them.
        calls: names that call a function where they stand as a column of a table that is the result of a function;
            ``SELECT x.pg_read_file FROM lower('/etc/passwd') AS x`` reads a file.
        row_calls: those that do so where they stand as a column of any table.
        operators: those that somebody has added.
        folds: are the names of tables the same in upper and lower case?
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
    """Ask a server what a query may name on it.

    Args:
        ask: runs a query of ours and returns its rows.
        dialect: postgres or mysql.
        tables: of the schema that was read, each by its name or as ``schema.name``; in any case, where the server has
            none that is called so to the letter. None is what names alone find. The server's own tables are never
            among them.
        functions: that the schema has beside the server's own.
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
    told = ask(queries["functions"])
    own = frozenset(name for name, immutable, *_ in told if immutable and not name.startswith("pg_"))
    known = (own - refuses) | reads
    columns = {name for (name,) in ask(queries["columns"])}
    return Readable(
        found,
        known | defined,
        shadowed=frozenset(name for name, _, added, *_ in told if added and name in known) - defined,
        types=_named(ask(queries["types"]), None),
        calls=frozenset(name for name, *_, takes in told if takes and name not in known),
        row_calls=frozenset(name for name, _, _, row, _ in told if row and name not in columns),
        operators=frozenset(name for (name,) in ask(queries["operators"])),
    )


def _named(rows: Iterable[Sequence[Any]], wanted: Collection[str] | None) -> frozenset[tuple[str, str]]:
    """Return what is wanted of (schema, name, does the name alone find it?), as `Readable.tables` has it."""
    there = [*rows]
    letters = {form for schema, name, _ in there for form in (name, f"{schema}.{name}")}
    any_case = {form.casefold() for form in wanted or () if form not in letters}
    found: set[tuple[str, str]] = set()
    for schema, name, visible in there:
        forms = (*((name,) if visible else ()), f"{schema}.{name}")
        meant = visible if wanted is None else any(f in wanted or f.casefold() in any_case for f in forms)
        if meant:
            found |= {(schema, name), ("", name)} if visible else {(schema, name)}
    return frozenset(found)
