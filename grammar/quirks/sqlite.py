"""What SQLite takes names for where others do otherwise, each fact with a query that shows it (» marks the word)."""

from __future__ import annotations

from .quirks import Quirks

__all__ = ["SQLITE"]

SQLITE = Quirks(
    # SELECT people AS n FROM city GROUP BY id HAVING n > 1: runs
    aliases_in_having=True,
    # SELECT (SELECT MAX(id) AS people FROM state WHERE »people) FROM city: misuse of aggregate: MAX()
    aliases_everywhere=True,
    # SELECT COUNT(*) AS people FROM city GROUP BY people HAVING SUM(people) > 1: runs, on the column
    columns_before_outputs=True,
    # SELECT city.name FROM city, state UNION SELECT 'x' ORDER BY »name: ORDER BY term does not match any column
    outputs_need_as=True,
    # SELECT 1 FROM city WHERE EXISTS (SELECT 1 FROM state GROUP BY »people): no such column;
    # ON looks among the sources that are yet to come, too
    hidden_around=frozenset({"on", "group", "order"}),
    # SELECT 1 FROM river, state JOIN city USING (state_id): runs, on the columns of river and city
    comma_is_join=True,
    # SELECT 1 FROM (SELECT id FROM city): runs
    optional_alias=True,
)
