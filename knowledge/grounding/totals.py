"""Columns that only together are a concept: the costs of a farm are its seed cost, fertilizer cost and labor cost."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ...ner.index.keys import is_cjk
from ..formulas.bank import Formula
from ..formulas.expression import column, parse, text_of
from .features import GroundingItem
from .grounded import Grounded, GroundedConcept
from .names import covered

__all__ = ["total_of"]

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
