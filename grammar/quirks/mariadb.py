"""What MariaDB takes names for where others do otherwise, each fact with a query that shows it (» marks the word).

The dialect is called mysql; MySQL itself has not been run yet.
"""

from __future__ import annotations

from .quirks import Quirks

__all__ = ["MARIADB"]

MARIADB = Quirks(
    # SELECT people AS n FROM city GROUP BY people HAVING n > 1: runs
    aliases_in_having=True,
    # SELECT 1 UNION SELECT MAX(people) AS state_id FROM city NATURAL JOIN river GROUP BY »state_id:
    # Can't group on 'state_id'
    operands_have_outputs=True,
    # SELECT 1 FROM city, state GROUP BY city.id, state.id HAVING »city.id: Unknown column 'city.id' in 'HAVING'
    having_sees_outputs_only=True,
    # SELECT EXISTS (SELECT 1 FROM state GROUP BY area HAVING »city.people), city.people FROM city: forward reference
    having_seeks_coming_items=True,
    # SELECT people FROM city GROUP BY people HAVING EXISTS (SELECT 1 FROM state ORDER BY »people): this one runs, but
    # long queries were met where ORDER BY and ON do not find what groups the query around
    hidden_around=frozenset({"on", "order"}),
    # SELECT 1 FROM city CROSS JOIN state JOIN river USING (state_id) JOIN state AS s ON »state_id:
    # Column 'state_id' in ON is ambiguous
    merged_unknown_in_on=True,
    # SELECT 1 FROM (SELECT 1, 1 »FROM city) AS t: Duplicate column name '1'
    derived_names_differ=True,
    # SELECT FLOOR(area), FLOOR(area), MAX(id) FROM state GROUP BY FLOOR(area)»: 'area' isn't in GROUP BY
    key_names_one_item=True,
    # SELECT NULLIF(id, 1), MAX(people) FROM city GROUP BY NULLIF(id, 1)»: 'id' isn't in GROUP BY
    reworked=frozenset(
        {
            *("=", "<>", "!=", "<", "<=", ">", ">=", "<=>", "IS", "IN", "BETWEEN", "LIKE", "REGEXP", "RLIKE"),
            *("NOT", "AND", "OR", "XOR", "||", "CASE", "NULLIF", "SYSDATE"),
        }
    ),
    # SELECT 1 FROM (SELECT MAX(length) AS id FROM river, city, state GROUP BY city.id, »state.id) AS d WHERE d.id = 1:
    # Column 'id' in ORDER BY is ambiguous, as it takes the condition on d.id into the derived table
    equal_keys_clash=True,
    # SELECT EXISTS (SELECT 1 FROM city WHERE d.area) FROM (SELECT area FROM state) AS d »GROUP BY d.area:
    # 'd.area' isn't in GROUP BY
    unmatched_below=True,
    # SELECT MAX((SELECT MAX(area) FROM state WHERE EXISTS (SELECT 1 FROM river WHERE »state.id))) FROM city:
    # Mixing of GROUP columns with no GROUP columns
    mixes_within_aggregates=True,
)
