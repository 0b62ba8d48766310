"""The profile of a database, from some rows of each table."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

from ..databases.database import Database
from ..schema.likely_keys import with_likely_keys
from ..schema.schema import Schema, Table
from .cells.cell_sample import CellSample, cell_text
from .cells.flag_cells import flag_of
from .cells.kinds import FoundColumn, is_sorting, kind_of
from .cells.number_texts import number_in
from .cells.scales import scale_of
from .cells.time_finding import DayOrder, Neighbours, TimeFinding, says_time
from .cells.time_storage import time_of
from .column_profile import ColumnProfile, TimeStorage
from .database_profile import DatabaseProfile
from .key_profiles import Containment, key_profiles
from .keys_by_cells import with_keys_by_cells
from .samples import TableSample, sample_tables

__all__ = ["profile_of"]

_EXAMPLES, _SHORT, _FEW = 5, 60, 8
_WORD = re.compile(r"[^\W\d_]{2}|[\u3400-\u9fff]")
_CLOCK = re.compile(r"\d([^\d:]{1,3})\d{1,2}:\d\d")
_DIFFERENT = 0.7

Times: TypeAlias = Mapping[tuple[str, str], TimeFinding]


def profile_of(database: Database, schema: Schema, *, narrowed: bool = False) -> DatabaseProfile:
    """Return what a database holds, from some hundred rows of each table; nothing is written.

    Args:
        database: opened.
        schema: whose tables and columns are looked at; no others are.
        narrowed: has the database more, that may not be read?

    Warns:
        UserWarning: which tables could not be read; their columns have no profile.
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
        (table.name, name): one
        for table in keyed.tables
        if table.name in samples
        for name, one in _columns(samples[table.name], table, referring[table.name], times).items()
    }
    rows = {name: sample.count for name, sample in samples.items() if sample.count is not None}
    primary = {
        table.name: table.primary_key[0]
        for before, table in zip(schema.tables, keyed.tables, strict=True)
        if table.primary_key and not before.primary_key
    }
    return DatabaseProfile(columns, rows, keys, primary)


def _times(samples: Iterable[TableSample]) -> dict[tuple[str, str], TimeFinding]:
    """Return which columns hold times; those that leave it open are asked again when their neighbours have told."""
    cells = [one for sample in samples for one in sample.cells.values()]
    first = {(one.table.name, one.column.name): time_of(one, Neighbours()) for one in cells}
    near = _neighbours(first)
    found: dict[tuple[str, str], TimeFinding] = {}
    for one in cells:
        place = (one.table.name, one.column.name)
        told = first[place]
        if (told is None and near[one.table.name].unix) or (told is not None and not told.forced):
            told = time_of(one, near[one.table.name])
        if told is not None:
            found[place] = replace(told, storage=_with_signs(told.storage, one)) if told.storage else told
    return found


def _with_signs(storage: TimeStorage, sample: CellSample) -> TimeStorage:
    """Return a storage with what stands where there is no time, and between a day and a time of day."""
    clock = next((told[1] for text in sample.texts if (told := _CLOCK.search(text))), " ")
    return replace(storage, gaps=bool(sample.nothing), clock=" " if storage.form == "iso" else clock)


def _neighbours(found: dict[tuple[str, str], TimeFinding | None]) -> dict[str, Neighbours]:
    """Return what the columns of each table tell, and where these are silent those of all tables, if they agree."""
    forced: dict[str, dict[str, dict[DayOrder, str]]] = defaultdict(lambda: defaultdict(dict))
    unix: set[str] = set()
    for (table, column), told in found.items():
        storage = told.storage if told else None
        if storage is None or told is None:
            continue
        if storage.form in ("unix", "unix ms"):
            unix.add(table)
        if told.forced and storage.form in ("day first", "month first"):
            order: DayOrder = "day first" if storage.form == "day first" else "month first"
            for where in (table, ""):
                forced[where][storage.separator].setdefault(order, f"{table}.{column}")
    tables = {table for table, _ in found}
    return {table: Neighbours(_agreed(forced[""]) | _agreed(forced[table]), unix=table in unix) for table in tables}


def _agreed(told: dict[str, dict[DayOrder, str]]) -> dict[str, tuple[DayOrder, str]]:
    return {separator: next(iter(orders.items())) for separator, orders in told.items() if len(orders) == 1}


def _columns(sample: TableSample, keyed: Table, keys: Iterable[str], times: Times) -> Mapping[str, ColumnProfile]:
    """Return the profiles of a table's columns.

    Args:
        keyed: the table with its likely keys.
        keys: columns that refer to other tables.
    """
    found = {
        name: _found(cells, name in keys or keyed.primary_key == (name,), times.get((keyed.name, name)))
        for name, cells in sample.cells.items()
    }
    if not any(one.named for one in found.values()):
        first = _naming(found)
        if first is not None:
            found[first] = replace(found[first], first=True)
    return {name: _profile(one) for name, one in found.items()}


def _naming(found: Mapping[str, FoundColumn]) -> str | None:
    """Return the column that names rows where none is called a name: the first that tells them apart.

    A place behind other texts says where rows belong; details name rows where nothing else does: shop_details.
    """
    texts = [name for name, one in found.items() if kind_of(one) in ("category", "text")]
    able = [name for name in texts if _names(found[name])]
    own = (n for n in able if not (found[n].told or found[n].sorting) and (n == texts[0] or not found[n].placed))
    return next(own, None) or next((name for name in able if found[name].brief), None)


def _names(found: FoundColumn) -> bool:
    """Are the cells of a column words, and different enough to tell rows from one another?"""
    if found.long or found.signs or not found.worded or found.sample.coded or found.number is not None:
        return False
    texts, rows = found.sample.texts, found.sample.rows
    words = sum(bool(_WORD.search(text)) for text in texts)
    return len(texts) > _DIFFERENT * rows and words > _DIFFERENT * len(texts) and found.sample.nulls <= rows // 10


def _found(sample: CellSample, key: bool, time: TimeFinding | None) -> FoundColumn:
    time = None if key and not says_time(sample) else time
    flag = None if time or key or is_sorting(sample) else flag_of(sample)
    number = None if time or key or (flag and flag.cells and flag.sure) else number_in(sample)
    sorts = is_sorting(sample) and len(sample.texts) < _FEW
    return FoundColumn(sample, key, time, flag, None if sorts else number)


def _profile(found: FoundColumn) -> ColumnProfile:
    sample, time, flag, number = found.sample, found.time, found.flag, found.number
    doubts = [one.doubt for one in (time, flag, number) if one and one.doubt]
    if bytes in sample.types:
        doubts.insert(0, "bytes" if not sample.types - {bytes} else "bytes among other cells")
    kind = kind_of(found)
    return ColumnProfile(
        kind,
        time.storage if time else None,
        flag.cells if flag else None,
        number.number if number else None,
        sample.nulls,
        sample.rows > 0 and max(sample.counts.values()) == 1,
        _examples(sample),
        doubts[0] if doubts else "",
        scale_of(sample) if kind == "amount" else 0,
    )


def _examples(sample: CellSample) -> tuple[str, ...]:
    """Return the most frequent cells, short ones if there are such; nothing of bytes."""
    texts = [cell_text(cell) for cell, _ in sample.counts.most_common(4 * _EXAMPLES) if not isinstance(cell, bytes)]
    texts = [text for text in texts if text.strip()]
    short = [text for text in texts if len(text) <= _SHORT]
    return tuple(short[:_EXAMPLES] or [f"{text[:_SHORT]}…" for text in texts[:1]])
