"""Where one engine takes names otherwise than the others: each fact with a query that shows it (» marks the word).

`grammar/scope/` asks the facts by name where it would else have to ask for the engine. The dialect of MariaDB is called
mysql; MySQL itself has not been run yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["QUIRKS", "Quirks"]


@dataclass(frozen=True)
class Quirks:
    """Facts about one engine; what is not said of it is as most engines have it.

    Attributes:
        aliases_in_having: HAVING knows outputs by their names.
        aliases_everywhere: before an engine looks into the queries around, it looks for an output, in every clause.
        columns_before_outputs: GROUP BY and HAVING take a column before an output that is called so; asked in the wide
            form of the grammar alone.
        outputs_need_as: a column that is shown without AS is no output's name, but sought among the sources.
        operands_have_outputs: GROUP BY and HAVING of a SELECT behind a set operator take its own outputs for columns.
        having_sees_outputs_only: HAVING knows keys and outputs, and no other column.
        having_seeks_coming_items: HAVING of a subquery in a select list looks among the items that are yet to come.
        hidden_around: clauses that do not find the columns of the queries around.
        merged_unknown_in_on: ON does not know what USING or NATURAL made one column.
        comma_is_join: ON sees the sources before a comma, too.
        optional_alias: a derived table needs no name.
        derived_names_differ: the columns of a derived table all have different names.
        key_groups_table: a primary key in GROUP BY groups all columns of its table.
        key_names_one_item: a key by its words is one item, though several are the same.
        reworked: words that make an item something else than a key of the same words.
        equal_keys_clash: the keys of a derived table are looked for by their names, without their owners.
        unmatched_below: that a subquery names a derived table's column is not seen to be the key that it is.
        mixes_within_aggregates: columns and aggregates do not stand side by side in a query within an aggregate.
        sorts_by_columns_within: in a term of ORDER BY that is more than a name, names are those of columns.
        sort_keys_are_columns: what ORDER BY sorts by counts as a column of the select list.
    """

    aliases_in_having: bool = False
    aliases_everywhere: bool = False
    columns_before_outputs: bool = False
    outputs_need_as: bool = False
    operands_have_outputs: bool = False
    having_sees_outputs_only: bool = False
    having_seeks_coming_items: bool = False
    hidden_around: frozenset[str] = frozenset()
    merged_unknown_in_on: bool = False
    comma_is_join: bool = False
    optional_alias: bool = False
    derived_names_differ: bool = False
    key_groups_table: bool = False
    key_names_one_item: bool = False
    reworked: frozenset[str] = frozenset()
    equal_keys_clash: bool = False
    unmatched_below: bool = False
    mixes_within_aggregates: bool = False
    sorts_by_columns_within: bool = False
    sort_keys_are_columns: bool = False


QUIRKS: Mapping[str, Quirks] = {
    "sqlite": Quirks(
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
    ),
    "mysql": Quirks(
        # SELECT people AS n FROM city GROUP BY people HAVING n > 1: runs
        aliases_in_having=True,
        # SELECT 1 UNION SELECT MAX(people) AS state_id FROM city NATURAL JOIN river GROUP BY »state_id:
        # Can't group on 'state_id'
        operands_have_outputs=True,
        # SELECT 1 FROM city, state GROUP BY city.id, state.id HAVING »city.id: Unknown column 'city.id' in 'HAVING'
        having_sees_outputs_only=True,
        # SELECT EXISTS (SELECT 1 FROM state GROUP BY area HAVING »city.people), city.people FROM city:
        # forward reference
        having_seeks_coming_items=True,
        # SELECT people FROM city GROUP BY people HAVING EXISTS (SELECT 1 FROM state ORDER BY »people): this one runs,
        # but long queries were met where ORDER BY and ON do not find what groups the query around
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
        # SELECT 1 FROM (SELECT MAX(length) AS id FROM river, city, state GROUP BY city.id, »state.id) AS d
        # WHERE d.id = 1: Column 'id' in ORDER BY is ambiguous, as it takes the condition on d.id into the derived table
        equal_keys_clash=True,
        # SELECT EXISTS (SELECT 1 FROM city WHERE d.area) FROM (SELECT area FROM state) AS d »GROUP BY d.area:
        # 'd.area' isn't in GROUP BY
        unmatched_below=True,
        # SELECT MAX((SELECT MAX(area) FROM state WHERE EXISTS (SELECT 1 FROM river WHERE »state.id))) FROM city:
        # Mixing of GROUP columns with no GROUP columns
        mixes_within_aggregates=True,
    ),
    "postgres": Quirks(
        # SELECT LOWER(name) AS name, COUNT(*) FROM city GROUP BY name: runs, on the column
        columns_before_outputs=True,
        # SELECT name FROM city GROUP BY id: runs, where id is the primary key
        key_groups_table=True,
        # SELECT SUM(people) AS people FROM city GROUP BY state_id ORDER BY SUM(people): runs, on the column
        sorts_by_columns_within=True,
        # SELECT * FROM wide »ORDER BY id + 1: keys are entries of the target list, which has 1664 of them at most
        sort_keys_are_columns=True,
    ),
}
