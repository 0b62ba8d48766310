"""Evidence texts beside questions, as BIRD writes them, into formulas.

    long trip refers to distance > 100; tip rate = DIVIDE(SUM(tip), SUM(fare)) * 100; rides refers to trip_id

A piece that compares is a condition, one that reckons a calculation, one that only calls a column otherwise an alias of
a concept. What is none of these is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from sqlglot import exp

from ...data.errors import DomainError
from ...data.schema.plain_names import plain_name
from ..formulas.bank import Bank, Formula, without_circles
from ..formulas.expression import AGGREGATES, ExpressionError, NoFormula, parse
from ..formulas.sql import text_of
from .names import Around, NameBinder, Place
from .pieces import Gloss, cut_piece, name_of
from .tokens import pieces
from .trees import ARITHMETIC, is_truth

__all__ = ["Evidence", "read_evidence"]

_MOST = re.compile(
    r"(?:the\s+|has\s+|have\s+|had\s+|with\s+)*(?:most|greatest|highest|lowest|largest|biggest|smallest|least|longest"
    r"|shortest|maximum|minimum|max|min)\s+(?=\w)",
    re.IGNORECASE,
)  # fmt: skip
_LONGEST = 12
"""Words of a name; a question that says more of them is not asked twice."""


@dataclass(frozen=True)
class Evidence:
    """What an evidence says.

    Attributes:
        bank: the formulas that it tells; what it calls columns is what these concepts are called.
        unread: the pieces that are neither, each with why.
        lost: those of them that would be formulas.
    """

    bank: Bank
    unread: tuple[tuple[str, str], ...]
    lost: tuple[tuple[str, str], ...]


def read_evidence(text: str, names: NameBinder, *, question: str = "") -> Evidence:
    """Read an evidence.

    Args:
        names: of the database that it is about.
        question: that it stands beside; tells which table is meant, and tells the formulas apart.
    """
    said, unread = list[Gloss](), list[tuple[str, ExpressionError]]()
    for piece in pieces(text):
        try:
            said += cut_piece(piece, names)
        except ExpressionError as error:
            unread.append((piece, error))
    formulas, concepts = list[Formula](), dict[str, tuple[str, ...]]()
    around = Around(_others(said, names), f"{question} {text}")
    for one in said:
        try:
            if isinstance(one.tree, exp.Column):
                called, column = _synonym(one, one.tree, names)
                concepts[called] = tuple(dict.fromkeys((*concepts.get(called, ()), column)))
            else:
                formulas.append(replace(_formula(one, names, around), note=question))
        except ExpressionError as error:
            unread.append((one.piece, error))
    circles = list[DomainError]()
    bank = without_circles(formulas, concepts, circles)
    unread += [(text, ExpressionError(error.problem)) for error in circles]
    told = [(piece, str(error)) for piece, error in unread]
    lost = [one for one, (_, error) in zip(told, unread, strict=True) if not isinstance(error, NoFormula)]
    return Evidence(bank, tuple(told), tuple(lost))


def _others(said: Iterable[Gloss], names: NameBinder) -> dict[str, str | Place]:
    """Return what the names of other pieces are: columns, or formulas."""
    found: dict[str, str | Place] = {}
    for one in said:
        places = names.places(one.tree.name, one.tree.table) if isinstance(one.tree, exp.Column) else ()
        found[one.head.casefold()] = places[0] if len(places) == 1 else one.head
    return found


def _synonym(one: Gloss, tree: exp.Column, names: NameBinder) -> tuple[str, str]:
    """Return what a column is called, and the column in plain words.

    Raises:
        ExpressionError: no column is so called.
    """
    if not one.head:
        raise NoFormula("nobody says what it is called")
    if not names.places(tree.name, tree.table) and (names.bound or " " in tree.name):
        raise NoFormula("words, no formula")
    return one.head, plain_name(tree.name)


def _formula(one: Gloss, names: NameBinder, around: Around) -> Formula:
    """Return the formula of a piece.

    Raises:
        ExpressionError: it is none.
    """
    tree, head = one.tree, one.head or name_of(one.called)
    if isinstance(tree, (exp.Max, exp.Min)):
        rest = _MOST.sub("", head)
        if rest == head or not isinstance(tree.this.unnest(), tuple(ARITHMETIC.values())):
            raise NoFormula("a superlative: the question's own words ask for the highest or lowest")
        tree, head = tree.this, rest  # highest profit = MAX(revenue - cost)
    if names.texts(tree):
        tree = exp.Tuple(expressions=list(tree.find_all(exp.Column)))
    if isinstance(tree, exp.Tuple):
        parts = [text_of(names.bind(part, one.piece, head, around)) for part in tree.expressions]
        return Formula(head, one.says, "union", parse(", ".join(parts), "union"))
    if isinstance(tree, exp.Literal):
        raise NoFormula("a text or number, no formula")
    tree = names.bind(tree, one.piece, head, around)
    if any(not isinstance(node.this, exp.Star) for node in _mixed(tree)):
        raise ExpressionError("a value of one row beside one of many, which needs a query of its own")
    if not tree.find(*AGGREGATES) and len({case.args["ifs"][0].this for case in tree.find_all(exp.Case)}) > 1:
        raise ExpressionError("values of different rows, which need a query of their own")
    tree = tree.unnest()
    head = head or _own_name(tree)
    if len(head.split()) > _LONGEST:
        raise ExpressionError(f"a name of more than {_LONGEST} words")
    expression = parse(text_of(tree), "condition" if is_truth(tree) else "calculation")
    if not expression.needs:
        raise ExpressionError(f"{expression.text!r} names no column")
    says = tuple(text for text in one.says if text != head)
    return Formula(head, says, expression.kind, expression)


def _mixed(tree: exp.Expr) -> list[exp.Column]:
    """Return the columns outside of aggregates, where there are both."""
    if not tree.find(*AGGREGATES):
        return []
    return [one for one in tree.find_all(exp.Column) if not one.find_ancestor(*AGGREGATES)]


def _own_name(tree: exp.Expr) -> str:
    """Return what people call an expression that has no name: a text by itself, arithmetic by its sign.

    Raises:
        ExpressionError: they do not.
    """
    if isinstance(tree, exp.EQ) and isinstance(tree.expression, exp.Literal) and tree.expression.is_string:
        return tree.expression.name
    percent = isinstance(tree, exp.Mul) and "100" in (tree.this.name, tree.expression.name)
    if percent:
        return "percentage"
    for kind, name in ((exp.Div, "ratio"), (exp.Sub, "difference"), (exp.Avg, "average"), (exp.Sum, "total")):
        if isinstance(tree, kind):
            return name
    raise ExpressionError("nobody says what it is called")
