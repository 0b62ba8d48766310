"""What a question with formulas decides by its own words: «the margin of each plant» shows the plant and its margin.

To a network a formula looks like a column, so that it may show it alone, reckon it once for all rows, or forget it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from sqlglot import exp

from ...data.schema.schema import Schema, Table
from ...grammar.decoding.state import Mask
from ..reader.formula_items import FormulaItems, Offered
from ..reader.items import FOREIGN, KEY, Item
from ..reader.question import Question
from .each import LISTED

__all__ = ["Said", "asks_for", "several_of"]

_NAMES = ("name", "nm", "title", "label", "名", "名称", "姓名", "名字", "标题", "全称", "简称")
"""How a name that tells one row from the others ends."""

_ASKED = re.compile(
    r"(?:[^,]{1,80},\s*)?"
    r"(?:what(?:['’]s| is| are| was| were)?|how (?:much|high|large|big|long|great) (?:is|are|was|were)"
    r"|(?:show|give|calculate|compute|tell|report)(?: me)?|sum up|add up)"
    r"(?: the)?(?: (?:average|mean|total|overall|combined|current|typical|highest|lowest|maximum|minimum))*\s*",
    re.IGNORECASE,
)
_ASKED_CHINESE = re.compile(
    r"[\s的分别各都]*(?:合计|总和|总额|之和|总计|平均值|均值|平均|最大值|最小值)?[\s分别各都]*"
    r"(?P<much>(?:是|为|有)?(?:多少|多高|多大|几何)|怎么样|如何)?(?:[，,]?合成一个数)?[？?。\s]*"
)
_REQUEST = re.compile(r"(?:请)?(?:求|计算|算|统计|查询|给出|告诉我|显示)")
_WITH = re.compile(r"\bwith (?:their|its)\s*$|(?:及其|和它们的|以及)$", re.IGNORECASE)
_FIRST_OF_ALL = re.compile(r"最(?![大小高低]值)|第[一二三]|前\d|哪")
"""A Chinese question that asks for the thing with the highest, not for the value."""

_TOGETHER = re.compile(
    r"\b(?:together|altogether|overall|total|sum|combined|as a whole)\b"
    r"|合计|合起来|合成|总体|整体|一共|总共|之和|总和|总额|总计|加起来|相加",
    re.IGNORECASE,
)
"""What asks for one value of several."""
_ROWS = re.compile(r"^(?:what are|what were|list|show|give)\b|分别", re.IGNORECASE)
"""What may ask for a value of each row."""
_AGGREGATES = {
    "AVG": re.compile(r"\b(?:average|mean|typical)\b|平均|均值", re.IGNORECASE),
    "MAX": re.compile(r"\b(?:highest|maximum|largest|greatest)\b|最高|最大", re.IGNORECASE),
    "MIN": re.compile(r"\b(?:lowest|minimum|smallest)\b|最低|最小", re.IGNORECASE),
    "SUM": re.compile(r"\b(?:total|sum|altogether|together)\b|合计|总|一共|之和", re.IGNORECASE),
}
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True)
class Said:
    """What a question leaves a query with formulas; all masks over the extended vocabulary.

    Attributes:
        first: the columns that the answer begins with; None if any word may come.
        asked: the formula that is shown then, by itself or in an aggregate, in one alone where of each thing there are
            several; None if something else may be asked for.
        years: slots of years, which no formula equals.
        whole: no value is left for a condition.
        together: one value of several is asked for, and of a union their sum.
    """

    first: Mask | None
    asked: Mask | None
    years: frozenset[int]
    whole: bool
    together: bool

    @classmethod
    def of(cls, question: Question, items: FormulaItems) -> Said:
        """Read it off a question."""
        vocabulary = items.context.vocabulary
        offers = [one for one in items.offers if one.value is None]
        spans = [(one.needed.mention.start, one.needed.mention.end) for one in offers]
        columns = {place for item in items.each for place in _labels(item, items)}
        words = list(enumerate(vocabulary.words))
        first = [i for i, word in words if word.kind == "column" and (word.table, word.column) in columns]
        asked = [one for one, span in zip(offers, spans, strict=True) if asks_for(question.text, *span)]
        together = bool(_TOGETHER.search(_without(question.text, spans)))
        alone = (one for one in asked if not _reckoned(one, items, together))
        rows = _ROWS.search(question.text) and not together and not items.each
        shown = [i for one in alone for i in (one.word, one.by_row if rows else None) if i is not None]
        functions = _functions(_without(question.text, spans), [one for one in asked if one.adds_up])
        shown += [i for i, word in words if word.kind == "function" and word.text in functions]
        numbers = (i for i, node in enumerate(question.values) if _YEAR.fullmatch(node.found.value))
        years = frozenset(word for i in numbers for word in vocabulary.slots.get(f"number{i}", ()))
        whole = all(node.found.how == "constant" for node in question.values)
        return cls(_mask(first, len(words)), _mask(shown, len(words)), years, whole, together)


def _functions(text: str, asked: Sequence[Offered]) -> set[str]:
    """Return the aggregates that a question wants of a formula: those it says, else the sum, of a quotient the mean."""
    if not asked:
        return set()
    said = {name for name, pattern in _AGGREGATES.items() if pattern.search(text)}
    return said or {"AVG" if all(map(_is_quotient, asked)) else "SUM"}


def _mask(words: Iterable[int], size: int) -> Mask | None:
    mask: Mask = np.zeros(size, np.bool_)
    mask[list(words)] = True
    return mask if mask.any() else None


def asks_for(question: str, start: int, end: int) -> bool:
    """Say whether a question asks for what ``question[start:end]`` names to be shown, and not for something else."""
    behind = _FIRST_OF_ALL.search(question) is None and _ASKED_CHINESE.fullmatch(question, end)
    behind = behind and (behind["much"] or _REQUEST.match(question))
    listed = LISTED.match(question) and _WITH.search(question, 0, start)
    return bool(behind or listed or _ASKED.fullmatch(question, 0, start))


def _labels(each: Item, items: FormulaItems) -> set[tuple[str, str]]:
    """Return the columns that tell one thing from the others: of a table its names, or the texts that differ most."""
    if each.column is not None:
        return {(each.table, each.column)}
    own = [item for item in items.plain.items if item.table == each.table and item.column is not None]
    texts = [item for item in own if item.kind == "text" and not item.marks & FOREIGN]
    named = [item for item in texts if item.name.lower().endswith(_NAMES)]
    if not named and texts and (index := items.context.index) is not None:
        sizes = {item: index.size(item.table, item.column or "") for item in texts}
        texts = [item for item in texts if sizes[item] == max(sizes.values())]
    chosen = named or texts or [item for item in own if item.marks & KEY]
    return {(item.table, item.column) for item in chosen if item.column is not None}


def _reckoned(one: Offered, items: FormulaItems, together: bool) -> bool:
    """Is a formula of one row asked for of several rows at once?"""
    if items.each:
        return any(_added_up(one, item, items.plain.schema) for item in items.each)
    return together and one.adds_up and not one.grounded.formula.expression.aggregate


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _is_amount(one: Offered) -> bool:
    """Is a formula a value of one row that adds up, and no quotient?"""
    expression = one.grounded.formula.expression
    return expression.kind == "calculation" and not expression.aggregate and not _is_quotient(one)


def _is_quotient(one: Offered) -> bool:
    return any(tree.find(exp.Div) for tree in one.grounded.formula.expression.trees)


def _added_up(one: Offered, each: Item, schema: Schema) -> bool:
    """Is a formula an amount of one row, of which a thing has several? Then it is reckoned over them."""
    if not _is_amount(one):
        return False
    if each.column is not None and each.table in one.grounded.tables:
        table = schema.table(each.table)
        return (each.column,) != table.primary_key and each.column not in table.unique
    return each.table in several_of(one, schema)


def several_of(one: Offered, schema: Schema) -> frozenset[str]:
    """Return the tables of which a row may have several rows of the formula's."""
    own = [schema.table(name) for name in one.grounded.tables]
    return frozenset(other.name for table, other in product(own, schema.tables) if _several(table, other.name))


def _several(table: Table, other: str) -> bool:
    """May a row of another table have several of this one?"""
    keys = [key.columns for key in table.foreign_keys if key.table.lower() == other.lower()]
    single = {table.primary_key, *((column,) for column in table.unique)}
    return bool(keys) and bool(table.primary_key) and single.isdisjoint(keys)
