"""What PostgreSQL takes names for where others do otherwise, each fact with a query that shows it."""

from __future__ import annotations

from .quirks import Quirks

__all__ = ["POSTGRES"]

POSTGRES = Quirks(
    # SELECT LOWER(name) AS name, COUNT(*) FROM city GROUP BY name: runs, on the column
    columns_before_outputs=True,
    # SELECT name FROM city GROUP BY id: runs, where id is the primary key
    key_groups_table=True,
    # SELECT * FROM wide »ORDER BY id + 1: keys are entries of the target list, which has 1664 of them at most
    sort_keys_are_columns=True,
)
