"""Why a formula would be wrong on its columns, and columns that are a concept only together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from sqlglot import exp

from ...data.schema.schema import Schema, Table
from ...ner.language.words import is_cjk
from ..formulas.bank import Formula
from ..formulas.expression import column, parse, text_of
from .features import GroundingItem
from .grounded import Grounded, GroundedConcept, Place
from .names import covered

__all__ = ["fan_out", "problem_of", "total_of", "unlike"]

_TOTAL = 0.8
"""Confidence in a sum of all columns of the same last word."""

_SAME_WORD = 0.6
"""How surely two words are one, see `names.covered`."""

_AMOUNTS = (
    ("cost", "expense", "expenditure", "outlay", "spending", "成本", "费用", "支出", "开支", "费"),
    ("revenue", "income", "earning", "收入", "营收"),
    ("fee", "charge", "费"),
    ("tax", "税"),
    ("asset", "资产"),
    ("liability", "debt", "负债", "债务"),
    ("allowance", "subsidy", "grant", "津贴", "补贴"),
    ("loss", "损失"),
    ("hour", "工时"),
)
"""Last words of amounts that add up, those of one thing together."""

_COSTS = ("rent", "wage", "salary", "freight", "toll", "depreciation", "租金", "工资", "薪资", "运费", "折旧", "水电")
"""What is a cost without being called one; counts where another column is called one."""

_ALL = re.compile(r"^(?:(?:total|overall|all|combined|whole|sum of)\s+)+|^(?:总|全部|所有|合计)")
_NO_PART = re.compile(r"\b(?:total|sum|net|gross|average|avg|mean|unit|per|rate)\b|总|合计|平均|净|单位|率")
"""What is no part beside the others: their sum, or no amount of the whole row."""


def total_of(concept: str, aliases: Iterable[str], items: Sequence[GroundingItem]) -> Iterator[GroundedConcept]:
    """Yield the sums of columns of one table that may be a concept.

    There is none where a column is the whole by its name, or where the concept says which part it is.

    Args:
        aliases: what the concept is called.
        items: columns and tables of the schema.
    """
    if _NO_PART.search(re.sub(_ALL, "", concept.lower())):
        return
    amounts = {word for alias in aliases for group in _AMOUNTS if _bare(alias) in group for word in group}
    others = _COSTS if "cost" in amounts else ()
    numbers = [item for item in items if item.kind == "number" and not _NO_PART.search(item.name.lower())]
    for table in dict.fromkeys(item.place.table for item in numbers if _ends(item.name, amounts)):
        whole = any(_bare(item.name) in amounts for item in items if item.place.table == table)
        here = (item for item in numbers if item.place.table == table)
        parts = [item for item in here if _ends(item.name, (*amounts, *others))]
        if len(parts) > 1 and not whole:
            yield _added(concept, parts)


def _bare(alias: str) -> str:
    """Return an amount without «total», in the singular."""
    word = _ALL.sub("", alias.lower().strip())
    for ending, put in (("ies", "y"), ("xes", "x"), ("sses", "ss"), ("s", "")):
        if word.endswith(ending) and not word.endswith("ss"):
            return word[: -len(ending)] + put
    return word


def _ends(name: str, amounts: Iterable[str]) -> bool:
    if is_cjk(name):
        return any(name.endswith(word) for word in amounts)
    last = _bare(name.rpartition(" ")[2])
    return any(covered(last, word) >= _SAME_WORD for word in amounts)


def _added(concept: str, parts: Sequence[GroundingItem]) -> GroundedConcept:
    columns = [column(item.place.table, item.place.column or "") for item in parts]
    expression = parse(" + ".join(map(text_of, columns)), "calculation")
    found = tuple(GroundedConcept(name, item.place, 1.0) for name, item in zip(expression.needs, parts, strict=True))
    return GroundedConcept(concept, None, _TOTAL, Grounded(Formula(concept, (), "calculation", expression), found))


_ADDED = (exp.Sum, exp.Avg, exp.Count)


def problem_of(grounded: Grounded, schema: Schema, kinds: Mapping[Place, str]) -> str | None:
    """Say in one line why a formula would be wrong on its columns, None if nothing speaks against it.

    Args:
        kinds: of the columns and tables, see `GroundingItem`.
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
    """Are there texts and numbers among what is compared?"""
    found = {kinds.get(one.place, "") for one in compared if one.place is not None}
    return "text" in found and not found.isdisjoint({"number", "boolean"})


def _is_key(place: Place, schema: Schema) -> bool:
    keys = schema.table(place.table).primary_key
    return place.column is not None and place.column.lower() in {key.lower() for key in keys}


def fan_out(grounded: Grounded, schema: Schema) -> str | None:
    """Say in one line which table's rows a formula would count several times, None if it does not.

    That is a table of which all that an aggregate takes comes, while the formula has a table with several rows for
    each of its rows: ``SUM(sales.amount) / SUM(stores.area)``. COUNT(DISTINCT …) bears it, as do MIN and MAX.
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
    """Yield the tables of which one row stands beside several rows of a table, by the keys it declares."""
    for key in table.foreign_keys:
        other = among.get(key.table.lower())
        alone = set(key.columns) == set(table.primary_key) or set(key.columns) <= set(table.unique)
        if other is None or alone or other.name in seen:
            continue
        yield other
        yield from _above(other, among, (*seen, table.name))
