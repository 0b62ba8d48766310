"""Shares that a question asks for in its own words: «what percentage of the nurses work at night».

No bank lists them, since any condition may be the part: a formula that the question names, or a cell of the database.

    share of X                the mean of 1 where X holds and 0 elsewhere; «percentage» is of 100
    share of revenue from X   revenue where X holds for all revenue
    ratio of X to Y           rows where X holds for each row where Y holds
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sqlglot import exp

from ..classifiers.intents import Intents, ShareAsked
from ..ner.index import FoundValue
from .formulas.bank import Formula
from .formulas.expression import parse
from .formulas.sql import column, text_of
from .grounding.features import GroundingItem
from .grounding.grounder import Grounder
from .linked_formulas import LinkedFormula
from .mentions import Mention

__all__ = ["Share", "share_in"]


@dataclass(frozen=True)
class Share:
    """A share that a question asks for.

    Attributes:
        needed: the formula of it, named by the word that asks for it.
        said: (start, end) of the words that say its parts: they are no conditions of all rows.
    """

    needed: LinkedFormula
    said: tuple[tuple[int, int], ...]

    def takes(self, start: int, end: int) -> bool:
        """Do these words of the question belong to it?"""
        mention = self.needed.mention
        return any(start < last and first < end for first, last in (*self.said, (mention.start, mention.end)))


@dataclass(frozen=True)
class _SharePart:
    start: int
    end: int
    tree: exp.Expr
    column: str | None = None
    domain: str = ""


def share_in(
    intents: Intents, needed: Sequence[LinkedFormula], values: Sequence[FoundValue], grounder: Grounder
) -> Share | None:
    """Return the share that a question asks for in its own words; None if it names one that is known, or none.

    Args:
        intents: of the question.
        needed: formulas that it names.
        values: that it names.
        grounder: of the formula.
    """
    parts = sorted(_parts(needed, values), key=lambda part: part.start)
    if not parts:
        return None
    known = [one.mention for one in needed if one.grounding.formula.kind != "condition" and one.grounded]
    columns = {item.name.casefold(): item for item in grounder.items if item.kind != "table"}
    for asked in intents.shares:
        in_a_name = any(asked.word in name and name in intents.text.casefold() for name in columns)
        if in_a_name or any(m.start < asked.end and asked.start < m.end for m in known):
            continue
        tree, used = _ratio(intents, asked, parts) or _share(intents, asked, parts, columns) or (None, ())
        if tree is not None:
            return _called(intents.text, asked, tree, used, grounder)
    return None


def _amount(whole: str, columns: Mapping[str, GroundingItem]) -> exp.Expr | None:
    """Return the column of numbers that is the whole, «percentage of the revenue»; None where rows are counted."""
    fitting = [name for name in columns if whole.startswith(name) and not whole[len(name) :][:1].isalnum()]
    item = columns[max(fitting, key=len)] if fitting else None
    if item is None or item.kind != "number":
        return None
    return column(item.place.table, item.place.column or "")


def _parts(needed: Sequence[LinkedFormula], values: Sequence[FoundValue]) -> Iterator[_SharePart]:
    conditions = [one for one in needed if one.grounding.formula.kind == "condition" and one.grounded is not None]
    for one in conditions:
        formula = one.grounding.formula
        yield _SharePart(one.mention.start, one.mention.end, formula.expression.trees[0], domain=formula.domain)
    for value in values:
        named = any(one.mention.start < value.end and value.start < one.mention.end for one in conditions)
        if value.kind == "cell" and value.columns and not named:
            table, name = value.columns[0]
            tree = exp.EQ(this=column(table, name), expression=exp.Literal.string(value.value))
            yield _SharePart(value.start, value.end, tree, f"{table}.{name}")


def _ratio(
    intents: Intents, asked: ShareAsked, parts: Sequence[_SharePart]
) -> tuple[exp.Expr, tuple[_SharePart, ...]] | None:
    """Return the rows of one part for each row of another, «ratio of women to men», «男女比例»."""
    if not asked.ratio:
        return None
    for one, other in pairwise(parts):
        named = one.start >= asked.end or intents.meets(other.end, asked)
        if named and intents.against(one.end, other.start):
            return _quotient(_one(one.tree), _one(other.tree)), (one, other)
    return None


def _share(
    intents: Intents, asked: ShareAsked, parts: Sequence[_SharePart], columns: Mapping[str, GroundingItem]
) -> tuple[exp.Expr, tuple[_SharePart, ...]] | None:
    """Return the share of the rows where a part holds, or one of several that are cells of a column."""
    used: list[_SharePart] = []
    if asked.leading:
        behind = [part for part in parts if part.start >= asked.end]
        last = ([part for part in behind if not intents.narrows(part.start)] or behind)[-1:]
        used = [part for part in behind if part in last or (last[0].column and part.column == last[0].column)]
    if not used:  # 离职率, but no 优秀率 of mathematics
        used = [part for part in parts if intents.meets(part.end, asked)][-1:]
    if not used:
        return None
    condition, amount = exp.or_(*(part.tree for part in used)), _amount(asked.whole, columns)
    if amount is None:
        tree: exp.Expr = exp.Avg(this=_one(condition))
    else:
        tree = _quotient(_one(condition, amount), amount)
    if asked.percent:
        tree = exp.Mul(this=exp.Literal.number("100.0"), expression=tree)
    return tree, tuple(used)


def _called(question: str, asked: ShareAsked, tree: exp.Expr, used: Sequence[_SharePart], grounder: Grounder) -> Share:
    """Return a share, called by the words of the question that ask for it and say its parts."""
    said = [question[part.start : part.end] for part in used]
    name = " ".join([asked.word, *said]) if asked.word.isascii() else "".join([*said, asked.word])
    formula = Formula(asked.word, (), "calculation", parse(text_of(tree), "calculation"), domain=used[0].domain)
    mention = Mention(asked.start, asked.end, name, (formula,), 1.0)
    return Share(LinkedFormula(mention, grounder.ground(formula)), tuple((part.start, part.end) for part in used))


def _quotient(one: exp.Expr, other: exp.Expr) -> exp.Expr:
    return exp.Div(this=exp.Sum(this=one), expression=exp.Sum(this=other), typed=True, safe=True)


def _one(condition: exp.Expr, amount: exp.Expr | None = None) -> exp.Expr:
    """Return 1, or an amount, where a condition holds, and 0 elsewhere."""
    one, nothing = amount or exp.Literal.number("1.0"), exp.Literal.number("0.0")
    return exp.Case(ifs=[exp.If(this=condition.copy(), true=one.copy())], default=nothing)
