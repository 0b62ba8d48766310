"""Writing a description file: what was found, for a person to mend."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ...schema.plain_names import spoken
from ...schema.schema import Column, Schema, Table
from ..column_profile import ColumnProfile
from ..database_profile import DatabaseProfile
from ..stored_as import stored_as

__all__ = ["description_text"]

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
# now = 2024-06-30T12:00:00  # what «last month» is seen from; the system's clock where it is not told
"""
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def description_text(schema: Schema, profile: DatabaseProfile) -> str:
    """Return a description file of a database as it was found; read back it changes nothing but what it says of keys.

    A key that the database does not declare is written out, and told to be one when the file is read.
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
        one = profile.column(table.name, column.name)
        if one is not None and one.doubt:
            settle = ' (first = "day" or "month" settles it)' if _ordered(one) else ""
            yield f"# doubtful: {' '.join(one.doubt.split())}{settle}"
        yield _column(table, column, one, profile)


def _column(table: Table, column: Column, one: ColumnProfile | None, profile: DatabaseProfile) -> str:
    fields = {"name": spoken(column.name, column.description)}
    if one is not None:
        fields["kind"] = one.kind
        if one.time is not None and _ordered(one) and not one.doubt:  # told, it is beyond doubt
            fields["first"] = one.time.form.removesuffix(" first")
        if one.flag is not None and one.kind == "flag":
            fields["yes"] = one.flag.yes
            fields |= {} if one.flag.no is None else {"no": one.flag.no}
    keys = [key for key in profile.keys_from(table.name) if key.columns == (column.name,)]
    if len(keys) == 1:  # what refers to several stays as it is found
        fields["refers"] = f"{keys[0].other}.{keys[0].references[0]}"
    told = ", ".join(f"{name} = {_text(value)}" for name, value in fields.items())
    stored = stored_as(one) if one is not None and one.kind != "flag" else ""
    return f"{_key(column.name)} = {{ {told} }}" + (f"  # {' '.join(stored.split())}" if stored else "")


def _ordered(profile: ColumnProfile) -> bool:
    return profile.time is not None and profile.time.form in ("day first", "month first")


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(text: str) -> str:
    """Return a basic string of TOML, which escapes as JSON does, but for the character that JSON leaves alone."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
