"""Reading a description file, over the schema and the profile of its database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from pathlib import Path
from typing import TypeAlias

from ...formats.files import Record, read_toml
from ...schema.schema import Schema
from ..database_profile import DatabaseProfile
from .described_profile import described_profile
from .described_schema import called_in, described_schema
from .entries import DescribedTable, sections

__all__ = ["Described", "read_description"]

Place: TypeAlias = tuple[str, str | None]


@dataclass(frozen=True)
class Described:
    """A database as a person describes it.

    Attributes:
        schema: with names in words as descriptions, keys that are told, and without what is hidden.
        profile: of what is not hidden, with the kinds, flags and orders of day and month that are told.
        now: what «last month» is seen from; None is the system's clock.
        fiscal_month: the month in which the fiscal year begins.
        names: other names by table and column (None of the table itself), then by language: en, zh.
    """

    schema: Schema
    profile: DatabaseProfile
    now: datetime | None = None
    fiscal_month: int = 1
    names: Mapping[Place, Mapping[str, tuple[str, ...]]] = field(
        default_factory=dict[Place, Mapping[str, tuple[str, ...]]]
    )

    def schema_in(self, language: str) -> Schema:
        """Return the schema as those call it who ask in a language; see `called_in`."""
        return called_in(self.schema, {place: told.get(language, ()) for place, told in self.names.items()}, language)

    def called(self, language: str) -> Mapping[Place, tuple[str, ...]]:
        """Return the other names, those in a language first."""
        order = {place: sorted(told, key=lambda one: one != language) for place, told in self.names.items()}
        return {place: tuple(n for one in order[place] for n in told[one]) for place, told in self.names.items()}


def read_description(path: Path, schema: Schema, profile: DatabaseProfile) -> Described:
    """Read a description file, as `description_text` writes it; what it does not say stays as it is.

    Args:
        path: of the TOML file.
        schema: of the database, narrowed to what may be read.
        profile: of the same tables.

    Raises:
        DomainError: it cannot be read, or names what does not exist; file, table and column are told.
    """
    top = Record(read_toml(path), path)
    top.known(("now", "fiscal_month", "tables"))
    tables = [DescribedTable.of(entry, name, schema) for name, entry in sections(top, "tables")]
    changed = described_schema(schema, tables)
    shown = described_profile(changed, profile, tables)
    names: dict[Place, Mapping[str, tuple[str, ...]]] = {(t.table.name, None): t.names for t in tables if t.names}
    names |= {(t.table.name, c.column.name): c.names for t in tables for c in t.columns if c.names}
    return Described(changed, shown, _now(top), _fiscal_month(top), names)


def _now(top: Record) -> datetime | None:
    now: object = top.data.get("now")
    if now is None or isinstance(now, datetime):
        return now
    if isinstance(now, date):
        return datetime.combine(now, time())
    raise top.error(f"{now!r} is no time", "now", "write 2024-06-30 or 2024-06-30T12:00:00, without quotes")


def _fiscal_month(top: Record) -> int:
    month: object = top.data.get("fiscal_month", 1)
    if not isinstance(month, int) or isinstance(month, bool) or not 1 <= month <= 12:
        raise top.error(f"{month!r} is no month", "fiscal_month", "write 1 to 12")
    return month
