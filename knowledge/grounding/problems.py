"""Finds the reason why a formula would be wrong on its columns."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from sqlglot import exp

from ...data.schema.schema import Schema, Table
from .grounded import Grounded, GroundedConcept, Place

_ADDED = (exp.Sum, exp.Avg, exp.Count)


def problem_of(grounded: Grounded, schema: Schema, kinds: Mapping[Place, str]) -> str | None:
    """Return the reason why a formula would be wrong on its columns in one line, or None.

    Args:
        kinds: the kinds of columns and tables, see `GroundingItem`.
    """
    expression = grounded.formula.expression
    for one, other in combinations((one for one in grounded.concepts if one.place is not None), 2):
        if one.place == other.place:
            return f"{one.place} would be both {one.concept} and {other.concept}"
    for names in expression.alike:
        compared = [one for one in grounded.concepts if one.concept in names]
        if unlike(compared, kinds):
            return f"{' and '.join(map(str, compared))} are not to be compared: one is a text, one a number"
    for one in grounded.concepts:
        if one.concept in expression.empty and one.place is not None and _is_key(one.place, schema):
            return f"{one.place} is a key, and never empty"
    return fan_out(grounded, schema)


def unlike(compared: Iterable[GroundedConcept], kinds: Mapping[Place, str]) -> bool:
    """Are texts compared with numbers?"""
    found = {kinds.get(one.place, "") for one in compared if one.place is not None}
    return "text" in found and not found.isdisjoint({"number", "boolean"})


def _is_key(place: Place, schema: Schema) -> bool:
    keys = schema.table(place.table).primary_key
    return place.column is not None and place.column.lower() in {key.lower() for key in keys}


def fan_out(grounded: Grounded, schema: Schema) -> str | None:
    """Return the fan trap of a formula in one line, or None: an aggregate would count the rows of its table repeatedly.

    The reason is a table with several rows for each of them: ``SUM(sales.amount) / SUM(stores.area)``. MIN, MAX and
    COUNT(DISTINCT …) are not affected.
    """
    tables = {name.lower(): schema.table(name) for name in grounded.tables}
    if len(tables) < 2:
        return None
    for tree in grounded.trees("sqlite"):
        for node in tree.find_all(*_ADDED):
            own = {column.table.lower() for column in node.find_all(exp.Column)}
            if isinstance(node.this, exp.Distinct) or not own:
                continue
            for many in (tables[name] for name in tables.keys() - own):
                for one in _above(many, tables, ()):
                    if own <= {one.name.lower(), *(t.name.lower() for t in _above(one, tables, ()))}:
                        return f"{many.name} has several rows for one of {one.name}, which {node.sql()} would repeat"
    return None


def _above(table: Table, among: dict[str, Table], seen: tuple[str, ...]) -> Iterator[Table]:
    """Yield the tables with several rows of a table for each row, by its declared keys."""
    for key in table.foreign_keys:
        other = among.get(key.table.lower())
        alone = set(key.columns) == set(table.primary_key) or set(key.columns) <= set(table.unique)
        if other is None or alone or other.name in seen:
            continue
        yield other
        yield from _above(other, among, (*seen, table.name))
