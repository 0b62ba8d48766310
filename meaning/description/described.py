"""Checks a description file against the schema, and applies it to the schema and the profile."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from ...data.errors import did_you_mean
from ...data.records import Record
from ...data.schema.plain_names import spoken
from ...data.schema.schema import ByName, Column, ForeignKey, NamedT, Schema, Table
from ..profile import ColumnKind, ColumnProfile, DatabaseProfile, FlagCells, KeyProfile, TimeForm

_TABLE_FIELDS = ("name", "en", "zh", "hidden", "key", "columns")
_COLUMN_FIELDS = ("name", "en", "zh", "hidden", "kind", "first", "scale", "yes", "no", "refers")


@dataclass(frozen=True)
class DescribedTable:
    """The description of a table, and the records of its columns by their names."""

    table: Table
    record: Record
    columns: Mapping[str, Record]

    @classmethod
    def of(cls, record: Record, name: str, schema: Schema) -> DescribedTable:
        """Read the description of a table.

        Raises:
            DomainError: there is no such table or column, or a field is unknown or wrong.
        """
        table = _named(record, schema.by_name, name, f"there is no table {name!r}")
        record.known(_TABLE_FIELDS)
        columns: dict[str, Record] = {}
        for column, entry in record.tables("columns", 'write column = { name = "…" }').items():
            problem = f"table {table.name!r} has no column {column!r}"
            columns[_named(entry, table.by_name, column, problem).name] = entry
            entry.known(_COLUMN_FIELDS)
        return cls(table, record, columns)


def _named(record: Record, among: ByName[NamedT], name: str, problem: str, field: str | None = None) -> NamedT:
    """Return what is called so.

    Raises:
        DomainError: nothing is, which is the problem.
    """
    found = among.get(name)
    if found is None:
        raise record.error(problem, field, did_you_mean(name, among.names))
    return found


def synonyms(record: Record) -> Mapping[str, tuple[str, ...]]:
    """Return the synonyms of a table or column by language, ``en`` and ``zh``."""
    by_language = {language: record.texts(language) for language in ("en", "zh")}
    return {language: names for language, names in by_language.items() if names}


_OF = {"time": "time", "flag": "flag", "number": "amount", "scale": "amount"}  # fields by the kind that has them
_ORDERS: dict[str, TimeForm] = {"day": "day first", "month": "month first"}
_NUMERIC = re.compile(r"int|num|dec|real|doub|float|bit|bool", re.IGNORECASE)


def described_profile(schema: Schema, profile: DatabaseProfile, entries: Sequence[DescribedTable]) -> DatabaseProfile:
    """Return the profile with the described changes, without hidden columns, and with the keys of the schema.

    Args:
        schema: the described schema, without hidden tables and columns.
        profile: the detected profile.

    Raises:
        DomainError: a column cannot have the described kind, flag, order or scale.
    """
    detected, visible = profile.only(schema), {(table.name, column.name) for table, column in schema.columns()}
    described = {(t.table.name, name): (record, t.table) for t in entries for name, record in t.columns.items()}
    changed = {
        place: _changed(detected.columns.get(place), record, table.column(place[1]))
        for place, (record, table) in described.items()
        if place in visible
    }
    edited = {place for place, (record, _) in described.items() if "refers" in record.data}
    keys = tuple(_keys(schema, detected, edited))
    return replace(detected, columns={**detected.columns, **changed}, keys=keys)


def _keys(schema: Schema, profile: DatabaseProfile, described: set[tuple[str, str]]) -> Iterable[KeyProfile]:
    """Yield the detected keys that are not denied, then the keys that the file adds.

    Args:
        described: the columns whose references the file sets.
    """
    wanted = {
        (table.name, key.columns[0]): (key.table, (key.references or schema.table(key.table).primary_key)[0])
        for table in schema.tables
        for key in table.foreign_keys
        if len(key.columns) == 1 and (table.name, key.columns[0]) in described
    }
    for key in profile.keys:
        place = (key.table, key.columns[0])
        if len(key.columns) > 1 or place not in described or wanted.get(place) == (key.other, key.references[0]):
            wanted.pop(place, None)
            yield key
    for (table, column), (target, reference) in wanted.items():
        yield KeyProfile(table, (column,), target, (reference,), declared=False)


def _changed(profile: ColumnProfile | None, record: Record, column: Column) -> ColumnProfile:
    """Return the profile of a column with the changes of its record."""
    before = profile or ColumnProfile("empty")
    kind = record.choice("kind", get_args(ColumnKind), record.data.get("kind", before.kind))
    changed = before
    if kind != before.kind:  # a column that is no time has no storage, and so on
        gone: dict[str, Any] = {field: None if field != "scale" else 0 for field, of in _OF.items() if of != kind}
        changed = replace(before, kind=kind, doubt="", **gone)
    return _flagged(_ordered(_scaled(changed, record), record), record, column)


def _scaled(profile: ColumnProfile, record: Record) -> ColumnProfile:
    """Return a profile with the described scale."""
    if "scale" not in record.data:
        return profile
    scale = record.whole("scale", 1, None, 1)
    if profile.kind != "amount":
        raise record.error("the column is no amount", "scale", 'write kind = "amount" beside it')
    return replace(profile, scale=0 if scale == 1 else scale)


def _ordered(profile: ColumnProfile, record: Record) -> ColumnProfile:
    """Return a profile with the described order of day and month."""
    if "first" not in record.data:
        return profile
    form = _ORDERS[record.choice("first", tuple(_ORDERS), record.data["first"])]
    time = profile.time
    if time is None or time.form not in _ORDERS.values():
        raise record.error("its cells are no dates of which the day or the month could stand first", "first")
    read = time if time.form == form else replace(time, form=form, first="", last="")  # other days were seen
    return replace(profile, time=read, doubt="")


def _flagged(profile: ColumnProfile, record: Record, column: Column) -> ColumnProfile:
    """Return a profile with the described cells for yes and no."""
    flag = profile.flag
    if profile.kind != "flag":
        if cells := next((name for name in ("yes", "no") if name in record.data), None):
            raise record.error("the column is no flag", cells, 'write kind = "flag" beside it')
        return profile
    if flag is None and "yes" not in record.data:
        raise record.error("which cell says yes?", "kind", 'write yes = "…" beside it')
    yes = record.text("yes") if "yes" in record.data else flag.yes if flag else ""
    no = record.text("no") if "no" in record.data else flag.no if flag else None
    form = flag.form if flag else "number" if _NUMERIC.search(column.type) else "text"
    cells = FlagCells(yes, no, form)
    return profile if cells == flag else replace(profile, flag=cells, doubt="")


_HAN = re.compile(r"[\u3400-\u9fff]")


def described_schema(schema: Schema, entries: Sequence[DescribedTable]) -> Schema:
    """Return the described schema, without hidden tables and columns.

    Raises:
        DomainError: a key names a table or column that does not exist, or everything is hidden.
    """
    by_table = {entry.table.name: entry for entry in entries}
    names = [(table.name, column.name) for table, column in schema.columns()]
    places = {".".join(name).lower(): name for name in names} | {".".join(name): name for name in names}
    tables = tuple(_table(t, by_table[t.name], schema, places) if t.name in by_table else t for t in schema.tables)
    hidden = {name: _hidden(entry) for name, entry in by_table.items()}
    kept = {t.name: [c.name for c in t.columns if c.name not in hidden.get(t.name, set())] for t in tables}
    kept = {table: columns for table, columns in kept.items() if columns}
    if not kept:
        raise replace(entries[0].record, name="").error("everything is hidden", hint="leave a table")
    return replace(schema, tables=tables).part(kept)


def called_in(schema: Schema, names: Mapping[tuple[str, str | None], Sequence[str]], language: str) -> Schema:
    """Return a schema with names in a language: a name in another language is replaced by its first synonym.

    Args:
        names: the synonyms in that language, by table and column, which is None for the table itself.
        language: ``zh``, or another language, whose names have no Chinese characters.
    """

    def name(identifier: str, description: str, synonyms: Sequence[str]) -> str:
        foreign = bool(_HAN.search(spoken(identifier, description))) != (language == "zh")
        return synonyms[0] if synonyms and foreign else description

    def column(table: Table, old: Column) -> Column:
        return replace(old, description=name(old.name, old.description, names.get((table.name, old.name), ())))

    tables = (
        replace(
            table,
            description=name(table.name, table.description, names.get((table.name, None), ())),
            columns=tuple(column(table, old) for old in table.columns),
        )
        for table in schema.tables
    )
    return replace(schema, tables=tuple(tables))


def _table(table: Table, entry: DescribedTable, schema: Schema, places: Mapping[str, tuple[str, str]]) -> Table:
    columns = entry.columns
    return replace(
        table,
        description=_described(entry.record, table.name, table.description),
        columns=tuple(
            replace(c, description=_described(columns[c.name], c.name, c.description)) if c.name in columns else c
            for c in table.columns
        ),
        primary_key=tuple(
            _named(entry.record, table.by_name, name, f"there is no column {name!r}", "key").name
            for name in entry.record.texts("key")
        )
        if "key" in entry.record.data
        else table.primary_key,
        foreign_keys=tuple(_foreign_keys(table, entry, schema, places)),
    )


def _foreign_keys(
    table: Table, entry: DescribedTable, schema: Schema, places: Mapping[str, tuple[str, str]]
) -> Iterator[ForeignKey]:
    """Yield the keys of a table, with edited keys in place of their old ones, then the new keys."""
    referring = {name: record for name, record in entry.columns.items() if "refers" in record.data}
    edits = {name.lower(): (name, _reference(record, places)) for name, record in referring.items()}
    for key in table.foreign_keys:
        name = key.columns[0].lower() if len(key.columns) == 1 else ""
        if name not in edits:
            yield key
            continue
        column, there = edits.pop(name)
        target = schema.by_name.get(key.table)
        before = (key.table, key.references or (target.primary_key if target else ()))
        if there is not None:
            yield key if there == before and column in key.columns else ForeignKey((column,), *there)
    yield from (ForeignKey((column,), *there) for column, there in edits.values() if there is not None)


def _described(record: Record, name: str, description: str) -> str:
    """Return a described name, or the present description if the file has no name or the same."""
    words = record.text("name", "") if "name" in record.data else ""
    return description if words in ("", spoken(name, description)) else words


def _reference(record: Record, places: Mapping[str, tuple[str, str]]) -> tuple[str, tuple[str]] | None:
    """Return the table and column that a column refers to, None if the file says that it refers to none."""
    text = str(record.data["refers"])
    if text == "":
        return None
    place = places.get(text) or places.get(text.lower())
    if place is None:
        hint = did_you_mean(text, [f"{table}.{column}" for table, column in places.values()]) or 'write "table.column"'
        raise record.error(f"there is no column {text!r}", "refers", hint)
    return place[0], (place[1],)


def _hidden(entry: DescribedTable) -> set[str]:
    """Return the hidden columns, which are all columns of a hidden table."""
    if entry.record.truth("hidden"):
        return {column.name for column in entry.table.columns}
    return {name for name, record in entry.columns.items() if record.truth("hidden")}
