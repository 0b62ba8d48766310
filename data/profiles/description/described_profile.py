"""A profile as a description file changes it: kinds, flags, the order of day and month, keys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, get_args

from ...errors import did_you_mean
from ...formats.files import Record
from ...schema.schema import Schema
from ..column_profile import ColumnKind, ColumnProfile, FlagCells, TimeForm
from ..database_profile import DatabaseProfile, KeyProfile
from .entries import DescribedColumn, DescribedTable

__all__ = ["described_profile"]

_KINDS: tuple[str, ...] = get_args(ColumnKind)
_ORDERS: dict[str, TimeForm] = {"day": "day first", "month": "month first"}
_NUMERIC = re.compile(r"int|num|dec|real|doub|float|bit|bool", re.IGNORECASE)


def described_profile(schema: Schema, profile: DatabaseProfile, entries: Sequence[DescribedTable]) -> DatabaseProfile:
    """Return the profiles of what is shown, changed as they are told, with the keys of the schema.

    Args:
        schema: as it is described, without what is hidden.
        profile: as it was found.

    Raises:
        DomainError: a kind, a flag, an order or a scale is told that the column cannot have.
    """
    shown = {(table.name, column.name) for table, column in schema.columns()}
    columns = {place: one for place, one in profile.columns.items() if place in shown}
    for table in entries:
        for entry in table.columns:
            place = (table.table.name, entry.column.name)
            if place in shown:
                columns[place] = _changed(columns.get(place), entry)
    rows = {table: count for table, count in profile.rows.items() if any(table == t for t, _ in shown)}
    primary = {table: column for table, column in profile.primary_keys.items() if (table, column) in shown}
    denied = {(t.table.name, c.column.name) for t in entries for c in t.columns if c.tells("refers")}
    return DatabaseProfile(columns, rows, tuple(_keys(schema, profile, shown, denied)), primary)


def _keys(
    schema: Schema, profile: DatabaseProfile, shown: set[tuple[str, str]], told: set[tuple[str, str]]
) -> Iterable[KeyProfile]:
    """Yield the keys that were found but for those that are denied, and behind them those that are told anew.

    Args:
        told: columns of which the file says what they refer to.
    """
    wanted = {
        (table.name, key.columns[0]): (key.table, (key.references or schema.table(key.table).primary_key)[0])
        for table in schema.tables
        for key in table.foreign_keys
        if len(key.columns) == 1 and (table.name, key.columns[0]) in told
    }
    for key in profile.keys:
        ends = {(key.table, c) for c in key.columns} | {(key.other, c) for c in key.references}
        place = (key.table, key.columns[0])
        same = len(key.columns) > 1 or place not in told or wanted.get(place) == (key.other, key.references[0])
        if ends <= shown and same:
            wanted.pop(place, None)
            yield key
    for (table, column), (other, reference) in wanted.items():
        yield KeyProfile(table, (column,), other, (reference,), declared=False)


def _changed(profile: ColumnProfile | None, entry: DescribedColumn) -> ColumnProfile:
    record = entry.record
    before = profile or ColumnProfile("empty")
    kind = record.data.get("kind", before.kind)
    if kind not in _KINDS:
        hint = did_you_mean(str(kind), _KINDS) or f"use {', '.join(_KINDS)}"
        raise record.error(f"{kind!r} is no kind", "kind", hint)
    changed = before if kind == before.kind else replace(before, kind=kind, **_without(before, kind), doubt="")
    return _flagged(_ordered(_scaled(changed, record), record), entry)


def _without(profile: ColumnProfile, kind: str) -> dict[str, Any]:
    """Return what a column of another kind does not have: what is no time says none, and so on."""
    return {
        "time": profile.time if kind == "time" else None,
        "flag": profile.flag if kind == "flag" else None,
        "number": profile.number if kind == "amount" else None,
        "scale": profile.scale if kind == "amount" else 0,
    }


def _scaled(profile: ColumnProfile, record: Record) -> ColumnProfile:
    """Return a profile of what the column counts in, as is told."""
    if "scale" not in record.data:
        return profile
    scale = record.data["scale"]
    if not isinstance(scale, int) or isinstance(scale, bool) or scale < 1:
        raise record.error(f"{scale!r} is no whole number from 1 on", "scale", "write scale = 1000000 for millions")
    if profile.kind != "amount":
        raise record.error("the column is no amount", "scale", 'write kind = "amount" beside it')
    return replace(profile, scale=0 if scale == 1 else scale)


def _ordered(profile: ColumnProfile, record: Record) -> ColumnProfile:
    """Return a profile whose days or months stand first, as is told."""
    if "first" not in record.data:
        return profile
    form = _ORDERS.get(str(record.data["first"]))
    if form is None:
        raise record.error(f"{record.data['first']!r} is neither day nor month", "first")
    time = profile.time
    if time is None or time.form not in _ORDERS.values():
        raise record.error("its cells are no dates of which the day or the month could stand first", "first")
    read = time if time.form == form else replace(time, form=form, first="", last="")  # other days were seen
    return replace(profile, time=read, doubt="")


def _flagged(profile: ColumnProfile, entry: DescribedColumn) -> ColumnProfile:
    """Return a profile with the cells that say yes and no, as is told."""
    record, flag = entry.record, profile.flag
    if profile.kind != "flag":
        if told := next((name for name in ("yes", "no") if name in record.data), None):
            raise record.error("the column is no flag", told, 'write kind = "flag" beside it')
        return profile
    if flag is None and "yes" not in record.data:
        raise record.error("which cell says yes?", "kind", 'write yes = "…" beside it')
    yes = record.text("yes") if "yes" in record.data else flag.yes if flag else ""
    no = record.text("no") if "no" in record.data else flag.no if flag else None
    form = flag.form if flag else "number" if _NUMERIC.search(entry.column.type) else "text"
    told = FlagCells(yes, no, form)
    return profile if told == flag else replace(profile, flag=told, doubt="")
