"""Profiling: computes the profile of a database from a sample of each table, cached as JSON next to the value index."""

import json
import re
import warnings
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from ..data.databases.database import Database
from ..data.databases.schema_watch import cache_name, fingerprint_of
from ..data.errors import RunError
from ..data.schema.likely_keys import with_likely_keys
from ..data.schema.schema import Schema, Table
from ..data.shipped import cache_folder
from ..data.texts import made_of, plain_of
from ..data.whole_files import replacing
from .cell_sample import CellSample, cell_text, scale_of
from .flag_cells import flag_of
from .keys import Containment, key_profiles, with_keys_by_cells
from .kinds import FoundColumn, kind_of
from .number_texts import number_in
from .profile import ColumnProfile, DatabaseProfile, KeyProfile, NumberText, TimeStorage
from .samples import ROWS, TableSample, sample_tables
from .sql import patterns_of
from .time_finding import DayOrder, Neighbours, TimeFinding, says_time
from .time_storage import time_of

_EXAMPLES, _SHORT, _FEW = 5, 60, 8
_WORD = re.compile(r"[^\W\d_]{2}|[\u3400-\u9fff]")
_CLOCK = re.compile(r"\d([^\d:]{1,3})\d{1,2}:\d\d")
_DIFFERENT = 0.7

Times: TypeAlias = Mapping[tuple[str, str], TimeFinding]


def profile_of(database: Database, schema: Schema, *, narrowed: bool = False) -> DatabaseProfile:
    """Return the profile of a database, from some hundred rows of each table, without writing anything.

    Args:
        database: the open database.
        schema: the tables and columns to read; no others are read.
        narrowed: whether the database has further columns that may not be read.

    Warns:
        UserWarning: some tables could not be read, and their columns have no profile.
    """
    samples = sample_tables(database, schema, narrowed=narrowed)
    containment = Containment(database, samples)
    likely = with_likely_keys(schema, containment.share, containment.identifies)
    keyed = with_keys_by_cells(likely, containment)
    keys = key_profiles(schema, keyed, samples)
    referring: dict[str, set[str]] = defaultdict(set)
    for key in keys:
        referring[key.table].update(key.columns)
    times = _times(samples.values())
    columns = {
        (table.name, name): facts
        for table in keyed.tables
        if table.name in samples
        for name, facts in _columns(samples[table.name], table, referring[table.name], times).items()
    }
    rows = {name: sample.count for name, sample in samples.items() if sample.count is not None}
    primary = {
        table.name: table.primary_key[0]
        for before, table in zip(schema.tables, keyed.tables, strict=True)
        if table.primary_key and not before.primary_key
    }
    return DatabaseProfile(columns, rows, keys, primary)


def _times(samples: Iterable[TableSample]) -> dict[tuple[str, str], TimeFinding]:
    """Return the columns that hold times; ambiguous ones are decided in a second pass, with their neighbours."""
    cells = [column for sample in samples for column in sample.cells.values()]
    first = {(column.table.name, column.column.name): time_of(column, Neighbours()) for column in cells}
    near = _neighbours(first)
    findings: dict[tuple[str, str], TimeFinding] = {}
    for column in cells:
        place = (column.table.name, column.column.name)
        time = first[place]
        if (time is None and near[column.table.name].unix) or (time is not None and not time.sure):
            time = time_of(column, near[column.table.name])
        if time is not None:
            findings[place] = replace(time, storage=_with_signs(time.storage, column)) if time.storage else time
    return findings


def _with_signs(storage: TimeStorage, sample: CellSample) -> TimeStorage:
    """Return a storage with its placeholders and its separator of day and time of day."""
    clock = next((match[1] for text in sample.texts if (match := _CLOCK.search(text))), " ")
    return replace(storage, gaps=bool(sample.nothing), clock=" " if storage.form == "iso" else clock)


def _neighbours(findings: dict[tuple[str, str], TimeFinding | None]) -> dict[str, Neighbours]:
    """Return the evidence of each table's columns, or where it has none that of all tables, if they agree."""
    forced: dict[str, dict[str, dict[DayOrder, str]]] = defaultdict(lambda: defaultdict(dict))
    unix: set[str] = set()
    for (table, column), finding in findings.items():
        storage = finding.storage if finding else None
        if storage is None or finding is None:
            continue
        if storage.form in ("unix", "unix ms"):
            unix.add(table)
        if finding.sure and storage.form in ("day first", "month first"):
            order: DayOrder = "day first" if storage.form == "day first" else "month first"
            for where in (table, ""):
                forced[where][storage.separator].setdefault(order, f"{table}.{column}")
    tables = {table for table, _ in findings}
    return {table: Neighbours(_agreed(forced[""]) | _agreed(forced[table]), unix=table in unix) for table in tables}


def _agreed(by_separator: dict[str, dict[DayOrder, str]]) -> dict[str, tuple[DayOrder, str]]:
    return {separator: next(iter(orders.items())) for separator, orders in by_separator.items() if len(orders) == 1}


def _columns(sample: TableSample, keyed: Table, keys: Iterable[str], times: Times) -> Mapping[str, ColumnProfile]:
    """Return the profiles of a table's columns.

    Args:
        keyed: the table with its likely keys.
        keys: the columns that refer to other tables.
    """
    columns = {
        name: _found(cells, name in keys or keyed.primary_key == (name,), times.get((keyed.name, name)))
        for name, cells in sample.cells.items()
    }
    if not any(column.named for column in columns.values()):
        first = _naming(columns)
        if first is not None:
            columns[first] = replace(columns[first], first=True)
    return {name: _profile(column) for name, column in columns.items()}


def _naming(columns: Mapping[str, FoundColumn]) -> str | None:
    """Return the column that names rows where no column is called a name: the first that identifies them.

    A place after other texts is a group of rows; details are names only if no other column is: shop_details.
    """
    texts = [name for name, column in columns.items() if kind_of(column) in ("category", "text")]
    able = [name for name in texts if _names(columns[name])]
    own = (
        n
        for n in able
        if not (columns[n].details or columns[n].sample.sorting) and (n == texts[0] or not columns[n].placed)
    )
    return next(own, None) or next((name for name in able if columns[name].brief), None)


def _names(column: FoundColumn) -> bool:
    """Are the cells of a column words, and distinct enough to identify rows?"""
    if column.long or column.signs or not column.worded or column.sample.coded or column.number is not None:
        return False
    texts, rows = column.sample.texts, column.sample.rows
    words = sum(bool(_WORD.search(text)) for text in texts)
    return len(texts) > _DIFFERENT * rows and words > _DIFFERENT * len(texts) and column.sample.nulls <= rows // 10


def _found(sample: CellSample, key: bool, time: TimeFinding | None) -> FoundColumn:
    time = None if key and not says_time(sample) else time
    flag = None if time or key or sample.sorting else flag_of(sample)
    number = None if time or key or (flag and flag.storage and flag.sure) else number_in(sample)
    sorts = sample.sorting and len(sample.texts) < _FEW
    return FoundColumn(sample, key, time, flag, None if sorts else number)


def _profile(column: FoundColumn) -> ColumnProfile:
    sample, time, flag, number = column.sample, column.time, column.flag, column.number
    doubts = [finding.doubt for finding in (time, flag, number) if finding and finding.doubt]
    if bytes in sample.types:
        doubts.insert(0, "bytes" if not sample.types - {bytes} else "bytes among other cells")
    kind = kind_of(column)
    return ColumnProfile(
        kind,
        time.storage if time else None,
        flag.storage if flag else None,
        number.storage if number else None,
        sample.nulls,
        sample.rows > 0 and max(sample.counts.values()) == 1,
        _examples(sample),
        doubts[0] if doubts else "",
        scale_of(sample) if kind == "amount" else 0,
    )


def _examples(sample: CellSample) -> tuple[str, ...]:
    """Return the most frequent cells, short ones if possible; none if they are bytes."""
    texts = [cell_text(cell) for cell, _ in sample.counts.most_common(4 * _EXAMPLES) if not isinstance(cell, bytes)]
    texts = [text for text in texts if text.strip()]
    short = [text for text in texts if len(text) <= _SHORT]
    return tuple(short[:_EXAMPLES] or [f"{text[:_SHORT]}…" for text in texts[:1]])


_SCALES = {10**3: "thousands", 10**6: "millions", 10**9: "billions"}


def stored_as(profile: ColumnProfile) -> str:
    """Return the label of a column's storage if it is a time, a flag, or a number in text or in millions, else "".

    >>> stored_as(ColumnProfile("flag", flag=FlagCells("Y", "N", "text")))
    'Y says yes, N no'
    """
    if profile.time is not None:
        label = patterns_of(profile.time, "").write("label", "")
        return f"{label} text" if profile.time.text and profile.time.form != "iso" else label
    if profile.flag is not None:
        no = profile.flag.no
        return f"{profile.flag.yes} says yes" + ("" if no is None else f", {no} no")
    words = [f"counts in {_SCALES.get(profile.scale, profile.scale)}"] if profile.scale else []
    return ", ".join(words if profile.number is None else [_number(profile.number), *words])


def key_words(key: KeyProfile) -> str:
    """Return the target and the cardinality of a key in words: ``customer.id, many to one, found, not declared``."""
    number = "many to one" if key.many else "one to one"
    return f"{key.other}.{', '.join(key.references)}, {number}{'' if key.declared else ', found, not declared'}"


def _number(number: NumberText) -> str:
    removed = [text.strip() or "blanks" for text in number.removed]
    words = [f"{' '.join(removed)} removed"] if removed else []
    words += ["decimal comma"] * number.decimal_comma
    words += [f"none is {' or '.join(map(repr, number.nothing))}"] * bool(number.nothing)
    return "number in text" + (f" ({', '.join(words)})" if words else "")


_FORMAT = "profile 12"
_SECONDS = 5.0  # the time limit for reading the rows of one table, including the wait for a lock


def open_profile(
    database: str | Path, schema: Schema, *, narrowed: bool = False, cache: Path | None = None, rebuild: bool = False
) -> DatabaseProfile:
    """Return the profile of a database from the cache, or compute it if there is none or the database has changed.

    Args:
        database: a SQLite file or a URL.
        schema: the tables and columns that may be read.
        narrowed: whether the database has further columns that may not be read.
        cache: the folder of cached files; None for that of the value index.
        rebuild: whether to compute it even if nothing seems changed.

    Raises:
        DatabaseError: the database does not exist or is locked.
        RunError: the profile cannot be written.

    Warns:
        UserWarning: some tables cannot be read, or take too long: they have no profile, and the profile is not cached.
    """
    folder = cache_folder() / "values" if cache is None else cache
    path = folder / f"{cache_name(database, schema)}.json"
    fingerprint = fingerprint_of(database, schema, _FORMAT)
    if not rebuild and (kept := _read(path, fingerprint)) is not None:
        return kept
    with Database.open(database, timeout=_SECONDS, max_rows=ROWS) as opened:
        profile = profile_of(opened, schema, narrowed=narrowed)
    if {table for table, _ in profile.columns} == {table.name for table in schema.tables}:
        _write(path, fingerprint, profile)
    return profile


def profile_to_json(profile: DatabaseProfile) -> dict[str, Any]:
    """Return a profile as lists and dicts for `profile_from_json`, without fields that have their defaults."""
    columns: dict[str, dict[str, Any]] = {}
    for (table, column), facts in profile.columns.items():
        columns.setdefault(table, {})[column] = plain_of(facts)
    return {**plain_of(replace(profile, columns={})), "columns": columns}


def profile_from_json(data: dict[str, Any]) -> DatabaseProfile:
    """Return the profile that `profile_to_json` wrote.

    Raises:
        KeyError, TypeError, AttributeError: the data is no profile.
    """
    tables = data["columns"].items()
    columns = {(table, name): made_of(ColumnProfile, fields) for table, own in tables for name, fields in own.items()}
    return replace(made_of(DatabaseProfile, {**data, "columns": {}}), columns=columns)


def _read(path: Path, fingerprint: str) -> DatabaseProfile | None:
    """Return the cached profile if it has the same fingerprint."""
    if not path.is_file():
        return None
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return profile_from_json(data) if data.pop("fingerprint") == fingerprint else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        warnings.warn(f"{path}: not a profile of this version; it is made anew", stacklevel=3)
        return None


def _write(path: Path, fingerprint: str, profile: DatabaseProfile) -> None:
    text = json.dumps({"fingerprint": fingerprint} | profile_to_json(profile), ensure_ascii=False)
    try:
        with replacing(path) as partial:
            partial.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        problem = f"the profile cannot be written: {error.strerror}"
        raise RunError(problem, file=path.parent, hint="give another folder as cache") from error
