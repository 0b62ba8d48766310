"""What SQLite takes names for where others do otherwise, each fact with a query that shows it (» marks the word)."""

from __future__ import annotations

from .quirks import Quirks

__all__ = ["SQLITE"]

SQLITE = Quirks(
    # SELECT people AS n FROM city GROUP BY id HAVING n > 1: runs
    aliases_in_having=True,
    # SELECT (SELECT MAX(id) AS people FROM state WHERE »people) FROM city: misuse of aggregate: MAX()
    aliases_everywhere=True,
    # SELECT city.name FROM city, state ORDER BY »name: ambiguous column name
    outputs_need_as=True,
    # SELECT 1 FROM city WHERE EXISTS (SELECT 1 FROM state GROUP BY »people): no such column
    hidden_around=frozenset({"on", "group", "order"}),
    # SELECT 1 FROM city AS c, state AS s JOIN river ON c.id = length: runs
    comma_is_join=True,
    # SELECT 1 FROM (SELECT id FROM city): runs
    optional_alias=True,
)
