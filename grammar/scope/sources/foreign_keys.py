"""The columns by which tables refer to each other, and are referred to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ....data.schema.schema import Schema

__all__ = ["Columns", "Key", "Keys", "key_columns"]

Columns = tuple[str, ...]


class Key(NamedTuple):
    """The columns of a table that foreign keys refer to."""

    table: str
    columns: Columns


Keys = Mapping[str, Mapping[Key, frozenset[Columns]]]
"""For each table the keys that it has a part in, with its columns that equal the key's: its own, or what refers to it.

Of ``city.state_id``, which refers to ``state.id``: city: (state, id): state_id; state: (state, id): id.
"""


def key_columns(
    schema: Schema, called: Callable[[str], str], comparable: Callable[[tuple[str, str], tuple[str, str]], bool]
) -> Keys:
    """Return the keys of a schema's tables, by what ``called`` makes of names.

    Left out are those whose columns are not ``comparable`` with what they refer to, each given by table and column.
    """
    found: dict[str, dict[Key, set[Columns]]] = defaultdict(lambda: defaultdict(set))
    for table in schema.tables:
        own = called(table.name)
        for foreign in table.foreign_keys:
            key = Key(called(foreign.table), tuple(map(called, foreign.references)))
            columns = tuple(map(called, foreign.columns))
            pairs = zip(columns, key.columns, strict=False)
            if len(columns) == len(key.columns) and all(comparable((own, a), (key.table, b)) for a, b in pairs):
                found[own][key].add(columns)
                found[key.table][key].add(key.columns)
    return {table: {key: frozenset(columns) for key, columns in keys.items()} for table, keys in found.items()}
