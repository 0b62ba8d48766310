"""What SQLAlchemy tells of the tables of a live database, asked for all of a schema at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy.engine.reflection import ObjectKind, ObjectScope

from .left_out import LeftOut
from .namespaces import TablePlace

__all__ = ["ReflectedTable", "reflected"]

_Told = Mapping[str, Any]
_NAMED = ("name", "constrained_columns", "referred_columns", "column_names")


@dataclass(frozen=True)
class ReflectedTable:
    """One table or view, each part as the method of SQLAlchemy's inspector returns it that is named beside it."""

    columns: Sequence[_Told]  # get_columns
    primary_key: _Told  # get_pk_constraint
    foreign_keys: Sequence[_Told]  # get_foreign_keys
    unique: Sequence[_Told]  # get_unique_constraints
    indexes: Sequence[_Told]  # get_indexes
    comment: _Told  # get_table_comment


def reflected(inspector: Any, places: Sequence[TablePlace], left_out: LeftOut) -> dict[TablePlace, ReflectedTable]:
    """Ask an inspector of SQLAlchemy's for what is at some places.

    A table at a time takes eight queries each, half a minute for hundreds of tables; they are only asked so where one
    of them makes the question about all fail. One that was dropped meanwhile is left out.
    """
    found: dict[TablePlace, ReflectedTable] = {}
    mysql = inspector.dialect.name in {"mysql", "mariadb"}
    for schema in dict.fromkeys(place.namespace for place in places):
        here = {place.own_name: place for place in places if place.namespace == schema}
        ask = partial(_asked, schema or None, here, left_out)
        columns = ask("", inspector.get_multi_columns)
        primary = ask("keys", inspector.get_multi_pk_constraint)
        foreign = ask("keys to others", inspector.get_multi_foreign_keys)
        unique = ask("unique constraints", inspector.get_multi_unique_constraints)
        indexes = ask("indexes", inspector.get_multi_indexes)
        comments = ask("comment", inspector.get_multi_table_comment)
        for own, place in here.items():
            where = (schema or None, own)
            if where not in columns:
                continue
            told: list[Any] = [columns[where], primary.get(where, {"constrained_columns": ()}), foreign.get(where, ())]
            told += [unique.get(where, ()), indexes.get(where, ()), comments.get(where, {"text": None})]
            found[place] = ReflectedTable(*(map(_spelled, told) if mysql else told))
    return found


def _spelled(told: Any) -> Any:
    """Return what SQLAlchemy tells with the names as they are: it leaves a backtick in those of MySQL's doubled."""
    if isinstance(told, list):
        return [_spelled(one) for one in told]
    if isinstance(told, dict):
        return {key: _spelled(value) if key in _NAMED else value for key, value in told.items()}
    return told.replace("``", "`") if isinstance(told, str) else told


def _asked(
    schema: str | None, here: Mapping[str, TablePlace], left_out: LeftOut, what: str, ask: Callable[..., Any]
) -> Mapping[tuple[str | None, str], Any]:
    """Return what a question about all tables of a schema tells of each; about one at a time if that fails."""
    which = {"schema": schema, "kind": ObjectKind.ANY, "scope": ObjectScope.ANY}
    try:
        return ask(filter_names=[*here], **which)
    except Exception:  # which table it is about, the single questions tell
        told = [
            left_out.tried(f"{what} of {place.name}" if what else place.name, {}, ask, filter_names=[own], **which)
            for own, place in here.items()
        ]
        return {where: one for each in told for where, one in each.items()}
