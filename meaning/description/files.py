"""Description files: written from the detected profile for a person to edit, and applied when they are read."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from ...data.records import Record, read_toml
from ...data.schema.plain_names import spoken
from ...data.schema.schema import Column, Schema, Table
from ..profile import ColumnProfile, DatabaseProfile
from ..profiling import stored_as
from .described import DescribedTable, called_in, described_profile, described_schema, synonyms

Place: TypeAlias = tuple[str, str | None]


@dataclass(frozen=True)
class Described:
    """The schema and profile of a database after the changes of a description file.

    Attributes:
        schema: the schema with described names and keys, without hidden tables and columns.
        profile: the profile of visible columns, with the described kinds, flags and orders of day and month.
        now: the time that «last month» is relative to; None for the system's clock.
        fiscal_month: the month in which the fiscal year begins.
        names: the synonyms by table and column (None for the table itself), then by language: en, zh.
    """

    schema: Schema
    profile: DatabaseProfile
    now: datetime | None = None
    fiscal_month: int = 1
    names: Mapping[Place, Mapping[str, tuple[str, ...]]] = field(
        default_factory=dict[Place, Mapping[str, tuple[str, ...]]]
    )

    def schema_in(self, language: str) -> Schema:
        """Return the schema with names in a language; see `called_in`."""
        return called_in(self.schema, {place: terms.get(language, ()) for place, terms in self.names.items()}, language)

    def called(self, language: str) -> Mapping[Place, tuple[str, ...]]:
        """Return the synonyms, those in a language first."""
        order = {place: sorted(terms, key=lambda key: key != language) for place, terms in self.names.items()}
        return {place: tuple(n for key in order[place] for n in terms[key]) for place, terms in self.names.items()}


def read_description(path: Path, schema: Schema, profile: DatabaseProfile) -> Described:
    """Read a description file, as `description_text` writes it; fields that it does not set stay unchanged.

    Args:
        path: the path of the TOML file.
        schema: the part of the schema that may be read.
        profile: the profile of the same tables.

    Raises:
        DomainError: it cannot be read, or names a table or column that does not exist, with file, table and column.
    """
    top = Record(read_toml(path), path)
    top.known(("now", "fiscal_month", "tables"))
    tables = [DescribedTable.of(entry, name, schema) for name, entry in top.tables("tables").items()]
    changed = described_schema(schema, tables)
    visible = described_profile(changed, profile, tables)
    records: dict[Place, Record] = {(t.table.name, None): t.record for t in tables}
    records |= {(t.table.name, name): record for t in tables for name, record in t.columns.items()}
    names = {place: terms for place, record in records.items() if (terms := synonyms(record))}
    return Described(changed, visible, top.moment("now"), top.whole("fiscal_month", 1, 12, 1), names)


_HEAD = """\
# What the tables and columns of {name} mean. Mend it; what is deleted stays as it was found.
#
# name     in words, as people say it; en, zh: other names, ["turnover", "takings"]
# hidden   true: no query reads it
# kind     key, name, category, flag, amount, code, time, text, empty
# first    "day" or "month": what stands first in dates as 03/02/2024
# scale    what an amount counts in: 1000000 for millions, 1 for no more than itself
# yes, no  the cells of a flag
# refers   the column that a key leads to, "customer.id"; "" if to none
# key      of a table: the columns that tell its rows apart

fiscal_month = 1  # in which the fiscal year begins
# now = 2024-06-30T12:00:00  # what «last month» is seen from; the system's clock if there is none
"""
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def description_text(schema: Schema, profile: DatabaseProfile) -> str:
    """Return a description file of the detected profile; reading it back changes nothing except keys.

    A key that the database does not declare is written out, and counts as described when the file is read.
    """
    parts = [_HEAD.format(name=schema.name or "a database")]
    parts += ["\n".join(_table(table, profile)) + "\n" for table in schema.tables]
    return "\n".join(parts)


def _table(table: Table, profile: DatabaseProfile) -> Iterator[str]:
    where = f"tables.{_key(table.name)}"
    yield f"[{where}]"
    yield f"name = {_text(spoken(table.name, table.description))}"
    if table.primary_key:
        yield f"key = [{', '.join(map(_text, table.primary_key))}]"
    yield f"[{where}.columns]"
    for column in table.columns:
        facts = profile.column(table.name, column.name)
        if facts is not None and facts.doubt:
            settle = ' (first = "day" or "month" settles it)' if _ordered(facts) else ""
            yield f"# doubtful: {' '.join(facts.doubt.split())}{settle}"
        yield _column(table, column, facts, profile)


def _column(table: Table, column: Column, facts: ColumnProfile | None, profile: DatabaseProfile) -> str:
    fields = {"name": spoken(column.name, column.description)}
    if facts is not None:
        fields["kind"] = facts.kind
        if facts.time is not None and _ordered(facts) and not facts.doubt:  # a described order has no doubt
            fields["first"] = facts.time.form.removesuffix(" first")
        if facts.flag is not None and facts.kind == "flag":
            fields["yes"] = facts.flag.yes
            fields |= {} if facts.flag.no is None else {"no": facts.flag.no}
    keys = [key for key in profile.keys_from(table.name) if key.columns == (column.name,)]
    if len(keys) == 1:  # a column that refers to several tables keeps its detected keys
        fields["refers"] = f"{keys[0].other}.{keys[0].references[0]}"
    fields_text = ", ".join(f"{name} = {_text(value)}" for name, value in fields.items())
    stored = stored_as(facts) if facts is not None and facts.kind != "flag" else ""
    return f"{_key(column.name)} = {{ {fields_text} }}" + (f"  # {' '.join(stored.split())}" if stored else "")


def _ordered(profile: ColumnProfile) -> bool:
    return profile.time is not None and profile.time.form in ("day first", "month first")


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(text: str) -> str:
    """Return a basic string of TOML, which is escaped like JSON except for a character that JSON does not escape."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
