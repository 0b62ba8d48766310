"""What SQLAlchemy tells of the tables of a live database, asked for all of a schema at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy.engine.reflection import ObjectKind, ObjectScope

from .readable import TablePlace
from .rights import LeftOut

__all__ = ["ReflectedTable", "reflected"]

_Told = Mapping[Any, Any]
_PARTS = ("columns", "pk_constraint", "foreign_keys", "indexes", "table_comment")  # what is unique has an index
_NONE: tuple[Any, ...] = ({"constrained_columns": ()}, (), (), {"text": None})
_NAMED = ("name", "constrained_columns", "referred_columns", "column_names")


@dataclass(frozen=True)
class ReflectedTable:
    """One table or view, each part as SQLAlchemy's inspector returns it, in the order of ``_PARTS``."""

    columns: Sequence[_Told]
    primary_key: _Told
    foreign_keys: Sequence[_Told]
    indexes: Sequence[_Told]
    comment: _Told


def reflected(inspector: Any, places: Sequence[TablePlace], left_out: LeftOut) -> dict[TablePlace, ReflectedTable]:
    """Ask an inspector of SQLAlchemy's for what is at some places.

    A table at a time takes eight queries each, half a minute for hundreds of tables; they are only asked so where one
    of them makes the question about all fail. One that was dropped meanwhile is left out.
    """
    found: dict[TablePlace, ReflectedTable] = {}
    mysql = inspector.dialect.name in {"mysql", "mariadb"}
    for schema in dict.fromkeys(place.namespace for place in places):
        here = {place.own_name: place for place in places if place.namespace == schema}
        which: dict[str, Any] = {"schema": schema or None, "kind": ObjectKind.ANY, "scope": ObjectScope.ANY}
        columns, *others = (
            _asked(partial(getattr(inspector, f"get_multi_{part}"), **which), part, here, left_out) for part in _PARTS
        )
        for own, place in here.items():
            where = (schema or None, own)
            if where in columns:
                told = [columns[where], *(part.get(where, none) for part, none in zip(others, _NONE, strict=True))]
                found[place] = ReflectedTable(*(map(_spelled, told) if mysql else told))
    return found


def _spelled(told: Any) -> Any:
    """Return what SQLAlchemy tells with the names as they are: it leaves a backtick in those of MySQL's doubled."""
    if isinstance(told, list):
        return [_spelled(one) for one in told]
    if isinstance(told, dict):
        return {key: _spelled(value) if key in _NAMED else value for key, value in told.items()}
    return told.replace("``", "`") if isinstance(told, str) else told


def _asked(ask: Callable[..., _Told], part: str, here: Mapping[str, TablePlace], left_out: LeftOut) -> _Told:
    """Return a part of each table of a schema."""
    told = {own: f"{part.replace('_', ' ')} of {place.name}" for own, place in here.items()}
    return left_out.tried_at_once(told, lambda owns: ask(filter_names=owns))
