"""Where one engine takes names otherwise than the others; quirks.toml has each fact with a query that shows it.

`grammar/scope/` reads these facts by name and so never compares the names of engines.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any


@dataclass(frozen=True)
class Quirks:
    """Facts about one engine; where it has no fact, it behaves as most engines do.

    Attributes:
        aliases_in_having: HAVING knows outputs by their names.
        aliases_everywhere: before an engine looks into the queries around, it looks for an output, in every clause.
        columns_before_outputs: GROUP BY and HAVING take a column before an output that is called so; used in the wide
            form of the grammar alone.
        outputs_need_as: an item without AS is no output's name: its name is sought among the sources.
        operands_have_outputs: GROUP BY and HAVING of a SELECT behind a set operator take its own outputs for columns.
        having_sees_outputs_only: HAVING knows keys and outputs, and no other column.
        having_seeks_coming_items: HAVING of a subquery in a select list looks among the items that are yet to come.
        hidden_around: clauses that do not find the columns of the queries around.
        merged_unknown_in_on: ON does not know what USING made one column.
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


def _read() -> dict[str, Quirks]:
    data = tomllib.loads((resources.files(__package__ or __name__) / "quirks.toml").read_text("utf-8"))
    return {dialect: Quirks(**{name: _value(fact) for name, fact in facts.items()}) for dialect, facts in data.items()}


def _value(fact: Mapping[str, Any]) -> Any:
    return frozenset[str](fact["value"]) if "value" in fact else True


QUIRKS: Mapping[str, Quirks] = _read()
